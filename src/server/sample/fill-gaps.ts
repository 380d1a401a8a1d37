import type { Entity, Transition } from "../../core/model/entity.ts";
import { firstSuccess, inOrderOfWork, type SamplePerson, type SampleRecord, type SampleRun } from "./context.ts";
import { isByClock, type RecordNow, readRecord, sampleTransition } from "./make-transition.ts";
import { listRolesOfReference, readsField } from "./needed-people.ts";

/** Gives each state a record, and each person something to do, so that boards, queues and overviews have something to show. */
export const fillGaps = async (run: SampleRun, records: readonly SampleRecord[]): Promise<void> => {
  const byEntity = new Map<Entity, SampleRecord[]>();
  // The newest first.
  for (const record of records.toReversed())
    byEntity.set(record.entity, [...(byEntity.get(record.entity) ?? []), record]);
  for (const [entity, some] of byEntity) {
    for (let round = 0; round < (entity.states?.states.length ?? 0); round++)
      if (!(await fillEmptyState(run, some))) break;
    await fillEmptyQueues(run, entity, some);
  }
};

/** True if a state had no record and now has one. */
const fillEmptyState = async (run: SampleRun, records: readonly SampleRecord[]): Promise<boolean> => {
  const states = records[0]?.entity.states;
  const byState = new Map<string, SampleRecord[]>();
  for (const record of records) {
    const state = (await readRecord(run, record))?.state ?? "";
    byState.set(state, [...(byState.get(state) ?? []), record]);
  }
  // The only record of a state can go on if another one can follow it.
  const canBeReplaced = (state: string): boolean =>
    [...(states?.transitions.values() ?? [])].some(
      ({ from, to }) => to.includes(state) && from.some((earlier) => (byState.get(earlier)?.length ?? 0) > 1),
    );
  const empty = states?.states.filter(({ name }) => !byState.has(name)) ?? [];
  for (const { name } of empty)
    for (const transition of states?.transitions.values() ?? []) {
      if (isByClock(transition) || !transition.to.includes(name)) continue;
      const from = transition.from.flatMap((state) => {
        const there = byState.get(state) ?? [];
        return there.length > 1 || canBeReplaced(state) ? there.slice(0, MAX_TRIED) : [];
      });
      const moved = await firstSuccess(from, async (record) =>
        sampleTransition(run, record, transition, inOrderOfWork(run), await chooseRecentTime(run, record)),
      );
      if (moved !== undefined) return true;
    }
  return false;
};

/** Number of records that may be moved to fill a gap. */
const MAX_TRIED = 5;

/** A time between the last change of a record, also by the clock, and now. */
const chooseRecentTime = async (run: SampleRun, record: SampleRecord): Promise<Date> => {
  const { now, random } = run;
  const changed = (await readRecord(run, record))?.row.updated_at;
  const last = changed instanceof Date || typeof changed === "string" ? new Date(changed) : record.at;
  return new Date(last.getTime() + (now.getTime() - last.getTime()) * (0.3 + 0.6 * random()));
};

/** Hands a record that names nobody yet to each person who could be named by one and has none to work on. */
const fillEmptyQueues = async (run: SampleRun, entity: Entity, records: readonly SampleRecord[]): Promise<void> => {
  const { states } = entity;
  if (states === null) return;
  for (const field of entity.fields.values()) {
    const roles = listRolesOfReference(run.service.model, entity, field);
    const handing = [...states.transitions.values()].filter(
      (transition) => !isByClock(transition) && (takes(transition, field.name) || transition.asks.includes(field.name)),
    );
    if (roles.length === 0 || handing.length === 0 || field.many) continue;
    const present = new Map<SampleRecord, RecordNow>();
    for (const record of records) await renew(run, present, record);
    for (const person of run.people) {
      const isMeant = roles.some((role) => person.granted.has(role));
      if (isMeant && !isBusy(entity, field.name, person, present))
        await handOver(run, handing, field.name, person, present);
    }
  }
};

const renew = async (run: SampleRun, present: Map<SampleRecord, RecordNow>, record: SampleRecord): Promise<void> => {
  const now = await readRecord(run, record);
  if (now !== undefined) present.set(record, now);
};

const takes = ({ set }: Transition, field: string): boolean => set.get(field)?.kind === "user";

const isBusy = (
  entity: Entity,
  field: string,
  person: SamplePerson,
  present: ReadonlyMap<SampleRecord, RecordNow>,
): boolean =>
  [...present.values()].some(({ row, state }) => row[field] === person.id && isTheirTurn(entity, field, person, state));

/** True if somebody whom the field names can make a transition in this state. */
const isTheirTurn = ({ states, roles }: Entity, field: string, { granted }: SamplePerson, state: string): boolean =>
  [...(states?.transitions.values() ?? [])].some((transition) => {
    const isTheirs = (role: string): boolean => {
      const held = roles.get(role);
      return held === undefined ? granted.has(role) : readsField(held.condition, field);
    };
    return !isByClock(transition) && transition.from.includes(state) && (transition.by ?? []).some(isTheirs);
  });

const handOver = async (
  run: SampleRun,
  handing: readonly Transition[],
  field: string,
  person: SamplePerson,
  present: Map<SampleRecord, RecordNow>,
): Promise<void> => {
  const free = [...present].filter(([, { row }]) => row[field] === null).slice(0, MAX_TRIED);
  await firstSuccess(free, async ([record, { state }]) => {
    const open = handing.filter(({ from }) => from.includes(state));
    const made = await firstSuccess(open, async (transition) => {
      const by = takes(transition, field) ? [person] : inOrderOfWork(run);
      const at = await chooseRecentTime(run, record);
      return sampleTransition(run, record, transition, by, at, { [field]: person.id });
    });
    if (made !== undefined) await renew(run, present, record);
    return made !== undefined;
  });
};
