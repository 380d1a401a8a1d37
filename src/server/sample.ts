import { gatesOf, isAutomatic, type Person, transitionGatesOf } from "../core/derive/access.ts";
import { conversationOf } from "../core/derive/conversations.ts";
import { ADMINISTRATOR, type Entity, type Model, type Transition } from "../core/model/model.ts";
import { identifier, render, slot, sql } from "../core/sql.ts";
import type { Json } from "../core/wire/json.ts";
import { type Database, StoreRefusal } from "../postgres/database.ts";
import type { Values } from "./ask.ts";
import { makePerson } from "./people.ts";
import type { Refusal } from "./refusal.ts";
import { DAY, type Making, occasionOf, pick, randomFrom, sampleValue, shuffled } from "./sample-values.ts";
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
const SPAN = 60;
/** How many are made of what could not be made before. */
const AT_LAST = 8;
/** How often what a rule refuses is tried with other values. */
const ATTEMPTS = 10;

interface SamplePerson extends Person {
  readonly id: string;
}

export interface Sampled {
  readonly people: number;
  readonly records: number;
}

/** What happens by itself until a moment. */
type Passing = (until: Date) => Promise<unknown>;

/**
 * Makes people and records to look at: people for each role of the document, records through the same calls as people
 * make, by people who may, over the last two months. What a rule refuses is tried again with other values and then left.
 * `passing` lets happen what is due by then, so that the clock does what is the clock's.
 */
export const makeSample = async (
  service: Service,
  now: Date,
  passing: Passing = () => Promise.resolve(),
): Promise<Sampled> => {
  const random = randomFrom(9);
  const people = await samplePeople(service, new Date(now.getTime() - (SPAN + 5) * DAY));
  const made = new Map<string, string[]>([["User", people.map((person) => person.id)]]);
  const making: Living = { service, people, made, since: new Map(), random, now };
  await relate(making);
  const lives: Life[] = [];
  const inOrder = inOrderOfNeed(service.model);
  for (const entity of inOrder) {
    made.set(
      entity.name,
      [...entity.records.values()].map(({ id }) => id),
    );
    if (entity.records.size === 0) lives.push(...(await sampleRecords(making, entity, 0)));
  }
  // Lives begin when everything is there: lines are added to drafts, not to what was sent.
  for (const life of lives) await revise(making, life);
  await live(making, lives, passing);
  // What nobody could make before something else had come so far: a parcel that arrives, a bill.
  for (const entity of inOrder)
    if (made.get(entity.name)?.length === 0)
      lives.push(...(await sampleRecords(making, entity, recordsFor(entity) - AT_LAST)));
  await readLongAgo(service, now);
  return { people: people.length, records: lives.length };
};

/** Records of an entity, from the first on or the last few alone, which are of these days. */
const sampleRecords = async (making: Living, entity: Entity, first: number): Promise<readonly Life[]> => {
  const lives: Life[] = [];
  for (let number = Math.max(first, 0); number < recordsFor(entity); number++) {
    const record = await sampleRecord(making, entity, number);
    if (record === undefined) continue;
    making.made.get(entity.name)?.push(record.id);
    making.since.set(record.id, record.at.getTime());
    lives.push({ entity, ...record });
  }
  return lives;
};

/** What people were told a day ago they have read by now. */
const readLongAgo = async ({ database }: Service, now: Date): Promise<void> => {
  await database.query({
    text: "update ninefold.notification set read_at = at + interval '2 hours' where read_at is null and at < $1::timestamptz - interval '1 day'",
    values: [now.toISOString()],
  });
};

/** A record that was made, when, and what its maker gave. */
interface Life {
  readonly entity: Entity;
  readonly id: string;
  readonly at: Date;
  readonly given: ReadonlySet<string>;
  /** The moments that it names, in their order: when something begins and ends, people do what is to be done then. */
  readonly moments: readonly number[];
}

/** How many people others stand in relation to: the managers and deputies of a small house. */
const HEADS = 2;

/**
 * People who refer to people, as to a manager, do so before anything else is made: what they may do rests on it. The
 * first few are those whom the others name.
 */
