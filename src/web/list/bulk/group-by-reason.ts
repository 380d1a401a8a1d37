/** A record for which an act failed or is not possible, with the reason. */
interface Failed<T> {
  readonly record: T;
  readonly words: string;
  /** Undefined if no clause is disclosed. */
  readonly clause: string | undefined;
}

interface Reason<T> extends Pick<Failed<T>, "words" | "clause"> {
  readonly records: readonly T[];
}

/** Joins records with an equal reason, so that it is read once. The most frequent reason comes first. */
export const groupByReason = <T>(failed: readonly Failed<T>[]): readonly Reason<T>[] => {
  const reasons = new Map<string, Reason<T>>();
  for (const { record, words, clause } of failed) {
    const key = JSON.stringify([words, clause]);
    reasons.set(key, { words, clause, records: [...(reasons.get(key)?.records ?? []), record] });
  }
  return [...reasons.values()].toSorted((a, b) => b.records.length - a.records.length);
};
