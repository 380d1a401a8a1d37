/** Leaves a sheet as a press beside it does: a dialog stays if that could lose input. */
export const leaveSheet = (sheet: HTMLElement): void => {
  if (sheet instanceof HTMLDialogElement) sheet.click();
  else if (sheet.matches(":popover-open")) sheet.hidePopover();
};

/** Moves a sheet that stays, so that the press that would have left it is seen to have arrived. */
const nudge = (sheet: HTMLElement): void => {
  if (!sheet.isConnected || window.matchMedia("(prefers-reduced-motion: reduce)").matches) return;
  sheet.animate([{ translate: "0" }, { translate: "0 10px" }, { translate: "0 -4px" }, { translate: "0" }], {
    duration: 240,
    easing: "ease-out",
  });
};

/**
 * Leaves the sheet in front of the page: a dialog, and on a phone also a menu or another panel, which covers the page
 * there. False if there is none.
 */
export const leaveFrontSheet = (phone: boolean): boolean => {
  const sheets = document.querySelectorAll<HTMLElement>(
    phone ? "dialog[open], .popup:popover-open:not(.options)" : "dialog[open]",
  );
  // A panel of a dialog is within it.
  const sheet = [...sheets].at(-1);
  if (sheet === undefined) return false;
  leaveSheet(sheet);
  // React has closed the others by then.
  if (sheet instanceof HTMLDialogElement) setTimeout(() => sheet.open && nudge(sheet));
  return true;
};
