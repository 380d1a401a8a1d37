import type { Format } from "../core/model/format.ts";
import type { Intent } from "./ask.ts";
import type { Action } from "./plan/action.ts";
import { planTransition, planUpdate } from "./plan/change.ts";
import type { Asker, Context } from "./plan/context.ts";
import { planCreate } from "./plan/create.ts";
import type { Among } from "./plan/follow.ts";
import { planHistory } from "./plan/history.ts";
import { planList } from "./plan/list.ts";
import { planOverview } from "./plan/overview.ts";
import { planRead } from "./plan/read.ts";
import { planRemove } from "./plan/remove.ts";
import { planVisit, planVisited } from "./plan/visits.ts";
import type { Refusal } from "./refusal.ts";

/**
 * Intent + person → what to do, or why not. Pure: nothing is read or written here. `id` names the record that a create
 * would make, so that a repetition of the plan makes the same one. `among`: the other steps of the call that it is a step
 * of, where they are judged together.
 */
export const plan = (
  context: Context,
  intent: Intent,
  asker: Asker,
  format: Format,
  id: string,
  among?: Among,
): Action | Refusal => {
  switch (intent.kind) {
    case "list":
      return planList(context, intent, asker, format);
    case "overview":
      return planOverview(context, intent, asker, format);
    case "read":
      return planRead(context, intent, asker, format);
    case "history":
      return planHistory(context, intent, asker, format);
    case "visit":
      return planVisit(context, intent, asker);
    case "visited":
      return planVisited(context, intent, asker);
    case "create":
      return planCreate(context, intent, asker, format, id, among);
    case "update":
      return planUpdate(context, intent, asker, format, among);
    case "transition":
      return planTransition(context, intent, asker, format, among);
    case "delete":
      return planRemove(context, intent, asker, format, among);
  }
};
