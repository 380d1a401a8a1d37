import Big from "big.js";
import type { Principal } from "../../../core/derive/authorization/grants.ts";
import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import type { Type } from "../../../core/expression/values/type.ts";
import type { Value } from "../../../core/expression/values/value.ts";
import { type FieldKind, specless } from "../../../core/field/kind.ts";
import { fieldKinds } from "../../../core/field/kinds.ts";
import type { Gives } from "../../../core/model/endpoint.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Model } from "../../../core/model/model.ts";
import { identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Json } from "../../../core/wire/json.ts";
import { TABLE } from "../aliases.ts";
import { objectSql } from "../row/json-object-sql.ts";
import { labelText, referenceLabelSql } from "../row/labels.ts";

/** The context of a response: its expressions are evaluated in the caller's read scope. */
export interface ResponseScope {
  readonly model: Model;
  readonly principal: Principal;
  readonly env: SqlEnv;
  /** For a list: the environment of each record on the page, and the total count. */
  readonly list?: { readonly each: SqlEnv; readonly found: Sql };
  /** Nesting depth of shapes. */
  readonly depth: number;
}

/**
 * The page of a list within its statement. Rows are numbered; one row beyond the page size means that there is a next
 * page.
 */
export const PAGE_TABLE = "page";
const onPage = sql`${TABLE}."row:n" <= ${slot("offset", "integer")} + ${slot("limit", "integer")}`;

/** The column of the page as an array in order: the ids of its records, or its values. */
export const pageItemsSql = (item: Sql): Sql =>
  sql`ARRAY(SELECT ${TABLE}.${item} FROM ${identifier(PAGE_TABLE)} AS ${TABLE} WHERE ${onPage} ORDER BY ${TABLE}."row:n")`;

/** The response as one JSON value. Labels are arrays of their parts, which `finishResponse` formats. */
export const responseSql = (gives: Gives, place: ResponseScope): Sql => {
  switch (gives.kind) {
    case "names":
      return objectSql(gives.of.map(([name, value]) => [name, responseSql(value, place)]));
    case "value":
      return valueSql(gives.value, place);
    case "next":
    case "token":
    case "none":
      return sql`NULL::jsonb`;
    case "address":
      return gives.values.length === 0
        ? sql`'[]'::jsonb`
        : sql`jsonb_build_array(${join(
            gives.values.map((value) => valueSql(value, place)),
            ", ",
          )})`;
    case "count":
      if (place.list === undefined) throw new Error("only a list is counted");
      return gives.of === "found"
        ? sql`to_jsonb(${place.list.found})`
        : sql`(SELECT to_jsonb(count(*)) FROM ${identifier(PAGE_TABLE)} AS ${TABLE} WHERE ${onPage})`;
    case "shape":
      return shapeSql(gives, place);
  }
};

