import type { Refusal } from "../refusal.ts";
import type { Outcome, Tagged } from "./outcome.ts";
import type { BatchRows, StatementBatch, Steps } from "./steps.ts";

/** The steps of a request, and the meaning of errors of the database. Nothing has happened yet. */
export interface Plan<T extends Tagged = Outcome> {
  readonly kind: "plan";
  /**
   * `each batch`: each batch is a transaction by itself, and sees what others committed before it. `whole`: all batches
   * are one transaction, which is rolled back if the plan does not end in its result.
   */
  readonly transaction: "each batch" | "whole";
  /** True if it may wait for other writes: it leaves some connections to those that read. */
  readonly waits?: true;
  /** Runs again from its beginning after a lost race, so each call must start afresh. */
  readonly steps: () => Steps<Ending<T>>;
  /** The refusal for a violated constraint, by its name: two writes at the same moment can each pass the checks. */
  readonly constraint: (name: string) => Refusal | undefined;
  /** The refusal for a column that is NULL and must not be. */
  readonly notNull?: (table: string, column: string) => Refusal | undefined;
  /** True if the plan can succeed when it runs again after the violation, for example with another generated value. */
  readonly isRetryable?: (constraint: string) => boolean;
  /** The result of an earlier request with the same idempotency key; undefined if there was none. */
  readonly replay?: () => Steps<T | Refusal | undefined>;
}

/** Rolls back what was written, and continues with `then`. */
export interface Undo<T extends Tagged> {
  readonly kind: "undo";
  readonly then: Refusal | Plan<T>;
}

/** How a plan ends: with its result, with a refusal before anything was written, or with a rollback. */
export type Ending<T extends Tagged> = T | Refusal | Undo<T>;

export const undo = <T extends Tagged>(then: Refusal | Plan<T>): Undo<T> => ({ kind: "undo", then });

export const isUndo = <T extends Tagged>(ending: Ending<T>): ending is Undo<T> => ending.kind === "undo";

/** A plan that is never undone. */
export interface BatchPlan<T extends Tagged = Outcome> extends Plan<T> {
  readonly transaction: "each batch";
  readonly steps: () => Steps<T | Refusal>;
}

const noRefusal = (): undefined => undefined;

/** A plan of batches that are transactions of their own. */
export const planSteps = <T extends Tagged>(
  steps: () => Steps<T | Refusal>,
  constraint: Plan<T>["constraint"] = noRefusal,
): BatchPlan<T> => ({ kind: "plan", transaction: "each batch", steps, constraint });

/** A plan of one batch. `decode` turns its rows into the result, or into a plan that gives the result. */
export const planBatch = <T extends Tagged>(
  batch: StatementBatch,
  decode: (rows: BatchRows) => T | Refusal | BatchPlan<T>,
  constraint?: Plan<T>["constraint"],
): BatchPlan<T> => planSteps(() => stepsOfBatch(batch, decode), constraint);

// Not a function in `planBatch`: a new generator function for each request costs several microseconds.
function* stepsOfBatch<T extends Tagged>(
  batch: StatementBatch,
  decode: (rows: BatchRows) => T | Refusal | BatchPlan<T>,
): Steps<T | Refusal> {
  const result = decode(yield batch);
  return isPlan(result) ? yield* result.steps() : result;
}

const isPlan = <T extends Tagged>(result: T | Refusal | BatchPlan<T>): result is BatchPlan<T> => result.kind === "plan";
