import { recordRefusal, referenceRefusal, twoValuesRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { isId } from "../../../core/field/reference.ts";
import type { CallStep } from "../../../core/model/endpoint.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { isList } from "../../../core/model/field.ts";
import type { Json } from "../../../core/wire/json.ts";
import { type Intent, parseIfMatch, parseKey, type Values } from "../../intent.ts";
import { badQuery, isRefusal, type Refusal, type RefusalAt, refuseAt, refuseCall } from "../../refusal.ts";
import { getEntity } from "../context.ts";
import type { StepAt } from "../custom-endpoints/address.ts";
import { extractValues, relocateRefusal, unknownMembers } from "../custom-endpoints/endpoint-body.ts";
import { planFindByPath, planFindIds } from "../custom-endpoints/find-ids.ts";
import { planStepValues } from "../custom-endpoints/step-values.ts";
import type { Steps } from "../steps.ts";
import { findMovedRecord } from "../write/idempotency.ts";
import { type Run, runLookup } from "./run.ts";

/** Resolves references that a request names by unique fields to the ids of those records. */
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
        : yield* runLookup(planFindByPath(context, target, [{ parameter: by, text }], endpointCall.caller));
    const [id, other] = found === undefined || isRefusal(found) ? [] : found.ids;
    if (id !== undefined && other === undefined) values[name] = id;
    else missing.push({ ...referenceRefusal(field), values: { field: field.title } });
  }
  return missing.length === 0 ? { kind: "input", values } : relocateRefusal(step, refuseAt(missing));
}

/** Finds the id of the record that an address identifies. Refuses if it identifies none or several. */
export function* findRecord({ context, endpointCall }: Run, at: StepAt): Steps<string | Refusal> {
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
  const found = yield* runLookup(planFindIds(context, at, address, caller, 1));
  if (isRefusal(found)) return found;
  const [id, second] = found.ids;
  return id === undefined || second !== undefined ? notFound : id;
}

/** The values of a write. They are nested, because a body can contain a field `kind`. */
interface StepInput {
  readonly kind: "input";
  readonly values: Values;
}

/**
 * Finds the values that the path of a create call fixes. Parameters that go through one reference identify one record
 * together.
 */
function* findFixedValues({ context, endpointCall }: Run, { step }: StepAt): Steps<StepInput | Refusal> {
  const { caller, address } = endpointCall;
  const entity = getEntity(context, step.entity);
  const pathValues = step.parameters.map((parameter, i) => ({ parameter, text: address.parameters[i] ?? "" }));
  const values: Record<string, Json> = {};
  for (const name of new Set(step.parameters.flatMap(({ fixes }) => fixes ?? []))) {
    const parameters = pathValues.filter(({ parameter }) => parameter.fixes === name);
    const field = entity.fields.get(name);
    const target = context.model.entities.get(field?.entity ?? "");
    const paths = parameters.filter(({ parameter }) => parameter.at !== null);
    if (target === undefined || paths.length === 0) {
      const [text = "", ...others] = new Set(parameters.map((parameter) => parameter.text));
      if (others.length > 0) return refuseCall(twoValuesRefusal(entity));
      values[name] = field?.many === true ? [text] : text;
      continue;
    }
    const found = yield* runLookup(planFindByPath(context, target, paths, caller));
    const [id, other] = isRefusal(found) ? [] : found.ids;
    if (id === undefined || other !== undefined) return refuseCall(recordRefusal(target));
    values[name] = id;
  }
  return { kind: "input", values };
}

/** Collects the values that a step writes: the body, the values fixed by the path, and those set by the document. */
export function* findInput(run: Run, at: StepAt): Steps<StepInput | Refusal> {
  const { context, format, endpointCall } = run;
  const { caller, address, body } = endpointCall;
  const { step } = at;
  const fixed = yield* findFixedValues(run, at);
  if (isRefusal(fixed)) return fixed;
  const taken = step.takes === null ? body : extractValues(step.takes, body, at.call.ignoresUnknown);
  const found = yield* findReferences(run, at, { ...unknownMembers(at.call, step, body), ...taken });
  if (isRefusal(found)) return found;
  const sent = found.values;
  const cleared = step.replaces ? clearedValues(getEntity(context, step.entity), step) : {};
  const values = { ...cleared, ...sent, ...fixed.values };
  if (step.set.size === 0) return { kind: "input", values };
  const set = yield* runLookup(planStepValues(context, at, address, caller, format));
  return isRefusal(set) ? set : { kind: "input", values: { ...values, ...set.values } };
}

/** The fields that a replacement clears before its values apply; lists of parts become empty. */
const clearedValues = ({ fields }: Entity, { takes }: CallStep): Values =>
  Object.fromEntries((takes ?? []).map(({ field }) => [field, isList(fields.get(field)) ? [] : null]));

/** Builds the conventional call of a step on the record that its path identifies. */
export function* findIntent(
  run: Run,
  at: StepAt,
): Steps<Extract<Intent, { kind: "create" | "update" | "transition" | "delete" }> | Refusal> {
  const { steps, ifMatch, idempotencyKey, call, address, body, caller } = run.endpointCall;
  const { step } = at;
  const { does } = step;
  const of = { entity: step.entity, label: false };
  // One of several steps shares their transaction, so it has no idempotency key and no expected version.
  const isAlone = steps.length === 1;
  const key = does.kind === "create" || does.kind === "transition" ? parseKey(idempotencyKey) : null;
  if (key === undefined) return badQuery("KEY_LENGTH");
  const request = [call.method, call.path, address.parameters, address.query as Json, body];
  const keyed = key === null || !isAlone ? { key: null } : { key, request };
  if (does.kind === "create") {
    const input = yield* findInput(run, at);
    if (isRefusal(input)) return input;
    return { kind: "create", ...of, values: input.values, ...keyed };
  }
  const version = isAlone ? parseIfMatch(ifMatch) : null;
  if (version === undefined) return badQuery("IF_MATCH");
  const found = yield* findRecord(run, at);
  const moved = isRefusal(found) && keyed.key !== null ? yield* findMovedRecord(caller, keyed.key, request) : undefined;
  const id = moved ?? found;
  if (typeof id !== "string") return id;
  if (does.kind === "delete") return { kind: "delete", entity: step.entity, id, version };
  const input = yield* findInput(run, at);
  if (isRefusal(input)) return input;
  const { values } = input;
  return does.kind === "transition"
    ? { kind: "transition", ...of, id, transition: does.transition, values, version, ...keyed }
    : { kind: "update", ...of, id, values, version };
}
