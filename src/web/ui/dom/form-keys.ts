import { type KeyboardEvent, type RefObject, useEffect, useEffectEvent } from "react";

/** Ctrl+Enter or ⌘ Enter submits a form from any of its inputs, or presses its main button if that does more. */
export const sendByKey = (event: KeyboardEvent<HTMLFormElement>, main?: HTMLButtonElement | null): void => {
  if (!isSendKey(event)) return;
  event.preventDefault();
  event.stopPropagation();
  if (main) main.click();
  else event.currentTarget.requestSubmit();
};

/** Enter at a closed selection submits its form, as it does from a text. Browsers leave that out. */
export const sendFromSelect = (event: KeyboardEvent<HTMLFormElement>): boolean => {
  if (event.key !== "Enter" || event.defaultPrevented || !(event.target instanceof HTMLSelectElement)) return false;
  event.preventDefault();
  event.currentTarget.requestSubmit();
  return true;
};

const isSendKey = ({ key, ctrlKey, metaKey }: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey">): boolean =>
  key === "Enter" && (ctrlKey || metaKey);

/** The shortcut beside the inputs of the one form of a page: at its buttons, or where nothing has the focus. */
export const useSendKey = (form: RefObject<HTMLFormElement | null>, main: RefObject<HTMLButtonElement | null>): void =>
  useEffect(() => {
    const send = (event: globalThis.KeyboardEvent) => {
      if (event.defaultPrevented || !isSendKey(event)) return;
      // In a layer above the page it has another meaning, and at a link it opens another tab.
      if (event.target instanceof Element && event.target.closest("dialog, [popover], a[href]") !== null) return;
      event.preventDefault();
      if (main.current) main.current.click();
      else form.current?.requestSubmit();
    };
    window.addEventListener("keydown", send);
    return () => window.removeEventListener("keydown", send);
  }, [form, main]);

/** The shortcut on a page without a form: does what its main button does. While something is typed, it sends that. */
export const useMainKey = (act: (() => void) | undefined): void => {
  const run = useEffectEvent(() => act?.());
  const isOffered = act !== undefined;
  useEffect(() => {
    if (!isOffered) return;
    const press = (event: globalThis.KeyboardEvent) => {
      if (event.defaultPrevented || event.repeat || !isSendKey(event)) return;
      // At a link, it opens another tab.
      if (event.target instanceof Element && event.target.closest("dialog, [popover], form, a[href]") !== null) return;
      event.preventDefault();
      run();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, [isOffered]);
};

/** An open list of values or calendar, which Escape closes. */
const OPEN = "dialog, [popover], [aria-expanded=true], option, select:open";

/** Escape leaves the form of a page if nothing has been entered. Otherwise it leads to the way out. */
export const useLeaveKey = (way: RefObject<HTMLElement | null>, isChanged: boolean): void => {
  const leave = useEffectEvent(() => (isChanged ? way.current?.focus({ preventScroll: true }) : way.current?.click()));
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent) => {
      const { key, target, defaultPrevented, isComposing } = event;
      if (key !== "Escape" || defaultPrevented || isComposing) return;
      if (target instanceof Element && target.closest(OPEN) !== null) return;
      if (document.querySelector("dialog[open], [popover]:popover-open") !== null) return;
      event.preventDefault();
      leave();
    };
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
};
