import type { AffectedRule } from "../../../core/derive/consistency/read-sets.ts";
import type { Entity, Field, ValidationRule } from "../../../core/model/model.ts";
import type { Row } from "../../../postgres/database.ts";

/** Records that one step wrote, and what they were before. */
export interface WriteSet {
  readonly entity: Entity;
  /** `create`, `update`, `delete` or a transition's name. */
  readonly moment: string;
  /** The fields that may have changed; `null`: the records came or went. */
  readonly changed: ReadonlySet<string> | null;
  readonly rows: readonly WrittenRow[];
  /** What was judged when it was written, and cannot have changed since. */
  readonly settled?: EarlyChecks;
}

export interface EarlyChecks {
  readonly rules: ReadonlySet<ValidationRule>;
  readonly reaches: ReadonlySet<AffectedRule>;
  /** The names of fields whose values were held against their bounds. */
  readonly measured: ReadonlySet<string>;
  /** Fields that are limited or needed on a condition. */
  readonly conditioned: ReadonlySet<Field>;
}

export interface WrittenRow {
  readonly id: string;
  /** The row before the write as JSON, as Postgres wrote it; `null` where there was none. */
  readonly before: string | null;
  /** The audit line of the write: the cause of what follows from it; `null` where nothing was written yet. */
  readonly line: number | null;
}

/** The record that the statement of a request wrote, from its row. */
export const rootRow = (id: string, row: Row): WrittenRow => {
  const before = row["is:before"];
  return {
    id,
    before: before === null || before === undefined ? null : String(before),
    line: Number(row["is:line"]),
  };
};

/** The rows of a statement that wrote, with `id`, `line` and `before`. */
export const toWrittenRows = (rows: readonly Row[]): readonly WrittenRow[] =>
  rows.map((row) => ({
    id: String(row.id),
    line: Number(row.line),
    before: row.before === null || row.before === undefined ? null : String(row.before),
  }));
