import { toSql } from "../../expression/compile/to-sql.ts";
import { isOfOwnRow } from "../../expression/inspect/row-local.ts";
import { valueKinds as ruleKinds, type ValueKind } from "../../expression/values/value-kinds.ts";
import type { CallStep } from "../../model/endpoint.ts";
import type { Entity, ValidationRule } from "../../model/entity.ts";
import { type Field, isStored } from "../../model/field.ts";
import type { Model } from "../../model/model.ts";
import { constant, definitionText, identifier, join, sql } from "../../sql.ts";
import { rowEnv } from "../sql/row-env.ts";
import { constraintName, ruleName } from "./names.ts";
import type { Check } from "./table.ts";

export const choiceCheck = (field: Field, entity: Entity): readonly Check[] => {
  if (field.type !== "choice" && field.type !== "state") return [];
  const values = join(
    field.values.map((value) => constant(value)),
    ", ",
  );
  return [
    {
      name: constraintName(entity.table, "values", field.name),
      condition: definitionText(
        field.many
          ? sql`${identifier(field.name)} <@ ARRAY[${values}]::text[]`
          : sql`${identifier(field.name)} in (${values})`,
      ),
      values: field.values,
      of: "document",
      clause: field.clause.id,
    },
  ];
};

/** Limits dates and times to our calendar, because Postgres's range is wider and arithmetic would raise errors. */
export const boundsCheck = (field: Field, entity: Entity): readonly Check[] => {
  const kind: ValueKind = ruleKinds[field.ruleType.kind];
  if (kind.bounds === undefined) return [];
  const name = constraintName(entity.table, "bounds", field.name);
  return [
    {
      name,
      condition: definitionText(kind.bounds(identifier(field.name))),
      values: null,
      of: "type",
      clause: field.clause.id,
    },
  ];
};

/**
 * True if a rule reads only its own record and always applies, so that a CHECK can enforce it. A CHECK is immediate, so
 * entities that one call writes several times are excluded: the server checks them after the last step.
 */
export const isConstraint = (rule: ValidationRule, entity: Entity, { calls }: Pick<Model, "calls">): boolean =>
  rule.during === null &&
  rule.when === null &&
  !calls.some(({ does }) => does.kind === "steps" && writesTwice(does.steps, entity)) &&
  isOfOwnRow(rule.rule, (name) => {
    const field = entity.fields.get(name);
    return field === undefined || isStored(field);
  });

const writing: ReadonlySet<CallStep["does"]["kind"]> = new Set(["create", "update", "put", "transition", "ensure"]);

const writesTwice = (steps: readonly CallStep[], { name }: Entity): boolean =>
  steps.filter((step) => step.entity === name && writing.has(step.does.kind)).length > 1;

/**
 * CHECK constraints of the rules that allow one. The server checks a rule first, so that the user gets the document's
 * error; the constraint protects the table from all other writers.
 */
export const ruleConstraints = (entity: Entity, model: Model): readonly Check[] =>
  entity.rules.flatMap((rule) => {
    if (!isConstraint(rule, entity, model)) return [];
    const condition = toSql(rule.rule, rowEnv(model, entity, null)).value;
    return [
      {
        name: ruleName(entity, rule),
        condition: definitionText(condition),
        values: null,
        of: "document",
        clause: rule.clause.id,
      },
    ];
  });
