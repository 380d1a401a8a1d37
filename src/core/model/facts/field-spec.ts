import type { FieldSpec } from "../../field/kind.ts";
import type { Entity } from "../entity.ts";
import type { Field } from "../field.ts";

/** The part of a field that its type needs. */
export const toFieldSpec = (entity: Pick<Entity, "name">, field: Field): FieldSpec => ({
  name: field.name,
  of: `${entity.name}.${field.name}`,
  values: field.values,
  entity: field.entity,
  min: field.min,
  max: field.max,
  currency: field.currency,
});
