import type { KeyboardEvent } from "react";

/** Ctrl+Enter or ⌘ Enter submits a form from any of its inputs, or presses its main button if that does more. */
export const sendByKey = (event: KeyboardEvent<HTMLFormElement>, main?: HTMLButtonElement | null): void => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.stopPropagation();
  if (main) main.click();
  else event.currentTarget.requestSubmit();
};
