import Big from "big.js";
import { constant, join, type Sql, sql } from "../sql.ts";
import {
  addToDate,
  addToInstant,
  dateAt,
  dateOf,
  dayOf,
  endOfMonth,
  momentOf,
  partsOf,
  weekdayOf,
  type Zone,
} from "./calendar.ts";
import { type Duration, isWithin, lengthOf as millisecondsOf } from "./duration.ts";
import {
  both,
  type Condition,
  either,
  isNull,
  type List,
  narrowed,
  opposite,
  type Single,
  select,
  sure,
} from "./forms.ts";
import type { Kind } from "./kinds.ts";
import { matcher, patternProblem, postgresPattern } from "./pattern.ts";
import type { Type } from "./type.ts";
import type { Value } from "./value.ts";

/** What a row knows of its place: the kind that `same` or `ordered` stand for, and where days begin. */
export interface Place {
  readonly kind: Kind;
  readonly zone: Zone;
  /** The zone's name, as a constant. */
  readonly zoneName: Sql;
  /** The last operand, where it is a constant. */
  readonly last: Value;
}

/**
 * What an operator or a function means. In JavaScript operands are values. In SQL they come in the form that the
 * signature asks for: a condition, a list, or a value that stands anywhere without brackets, as the one that the row
 * gives does. The place comes last.
 */
export type Row = {
  readonly about: string;
  readonly gives: Word;
  /** Why the result may be missing though every operand is there. */
  readonly fails?: "overflow" | "division by zero" | "of none";
  /** How many times SQL writes an operand; once where nothing is said. */
  readonly repeats?: number;
  /** Between which whole numbers the result lies, of operands that lie between these; undefined: nothing is known. */
  readonly bounds?: (...operands: readonly (Bounds | undefined)[]) => Bounds | undefined;
  /** The same in SQL where `bounds` says that it cannot overflow. */
  readonly within?: (...operands: never[]) => Sql;
  /** The last operand must be a constant; says what is wrong with it. */
  readonly constant?: (last: Value) => string | undefined;
  /** A comparison, for whose commonest operands JavaScript has functions of their own (`shapes.ts`). */
  readonly compares?: {
    /** The values that need JavaScript's own `===`, or `<`, alone: of kinds that are `same`, or `ordered`, so. */
    readonly by: "same" | "ordered";
    readonly holds: Orders | "among";
  };
} & (Spreads | Refuses | Meets | Settles | Lists);

/** For which orders of its first operand to its second a comparison holds. What is only the same or not is above where not. */
export interface Orders {
  readonly below: boolean;
  readonly same: boolean;
  readonly above: boolean;
}

export type Bounds = readonly [least: number, most: number];

/** A type in a signature. */
export type Word = Stem | `[${Stem}]`;
/**
 * A kind of value, or what stands for several and is the same wherever it stands in one signature: `same` is what `==`
 * takes, `ordered` what `<` takes, `ranked` the same without durations (a day and 24 hours are as long, and not the
 * same), `any` all but lists.
 */
export type Stem = Type["kind"] | "same" | "ordered" | "ranked" | "any";

/** Missing when an operand is. */
interface Spreads {
  readonly missing: "spreads";
  readonly js: (...operands: never[]) => Value;
  readonly sql: (...operands: never[]) => Sql;
}

/** A condition that is false when an operand is missing; `OR a IS NULL` then completes its falsehood. */
interface Refuses {
  readonly missing: "refuses";
  readonly js: (...operands: never[]) => boolean;
  readonly truth: (...operands: never[]) => Sql;
  readonly falsehood: (...operands: never[]) => Sql;
}

/** The row meets the missing itself: JavaScript is given `null`, SQL knows what may be missing. */
interface Meets {
  readonly missing: "met";
  readonly js: (...operands: never[]) => Value;
  /** The result is one of the operands, and may be missing where one of them may. */
  readonly passes?: boolean;
  readonly sql?: (...operands: never[]) => Sql;
  readonly condition?: (...operands: never[]) => Condition;
}

/** Gives a list, which is empty when an operand is missing. */
interface Lists {
  readonly missing: "empties";
  readonly js: (...operands: never[]) => readonly Value[];
  /** Given the alias that its elements have in SQL. */
  readonly list: (...operands: never[]) => (alias: Sql) => List;
  readonly sql?: never;
  readonly condition?: never;
  readonly passes?: never;
}

/** Two conditions of which the first, when it has this value, settles the result; else the result is the second. */
interface Settles {
  readonly missing: "met";
  readonly settles: boolean;
  readonly condition: (...operands: never[]) => Condition;
  readonly sql?: never;
  readonly passes?: never;
}

/** Numbers are below 10^28 where they leave an expression, and what is larger is missing. No zero is below zero. */
export const leaving = {
  js: (value: Big): Big | null => (value.c[0] === 0 ? zero : value.e < 28 ? value : null),
  sql: (value: Sql): Sql => between(value, sql`-10000000000000000000000000000`, sql`10000000000000000000000000000`),
};
const zero = new Big(0);

