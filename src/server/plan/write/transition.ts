import { transitionGrantsFor } from "../../../core/derive/authorization/grants.ts";
import { requiredRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import type { Entity, Transition } from "../../../core/model/entity.ts";
import { listActValues } from "../../../core/model/facts/act-values.ts";
import { isActValue } from "../../../core/model/field.ts";
import { type Refusal, refuse } from "../../refusal.ts";
import type { EndpointBatch } from "../after-write.ts";
import { cachedKnowableFields, getEntity } from "../context.ts";
import { emptyValue, type ParsedInput, parseInput } from "../input/parse-input.ts";
import type { Changed } from "../outcome.ts";
import { retiredFields } from "../row/former-names.ts";
import { type Planning, planChange, type TransitionIntent } from "./plan-change.ts";
import type { WritePlan } from "./plan-write.ts";

/** Plans a transition. It writes the fields that it asks for, those that it sets, and the state. */
export const planTransition = (
  planning: Planning,
  intent: TransitionIntent,
  endpoint?: EndpointBatch,
): WritePlan<Changed> | Refusal => {
  const { context, caller, format } = planning;
  const entity = getEntity(context, intent.entity);
  const { states } = entity;
  const transition = states?.transitions.get(intent.transition);
  if (states === null || transition === undefined) return refuse("NO_SUCH_CALL");
  const grants = transitionGrantsFor(context.model, entity, transition, caller.principal);
  const known = cachedKnowableFields(context, entity, caller.principal);
  const open = new Set(transition.asks);
  const input = withEmptyActValues(
    entity,
    transition,
    parseInput(
      entity,
      intent.values,
      { open, known, past: context.past, retired: retiredFields(context, entity, caller.principal) },
      transition.clause.id,
      format,
    ),
  );
  // A field that a transition asks for is required, even if it is optional elsewhere.
  const missing = transition.asks.flatMap((name) => {
    const field = entity.fields.get(name);
    const value = input.values.get(name) ?? null;
    const hasOwnValue = Array.isArray(value) ? value.length > 0 : value !== null;
    const has = hasOwnValue || input.wrong.some((error) => error.at === `/${name}`);
    // The default of a value that was not sent is checked on its own.
    const isLeftOut = field?.default != null && isActValue(field) && !Object.hasOwn(intent.values, name);
    return field === undefined || has || isLeftOut || transition.asksIfAny.has(name)
      ? []
      : [{ ...requiredRefusal(field, transition), values: { field: field.title } }];
  });
  const { name: action, clause } = transition;
  const stateChange = { states, transition };
  const request = { entity, action, clause: clause.id, grants, input, missing, stateChange, lists: [] };
  return planChange(planning, intent, request, endpoint);
};

/** Writes every value of the act without a default, so that none of an earlier act is read in its place. */
const withEmptyActValues = (entity: Entity, transition: Transition, input: ParsedInput): ParsedInput => {
  const absent = listActValues(entity, transition).filter(
    (field) => field.default === null && !input.values.has(field.name),
  );
  if (absent.length === 0) return input;
  return {
    ...input,
    values: new Map([...input.values, ...absent.map((field) => [field.name, emptyValue(field)] as const)]),
  };
};
