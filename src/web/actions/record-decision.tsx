import type { EntityJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { useApplication } from "../app/app-context.tsx";
import { useRecordFacts } from "../field/short-texts.ts";
import { findListScreen } from "../routing/routes.ts";
import { CheckBox } from "../ui/control/check-box.tsx";
import { useNearScreen } from "../ui/dom/use-near-screen.ts";
import { Dotted } from "../ui/dotted.tsx";
import { DecisionFacts, useWholeRecord } from "./decision-facts.tsx";
import "./record-decision.css";

interface RecordDecisionProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  readonly label: string;
  readonly transition: TransitionJson;
}

/** The record with the values on which the decision depends. */
export const RecordDecision = ({ entity, record: latest, label, transition }: RecordDecisionProps) => {
  const { screens } = useApplication();
  const record = useWholeRecord(entity, latest);
  const inBlock = findListScreen(screens, entity.name)?.columns ?? [];
  return (
    <>
      <RecordBlock entity={entity} record={record} label={label} besides={transition.asks} />
      <DecisionFacts entity={entity} record={record} transition={transition} besides={inBlock} />
    </>
  );
};

interface RecordChoicesProps extends Pick<RecordDecisionProps, "entity" | "transition"> {
  readonly records: readonly RecordJson[];
  /** The ids of those for which it is not made. */
  readonly leftOut: ReadonlySet<string>;
  readonly onLeaveOut: (ids: ReadonlySet<string>) => void;
}

/** The records that a decision is made about at once, each with the values on which it depends, to be left out or not. */
export const RecordChoices = ({ records, leftOut, onLeaveOut, ...of }: RecordChoicesProps) => (
  <ul className="record-choices" data-preset>
    {records.map((record) => (
      <RecordChoice
        key={record.id}
        {...of}
        record={record}
        isIn={!leftOut.has(record.id)}
        onTurn={(isIn) =>
          onLeaveOut(new Set(isIn ? [...leftOut].filter((id) => id !== record.id) : [...leftOut, record.id]))
        }
      />
    ))}
  </ul>
);

interface RecordChoiceProps extends Pick<RecordDecisionProps, "entity" | "record" | "transition">, Choice {}

/** Of many, only those that are scrolled to are loaded. */
const RecordChoice = ({ entity, record: row, transition, ...choice }: RecordChoiceProps) => {
  const { screens } = useApplication();
  const { place, isNear } = useNearScreen<HTMLLIElement>();
  const record = useWholeRecord(entity, row, isNear);
  const inBlock = findListScreen(screens, entity.name)?.columns ?? [];
  return (
    <li ref={place} className="record-choice" data-left-out={!choice.isIn || undefined}>
      <RecordBlock
        entity={entity}
        record={record}
        label={row._label ?? entity.one}
        besides={transition.asks}
        choice={choice}
      />
      {isNear && <DecisionFacts entity={entity} record={record} transition={transition} besides={inBlock} isBrief />}
    </li>
  );
};

interface Choice {
  readonly isIn: boolean;
  readonly onTurn: (isIn: boolean) => void;
}

/** A text with at most so many letters stays in one line. */
const SHORT = 32;

interface RecordBlockProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  readonly label: string;
  /** Fields that the dialog shows elsewhere. */
  readonly besides: readonly string[];
  /** Of several records, if this one is among those that are decided about. */
  readonly choice?: Choice;
}

/** The record that a decision is about: its name with the amount, and below them what else its list shows. */
const RecordBlock = ({ entity, record, label, besides, choice }: RecordBlockProps) => {
  const { name, amount, others } = useRecordFacts(entity, record, label, besides);
  const words = (
    <b>
      <bdi>{name}</bdi>
    </b>
  );
  return (
    <div className="record-block">
      {choice === undefined ? (
        words
      ) : (
        <CheckBox checked={choice.isIn} onTurn={choice.onTurn}>
          {words}
        </CheckBox>
      )}
      {amount && (
        <span className="record-block-amount">
          <span className="small-words">{amount.field.label}</span> <span className="figures">{amount.shown}</span>
        </span>
      )}
      {others.length > 0 && (
        <p className="dotted">
          {others.map(({ field, shown, late }, at) => (
            <Dotted key={field.name} at={at}>
              <bdi className={[late ? "overdue" : "", shown.length <= SHORT ? "unbroken" : ""].join(" ").trim()}>
                {shown}
              </bdi>
            </Dotted>
          ))}
        </p>
      )}
    </div>
  );
};
