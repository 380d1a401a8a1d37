import { type KeyboardEvent, useRef } from "react";

/** After this many milliseconds, a letter begins another word. */
const PAUSE = 1_000;

const readText = (element: HTMLElement): string => (element.textContent ?? "").trim().toLocaleLowerCase();

/**
 * Typed letters find the item whose text begins with them, as in a select box: `net` goes past “Number” and “Needed by” to
 * “Net”. One letter typed again goes on to the next item. Returns the item, if the key is a letter that finds one.
 */
export const useTypeAhead = () => {
  const typed = useRef({ text: "", at: 0 });
  return (event: KeyboardEvent, items: readonly HTMLElement[]): HTMLElement | undefined => {
    if (event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return undefined;
    const { text, at } = typed.current;
    const before = event.timeStamp - at < PAUSE ? text : "";
    // Within a word, a space does not press the item.
    if (event.key === " " && before === "") return undefined;
    event.preventDefault();
    const now = before + event.key.toLocaleLowerCase();
    typed.current = { text: now, at: event.timeStamp };
    const isRepeated = new Set(now).size === 1;
    const current = items.indexOf(document.activeElement as HTMLElement);
    const from = Math.max(0, isRepeated ? current + 1 : current);
    const wanted = isRepeated ? now.slice(0, 1) : now;
    return [...items.slice(from), ...items.slice(0, from)].find((item) => readText(item).startsWith(wanted));
  };
};
