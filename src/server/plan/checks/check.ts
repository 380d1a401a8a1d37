import { identifier, join, type Sql, sql } from "../../../core/sql.ts";
import type { ColumnValues } from "../row/sql-env.ts";

/**
 * A check of a write, in the statement that writes. Each check is a boolean column beside the record before (`c`) and
 * after (`n`) the write; the write happens if all are TRUE, and the others explain the refusal. Column names contain a
 * colon, which no field name does.
 */
export interface WriteCheck {
  readonly column: string;
  readonly condition: Sql;
}

export const CURRENT = "c";

export const CANDIDATE = "n";

export const CHECKED = "j";

export const DONE = "d";

export const candidateColumn: ColumnValues = (name) => sql`${identifier(CANDIDATE)}.${identifier(name)}`;

export const checkColumns = (verdicts: readonly WriteCheck[]): readonly Sql[] =>
  verdicts.map(({ column, condition }) => sql`COALESCE(${condition}, FALSE) AS ${identifier(column)}`);

/** All checks hold, by column. */
export const allChecksHold = (verdicts: readonly WriteCheck[]): Sql =>
  verdicts.length === 0
    ? sql`TRUE`
    : join(
        verdicts.map(({ column }) => sql`${identifier(CHECKED)}.${identifier(column)}`),
        " AND ",
      );

/** All checks hold, as a condition without columns, for the fast path. */
export const allChecksTrue = (verdicts: readonly WriteCheck[]): Sql =>
  verdicts.length === 0
    ? sql`TRUE`
    : join(
        verdicts.map(({ condition }) => sql`(${condition})`),
        " AND ",
      );
