/** An @ at the start of a word, followed by one or two words up to the caret. */
const MENTION_START = /(?:^|[\s(])@(?<name>[\p{L}\p{M}'’.-]*(?: [\p{L}\p{M}'’.-]*)?)$/u;

/** The partial name at the caret, empty directly after the @; null if there is none. */
export const partialNameAt = (text: string, caret: number): string | null =>
  MENTION_START.exec(text.slice(0, caret))?.groups?.name ?? null;

/** Replaces the partial name by a full one; returns the text and the caret position. */
export const withName = (
  text: string,
  caret: number,
  name: string,
): { readonly text: string; readonly caret: number } => {
  const before = `${text.slice(0, text.lastIndexOf("@", caret - 1) + 1)}${name} `;
  return { text: before + text.slice(caret).replace(/^ /u, ""), caret: before.length };
};
