import { rulesAffectedBy, triggersAffectedBy } from "../../core/derive/consistency/read-sets.ts";
import type { Entity } from "../../core/model/entity.ts";
import { findParts } from "../../core/model/facts/parts.ts";
import type { Format } from "../../core/model/format.ts";
import type { Model } from "../../core/model/model.ts";
import type { Caller, PlanContext } from "./context.ts";
import { DONE_OUTCOME, type Done } from "./outcome.ts";
import { type Ending, type Plan, undo } from "./plan.ts";
import type { Steps } from "./steps.ts";
import { constraintRefusal, deletedClauses } from "./transaction/constraint-errors.ts";
import { runFinalChecks } from "./transaction/final-checks.ts";
import type { WriteSet } from "./transaction/write-set.ts";

/** Everything that the steps of a custom endpoint have written so far. It is checked as a whole after the last step. */
export interface EndpointBatch {
  readonly written: WriteSet[];
  /** JSON pointers of records in the request body, by their ids. */
  readonly places: Map<string, string>;
  /** The prefix of the pointers of the current step. */
  step: string;
}

/**
 * True if the document alone causes an after-write: an effect, an automatic transition, or parts that others depend on.
 * The write is then a transaction of several batches that is checked at its end.
 */
export const causesAfterWrite = (
  model: Model,
  entity: Entity,
  action: string,
  changed: ReadonlySet<string> | null,
): boolean =>
  (entity.after.get(action)?.length ?? 0) > 0 ||
  triggersAffectedBy(model, entity, action, changed).length > 0 ||
  (action === "delete" && findParts(model, entity).some((part) => concernsOthers(model, part.entity, entity)));

/** True if deleting a part together with its parent has effects, or if a rule of another record reads the part. */
const concernsOthers = (model: Model, part: Entity, parent: Entity): boolean =>
  causesAfterWrite(model, part, "delete", null) ||
  rulesAffectedBy(model, part, null).some(({ owner }) => owner !== parent);

/** Checks everything that the steps of an endpoint have written. */
export const planBatchChecks = (
  context: PlanContext,
  caller: Caller,
  format: Format,
  { written, places }: EndpointBatch,
): Plan<Done> => ({
  kind: "plan",
  transaction: "whole",
  steps: function* (): Steps<Ending<Done>> {
    const refusal = yield* runFinalChecks({ context, caller, format, written, isOfSteps: true }, places);
    return refusal === undefined ? DONE_OUTCOME : undo(refusal);
  },
  constraint: (name) => constraintRefusal(context.model, null, name, deletedClauses(written)),
});
