import type Big from "big.js";
import { type Sql, sql } from "../../sql.ts";
import { type Duration, durationLength } from "./duration.ts";
import type { Type } from "./type.ts";
import type { JsRecord } from "./value.ts";

/** Properties of a type that generic operators need: comparison of its values and its Postgres type. */
export interface ValueKind {
  /** Completes the sentence "This is …". */
  readonly is: string;
  readonly postgres: string;
  /**
   * Supported comparisons: `==` and `<` ("in order"), both by length although equal lengths can differ ("by length"),
   * `==` only ("for sameness"), or none.
   */
  readonly compares: "in order" | "by length" | "for sameness" | "not at all";
  /** Below 0, 0 or above 0; for types without an order, 0 or any other number. */
  readonly compare: (a: never, b: never) => number;
  /** True if JavaScript's `===` (`same`) or `<` (`ordered`) agrees with `compare`. */
  readonly same?: true;
  readonly ordered?: true;
  /** The SQL expression to sort by, if it differs from the value. */
  readonly sorted?: (value: Sql) => Sql;
  /** Restores the column's collation: Postgres raises an error if two implicit collations conflict. */
  readonly unsorted?: (value: Sql) => Sql;
  /**
   * CHECK condition for a column whose Postgres type is wider than ours; arithmetic on values outside would raise
   * errors.
   */
  readonly bounds?: (column: Sql) => Sql;
}

/**
 * Compares by code point, as Postgres does under COLLATE "C". In UTF-16, surrogates (D800–DFFF) sort below E000–FFFF
 * although the characters they encode sort above, so both ranges are mapped to their order by code point.
 */
const compareText = (a: string, b: string): number => {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const one = a.charCodeAt(at);
    const other = b.charCodeAt(at);
    if (one !== other) return place(one) - place(other);
  }
  return a.length - b.length;
};

const place = (unit: number): number => (unit < 0xd800 ? unit : unit < 0xe000 ? unit + 0x2000 : unit - 0x800);

const plainly = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const exactly = (a: Big, b: Big): number => a.cmp(b);
const never = (): number => Number.NaN;

export const valueKinds = {
  boolean: {
    is: "a condition",
    postgres: "boolean",
    compares: "for sameness",
    compare: (a: boolean, b: boolean) => Number(a) - Number(b),
    same: true,
  },
  integer: {
    is: "a whole number",
    postgres: "bigint",
    compares: "in order",
    compare: (a: number, b: number) => a - b,
    same: true,
    ordered: true,
    bounds: (column) => sql`${column} BETWEEN -9007199254740991 AND 9007199254740991`,
  },
  decimal: { is: "a number", postgres: "numeric", compares: "in order", compare: exactly },
  money: { is: "an amount of money", postgres: "numeric", compares: "in order", compare: exactly },
  text: {
    is: "a text",
    postgres: "text",
    compares: "in order",
    compare: compareText,
    same: true,
    sorted: (value) => sql`${value} COLLATE "C"`,
    unsorted: (value) => sql`${value} COLLATE "default"`,
  },
  date: {
    is: "a date",
    postgres: "date",
    compares: "in order",
    compare: plainly,
    same: true,
    ordered: true,
    bounds: (column) => sql`${column} BETWEEN '0001-01-01'::date AND '9999-12-31'::date`,
  },
  time: {
    is: "a time",
    postgres: "time",
    compares: "in order",
    compare: plainly,
    same: true,
    ordered: true,
    bounds: (column) => sql`${column} < '24:00'::time`,
  },
  datetime: {
    is: "a date with its time",
    postgres: "timestamptz",
    compares: "in order",
    compare: plainly,
    same: true,
    ordered: true,
    bounds: (column) =>
      sql`${column} >= '0001-01-01 00:00+00'::timestamptz AND ${column} < '10000-01-01 00:00+00'::timestamptz`,
  },
  duration: {
    is: "a duration",
    postgres: "interval",
    compares: "by length",
    compare: (a: Duration, b: Duration) => durationLength(a) - durationLength(b),
    bounds: (column) =>
      sql`extract(year FROM ${column}) BETWEEN -250 AND 250 AND extract(day FROM ${column}) BETWEEN -91500 AND 91500 AND extract(hour FROM ${column}) BETWEEN -2196000 AND 2196000`,
  },
  choice: { is: "a choice", postgres: "text", compares: "for sameness", compare: plainly, same: true },
  record: {
    is: "a record",
    postgres: "uuid",
    compares: "for sameness",
    compare: (a: JsRecord, b: JsRecord) => (a.id === b.id ? 0 : 1),
  },
  file: { is: "a file", postgres: "jsonb", compares: "not at all", compare: never },
  json: { is: "JSON", postgres: "jsonb", compares: "not at all", compare: never },
  list: { is: "a list", postgres: "", compares: "not at all", compare: never },
  null: { is: "nothing", postgres: "text", compares: "for sameness", compare: never },
  unknown: { is: "unknown", postgres: "text", compares: "in order", compare: never },
} satisfies Record<Type["kind"], ValueKind>;

/** The Postgres column type: `bigint`, `text[]`. */
export const postgresType = (type: Type): string =>
  type.kind === "list" ? `${postgresType(type.of)}[]` : valueKinds[type.kind].postgres;

/** The type in words: "a whole number", "a value of Loan.status", "a list (each a date)". */
export const typeWords = (type: Type): string => {
  if (type.kind === "record") return /^[AEIO]/u.test(type.entity) ? `an ${type.entity}` : `a ${type.entity}`;
  if (type.kind === "choice") return `a value of ${type.of}`;
  if (type.kind === "money") return `an amount in ${type.currency}`;
  if (type.kind === "list") return `a list (each ${typeWords(type.of)})`;
  return valueKinds[type.kind].is;
};
