import type { ChangeJson, MissingClause } from "../../../core/wire/authoring/document.ts";
import { useWords } from "../../i18n/words.tsx";
import { ClauseId } from "../../ui/clause.tsx";
import { Button } from "../../ui/control/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import { type PlannedText, RecordList } from "./record-list.tsx";

/** A clause that was written into the draft. */
export interface WrittenClause {
  /** Counted from 1. */
  readonly line: number;
  /** The line, without indentation. */
  readonly text: string;
  /** False if its value is only an example, which the author has to replace. */
  readonly isWhole: boolean;
}

/**
 * Writes a clause that makes stored data fit. For `was`, `value` is the one that the records get. The result is undefined if
 * the text has no place for it.
 */
export type WriteMissing = (missing: MissingClause, value: string | null) => WrittenClause | undefined;

/** The changes of a version to the database, or the reasons why stored data prevents them. */
export const DataChanges = ({
  change: { steps, records = [], refused },
  text,
  onWrite,
}: {
  readonly change: ChangeJson;
  /** The text that is planned. */
  readonly text: PlannedText;
  /** Absent where the text cannot be changed. */
  readonly onWrite?: WriteMissing | undefined;
}) => {
  const { say } = useWords();
  if (refused.length > 0)
    return (
      <>
        <p>{say("workbench.apply.refused")}</p>
        <ul className="plan-steps refused">
          {refused.map(({ clause, says, misfits, missing }) => (
            <li key={says}>
              <Icon name="alert" />
              <div>
                <span>{says}</span>
                {missing !== undefined && onWrite !== undefined && <Ways missing={missing} onWrite={onWrite} />}
                {misfits !== undefined && <RecordList records={misfits} text={text} />}
              </div>
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
        {steps.map((step, i) => {
          const counted = records.find((candidate) => candidate.step === i);
          return (
            <li key={step}>
              <Icon name="to" />
              <div>
                <span>{step}</span>
                {counted?.missing !== undefined && onWrite !== undefined && (
                  <Ways missing={counted.missing} onWrite={onWrite} />
                )}
                {counted !== undefined && counted.count > 0 && <RecordList records={counted} text={text} isOnlyShown />}
              </div>
            </li>
          );
        })}
      </ul>
    </>
  );
};

/** The words of the button that gives a field a value, or converts the values of its former type. */
const wayOf = (was: string | undefined) =>
  was === undefined ? "plan.fill" : was.startsWith("[") ? "plan.one" : "plan.convert";

/** The possible answers to a refusal, or to values that would be retired. None is chosen in advance. */
const Ways = ({ missing, onWrite }: { missing: MissingClause; onWrite: WriteMissing }) => {
  const { say } = useWords();
  if (missing.kind !== "was")
    return (
      <p className="plan-ways">
        <Button small icon="edit" onClick={() => onWrite(missing, null)}>
          {missing.kind === "during" ? say("plan.during") : say(wayOf(missing.was), { field: missing.field })}
        </Button>
      </p>
    );
  return (
    <p className="plan-ways">
      <span>{say("plan.was", { value: missing.value })}</span>
      {missing.values.map((value) => (
        <Button key={value} small onClick={() => onWrite(missing, value)}>
          {value}
        </Button>
      ))}
    </p>
  );
};
