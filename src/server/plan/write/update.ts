import { decidingClauseId, grantsFor, writableFields } from "../../../core/derive/authorization/grants.ts";
import type { Refusal } from "../../refusal.ts";
import type { EndpointBatch } from "../after-write.ts";
import { cachedKnowableFields, getEntity } from "../context.ts";
import { parseInput } from "../input/parse-input.ts";
import { parseParts } from "../input/parse-parts.ts";
import type { Changed } from "../outcome.ts";
import { retiredFields } from "../row/former-names.ts";
import { type Planning, planChange, type UpdateIntent } from "./plan-change.ts";
import type { WritePlan } from "./plan-write.ts";

/** Plans an update of fields. A record that the caller cannot read is not found; a field that they cannot write refuses the update. */
export const planUpdate = (
  planning: Planning,
  intent: UpdateIntent,
  endpoint?: EndpointBatch,
): WritePlan<Changed> | Refusal => {
  const { context, caller, format } = planning;
  const entity = getEntity(context, intent.entity);
  const grants = grantsFor(context.model, entity, "update", caller.principal);
  const clause = decidingClauseId(entity, "update");
  const open = new Set([...writableFields(entity, grants)].filter((name) => entity.fields.get(name)?.once !== true));
  const known = cachedKnowableFields(context, entity, caller.principal);
  const { own, lists, ...parts } = parseParts(planning, entity, intent.values, grants, clause);
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
  return planChange(planning, intent, request, endpoint);
};
