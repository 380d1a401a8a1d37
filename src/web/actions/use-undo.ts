import type { EntityJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { toFailure } from "../api/api-error.ts";
import { keys } from "../api/query-keys.ts";
import { reload } from "../api/reload.ts";
import { type Body, newKey } from "../api/requests.ts";
import { type RecordValues, showInLists } from "../api/show-in-lists.ts";
import { useApplication, useClient } from "../app/app-context.tsx";
import { useWords } from "../i18n/words.tsx";
import { useProgressToast, useToast } from "../ui/overlay/toast.tsx";
import { useFailureWords } from "../ui/page/problem-note.tsx";
import { useEffectsPreview } from "../workflow/effects-preview.ts";
import { transitionsBack } from "../workflow/workflow.ts";
import { type ActOutcome, canRetry, isChangedMeanwhile, useForEach } from "./for-each.ts";
import { nameSome } from "./name-some.ts";

/** True if deleted records of the entity can be brought back by this person, and for how many days. */
export const useTrashDays = (entity: Pick<EntityJson, "name">): number => {
  const { trash } = useApplication();
  return trash?.of.includes(entity.name) === true ? trash.days : 0;
};

/** Repeats an act. If it is refused, an attempt whose answer was lost may have made it already. */
const repeat = (
  act: Promise<unknown>,
  readNow: () => Promise<RecordJson>,
  isMade: (now: RecordJson) => boolean,
): Promise<unknown> =>
  act.catch(async (thrown: unknown) => {
    const now = toFailure(thrown).kind === "refused" ? await readNow().catch(() => null) : null;
    if (now === null || !isMade(now)) throw thrown;
  });

/** Undoes the last act on some records, and announces the result. */
export const useUndo = (entity: EntityJson) => {
  const { calls, queries } = useClient();
  const forEach = useForEach();
  const words = useWords();
  const { say } = words;
  const toast = useToast();
  const sentence = useFailureWords();
  const showProgress = useProgressToast();
  const days = useTrashDays(entity);
  const followsOf = useEffectsPreview();

  /** How many were done; why others were not, and which. Those that got no answer stay for another try. */
  const finish = async <T, R>(
    outcomes: readonly ActOutcome<T, R>[],
    labelOf: (record: T) => string | undefined,
    leftWords: "bulk.left" | "trash.back.left" = "bulk.left",
  ): Promise<{ done: number; why: string; again: readonly T[] }> => {
    await Promise.all([reload(queries, { queryKey: keys.of(entity.calls) }), reload(queries, { queryKey: ["trash"] })]);
    const failed = outcomes.filter((outcome) => outcome.failed !== null);
    if (failed.length === 0) return { done: outcomes.length, why: "", again: [] };
    const names = failed.flatMap(({ record }) => labelOf(record) ?? []);
    const left =
      names.length === failed.length && outcomes.length > 1
        ? ` ${say(leftWords, { names: nameSome(words, names) })}`
        : "";
    const why = failed.every(isChangedMeanwhile)
      ? say("bulk.changed.since", { count: failed.length })
      : sentence(toFailure(failed[0]?.failed));
    const again = failed.filter(canRetry).map(({ record }) => record);
    return { done: outcomes.length - failed.length, why: `${why}${left}`, again };
  };
  const showRows = (values: readonly RecordValues[]) => showInLists(queries, entity.calls, values);
  /** Says what could not be undone. Until the server has answered, it can be tried again, with Ctrl+Z and from menus too. */
  const announceFailure = (text: string, again: (() => void) | undefined) =>
    toast(text, again, { undoLabel: say("broken.retry"), icon: "lock" });
  const readNow = (id: string) => () => calls.record(entity.calls, id);
  /** Brings records back that were deleted in this order. A record that another one uses was deleted after it. */
  const bringBack = async (records: readonly Deleted[], isRepeated = false): Promise<void> => {
    const count = records.length;
    const bringOneBack = ({ id }: Deleted) => {
      const act = calls.restoreFromTrash(entity.name, id);
      return isRepeated ? repeat(act, readNow(id), () => true) : act;
    };
    const { done, why, again } = await finish(
      await forEach(records.toReversed(), bringOneBack, {
        atOnce: 1,
        onDone: showProgress((done) => say("trash.back.running", { done, count }), count > 1),
      }),
      ({ _label }) => _label,
      "trash.back.left",
    );
    const label = records[0]?._label ?? entity.one;
    if (done === count && count === 1) toast(say("trash.back.done", { label }));
    else if (done === count) toast(say("trash.back.several", { count, thing: entity.one, things: entity.many }));
    else {
      const words =
        count === 1 ? `${say("trash.back.failed", { label })}. ${why}` : say("trash.back.some", { done, count, why });
      // They are brought back in the reverse order.
      announceFailure(words, again.length > 0 ? () => void bringBack(again.toReversed(), true) : undefined);
    }
  };

  const undoing = (count: number) => showProgress((done) => say("bulk.undoing", { done, count }), count > 1);

  const takeBackOne = async ({ before, after, key }: Moved & { readonly key: string }): Promise<void> => {
    const transitions = transitionsBack(entity, before, after);
    const now = await calls.record(entity.calls, after.id);
    const permitted = transitions.filter(({ name }) => now.may?.transitions.includes(name));
    // Of several ways back, the one that nobody is told about. If none is permitted, the answer says why.
    const back = permitted.find((one) => followsOf(one, [now]) === null) ?? permitted[0] ?? transitions[0];
    if (back === undefined) return;
    const { version } = after;
    await calls.transition(entity.calls, after.id, { name: back.name, version, body: {}, key });
  };

  /** Makes the transitions that lead straight back, where they are permitted. */
  const takeBack = (moved: readonly Moved[]): Promise<void> =>
    takeBackWithKeys(moved.map((one) => ({ ...one, key: newKey() })));
  /** With its key, the server knows what is tried again after an answer was lost. */
  const takeBackWithKeys = async (moved: readonly (Moved & { readonly key: string })[]): Promise<void> => {
    const count = moved.length;
    // The answer tells what can be done with them then.
    showRows(moved.map(({ before: { may: _, ...before }, after: { version } }) => ({ ...before, version })));
    const outcomes = await forEach(moved, takeBackOne, { onDone: undoing(count) });
    showRows(outcomes.flatMap(({ record, failed }) => (failed === null ? [] : [record.after])));
    const { done, why, again } = await finish(outcomes, ({ before }) => before._label);
    announceUndone({ count, done, why }, again.length > 0 ? () => void takeBackWithKeys(again) : undefined);
  };

  /** Gives changed records the values that they had. */
  const restore = async (changed: readonly ChangedRecord[], isRepeated = false): Promise<void> => {
    const count = changed.length;
    showRows(changed.flatMap(({ values }) => values ?? []));
    const restoreOne = ({ after: { id, version }, body, hasValues }: ChangedRecord) => {
      const act = calls.change(entity.calls, id, version, body);
      return isRepeated ? repeat(act, readNow(id), (now) => now.version === version + 1 && hasValues(now)) : act;
    };
    const outcomes = await forEach(changed, restoreOne, { onDone: undoing(count) });
    showRows(outcomes.flatMap(({ record, failed }) => (failed === null ? [] : [record.after])));
    const { done, why, again } = await finish(outcomes, ({ label }) => label);
    announceUndone({ count, done, why }, again.length > 0 ? () => void restore(again, true) : undefined);
  };
  const announceUndone = (
    { count, done, why }: { readonly count: number; readonly done: number; readonly why: string },
    again: (() => void) | undefined,
  ): void => {
    if (done === count) toast(say("bulk.undone", { count, thing: entity.one, things: entity.many }));
    else announceFailure(say("bulk.undone.some", { done, count, why }), again);
  };

  return {
    restore: (changed: readonly ChangedRecord[]) => restore(changed),
    /** Brings deleted records back; undefined if this person cannot. */
    bringBack: days > 0 ? (records: readonly Deleted[]) => bringBack(records) : undefined,
    takeBack,
    /** True if the transition of each record can be taken back. */
    canTakeBack: (moved: readonly Moved[]) =>
      moved.length > 0 && moved.every(({ before, after }) => transitionsBack(entity, before, after).length > 0),
  };
};

type Deleted = Pick<RecordJson, "id" | "_label">;

/** A record after a change, and the values that it had. */
export interface ChangedRecord {
  readonly after: RecordJson;
  readonly body: Body;
  /** True if a record has the values of the body. */
  readonly hasValues: (now: RecordJson) => boolean;
  /** These values as a row shows them, which it does at once. */
  readonly values?: RecordValues;
  readonly label?: string | undefined;
}

/** A record before and after a transition. */
export interface Moved {
  readonly before: RecordJson;
  readonly after: RecordJson;
}
