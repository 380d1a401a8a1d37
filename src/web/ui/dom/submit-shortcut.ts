import type { KeyboardEvent } from "react";

/** Ctrl+Enter or ⌘ Enter submits a form from any of its inputs. */
export const sendByKey = (event: KeyboardEvent<HTMLFormElement>): void => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.stopPropagation();
  event.currentTarget.requestSubmit();
};
