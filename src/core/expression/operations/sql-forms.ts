import { join, type Sql, sql } from "../../sql.ts";

/**
 * The forms that expressions take in SQL: a value, a condition, a list. What is written twice is *simple*: a column, a
 * parameter or a constant; so no statement grows faster than its rule.
 */
export interface Single {
  /** Stands anywhere without brackets; NULL where it is missing. */
  readonly value: Sql;
  readonly missing: boolean;
  readonly simple: boolean;
}

/**
 * What is TRUE exactly when the condition is true, and what is TRUE exactly when it is false. Unless the condition is
 * `sure`, either may be NULL otherwise.
 */
export interface Condition {
  readonly truth: Sql;
  readonly falsehood: Sql;
  readonly sure: boolean;
}

/**
 * A list as the rows of a query, `SELECT element FROM from WHERE where ORDER BY order`, in which no element is NULL. One
 * that is kept in an array or written out is so too, for what is shorter said of them.
 */
export interface List {
  readonly element: Sql;
  readonly from: Sql;
  readonly where: readonly Sql[];
  readonly order: Sql;
  readonly array?: Sql;
  readonly items?: readonly Single[];
}

/** A condition that holds exactly when `one` does not. */
export const opposite = ({ truth, falsehood, sure }: Condition): Condition => ({
  truth: falsehood,
  falsehood: truth,
  sure,
});

/** Whether a value is NULL written out, with or without its type. */
export const isNull = ({ parts }: Sql): boolean => parts[0] === "NULL";

/** A condition that is never NULL. */
export const sure = (truth: Sql, falsehood: Sql): Condition => ({ truth, falsehood, sure: true });

const bracketed = (pieces: readonly Sql[]): readonly Sql[] => pieces.map((piece) => sql`(${piece})`);

export const both = (...pieces: readonly Sql[]): Sql => join(pieces.length > 1 ? bracketed(pieces) : pieces, " AND ");
export const either = (...pieces: readonly Sql[]): Sql => join(pieces.length > 1 ? bracketed(pieces) : pieces, " OR ");

/** `(SELECT what FROM … WHERE …)` */
export const select = (what: Sql, { from, where }: List): Sql =>
  where.length === 0 ? sql`(SELECT ${what} FROM ${from})` : sql`(SELECT ${what} FROM ${from} WHERE ${both(...where)})`;

/** The elements for which more conditions hold. */
export const narrowed = ({ element, from, where, order }: List, conditions: readonly Sql[]): List => ({
  element,
  from,
  where: [...where, ...conditions],
  order,
});
