import { collectReadSet } from "../../expression/inspect/read-set.ts";
import type { Entity } from "../entity.ts";
import { computedExpr, type Field, type KeptUntil } from "../field.ts";

/** When a kept field is recomputed; undefined for a field that every write computes, or that is not kept. */
export const keptUntil = (field: Pick<Field, "storage"> | undefined): KeptUntil | undefined =>
  field?.storage.as === "stored" ? (field.storage.until ?? undefined) : undefined;

/**
 * The kept fields that a write may recompute. `changed`: the fields that it writes. A value that is kept until another
 * field changes is recomputed only if the write gives that field another value.
 */
export const findKeptAt = (entity: Entity, action: string, changed: ReadonlySet<string>): readonly string[] =>
  [...entity.fields.values()].flatMap(({ name, storage }) => {
    if (storage.as !== "stored") return [];
    const { until } = storage;
    const isDue =
      until === null || until.transitions.includes(action) || until.fields.some((field) => changed.has(field));
    return isDue ? [name] : [];
  });

/** The fields with `until`, sorted so that each comes after those that its formula reads. */
export const listKeptUntil = (entity: Entity): readonly Field[] => {
  const sorted = new Set<Field>();
  const visited = new Set<string>();
  const visit = (name: string): void => {
    const field = entity.fields.get(name);
    if (field === undefined || visited.has(name)) return;
    visited.add(name);
    const from = computedExpr(field);
    if (from !== null) for (const read of collectReadSet(from).fields) visit(read);
    if (keptUntil(field) !== undefined) sorted.add(field);
  };
  for (const name of entity.fields.keys()) visit(name);
  return [...sorted];
};
