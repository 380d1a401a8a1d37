import type { ThroughJson } from "../../wire/screens.ts";
import type { Entity } from "../entity.ts";
import { computedExpr, isPlainColumn } from "../field.ts";

/**
 * How to add a record to a list whose reference `by` is derived from another reference: a delivery names a line of an
 * order (`request` is `line.request`), and is listed with that order. Null if `by` is not derived.
 */
export const findDerivedReference = (
  entity: Entity,
  by: string,
): (ThroughJson & { readonly entity: string }) | null => {
  const field = entity.fields.get(by);
  const from = field === undefined ? null : computedExpr(field);
  if (from?.kind !== "field" || from.of.kind !== "field" || from.of.of.kind !== "this") return null;
  const named = entity.fields.get(from.of.field.name);
  if (named === undefined || named.entity === null || named.many || !isPlainColumn(named)) return null;
  return { entity: named.entity, field: named.name, of: from.field.name };
};
