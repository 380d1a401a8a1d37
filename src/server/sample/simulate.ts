import { grantsFor, isAutomatic } from "../../core/derive/authorization/grants.ts";
import type { Transition } from "../../core/model/entity.ts";
import type { Json } from "../../core/wire/json.ts";
import {
  firstSuccess,
  HOUR,
  hasSucceeded,
  inOrderOfWork,
  MINUTE,
  type SampleRecord,
  type SampleRun,
  SPAN_DAYS,
  toWorkingHours,
} from "./context.ts";
import { fillGaps } from "./fill-gaps.ts";
import { usesFutureDates } from "./future-dates.ts";
import { isByClock, readRecord, sampleTransition } from "./make-transition.ts";
import { findAskedFields, MAX_DAYS_AHEAD } from "./records.ts";
import { createOccasion, DAY_MS, sampleValue, shuffle } from "./values.ts";

/** Lets other people edit fields that the creator may not write, such as the priority or the assignee. */
export const editAsOthers = async (
  run: SampleRun,
  { entity, id, at: createdAt, enteredFields }: SampleRecord,
): Promise<void> => {
  const { service, people, random, now } = run;
  const at = new Date(Math.min(createdAt.getTime() + HOUR, now.getTime()));
  const inputFields = findAskedFields(entity);
  for (const field of entity.fields.values()) {
    if (enteredFields.has(field.name) || isAutomatic(entity, field.name) || inputFields.has(field.name)) continue;
    if (!EDITED_TYPES.has(field.type) || random() < 0.4) continue;
    const revisers = people.filter((person) =>
      grantsFor(service.model, entity, "update", person).some((grant) => grant.fields?.has(field.name) ?? true),
    );
    await firstSuccess(shuffle(random, revisers), async (person) => {
      const value = await sampleValue(run, field, createOccasion({ person: person.id, at: at.getTime() }));
      if (value === undefined) return false;
      const values = { [field.name]: value };
      const intent = { kind: "update", entity: entity.name, id, values, version: null, label: false } as const;
      return hasSucceeded(await service.perform(intent, person, at));
    });
  }
};

/** Types of fields that people set without typing, such as a priority or an assignee. */
const EDITED_TYPES: ReadonlySet<string> = new Set(["choice", "boolean"]);

/** Runs automatic transitions up to a point in time. */
export type AdvanceTime = (until: Date) => Promise<unknown>;

/** The next step of a record. `before`: its next point in time is still ahead. */
interface Next {
  readonly record: SampleRecord;
  readonly at: number;
  readonly before: boolean;
}

/** Moves records through some of their transitions in chronological order, each made by somebody with permission. */
export const simulateTransitions = async (
  run: SampleRun,
  records: readonly SampleRecord[],
  passing: AdvanceTime,
): Promise<void> => {
  const { random, now } = run;
  const planNext = (record: SampleRecord, after: number, waits: boolean): Next => {
    const time = record.times.find((candidate) => candidate > after);
    if (time === undefined || (waits && random() >= 0.85))
      return { record, at: toWorkingHours(after + Math.ceil(random() * 4) * DAY_MS, random), before: false };
    // A record with a date is prepared before that date, and acted upon at it.
    if (!waits) return { record, at: after + Math.min(random() * 4 * DAY_MS, (time - after) / 2), before: true };
    return { record, at: time + Math.floor(random() * 10) * MINUTE, before: false };
  };
  const waiting = records
    .filter(({ entity }) => entity.states !== null)
    .map((record) => planNext(record, record.at.getTime(), false));
  let passed = now.getTime() - SPAN_DAYS * DAY_MS;
  const pass = async (until: number) => {
    for (; passed < until; passed = Math.min(passed + DAY_MS, until))
      await passing(new Date(Math.min(passed + DAY_MS, until)));
  };
  const steps = new Map<SampleRecord, number>();
  while (waiting.length > 0) {
    waiting.sort((a, b) => b.at - a.at);
    const next = waiting.pop();
    if (next === undefined || next.at > now.getTime()) break;
    const { record, at, before } = next;
    await pass(at);
    const step = steps.get(record) ?? 0;
    // Most of what is old is done.
    const stays = at < now.getTime() - RECENT_DAYS * DAY_MS ? 0.05 : 0.2;
    if (step >= (record.entity.states?.states.length ?? 0) || random() < stays) continue;
    const went = await takeStep(run, record, new Date(at), before);
    if (went) steps.set(record, step + 1);
    if (went || before) waiting.push(planNext(record, at, !went));
  }
  await pass(now.getTime());
  await fillGaps(run, records);
  await passing(now);
};

