import type { ClipboardEvent } from "react";

/** A pasted image goes to the first file control of the form, in whichever control it was pasted. */
export const pasteFiles = (event: ClipboardEvent<HTMLElement>): void => {
  const { files } = event.clipboardData;
  const input = event.currentTarget.querySelector<HTMLInputElement>("input[type=file]");
  // Spreadsheets put an image beside the text on the clipboard; the text is meant.
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
