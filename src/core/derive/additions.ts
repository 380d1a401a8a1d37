import type { Entity, Model } from "../model/model.ts";
import type { Expr } from "../rule/expr.ts";
import { onReferred } from "../rule/referred.ts";
import { gatesOf, isAutomatic, type Person } from "./access.ts";

/** A list of a record to which a person may add where the record is of one kind, and not where it is of another. */
export interface Addition {
  /** As the document writes it: `Stop.trip`. */
  readonly list: string;
  readonly entity: Entity;
  /** What has to hold on the record. One of them is enough, and of each all. */
  readonly ways: readonly (readonly Expr[])[];
}

/**
 * The lists of an entity's records to which it depends on the record whether a person may add. What is asked of the record
 * that is added is not known before it is there, and counts as if it were so.
 */
export const additionsTo = (model: Model, entity: Entity, person: Person): readonly Addition[] =>
  [...entity.fields.values()].flatMap(({ held }): readonly Addition[] => {
    if (held.as !== "list") return [];
    const { by } = held;
    const added = model.entities.get(held.entity);
    if (added === undefined || isAutomatic(added, by)) return [];
    const ways = gatesOf(model, added, "create", person)
      .filter(({ fields }) => fields === null || fields.has(by))
      .map(({ conditions }) => conditions.flatMap((condition) => onReferred(condition, by) ?? []));
    if (ways.some((way) => way.length === 0)) return [];
    return ways.length === 0 ? [] : [{ list: `${added.name}.${by}`, entity: added, ways }];
  });
