import type { Scope } from "../expression/values/type.ts";
import { deepEqual } from "../util/deep-equal.ts";

/**
 * The scope of the whole document. Reuses the objects of the scope before it where they are equal, so that cached
 * expressions stay valid.
 */
export const reuseScope = (before: Scope | undefined, scope: Scope): Scope => {
  const shapes = before?.entities;
  const entities = new Map(
    Array.from(scope.entities, ([name, shape]) => [name, asBefore(shapes?.get(name), shape)] as const),
  );
  return {
    ...scope,
    entities: asBefore(shapes, entities),
    limits: asBefore(before?.limits, scope.limits),
    ...(scope.roles === undefined ? {} : { roles: asBefore(before?.roles, scope.roles) }),
    ...(scope.names === undefined ? {} : { names: asBefore(before?.names, scope.names) }),
  };
};

const asBefore = <T>(before: T | undefined, now: T): T =>
  before !== undefined && deepEqual(before, now) ? before : now;
