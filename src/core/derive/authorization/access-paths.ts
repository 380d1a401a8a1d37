import { every, splitConjuncts } from "../../expression/boolean-exprs.ts";
import { type Expr, subexpressions } from "../../expression/expr.ts";
import type { EntityShape, FieldShape } from "../../expression/values/type.ts";
import { type Grant, isUnconditional } from "./grants.ts";

/**
 * Finds records starting from the caller: the records from which a path of references leads to the value of an
 * expression on the caller. `employee.manager == user` has the keys `{ path: [User.manager], to: user }`; for an empty
 * path, the key is `to` itself. The last field of a path can hold several references: `user in helpers` has `{ path:
 * [Request.helpers], to: user }`. The expression can have several values too, each a key: `team in user.teams`, or
 * the people whom a deputy represents.
 */
export interface KeyLookup {
  readonly path: readonly { readonly entity: EntityShape; readonly field: FieldShape }[];
  readonly to: Expr;
}

/**
 * An access path to the records that some grants cover: those whose reference `by` is one of the keys and that meet the
 * conditions. With `by` null, no key narrows the records, and all are scanned.
 */
export interface AccessPath {
  /** `id` for the record itself. */
  readonly by: string | null;
  /** The union of their results is used; empty if `by` is null. */
  readonly keys: readonly KeyLookup[];
  readonly conditions: readonly Expr[];
  readonly grants: readonly Grant[];
}

/** Maximum number of alternatives of one grant; beyond it, all records are scanned. */
const MAX_ALTERNATIVES = 8;

/**
 * The access paths of grants. Their union is exactly the set of records that the grants cover. Conditions that lead
 * from the caller to records become index keys, so the cost of a list does not depend on the number of other records. A
 * single condition with OR across several tables never occurs.
 */
export const accessPathsFor = (grants: readonly Grant[]): readonly AccessPath[] => {
  if (isUnconditional(grants))
    return [{ by: null, keys: [], conditions: [], grants: grants.filter((grant) => isUnconditional([grant])) }];
  const paths: AccessPath[] = [];
  for (const grant of grants)
    for (const { key, rest } of getAlternatives(grant.conditions)) {
      const at = paths.findIndex((path) => path.by === (key?.by ?? null) && areSame(path.conditions, rest));
      const known = paths[at];
      const keys = key === undefined ? [] : [{ path: key.path, to: key.to }];
      if (known === undefined) paths.push({ by: key?.by ?? null, keys, conditions: rest, grants: [grant] });
      else
        paths[at] = {
          ...known,
          keys: [...known.keys, ...keys],
          grants: known.grants.includes(grant) ? known.grants : [...known.grants, grant],
        };
    }
  return paths;
};

/**
 * Gives an access path without keys those of the conditions of a list: `user in granted_by`. The conditions are still
 * checked on each record. A value that can be missing gives no key, because a field that the caller cannot see is missing
 * too, and two missing values are equal.
 */
export const narrowToConditions = (path: AccessPath, conditions: readonly Expr[]): AccessPath => {
  if (path.by !== null) return path;
  const [key] = conditions
    .flatMap((condition) => getOperands(condition, "boolean && boolean"))
    .flatMap((condition) => findUserKey(condition) ?? [])
    .filter(({ to }) => isUserPath(to) && !to.missing)
    .toSorted((a, b) => a.path.length - b.path.length);
  return key === undefined ? path : { ...path, by: key.by, keys: [{ path: key.path, to: key.to }] };
};

export interface Key extends KeyLookup {
  readonly by: string;
}

interface Alternative {
  readonly key: Key | undefined;
  readonly rest: readonly Expr[];
}

const areSame = (a: readonly Expr[], b: readonly Expr[]): boolean =>
  a.length === b.length && a.every((expr) => b.includes(expr));

/** Splits a conjunction into alternatives, each with a key if possible. */
const getAlternatives = (conditions: readonly Expr[]): readonly Alternative[] => {
  const all = conditions.flatMap((condition) => getOperands(condition, "boolean && boolean"));
  const keyed = all
    .flatMap((condition) => {
      const key = findUserKey(condition);
      return key === undefined ? [] : [{ condition, key }];
    })
    // A shorter path produces fewer keys.
    .sort((a, b) => a.key.path.length - b.key.path.length)[0];
  if (keyed !== undefined) return [{ key: keyed.key, rest: all.filter((condition) => condition !== keyed.condition) }];
  for (const condition of all) {
    const either = getOperands(condition, "boolean || boolean");
    if (either.length === 1) continue;
    const inner = either.flatMap((expr) => getAlternatives([expr]));
    if (inner.length > MAX_ALTERNATIVES || inner.some(({ key }) => key === undefined)) continue;
    const others = all.filter((expr) => expr !== condition);
    return inner.map(({ key, rest }) => ({ key, rest: [...others, ...rest] }));
  }
  return [{ key: undefined, rest: all }];
};

