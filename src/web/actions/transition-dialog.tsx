import { useState } from "react";
import type { EntityJson, FieldJson, StateJson, TransitionJson } from "../../core/wire/entities.ts";
import type { RecordJson, TransitionRefusalJson } from "../../core/wire/records.ts";
import type { Body } from "../api/requests.ts";
import { FormDialog } from "../form/form-dialog.tsx";
import type { BrokenRule } from "../form/state/check-rules.ts";
import { changedValues } from "../form/state/form-node.ts";
import { useOneShotForm } from "../form/use-one-shot-form.tsx";
import { findProgress } from "../format/approval-progress.ts";
import type { EnteredValues } from "../format/input-value.ts";
import { useWords } from "../i18n/words.tsx";
import { Icon } from "../ui/icon.tsx";
import type { RunningAct } from "../ui/overlay/stop-or.tsx";
import { StateWord } from "../ui/state-mark.tsx";
import { useWhileMounted } from "../util/use-while-mounted.ts";
import { ActsInstead } from "../workflow/acts-instead.tsx";
import { useEffectsPreview } from "../workflow/effects-preview.ts";
import { listTransitionActs } from "../workflow/record-acts.ts";
import {
  endsForGood,
  findCompletion,
  findState,
  findTargets,
  hasNoWayBack,
  leadsOn,
  stateNamed,
} from "../workflow/workflow.ts";
import { useWholeRecord } from "./decision-facts.tsx";
import {
  ApprovalsBefore,
  MissingAnswer,
  RecordChoices,
  RecordDecision,
  type RefusedChoice,
} from "./record-decision.tsx";
import { useTriedRecord } from "./use-tried-record.ts";
import "../record/record-history.css";
import "./transition-dialog.css";

interface TransitionDialogProps {
  readonly entity: EntityJson;
  readonly record: RecordJson;
  readonly label: string;
  /** Present if several records are moved, of which `record` is one. Some of them can be left out. */
  readonly several?: readonly RecordJson[] | undefined;
  /** The others of those that were selected, for which it is impossible. */
  readonly refusedBefore?: readonly RefusedChoice[];
  readonly transition: TransitionJson;
  /** How far it is, of several records. */
  readonly running?: RunningAct | null;
  /** `records`: those that are moved. */
  readonly make: (transition: TransitionJson, body: Body, records: readonly RecordJson[]) => Promise<void>;
  readonly onClose: () => void;
}

/** A transition, and what was entered before it was chosen in the place of another. */
interface ChosenTransition {
  readonly transition: TransitionJson;
  readonly entered: EnteredValues;
}

/** Asks for the input of a transition. One that is refused in any case can be replaced by another of the record. */
const TransitionDialog = (props: TransitionDialogProps) => {
  const [chosen, choose] = useState<ChosenTransition>({ transition: props.transition, entered: {} });
  return <OneTransitionDialog key={chosen.transition.name} {...props} {...chosen} onChoose={choose} />;
};

