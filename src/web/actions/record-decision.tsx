import { useState } from "react";
import { sumDecimals } from "../../core/util/sum-decimals.ts";
import type { EntityJson, StateJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson, WhyNot } from "../../core/wire/records.ts";
import { useApplication } from "../app/app-context.tsx";
import { CommentCounts, CommentMark, useCommentWords } from "../field/comment-count.tsx";
import { useRecordFacts } from "../field/short-texts.ts";
import { type ApprovalProgress, findProgress } from "../format/approval-progress.ts";
import { shortenLabel } from "../format/record-summary.ts";
import { getValue } from "../format/record-values.ts";
import { isMoney } from "../format/value-shapes.ts";
import { useWords } from "../i18n/words.tsx";
import { findListScreen } from "../routing/routes.ts";
import { CheckBox } from "../ui/control/check-box.tsx";
import { useNearScreen } from "../ui/dom/use-near-screen.ts";
import { classIfShort, Dotted } from "../ui/dotted.tsx";
import { Icon } from "../ui/icon.tsx";
import { WhySentence } from "../ui/page/why-sentence.tsx";
import { findMissingAct } from "../workflow/record-acts.ts";
import { findState } from "../workflow/workflow.ts";
import { DecisionFacts, useWholeRecord } from "./decision-facts.tsx";
import { nameSome } from "./name-some.ts";
import { RecentComments } from "./recent-comments.tsx";
import "./record-decision.css";

interface RecordDecisionProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  readonly label: string;
  readonly transition: TransitionJson;
  /** True while it is being sent. */
  readonly isSent: boolean;
}

/** The record with the values on which the decision depends, and its newest comments. */
export const RecordDecision = ({
  entity,
  record: latest,
  label,
  transition,
  isSent,
  onLeave,
}: RecordDecisionProps & { /** Called when a link leads to the record. */ readonly onLeave: () => void }) => {
  const { screens } = useApplication();
  const record = useWholeRecord(entity, latest);
  const inBlock = findListScreen(screens, entity.name)?.columns ?? [];
  return (
    <>
      <RecordBlock entity={entity} record={record} label={label} besides={transition.asks} />
      <DecisionFacts entity={entity} record={record} transition={transition} besides={inBlock} isSent={isSent} />
      <RecentComments
        entity={entity}
        record={record}
        besides={(transition.shows ?? []).flatMap(({ field, of }) =>
          of === undefined ? [getValue(record, field)] : [],
        )}
        onLeave={onLeave}
      />
    </>
  );
};

/** A record for which an act is impossible, with the reason; null if the reader cannot know it. */
export interface RefusedChoice {
  readonly record: RecordJson;
  readonly why: WhyNot | null;
}

interface RecordChoicesProps extends Pick<RecordDecisionProps, "entity" | "transition" | "isSent"> {
  readonly records: readonly RecordJson[];
  /** Those for which it is impossible. */
  readonly refused: readonly RefusedChoice[];
  /** The ids of those for which it is not made. */
  readonly leftOut: ReadonlySet<string>;
  readonly onLeaveOut: (ids: ReadonlySet<string>) => void;
  /** Called when a link leads to one of them. */
  readonly onLeave: () => void;
}

/** The records that a decision is made about at once, each with the values on which it depends, to be left out or not. */
export const RecordChoices = (props: RecordChoicesProps) => (
  <CommentCounts entity={props.entity} records={[...props.records, ...props.refused.map(({ record }) => record)]}>
    <ChoiceList {...props} />
    <Totals {...props} />
  </CommentCounts>
);

/** The sums of the amounts of the chosen records, for each field of which all can be read. */
const Totals = ({ entity, records, leftOut, transition }: RecordChoicesProps) => {
  const { screens } = useApplication();
  const { say, show } = useWords();
  const chosen = records.filter(({ id }) => !leftOut.has(id));
  const totals = (findListScreen(screens, entity.name)?.columns ?? [])
    .flatMap((name) => entity.fields.find((field) => field.name === name && field.type === "money") ?? [])
    .filter(({ name }) => !transition.asks.includes(name))
    .flatMap((field) => {
      const amounts = chosen.map((record): unknown => getValue(record, field.name)).filter(isMoney);
      const [first] = amounts;
      if (first === undefined || amounts.length < 2 || amounts.length < chosen.length) return [];
      const amount = sumDecimals(amounts.map((one) => one.amount));
      return [{ field, shown: show.money(amount, first.currency) }];
    });
  if (totals.length === 0) return null;
  return (
    <div className="record-choices-totals" role="status">
      {totals.map(({ field, shown }) => (
        <p key={field.name} className="record-choices-total">
          <span>{say("bulk.total", { field: field.label })}</span>
          <b className="figures">{shown}</b>
        </p>
      ))}
    </div>
  );
};

