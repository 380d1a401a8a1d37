import { every } from "../../expression/boolean-exprs.ts";
import { type Expr, partsOf } from "../../expression/expr.ts";
import { rebaseOnPath } from "../../expression/rewrite/rebase.ts";
import { type Entity, madeOf } from "../../model/model.ts";
import { conjunctsOf, structureOf } from "../../satisfiability/structural-key.ts";
import type { Looking } from "../incremental.ts";
import type { Reader } from "./reader.ts";

/*
 * Whether what an expression says may rest on something that somebody does not read: a field that is hidden from them on a
 * record, or a record that they do not see. It is answered from permissions alone, and “no” is certain: of each record that
 * the expression reaches, what is known of it (the role that somebody holds there, what a filter asks of it, what is the
 * same as on the record at hand) leaves no case in which they would not see it.
 */

/** What is asked about: somebody, and what is known of the record at hand. */
export interface Asked {
  readonly entities: Looking;
  readonly reader: Reader;
  readonly entity: Entity;
  /** Conditions that hold on the record at hand, as it is before anything is written. */
  readonly facts: readonly Expr[];
  /** What a write puts in the place of what was there, where it is not computed of the rest. */
  readonly written: Written;
}

/** Of a field: `given` by whoever writes, what the document sets, or undefined where it stays. */
export type Written = (field: string) => "given" | "known" | Expr | undefined;

export const nothingWritten: Written = () => undefined;

const NOTHING: readonly Expr[] = [];
const nothing = (): readonly Expr[] => NOTHING;

const once = (find: Reached["facts"]): Reached["facts"] => {
  let found: readonly Expr[] | undefined;
  return () => {
    found ??= find();
    return found;
  };
};

/** A record that an expression reaches, and what holds on it, as conditions on it. */
interface Reached {
  readonly entity: Entity;
  /** Found when they are asked for: mostly it is enough which record it is. */
  readonly facts: () => readonly Expr[];
  readonly isOwn: boolean;
}

/** The first thing that it may rest on: `Request` for records, `User.wage` for a field. Undefined: nothing. */
export const hiddenIn = (expr: Expr, asked: Asked): string | undefined => {
  const { entities, reader } = asked;

  const own: Reached = { entity: asked.entity, facts: () => asked.facts, isOwn: true };
  const another = { isOwn: false };
  const seesRows = ({ entity, facts }: Reached): boolean => reader.isOpenOn(facts(), reader.gatesOf(entity));
  const seesField = ({ entity, facts }: Reached, name: string): boolean =>
    reader.isOpenOn(facts(), reader.showing(entity, name));

  /** The record that an expression leads to; undefined where that is not known. */
  const reachedBy = (of: Expr, elements: readonly (Reached | undefined)[]): Reached | undefined => {
    if (of.kind === "this" || of.kind === "old") return own;
    if (of.kind === "variable") return elements[of.level];
    const entity = of.type.kind === "record" ? entities.get(of.type.entity) : undefined;
    if (entity === undefined) return undefined;
    if (of.kind === "user") return { ...another, entity, facts: once(() => [same(thisOf(of), of)]) };
    if (of.kind !== "field" || of.field.inverse !== undefined) return { ...another, entity, facts: nothing };
    const from = reachedBy(of.of, elements);
    const put = from?.isOwn === true ? asked.written(of.field.name) : undefined;
    // Who gives a reference sees what it leads to.
    if (put === "given") return { ...another, entity, facts: () => reader.seen(entity) };
    if (typeof put === "object" && put.kind === "user")
      return { ...another, entity, facts: once(() => [same(thisOf(of), put)]) };
    if (put !== undefined || from === undefined) return { ...another, entity, facts: nothing };
    const path: Expr = { ...of, of: thisOf(of.of) };
    const facts = once(() => from.facts().flatMap((fact) => translated(fact, path, thisOf(of)) ?? []));
    return { ...another, entity, facts };
  };

  /** The elements of a list of records. */
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
      const narrowed = () => conjunctsOf(list.body).flatMap((one) => factsOf(one, list.level, elements));
      return { ...inner, facts: once(() => [...inner.facts(), ...narrowed()]) };
    }
    return { ...another, entity, facts: nothing };
  };

  /** What a condition on an element says of it, and what it thereby has of other records. */
  const factsOf = (condition: Expr, level: number, elements: readonly (Reached | undefined)[]): readonly Expr[] => {
    const own = asOwn(condition, level);
    if (own !== undefined) return [own];
    if (condition.kind !== "call" || condition.row !== "same == same") return [];
    return [condition.args, condition.args.toReversed()].flatMap(([mine, theirs]) => {
      const path = mine === undefined ? undefined : asOwn(mine, level);
      if (path === undefined || theirs === undefined) return [];
      const root = rootOf(theirs);
      const from = root.kind === "this" || root.kind === "variable" ? reachedBy(root, elements) : undefined;
      const first = firstOfPath(theirs);
      if (from?.isOwn === true && first !== undefined && asked.written(first) !== undefined)
        return writtenFacts(asked.written(first), path);
      return (from?.facts() ?? []).flatMap((fact) => translated(fact, onThis(theirs), path) ?? []);
    });
  };

  /** What the document writes there is what stands there: `employee == user`. */
  const writtenFacts = (put: ReturnType<Written>, path: Expr): readonly Expr[] =>
    typeof put === "object" && put.kind === "user" ? [same(path, put)] : [];

  const visit = (at: Expr, elements: readonly (Reached | undefined)[]): string | undefined => {
    if (at.kind === "each") {
      const inner = elementsOf(at.row === "filter" ? at : at.list, elements);
      const around = [...elements.slice(0, at.level)];
      around[at.level] = inner;
      return visitList(at.list, elements, inner) ?? visit(at.body, around);
    }
    if (at.type.kind === "list" && isSource(at)) return visitList(at, elements, elementsOf(at, elements));
    if (at.kind === "field") return visit(at.of, elements) ?? visitField(at, elements);
    return firstOf(partsOf(at), (part) => visit(part, elements));
  };

  /** Whose records are counted must be seen, as far as what is asked of them leaves any. */
  const visitList = (
    list: Expr,
    elements: readonly (Reached | undefined)[],
    narrowed: Reached | undefined,
  ): string | undefined => {
    if (list.kind === "each") {
      const inner = narrowed ?? elementsOf(list, elements);
      const around = [...elements.slice(0, list.level)];
      around[list.level] = inner;
      return visitList(list.list, elements, inner) ?? visit(list.body, around);
    }
    if (!isSource(list)) return visit(list, elements);
    if (narrowed !== undefined && !seesRows(narrowed)) return narrowed.entity.name;
    return list.kind === "field" ? visit(list.of, elements) : undefined;
  };

  const visitField = (at: Expr & { kind: "field" }, elements: readonly (Reached | undefined)[]): string | undefined => {
    const { name } = at.field;
    const reached = reachedBy(at.of, elements);
    if (reached === undefined) return undefined;
    const field = reached.entity.fields.get(name);
    // What every record has is seen with it; roles are answered by no call, and what they open shows anyway.
    if (field === undefined) return undefined;
    const put = reached.isOwn ? asked.written(name) : undefined;
    if (put === "given" || put === "known") return undefined;
    if (put !== undefined) return hiddenIn(put, { ...asked, written: nothingWritten });
    if (seesField(reached, name)) return undefined;
    const from = madeOf(field);
    // What is made of what they know is no secret from them.
    if (from !== null && field.held.as !== "kept" && reached.isOwn && hiddenIn(from, asked) === undefined)
      return undefined;
    return `${reached.entity.name}.${name}`;
  };

  return visit(expr, []);
};

