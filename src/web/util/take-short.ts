/** The texts from the first on that have at most this number of characters together; always at least one. */
export const takeShort = (texts: readonly string[], most: number): readonly string[] => {
  const lengths = texts.map((_, at) => texts.slice(0, at + 1).reduce((sum, { length }) => sum + length, 0));
  return texts.filter((_, at) => at === 0 || (lengths[at] ?? 0) <= most);
};

/** A short word at the end can be an abbreviation. */
const isSentence = (example: string): boolean => isLong(example) && /[\p{L}\p{N}]{4}\.$/u.test(example);

/** A few words are rather a name. */
const isLong = (example: string): boolean => /^\S+(?:\s+\S+){3,}$/u.test(example);

/**
 * Sentences without their full stops, which would stand before a comma. Beside a certain sentence, a stop after a short word
 * ends a sentence too, so that no list has one example with a stop and one without.
 */
export const withoutStops = (examples: readonly string[]): readonly string[] =>
  examples.some(isSentence)
    ? examples.map((example) => (isLong(example) ? example.replace(/(?<=[\p{L}\p{N}])\.$/u, "") : example))
    : examples;
