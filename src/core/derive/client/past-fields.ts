import type { Expr } from "../../expression/expr.ts";
import type { Entity, ValidationRule } from "../../model/entity.ts";
import type { Field } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import { permissionRulesFor } from "../authorization/grants.ts";

/**
 * True if a day or a time cannot lie ahead: all that sets it sets the present, as `set: { ordered_on: today }` does, or a rule
 * requires it, such as `dated <= today`.
 */
export const neverLiesAhead = (model: Model, entity: Entity, field: Field): boolean =>
  (field.type === "date" || field.type === "datetime") &&
  !field.many &&
  field.storage.as === "column" &&
  (entity.rules.some((rule) => forbidsAhead(rule, field)) || notesPresent(model, entity, field));

const forbidsAhead = ({ rule, when, during }: ValidationRule, field: Field): boolean => {
  if (when !== null || during !== null || rule.kind !== "call") return false;
  const [left, right] = rule.args;
  if (left === undefined || right === undefined) return false;
  if (rule.row === "ordered <= ordered" || rule.row === "ordered < ordered")
    return isOwn(left, field) && isPresent(right);
  const isReversed = rule.row === "ordered >= ordered" || rule.row === "ordered > ordered";
  return isReversed && isPresent(left) && isOwn(right, field);
};

const isOwn = (expr: Expr, { name }: Field): boolean =>
  expr.kind === "field" && expr.of.kind === "this" && expr.field.name === name;

/** True if nobody enters the field, and something sets it: the creation, transitions, effects or calls, to the present. */
const notesPresent = ({ entities, calls }: Model, entity: Entity, { name, set, ...field }: Field): boolean => {
  const transitions = [...(entity.states?.transitions.values() ?? [])];
  const steps = calls
    .flatMap(({ does }) => (does.kind === "steps" ? does.steps : []))
    .filter((step) => step.entity === entity.name);
  const isEntered =
    set === null &&
    (field.default !== null ||
      [...entity.records.values()].some(({ values }) => values.has(name)) ||
      transitions.some(({ asks }) => asks.includes(name)) ||
      steps.some(({ takes }) => takes?.some((taken) => taken.field === name)) ||
      (["create", "update"] as const).some((action) =>
        permissionRulesFor(entity, action).some(({ fields }) => fields === null || fields.has(name)),
      ));
  const writers = [
    ...transitions,
    ...[...entities.values()]
      .flatMap(({ after }) => [...after.values()].flat())
      .flatMap((effect) => ("set" in effect && effect.entity === entity.name ? [effect] : [])),
    ...steps,
  ].flatMap((writer) => writer.set.get(name) ?? []);
  const values = set === null ? writers : [set, ...writers];
  return !isEntered && values.length > 0 && values.every(isPresent);
};

const isPresent = (expr: Expr): boolean => expr.kind === "now" || expr.kind === "today";
