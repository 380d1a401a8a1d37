import { type Grant, grantsFor, type Principal } from "../derive/authorization/grants.ts";
import type { Expr } from "../expression/expr.ts";
import type { Entity } from "../model/entity.ts";
import type { Model } from "../model/model.ts";
import { type Action, ADMINISTRATOR, type Permission, STANDS_IN } from "../model/permissions.ts";

const SOMEBODY = "00000000-0000-4000-8000-000000000000";

/** Sample persons for the analyzers. Equivalent persons are one object, so that their grants are computed once. */
export interface People {
  /** A person with all roles: permissions missing here are missing for everybody. */
  readonly ofAll: Principal;
  /**
   * A signed-in person with one role and no other granted role. A holder of a role on a record may have any granted
   * role: the handler of a ticket is an agent, although no clause says so.
   */
  readonly holderOf: (entity: Entity, role: string) => Principal;
  /**
   * Sample holders of a role, differing by their other granted roles. A holder of a role on a record may have no
   * granted role or any single one; a clause leaks data if any of them cannot read it.
   */
  readonly holdersOf: (entity: Entity, role: string) => readonly Principal[];
  /** A person to whom the permission applies. */
  readonly holderBy: (entity: Entity, permission: Permission) => Principal;
  /** The grants of an action for a person; the identical array on repeated calls. */
  readonly grantsOf: (entity: Entity, action: Action, person: Principal) => readonly Grant[];
}

export const createPeople = (model: Model): People => {
  const ofAll: Principal = { id: SOMEBODY, granted: new Set([ADMINISTRATOR, STANDS_IN, ...model.roles.keys()]) };
  const ungranted: Principal = { id: SOMEBODY, granted: new Set() };
  const deputy: Principal = { id: SOMEBODY, granted: new Set([STANDS_IN]) };
  const holders = new Map<string, Principal>();
  const grants = new Map<Principal, Map<Entity, { [A in Action]?: readonly Grant[] }>>();

  const createHolder = (role: string): Principal => {
    const members = model.roles.get(role)?.members;
    if (role !== ADMINISTRATOR && members !== "granted" && members !== "deputies") return ungranted;
    const holder = holders.get(role) ?? {
      id: SOMEBODY,
      granted: new Set([role, ...(members === "deputies" ? [STANDS_IN] : [])]),
    };
    holders.set(role, holder);
    return holder;
  };
  const holderOf = (entity: Entity, role: string): Principal => (entity.roles.has(role) ? ofAll : createHolder(role));
  const granted = [...model.roles.values()].filter(({ members }) => members === "granted").map(({ name }) => name);
  return {
    ofAll,
    holderOf,
    holdersOf: (entity, role) => {
      const heldRole = entity.roles.get(role);
      if (heldRole === undefined) return [createHolder(role)];
      return heldRole.represented === undefined ? [ungranted, ...granted.map(createHolder)] : [deputy];
    },
    holderBy: (entity, { role, roleCondition }) => (roleCondition === null ? holderOf(entity, role) : ofAll),
    grantsOf: (entity, action, person) => {
      const byEntity = grants.get(person) ?? new Map<Entity, { [A in Action]?: readonly Grant[] }>();
      grants.set(person, byEntity);
      const byAction = byEntity.get(entity) ?? {};
      byEntity.set(entity, byAction);
      byAction[action] ??= grantsFor(model, entity, action, person);
      return byAction[action];
    },
  };
};

/** Conditions under which a permission applies to a record. */
export const conditionsBy = ({ roleCondition, when }: Permission): readonly Expr[] => [
  ...(roleCondition === null ? [] : [roleCondition]),
  ...(when === null ? [] : [when]),
];

/** Conditions under which the role is held on a record; none for a global role. */
export const roleConditions = (entity: Entity, role: string): readonly Expr[] => {
  const heldRole = entity.roles.get(role);
  return heldRole === undefined ? [] : [heldRole.condition];
};
