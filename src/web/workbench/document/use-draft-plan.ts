import { useDeferredValue, useMemo, useRef } from "react";
import { haveSameText, type Source } from "../../../core/source-text.ts";
import type { DraftState } from "../draft/draft-session.ts";
import { countChangedLines } from "../draft/lines-changed.ts";
import type { CheckedText } from "../editor/editor-answers.ts";
import { useComparison } from "../plan/use-comparison.ts";
import { usePlannedData } from "../plan/use-planned-data.ts";
import { useDraftReplay } from "../plan/use-replay.ts";

/** The newest text of the draft that has no errors; undefined before there is one. */
const useRunningText = ({ isRunnable, sources }: CheckedText): readonly Source[] | undefined => {
  const last = useRef<readonly Source[]>(undefined);
  if (isRunnable) last.current = sources;
  return last.current;
};

/** The effects of a draft: on behaviour, on stored data, and on recent changes. `errors`: how many the draft has. */
export const useDraftPlan = (drafted: DraftState, checkedText: CheckedText, errors: number) => {
  const { inForce, newer, files, changed } = drafted;
  // Counting may not delay a key.
  const counted = useDeferredValue(files);
  const lines = useMemo(() => countChangedLines(inForce.files, counted), [inForce.files, counted]);
  const running = useRunningText(checkedText);
  const compared = useComparison(inForce.files, changed ? running : inForce.files);
  const checked = changed && errors === 0 && newer === null ? running : undefined;
  const data = usePlannedData(inForce.hash, checked);
  const replay = useDraftReplay(inForce.hash, checked);
  const hasEarlier = running !== undefined && !haveSameText(running, inForce.files);
  return {
    /** The number of changed lines. */
    lines,
    compared,
    data,
    replay,
    /** True if an earlier text of the draft had no errors, so that there is a plan to show. */
    hasEarlier,
    /** The number of changes in behaviour; undefined until the draft was once without errors. */
    changes: changed && hasEarlier ? compared.comparison?.behaviour?.length : undefined,
  };
};
