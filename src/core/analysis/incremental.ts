import type { Entity } from "../model/entity.ts";
import type { Mention } from "../model/mention.ts";
import type { Model } from "../model/model.ts";
import type { Budget } from "../satisfiability/satisfiability.ts";
import { deepEqual } from "../util/deep-equal.ts";
import type { UsedMap } from "../util/used-map.ts";

/**
 * Cache of findings by entity across compilations. Most changes affect one entity: the findings of another are reused
 * while it, every entity that its analysis looked up, and all other inputs are unchanged. An analyzer can reach other
 * entities only through the lookup that records them, so no dependency is missed.
 */
export interface AnalysisCache<F> {
  /** The findings of `check` for an entity; `check` receives the lookup for other entities. */
  readonly found: (entity: Entity, mentions: readonly Mention[], check: (entities: EntityLookup) => F) => F;
}

/** A lookup of entities by name. */
export interface EntityLookup {
  readonly get: (name: string) => Entity | undefined;
}

interface Known {
  readonly rests: unknown;
  readonly entity: Entity;
  /** Mentions of the entity's fields and roles in the document. */
  readonly mentions: readonly Mention[];
  /** The entities looked up, as they were; undefined for a name without an entity. */
  readonly looked: ReadonlyMap<string, Entity | undefined>;
  /** The solver steps used; a cached result counts them again, so that results do not depend on the cache. */
  readonly steps: number;
  readonly found: unknown;
}

/** The findings of a document by the names of its entities. */
export type CheckCache = UsedMap<Known>;

/** `rests`: a plain value with all inputs of the analyzers besides entities. */
export const createFindingsCache = <F>(
  { entities }: Pick<Model, "entities">,
  rests: unknown,
  budget: Budget,
  known: CheckCache,
): AnalysisCache<F> => {
  known.forgetUnused();
  /** Results of comparing entities with their earlier versions. */
  const unchanged = new Map<Entity, boolean>();
  const isUnchanged = (before: Entity | undefined, name: string): boolean => {
    const now = entities.get(name);
    if (before === undefined || now === undefined) return before === now;
    const is = unchanged.get(before) ?? deepEqual(before, now);
    unchanged.set(before, is);
    return is;
  };
  const isRest = new Map<unknown, boolean>([[rests, true]]);
  const holds = (before: Known): boolean => {
    const rest = isRest.get(before.rests) ?? deepEqual(before.rests, rests);
    isRest.set(before.rests, rest);
    return (
      rest &&
      before.steps <= budget.left &&
      isUnchanged(before.entity, before.entity.name) &&
      [...before.looked].every(([name, entity]) => isUnchanged(entity, name))
    );
  };
  const asNow = (names: Iterable<string>): Known["looked"] =>
    new Map([...names].map((name) => [name, entities.get(name)]));

  const keep = (other: Known): void => known.set(other.entity.name, other);

  return {
    found: (entity, mentions, check) => {
      const before = known.get(entity.name);
      if (before !== undefined && holds(before) && deepEqual(before.mentions, mentions)) {
        budget.left -= before.steps;
        keep({ ...before, rests, entity, mentions, looked: asNow(before.looked.keys()) });
        return before.found as F;
      }
      const looked = new Set<string>();
      const left = budget.left;
      const found = check({
        get: (name) => {
          looked.add(name);
          return entities.get(name);
        },
      });
      // An analysis cut short by the budget is not reused, because it would then use more steps.
      const steps = budget.left > 0 ? left - budget.left : Infinity;
      keep({ rests, entity, mentions, looked: asNow(looked), steps, found });
      return found;
    },
  };
};
