import { grantedFields, grantsFor, isUnconditional, type Principal } from "../../core/derive/authorization/grants.ts";
import { collectReadSet, dependsOn, type RecordRead } from "../../core/expression/inspect/read-set.ts";
import type { Entity } from "../../core/model/entity.ts";
import { findParents } from "../../core/model/facts/parts.ts";
import { computedExpr } from "../../core/model/field.ts";
import type { Model } from "../../core/model/model.ts";
import { principalKey } from "../plan/context.ts";

/** The entities from which the records of an entity are derived. */
const listRowSources = ({ rows }: Entity): readonly string[] =>
  rows?.sources.flatMap((source) => ("entity" in source ? [source.entity] : [])) ?? [];

/** Those, and the entities whose records its computed fields read. */
const listSources = (entity: Entity): readonly string[] => [
  ...listRowSources(entity),
  ...[...entity.fields.values()].flatMap((field) => {
    const formula = computedExpr(field);
    return formula === null ? [] : collectReadSet(formula).recordReads.map(({ entity }) => entity);
  }),
];

/** The entities that depend on each one directly: the parents of parts, derived rows, and readers by computed fields. */
const findDirect = (model: Model): ReadonlyMap<string, ReadonlySet<string>> => {
  const entities = [...model.entities.values()];
  const sources = entities.map((entity) => [entity.name, new Set(listSources(entity))] as const);
  return new Map(
    entities.map((entity) => [
      entity.name,
      new Set([
        ...findParents(model, entity).map((parent) => parent.entity.name),
        ...sources.flatMap(([of, read]) => (read.has(entity.name) ? [of] : [])),
      ]),
    ]),
  );
};

/** Cache by model, since each open page asks after each change. */
const directly = new WeakMap<Model, ReadonlyMap<string, ReadonlySet<string>>>();

/** The entities whose records look different after a change of these, they themselves included. */
export const findDependents = (model: Model, changed: ReadonlySet<string>): ReadonlySet<string> => {
  const direct = directly.get(model) ?? findDirect(model);
  directly.set(model, direct);
  const all = new Set(changed);
  // Entities added during iteration are visited too.
  for (const name of all) for (const of of direct.get(name) ?? []) all.add(of);
  return all;
};

/** A computed field that reads other records. */
interface Reader {
  readonly entity: string;
  readonly field: string;
  readonly reads: readonly RecordRead[];
}

/**
 * The entities with derived rows or a computed value that a caller can read although they follow from records that the
 * caller may not see, such as the availability of a thing that somebody else has. No change of those records is announced
 * to the caller.
 */
const findSilent = (model: Model, principal: Principal): readonly string[] => {
  const readers = [...model.entities.values()].flatMap((entity) =>
    [...entity.fields.values()].flatMap((field): readonly Reader[] => {
      const formula = computedExpr(field);
      const reads = formula === null ? [] : collectReadSet(formula).recordReads;
      return reads.length === 0 ? [] : [{ entity: entity.name, field: field.name, reads }];
    }),
  );
  const readGrants = (name: string) => {
    const entity = model.entities.get(name);
    return entity === undefined ? [] : grantsFor(model, entity, "read", principal);
  };
  const rowSources = (name: string): readonly string[] => {
    const entity = model.entities.get(name);
    return entity === undefined ? [] : listRowSources(entity);
  };
  const seesAll = (name: string): boolean => isUnconditional(readGrants(name)) && rowSources(name).every(seesAll);
  const silent = new Set(readers.filter(({ reads }) => reads.some(({ entity }) => !seesAll(entity))));
  // Values that follow from such a value. Those added during iteration are visited too.
  for (const one of silent)
    for (const next of readers)
      if (next.reads.some((read) => read.entity === one.entity && dependsOn(read, one.field))) silent.add(next);
  const readable = [...silent].filter(({ entity: name, field }) => {
    const entity = model.entities.get(name);
    return entity !== undefined && grantedFields(entity, readGrants(name)).has(field);
  });
  const derived = [...model.entities.keys()].filter(
    (name) => readGrants(name).length > 0 && !rowSources(name).every(seesAll),
  );
  return [...new Set([...readable.map(({ entity }) => entity), ...derived])];
};

/** Cache by model and roles. */
const silently = new WeakMap<Model, Map<string, readonly string[]>>();

export const findSilentDependents = (model: Model, principal: Principal): readonly string[] => {
  const known = silently.get(model) ?? new Map<string, readonly string[]>();
  silently.set(model, known);
  const key = principalKey(principal);
  const found = known.get(key) ?? findSilent(model, principal);
  known.set(key, found);
  return found;
};
