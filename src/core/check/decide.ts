import type { Expr } from "../rule/expr.ts";
import { kinds } from "../rule/kinds.ts";
import { toJs } from "../rule/to-js.ts";
import type { JsRecord, Value } from "../rule/value.ts";
import { valuesFor } from "./domain.ts";
import { plainTruth } from "./plain.ts";
import { type Entities, mayBeMissing } from "./ranges.ts";
import { structureOf } from "./structure.ts";
import { type Taken, type Term, takeApart, type Worlds } from "./terms.ts";

/**
 * Truth is decided over finite parts: states, choices, booleans, numbers and days around the constants that they are
 * compared with, missing or not, and the order in which compared terms stand. Each combination is a world, in which the
 * condition is evaluated by the same code as when the application runs. Beyond this many, nothing is said.
 */
const MOST_WORLDS = 4_096;

/** Values under which a condition holds, for people: `status` is `draft`. */
export type Example = readonly { readonly path: Expr; readonly value: Value }[];

/** When a condition holds. `always` and `never` are certain; `sometimes` is said too where there is too much to try. */
export type Truth = "always" | "never" | "sometimes";

export const truthOf = (condition: Expr, entities: Entities): Truth => {
  const plain = plainTruth(condition, entities);
  if (plain !== undefined) return plain === "both" ? "sometimes" : plain ? "always" : "never";
  const worlds = worldsOf(condition, "every", entities);
  if (worlds === undefined) return "sometimes";
  let holds = false;
  let fails = false;
  for (let at = 0; at < worlds.count && !(holds && fails); at++) {
    const here = worlds.holdsIn(at);
    holds ||= here === true;
    fails ||= here === false;
  }
  if (!holds) return "never";
  return fails ? "sometimes" : "always";
};

/** Values under which a condition surely holds, whatever the calculations in it give; undefined where none was found. */
export const exampleOf = (condition: Expr, entities: Entities): Example | undefined => {
  const worlds = worldsOf(condition, "some", entities);
  if (worlds === undefined) return undefined;
  for (let first = 0; first < worlds.count; first += worlds.calculated) {
    let possible = false;
    let fails = false;
    for (let at = first; at < first + worlds.calculated && !fails; at++) {
      const holds = worlds.holdsIn(at);
      possible ||= holds === true;
      fails = holds === false;
    }
    if (possible && !fails) return worlds.exampleAt(first);
  }
  return undefined;
};

interface WorldsOf {
  readonly count: number;
  /** How many worlds that follow one another differ in calculations alone. */
  readonly calculated: number;
  /** Whether the condition holds in a world; undefined for one that cannot be. */
  readonly holdsIn: (at: number) => boolean | undefined;
  readonly exampleAt: (at: number) => Example;
}

const worldsOf = (condition: Expr, kind: Worlds, entities: Entities): WorldsOf | undefined => {
  const taken = takeApart(condition, kind);
  const domains: { readonly term: Term; readonly values: readonly Value[] }[] = [];
  for (const group of taken.groups) {
    const values = valuesFor(group, entities);
    if (values === undefined) return undefined;
    for (const [term, given] of values) domains.push({ term, values: given });
  }
  const among = (counted: readonly (typeof domains)[number][]) =>
    counted.reduce((product, { values }) => product * values.length, 1);
  const count = among(domains);
  if (count > MOST_WORLDS) return undefined;
  // What is calculated changes from one world to the next, what is chosen more slowly.
  domains.sort((a, b) => Number(a.term.chosen) - Number(b.term.chosen));
  const world = (at: number): Readonly<Record<string, Value>> => {
    const values: Record<string, Value> = {};
    let rest = at;
    for (const domain of domains) {
      values[domain.term.name] = domain.values[rest % domain.values.length] ?? null;
      rest = Math.floor(rest / domain.values.length);
    }
    return values;
  };
  const isPossible = possibility(taken);
  const evaluate = toJs(taken.expr);
  return {
    count,
    calculated: among(domains.filter(({ term }) => !term.chosen)),
    holdsIn: (at) => {
      const names = world(at);
      return isPossible(names) ? evaluate({ names, now: "", today: "", rows: () => [] }) === true : undefined;
    },
    exampleAt: (at) => {
      const values = world(at);
      return domains.flatMap(({ term }) =>
        term.chosen ? [{ path: term.expr, value: values[term.name] ?? null }] : [],
      );
    },
  };
};

type Possible = (values: Readonly<Record<string, Value>>) => boolean;

/**
 * Whether values go together: what leads through something missing is missing, and of the same record the same is
 * true whichever way leads to it.
 */
const possibility = ({ terms }: Taken): Possible => {
  const rules = [...terms.values()].flatMap((term) => throughMissing(term, terms));
  const fields = [...terms.values()].filter(({ expr }) => expr.kind === "field" && terms.has(structureOf(expr.of)));
  for (const [i, one] of fields.entries())
    for (const other of fields.slice(i + 1)) if (isSameField(one, other)) rules.push(ofOneRecord(one, other));
  return (values) => rules.every((rule) => rule(values));
};

const throughMissing = ({ name, expr, needs: all, parts }: Term, terms: Taken["terms"]): readonly Possible[] => {
  const needs = [...all].filter((one) => terms.has(one));
  if (needs.length === 0) return [];
  const isThere = (values: Readonly<Record<string, Value>>) => needs.every((one) => values[one] !== null);
  if (expr.type.kind === "boolean") return [(values) => values[name] === false || isThere(values)];
  // Where nothing else can be missing, it is there too.
  const isKnown = parts?.every((part) => terms.has(structureOf(part)) || !mayBeMissing(part)) === true;
  if (isKnown) return [(values) => (values[name] !== null) === isThere(values)];
  return [(values) => values[name] === null || isThere(values)];
};

const isSameField = ({ expr: a }: Term, { expr: b }: Term): boolean =>
  a.kind === "field" && b.kind === "field" && a.entity.name === b.entity.name && a.field.name === b.field.name;

const ofOneRecord = (one: Term, other: Term): Possible => {
  const recordOf = ({ expr }: Term) => (expr.kind === "field" ? structureOf(expr.of) : "");
  const [a, b] = [recordOf(one), recordOf(other)];
  const { compare }: { readonly compare: (x: never, y: never) => number } = kinds[one.expr.type.kind];
  const isSame = (x: Value, y: Value) => (x === null || y === null ? x === y : compare(x as never, y as never) === 0);
  return (values) => {
    const [first, second] = [values[a] as JsRecord | null, values[b] as JsRecord | null];
    if (first === null || second === null || first.id !== second.id) return true;
    return isSame(values[one.name] ?? null, values[other.name] ?? null);
  };
};
