import { createHash } from "node:crypto";
import { decidingClauseId } from "../../../core/derive/authorization/grants.ts";
import { addressRefusal, cursorRefusal, recordRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { readableMembers, withoutMembers } from "../../../core/derive/http/selectable-members.ts";
import { virtualFields } from "../../../core/derive/sql/row-env.ts";
import { typeOfColumn } from "../../../core/derive/tables/columns.ts";
import { permissionSentence } from "../../../core/explain/who-may.ts";
import type { SqlEnv } from "../../../core/expression/compile/to-sql.ts";
import type { Stored } from "../../../core/field/kind.ts";
import type { CallParameter, CallStep, Gives } from "../../../core/model/endpoint.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Format } from "../../../core/model/format.ts";
import { identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { Values } from "../../intent.ts";
import { badQuery, forbid, isRefusal, type Refusal, refuseCall } from "../../refusal.ts";
import { TABLE } from "../aliases.ts";
import { type Caller, callerParams, getEntity, NOBODY, type PlanContext, principalKey } from "../context.ts";
import { asFound, type Found, type Tagged } from "../outcome.ts";
import { type BatchPlan, planBatch } from "../plan.ts";
import { cursorParams, readCursor, writeCursor } from "../read/cursor.ts";
import { afterCursorSql, orderBySql, type SortKey, sortColumn, sortJoinsSql, sortKeys } from "../read/sort.ts";
import { asValue, type ResultColumn, readColumn, resultColumn, resultColumnSql, selectAs } from "../result-columns.ts";
import { readerEnv } from "../row/labels.ts";
import { asCondition, type ReadScope, readScope } from "../row/read-scope.ts";
import { recordColumns, rowReader } from "../row/record-columns.ts";
import { tableSql } from "../row/sql-env.ts";
import { type StatementKey, toQuery } from "../statements.ts";
import {
  type EndpointAddress,
  inputExprs,
  parseStepQuery,
  pathConditions,
  pathParams,
  queryParams,
  type StepAt,
  type StepQuery,
  stepConditions,
  stepEnv,
  stepQueryKey,
} from "./address.ts";
import { DISTINCT_COLUMN, distinctKey, distinctRowsSql } from "./distinct-values.ts";
import {
  finishResponse,
  PAGE_TABLE,
  pageItemsSql,
  responseSql,
  unreadableResponse,
  valueSql,
} from "./response-shape.ts";

/** The value of a sort key, from which the next page starts. */
const keyColumn = (nth: number): ResultColumn<unknown> => resultColumn(`key:${nth}`, asValue);

/** A page of readable records that meet the conditions of the document and the address. */
export const planEndpointList = (
  context: PlanContext,
  at: StepAt,
  address: EndpointAddress,
  caller: Caller,
  format: Format,
): BatchPlan<Found> | Refusal => {
  const { model } = context;
  const { principal } = caller;
  const { call, step } = at;
  const { does } = step;
  if (does.kind !== "list") throw new Error(`${call.name} is no list`);
  const entity = getEntity(context, step.entity);
  const scope = readScope(model, entity, principal, TABLE.alias);
  if (scope.grants.length === 0)
    return forbid(decidingClauseId(entity, "read"), permissionSentence(caller.phrases, entity, "read"));
  const query = parseStepQuery(model, at, address);
  if ("kind" in query) return query;
  const { values, limit, offset, after } = query;
  const gives = selectMembers(context, at, query, scope);
  if (gives !== null && isRefusal(gives)) return gives;
  const { distinct } = does;
  const sort =
    distinct === null ? sortKeys({ model, principal }, scope, query.sort ?? does.sort) : [distinctKey(distinct)];
  if ("kind" in sort) return sort;
  const seal = sealPage(at, address.parameters, [...values, ...(query.sort ?? [])]);
  const cursor = after === null ? null : readCursor(after, sort, seal);
  if (cursor === undefined) return refuseCall(cursorRefusal);

  const pathSlots = pathParams(model, step.parameters, address.parameters);
  if (pathSlots === undefined) return refuseCall(addressRefusal(call));
  const shape = [
    principalKey(principal),
    stepQueryKey(step, query),
    cursor === null ? null : cursor.map((value) => value === null),
  ];
  const written = context.statements.get(["list", ...getStepKey(at), ...shape], () => {
    const env = stepEnv(model, step, entity, principal);
    const conditions = [asCondition(scope.rows), ...stepConditions(model, step, values, env)];
    const records = sql`FROM ${tableSql(entity)} AS ${TABLE}${sortJoinsSql(sort)}`;
    const met = sql`WHERE ${join(conditions, " AND ")}`;
    const rows = distinct === null ? sql`${records} ${met}` : distinctRowsSql(distinct, env, records, met);
    const item = identifier(distinct === null ? "id" : DISTINCT_COLUMN);
    const past = cursor === null ? sql`` : sql` AND ${afterCursorSql(sort, cursor)}`;
    const page = sql`SELECT ${TABLE}.*, row_number() OVER (ORDER BY ${orderBySql(sort)}) AS "row:n", ${join(
      sort.map((key, i) => sql`${keyText(key)} AS ${identifier(`sort:${i}`)}`),
      ", ",
    )} ${rows}${past} ORDER BY ${orderBySql(sort)} LIMIT ${slot("limit", "integer")} + 1 OFFSET ${slot("offset", "integer")}`;
    const found = sql`(SELECT count(*)::integer ${rows})`;
    const lists: Readonly<Record<string, Sql>> = {
      page: pageItemsSql(item),
      found: sql`ARRAY(SELECT ${TABLE}.${item} ${rows} ORDER BY ${orderBySql(sort)})`,
    };
    const names: SqlEnv["names"] = (name) => {
      const listed = lists[name];
      return listed === undefined ? inputExprs(model, step)(name) : { sql: listed, missing: false, long: true };
    };
    const keys = sort.map((_, i) => selectAs(resultColumnSql(TABLE, sortColumn(i)), keyColumn(i)));
    const answer =
      gives === null
        ? sql`SELECT ${join([recordColumns(context, principal, scope, TABLE.alias, plain), ...keys], ", ")} FROM ${identifier(PAGE_TABLE)} AS ${TABLE} ORDER BY ${TABLE}."row:n"`
        : sql`SELECT ${responseSql(gives, { model, principal, env: { ...env, field: noRecord, names }, list: { each: { ...env, names }, found }, depth: 0 })} AS "answer",
            (SELECT jsonb_agg(jsonb_build_array(${join(
              sort.map((_, i) => resultColumnSql(TABLE, sortColumn(i))),
              ", ",
            )}) ORDER BY ${TABLE}."row:n") FROM ${identifier(PAGE_TABLE)} AS ${TABLE}) AS "keys"`;
    return {
      more: rowReader(context, principal, scope, plain, format),
      sql: sql`WITH ${identifier(PAGE_TABLE)} AS MATERIALIZED (${page}) ${answer}`,
    };
  });
  const slots = {
    ...callerParams(caller),
    ...pathSlots,
    ...queryParams(step, query),
    limit,
    offset,
    ...cursorParams(cursor),
  };
  return planBatch<Found>([toQuery(written, slots)], ([rows = []]) => {
    const nextOf = (keys: readonly (readonly unknown[])[]): string | null => {
      const last = keys.length > limit ? keys[limit - 1] : undefined;
      return last === undefined || does.paging !== "cursor" ? null : writeCursor(last, seal);
    };
    if (gives !== null) {
      const { answer, keys } = rows[0] ?? {};
      const next = nextOf(Array.isArray(keys) ? (keys as unknown[][]) : []);
      const place = { model, format, next, origin: caller.origin, omitsMissing: call.omitsMissing };
      return asFound(finishResponse(gives, (answer ?? null) as Json, place));
    }
    return asFound({
      items: rows.slice(0, limit).map((row) => written.more.record(row, caller.phrases)),
      next: nextOf(rows.map((row) => sort.map((_, i) => readColumn(row, keyColumn(i))))),
    });
  });
};

/** Reduces the response to the members that the caller chose. The caller must be able to read them. */
const selectMembers = (
  { model }: PlanContext,
  { call, step }: StepAt,
  { fields }: StepQuery,
  scope: ReadScope,
): Gives | null | Refusal => {
  if (fields === null || step.gives === null) return step.gives;
  const readable = readableMembers(model, scope.entity, step, new Set(scope.fields.map(({ name }) => name)));
  const hidden = fields.find((name) => !readable.includes(name));
  if (hidden !== undefined) return badQuery("FIELDS", { word: hidden }, call.clause.id);
  return withoutMembers(
    step.gives,
    step.selectable.filter((name) => !fields.includes(name)),
  );
};

const getStepKey = ({ call, nth }: StepAt): StatementKey => ["call", call.name, nth];

const plain = { may: false, label: false };

const noRecord = (): never => {
  throw new Error("the answer of a list has no record at hand");
};

/** The text of a sort value in a page token. */
const keyText = ({ column, type }: SortKey): Sql =>
  type.startsWith("timestamptz")
    ? sql`to_char((${column}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : sql`(${column})::text`;

/**
 * Plans one record in the response format of the endpoint. `of`: an address, or the id of a record that was just
 * written.
 */
export const planEndpointRecord = (
  context: PlanContext,
  at: StepAt,
  of: EndpointAddress | { readonly id: string },
  caller: Caller,
  format: Format,
): BatchPlan<Found> | Refusal => {
  const { step } = at;
  const { omitsMissing } = at.call;
  const { model } = context;
  const { principal } = caller;
  const entity = getEntity(context, step.entity);
  if (step.gives === null) throw new Error("what gives nothing of its own is answered as a conventional call");
  if ("id" in of)
    return planResponse(context, getStepKey(at), entity, step.gives, of.id, caller, { format, step, omitsMissing });
  const notFound = refuseCall(recordRefusal(entity));
  const query = parseStepQuery(model, at, of);
  if ("kind" in query) return query;
  const pathSlots = pathParams(model, step.parameters, of.parameters);
  if (pathSlots === undefined) return notFound;
  const scope = readScope(model, entity, principal, TABLE.alias);
  if (scope.grants.length === 0) return notFound;
  const gives = selectMembers(context, at, query, scope);
  if (gives === null || isRefusal(gives)) return gives ?? notFound;
  const written = context.statements.get(
    ["path", ...getStepKey(at), principalKey(principal), stepQueryKey(step, query)],
    () => {
      const env = stepEnv(model, step, entity, principal);
      const condition = join([...stepConditions(model, step, query.values, env), asCondition(scope.rows)], " AND ");
      return {
        more: undefined,
        sql: sql`SELECT ${responseSql(gives, { model, principal, env, depth: 0 })} AS "answer", ${TABLE}."version" FROM ${tableSql(entity)} AS ${TABLE} WHERE ${condition} LIMIT 2`,
      };
    },
  );
  return planBatch<Found>(
    [toQuery(written, { ...callerParams(caller), ...pathSlots, ...queryParams(step, query) })],
    ([rows = []]) => {
      const [row, other] = rows;
      // A path that matches several records identifies none.
      if (row === undefined || other !== undefined) return notFound;
      const { origin, token } = caller;
      const body = finishResponse(gives, (row.answer ?? null) as Json, { model, format, origin, token, omitsMissing });
      return asFound(body, Number(row.version));
    },
  );
};

/**
 * The response for a record by id. A reader without permission only gets the tokens. `key` identifies the statement.
 */
export const planResponse = (
  context: PlanContext,
  key: StatementKey,
  entity: Entity,
  gives: Gives,
  id: string,
  caller: Caller,
  {
    format,
    omitsMissing,
    step,
    token,
  }: {
    readonly format: Format;
    readonly omitsMissing: boolean;
    readonly step?: CallStep;
    readonly token?: string;
  },
): BatchPlan<Found> | Refusal => {
  const { model } = context;
  const { principal } = caller;
  const scope = readScope(model, entity, principal, TABLE.alias);
  const place = { model, format, origin: caller.origin, token: token ?? caller.token, omitsMissing };
  const unseen = (): Found | Refusal =>
    token === undefined ? refuseCall(recordRefusal(entity)) : asFound(unreadableResponse(gives, place));
  const written = context.statements.get(["id", ...key, principalKey(principal)], () => {
    const env = {
      ...readerEnv(model, entity, principal, TABLE.alias),
      ...(step === undefined ? {} : { names: inputExprs(model, step) }),
    };
    return {
      more: undefined,
      sql: sql`SELECT ${responseSql(gives, { model, principal, env, depth: 0 })} AS "answer", ${TABLE}."version" FROM ${tableSql(entity)} AS ${TABLE} WHERE ${TABLE}."id" = ${slot("id", "uuid")} AND ${asCondition(scope.rows)}`,
    };
  });
  const inputs = Object.fromEntries((step?.query ?? []).map(({ name }) => [`input.${name}`, null]));
  return planBatch<Found>([toQuery(written, { ...callerParams(caller), ...inputs, id })], ([rows = []]) => {
    const [row] = rows;
    if (row === undefined) return unseen();
    return asFound(finishResponse(gives, (row.answer ?? null) as Json, place), Number(row.version));
  });
};

/** The ids found by a lookup. */
export interface FoundIds extends Tagged {
  readonly kind: "ids";
  readonly ids: readonly string[];
}

/** The values that a step sets in addition to its body. */
export interface StepValues extends Tagged {
  readonly kind: "values";
  readonly values: Values;
}

/** Finds the ids of the readable records that an address identifies, up to `most` + 1. */
export const planFindIds = (
  context: PlanContext,
  at: StepAt,
  address: EndpointAddress,
  caller: Caller,
  most: number,
): BatchPlan<FoundIds> | Refusal => {
  const { model } = context;
  const { principal } = caller;
  const { step } = at;
  const entity = getEntity(context, step.entity);
  const query = parseStepQuery(model, at, address);
  if ("kind" in query) return query;
  const pathSlots = pathParams(model, step.parameters, address.parameters);
  const scope = readScope(model, entity, principal, TABLE.alias);
  if (pathSlots === undefined || scope.grants.length === 0) return noIds;
  const written = context.statements.get(
    ["found", ...getStepKey(at), principalKey(principal), stepQueryKey(step, query)],
    () => {
      const env = stepEnv(model, step, entity, principal);
      const condition = join([...stepConditions(model, step, query.values, env), asCondition(scope.rows)], " AND ");
      return {
        more: undefined,
        sql: sql`SELECT ${TABLE}."id" FROM ${tableSql(entity)} AS ${TABLE} WHERE ${condition} ORDER BY ${TABLE}."id" LIMIT ${slot("most", "integer")} + 1`,
      };
    },
  );
  return planFoundIds(toQuery(written, { ...callerParams(caller), ...pathSlots, ...queryParams(step, query), most }));
};

/** A path parameter with its text. */
interface Given {
  readonly parameter: CallParameter;
  readonly text: string;
}

/** Finds the readable record that several path parameters of a create call identify together. */
export const planFindByPath = (
  context: PlanContext,
  target: Entity,
  texts: readonly Given[],
  caller: Caller,
): BatchPlan<FoundIds> => {
  const { model } = context;
  const { principal } = caller;
  const parameters = texts.map(({ parameter }) => parameter);
  const slots = pathParams(
    model,
    parameters,
    texts.map(({ text }) => text),
  );
  const scope = readScope(model, target, principal, TABLE.alias);
  if (slots === undefined || scope.grants.length === 0) return noIds;
  const names = parameters.map(({ name }) => name);
  const written = context.statements.get(["fixed", target.name, names, principalKey(principal)], () => {
    const conditions = pathConditions(model, parameters, readerEnv(model, target, principal, TABLE.alias));
    return {
      more: undefined,
      sql: sql`SELECT ${TABLE}."id" FROM ${tableSql(target)} AS ${TABLE} WHERE ${join([...conditions, asCondition(scope.rows)], " AND ")} LIMIT 2`,
    };
  });
  return planFoundIds(toQuery(written, { ...callerParams(caller), ...slots }));
};

/** Finds the readable record with these field values. */
export const planFindByValues = (
  context: PlanContext,
  entity: Entity,
  values: ReadonlyMap<string, Stored>,
  caller: Caller,
): BatchPlan<FoundIds> => {
  const names = [...values.keys()];
  const scope = readScope(context.model, entity, caller.principal, TABLE.alias);
  const written = context.statements.get(["alike", entity.name, names, principalKey(caller.principal)], () => {
    const same = names.map((name) => {
      const type = entity.fields.get(name);
      if (type === undefined) throw new Error(`no field ${name}`);
      return sql`${TABLE}.${identifier(name)} IS NOT DISTINCT FROM ${slot(`same:${name}`, typeOfColumn(type))}`;
    });
    return {
      more: undefined,
      sql: sql`SELECT ${TABLE}."id" FROM ${tableSql(entity)} AS ${TABLE} WHERE ${join([...same, asCondition(scope.rows)], " AND ")} LIMIT 2`,
    };
  });
  const slots = Object.fromEntries([...values].map(([name, value]) => [`same:${name}`, value]));
  return planFoundIds(toQuery(written, { ...callerParams(caller), ...slots }));
};

/**
 * Evaluates the values that a step sets, in the form of a request body. These expressions read with the permissions of
 * the document, not of the caller.
 */
export const planStepValues = (
  context: PlanContext,
  at: StepAt,
  address: EndpointAddress,
  caller: Caller,
  format: Format,
): BatchPlan<StepValues> | Refusal => {
  const { model } = context;
  const { step } = at;
  const query = parseStepQuery(model, at, address);
  if ("kind" in query) return query;
  const written = context.statements.get(["set", ...getStepKey(at), caller.principal.id === null], () => {
    const env = { computed: virtualFields(model), names: inputExprs(model, step) };
    const values = [...step.set].map(
      ([name, expr]) => sql`${valueSql(expr, { model, principal: caller.principal, env })} AS ${identifier(name)}`,
    );
    return { more: undefined, sql: sql`SELECT ${join(values, ", ")}` };
  });
  return planBatch<StepValues>(
    [toQuery(written, { ...callerParams(caller), ...queryParams(step, query) })],
    ([rows = []]) => ({
      kind: "values",
      values: Object.fromEntries(
        [...step.set].map(([name, expr]) => {
          const json = finishResponse({ kind: "value", value: expr }, (rows[0]?.[name] ?? null) as Json, {
            model,
            format,
            omitsMissing: false,
          });
          return [name, asSent(json)];
        }),
      ),
    }),
  );
};

/** Converts a response value to its request form: a reference becomes its id, and the anonymous user becomes null. */
const asSent = (json: Json): Json => {
  if (Array.isArray(json)) return json.map((one: Json) => asSent(one));
  if (typeof json !== "object" || json === null || !("id" in json)) return json;
  const { id } = json as { readonly id: Json };
  return id === NOBODY ? null : id;
};

const planFoundIds = (query: ReturnType<typeof toQuery>): BatchPlan<FoundIds> =>
  planBatch<FoundIds>([query], ([rows = []]) => ({ kind: "ids", ids: rows.map(({ id }) => String(id)) }));

const noIds = planBatch<FoundIds>([], () => ({ kind: "ids", ids: [] }));

/** Hashes an endpoint and its parameters, to tie a page token to them. */
const sealPage = (
  { call, nth }: StepAt,
  path: readonly string[],
  parameters: readonly (readonly [name: string, value: Stored] | string)[],
): string =>
  createHash("sha256")
    .update(JSON.stringify([call.name, nth, path, parameters]))
    .digest("base64url")
    .slice(0, 8);
