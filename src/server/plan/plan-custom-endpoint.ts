import { decidingClauseId, grantsFor } from "../../core/derive/authorization/grants.ts";
import {
  permissionRefusal,
  recordRefusal,
  tooManyDeletedRefusal,
} from "../../core/derive/consistency/check-refusals.ts";
import { permissionSentence } from "../../core/explain/who-may.ts";
import type { CallStep } from "../../core/model/endpoint.ts";
import type { Format } from "../../core/model/format.ts";
import type { Attempt } from "../intent.ts";
import { forbid, isRefusal, type Refusal, refuse, refuseCall } from "../refusal.ts";
import { planBatchChecks } from "./after-write.ts";
import { getEntity, type PlanContext } from "./context.ts";
import type { StepAt } from "./custom-endpoints/address.ts";
import { relocateRefusal, relocateStepRefusal } from "./custom-endpoints/endpoint-body.ts";
import { planEndpointList } from "./custom-endpoints/endpoint-list.ts";
import { planEndpointRecord } from "./custom-endpoints/endpoint-record.ts";
import { planFindByPath, planFindIds, planRecordCondition } from "./custom-endpoints/find-ids.ts";
import { planEnsure } from "./endpoint-steps/ensure-record.ts";
import { planPut } from "./endpoint-steps/put-record.ts";
import {
  type EndpointCall,
  findErrorMeanings,
  isPlan,
  type PlannedStep,
  planShown,
  type Run,
  runInside,
  runLookup,
  toReadIntent,
} from "./endpoint-steps/run.ts";
import { respond } from "./endpoint-steps/show-written.ts";
import { findIntent, findRecord } from "./endpoint-steps/step-input.ts";
import { asFound, DONE_OUTCOME, type Outcome } from "./outcome.ts";
import { continuePlan, type Ending, markReadOnly, type Plan, proceed, undo } from "./plan.ts";
import { planIntent } from "./plan-intent.ts";
import { planRead } from "./read/read-record.ts";
import type { Steps } from "./steps.ts";
import { planDeleteMany } from "./write/delete-many.ts";
import { planPasswordChange } from "./write/password-change.ts";

/** Maximum number of records that one call deletes. The deletion is one transaction, for which others must wait. */
const MAX_DELETED = 10_000;

export interface EndpointPlan extends Plan {
  /** The conventional action that was refused, after the plan has ended in a refusal; `null` if there is none. */
  readonly attempt: () => Attempt | null;
}

/**
 * Plans a request to a custom endpoint. Each step is planned and checked like the conventional call of its kind. The
 * response is then read in the caller's read scope. Several steps are one transaction. A single step looks up its
 * record and its values, and then continues with the plan of that call and its transaction.
 */
export const planCustomEndpoint = (context: PlanContext, format: Format, endpointCall: EndpointCall): EndpointPlan => {
  const run: Run = { context, format, endpointCall, attempt: null, begun: [], batch: undefined };
  const isTransaction = endpointCall.password !== undefined || needsTransaction(endpointCall.steps);
  return {
    kind: "plan",
    transaction: isTransaction ? "whole" : "each batch",
    steps: () => {
      run.attempt = null;
      run.begun = [];
      run.batch =
        endpointCall.password !== undefined || endpointCall.steps.length > 1
          ? { written: [], places: new Map(), step: "" }
          : undefined;
      return isTransaction ? runSteps(run) : runSingleStep(run);
    },
    ...findErrorMeanings(run),
    attempt: () => run.attempt,
  };
};

/** True if the endpoint needs one transaction: several steps, or a read before a deletion. */
const needsTransaction = (steps: readonly CallStep[]): boolean =>
  steps.length > 1 ||
  steps.some(({ does, gives }) => does.kind === "delete all" || (does.kind === "delete" && gives !== null));

function* runSingleStep(run: Run): Steps<Ending<Outcome>> {
  const { call, steps, ids } = run.endpointCall;
  const [step] = steps;
  if (step === undefined) return refuse("NO_SUCH_CALL");
  const planned = yield* planStep(run, { call, step, nth: 0 }, ids[0] ?? "");
  return isPlan(planned) ? proceed(planned) : planned;
}

/** Runs all steps in order. The last one produces the response. */
function* runSteps(run: Run): Steps<Ending<Outcome>> {
  const { endpointCall, batch } = run;
  const { call, steps, ids } = endpointCall;
  let outcome: Outcome | undefined;
  for (const [nth, step] of steps.entries()) {
    if (batch !== undefined) batch.step = `${nth}`;
    const planned = yield* planStep(run, { call, step, nth }, ids[nth] ?? "");
    const ended = isPlan(planned) ? yield* runInside(run, planned) : planned;
    if (isRefusal(ended)) return undo(ended);
    outcome = ended;
    if (!changesPassword(step) || endpointCall.password === undefined) continue;
    const { change, notice } = endpointCall.password;
    const set = yield* runInside(run, planPasswordChange(run.context, change, endpointCall.caller, notice));
    if (isRefusal(set)) return undo(set);
  }
  if (outcome === undefined) return refuse("NO_SUCH_CALL");
  if (batch === undefined || batch.written.length === 0) return outcome;
  const checked = yield* runInside(run, planBatchChecks(run.context, endpointCall.caller, run.format, batch));
  return isRefusal(checked) ? undo(relocateStepRefusal(steps, checked)) : outcome;
}

/** True if a step can change the password of the caller. */
const changesPassword = ({ takes }: CallStep): boolean => takes?.some((take) => take.isCredential === true) === true;

