import { decidingClauseId, grantsFor } from "../../core/derive/authorization/grants.ts";
import {
  recordRefusal,
  referenceRefusal,
  tooManyDeletedRefusal,
  twoValuesRefusal,
} from "../../core/derive/consistency/check-refusals.ts";
import { findReadCall } from "../../core/derive/http/routes.ts";
import { permissionSentence } from "../../core/explain/who-may.ts";
import type { Stored } from "../../core/field/kind.ts";
import { getFieldKind } from "../../core/field/multi-valued.ts";
import { isId } from "../../core/field/reference.ts";
import type { Call, CallStep } from "../../core/model/endpoint.ts";
import type { Entity } from "../../core/model/entity.ts";
import { toFieldSpec } from "../../core/model/facts/field-spec.ts";
import type { Format } from "../../core/model/format.ts";
import type { Json } from "../../core/wire/json.ts";
import { type Attempt, type Intent, parseIfMatch, type Values } from "../intent.ts";
import { badQuery, forbid, isRefusal, type Refusal, type RefusalAt, refuse, refuseAt, refuseCall } from "../refusal.ts";
import { type EndpointBatch, planBatchChecks } from "./after-write.ts";
import { type Caller, getEntity, type PlanContext } from "./context.ts";
import type { EndpointAddress, StepAt } from "./custom-endpoints/address.ts";
import { extractValues, relocateRefusal, relocateStepRefusal } from "./custom-endpoints/endpoint-body.ts";
import {
  planEndpointList,
  planEndpointRecord,
  planFindByPath,
  planFindByValues,
  planFindIds,
  planResponse,
  planStepValues,
} from "./custom-endpoints/plan-endpoint.ts";
import { evaluateForCaller, readsRecords } from "./input/initial-values.ts";
import { emptyValue } from "./input/parse-input.ts";
import { asFound, type Changed, type Created, DONE_OUTCOME, type Found, type Outcome, type Tagged } from "./outcome.ts";
import {
  type BatchPlan,
  continuePlan,
  type Ending,
  isProceed,
  isUndo,
  type Plan,
  planSteps,
  proceed,
  undo,
} from "./plan.ts";
import { planIntent } from "./plan-intent.ts";
import { planRead } from "./read/read-record.ts";
import type { Steps } from "./steps.ts";
import type { Notice } from "./write/account-change.ts";
import { planDeleteMany } from "./write/delete-many.ts";
import { type PasswordChange, planPasswordChange } from "./write/password-change.ts";

/** Maximum number of records that one call deletes. The deletion is one transaction, for which others wait. */
const MOST_DELETED = 10_000;

/** A request to a custom endpoint. */
export interface EndpointCall {
  readonly call: Call;
  readonly steps: readonly CallStep[];
  readonly caller: Caller;
  readonly body: Values;
  readonly address: EndpointAddress;
  readonly ifMatch: string | undefined;
  readonly idempotencyKey: string | undefined;
  /** The id of the record that each step creates, so that a repetition of the plan creates the same ones. */
  readonly ids: readonly string[];
  /** The new password of the caller, checked and hashed; absent if the request sends none. */
  readonly password?: NewPassword | undefined;
}

export interface NewPassword {
  readonly change: PasswordChange;
  readonly notice: Notice | null;
}

export interface EndpointPlan extends Plan {
  /** The conventional action that was refused, after the plan has ended in a refusal; `null` if none was. */
  readonly attempt: () => Attempt | null;
}

/**
 * Plans a request to a custom endpoint. Each step is planned and checked like the conventional call of its kind; the
 * response is read afterwards with the caller's read scope. Several steps are one transaction. A single one looks up its
 * record and its values, and then continues with the plan of that call and its transaction.
 */
export const planCustomEndpoint = (context: PlanContext, format: Format, endpointCall: EndpointCall): EndpointPlan => {
  const run: Run = { context, format, endpointCall, attempt: null, begun: [], batch: undefined };
  const isTransaction = endpointCall.password !== undefined || isWhole(endpointCall.steps);
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
    constraint: (name) => mostPrecise(run.begun.map(({ constraint }) => constraint(name))),
    notNull: (table, column) => mostPrecise(run.begun.map(({ notNull }) => notNull?.(table, column))),
    isRetryable: (constraint) => run.begun.some(({ isRetryable }) => isRetryable?.(constraint) === true),
    attempt: () => run.attempt,
  };
};

/** True if the endpoint needs one transaction: several steps, or a read before a deletion. */
const isWhole = (steps: readonly CallStep[]): boolean =>
  steps.length > 1 ||
  steps.some(({ does, gives }) => does.kind === "delete all" || (does.kind === "delete" && gives !== null));

