import Big from "big.js";
import { dateOf, dayOf, isDate } from "../rule/calendar.ts";
import { type Duration, lengthOf } from "../rule/duration.ts";
import type { Type } from "../rule/type.ts";
import type { Value } from "../rule/value.ts";
import { type Entities, type Range, rangeOf } from "./ranges.ts";
import type { Group, Term } from "./terms.ts";

/**
 * Values enough for the terms of a group: whatever real values do in comparisons with one another and with the
 * constants, some of these do. Undefined for a type whose values cannot be chosen so.
 */
export const valuesFor = (group: Group, entities: Entities): ReadonlyMap<Term, readonly Value[]> | undefined => {
  const [first] = group.terms;
  if (first === undefined) return new Map();
  const kind = first.expr.type.kind;
  const isMixed = group.terms.some(
    ({ expr }) => expr.type.kind !== kind && !(isNumber(expr.type.kind) && isNumber(kind)),
  );
  if (isMixed) return undefined;
  const values = axisOf(kind) === undefined ? named(group, kind) : alongAxis(group, (expr) => rangeOf(expr, entities));
  if (values === undefined) return undefined;
  return new Map([...values].map(([term, given]) => [term, term.missing ? [null, ...given] : given]));
};

// --- Values that are the same or not

const named = (group: Group, kind: Type["kind"]): ReadonlyMap<Term, readonly Value[]> | undefined => {
  const { terms, constants, ordered } = group;
  const all = (of: (term: Term) => readonly Value[]) => new Map(terms.map((term) => [term, of(term)]));
  switch (kind) {
    case "boolean":
      return all(() => [false, true]);
    case "choice":
      return all(({ expr }) => (expr.type.kind === "choice" ? expr.type.values : []));
    case "text": {
      if (ordered && constants.length > 0) return undefined;
      const given = new Set(constants);
      const candidates = Array.from({ length: terms.length + given.size }, (_, i) => `text ${i + 1}`);
      const values = [...given, ...candidates.filter((one) => !given.has(one)).slice(0, terms.length)];
      return all(() => values);
    }
    case "record": {
      const pinned = terms.filter(isPinned);
      const fresh = terms.filter((term) => !isPinned(term)).map((_, i) => ({ id: `${i + 1}` }));
      const values = [...pinned.map(pinnedTo), ...constants.map((id) => ({ id })), ...fresh];
      return all((term) => (isPinned(term) ? [pinnedTo(term)] : values));
    }
    case "file":
    case "json":
      return all(() => [{ id: "1" }]);
    default:
      return undefined;
  }
};

/** A record that the document keeps, `Kind.travel`, is itself and no other. */
const isPinned = ({ expr }: Term): boolean => expr.kind === "name" && /^[A-Z]/u.test(expr.name);
const pinnedTo = ({ name }: Term): Value => ({ id: name });

// --- Values in order

/** Where values lie on a line. */
interface Axis {
  readonly placeOf: (value: Value) => Big;
  readonly valueAt: (place: Big) => Value;
  /** Whether there are values at whole places alone. */
  readonly whole: boolean;
  /** Where nothing says where to begin. */
  readonly begin: number;
}

const number = (place: Big): number => place.toNumber();
const exact: Axis = {
  placeOf: (value) => value as Big,
  valueAt: (place) => place,
  whole: false,
  begin: 1,
};

const axes: { readonly [K in Type["kind"]]?: Axis } = {
  integer: {
    placeOf: (value) => new Big(value instanceof Big ? value : (value as number)),
    valueAt: number,
    whole: true,
    begin: 1,
  },
  decimal: exact,
  money: exact,
  date: {
    placeOf: (value) => new Big(dayOf(value as string)),
    valueAt: (place) => dateOf(number(place)),
    whole: true,
    begin: dayOf("2026-03-02"),
  },
  datetime: {
    placeOf: (value) => new Big(Date.parse(value as string)),
    valueAt: (place) => new Date(number(place)).toISOString(),
    whole: true,
    begin: Date.parse("2026-03-02T12:00:00.000Z"),
  },
  duration: {
    placeOf: (value) => new Big(lengthOf(value as Duration)),
    valueAt: (place) => ({ months: 0, days: 0, milliseconds: number(place) }),
    whole: true,
    begin: 86_400_000,
  },
};

