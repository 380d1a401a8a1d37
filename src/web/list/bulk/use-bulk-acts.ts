import { useState } from "react";
import type { EntityJson, FieldJson, TransitionJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { type ActOutcome, canRetry, useStoppableForEach } from "../../actions/for-each.ts";
import { useUndo } from "../../actions/use-undo.ts";
import { type Failure, toFailure } from "../../api/api-error.ts";
import { keys } from "../../api/query-keys.ts";
import { reload } from "../../api/reload.ts";
import { type Body, newKey } from "../../api/requests.ts";
import { useClient, useLocale } from "../../app/app-context.tsx";
import { followFocus } from "../../app/return-focus.ts";
import { useReadAfterAct } from "../../app/use-notifications.ts";
import { shortenLabel } from "../../format/record-summary.ts";
import { getValue } from "../../format/record-values.ts";
import { useWords, type Words } from "../../i18n/words.tsx";
import { useToast } from "../../ui/overlay/toast.tsx";
import { findReachedState } from "../../workflow/workflow.ts";
import { restoringBody } from "./bulk-edit.ts";

/** Longer values are not repeated in a toast. */
const MOST_LETTERS = 60;

type Outcomes<R> = readonly ActOutcome<RecordJson, R>[];
type BulkOutcome = Outcomes<unknown>[number];

/** One attempt to edit several records: the result for each, and the fields that were changed. */
export interface EditAttempt {
  readonly outcomes: readonly ActOutcome<RecordJson, RecordJson>[];
  readonly fields: readonly FieldJson[];
  readonly body: Body;
  /** Those that it left as they were, because it was stopped. */
  readonly untried: readonly RecordJson[];
}

/** How to undo an act on several records, and how many of them it changed. */
interface BulkUndo {
  readonly act: () => void;
  readonly count: number;
}

/** The results of an act on several records, and how to undo it for those that it was done to. */
export interface BulkResults {
  readonly what: string;
  /** The transition that was made; null for other acts. */
  readonly transition: TransitionJson | null;
  readonly outcomes: readonly BulkOutcome[];
  /** Those that were not tried, and stay selected with those that failed. */
  readonly left: readonly RecordJson[];
  /** "Granted: 3 requests" */
  readonly done: string;
  readonly undo: BulkUndo | undefined;
  /** Tries again those that failed for a passing reason; undefined if there are none. */
  readonly retry: (() => Promise<void>) | undefined;
}

const isGone = (failure: Failure): boolean => failure.kind === "refused" && failure.problem.status === 404;

interface FinishOptions {
  /** The person has read why some failed. */
  readonly isReasonKnown?: boolean;
  readonly transition?: TransitionJson;
  /** Those that the person left out, which stay selected. */
  readonly leftOut?: readonly RecordJson[];
  /** Those that were not tried because the person stopped it. They stay selected, too. */
  readonly untried?: readonly RecordJson[];
  readonly again?: (records: readonly RecordJson[]) => Promise<void>;
}

/** The outcomes with those of another attempt in their places. */
const replaceOutcomes = <R>(before: Outcomes<R>, now: Outcomes<R>): Outcomes<R> =>
  before.length === 0 ? now : before.map((one) => now.find(({ record }) => record.id === one.record.id) ?? one);

/** The records that a stop left as they were. */
const findUntried = (records: readonly RecordJson[], outcomes: readonly BulkOutcome[]): readonly RecordJson[] => {
  const tried = new Set(outcomes.map(({ record }) => record.id));
  return records.filter(({ id }) => !tried.has(id));
};

/** The first row of the records in the list; null if none is there. */
const findFirstRow = (outcomes: readonly BulkOutcome[]): Element | null => {
  const ids = new Set(outcomes.map(({ record }) => record.id));
  return (
    [...document.querySelectorAll<HTMLElement>("[data-row]")].find(({ dataset }) => ids.has(dataset.row ?? "")) ?? null
  );
};

/** Acts that are tried again. An attempt whose answer was lost may have done them already. */
const useOnce = (entity: EntityJson) => {
  const { calls } = useClient();
  const context = useLocale();
  return {
    change:
      (act: (record: RecordJson) => Promise<RecordJson>, { fields, body }: EditAttempt) =>
      (record: RecordJson): Promise<RecordJson> =>
        act(record).catch(async (thrown) => {
          if (toFailure(thrown).kind !== "refused") throw thrown;
          const after = await calls.record(entity.calls, record.id);
          const has = restoringBody(after, fields, context);
          if (after.version !== record.version + 1 || JSON.stringify(has) !== JSON.stringify(body)) throw thrown;
          return after;
        }),
    move:
      (act: (record: RecordJson) => Promise<RecordJson>, { to }: TransitionJson) =>
      (record: RecordJson): Promise<RecordJson> =>
        act(record).catch(async (thrown) => {
          if (toFailure(thrown).kind !== "refused") throw thrown;
          const after = await calls.record(entity.calls, record.id);
          const reached = findReachedState(entity, [{ before: record, after }]);
          if (after.version !== record.version + 1 || reached === null || !to.includes(reached.name)) throw thrown;
          return after;
        }),
    remove:
      (act: (record: RecordJson) => Promise<void>) =>
      (record: RecordJson): Promise<void> =>
        act(record).catch((thrown) => {
          if (!isGone(toFailure(thrown))) throw thrown;
        }),
  };
};

/** "Declined: 2 requests"; of a single one its name. */
const sayDone = ({ say, show }: Words, entity: EntityJson, what: string, records: readonly RecordJson[]): string => {
  const [only, another] = records;
  const label = only !== undefined && another === undefined ? shortenLabel(entity, only, show) : undefined;
  return label === undefined
    ? say("bulk.done", { what, count: records.length, things: entity.many, thing: entity.one })
    : say("label.value", { label: what, value: label });
};

/** The last results of which some failed, and how an act ends: with them, or with a toast. */
const useBulkResults = (entity: EntityJson, onKeep: (ids: readonly string[]) => void) => {
  const { queries } = useClient();
  const { say } = useWords();
  const toast = useToast();
  const [results, setResults] = useState<BulkResults | null>(null);
  const finish = async (
    what: string,
    outcomes: readonly BulkOutcome[],
    undo: BulkResults["undo"],
    done: string,
    { isReasonKnown = false, transition, leftOut = [], untried = [], again }: FinishOptions = {},
  ) => {
    const failed = outcomes.filter((one) => one.failed !== null);
    const retried = failed.filter(canRetry).map(({ record }) => record);
    const goOn = followFocus(findFirstRow(outcomes));
    const left = [...leftOut, ...untried];
    onKeep([...failed.map(({ record }) => record), ...left].map(({ id }) => id));
    await reload(queries, { queryKey: keys.of(entity.calls) });
    requestAnimationFrame(goOn);
    if (failed.length > 0 && !isReasonKnown)
      return setResults({
        what,
        transition: transition ?? null,
        outcomes,
        left,
        done,
        undo: failed.length < outcomes.length ? undo : undefined,
        retry: again && retried.length > 0 ? () => again(retried) : undefined,
      });
    setResults(null);
    const count = untried.length;
    const stopped = count === 0 ? "" : `. ${say("bulk.stopped", { count, thing: entity.one, things: entity.many })}`;
    toast(`${done}${stopped}`, undo?.act, { isBulk: outcomes.length > 1 });
  };
  return { results, finish, closeResults: () => setResults(null) };
};

/**
 * Performs acts on several records. If all succeed, a toast says so and offers to undo them. Otherwise `results` lists
 * every record, and only those that failed stay selected (`onKeep`).
 */
export const useBulkActs = (entity: EntityJson, onKeep: (ids: readonly string[]) => void) => {
  const { calls, queries } = useClient();
  const { running, runStoppable } = useStoppableForEach();
  const words = useWords();
  const { say } = words;
  const context = useLocale();
  const undo = useUndo(entity);
  const once = useOnce(entity);
  const readAfterAct = useReadAfterAct();
  const { results, finish, closeResults } = useBulkResults(entity, onKeep);

  /** `moved`: those of the able ones for which it is made. */
  const transit = async (
    able: readonly RecordJson[],
    moved: readonly RecordJson[],
    transition: TransitionJson,
    body: Body,
  ) => {
    const leftOut = able.filter((record) => !moved.includes(record));
    const tryAll = async (records: readonly RecordJson[], before: Outcomes<RecordJson>): Promise<void> => {
      const moveOne = ({ id, version }: RecordJson) =>
        calls.transition(entity.calls, id, { name: transition.name, version, body, key: newKey() });
      const now = await runStoppable(records, before.length === 0 ? moveOne : once.move(moveOne, transition));
      const outcomes = replaceOutcomes(before, now);
      const done = outcomes.flatMap((one) => (one.failed === null ? [{ before: one.record, after: one.result }] : []));
      readAfterAct(done.map((one) => one.before.id));
      return finish(
        transition.label,
        outcomes,
        undo.canTakeBack(done) ? { act: () => void undo.takeBack(done), count: done.length } : undefined,
        // "Declined: 2 requests", not "Decline", which sounds like something to do.
        sayDone(
          words,
          entity,
          findReachedState(entity, done)?.label ?? transition.label,
          done.map((one) => one.before),
        ),
        {
          transition,
          leftOut,
          untried: findUntried(records, outcomes),
          again: (retried) => tryAll(retried, outcomes),
        },
      );
    };
    return tryAll(moved, []);
  };
  /** One after another, as the trial of the deletions did: a record can be deleted after those that use it. */
  const remove = async (able: readonly RecordJson[]) => {
    const { bringBack } = undo;
    const tryAll = async (records: readonly RecordJson[], before: Outcomes<unknown>): Promise<void> => {
      const removeOne = ({ id, version }: RecordJson) => calls.remove(entity.calls, id, version);
      const now = await runStoppable(records, before.length === 0 ? removeOne : once.remove(removeOne), 1);
      const outcomes = replaceOutcomes(before, now);
      const deleted = outcomes.flatMap((one) => (one.failed === null ? [one.record] : []));
      return finish(
        say("delete.do"),
        outcomes,
        bringBack && { act: () => void bringBack(deleted), count: deleted.length },
        say("delete.done.several", { count: deleted.length, things: entity.many, thing: entity.one }),
        { untried: findUntried(records, outcomes), again: (retried) => tryAll(retried, outcomes) },
      );
    };
    return tryAll(able, []);
  };
  /** Keeps the records selected that an edit was refused for, while its dialog asks again. */
  const keepRefused = async (ids: readonly string[]) => {
    onKeep(ids);
    await reload(queries, { queryKey: keys.of(entity.calls) });
  };
  /** Gives fields of records the values of `body`. `last`: the attempt that is repeated, if its answers may be lost. */
  const edit = async (
    records: readonly RecordJson[],
    fields: readonly FieldJson[],
    body: Body,
    last?: EditAttempt,
  ): Promise<EditAttempt> => {
    const editOne = ({ id, version }: RecordJson) => calls.change(entity.calls, id, version, body);
    const outcomes = await runStoppable(records, last === undefined ? editOne : once.change(editOne, last));
    return { outcomes, fields, body, untried: findUntried(records, outcomes) };
  };
  /** Announces edits. `isReasonKnown`: the person has read why the others failed. */
  const announceEdits = async (attempts: readonly EditAttempt[], isReasonKnown = false): Promise<void> => {
    const lastOne = attempts.at(-1);
    const last = new Map(attempts.flatMap(({ outcomes }) => outcomes.map((one) => [one.record.id, one])));
    const outcomes = [...last.values()];
    const succeeded = outcomes.flatMap((one) => (one.failed === null ? [one.result] : []));
    const edits = attempts.flatMap(({ outcomes, fields }) => outcomes.flatMap((one) => toEdit(one, fields)));
    const changed = edits.flatMap(({ before, after, fields }) => {
      const body = restoringBody(before, fields, context);
      return body === undefined ? [] : [{ after, body, label: before._label }];
    });
    const unchanged = succeeded.length - edits.length;
    const counts = { unchanged, things: entity.many, thing: entity.one };
    const done =
      edits.length === 0 && unchanged > 0
        ? say("bulk.edited.none", counts)
        : say("bulk.edited", { count: edits.length, ...counts });
    await finish(
      say("bulk.edit"),
      outcomes,
      changed.length > 0 ? { act: () => void undo.restore(changed), count: changed.length } : undefined,
      succeeded.length > 0 ? `${done}. ${describeEdits(words, attempts, succeeded)}` : done,
      {
        isReasonKnown,
        untried: lastOne?.untried ?? [],
        again: async (retried) => {
          if (lastOne === undefined) return;
          const again = await edit(retried, lastOne.fields, lastOne.body, lastOne);
          await announceEdits([...attempts, again]);
        },
      },
    );
  };

  return { transit, remove, edit, keepRefused, announceEdits, running, results, closeResults };
};

/** The edited fields with their new values, because not every field is a column: "Category: Software". */
const describeEdits = (
  { say, show }: Words,
  attempts: readonly EditAttempt[],
  records: readonly RecordJson[],
): string => {
  const fields = new Map(attempts.flatMap((attempt) => attempt.fields.map((field) => [field.name, field])));
  const edits = [...fields.values()].map((field) => {
    const readable = records.every((record) => Object.hasOwn(record, field.name));
    const values = new Set(
      readable ? records.map((record) => show.value(field, getValue(record, field.name)) ?? say("value.none")) : [],
    );
    const [value = ""] = values;
    const isShort = values.size === 1 && value.length <= MOST_LETTERS;
    return isShort ? say("label.value", { label: field.label, value }) : field.label;
  });
  return show.list(edits);
};

/** The record before and after an edit; nothing if it was refused, or had these values already. */
const toEdit = (outcome: ActOutcome<RecordJson, RecordJson>, fields: readonly FieldJson[]) =>
  outcome.failed !== null || outcome.result.version === outcome.record.version
    ? []
    : [{ before: outcome.record, after: outcome.result, fields }];
