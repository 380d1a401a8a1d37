import type { Person } from "../derive/access.ts";
import { ADMINISTRATOR, type Entity, type Model, type Permission } from "../model/model.ts";
import type { Expr } from "../rule/expr.ts";

const SOMEBODY = "00000000-0000-4000-8000-000000000000";

/**
 * Somebody who is signed in and holds a role, and no other that is granted. Who holds a role on a record may be granted
 * any: whoever handles a ticket is an agent, though nothing says so.
 */
export const holderOf = (model: Model, entity: Entity, role: string): Person => {
  if (entity.roles.has(role)) return holderOfAll(model);
  const isGranted = role === ADMINISTRATOR || model.roles.get(role)?.members === "granted";
  return { id: SOMEBODY, granted: new Set(isGranted ? [role] : []) };
};

/** Somebody whom a permission is for. */
export const holderBy = (model: Model, entity: Entity, { role, held }: Permission): Person =>
  held === null ? holderOf(model, entity, role) : holderOfAll(model);

/** Somebody who holds every role: what they may not do, nobody may. */
export const holderOfAll = (model: Model): Person => ({
  id: SOMEBODY,
  granted: new Set([ADMINISTRATOR, ...model.roles.keys()]),
});

/** What must be true of a record for a permission to be somebody's on it. */
export const conditionsBy = ({ held, when }: Permission): readonly Expr[] => [
  ...(held === null ? [] : [held]),
  ...(when === null ? [] : [when]),
];

/** What must be true of a record for somebody to hold a role on it: nothing, for a role that is held everywhere. */
export const conditionsOf = (entity: Entity, role: string): readonly Expr[] => {
  const held = entity.roles.get(role);
  return held === undefined ? [] : [held.condition];
};
