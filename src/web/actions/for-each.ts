import { useState } from "react";
import { canBeRetried, toFailure } from "../api/api-error.ts";
import { useClient } from "../app/app-context.tsx";
import type { RunningAct } from "../ui/overlay/stop-or.tsx";

/** The result of an act on one record, or why it failed. */
export type ActOutcome<T, R> =
  | { readonly record: T; readonly failed: null; readonly result: R }
  | { readonly record: T; readonly failed: NonNullable<unknown> };

/** True if somebody else changed the record before. */
export const isChangedMeanwhile = ({ failed }: { readonly failed: unknown }): boolean => {
  const failure = failed === null ? null : toFailure(failed);
  return failure?.kind === "refused" && failure.problem.code === "CHANGED_MEANWHILE";
};

/** True if nobody has refused it: the server did not answer, or had no time. */
export const canRetry = ({ failed }: { readonly failed: unknown }): boolean => failed !== null && canBeRetried(failed);

const IN_PARALLEL = 4;
/** After so many in a row that no server has answered, the others are not tried. */
const MOST_UNANSWERED = 4;

interface ForEachOptions {
  /** How many are performed in parallel: one where a record can depend on another. */
  readonly atOnce?: number | undefined;
  /** Learns how many have been tried. */
  readonly onDone?: (count: number) => void;
  /** True once the others are to be left as they are. */
  readonly isStopped?: () => boolean;
}

/**
 * Performs an act on each record, and collects successes and failures in the order of the records. Without a connection, the
 * remaining ones fail untried. Those that a stop leaves as they are have no outcome.
 */
const forEach = async <T, R>(
  records: readonly T[],
  act: (record: T) => Promise<R>,
  { atOnce = IN_PARALLEL, onDone = () => {}, isStopped = () => false }: ForEachOptions = {},
): Promise<readonly ActOutcome<T, R>[]> => {
  const outcomes = new Map<T, ActOutcome<T, R>>();
  const waiting = [...records];
  let unanswered = 0;
  const work = async () => {
    for (let record = waiting.shift(); record !== undefined; record = waiting.shift()) {
      if (isStopped()) return;
      const at = record;
      const outcome = await act(at).then(
        (result): ActOutcome<T, R> => ({ record: at, failed: null, result }),
        (thrown: unknown): ActOutcome<T, R> => ({ record: at, failed: thrown ?? new Error("failed") }),
      );
      outcomes.set(at, outcome);
      onDone(outcomes.size);
      unanswered = outcome.failed !== null && isUnanswered(outcome.failed) ? unanswered + 1 : 0;
      if (unanswered < MOST_UNANSWERED) continue;
      for (const left of waiting.splice(0)) outcomes.set(left, { ...outcome, record: left });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return records.flatMap((record) => outcomes.get(record) ?? []);
};

const isUnanswered = (thrown: unknown): boolean => {
  const { kind } = toFailure(thrown);
  return kind === "unreachable" || kind === "away";
};

/** `forEach`, during which the page stays as it is. */
export const useForEach = (): typeof forEach => {
  const { live } = useClient();
  return (...input) => {
    const release = live.hold();
    return forEach(...input).finally(release);
  };
};

/** `forEach` that says how far it is, and that can be stopped. */
export const useStoppableForEach = () => {
  const run = useForEach();
  const [running, setRunning] = useState<RunningAct | null>(null);
  const runStoppable = async <T, R>(records: readonly T[], act: (record: T) => Promise<R>, atOnce?: number) => {
    let [done, isStopping] = [0, false];
    const show = (): void => setRunning({ done, count: records.length, isStopping, stop });
    const stop = (): void => {
      isStopping = true;
      show();
    };
    show();
    const outcomes = await run(records, act, {
      atOnce,
      onDone: (count) => {
        done = count;
        show();
      },
      isStopped: () => isStopping,
    });
    setRunning(null);
    return outcomes;
  };
  return { running, runStoppable };
};
