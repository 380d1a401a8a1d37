import { transitionGrantsFor } from "../../core/derive/authorization/grants.ts";
import type { Entity, Transition } from "../../core/model/entity.ts";
import { identifier, render, slot, sql } from "../../core/sql.ts";
import type { Json } from "../../core/wire/json.ts";
import type { Values } from "../intent.ts";
import { countWork, hasSucceeded, type SamplePerson, type SampleRecord, type SampleRun } from "./context.ts";
import { createOccasion, sampleValue } from "./values.ts";
import { workOnRecord } from "./work.ts";

/** Automatic transitions are left to the clock. */
export const isByClock = ({ timeout, once }: Transition): boolean => timeout !== null || once !== null;

/** The row of a record with its state, and the people whom it names. */
export interface RecordNow {
  readonly row: Readonly<Record<string, unknown>>;
  readonly state: string;
  readonly people: readonly SamplePerson[];
}

export const readRecord = async (
  { service, people }: SampleRun,
  { entity, id }: SampleRecord,
): Promise<RecordNow | undefined> => {
  if (entity.states === null) return undefined;
  const [row] = await service.database.query({
    text: render(sql`SELECT * FROM "app".${identifier(entity.table)} WHERE "id" = ${slot("id", "uuid")}`).text,
    values: [id],
  });
  if (row === undefined) return undefined;
  const references = [...entity.fields.values()].filter((field) => field.entity === "User" && !field.many);
  const named = new Set(references.map(({ name }) => String(row[name] ?? "")));
  return { row, state: String(row[entity.states.field]), people: people.filter((person) => named.has(person.id)) };
};

/**
 * Lets somebody with permission make a transition, and work on the record in its new state. `given`: values of asked fields.
 * False if nobody could.
 */
export const sampleTransition = async (
  run: SampleRun,
  { entity, id }: SampleRecord,
  transition: Transition,
  people: readonly SamplePerson[],
  at: Date,
  given: Values = {},
): Promise<boolean> => {
  const { service } = run;
  for (const person of people) {
    if (transitionGrantsFor(service.model, entity, transition, person).length === 0) continue;
    const values: Record<string, Json> = {};
    const occasion = createOccasion({ person: person.id, at: at.getTime() });
    for (const name of transition.asks) {
      const field = entity.fields.get(name);
      const value = given[name] ?? (field === undefined ? undefined : await sampleValue(run, field, occasion));
      if (value !== undefined) values[name] = value;
    }
    const outcome = await service.perform(
      { kind: "transition", entity: entity.name, id, transition: transition.name, values, version: null, label: false },
      person,
      at,
    );
    if (!hasSucceeded(outcome)) continue;
    countWork(run, person);
    run.entered.add(`${id} ${transition.name}`);
    for (const state of transition.to) countVisit(run, entity, state);
    const others = people.filter((other) => other !== person);
    await workOnRecord(run, { entity, id }, transition.to[0] ?? "", [person, ...others], at.getTime());
    return true;
  }
  return false;
};

const countVisit = ({ visits }: SampleRun, { name }: Entity, state: string): void => {
  const key = `${name} ${state}`;
  visits.set(key, (visits.get(key) ?? 0) + 1);
};
