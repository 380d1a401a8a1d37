import type { Entity } from "../../core/model/entity.ts";
import type { Service } from "../execution/service.ts";
import { readLongAgo, type SampleRecord, type SampleRun, SPAN } from "./context.ts";
import { inOrderOfNeed } from "./order.ts";
import { assignRelations, samplePeople } from "./people.ts";
import { recordsFor, sampleRecord } from "./records.ts";
import { type AdvanceTime, editAsOthers, simulateTransitions } from "./simulate.ts";
import { createRandom, DAY_MS } from "./values.ts";

/** Number of records created in the second pass. */
const AT_LAST = 8;

export interface SampleResult {
  readonly people: number;
  readonly records: number;
}

/**
 * Creates sample people for each role, and records of the last two months through the ordinary calls, made by people
 * with permission. If a rule refuses, other values are tried. `passing` advances the clock, so that automatic
 * transitions happen.
 */
export const makeSample = async (
  service: Service,
  now: Date,
  passing: AdvanceTime = () => Promise.resolve(),
): Promise<SampleResult> => {
  const random = createRandom(9);
  const people = await samplePeople(service, new Date(now.getTime() - (SPAN + 5) * DAY_MS));
  const made = new Map<string, string[]>([["User", people.map((person) => person.id)]]);
  const making: SampleRun = { service, people, created: made, since: new Map(), random, now };
  await assignRelations(making);
  const lives: SampleRecord[] = [];
  const inOrder = inOrderOfNeed(service.model);
  for (const entity of inOrder) {
    made.set(
      entity.name,
      [...entity.records.values()].map(({ id }) => id),
    );
    if (entity.records.size === 0) lives.push(...(await sampleRecords(making, entity, 0)));
  }
  // Transitions start when all records exist: lines are added to drafts, not to submitted records.
  for (const life of lives) await editAsOthers(making, life);
  await simulateTransitions(making, lives, passing);
  // Records that need others in a later state: a delivery, an invoice.
  for (const entity of inOrder)
    if (made.get(entity.name)?.length === 0)
      lives.push(...(await sampleRecords(making, entity, recordsFor(entity) - AT_LAST)));
  await readLongAgo(service, now);
  return { people: people.length, records: lives.length };
};

/** Sample records of an entity: all, or only the most recent few. */
const sampleRecords = async (making: SampleRun, entity: Entity, first: number): Promise<readonly SampleRecord[]> => {
  const lives: SampleRecord[] = [];
  for (let number = Math.max(first, 0); number < recordsFor(entity); number++) {
    const record = await sampleRecord(making, entity, number);
    if (record === undefined) continue;
    making.created.get(entity.name)?.push(record.id);
    making.since.set(record.id, record.at.getTime());
    lives.push({ entity, ...record });
  }
  return lives;
};
