import { versionRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { isRefusal, type Refusal, refuseCall } from "../../refusal.ts";
import { getEntity } from "../context.ts";
import type { StepAt } from "../custom-endpoints/address.ts";
import { planFindIds } from "../custom-endpoints/find-ids.ts";
import type { Outcome } from "../outcome.ts";
import { continuePlan, type Ending, type Plan, proceed } from "../plan.ts";
import type { Steps } from "../steps.ts";
import { isPlan, type PlannedStep, type Run, runLookup } from "./run.ts";

type PlanWrite = (run: Run, at: StepAt, id: string) => Steps<PlannedStep>;

/**
 * Replaces the record that the path finds, or creates one if the caller can read none there. Of two concurrent calls for the
 * same unique values, the second replaces the record of the first.
 */
export function* planPut(run: Run, at: StepAt, id: string, planWrite: PlanWrite): Steps<PlannedStep> {
  const { step } = at;
  if (step.does.kind !== "put") throw new Error(`${at.call.name} puts nothing`);
  const replacing: StepAt = { ...at, step: { ...step, does: { kind: "update" } } };
  const creating: StepAt = {
    ...at,
    step: { ...step, does: { kind: "create" }, parameters: step.does.creates, replaces: false },
  };
  const exists = yield* hasRecord(run, replacing);
  if (isRefusal(exists)) return exists;
  if (exists) return yield* planWrite(run, replacing, id);
  // The caller expects a version of an existing record.
  if (run.endpointCall.ifMatch !== undefined) return refuseCall(versionRefusal(getEntity(run.context, step.entity)));
  const planned = yield* planWrite(run, creating, id);
  const refused = (refusal: Refusal, isUndone: boolean): Refusal | Plan<Outcome> => {
    const isFinal = refusal.code === "NOT_SIGNED_IN" || refusal.code === "FORBIDDEN";
    // A rollback also undoes the steps before this one, so the whole endpoint ends.
    if (isFinal || (isUndone && run.batch !== undefined)) return refusal;
    const steps = () => replaceOr(run, replacing, id, refusal, planWrite);
    return { kind: "plan", transaction: "each batch", steps, constraint: () => undefined };
  };
  if (!isPlan(planned)) return planned;
  return continuePlan(planned, { refusal: refused, result: (outcome) => outcome });
}

/** True if the path finds exactly one record that the caller can read. */
function* hasRecord({ context, endpointCall }: Run, at: StepAt): Steps<boolean | Refusal> {
  const found = yield* runLookup(planFindIds(context, at, endpointCall.address, endpointCall.caller, 1));
  return isRefusal(found) ? found : found.ids.length === 1;
}

/** The refusal of a creation, unless somebody else has created the record meanwhile. */
function* replaceOr(run: Run, at: StepAt, id: string, refusal: Refusal, planWrite: PlanWrite): Steps<Ending<Outcome>> {
  const exists = yield* hasRecord(run, at);
  if (exists !== true) return refusal;
  const planned = yield* planWrite(run, at, id);
  return isPlan(planned) ? proceed(planned) : planned;
}
