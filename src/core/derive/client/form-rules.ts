import type { Phrases } from "../../explain/language.ts";
import { expressionsOf, placesIn } from "../../expression/compile/template.ts";
import type { Expr } from "../../expression/expr.ts";
import { serializeExpr } from "../../expression/rewrite/serialize.ts";
import type { Entity, Model, ValidationRule } from "../../model/model.ts";
import type { RuleJson } from "../../wire/entities.ts";
import { type Principal, writableFieldsFor } from "../authorization/grants.ts";
import { standsInForm } from "./form-computed-fields.ts";

/**
 * The rules that a form answers as one types: those that read, in what they demand and in what they say, nothing but what
 * the form may hold and this person knows, and of which they may give something. All others are the server's alone.
 */
export const rulesInForms = (
  model: Model,
  entity: Entity,
  person: Principal,
  { say }: Phrases,
): readonly RuleJson[] => {
  const given = writableFieldsFor(model, entity, person);
  const known = (expr: Expr): boolean => standsInForm(model, entity, expr, person);
  return entity.rules
    .filter(
      ({ rule, when, message, reads }) =>
        reads.some((name) => given.has(name)) &&
        [rule, ...(when === null ? [] : [when]), ...expressionsOf(message)].every(known) &&
        expressionsOf(message).every(isPlain),
    )
    .map((rule) => ruleJson(model, entity, rule, say));
};

/** The transitions that judge the rule, of which a form knows all that they change of the record. */
const transitionsWith = (entity: Entity, { during, reads }: ValidationRule): readonly string[] =>
  [...(entity.states?.transitions.values() ?? [])]
    .filter(({ name, asks, set }) => {
      const judges = during === null ? reads.some((one) => asks.includes(one)) : during.includes(name);
      const writes = (entity.after.get(name) ?? []).some(({ kind }) => kind !== "notify" && kind !== "call");
      return judges && !writes && !reads.some((one) => set.has(one));
    })
    .map(({ name }) => name);

/** A record is said by its label, and a state by its title: neither is known where only what was entered is. */
const isPlain = ({ type }: Expr): boolean => type.kind !== "record" && type.kind !== "list" && type.kind !== "choice";

const ruleJson = (model: Model, entity: Entity, rule: ValidationRule, say: (text: string) => string): RuleJson => {
  const entry = model.errors.get(rule.error);
  const text = entry?.message ?? "";
  const places = placesIn(text);
  return {
    clause: rule.clause.id,
    at: entry?.at ?? null,
    rule: serializeExpr(rule.rule),
    when: rule.when === null ? null : serializeExpr(rule.when),
    during: rule.during,
    with: transitionsWith(entity, rule),
    reads: rule.reads,
    message: say(text),
    help: entry?.help == null ? null : say(entry.help),
    values: Object.fromEntries(expressionsOf(rule.message).map((expr, i) => [places[i] ?? "", serializeExpr(expr)])),
  };
};
