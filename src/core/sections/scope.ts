import type { Scope } from "../expression/values/type.ts";
import { deepEqual } from "../util/deep-equal.ts";

/** What names meant in the document that was read last. */
let last: Scope | undefined;

/**
 * What names mean in a document as a whole. What means the same as when a document was last read is the same value, so that
 * what was read with it need not be read anew.
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
