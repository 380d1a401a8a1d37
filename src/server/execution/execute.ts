import { type Database, type Query, StoreRefusal } from "../../postgres/database.ts";
import type { Outcome, Tagged } from "../plan/outcome.ts";
import { type Ending, isUndo, type Plan, type Undo } from "../plan/plan.ts";
import type { BatchRows, StatementBatch, Steps } from "../plan/steps.ts";
import { EarlyLocks } from "../plan/transaction/early-locks.ts";
import { isRefusal, type Refusal } from "../refusal.ts";
import { PreparedNames, retryDraws, retryHeldLocks, retryRaces, withRetries } from "./retries.ts";

const UNIQUE_VIOLATION = "23505";
const constraintViolation = /^23/u;

/** Sends a batch, and returns the rows of each of its statements. */
type Send = (batch: StatementBatch) => Promise<BatchRows>;

/** Drives steps to their end. `next`: where they are, if they have begun. */
const drive = async <T>(
  send: Send,
  steps: Steps<T>,
  next: IteratorResult<StatementBatch, T> = steps.next(),
): Promise<T> => {
  let step = next;
  while (step.done !== true) step = steps.next(step.value.length === 0 ? [] : await send(step.value));
  return step.value;
};

/** Executes a plan: the only place where a request touches the database. `names`: whether statements are sent by name. */
export const execute = async <T extends Tagged>(
  database: Database,
  plan: Plan<T>,
  names = new PreparedNames(),
): Promise<T | Refusal> => {
  const earlyLocks = new EarlyLocks();
  const policies = [
    retryHeldLocks(earlyLocks),
    retryRaces,
    names.retry,
    retryDraws((constraint) => plan.isRetryable?.(constraint) === true),
  ];
  const send = sender(database, plan, names);
  let ending: Ending<T>;
  try {
    ending = await withRetries(policies, () =>
      plan.transaction === "whole" ? executeWhole(database, plan, earlyLocks, names) : drive(send, plan.steps()),
    );
  } catch (error) {
    if (!(error instanceof StoreRefusal)) throw error;
    const { replay } = plan;
    // Of two requests with one idempotency key at the same moment, the second finds the record of the first.
    const replayed =
      error.code === UNIQUE_VIOLATION && replay !== undefined
        ? await withRetries(policies, () => drive(send, replay()))
        : undefined;
    const outcome = replayed ?? refusalIn(plan, error);
    if (outcome === undefined) throw error;
    return outcome;
  }
  return isUndo(ending) ? executeOrRefuse(database, ending.then) : ending;
};

export const executeOrRefuse = async <T extends Tagged>(
  database: Database,
  next: Plan<T> | Refusal,
): Promise<T | Refusal> => (next.kind === "plan" ? execute(database, next) : next);

/** Executes the rest of a plan whose first batch was sent with something else. */
export const executeRest = async <T extends Tagged>(
  database: Database,
  plan: Plan<T>,
  steps: Steps<Ending<T>>,
  next: IteratorResult<StatementBatch, Ending<T>>,
): Promise<T | Refusal> => {
  const ending = await drive(sender(database, plan, new PreparedNames()), steps, next);
  return isUndo(ending) ? executeOrRefuse(database, ending.then) : ending;
};

const sender =
  (database: Database, { waits }: Pick<Plan, "waits">, names: PreparedNames): Send =>
  (batch) =>
    database.batch(sentAs(batch, names), waits === true);

/** Statements with their names, or without them if Postgres must plan them again. */
const sentAs = (batch: StatementBatch, names: PreparedNames): StatementBatch =>
  names.used ? batch : batch.map(({ text, values }) => ({ text, values }));

/** Thrown to roll a transaction back. */
class Undone<T extends Tagged> extends Error {
  override readonly name = "Undone";
  readonly ending: Refusal | Undo<T>;
  constructor(ending: Refusal | Undo<T>) {
    super("undone");
    this.ending = ending;
  }
}

/** A step can break what a later one repairs: constraints are checked when all of them are done. */
const DEFER_CONSTRAINTS: Query = { name: "in the end", text: "set constraints all deferred", values: [] };

/** One transaction, which takes the locks of its earlier attempts first. */
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
      const rows = await batch(sentAs([...first, ...queries], names));
      return rows.slice(first.length);
    });
  });

/** All batches of a plan as one transaction, which is rolled back if the plan does not end in its result. */
const executeWhole = async <T extends Tagged>(
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

/** Plans that follow one another. Each is built from the results of those before it. */
export type PlanSequence<T = Outcome | Refusal> = Generator<Plan<Tagged>, T, Tagged>;

/** Executes plans one after the other, each as it would be executed alone. */
export const executeSequence = async <T>(database: Database, plans: PlanSequence<T>): Promise<T> => {
  let step = plans.next();
  while (step.done !== true) step = plans.next(await execute(database, step.value));
  return step.value;
};

/** Executes plans as one transaction, which is rolled back if they end in a refusal. */
export const executeTransaction = async (database: Database, plans: () => PlanSequence): Promise<Outcome | Refusal> => {
  const earlyLocks = new EarlyLocks();
  const names = new PreparedNames();
  let begun: Plan<Tagged>[] = [];
  const policies = [
    retryHeldLocks(earlyLocks),
    retryRaces,
    names.retry,
    retryDraws((constraint) => begun.some((one) => one.isRetryable?.(constraint) === true)),
  ];
  const attempt = (send: Send): Promise<Outcome | Refusal> => {
    begun = [];
    return driveSequence(send, plans(), begun);
  };
  try {
    return await withRetries(policies, () => inTransaction(database, earlyLocks, names, attempt));
  } catch (error) {
    if (error instanceof Undone && isRefusal(error.ending)) return error.ending;
    if (!(error instanceof StoreRefusal)) throw error;
    const refusals = begun.flatMap((one) => refusalIn(one, error) ?? []);
    // A plan that deleted a record knows that others still need it: its refusal is the most precise.
    const refusal = refusals.find(({ code }) => code === "IN_USE") ?? refusals.at(-1);
    if (refusal === undefined) throw error;
    return refusal;
  }
};

/** Drives one plan after the other within a transaction. `begun` gets each of them before it is executed. */
const driveSequence = async (send: Send, plans: PlanSequence, begun: Plan<Tagged>[]): Promise<Outcome | Refusal> => {
  let step = plans.next();
  while (step.done !== true) {
    begun.push(step.value);
    const ending = await drive(send, step.value.steps());
    if (isUndo(ending)) throw new Undone(refusalOf(plans, ending));
    step = plans.next(ending);
  }
  if (isRefusal(step.value)) throw new Undone(step.value);
  return step.value;
};

/** The refusal for which a sequence is undone, as the sequence words it. Whatever else the sequence would do is not done. */
const refusalOf = (plans: PlanSequence, { then }: Undo<Tagged>): Refusal => {
  if (!isRefusal(then)) throw new Error("a step of a sequence cannot be undone and continue");
  const worded = plans.next(then);
  return worded.done === true && isRefusal(worded.value) ? worded.value : then;
};

/** The refusal of a plan for an error of the database. */
const refusalIn = (plan: Pick<Plan, "constraint" | "notNull">, error: StoreRefusal): Refusal | undefined =>
  constraintViolation.test(error.code) && error.constraint !== undefined
    ? plan.constraint(error.constraint)
    : plan.notNull?.(error.table ?? "", error.column ?? "");
