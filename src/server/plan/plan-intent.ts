import type { Format } from "../../core/model/format.ts";
import type { Intent } from "../intent.ts";
import type { Refusal } from "../refusal.ts";
import type { EndpointBatch } from "./after-write.ts";
import type { Caller, PlanContext } from "./context.ts";
import { planHistory } from "./history/history.ts";
import { markReadOnly, type Plan } from "./plan.ts";
import { planGroups } from "./read/groups.ts";
import { planLetter } from "./read/letter.ts";
import { planList } from "./read/list.ts";
import { planOverview } from "./read/overview.ts";
import { planRead } from "./read/read-record.ts";
import { planTrash } from "./read/trash.ts";
import { planStoreVisit, planVisit } from "./read/visits.ts";
import type { OwnSession } from "./row/own-session.ts";
import { planBringBack } from "./write/bring-back.ts";
import { planCreate } from "./write/create.ts";
import { planDelete } from "./write/delete.ts";
import type { WritePlan } from "./write/plan-write.ts";
import { planTransition } from "./write/transition.ts";
import { planUpdate } from "./write/update.ts";

/**
 * Turns an intent and a caller into a plan, or refuses it. Pure: reads and writes nothing. `id` is the id of the record
 * that a create inserts, so that a retry of the plan inserts the same one. `endpoint`: the steps of the custom endpoint
 * to which the intent belongs, if they are checked together. `session`: the caller's, which the first statement then checks
 * if it can.
 */
export const planIntent = (
  context: PlanContext,
  intent: Intent,
  caller: Caller,
  format: Format,
  id: string,
  endpoint?: EndpointBatch,
  session?: OwnSession,
): Plan | WritePlan | Refusal => {
  switch (intent.kind) {
    case "list":
      return markReadOnly(planList(context, intent, caller, format, { session }));
    case "groups":
    case "pivot":
      return markReadOnly(planGroups(context, intent, caller, format));
    case "overview":
      return markReadOnly(planOverview(context, intent, caller, format));
    case "letter":
      return markReadOnly(planLetter(context, intent, caller));
    case "read":
      return planRead(context, intent, caller, format, session);
    case "history":
      return markReadOnly(planHistory(context, intent, caller, format));
    case "visit":
      return planVisit(context, intent, caller);
    case "visited":
      return planStoreVisit(context, intent, caller);
    case "trash":
      return markReadOnly(planTrash(context, intent, caller, format));
    case "bring back":
      return planBringBack(context, intent, caller, format);
    case "create":
      return planCreate({ context, caller, format, session }, intent, id, endpoint);
    case "update":
      return planUpdate({ context, caller, format, session }, intent, endpoint);
    case "transition":
      return planTransition({ context, caller, format, session }, intent, endpoint);
    case "delete":
      return planDelete(context, intent, caller, format, endpoint);
  }
};
