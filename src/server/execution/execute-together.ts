import { type Database, type Query, StoreRefusal } from "../../postgres/database.ts";
import type { Outcome } from "../plan/outcome.ts";
import { type Ending, isProceed, isUndo, type Plan } from "../plan/plan.ts";
import { type Steps, sideBySide } from "../plan/steps.ts";
import { isRefusal, type Refusal } from "../refusal.ts";
import { execute } from "./execute.ts";

const SAVE: Query = { name: "save row", text: "savepoint one_row", values: [] };
const RELEASE: Query = { name: "release row", text: "release savepoint one_row", values: [] };
const BACK: Query = { name: "back to row", text: "rollback to savepoint one_row", values: [] };
const CHECK_NOW: Query = { name: "check now", text: "set constraints all immediate", values: [] };

type Send = Database["batch"];

/**
 * Wraps a transaction as a database for plans that share it. Each batch and each transaction of a plan becomes a
 * savepoint, so that one plan can fail without the others.
 */
const nestIn = (send: Send): Database => {
  const attempt = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      await send([BACK, RELEASE]);
      throw error;
    }
  };
  const batch: Database["batch"] = (queries) =>
    attempt(async () => (await send([SAVE, ...queries, RELEASE])).slice(1, -1));
  return {
    batch,
    query: async (query) => (await batch([query]))[0] ?? [],
    transaction: (work) =>
      attempt(async () => {
        await send([SAVE]);
        const result = await work(async (query) => (await send([query]))[0] ?? [], send);
        // Checks deferred constraints now, so that a violation is attributed to this plan.
        await send([CHECK_NOW, RELEASE]);
        return result;
      }),
    load: () => ({ connections: 1, idle: 0, waiting: 0 }),
    end: () => Promise.resolve(),
  };
};

/** Thrown to roll back a trial. */
class Tried<T> extends Error {
  override readonly name = "Tried";
  readonly result: T;
  constructor(result: T) {
    super("tried");
    this.result = result;
  }
}

function* noSteps(): Steps<undefined> {}

/** Runs the first batches of plans side by side. Undefined for a plan that needs its own transaction. */
function* stepsTogether(plans: readonly (Plan | Refusal)[]): Steps<readonly (Ending<Outcome> | undefined)[]> {
  const together = plans.map((plan) => (isRefusal(plan) || plan.transaction === "whole" ? undefined : plan.steps()));
  const [, endings] = yield* sideBySide(
    noSteps(),
    together.flatMap((steps) => (steps === undefined ? [] : [steps])),
  );
  let at = 0;
  return together.map((steps) => (steps === undefined ? undefined : endings[at++]));
}

/**
 * Executes plans of one statement each in as few messages as possible. Undefined if the database refuses one of them.
 */
const executePipelined = async (
  nested: Database,
  plans: readonly (Plan | Refusal)[],
): Promise<readonly (Ending<Outcome> | undefined)[] | undefined> => {
  try {
    return await nested.transaction(async (_, send) => {
      const steps = stepsTogether(plans);
      let next = steps.next();
      while (next.done !== true) next = steps.next(next.value.length === 0 ? [] : await send(next.value));
      return next.value;
    });
  } catch (error) {
    if (error instanceof StoreRefusal && error.code.startsWith("23")) return undefined;
    throw error;
  }
};

/**
 * Executes many plans in one transaction, a few at a time; `run` returns the outcome of each. A refused plan writes
 * nothing, and the others continue. With `isTrial`, everything is rolled back at the end.
 */
export const executeTogether = async <T>(
  database: Database,
  { before, isTrial }: { readonly before: readonly Query[]; readonly isTrial: boolean },
  work: (
    run: (plans: readonly (Plan | Refusal)[]) => Promise<readonly (Outcome | Refusal)[]>,
    send: Send,
  ) => Promise<T>,
): Promise<T> => {
  try {
    return await database.transaction(async (_, send) => {
      if (before.length > 0) await send(before);
      const nested = nestIn(send);
      const result = await work(async (plans) => {
        const endings = await executePipelined(nested, plans);
        const outcomes: (Outcome | Refusal)[] = [];
        for (const [at, plan] of plans.entries()) {
          const ending = endings?.[at];
          if (isRefusal(plan)) outcomes.push(plan);
          else if (ending === undefined) outcomes.push(await execute(nested, plan));
          else if (isUndo(ending) || isProceed(ending)) {
            const { then } = ending;
            outcomes.push(isRefusal(then) ? then : await execute(nested, then));
          } else outcomes.push(ending);
        }
        return outcomes;
      }, send);
      if (isTrial) throw new Tried(result);
      return result;
    });
  } catch (error) {
    if (error instanceof Tried) return error.result as T;
    throw error;
  }
};
