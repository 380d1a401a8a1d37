import { findStatesIn } from "../../explain/role-holders.ts";
import { splitConjuncts } from "../../expression/boolean-exprs.ts";
import type { Expr } from "../../expression/expr.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import type { Entity, Transition, UniquenessRule } from "../../model/entity.ts";
import { computedExpr, type Field, isOfRecord } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import type { FactJson, OverlapRuleJson } from "../../wire/entities.ts";
import { type Principal, readableFieldsFor } from "../authorization/grants.ts";

/*
 * The facts on which a decision depends, for the dialog of a transition: those that the document chooses, or else the
 * values that its rules read, and those that the transitions to the present state asked for, such as the solution that
 * somebody accepts. Each is read with the ordinary call of its record, so that it discloses nothing.
 */

/** The facts of a transition that this person can read, in the order of their importance. */
export const findDecisionFacts = (
  model: Model,
  entity: Entity,
  transition: Transition,
  person: Principal,
): readonly FactJson[] => {
  const own = readableFieldsFor(model, entity.name, person);
  const isShown = (name: string): boolean => {
    const field = entity.fields.get(name);
    return (
      field !== undefined &&
      isOfRecord(field) &&
      field.type !== "state" &&
      own.has(name) &&
      !transition.asks.includes(name)
    );
  };
  if (transition.shows !== undefined)
    return transition.shows.flatMap(({ field, of }): readonly FactJson[] => {
      if (of === undefined) return isShown(field) ? [{ field }] : [];
      const isReadable =
        own.has(of.reference) &&
        readableFieldsFor(model, of.entity, person).has(field) &&
        isValue(model.entities.get(of.entity)?.fields.get(field));
      return isReadable ? [{ field, of: of.reference }] : [];
    });
  const conditions = listConditions(entity, transition);
  const reads = conditions.flatMap((condition) => [...collectReadSet(condition).paths].map((path) => path.split(".")));
  const ofRecord = reads.flatMap(([name = "", ...rest]) => (rest.length === 0 && isShown(name) ? [name] : []));
  const ofOthers = groupByReference(entity, reads).flatMap(([reference, fields]): readonly FactJson[] => {
    const other = model.entities.get(entity.fields.get(reference)?.entity ?? "");
    if (other === undefined || !isShown(reference)) return [];
    const readable = readableFieldsFor(model, other.name, person);
    const summaries = findSummaries(entity, isShown, reference, fields);
    if (summaries.length > 0) return summaries.map((field) => ({ field }));
    const shown = [...findResults(other, fields, readable)];
    return shown.map((field) => ({ field, of: reference }));
  });
  const given = [...(entity.states?.transitions.values() ?? [])]
    .filter((other) => other !== transition && leads(other, transition))
    .flatMap((other) => [...other.asks, ...listNumbers(entity, other.name)])
    .filter(isShown);
  const facts = [...given.map((field) => ({ field })), ...ofOthers, ...ofRecord.map((field) => ({ field }))];
  const keyOf = ({ field, of = "" }: FactJson) => `${of}.${field}`;
  return [...new Map(facts.map((fact) => [keyOf(fact), fact])).values()];
};

/** The guard and the rules that name the transition. */
const listConditions = (entity: Entity, { name, guard }: Transition): readonly Expr[] => [
  ...entity.rules.flatMap(({ during, rule }) => (during?.includes(name) ? [rule] : [])),
  ...(guard === null ? [] : [guard]),
];

/** True if one transition brings a record into a state, from another one, in which the other is possible. */
const leads = ({ from, to }: Transition, next: Transition): boolean =>
  to.some((state) => next.from.includes(state) && !from.includes(state));

/** The numbers that are drawn with a transition, such as that of an order. */
const listNumbers = (entity: Entity, transition: string): readonly string[] =>
  [...entity.fields.values()].flatMap(({ name, series }) => (series?.gapless === transition ? [name] : []));

/** `employee.allowance` and `employee.carried_over` as `employee` with both. */
const groupByReference = (
  entity: Entity,
  reads: readonly (readonly string[])[],
): readonly (readonly [reference: string, fields: ReadonlySet<string>])[] => {
  const groups = new Map<string, Set<string>>();
  for (const [reference = "", field, ...rest] of reads) {
    const { type, many = true } = entity.fields.get(reference) ?? {};
    if (field === undefined || rest.length > 0 || type !== "reference" || many) continue;
    groups.set(reference, (groups.get(reference) ?? new Set()).add(field));
  }
  return [...groups];
};

/** The computed fields of a record that repeat what its reference says: `days_left`, computed as `employee.days_left`. */
const findSummaries = (
  { fields }: Entity,
  isShown: (name: string) => boolean,
  reference: string,
  read: ReadonlySet<string>,
): readonly string[] =>
  [...fields.values()].flatMap((field) => {
    const from = computedExpr(field);
    const paths = from === null ? [] : [...collectReadSet(from).paths].map((path) => path.split("."));
    const isSummary = paths.some(([of, name = ""]) => of === reference && read.has(name));
    return isSummary && isShown(field.name) ? [field.name] : [];
  });

/**
 * The fields that say most about those that a rule reads: of `allowance` and `carried_over` the days left, which are
 * computed from both. Without such fields, those themselves.
 */
const findResults = (
  { fields }: Entity,
  read: ReadonlySet<string>,
  readable: ReadonlySet<string>,
): ReadonlySet<string> => {
  const readsOf = (name: string): ReadonlySet<string> => {
    const field = fields.get(name);
    const from = field === undefined ? null : computedExpr(field);
    return from === null ? new Set() : collectReadSet(from).fields;
  };
  const results = new Set([...read].filter((name) => readable.has(name) && isValue(fields.get(name))));
  for (const { name } of fields.values()) {
    const from = [...readsOf(name)].filter((one) => results.has(one));
    if (from.length === 0 || !readable.has(name)) continue;
    for (const one of from) results.delete(one);
    results.add(name);
  }
  return results;
};

const isValue = (field: Field | undefined): boolean =>
  field !== undefined && isOfRecord(field) && field.type !== "state";

/**
 * For a rule that keeps people from being in two places: the states in which it holds. Other people’s records in these
 * states matter to a decision about the same time, such as who else is away.
 */
export const findConcurrentStates = (
  entity: Entity,
  { same, where }: UniquenessRule,
): Pick<OverlapRuleJson, "concurrent"> => {
  const isOfPeople = same.length > 0 && same.every((name) => entity.fields.get(name)?.entity === "User");
  const states = where === null ? [] : splitConjuncts(where).flatMap((part) => findStatesIn(entity, part) ?? []);
  return isOfPeople && states.length > 0 ? { concurrent: states } : {};
};
