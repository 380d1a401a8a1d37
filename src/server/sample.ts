import { gatesOf, isAutomatic, type Person, transitionGatesOf } from "../core/derive/access.ts";
import { ADMINISTRATOR, type Entity, type Field, type Model, type Transition } from "../core/model/model.ts";
import { dateAt, zoneOf } from "../core/rule/calendar.ts";
import { identifier, render, slot, sql } from "../core/sql.ts";
import type { Json } from "../core/wire.ts";
import { type Database, StoreRefusal } from "../postgres/database.ts";
import type { Values } from "./ask.ts";
import { makePerson } from "./people.ts";
import type { Refusal } from "./refusal.ts";
import type { Service } from "./service.ts";

/** Nobody who exists: the names of sample people, in the order in which they are used. */
const names = [
  "Amara Okafor",
  "Jonas Weber",
  "Mei Tanaka",
  "Lukas Brandt",
  "Sofía Marín",
  "Noah Fischer",
  "Hanna Lindqvist",
  "Tom Adeyemi",
  "Zoë Kröger",
  "Ines Duarte",
  "Bartholomäus von Hohenstein-Lichtenfels",
  "Yusuf Demir",
];

const PLAIN = 4;
const RECORDS = 24;
const DAY = 86_400_000;
const SPAN = 60;

/** The same numbers each time (mulberry32), so that two demonstrations of one document look alike. */
const randomFrom = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
};

interface SamplePerson extends Person {
  readonly id: string;
}

export interface Sampled {
  readonly people: number;
  readonly records: number;
}

/**
 * Makes people and records to look at: people for each role of the document, records through the same calls as people
 * make, by people who may, over the last two months. What a rule refuses is tried again with other values and then left.
 */
export const makeSample = async (service: Service, now: Date): Promise<Sampled> => {
  const random = randomFrom(9);
  const people = await samplePeople(service, new Date(now.getTime() - (SPAN + 5) * DAY));
  const made = new Map<string, string[]>([["User", people.map((person) => person.id)]]);
  const making: Making = { service, people, made, random, now };
  await relate(making);
  const lives: { readonly entity: Entity; readonly id: string; readonly at: Date }[] = [];
  let records = 0;
  for (const entity of inOrderOfNeed(service.model)) {
    const ids: string[] = [];
    made.set(entity.name, ids);
    const wanted = recordsFor(entity);
    for (let i = 0; i < wanted; i++) {
      const record = await sampleRecord(making, entity, i);
      if (record === undefined) continue;
      ids.push(record.id);
      lives.push({ entity, ...record });
    }
    records += ids.length;
  }
  // Lives begin when everything is there: lines are added to drafts, not to what was sent.
  for (const { entity, id, at } of lives) await sampleLife(making, entity, id, at);
  return { people: people.length, records };
};

/** How many people others stand in relation to: the managers and deputies of a small house. */
const HEADS = 2;

/**
 * People who refer to people, as to a manager, do so before anything else is made: what they may do rests on it. The
 * first few are those whom the others name.
 */
const relate = async ({ service, people, random, now }: Making): Promise<void> => {
  const user = service.model.entities.get("User");
  const relations = [...(user?.fields.values() ?? [])].filter(
    (field) => field.entity === "User" && field.optional && user !== undefined && !isAutomatic(user, field.name),
  );
  if (user === undefined || relations.length === 0) return;
  const at = new Date(now.getTime() - (SPAN + 4) * DAY);
  const plain = people.filter(({ granted }) => granted.size === 0);
  const heads = (plain.length > HEADS ? plain : people).slice(0, HEADS);
  const changers = people.filter((person) => gatesOf(service.model, user, "update", person).length > 0);
  for (const person of people)
    for (const field of relations) {
      const head = pick(
        random,
        heads.filter(({ id }) => id !== person.id),
      );
      if (head === undefined || (person === heads[0] && random() < 0.5)) continue;
      await firstThat(changers, async (changer) =>
        succeeded(
          await service.perform(
            {
              kind: "update",
              entity: user.name,
              id: person.id,
              values: { [field.name]: head.id },
              version: null,
              label: false,
            },
            changer,
            at,
          ),
        ),
      );
    }
};

