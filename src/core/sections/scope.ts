import type { Scope } from "../expression/values/type.ts";
import { deepEqual } from "../util/deep-equal.ts";

/** Scope of the most recent compilation. */
let last: Scope | undefined;

/**
 * The scope of the whole document. Reuses the objects of the previous compilation where they are equal, so that cached
 * expressions stay valid.
 */
export const scopeOf = (scope: Scope): Scope => {
  const before = last;
  const shapes = before?.entities;
  const entities = new Map(
    Array.from(scope.entities, ([name, shape]) => [name, asBefore(shapes?.get(name), shape)] as const),
  );
  last = {
    ...scope,
    entities: asBefore(shapes, entities),
    limits: asBefore(before?.limits, scope.limits),
    ...(scope.roles === undefined ? {} : { roles: asBefore(before?.roles, scope.roles) }),
    ...(scope.names === undefined ? {} : { names: asBefore(before?.names, scope.names) }),
  };
  return last;
};

const asBefore = <T>(before: T | undefined, now: T): T =>
  before !== undefined && deepEqual(before, now) ? before : now;
