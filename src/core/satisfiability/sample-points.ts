import Big from "big.js";
import { fromDayNumber, isDate, toDayNumber } from "../expression/values/calendar.ts";
import { type Duration, durationLength } from "../expression/values/duration.ts";
import { readDuration } from "../expression/values/iso-duration.ts";
import type { Type } from "../expression/values/type.ts";
import type { Value } from "../expression/values/value.ts";
import type { Group, Term } from "./terms.ts";
import { type Entities, type Range, valueRange } from "./value-ranges.ts";

/**
 * Ordered values as points on a number line: numbers as they are; dates, instants and durations relative to an origin.
 */
interface Axis {
  readonly placeOf: (value: Value) => number;
  readonly valueAt: (place: number) => Value;
  /** True if values are integers. */
  readonly isInteger: boolean;
  /** The start if there is no constant. */
  readonly begin: number;
}

const amount: Axis = {
  placeOf: (value) => (value instanceof Big ? value.toNumber() : Number(value)),
  valueAt: (place) => new Big(place),
  isInteger: false,
  begin: 1,
};

const axes: { readonly [K in Type["kind"]]?: Axis } = {
  integer: { ...amount, valueAt: (place) => place, isInteger: true },
  decimal: amount,
  money: amount,
  date: {
    placeOf: (value) => toDayNumber(value as string),
    valueAt: fromDayNumber,
    isInteger: true,
    begin: toDayNumber("2026-03-02"),
  },
  datetime: {
    placeOf: (value) => Date.parse(value as string),
    valueAt: (place) => new Date(place).toISOString(),
    isInteger: true,
    begin: Date.parse("2026-03-02T12:00:00.000Z"),
  },
  duration: {
    placeOf: (value) => durationLength(value as Duration),
    valueAt: (milliseconds) => ({ months: 0, days: 0, milliseconds }),
    isInteger: true,
    begin: 86_400_000,
  },
};

export const hasAxis = (kind: Type["kind"]): boolean => axes[kind] !== undefined;

/**
 * The constants, and as many points as there are terms before, between and after them, so that the terms can appear in
 * every order. Undefined if a number has too many digits for a double.
 */
export const placesFor = (
  { terms, constants }: Group,
  entities: Entities,
): ReadonlyMap<Term, readonly Value[]> | undefined => {
  const lines = terms.flatMap((term) => {
    const { kind } = term.expr.type;
    const axis = axes[kind];
    return axis === undefined ? [] : [{ term, axis, ...findBounds(kind, valueRange(term.expr, entities)) }];
  });
  const [first] = lines;
  if (first === undefined || lines.length < terms.length || !constants.every(isPlain)) return undefined;
  const { placeOf, begin } = first.axis;
  // Integers and decimals are compared with each other, other kinds only among themselves.
  if (lines.some(({ axis }) => axis.begin !== begin)) return undefined;
  const count = terms.length;
  const critical = inOrder([
    ...constants.map(placeOf),
    ...lines.flatMap(({ min, max }) => [min, max].filter((place) => place !== undefined)),
  ]);
  const rounded = lines.some(({ axis }) => axis.isInteger)
    ? inOrder([...critical, ...getGaps(critical).flatMap((gap) => wholesIn(gap, count, begin))])
    : critical;
  const all = lines.every(({ axis }) => axis.isInteger)
    ? rounded
    : inOrder([...rounded, ...getGaps(rounded).flatMap((gap) => between(gap, count, begin))]);
  return new Map(
    lines.map(({ term, axis, min = -Infinity, max = Infinity }) => [
      term,
      all.flatMap((place) => {
        if (place < min || place > max || (axis.isInteger && !Number.isInteger(place))) return [];
        const value = axis.valueAt(place);
        return value === null ? [] : [value];
      }),
    ]),
  );
};

/** True if a double represents the number exactly. */
const isPlain = (value: Value): boolean => !(value instanceof Big) || new Big(value.toNumber()).eq(value);

/** The bounds of a number or date; other kinds have none. */
const findBounds = (kind: Type["kind"], { min, max }: Range) => {
  const placed = (written: string | null): number | undefined => {
    if (written === null) return undefined;
    if (kind === "date") return isDate(written) ? toDayNumber(written) : undefined;
    if (kind === "datetime") return Date.parse(written);
    if (kind === "duration") return durationLength(readDuration(written) ?? { months: 0, days: 0, milliseconds: 0 });
    return /^-?\d+(\.\d+)?$/u.test(written) ? Number(written) : undefined;
  };
  return { min: placed(min), max: placed(max) };
};

const inOrder = (places: readonly number[]): readonly number[] => [...new Set(places)].sort((a, b) => a - b);

type Gap = readonly [low: number | undefined, high: number | undefined];

/** The gaps before, between and after the points. */
const getGaps = (places: readonly number[]): readonly Gap[] =>
  [undefined, ...places].map((low, i): Gap => [low, places[i]]);

const wholesIn = ([low, high = Infinity]: Gap, count: number, begin: number): readonly number[] => {
  const first = low !== undefined ? Math.floor(low) + 1 : high < Infinity ? Math.ceil(high) - count : begin;
  return Array.from({ length: count }, (_, i) => first + i).filter((place) => place < high);
};

const between = ([low, high]: Gap, count: number, begin: number): readonly number[] =>
  Array.from({ length: count }, (_, i) => {
    if (low !== undefined && high !== undefined) return low + ((high - low) * (i + 1)) / (count + 1);
    if (low !== undefined) return low + i + 1;
    return high === undefined ? begin + i : high - i - 1;
  });
