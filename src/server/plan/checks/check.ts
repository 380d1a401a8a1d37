import { identifier, join, type Sql, sql } from "../../../core/sql.ts";
import { CANDIDATE, CHECKED } from "../aliases.ts";
import { type BooleanColumn, booleanColumn, resultColumnSql, selectAs } from "../result-columns.ts";
import type { ColumnValues } from "../row/sql-env.ts";

/**
 * A check of a write, made in the statement that writes. Each check is a boolean column beside the record before (`c`)
 * and after (`n`) the write. The write happens if all are TRUE; the columns explain a refusal.
 */
export interface WriteCheck {
  readonly column: BooleanColumn;
  readonly condition: Sql;
}

/** A check of the value of one field. */
export interface FieldCheck extends WriteCheck {
  readonly field: string;
}

/** The record has the version that the caller saw. */
export const FRESH = booleanColumn("is:fresh");
/** The record is in a source state of the transition. */
export const IN_STATE = booleanColumn("is:state");
/** The guard of the transition holds. */
export const GUARD = booleanColumn("is:guard");
/** A value differs from the stored one. */
export const DIFFERS = booleanColumn("is:other");
/** The idempotency key is used for the first time. */
export const FIRST_USE = booleanColumn("is:first");

export const candidateColumn: ColumnValues = (name) => sql`${CANDIDATE}.${identifier(name)}`;

export const checkColumns = (verdicts: readonly WriteCheck[]): readonly Sql[] =>
  verdicts.map(({ column, condition }) => selectAs(sql`COALESCE(${condition}, FALSE)`, column));

/** All checks hold, by column. */
export const allChecksHold = (verdicts: readonly WriteCheck[]): Sql =>
  verdicts.length === 0
    ? sql`TRUE`
    : join(
        verdicts.map(({ column }) => resultColumnSql(CHECKED, column)),
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
