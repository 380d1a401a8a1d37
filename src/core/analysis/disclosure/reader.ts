import type { Grant } from "../../derive/authorization/grants.ts";
import { every, some, splitConjuncts } from "../../expression/boolean-exprs.ts";
import type { Expr } from "../../expression/expr.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import type { Entity } from "../../model/entity.ts";
import type { Decider } from "../../satisfiability/satisfiability.ts";
import { structuralKey } from "../../satisfiability/structural-key.ts";
import { getDisjuncts } from "../../satisfiability/trivial-cases.ts";

/** The read permissions of a person, with cached answers. */
export interface Reader {
  /** The read grants on an entity's records. */
  readonly grantsOf: (entity: Entity) => readonly Grant[];
  /** The read grants that cover all of these fields. */
  readonly grantsShowing: (entity: Entity, ...fields: readonly string[]) => readonly Grant[];
  /** Conditions that hold on every visible record; none if all records are visible, or no record is. */
  readonly visibilityConditions: (entity: Entity) => readonly Expr[];
  /**
   * True if one of the grants certainly applies under these conditions: each of the grant's conditions is among them or
   * follows from those on the same data. A disjunction is examined case by case. False if uncertain.
   */
  readonly isOpenOn: (facts: readonly Expr[], grants: readonly Grant[]) => boolean;
}

export const readerBy = (opening: Reader["grantsOf"], { follows }: Pick<Decider, "follows">): Reader => {
  const grants = new Map<Entity, readonly Grant[]>();
  const grantsOf = (entity: Entity): readonly Grant[] => {
    const before = grants.get(entity);
    if (before !== undefined) return before;
    const known = opening(entity);
    grants.set(entity, known);
    return known;
  };
  const shown = new Map<Entity, Map<string, readonly Grant[]>>();
  const seen = new Map<Entity, readonly Expr[]>();
  const opens = new Map<readonly Grant[], Expr | undefined>();
  const answers = new WeakMap<readonly Expr[], Map<readonly Grant[], boolean>>();

  /** The condition that some grant applies; undefined if none ever does. */
  const openBy = (grants: readonly Grant[]): Expr | undefined => {
    const before = opens.get(grants);
    if (before !== undefined) return before;
    const open = some(grants.flatMap(({ conditions }) => every(conditions) ?? []));
    opens.set(grants, open);
    return open;
  };

  const isOpenTo = (facts: readonly Expr[], grants: readonly Grant[], splits: number): boolean => {
    if (grants.some(({ conditions }) => conditions.length === 0)) return true;
    const { known, knownKeys } = readFacts(facts);
    const isKnown = (condition: Expr): boolean =>
      knownKeys.has(structuralKey(condition)) ||
      (isCalled(condition, "boolean && boolean") && condition.args.every(isKnown)) ||
      (isCalled(condition, "boolean || boolean") && condition.args.some(isKnown));
    const isSure = (condition: Expr): boolean => {
      if (isKnown(condition)) return true;
      const { paths } = collectReadSet(condition);
      const about = known.filter((fact) => [...collectReadSet(fact).paths].every((path) => paths.has(path)));
      // `repair.owner == user` implies that `repair` exists.
      const through = known.filter((fact) => leadsThrough(fact, paths));
      return follows(about, condition) || through.some((fact) => follows([fact], condition));
    };
    const open = openBy(grants);
    if (open !== undefined && isKnown(open)) return true;
    if (grants.some(({ conditions }) => conditions.flatMap(splitConjuncts).every(isSure))) return true;
    if (open === undefined || isSure(open)) return open !== undefined;
    return (
      splits > 0 &&
      known.some((fact) => {
        if (!isCalled(fact, "boolean || boolean")) return false;
        const others = known.filter((expr) => expr !== fact);
        return getDisjuncts(fact).every((part) => isOpenTo([...others, part], grants, splits - 1));
      })
    );
  };

  return {
    grantsOf,
    grantsShowing: (entity, ...fields) => {
      const all = grantsOf(entity);
      const shows = ({ fields: open }: Grant) => open === null || fields.every((field) => open.has(field));
      if (all.every(shows)) return all;
      const byFields = shown.get(entity) ?? new Map<string, readonly Grant[]>();
      shown.set(entity, byFields);
      const key = fields.join(" ");
      const showing = byFields.get(key) ?? all.filter(shows);
      byFields.set(key, showing);
      return showing;
    },
    visibilityConditions: (entity) => {
      const before = seen.get(entity);
      if (before !== undefined) return before;
      const grants = grantsOf(entity);
      const open = grants.some(({ conditions }) => conditions.length === 0) ? undefined : openBy(grants);
      const facts = open === undefined ? [] : [open];
      seen.set(entity, facts);
      return facts;
    },
    isOpenOn: (facts, grants) => {
      const known = answers.get(facts);
      const before = known?.get(grants);
      if (before !== undefined) return before;
      const isOpen = isOpenTo(facts, grants, MOST_SPLITS);
      if (known === undefined) answers.set(facts, new Map([[grants, isOpen]]));
      else known.set(grants, isOpen);
      return isOpen;
    },
  };
};

interface Facts {
  /** Without conjunctions. */
  readonly known: readonly Expr[];
  readonly knownKeys: ReadonlySet<string>;
}

/** Many grants are compared with the same facts. */
const factsRead = new WeakMap<readonly Expr[], Facts>();

const readFacts = (facts: readonly Expr[]): Facts => {
  const before = factsRead.get(facts);
  if (before !== undefined) return before;
  const known = facts.flatMap(splitConjuncts);
  const read = { known, knownKeys: new Set(known.map(structuralKey)) };
  factsRead.set(facts, read);
  return read;
};

/** Maximum number of case distinctions; each can double the work. */
const MOST_SPLITS = 3;

const isCalled = (expr: Expr, row: string): expr is Expr & { kind: "call" } => expr.kind === "call" && expr.row === row;

/** True if the expression reads a field of each record that these paths lead to: `repair.owner` for `repair`. */
const leadsThrough = (expr: Expr, paths: ReadonlySet<string>): boolean => {
  const read = [...collectReadSet(expr).paths];
  return paths.size > 0 && [...paths].every((path) => read.some((item) => item.startsWith(`${path}.`)));
};
