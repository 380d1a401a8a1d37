import type { Expr } from "../../expression/expr.ts";
import type { EntityShape, FieldShape } from "../../expression/values/type.ts";
import { type Grant, isUnconditional } from "./grants.ts";

/**
 * Records that are found from the person: those from which a path of references leads to what an expression is for
 * them. `employee.manager == user` has the keys `{ path: [User.manager], to: user }`; of an empty path, the key is `to`.
 * The last field of a path may hold several references: `user in helpers` has `{ path: [Request.helpers], to: user }`. What
 * the person has may be several too, each of them a key: `team in user.teams`.
 */
export interface KeyLookup {
  readonly path: readonly { readonly entity: EntityShape; readonly field: FieldShape }[];
  readonly to: Expr;
}

/**
 * A way to the records that some gates open: those whose reference `by` is one of the keys and for which the conditions
 * hold. Where `by` is null no gate says where its records are, and all of them are asked.
 */
export interface AccessPath {
  /** `id` for the record itself. */
  readonly by: string | null;
  /** United; empty where `by` is null. */
  readonly keys: readonly KeyLookup[];
  readonly conditions: readonly Expr[];
  readonly grants: readonly Grant[];
}

/** More alternatives than this are asked of every record instead. */
const MOST = 8;

/**
 * The ways to what gates open: their union is what the gates let through, and nothing else. Conditions that tell from
 * the person where the records are become keys, so that a list is read from there and costs the same however many
 * records others have; never one condition with OR over several tables.
 */
export const accessPathsFor = (grants: readonly Grant[]): readonly AccessPath[] => {
  if (isUnconditional(grants))
    return [{ by: null, keys: [], conditions: [], grants: grants.filter((grant) => isUnconditional([grant])) }];
  const ways: AccessPath[] = [];
  for (const grant of grants)
    for (const { key, rest } of alternativesOf(grant.conditions)) {
      const at = ways.findIndex((way) => way.by === (key?.by ?? null) && areSame(way.conditions, rest));
      const known = ways[at];
      const keys = key === undefined ? [] : [{ path: key.path, to: key.to }];
      if (known === undefined) ways.push({ by: key?.by ?? null, keys, conditions: rest, grants: [grant] });
      else
        ways[at] = {
          ...known,
          keys: [...known.keys, ...keys],
          grants: known.grants.includes(grant) ? known.grants : [...known.grants, grant],
        };
    }
  return ways;
};

interface Key extends KeyLookup {
  readonly by: string;
}

interface Alternative {
  readonly key: Key | undefined;
  readonly rest: readonly Expr[];
}

const areSame = (a: readonly Expr[], b: readonly Expr[]): boolean =>
  a.length === b.length && a.every((expr) => b.includes(expr));

/** Conditions that hold together, as alternatives each of which says where its records are, if that can be had. */
const alternativesOf = (conditions: readonly Expr[]): readonly Alternative[] => {
  const all = conditions.flatMap((condition) => operandsOf(condition, "boolean && boolean"));
  const keyed = all
    .flatMap((condition) => {
      const key = keyOf(condition);
      return key === undefined ? [] : [{ condition, key }];
    })
    // The fewer references lie between, the fewer keys there are.
    .sort((a, b) => a.key.path.length - b.key.path.length)[0];
  if (keyed !== undefined) return [{ key: keyed.key, rest: all.filter((condition) => condition !== keyed.condition) }];
  for (const condition of all) {
    const either = operandsOf(condition, "boolean || boolean");
    if (either.length === 1) continue;
    const inner = either.flatMap((one) => alternativesOf([one]));
    if (inner.length > MOST || inner.some(({ key }) => key === undefined)) continue;
    const others = all.filter((one) => one !== condition);
    return inner.map(({ key, rest }) => ({ key, rest: [...others, ...rest] }));
  }
  return [{ key: undefined, rest: all }];
};

const operandsOf = (expr: Expr, row: "boolean && boolean" | "boolean || boolean"): readonly Expr[] =>
  expr.kind === "call" && expr.row === row ? expr.args.flatMap((arg) => operandsOf(arg, row)) : [expr];

/**
 * A reference of the record, or a path of them, that must be the same as something that the person has, one of what they
 * have, or one of several references where they are among these.
 */
const keyOf = (condition: Expr): Key | undefined => {
  if (condition.kind !== "call") return undefined;
  const [a, b] = condition.args;
  if (a === undefined || b === undefined) return undefined;
  if (condition.row === "same == same") return keyFrom(a, b) ?? keyFrom(b, a);
  return condition.row === "same in [same]" && a.type.kind === "record" ? (keyFrom(b, a) ?? keyFrom(a, b)) : undefined;
};

const keyFrom = (from: Expr, to: Expr): Key | undefined => {
  if ((from.type.kind !== "record" && from.type.kind !== "list") || !isThePersons(to)) return undefined;
  // What is missing on both sides is the same, and no key finds what is missing.
  if (from.missing && to.missing) return undefined;
  const fields = fieldsOf(from);
  if (fields === undefined) return undefined;
  const [first, ...path] = fields;
  // No index of the record's own table leads to it from one of several.
  if (first === undefined || first.field.type.kind === "list") return { by: "id", path: fields, to };
  return { by: first.field.name, path, to };
};

/** A column of its record that stays as it is until somebody writes it. */
const isColumn = ({ field }: Expr & { kind: "field" }): boolean =>
  field.column !== undefined && field.computed !== true;

/** The fields from the record at hand to where a path leads; undefined for what is no such path. */
const fieldsOf = (expr: Expr): KeyLookup["path"] | undefined => {
  if (expr.kind === "this") return [];
  if (expr.kind !== "field" || !isColumn(expr)) return undefined;
  const before = fieldsOf(expr.of);
  return before === undefined ? undefined : [...before, { entity: expr.entity, field: expr.field }];
};

/** `user`, and what their own references lead to. */
const isThePersons = (expr: Expr): boolean =>
  expr.kind === "user" || (expr.kind === "field" && isColumn(expr) && isThePersons(expr.of));
