import type { Entity } from "../../model/entity.ts";
import type { Model } from "../../model/model.ts";
import { DEPUTY } from "../../model/permissions.ts";
import { grantsFor, type Principal } from "./grants.ts";

/**
 * True if deleted records of the entity stay in the trash for some days. Accounts are deleted permanently. Deputies are
 * too, so that nobody else can restore one whom somebody removed.
 */
export const keepsTrash = (
  { limits, deputies }: Pick<Model, "limits" | "deputies">,
  { name, served }: Entity,
): boolean => limits.trashDays > 0 && served && name !== "User" && (deputies === null || name !== DEPUTY);

/** True if the caller is signed in, and can read and delete some records of the entity. */
export const canFindTrash = (model: Model, entity: Entity, principal: Principal): boolean =>
  principal.id !== null &&
  keepsTrash(model, entity) &&
  (["read", "delete"] as const).every((action) => grantsFor(model, entity, action, principal).length > 0);
