import { decidingClauseId, grantsFor, holdsRole } from "../../core/derive/authorization/grants.ts";
import { roleGroupNames, rolesThat, whoMay } from "../../core/explain/who-may.ts";
import type { Stored } from "../../core/field/kind.ts";
import { getFieldKind } from "../../core/field/multi-valued.ts";
import { isId } from "../../core/field/reference.ts";
import { toFieldSpec } from "../../core/model/field-spec.ts";
import type { Call, CallStep, Entity } from "../../core/model/model.ts";
import type { Json } from "../../core/wire/json.ts";
import { executeSequence, executeTransaction, type PlanSequence } from "../execution/execute.ts";
import type { Service } from "../execution/service.ts";
import { type ExplainCaller, type Tried, withReasons } from "../explain/explain-access.ts";
import { bodyOf, type Intent, type Request, type Values, versionOf } from "../intent.ts";
import { type EndpointBatch, planBatchChecks } from "../plan/after-write.ts";
import { type Caller, getEntity } from "../plan/context.ts";
import { type EndpointAddress, type StepAt, unknownParameter } from "../plan/custom-endpoints/address.ts";
import {
  planEndpointList,
  planEndpointRecord,
  planFindByPath,
  planFindByValues,
  planFindIds,
  planStepValues,
} from "../plan/custom-endpoints/plan-endpoint.ts";
import { evaluateForCaller } from "../plan/input/initial-values.ts";
import { emptyValue } from "../plan/input/parse-input.ts";
import { asFound, type Found, type Outcome, type Tagged } from "../plan/outcome.ts";
import type { Plan } from "../plan/plan.ts";
import { planIntent } from "../plan/plan-intent.ts";
import { planDeleteMany } from "../plan/write/delete-many.ts";
import { badQuery, forbid, type Refusal, refuse } from "../refusal.ts";
import { newId } from "../util/uuid.ts";
import { relocated, relocatedAmong, strangersIn, takenIn } from "./endpoint-body.ts";

/** A request to a custom endpoint, before the caller is known. */
export interface EndpointRequest extends Omit<Request, "params"> {
  /** Values of the path parameters, in order. */
  readonly path: readonly string[];
}

/** Maximum number of records that one call deletes. The deletion is one transaction, for which others wait. */
const MOST_DELETED = 10_000;

/**
 * Executes a custom endpoint. Each step is planned and checked like the conventional call of its kind; the response is
 * read afterwards with the caller's read scope.
 */
export const performCall = async (
  service: Service,
  call: Call,
  called: EndpointRequest,
  asking: ExplainCaller,
): Promise<Outcome | Refusal> => {
  const { principal, now, phrases } = asking;
  const refused = admits(service, call, asking) ?? unknownParameter(call, called.query);
  if (refused !== undefined) return refused;
  const { does } = call;
  if (does.kind !== "steps") throw new Error(`${call.name} is about sessions`);
  const body = bodyOf(called);
  if (body === undefined) return refuse("MALFORMED");
  const unknown = strangersIn(call, does.steps, body);
  if (unknown !== undefined) return unknown;
  // Generated once, so that a retried transaction creates records with equal ids.
  const ids = does.steps.map(() => newId(now));
  const performing: Performing = {
    service,
    caller: service.caller(principal, now, phrases),
    tried: null,
    among: undefined,
    called,
    body,
    address: { parameters: called.path, query: called.query },
  };
  const actions = () => stepsOf(performing, call, does.steps, ids);
  const outcome = isWhole(does.steps)
    ? await executeTransaction(service.database, actions)
    : await executeSequence(service.database, actions());
  if (outcome.kind === "refusal" && performing.tried !== null)
    return withReasons(service, performing.tried, outcome, asking);
  return outcome;
};