/** Tries one after the other until one succeeds. */
const firstThat = async <T>(items: readonly T[], tries: (item: T) => Promise<boolean>): Promise<T | undefined> => {
  for (const item of items) if (await tries(item)) return item;
  return undefined;
};

const remember = async (service: Service, entity: string, record: string): Promise<void> => {
  await service.database.query({
    text: "insert into ninefold.sample (entity, record) values ($1, $2)",
    values: [entity, record],
  });
};

const samplePeople = async (service: Service, at: Date): Promise<readonly SamplePerson[]> => {
  const granted = [...service.model.roles.values()]
    .filter((role) => role.members === "granted")
    .map((role) => role.name);
  const served = service.model.roles.size > 0 || [...service.model.entities.values()].some((entity) => entity.served);
  const wanted: (readonly string[])[] = [[ADMINISTRATOR], ...granted.map((role) => [role])];
  // Where a document opens something to whoever is signed in, some people hold no role at all.
  if (served) for (let i = 0; i < PLAIN; i++) wanted.push([]);
  const people: SamplePerson[] = [];
  for (const [i, roles] of wanted.entries()) {
    const name = names[i % names.length] ?? "";
    const address = name
      .normalize("NFD")
      .replace(/[^\p{L} ]/gu, "")
      .toLowerCase()
      .split(" ");
    const id = await makePerson(
      service,
      { name, email: `${address.at(0)}.${address.at(-1)}${i >= names.length ? i : ""}@example.com`, roles },
      at,
    );
    if (typeof id !== "string") continue;
    await remember(service, "User", id);
    people.push({ id, granted: new Set(roles) });
  }
  return people;
};

/** Entities after those that they refer to; what refers in a circle comes last. */
const inOrderOfNeed = (model: Model): readonly Entity[] => {
  const waiting = [...model.entities.values()].filter((entity) => entity.served && entity.name !== "User");
  const ready = new Set(["User"]);
  const ordered: Entity[] = [];
  while (waiting.length > 0) {
    const at = waiting.findIndex((entity) =>
      [...entity.fields.values()].every(
        (field) => field.entity === null || field.optional || ready.has(field.entity) || field.entity === entity.name,
      ),
    );
    const [next] = waiting.splice(Math.max(at, 0), 1);
    if (next === undefined) break;
    ready.add(next.name);
    ordered.push(next);
  }
  return ordered;
};

/** A unique field with examples has as many records as examples. */
const recordsFor = (entity: Entity): number => {
  const unique = [...entity.fields.values()].find((field) => field.unique && field.examples.length > 0);
  if (unique !== undefined) return unique.examples.length;
  return [...entity.fields.values()].some((field) => field.entity !== null) ? RECORDS : RECORDS / 2;
};

interface Making {
  readonly service: Service;
  readonly people: readonly SamplePerson[];
  readonly made: ReadonlyMap<string, readonly string[]>;
  readonly random: () => number;
  readonly now: Date;
}

const pick = <T>(random: () => number, items: readonly T[]): T | undefined =>
  items[Math.floor(random() * items.length)];

const succeeded = (
  outcome: Awaited<ReturnType<Service["perform"]>> | Refusal,
): outcome is Exclude<typeof outcome, Refusal> => outcome.kind === "reply";

/** People work by day. */
const inTheDay = (time: number, random: () => number): number =>
  Math.floor(time / DAY) * DAY + Math.floor((7 + random() * 9) * 60) * 60_000;