const shapeSql = (gives: Gives & { kind: "shape" }, place: ResponseScope): Sql => {
  const { shape: name, of } = gives;
  const shape = expandShape(gives, place.model);
  if (of === "page") {
    if (place.list === undefined) throw new Error("only a list has a page");
    const each = responseSql(shape, { ...place, env: place.list.each, depth: place.depth + 1 });
    return sql`(SELECT COALESCE(jsonb_agg(${each} ORDER BY ${TABLE}."row:n"), '[]'::jsonb) FROM ${identifier(PAGE_TABLE)} AS ${TABLE} WHERE ${onPage})`;
  }
  if (of.kind === "this") return responseSql(shape, { ...place, depth: place.depth + 1 });
  const entity = place.model.entities.get(name.split(".")[0] ?? "");
  if (entity === undefined) throw new Error(`no entity of the shape ${name}`);
  const alias = identifier(`g${place.depth}`);
  const { table } = place.env;
  if (table === undefined) throw new Error("a response in a shape needs the read scope of its caller");
  const rows = table({ name: entity.name, table: entity.table, fields: new Map() }).sql;
  const env: SqlEnv = {
    ...place.env,
    field: (field) => ({ sql: sql`${alias}.${identifier(field)}`, missing: true }),
  };
  const each = responseSql(shape, { ...place, env, depth: place.depth + 1 });
  if (of.kind === "field" && of.field.inverse !== undefined && of.of.kind === "this") {
    const own = place.env.field?.("id").sql ?? sql`NULL`;
    const { by } = of.field.inverse;
    // Parts are ordered by position, as when read with their parent.
    const at = [...entity.fields.values()].find(({ type, from }) => type === "position" && from === by);
    const first = at === undefined ? sql`` : sql`${alias}.${identifier(at.name)}, `;
    return sql`(SELECT COALESCE(jsonb_agg(${each} ORDER BY ${first}${alias}."created_at", ${alias}."id"), '[]'::jsonb) FROM ${rows} AS ${alias} WHERE ${alias}.${identifier(by)} = ${own})`;
  }
  if (of.type.kind === "list") {
    const elements = identifier(`e${place.depth}`);
    return sql`(SELECT COALESCE(jsonb_agg(${each} ORDER BY ${elements}."nth"), '[]'::jsonb) FROM unnest(${toSql(of, place.env).value}) WITH ORDINALITY AS ${elements}("id", "nth") JOIN ${rows} AS ${alias} ON ${alias}."id" = ${elements}."id")`;
  }
  return sql`(SELECT ${each} FROM ${rows} AS ${alias} WHERE ${alias}."id" = ${toSql(of, place.env).value})`;
};

/** The wire form of a value (L11.9) as JSON; `finishResponse` completes it. */
export const valueSql = (expr: Expr, place: Pick<ResponseScope, "model" | "principal" | "env">): Sql =>
  wireSql(toSql(expr, place.env).value, expr.type, place);

const wireSql = (value: Sql, type: Type, place: Pick<ResponseScope, "model" | "principal">): Sql => {
  switch (type.kind) {
    case "record": {
      const target = findTarget(place.model, type);
      const label = target === undefined ? sql`NULL` : referenceLabelSql(place.model, target, place.principal, value);
      return sql`CASE WHEN (${value}) IS NULL THEN NULL ELSE jsonb_build_object('id', ${value}, 'label', ${label}) END`;
    }
    case "list":
      return sql`(SELECT COALESCE(jsonb_agg(${wireSql(sql`"el"."value"`, type.of, place)} ORDER BY "el"."nth"), '[]'::jsonb) FROM unnest(${value}) WITH ORDINALITY AS "el"("value", "nth"))`;
    case "datetime":
      return sql`to_jsonb(to_char((${value}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))`;
    case "text":
    case "choice":
    case "decimal":
    case "money":
    case "duration":
    case "time":
      return sql`to_jsonb((${value})::text)`;
    case "null":
      return sql`NULL::jsonb`;
    default:
      return sql`to_jsonb(${value})`;
  }
};

const findTarget = (model: Model, type: Type): Entity | undefined =>
  type.kind === "record" ? model.entities.get(type.entity) : undefined;

/** Data from outside the database: the format of labels, and the tokens of the next page and of a session. */
export interface ResponseWords {
  readonly model: Model;
  readonly format: Format;
  readonly next?: string | null;
  readonly token?: string | undefined;
  /** The address at which the caller reached the application. Precedes the addresses of calls. */
  readonly origin?: string | undefined;
  /** True if members without a value are left out. */
  readonly omitsMissing: boolean;
}

