import type { Principal } from "../../core/derive/authorization/grants.ts";
import type { Phrases } from "../../core/explain/language.ts";
import { templateExpressions } from "../../core/expression/compile/template.ts";
import type { Expr } from "../../core/expression/expr.ts";
import type { Entity } from "../../core/model/entity.ts";
import { type Field, isOfRecord } from "../../core/model/field.ts";
import type { Format } from "../../core/model/format.ts";
import type { Model } from "../../core/model/model.ts";
import { join, sql, withSlots } from "../../core/sql.ts";
import type { Capabilities } from "../../core/wire/records.ts";
import type { Row } from "../../postgres/database.ts";
import type { Service } from "../execution/service.ts";
import { RUNS, TABLE } from "../plan/aliases.ts";
import { callerParams, principalKey } from "../plan/context.ts";
import { runsParam, runsSql } from "../plan/effects/targets.ts";
import { objectRows } from "../plan/result-columns.ts";
import { capabilitiesReader, capabilityColumns } from "../plan/row/capabilities.ts";
import { labelSql, labelText, readerEnv, readerFormat, shownValueSql, toTyped } from "../plan/row/labels.ts";
import { asCondition, readScope } from "../plan/row/read-scope.ts";
import { tableSql } from "../plan/row/sql-env.ts";
import { toQuery } from "../plan/statements.ts";

/** A record as one person can read it, and what they can do with it. */
export interface ReadFacts {
  readonly label: unknown;
  /** The values of the chosen fields in order, otherwise of `factFields`. */
  readonly values: readonly unknown[];
  readonly version: number;
  readonly can: Pick<Capabilities, "transitions" | "refused">;
}

/** Maximum number of values of a record in a mail. */
const MAX_VALUES = 6;

const short: ReadonlySet<string> = new Set([
  "choice",
  "reference",
  "date",
  "datetime",
  "time",
  "money",
  "decimal",
  "integer",
  "duration",
]);

/** The fields of a record that a mail shows below its label: the state first, then other short values in document order. */
export const factFields = (model: Model, entity: Entity): readonly Field[] => {
  const { fields, states } = entity;
  const inLabel = findLabelFields(model, entity);
  const all = [...fields.values()].filter(
    (field) =>
      isOfRecord(field) &&
      !field.many &&
      (field.name === states?.field || (isShort(field) && !inLabel.has(field.name))),
  );
  return all.sort((a, b) => Number(b.name === states?.field) - Number(a.name === states?.field)).slice(0, MAX_VALUES);
};

/** The fields that the label of a record shows. Repeated below it, they would take the place of other values. */
export const findLabelFields = (model: Model, { label }: Entity): ReadonlySet<string> =>
  new Set(templateExpressions(label).flatMap((expr) => findShownField(model, expr) ?? []));

/** The field that an expression of a label shows: `first_day`, or `employee` for `employee.name` if that is its label. */
const findShownField = ({ entities }: Model, expr: Expr): string | null => {
  if (expr.kind !== "field") return null;
  if (expr.of.kind !== "field") return expr.field.name;
  const label = entities.get(expr.entity.name)?.label;
  const isLabel =
    label !== undefined &&
    templateExpressions(label).some((part) => part.kind === "field" && part.field.name === expr.field.name);
  return isLabel && expr.of.of.kind !== "field" ? expr.of.field.name : null;
};

const isShort = ({ ruleType, isKey }: Field): boolean =>
  !isKey && (ruleType.kind === "record" || short.has(ruleType.kind));

/**
 * Reads records for people who all have the roles of `principal`. Keys are `person record`. Unreadable records are
 * absent. `fields`: those that are read; by default the short ones.
 */
export const readFacts = async (
  { context, database, caller }: Service,
  principal: Principal,
  now: Date,
  entity: Entity,
  pairs: readonly { readonly person: string; readonly record: string }[],
  phrases?: Phrases,
  fields: readonly Field[] = factFields(context.model, entity),
): Promise<ReadonlyMap<string, ReadFacts>> => {
  const { model, statements } = context;
  const reader = caller(principal, now, phrases);
  const written = statements.get(
    ["facts", entity.name, principalKey(principal), ...fields.map(({ name }) => name)],
    () => {
      const env = readerEnv(model, entity, principal, TABLE.alias);
      const values = fields.map(({ name, ruleType }) => shownValueSql(env.field(name).sql, ruleType, env));
      const scope = readScope(model, entity, principal, TABLE.alias);
      const columns = [
        sql`${RUNS}."target" AS "person", ${TABLE}."id", ${TABLE}."version", to_jsonb(${labelSql(model, entity, principal, TABLE.alias)}) AS "label", jsonb_build_array(${join(values, ", ")}) AS "values"`,
        ...capabilityColumns(model, principal, scope),
      ];
      const read = sql`SELECT ${join(columns, ", ")} FROM ${runsSql} JOIN ${tableSql(entity)} AS ${TABLE} ON ${TABLE}."id" = ${RUNS}."source" WHERE ${asCondition(scope.rows)}`;
      return {
        more: capabilitiesReader(model, entity, principal, objectRows),
        sql: withSlots(read, { user: sql`${RUNS}."target"` }),
      };
    },
  );
  const rows = await database.query(
    toQuery(written, {
      ...callerParams(reader),
      pairs: runsParam(
        pairs.map(({ person, record }) => ({ source: record, target: person, each: "{}", line: null, version: null })),
      ),
    }),
  );
  return new Map(
    rows.map((row: Row) => [
      `${String(row.person)} ${String(row.id)}`,
      {
        label: row.label,
        values: Array.isArray(row.values) ? (row.values as readonly unknown[]) : [],
        version: Number(row.version),
        can: written.more(row, reader.phrases),
      },
    ]),
  );
};

/** Formats the label and the values of a record. Missing and unreadable values are left out. */
export const factsInWords = (
  entity: Entity,
  { label, values }: ReadFacts,
  format: Format,
  say: (text: string) => string,
  fields: readonly Field[],
): { readonly label: string; readonly facts: readonly (readonly [string, string])[] } => ({
  label: labelText(entity.label, label, format),
  facts: fields.flatMap(({ title, ruleType }, i): readonly (readonly [string, string])[] => {
    const value = toTyped(values[i], ruleType);
    const isEmpty = Array.isArray(value) && value.length === 0;
    return value === null || value === undefined || value === "" || isEmpty
      ? []
      : [[say(title), format(value, ruleType)]];
  }),
});

/** Formats values in a language of the document. */
export const formatInLanguage = (model: Model, language: string, say: (text: string) => string): Format => {
  const plain = readerFormat({ ...model, locale: language });
  const format: Format = (value, type) => {
    if (type.kind === "list" && Array.isArray(value) && value.length > 0)
      return value.map((item) => format(item, type.of)).join(", ");
    return type.kind === "choice" ? say(plain(value, type)) : plain(value, type);
  };
  return format;
};
