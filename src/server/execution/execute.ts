import { type Database, type Query, type Row, StoreRefusal } from "../../postgres/database.ts";
import type { Fallback, Plan } from "../plan/action.ts";
import type { Outcome, Tagged } from "../plan/outcome.ts";
import type { Steps } from "../plan/steps.ts";
import { EarlyLocks } from "../plan/transaction/early-locks.ts";
import { isRefusal, type Refusal } from "../refusal.ts";
import { PreparedNames, retryDraws, retryHeldLocks, retryRaces, withRetries } from "./retries.ts";

const UNIQUE_VIOLATION = "23505";
const constraintViolation = /^23/u;

/** Carries an action out: the one place where a request touches the world. Each write is one statement, whole or not at all. */
export const execute = async <T extends Tagged>(database: Database, action: Plan<T>): Promise<T | Refusal> => {
  const beforehand = new EarlyLocks();
  const names = new PreparedNames();
  const policies = [
    retryHeldLocks(beforehand),
    retryRaces,
    names.retry,
    retryDraws((constraint) => action.isRetryable?.(constraint) === true),
  ];
  let settled: T | Refusal | Fallback;
  try {
    settled = await withRetries(policies, async () =>
      action.afterWrite === undefined
        ? action.decode(await executeQueries(database, action, names))
        : executeWithAfterWrite(database, action, beforehand, names),
    );
  } catch (error) {
    if (!(error instanceof StoreRefusal)) throw error;
    // Of two requests with one key at the same moment, the second finds the record of the first.
    const answer = error.code === UNIQUE_VIOLATION ? await replayedAnswer(database, action) : undefined;
    const outcome = answer ?? refusalIn(action, error);
    if (outcome === undefined) throw error;
    return outcome;
  }
  if (typeof settled !== "string") return settled;
  if (settled !== "repeated") return executeOrRefuse(database, fallbackOf(action, settled));
  const answer = await replayedAnswer(database, action);
  if (answer === undefined) throw new Error("a request was carried out before, and what it made is not known");
  return answer;
};

/** The answer that this very request got before; undefined where it was not carried out before. */
const replayedAnswer = async <T extends Tagged>(
  database: Database,
  { repeated }: Plan<T>,
): Promise<T | Refusal | undefined> => {
  const [row] = repeated === undefined ? [] : await database.query(repeated.query);
  return row === undefined || repeated === undefined ? undefined : executeOrRefuse(database, repeated.answer(row));
};

export const executeOrRefuse = async <T extends Tagged>(
  database: Database,
  next: Plan<T> | Refusal,
): Promise<T | Refusal> => (next.kind === "plan" ? execute(database, next) : next);

/** What gives the answer in the place of an action that does not. */
export const fallbackOf = <T extends Tagged>(
  action: Plan<T>,
  settled: Exclude<Fallback, "repeated">,
): Plan<T> | Refusal => {
  const instead = action[settled];
  if (instead === undefined) throw new Error(`what is ${settled} is answered otherwise, and that is not known`);
  return instead();
};

/** One statement, or several as one transaction. */
const executeQueries = async (
  database: Database,
  { queries, writes }: Pick<Plan, "queries" | "writes">,
  names: PreparedNames,
): Promise<readonly (readonly Row[])[]> =>
  queries.length === 0 ? [] : database.batch(sentAs(queries, names), writes === true);

/** The statements by their names, or without them where they have to be planned anew. */
const sentAs = (queries: readonly Query[], names: PreparedNames): readonly Query[] =>
  names.used ? queries : queries.map(({ text, values }) => ({ text, values }));

/** A request that is refused, or has changed nothing, after something of it was written: the transaction is undone. */
class Undone extends Error {
  override readonly name = "Undone";
  readonly settled: Refusal | Fallback;
  constructor(settled: Refusal | Fallback) {
    super("undone");
    this.settled = settled;
  }
}

/** Statements of a transaction, in one round trip. */
type Ask = Database["batch"];

/** An action within a transaction that is under way. What follows a write and refuses it undoes the whole. */
const executeWithin = async <T extends Tagged>(ask: Ask, action: Plan<T>): Promise<T | Refusal | Fallback> => {
  if (action.earlyLocks !== undefined) action.earlyLocks.require(await ask(action.earlyLocks.queries));
  const results = action.queries.length === 0 ? [] : await ask(action.queries);
  const settled = action.decode(results);
  if (typeof settled === "string" || isRefusal(settled) || action.afterWrite === undefined) return settled;
  const steps = action.afterWrite(results.at(-1)?.[0] ?? {}, settled);
  let step = steps.next();
  while (step.done !== true) step = steps.next((await ask([step.value]))[0] ?? []);
  if (step.value === "unchanged" || isRefusal(step.value)) throw new Undone(step.value);
  return step.value;
};

/** What one step breaks another may mend: the tables hold what they hold when all of them are done. */
const IN_THE_END: Query = { name: "in the end", text: "set constraints all deferred", values: [] };

/** One transaction, which takes the locks of its earlier attempts first. */
const inTransaction = <T>(
  database: Database,
  beforehand: EarlyLocks,
  names: PreparedNames,
  work: (ask: Ask) => Promise<T>,
): Promise<T> =>
  database.transaction((_, batch) => {
    let opening: readonly Query[] = [IN_THE_END, ...beforehand.queries];
    return work(async (queries) => {
      const first = opening;
      opening = [];
      const rows = await batch(sentAs([...first, ...queries], names));
      return rows.slice(first.length);
    });
  });

