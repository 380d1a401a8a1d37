import { collectReadSet } from "../../core/expression/inspect/read-set.ts";
import type { Entity } from "../../core/model/entity.ts";
import { findParents } from "../../core/model/facts/parts.ts";
import { computedExpr } from "../../core/model/field.ts";
import type { Model } from "../../core/model/model.ts";

/** The entities from which the records of an entity are derived, and those whose records its computed fields read. */
const listSources = ({ rows, fields }: Entity): readonly string[] => [
  ...(rows?.sources.flatMap((source) => ("entity" in source ? [source.entity] : [])) ?? []),
  ...[...fields.values()].flatMap((field) => {
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
