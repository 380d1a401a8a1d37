import type { Type } from "../expression/values/type.ts";
import type { Value } from "../expression/values/value.ts";
import { hasAxis, placesFor } from "./sample-points.ts";
import { isSeedRecord } from "./structural-key.ts";
import type { Group, Term } from "./terms.ts";
import type { Entities } from "./value-ranges.ts";

/**
 * Sample values for the terms of a group that cover every outcome of comparisons among them and with the constants.
 * Undefined for a type whose values cannot be enumerated.
 */
export const valuesFor = (group: Group, entities: Entities): ReadonlyMap<Term, readonly Value[]> | undefined => {
  const [first] = group.terms;
  if (first === undefined) return new Map();
  const kind = first.expr.type.kind;
  const values = hasAxis(kind) ? placesFor(group, entities) : named(group, kind);
  if (values === undefined) return undefined;
  return new Map([...values].map(([term, termValues]) => [term, term.missing ? [...termValues, null] : termValues]));
};

/** Values that can only be compared for equality. */
const named = (group: Group, kind: Type["kind"]): ReadonlyMap<Term, readonly Value[]> | undefined => {
  const { terms, constants, ordered } = group;
  if (terms.some(({ expr }) => expr.type.kind !== kind)) return undefined;
  const all = (of: (term: Term) => readonly Value[]) => new Map(terms.map((term) => [term, of(term)]));
  switch (kind) {
    case "boolean":
      return all(() => [false, true]);
    case "choice":
      return all(({ expr }) => (expr.type.kind === "choice" ? expr.type.values : []));
    case "text": {
      if (ordered && constants.length > 0) return undefined;
      const constantSet = new Set(constants);
      const candidates = Array.from({ length: terms.length + constantSet.size }, (_, i) => `text ${i + 1}`);
      const values = [
        ...constantSet,
        ...candidates.filter((candidate) => !constantSet.has(candidate)).slice(0, terms.length),
      ];
      return all(() => values);
    }
    case "record": {
      const seedRecords = terms.filter(({ expr }) => isSeedRecord(expr));
      // Records that nothing compares can be different ones, so those of other groups have other ids.
      const fresh = terms.filter(({ expr }) => !isSeedRecord(expr)).map(itself);
      const values = [...seedRecords.map(itself), ...constants.map((id) => ({ id })), ...fresh];
      return all((term) => (isSeedRecord(term.expr) ? [itself(term)] : values));
    }
    case "file":
    case "json":
      return all(() => [{ id: "1" }]);
    default:
      return undefined;
  }
};

/** The record of a term. A seed record is equal only to itself. */
const itself = ({ name }: Term): Value => ({ id: name });
