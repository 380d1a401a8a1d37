import type { Format } from "../../core/model/format.ts";
import type { Intent } from "../intent.ts";
import type { Refusal } from "../refusal.ts";
import type { Plan } from "./action.ts";
import type { EndpointBatch } from "./after-write.ts";
import type { Caller, PlanContext } from "./context.ts";
import { planHistory } from "./history/history.ts";
import { planList } from "./read/list.ts";
import { planOverview } from "./read/overview.ts";
import { planRead } from "./read/read-record.ts";
import { planVisit, planVisited } from "./read/visits.ts";
import { planCreate } from "./write/create.ts";
import { planDelete } from "./write/delete.ts";
import { planTransition, planUpdate } from "./write/update.ts";

/**
 * Intent + person → what to do, or why not. Pure: nothing is read or written here. `id` names the record that a create
 * would make, so that a repetition of the plan makes the same one. `among`: the other steps of the call that it is a step
 * of, where they are judged together.
 */
export const plan = (
  context: PlanContext,
  intent: Intent,
  caller: Caller,
  format: Format,
  id: string,
  among?: EndpointBatch,
): Plan | Refusal => {
  switch (intent.kind) {
    case "list":
      return planList(context, intent, caller, format);
    case "overview":
      return planOverview(context, intent, caller, format);
    case "read":
      return planRead(context, intent, caller, format);
    case "history":
      return planHistory(context, intent, caller, format);
    case "visit":
      return planVisit(context, intent, caller);
    case "visited":
      return planVisited(context, intent, caller);
    case "create":
      return planCreate(context, intent, caller, format, id, among);
    case "update":
      return planUpdate(context, intent, caller, format, among);
    case "transition":
      return planTransition(context, intent, caller, format, among);
    case "delete":
      return planDelete(context, intent, caller, format, among);
  }
};
