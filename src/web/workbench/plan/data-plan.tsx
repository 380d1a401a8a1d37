import type { UseQueryResult } from "@tanstack/react-query";
import type { ChangeJson } from "../../../core/wire/authoring/document.ts";
import { toFailure } from "../../api/api-error.ts";
import { useWords } from "../../i18n/words.tsx";
import { DataChanges, type WriteMissing } from "./data-changes.tsx";
import type { PlannedText } from "./record-list.tsx";
import { RetryNote } from "./retry-note.tsx";
import { useErrorUntilAnswer } from "./use-error-until-answer.ts";

/** The effect of a version on stored data, once the server has answered. */
export const DataPlan = ({
  plan,
  change,
  text,
  onWrite,
}: {
  readonly plan: UseQueryResult<ChangeJson>;
  /** The answer to show; undefined if it is outdated. */
  readonly change: ChangeJson | undefined;
  readonly text: PlannedText;
  readonly onWrite?: WriteMissing | undefined;
}) => {
  const { say } = useWords();
  const failed = useErrorUntilAnswer(plan.error, plan.isFetching);
  if (change) return <DataChanges change={change} text={text} onWrite={onWrite} />;
  if (failed)
    return (
      <RetryNote
        title={say("workbench.apply.unplanned")}
        failure={toFailure(failed)}
        isBusy={plan.isFetching}
        retry={() => void plan.refetch()}
      />
    );
  return <p aria-busy="true">{say("workbench.apply.planning")}</p>;
};
