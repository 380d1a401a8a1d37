import type { Format } from "../../core/model/format.ts";
import type { Attempt, Intent } from "../intent.ts";
import { isRefusal, type Refusal } from "../refusal.ts";
import { type EndpointBatch, planBatchChecks } from "./after-write.ts";
import type { Caller, PlanContext } from "./context.ts";
import { findErrorMeanings, type Run, runInside } from "./endpoint-steps/run.ts";
import type { Outcome } from "./outcome.ts";
import { continuePlan, type Ending, type Plan, undo } from "./plan.ts";
import { planIntent } from "./plan-intent.ts";
import type { Steps } from "./steps.ts";

/** One of several writes, and the JSON pointer of its values in the body of the request. */
export interface PlacedWrite {
  readonly intent: Extract<Intent, { kind: "create" | "update" | "transition" | "delete" }>;
  readonly at: string;
}

export interface WritesPlan extends Plan {
  /** The write that was refused, after the plan has ended in a refusal; `null` if there is none. */
  readonly attempt: () => Attempt | null;
}

/**
 * Plans several writes as one transaction: all or none. Each is checked like a request of its own, in the order given, and all
 * of them together at the end. The result is that of the last, whose idempotency key is that of the whole. `id` is the id of
 * the record that the last one creates.
 */
export const planWrites = (
  context: PlanContext,
  writes: readonly [...PlacedWrite[], PlacedWrite],
  caller: Caller,
  format: Format,
  id: string,
): WritesPlan => {
  const run: Pick<Run, "begun"> & { attempt: Attempt | null } = { begun: [], attempt: null };
  const last = writes[writes.length - 1] as PlacedWrite;
  const replay = (): Steps<Ending<Outcome> | undefined> => {
    const planned = planIntent(context, last.intent, caller, format, id);
    return isRefusal(planned) || planned.replay === undefined ? noReplay() : planned.replay();
  };
  return {
    kind: "plan",
    transaction: "whole",
    waits: true,
    steps: function* (): Steps<Ending<Outcome>> {
      run.begun = [];
      run.attempt = null;
      const earlier = yield* replay();
      if (earlier !== undefined) return isRefusal(earlier) ? undo(earlier) : earlier;
      const batch: EndpointBatch = { written: [], places: new Map(), step: "" };
      let outcome: Outcome | undefined;
      for (const { intent, at } of writes) {
        run.attempt = intent;
        batch.step = at;
        const planned = planIntent(context, intent, caller, format, id, batch);
        const ended = isRefusal(planned)
          ? atPlace(planned, at)
          : yield* runInside(run, continuePlan(planned, { refusal: (one) => atPlace(one, at), result: (one) => one }));
        // A request that was sent twice finds what the first has written meanwhile.
        if (isRefusal(ended)) return (yield* replay()) ?? undo(ended);
        outcome = ended;
      }
      run.attempt = null;
      if (outcome === undefined) throw new Error("no write has an outcome");
      const checked = yield* runInside(run, planBatchChecks(context, caller, format, batch));
      return isRefusal(checked) ? undo(checked) : outcome;
    },
    ...findErrorMeanings(run),
    replay,
    attempt: () => run.attempt,
  };
};

function* noReplay(): Steps<undefined> {}

/** A refusal whose errors are about the values at this place. */
const atPlace = (refusal: Refusal, place: string): Refusal => ({
  ...refusal,
  at: refusal.at.map((error) => ({ ...error, at: `${place}${error.at}` })),
});
