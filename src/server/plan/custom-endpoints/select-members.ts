import { readableMembers, withoutMembers } from "../../../core/derive/http/selectable-members.ts";
import type { Gives } from "../../../core/model/endpoint.ts";
import { FIELDS_WORD } from "../../../core/model/paging.ts";
import { parameterError, type Refusal, refuseAt } from "../../refusal.ts";
import type { PlanContext } from "../context.ts";
import type { ReadScope } from "../row/read-scope.ts";
import type { StepAt, StepQuery } from "./address.ts";

/** Reduces the response to the members that the caller chose. The caller must be able to read them. */
export const selectMembers = (
  { model }: PlanContext,
  { call, step }: StepAt,
  { fields }: StepQuery,
  scope: ReadScope,
): Gives | null | Refusal => {
  if (fields === null || step.gives === null) return step.gives;
  const readable = readableMembers(model, scope.entity, step, new Set(scope.fields.map(({ name }) => name)));
  const hidden = fields.find((name) => !readable.includes(name));
  if (hidden !== undefined) return refuseAt([parameterError(FIELDS_WORD, call.clause.id, "FIELDS", { word: hidden })]);
  return withoutMembers(
    step.gives,
    step.selectable.filter((name) => !fields.includes(name)),
  );
};