/** Refuses callers outside the endpoint's roles. */
export const admits = (
  { model }: Service,
  { by, clause }: Call,
  { principal, phrases }: ExplainCaller,
): Refusal | undefined => {
  if (by?.some((role) => holdsRole(model, role, principal)) !== false) return undefined;
  const could = rolesThat(phrases, by);
  const message = phrases.sentences.onlyRoles(roleGroupNames(phrases, by));
  return { ...forbid(clause.id, message), ...(could === null ? {} : { could }) };
};

/** True if the endpoint needs one transaction: several steps, or a read before a deletion. */
const isWhole = (steps: readonly CallStep[]): boolean =>
  steps.length > 1 ||
  steps.some(({ does, gives }) => does.kind === "delete all" || (does.kind === "delete" && gives !== null));

interface Performing {
  readonly service: Service;
  readonly caller: Caller;
  readonly called: EndpointRequest;
  readonly body: Values;
  readonly address: EndpointAddress;
  /** The most recent conventional call; if it is refused, its explanation is that of the refusal. */
  tried: Tried | null;
  /** The writes of the steps so far. */
  among: EndpointBatch | undefined;
}

/** Executes the steps in order; the last one produces the response. */
function* stepsOf(
  performing: Performing,
  call: Call,
  steps: readonly CallStep[],
  ids: readonly string[],
): PlanSequence {
  let outcome: Outcome | Refusal = refuse("NO_SUCH_CALL");
  const among = steps.length > 1 ? { written: [], places: new Map<string, string>(), step: "" } : undefined;
  performing.among = among;
  for (const [nth, step] of steps.entries()) {
    if (among !== undefined) among.step = `${nth}`;
    outcome = yield* stepOf(performing, { call, step, nth }, ids[nth] ?? "");
    if (outcome.kind === "refusal") return outcome;
  }
  if (among === undefined || among.written.length === 0) return outcome;
  const { context, format } = performing.service;
  const judged = yield* done(planBatchChecks(context, performing.caller, format, among));
  return judged.kind === "refusal" ? relocatedAmong(steps, judged) : outcome;
}

/** Executes one plan of the sequence. */
function* done<T extends Tagged>(planned: Plan<T> | Refusal): PlanSequence<T | Refusal> {
  // The sequence's runner resumes it with the result of the yielded plan.
  return planned.kind === "refusal" ? planned : ((yield planned) as T | Refusal);
}

function* stepOf(performing: Performing, at: StepAt, id: string): PlanSequence {
  const { service, caller, address } = performing;
  const { context, format } = service;
  const { does, gives } = at.step;
  switch (does.kind) {
    case "list":
      performing.tried = { kind: "list", entity: at.step.entity };
      return yield* done(planEndpointList(context, at, address, caller, format));
    case "read": {
      if (gives !== null) return yield* done(planEndpointRecord(context, at, address, caller, format));
      const found = yield* theOne(performing, at);
      if (typeof found !== "string") return found;
      const intent = { kind: "read", entity: at.step.entity, id: found, label: false, screen: null } as const;
      return yield* done(planIntent(context, intent, caller, format, ""));
    }
    case "delete all":
      return yield* removeAll(performing, at);
    case "ensure":
      return yield* ensure(performing, at, id);
    default:
      return yield* write(performing, at, id);
  }
}

/** The id of the record that an address identifies; a refusal for none or several. */
function* theOne(performing: Performing, at: StepAt): PlanSequence<string | Refusal> {
  const { service, caller, address } = performing;
  const { step } = at;
  const notFound = refuse("NOT_FOUND", decidingClauseId(getEntity(service.context, step.entity), "read"));
  const [only, other] = step.parameters;
  const isBare = only?.at?.kind === "field" && only.at.of.kind === "this" && only.field.name === "id";
  // A plain id needs no lookup; the statement of the operation finds the record.
  if (isBare && other === undefined && step.where === null && step.query.length === 0) {
    const text = address.parameters[0] ?? "";
    return isId(text) ? text.toLowerCase() : notFound;
  }
  const found = yield* done(planFindIds(service.context, at, address, caller, 1));
  if (found.kind === "refusal") return found;
  const [id, second] = found.ids;
  return id === undefined || second !== undefined ? notFound : id;
}

