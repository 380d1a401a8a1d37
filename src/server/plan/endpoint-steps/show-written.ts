import { findReadCall } from "../../../core/derive/http/routes.ts";
import { isRefusal } from "../../refusal.ts";
import { getEntity } from "../context.ts";
import type { StepAt } from "../custom-endpoints/address.ts";
import { planResponse } from "../custom-endpoints/endpoint-record.ts";
import type { Changed, Created, Outcome } from "../outcome.ts";
import { type Ending, planSteps, proceed } from "../plan.ts";
import type { Steps } from "../steps.ts";
import { planShown, type Run, runLookup } from "./run.ts";

/** Continues a write with the declared response. The writer may lack read permission. */
export const respond = (run: Run, at: StepAt, outcome: Outcome): Ending<Outcome> => {
  if (outcome.kind !== "created" && (outcome.kind !== "changed" || at.step.gives === null)) return outcome;
  return proceed(planSteps(() => showWritten(run, at, outcome)));
};

function* showWritten(run: Run, at: StepAt, written: Created | Changed): Steps<Outcome> {
  const outcome = written.kind === "created" ? yield* locate(run, at, written) : written;
  const { gives } = at.step;
  if (gives === null) return outcome;
  if (gives.kind === "none") return { ...outcome, body: undefined };
  const shown = planShown(run, at, outcome.id);
  if (isRefusal(shown)) return outcome;
  const now = yield* shown.steps();
  if (isRefusal(now)) return outcome;
  const { body, version } = now;
  return { ...outcome, body, ...(version === null ? {} : { version }) };
}

/** Adds to a created record the address of a call that reads it, if its creator can read it there. */
function* locate(
  { context, format, endpointCall }: Run,
  { call, nth, step }: StepAt,
  created: Created,
): Steps<Created> {
  const entity = getEntity(context, step.entity);
  const address = findReadCall(context.model, entity);
  if (address === undefined) return created;
  const { origin: _, ...caller } = endpointCall.caller;
  const key = ["location", call.name, nth];
  const gives = { kind: "address", ...address } as const;
  const response = { key, gives, format, omitsMissing: false };
  const planned = planResponse(context, caller, { entity, id: created.id }, response);
  const found = yield* runLookup(planned);
  return isRefusal(found) || typeof found.body !== "string" ? created : { ...created, location: found.body };
}
