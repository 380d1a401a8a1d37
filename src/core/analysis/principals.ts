import { type Grant, grantsFor, type Principal } from "../derive/authorization/grants.ts";
import type { Expr } from "../expression/expr.ts";
import { type Action, ADMINISTRATOR, type Entity, type Model, type Permission } from "../model/model.ts";

const SOMEBODY = "00000000-0000-4000-8000-000000000000";

/** Those about whom the checks ask: who are alike are one, so that what is open to them is found once. */
export interface People {
  /** Somebody who holds every role: what they may not do, nobody may. */
  readonly ofAll: Principal;
  /**
   * Somebody who is signed in and holds a role, and no other that is granted. Who holds a role on a record may be granted
   * any: whoever handles a ticket is an agent, though nothing says so.
   */
  readonly holderOf: (entity: Entity, role: string) => Principal;
  /**
   * Everybody who holds a role, as they differ by what else is granted to them. Who holds it on a record may be granted
   * nothing, or any one role: what each of them may not read, the clause tells them.
   */
  readonly holdersOf: (entity: Entity, role: string) => readonly Principal[];
  /** Somebody whom a permission is for. */
  readonly holderBy: (entity: Entity, permission: Permission) => Principal;
  /** The gates of an action that are open to one of them: the same array, whoever asks again. */
  readonly gatesOf: (entity: Entity, action: Action, person: Principal) => readonly Grant[];
}

export const peopleOf = (model: Model): People => {
  const ofAll: Principal = { id: SOMEBODY, granted: new Set([ADMINISTRATOR, ...model.roles.keys()]) };
  const ungranted: Principal = { id: SOMEBODY, granted: new Set() };
  const holders = new Map<string, Principal>();
  const grants = new Map<Principal, Map<Entity, { [A in Action]?: readonly Grant[] }>>();

  const holding = (role: string): Principal => {
    if (role !== ADMINISTRATOR && model.roles.get(role)?.members !== "granted") return ungranted;
    const holder = holders.get(role) ?? { id: SOMEBODY, granted: new Set([role]) };
    holders.set(role, holder);
    return holder;
  };
  const holderOf = (entity: Entity, role: string): Principal => (entity.roles.has(role) ? ofAll : holding(role));
  const granted = [...model.roles.values()].filter(({ members }) => members === "granted").map(({ name }) => name);
  return {
    ofAll,
    holderOf,
    holdersOf: (entity, role) => (entity.roles.has(role) ? [ungranted, ...granted.map(holding)] : [holding(role)]),
    holderBy: (entity, { role, held }) => (held === null ? holderOf(entity, role) : ofAll),
    gatesOf: (entity, action, person) => {
      const byEntity = grants.get(person) ?? new Map<Entity, { [A in Action]?: readonly Grant[] }>();
      grants.set(person, byEntity);
      const byAction = byEntity.get(entity) ?? {};
      byEntity.set(entity, byAction);
      byAction[action] ??= grantsFor(model, entity, action, person);
      return byAction[action];
    },
  };
};

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
