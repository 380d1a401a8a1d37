import type { Database, LogPosition } from "../../postgres/database.ts";
import type { BatchRows, StatementBatch } from "../plan/steps.ts";

/** The position that a standby must have replayed to answer a reader; undefined if only the primary may answer. */
export type MinPosition = LogPosition | undefined;

/** The rows of statements for the primary, and of those that only read. */
export interface ReadRows {
  readonly first: BatchRows;
  readonly rows: BatchRows;
}

/**
 * Runs statements that only read, on a standby if one has replayed `after`, otherwise on the primary. `first` are statements that belong to
 * the primary, such as the check of a session; they run at the same time.
 */
export const readBatch = async (
  { batch, standbys }: Database,
  queries: StatementBatch,
  minPosition: MinPosition,
  first: StatementBatch = [],
): Promise<ReadRows> => {
  if (standbys === undefined || minPosition === undefined || queries.length === 0) {
    const all = await batch([...first, ...queries]);
    return { first: all.slice(0, first.length), rows: all.slice(first.length) };
  }
  const [own, rows] = await Promise.all([
    first.length === 0 ? [] : batch(first),
    standbys.read(queries, minPosition).then((found) => found ?? batch(queries)),
  ]);
  return { first: own, rows };
};
