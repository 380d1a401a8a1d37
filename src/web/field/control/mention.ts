/** An @ at the beginning of a word, and what of a name follows it: a word or two, up to the caret. */
const begun = /(?:^|[\s(])@(?<name>[\p{L}\p{M}'’.-]*(?: [\p{L}\p{M}'’.-]*)?)$/u;

/** The name that is being typed at a place of a text, empty right behind the @; null where none is. */
export const nameBegunAt = (text: string, caret: number): string | null =>
  begun.exec(text.slice(0, caret))?.groups?.name ?? null;

/** The text with a whole name in the place of the one begun, and where the caret stands then. */
export const withName = (
  text: string,
  caret: number,
  name: string,
): { readonly text: string; readonly caret: number } => {
  const before = `${text.slice(0, text.lastIndexOf("@", caret - 1) + 1)}${name} `;
  return { text: before + text.slice(caret).replace(/^ /u, ""), caret: before.length };
};