const firstOf = <T>(parts: readonly T[], find: (part: T) => string | undefined): string | undefined => {
  for (const part of parts) {
    const found = find(part);
    if (found !== undefined) return found;
  }
  return undefined;
};

const isSource = (list: Expr): boolean =>
  list.kind === "all" || (list.kind === "field" && list.field.inverse !== undefined);

/** The record at hand, as one of the entity that an expression gives. */
const thisOf = ({ type, span }: Expr): Expr => ({ kind: "this", type, missing: false, span });

const same = (a: Expr, b: Expr): Expr => ({
  kind: "call",
  row: "same == same",
  args: [a, b],
  zone: "UTC",
  type: { kind: "boolean" },
  missing: false,
  span: b.span,
});

/** The field of the record at hand with which a path begins. */
const firstOfPath = (path: Expr): string | undefined =>
  path.kind !== "field" ? undefined : path.of.kind === "this" ? path.field.name : firstOfPath(path.of);

const rootOf = (expr: Expr): Expr => (expr.kind === "field" ? rootOf(expr.of) : expr);

/** A path from an element of a list or from the record at hand, as one from the record at hand. */
const onThis = (path: Expr): Expr =>
  path.kind === "field" ? { ...path, of: onThis(path.of) } : path.kind === "variable" ? { ...thisOf(path) } : path;

/** A reference of an entity's records, as a path from the record at hand. */
const ownPath = (list: Expr & { kind: "field" }, entity: Entity, by: string): Expr | undefined => {
  const field = entity.fields.get(by);
  const { target, span } = list;
  const shape = target?.fields.get(by);
  if (field === undefined || target === undefined || shape === undefined) return undefined;
  const of: Expr = { kind: "this", type: { kind: "record", entity: entity.name }, missing: false, span };
  return { kind: "field", of, entity: target, field: shape, type: shape.type, missing: field.optional, span };
};

/** A condition on an element that reads nothing else, as one on the record at hand; undefined where it reads more. */
const asOwn = (expr: Expr, level: number): Expr | undefined => {
  switch (expr.kind) {
    case "variable":
      return expr.level === level ? thisOf(expr) : undefined;
    case "this":
    case "old":
    case "name":
    case "each":
    case "all":
      return undefined;
    case "field": {
      const of = asOwn(expr.of, level);
      return of === undefined ? undefined : { ...expr, of };
    }
    case "list": {
      const items = expr.items.map((item) => asOwn(item, level));
      return items.some((item) => item === undefined) ? undefined : { ...expr, items: items as readonly Expr[] };
    }
    case "call": {
      const args = expr.args.map((arg) => asOwn(arg, level));
      return args.some((arg) => arg === undefined) ? undefined : { ...expr, args: args as readonly Expr[] };
    }
    default:
      return expr;
  }
};

/**
 * What a condition on one record says of another, on which `to` is what `from` is on the first. Undefined where it speaks of
 * the first by another way.
 */
const translated = (condition: Expr, from: Expr, to: Expr): Expr | undefined => {
  const path = structureOf(from);
  const go = (expr: Expr): Expr | undefined => {
    if (structureOf(expr) === path) return { ...to, span: expr.span };
    switch (expr.kind) {
      case "this":
      case "old":
      case "name":
      case "variable":
      case "each":
      case "all":
        return undefined;
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
  return conjunctsOf(condition)
    .map(go)
    .reduce<Expr | undefined>(
      (all, one) => (one === undefined ? all : all === undefined ? one : (every([all, one]) ?? all)),
      undefined,
    );
};