const ChoiceList = ({ records, refused, leftOut, onLeaveOut, ...of }: RecordChoicesProps) => (
  <ul className="record-choices" data-preset>
    {/* Before the others, where they are found without scrolling. */}
    <RefusedChoices {...of} refused={refused} />
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

/** More of them are folded: among many selected rows, most can be in another state. */
const MOST_REFUSED = 2;

const RefusedChoices = ({
  refused,
  ...of
}: Pick<RecordChoicesProps, "entity" | "transition" | "isSent" | "refused" | "onLeave">) => {
  const words = useWords();
  const { entity } = of;
  const rows = refused.map(({ record, why }) => <RecordChoice key={record.id} {...of} record={record} why={why} />);
  if (refused.length <= MOST_REFUSED) return rows;
  const names = refused.map(({ record }) => shortenLabel(entity, record, words.show) ?? entity.one);
  return (
    <li className="record-choice">
      <details>
        <summary>
          {words.say("bulk.unable", {
            count: refused.length,
            thing: entity.one,
            things: entity.many,
            names: nameSome(words, names),
          })}
        </summary>
        <ul>{rows}</ul>
      </details>
    </li>
  );
};

type RecordChoiceProps = Pick<RecordDecisionProps, "entity" | "record" | "transition" | "isSent"> &
  Pick<RecordChoicesProps, "onLeave"> &
  (Choice | Pick<RefusedChoice, "why">);

/** Of many, only those that are scrolled to are loaded. */
const RecordChoice = ({ entity, record: row, transition, isSent, onLeave, ...choice }: RecordChoiceProps) => {
  const { screens } = useApplication();
  const { say } = useWords();
  const { place, isNear } = useNearScreen<HTMLLIElement>();
  const [hasComments, showComments] = useState(false);
  const isRefused = "why" in choice;
  const record = useWholeRecord(entity, row, isNear && !isRefused);
  const inBlock = findListScreen(screens, entity.name)?.columns ?? [];
  const progress = findProgress(record, transition);
  const state = findState(entity, record);
  return (
    <li ref={place} className="record-choice" data-left-out={isRefused || !choice.isIn || undefined}>
      <RecordBlock
        entity={entity}
        record={record}
        label={row._label ?? entity.one}
        besides={transition.asks}
        comments={{ isShown: hasComments, onTurn: () => showComments(!hasComments) }}
        {...(isRefused ? { isLocked: true } : { choice })}
      />
      {hasComments && <RecentComments entity={entity} record={record} besides={[]} onLeave={onLeave} />}
      {isRefused && (
        <div className="record-choice-why">
          <WhySentence words={choice.why?.because ?? say("bulk.not.open")} clause={choice.why?.clause} />
        </div>
      )}
      {isNear && !isRefused && (
        <DecisionFacts
          entity={entity}
          record={record}
          transition={transition}
          besides={inBlock}
          isBrief
          isSent={isSent}
        />
      )}
      {!isRefused && (
        <div className="record-choice-notes">
          {progress !== null && progress.people.length > 0 && state && (
            <ApprovalsBefore progress={progress} state={state} />
          )}
          <MissingAnswer entity={entity} record={row} transition={transition} />
        </div>
      )}
    </li>
  );
};

interface Choice {
  readonly isIn: boolean;
  readonly onTurn: (isIn: boolean) => void;
}

interface RecordBlockProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  readonly label: string;
  /** Fields that the dialog shows elsewhere. */
  readonly besides: readonly string[];
  /** Of several records, if this one is among those that are decided about. */
  readonly choice?: Choice;
  readonly isLocked?: boolean;
  /** Of several records, the comments on this one, which a press on their number shows below it. */
  readonly comments?: Fold;
}

interface Fold {
  readonly isShown: boolean;
  readonly onTurn: () => void;
}

/** The record that a decision is about: its name with the amount, and below them what else its list shows. */
const RecordBlock = ({ entity, record, label, besides, choice, isLocked = false, comments }: RecordBlockProps) => {
  const { name, amount, others } = useRecordFacts(entity, record, label, besides);
  const title = (
    <b>
      <bdi>{name}</bdi>
    </b>
  );
  const words = isLocked ? (
    <span className="check-box">
      <Icon name="lock" />
      {title}
    </span>
  ) : choice === undefined ? (
    title
  ) : (
    <CheckBox checked={choice.isIn} onTurn={choice.onTurn}>
      {title}
    </CheckBox>
  );
  return (
    <div className="record-block">
      {comments === undefined ? (
        words
      ) : (
        <span className="with-comments">
          {words}
          <CommentFold record={record} label={label} {...comments} />
        </span>
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
              <bdi className={[late ? "overdue" : "", classIfShort(shown)].join(" ").trim()}>{shown}</bdi>
            </Dotted>
          ))}
        </p>
      )}
    </div>
  );
};

/** The number of comments on a record, which shows them. A decision about this record alone shows the comments themselves. */
const CommentFold = ({ record, label, isShown, onTurn }: Pick<RecordBlockProps, "record" | "label"> & Fold) => {
  const { say } = useWords();
  const words = useCommentWords(record);
  if (words === null) return null;
  return (
    <button
      type="button"
      className="comment-fold"
      aria-expanded={isShown}
      aria-label={say("label.value", { label: words, value: label })}
      onClick={onTurn}
    >
      <CommentMark record={record} isTold />
    </button>
  );
};

/** Why the expected act is missing, in whose place this transition is made, in the words of the rule. */
export const MissingAnswer = ({
  entity,
  record,
  transition,
}: Pick<RecordDecisionProps, "entity" | "record" | "transition">) => {
  const { say } = useWords();
  const act = findMissingAct(entity, record);
  if (act === null || act.transition.name === transition.name) return null;
  return (
    <p className="small-words transition-missing">
      <b>{say("why.title", { action: act.label })}</b> {act.refused.because}
    </p>
  );
};

/** Of a transition that needs several people: who made it before, and if it decides now. */
export const ApprovalsBefore = ({
  progress: { people, needed },
  state,
}: {
  progress: ApprovalProgress;
  state: StateJson;
}) => {
  const { say, show } = useWords();
  const left = needed - people.length - 1;
  return (
    <p className="small-words">
      {people.length > 0 &&
        say("transition.several.made", {
          people: show.list(people.map(({ label }) => label)),
          count: people.length,
        })}{" "}
      {left > 0
        ? say("transition.several.open", { left, state: state.label })
        : say("transition.several.last", { needed })}
    </p>
  );
};
