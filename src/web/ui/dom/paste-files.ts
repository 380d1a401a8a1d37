import type { ClipboardEvent } from "react";

/** How long a control of files that is being loaded is waited for, in milliseconds. */
const MOST_WAITED = 60_000;

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
  whenInputExists(form, (input) => {
    input.files = kept.files;
    input.dispatchEvent(new Event("change", { bubbles: true }));
  });
};

const whenInputExists = (form: HTMLElement, use: (input: HTMLInputElement) => void): void => {
  const find = () => form.querySelector<HTMLInputElement>("input[type=file]");
  const now = find();
  if (now !== null) {
    use(now);
    return;
  }
  const observer = new MutationObserver(() => {
    const input = find();
    if (input === null) return;
    observer.disconnect();
    use(input);
  });
  observer.observe(form, { childList: true, subtree: true });
  setTimeout(() => observer.disconnect(), MOST_WAITED);
};
