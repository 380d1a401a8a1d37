import type { ChangeJson } from "../../../core/wire/authoring/document.ts";
import { useWords } from "../../i18n/words.tsx";
import { ClauseId } from "../../ui/clause.tsx";
import { Icon } from "../../ui/icon.tsx";

/** The changes of a version to the database, or the reasons why stored data prevents them. */
export const DataChanges = ({ change: { steps, refused } }: { readonly change: ChangeJson }) => {
  const { say } = useWords();
  if (refused.length > 0)
    return (
      <>
        <p>{say("workbench.apply.refused")}</p>
        <ul className="plan-steps refused">
          {refused.map(({ clause, says }) => (
            <li key={says}>
              <Icon name="alert" />
              <span>{says}</span>
              <ClauseId of={clause} />
            </li>
          ))}
        </ul>
      </>
    );
  if (steps.length === 0) return <p>{say("workbench.apply.nothing")}</p>;
  return (
    <>
      <p>{say("workbench.apply.steps")}</p>
      <ul className="plan-steps">
        {steps.map((step) => (
          <li key={step}>
            <Icon name="plus" />
            <span>{step}</span>
          </li>
        ))}
      </ul>
    </>
  );
};
