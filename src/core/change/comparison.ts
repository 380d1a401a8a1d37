import { alwaysTrue, every, not, splitConjuncts } from "../expression/boolean-exprs.ts";
import { type Expr, mapParts, subexpressions } from "../expression/expr.ts";
import { expandComputed } from "../expression/rewrite/expand-computed.ts";
import type { EntityShape, FieldShape, Type } from "../expression/values/type.ts";
import type { Entity } from "../model/entity.ts";
import { computedExpr, type Field } from "../model/field.ts";
import type { Model } from "../model/model.ts";
import { findSampledExample } from "../satisfiability/sampled-example.ts";
import { createDecider } from "../satisfiability/satisfiability.ts";
import { structuralKey } from "../satisfiability/structural-key.ts";
import type { Difference } from "./compared-line.ts";
import { findImplications, unfoldMembership } from "./implications.ts";
import { hasSameMeaning } from "./meaning.ts";
import { createWords, type DocumentWords } from "./words.ts";

/** Two versions of a document under the names of the later one, and a solver for their conditions. */
export interface Comparison {
  /** The earlier version, with the names of the later one. */
  readonly before: Model;
  readonly after: Model;
  /** The earlier version, with its own names. */
  readonly former: Model;
  readonly words: DocumentWords;
  /** Convert conditions of the earlier and of the later version, so that they are comparable. */
  readonly earlier: (condition: Expr) => Expr;
  readonly later: (condition: Expr) => Expr;
  /** Undefined if all of `conditions` together never hold where no alternative of `against` does. */
  readonly findDifference: (conditions: readonly Expr[], against: readonly (readonly Expr[])[]) => Difference;
}

/** `former`: the earlier version with its own names. `before`: the same version with those of the later one. */
export const createComparison = (former: Model, before: Model, after: Model): Comparison => {
  const entities = mergeEntities(before, after);
  const decide = createDecider(entities);
  const earlier = createPreparation(before, before, after);
  const later = createPreparation(after, before, after);

  /** Stored computed values have no formula here, because they are not recomputed on every write. */
  const formula = (entity: string, name: string): Expr | undefined => {
    const field = entities.get(entity)?.fields.get(name);
    return field === undefined || field.storage.as === "stored" ? undefined : (computedExpr(field) ?? undefined);
  };

  const findDifference: Comparison["findDifference"] = (conditions, against) => {
    if (against.some((alternative) => covers(alternative, conditions))) return undefined;
    const wanted = conditions.flatMap(splitConjuncts);
    const all = [
      ...wanted,
      ...against.flatMap((alternative) => {
        const condition = every(alternative);
        return condition === undefined ? [] : [not(condition)];
      }),
    ];
    if (!decide.canHold(...all)) return undefined;
    const implied = findImplications(all, decide.follows);
    if (implied.length > 0 && !decide.canHold(...all, ...implied)) return undefined;
    if (all.some((expr) => readsChangedType(expr, before, after))) return { example: null, conditions: all };
    const example = decide.exampleOf(...all);
    if (example !== undefined) return { example, conditions: all };
    const inputs = all.map((expr) => expandComputed(expr, formula));
    const sampled = findSampledExample(every(inputs) ?? alwaysTrue, entities);
    return sampled === undefined ? { example: null, conditions: all } : { example: sampled, conditions: inputs };
  };
  return { former, before, after, words: createWords(after), earlier, later, findDifference };
};

const conjunctKeys = new WeakMap<Expr, readonly string[]>();

const toKeys = (condition: Expr): readonly string[] => {
  const known = conjunctKeys.get(condition) ?? splitConjuncts(condition).map(structuralKey);
  conjunctKeys.set(condition, known);
  return known;
};

/** True if each part of `alternative` is a part of `conditions`, so that it holds whenever these do. */
export const covers = (alternative: readonly Expr[], conditions: readonly Expr[]): boolean => {
  const keys = new Set(conditions.flatMap(toKeys));
  return alternative.flatMap(toKeys).every((key) => keys.has(key));
};

/** The fields of both versions, by entity; for a field in both, the later one. */
const mergeEntities = (before: Model, after: Model): ReadonlyMap<string, Pick<Entity, "fields">> => {
  const all = new Map<string, Pick<Entity, "fields">>(before.entities);
  for (const [name, { fields }] of after.entities)
    all.set(name, { fields: new Map<string, Field>([...(before.entities.get(name)?.fields ?? []), ...fields]) });
  return all;
};

/**
 * Makes conditions of one version comparable with those of the other: constants are replaced by their values, fields
 * that are computed differently by their formulas, and choices have the values of the later version.
 */
const createPreparation = (model: Model, before: Model, after: Model): ((condition: Expr) => Expr) => {
  const known = new WeakMap<Expr, Expr>();
  const formula = (entity: string, name: string): Expr | undefined => {
    const [one, other] = [before, after].map((each) => each.entities.get(entity)?.fields.get(name));
    if (one === undefined || other === undefined || hasSameMeaning(computedExpr(one), computedExpr(other)))
      return undefined;
    const own = model.entities.get(entity)?.fields.get(name);
    return own === undefined ? undefined : (computedExpr(own) ?? undefined);
  };
  return (condition) => {
    const found = known.get(condition) ?? unfoldMembership(prepare(expandComputed(condition, formula), after));
    known.set(condition, found);
    return found;
  };
};

const prepare = (expr: Expr, after: Model): Expr => {
  const type = laterType(expr.type, after);
  if (expr.kind === "constant") {
    const { limit: _, ...plain } = expr;
    return { ...plain, type };
  }
  if (expr.kind === "field")
    return { ...expr, type, of: prepare(expr.of, after), field: laterShape(expr.entity, expr.field, after) };
  const parts = mapParts(expr, (part) => prepare(part, after));
  return type === expr.type ? parts : { ...parts, type };
};

const laterType = (type: Type, { entities }: Model): Type => {
  if (type.kind !== "choice") return type;
  const [entity = "", field = ""] = type.of.split(".");
  const laterType = entities.get(entity)?.fields.get(field)?.ruleType;
  return laterType?.kind === "choice" ? laterType : type;
};

/** A field is optional if it is optional in the later version, so that a condition has one meaning on both sides. */
const laterShape = ({ name }: EntityShape, shape: FieldShape, after: Model): FieldShape => {
  const laterField = after.entities.get(name)?.fields.get(shape.name);
  const type = laterType(shape.type, after);
  return laterField === undefined || laterField.ruleType.kind !== shape.type.kind
    ? shape
    : { ...shape, type, optional: shape.optional || laterField.optional };
};

/** True if a condition reads a field that has another type in the other version. */
const readsChangedType = (expr: Expr, before: Model, after: Model): boolean => {
  if (expr.kind === "field") {
    const [one, other] = [before, after].map(
      (model) => model.entities.get(expr.entity.name)?.fields.get(expr.field.name)?.ruleType,
    );
    if (one !== undefined && other !== undefined && one.kind !== other.kind) return true;
  }
  return subexpressions(expr).some((part) => readsChangedType(part, before, after));
};
