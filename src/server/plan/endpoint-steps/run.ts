import type { Call, CallStep } from "../../../core/model/endpoint.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Attempt, Intent, Values } from "../../intent.ts";
import { isRefusal, type Refusal } from "../../refusal.ts";
import type { EndpointBatch } from "../after-write.ts";
import type { Caller, PlanContext } from "../context.ts";
import type { EndpointAddress, StepAt } from "../custom-endpoints/address.ts";
import { planEndpointRecord } from "../custom-endpoints/endpoint-record.ts";
import type { Found, Outcome, Tagged } from "../outcome.ts";
import { type BatchPlan, isProceed, isUndo, type Plan } from "../plan.ts";
import type { Steps } from "../steps.ts";
import type { Notice } from "../write/account-change.ts";
import type { PasswordChange } from "../write/password-change.ts";

/** A request to a custom endpoint. */
export interface EndpointCall {
  readonly call: Call;
  readonly steps: readonly CallStep[];
  readonly caller: Caller;
  readonly body: Values;
  readonly address: EndpointAddress;
  readonly ifMatch: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** The id of the record that each step creates, so that a retry of the plan creates records with the same ids. */
  readonly ids: readonly string[];
  /** The new password of the caller, checked and hashed; absent if the request sends none. */
  readonly password?: NewPassword | undefined;
}

export interface NewPassword {
  readonly change: PasswordChange;
  readonly notice: Notice | null;
}

/** A request to a custom endpoint while its steps run. */
export interface Run {
  readonly context: PlanContext;
  readonly format: Format;
  readonly endpointCall: EndpointCall;
  /** The most recent conventional call; `null` if it has succeeded. */
  attempt: Attempt | null;
  /** The plans of this transaction so far. */
  begun: Plan[];
  /** The writes of the steps so far, if there are several steps. */
  batch: EndpointBatch | undefined;
}

/** A step after its look-ups: its result or refusal, or the plan that produces it. */
export type PlannedStep = Plan | Outcome | Refusal;

export const isPlan = (step: PlannedStep): step is Plan => step.kind === "plan";

/** Runs a plan inside the transaction of the others. */
export function* runInside(run: Pick<Run, "begun">, plan: Plan): Steps<Outcome | Refusal> {
  run.begun.push(plan);
  const ending = yield* plan.steps();
  if (isProceed(ending)) return yield* runInside(run, ending.then);
  if (!isUndo(ending)) return ending;
  if (!isRefusal(ending.then)) throw new Error("a step among others cannot be undone and continue");
  return ending.then;
}

/**
 * The meanings of database errors, by the plans of the transaction so far. The most precise refusal is that of a plan that
 * deleted a record and knows that others still refer to it; otherwise the latest.
 */
export const findErrorMeanings = (run: Pick<Run, "begun">): Pick<Plan, "constraint" | "notNull" | "isRetryable"> => ({
  constraint: (name) => mostPrecise(run.begun.map(({ constraint }) => constraint(name))),
  notNull: (table, column) => mostPrecise(run.begun.map(({ notNull }) => notNull?.(table, column))),
  isRetryable: (constraint) => run.begun.some(({ isRetryable }) => isRetryable?.(constraint) === true),
});

const mostPrecise = (of: readonly (Refusal | Plan | undefined)[]): Refusal | undefined => {
  const refusals = of.filter(isRefusal);
  return refusals.find(({ code }) => code === "IN_USE") ?? refusals.at(-1);
};

/** Runs a look-up. */
export function* runLookup<T extends Tagged>(planned: BatchPlan<T> | Refusal): Steps<T | Refusal> {
  return isRefusal(planned) ? planned : yield* planned.steps();
}

export const toReadIntent = (entity: string, id: string) =>
  ({ kind: "read", entity, id, label: false, screen: null }) as const satisfies Intent;

export const planShown = ({ context, format, endpointCall }: Run, at: StepAt, id: string): BatchPlan<Found> | Refusal =>
  planEndpointRecord(context, at, { id }, endpointCall.caller, format);