const relate = async ({ service, people, random, now }: Living): Promise<void> => {
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
    const isReady = (entity: Entity, needed: boolean) =>
      [...entity.fields.values()].every(
        (field) =>
          field.entity === null ||
          (needed && field.optional) ||
          ready.has(field.entity) ||
          field.entity === entity.name,
      );
    const whole = waiting.findIndex((entity) => isReady(entity, false));
    const at = whole >= 0 ? whole : waiting.findIndex((entity) => isReady(entity, true));
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
  const references = [...entity.fields.values()].filter((field) => field.entity !== null);
  if (references.some(({ partOf }) => partOf)) return 2 * RECORDS;
  return references.length > 0 ? RECORDS : RECORDS / 2;
};

interface Living extends Making {
  readonly made: ReadonlyMap<string, string[]>;
  readonly since: Map<string, number>;
  readonly people: readonly SamplePerson[];
  readonly now: Date;
}

const succeeded = (
  outcome: Awaited<ReturnType<Service["perform"]>> | Refusal,
): outcome is Exclude<typeof outcome, Refusal> => outcome.kind === "reply";

/** People work by day. */
const inTheDay = (time: number, random: () => number): number =>
  Math.floor(time / DAY) * DAY + Math.floor((7 + random() * 9) * 60) * 60_000;

const sampleRecord = async (
  making: Living,
  entity: Entity,
  number: number,
): Promise<Omit<Life, "entity"> | undefined> => {
  const { service, people, random, now } = making;
  const makers = people.filter(
    (person) =>
      gatesOf(service.model, entity, "create", person).length > 0 &&
      !(person.granted.has(ADMINISTRATOR) && entity.permissions !== null),
  );
  const days = Math.floor((1 - number / recordsFor(entity)) * SPAN + random() * 3);
  const time = Math.min(inTheDay(now.getTime() - days * DAY, random), now.getTime());
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const maker = pick(random, makers);
    if (maker === undefined) return undefined;
    const values = await sampleValues(making, entity, maker, number, time);
    const at = new Date(Math.min(timeOf(making, entity, values, time, number), now.getTime()));
    const outcome = await service.perform(
      { kind: "create", entity: entity.name, values, key: null, label: false },
      maker,
      at,
    );
    if (!succeeded(outcome)) continue;
    const id = outcome.headers.location?.split("/").at(-1) ?? "";
    await remember(service, entity.name, id);
    return { id, at, given: new Set(Object.keys(values)), moments: momentsOf(entity, values) };
  }
  return undefined;
};

/**
 * When a record is made that would be made at `time`: a part soon after its whole, unless it is something said, which may
 * be said whenever; anything else not before what it refers to.
 */
const timeOf = ({ since }: Living, entity: Entity, values: Values, time: number, number: number): number => {
  let latest = time;
  for (const { name, partOf } of entity.fields.values()) {
    const referred = since.get(String(values[name] ?? ""));
    if (referred === undefined) continue;
    if (partOf && conversationOf(entity, name) === null) return referred + (1 + (number % 20)) * MINUTE;
    latest = Math.max(latest, referred + HOUR);
  }
  return latest;
};

const momentsOf = (entity: Entity, values: Values): readonly number[] =>
  Object.entries(values)
    .filter(([name]) => entity.fields.get(name)?.type === "datetime")
    .map(([, value]) => Date.parse(String(value)))
    .sort((a, b) => a - b);

const sampleValues = async (
  making: Living,
  entity: Entity,
  maker: SamplePerson,
  number: number,
  at: number,
): Promise<Values> => {
  const gates = gatesOf(making.service.model, entity, "create", maker);
  const taken = (name: string) => gates.some((gate) => gate.fields === null || gate.fields.has(name));
  const asked = askedOf(entity);
  const values: Record<string, Json> = {};
  const occasion = occasionOf(maker.id, at, number);
  for (const field of entity.fields.values()) {
    if (isAutomatic(entity, field.name) || !taken(field.name) || asked.has(field.name)) continue;
    if ((field.optional || field.default !== null) && making.random() < 0.5) continue;
    const value = await sampleValue(making, field, occasion);
    if (value !== undefined) values[field.name] = value;
  }
  return values;
};

/** The fields that transitions ask for: nobody gives them before. */
const askedOf = (entity: Entity): ReadonlySet<string> =>
  new Set([...(entity.states?.transitions.values() ?? [])].flatMap((transition) => transition.asks));

