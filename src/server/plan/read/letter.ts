import { type Principal, seesScreen } from "../../../core/derive/authorization/grants.ts";
import { createTranslator, documentLanguages, type Translate } from "../../../core/derive/client/localize.ts";
import { recordRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import { findBraces } from "../../../core/expression/syntax/braces.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { findPartLists } from "../../../core/model/facts/parts.ts";
import { isTimestampField } from "../../../core/model/field.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Model } from "../../../core/model/model.ts";
import type { LetterPart, LetterScreen } from "../../../core/model/screen.ts";
import { constant, identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { LetterJson, LetterPartJson } from "../../../core/wire/letters.ts";
import { type Refusal, refuse, refuseCall } from "../../refusal.ts";
import { OWNER, TABLE, VALUES } from "../aliases.ts";
import { type Caller, callerParams, getEntity, type PlanContext, principalKey } from "../context.ts";
import { asFound, type Found } from "../outcome.ts";
import { type BatchPlan, planBatch } from "../plan.ts";
import { asValue, asValues, resultShape } from "../result-columns.ts";
import {
  fillPlaceholders,
  inJson,
  labelSql,
  labelText,
  readerEnv,
  readerFormat,
  templateValuesSql,
  toTyped,
  valuesByPlaceholder,
} from "../row/labels.ts";
import { absentLetters, conditionalLetters, letterColumns } from "../row/letter-conditions.ts";
import { asCondition, type ReadScope, readScope } from "../row/read-scope.ts";
import { tableSql } from "../row/sql-env.ts";
import { toQuery } from "../statements.ts";
import { findSortKeys, orderBySql, sortJoinsSql } from "./sort.ts";

/** For each part of the letter: the values of its text, or its table; and the values of the record's label. */
const letterRow = resultShape({ parts: asValues, label: asValue });

/** Plans to read the letter of a record in the read scope of the caller, in one statement. */
export const planLetter = (
  context: PlanContext,
  intent: { readonly screen: string; readonly id: string; readonly language: string },
  caller: Caller,
): BatchPlan<Found> | Refusal => {
  const { model } = context;
  const { principal } = caller;
  const screen = model.screens.find((candidate) => candidate.kind === "letter" && candidate.path === intent.screen);
  if (screen?.kind !== "letter" || !seesScreen(model, screen, principal)) return refuse("NOT_FOUND");
  const entity = getEntity(context, screen.entity);
  const notFound = refuseCall(recordRefusal(entity));
  const conditional = conditionalLetters(model, entity, principal).filter(({ path }) => path === screen.path);
  const written = context.statements.get(["letter", screen.path, principalKey(principal)], () => {
    const scope = readScope(model, entity, principal, TABLE.alias);
    const env = readerEnv(model, entity, principal, TABLE.alias);
    const parts = screen.text.map((part) =>
      part.kind === "table" ? tableRowsSql(model, scope, principal, part) : templateValuesSql(part.text, env),
    );
    const columns = letterRow.select({
      parts: sql`jsonb_build_array(${join(parts, ", ")})`,
      label: labelSql(model, entity, principal, TABLE.alias),
    });
    return {
      sql: sql`SELECT ${join([columns, ...letterColumns(model, entity, principal, conditional, TABLE.alias)], ", ")} FROM ${tableSql(entity)} AS ${TABLE} WHERE ${TABLE}."id" = ${slot("id", "uuid")} AND ${asCondition(scope.rows)}`,
      more: { isOpen: scope.grants.length > 0 },
    };
  });
  if (!written.more.isOpen) return notFound;
  return planBatch<Found>([toQuery(written, { ...callerParams(caller), id: intent.id })], ([rows]) => {
    const row = rows?.[0];
    if (row === undefined) return notFound;
    const why = absentLetters(caller, entity, conditional, row).get(screen.path);
    if (why !== undefined) return { ...refuseCall(why), because: why.because };
    return asFound(writeLetter(model, entity, screen, intent.language, letterRow.read(row)));
  });
};

type TablePart = Extract<LetterPart, { kind: "table" }>;

/** The most rows of a table. A longer one ends in “…”; its totals are those of all rows. */
const MOST_ROWS = 1000;

/** The rows of a table and its totals as JSON; NULL if the list cannot be read on the record. */
const tableRowsSql = (model: Model, owner: ReadScope, principal: Principal, part: TablePart): Sql => {
  const list = findList(model, owner.entity, part.field);
  const canRead = owner.grants.some(({ fields }) => fields === null || fields.has(part.field));
  if (list === undefined || !canRead) return sql`NULL`;
  const { entity, field, place } = list;
  const scope = readScope(model, entity, principal, TABLE.alias);
  const env = readerEnv(model, entity, principal, TABLE.alias);
  // A field that the reader cannot read gives no order.
  const sort = part.sort.filter(
    (key) => isTimestampField(key.replace(/^-/u, "")) || scope.column(key.replace(/^-/u, "")) !== undefined,
  );
  const found = sort.length === 0 ? [] : findSortKeys({ model, principal }, scope, sort);
  const keys = "kind" in found ? [] : found;
  const order =
    keys.length > 0
      ? orderBySql(keys)
      : join([...(place === null ? [] : [sql`${TABLE}.${identifier(place.name)}`]), sql`${TABLE}."id"`], ", ");
  const cells = templateValuesSql({ parts: part.columns.map(({ value }) => value) }, env);
  const hidden = part.columns.map(({ field: name, value }) => {
    const visible = scope.visibleWhen(name);
    if (scope.column(name) === undefined) return sql`TRUE`;
    const unreadable = visible === undefined ? sql`FALSE` : sql`NOT COALESCE(${visible}, FALSE)`;
    if (value.type.kind !== "record") return unreadable;
    // A reference to a record that the reader cannot see has no label, but it is not missing.
    const reference = toSql(value, env).value;
    return sql`${unreadable} OR (${reference} IS NOT NULL AND ${env.labelOf(value.type.entity, reference, false)} IS NULL)`;
  });
  const totals = part.columns.map(({ field: name, value, hasTotal }) => {
    if (!hasTotal || scope.column(name) === undefined) return sql`NULL`;
    const visible = scope.visibleWhen(name);
    const sum = inJson(sql`sum(${toSql(value, env).value})`, value.type);
    // A total of some of the values would be wrong.
    return visible === undefined ? sum : sql`CASE WHEN bool_and(COALESCE(${visible}, FALSE)) THEN ${sum} END`;
  });
  const refers = field.many
    ? sql`${OWNER}."id" = ANY(${TABLE}.${identifier(field.name)})`
    : sql`${TABLE}.${identifier(field.name)} = ${OWNER}."id"`;
  const where = part.where === null ? sql`` : sql` AND (${toSql(part.where, env).truth})`;
  const rows = sql`FROM ${tableSql(entity)} AS ${TABLE}${sortJoinsSql(keys)} WHERE ${refers} AND ${asCondition(scope.rows)}${where}`;
  // The number of rows makes the totals one row, even if no column is added up.
  const first = sql`SELECT jsonb_build_object('cells', ${cells}, 'hidden', jsonb_build_array(${join(hidden, ", ")})) AS "cells" ${rows} ORDER BY ${order} LIMIT ${constant(MOST_ROWS + 1)}`;
  const table = sql`(SELECT jsonb_build_object('rows', COALESCE((SELECT jsonb_agg("cells") FROM (${first}) AS ${VALUES}), '[]'), 'totals', (SELECT jsonb_build_array(${join([...totals, sql`count(*)`], ", ")}) ${rows})) FROM (SELECT ${TABLE}."id") AS ${OWNER})`;
  const shown = owner.visibleWhen(part.field);
  return shown === undefined ? table : sql`CASE WHEN ${shown} THEN ${table} END`;
};

/** The records of a list of another record: their reference to it, and the field with their order among its parts. */
const findList = (model: Model, owner: Entity, name: string) => {
  const { storage } = owner.fields.get(name) ?? {};
  const entity = storage?.as === "inverse" ? model.entities.get(storage.entity) : undefined;
  const field = storage?.as === "inverse" ? entity?.fields.get(storage.by) : undefined;
  if (entity === undefined || field === undefined) return undefined;
  const place = findPartLists(model, owner).find(({ list }) => list.name === name)?.place ?? null;
  return { entity, field, place };
};

interface TableValues {
  /** `hidden`: for each cell, true if the reader cannot read its field in this row, or the record that it refers to. */
  readonly rows: readonly { readonly cells: readonly unknown[]; readonly hidden: readonly boolean[] }[];
  readonly totals: readonly unknown[];
}

/** Writes the letter in a language of the document. */
const writeLetter = (
  model: Model,
  entity: Entity,
  { title, text }: LetterScreen,
  language: string,
  { parts: values, label }: { readonly parts: readonly unknown[]; readonly label: unknown },
): LetterJson => {
  const say = createTranslator(model, language);
  const plain = readerFormat({ ...model, locale: language });
  const format: Format = (value, type) => (type.kind === "choice" ? say(plain(value, type)) : plain(value, type));
  return {
    title: say(title),
    label: labelText(entity.label, label, format),
    language,
    languages: documentLanguages(model),
    parts: text.flatMap((part, i): readonly LetterPartJson[] => {
      if (part.kind === "table") {
        const table = values[i] as TableValues | null;
        return table === null ? [] : [writeTable(model, entity, part, table, say, format)];
      }
      const lines = writeLines(part, values[i], say(part.message), format);
      return lines.length === 0 ? [] : [{ kind: part.kind, lines }];
    }),
  };
};

/** The lines of a text. Leaves out a line that has values, of which none is readable and present. */
const writeLines = (
  { text, message }: Exclude<LetterPart, TablePart>,
  values: unknown,
  translation: string,
  format: Format,
): readonly string[] => {
  const shown = valuesByPlaceholder(message, text, values);
  return translation
    .trim()
    .split("\n")
    .flatMap((line) => {
      const found = findBraces(line).map((place) => shown[place]?.value);
      return found.length > 0 && found.every(isMissing) ? [] : fillPlaceholders(line, shown, format).split("\n");
    });
};

const isMissing = (value: unknown): boolean => value === null || value === undefined || value === "";

const writeTable = (
  model: Model,
  entity: Entity,
  { field, columns }: TablePart,
  { rows, totals }: TableValues,
  say: Translate,
  format: Format,
): LetterPartJson => {
  const shown = findList(model, entity, field)?.entity;
  const cell = ({ type }: Expr, value: unknown) => (isMissing(value) ? "…" : format(toTyped(value, type), type));
  return {
    kind: "table",
    columns: columns.map(({ field: name, value: { type } }) => ({
      title: say(shown?.fields.get(name)?.title ?? name),
      isNumber: type.kind === "integer" || type.kind === "decimal" || type.kind === "money",
    })),
    rows: [
      ...rows
        .slice(0, MOST_ROWS)
        .map(({ cells, hidden }) =>
          columns.map(({ value }, i) => (isMissing(cells[i]) && hidden[i] === false ? "" : cell(value, cells[i]))),
        ),
      ...(rows.length > MOST_ROWS ? [columns.map(() => "…")] : []),
    ],
    totals: columns.some(({ hasTotal }) => hasTotal)
      ? columns.map(({ value, hasTotal }, i) => (hasTotal ? (rows.length === 0 ? "" : cell(value, totals[i])) : ""))
      : null,
  };
};
