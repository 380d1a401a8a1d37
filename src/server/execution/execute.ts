import { type Database, type Query, StoreRefusal, StoreSlow, withoutName } from "../../postgres/database.ts";
import { withRetries } from "../../postgres/with-retries.ts";
import type { Tagged } from "../plan/outcome.ts";
import { type Ending, isProceed, isUndo, type Plan, type Undo } from "../plan/plan.ts";
import type { BatchRows, StatementBatch, Steps } from "../plan/steps.ts";
import { EarlyLocks } from "../plan/transaction/early-locks.ts";
import { isRefusal, type Refusal } from "../refusal.ts";
import { type MinPosition, readBatch } from "./read.ts";
import { PreparedNames, retryGeneratedValues, retryHeldLocks, retryRaces } from "./retries.ts";

const UNIQUE_VIOLATION = "23505";
const constraintViolation = /^23/u;

/** Sends a batch and returns the rows of each of its statements. */
type Send = (batch: StatementBatch) => Promise<BatchRows>;

/** Runs steps to their end. `next`: the current position, if they have begun. */
const drive = async <T>(
  send: Send,
  steps: Steps<T>,
  next: IteratorResult<StatementBatch, T> = steps.next(),
): Promise<T> => {
  let step = next;
  while (step.done !== true) step = steps.next(step.value.length === 0 ? [] : await sendIfInTime(send, step.value));
  return step.value;
};

/** Sends a batch. One that is optional as a whole has no rows if it takes too long. */
const sendIfInTime = async (send: Send, batch: StatementBatch): Promise<BatchRows> => {
  try {
    return await send(batch);
  } catch (error) {
    if (error instanceof StoreSlow && batch.every(({ isOptional }) => isOptional === true)) return [];
    throw error;
  }
};

/**
 * Executes a plan. No plan is executed elsewhere. `names`: decides if statements are sent
 * by name. `minPosition`: the position that a standby must have replayed to answer a plan that only reads.
 */
export const execute = async <T extends Tagged>(
  database: Database,
  plan: Plan<T>,
  names = new PreparedNames(),
  minPosition?: MinPosition,
): Promise<T | Refusal> => {
  const earlyLocks = new EarlyLocks();
  const policies = [
    retryHeldLocks(earlyLocks),
    retryRaces,
    names.retry,
    retryGeneratedValues((constraint) => plan.isRetryable?.(constraint) === true),
  ];
  const send = sender(database, plan, names, minPosition);
  let ending: Ending<T>;
  try {
    ending = await withRetries(policies, () =>
      plan.transaction === "whole" ? executeTransaction(database, plan, earlyLocks, names) : drive(send, plan.steps()),
    );
  } catch (error) {
    if (!(error instanceof StoreRefusal)) throw error;
    const { replay } = plan;
    // Of two concurrent requests with one idempotency key, the second finds the record of the first.
    const replayed =
      error.code === UNIQUE_VIOLATION && replay !== undefined
        ? await withRetries(policies, () => drive(send, replay()))
        : undefined;
    if (replayed !== undefined) return executeEnding(database, replayed, minPosition);
    const meaning = interpretError(plan, error);
    if (meaning === undefined) throw error;
    return executeOrRefuse(database, meaning, minPosition);
  }
  return executeEnding(database, ending, minPosition);
};

/** Returns the result of an ending, or executes the plan that follows it. */
const executeEnding = <T extends Tagged>(
  database: Database,
  ending: Ending<T>,
  minPosition: MinPosition,
): T | Refusal | Promise<T | Refusal> =>
  isUndo(ending) || isProceed(ending) ? executeOrRefuse(database, ending.then, minPosition) : ending;

export const executeOrRefuse = async <T extends Tagged>(
  database: Database,
  next: Plan<T> | Refusal,
  minPosition?: MinPosition,
): Promise<T | Refusal> => (next.kind === "plan" ? execute(database, next, undefined, minPosition) : next);

/** Errors of requests that wrote nothing. */
const unwritten = new WeakSet<object>();

/** True if the request that failed with this error wrote nothing, as far as `executeOnly` can tell. */
export const hasWrittenNothing = (error: unknown): boolean =>
  typeof error === "object" && error !== null && unwritten.has(error);

