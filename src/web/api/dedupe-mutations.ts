/** Time in milliseconds within which a repetition is unintended. */
const soon = 500;

/**
 * Combines identical writes: a repetition before the first has been answered, or directly afterwards, gets the same
 * result, since pressing a button twice means one action. A different write in between, or a failure, separates them.
 * All writes pass through here, so no button needs its own protection.
 */
export const createOnce = <T>(now: () => number = Date.now) => {
  const inFlight = new Map<string, { readonly answer: Promise<T>; until: number }>();
  return (what: string, ask: () => Promise<T>): Promise<T> => {
    const before = inFlight.get(what);
    if (before !== undefined && now() < before.until) return before.answer;
    for (const [other, { until }] of inFlight) if (until !== Number.POSITIVE_INFINITY) inFlight.delete(other);
    const entry = { answer: ask(), until: Number.POSITIVE_INFINITY };
    inFlight.set(what, entry);
    entry.answer.then(
      () => {
        entry.until = now() + soon;
      },
      () => {
        inFlight.delete(what);
      },
    );
    return entry.answer;
  };
};
