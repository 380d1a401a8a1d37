import { grantedFields, grantsFor, isUnconditional, type Principal } from "../../core/derive/authorization/grants.ts";
import { collectReadSet, dependsOn, type RecordRead } from "../../core/expression/inspect/read-set.ts";
import type { Entity } from "../../core/model/entity.ts";
import { findParents } from "../../core/model/facts/parts.ts";
import { computedExpr, isStored } from "../../core/model/field.ts";
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

/** A computed field, with the values of its own record and of others that it reads. */
interface Reader {
  readonly entity: string;
  readonly field: string;
  readonly own: ReadonlySet<string>;
  readonly reads: readonly RecordRead[];
}

const findReaders = (model: Model): readonly Reader[] =>
  [...model.entities.values()].flatMap((entity) =>
    [...entity.fields.values()].flatMap((field): readonly Reader[] => {
      const formula = computedExpr(field);
      // A kept value changes only with a write of its record, which is announced.
      if (formula === null || isStored(field)) return [];
      const { fields: own, recordReads: reads } = collectReadSet(formula);
      return [{ entity: entity.name, field: field.name, own, reads }];
    }),
  );

/** True if a value follows from another one directly. */
const follows = (value: Reader, from: Reader): boolean =>
  (value.entity === from.entity && value.own.has(from.field)) ||
  value.reads.some((read) => read.entity === from.entity && dependsOn(read, from.field));

/**
 * The entities whose records look different to a caller after changes of records that the caller may not see: those with
 * a computed value that the caller can read, such as the availability of a thing that somebody else has, those with rows
 * derived from such records, and the wholes of both. No change of those records is announced to the caller.
 * It goes by values, since the entities that read others somehow are nearly all of them.
 */
const findSilent = (model: Model, principal: Principal): readonly string[] => {
  const readers = findReaders(model);
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
  for (const one of silent) for (const next of readers) if (follows(next, one)) silent.add(next);
  const readable = [...silent].filter(({ entity: name, field }) => {
    const entity = model.entities.get(name);
    return entity !== undefined && grantedFields(entity, readGrants(name)).has(field);
  });
  const mayDiffer = new Set([...silent].map(({ entity }) => entity));
  const derived = [...model.entities.keys()].filter(
    (name) =>
      readGrants(name).length > 0 && rowSources(name).some((source) => !seesAll(source) || mayDiffer.has(source)),
  );
  const all = new Set([...readable.map(({ entity }) => entity), ...derived]);
  // The page of a whole shows its parts. Those added during iteration are visited too.
  for (const name of all) {
    const entity = model.entities.get(name);
    for (const whole of entity === undefined ? [] : findParents(model, entity)) all.add(whole.entity.name);
  }
  return [...all];
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
