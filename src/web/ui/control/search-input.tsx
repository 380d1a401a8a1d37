import type { ClipboardEvent, ComponentProps } from "react";
import { MOST_SEARCHED, truncatePasted } from "../../format/sanitize-line.ts";

/** Replaces line breaks in pasted text by spaces, and limits its length. */
const pasteLine = (event: ClipboardEvent<HTMLInputElement>): void => {
  const input = event.currentTarget;
  const pasted = event.clipboardData.getData("text/plain");
  if (pasted === "") return;
  event.preventDefault();
  const [from, to] = [input.selectionStart ?? input.value.length, input.selectionEnd ?? input.value.length];
  const room = MOST_SEARCHED - (input.value.length - (to - from));
  input.setRangeText(truncatePasted(pasted, room), from, to, "end");
  input.dispatchEvent(new Event("input", { bubbles: true }));
};

/** A search input. */
export const SearchInput = (props: ComponentProps<"input">) => (
  <input type="text" autoComplete="off" maxLength={MOST_SEARCHED} {...props} onPaste={pasteLine} />
);
