import { getZone } from "../../../core/expression/values/calendar.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Field } from "../../../core/model/field.ts";
import { ADMINISTRATOR } from "../../../core/model/permissions.ts";
import { identifier, join, render, slot, sql } from "../../../core/sql.ts";
import { changeAccount } from "../../accounts/accounts.ts";
import { createPerson } from "../../accounts/create-person.ts";
import type { Service } from "../../execution/service.ts";
import { keepFile } from "../../files/file-store.ts";
import type { Intent, Values } from "../../intent.ts";
import { type Refusal, refuse } from "../../refusal.ts";
import { newId } from "../../util/uuid.ts";
import {
  hasSucceeded,
  MINUTE,
  markOldNotificationsRead,
  remember,
  type SamplePerson,
  SPAN_DAYS,
  withoutCalls,
} from "../context.ts";
import { listSamplePeople, toSamplePerson } from "../people.ts";
import type { AdvanceTime } from "../simulate.ts";
import { DAY_MS } from "../values.ts";
import { CLOCK, findEntry, type Story, type StoryAct, StoryError, type StoryPerson } from "./read-story.ts";
import { findStoryInstant, type StoryStart } from "./story-times.ts";
import { type StoryValues, toRequestValues } from "./story-values.ts";

export interface StoryResult {
  readonly people: number;
  readonly records: number;
  /** Acts that the document refused. */
  readonly refused: readonly { readonly line: number; readonly code: string }[];
  /** Records that the document refused on their days, by entity and key: by how many weeks they were moved. */
  readonly moved: ReadonlyMap<string, number>;
}

interface StoryRun {
  readonly service: Service;
  readonly start: StoryStart;
  readonly people: Map<string, SamplePerson>;
  /** Ids of records by their entity and key: `Loan projector`. */
  readonly records: Map<string, string>;
  /** By how many weeks the dates of a record were moved, by its entity and key. */
  readonly moved: Map<string, number>;
}

/**
 * In this order, a record that a rule refuses on its days is tried in later weeks: its days can be holidays of this year.
 * In an earlier week, its own later acts could come too late.
 */
const LATER_WEEKS = [1, 2, 3];

/** An act with its time. */
interface TimedAct extends StoryAct {
  readonly at: number;
}

/**
 * Plays a story: each act is an ordinary request by its person at its time, so permissions and rules apply, and the
 * history is real. Throws a `StoryError`, before anything is created, if the story does not fit the document.
 */
export const playStory = async (
  service: Service,
  story: Story,
  now: Date,
  passing: AdvanceTime,
): Promise<StoryResult> => {
  const start: StoryStart = { now: now.getTime(), zone: getZone(service.model.timezone) };
  checkStory(service, story);
  const timed = orderActs(story.acts, start);
  const first = Math.min(timed[0]?.at ?? start.now, start.now - SPAN_DAYS * DAY_MS);
  const run: StoryRun = { service, start, people: new Map(), records: new Map(), moved: new Map() };
  for (const entity of service.model.entities.values())
    for (const [key, { id }] of entity.records) run.records.set(toKey(entity.name, key), id);
  await createPeople(run, story, first - DAY_MS);

  const refused: { readonly line: number; readonly code: string }[] = [];
  await withoutCalls(service, now, async () => {
    let passed = first;
    for (const act of timed) {
      for (; passed < act.at; passed = Math.min(passed + DAY_MS, act.at))
        await passing(new Date(Math.min(passed + DAY_MS, act.at)));
      const code = act.who === CLOCK ? undefined : await performInSomeWeek(run, act).catch(messageOfFault);
      if (code !== undefined) refused.push({ line: act.line, code });
    }
    await passing(now);
  });
  await markOldNotificationsRead(service, now);
  return { people: run.people.size, records: run.records.size, refused, moved: run.moved };
};

/** True if the document has all names of a story. */
export const fitsDocument = (service: Service, story: Story): boolean => {
  try {
    checkStory(service, story);
    return true;
  } catch (error) {
    if (error instanceof StoryError) return false;
    throw error;
  }
};

const checkStory = (service: Service, story: Story): void => {
  for (const person of story.people) checkPerson(service, person);
  for (const act of story.acts) checkAct(service, act);
};

/** A value that is wrong for its field counts as refused. */
const messageOfFault = (error: unknown): string => {
  if (error instanceof StoryError) return error.message;
  throw error;
};

/** Throws if a role is not in the document. */
const checkPerson = ({ model }: Service, { values, line }: StoryPerson): void => {
  const unknown = rolesOf(values).find((role) => role !== ADMINISTRATOR && !model.roles.has(role));
  if (unknown !== undefined) throw new StoryError(line, `The document has no role “${unknown}”.`);
};

const rolesOf = (entries: StoryPerson["values"]): readonly string[] => {
  const listed = findEntry(entries, "roles");
  return listed?.kind === "list" ? listed.items.map((item) => (item.kind === "scalar" ? item.text : "")) : [];
};

