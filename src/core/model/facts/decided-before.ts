import type { Entity, Transition, ValidationRule } from "../entity.ts";
import { rulesAt } from "./applicable-rules.ts";
import { findKeptAt } from "./kept-fields.ts";

/** A rule that is checked with a transition. */
interface CheckedRule {
  readonly rule: ValidationRule;
  /** True if the record alone decides it before the write: it reads nothing that the transition changes or asks for. */
  readonly isDecidable: boolean;
}

/** The rules that are checked with a transition, in document order. */
export const rulesOfTransition = (entity: Entity, transition: Transition): readonly CheckedRule[] => {
  const { name, set, asks, needs } = transition;
  const written = new Set([entity.states?.field ?? "", ...set.keys(), ...asks]);
  const numbered = [...entity.fields.values()].filter(({ series }) => series?.gapless === name);
  const changed = new Set([
    ...written,
    ...findKeptAt(entity, name, written),
    ...numbered.map((field) => field.name),
    ...(needs === undefined ? [] : [needs.field]),
    "updated_at",
  ]);
  // With a list of parts, a transition asks for the parts.
  const lists = asks.flatMap((ask) => {
    const field = entity.fields.get(ask);
    return field?.storage.as === "inverse" && field.entity !== null ? [field.entity] : [];
  });
  const entities = new Set([entity.name, ...lists]);
  return rulesAt(entity, name, written).map((rule) => ({
    rule,
    isDecidable:
      !rule.reads.some((field) => changed.has(field)) && !rule.recordReads.some((read) => entities.has(read.entity)),
  }));
};
