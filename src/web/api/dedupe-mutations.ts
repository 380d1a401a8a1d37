/** So soon nobody means the same thing a second time. */
const soon = 500;

/**
 * What is asked twice, before the first is answered or right after it, is asked once, and both get the one answer: whoever
 * presses a button again means the same. Something else asked between the two makes them two, and so does a failure. It
 * stands where every write passes, so no button has to see to it.
 */
export const createOnce = <T>(now: () => number = Date.now) => {
  const asked = new Map<string, { readonly answer: Promise<T>; until: number }>();
  return (what: string, ask: () => Promise<T>): Promise<T> => {
    const before = asked.get(what);
    if (before !== undefined && now() < before.until) return before.answer;
    for (const [other, { until }] of asked) if (until !== Number.POSITIVE_INFINITY) asked.delete(other);
    const entry = { answer: ask(), until: Number.POSITIVE_INFINITY };
    asked.set(what, entry);
    entry.answer.then(
      () => {
        entry.until = now() + soon;
      },
      () => {
        asked.delete(what);
      },
    );
    return entry.answer;
  };
};
