import { toFailure } from "../api/api-error.ts";
import { useClient } from "../app/app-context.tsx";

/** The result of an act on one record, or why it failed. */
export type ActOutcome<T, R> =
  | { readonly record: T; readonly failed: null; readonly result: R }
  | { readonly record: T; readonly failed: NonNullable<unknown> };

/** True if somebody else changed the record before. */
export const isChangedMeanwhile = ({ failed }: { readonly failed: unknown }): boolean => {
  const failure = failed === null ? null : toFailure(failed);
  return failure?.kind === "refused" && failure.problem.code === "CHANGED_MEANWHILE";
};

const IN_PARALLEL = 4;

/**
 * Performs an act on each record, and collects successes and failures in the order of the records. A few are performed in
 * parallel; where one record can depend on another, `atOnce` is 1. `onDone` learns how many have been tried.
 */
const forEach = async <T, R>(
  records: readonly T[],
  act: (record: T) => Promise<R>,
  atOnce = IN_PARALLEL,
  onDone: (count: number) => void = () => {},
): Promise<readonly ActOutcome<T, R>[]> => {
  const outcomes = new Map<T, ActOutcome<T, R>>();
  const waiting = [...records];
  const work = async () => {
    for (let record = waiting.shift(); record !== undefined; record = waiting.shift()) {
      const at = record;
      const outcome = await act(at).then(
        (result): ActOutcome<T, R> => ({ record: at, failed: null, result }),
        (thrown: unknown): ActOutcome<T, R> => ({ record: at, failed: thrown ?? new Error("failed") }),
      );
      outcomes.set(at, outcome);
      onDone(outcomes.size);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return records.flatMap((record) => outcomes.get(record) ?? []);
};

/** `forEach`, during which the page stays as it is. */
export const useForEach = (): typeof forEach => {
  const { live } = useClient();
  return (...input) => {
    const release = live.hold();
    return forEach(...input).finally(release);
  };
};
