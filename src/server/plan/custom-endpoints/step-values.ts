import { virtualFields } from "../../../core/derive/sql/row-env.ts";
import type { Format } from "../../../core/model/format.ts";
import { identifier, join, sql } from "../../../core/sql.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { Values } from "../../intent.ts";
import type { Refusal } from "../../refusal.ts";
import { type Caller, callerParams, NOBODY, type PlanContext } from "../context.ts";
import type { Tagged } from "../outcome.ts";
import { type BatchPlan, planBatch } from "../plan.ts";
import { toQuery } from "../statements.ts";
import { type EndpointAddress, getStepKey, inputExprs, parseStepQuery, queryParams, type StepAt } from "./address.ts";
import { finishResponse, valueSql } from "./response-shape.ts";

/** The values that a step sets in addition to its body. */
interface StepValues extends Tagged {
  readonly kind: "values";
  readonly values: Values;
}

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
  if (Array.isArray(json)) return json.map((item: Json) => asSent(item));
  if (typeof json !== "object" || json === null || !("id" in json)) return json;
  const { id } = json as { readonly id: Json };
  return id === NOBODY ? null : id;
};
