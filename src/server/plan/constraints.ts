import { linkName, referenceName, ruleName, togetherName, uniqueName } from "../../core/derive/tables.ts";
import type { Entity, Model } from "../../core/model/model.ts";
import { type Refusal, refuse, refuseAt } from "../refusal.ts";

/**
 * What a violated constraint of the database means for who wrote. The statement judges first; this is the last word,
 * where two writes at the same moment were each right alone.
 */
export const constraintRefusal = (model: Model, entity: Entity | null, constraint: string): Refusal | undefined => {
  if (entity !== null) {
    for (const field of entity.fields.values()) {
      const at = { at: `/${field.name}`, clause: field.clause.id, values: { field: field.title } };
      if (constraint === uniqueName(entity.table, field.name)) return refuseAt([{ ...at, code: "TAKEN" }]);
      if (constraint === referenceName(entity.table, field.name) || constraint === linkName(entity.table, field.name))
        return refuseAt([{ ...at, code: "NO_SUCH_REFERENCE" }]);
    }
    for (const rule of entity.rules)
      if (constraint === ruleName(entity, rule))
        return refuseAt([{ at: "", code: rule.error, clause: rule.clause.id, values: {} }]);
    for (const rule of entity.together)
      if (constraint === togetherName(entity, rule))
        return refuseAt([{ at: "", code: rule.error, clause: rule.clause.id, values: {} }]);
  }
  // What follows a write writes other records.
  for (const other of model.entities.values()) {
    for (const field of other.fields.values())
      if (other !== entity && constraint === uniqueName(other.table, field.name))
        return refuseAt([{ at: "", code: "TAKEN", clause: field.clause.id, values: { field: field.title } }]);
    for (const rule of other.rules)
      if (other !== entity && constraint === ruleName(other, rule))
        return refuseAt([{ at: "", code: rule.error, clause: rule.clause.id, values: {} }]);
    for (const rule of other.together)
      if (other !== entity && constraint === togetherName(other, rule))
        return refuseAt([{ at: "", code: rule.error, clause: rule.clause.id, values: {} }]);
  }
  const refers = [...model.entities.values()].some((other) =>
    [...other.fields.keys()].some(
      (field) => constraint === referenceName(other.table, field) || constraint === linkName(other.table, field),
    ),
  );
  return refers ? refuse("IN_USE", entity?.clause.id) : undefined;
};

/** An effect that gives nothing where a field needs something. */
export const neededRefusal = (model: Model, table: string, column: string): Refusal | undefined => {
  const entity = [...model.entities.values()].find((one) => one.table === table);
  const field = entity?.fields.get(column);
  return field === undefined
    ? undefined
    : refuseAt([{ at: "", code: "REQUIRED", clause: field.clause.id, values: { field: field.title } }]);
};

/** What stood against a write was not there when it was judged; judged again, it is refused in the words of its clause. */
export const isTogether = (entity: Entity, constraint: string): boolean =>
  entity.together.some((rule) => constraint === togetherName(entity, rule));
