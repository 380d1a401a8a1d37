import { join, type Sql, sql } from "../../sql.ts";

/**
 * The forms of an expression in SQL: a value, a condition or a list. Only *simple* SQL (a column, a parameter or a
 * constant) is ever repeated, so a statement grows linearly with its rule.
 */
export interface Single {
  /** Needs no parentheses in any context; NULL if missing. */
  readonly value: Sql;
  readonly missing: boolean;
  readonly simple: boolean;
  /** The uuid, if the value is an id as a text. An index has the uuid. */
  readonly uuid?: Sql;
}

/**
 * `truth` is TRUE exactly if the condition is true, `falsehood` is TRUE exactly if it is false. Otherwise either can be
 * NULL, unless the condition is `sure`.
 */
export interface SqlCondition {
  readonly truth: Sql;
  readonly falsehood: Sql;
  readonly sure: boolean;
}

/**
 * A list as the rows of `SELECT element FROM from WHERE where ORDER BY order`; no element is NULL. A stored array or a
 * literal list carries `array` or `items` too, which allow shorter SQL.
 */
export interface SqlList {
  readonly element: Sql;
  readonly from: Sql;
  readonly where: readonly Sql[];
  readonly order: Sql;
  readonly array?: Sql;
  readonly items?: readonly Single[];
}

/** The negation of a condition. */
export const opposite = ({ truth, falsehood, sure }: SqlCondition): SqlCondition => ({
  truth: falsehood,
  falsehood: truth,
  sure,
});

/** True if the value is the literal NULL, with or without a cast. */
export const isNull = ({ parts: [first] }: Sql): boolean => typeof first === "string" && /^NULL(?:::|$)/u.test(first);

/** A condition that is never NULL. */
export const definiteCondition = (truth: Sql, falsehood: Sql): SqlCondition => ({ truth, falsehood, sure: true });

const bracket = (conditions: readonly Sql[]): readonly Sql[] => conditions.map((condition) => sql`(${condition})`);

export const both = (...conditions: readonly Sql[]): Sql =>
  join(conditions.length > 1 ? bracket(conditions) : conditions, " AND ");
export const either = (...conditions: readonly Sql[]): Sql =>
  join(conditions.length > 1 ? bracket(conditions) : conditions, " OR ");

/** Builds `(SELECT what FROM … WHERE …)`. */
export const select = (what: Sql, { from, where }: SqlList): Sql =>
  where.length === 0 ? sql`(SELECT ${what} FROM ${from})` : sql`(SELECT ${what} FROM ${from} WHERE ${both(...where)})`;

/** Adds conditions to a list. */
export const withConditions = ({ element, from, where, order }: SqlList, conditions: readonly Sql[]): SqlList => ({
  element,
  from,
  where: [...where, ...conditions],
  order,
});
