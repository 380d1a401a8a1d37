import { every, splitConjuncts } from "../../expression/boolean-exprs.ts";
import type { Expr } from "../../expression/expr.ts";
import { rebaseOnPath } from "../../expression/rewrite/rebase.ts";
import type { Entity } from "../../model/entity.ts";
import { structuralKey } from "../../satisfiability/structural-key.ts";
import type { EntityLookup } from "../incremental.ts";
import type { Reader } from "./reader.ts";

/** The question: a reader, and the facts known of the current record. */
export interface FlowQuestion {
  readonly entities: EntityLookup;
  readonly reader: Reader;
  readonly entity: Entity;
  /** Conditions that hold on the current record before the write. */
  readonly facts: readonly Expr[];
  /** Values that the write sets, except computed ones. */
  readonly written: WrittenValue;
}

/**
 * The source of a field's new value: `given` by the writer, `known` or an expression of the document, or undefined if
 * unchanged.
 */
export type WrittenValue = (field: string) => "given" | "known" | Expr | undefined;

const NOTHING: readonly Expr[] = [];
const nothing = (): readonly Expr[] => NOTHING;

const once = (find: Reached["facts"]): Reached["facts"] => {
  let found: readonly Expr[] | undefined;
  return () => {
    found ??= find();
    return found;
  };
};

/** A record that an expression reaches, and conditions that hold on it. */
export interface Reached {
  readonly entity: Entity;
  /** Computed on demand; mostly the identity of the record is enough. */
  readonly facts: () => readonly Expr[];
  readonly isOwn: boolean;
}

/** Finds the records that expressions of a question reach, with what is known of them. */
export const createReach = (
  reading: FlowQuestion,
): {
  /** The record that an expression denotes; undefined if unknown. */
  readonly reachedBy: (of: Expr, elements: readonly (Reached | undefined)[]) => Reached | undefined;
  /** The elements of a list of records. */
  readonly elementsOf: (list: Expr, elements: readonly (Reached | undefined)[]) => Reached | undefined;
} => {
  const { entities, reader } = reading;
  const translate = (condition: Expr, from: Expr, to: Expr) => translated(condition, from, to, reading.entity.name);
  const own: Reached = { entity: reading.entity, facts: () => reading.facts, isOwn: true };
  const another = { isOwn: false };

  const reachedBy = (of: Expr, elements: readonly (Reached | undefined)[]): Reached | undefined => {
    if (of.kind === "this" || of.kind === "old") return own;
    if (of.kind === "variable") return elements[of.level];
    const entity = of.type.kind === "record" ? entities.get(of.type.entity) : undefined;
    if (entity === undefined) return undefined;
    if (of.kind === "user") return { ...another, entity, facts: once(() => [same(getThisRecord(of), of)]) };
    if (of.kind !== "field" || of.field.inverse !== undefined) return { ...another, entity, facts: nothing };
    const from = reachedBy(of.of, elements);
    const written = from?.isOwn === true && of.of.kind !== "old" ? reading.written(of.field.name) : undefined;
    // A writer can only refer to records that are visible to the writer.
    if (written === "given") return { ...another, entity, facts: () => reader.visibilityConditions(entity) };
    if (typeof written === "object" && written.kind === "user")
      return { ...another, entity, facts: once(() => [same(getThisRecord(of), written)]) };
    if (written !== undefined || from === undefined) return { ...another, entity, facts: nothing };
    const path: Expr = { ...of, of: getThisRecord(of.of) };
    const facts = once(() => from.facts().flatMap((fact) => translate(fact, path, getThisRecord(of)) ?? []));
    return { ...another, entity, facts };
  };

  const elementsOf = (list: Expr, elements: readonly (Reached | undefined)[]): Reached | undefined => {
    const of = list.type.kind === "list" && list.type.of.kind === "record" ? list.type.of.entity : undefined;
    const entity = of === undefined ? undefined : entities.get(of);
    if (entity === undefined) return undefined;
    if (list.kind === "field" && list.field.inverse !== undefined) {
      const { by } = list.field.inverse;
      const owner = reachedBy(list.of, elements);
      const path = ownPath(list, entity, by);
      if (path === undefined || owner === undefined) return { ...another, entity, facts: nothing };
      return { ...another, entity, facts: once(() => owner.facts().map((fact) => rebaseOnPath(fact, path))) };
    }
    if (list.kind === "each" && list.row === "filter") {
      const inner = elementsOf(list.list, elements);
      if (inner === undefined) return undefined;
      const narrowed = () => splitConjuncts(list.body).flatMap((conjunct) => factsOf(conjunct, list.level, elements));
      return { ...inner, facts: once(() => [...inner.facts(), ...narrowed()]) };
    }
    return { ...another, entity, facts: nothing };
  };

  /** Facts about a list element that its condition implies, and the facts that it takes over from other records. */
  const factsOf = (condition: Expr, level: number, elements: readonly (Reached | undefined)[]): readonly Expr[] => {
    const own = toOwnCondition(condition, level);
    if (own !== undefined) return [own];
    if (condition.kind !== "call" || condition.row !== "same == same") return [];
    return [condition.args, condition.args.toReversed()].flatMap(([own, other]) => {
      const path = own === undefined ? undefined : toOwnCondition(own, level);
      if (path === undefined || other === undefined) return [];
      const root = getRoot(other);
      const from = root.kind === "this" || root.kind === "variable" ? reachedBy(root, elements) : undefined;
      const first = firstFieldOf(other);
      if (from?.isOwn === true && first !== undefined && reading.written(first) !== undefined)
        return writtenFacts(reading.written(first), path);
      return (from?.facts() ?? []).flatMap((fact) => translate(fact, rebaseOnThis(other), path) ?? []);
    });
  };

  /** A value that the document sets is known: `employee == user`. */
  const writtenFacts = (written: ReturnType<WrittenValue>, path: Expr): readonly Expr[] =>
    typeof written === "object" && written.kind === "user" ? [same(path, written)] : [];

  return { reachedBy, elementsOf };
};

