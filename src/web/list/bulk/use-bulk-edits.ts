import type { EntityJson, FieldJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import type { ActOutcome, useStoppableForEach } from "../../actions/for-each.ts";
import { MOST_LETTERS } from "../../actions/use-edit-note.ts";
import { useUndo } from "../../actions/use-undo.ts";
import { toFailure } from "../../api/api-error.ts";
import { reloadRecords } from "../../api/reload.ts";
import type { Body } from "../../api/requests.ts";
import { type RecordValues, showInLists } from "../../api/show-in-lists.ts";
import { useClient, useLocale } from "../../app/app-context.tsx";
import { pickValues, restoringBody, toRestored } from "../../form/state/restoring-body.ts";
import type { EnteredValues } from "../../format/input-value.ts";
import { getValue } from "../../format/record-values.ts";
import { useWords, type Words } from "../../i18n/words.tsx";
import { findChangeable, withEntered } from "./bulk-edit.ts";
import { findUntried, type useBulkResults } from "./use-bulk-results.ts";

/** The fields that are edited, with their values. */
export interface BulkEdit {
  readonly fields: readonly FieldJson[];
  readonly body: Body;
  /** The contents of the controls, in which a reference has its label. */
  readonly entered: EnteredValues;
}

/** One attempt to edit several records: the result for each. */
export interface EditAttempt extends BulkEdit {
  readonly outcomes: readonly ActOutcome<RecordJson, RecordJson>[];
  /** Those that it left as they were, because it was stopped. */
  readonly untried: readonly RecordJson[];
}

interface BulkEditsInput extends Pick<ReturnType<typeof useStoppableForEach>, "runStoppable"> {
  readonly entity: EntityJson;
  readonly onKeep: (ids: readonly string[]) => void;
  readonly finish: ReturnType<typeof useBulkResults>["finish"];
}

/** Edits several records, and announces what became of it. */
export const useBulkEdits = ({ entity, onKeep, runStoppable, finish }: BulkEditsInput) => {
  const { calls, queries } = useClient();
  const words = useWords();
  const { say } = words;
  const context = useLocale();
  const undo = useUndo(entity);
  /** An edit that is tried again. An attempt whose answer was lost may have made it already. */
  const once =
    (act: (record: RecordJson) => Promise<RecordJson>, { fields, body }: EditAttempt) =>
    (record: RecordJson): Promise<RecordJson> =>
      act(record).catch(async (thrown) => {
        if (toFailure(thrown).kind !== "refused") throw thrown;
        const after = await calls.record(entity.calls, record.id);
        const has = restoringBody(after, fields, context);
        if (after.version !== record.version + 1 || JSON.stringify(has) !== JSON.stringify(body)) throw thrown;
        return after;
      });
  /** Keeps the records selected that an edit was refused for, while its dialog asks again. */
  const keepRefused = async (ids: readonly string[]) => {
    onKeep(ids);
    await reloadRecords(queries, entity.calls);
  };
  /**
   * Gives fields of records the values of `body`, which the rows show at once; those that are not changed show their own
   * again. `last`: the attempt that is repeated, if its answers may be lost.
   */
  const edit = async (
    records: readonly RecordJson[],
    { fields, body, entered }: BulkEdit,
    last?: EditAttempt,
  ): Promise<EditAttempt> => {
    const show = (values: readonly RecordValues[]) => showInLists(queries, entity.calls, values);
    show(findChangeable(records, fields).map((record) => withEntered(record, fields, body, entered)));
    const editOne = ({ id, version }: RecordJson) => calls.change(entity.calls, id, version, body);
    const outcomes = await runStoppable(records, last === undefined ? editOne : once(editOne, last));
    const results = new Map(outcomes.flatMap((one) => (one.failed === null ? [[one.record.id, one.result]] : [])));
    show(records.map((record) => results.get(record.id) ?? pickValues(record, fields)));
    return { outcomes, fields, body, entered, untried: findUntried(records, outcomes) };
  };
  /** Announces edits. `isReasonKnown`: the person has read why the others failed. */
  const announceEdits = async (attempts: readonly EditAttempt[], isReasonKnown = false): Promise<void> => {
    const lastOne = attempts.at(-1);
    const last = new Map(attempts.flatMap(({ outcomes }) => outcomes.map((one) => [one.record.id, one])));
    const outcomes = [...last.values()];
    // Those that an earlier attempt left are left still, unless a later one has tried them.
    const untried = new Map(attempts.flatMap((attempt) => attempt.untried.map((record) => [record.id, record])));
    const succeeded = outcomes.flatMap((one) => (one.failed === null ? [one.result] : []));
    const edits = attempts.flatMap(({ outcomes, fields }) => outcomes.flatMap((one) => toEdit(one, fields)));
    const changed = edits.flatMap(({ before, after, fields }) => toRestored(before, after, fields, context) ?? []);
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
        untried: findUntried([...untried.values()], outcomes),
        again: async (retried) => {
          if (lastOne === undefined) return;
          const again = await edit(retried, lastOne, lastOne);
          await announceEdits([...attempts, again]);
        },
      },
    );
  };
  return { edit, keepRefused, announceEdits };
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