/**
 * Executes the only plan of a request. If the database refuses a statement before any batch or transaction of the plan
 * is complete, nothing was written, and the error is marked for `hasWrittenNothing`.
 */
export const executeOnly = async <T extends Tagged>(
  database: Database,
  next: Plan<T> | Refusal,
  minPosition?: MinPosition,
): Promise<T | Refusal> => {
  let isUntouched = true;
  const noted = async <R>(work: Promise<R>): Promise<R> => {
    const result = await work;
    isUntouched = false;
    return result;
  };
  const watched: Database = {
    ...database,
    query: (query) => noted(database.query(query)),
    batch: (queries, writes) => noted(database.batch(queries, writes)),
    transaction: (work) => noted(database.transaction(work)),
  };
  try {
    return await executeOrRefuse(watched, next, minPosition);
  } catch (error) {
    if (isUntouched && error instanceof StoreRefusal) unwritten.add(error);
    throw error;
  }
};

/** Executes the rest of a plan whose first batch was sent together with another statement. */
export const executeRest = async <T extends Tagged>(
  database: Database,
  plan: Plan<T>,
  steps: Steps<Ending<T>>,
  next: IteratorResult<StatementBatch, Ending<T>>,
  minPosition: MinPosition,
): Promise<T | Refusal> =>
  executeEnding(
    database,
    next.done === true
      ? next.value
      : await drive(sender(database, plan, new PreparedNames(), minPosition), steps, next),
    minPosition,
  );

const sender =
  (
    database: Database,
    { mayUseStandby, waits }: Pick<Plan, "mayUseStandby" | "waits">,
    names: PreparedNames,
    minPosition: MinPosition,
  ): Send =>
  async (batch) => {
    const queries = withStatementNames(batch, names);
    return mayUseStandby === true
      ? (await readBatch(database, queries, minPosition)).rows
      : database.batch(queries, waits === true);
  };

/** Adds names to statements, or leaves them out if Postgres must plan the statements again. */
const withStatementNames = (batch: StatementBatch, names: PreparedNames): StatementBatch =>
  names.used ? batch : batch.map(withoutName);

/** Thrown to roll back a transaction. */
class Undone<T extends Tagged> extends Error {
  override readonly name = "Undone";
  readonly ending: Refusal | Undo<T>;
  constructor(ending: Refusal | Undo<T>) {
    super("undone");
    this.ending = ending;
  }
}

/** A step can break what a later one repairs, so constraints are checked after all steps. */
const DEFER_CONSTRAINTS: Query = { name: "in the end", text: "set constraints all deferred", values: [] };

/** Runs one transaction, which first takes the locks that its earlier attempts lacked. */
const inTransaction = <T>(
  database: Database,
  earlyLocks: EarlyLocks,
  names: PreparedNames,
  work: (send: Send) => Promise<T>,
): Promise<T> =>
  database.transaction((_, batch) => {
    let opening: StatementBatch = [DEFER_CONSTRAINTS, ...earlyLocks.queries];
    return work(async (queries) => {
      const first = opening;
      opening = [];
      const rows = await batch(withStatementNames([...first, ...queries], names));
      return rows.slice(first.length);
    });
  });

/** Executes all batches of a plan as one transaction. Rolls it back if the plan does not end in its result. */
const executeTransaction = async <T extends Tagged>(
  database: Database,
  plan: Plan<T>,
  earlyLocks: EarlyLocks,
  names: PreparedNames,
): Promise<Ending<T>> => {
  try {
    return await inTransaction(database, earlyLocks, names, async (send) => {
      const ending = await drive(send, plan.steps());
      if (isUndo(ending) || isRefusal(ending)) throw new Undone(ending);
      return ending;
    });
  } catch (error) {
    if (error instanceof Undone) return error.ending as Refusal | Undo<T>;
    throw error;
  }
};

/** Interprets a database error for a plan: a refusal, or the plan to run instead. */
const interpretError = <T extends Tagged>(
  plan: Pick<Plan<T>, "constraint" | "notNull">,
  error: StoreRefusal,
): Refusal | Plan<T> | undefined =>
  constraintViolation.test(error.code) && error.constraint !== undefined
    ? plan.constraint(error.constraint)
    : plan.notNull?.(error.table ?? "", error.column ?? "");
