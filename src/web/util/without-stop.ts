/**
 * A sentence without its full stop, which would stand before a comma. A short word at the end can be an abbreviation, and
 * a few words are rather a name.
 */
export const withoutStop = (example: string): string =>
  /^\S+(?:\s+\S+){3,}$/u.test(example) ? example.replace(/(?<=[\p{L}\p{N}]{4})\.$/u, "") : example;