/** Completes a response: formats labels of references and inserts tokens. */
export const finishResponse = (gives: Gives, json: Json, place: ResponseWords): Json => {
  if (gives.kind === "next") return place.next ?? null;
  if (gives.kind === "token") return place.token === undefined ? null : gives.before + place.token;
  if (gives.kind === "value") {
    const value = toWire(json, gives.value.type, place);
    return gives.asNumber === true ? withNumbers(value) : value;
  }
  if (gives.kind === "address") return addressFor(gives.path, json, place.origin ?? "");
  if (json === null) return null;
  if (Array.isArray(json))
    return gives.kind === "shape"
      ? json.map((item: Json) => finishResponse(expandShape(gives, place.model), item, place))
      : json;
  if (gives.kind === "shape") return finishResponse(expandShape(gives, place.model), json, place);
  const object = json as { readonly [name: string]: Json };
  if (gives.kind === "names")
    return toMembers(
      gives.of.map(([name, value]) => [name, finishResponse(value, object[name] ?? null, place)]),
      place,
    );
  return json;
};

const toMembers = (members: readonly (readonly [name: string, value: Json])[], { omitsMissing }: ResponseWords): Json =>
  Object.fromEntries(omitsMissing ? members.filter(([, value]) => value !== null) : members);

/** The address of a call with the values of its parameters. Null if the reader cannot know one of them. */
const addressFor = (path: string, values: Json, origin: string): string | null => {
  if (!Array.isArray(values) || values.includes(null)) return null;
  let at = 0;
  return origin + path.replace(/\{[^}]*\}/gu, () => encodeURIComponent(String(values[at++])));
};

/** The response for an unreadable record: its id, constants, tokens, and null for everything else. */
export const unreadableResponse = (gives: Gives, place: ResponseWords, id: string): Json => {
  switch (gives.kind) {
    case "names":
      return toMembers(
        gives.of.map(([name, value]) => [name, unreadableResponse(value, place, id)]),
        place,
      );
    case "shape":
      if (gives.of === "page" || gives.of.type.kind === "list") return [];
      return gives.of.kind === "this" ? unreadableResponse(expandShape(gives, place.model), place, id) : null;
    case "value": {
      const { value } = gives;
      if (value.kind === "field" && value.of.kind === "this" && value.field.name === "id") return id;
      return finishResponse(gives, value.kind === "constant" ? constantJson(value.value) : null, place);
    }
    default:
      return finishResponse(gives, null, place);
  }
};

/** A constant as the database returns it. Only those that a document writes as a text, a number or a boolean. */
const constantJson = (value: Value): Json =>
  value instanceof Big ? value.toFixed() : typeof value === "object" ? null : value;

const toWire = (json: Json, type: Type, place: ResponseWords): Json => {
  if (json === null) return null;
  if (type.kind === "list") return Array.isArray(json) ? json.map((item: Json) => toWire(item, type.of, place)) : json;
  if (type.kind === "decimal" || type.kind === "money" || type.kind === "duration" || type.kind === "time") {
    const kind: FieldKind = fieldKinds[type.kind];
    const currency = type.kind === "money" ? type.currency : null;
    return kind.answer?.(json, { ...specless, currency }) ?? json;
  }
  if (type.kind !== "record") return json;
  const target = findTarget(place.model, type);
  const { id, label } = json as { readonly [name: string]: Json };
  const isSeen = target !== undefined && label !== null && label !== undefined;
  return { id: id ?? null, label: isSeen ? labelText(target.label, label, place.format) : "…" };
};

/** Decimals, and the amounts of money, as JSON numbers. */
const withNumbers = (json: Json): Json => {
  if (Array.isArray(json)) return json.map((item: Json) => withNumbers(item));
  if (typeof json === "string") return Number(json);
  if (typeof json !== "object" || json === null || !("amount" in json)) return json;
  const { amount, ...others } = json as { readonly [name: string]: Json };
  return { amount: withNumbers(amount ?? null), ...others };
};

const expandShape = (gives: Gives & { kind: "shape" }, model: Model): Gives => {
  const shape = model.shapes.get(gives.shape);
  if (shape === undefined) throw new Error(`no shape ${gives.shape}`);
  const { without } = gives;
  return without === undefined || shape.kind !== "names"
    ? shape
    : { ...shape, of: shape.of.filter(([member]) => !without.includes(member)) };
};
