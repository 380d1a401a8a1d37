import type { Expr } from "../../expression/expr.ts";
import { elementCondition, rebaseOnReference } from "../../expression/rewrite/rebase-on-reference.ts";
import { throughOf } from "../../model/derived-reference.ts";
import type { Entity, Field, Model } from "../../model/model.ts";
import { decidingClauseId, grantsFor, isAutomatic, type Principal } from "./grants.ts";

/** A list of a record to which a person may add where the record is of one kind, and not where it is of another. */
export interface Addition {
  /** As the document writes it: `Stop.trip`. */
  readonly list: string;
  readonly entity: Entity;
  /** What has to hold on the record. One of them is enough, and of each all. */
  readonly ways: readonly (readonly Expr[])[];
  /** What is answered where none does. */
  readonly refusal: { readonly code: "FORBIDDEN" | "NOT_AMONG"; readonly clause: string };
}

/**
 * The lists of an entity's records to which it depends on the record whether a person may add: whether its reference may
 * name it, and whether they may make one for it. What is asked of the record that is added is not known before it is there,
 * and counts as if it were so.
 */
export const additionsTo = (model: Model, entity: Entity, person: Principal): readonly Addition[] =>
  [...entity.fields.values()].flatMap(({ held }): readonly Addition[] => {
    if (held.as !== "list") return [];
    const { by } = held;
    const added = model.entities.get(held.entity);
    const reference = added?.fields.get(by);
    if (added === undefined || reference === undefined) return [];
    const through = throughOf(added, by);
    if (through === null && isAutomatic(added, by)) return [];
    const list = `${added.name}.${by}`;
    const given = through?.field ?? by;
    const grants = grantsFor(model, added, "create", person).filter(
      ({ fields }) => fields === null || fields.has(given),
    );
    if (grants.length === 0) return [];
    const path = through === null ? by : `${through.field}.${through.of}`;
    const ways = grants.map(({ conditions }) =>
      conditions.flatMap((condition) => rebaseOnReference(condition, path) ?? []),
    );
    const asked = askedOfNamed(reference);
    return [
      ...(asked === undefined
        ? []
        : [
            {
              list,
              entity: added,
              ways: [[asked]],
              refusal: { code: "NOT_AMONG", clause: reference.clause.id },
            } as const,
          ]),
      ...(ways.some((way) => way.length === 0)
        ? []
        : [
            {
              list,
              entity: added,
              ways,
              refusal: { code: "FORBIDDEN", clause: decidingClauseId(added, "create") },
            } as const,
          ]),
    ];
  });

/** What a reference asks of the record that it names, where the document says so. */
const askedOfNamed = ({ among }: Field): Expr | undefined =>
  among === null || among.list.span.file === "" ? undefined : elementCondition(among.list);
