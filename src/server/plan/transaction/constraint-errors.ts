import {
  referenceRefusal,
  referringRefusal,
  requiredRefusal,
  ruleRefusal,
  takenRefusal,
  uniquenessRefusal,
} from "../../../core/derive/consistency/check-refusals.ts";
import {
  linkName,
  referenceName,
  ruleName,
  uniqueName,
  uniquenessConstraintName,
} from "../../../core/derive/tables/names.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Model } from "../../../core/model/model.ts";
import { type Refusal, refuse, refuseAt, refuseCall } from "../../refusal.ts";
import { fieldTitles } from "../checks/uniqueness.ts";
import type { WriteSet } from "./write-set.ts";

/**
 * The refusal for a violated database constraint. The statement checks first; a constraint fails only if two concurrent
 * writes are each valid alone. `deleted`: the entities from which the transaction deletes records, with the clause of a
 * refusal.
 */
export const constraintRefusal = (
  model: Model,
  entity: Entity | null,
  constraint: string,
  deleted: ReadonlyMap<string, string> = new Map(),
): Refusal | undefined => {
  if (constraint.endsWith("#next")) return refuse("SOON_UNIQUE");
  const reference = findReference(model, constraint);
  if (reference !== undefined) {
    const { owner, field } = reference;
    const deletionClause = deleted.get(field.entity ?? "");
    // Deleting a referenced record and referring to a missing one violate the same constraint.
    return deletionClause !== undefined
      ? refuseCall(referringRefusal(deletionClause))
      : refuseAt([
          {
            ...referenceRefusal(field),
            ...(owner === entity ? {} : { at: "" }),
            values: { field: field.title },
          },
        ]);
  }
  if (entity !== null) {
    for (const field of entity.fields.values())
      if (constraint === uniqueName(entity.table, field.name))
        return refuseAt([{ ...takenRefusal(field), values: { field: field.title } }]);
    for (const rule of entity.rules)
      if (constraint === ruleName(entity, rule)) return refuseAt([{ ...ruleRefusal(model, rule), at: "", values: {} }]);
    for (const rule of entity.uniquenessRules)
      if (constraint === uniquenessConstraintName(entity, rule))
        return refuseAt([{ ...uniquenessRefusal(model, rule), at: "", values: fieldTitles(entity, rule) }]);
  }
  // Consequences write other entities.
  for (const other of model.entities.values()) {
    for (const field of other.fields.values())
      if (other !== entity && constraint === uniqueName(other.table, field.name))
        return refuseAt([{ ...takenRefusal(field), at: "", values: { field: field.title } }]);
    for (const rule of other.rules)
      if (other !== entity && constraint === ruleName(other, rule))
        return refuseAt([{ ...ruleRefusal(model, rule), at: "", values: {} }]);
    for (const rule of other.uniquenessRules)
      if (other !== entity && constraint === uniquenessConstraintName(other, rule))
        return refuseAt([{ ...uniquenessRefusal(model, rule), at: "", values: fieldTitles(other, rule) }]);
  }
  return undefined;
};

/** The reference of a foreign key constraint, with its entity. */
const findReference = ({ entities }: Model, constraint: string) => {
  for (const owner of entities.values())
    for (const field of owner.fields.values())
      if (constraint === referenceName(owner.table, field.name) || constraint === linkName(owner.table, field.name))
        return { owner, field };
  return undefined;
};

/** The entities with deleted records, each with its clause. */
export const deletedClauses = (writeSets: readonly WriteSet[]): ReadonlyMap<string, string> =>
  new Map(
    writeSets.flatMap(({ action, entity }) => (action === "delete" ? [[entity.name, entity.clause.id] as const] : [])),
  );

/** The refusal for an effect without a value for a required field. */
export const notNullRefusal = (model: Model, table: string, column: string): Refusal | undefined => {
  const entity = [...model.entities.values()].find((candidate) => candidate.table === table);
  const field = entity?.fields.get(column);
  return field === undefined
    ? undefined
    : refuseAt([{ ...requiredRefusal(field), at: "", values: { field: field.title } }]);
};

/**
 * True for the constraint of a uniqueness rule. It fails only for a concurrent write; a retry then refuses with the
 * rule's message.
 */
export const isUniquenessConstraint = (entity: Entity, constraint: string): boolean =>
  entity.uniquenessRules.some((rule) => constraint === uniquenessConstraintName(entity, rule));
