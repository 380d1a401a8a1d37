import type { Entity, Transition } from "../../model/entity.ts";
import { rulesOfTransition } from "../../model/facts/applicable-rules.ts";
import type { Model } from "../../model/model.ts";
import { getGuard, getPermission, rulesAffectedBy } from "./read-sets.ts";

const inTransitions = new WeakMap<Model, Map<Transition, ReadonlySet<string>>>();

/** The entities whose records decide if a transition is refused, besides its input. */
export const findDecidingEntities = (model: Model, entity: Entity, transition: Transition): ReadonlySet<string> => {
  const byTransition = inTransitions.get(model) ?? new Map<Transition, ReadonlySet<string>>();
  inTransitions.set(model, byTransition);
  const known = byTransition.get(transition);
  if (known !== undefined) return known;
  const own = rulesOfTransition(entity, transition).flatMap(({ rule }) => rule.recordReads);
  const affected = rulesAffectedBy(model, entity, null).flatMap(({ owner, rule }) => [
    { entity: owner.name },
    ...rule.recordReads,
  ]);
  const allowed = [...getGuard(model, entity, transition.name), ...getPermission(model, entity, transition.name)];
  const deciding = new Set([entity.name, ...[...own, ...affected, ...allowed].map((read) => read.entity)]);
  byTransition.set(transition, deciding);
  return deciding;
};