/** A write and what follows it, one step after the other, as one transaction. */
const executeWithAfterWrite = async <T extends Tagged>(
  database: Database,
  action: Plan<T>,
  beforehand: EarlyLocks,
  names: PreparedNames,
): Promise<T | Refusal | Fallback> => {
  try {
    return await inTransaction(database, beforehand, names, async (ask) => {
      const settled = await executeWithin(ask, action);
      if (typeof settled === "string" || isRefusal(settled)) throw new Undone(settled);
      return settled;
    });
  } catch (error) {
    if (error instanceof Undone) return error.settled;
    throw error;
  }
};

/** Actions that follow one another, each made of what came of those before. */
export type PlanSequence<T = Outcome | Refusal> = Generator<Plan<Tagged>, T, Tagged>;

/** Carries them out one after the other, each whole or not at all. */
export const executeSequence = async <T>(database: Database, actions: PlanSequence<T>): Promise<T> => {
  let step = actions.next();
  while (step.done !== true) step = actions.next(await execute(database, step.value));
  return step.value;
};

/** Carries them out as one transaction: where they end in a refusal, all of them are undone. */
export const executeTransaction = async (
  database: Database,
  actions: () => PlanSequence,
): Promise<Outcome | Refusal> => {
  const beforehand = new EarlyLocks();
  const names = new PreparedNames();
  let done: Plan<Tagged>[] = [];
  const policies = [
    retryHeldLocks(beforehand),
    retryRaces,
    names.retry,
    retryDraws((constraint) => done.some((one) => one.isRetryable?.(constraint) === true)),
  ];
  const attempt = (ask: Ask): Promise<Outcome | Refusal> => {
    done = [];
    return allWithin(ask, actions(), done);
  };
  try {
    return await withRetries(policies, () => inTransaction(database, beforehand, names, attempt));
  } catch (error) {
    if (error instanceof Undone && typeof error.settled !== "string") return error.settled;
    if (!(error instanceof StoreRefusal)) throw error;
    const refusals = done.flatMap((one) => refusalIn(one, error) ?? []);
    // Each step knows its own: what one of them has taken away is missed by the others.
    const refusal = refusals.find(({ code }) => code === "IN_USE") ?? refusals.at(-1);
    if (refusal === undefined) throw error;
    return refusal;
  }
};

/** One action after the other within a transaction. `done` gets each of them before it is carried out. */
const allWithin = async (ask: Ask, going: PlanSequence, done: Plan<Tagged>[]): Promise<Outcome | Refusal> => {
  let step = going.next();
  while (step.done !== true) {
    done.push(step.value);
    let settled = await executeWithin(ask, step.value).catch((error: unknown) => {
      throw error instanceof Undone ? new Undone(inWordsOf(going, error.settled)) : error;
    });
    if (typeof settled === "string" && settled !== "repeated") {
      const instead = fallbackOf(step.value, settled);
      settled = instead.kind === "plan" ? await executeWithin(ask, instead) : instead;
    }
    if (typeof settled === "string") throw new Error("what is done with others bears no key");
    step = going.next(settled);
  }
  if (step.value.kind === "refusal") throw new Undone(step.value);
  return step.value;
};

/** A refusal that undoes the whole, as whoever plans the steps tells of it; whatever else they would do is not done. */
const inWordsOf = (going: PlanSequence, settled: Refusal | Fallback): Refusal | Fallback => {
  const told = typeof settled === "string" ? undefined : going.next(settled);
  return told?.done === true && told.value.kind === "refusal" ? told.value : settled;
};

/** What it means for an action that the database refused a statement of it. */
const refusalIn = (action: Pick<Plan, "constraint" | "needed">, error: StoreRefusal): Refusal | undefined =>
  constraintViolation.test(error.code) && error.constraint !== undefined
    ? action.constraint(error.constraint)
    : action.needed?.(error.table ?? "", error.column ?? "");

/**
 * Steps that no request asked for, as one transaction: what refuses them, or nothing. A lost race repeats the whole, and a
 * refusal undoes it.
 */
export const executeSteps = async (
  database: Database,
  steps: () => Steps<Refusal | undefined>,
  constraint: (name: string) => Refusal | undefined,
): Promise<Refusal | undefined> => {
  const beforehand = new EarlyLocks();
  const attempt = (): Promise<undefined> =>
    database.transaction(async (query) => {
      const going = steps();
      let step = going.next();
      await query({ text: IN_THE_END.text, values: [] });
      for (const first of beforehand.queries) await query(first);
      // Unnamed, for they are seldom the same twice on one connection.
      while (step.done !== true) step = going.next(await query({ text: step.value.text, values: step.value.values }));
      if (step.value !== undefined) throw new Undone(step.value);
      return undefined;
    });
  try {
    return await withRetries([retryHeldLocks(beforehand), retryRaces], attempt);
  } catch (error) {
    if (error instanceof Undone && typeof error.settled !== "string") return error.settled;
    const broken = error instanceof StoreRefusal && constraintViolation.test(error.code) ? error.constraint : undefined;
    const refusal = broken === undefined ? undefined : constraint(broken);
    if (refusal === undefined) throw error;
    return refusal;
  }
};
