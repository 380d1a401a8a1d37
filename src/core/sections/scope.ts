import type { Scope } from "../expression/values/type.ts";
import { deepEqual, shallowEqual } from "../util/deep-equal.ts";

/**
 * The scope of the whole document. Reuses the objects of the scope before it where they are equal, so that cached
 * expressions stay valid.
 */
export const reuseScope = (before: Scope | undefined, scope: Scope): Scope => {
  const now = {
    ...scope,
    entities: asBefore(before?.entities, reuseEntries(before?.entities, scope.entities)),
    limits: asBefore(before?.limits, scope.limits),
    ...(scope.roles === undefined ? {} : { roles: asBefore(before?.roles, scope.roles) }),
    ...(scope.names === undefined ? {} : { names: asBefore(before?.names, scope.names) }),
  };
  return before !== undefined && shallowEqual(before, now) ? before : now;
};

/** The entries of a map, with the objects of the map before it where they are equal. */
export const reuseEntries = <T>(
  before: ReadonlyMap<string, T> | undefined,
  now: ReadonlyMap<string, T>,
): ReadonlyMap<string, T> =>
  new Map(Array.from(now, ([name, value]) => [name, asBefore(before?.get(name), value)] as const));

const asBefore = <T>(before: T | undefined, now: T): T =>
  before !== undefined && deepEqual(before, now) ? before : now;
