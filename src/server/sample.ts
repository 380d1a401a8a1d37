import { gatesOf, isAutomatic, type Person, transitionGatesOf } from "../core/derive/access.ts";
import { ADMINISTRATOR, type Entity, type Model, type Transition } from "../core/model/model.ts";
import { identifier, render, slot, sql } from "../core/sql.ts";
import type { Json } from "../core/wire.ts";
import { type Database, StoreRefusal } from "../postgres/database.ts";
import type { Values } from "./ask.ts";
import { makePerson } from "./people.ts";
import type { Refusal } from "./refusal.ts";
import { DAY, type Making, type Occasion, pick, randomFrom, sampleValue, shuffled } from "./sample-values.ts";
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
  const making: Living = { service, people, made, random, now };
  await relate(making);
  const lives: Life[] = [];
  let records = 0;
  for (const entity of inOrderOfNeed(service.model)) {
    const ids = [...entity.records.values()].map(({ id }) => id);
    made.set(entity.name, ids);
    const wanted = ids.length > 0 ? 0 : recordsFor(entity);
    for (let i = 0; i < wanted; i++) {
      const record = await sampleRecord(making, entity, i);
      if (record === undefined) continue;
      ids.push(record.id);
      lives.push({ entity, ...record });
    }
    records += wanted === 0 ? 0 : ids.length;
  }
  // Lives begin when everything is there: lines are added to drafts, not to what was sent.
  for (const life of lives) {
    await revise(making, life);
    await sampleLife(making, life);
  }
  return { people: people.length, records };
};

/** A record that was made, when, and what its maker gave. */
interface Life {
  readonly entity: Entity;
  readonly id: string;
  readonly at: Date;
  readonly given: ReadonlySet<string>;
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
  return [...entity.fields.values()].some((field) => field.entity !== null) ? RECORDS : RECORDS / 2;
};

interface Living extends Making {
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
  const at = new Date(Math.min(inTheDay(now.getTime() - days * DAY, random), now.getTime()));
  for (let attempt = 0; attempt < 5; attempt++) {
    const maker = pick(random, makers);
    if (maker === undefined) return undefined;
    const values = await sampleValues(making, entity, maker, number, at);
    const outcome = await service.perform(
      { kind: "create", entity: entity.name, values, key: null, label: false },
      maker,
      at,
    );
    if (!succeeded(outcome)) continue;
    const id = outcome.headers.location?.split("/").at(-1) ?? "";
    await remember(service, entity.name, id);
    return { id, at, given: new Set(Object.keys(values)) };
  }
  return undefined;
};

const sampleValues = async (
  making: Living,
  entity: Entity,
  maker: SamplePerson,
  number: number,
  at: Date,
): Promise<Values> => {
  const gates = gatesOf(making.service.model, entity, "create", maker);
  const taken = (name: string) => gates.some((gate) => gate.fields === null || gate.fields.has(name));
  const asked = askedOf(entity);
  const values: Record<string, Json> = {};
  const occasion: Occasion = { person: maker.id, number, day: at.getTime() };
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
      const value = await sampleValue(making, field, { person: person.id, number: 0, day: at.getTime() });
      if (value === undefined) return false;
      const values = { [field.name]: value };
      const intent = { kind: "update", entity: entity.name, id, values, version: null, label: false } as const;
      return succeeded(await service.perform(intent, person, at));
    });
  }
};

const HOUR = 3_600_000;

/** What one glance decides. */
const REVISED: ReadonlySet<string> = new Set(["choice", "boolean"]);

/** Walks a record some way along its transitions, each made by somebody who may. */
const sampleLife = async (making: Living, { entity, id, at: made }: Life): Promise<void> => {
  const { people, random, now } = making;
  const { states } = entity;
  if (states === null) return;
  let state = states.initial;
  let at = made.getTime();
  for (let step = 0; step < states.states.length && random() < 0.8; step++) {
    at = inTheDay(at + Math.ceil(random() * 4) * DAY, random);
    if (at > now.getTime()) return;
    const all = [...states.transitions.values()];
    const open = shuffled(
      random,
      all.filter((one) => one.from.includes(state)),
    );
    // Most records go on for a while before something ends them.
    const leadsOn = ({ to }: Transition) => all.some((next) => next.from.includes(to));
    if (random() < 0.7) open.sort((a, b) => Number(leadsOn(b)) - Number(leadsOn(a)));
    const transition = await firstMade(making, entity, id, open, people, new Date(at));
    if (transition === undefined) return;
    state = transition.to;
  }
};

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
    const occasion: Occasion = { person: person.id, number: 0, day: at.getTime() };
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
