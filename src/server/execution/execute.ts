import { setTimeout as sleep } from "node:timers/promises";
import { type Database, type Query, type Row, StoreRefusal } from "../../postgres/database.ts";
import type { Action, Elsewhere, Reply } from "../plan/action.ts";
import type { Steps } from "../plan/steps.ts";
import { Beforehand } from "../plan/transaction/early-locks.ts";
import type { Refusal } from "../refusal.ts";

const UNIQUE_VIOLATION = "23505";
const constraintViolation = /^23/u;

/** A statement's plan can outlive a change of its tables; Postgres says so once, and a fresh plan is right. */
const isStalePlan = (error: unknown): boolean =>
  error instanceof StoreRefusal && error.code === "0A000" && error.message.includes("cached plan");

/** Deadlocks and lost races of serializable transactions: nothing was done, and the whole statement may be tried again. */
const isRace = (error: unknown): boolean =>
  error instanceof StoreRefusal && (error.code === "40P01" || error.code === "40001");
const TRIES = 6;
/** Milliseconds of which somebody who lost a race waits some before the next try, so that the same do not meet again. */
const APART = 40;
/** Whether it is to be tried again, which it is told when the moment for it has come. */
const isTriedAgain = async (error: unknown, tried: number): Promise<boolean> => {
  if (!isRace(error) || tried >= TRIES) return false;
  await sleep(Math.random() * APART * tried);
  return true;
};
/** Whether it is to begin again with what it needed; after a while if it had asked for all of that before. */
const isBegunAgain = async (error: unknown, beforehand: Beforehand): Promise<boolean> => {
  if (!beforehand.learns(error)) return false;
  if (beforehand.idle > 0) await sleep(Math.random() * APART * beforehand.idle);
  return true;
};
/** As many as draw one word at the same moment find it free, and each time one of them gets it. */
const DRAWS = 20;

/** Carries an action out: the one place where a request touches the world. Each write is one statement, whole or not at all. */
export const run = async (database: Database, action: Action): Promise<Reply | Refusal> => {
  const beforehand = new Beforehand();
  for (let tried = 1; ; tried++) {
    try {
      const settled =
        action.follow === undefined
          ? action.settle(await inOrder(database, action))
          : await followed(database, action, beforehand);
      if (typeof settled !== "string") return settled;
      if (settled !== "repeated") return await planned(database, insteadOf(action, settled));
      const answer = await repeatedAnswer(database, action);
      if (answer === undefined) throw new Error("a request was carried out before, and what it made is not known");
      return answer;
    } catch (error) {
      if (await isBegunAgain(error, beforehand)) {
        tried -= 1;
        continue;
      }
      if (await isTriedAgain(error, tried)) continue;
      if (!(error instanceof StoreRefusal)) throw error;
      if (tried < DRAWS && action.again?.(error.constraint ?? "") === true) continue;
      // Of two requests with one key at the same moment, the second meets what the first made.
      const answer = error.code === UNIQUE_VIOLATION ? await repeatedAnswer(database, action) : undefined;
      if (answer !== undefined) return answer;
      const refusal = refusalIn(action, error);
      if (refusal === undefined) throw error;
      return refusal;
    }
  }
};

/** The answer that this very request got before; undefined where it was not carried out before. */
const repeatedAnswer = async (database: Database, { repeated }: Action): Promise<Reply | Refusal | undefined> => {
  const [row] = repeated === undefined ? [] : await database.query(repeated.query);
  return row === undefined || repeated === undefined ? undefined : planned(database, repeated.answer(row));
};

export const planned = async (database: Database, next: Action | Refusal): Promise<Reply | Refusal> =>
  next.kind === "action" ? run(database, next) : next;

/** What gives the answer in the place of an action that does not. */
export const insteadOf = (action: Action, settled: Exclude<Elsewhere, "repeated">): Action | Refusal => {
  const instead = action[settled];
  if (instead === undefined) throw new Error(`what is ${settled} is answered otherwise, and that is not known`);
  return instead();
};

/** One statement, or several as one transaction. */
const inOrder = async (database: Database, { queries, writes }: Action): Promise<readonly (readonly Row[])[]> => {
  const carriedOut = async (these: readonly Query[]): Promise<readonly (readonly Row[])[]> =>
    these.length === 0 ? [] : database.batch(these, writes === true);
  try {
    return await carriedOut(queries);
  } catch (error) {
    if (!isStalePlan(error)) throw error;
    // Unnamed, so that they are planned anew.
    return carriedOut(queries.map(({ text, values }) => ({ text, values })));
  }
};

/** A request that is refused, or has changed nothing, after something of it was written: the transaction is undone. */
class Undone extends Error {
  override readonly name = "Undone";
  readonly settled: Refusal | Elsewhere;
  constructor(settled: Refusal | Elsewhere) {
    super("undone");
    this.settled = settled;
  }
}

/** Statements of a transaction, in one round trip. */
type Ask = Database["batch"];

/** An action within a transaction that is under way. What follows a write and refuses it undoes the whole. */
const within = async (ask: Ask, action: Action): Promise<Reply | Refusal | Elsewhere> => {
  if (action.takes !== undefined) action.takes.require(await ask(action.takes.queries));
  const results = action.queries.length === 0 ? [] : await ask(action.queries);
  const settled = action.settle(results);
  if (typeof settled === "string" || settled.kind === "refusal" || action.follow === undefined) return settled;
  const steps = action.follow(results.at(-1)?.[0] ?? {}, settled);
  let step = steps.next();
  while (step.done !== true) step = steps.next((await ask([step.value]))[0] ?? []);
  if (step.value === "unchanged" || step.value.kind === "refusal") throw new Undone(step.value);
  return step.value;
};

