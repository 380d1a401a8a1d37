import type { AffectedRule } from "../../../core/derive/consistency/read-sets.ts";
import type { Entity, Field, ValidationRule } from "../../../core/model/model.ts";
import type { Row } from "../../../postgres/database.ts";

/** The records that one statement wrote, with their values before. */
export interface WriteSet {
  readonly entity: Entity;
  /** `create`, `update`, `delete` or the name of a transition. */
  readonly moment: string;
  /** Fields that can have changed; `null` for creation and deletion. */
  readonly changed: ReadonlySet<string> | null;
  readonly rows: readonly WrittenRow[];
  /** Checks that the write made and that nothing later can invalidate. */
  readonly settled?: EarlyChecks;
}

export interface EarlyChecks {
  readonly rules: ReadonlySet<ValidationRule>;
  readonly reaches: ReadonlySet<AffectedRule>;
  /** Names of fields whose bounds were checked. */
  readonly measured: ReadonlySet<string>;
  /** Checked fields with `among` or conditional `required`. */
  readonly conditioned: ReadonlySet<Field>;
}

export interface WrittenRow {
  readonly id: string;
  /** The row before the write as Postgres's JSON; `null` if there was none. */
  readonly before: string | null;
  /** The audit line of the write, which is the cause of its consequences; `null` if none was written. */
  readonly line: number | null;
}

/** The written record of the root statement, from its row. */
export const rootRow = (id: string, row: Row): WrittenRow => {
  const before = row["is:before"];
  return {
    id,
    before: before === null || before === undefined ? null : String(before),
    line: Number(row["is:line"]),
  };
};

/** The written records, from rows with `id`, `line` and `before`. */
export const toWrittenRows = (rows: readonly Row[]): readonly WrittenRow[] =>
  rows.map((row) => ({
    id: String(row.id),
    line: Number(row.line),
    before: row.before === null || row.before === undefined ? null : String(row.before),
  }));
