import type Big from "big.js";
import { type Sql, sql } from "../../sql.ts";
import { type Duration, lengthOf } from "./duration.ts";
import type { Type } from "./type.ts";
import type { JsRecord } from "./value.ts";

/** What operators that take many types must know of one: how its values compare, and its type in Postgres. */
export interface Kind {
  /** Completes "This is …". */
  readonly is: string;
  readonly postgres: string;
  /** Whether `==` takes it, whether `<` does, and whether what is equal is also the same. */
  readonly compares: "in order" | "by length" | "for sameness" | "not at all";
  /** Below 0, 0 or above; where values only compare for sameness, 0 or not 0. */
  readonly compare: (a: never, b: never) => number;
  /** Whether JavaScript's own `===`, and its `<`, say of two values what `compare` says. */
  readonly same?: true;
  readonly ordered?: true;
  /** What SQL orders by, where that is not the value as it stands. */
  readonly sorted?: (value: Sql) => Sql;
  /** The value again as columns hold it: of two collations that nobody wrote out, Postgres prefers neither. */
  readonly unsorted?: (value: Sql) => Sql;
  /** What a CHECK says of a column, where Postgres's type holds more than ours: beyond it, calculating raises errors. */
  readonly bounds?: (column: Sql) => Sql;
}

/**
 * By code point, as Postgres compares under COLLATE "C". In UTF-16 the halves of a pair (D800–DFFF) stand below
 * E000–FFFF, which are below the characters that pairs make: both are moved to their place.
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

export const kinds = {
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
    compare: (a: Duration, b: Duration) => lengthOf(a) - lengthOf(b),
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
} satisfies Record<Type["kind"], Kind>;

/** A type's column in Postgres: `bigint`, `text[]`. */
export const postgresType = (type: Type): string =>
  type.kind === "list" ? `${postgresType(type.of)}[]` : kinds[type.kind].postgres;

/** For people: "a whole number", "one of Loan.status", "a list (each a date)". */
export const wordsOf = (type: Type): string => {
  if (type.kind === "record") return /^[AEIO]/u.test(type.entity) ? `an ${type.entity}` : `a ${type.entity}`;
  if (type.kind === "choice") return `a value of ${type.of}`;
  if (type.kind === "money") return `an amount in ${type.currency}`;
  if (type.kind === "list") return `a list (each ${wordsOf(type.of)})`;
  return kinds[type.kind].is;
};
