import type { Mention } from "../model/mention.ts";
import type { Entity, Model } from "../model/model.ts";
import type { Budget } from "../satisfiability/satisfiability.ts";
import { createBoundedCache } from "../util/bounded-cache.ts";
import { deepEqual } from "../util/deep-equal.ts";

/**
 * What was found of entities when a document was last read. Most changes of a document are of one entity: what the checks found
 * of another is found again as long as it, every entity that they looked at on the way, and all else that they rest on say the
 * same. Only what they may look at is handed to them, so nothing can be left out of this.
 */
export interface Remembered<F> {
  /** What `check` finds of an entity; it is given what it may look other entities up in. */
  readonly found: (entity: Entity, mentions: readonly Mention[], check: (entities: Looking) => F) => F;
}

/** Entities, looked up one by one. */
export interface Looking {
  readonly get: (name: string) => Entity | undefined;
}

interface Known {
  readonly rests: unknown;
  readonly entity: Entity;
  /** Where the document names fields and roles of it. */
  readonly mentions: readonly Mention[];
  /** The entities that were looked at, as they were; undefined where there was none of that name. */
  readonly looked: ReadonlyMap<string, Entity | undefined>;
  /** What was tried to find it: it counts as if it were tried again. */
  readonly steps: number;
  readonly found: unknown;
}

/** By the names of entities, of the documents that this process reads. */
const known = createBoundedCache<Known>();

/** Beside those of the document that is read. */
const MORE_KNOWN = 500;

/** `rests`: a plain value of all that every check rests on beside entities. */
export const rememberedIn = <F>(
  { entities }: Pick<Model, "entities">,
  rests: unknown,
  budget: Budget,
): Remembered<F> => {
  /** Whether entities are what they were, by what they were. */
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

  const keep = (one: Known): void => known.set(one.entity.name, one, 1, entities.size + MORE_KNOWN);

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
      // What was cut short is asked anew another time: there is more to try then than is left.
      const steps = budget.left > 0 ? left - budget.left : Infinity;
      keep({ rests, entity, mentions, looked: asNow(looked), steps, found });
      return found;
    },
  };
};
