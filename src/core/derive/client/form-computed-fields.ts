import type { Expr } from "../../expression/expr.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import { serializeExpr } from "../../expression/rewrite/serialize.ts";
import { isSequence } from "../../field/sequence.ts";
import type { Entity } from "../../model/entity.ts";
import { findPartLists } from "../../model/facts/parts.ts";
import { computedExpr, type Field } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import type { Json } from "../../wire/json.ts";
import { knowableFields, type Principal } from "../authorization/grants.ts";

/**
 * The serialized expression of a computed field that a form can evaluate: it reads only fields of the record and its
 * parts that the caller can know. Expressions on other records, the user or hidden fields stay on the server.
 */
export const serializeFormExpression = (
  model: Model,
  entity: Entity,
  field: Field,
  person: Principal,
): Json | undefined => {
  const from = computedExpr(field);
  return from !== null && isReckoned(model, entity, field, person) ? serializeExpr(from) : undefined;
};

const isReckoned = (model: Model, entity: Entity, field: Field, person: Principal): boolean => {
  if (!knowableFields(model, entity, person).has(field.name)) return false;
  const from = computedExpr(field);
  if (from === null) return field.storage.as === "column" && field.type !== "state" && !isSequence(field.type);
  return isEvaluableInForm(model, entity, from, person);
};

/**
 * True if a form of the entity has all data that the expression reads, and the caller can know it. `old`: the form also
 * has the record before the change.
 */
export const isEvaluableInForm = (
  model: Model,
  entity: Entity,
  from: Expr,
  person: Principal,
  has: { readonly old?: true } = {},
): boolean => {
  const { paths, fields, user, old, names, recordReads } = collectReadSet(from);
  if (user || (old && has.old === undefined) || names.size > 0 || [...paths].some((path) => path.includes(".")))
    return false;
  const lists = findPartLists(model, entity);
  const reckons = (of: Entity, name: string): boolean => {
    const field = of.fields.get(name);
    return field !== undefined && isReckoned(model, of, field, person);
  };
  return (
    [...fields].every((name) => lists.some(({ list }) => list.name === name) || reckons(entity, name)) &&
    recordReads.every(({ entity: name, by, key, fields: read }) => {
      const list = lists.find((partList) => partList.entity.name === name && partList.field.name === by && key === "");
      return list !== undefined && [...read].every((item) => item === by || reckons(list.entity, item));
    })
  );
};
