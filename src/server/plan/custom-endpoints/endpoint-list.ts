import { createHash } from "node:crypto";
import { decidingClauseId, type Principal } from "../../../core/derive/authorization/grants.ts";
import { addressRefusal, cursorRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { permissionSentence } from "../../../core/explain/who-may.ts";
import type { SqlEnv } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import type { Stored } from "../../../core/field/kind.ts";
import type { CallStep, Gives } from "../../../core/model/endpoint.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Format } from "../../../core/model/format.ts";
import { noSorting } from "../../../core/model/paging.ts";
import { identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Json } from "../../../core/wire/json.ts";
import { forbid, isRefusal, parameterError, type Refusal, refuseAt, refuseCall } from "../../refusal.ts";
import { TABLE } from "../aliases.ts";
import { type Caller, callerParams, getEntity, type PlanContext, principalKey } from "../context.ts";
import { asFound, type Found } from "../outcome.ts";
import { type BatchPlan, planBatch } from "../plan.ts";
import { cursorParams, readCursor, writeCursor } from "../read/cursor.ts";
import { afterCursorSql, findSortKeys, orderBySql, type SortKey, sortColumn, sortJoinsSql } from "../read/sort.ts";
import { asValue, type ResultColumn, readColumn, resultColumn, resultColumnSql, selectAs } from "../result-columns.ts";
import { asCondition, type ReadScope, readScope } from "../row/read-scope.ts";
import { recordColumns, rowReader } from "../row/record-columns.ts";
import { tableSql } from "../row/sql-env.ts";
import { toQuery } from "../statements.ts";
import {
  type EndpointAddress,
  getStepKey,
  inputExprs,
  parseStepQuery,
  pathParams,
  queryParams,
  type StepAt,
  type StepQuery,
  stepConditions,
  stepEnv,
  stepQueryKey,
} from "./address.ts";
import { DISTINCT_COLUMN, distinctKey, distinctRowsSql } from "./distinct-values.ts";
import { finishResponse, PAGE_TABLE, pageItemsSql, responseSql } from "./response-shape.ts";
import { selectMembers } from "./select-members.ts";

/** The value of a sort key, from which the next page starts. */
const keyColumn = (nth: number): ResultColumn<unknown> => resultColumn(`key:${nth}`, asValue);

/** The records that a call deletes, as a list. */
const everyRecord = {
  kind: "list",
  distinct: null,
  sort: [],
  sorting: noSorting,
  paging: { by: "none" },
} as const satisfies CallStep["does"];

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
  const does = step.does.kind === "delete all" ? everyRecord : step.does;
  if (does.kind !== "list") throw new Error(`${call.name} is no list`);
  const entity = getEntity(context, step.entity);
  const scope = readScope(model, entity, principal, TABLE.alias);
  if (scope.grants.length === 0)
    return forbid(decidingClauseId(entity, "read"), permissionSentence(caller.phrases, entity, "read"));
  const query = parseStepQuery(model, at, address);
  if ("kind" in query) return query;
  const { limit, offset, after } = query;
  const gives = selectMembers(context, at, query, scope);
  if (gives !== null && isRefusal(gives)) return gives;
  const { distinct } = does;
  const sort =
    distinct === null
      ? findSortKeys({ model, principal }, scope, query.sort ?? does.sort)
      : [distinctKey(model, distinct)];
  if ("kind" in sort) return refuseAt([parameterError(does.sorting.by, call.clause.id, "SORT", sort.values)]);
  const seal = sealPage(at, address.parameters, [...query.values, ...(query.sort ?? [])]);
  const cursor = after === null ? null : readCursor(after, sort, seal);
  if (cursor === undefined) return refuseCall(cursorRefusal);

  // An address that no record can have identifies none, and a deletion of none is done.
  const isDeletion = step.does.kind === "delete all";
  const pathSlots =
    pathParams(model, step.parameters, address.parameters) ?? (isDeletion ? noPath(step.parameters) : undefined);
  if (pathSlots === undefined) return refuseCall(addressRefusal(call));
  const shape = [
    principalKey(principal),
    stepQueryKey(step, query),
    cursor === null ? null : cursor.map((value) => value === null),
  ];
  const page = { at, entity, scope, query, gives, distinct, sort, cursor, principal };
  const written = context.statements.get(["list", ...getStepKey(at), ...shape], () => ({
    more: rowReader(context, principal, scope, plain, format),
    sql: endpointPageSql(context, page),
  }));
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
      return last === undefined || does.paging.by !== "cursor" ? null : writeCursor(last, seal);
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

/** Slots with which the path finds no record. */
const noPath = (parameters: CallStep["parameters"]): Readonly<Record<string, null>> =>
  Object.fromEntries(parameters.map((_, i) => [`path:${i}`, null]));

/** A page of a list: all that determines the text of its statement. */
interface EndpointPage {
  readonly at: StepAt;
  readonly entity: Entity;
  readonly scope: ReadScope;
  readonly query: StepQuery;
  /** The response; null for records in their conventional form. */
  readonly gives: Gives | null;
  readonly distinct: Expr | null;
  readonly sort: readonly SortKey[];
  readonly cursor: readonly (string | null)[] | null;
  readonly principal: Principal;
}

/**
 * The statement of a page. `page` has its rows and one more, numbered in order. The result is the response with the sort
 * keys of the rows, or the records with theirs.
 */
const endpointPageSql = (
  context: PlanContext,
  { at: { step }, entity, scope, query, gives, distinct, sort, cursor, principal }: EndpointPage,
): Sql => {
  const { model } = context;
  const env = stepEnv(model, step, entity, principal);
  const conditions = [asCondition(scope.rows), ...stepConditions(model, step, query.values, env)];
  const records = sql`FROM ${tableSql(entity)} AS ${TABLE}${sortJoinsSql(sort)}`;
  const where = sql`WHERE ${join(conditions, " AND ")}`;
  const rows = distinct === null ? sql`${records} ${where}` : distinctRowsSql(distinct, env, records, where);
  const order = orderBySql(sort);
  const sortValues = sort.map((key, i) => selectAs(keyText(key), sortColumn(i)));
  const past = cursor === null ? sql`` : sql` AND ${afterCursorSql(sort, cursor)}`;
  const page = sql`SELECT ${TABLE}.*, row_number() OVER (ORDER BY ${order}) AS "row:n", ${join(sortValues, ", ")} ${rows}${past} ORDER BY ${order} LIMIT ${slot("limit", "integer")} + 1 OFFSET ${slot("offset", "integer")}`;
  const result =
    gives === null
      ? conventionalRowsSql(recordColumns(context, principal, scope, TABLE.alias, plain), sort)
      : listResponseSql(gives, {
          context,
          step,
          env,
          rows,
          order,
          item: distinct === null ? "id" : DISTINCT_COLUMN,
          sort,
          principal,
        });
  return sql`WITH ${identifier(PAGE_TABLE)} AS MATERIALIZED (${page}) ${result}`;
};

const fromPage = sql`FROM ${identifier(PAGE_TABLE)} AS ${TABLE}`;

/** The records of the page in their conventional form, each with its sort keys. */
const conventionalRowsSql = (columns: Sql, sort: readonly SortKey[]): Sql => {
  const keys = sort.map((_, i) => selectAs(resultColumnSql(TABLE, sortColumn(i)), keyColumn(i)));
  return sql`SELECT ${join([columns, ...keys], ", ")} ${fromPage} ORDER BY ${TABLE}."row:n"`;
};

/** The declared response as `answer`, and the sort keys of the rows as `keys`. `item`: the column that identifies a row. */
const listResponseSql = (
  gives: Gives,
  {
    context: { model },
    step,
    env,
    rows,
    order,
    item,
    sort,
    principal,
  }: {
    readonly context: PlanContext;
    readonly step: CallStep;
    readonly env: SqlEnv;
    readonly rows: Sql;
    readonly order: Sql;
    readonly item: string;
    readonly sort: readonly SortKey[];
    readonly principal: Principal;
  },
): Sql => {
  const lists: Readonly<Record<string, Sql>> = {
    page: pageItemsSql(identifier(item)),
    found: sql`ARRAY(SELECT ${TABLE}.${identifier(item)} ${rows} ORDER BY ${order})`,
  };
  const names: SqlEnv["names"] = (name) => {
    const list = lists[name];
    return list === undefined ? inputExprs(model, step)(name) : { sql: list, missing: false, long: true };
  };
  const response = responseSql(gives, {
    model,
    principal,
    env: { ...env, field: noRecord, names },
    list: { each: { ...env, names }, found: sql`(SELECT count(*)::integer ${rows})` },
    depth: 0,
  });
  const keys = join(
    sort.map((_, i) => resultColumnSql(TABLE, sortColumn(i))),
    ", ",
  );
  return sql`SELECT ${response} AS "answer", (SELECT jsonb_agg(jsonb_build_array(${keys}) ORDER BY ${TABLE}."row:n") ${fromPage}) AS "keys"`;
};

const plain = { may: false, label: false };

const noRecord = (): never => {
  throw new Error("the response of a list has no record at hand");
};

/** The text of a sort value in a page token. */
const keyText = ({ column, type }: SortKey): Sql =>
  type.startsWith("timestamptz")
    ? sql`to_char((${column}) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : sql`(${column})::text`;

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