/** Flattens a conjunction or a disjunction. */
export const getOperands = (expr: Expr, row: "boolean && boolean" | "boolean || boolean"): readonly Expr[] =>
  expr.kind === "call" && expr.row === row ? expr.args.flatMap((arg) => getOperands(arg, row)) : [expr];

/**
 * Recognizes a condition that ties a reference of the record, or a path of references, to a value of the caller: equal
 * to it, among several values, or with several references one of which is the value.
 */
export const findUserKey = (condition: Expr): Key | undefined => {
  if (condition.kind !== "call") return undefined;
  const [a, b] = condition.args;
  if (condition.row === "exists([any])" && a !== undefined) return keyFromOthers(a);
  if (a === undefined || b === undefined) return undefined;
  if (condition.row === "same == same") return keyFrom(a, b) ?? keyFrom(b, a);
  return condition.row === "same in [same]" && a.type.kind === "record" ? (keyFrom(b, a) ?? keyFrom(a, b)) : undefined;
};

const keyFrom = (from: Expr, to: Expr): Key | undefined => {
  return isUserPath(to) ? keyAt(from, to) : undefined;
};

/**
 * Recognizes a list that contains something if it ties the record to others that the caller alone decides:
 * `Deputy.filter(d, d.deputy == user && employee == d.person)`. The keys are their values of the field.
 */
const keyFromOthers = (list: Expr): Key | undefined => {
  if (list.kind !== "each" || list.row !== "filter" || list.list.kind !== "all") return undefined;
  const conjuncts = splitConjuncts(list.body);
  for (const tie of conjuncts) {
    const others = every(conjuncts.filter((conjunct) => conjunct !== tie));
    if (others === undefined || readsRecord(others, list.level)) continue;
    if (tie.kind !== "call" || tie.row !== "same == same") continue;
    for (const [from, to] of [tie.args, tie.args.toReversed()]) {
      if (from === undefined || to?.kind !== "field" || to.of.kind !== "variable" || to.of.level !== list.level)
        continue;
      const found: Expr = { ...list, body: others };
      const type = { kind: "list", of: to.type } as const;
      const key = keyAt(from, { ...list, row: "map", list: found, body: to, type, missing: to.missing });
      if (key !== undefined) return key;
    }
  }
  return undefined;
};

/** True if the condition reads the record, or a variable other than that of its own list. */
const readsRecord = (expr: Expr, level: number): boolean =>
  expr.kind === "this" ||
  expr.kind === "old" ||
  expr.kind === "name" ||
  (expr.kind === "variable" && expr.level < level) ||
  subexpressions(expr).some((part) => readsRecord(part, level));

const keyAt = (from: Expr, to: Expr): Key | undefined => {
  if (from.type.kind !== "record" && from.type.kind !== "list") return undefined;
  // Two missing values are equal, but no key finds a missing value.
  if (from.missing && to.missing) return undefined;
  const fields = findFields(from);
  if (fields === undefined) return undefined;
  const [first, ...path] = fields;
  // An index on the record's table cannot start from one of several references.
  if (first === undefined || first.field.type.kind === "list") return { by: "id", path: fields, to };
  return { by: first.field.name, path, to };
};

/** True for a stored field that changes only with a write of its own record. */
const isColumn = ({ field }: Expr & { kind: "field" }): boolean =>
  field.column !== undefined && field.computed !== true;

/** The fields along a path from the current record; undefined for any other expression. */
const findFields = (expr: Expr): KeyLookup["path"] | undefined => {
  if (expr.kind === "this") return [];
  if (expr.kind !== "field" || !isColumn(expr)) return undefined;
  const before = findFields(expr.of);
  return before === undefined ? undefined : [...before, { entity: expr.entity, field: expr.field }];
};

/** True for `user` and paths of the user's references. */
const isUserPath = (expr: Expr): boolean =>
  expr.kind === "user" || (expr.kind === "field" && isColumn(expr) && isUserPath(expr.of));