/** Distinguished from a refusal by `kind`; the values are nested, because the body can contain a field `kind`. */
interface Written {
  readonly kind: "written";
  readonly values: Values;
}

/** The values that the path of a create call fixes. Parameters that go through one reference identify one record. */
function* fixedOf(performing: Performing, { step }: StepAt): PlanSequence<Written | Refusal> {
  const { service, caller, address } = performing;
  const { context, model } = service;
  const entity = getEntity(context, step.entity);
  const given = step.parameters.map((parameter, i) => ({ parameter, text: address.parameters[i] ?? "" }));
  const values: Record<string, Json> = {};
  for (const name of new Set(step.parameters.flatMap(({ fixes }) => fixes ?? []))) {
    const parameters = given.filter(({ parameter }) => parameter.fixes === name);
    const field = entity.fields.get(name);
    const target = model.entities.get(field?.entity ?? "");
    const paths = parameters.filter(({ parameter }) => parameter.at !== null);
    if (target === undefined || paths.length === 0) {
      const [text = "", ...others] = new Set(parameters.map((one) => one.text));
      if (others.length > 0) return refuse("NOT_FOUND", decidingClauseId(entity, "create"));
      values[name] = field?.many === true ? [text] : text;
      continue;
    }
    const found = yield* done(planFindByPath(context, target, paths, caller));
    const [id, other] = found.kind === "refusal" ? [] : found.ids;
    if (id === undefined || other !== undefined) return refuse("NOT_FOUND", decidingClauseId(target, "read"));
    values[name] = id;
  }
  return { kind: "written", values };
}

/** The values that a step writes: the body, the values fixed by the path, and those set by the document. */
function* valuesOf(performing: Performing, at: StepAt): PlanSequence<Written | Refusal> {
  const { service, caller, address, body } = performing;
  const { context, format } = service;
  const { step } = at;
  const fixed = yield* fixedOf(performing, at);
  if (fixed.kind === "refusal") return fixed;
  const values = { ...(step.takes === null ? body : takenIn(step.takes, body)), ...fixed.values };
  if (step.set.size === 0) return { kind: "written", values };
  const set = yield* done(planStepValues(context, at, address, caller, format));
  if (set.kind === "refusal") return set;
  return { kind: "written", values: { ...values, ...set.values } };
}

/** Executes a write like the conventional call of its kind, and reads the declared response. */
function* write(performing: Performing, at: StepAt, id: string): PlanSequence {
  const intent = yield* intentOf(performing, at);
  if ("code" in intent) return intent;
  const { service, caller } = performing;
  const { step } = at;
  const before = intent.kind === "delete" && step.gives !== null ? yield* shown(performing, at, intent.id) : undefined;
  if (before?.kind === "refusal") return before;
  performing.tried = intent;
  const outcome = yield* done(planIntent(service.context, intent, caller, service.format, id, performing.among));
  if (outcome.kind === "refusal") return relocated(step, outcome);
  performing.tried = null;
  if (before !== undefined) return asFound(before.body);
  return step.gives === null ? outcome : yield* answered(performing, at, outcome);
}

function* shown({ service, caller }: Performing, at: StepAt, id: string): PlanSequence<Found | Refusal> {
  return yield* done(planEndpointRecord(service.context, at, { id }, caller, service.format));
}

/** Reads the declared response after a write. The writer can lack read permission. */
function* answered(performing: Performing, at: StepAt, outcome: Outcome): PlanSequence {
  if (outcome.kind !== "created" && outcome.kind !== "changed") return outcome;
  const now = yield* shown(performing, at, outcome.id);
  return now.kind === "refusal"
    ? outcome
    : { ...outcome, body: now.body, ...(now.version === null ? {} : { version: now.version }) };
}

