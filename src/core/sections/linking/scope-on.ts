import type { Scope } from "../../expression/values/type.ts";

/** The scope on the records of an entity: one object for all of its clauses, since many are read in it. */
export const scopeOn = (scope: Scope, entity: string): Scope => {
  let known = scopesOn.get(scope);
  if (known === undefined) {
    known = new Map();
    scopesOn.set(scope, known);
  }
  const before = known.get(entity);
  if (before !== undefined) return before;
  const own = { ...scope, entity };
  known.set(entity, own);
  return own;
};

const scopesOn = new WeakMap<Scope, Map<string, Scope>>();