/** What one step breaks another may mend: the tables hold what they hold when all of them are done. */
const IN_THE_END: Query = { name: "in the end", text: "set constraints all deferred", values: [] };

/** One transaction, by statements that are kept; where a plan outlived its tables, again by such as are planned anew. */
const whole = async <T>(database: Database, beforehand: Beforehand, work: (ask: Ask) => Promise<T>): Promise<T> => {
  const carriedOut = (named: boolean) =>
    database.transaction((_, batch) => {
      let opening: readonly Query[] = [IN_THE_END, ...beforehand.queries];
      return work(async (queries) => {
        const first = opening;
        opening = [];
        const these = [...first, ...queries];
        const rows = await batch(named ? these : these.map(({ text, values }) => ({ text, values })));
        return rows.slice(first.length);
      });
    });
  return carriedOut(true).catch((error: unknown) => {
    if (!isStalePlan(error)) throw error;
    return carriedOut(false);
  });
};

/** A write and what follows it, one step after the other, as one transaction. */
const followed = async (
  database: Database,
  action: Action,
  beforehand: Beforehand,
): Promise<Reply | Refusal | Elsewhere> => {
  try {
    return await whole(database, beforehand, async (ask) => {
      const settled = await within(ask, action);
      if (typeof settled === "string" || settled.kind === "refusal") throw new Undone(settled);
      return settled;
    });
  } catch (error) {
    if (error instanceof Undone) return error.settled;
    throw error;
  }
};

/** Actions that follow one another, each made of what came of those before. */
export type Actions<T = Reply | Refusal> = Generator<Action, T, Reply | Refusal>;

/** Carries them out one after the other, each whole or not at all. */
export const inTurn = async <T>(database: Database, actions: Actions<T>): Promise<T> => {
  let step = actions.next();
  while (step.done !== true) step = actions.next(await run(database, step.value));
  return step.value;
};

/** Carries them out as one transaction: where they end in a refusal, all of them are undone. */
export const together = async (database: Database, actions: () => Actions): Promise<Reply | Refusal> => {
  const beforehand = new Beforehand();
  for (let tried = 1; ; tried++) {
    let done: Action[] = [];
    try {
      return await whole(database, beforehand, async (ask) => {
        done = [];
        const going = actions();
        let step = going.next();
        while (step.done !== true) {
          done.push(step.value);
          let settled = await within(ask, step.value).catch((error: unknown) => {
            throw error instanceof Undone ? new Undone(inWordsOf(going, error.settled)) : error;
          });
          if (typeof settled === "string" && settled !== "repeated") {
            const instead = insteadOf(step.value, settled);
            settled = instead.kind === "action" ? await within(ask, instead) : instead;
          }
          if (typeof settled === "string") throw new Error("what is done with others bears no key");
          step = going.next(settled);
        }
        if (step.value.kind === "refusal") throw new Undone(step.value);
        return step.value;
      });
    } catch (error) {
      if (error instanceof Undone && typeof error.settled !== "string") return error.settled;
      if (await isBegunAgain(error, beforehand)) {
        tried -= 1;
        continue;
      }
      if (await isTriedAgain(error, tried)) continue;
      if (!(error instanceof StoreRefusal)) throw error;
      if (tried < DRAWS && done.some((one) => one.again?.(error.constraint ?? "") === true)) continue;
      const refusals = done.flatMap((one) => refusalIn(one, error) ?? []);
      // Each step knows its own: what one of them has taken away is missed by the others.
      const refusal = refusals.find(({ code }) => code === "IN_USE") ?? refusals.at(-1);
      if (refusal === undefined) throw error;
      return refusal;
    }
  }
};

/** A refusal that undoes the whole, as whoever plans the steps tells of it; whatever else they would do is not done. */
const inWordsOf = (going: Actions, settled: Refusal | Elsewhere): Refusal | Elsewhere => {
  const told = typeof settled === "string" ? undefined : going.next(settled);
  return told?.done === true && told.value.kind === "refusal" ? told.value : settled;
};

/** What it means for an action that the database refused a statement of it. */
const refusalIn = (action: Action, error: StoreRefusal): Refusal | undefined =>
  constraintViolation.test(error.code) && error.constraint !== undefined
    ? action.constraint(error.constraint)
    : action.needed?.(error.table ?? "", error.column ?? "");

/**
 * Steps that no request asked for, as one transaction: what refuses them, or nothing. A lost race repeats the whole, and a
 * refusal undoes it.
 */
export const carryOut = async (
  database: Database,
  steps: () => Steps<Refusal | undefined>,
  constraint: (name: string) => Refusal | undefined,
): Promise<Refusal | undefined> => {
  const beforehand = new Beforehand();
  for (let tried = 1; ; tried++) {
    try {
      await database.transaction(async (query) => {
        const going = steps();
        let step = going.next();
        await query({ text: IN_THE_END.text, values: [] });
        for (const first of beforehand.queries) await query(first);
        // Unnamed, for they are seldom the same twice on one connection.
        while (step.done !== true) step = going.next(await query({ text: step.value.text, values: step.value.values }));
        if (step.value !== undefined) throw new Undone(step.value);
      });
      return undefined;
    } catch (error) {
      if (error instanceof Undone && typeof error.settled !== "string") return error.settled;
      if (await isBegunAgain(error, beforehand)) {
        tried -= 1;
        continue;
      }
      if (await isTriedAgain(error, tried)) continue;
      const broken =
        error instanceof StoreRefusal && constraintViolation.test(error.code) ? error.constraint : undefined;
      const refusal = broken === undefined ? undefined : constraint(broken);
      if (refusal === undefined) throw error;
      return refusal;
    }
  }
};
