import { type Database, StoreRefusal } from "../postgres/database.ts";
import type { Asker, Context } from "../server/plan/context.ts";
import { dueOf } from "../server/plan/effects/due-transitions.ts";
import type { Steps } from "../server/plan/steps.ts";
import type { Following } from "../server/plan/transaction/transaction-context.ts";

/** What a document in force offers to what happens without a request. */
export interface Work<Refused> {
  readonly database: Database;
  readonly context: Context;
  asker(person: { readonly id: null; readonly granted: ReadonlySet<string> }, now: Date): Asker;
  follow(steps: (following: Following) => Steps<Refused | undefined>, now: Date): Promise<Refused | undefined>;
}

/** Nobody: timers hold no role. */
const system = { id: null, granted: new Set<string>() } as const;

/** What a table does not take though nothing refuses it: an effect that leaves out who acts, where nobody does. */
export interface Fault {
  readonly code: "FAULT";
  /** The code of Postgres, the table and the column. */
  readonly because: string;
}

/** A transition for which it was time, and that was refused. */
export interface RefusedTransition<Refused> {
  readonly context: Context;
  readonly entity: string;
  readonly transition: string;
  readonly clause: string;
  readonly record: string;
  readonly refusal: Refused | Fault;
  /** Not tried again before. */
  readonly until: Date;
}

/** How long what was refused is left alone, in milliseconds: twice as long each time in a row. */
const SHORTEST = 5 * 60_000;
const LONGEST = 24 * 3_600_000;

interface Rest {
  readonly clause: string;
  readonly record: string;
  readonly long: number;
  readonly until: number;
}

/** It keeps nothing else from happening. */
const unstorable = (error: unknown): Fault => {
  if (error instanceof StoreRefusal)
    return { code: "FAULT", because: [error.code, error.table, error.column].filter(Boolean).join(" ") };
  throw error;
};

/**
 * Makes the transitions for which it is time, each as a transaction of its own. The records are found anew each time, by
 * an index on the state and when it was entered, so a changed limit applies at once; who finds one locks it and asks
 * again whether it is time, so several servers share the work without knowing of one another. What is refused rests, and
 * is not in the way of what else is due.
 */
export class Timers<Refused extends { readonly code: string }> {
  readonly #rests = new Map<string, Rest>();
  readonly #refused: (what: RefusedTransition<Refused>) => void;
  /** Of the document: another may not refuse it. */
  #version = Number.NaN;

  constructor(refused: (what: RefusedTransition<Refused>) => void) {
    this.#refused = refused;
  }

  /** Answers how many were made. */
  async run(work: Work<Refused>, now: Date): Promise<number> {
    const { context } = work;
    const moment = now.getTime();
    if (context.version !== this.#version) this.#rests.clear();
    this.#version = context.version;
    // What was not refused again when it was time is not due any more.
    for (const [key, { until }] of this.#rests) if (until + LONGEST <= moment) this.#rests.delete(key);
    const resting = (clause: string): readonly string[] =>
      [...this.#rests.values()]
        .filter((one) => one.clause === clause && one.until > moment)
        .map(({ record }) => record);
    let made = 0;
    for (const { entity, transition, query, make } of dueOf(context, work.asker(system, now), resting)) {
      for (const row of await work.database.query(query)) {
        const record = String(row.id);
        const clause = transition.clause.id;
        const key = `${clause} ${record}`;
        const refusal = await work
          .follow(make(record) as (following: Following) => Steps<Refused | undefined>, now)
          .catch(unstorable);
        if (refusal === undefined) {
          made += 1;
          this.#rests.delete(key);
          continue;
        }
        const long = Math.min((this.#rests.get(key)?.long ?? SHORTEST / 2) * 2, LONGEST);
        const until = moment + long;
        this.#rests.set(key, { clause, record, long, until });
        const [of, what] = [entity.name, transition.name];
        this.#refused({ context, entity: of, transition: what, clause, record, refusal, until: new Date(until) });
      }
    }
    return made;
  }
}
