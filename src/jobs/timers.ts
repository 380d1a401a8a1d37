import { type Database, StoreRefusal } from "../postgres/database.ts";
import type { Asker, Context } from "../server/plan/context.ts";
import { dueOf } from "../server/plan/due.ts";
import type { Following } from "../server/plan/effects.ts";
import type { Steps } from "../server/plan/steps.ts";

/** What a document in force offers to what happens without a request. */
export interface Work<Refused> {
  readonly database: Database;
  readonly context: Context;
  asker(person: { readonly id: null; readonly granted: ReadonlySet<string> }, now: Date): Asker;
  follow(steps: (following: Following) => Steps<Refused | undefined>, now: Date): Promise<Refused | undefined>;
}

/** Nobody: timers hold no role. */
const system = { id: null, granted: new Set<string>() } as const;

/** How long what was refused is left alone. */
const REST = 5 * 60_000;

/** What a table does not take keeps nothing else from happening: an effect that leaves out who acts, where nobody does. */
const unstorable = (error: unknown): { readonly code: string } => {
  if (error instanceof StoreRefusal)
    return { code: ["FAULT", error.code, error.table, error.column].filter(Boolean).join(" ") };
  throw error;
};

/**
 * Makes the transitions for which it is time, each as a transaction of its own. The records are found anew each time, by
 * an index on the state and when it was entered, so a changed limit applies at once; who finds one locks it and asks
 * again whether it is time, so several servers share the work without knowing of one another.
 */
export class Timers<Refused extends { readonly code: string }> {
  readonly #resting = new Map<string, number>();
  readonly #refused: (what: string, record: string, refusal: Refused | { readonly code: string }) => void;

  constructor(refused: (what: string, record: string, refusal: Refused | { readonly code: string }) => void) {
    this.#refused = refused;
  }

  /** Answers how many were made. */
  async run(work: Work<Refused>, now: Date): Promise<number> {
    let made = 0;
    for (const [key, until] of this.#resting) if (until <= now.getTime()) this.#resting.delete(key);
    for (const { entity, transition, query, make } of dueOf(work.context, work.asker(system, now))) {
      for (const row of await work.database.query(query)) {
        const id = String(row.id);
        const key = `${transition.clause.id} ${id}`;
        if (this.#resting.has(key)) continue;
        const refusal = await work
          .follow(make(id) as (following: Following) => Steps<Refused | undefined>, now)
          .catch(unstorable);
        if (refusal === undefined) made += 1;
        else {
          this.#resting.set(key, now.getTime() + REST);
          this.#refused(`${entity.name}.${transition.name}`, id, refusal);
        }
      }
    }
    return made;
  }
}
