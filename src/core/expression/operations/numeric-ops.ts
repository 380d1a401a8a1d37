import Big from "big.js";
import { type Sql, sql } from "../../sql.ts";
import type { Value } from "../values/value.ts";
import { type SqlList, select } from "./sql-forms.ts";

/* Arithmetic of the operation table on whole numbers and decimals, in JavaScript and in Postgres. */

/**
 * Normalizes the result of an expression: a number of 10^28 or more becomes missing, and negative zero becomes zero.
 */
export const normalize = {
  js: (value: Big): Big | null => (value.c[0] === 0 ? zero : value.e < 28 ? value : null),
  sql: (value: Sql): Sql => limitSql(value, sql`-10000000000000000000000000000`, sql`10000000000000000000000000000`),
};
const zero = new Big(0);

/**
 * NULL for a value that is not strictly between the two. The value occurs once in the SQL, so nested calls do not grow
 * exponentially.
 */
export const limitSql = (value: Sql, low: Sql, high: Sql): Sql =>
  sql`nullif(nullif(greatest(least(${value}, ${high}), ${low}), ${high}), ${low})`;

export const limitInteger = (value: number): number | null => (Number.isSafeInteger(value) ? value + 0 : null);
export const limitIntegerSql = (value: Sql): Sql =>
  sql`${limitSql(value, sql`-9007199254740992`, sql`9007199254740992`)}::bigint`;

/** Decimals are exact; only `normalize` limits them. A quotient has 10 decimal places, rounded half away from zero. */
const Quotient = Big();
Quotient.DP = 10;
Quotient.RM = 1;
export const quotient = (a: Big, b: Big): Big | null => (b.eq(0) ? null : new Quotient(a).div(b));
/** Postgres's `/` rounds to a scale of its own choice before `round` runs; `div` is exact. */
export const quotientSql = (a: Sql, b: Sql): Sql =>
  sql`round(div(${a} * 100000000000, nullif(${b}, 0)) * 0.00000000001, 10)`;

/**
 * Rounds half to even. Postgres rounds half away from zero, so a tie is halved first: rounding half of it and doubling
 * gives the even neighbour.
 */
export const roundSql = (value: Sql, places: Sql): Sql =>
  sql`CASE WHEN abs(${value} - trunc(${value}, ${places})) * 2 = power(10::numeric, -${places}) THEN round(${value} * 0.5, ${places}) * 2 ELSE round(${value}, ${places}) END`;

/** Rounds halves away from zero, as Postgres does. */
export const roundHalfUpSql = (value: Sql, places: Sql): Sql => sql`round(${value}, ${places})`;

/** Rounds towards zero. */
export const roundDownSql = (value: Sql, places: Sql): Sql => sql`trunc(${value}, ${places})`;

/** Rounds away from zero. */
export const roundUpSql = (value: Sql, places: Sql): Sql =>
  sql`(trunc(${value}, ${places}) + sign(${value} - trunc(${value}, ${places})) * power(10::numeric, -${places}))`;

/** Reuses instances of common numbers; `Big` values are immutable. */
const small: Big[] = Array.from({ length: 256 }, (_, n) => new Big(n));
export const toDecimal = (value: number): Big => small[value] ?? new Big(value);

export const down = (value: Big): Big => {
  const cut = value.round(0, 0);
  return cut.gt(value) ? cut.minus(1) : cut;
};

export const toInteger = (value: Big): number | null => limitInteger(value.toNumber());

export const placesProblem = (places: Value): string | undefined =>
  typeof places === "number" && places >= 0 && places <= 10 ? undefined : "A number can be rounded to 0 to 10 places.";

/** Sums whole numbers exactly, even if an intermediate sum is too large. */
export const sumWholeNumbers = (values: readonly number[]): number | null => {
  let sum = 0;
  for (const value of values) {
    sum += value;
    if (!Number.isSafeInteger(sum)) return limitInteger(Number(values.reduce((a, b) => a + BigInt(b), 0n)));
  }
  return sum;
};
export const total = (values: readonly Big[]): Big => values.reduce((a, b) => a.plus(b), new Big(0));
export const sumSql = (list: SqlList): Sql => select(sql`coalesce(sum(${list.element}), 0)`, list);

export const average = (values: readonly Big[]): Big | null => quotient(total(values), new Big(values.length));
export const averageSql = (list: SqlList): Sql => select(quotientSql(sql`sum(${list.element})`, sql`count(*)`), list);
