import type { Principal } from "../../core/derive/authorization/grants.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { Decider } from "../../core/satisfiability/satisfiability.ts";
import type { Service } from "../execution/service.ts";
import type { Refusal } from "../refusal.ts";
import { DAY_MS, type SampleContext, shuffle } from "./values.ts";

export const SPAN_DAYS = 60;

export const MINUTE = 60_000;

export const HOUR = 60 * MINUTE;

export interface SamplePerson extends Principal {
  readonly id: string;
}

export interface SampleRun extends SampleContext {
  readonly created: Map<string, string[]>;
  readonly since: Map<string, number>;
  readonly people: readonly SamplePerson[];
  /** Number of transitions and parts by each person: those who have done least come next. */
  readonly done: Map<string, number>;
  /** Number of records that have come into a state: the entity and the state. */
  readonly visits: Map<string, number>;
  /** Kinds of parts that nobody can add to a new record, only in a later state. */
  readonly later: Set<Entity>;
  /** Number of records to which nobody could add such a part: the entity, its state and the part. */
  readonly refused: Map<string, number>;
  /** The records with the transitions that they made, and with the fields that were entered in a later state. */
  readonly entered: Set<string>;
  readonly now: Date;
  /** Decides without the database if a permission can apply in a state. */
  readonly decide: Decider;
}

/** A created record with its time and the values entered by its creator. */
export interface SampleRecord {
  readonly entity: Entity;
  readonly id: string;
  readonly at: Date;
  readonly enteredFields: ReadonlySet<string>;
  /** The points in time that it contains, sorted: people act when something begins or ends. */
  readonly times: readonly number[];
}

/** The people, those first who have done least, so that work is spread over those who can do it. */
export const inOrderOfWork = ({ people, done, random }: SampleRun): readonly SamplePerson[] =>
  shuffle(random, people).sort((one, other) => (done.get(one.id) ?? 0) - (done.get(other.id) ?? 0));

export const countWork = ({ done }: SampleRun, { id }: SamplePerson): void => {
  done.set(id, (done.get(id) ?? 0) + 1);
};

/** Tries alternatives until one succeeds. */
export const firstSuccess = async <T>(
  items: readonly T[],
  attempt: (item: T) => Promise<boolean>,
): Promise<T | undefined> => {
  for (const item of items) if (await attempt(item)) return item;
  return undefined;
};

export const remember = async (service: Service, entity: string, record: string): Promise<void> => {
  await service.database.query({
    text: "insert into ninefold.sample (entity, record) values ($1, $2)",
    values: [entity, record],
  });
};

export const hasSucceeded = (
  outcome: Awaited<ReturnType<Service["perform"]>> | Refusal,
): outcome is Exclude<typeof outcome, Refusal> => outcome.kind !== "refusal";

/** Moves a time into working hours. */
export const toWorkingHours = (time: number, random: () => number): number =>
  Math.floor(time / DAY_MS) * DAY_MS + Math.floor((7 + random() * 9) * 60) * 60_000;

/**
 * Runs acts of the past whose calls to other programs are never made: nobody in a real channel should hear of made-up
 * records. Calls of people who work meanwhile are later than `now`.
 */
export const withoutCalls = async <T>({ database }: Service, now: Date, acts: () => Promise<T>): Promise<T> => {
  const [first] = await database.query({ text: "select uuidv7()::text as id", values: [] });
  const result = await acts();
  await database.query({
    text: "delete from ninefold.outbox where state = 'waiting' and id > $1::uuid and at <= $2",
    values: [first?.id, now.toISOString()],
  });
  return result;
};

/**
 * Marks notifications older than a day as read, except the newest of each person if it is from these days: at any time of
 * the day, somebody who has work is told of it.
 */
export const markOldNotificationsRead = async ({ database }: Service, now: Date): Promise<void> => {
  await database.query({
    text: `update ninefold.notification old set read_at = at + interval '2 hours'
      where read_at is null and at < $1::timestamptz - interval '1 day'
        and (at < $1::timestamptz - interval '4 days'
          or exists (select from ninefold.notification newer where newer.person = old.person and newer.id > old.id))`,
    values: [now.toISOString()],
  });
};
