import type { ClipboardEvent } from "react";
import { whenElementExists } from "./when-element-exists.ts";

/** A pasted image goes to the first file control of the form, in whichever control it was pasted. */
export const pasteFiles = (event: ClipboardEvent<HTMLElement>): void => {
  const form = event.currentTarget;
  const { files } = event.clipboardData;
  // A control without its input is being loaded.
  const hasControl = form.querySelector("input[type=file], .box.file[aria-busy]") !== null;
  // Spreadsheets put an image beside the text on the clipboard; the text is meant.
  if (event.defaultPrevented || files.length === 0 || !hasControl || event.clipboardData.getData("text/plain") !== "")
    return;
  event.preventDefault();
  // The clipboard is empty once the event is over.
  const kept = new DataTransfer();
  for (const file of files) kept.items.add(file);
  whenElementExists<HTMLInputElement>(form, "input[type=file]", (input) => {
    input.files = kept.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
};
