import type { ClipboardEvent } from "react";

/**
 * A picture that is pasted while one types goes to the first control of the form that takes files, as if it had been chosen
 * there: nobody looks for the one place on the page where pasting works.
 */
export const pasteFiles = (event: ClipboardEvent<HTMLElement>): void => {
  const { files } = event.clipboardData;
  const input = event.currentTarget.querySelector<HTMLInputElement>("input[type=file]");
  // A table of figures comes with a picture of itself: where there are words, they are meant.
  if (
    event.defaultPrevented ||
    files.length === 0 ||
    input === null ||
    event.clipboardData.getData("text/plain") !== ""
  )
    return;
  event.preventDefault();
  input.files = files;
  input.dispatchEvent(new Event("change", { bubbles: true }));
};
