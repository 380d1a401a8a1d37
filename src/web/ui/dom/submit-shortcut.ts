import { type KeyboardEvent, type RefObject, useEffect } from "react";

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
