import { leaveSheet } from "./leave-sheet.ts";

/** Pixels after which a sheet is left, and the part of its height that is enough. */
const FAR = 80;
const PART = 1 / 3;
/** Pixels after which a press is a pull. */
const SLOP = 8;

/** The sheet that a finger pulls: a panel anywhere, and a dialog by its head. */
const findSheet = (target: Element): HTMLElement | null =>
  target.closest(".dialog-head")?.closest<HTMLElement>("dialog[open]:not(.palette)") ??
  target.closest<HTMLElement>(".popup:popover-open:not(.options)");

/** True if the finger scrolls back something within the sheet, or marks text in a field. */
const isForContent = (target: Element, sheet: HTMLElement): boolean => {
  if (target.closest("input, textarea, select")) return true;
  for (let part: Element | null = target; part !== null; part = part === sheet ? null : part.parentElement)
    if (part.scrollTop > 0) return true;
  return false;
};

/** Lets a finger pull a sheet of a phone down, to leave it. Returns the function that ends that. */
export const watchPulls = (): (() => void) => {
  let from: { readonly sheet: HTMLElement; readonly x: number; readonly y: number } | null = null;
  let by: number | null = null;
  const begin = ({ target, touches }: TouchEvent) => {
    end(false);
    const [finger, another] = touches;
    if (!(target instanceof Element) || finger === undefined || another !== undefined) return;
    const sheet = findSheet(target);
    if (sheet !== null && !isForContent(target, sheet)) from = { sheet, x: finger.clientX, y: finger.clientY };
  };
  const move = (event: TouchEvent) => {
    const [finger] = event.touches;
    if (from === null || finger === undefined) return;
    const across = Math.abs(finger.clientX - from.x);
    const down = finger.clientY - from.y;
    if (by === null && Math.max(across, Math.abs(down)) < SLOP) return;
    // Across or up first, it is no pull.
    if (by === null && down <= across) {
      from = null;
      return;
    }
    by = Math.max(0, down);
    if (event.cancelable) event.preventDefault();
    from.sheet.style.translate = `0 ${by}px`;
  };
  const end = (isLeft: boolean) => {
    const sheet = from?.sheet;
    const isFar = sheet !== undefined && by !== null && by >= Math.min(FAR, sheet.offsetHeight * PART);
    const left = isLeft && isFar ? sheet : undefined;
    if (sheet !== undefined) sheet.style.translate = "";
    from = null;
    by = null;
    if (left !== undefined) leaveSheet(left);
  };
  const release = () => end(true);
  const cancel = () => end(false);
  document.addEventListener("touchstart", begin, { passive: true });
  document.addEventListener("touchmove", move, { passive: false });
  document.addEventListener("touchend", release);
  document.addEventListener("touchcancel", cancel);
  return () => {
    document.removeEventListener("touchstart", begin);
    document.removeEventListener("touchmove", move);
    document.removeEventListener("touchend", release);
    document.removeEventListener("touchcancel", cancel);
  };
};