const sampleRecord = async (
  making: Making,
  entity: Entity,
  number: number,
): Promise<{ readonly id: string; readonly at: Date } | undefined> => {
  const { service, people, random, now } = making;
  const makers = people.filter(
    (person) =>
      gatesOf(service.model, entity, "create", person).length > 0 &&
      !(person.granted.has(ADMINISTRATOR) && entity.permissions !== null),
  );
  const days = Math.floor((1 - number / recordsFor(entity)) * SPAN + random() * 3);
  const at = new Date(Math.min(inTheDay(now.getTime() - days * DAY, random), now.getTime()));
  for (let attempt = 0; attempt < 5; attempt++) {
    const maker = pick(random, makers);
    if (maker === undefined) return undefined;
    const values = sampleValues(making, entity, maker, number, at);
    const outcome = await service.perform(
      { kind: "create", entity: entity.name, values, key: null, label: false },
      maker,
      at,
    );
    if (!succeeded(outcome)) continue;
    const id = outcome.headers.location?.split("/").at(-1) ?? "";
    await remember(service, entity.name, id);
    return { id, at };
  }
  return undefined;
};

const sampleValues = (making: Making, entity: Entity, maker: Person, number: number, at: Date): Values => {
  const gates = gatesOf(making.service.model, entity, "create", maker);
  const taken = (name: string) => gates.some((gate) => gate.fields === null || gate.fields.has(name));
  const asked = new Set([...(entity.states?.transitions.values() ?? [])].flatMap((transition) => transition.asks));
  const values: Record<string, Json> = {};
  const clock: Clock = { day: at.getTime() };
  for (const field of entity.fields.values()) {
    if (isAutomatic(entity, field.name) || !taken(field.name) || asked.has(field.name)) continue;
    if ((field.optional || field.default !== null) && making.random() < 0.5) continue;
    const value = sampleValue(making, field, number, clock);
    if (value !== undefined) values[field.name] = value;
  }
  return values;
};

/** Dates of one record run forwards, as they do in life and as most rules want them. */
interface Clock {
  day: number;
}

const sampleValue = (
  { service, made, random }: Making,
  field: Field,
  number: number,
  clock: Clock,
): Json | undefined => {
  if (field.examples.length > 0)
    return field.unique ? field.examples[number % field.examples.length] : pick(random, field.examples);
  switch (field.type) {
    case "choice":
      return pick(random, field.values);
    case "reference":
      return pick(random, made.get(field.entity ?? "") ?? []);
    case "boolean":
      return random() < 0.5;
    case "integer":
    case "decimal":
    case "money": {
      const least = Number(field.min ?? 1);
      const most = Number(field.max ?? least + 99);
      const value = least + Math.floor(random() * (most - least + 1));
      return field.type === "integer" ? value : String(value);
    }
    case "date": {
      const day = dateAt(new Date(clock.day).toISOString(), zoneOf(service.model.timezone));
      clock.day += (2 + Math.floor(random() * 12)) * DAY;
      return day ?? undefined;
    }
    case "datetime":
      clock.day += (1 + Math.floor(random() * 48)) * 3_600_000;
      return new Date(clock.day).toISOString();
    case "time":
      return `${String(8 + Math.floor(random() * 9)).padStart(2, "0")}:${pick(random, ["00", "15", "30", "45"])}`;
    case "duration":
      return field.min ?? `PT${30 * (1 + Math.floor(random() * 16))}M`;
    case "json":
      return { number: number + 1 };
    case "rich text":
      return `**${field.title}** ${number + 1}`;
    // Drawn by the program.
    case "file":
    case "image":
    case "sequence":
    case "slug":
    case "position":
      return undefined;
    case "email":
      return `contact${number + 1}@example.com`;
    case "url":
      return `https://example.com/${field.name}/${number + 1}`;
    case "phone":
      return `+49 30 5550 ${String(1000 + number)}`;
    case "state":
      return undefined;
    default:
      return `${field.title} ${number + 1}`;
  }
};

