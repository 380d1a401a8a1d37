import { identifier, join, type Sql, sql } from "../../../core/sql.ts";
import type { ColumnValues } from "../row/sql-env.ts";

/**
 * A write judges and writes in one statement. Each thing that is judged is a column, TRUE or FALSE, beside the record
 * as it is (`c`) and as it would be (`n`); the write happens where all are TRUE, and what is not tells the refusal.
 * Their names hold a colon, which no field's does.
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

/** Everything judged is TRUE. */
export const allChecksHold = (verdicts: readonly WriteCheck[]): Sql =>
  verdicts.length === 0
    ? sql`TRUE`
    : join(
        verdicts.map(({ column }) => sql`${identifier(CHECKED)}.${identifier(column)}`),
        " AND ",
      );

/** The same where nobody wants to know which of it is not. */
export const allChecksTrue = (verdicts: readonly WriteCheck[]): Sql =>
  verdicts.length === 0
    ? sql`TRUE`
    : join(
        verdicts.map(({ condition }) => sql`(${condition})`),
        " AND ",
      );
