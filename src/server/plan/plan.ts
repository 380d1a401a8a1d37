import { isRefusal, type Refusal } from "../refusal.ts";
import type { Outcome, Tagged } from "./outcome.ts";
import type { BatchRows, StatementBatch, Steps } from "./steps.ts";

/** A request as steps, with the meaning of database errors. Nothing has been executed yet. */
export interface Plan<T extends Tagged = Outcome> {
  readonly kind: "plan";
  /**
   * `each batch`: each batch is its own transaction, and sees what others committed before it. `whole`: all batches
   * are one transaction, which is rolled back if the plan does not end in its result.
   */
  readonly transaction: "each batch" | "whole";
  /** True if it only reads, so that a standby can answer it. */
  readonly mayUseStandby?: true | undefined;
  /**
   * True if its first batch checks the caller's session itself (`row/own-session.ts`). Without the session, that batch writes
   * nothing, and its first statement has no rows.
   */
  readonly checksSession?: true | undefined;
  /** True if the plan can wait for other writes. It then leaves some connections to requests that only read. */
  readonly waits?: true | undefined;
  /** Runs again from the start after a lost race, so each call must begin with fresh state. */
  readonly steps: () => Steps<Ending<T>>;
  /**
   * The refusal for a violated constraint, by its name: two concurrent writes can each pass the checks. If it is a
   * plan, the plan runs after the rollback.
   */
  readonly constraint: (name: string) => Refusal | Plan<T> | undefined;
  /** The refusal for a NULL in a column that must not be NULL. */
  readonly notNull?: ((table: string, column: string) => Refusal | Plan<T> | undefined) | undefined;
  /** True if the plan can succeed when it runs again after the violation, for example with another generated value. */
  readonly isRetryable?: ((constraint: string) => boolean) | undefined;
  /** The result of an earlier request with the same idempotency key; undefined if there was none. */
  readonly replay?: (() => Steps<Ending<T> | undefined>) | undefined;
}

/** Rolls back what was written, and continues with `then`. */
export interface Undo<T extends Tagged> {
  readonly kind: "undo";
  readonly then: Refusal | Plan<T>;
}

/** Keeps what was written, and continues with `then` after the transaction. */
export interface Proceed<T extends Tagged> {
  readonly kind: "proceed";
  readonly then: Plan<T>;
}

/** The ending of a plan: its result, a refusal before anything was written, a rollback, or a further plan. */
export type Ending<T extends Tagged> = T | Refusal | Undo<T> | Proceed<T>;

export const undo = <T extends Tagged>(then: Refusal | Plan<T>): Undo<T> => ({ kind: "undo", then });

export const proceed = <T extends Tagged>(then: Plan<T>): Proceed<T> => ({ kind: "proceed", then });

export const isUndo = <T extends Tagged>(ending: Ending<T>): ending is Undo<T> => ending.kind === "undo";

export const isProceed = <T extends Tagged>(ending: Ending<T>): ending is Proceed<T> => ending.kind === "proceed";

/** A plan that ends in its result or a refusal. */
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

/** Marks a plan as one that only reads. A refusal stays as it is. */
export const markReadOnly = <T extends Tagged>(plan: BatchPlan<T> | Refusal): BatchPlan<T> | Refusal =>
  isRefusal(plan) ? plan : { ...plan, mayUseStandby: true };

/** Marks a plan whose first statement checks the caller's session itself, if it does. */
export const markSessionChecked = <T extends Tagged>(plan: BatchPlan<T>, isChecked: boolean): BatchPlan<T> =>
  isChecked ? { ...plan, checksSession: true } : plan;

/** A plan and another one after it, in one transaction: a refusal of either rolls both back. The result is that of the second. */
export const planTogether = <T extends Tagged, U extends Tagged>(first: BatchPlan<T>, second: Plan<U>): Plan<U> => {
  const instead = (meaning: Refusal | Plan<U> | undefined): Refusal | Plan<U> | undefined =>
    meaning?.kind === "plan" ? planTogether(first, meaning) : meaning;
  return {
    kind: "plan",
    transaction: "whole",
    steps: () => stepsTogether(first, second),
    constraint: (name) => instead(second.constraint(name)),
    notNull: (table, column) => instead(second.notNull?.(table, column)),
    isRetryable: second.isRetryable,
  };
};

function* stepsTogether<T extends Tagged, U extends Tagged>(first: BatchPlan<T>, second: Plan<U>): Steps<Ending<U>> {
  const begun = yield* first.steps();
  if (isRefusal(begun)) return undo(begun);
  let plan = second;
  for (;;) {
    const ending = yield* plan.steps();
    if (isRefusal(ending)) return undo(ending);
    if (isUndo(ending)) return ending.then.kind === "plan" ? undo(planTogether(first, ending.then)) : ending;
    if (!isProceed(ending)) return ending;
    plan = ending.then;
  }
}

/** Continues a plan of `T` as one of `U`. */
export interface Continuation<T extends Tagged, U extends Tagged> {
  readonly result: (result: T) => Ending<U>;
  /** The refusal for the caller, or a plan that runs instead. `isUndone`: the refusal came with a rollback. */
  readonly refusal: (refusal: Refusal, isUndone: boolean) => Refusal | Plan<U>;
}

/** A plan with its transaction, continued after each of its endings. */
export const continuePlan = <T extends Tagged, U extends Tagged>(plan: Plan<T>, to: Continuation<T, U>): Plan<U> => {
  const { kind, transaction, mayUseStandby, waits, isRetryable, constraint, notNull, replay } = plan;
  const undone = (next: Refusal | Plan<T> | undefined): Refusal | Plan<U> | undefined => {
    if (next === undefined) return undefined;
    return next.kind === "plan" ? continuePlan(next, to) : to.refusal(next, true);
  };
  return {
    kind,
    transaction,
    mayUseStandby,
    waits,
    isRetryable,
    steps: () => continueSteps(plan.steps(), to),
    constraint: (name) => undone(constraint(name)),
    notNull: notNull && ((table, column) => undone(notNull(table, column))),
    replay: replay && (() => continueReplay(replay(), to)),
  };
};

function* continueSteps<T extends Tagged, U extends Tagged>(
  steps: Steps<Ending<T>>,
  to: Continuation<T, U>,
): Steps<Ending<U>> {
  return continueEnding(yield* steps, to);
}

function* continueReplay<T extends Tagged, U extends Tagged>(
  steps: Steps<Ending<T> | undefined>,
  to: Continuation<T, U>,
): Steps<Ending<U> | undefined> {
  const ending = yield* steps;
  return ending === undefined ? undefined : continueEnding(ending, to);
}

const continueEnding = <T extends Tagged, U extends Tagged>(ending: Ending<T>, to: Continuation<T, U>): Ending<U> => {
  if (isProceed(ending)) return proceed(continuePlan(ending.then, to));
  if (isUndo(ending)) {
    const { then } = ending;
    return undo(then.kind === "plan" ? continuePlan(then, to) : to.refusal(then, true));
  }
  if (!isRefusal(ending)) return to.result(ending);
  const next = to.refusal(ending, false);
  return next.kind === "plan" ? proceed(next) : next;
};

/** A plan of one batch. `decode` turns its rows into the result, or into a plan that produces it. */
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
