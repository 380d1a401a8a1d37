import type { Principal } from "../../../core/derive/authorization/grants.ts";
import { readingOrder } from "../../../core/derive/sql/reading-order.ts";
import { comparedType, sortValueOfPart } from "../../../core/derive/sql/sort-value.ts";
import { getPhrasesFor } from "../../../core/explain/language.ts";
import { type Template, templateExpressions } from "../../../core/expression/compile/template.ts";
import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import { findBraces, splitBraces } from "../../../core/expression/syntax/braces.ts";
import type { Type } from "../../../core/expression/values/type.ts";
import { fromInterval } from "../../../core/field/duration.ts";
import { type TextValue, withoutSecondDay } from "../../../core/i18n/period-text.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { isActValue, isOfRecord } from "../../../core/model/field.ts";
import { createFormatter, type Format, toTextValue } from "../../../core/model/format.ts";
import type { Model } from "../../../core/model/model.ts";
import { identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import { ELEMENTS, LABELLED } from "../aliases.ts";
import { columnTypeSql } from "./proposed-row.ts";
import { readScope } from "./read-scope.ts";
import { replacingOnce, tableSql } from "./sql-env.ts";

/** An expression environment in a caller's read scope, with labels of records limited to their readable parts. */
export interface LabelEnv extends SqlEnv {
  readonly field: NonNullable<SqlEnv["field"]>;
  /** The label of the record with an id; for an array of ids, the labels in order. */
  readonly labelOf: (entity: string, reference: Sql, many: boolean) => Sql;
}

/** The values of a template in one column: a JSON array in template order. */
export const templateValuesSql = (
  template: Template,
  env: LabelEnv,
  shown: (part: Expr, value: Sql) => Sql = (_, value) => value,
): Sql => {
  const values = template.parts.flatMap((part) =>
    typeof part === "string" ? [] : [labelValueSql(part, env, (value) => shown(part, value))],
  );
  return sql`jsonb_build_array(${join(values, ", ")})`;
};

const labelValueSql = (part: Expr, env: LabelEnv, shown: (value: Sql) => Sql = (value) => value): Sql =>
  shownValueSql(shown(toSql(part, env).value), part.type, env);

/** A value for people: of records their labels. `toTyped` reads it. */
export const shownValueSql = (value: Sql, type: Type, env: LabelEnv): Sql => {
  const of = type.kind === "list" ? type.of : type;
  return of.kind === "record" ? env.labelOf(of.entity, value, type.kind === "list") : inJson(value, type);
};

/** Casts types without a JSON equivalent to text; a double would round a decimal. */
export const inJson = (value: Sql, type: Type): Sql => {
  if (type.kind === "list" && isText(type.of)) return sql`(${value})::text[]`;
  return isText(type) ? sql`(${value})::text` : value;
};

const isText = ({ kind }: Type): boolean => kind === "decimal" || kind === "money" || kind === "duration";

/**
 * Expressions in the caller's read scope: unreadable values are missing, in the current record and others. `rows`
 * replaces tables for reading the state after a write.
 */
export const readerEnv = (
  model: Model,
  entity: Entity,
  principal: Principal,
  alias: string,
  rows?: SqlEnv["table"],
  shown?: ShownFields,
): LabelEnv => {
  const scope = readScope(model, entity, principal, alias, rows);
  return {
    labelOf: (name, reference, many) => {
      const target = model.entities.get(name);
      if (target === undefined) throw new Error(`no entity ${name}`);
      // The label can contain labels of other records.
      const as = `${alias}>`;
      return many
        ? referenceLabelsSql(model, target, principal, reference, as)
        : referenceLabelSql(model, target, principal, reference, as);
    },
    field: (name) => {
      const field = entity.fields.get(name);
      if (field === undefined) return scope.env.field(name);
      // NULL needs a type, because it is compared.
      const none = isOfRecord(field) || isActValue(field) ? sql`NULL::${columnTypeSql(field)}` : sql`NULL`;
      return { sql: scope.column(name) ?? none, missing: true, long: true };
    },
    table: replacingOnce((shape) => limitTable(model, shape.name, principal, rows, rows?.(shape).sql, shown)),
  };
};

/**
 * Like `readerEnv`, for a row that may turn out to be unreadable. All its values are then missing, except those that
 * the caller supplied.
 */
export const readerEnvIfReadable = (
  model: Model,
  entity: Entity,
  principal: Principal,
  alias: string,
  { rows, given: suppliedFields = [] }: { readonly rows?: SqlEnv["table"]; readonly given?: readonly string[] } = {},
): LabelEnv => {
  const env = readerEnv(model, entity, principal, alias, rows);
  const scope = readScope(model, entity, principal, alias, rows);
  return {
    ...env,
    field: (name) => {
      if (suppliedFields.includes(name)) return scope.env.field(name);
      const column = env.field(name);
      return scope.rows === undefined
        ? column
        : { ...column, sql: sql`CASE WHEN ${scope.rows} THEN ${column.sql} END` };
    },
  };
};

/**
 * A record's label in the caller's read scope; unreadable parts are missing and shown as “…”. A label with a single
 * value becomes a typed column, which is cheaper in lists than an array per row.
 */
export const labelSql = (model: Model, entity: Entity, principal: Principal, alias: string): Sql => {
  const env = readerEnv(model, entity, principal, alias);
  const only = findOnlyValue(entity.label);
  return only === undefined ? templateValuesSql(entity.label, env) : labelValueSql(only, env);
};

/** A value that records are sorted by. */
export interface SortValue {
  readonly value: Sql;
  readonly type: Type;
}

/** The values of a label, by which its records are sorted. Those that the reader cannot see are missing. */
export const labelSortValues = (
  model: Model,
  entity: Entity,
  principal: Principal,
  alias: string,
): readonly SortValue[] => {
  const env = readerEnv(model, entity, principal, alias);
  const order = readingOrder(model.locale);
  return templateExpressions(entity.label).flatMap((part): readonly SortValue[] => {
    const { value } = toSql(part, env);
    const { type } = part;
    if (type.kind !== "record")
      return unsorted.has(type.kind) ? [] : [{ value: sortValueOfPart(part, value, order), type: comparedType(type) }];
    const target = model.entities.get(type.entity);
    if (target === undefined) throw new Error(`no entity ${type.entity}`);
    const referred = { model, target, principal, alias: `${alias}>` };
    return labelSortValues(model, target, principal, referred.alias).map((labelSortValue) => ({
      ...labelSortValue,
      value: ifVisibleSql(labelSortValue.value, value, referred),
    }));
  });
};

const unsorted: ReadonlySet<Type["kind"]> = new Set(["list", "json", "null", "unknown"]);

const findOnlyValue = ({ parts: [first, ...more] }: Template): Expr | undefined =>
  first === undefined || typeof first === "string" || first.type.kind === "list" || more.length > 0 ? undefined : first;

/** Columns beside the fields. The roles of a person are readable for that person only. */
const ofEveryRow = (entity: string): readonly Sql[] => [
  ...["id", "version", "created_at", "updated_at"].map((name) => sql`${LABELLED}.${identifier(name)}`),
  ...(entity === "User"
    ? [sql`CASE WHEN ${LABELLED}."id" = ${slot("user", "uuid")} THEN ${LABELLED}."roles" ELSE '{}' END AS "roles"`]
    : []),
];

/** Fields that the reader must see on a record of the entity for it to be read at all. */
export interface ShownFields {
  readonly entity: string;
  readonly fields: ReadonlySet<string>;
}

/** A subquery that replaces an entity's table and is limited to the caller's read scope. */
const limitTable = (
  model: Model,
  name: string,
  principal: Principal,
  tableOf: SqlEnv["table"],
  from: Sql | undefined,
  shown?: ShownFields,
) => {
  const entity = model.entities.get(name);
  if (entity === undefined) throw new Error(`no entity ${name}`);
  const scope = readScope(model, entity, principal, LABELLED.alias, tableOf);
  const columns = [...entity.fields.values()]
    .filter(isOfRecord)
    // A column of a subquery needs a type, even if it is always NULL.
    .map(
      (field) => sql`${scope.column(field.name) ?? sql`NULL::${columnTypeSql(field)}`} AS ${identifier(field.name)}`,
    );
  const visible = shown?.entity === name ? [...shown.fields].map(scope.visibleWhen) : [];
  const conditions = [scope.rows, ...visible].flatMap((one) => (one === undefined ? [] : [sql`(${one})`]));
  const rows = conditions.length === 0 ? sql`` : sql` WHERE ${join(conditions, " AND ")}`;
  return {
    sql: sql`(SELECT ${join([...ofEveryRow(name), ...columns], ", ")} FROM ${from ?? tableSql(entity)} AS ${LABELLED}${rows})`,
    hides: (field: string) => scope.column(field) === undefined || scope.visibleWhen(field) !== undefined,
  };
};

/** The label of a referenced record; NULL if the caller cannot see the record. */
export const referenceLabelSql = (
  model: Model,
  target: Entity,
  principal: Principal,
  reference: Sql,
  alias = "ref",
): Sql => ifVisibleSql(labelSql(model, target, principal, alias), reference, { model, target, principal, alias });

/** A value of a referenced record, which is under the alias; NULL if the caller cannot see the record. */
const ifVisibleSql = (
  value: Sql,
  reference: Sql,
  {
    model,
    target,
    principal,
    alias,
  }: { readonly model: Model; readonly target: Entity; readonly principal: Principal; readonly alias: string },
): Sql => {
  const scope = readScope(model, target, principal, alias);
  const visible = scope.rows === undefined ? sql`` : sql` AND (${scope.rows})`;
  const as = identifier(alias);
  return sql`(SELECT ${value} FROM ${tableSql(target)} AS ${as} WHERE ${as}."id" = ${reference}${visible})`;
};

/** The name of the caller, who is known by it. */
export const CALLER_NAME = "caller name";

/**
 * The label of the caller, if it is only their name and they can read it in any case: it need not be looked up. Undefined if
 * it may differ.
 */
export const callerLabelSql = (model: Model, principal: Principal, target: Entity): Sql | undefined => {
  const only = findOnlyValue(target.label);
  const isName = only?.kind === "field" && only.of.kind === "this" && only.field.name === "name";
  if (!isName || target.name !== "User" || principal.id === null || principal.name === undefined) return undefined;
  const scope = readScope(model, target, principal, LABELLED.alias);
  const isSeen = scope.rows === undefined && scope.column("name") !== undefined;
  return isSeen && scope.visibleWhen("name") === undefined ? sql`${slot(CALLER_NAME, "text")}` : undefined;
};

/** The labels of several references in order; NULL for records that the caller cannot see. */
export const referenceLabelsSql = (
  model: Model,
  target: Entity,
  principal: Principal,
  references: Sql,
  alias = "ref",
): Sql => {
  const one = sql`${ELEMENTS}."one"`;
  return sql`(SELECT COALESCE(jsonb_agg(${referenceLabelSql(model, target, principal, one, alias)} ORDER BY ${ELEMENTS}."nth"), '[]') FROM unnest(${references}) WITH ORDINALITY AS ${ELEMENTS}("one", "nth"))`;
};

/** The text of a label from its column. An invisible record is shown by the name of its entity. */
export const labelText = (template: Template, values: unknown, format: Format): string => {
  const only = findOnlyValue(template);
  if (only !== undefined) return format(toTyped(values, only.type), only.type);
  const parts = toParts(template, values);
  const texts = parts.map((part) =>
    toPeriodPart(part, typeof part === "string" || !isMissing(part.value) ? partText(part, format) : null, format),
  );
  return withoutGaps(withoutSecondDay(texts)).join("") || format(null, { kind: "text" });
};

/** A value in a text, with its type. */
export interface ShownValue {
  readonly value: unknown;
  readonly type: Type;
}

type TextPart = string | ShownValue;

const toParts = ({ parts }: Template, values: unknown): readonly TextPart[] => {
  const list: readonly unknown[] = Array.isArray(values) ? values : [];
  let at = 0;
  return parts.map((part) => (typeof part === "string" ? part : { value: list[at++], type: part.type }));
};

const isMissing = (value: unknown): boolean => value === null || value === undefined || value === "";

const partText = (part: TextPart, format: Format): string =>
  typeof part === "string" ? part : format(toTyped(part.value, part.type), part.type);

const toPeriodPart = (part: TextPart, text: string | null, format: Format): string | TextValue =>
  typeof part === "string" ? part : toTextValue(text, part.value, part.type, format);

/** Punctuation between two values. */
export const SEPARATOR = /^[\s,;:·/–-]+$/u;

/** Removes a missing value together with an adjacent separator. Elsewhere it leaves a visible gap. */
const withoutGaps = (parts: readonly (string | null)[]): readonly string[] => {
  const words: string[] = [];
  for (const [at, part] of parts.entries()) {
    const isSeparator = part !== null && SEPARATOR.test(part);
    const after = parts[at + 1] ?? "";
    if (part !== null) {
      if (words.length > 0 || at === 0 || !isSeparator) words.push(part);
    } else if (SEPARATOR.test(words.at(-1) ?? "")) words.pop();
    else if (words.length > 0 || !SEPARATOR.test(after)) words.push("…");
  }
  return words;
};

/**
 * The values of an error message by placeholder, so that a translation can reorder them. Leaves out a value that is
 * missing or that the reader cannot see; a title or “…” takes its place (`placeTitles`).
 */
export const messageValues = (
  model: Model,
  { error, message }: { readonly error: string; readonly message: Template },
  values: unknown,
  format: Format,
): Readonly<Record<string, string>> => {
  const places = findBraces(model.errors.get(error)?.message ?? "");
  const list: readonly unknown[] = Array.isArray(values) ? values : [];
  return Object.fromEntries(
    templateExpressions(message).flatMap(({ type }, at) =>
      list[at] === null || list[at] === undefined ? [] : [[places[at] ?? "", format(toTyped(list[at], type), type)]],
    ),
  );
};

/** The values of a text by placeholder, so that a translation can reorder them. */
export const valuesByPlaceholder = (
  text: string,
  template: Template,
  values: unknown,
): Readonly<Record<string, ShownValue>> => {
  const places = findBraces(text);
  const list: readonly unknown[] = Array.isArray(values) ? values : [];
  return Object.fromEntries(
    templateExpressions(template).map(({ type }, at) => [places[at] ?? "", { value: list[at], type }]),
  );
};

/** Fills a template with values, in order. */
export const fillTemplate = (template: Template, values: readonly unknown[], format: Format): string =>
  joinParts(toParts(template, values), format);

/** Fills the placeholders of a text, which can be a translation. */
export const fillPlaceholders = (text: string, values: Readonly<Record<string, ShownValue>>, format: Format): string =>
  joinParts(
    splitBraces(text).map((part) =>
      typeof part === "string" ? part : (values[part.place] ?? { value: null, type: { kind: "text" } }),
    ),
    format,
  );

const joinParts = (parts: readonly TextPart[], format: Format): string =>
  withoutSecondDay(parts.map((part) => toPeriodPart(part, partText(part, format), format))).join("");

/** Formats values for readers: records by label, states by title. */
export const readerFormat = ({ locale, timezone, entities }: Model): Format => {
  const plain = createFormatter(locale, timezone, getPhrasesFor(locale).booleans);
  const titles = new Map<string, string>(
    [...entities.values()].flatMap(({ name, states }) =>
      (states?.states ?? []).map((state) => [`${name}.${states?.field} ${state.name}`, state.title] as const),
    ),
  );
  const stateIn = (of: string, value: unknown) => titles.get(`${of} ${String(value)}`);
  const formatValue: Format = (value, type) => {
    if (type.kind === "list" && Array.isArray(value) && value.length > 0)
      return value.map((item) => formatValue(item, type.of)).join(", ");
    if (type.kind === "choice") return stateIn(type.of, value) ?? plain(value, type);
    const target = type.kind === "record" ? entities.get(type.entity) : undefined;
    return target === undefined || value === null || value === undefined
      ? plain(value, type)
      : labelText(target.label, value, formatValue);
  };
  return formatValue;
};

export const toTyped = (value: unknown, type: Type): unknown => {
  if (type.kind === "list" && Array.isArray(value)) return value.map((item) => toTyped(item, type.of));
  return type.kind === "duration" && typeof value === "string" ? fromInterval(value) : value;
};
