import type { Stored } from "../../../core/field/kind.ts";
import { getFieldKind } from "../../../core/field/multi-valued.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { toFieldSpec } from "../../../core/model/facts/field-spec.ts";
import type { Values } from "../../intent.ts";
import { isRefusal, type Refusal } from "../../refusal.ts";
import { type Caller, getEntity } from "../context.ts";
import type { StepAt } from "../custom-endpoints/address.ts";
import { relocateRefusal } from "../custom-endpoints/endpoint-body.ts";
import { planFindByValues } from "../custom-endpoints/find-ids.ts";
import { evaluateForCaller, readsRecords } from "../input/initial-values.ts";
import { emptyValue } from "../input/parse-input.ts";
import { DONE_OUTCOME, type Outcome } from "../outcome.ts";
import { continuePlan, type Plan, planSteps } from "../plan.ts";
import { planIntent } from "../plan-intent.ts";
import { planRead } from "../read/read-record.ts";
import type { Steps } from "../steps.ts";
import { type PlannedStep, planShown, type Run, runLookup, toReadIntent } from "./run.ts";
import { respond } from "./show-written.ts";
import { findInput } from "./step-input.ts";

/** Finds the record or creates it. Of two concurrent calls, the second finds the record of the first. */
export function* planEnsure(run: Run, at: StepAt, id: string): Steps<PlannedStep> {
  const { context, format, endpointCall, batch } = run;
  const { step } = at;
  const { does } = step;
  if (does.kind !== "ensure") throw new Error(`${at.call.name} ensures nothing`);
  const entity = getEntity(context, step.entity);
  const input = yield* findInput(run, at);
  if (isRefusal(input)) return input;
  const { values } = input;
  const key = keyValues(entity, does.key, values, endpointCall.caller);
  const existing = yield* findExisting(run, at, key);
  if (existing !== undefined) return existing;
  const intent = { kind: "create", entity: step.entity, values, key: null, label: false } as const;
  const refused = (refusal: Refusal, isUndone: boolean): Refusal | Plan => {
    const own = relocateRefusal(step, refusal);
    const isFinal = refusal.code === "NOT_SIGNED_IN" || refusal.code === "FORBIDDEN";
    // A rollback also undoes the steps before this one, so the whole endpoint ends.
    return isFinal || (isUndone && batch !== undefined) ? own : planSteps(() => existingOr(run, at, key, own));
  };
  const planned = planIntent(context, intent, endpointCall.caller, format, id, batch);
  if (isRefusal(planned)) return refused(planned, false);
  return continuePlan(planned, { refusal: refused, result: (outcome) => respond(run, at, outcome) });
}

function* findExisting(
  run: Run,
  at: StepAt,
  key: ReadonlyMap<string, Stored> | undefined,
): Steps<Outcome | Refusal | undefined> {
  const { context, format, endpointCall } = run;
  const { step } = at;
  if (key === undefined) return undefined;
  const found = yield* runLookup(planFindByValues(context, getEntity(context, step.entity), key, endpointCall.caller));
  const [id, other] = isRefusal(found) ? [] : found.ids;
  if (id === undefined || other !== undefined) return undefined;
  if (step.gives?.kind === "none") return DONE_OUTCOME;
  if (step.gives !== null) return yield* runLookup(planShown(run, at, id));
  return yield* runLookup(planRead(context, toReadIntent(step.entity, id), endpointCall.caller, format));
}

function* existingOr(
  run: Run,
  at: StepAt,
  key: ReadonlyMap<string, Stored> | undefined,
  refusal: Refusal,
): Steps<Outcome | Refusal> {
  return (yield* findExisting(run, at, key)) ?? refusal;
}

/** The stored values of a record's key; undefined if one is invalid. */
const keyValues = (
  entity: Entity,
  key: readonly string[],
  values: Values,
  caller: Caller,
): ReadonlyMap<string, Stored> | undefined => {
  const known = new Map<string, Stored>();
  for (const name of key) {
    const field = entity.fields.get(name);
    if (field === undefined) return undefined;
    const sent = values[name];
    const automatic = field.set ?? (sent === undefined ? field.default : null);
    // A record with such a key cannot be found before it is created.
    if (automatic !== null && readsRecords(automatic)) return undefined;
    if (automatic !== null) known.set(name, evaluateForCaller(automatic, caller));
    else if (sent === undefined || (!field.many && (sent === null || sent === ""))) known.set(name, emptyValue(field));
    else {
      const read = getFieldKind(field).read(sent, toFieldSpec(entity, field));
      if (!read.ok) return undefined;
      known.set(name, read.value);
    }
  }
  return known;
};
