/** The texts from the first on that have at most this number of characters together; always at least one. */
export const takeShort = (texts: readonly string[], most: number): readonly string[] => {
  const lengths = texts.map((_, at) => texts.slice(0, at + 1).reduce((sum, { length }) => sum + length, 0));
  return texts.filter((_, at) => at === 0 || (lengths[at] ?? 0) <= most);
};

/**
 * A sentence without its full stop, which would stand before a comma. A short word at the end can be an abbreviation, and
 * a few words are rather a name.
 */
export const withoutStop = (example: string): string =>
  /^\S+(?:\s+\S+){3,}$/u.test(example) ? example.replace(/(?<=[\p{L}\p{N}]{4})\.$/u, "") : example;
