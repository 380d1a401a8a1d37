import { decidingClauseId, grantsFor, writableFields } from "../../../core/derive/authorization/grants.ts";
import type { Format } from "../../../core/model/format.ts";
import type { Refusal } from "../../refusal.ts";
import type { EndpointBatch } from "../after-write.ts";
import { type Caller, cachedKnowableFields, getEntity, type PlanContext } from "../context.ts";
import { parseInput } from "../input/parse-input.ts";
import { parseParts } from "../input/parse-parts.ts";
import type { Changed } from "../outcome.ts";
import { retiredFields } from "../row/former-names.ts";
import { planChange, type UpdateIntent } from "./plan-change.ts";
import type { WritePlan } from "./plan-write.ts";

/** Plans an update of fields. A record that the caller cannot read is not found; a field that they cannot write refuses the update. */
export const planUpdate = (
  context: PlanContext,
  intent: UpdateIntent,
  caller: Caller,
  format: Format,
  endpoint?: EndpointBatch,
): WritePlan<Changed> | Refusal => {
  const entity = getEntity(context, intent.entity);
  const grants = grantsFor(context.model, entity, "update", caller.principal);
  const clause = decidingClauseId(entity, "update");
  const open = new Set([...writableFields(entity, grants)].filter((name) => entity.fields.get(name)?.once !== true));
  const known = cachedKnowableFields(context, entity, caller.principal);
  const { own, lists, ...parts } = parseParts({ context, caller, format }, entity, intent.values, grants, clause);
  const sent = parseInput(
    entity,
    own,
    { open, known, past: context.past, retired: retiredFields(context, entity, caller.principal) },
    clause,
    format,
  );
  const input = {
    ...sent,
    wrong: [...sent.wrong, ...parts.wrong],
    closed: [...sent.closed, ...parts.closed],
  };
  const request = { entity, action: "update", clause, grants, input, missing: [], stateChange: null, lists };
  return planChange({ context, caller, format }, intent, request, endpoint);
};