/** Walks a record some way along its transitions, each made by somebody who may. */
const sampleLife = async (making: Making, entity: Entity, id: string, made: Date): Promise<void> => {
  const { people, random, now } = making;
  const { states } = entity;
  if (states === null) return;
  let state = states.initial;
  let at = made.getTime();
  for (let step = 0; step < states.states.length && random() < 0.8; step++) {
    at = inTheDay(at + Math.ceil(random() * 4) * DAY, random);
    if (at > now.getTime()) return;
    const open = [...states.transitions.values()].filter((one) => one.from.includes(state));
    const transition = await firstMade(making, entity, id, shuffled(random, open), people, new Date(at));
    if (transition === undefined) return;
    state = transition.to;
  }
};

const shuffled = <T>(random: () => number, items: readonly T[]): readonly T[] =>
  items
    .map((item) => ({ item, order: random() }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item);

/** The first of some transitions that somebody may make. */
const firstMade = async (
  making: Making,
  entity: Entity,
  id: string,
  transitions: readonly Transition[],
  people: readonly SamplePerson[],
  at: Date,
): Promise<Transition | undefined> => {
  return firstThat(transitions, (transition) => sampleTransition(making, entity, id, transition, people, at));
};

const sampleTransition = async (
  making: Making,
  entity: Entity,
  id: string,
  transition: Transition,
  people: readonly SamplePerson[],
  at: Date,
): Promise<boolean> => {
  const { service } = making;
  const values: Record<string, Json> = {};
  const clock: Clock = { day: at.getTime() };
  for (const name of transition.asks) {
    const field = entity.fields.get(name);
    const value = field === undefined ? undefined : sampleValue(making, field, 0, clock);
    if (value !== undefined) values[name] = value;
  }
  for (const person of people) {
    if (transitionGatesOf(service.model, entity, transition, person).length === 0) continue;
    const outcome = await service.perform(
      { kind: "transition", entity: entity.name, id, transition: transition.name, values, version: null, label: false },
      person,
      at,
    );
    if (succeeded(outcome)) return true;
  }
  return false;
};

export interface Removed {
  readonly removed: number;
  /** Those to which records of people's own refer. */
  readonly kept: number;
}

/**
 * Takes the sample data away: records first that nothing refers to. What people's own records refer to stays, and so do
 * the lines of history, which tell what happened.
 */
export const removeSample = async (service: Service): Promise<Removed> => {
  const { database, model } = service;
  const count = async (): Promise<number> =>
    Number(
      (await database.query({ text: "select count(*)::int as count from ninefold.sample", values: [] }))[0]?.count ?? 0,
    );
  const before = await count();
  const tables = [...inOrderOfNeed(model)].reverse().map((entity) => ({ entity: entity.name, table: entity.table }));
  tables.push({ entity: "User", table: "user" });
  // A record that another sample refers to goes in a later round, once that one is gone.
  for (let left = before, gone = -1; left !== gone; ) {
    left = await count();
    for (const { entity, table } of tables) await removeOf(database, entity, table);
    gone = await count();
  }
  const kept = await count();
  return { removed: before - kept, kept };
};

const removeOf = async (database: Database, entity: string, table: string): Promise<void> => {
  const rows = await database.query({ text: "select record from ninefold.sample where entity = $1", values: [entity] });
  for (const row of rows)
    await database.query({ text: removal(table), values: [row.record] }).catch((error: unknown) => {
      if (!(error instanceof StoreRefusal) || error.code !== FOREIGN_KEY_VIOLATION) throw error;
    });
};

const FOREIGN_KEY_VIOLATION = "23503";

const removal = (table: string): string =>
  render(sql`WITH gone AS (DELETE FROM "app".${identifier(table)} WHERE "id" = ${slot("id", "uuid")} RETURNING "id"),
    signed AS (DELETE FROM ninefold.session WHERE person IN (SELECT "id" FROM gone)),
    known AS (DELETE FROM ninefold.credential WHERE person IN (SELECT "id" FROM gone))
    DELETE FROM ninefold.sample WHERE record IN (SELECT "id" FROM gone)`).text;