/** Throws if the entity, the transition or a field is not in the document. */
const checkAct = ({ model }: Service, act: StoryAct): void => {
  const entity = model.entities.get(act.entity);
  if (entity === undefined) throw new StoryError(act.line, `The document has no ${act.entity}.`);
  const part = model.entities.get(act.does);
  if (act.does !== "" && part === undefined && entity.states?.transitions.has(act.does) !== true)
    throw new StoryError(act.line, `${act.entity} has no transition “${act.does}”.`);
  const wrong = act.values.find(({ key }) => !(part ?? entity).fields.has(key.text));
  if (wrong !== undefined) throw new StoryError(act.line, `${(part ?? entity).name} has no field “${wrong.key.text}”.`);
};

/** Acts whose time has no hour are spread over the morning and the afternoon in the order of the file. */
const orderActs = (acts: readonly StoryAct[], start: StoryStart): readonly TimedAct[] => {
  const latest = new Map<string, number>();
  return acts
    .map((act, index): TimedAct => {
      const minute = 8 * 60 + ((index * 37) % (8 * 60));
      const wanted = findStoryInstant(act.when, start, { minute });
      if (wanted === undefined) throw new StoryError(act.line, `“${act.when}” is not a time of a story.`);
      const key = toKey(act.entity, act.record);
      const at = Math.min(Math.max(wanted, (latest.get(key) ?? -Infinity) + 7 * MINUTE), start.now);
      latest.set(key, at);
      return { ...act, at };
    })
    .sort((a, b) => a.at - b.at);
};

/** Creates the people in the order of the file. A person can refer only to earlier ones. Sample people stay. */
const createPeople = async (run: StoryRun, story: Story, from: number): Promise<void> => {
  const { service, people } = run;
  const entity = service.model.entities.get("User");
  if (entity === undefined) return;
  for (const [index, { key, values: entries, line }] of story.people.entries()) {
    const at = new Date(from + index * MINUTE);
    const roles = rolesOf(entries);
    const rest = entries.filter((entry) => entry.key.text !== "roles");
    const { name, email, ...more } = await toRequestValues(
      entity,
      rest,
      createValues(run, { line, person: "", at, weeks: 0, files: new Map() }),
    );
    const person = { name: String(name), email: String(email ?? toAddress(String(name))), roles, more };
    const known = await findSamplePerson(service, person.email);
    if (known !== undefined) {
      people.set(key, { id: known.id, granted: await completePerson(run, known, roles, more) });
      run.records.set(toKey(entity.name, key), known.id);
      continue;
    }
    const id = await createPerson(service, person, at, { isChecked: false });
    if (typeof id !== "string") throw new StoryError(line, `${person.name} can’t be created (${id.code}).`);
    await remember(service, "User", id);
    people.set(key, { id, granted: new Set(roles) });
    run.records.set(toKey(entity.name, key), id);
  }
};

const findSamplePerson = async ({ database }: Service, email: string): Promise<SamplePerson | undefined> => {
  const [row] = await database.query({
    text: `select u."id", u."roles" from app."user" u join ninefold.sample s on s.entity = 'User' and s.record = u."id" where lower(u."email") = lower($1)`,
    values: [email],
  });
  return row === undefined ? undefined : toSamplePerson(row);
};

/** Gives a sample person of an earlier version the roles and values of the story. Returns all roles. */
const completePerson = async (
  { service, start }: StoryRun,
  { id, granted }: SamplePerson,
  roles: readonly string[],
  values: Values,
): Promise<ReadonlySet<string>> => {
  const [administrator] = (await listSamplePeople(service)).filter(({ granted: held }) => held.has(ADMINISTRATOR));
  if (administrator === undefined) return granted;
  const now = new Date(start.now);
  for (const role of roles) {
    if (granted.has(role)) continue;
    const by = { ...administrator, name: "", impersonator: null };
    await changeAccount(service, id, { kind: "grant", role }, by, now);
  }
  if (Object.keys(values).length > 0)
    await service.perform(
      { kind: "update", entity: "User", id, values, version: null, label: false },
      administrator,
      now,
    );
  return new Set([...granted, ...roles]);
};

const toAddress = (name: string): string => {
  const words = name
    .normalize("NFD")
    .replace(/[^\p{L} ]/gu, "")
    .toLowerCase()
    .split(" ");
  return `${words.at(0)}.${words.at(-1)}@example.com`;
};

const createValues = (
  run: StoryRun,
  { line, person, at, weeks, files }: { line: number; person: string; at: Date } & Attempt,
): StoryValues => ({
  start: { ...run.start, weeks },
  line,
  locale: run.service.model.locale,
  findRecord: (entity, key) => findRecord(run, entity, key),
  storeFile: async (name, bytes) => {
    const kept = files.get(name);
    if (kept !== undefined) return kept;
    const chunks = (async function* () {
      yield bytes;
    })();
    const most = run.service.model.limits.uploadSize;
    const { id } = await keepFile(run.service, chunks, { id: newId(at), person, name, most });
    files.set(name, id);
    return id;
  },
  partsOf: ({ storage }) => (storage.as === "inverse" ? run.service.model.entities.get(storage.entity) : undefined),
});