/** The current record, with the type of an expression. */
const getThisRecord = ({ type, span }: Expr): Expr => ({ kind: "this", type, missing: false, span });

const same = (a: Expr, b: Expr): Expr => ({
  kind: "call",
  row: "same == same",
  args: [a, b],
  zone: "UTC",
  type: { kind: "boolean" },
  missing: false,
  span: b.span,
});

/** The field of the current record with which a path begins. */
const firstFieldOf = (path: Expr): string | undefined =>
  path.kind !== "field" ? undefined : path.of.kind === "this" ? path.field.name : firstFieldOf(path.of);

const getRoot = (expr: Expr): Expr => (expr.kind === "field" ? getRoot(expr.of) : expr);

/** A path from a list element or the current record, rewritten as a path from the current record. */
const rebaseOnThis = (path: Expr): Expr =>
  path.kind === "field"
    ? { ...path, of: rebaseOnThis(path.of) }
    : path.kind === "variable"
      ? { ...getThisRecord(path) }
      : path;

/** A reference of an entity's records, as a path from the current record. */
const ownPath = (list: Expr & { kind: "field" }, entity: Entity, by: string): Expr | undefined => {
  const field = entity.fields.get(by);
  const { target, span } = list;
  const shape = target?.fields.get(by);
  if (field === undefined || target === undefined || shape === undefined) return undefined;
  const of: Expr = { kind: "this", type: { kind: "record", entity: entity.name }, missing: false, span };
  return { kind: "field", of, entity: target, field: shape, type: shape.type, missing: field.optional, span };
};

/** A condition that reads only the list element, rewritten for the current record; undefined if it reads more. */
const toOwnCondition = (expr: Expr, level: number): Expr | undefined => {
  switch (expr.kind) {
    case "variable":
      return expr.level === level ? getThisRecord(expr) : undefined;
    case "this":
    case "old":
    case "name":
    case "each":
    case "all":
      return undefined;
    case "field": {
      const of = toOwnCondition(expr.of, level);
      return of === undefined ? undefined : { ...expr, of };
    }
    case "list": {
      const items = expr.items.map((item) => toOwnCondition(item, level));
      return items.some((item) => item === undefined) ? undefined : { ...expr, items: items as readonly Expr[] };
    }
    case "call": {
      const args = expr.args.map((arg) => toOwnCondition(arg, level));
      return args.some((arg) => arg === undefined) ? undefined : { ...expr, args: args as readonly Expr[] };
    }
    default:
      return expr;
  }
};

/**
 * Translates a condition from one record to another, where `from` on the first equals `to` on the second. Undefined if
 * the condition reads the first record in another way, or all records of `written`, the entity that is being written: a
 * deputy who can decide about one request of an employee can read the others, since `Deputy` stays as it is.
 */
const translated = (condition: Expr, from: Expr, to: Expr, written: string): Expr | undefined => {
  const path = structuralKey(from);
  const go = (expr: Expr): Expr | undefined => {
    if (structuralKey(expr) === path) return { ...to, span: expr.span };
    switch (expr.kind) {
      case "this":
      case "old":
      case "name":
        return undefined;
      case "all":
        return expr.entity.name === written ? undefined : expr;
      case "each": {
        const [list, body] = [go(expr.list), go(expr.body)];
        return list === undefined || body === undefined ? undefined : { ...expr, list, body };
      }
      case "field": {
        const of = go(expr.of);
        return of === undefined ? undefined : { ...expr, of };
      }
      case "list": {
        const items = expr.items.map(go);
        return items.some((item) => item === undefined) ? undefined : { ...expr, items: items as readonly Expr[] };
      }
      case "call": {
        const args = expr.args.map(go);
        return args.some((arg) => arg === undefined) ? undefined : { ...expr, args: args as readonly Expr[] };
      }
      default:
        return expr;
    }
  };
  return splitConjuncts(condition)
    .map(go)
    .reduce<Expr | undefined>(
      (all, item) => (item === undefined ? all : all === undefined ? item : (every([all, item]) ?? all)),
      undefined,
    );
};