/** Number of days in which records still wait for something. */
const RECENT_DAYS = 14;

/** Makes one step with a record. True if somebody could. */
const takeStep = async (run: SampleRun, record: SampleRecord, at: Date, before: boolean): Promise<boolean> => {
  const { random, service } = run;
  const { entity } = record;
  const { states } = entity;
  if (states === null) return false;
  const row = await readRecord(run, record);
  if (row === undefined) return false;
  const all = [...states.transitions.values()].filter((transition) => !isByClock(transition));
  const open = shuffle(
    random,
    all.filter((transition) => transition.from.includes(row.state)),
  );
  const isContinued = ({ to }: Transition) => all.some((next) => to.some((state) => next.from.includes(state)));
  // Most records go through several states before a final one, and few go back.
  const placeOf = (state: string) => states.states.findIndex(({ name }) => name === state);
  const now = placeOf(row.state);
  const leadsBack = ({ to }: Transition) => to.every((state) => placeOf(state) <= now);
  // A question to the customer leads back to the repair, which goes on to another state.
  const returns = ({ name, to }: Transition) =>
    !run.entered.has(`${record.id} ${name}`) &&
    to.some((state) => all.some((next) => next.from.includes(state) && next.to.some((other) => isAhead(state, other))));
  const isAhead = (from: string, to: string) =>
    to !== row.state && placeOf(to) > placeOf(from) && all.some((next) => next.from.includes(to));
  const visits = ({ to }: Transition) => Math.min(...to.map((state) => run.visits.get(`${entity.name} ${state}`) ?? 0));
  const isRare = (transition: Transition) => visits(transition) === 0 && random() < 0.4;
  const rank = (transition: Transition) =>
    leadsBack(transition) && !returns(transition) ? 2 : isContinued(transition) || isRare(transition) ? 0 : 1;
  // Of several ways on, the one that fewer records have taken.
  const ranks = new Map(open.map((transition) => [transition, rank(transition)]));
  if (random() < 0.85) open.sort((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0) || visits(a) - visits(b));
  // If only the clock can continue from here and people could only end it, the record usually stays: an order waits for
  // its delivery.
  const canContinueByClock = [...states.transitions.values()].some(
    (transition) => isByClock(transition) && transition.from.includes(row.state),
  );
  if (canContinueByClock && !open.some(isContinued) && random() < 0.75) return false;
  // Nothing ends before it has begun.
  const candidates = before ? open.filter(isContinued) : open;
  const people = [...row.people, ...inOrderOfWork(run).filter((person) => !row.people.includes(person))];
  const go = () => firstSuccess(candidates, (transition) => sampleTransition(run, record, transition, people, at));
  if ((await go()) !== undefined) return true;
  // Other dates may be accepted.
  const canPutOff = candidates.length > 0 && usesFutureDates(service.model, entity);
  for (let attempt = 0; canPutOff && attempt < MAX_POSTPONEMENTS; attempt++)
    if ((await postpone(run, record, at)) && (await go()) !== undefined) return true;
  return false;
};

/** Maximum number of attempts to find other dates. */
const MAX_POSTPONEMENTS = 4;

/** Changes the dates of a record. True if somebody could. */
const postpone = async (run: SampleRun, { entity, id, enteredFields }: SampleRecord, at: Date) => {
  const { service, people, random } = run;
  const days = [...entity.fields.values()].filter(({ name, type }) => type === "date" && enteredFields.has(name));
  if (days.length === 0) return false;
  const values: Record<string, Json> = {};
  const occasion = createOccasion({
    person: id,
    at: at.getTime(),
    from: at.getTime() + Math.floor(random() * MAX_DAYS_AHEAD) * DAY_MS,
  });
  for (const field of days) {
    const value = await sampleValue(run, field, occasion);
    if (value !== undefined) values[field.name] = value;
  }
  const intent = { kind: "update", entity: entity.name, id, values, version: null, label: false } as const;
  const may = people.filter((person) => grantsFor(service.model, entity, "update", person).length > 0);
  return (
    (await firstSuccess(may, async (person) => hasSucceeded(await service.perform(intent, person, at)))) !== undefined
  );
};
