import type { Entity } from "../../model/entity.ts";
import type { Model } from "../../model/model.ts";
import { permissionRulesFor, transitionRulesFor } from "../authorization/grants.ts";

/** The work of some roles on one kind of record. */
export interface RoleActs {
  readonly entity: Entity;
  /** True if they create such records. */
  readonly creates: boolean;
  /** Titles of their transitions, in document order. */
  readonly transitions: readonly string[];
}

/**
 * The work of roles: the records that they create and the transitions that they make, without parts of other records.
 * Entities with transitions come first, those with the most before others.
 */
export const listRoleActs = (model: Model, roles: ReadonlySet<string>): readonly RoleActs[] => {
  const isTheirs = ({ role }: { readonly role: string }): boolean => roles.has(role);
  return [...model.entities.values()]
    .filter(({ fields }) => [...fields.values()].every(({ partOf }) => !partOf))
    .map((entity): RoleActs => {
      const moves = [...(entity.states?.transitions.values() ?? [])].filter(
        (transition) =>
          transition.timeout === null &&
          transition.once === null &&
          transitionRulesFor(entity, transition).some(isTheirs),
      );
      return {
        entity,
        creates: entity.served && permissionRulesFor(entity, "create").some(isTheirs),
        transitions: moves.map(({ title }) => title),
      };
    })
    .filter(({ creates, transitions }) => creates || transitions.length > 0)
    .sort((a, b) => b.transitions.length - a.transitions.length);
};
