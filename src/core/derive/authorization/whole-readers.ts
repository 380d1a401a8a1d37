import type { Model } from "../../model/model.ts";
import type { Role } from "../../model/permissions.ts";
import { isHeldBy, type Principal, permissionRulesFor } from "./grants.ts";

/** A global role, and how people get it. */
interface GlobalRole {
  readonly role: string;
  readonly members: Role["members"] | undefined;
}

/**
 * The roles whose members can read a field, or every field, of all records of an entity. Conditional permissions do not
 * count, so the answer needs no record. The result is plain data that can outlive the model.
 */
export const findWholeReaders = (model: Model, entityName: string, field: string | null): readonly GlobalRole[] => {
  const entity = model.entities.get(entityName);
  if (entity === undefined) return [];
  const requested = field === null ? [...entity.fields.keys()] : [field];
  return permissionRulesFor(entity, "read").flatMap(({ role, roleCondition, when, fields }) =>
    roleCondition === null && when === null && (fields === null || requested.every((name) => fields.has(name)))
      ? [{ role, members: model.roles.get(role)?.members }]
      : [],
  );
};

/** True if the caller holds one of the roles. */
export const isReader = (readers: readonly GlobalRole[], person: Principal): boolean =>
  readers.some(({ role, members }) => isHeldBy(role, members, person));