/** NULL for a value that does not lie between the two. It is written once, so that chains do not double. */
const between = (value: Sql, low: Sql, high: Sql): Sql =>
  sql`nullif(nullif(greatest(least(${value}, ${high}), ${low}), ${high}), ${low})`;

const whole = (value: number): number | null => (Number.isSafeInteger(value) ? value + 0 : null);
const wholeSql = (value: Sql): Sql => sql`${between(value, sql`-9007199254740992`, sql`9007199254740992`)}::bigint`;

/** Decimals are exact and know no overflow but the one of `leaving`. A quotient has 10 places, rounded half away from zero. */
const Quotient = Big();
Quotient.DP = 10;
Quotient.RM = 1;
const quotient = (a: Big, b: Big): Big | null => (b.eq(0) ? null : new Quotient(a).div(b));
/** Postgres's `/` rounds at a place of its own before `round` does; `div` is exact. */
const quotientSql = (a: Sql, b: Sql): Sql => sql`round(div(${a} * 100000000000, nullif(${b}, 0)) * 0.00000000001, 10)`;

/** Half to even. Postgres rounds half away from zero; of half the value that is half to even. */
const roundSql = (value: Sql, places: Sql): Sql =>
  sql`CASE WHEN abs(${value} - trunc(${value}, ${places})) * 2 = power(10::numeric, -${places}) THEN round(${value} * 0.5, ${places}) * 2 ELSE round(${value}, ${places}) END`;

/** The numbers that are met most are made once: nothing changes a decimal that there is. */
const small: Big[] = Array.from({ length: 256 }, (_, n) => new Big(n));
const decimalOf = (value: number): Big => small[value] ?? new Big(value);

const down = (value: Big): Big => {
  const cut = value.round(0, 0);
  return cut.gt(value) ? cut.minus(1) : cut;
};

const wholeOf = (value: Big): number | null => whole(value.toNumber());

const placesProblem = (places: Value): string | undefined =>
  typeof places === "number" && places >= 0 && places <= 10 ? undefined : "A number is rounded to 0 to 10 places.";

/** Ten years of days: more than anybody looks at one by one. */
const MOST_DAYS = 3_653;

const lasting = (duration: Duration): Duration | null => (isWithin(duration) ? duration : null);
const elapsed = (milliseconds: number): Duration | null => lasting({ months: 0, days: 0, milliseconds });
/** Milliseconds as a double are exact, as far as a duration goes. */
const elapsedSql = (a: Sql, b: Sql): Sql =>
  sql`(${between(sql`extract(epoch FROM ${a} - ${b}) * 1000`, sql`-7905600000001`, sql`7905600000001`)}::double precision * '1 millisecond'::interval)`;

/** Part by part: an epoch would take a year for 365 days and a quarter. */
const millisecondsSql = (value: Sql): Sql =>
  sql`(((extract(year FROM ${value}) * 12 + extract(month FROM ${value})) * 30 + extract(day FROM ${value})) * 86400000 + extract(hour FROM ${value}) * 3600000 + extract(minute FROM ${value}) * 60000 + extract(milliseconds FROM ${value}))`;

const dateSql = (value: Sql): Sql => between(value, sql`'0001-12-31 BC'::date`, sql`'10000-01-01'::date`);
const instantSql = (value: Sql): Sql =>
  between(value, sql`'0001-12-31 23:59:59.999+00 BC'::timestamptz`, sql`'10000-01-01 00:00+00'::timestamptz`);

const patternSql = (pattern: Value): Sql => constant(postgresPattern(String(pattern)));

const lengthOf = (text: string): number => {
  let length = 0;
  for (const _ of text) length++;
  return length;
};

/** Whole numbers add up exactly, also where a sum on the way is too large. */
const sumOf = (values: readonly number[]): number | null => {
  let sum = 0;
  for (const value of values) {
    sum += value;
    if (!Number.isSafeInteger(sum)) return whole(Number(values.reduce((a, b) => a + BigInt(b), 0n)));
  }
  return sum;
};
const total = (values: readonly Big[]): Big => values.reduce((a, b) => a.plus(b), new Big(0));
const sumSql = (list: List): Sql => select(sql`coalesce(sum(${list.element}), 0)`, list);

const average = (values: readonly Big[]): Big | null => quotient(total(values), new Big(values.length));
const averageSql = (list: List): Sql => select(quotientSql(sql`sum(${list.element})`, sql`count(*)`), list);

const utmostSql = (least: Sql, list: List, kind: Kind): Sql => {
  const utmost = sql`${least}(${sorted(list.element, kind)})`;
  return select(kind.unsorted === undefined ? utmost : kind.unsorted(utmost), list);
};

/** The one that comes before (`sign` -1) or after (1) all others. */
const utmost = (values: readonly Value[], { kind }: Place, sign: 1 | -1): Value =>
  values.reduce<Value>((a, b) => (a === null || sign * kind.compare(b as never, a as never) > 0 ? b : a), null);

const isSame = (a: Value, b: Value, { kind }: Place): boolean =>
  a === null || b === null ? a === b : kind.compare(a as never, b as never) === 0;