/** The id of a record by its key, `laptops`, or of a part by the list and its position: `laptops.lines.2`. */
const findRecord = async (run: StoryRun, entity: string, key: string): Promise<string | undefined> => {
  const [record = "", list = "", number] = key.split(".");
  if (number === undefined) return run.records.get(toKey(entity, key));
  for (const { name, fields } of run.service.model.entities.values()) {
    const [field, id] = [fields.get(list), run.records.get(toKey(name, record))];
    if (field?.storage.as === "inverse" && field.storage.entity === entity && id !== undefined)
      return (await listParts(run, field, id))[Number(number) - 1];
  }
  return undefined;
};

const toKey = (entity: string, key: string): string => `${entity} ${key}`;

/** Ids of the parts of a record in their order. */
const listParts = async ({ service }: StoryRun, { storage }: Field, id: string): Promise<readonly string[]> => {
  const entity = storage.as === "inverse" ? service.model.entities.get(storage.entity) : undefined;
  if (storage.as !== "inverse" || entity === undefined) return [];
  const position = [...entity.fields.values()].find(({ type }) => type === "position")?.name;
  const order = [...(position === undefined ? [] : [position]), "id"].map((name) => identifier(name));
  const { text } = render(
    sql`SELECT "id" FROM "app".${identifier(entity.table)} WHERE ${identifier(storage.by)} = ${slot("id", "uuid")} ORDER BY ${join(order, ", ")}`,
  );
  return (await service.database.query({ text, values: [id] })).map((row) => String(row.id));
};

/** An act with the weeks by which its dates are moved, and its files by name, which further attempts use again. */
interface Attempt {
  readonly weeks: number;
  readonly files: Map<string, string>;
}

/** Performs an act, and creates a record in a later week if a rule refuses it in its own. Returns the code of the refusal. */
const performInSomeWeek = async (run: StoryRun, act: TimedAct): Promise<string | undefined> => {
  const key = toKey(act.entity, act.record);
  const files = new Map<string, string>();
  const isCreation = act.does === "" && !run.records.has(key);
  const refusal = await perform(run, act, { weeks: run.moved.get(key) ?? 0, files });
  if (refusal === undefined || !isCreation || !isAboutDays(run, act, refusal)) return refusal?.code;
  for (const weeks of LATER_WEEKS)
    if ((await perform(run, act, { weeks, files })) === undefined) {
      run.moved.set(key, weeks);
      return undefined;
    }
  return refusal.code;
};

/** True if a rule of the document refuses a record with a day, which can be another. */
const isAboutDays = ({ service }: StoryRun, act: TimedAct, refusal: Refusal): boolean => {
  const entity = service.model.entities.get(act.entity);
  if (entity === undefined) return false;
  const { fields, rules } = entity;
  const clauses = [refusal, ...refusal.at].map(({ clause }) => clause);
  return (
    rules.some(({ clause }) => clauses.includes(clause.id)) &&
    act.values.some(({ key }) => ["date", "datetime"].includes(fields.get(key.text)?.type ?? ""))
  );
};

/** Performs an act, with its dates moved by some weeks; returns the refusal. */
const perform = async (run: StoryRun, act: TimedAct, attempt: Attempt): Promise<Refusal | undefined> => {
  const { service, people, records } = run;
  const [entity, person, found] = [
    service.model.entities.get(act.entity),
    people.get(act.who),
    records.get(toKey(act.entity, act.record)),
  ];
  if (entity === undefined || person === undefined) return refuse("UNKNOWN");
  const part = service.model.entities.get(act.does);
  // The creation was refused, so later acts have no record.
  if (found === undefined && act.does !== "") return refuse("NO_RECORD");
  const at = new Date(act.at);
  const context = createValues(run, { line: act.line, person: person.id, at, ...attempt });
  const values = await toRequestValues(part ?? entity, act.values, context);
  const intent = toIntent(entity, part, act, found, values);
  const outcome = await service.perform(intent, person, at);
  if (!hasSucceeded(outcome)) return outcome;
  if (outcome.kind !== "created") return undefined;
  const createdEntity = part ?? entity;
  await remember(service, createdEntity.name, outcome.id);
  if (part === undefined) records.set(toKey(entity.name, act.record), outcome.id);
  for (const name of Object.keys(values)) {
    const field = createdEntity.fields.get(name);
    const parts = field === undefined ? undefined : context.partsOf(field);
    if (field === undefined || parts === undefined) continue;
    for (const id of await listParts(run, field, outcome.id)) await remember(service, parts.name, id);
  }
  return undefined;
};

const toIntent = (
  entity: Entity,
  part: Entity | undefined,
  { does }: StoryAct,
  id: string | undefined,
  values: Values,
): Intent => {
  if (part !== undefined) {
    const parent = [...part.fields.values()].find((field) => field.partOf && field.entity === entity.name);
    const own = parent === undefined ? values : { ...values, [parent.name]: id ?? null };
    return { kind: "create", entity: part.name, values: own, key: null, label: false };
  }
  if (id === undefined) return { kind: "create", entity: entity.name, values, key: null, label: false };
  const target = { entity: entity.name, id, values, version: null, label: false };
  return does === "" ? { kind: "update", ...target } : { kind: "transition", transition: does, ...target };
};