/** A plan that deleted a record knows that others still need it: its refusal is the most precise. Else it is the latest. */
const mostPrecise = (of: readonly (Refusal | Plan | undefined)[]): Refusal | undefined => {
  const refusals = of.filter(isRefusal);
  return refusals.find(({ code }) => code === "IN_USE") ?? refusals.at(-1);
};

/** A request to a custom endpoint while its steps run. */
interface Run {
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

/** A step after its look-ups: its result or refusal, or the plan that gives it. */
type PlannedStep = Plan | Outcome | Refusal;

const isPlan = (step: PlannedStep): step is Plan => step.kind === "plan";

function* runSingleStep(run: Run): Steps<Ending<Outcome>> {
  const { call, steps, ids } = run.endpointCall;
  const [step] = steps;
  if (step === undefined) return refuse("NO_SUCH_CALL");
  const planned = yield* planStep(run, { call, step, nth: 0 }, ids[0] ?? "");
  return isPlan(planned) ? proceed(planned) : planned;
}

/** All steps in order; the last one produces the response. */
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
const changesPassword = ({ takes }: CallStep): boolean => takes?.some((one) => one.isCredential === true) === true;

/** Runs a plan inside the transaction of the endpoint. */
function* runInside(run: Run, plan: Plan): Steps<Outcome | Refusal> {
  run.begun.push(plan);
  const ending = yield* plan.steps();
  if (isProceed(ending)) return yield* runInside(run, ending.then);
  if (!isUndo(ending)) return ending;
  if (!isRefusal(ending.then)) throw new Error("a step among others cannot be undone and continue");
  return ending.then;
}

/** Runs a look-up. */
function* find<T extends Tagged>(planned: BatchPlan<T> | Refusal): Steps<T | Refusal> {
  return isRefusal(planned) ? planned : yield* planned.steps();
}

function* planStep(run: Run, at: StepAt, id: string): Steps<PlannedStep> {
  const { context, format, endpointCall } = run;
  const { caller, address } = endpointCall;
  const { does, gives, entity } = at.step;
  switch (does.kind) {
    case "list": {
      const absent = yield* findAbsentParent(run, at);
      if (absent !== undefined) return absent;
      run.attempt = { kind: "list", entity };
      return planEndpointList(context, at, address, caller, format);
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
    default:
      return yield* planWriteStep(run, at, id);
  }
}

/** The refusal of a list below a record that does not exist or that the caller cannot read. */
function* findAbsentParent({ context, endpointCall }: Run, { step }: StepAt): Steps<Refusal | undefined> {
  const { caller, address } = endpointCall;
  const given = step.parameters.flatMap((parameter, i) =>
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
  for (const reference of new Set(given.map(({ parent }) => parent.reference))) {
    const own = given.filter(({ parent }) => parent.reference === reference);
    const target = getEntity(context, own[0]?.parent.entity ?? step.entity);
    const found = yield* find(planFindByPath(context, target, own, caller));
    if (isRefusal(found)) return found;
    if (found.ids.length === 0) return refuseCall(recordRefusal(target));
  }
  return undefined;
}

/** Replaces the values of references that a request writes by unique fields with the ids of those records. */
function* findReferences({ context, endpointCall }: Run, { step }: StepAt, sent: Values): Steps<StepInput | Refusal> {
  const values: Record<string, Json> = { ...sent };
  const entity = getEntity(context, step.entity);
  const missing: RefusalAt[] = [];
  for (const { field: name, by } of step.takes ?? []) {
    const value = values[name];
    const field = entity.fields.get(name);
    if (by === undefined || field === undefined || value === undefined || value === null || value === "") continue;
    const target = getEntity(context, by.field.entity);
    const text = typeof value === "object" ? undefined : String(value);
    const found =
      text === undefined
        ? undefined
        : yield* find(planFindByPath(context, target, [{ parameter: by, text }], endpointCall.caller));
    const [id, other] = found === undefined || isRefusal(found) ? [] : found.ids;
    if (id !== undefined && other === undefined) values[name] = id;
    else missing.push({ ...referenceRefusal(field), values: { field: field.title } });
  }
  return missing.length === 0 ? { kind: "input", values } : relocateRefusal(step, refuseAt(missing));
}

const toReadIntent = (entity: string, id: string) =>
  ({ kind: "read", entity, id, label: false, screen: null }) as const satisfies Intent;

/** The id of the record that an address identifies; a refusal for none or several. */
function* findRecord({ context, endpointCall }: Run, at: StepAt): Steps<string | Refusal> {
  const { caller, address } = endpointCall;
  const { step } = at;
  const notFound = refuseCall(recordRefusal(getEntity(context, step.entity)));
  const [only, other] = step.parameters;
  const isBare = only?.at?.kind === "field" && only.at.of.kind === "this" && only.field.name === "id";
  // A plain id needs no lookup; the statement of the operation finds the record.
  if (isBare && other === undefined && step.where === null && step.query.length === 0) {
    const text = address.parameters[0] ?? "";
    return isId(text) ? text.toLowerCase() : notFound;
  }
  const found = yield* find(planFindIds(context, at, address, caller, 1));
  if (isRefusal(found)) return found;
  const [id, second] = found.ids;
  return id === undefined || second !== undefined ? notFound : id;
}

/** The values of a write. They are nested, because a body can contain a field `kind`. */
interface StepInput {
  readonly kind: "input";
  readonly values: Values;
}

/** The values that the path of a create call fixes. Parameters that go through one reference identify one record. */
function* findFixedValues({ context, endpointCall }: Run, { step }: StepAt): Steps<StepInput | Refusal> {
  const { caller, address } = endpointCall;
  const entity = getEntity(context, step.entity);
  const given = step.parameters.map((parameter, i) => ({ parameter, text: address.parameters[i] ?? "" }));
  const values: Record<string, Json> = {};
  for (const name of new Set(step.parameters.flatMap(({ fixes }) => fixes ?? []))) {
    const parameters = given.filter(({ parameter }) => parameter.fixes === name);
    const field = entity.fields.get(name);
    const target = context.model.entities.get(field?.entity ?? "");
    const paths = parameters.filter(({ parameter }) => parameter.at !== null);
    if (target === undefined || paths.length === 0) {
      const [text = "", ...others] = new Set(parameters.map((one) => one.text));
      if (others.length > 0) return refuseCall(twoValuesRefusal(entity));
      values[name] = field?.many === true ? [text] : text;
      continue;
    }
    const found = yield* find(planFindByPath(context, target, paths, caller));
    const [id, other] = isRefusal(found) ? [] : found.ids;
    if (id === undefined || other !== undefined) return refuseCall(recordRefusal(target));
    values[name] = id;
  }
  return { kind: "input", values };
}

/** The values that a step writes: the body, the values fixed by the path, and those set by the document. */
function* findInput(run: Run, at: StepAt): Steps<StepInput | Refusal> {
  const { context, format, endpointCall } = run;
  const { caller, address, body } = endpointCall;
  const { step } = at;
  const fixed = yield* findFixedValues(run, at);
  if (isRefusal(fixed)) return fixed;
  const found = yield* findReferences(run, at, step.takes === null ? body : extractValues(step.takes, body));
  if (isRefusal(found)) return found;
  const sent = found.values;
  const cleared = step.replaces ? clearedValues(getEntity(context, step.entity), step) : {};
  const values = { ...cleared, ...sent, ...fixed.values };
  if (step.set.size === 0) return { kind: "input", values };
  const set = yield* find(planStepValues(context, at, address, caller, format));
  return isRefusal(set) ? set : { kind: "input", values: { ...values, ...set.values } };
}

/** The fields that a replacement takes, without their values; lists of parts are empty. */
const clearedValues = ({ fields }: Entity, { takes }: CallStep): Values =>
  Object.fromEntries((takes ?? []).map(({ field }) => [field, fields.get(field)?.many === false ? null : []]));

/** A write like the conventional call of its kind, followed by the declared response. */
function* planWriteStep(run: Run, at: StepAt, id: string): Steps<PlannedStep> {
  const intent = yield* findIntent(run, at);
  if (isRefusal(intent)) return intent;
  const { context, format, endpointCall, batch } = run;
  const { step } = at;
  if (intent.kind === "update" && endpointCall.password !== undefined && changesPassword(step))
    if (Object.keys(intent.values).length === 0) return yield* planUnchanged(run, at, intent.id);
  const before =
    intent.kind === "delete" && step.gives !== null ? yield* find(planShown(run, at, intent.id)) : undefined;
  if (before?.kind === "refusal") return before;
  run.attempt = intent;
  const planned = planIntent(context, intent, endpointCall.caller, format, id, batch);
  if (isRefusal(planned)) return relocateRefusal(step, planned);
  return continuePlan(planned, {
    refusal: (refusal) => relocateRefusal(step, refusal),
    result: (outcome) => {
      run.attempt = null;
      return before === undefined ? respond(run, at, outcome) : asFound(before.body);
    },
  });
}

/** A request that sends only a new password changes no field, so it needs no permission to. */
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

const planShown = ({ context, format, endpointCall }: Run, at: StepAt, id: string): BatchPlan<Found> | Refusal =>
  planEndpointRecord(context, at, { id }, endpointCall.caller, format);

/** Continues a write with the declared response. The writer can lack read permission. */
const respond = (run: Run, at: StepAt, outcome: Outcome): Ending<Outcome> => {
  if (outcome.kind !== "created" && (outcome.kind !== "changed" || at.step.gives === null)) return outcome;
  return proceed(planSteps(() => showWritten(run, at, outcome)));
};

function* showWritten(run: Run, at: StepAt, written: Created | Changed): Steps<Outcome> {
  const outcome = written.kind === "created" ? yield* locate(run, at, written) : written;
  const { gives } = at.step;
  if (gives === null) return outcome;
  if (gives.kind === "none") return { ...outcome, body: undefined };
  const shown = planShown(run, at, outcome.id);
  if (isRefusal(shown)) return outcome;
  const now = yield* shown.steps();
  if (isRefusal(now)) return outcome;
  const { body, version } = now;
  return { ...outcome, body, ...(version === null ? {} : { version }) };
}

/** A created record with the address at which a call of the document reads it, if its creator can read it there. */
function* locate(
  { context, format, endpointCall }: Run,
  { call, nth, step }: StepAt,
  created: Created,
): Steps<Created> {
  const entity = getEntity(context, step.entity);
  const address = findReadCall(context.model, entity);
  if (address === undefined) return created;
  const { origin: _, ...caller } = endpointCall.caller;
  const key = ["location", call.name, nth];
  const planned = planResponse(context, key, entity, { kind: "address", ...address }, created.id, caller, {
    format,
    omitsMissing: false,
  });
  const found = yield* find(planned);
  return isRefusal(found) || typeof found.body !== "string" ? created : { ...created, location: found.body };
}

/** The conventional call of a step, on the record that its path identifies. */
function* findIntent(
  run: Run,
  at: StepAt,
): Steps<Extract<Intent, { kind: "create" | "update" | "transition" | "delete" }> | Refusal> {
  const { steps, ifMatch, idempotencyKey } = run.endpointCall;
  const { step } = at;
  const { does } = step;
  const of = { entity: step.entity, label: false };
  // A step among others shares their transaction, so it has no idempotency key and no expected version.
  const isAlone = steps.length === 1;
  if (does.kind === "create") {
    const key = idempotencyKey ?? null;
    if (key !== null && (key === "" || key.length > 255)) return badQuery("KEY_LENGTH");
    const input = yield* findInput(run, at);
    if (isRefusal(input)) return input;
    return { kind: "create", ...of, values: input.values, key: isAlone ? key : null };
  }
  const version = isAlone ? parseIfMatch(ifMatch) : null;
  if (version === undefined) return badQuery("IF_MATCH");
  const id = yield* findRecord(run, at);
  if (typeof id !== "string") return id;
  if (does.kind === "delete") return { kind: "delete", entity: step.entity, id, version };
  const input = yield* findInput(run, at);
  if (isRefusal(input)) return input;
  const { values } = input;
  return does.kind === "transition"
    ? { kind: "transition", ...of, id, transition: does.transition, values, version }
    : { kind: "update", ...of, id, values, version };
}

/** Deletes all records that an address identifies, or none; each is checked like a single deletion. */
function* planDeleteAll({ context, format, endpointCall, batch }: Run, at: StepAt): Steps<PlannedStep> {
  const { caller, address } = endpointCall;
  const entity = getEntity(context, at.step.entity);
  if (grantsFor(context.model, entity, "delete", caller.principal).length === 0)
    return forbid(decidingClauseId(entity, "delete"), permissionSentence(caller.phrases, entity, "delete"));
  const found = yield* find(planFindIds(context, at, address, caller, MOST_DELETED));
  if (isRefusal(found)) return found;
  const { ids } = found;
  if (ids.length > MOST_DELETED) return refuseCall(tooManyDeletedRefusal(at.call));
  return planDeleteMany(context, entity, ids, caller, format, batch);
}

/** Returns the existing record, or creates it. Of two concurrent calls, the second finds the record of the first. */
function* planEnsure(run: Run, at: StepAt, id: string): Steps<PlannedStep> {
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
    // A rollback undoes the steps before this one too, so their endpoint ends with it.
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
  const found = yield* find(planFindByValues(context, getEntity(context, step.entity), key, endpointCall.caller));
  const [id, other] = isRefusal(found) ? [] : found.ids;
  if (id === undefined || other !== undefined) return undefined;
  if (step.gives?.kind === "none") return DONE_OUTCOME;
  if (step.gives !== null) return yield* find(planShown(run, at, id));
  return yield* find(planRead(context, toReadIntent(step.entity, id), endpointCall.caller, format));
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
    // The record of such a key can't be found before it is made.
    if (automatic !== null && readsRecords(automatic)) return undefined;
    if (automatic !== null) known.set(name, evaluateForCaller(automatic, caller));
    else if (sent === undefined || sent === null || sent === "") known.set(name, emptyValue(field));
    else {
      const read = getFieldKind(field).read(sent, toFieldSpec(entity, field));
      if (!read.ok) return undefined;
      known.set(name, read.value);
    }
  }
  return known;
};
