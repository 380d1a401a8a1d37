import { referenceName, ruleName, uniqueName } from "../../core/derive/tables.ts";
import type { Entity, Model } from "../../core/model/model.ts";
import { type Refusal, refuse, refuseAt } from "../refusal.ts";

/**
 * What a violated constraint of the database means for who wrote. The statement judges first; this is the last word,
 * where two writes at the same moment were each right alone.
 */
export const constraintRefusal = (model: Model, entity: Entity, constraint: string): Refusal | undefined => {
  for (const field of entity.fields.values()) {
    const at = { at: `/${field.name}`, clause: field.clause.id, values: { field: field.title } };
    if (constraint === uniqueName(entity.table, field.name)) return refuseAt([{ ...at, code: "TAKEN" }]);
    if (constraint === referenceName(entity.table, field.name)) return refuseAt([{ ...at, code: "NO_SUCH_REFERENCE" }]);
  }
  for (const rule of entity.rules)
    if (constraint === ruleName(entity, rule))
      return refuseAt([{ at: "", code: rule.error, clause: rule.clause.id, values: {} }]);
  const refers = [...model.entities.values()].some((other) =>
    [...other.fields.keys()].some((field) => constraint === referenceName(other.table, field)),
  );
  return refers ? refuse("IN_USE", entity.clause.id) : undefined;
};
