import type { Entity } from "../../model/entity.ts";
import type { Model } from "../../model/model.ts";
import { grantsFor, type Principal } from "./grants.ts";

/** True if deleted records of the entity are kept for some days. Accounts are deleted for good. */
export const keepsTrash = ({ limits }: Pick<Model, "limits">, { name, served }: Entity): boolean =>
  limits.trashDays > 0 && served && name !== "User";

/** True if the caller is signed in, and can read and delete some records of the entity. */
export const canFindTrash = (model: Model, entity: Entity, principal: Principal): boolean =>
  principal.id !== null &&
  keepsTrash(model, entity) &&
  (["read", "delete"] as const).every((action) => grantsFor(model, entity, action, principal).length > 0);
