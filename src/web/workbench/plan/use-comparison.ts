import { useCallback, useEffect, useState } from "react";
import type { SourceJson } from "../../../core/wire/authoring/document.ts";
import { createThreadCalls } from "../../util/thread-calls.ts";
import { type ComparedTexts, sameTexts, type TextComparison } from "./text-comparison.ts";

/** One thread for the page, started by the first comparison. */
const compareTexts = createThreadCalls<ComparedTexts, TextComparison>(
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
  /**
   * The newest comparison with the earlier text, perhaps of an outdated later text; null if it failed, undefined until there
   * is one.
   */
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
    if (before === undefined || after === undefined || before === after) return;
    const answer = (comparison: TextComparison | null): void => setDone({ attempt, before, after, comparison });
    const comparing = new AbortController();
    const unlessOutdated = (comparison: TextComparison | null): void => {
      if (!comparing.signal.aborted) answer(comparison);
    };
    compareTexts({ before, after }, comparing.signal).then(unlessOutdated, () => unlessOutdated(null));
    return () => comparing.abort();
  }, [before, after, attempt]);
  const retry = useCallback(() => setAttempt((last) => last + 1), []);
  // Texts without a difference say nothing about those that follow.
  if (before !== undefined && before === after)
    return { comparison: sameTexts, isCurrent: true, isRetrying: false, retry };
  // A comparison with another version is no plan of this one.
  const own = done?.before === before ? done : undefined;
  return {
    comparison: own?.comparison,
    isCurrent: own !== undefined && own.after === after,
    isRetrying: own !== undefined && own.attempt !== attempt,
    retry,
  };
};
