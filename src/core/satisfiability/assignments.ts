import { toJs } from "../expression/compile/to-js.ts";
import type { Expr } from "../expression/expr.ts";
import { type JsRecord, noRecord, type Value } from "../expression/values/value.ts";
import { valueKinds } from "../expression/values/value-kinds.ts";
import { valuesFor } from "./domain.ts";
import { structuralKey } from "./structural-key.ts";
import { type ConditionTerms, splitIntoTerms, type Term, type Worlds } from "./terms.ts";
import { type Entities, mayBeMissing } from "./value-ranges.ts";

/**
 * Satisfiability is decided by enumeration over finite domains: states, choices, booleans, numbers and dates around the
 * constants they are compared with, missing values, and the order of compared terms. Each combination is an assignment,
 * in which the condition is evaluated by the same code as at run time. With more assignments than this, the answer is
 * "unknown".
 */
const MOST_WORLDS = 4_096;

/** Values for which a condition holds: `status` is `draft`. */
export type Example = readonly { readonly path: Expr; readonly value: Value }[];

/** The assignments of a condition, ordered so that calculated terms change fastest. */
export interface WorldsOf {
  readonly count: number;
  /** Number of consecutive assignments that differ only in calculated terms. */
  readonly calculated: number;
  /** True if the condition holds in an assignment; undefined if the assignment is impossible. */
  readonly holdsIn: (at: number) => boolean | undefined;
  /** A minimal example: values without which the condition would still hold are left out. */
  readonly exampleAt: (at: number) => Example;
}

/** Undefined if there are too many assignments, or values of a type that cannot be enumerated. */
export const enumerateAssignments = (condition: Expr, kind: Worlds, entities: Entities): WorldsOf | undefined => {
  const taken = splitIntoTerms(condition, kind);
  const domains: { readonly term: Term; readonly values: readonly Value[] }[] = [];
  for (const group of taken.groups) {
    const values = valuesFor(group, entities);
    if (values === undefined) return undefined;
    for (const [term, termValues] of values) domains.push({ term, values: termValues });
  }
  const among = (counted: readonly (typeof domains)[number][]) =>
    counted.reduce((product, { values }) => product * values.length, 1);
  const count = among(domains);
  if (count > MOST_WORLDS) return undefined;
  // Calculated terms change fastest, chosen ones more slowly.
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
  const holdsIn = (at: number): boolean | undefined => {
    const names = world(at);
    return isPossible(names) ? evaluate(noRecord, { names, now: "", today: "", rows: () => [] }) === true : undefined;
  };
  const exampleAt = (at: number): Example => {
    const values = world(at);
    const chosen = domains.flatMap(({ term }) => (term.chosen ? [term] : []));
    const relevant = new Set(chosen);
    const isEnough = () => {
      for (let other = 0; other < count; other++) {
        const otherWorld = world(other);
        if ([...relevant].every(({ name }) => otherWorld[name] === values[name]) && holdsIn(other) === false)
          return false;
      }
      return true;
    };
    // Other people are described by whether they are the current user, so the user is removed last.
    for (const term of chosen.toSorted((a, b) => Number(a.expr.kind === "user") - Number(b.expr.kind === "user"))) {
      relevant.delete(term);
      if (!isEnough()) relevant.add(term);
    }
    // The samples of an ordered type have a smallest one, although its values do not. So a comparison of terms is
    // described by all of its terms together.
    for (const { ordered, terms } of taken.groups)
      if (ordered && terms.some((term) => relevant.has(term)))
        for (const term of terms) if (term.chosen) relevant.add(term);
    return chosen.flatMap((term) =>
      relevant.has(term) ? [{ path: term.expr, value: values[term.name] ?? null }] : [],
    );
  };
  return { count, calculated: among(domains.filter(({ term }) => !term.chosen)), holdsIn, exampleAt };
};

type Possible = (values: Readonly<Record<string, Value>>) => boolean;

/**
 * Consistency of an assignment: a path through a missing value is missing, and equal references lead to equal values.
 */
const possibility = ({ terms }: ConditionTerms): Possible => {
  const rules = [...terms.values()].flatMap((term) => throughMissing(term, terms));
  const fields = [...terms.values()].filter(({ expr }) => expr.kind === "field" && terms.has(structuralKey(expr.of)));
  for (const [i, value] of fields.entries())
    for (const other of fields.slice(i + 1)) if (isSameField(value, other)) rules.push(ofOneRecord(value, other));
  return (values) => rules.every((rule) => rule(values));
};

const throughMissing = (
  { name, expr, needs: all, parts }: Term,
  terms: ConditionTerms["terms"],
): readonly Possible[] => {
  const needs = [...all].filter((item) => terms.has(item));
  if (needs.length === 0) return [];
  const arePresent = (values: Readonly<Record<string, Value>>) => needs.every((item) => values[item] !== null);
  if (expr.type.kind === "boolean") return [(values) => values[name] === false || arePresent(values)];
  // A term is present if everything it depends on is present.
  const isKnown = parts?.every((part) => terms.has(structuralKey(part)) || !mayBeMissing(part)) === true;
  if (isKnown) return [(values) => (values[name] !== null) === arePresent(values)];
  return [(values) => values[name] === null || arePresent(values)];
};

const isSameField = ({ expr: a }: Term, { expr: b }: Term): boolean =>
  a.kind === "field" && b.kind === "field" && a.entity.name === b.entity.name && a.field.name === b.field.name;

const ofOneRecord = (one: Term, other: Term): Possible => {
  const recordOf = ({ expr }: Term) => (expr.kind === "field" ? structuralKey(expr.of) : "");
  const [a, b] = [recordOf(one), recordOf(other)];
  const { compare }: { readonly compare: (x: never, y: never) => number } = valueKinds[one.expr.type.kind];
  const isSame = (x: Value, y: Value) => (x === null || y === null ? x === y : compare(x as never, y as never) === 0);
  return (values) => {
    const [first, second] = [values[a] as JsRecord | null, values[b] as JsRecord | null];
    if (first === null || second === null || first.id !== second.id) return true;
    return isSame(values[one.name] ?? null, values[other.name] ?? null);
  };
};