function* planStep(run: Run, at: StepAt, id: string): Steps<PlannedStep> {
  const { context, format, endpointCall } = run;
  const { caller, address } = endpointCall;
  const { does, gives, entity } = at.step;
  const closed = yield* refuseByCondition(run, at);
  if (closed !== undefined) return closed;
  switch (does.kind) {
    case "list": {
      const absent = yield* findAbsentParent(run, at);
      if (absent !== undefined) return absent;
      run.attempt = { kind: "list", entity };
      return markReadOnly(planEndpointList(context, at, address, caller, format));
    }
    case "read": {
      if (gives !== null) return planEndpointRecord(context, at, address, caller, format);
      const found = yield* findRecord(run, at);
      return typeof found === "string" ? planRead(context, toReadIntent(entity, found), caller, format) : found;
    }
    case "delete all":
      return yield* planDeleteAll(run, at);
    case "ensure":
      return yield* planEnsure(run, at, id);
    case "put":
      return yield* planPut(run, at, id, planWriteStep);
    default:
      return yield* planWriteStep(run, at, id);
  }
}

/** Refuses a caller for whom the condition of the call is false. */
function* refuseByCondition({ context, endpointCall }: Run, at: StepAt): Steps<Refusal | undefined> {
  if (at.step.when === null) return undefined;
  const open = yield* runLookup(planRecordCondition(context, at, endpointCall.address, endpointCall.caller));
  if (isRefusal(open)) return open;
  return open.ids.length > 0 ? undefined : refuseCall(permissionRefusal(at.call.clause.id));
}

/** Refuses a list below a record that does not exist or that the caller cannot read. */
function* findAbsentParent({ context, endpointCall }: Run, { step }: StepAt): Steps<Refusal | undefined> {
  const { caller, address } = endpointCall;
  const pathValues = step.parameters.flatMap((parameter, i) =>
    parameter.parent === null
      ? []
      : [
          {
            parameter: { ...parameter, at: parameter.parent.at },
            parent: parameter.parent,
            text: address.parameters[i] ?? "",
          },
        ],
  );
  for (const reference of new Set(pathValues.map(({ parent }) => parent.reference))) {
    const own = pathValues.filter(({ parent }) => parent.reference === reference);
    const target = getEntity(context, own[0]?.parent.entity ?? step.entity);
    const found = yield* runLookup(planFindByPath(context, target, own, caller));
    if (isRefusal(found)) return found;
    if (found.ids.length === 0) return refuseCall(recordRefusal(target));
  }
  return undefined;
}

/** A write like the conventional call of its kind, followed by the declared response. */
function* planWriteStep(run: Run, at: StepAt, id: string): Steps<PlannedStep> {
  const intent = yield* findIntent(run, at);
  if (isRefusal(intent)) return intent;
  const { context, format, endpointCall, batch } = run;
  const { step } = at;
  if (intent.kind === "update" && endpointCall.password !== undefined && changesPassword(step))
    if (Object.keys(intent.values).length === 0) return yield* planUnchanged(run, at, intent.id);
  const before =
    intent.kind === "delete" && step.gives !== null ? yield* runLookup(planShown(run, at, intent.id)) : undefined;
  if (before?.kind === "refusal") return before;
  run.attempt = intent;
  const planned = planIntent(context, intent, endpointCall.caller, format, id, batch);
  if (isRefusal(planned)) return relocateRefusal(step, planned, at.call);
  return continuePlan(planned, {
    refusal: (refusal) => relocateRefusal(step, refusal, at.call),
    result: (outcome) => {
      run.attempt = null;
      return before === undefined ? respond(run, at, outcome) : asFound(before.body);
    },
  });
}

/** A request that sends only a new password changes no field, so it needs no permission for the update. */
function* planUnchanged(run: Run, at: StepAt, id: string): Steps<PlannedStep> {
  const { gives, entity } = at.step;
  if (gives?.kind === "none") return DONE_OUTCOME;
  const shown =
    gives === null
      ? planRead(run.context, toReadIntent(entity, id), run.endpointCall.caller, run.format)
      : planShown(run, at, id);
  const found = isRefusal(shown) ? shown : yield* runInside(run, shown);
  return isRefusal(found) ? DONE_OUTCOME : found;
}

/**
 * Deletes all records that an address identifies, or none; each is checked like a single deletion. The response is that of a
 * list of these records as they were.
 */
function* planDeleteAll({ context, format, endpointCall, batch }: Run, at: StepAt): Steps<PlannedStep> {
  const { caller, address } = endpointCall;
  const entity = getEntity(context, at.step.entity);
  if (grantsFor(context.model, entity, "delete", caller.principal).length === 0)
    return forbid(decidingClauseId(entity, "delete"), permissionSentence(caller.phrases, entity, "delete"));
  const found = yield* runLookup(planFindIds(context, at, address, caller, MAX_DELETED));
  if (isRefusal(found)) return found;
  const { ids } = found;
  if (ids.length > MAX_DELETED) return refuseCall(tooManyDeletedRefusal(at.call));
  const planned = planDeleteMany(context, entity, ids, caller, format, batch);
  if (at.step.gives === null || isRefusal(planned)) return planned;
  const before = yield* runLookup(planEndpointList(context, at, address, caller, format));
  return isRefusal(before)
    ? before
    : continuePlan(planned, { refusal: (refusal) => refusal, result: () => asFound(before.body) });
}
