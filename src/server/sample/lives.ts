import { gatesOf, isAutomatic, transitionGatesOf } from "../../core/derive/access.ts";
import type { Entity, Transition } from "../../core/model/model.ts";
import { identifier, render, slot, sql } from "../../core/sql.ts";
import type { Json } from "../../core/wire/json.ts";
import {
  firstThat,
  HOUR,
  inTheDay,
  type Life,
  type Living,
  MINUTE,
  type SamplePerson,
  SPAN,
  succeeded,
} from "./making.ts";
import { askedOf } from "./records.ts";
import { DAY, occasionOf, sampleValue, shuffled } from "./values.ts";

/** Others say what whoever made the record may not: how urgent it is, who it is for. */
export const revise = async (making: Living, { entity, id, at: made, given }: Life): Promise<void> => {
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

/** What one glance decides. */
const REVISED: ReadonlySet<string> = new Set(["choice", "boolean"]);

/** What happens by itself until a moment. */
export type Passing = (until: Date) => Promise<unknown>;

/** Walks records some way along their transitions, in the order of time, each made by somebody who may. */
export const live = async (making: Living, lives: readonly Life[], passing: Passing): Promise<void> => {
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
  const made = await firstThat(open, (transition) => sampleTransition(making, entity, id, transition, people, at));
  return made !== undefined;
};

const stateOf = (table: string, field: string): string =>
  render(sql`SELECT ${identifier(field)} AS "state" FROM "app".${identifier(table)} WHERE "id" = ${slot("id", "uuid")}`)
    .text;

/** Whether one of the people may make a transition now, and did. */
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