const sameness = (a: Single, b: Single): Condition => {
  // `IS NULL` finds an index, which a comparison with NULL would not.
  if (isNull(b.value)) return absence(a);
  if (isNull(a.value)) return absence(b);
  const equal = sql`${a.value} = ${b.value}`;
  if (!a.missing && !b.missing) return sure(equal, sql`${a.value} <> ${b.value}`);
  const falsehood = sql`${a.value} IS DISTINCT FROM ${b.value}`;
  if (a.missing && b.missing) return sure(sql`${a.value} IS NOT DISTINCT FROM ${b.value}`, falsehood);
  return { truth: equal, falsehood, sure: false };
};

const absence = ({ value }: Single): Condition => sure(sql`${value} IS NULL`, sql`${value} IS NOT NULL`);

const sorted = (value: Sql, { sorted }: Kind): Sql => (sorted === undefined ? value : sorted(value));

const is: Orders = { below: false, same: true, above: false };
const isNot: Orders = { below: true, same: false, above: true };

/** A comparison in order, with its sign and that of its opposite; each is the other's falsehood. */
const ordering = (holds: Orders, sign: Sql, opposite: Sql) => {
  const compared =
    (sign: Sql) =>
    (a: Sql, b: Sql, { kind }: Place) =>
      sql`${a} ${sign} ${sorted(b, kind)}`;
  return {
    missing: "refuses",
    gives: "boolean",
    js: (a: never, b: never, { kind }: Place): boolean => {
      const order = kind.compare(a, b);
      return order < 0 ? holds.below : order > 0 ? holds.above : holds.same;
    },
    compares: { by: "ordered", holds },
    truth: compared(sign),
    falsehood: compared(opposite),
  } as const;
};

const membership = (a: Sql, { items, array, ...rows }: List): Condition => {
  if (items) return membershipOfItems(a, items);
  if (array) return sure(sql`${array} @> ARRAY[${a}]`, sql`NOT (${array} @> ARRAY[${a}])`);
  return existence(narrowed(rows, [sql`${rows.element} = ${a}`]));
};

const membershipOfItems = (a: Sql, items: readonly Single[]): Condition => {
  if (items.length === 0) return sure(sql`FALSE`, sql`TRUE`);
  const values = items.map((item) => item.value);
  const list = join(values, ", ");
  // An item that is missing makes IN itself NULL where it is not true.
  return items.some((item) => item.missing)
    ? sure(sql`(${a} IN (${list})) IS TRUE`, sql`(${a} IN (${list})) IS NOT TRUE`)
    : sure(sql`${a} IN (${list})`, sql`${a} NOT IN (${list})`);
};

/** The list that a query gives as `value`, in the order of `nth`. */
const numbered =
  (query: Sql) =>
  (alias: Sql): List => ({
    element: sql`${alias}."value"`,
    from: sql`LATERAL (${query}) AS ${alias}`,
    where: [],
    order: sql`${alias}."nth"`,
  });

/** The rows of a list where a condition holds. */
const rowsWhere = (condition: Sql, list: List): Sql => {
  const { element, from, where, order } = narrowed(list, [condition]);
  return sql`SELECT ${element} AS "value", row_number() OVER (ORDER BY ${order}) AS "nth" FROM ${from} WHERE ${both(...where)}`;
};

const countSql = (list: List): Sql =>
  list.array ? sql`cardinality(${list.array})::bigint` : select(sql`count(*)`, list);

const existence = (list: List): Condition => {
  const some = sql`EXISTS ${select(sql`1`, list)}`;
  return sure(some, sql`NOT ${some}`);
};

