import type { Grant } from "../../../core/derive/authorization/grants.ts";
import type { SqlEnv } from "../../../core/expression/compile/to-sql.ts";
import { identifier, join, type Sql, sql } from "../../../core/sql.ts";
import { type Alias, CHECKED, LOCKS } from "../aliases.ts";
import { allChecksHold, checkColumns, type WriteCheck } from "../checks/check.ts";
import { areGranted, grantColumns } from "../checks/permissions.ts";
import { asNumber, resultColumn, selectAs } from "../result-columns.ts";
import { type LockRows, takeLocksSql } from "./locks.ts";

/** The permission to write a row: a grant covers it, and each of the fields is covered by such a grant. */
interface CheckedPermission {
  readonly grants: readonly Grant[];
  readonly fields: Iterable<string>;
  /** The row that the conditions of the grants read. */
  readonly env: SqlEnv;
}

/** The rows that are checked, each with a boolean column per check. */
interface CheckedRows {
  /** `FROM …`; empty if the checks read no single row. */
  readonly from: Sql;
  /** Columns that distinguish several checked rows. */
  readonly key?: readonly Sql[];
  /** Absent if permission was decided before. */
  readonly permission?: CheckedPermission;
  /** Checks that decide if the row is written. */
  readonly checks: readonly WriteCheck[];
  /** Checks that are only reported and do not decide if the row is written. */
  readonly reported?: readonly WriteCheck[];
}

/**
 * A statement that writes records, as data. Its table expressions are, in this order: the rows that it reads, the locks
 * that it takes, the checks of each row (`j`), the written rows (`d`) with their audit lines (`a`).
 */
interface WriteStatement {
  /** Table expressions (`tableAs`): sent rows, the records before the write, the records as they would be. */
  readonly rows?: readonly Sql[];
  /** Locks that no earlier statement has taken. */
  readonly locks?: readonly LockRows[];
  /** Absent if nothing is checked, or if the checks are conditions of `written`. */
  readonly checked?: CheckedRows;
  /**
   * The written rows and audit lines (`insertRowsSql`, `updateRowsSql`, `deleteRowsSql`); `holds` is true for a checked row
   * that passes. Absent if the statement only checks.
   */
  readonly written?: (holds: Sql) => Sql;
  /** The columns of the result (`selectAs`). `from` is empty for a result of one row. */
  readonly result: { readonly columns: readonly Sql[]; readonly from: Sql };
}

/** All checks of a row, as columns of the result. */
export const CHECK_COLUMNS = sql`${CHECKED}.*`;

/** A table expression that is computed once. */
export const tableAs = (alias: string | Alias, query: Sql): Sql =>
  sql`${typeof alias === "string" ? identifier(alias) : alias} AS MATERIALIZED (${query})`;

/** A statement that reads table expressions. */
export const withTables = (tables: readonly Sql[], statement: Sql): Sql =>
  tables.length === 0 ? statement : sql`WITH ${join(tables, ",\n        ")}\n        ${statement}`;

/** Nothing reads this column. It makes Postgres run the table expression. */
const LOCKED = resultColumn("is:locked", asNumber);

/** Builds the statement of a write. If rows are checked, the row of the result tells why nothing was written. */
export const writeStatementSql = ({ rows = [], locks = [], checked, written, result }: WriteStatement): Sql => {
  const isLocking = locks.length > 0;
  const tables = [
    ...rows,
    ...(isLocking ? [tableAs(LOCKS, takeLocksSql(locks))] : []),
    ...(checked === undefined ? [] : [tableAs(CHECKED, checksSql(checked))]),
    ...(written === undefined ? [] : [written(checked === undefined ? sql`TRUE` : checksHold(checked))]),
  ];
  const columns = [...result.columns, ...(isLocking ? [selectAs(sql`(SELECT count(*) FROM ${LOCKS})`, LOCKED)] : [])];
  return withTables(tables, sql`SELECT ${join(columns, ", ")} ${result.from}`);
};

const checksSql = ({ from, key = [], permission, checks, reported = [] }: CheckedRows): Sql => {
  const granted = permission === undefined ? [] : grantColumns(permission.grants, permission.env);
  return sql`SELECT ${join([...key, ...granted, ...checkColumns([...reported, ...checks])], ", ")} ${from}`;
};

const checksHold = ({ permission, checks }: CheckedRows): Sql => {
  const passed = allChecksHold(checks);
  return permission === undefined ? passed : sql`${areGranted(permission.grants, permission.fields)} AND ${passed}`;
};
