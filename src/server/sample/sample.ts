import { alignNames } from "../../core/change/align/align-names.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { Model } from "../../core/model/model.ts";
import { createDecider } from "../../core/satisfiability/satisfiability.ts";
import { identifier, render, slot, sql } from "../../core/sql.ts";
import type { SampleJson } from "../../core/wire/authoring/document.ts";
import type { Service } from "../execution/service.ts";
import { idTime } from "../util/uuid.ts";
import {
  markOldNotificationsRead,
  type SamplePerson,
  type SampleRecord,
  type SampleRun,
  SPAN_DAYS,
  withoutCalls,
} from "./context.ts";
import { findMeantPeople } from "./needed-people.ts";
import { inOrderOfNeed } from "./order.ts";
import { addSamplePeople, assignMemberships, assignRelations, listSamplePeople } from "./people.ts";
import { recordsFor, sampleRecord } from "./records.ts";
import { type AdvanceTime, editAsOthers, simulateTransitions } from "./simulate.ts";
import { createRandom, DAY_MS } from "./values.ts";

/** Number of records created in the second pass. */
const LATE_RECORDS = 8;

/**
 * Creates sample people for each role, and records of the last two months through the ordinary calls, by people with
 * permission. If a rule refuses, other values are tried. `passing` advances the clock, so that automatic transitions
 * happen.
 */
export const createSampleData = async (
  service: Service,
  now: Date,
  passing: AdvanceTime = () => Promise.resolve(),
): Promise<SampleJson> => {
  const people = await addSamplePeople(service, getFirstDay(now));
  const run = createRun(service, people, now);
  await assignRelations(run);
  const records = await fillEntities(run, inOrderOfNeed(service.model), [], passing);
  return { people: people.length, records };
};

/**
 * Adds to the samples what a new version of the document needs: people for new roles, records of new entities, and
 * transitions of entities that had no states. Other records stay as they are. `without`: entities whose records the
 * author brings along.
 */
export const extendSample = async (
  service: Service,
  before: Model,
  without: ReadonlySet<string>,
  now: Date,
  passing: AdvanceTime = () => Promise.resolve(),
): Promise<SampleJson> => {
  const known = await listSamplePeople(service);
  const earlier = alignNames(before, service.model);
  const added = await addSamplePeople(service, getFirstDay(now), known, earlier);
  const run = createRun(service, [...known, ...added], now);
  await assignRelations(run, added);
  const fresh = await findNewEntities(service, before, without);
  const existing: SampleRecord[] = [];
  for (const entity of inOrderOfNeed(service.model)) {
    if (fresh.includes(entity)) continue;
    const ids = await listNewestIds(service, entity);
    run.created.set(entity.name, ids);
    for (const id of ids) run.since.set(id, idTime(id).getTime());
    if (entity.states !== null && earlier.entities.get(entity.name)?.states === null)
      existing.push(...(await listSampleRecords(service, entity)));
  }
  const records = fresh.length + existing.length === 0 ? 0 : await fillEntities(run, fresh, existing, passing);
  return { people: added.length, records };
};

/** The entities that a version adds and that have no records, after those that they refer to. */
export const findNewEntities = async (
  service: Service,
  before: Model,
  without: ReadonlySet<string> = new Set(),
): Promise<readonly Entity[]> => {
  const earlier = alignNames(before, service.model);
  const added = inOrderOfNeed(service.model).filter(
    ({ name, records }) => !earlier.entities.has(name) && !without.has(name) && records.size === 0,
  );
  const empty: Entity[] = [];
  // An entity that is brought back has its earlier records.
  for (const entity of added) if ((await listNewestIds(service, entity)).length === 0) empty.push(entity);
  return empty;
};

const getFirstDay = (now: Date): Date => new Date(now.getTime() - (SPAN_DAYS + 5) * DAY_MS);

const createRun = (service: Service, people: readonly SamplePerson[], now: Date): SampleRun => ({
  service,
  people,
  created: new Map([["User", people.map((person) => person.id)]]),
  since: new Map(),
  meant: findMeantPeople(service.model, people),
  done: new Map(),
  visits: new Map(),
  later: new Set(),
  refused: new Map(),
  entered: new Set(),
  random: createRandom(9),
  now,
  decide: createDecider(service.model.entities),
});

/** Creates records of the entities, and moves them and `existing` through their states. Returns the number of records. */
const fillEntities = (
  run: SampleRun,
  inOrder: readonly Entity[],
  existing: readonly SampleRecord[],
  passing: AdvanceTime,
): Promise<number> => withoutCalls(run.service, run.now, () => makeRecords(run, inOrder, existing, passing));

const makeRecords = async (
  run: SampleRun,
  inOrder: readonly Entity[],
  existing: readonly SampleRecord[],
  passing: AdvanceTime,
): Promise<number> => {
  const records: SampleRecord[] = [];
  for (const entity of inOrder) {
    run.created.set(
      entity.name,
      [...entity.records.values()].map(({ id }) => id),
    );
    if (entity.records.size === 0) records.push(...(await sampleRecords(run, entity, 0)));
    const isPart = [...entity.fields.values()].some(({ partOf }) => partOf);
    if (isPart && run.created.get(entity.name)?.length === 0) run.later.add(entity);
    await assignMemberships(run, entity);
  }
  // Transitions begin after all records exist: lines are added to drafts, not to submitted records.
  for (const record of records) await editAsOthers(run, record);
  await simulateTransitions(run, [...existing, ...records], passing);
  // Records that need others in a later state, such as a delivery or an invoice.
  for (const entity of inOrder)
    if (run.created.get(entity.name)?.length === 0)
      records.push(...(await sampleRecords(run, entity, recordsFor(entity) - LATE_RECORDS)));
  await markOldNotificationsRead(run.service, run.now);
  return records.length;
};

/** Number of existing records that new ones can refer to. */
const MAX_REFERRED = 50;

const listNewestIds = async ({ database }: Service, { table }: Entity): Promise<string[]> => {
  const { text } = render(
    sql`SELECT "id" FROM "app".${identifier(table)} ORDER BY "id" DESC LIMIT ${slot("most", "integer")}`,
  );
  return (await database.query({ text, values: [MAX_REFERRED] })).map(({ id }) => String(id));
};

/** The sample records of an entity. Their ids contain the time of their creation. */
const listSampleRecords = async ({ database }: Service, entity: Entity): Promise<readonly SampleRecord[]> => {
  const rows = await database.query({
    text: "select record from ninefold.sample where entity = $1 order by record",
    values: [entity.name],
  });
  return rows.map(({ record }) => {
    const id = String(record);
    return { entity, id, at: idTime(id), enteredFields: new Set<string>(), times: [] };
  });
};

/** Number of records that nobody can create, after which nobody tries to create more of them. */
const MAX_FAILURES = 3;

/** Sample records of an entity: all, or only the most recent few. */
const sampleRecords = async (run: SampleRun, entity: Entity, first: number): Promise<readonly SampleRecord[]> => {
  const records: SampleRecord[] = [];
  for (let number = Math.max(first, 0); number < recordsFor(entity); number++) {
    const record = await sampleRecord(run, entity, number);
    // Parts of an order in repair, for example, can only be added later.
    if (record === undefined && records.length === 0 && number - first >= MAX_FAILURES) return records;
    if (record === undefined) continue;
    run.created.get(entity.name)?.push(record.id);
    run.since.set(record.id, record.at.getTime());
    records.push({ entity, ...record });
  }
  return records;
};
