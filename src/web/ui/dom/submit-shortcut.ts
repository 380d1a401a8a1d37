import type { KeyboardEvent } from "react";

/** On a form, as a capture: Ctrl Enter, or ⌘ Enter, sends it from wherever one writes in it, whatever Enter alone does there. */
export const sendByKey = (event: KeyboardEvent<HTMLFormElement>): void => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.stopPropagation();
  event.currentTarget.requestSubmit();
};
