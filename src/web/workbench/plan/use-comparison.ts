import { useCallback, useEffect, useState } from "react";
import type { SourceJson } from "../../../core/wire/authoring/document.ts";
import { createTextComparer } from "./text-comparer.ts";
import { sameTexts, type TextComparison } from "./text-comparison.ts";

/** One thread for the page, started by the first comparison. */
const compareTexts = createTextComparer(
  () => new Worker(new URL("./compare-worker.ts", import.meta.url), { type: "module" }),
);

interface Done {
  readonly attempt: number;
  readonly before: readonly SourceJson[];
  readonly after: readonly SourceJson[];
  /** Null if the comparison failed. */
  readonly comparison: TextComparison | null;
}

export interface ComparisonState {
  /** The newest comparison, perhaps of earlier texts; null if it failed, undefined until there is one. */
  readonly comparison: TextComparison | null | undefined;
  /** False while the comparison of these texts is computed. */
  readonly isCurrent: boolean;
  /** True while texts are compared again after a failure. */
  readonly isRetrying: boolean;
  /** Compares the texts again. */
  readonly retry: () => void;
}

/** Compares two texts in another thread. Undefined texts are not known yet. */
export const useComparison = (
  before: readonly SourceJson[] | undefined,
  after: readonly SourceJson[] | undefined,
): ComparisonState => {
  const [done, setDone] = useState<Done>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    if (before === undefined || after === undefined) return;
    const answer = (comparison: TextComparison | null): void => setDone({ attempt, before, after, comparison });
    if (before === after) {
      answer(sameTexts);
      return;
    }
    const comparing = new AbortController();
    const unlessOutdated = (comparison: TextComparison | null): void => {
      if (!comparing.signal.aborted) answer(comparison);
    };
    compareTexts(before, after, comparing.signal).then(unlessOutdated, () => unlessOutdated(null));
    return () => comparing.abort();
  }, [before, after, attempt]);
  const retry = useCallback(() => setAttempt((last) => last + 1), []);
  return {
    comparison: done?.comparison,
    isCurrent: done?.before === before && done?.after === after,
    isRetrying: done !== undefined && done.attempt !== attempt,
    retry,
  };
};
