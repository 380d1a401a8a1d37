import { typeOfColumn } from "../../../core/derive/tables/columns.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import type { Stored } from "../../../core/field/kind.ts";
import { type Call, type CallParameter, isOnRecord } from "../../../core/model/endpoint.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { identifier, join, slot, sql } from "../../../core/sql.ts";
import type { Refusal } from "../../refusal.ts";
import { TABLE } from "../aliases.ts";
import { type Caller, callerParams, getEntity, type PlanContext, principalKey } from "../context.ts";
import type { Tagged } from "../outcome.ts";
import { type BatchPlan, planBatch } from "../plan.ts";
import { readerEnv } from "../row/labels.ts";
import { asCondition, readScope } from "../row/read-scope.ts";
import { tableSql } from "../row/sql-env.ts";
import { toQuery } from "../statements.ts";
import {
  type EndpointAddress,
  getStepKey,
  parseStepQuery,
  pathConditions,
  pathParams,
  queryParams,
  type StepAt,
  stepConditions,
  stepEnv,
  stepQueryKey,
} from "./address.ts";

/** The ids found by a lookup. */
interface FoundIds extends Tagged {
  readonly kind: "ids";
  readonly ids: readonly string[];
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

/**
 * Decides the condition of a call on the record that the address identifies, as far as the caller can read it. Without
 * such a record, all its fields are missing. An id is found if the condition is true.
 */
export const planRecordCondition = (
  context: PlanContext,
  at: StepAt,
  address: EndpointAddress,
  caller: Caller,
): BatchPlan<FoundIds> | Refusal => {
  const { model } = context;
  const { principal } = caller;
  const { step } = at;
  const { when } = step;
  if (when === null) throw new Error(`${at.call.name} has no condition`);
  const entity = getEntity(context, step.entity);
  const query = parseStepQuery(model, at, address);
  if ("kind" in query) return query;
  const scope = readScope(model, entity, principal, TABLE.alias);
  const pathSlots =
    isOnRecord(step.does.kind) && scope.grants.length > 0
      ? pathParams(model, step.parameters, address.parameters)
      : undefined;
  const written = context.statements.get(
    ["open", ...getStepKey(at), principalKey(principal), stepQueryKey(step, query), pathSlots === undefined],
    () => {
      const env = stepEnv(model, step, entity, principal);
      const conditions =
        pathSlots === undefined
          ? [sql`false`]
          : [...stepConditions(model, step, query.values, env), asCondition(scope.rows)];
      return {
        more: undefined,
        sql: sql`SELECT 1 AS "id" FROM (SELECT 1) AS "caller" LEFT JOIN ${tableSql(entity)} AS ${TABLE} ON ${join(conditions, " AND ")} WHERE COALESCE((${toSql(when, env).truth}), false) LIMIT 1`,
      };
    },
  );
  return planFoundIds(toQuery(written, { ...callerParams(caller), ...pathSlots, ...queryParams(step, query) }));
};

/** Decides the condition of a call on the caller alone. An id is found if it is true. */
export const planCallerCondition = (
  context: PlanContext,
  { name }: Call,
  when: Expr,
  caller: Caller,
): BatchPlan<FoundIds> => {
  const { model } = context;
  const { principal } = caller;
  const written = context.statements.get(["open", name, principalKey(principal)], () => {
    const env = readerEnv(model, getEntity(context, "User"), principal, TABLE.alias);
    return { more: undefined, sql: sql`SELECT 1 AS "id" WHERE COALESCE((${toSql(when, env).truth}), false)` };
  });
  return planFoundIds(toQuery(written, callerParams(caller)));
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

const planFoundIds = (query: ReturnType<typeof toQuery>): BatchPlan<FoundIds> =>
  planBatch<FoundIds>([query], ([rows = []]) => ({ kind: "ids", ids: rows.map(({ id }) => String(id)) }));

const noIds = planBatch<FoundIds>([], () => ({ kind: "ids", ids: [] }));
