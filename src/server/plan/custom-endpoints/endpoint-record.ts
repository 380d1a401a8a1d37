import { recordRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import type { Call, CallStep, Gives } from "../../../core/model/endpoint.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Format } from "../../../core/model/format.ts";
import { join, slot, sql } from "../../../core/sql.ts";
import type { Json } from "../../../core/wire/json.ts";
import { isRefusal, type Refusal, refuseCall } from "../../refusal.ts";
import { TABLE } from "../aliases.ts";
import { type Caller, callerParams, getEntity, type PlanContext, principalKey } from "../context.ts";
import { type Accepted, asFound, type Found } from "../outcome.ts";
import { type BatchPlan, planBatch } from "../plan.ts";
import { readerEnv } from "../row/labels.ts";
import { asCondition, readScope } from "../row/read-scope.ts";
import { tableSql } from "../row/sql-env.ts";
import { type StatementKey, toQuery } from "../statements.ts";
import {
  type EndpointAddress,
  getStepKey,
  inputExprs,
  parseStepQuery,
  pathParams,
  queryParams,
  type StepAt,
  stepConditions,
  stepEnv,
  stepQueryKey,
} from "./address.ts";
import { finishResponse, responseSql, unreadableResponse } from "./response-shape.ts";
import { selectMembers } from "./select-members.ts";

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
    return planResponse(
      context,
      caller,
      { entity, id: of.id },
      { key: getStepKey(at), gives: step.gives, format, step, omitsMissing },
    );
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

/** The response that a call declares. */
interface DeclaredResponse {
  /** Identifies the statement. */
  readonly key: StatementKey;
  readonly gives: Gives;
  readonly format: Format;
  readonly omitsMissing: boolean;
}

/** The response that a call declares as a whole; its steps can declare others. */
export const getDeclaredResponse = (
  { name, omitsMissing }: Pick<Call, "name" | "omitsMissing">,
  gives: Gives,
  format: Format,
): DeclaredResponse => ({ key: ["call", name], gives, format, omitsMissing });

/** The response of a call that is about no record. */
export const planResponseWithoutRecord = (
  context: PlanContext,
  caller: Caller,
  { key, gives, format, omitsMissing }: DeclaredResponse,
): BatchPlan<Accepted> => {
  const { model } = context;
  const { principal, origin, token } = caller;
  const written = context.statements.get(["no record", ...key, principalKey(principal)], () => {
    const env = readerEnv(model, getEntity(context, "User"), principal, TABLE.alias);
    return { more: undefined, sql: sql`SELECT ${responseSql(gives, { model, principal, env, depth: 0 })} AS "answer"` };
  });
  return planBatch<Accepted>([toQuery(written, callerParams(caller))], ([rows = []]) => ({
    kind: "accepted",
    body: finishResponse(gives, (rows[0]?.answer ?? null) as Json, { model, format, origin, token, omitsMissing }),
  }));
};

/** The response for a record by id. A reader without permission only gets its id, constants and tokens. */
export const planResponse = (
  context: PlanContext,
  caller: Caller,
  { entity, id }: { readonly entity: Entity; readonly id: string },
  response: DeclaredResponse & { readonly step?: CallStep; readonly token?: string },
): BatchPlan<Found> | Refusal => {
  const { key, gives, format, omitsMissing, step, token } = response;
  const { model } = context;
  const { principal } = caller;
  const scope = readScope(model, entity, principal, TABLE.alias);
  const place = { model, format, origin: caller.origin, token: token ?? caller.token, omitsMissing };
  const unseen = (): Found => asFound(unreadableResponse(gives, place, id));
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