/** The button has the transition's name. */
const OneTransitionDialog = ({
  entity,
  record: latest,
  label,
  several: records,
  refusedBefore = [],
  transition: opened,
  entered,
  make,
  running = null,
  onChoose,
  onClose,
}: TransitionDialogProps & ChosenTransition & { readonly onChoose: (chosen: ChosenTransition) => void }) => {
  const { say } = useWords();
  const several = records !== undefined;
  const [leftOut, setLeftOut] = useState<ReadonlySet<string>>(new Set());
  const moved = (records ?? [latest]).filter(({ id }) => !leftOut.has(id));
  // A new version of the document may ask for different input.
  const current = entity.states?.transitions.find(({ name }) => name === opened.name);
  const transition = current ?? opened;
  // All fields asked for are required, even if the field is optional otherwise.
  const inputFields = [...entity.fields.map(withoutDefault), ...(entity.acts ?? [])]
    .filter(({ name }) => transition.asks.includes(name))
    .map((field) => ({
      ...field,
      // Of several records, each has its own default.
      optional: transition.asksIfAny?.includes(field.name) === true || (several && field.default !== undefined),
    }))
    .sort((one, other) => transition.asks.indexOf(one.name) - transition.asks.indexOf(other.name));
  const close = useWhileMounted(onClose);
  const tried = useTriedRecord(entity, latest, !several);
  const form = useOneShotForm(
    "ask",
    inputFields,
    latest,
    several
      ? null
      : { entity, transition: transition.name, entered, brokenElsewhere: findBroken(tried.trial, transition) },
    async (body) => {
      await make(transition, body, moved);
      close();
    },
  );
  // The result of this transition may arrive before the dialog is closed.
  const record = form.record ?? latest;
  // A row of a list may lack the field that names the people who are notified.
  const whole = useWholeRecord(entity, record, !several);
  const progress = several ? null : findProgress(record, transition);
  /** The transition that decides about a record: of several approvals, the last one leads to the completion. */
  const findDecisive = (one: RecordJson): TransitionJson =>
    (isLastApproval(one, transition) ? findCompletion(entity, transition) : undefined) ?? transition;
  const decisive = findDecisive(moved[0] ?? record);
  const follows = useEffectsPreview()(decisive, several ? moved : [whole]);
  const name = say("transition.title", {
    transition: transition.label,
    label: several ? say("bulk.things", { count: moved.length, thing: entity.one, things: entity.many }) : label,
  });
  // The effects of a transition that is refused in any case would contradict the refusal.
  const move =
    form.brokenAlready.length === 0
      ? findCommonMove((several ? moved : [record]).map((one) => findMove(entity, one, findDecisive(one))))
      : null;
  // Beside a button that leaves the dialog, “Cancel” alone would be ambiguous.
  const isAmbiguous = transition.label.toLowerCase() === say("form.cancel").toLowerCase();
  const act = isAmbiguous
    ? say("transition.of", { transition: transition.label, thing: moved.length > 1 ? entity.many : entity.one })
    : transition.label;
  const refused = say("record.not.made", { transition: transition.label });
  const others = several
    ? []
    : listTransitionActs(entity, tried.record).filter(
        (act) => act.refused === null && act.transition.name !== opened.name,
      );
  const choose = (other: TransitionJson) =>
    onChoose({ transition: other, entered: { ...entered, ...changedValues(form.form) } });
  const about = { entity, transition, isSent: form.busy };
  return (
    <FormDialog
      oneShot={form}
      title={
        several ? (
          name
        ) : (
          <>
            <span aria-hidden="true">{act}</span>
            <span className="hidden-words">{name}</span>
          </>
        )
      }
      act={act}
      refused={refused}
      failed={(failure) =>
        failure.kind === "refused" && failure.problem.status === 412 ? say("record.changed.meanwhile") : refused
      }
      of={{ record: record.id }}
      several={several}
      running={running}
      isEmpty={moved.length === 0}
      removed={current === undefined ? say("transition.removed", { transition: transition.label }) : undefined}
      before={
        <div className="transition-summary">
          {records === undefined ? (
            <RecordDecision {...about} record={record} label={label} onLeave={onClose} />
          ) : (
            <RecordChoices
              {...about}
              records={records}
              refused={refusedBefore}
              leftOut={leftOut}
              onLeaveOut={setLeftOut}
              onLeave={onClose}
            />
          )}
          {!several && <MissingAnswer entity={entity} record={tried.record} transition={transition} />}
          {move && move.from.name !== move.to.name && <MoveLine {...move} />}
          {move && progress && progress.needed > 1 && <ApprovalsBefore progress={progress} state={move.from} />}
          {move && endsForGood(entity, decisive) && (
            <p className="small-words">{say("transition.ends", { state: move.to.label })}</p>
          )}
          {move && !endsForGood(entity, decisive) && hasNoWayBack(entity, decisive) && !leadsOn(entity, decisive) && (
            <p className="small-words">{say("transition.no.way.back")}</p>
          )}
          {move && follows !== null && <p className="small-words">{follows}</p>}
        </div>
      }
      instead={others.length > 0 && <ActsInstead acts={others} choose={({ transition: other }) => choose(other)} />}
      onClose={onClose}
    />
  );
};

/** The states between which a transition leads a record; null if it can lead to several. */
interface Move {
  readonly from: StateJson;
  readonly to: StateJson;
}

const MoveLine = ({ from, to }: Move) => {
  const { say } = useWords();
  return (
    <p className="history-move">
      <StateWord state={from} />
      <Icon name="to" size={13} />
      <span className="hidden-words">{say("transition.becomes")}</span>
      <StateWord state={to} />
    </p>
  );
};

const findMove = (entity: EntityJson, record: RecordJson, transition: TransitionJson): Move | null => {
  const from = findState(entity, record);
  const [target, another] = findTargets(transition, record);
  const to = another === undefined ? stateNamed(entity, target) : null;
  return from && to ? { from, to } : null;
};

/** Null unless all are equal. */
const findCommonMove = ([first = null, ...others]: readonly (Move | null)[]): Move | null =>
  others.every((move) => move?.from.name === first?.from.name && move?.to.name === first?.to.name) ? first : null;

const isLastApproval = (record: RecordJson, transition: TransitionJson): boolean => {
  const progress = findProgress(record, transition);
  return progress !== null && progress.people.length + 1 >= progress.needed;
};

/** The errors for which a trial refuses the transition. */
const findBroken = (trial: readonly TransitionRefusalJson[], { name }: TransitionJson): readonly BrokenRule[] =>
  trial
    .filter(({ transition }) => transition === name)
    .flatMap(({ refused: { clause = "", detail, help = null, errors } }) =>
      errors === undefined
        ? [{ clause, message: detail, help }]
        : errors.map((error) => ({ clause: error.clause, message: error.message, help: error.help ?? null })),
    );

/** Defaults of fields are for new records. */
const withoutDefault = ({ default: _, ...field }: FieldJson): FieldJson => field;

export default TransitionDialog;
