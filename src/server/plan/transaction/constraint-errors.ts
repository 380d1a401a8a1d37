import { linkName, referenceName, ruleName, togetherName, uniqueName } from "../../../core/derive/tables/names.ts";
import type { Entity, Model } from "../../../core/model/model.ts";
import { type Refusal, refuse, refuseAt } from "../../refusal.ts";
import { fieldTitles } from "../checks/uniqueness.ts";
import type { WriteSet } from "./write-set.ts";

/**
 * What a violated constraint of the database means for who wrote. The statement judges first; this is the last word,
 * where two writes at the same moment were each right alone. `gone`: of which entities the transaction has taken records
 * away, each with the clause that is told of one that has to stay.
 */
export const constraintRefusal = (
  model: Model,
  entity: Entity | null,
  constraint: string,
  gone: ReadonlyMap<string, string> = new Map(),
): Refusal | undefined => {
  const reference = referenceOf(model, constraint);
  if (reference !== undefined) {
    const { owner, field } = reference;
    const keeper = gone.get(field.entity ?? "");
    // What is taken away and what refers to nothing break the same constraint.
    return keeper !== undefined
      ? refuse("IN_USE", keeper)
      : refuseAt([
          {
            at: owner === entity ? `/${field.name}` : "",
            code: "NO_SUCH_REFERENCE",
            clause: field.clause.id,
            values: { field: field.title },
          },
        ]);
  }
  if (entity !== null) {
    for (const field of entity.fields.values())
      if (constraint === uniqueName(entity.table, field.name))
        return refuseAt([
          { at: `/${field.name}`, clause: field.clause.id, values: { field: field.title }, code: "TAKEN" },
        ]);
    for (const rule of entity.rules)
      if (constraint === ruleName(entity, rule))
        return refuseAt([{ at: "", code: rule.error, clause: rule.clause.id, values: {} }]);
    for (const rule of entity.together)
      if (constraint === togetherName(entity, rule))
        return refuseAt([{ at: "", code: rule.error, clause: rule.clause.id, values: fieldTitles(entity, rule) }]);
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
        return refuseAt([{ at: "", code: rule.error, clause: rule.clause.id, values: fieldTitles(other, rule) }]);
  }
  return undefined;
};

/** The reference that a constraint holds, and the entity whose records bear it. */
const referenceOf = ({ entities }: Model, constraint: string) => {
  for (const owner of entities.values())
    for (const field of owner.fields.values())
      if (constraint === referenceName(owner.table, field.name) || constraint === linkName(owner.table, field.name))
        return { owner, field };
  return undefined;
};

/** Of which entities records went in what was written, each with its own clause. */
export const deletedClauses = (writeSets: readonly WriteSet[]): ReadonlyMap<string, string> =>
  new Map(
    writeSets.flatMap(({ moment, entity }) => (moment === "delete" ? [[entity.name, entity.clause.id] as const] : [])),
  );

/** An effect that gives nothing where a field needs something. */
export const notNullRefusal = (model: Model, table: string, column: string): Refusal | undefined => {
  const entity = [...model.entities.values()].find((one) => one.table === table);
  const field = entity?.fields.get(column);
  return field === undefined
    ? undefined
    : refuseAt([{ at: "", code: "REQUIRED", clause: field.clause.id, values: { field: field.title } }]);
};

/** What stood against a write was not there when it was judged; judged again, it is refused in the words of its clause. */
export const isUniquenessConstraint = (entity: Entity, constraint: string): boolean =>
  entity.together.some((rule) => constraint === togetherName(entity, rule));
