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

/**
 * The entities whose records look different after a change of these: they themselves, the parents of parts, derived rows,
 * and records with computed fields that read them.
 */
export const findDependents = (model: Model, changed: ReadonlySet<string>): ReadonlySet<string> => {
  const all = new Set(changed);
  const sources = [...model.entities.values()].map((entity) => [entity.name, new Set(listSources(entity))] as const);
  // Entities added during iteration are visited too.
  for (const name of all) {
    const part = model.entities.get(name);
    for (const { entity } of part === undefined ? [] : findParents(model, part)) all.add(entity.name);
    for (const [of, read] of sources) if (read.has(name)) all.add(of);
  }
  return all;
};
