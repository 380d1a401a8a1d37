import type { Entity } from "../../core/model/entity.ts";
import type { Service } from "../execution/service.ts";
import { readLongAgo, type SampleRecord, type SampleRun, SPAN_DAYS } from "./context.ts";
import { inOrderOfNeed } from "./order.ts";
import { assignRelations, samplePeople } from "./people.ts";
import { recordsFor, sampleRecord } from "./records.ts";
import { type AdvanceTime, editAsOthers, simulateTransitions } from "./simulate.ts";
import { createRandom, DAY_MS } from "./values.ts";

/** Number of records created in the second pass. */
const LATE_RECORDS = 8;

export interface SampleResult {
  readonly people: number;
  readonly records: number;
}

/**
 * Creates sample people for each role, and records of the last two months through the ordinary calls, by people with
 * permission. If a rule refuses, other values are tried. `passing` advances the clock, so that automatic transitions
 * happen.
 */
export const makeSample = async (
  service: Service,
  now: Date,
  passing: AdvanceTime = () => Promise.resolve(),
): Promise<SampleResult> => {
  const random = createRandom(9);
  const people = await samplePeople(service, new Date(now.getTime() - (SPAN_DAYS + 5) * DAY_MS));
  const created = new Map<string, string[]>([["User", people.map((person) => person.id)]]);
  const run: SampleRun = { service, people, created, since: new Map(), random, now };
  await assignRelations(run);
  const records: SampleRecord[] = [];
  const inOrder = inOrderOfNeed(service.model);
  for (const entity of inOrder) {
    created.set(
      entity.name,
      [...entity.records.values()].map(({ id }) => id),
    );
    if (entity.records.size === 0) records.push(...(await sampleRecords(run, entity, 0)));
  }
  // Transitions begin after all records exist: lines are added to drafts, not to submitted records.
  for (const record of records) await editAsOthers(run, record);
  await simulateTransitions(run, records, passing);
  // Records that need others in a later state, such as a delivery or an invoice.
  for (const entity of inOrder)
    if (created.get(entity.name)?.length === 0)
      records.push(...(await sampleRecords(run, entity, recordsFor(entity) - LATE_RECORDS)));
  await readLongAgo(service, now);
  return { people: people.length, records: records.length };
};

/** Sample records of an entity: all, or only the most recent few. */
const sampleRecords = async (run: SampleRun, entity: Entity, first: number): Promise<readonly SampleRecord[]> => {
  const records: SampleRecord[] = [];
  for (let number = Math.max(first, 0); number < recordsFor(entity); number++) {
    const record = await sampleRecord(run, entity, number);
    if (record === undefined) continue;
    run.created.get(entity.name)?.push(record.id);
    run.since.set(record.id, record.at.getTime());
    records.push({ entity, ...record });
  }
  return records;
};