/** Operators and functions; the key is the signature. A function may be written as a method: `day.year()`. */
export const meaning = {
  "boolean && boolean": {
    about: "Both hold.",
    gives: "boolean",
    missing: "met",
    settles: false,
    condition: (p: Condition, q: Condition) => ({
      truth: both(p.truth, q.truth),
      falsehood: either(p.falsehood, q.falsehood),
      sure: p.sure && q.sure,
    }),
  },
  "boolean || boolean": {
    about: "At least one holds.",
    gives: "boolean",
    missing: "met",
    settles: true,
    condition: (p: Condition, q: Condition) => ({
      truth: either(p.truth, q.truth),
      falsehood: both(p.falsehood, q.falsehood),
      sure: p.sure && q.sure,
    }),
  },
  "!boolean": {
    about: "It does not hold.",
    gives: "boolean",
    missing: "met",
    js: (p: boolean) => !p,
    condition: opposite,
  },
  "boolean ? boolean : boolean": {
    about: "The first condition where the question holds, else the second.",
    gives: "boolean",
    missing: "met",
    repeats: 2,
    js: (c: boolean, p: boolean, q: boolean) => (c ? p : q),
    condition: (c: Condition, p: Condition, q: Condition) => ({
      truth: either(both(c.truth, p.truth), both(c.falsehood, q.truth)),
      falsehood: either(both(c.truth, p.falsehood), both(c.falsehood, q.falsehood)),
      sure: c.sure && p.sure && q.sure,
    }),
  },
  "boolean ? any : any": {
    about: "The first value where the question holds, else the second.",
    gives: "any",
    missing: "met",
    passes: true,
    js: (c: boolean, a: Value, b: Value) => (c ? a : b),
    sql: (c: Condition, a: Single, b: Single) => sql`CASE WHEN ${c.truth} THEN ${a.value} ELSE ${b.value} END`,
  },
  "boolean ? [any] : [any]": {
    about: "The first list where the question holds, else the second.",
    gives: "[any]",
    missing: "empties",
    repeats: 2,
    js: (c: boolean, a: readonly Value[], b: readonly Value[]) => (c ? a : b),
    list: (c: Condition, a: List, b: List) =>
      numbered(sql`${rowsWhere(c.truth, a)} UNION ALL ${rowsWhere(c.falsehood, b)}`),
  },

  "any == null": {
    about: "It is missing.",
    gives: "boolean",
    missing: "met",
    js: (a: Value) => a === null,
    compares: { by: "same", holds: is },
    condition: absence,
  },
  "any != null": {
    about: "It is there.",
    gives: "boolean",
    missing: "met",
    js: (a: Value) => a !== null,
    compares: { by: "same", holds: isNot },
    condition: (a: Single) => opposite(absence(a)),
  },
  "same == same": {
    about: "Both are the same, or both are missing.",
    gives: "boolean",
    missing: "met",
    js: isSame,
    compares: { by: "same", holds: is },
    condition: sameness,
  },
  "same != same": {
    about: "They differ, or one is missing and the other is not.",
    gives: "boolean",
    missing: "met",
    js: (a: Value, b: Value, place: Place) => !isSame(a, b, place),
    compares: { by: "same", holds: isNot },
    condition: (a: Single, b: Single) => opposite(sameness(a, b)),
  },
  "ordered < ordered": {
    about: "Comes before. Text is compared by code point; a month counts 30 days and a day 24 hours.",
    ...ordering({ below: true, same: false, above: false }, sql`<`, sql`>=`),
  },
  "ordered <= ordered": {
    about: "Comes before, or is the same.",
    ...ordering({ below: true, same: true, above: false }, sql`<=`, sql`>`),
  },
  "ordered > ordered": {
    about: "Comes after.",
    ...ordering({ below: false, same: false, above: true }, sql`>`, sql`<=`),
  },
  "ordered >= ordered": {
    about: "Comes after, or is the same.",
    ...ordering({ below: false, same: true, above: true }, sql`>=`, sql`<`),
  },
  "same in [same]": {
    about: "Is one of a list.",
    gives: "boolean",
    missing: "refuses",
    js: (a: Value, list: readonly Value[], place: Place) => list.some((one) => isSame(a, one, place)),
    compares: { by: "same", holds: "among" },
    truth: (a: Sql, list: List) => membership(a, list).truth,
    falsehood: (a: Sql, list: List) => membership(a, list).falsehood,
  },

  "integer + integer": {
    about: "The sum.",
    gives: "integer",
    fails: "overflow",
    missing: "spreads",
    js: (a: number, b: number) => whole(a + b),
    sql: (a: Sql, b: Sql) => wholeSql(sql`${a}::numeric + ${b}`),
    bounds: (a, b) => (a === undefined || b === undefined ? undefined : [a[0] + b[0], a[1] + b[1]]),
    within: (a: Sql, b: Sql) => sql`(${a} + ${b})`,
  },
  "integer - integer": {
    about: "The difference.",
    gives: "integer",
    fails: "overflow",
    missing: "spreads",
    js: (a: number, b: number) => whole(a - b),
    sql: (a: Sql, b: Sql) => wholeSql(sql`${a}::numeric - ${b}`),
    bounds: (a, b) => (a === undefined || b === undefined ? undefined : [a[0] - b[1], a[1] - b[0]]),
    within: (a: Sql, b: Sql) => sql`(${a} - ${b})`,
  },
  "integer * integer": {
    about: "The product.",
    gives: "integer",
    fails: "overflow",
    missing: "spreads",
    js: (a: number, b: number) => whole(a * b),
    sql: (a: Sql, b: Sql) => wholeSql(sql`${a}::numeric * ${b}`),
  },
  "-integer": {
    about: "Below zero instead of above, and the other way round.",
    gives: "integer",
    missing: "spreads",
    js: (a: number) => whole(-a),
    sql: (a: Sql) => wholeSql(sql`-${a}::numeric`),
  },
  "decimal + decimal": {
    about: "The sum, exactly.",
    gives: "decimal",
    missing: "spreads",
    js: (a: Big, b: Big) => a.plus(b),
    sql: (a: Sql, b: Sql) => sql`(${a} + ${b})`,
  },
  "decimal - decimal": {
    about: "The difference, exactly.",
    gives: "decimal",
    missing: "spreads",
    js: (a: Big, b: Big) => a.minus(b),
    sql: (a: Sql, b: Sql) => sql`(${a} - ${b})`,
  },
  "decimal * decimal": {
    about: "The product, exactly.",
    gives: "decimal",
    missing: "spreads",
    js: (a: Big, b: Big) => a.times(b),
    sql: (a: Sql, b: Sql) => sql`(${a} * ${b})`,
  },
  "decimal / decimal": {
    about: "The quotient, to 10 places. Whole numbers are divided so too.",
    gives: "decimal",
    fails: "division by zero",
    missing: "spreads",
    js: quotient,
    sql: quotientSql,
  },
  "-decimal": {
    about: "Below zero instead of above, and the other way round.",
    gives: "decimal",
    missing: "spreads",
    js: (a: Big) => a.times(-1),
    sql: (a: Sql) => sql`(-${a})`,
  },
  "money + money": {
    about: "The sum of amounts in one currency.",
    gives: "money",
    missing: "spreads",
    js: (a: Big, b: Big) => a.plus(b),
    sql: (a: Sql, b: Sql) => sql`(${a} + ${b})`,
  },
  "money - money": {
    about: "The difference of amounts in one currency.",
    gives: "money",
    missing: "spreads",
    js: (a: Big, b: Big) => a.minus(b),
    sql: (a: Sql, b: Sql) => sql`(${a} - ${b})`,
  },
  "money * decimal": {
    about: "So many times the amount, exactly: `round` says to how many places it is kept.",
    gives: "money",
    missing: "spreads",
    js: (a: Big, b: Big) => a.times(b),
    sql: (a: Sql, b: Sql) => sql`(${a} * ${b})`,
  },
  "decimal * money": {
    about: "So many times the amount, exactly.",
    gives: "money",
    missing: "spreads",
    js: (a: Big, b: Big) => a.times(b),
    sql: (a: Sql, b: Sql) => sql`(${a} * ${b})`,
  },
  "money / decimal": {
    about: "A part of the amount, to 10 places.",
    gives: "money",
    fails: "division by zero",
    missing: "spreads",
    js: quotient,
    sql: quotientSql,
  },
  "money / money": {
    about: "How many times the one amount is the other, to 10 places.",
    gives: "decimal",
    fails: "division by zero",
    missing: "spreads",
    js: quotient,
    sql: quotientSql,
  },
  "-money": {
    about: "Owed instead of had, and the other way round.",
    gives: "money",
    missing: "spreads",
    js: (a: Big) => a.times(-1),
    sql: (a: Sql) => sql`(-${a})`,
  },
  "round(decimal)": {
    about: "The nearest whole number; of two equally near, the even one.",
    gives: "integer",
    fails: "overflow",
    repeats: 4,
    missing: "spreads",
    js: (a: Big) => wholeOf(a.round(0, 2)),
    sql: (a: Sql) => wholeSql(roundSql(a, sql`0`)),
  },
  "round(decimal, integer)": {
    about: "The nearest number of so many places; of two equally near, the one that ends even.",
    gives: "decimal",
    repeats: 4,
    constant: placesProblem,
    missing: "spreads",
    js: (a: Big, places: number) => a.round(places, 2),
    sql: (a: Sql, places: Sql) => roundSql(a, sql`${places}::integer`),
  },
  "round(money, integer)": {
    about: "The nearest amount of so many places; of two equally near, the one that ends even.",
    gives: "money",
    repeats: 4,
    constant: placesProblem,
    missing: "spreads",
    js: (a: Big, places: number) => a.round(places, 2),
    sql: (a: Sql, places: Sql) => roundSql(a, sql`${places}::integer`),
  },
  "floor(decimal)": {
    about: "The greatest whole number that is not above it.",
    gives: "integer",
    fails: "overflow",
    missing: "spreads",
    js: (a: Big) => wholeOf(down(a)),
    sql: (a: Sql) => wholeSql(sql`floor(${a})`),
  },
  "ceil(decimal)": {
    about: "The least whole number that is not below it.",
    gives: "integer",
    fails: "overflow",
    missing: "spreads",
    js: (a: Big) => wholeOf(down(a.times(-1)).times(-1)),
    sql: (a: Sql) => wholeSql(sql`ceil(${a})`),
  },
  "abs(integer)": {
    about: "How far it is from zero.",
    gives: "integer",
    missing: "spreads",
    js: (a: number) => Math.abs(a),
    sql: (a: Sql) => wholeSql(sql`abs(${a}::numeric)`),
  },
  "abs(decimal)": {
    about: "How far it is from zero.",
    gives: "decimal",
    missing: "spreads",
    js: (a: Big) => a.abs(),
    sql: (a: Sql) => sql`abs(${a})`,
  },
  "abs(money)": {
    about: "How far it is from zero.",
    gives: "money",
    missing: "spreads",
    js: (a: Big) => a.abs(),
    sql: (a: Sql) => sql`abs(${a})`,
  },
  "decimal(integer)": {
    about: "The whole number, among decimals. Written out by the checker.",
    gives: "decimal",
    missing: "spreads",
    js: decimalOf,
    sql: (a: Sql) => sql`${a}::numeric`,
  },

  "date + duration": {
    about: "So much later, by the calendar: 31 January and a month is the last of February.",
    gives: "date",
    fails: "overflow",
    missing: "spreads",
    js: (a: string, b: Duration) => addToDate(a, b, 1),
    sql: (a: Sql, b: Sql) => dateSql(sql`(${a} + ${b})::date`),
  },
  "date - duration": {
    about: "So much earlier, by the calendar.",
    gives: "date",
    fails: "overflow",
    missing: "spreads",
    js: (a: string, b: Duration) => addToDate(a, b, -1),
    sql: (a: Sql, b: Sql) => dateSql(sql`(${a} - ${b})::date`),
  },
  "datetime + duration": {
    about: "So much later: days and months by the calendar of the document's zone, hours as they pass.",
    gives: "datetime",
    fails: "overflow",
    missing: "spreads",
    js: (a: string, b: Duration, { zone }: Place) => addToInstant(a, b, 1, zone),
    sql: (a: Sql, b: Sql, { zoneName }: Place) => instantSql(sql`date_add(${a}, ${b}, ${zoneName})`),
  },
  "datetime - duration": {
    about: "So much earlier: days and months by the calendar of the document's zone, hours as they pass.",
    gives: "datetime",
    fails: "overflow",
    missing: "spreads",
    js: (a: string, b: Duration, { zone }: Place) => addToInstant(a, b, -1, zone),
    sql: (a: Sql, b: Sql, { zoneName }: Place) => instantSql(sql`date_subtract(${a}, ${b}, ${zoneName})`),
  },
  "datetime - datetime": {
    about: "The time that passed from the second to the first.",
    gives: "duration",
    fails: "overflow",
    missing: "spreads",
    js: (a: string, b: string) => elapsed(Date.parse(a) - Date.parse(b)),
    sql: elapsedSql,
  },
  "duration / duration": {
    about:
      "How many times the one lasts as long as the other, to 10 places; a month counts 30 days and a day 24 hours.",
    gives: "decimal",
    fails: "division by zero",
    repeats: 6,
    missing: "spreads",
    js: (a: Duration, b: Duration) => quotient(new Big(millisecondsOf(a)), new Big(millisecondsOf(b))),
    sql: (a: Sql, b: Sql) => quotientSql(millisecondsSql(a), millisecondsSql(b)),
  },
  "minutes(integer)": {
    about: "So many minutes, as they pass; below zero, so many before.",
    gives: "duration",
    fails: "overflow",
    missing: "spreads",
    js: (a: number) => lasting({ months: 0, days: 0, milliseconds: a * 60_000 }),
    sql: (a: Sql) => sql`make_interval(mins => ${between(a, sql`-131760001`, sql`131760001`)}::integer)`,
  },
  "hours(integer)": {
    about: "So many hours, as they pass; below zero, so many before.",
    gives: "duration",
    fails: "overflow",
    missing: "spreads",
    js: (a: number) => lasting({ months: 0, days: 0, milliseconds: a * 3_600_000 }),
    sql: (a: Sql) => sql`make_interval(hours => ${between(a, sql`-2196001`, sql`2196001`)}::integer)`,
  },
  "days(integer)": {
    about: "So many days of the calendar.",
    gives: "duration",
    fails: "overflow",
    missing: "spreads",
    js: (a: number) => lasting({ months: 0, days: a, milliseconds: 0 }),
    sql: (a: Sql) => sql`make_interval(days => ${between(a, sql`-91501`, sql`91501`)}::integer)`,
  },
  "months(integer)": {
    about: "So many months of the calendar.",
    gives: "duration",
    fails: "overflow",
    missing: "spreads",
    js: (a: number) => lasting({ months: a, days: 0, milliseconds: 0 }),
    sql: (a: Sql) => sql`make_interval(months => ${between(a, sql`-3001`, sql`3001`)}::integer)`,
  },
  "year(date)": {
    about: "Its year. Of a datetime, as in all that follows, that of its date in the document's zone.",
    gives: "integer",
    missing: "spreads",
    js: (a: string) => partsOf(a).year,
    sql: (a: Sql) => sql`extract(year FROM ${a})::bigint`,
  },
  "month(date)": {
    about: "Its month, from 1 to 12.",
    gives: "integer",
    missing: "spreads",
    js: (a: string) => partsOf(a).month,
    sql: (a: Sql) => sql`extract(month FROM ${a})::bigint`,
  },
  "day(date)": {
    about: "Its day of the month, from 1 to 31.",
    gives: "integer",
    missing: "spreads",
    js: (a: string) => partsOf(a).day,
    sql: (a: Sql) => sql`extract(day FROM ${a})::bigint`,
  },
  "weekday(date)": {
    about: "Its day of the week: Monday is 1, Sunday 7.",
    gives: "integer",
    missing: "spreads",
    js: (a: string) => weekdayOf(dayOf(a)),
    sql: (a: Sql) => sql`extract(isodow FROM ${a})::bigint`,
  },
  "month_of(date)": {
    about: "The first day of its month: what a chart by months groups by.",
    gives: "date",
    missing: "spreads",
    js: (a: string) => `${a.slice(0, 7)}-01`,
    sql: (a: Sql) => sql`date_trunc('month', ${a}::timestamp)::date`,
  },
  "end_of_month(date)": {
    about: "The last day of its month.",
    gives: "date",
    missing: "spreads",
    js: (a: string) => dateOf(endOfMonth(dayOf(a))),
    sql: (a: Sql) => sql`(date_trunc('month', ${a}::timestamp) + '1 month -1 day'::interval)::date`,
  },
  "start_of_week(date)": {
    about: "The Monday of its week.",
    gives: "date",
    missing: "spreads",
    js: (a: string) => dateOf(dayOf(a) - weekdayOf(dayOf(a)) + 1),
    sql: (a: Sql) => sql`date_trunc('week', ${a}::timestamp)::date`,
  },
  "end_of_week(date)": {
    about: "The Sunday of its week.",
    gives: "date",
    fails: "overflow",
    missing: "spreads",
    js: (a: string) => dateOf(dayOf(a) - weekdayOf(dayOf(a)) + 7),
    sql: (a: Sql) => dateSql(sql`date_trunc('week', ${a}::timestamp)::date + 6`),
  },
  "date_of(datetime)": {
    about: "The date that the document's calendar shows then.",
    gives: "date",
    fails: "overflow",
    missing: "spreads",
    js: (a: string, { zone }: Place) => dateAt(a, zone),
    sql: (a: Sql, { zoneName }: Place) => dateSql(sql`(${a} AT TIME ZONE ${zoneName})::date`),
  },
  "datetime(date, time)": {
    about: "The moment at which the clocks of the document's zone show the time on that day.",
    gives: "datetime",
    fails: "overflow",
    missing: "spreads",
    js: (a: string, b: string, { zone }: Place) => momentOf(a, b, zone),
    sql: (a: Sql, b: Sql, { zoneName }: Place) => instantSql(sql`((${a} + ${b}) AT TIME ZONE ${zoneName})`),
  },
  "days_between(date, date)": {
    about: "How many days the second is after the first: one less than the days they and those between them make.",
    gives: "integer",
    missing: "spreads",
    js: (a: string, b: string) => dayOf(b) - dayOf(a),
    sql: (a: Sql, b: Sql) => sql`(${b} - ${a})::bigint`,
    // From the first day that a calculation gives to the last, and back.
    bounds: () => [-3_652_500, 3_652_500],
  },
  "days(date, date)": {
    about: `The days from the first to the second, both of them. None where the second comes before the first, or more than ${MOST_DAYS.toLocaleString("en")} days after it.`,
    gives: "[date]",
    missing: "empties",
    js: (a: string, b: string) => {
      const [first, last] = [dayOf(a), dayOf(b)];
      if (last - first > MOST_DAYS) return [];
      return Array.from({ length: Math.max(last - first + 1, 0) }, (_, i) => dateOf(first + i)).filter(
        (day) => day !== null,
      );
    },
    list: (a: Sql, b: Sql) =>
      numbered(
        sql`SELECT "~"."first" + "n" AS "value", "n" AS "nth" FROM (SELECT ${a} AS "first", ${b} AS "last") AS "~", generate_series(0, CASE WHEN "~"."last" - "~"."first" <= ${constant(MOST_DAYS)} THEN "~"."last" - "~"."first" END) AS "n"`,
      ),
  },

  "size(text)": {
    about: "How many characters it has, as people count them (code points). None when it is missing.",
    gives: "integer",
    missing: "met",
    js: (a: string | null) => (a === null ? 0 : lengthOf(a)),
    sql: (a: Single) => sql`coalesce(length(${a.value}), 0)::bigint`,
  },
  "text + text": {
    about: "The one text, then the other.",
    gives: "text",
    missing: "spreads",
    js: (a: string, b: string) => a + b,
    sql: (a: Sql, b: Sql) => sql`(${a} || ${b})`,
  },
  "contains(text, text)": {
    about: "The second text stands somewhere in the first, in the same letters.",
    gives: "boolean",
    missing: "refuses",
    js: (a: string, b: string) => a.includes(b),
    truth: (a: Sql, b: Sql) => sql`strpos(${a}, ${b}) > 0`,
    falsehood: (a: Sql, b: Sql) => sql`strpos(${a}, ${b}) = 0`,
  },
  "startsWith(text, text)": {
    about: "The first text begins with the second.",
    gives: "boolean",
    missing: "refuses",
    js: (a: string, b: string) => a.startsWith(b),
    truth: (a: Sql, b: Sql) => sql`starts_with(${a}, ${b})`,
    falsehood: (a: Sql, b: Sql) => sql`NOT starts_with(${a}, ${b})`,
  },
  "endsWith(text, text)": {
    about: "The first text ends with the second.",
    gives: "boolean",
    missing: "refuses",
    js: (a: string, b: string) => a.endsWith(b),
    truth: (a: Sql, b: Sql) => sql`starts_with(reverse(${a}), reverse(${b}))`,
    falsehood: (a: Sql, b: Sql) => sql`NOT starts_with(reverse(${a}), reverse(${b}))`,
  },
  "matches(text, text)": {
    about: "The pattern matches somewhere in the text; `^` and `$` hold it to the ends. `pattern.ts` has the dialect.",
    gives: "boolean",
    constant: (pattern) => patternProblem(String(pattern)),
    missing: "refuses",
    js: (a: string, pattern: string) => matcher(pattern)(a),
    truth: (a: Sql, _: Sql, { last }: Place) => sql`${a} ~ ${patternSql(last)}`,
    falsehood: (a: Sql, _: Sql, { last }: Place) => sql`${a} !~ ${patternSql(last)}`,
  },

  "size([any])": {
    about: "How many elements it has.",
    gives: "integer",
    missing: "spreads",
    js: (list: readonly Value[]) => list.length,
    sql: countSql,
  },
  "count([any])": {
    about: "How many there are.",
    gives: "integer",
    missing: "spreads",
    js: (list: readonly Value[]) => list.length,
    sql: countSql,
  },
  "exists([any])": {
    about: "There is at least one.",
    gives: "boolean",
    missing: "met",
    js: (list: readonly Value[]) => list.length > 0,
    condition: existence,
  },
  "one([any])": {
    about: "The only one there is. Where there are none or several it is missing; see L10.12.",
    gives: "any",
    fails: "of none",
    missing: "spreads",
    js: (list: readonly Value[]) => (list.length === 1 ? (list[0] ?? null) : null),
    sql: (list: List) => select(sql`CASE WHEN count(*) = 1 THEN (array_agg(${list.element}))[1] END`, list),
  },
  "sum([integer])": {
    about: "All together; of none, 0.",
    gives: "integer",
    fails: "overflow",
    missing: "spreads",
    js: sumOf,
    sql: (list: List) => wholeSql(sumSql(list)),
  },
  "sum([decimal])": {
    about: "All together; of none, 0.",
    gives: "decimal",
    missing: "spreads",
    js: total,
    sql: sumSql,
  },
  "sum([money])": {
    about: "All together; of none, 0.",
    gives: "money",
    missing: "spreads",
    js: total,
    sql: sumSql,
  },
  "avg([integer])": {
    about: "The sum divided by how many there are, to 10 places.",
    gives: "decimal",
    fails: "of none",
    missing: "spreads",
    js: (list: readonly number[]) => average(list.map((value) => new Big(value))),
    sql: averageSql,
  },
  "avg([decimal])": {
    about: "The sum divided by how many there are, to 10 places.",
    gives: "decimal",
    fails: "of none",
    missing: "spreads",
    js: average,
    sql: averageSql,
  },
  "avg([money])": {
    about: "The sum divided by how many there are, to 10 places.",
    gives: "money",
    fails: "of none",
    missing: "spreads",
    js: average,
    sql: averageSql,
  },
  "min([ranked])": {
    about: "The one that comes before all others.",
    gives: "ranked",
    fails: "of none",
    missing: "spreads",
    js: (list: readonly Value[], place: Place) => utmost(list, place, -1),
    sql: (list: List, { kind }: Place) => utmostSql(sql`min`, list, kind),
  },
  "max([ranked])": {
    about: "The one that comes after all others.",
    gives: "ranked",
    fails: "of none",
    missing: "spreads",
    js: (list: readonly Value[], place: Place) => utmost(list, place, 1),
    sql: (list: List, { kind }: Place) => utmostSql(sql`max`, list, kind),
  },
} as const satisfies Record<string, Row>;

