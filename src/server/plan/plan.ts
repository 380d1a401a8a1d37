import type { Format } from "../../core/model/format.ts";
import type { Intent } from "../intent.ts";
import type { Refusal } from "../refusal.ts";
import type { Action } from "./action.ts";
import type { Among } from "./after-write.ts";
import type { Asker, Context } from "./context.ts";
import { planHistory } from "./history/history.ts";
import { planList } from "./read/list.ts";
import { planOverview } from "./read/overview.ts";
import { planRead } from "./read/read-record.ts";
import { planVisit, planVisited } from "./read/visits.ts";
import { planCreate } from "./write/create.ts";
import { planRemove } from "./write/delete.ts";
import { planTransition, planUpdate } from "./write/update.ts";

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
