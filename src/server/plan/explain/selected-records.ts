import { findFieldsToSelect, type RequirementTrace } from "../../../core/derive/authorization/access-trace.ts";
import type { Principal } from "../../../core/derive/authorization/grants.ts";
import { templateExpressions } from "../../../core/expression/compile/template.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import { collectReadSet } from "../../../core/expression/inspect/read-set.ts";
import { findRecordFilters } from "../../../core/expression/inspect/record-filters.ts";
import { expandComputed } from "../../../core/expression/rewrite/expand-computed.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { findChangedBy } from "../../../core/model/facts/applicable-rules.ts";
import { computedExpr } from "../../../core/model/field.ts";
import type { Model } from "../../../core/model/model.ts";
import { constant, identifier, type Sql, sql } from "../../../core/sql.ts";
import type { SelectedRecordsJson } from "../../../core/wire/why.ts";
import type { Row } from "../../../postgres/database.ts";
import { TABLE } from "../aliases.ts";
import { readColumn } from "../result-columns.ts";
import { type LabelEnv, labelText, type ShownFields } from "../row/labels.ts";
import { type ExplainContext, type ExplainRequest, selectedRecordsColumn } from "./explain-context.ts";

/* The records in the way of an operation: those that a rule selects among others. */

const MOST = 3;

/** A list of records, with their entity. */
interface SelectedRecords {
  readonly records: Expr;
  readonly target: Entity;
  /** Only records of which the reader sees these fields count. */
  readonly seen: ReadonlySet<string>;
}

/**
 * The first list of records that a rule selects by a condition, in the rule itself or in its message. Undefined if the
 * transition changes what the condition reads of its record, or if the reader cannot find these records by a list.
 */
export const findSelectedRecords = (
  model: Model,
  { entity, operation }: Pick<ExplainRequest, "entity" | "operation">,
  reader: Principal,
  { condition, rule }: RequirementTrace,
): SelectedRecords | undefined => {
  if (rule === null || operation.kind !== "transition") return undefined;
  const [records] = [condition, ...templateExpressions(rule.message)].flatMap(findRecordFilters);
  const target = records && model.entities.get(findElement(records));
  if (records === undefined || !target?.served) return undefined;
  const { fields } = collectReadSet(expandComputed(records, (of, name) => findFormula(model, of, name)));
  if ([...findChangedBy(entity, operation.transition)].some((name) => fields.has(name))) return undefined;
  const seen = findFieldsToSelect(model, entity, reader, records, target);
  return seen && { records, target, seen };
};

const findFormula = ({ entities }: Model, entity: string, name: string): Expr | undefined => {
  const field = entities.get(entity)?.fields.get(name);
  return field === undefined ? undefined : (computedExpr(field) ?? undefined);
};

const findElement = ({ type }: Expr): string =>
  type.kind === "list" && type.of.kind === "record" ? type.of.entity : "";

/**
 * They are selected by the expression of the rule, but among the records and values that the reader sees: others change
 * nothing in the answer.
 */
export const selectedRecordsSql = (
  { records, target, seen }: SelectedRecords,
  envOf: (shown: ShownFields) => LabelEnv,
): Sql => {
  const env = envOf({ entity: target.name, fields: seen });
  const [all, ids] = [identifier("selected"), identifier("ids")];
  const first = sql`${all}.${ids}[1:${constant(MOST)}]`;
  return sql`(SELECT jsonb_build_object('count', cardinality(${all}.${ids}), 'ids', to_jsonb(${first}), 'labels', ${env.labelOf(target.name, first, true)}) FROM (SELECT array_remove(${toSql(records, env).value}, ${TABLE}."id") AS ${ids}) AS ${all})`;
};

/**
 * Those that were found; undefined if there are none, or if they depend on the person about whom an administrator asks:
 * they are read as the reader.
 */
export const readSelectedRecords = (
  { context: { model }, request, reader, format }: ExplainContext,
  requirement: RequirementTrace,
  nth: number,
  shown: Row,
): SelectedRecordsJson | undefined => {
  const found = readColumn(shown, selectedRecordsColumn(nth));
  const { records, target } = findSelectedRecords(model, request, reader, requirement) ?? {};
  if (found === undefined || records === undefined || target === undefined || found.count === 0) return undefined;
  if (request.as !== null && collectReadSet(records).user) return undefined;
  return {
    entity: target.name,
    items: found.ids.map((id, i) => ({ id, label: labelText(target.label, found.labels[i], format) })),
    more: found.count - found.ids.length,
  };
};
