import { templateExpressions } from "../../expression/compile/template.ts";
import { collectReadSet, intersects } from "../../expression/inspect/read-set.ts";
import type { Entity, Transition, UniquenessRule, ValidationRule } from "../../model/entity.ts";
import { rulesOfTransition } from "../../model/facts/applicable-rules.ts";
import { findKeptAt } from "../../model/facts/kept-fields.ts";
import { computedExpr } from "../../model/field.ts";
import { uniquenessRulesAt } from "./uniqueness.ts";

/**
 * The checks of a transition that nothing which it asks for can change: if one fails, the transition is refused whatever
 * is entered.
 */
interface ChecksBeforeInput {
  readonly rules: readonly ValidationRule[];
  readonly uniquenessRules: readonly UniquenessRule[];
  /**
   * True if only a trial of the transition decides all of them or gives the values in their messages: the record alone does
   * not.
   */
  readonly areTried: boolean;
}

/** The fields whose values after the transition depend on its input, or are drawn only when it is made. */
const findEnteredFields = (entity: Entity, { name, asks, set }: Transition): ReadonlySet<string> => {
  const kept = asks.length === 0 ? [] : findKeptAt(entity, name, new Set([...asks, ...set.keys()]));
  const numbered = [...entity.fields.values()].flatMap((field) => (field.series?.gapless === name ? [field.name] : []));
  const entered = new Set([...asks, ...kept, ...numbered]);
  // A value that the transition sets can read a computed field, and that one the input: `set: { charged: total }`.
  const values = [...set, ...[...entity.fields].map(([field, value]) => [field, computedExpr(value)] as const)];
  for (let known = -1; known < entered.size; ) {
    known = entered.size;
    for (const [field, value] of values)
      if (value !== null && [...collectReadSet(value).fields].some((read) => entered.has(read))) entered.add(field);
  }
  return entered;
};

export const checksBeforeInput = (entity: Entity, transition: Transition): ChecksBeforeInput => {
  const { name, asks, set, preconditions } = transition;
  const entered = findEnteredFields(entity, transition);
  const lists = new Set(
    asks.flatMap((ask) => {
      const field = entity.fields.get(ask);
      return field?.storage.as === "inverse" && field.entity !== null ? [field.entity] : [];
    }),
  );
  const isIndependent = ({ reads, recordReads }: ValidationRule): boolean =>
    !reads.some((field) => entered.has(field)) &&
    !recordReads.some((read) => lists.has(read.entity) || (read.entity === entity.name && intersects(read, entered)));
  const independent = rulesOfTransition(entity, transition).filter(({ rule }) => isIndependent(rule));
  const changed = new Set([entity.states?.field ?? "", ...set.keys()]);
  const uniquenessRules = uniquenessRulesAt(entity, name, changed).filter(
    ({ reads }) => !reads.some((field) => entered.has(field)),
  );
  return {
    rules: independent.map(({ rule }) => rule),
    uniquenessRules,
    areTried:
      uniquenessRules.length > 0 ||
      preconditions.some(({ message }) => templateExpressions(message).length > 0) ||
      independent.some(({ rule, isDecidable }) => !isDecidable || rule.recordReads.length > 0),
  };
};