export type Operation = keyof typeof meaning;

/** The row of an operation, whatever it is. */
export const rowOf = (operation: Operation): Row => meaning[operation];

/** What goes through a list: the body is evaluated for each of its elements. */
export type EachRow = {
  readonly about: string;
  readonly gives: "boolean" | "the list" | "a list of the body";
  readonly takes: "boolean" | "any";
  readonly js: (list: readonly Value[], body: (element: Value) => Value) => Value;
  readonly list?: (list: List, body: never, alias: Sql) => List;
  readonly condition?: (list: List, body: Condition) => Condition;
};

export const each = {
  filter: {
    about: "The elements for which the condition holds.",
    takes: "boolean",
    gives: "the list",
    js: (list, body) => list.filter(body),
    list: (list: List, body: Condition) => narrowed(list, [body.truth]),
  },
  map: {
    about: "What the expression is of each element, without the missing.",
    takes: "any",
    gives: "a list of the body",
    js: (list, body) => list.map(body).filter((value) => value !== null),
    // As a column of its own: an aggregate of what only the statement around knows would belong to that statement.
    list: ({ from, where, order }: List, { value, missing }: Single, alias: Sql) => {
      const element = sql`${alias}."value"`;
      const mapped = sql`${from} CROSS JOIN LATERAL (SELECT ${value} AS "value") AS ${alias}`;
      return { element, from: mapped, where: missing ? [...where, sql`${element} IS NOT NULL`] : where, order };
    },
  },
  all: {
    about: "The condition holds for every element; of none, it does.",
    takes: "boolean",
    gives: "boolean",
    js: (list, body) => list.every(body),
    condition: (list: List, body: Condition) => opposite(existence(narrowed(list, [body.falsehood]))),
  },
} as const satisfies Record<string, EachRow>;

export type Each = keyof typeof each;

export const eachOf = (operation: Each): EachRow => each[operation];