/** Others say what whoever made the record may not: how urgent it is, who it is for. */
const revise = async (making: Living, { entity, id, at: made, given }: Life): Promise<void> => {
  const { service, people, random, now } = making;
  const at = new Date(Math.min(made.getTime() + HOUR, now.getTime()));
  const asked = askedOf(entity);
  for (const field of entity.fields.values()) {
    if (given.has(field.name) || isAutomatic(entity, field.name) || asked.has(field.name)) continue;
    if (!REVISED.has(field.type) || random() < 0.4) continue;
    const revisers = people.filter((person) =>
      gatesOf(service.model, entity, "update", person).some((gate) => gate.fields?.has(field.name) ?? true),
    );
    await firstThat(shuffled(random, revisers), async (person) => {
      const value = await sampleValue(making, field, occasionOf(person.id, at.getTime()));
      if (value === undefined) return false;
      const values = { [field.name]: value };
      const intent = { kind: "update", entity: entity.name, id, values, version: null, label: false } as const;
      return succeeded(await service.perform(intent, person, at));
    });
  }
};

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** What one glance decides. */
const REVISED: ReadonlySet<string> = new Set(["choice", "boolean"]);

/** Walks records some way along their transitions, in the order of time, each made by somebody who may. */
const live = async (making: Living, lives: readonly Life[], passing: Passing): Promise<void> => {
  const { random, now } = making;
  const nextOf = (life: Life, after: number) => {
    const moment = life.moments.find((one) => one > after);
    const isThen = moment !== undefined && random() < 0.85;
    const at = isThen
      ? moment + Math.floor(random() * 10) * MINUTE
      : inTheDay(after + Math.ceil(random() * 4) * DAY, random);
    return { life, at };
  };
  const waiting = lives.filter(({ entity }) => entity.states !== null).map((life) => nextOf(life, life.at.getTime()));
  let passed = now.getTime() - SPAN * DAY;
  const pass = async (until: number) => {
    for (; passed < until; passed = Math.min(passed + DAY, until))
      await passing(new Date(Math.min(passed + DAY, until)));
  };
  const steps = new Map<Life, number>();
  while (waiting.length > 0) {
    waiting.sort((a, b) => b.at - a.at);
    const next = waiting.pop();
    if (next === undefined || next.at > now.getTime()) break;
    const { life, at } = next;
    await pass(at);
    const step = steps.get(life) ?? 0;
    steps.set(life, step + 1);
    if (step >= (life.entity.states?.states.length ?? 0) || random() >= 0.8) continue;
    if (await goOn(making, life, new Date(at))) waiting.push(nextOf(life, at));
  }
  await pass(now.getTime());
};

/** One step of a record's life; whether one was made. */
const goOn = async (making: Living, { entity, id }: Life, at: Date): Promise<boolean> => {
  const { people, random, service } = making;
  const { states } = entity;
  if (states === null) return false;
  const [row] = await service.database.query({ text: stateOf(entity.table, states.field), values: [id] });
  if (row === undefined) return false;
  // What happens by itself is left to the clock.
  const all = [...states.transitions.values()].filter(({ timeout, once }) => timeout === null && once === null);
  const open = shuffled(
    random,
    all.filter((one) => one.from.includes(String(row.state))),
  );
  // Most records go on for a while before something ends them.
  const leadsOn = ({ to }: Transition) => all.some((next) => next.from.includes(to));
  if (random() < 0.85) open.sort((a, b) => Number(leadsOn(b)) - Number(leadsOn(a)));
  const transition = await firstMade(making, entity, id, open, people, at);
  return transition !== undefined;
};

const stateOf = (table: string, field: string): string =>
  render(sql`SELECT ${identifier(field)} AS "state" FROM "app".${identifier(table)} WHERE "id" = ${slot("id", "uuid")}`)
    .text;

/** The first of some transitions that somebody may make. */
const firstMade = async (
  making: Living,
  entity: Entity,
  id: string,
  transitions: readonly Transition[],
  people: readonly SamplePerson[],
  at: Date,
): Promise<Transition | undefined> => {
  return firstThat(transitions, (transition) => sampleTransition(making, entity, id, transition, people, at));
};

const sampleTransition = async (
  making: Living,
  entity: Entity,
  id: string,
  transition: Transition,
  people: readonly SamplePerson[],
  at: Date,
): Promise<boolean> => {
  const { service } = making;
  for (const person of people) {
    if (transitionGatesOf(service.model, entity, transition, person).length === 0) continue;
    const values: Record<string, Json> = {};
    const occasion = occasionOf(person.id, at.getTime());
    for (const name of transition.asks) {
      const field = entity.fields.get(name);
      const value = field === undefined ? undefined : await sampleValue(making, field, occasion);
      if (value !== undefined) values[name] = value;
    }
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
