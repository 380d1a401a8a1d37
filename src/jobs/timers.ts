import { type Database, StoreRefusal } from "../postgres/database.ts";
import type { Caller, PlanContext } from "../server/plan/context.ts";
import { dueTransitions } from "../server/plan/effects/due-transitions.ts";
import type { Steps } from "../server/plan/steps.ts";
import type { WriteTransaction } from "../server/plan/transaction/transaction-context.ts";
import { Reminders, type ReminderWork } from "./reminders.ts";

/** The operations that timers need from the live document. */
export interface Work<Refused> {
  readonly database: Database;
  readonly context: PlanContext;
  caller(person: { readonly id: null; readonly granted: ReadonlySet<string> }, now: Date): Caller;
  follow(steps: (tx: WriteTransaction) => Steps<Refused | undefined>, now: Date): Promise<Refused | undefined>;
}

/** Timers act without a user and have no role. */
const system = { id: null, granted: new Set<string>() } as const;

/** A write that the database rejected although no rule did, such as an effect that leaves a required author empty. */
export interface Fault {
  readonly code: "FAULT";
  /** The Postgres error code, the table and the column. */
  readonly because: string;
}

/** A due transition that was refused, or a reminder that could not be sent. */
export interface RefusedTransition<Refused> {
  readonly context: PlanContext;
  readonly entity: string;
  /** The name of the transition, or the action of the reminder: `remind.due_soon`. */
  readonly transition: string;
  readonly clause: string;
  readonly record: string;
  readonly refusal: Refused | Fault;
  /** Not tried again before this time; null if it is not tried again. */
  readonly until: Date | null;
}

/** Milliseconds for which a refused transition is not tried again; doubled with each refusal in a row. */
const SHORTEST = 5 * 60_000;
const LONGEST = 24 * 3_600_000;

interface Rest {
  readonly clause: string;
  readonly record: string;
  readonly long: number;
  readonly until: number;
}

/** One such failure does not stop the others. */
const unstorable = (error: unknown): Fault => {
  if (error instanceof StoreRefusal)
    return { code: "FAULT", because: [error.code, error.table, error.column].filter(Boolean).join(" ") };
  throw error;
};

/**
 * Makes the transitions that are due, each in its own transaction, and sends reminders. Records are looked up each time, by
 * an index on the state and the time it was entered, so a changed limit applies at once. Each is locked and checked again,
 * so several servers share the work without coordination. A refused transition is skipped for a while, so that it does not
 * delay others.
 */
export class Timers<Refused extends { readonly code: string }> {
  readonly #rests = new Map<string, Rest>();
  readonly #reminders = new Reminders();
  readonly #refused: (what: RefusedTransition<Refused>) => void;
  /** Refusals belong to a version of the document: another version may not refuse. */
  #version = Number.NaN;

  constructor(refused: (what: RefusedTransition<Refused>) => void) {
    this.#refused = refused;
  }

  /** Returns the number of transitions made. */
  async run(work: Work<Refused>, now: Date): Promise<number> {
    const { context } = work;
    const nowMs = now.getTime();
    if (context.version !== this.#version) this.#rests.clear();
    this.#version = context.version;
    // Forget refusals that were not repeated when they were due.
    for (const [key, { until }] of this.#rests) if (until + LONGEST <= nowMs) this.#rests.delete(key);
    const resting = (clause: string): readonly string[] =>
      [...this.#rests.values()]
        .filter((rest) => rest.clause === clause && rest.until > nowMs)
        .map(({ record }) => record);
    let count = 0;
    for (const { entity, transition, query, make } of dueTransitions(context, work.caller(system, now), resting)) {
      for (const row of await work.database.query(query)) {
        const record = String(row.id);
        const clause = transition.clause.id;
        const key = `${clause} ${record}`;
        const refusal = await work
          .follow(make(record) as (tx: WriteTransaction) => Steps<Refused | undefined>, now)
          .catch(unstorable);
        if (refusal === undefined) {
          count += 1;
          this.#rests.delete(key);
          continue;
        }
        const long = Math.min((this.#rests.get(key)?.long ?? SHORTEST / 2) * 2, LONGEST);
        const until = nowMs + long;
        this.#rests.set(key, { clause, record, long, until });
        const [of, what] = [entity.name, transition.name];
        this.#refused({ context, entity: of, transition: what, clause, record, refusal, until: new Date(until) });
      }
    }
    await this.#remind(work, now);
    return count;
  }

  async #remind(work: Work<Refused>, now: Date): Promise<void> {
    const { context, database } = work;
    const attempt: ReminderWork<Refused | Fault>["attempt"] = (steps) =>
      work.follow(steps as (tx: WriteTransaction) => Steps<Refused | undefined>, now).catch(unstorable);
    const failed = await this.#reminders.run({ context, database, attempt }, now);
    for (const { entity, reminder, record, reason: refusal } of failed) {
      const { action, clause } = reminder;
      this.#refused({
        context,
        entity: entity.name,
        transition: action,
        clause: clause.id,
        record,
        refusal,
        until: null,
      });
    }
  }
}