const isNumber = (kind: Type["kind"]): boolean => kind === "integer" || kind === "decimal" || kind === "money";

const axisOf = (kind: Type["kind"]): Axis | undefined => axes[kind];

/**
 * The constants, and between any two of them, before the first and after the last as many places as there are terms:
 * so the terms can stand in every order that there is.
 */
const alongAxis = (
  { terms, constants }: Group,
  range: (expr: Term["expr"]) => Range,
): ReadonlyMap<Term, readonly Value[]> | undefined => {
  const lines = terms.flatMap((term) => {
    const axis = axisOf(term.expr.type.kind);
    return axis === undefined ? [] : [{ term, axis, ...boundsOf(term.expr.type.kind, range(term.expr)) }];
  });
  const [line] = lines;
  if (line === undefined || lines.length < terms.length) return undefined;
  const { begin } = line.axis;
  const said = [
    ...constants.map((value) => placeOfConstant(value, line.axis)),
    ...lines.flatMap(({ min, max }) => [min, max].filter((place) => place !== undefined)),
  ];
  const critical = sorted(said);
  const whole = lines.some(({ axis }) => axis.whole);
  const dense = lines.some(({ axis }) => !axis.whole);
  const count = terms.length;
  const wholes = whole ? gaps(critical).flatMap(([low, high]) => wholesBetween(low, high, count, begin)) : [];
  const known = sorted([...critical, ...wholes]);
  const all = dense
    ? sorted([...known, ...gaps(known).flatMap(([low, high]) => between(low, high, count, begin))])
    : known;
  return new Map(
    lines.map(({ term, axis, min, max }) => [
      term,
      all.flatMap((place) => {
        if (axis.whole && !place.eq(place.round(0, 0))) return [];
        if ((min !== undefined && place.lt(min)) || (max !== undefined && place.gt(max))) return [];
        const value = axis.valueAt(place);
        return value === null ? [] : [value];
      }),
    ]),
  );
};

/** A whole number that is compared with decimals is a number; a decimal constant among whole numbers too. */
const placeOfConstant = (value: Value, axis: Axis): Big =>
  typeof value === "number" ? new Big(value) : value instanceof Big ? value : axis.placeOf(value);

/** The bounds of a number or a date, which alone have bounds. */
const boundsOf = (kind: Type["kind"], { min, max }: Range) => {
  const placed = (written: string | null): Big | undefined => {
    if (written === null) return undefined;
    if (kind === "date") return isDate(written) ? new Big(dayOf(written)) : undefined;
    return kind !== "datetime" && /^-?\d+(\.\d+)?$/u.test(written) ? new Big(written) : undefined;
  };
  return { min: placed(min), max: placed(max) };
};

const sorted = (places: readonly Big[]): readonly Big[] =>
  [...places].sort((a, b) => a.cmp(b)).filter((place, i, all) => i === 0 || !place.eq(all[i - 1] ?? 0));

type Gap = readonly [low: Big | undefined, high: Big | undefined];

const gaps = (places: readonly Big[]): readonly Gap[] => [undefined, ...places].map((low, i): Gap => [low, places[i]]);

const wholesBetween = (low: Big | undefined, high: Big | undefined, count: number, begin: number): readonly Big[] => {
  const first = low?.round(0, 0) ?? high?.round(0, 0).minus(count + 1) ?? new Big(begin);
  return Array.from({ length: count + 2 }, (_, i) => first.plus(i))
    .filter((place) => (low === undefined || place.gt(low)) && (high === undefined || place.lt(high)))
    .slice(0, count);
};

const between = (low: Big | undefined, high: Big | undefined, count: number, begin: number): readonly Big[] =>
  Array.from({ length: count }, (_, i) => {
    if (low !== undefined && high !== undefined)
      return low.plus(
        high
          .minus(low)
          .times(i + 1)
          .div(count + 1),
      );
    if (low !== undefined) return low.plus(i + 1);
    return high === undefined ? new Big(begin + i) : high.minus(i + 1);
  });
