import type { EntityJson, TransitionJson } from "../../../core/wire/entities.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { useStoppableForEach } from "../../actions/for-each.ts";
import { useUndo } from "../../actions/use-undo.ts";
import { type Failure, toFailure } from "../../api/api-error.ts";
import { type Body, newKey } from "../../api/requests.ts";
import { useApplication, useClient, usePhone } from "../../app/app-context.tsx";
import { useReadAfterAct } from "../../app/use-notifications.ts";
import { shortenLabel } from "../../format/record-summary.ts";
import { useWords, type Words } from "../../i18n/words.tsx";
import { recordAddress } from "../../routing/routes.ts";
import { useEffectsPreview } from "../../workflow/effects-preview.ts";
import { findCompletion, findReachedState } from "../../workflow/workflow.ts";
import { useBulkEdits } from "./use-bulk-edits.ts";
import { findUntried, type Outcomes, useBulkResults } from "./use-bulk-results.ts";

const isGone = (failure: Failure): boolean => failure.kind === "refused" && failure.problem.status === 404;

/** The outcomes with those of another attempt in their places. */
const replaceOutcomes = <R>(before: Outcomes<R>, now: Outcomes<R>): Outcomes<R> =>
  before.length === 0 ? now : before.map((one) => now.find(({ record }) => record.id === one.record.id) ?? one);

/** A key for each record, so that the server makes no transition twice whose answer was lost. */
const createKeys = (): ((record: string) => string) => {
  const known = new Map<string, string>();
  return (record) => {
    const key = known.get(record) ?? newKey();
    known.set(record, key);
    return key;
  };
};

/** A deletion that is tried again. An attempt whose answer was lost may have made it already. */
const deleteOnce =
  (act: (record: RecordJson) => Promise<void>) =>
  (record: RecordJson): Promise<void> =>
    act(record).catch((thrown) => {
      if (!isGone(toFailure(thrown))) throw thrown;
    });

/** "Declined: 2 requests"; of a single one its name. */
const sayDone = ({ say, show }: Words, entity: EntityJson, what: string, records: readonly RecordJson[]): string => {
  const [only, another] = records;
  const label = only !== undefined && another === undefined ? shortenLabel(entity, only, show) : undefined;
  return label === undefined
    ? say("bulk.done", { what, count: records.length, things: entity.many, thing: entity.one })
    : say("label.value", { label: what, value: label });
};

/**
 * Performs acts on several records. If all succeed, a toast says so and offers to undo them. Otherwise `results` lists
 * every record, and only those that failed stay selected (`onKeep`).
 */
export const useBulkActs = (entity: EntityJson, onKeep: (ids: readonly string[]) => void) => {
  const { calls } = useClient();
  const { screens } = useApplication();
  const { running, runStoppable } = useStoppableForEach();
  const words = useWords();
  const { say } = words;
  const undo = useUndo(entity);
  const readAfterAct = useReadAfterAct();
  const followsOf = useEffectsPreview();
  const phone = usePhone();
  const { results, finish, closeResults } = useBulkResults(entity, onKeep);
  const edits = useBulkEdits({ entity, onKeep, runStoppable, finish });

  /** `moved`: those of the selected ones for which it is made. */
  const transit = async (
    selected: readonly RecordJson[],
    moved: readonly RecordJson[],
    transition: TransitionJson,
    body: Body,
  ) => {
    // Some may have been loaded again since.
    const movedIds = new Set(moved.map(({ id }) => id));
    const leftOut = selected.filter(({ id }) => !movedIds.has(id));
    const keyOf = createKeys();
    const moveOne = ({ id, version }: RecordJson) =>
      calls.transition(entity.calls, id, { name: transition.name, version, body, key: keyOf(id) });
    const tryAll = async (records: readonly RecordJson[], before: Outcomes<RecordJson>): Promise<void> => {
      const now = await runStoppable(records, moveOne);
      const outcomes = replaceOutcomes(before, now);
      const done = outcomes.flatMap((one) => (one.failed === null ? [{ before: one.record, after: one.result }] : []));
      readAfterAct(done.map((one) => one.before.id));
      const reached = findReachedState(entity, done);
      const completion = reached === null ? undefined : findCompletion(entity, transition);
      // A phone has no room for what the dialog has said before.
      const follows =
        phone || done.length === 0
          ? null
          : followsOf(
              completion ?? transition,
              done.map(({ after }) => after),
              true,
            );
      const said = sayDone(
        words,
        entity,
        // "Declined: 2 requests", not "Decline", which sounds like something to do.
        reached?.label ?? transition.label,
        done.map((one) => one.before),
      );
      const [first] = done;
      return finish(
        transition.label,
        outcomes,
        undo.canTakeBack(done) ? { act: () => void undo.takeBack(done), count: done.length } : undefined,
        follows === null ? said : `${said}. ${follows}`,
        {
          transition,
          leftOut,
          untried: findUntried(moved, outcomes),
          again: (retried) => tryAll(retried, outcomes),
          ...(outcomes.length === 1 &&
            first !== undefined && {
              only: { mark: reached?.mark, href: recordAddress(screens, entity.name, first.after.id) ?? undefined },
            }),
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
      const now = await runStoppable(records, before.length === 0 ? removeOne : deleteOnce(removeOne), 1);
      const outcomes = replaceOutcomes(before, now);
      const deleted = outcomes.flatMap((one) => (one.failed === null ? [one.record] : []));
      return finish(
        say("delete.do"),
        outcomes,
        bringBack && { act: () => void bringBack(deleted), count: deleted.length },
        say("delete.done.several", { count: deleted.length, things: entity.many, thing: entity.one }),
        { untried: findUntried(able, outcomes), again: (retried) => tryAll(retried, outcomes) },
      );
    };
    return tryAll(able, []);
  };
  return { transit, remove, ...edits, running, results, closeResults };
};
