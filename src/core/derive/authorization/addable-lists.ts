import type { Expr } from "../../expression/expr.ts";
import { elementCondition, rebaseOnReference } from "../../expression/rewrite/rebase-on-reference.ts";
import type { Entity } from "../../model/entity.ts";
import { findDerivedReference } from "../../model/facts/derived-reference.ts";
import type { Field } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import { decidingClauseId, grantsFor, isAutomatic, type Principal } from "./grants.ts";

/** A list to which the caller can add for some records but not for others. */
export interface Addition {
  /** As in the document: `Stop.trip`. */
  readonly list: string;
  readonly entity: Entity;
  /** Alternatives of conditions on the record: one alternative must hold completely. */
  readonly alternatives: readonly (readonly Expr[])[];
  /** The refusal if no alternative holds. */
  readonly refusal: { readonly code: "FORBIDDEN" | "NOT_AMONG"; readonly clause: string };
}

/**
 * The lists of an entity whose permission to add depends on the record: on whether the part's reference may refer to
 * it, and on the create permissions. Conditions on the new record itself are not known in advance and count as true.
 */
export const additionsTo = (model: Model, entity: Entity, person: Principal): readonly Addition[] =>
  [...entity.fields.values()].flatMap(({ storage }): readonly Addition[] => {
    if (storage.as !== "inverse") return [];
    const { by } = storage;
    const added = model.entities.get(storage.entity);
    const reference = added?.fields.get(by);
    if (added === undefined || reference === undefined) return [];
    const through = findDerivedReference(added, by);
    if (through === null && isAutomatic(added, by)) return [];
    const list = `${added.name}.${by}`;
    const entered = through?.field ?? by;
    const grants = grantsFor(model, added, "create", person).filter(
      ({ fields }) => fields === null || fields.has(entered),
    );
    if (grants.length === 0) return [];
    const path = through === null ? by : `${through.field}.${through.of}`;
    const alternatives = grants.map(({ conditions }) =>
      conditions.flatMap((condition) => rebaseOnReference(condition, path) ?? []),
    );
    const namedCondition = askedOfNamed(reference);
    return [
      ...(namedCondition === undefined
        ? []
        : [
            {
              list,
              entity: added,
              alternatives: [[namedCondition]],
              refusal: { code: "NOT_AMONG", clause: reference.clause.id },
            } as const,
          ]),
      ...(alternatives.some((conditions) => conditions.length === 0)
        ? []
        : [
            {
              list,
              entity: added,
              alternatives,
              refusal: { code: "FORBIDDEN", clause: decidingClauseId(added, "create") },
            } as const,
          ]),
    ];
  });

/** The condition that a reference imposes on its target, if the document declares one. */
const askedOfNamed = ({ among }: Field): Expr | undefined =>
  among === null || among.list.span.file === "" ? undefined : elementCondition(among.list);