/** The conventional call of a step, on the record that its path identifies. */
function* intentOf(
  performing: Performing,
  at: StepAt,
): PlanSequence<Extract<Intent, { kind: "create" | "update" | "transition" | "delete" }> | Refusal> {
  const { called } = performing;
  const { step } = at;
  const { does } = step;
  const of = { entity: step.entity, label: false };
  // A step among others shares their transaction, so it has no idempotency key and no expected version.
  const isAlone = at.call.does.kind === "steps" && at.call.does.steps.length === 1;
  if (does.kind === "create") {
    const key = called.idempotencyKey ?? null;
    if (key !== null && (key === "" || key.length > 255)) return badQuery("KEY_LENGTH");
    const writeSet = yield* valuesOf(performing, at);
    if (writeSet.kind === "refusal") return writeSet;
    return { kind: "create", ...of, values: writeSet.values, key: isAlone ? key : null };
  }
  const version = isAlone ? versionOf(called.ifMatch) : null;
  if (version === undefined) return badQuery("IF_MATCH");
  const id = yield* theOne(performing, at);
  if (typeof id !== "string") return id;
  if (does.kind === "delete") return { kind: "delete", entity: step.entity, id, version };
  const writeSet = yield* valuesOf(performing, at);
  if (writeSet.kind === "refusal") return writeSet;
  const { values } = writeSet;
  return does.kind === "transition"
    ? { kind: "transition", ...of, id, transition: does.transition, values, version }
    : { kind: "update", ...of, id, values, version };
}

/** Deletes all records that an address identifies, or none; each is checked like a single deletion. */
function* removeAll(performing: Performing, at: StepAt): PlanSequence {
  const { service, caller, address } = performing;
  const { entity } = at.step;
  const own = getEntity(service.context, entity);
  if (grantsFor(service.model, own, "delete", caller.principal).length === 0)
    return forbid(decidingClauseId(own, "delete"), whoMay(caller.phrases, own, "delete"));
  const found = yield* done(planFindIds(service.context, at, address, caller, MOST_DELETED));
  if (found.kind === "refusal") return found;
  const { ids } = found;
  if (ids.length > MOST_DELETED) return refuse("TOO_MUCH", at.call.clause.id);
  return yield* done(planDeleteMany(service.context, own, ids, caller, service.format, performing.among));
}

/** Returns the existing record, or creates it. Of two concurrent calls, the second finds the record of the first. */
function* ensure(performing: Performing, at: StepAt, id: string): PlanSequence {
  const { service, caller } = performing;
  const { context, format } = service;
  const { step } = at;
  const { does } = step;
  if (does.kind !== "ensure") throw new Error(`${at.call.name} ensures nothing`);
  const entity = getEntity(context, step.entity);
  const writeSet = yield* valuesOf(performing, at);
  if (writeSet.kind === "refusal") return writeSet;
  const { values } = writeSet;
  const known = keyValues(entity, does.key, values, caller);
  const there = function* (): PlanSequence<Outcome | Refusal | undefined> {
    if (known === undefined) return undefined;
    const found = yield* done(planFindByValues(context, entity, known, caller));
    const [one, other] = found.kind === "refusal" ? [] : found.ids;
    if (one === undefined || other !== undefined) return undefined;
    if (step.gives !== null) return yield* shown(performing, at, one);
    const reading = { kind: "read", entity: step.entity, id: one, label: false, screen: null } as const;
    return yield* done(planIntent(context, reading, caller, format, ""));
  };
  const first = yield* there();
  if (first !== undefined) return first;
  const intent = { kind: "create", entity: step.entity, values, key: null, label: false } as const;
  const made = yield* done(planIntent(context, intent, caller, format, id, performing.among));
  if (made.kind !== "refusal") return step.gives === null ? made : yield* answered(performing, at, made);
  const meanwhile = made.code === "NOT_SIGNED_IN" || made.code === "FORBIDDEN" ? undefined : yield* there();
  return meanwhile ?? relocated(step, made);
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
