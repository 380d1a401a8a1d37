import { grantsFor, isAutomatic } from "../../core/derive/authorization/grants.ts";
import { rebaseOnReference } from "../../core/expression/rewrite/rebase-on-reference.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { Field } from "../../core/model/field.ts";
import { inState } from "../../core/satisfiability/assume-state.ts";
import type { Refusal } from "../refusal.ts";
import {
  countWork,
  firstSuccess,
  hasSucceeded,
  MINUTE,
  type SamplePerson,
  type SampleRecord,
  type SampleRun,
} from "./context.ts";
import { createRecord, findAskedFields, listCreators } from "./records.ts";
import { createOccasion, sampleValue } from "./values.ts";

/** Maximum number of parts of one kind that are added to a record in one state. */
const MAX_ADDED = 3;

/** Number of records in a state to which nobody could add such a part, after which nobody tries it with others. */
const MAX_REFUSALS = 3;

/** Minutes from one piece of work to the next. */
const PACE = 9;

/** A point in time that advances with each piece of work, but never beyond now. */
type Pace = () => number;

/**
 * Adds what people add to a record while it is in a later state: parts that nobody could add at first, such as the hours
 * of a repair, and values that nobody could enter with the record. `people`: in this order, so those whom the record names come
 * early and few attempts are refused.
 */
export const workOnRecord = async (
  run: SampleRun,
  record: Pick<SampleRecord, "entity" | "id">,
  state: string,
  people: readonly SamplePerson[],
  since: number,
): Promise<void> => {
  let at = since;
  const pace: Pace = () => {
    at = Math.min(at + PACE * MINUTE, run.now.getTime());
    return at;
  };
  await enterLaterValues(run, record, people, pace);
  await addLaterParts(run, record, state, people, pace);
};

const addLaterParts = async (
  run: SampleRun,
  { entity, id }: Pick<SampleRecord, "entity" | "id">,
  state: string,
  people: readonly SamplePerson[],
  pace: Pace,
): Promise<void> => {
  for (const part of run.later) {
    const reference = [...part.fields.values()].find(({ partOf, entity: whole }) => partOf && whole === entity.name);
    const place = `${entity.name} ${state} ${part.name}`;
    if (reference === undefined || (run.refused.get(place) ?? 0) >= MAX_REFUSALS) continue;
    const creators = new Set(listCreators(run, part));
    const makers = people.filter(
      (person) => creators.has(person) && canCreateIn(run, part, { reference: reference.name, entity, state }, person),
    );
    if (makers.length === 0) continue;
    let added = 0;
    for (let attempts = 1 + Math.floor(run.random() * MAX_ADDED); attempts > 0; attempts--)
      if (await addPart(run, part, { [reference.name]: id }, makers, pace())) added++;
    run.refused.set(place, added > 0 ? -Infinity : (run.refused.get(place) ?? 0) + 1);
  }
};

/** False if no permission of the person to create a part can apply while the record that it belongs to is in the state. */
const canCreateIn = (
  { service: { model }, decide }: SampleRun,
  part: Entity,
  { reference, entity, state }: { readonly reference: string; readonly entity: Entity; readonly state: string },
  person: SamplePerson,
): boolean =>
  grantsFor(model, part, "create", person).some(({ conditions }) => {
    const ofRecord = conditions.flatMap((condition) => rebaseOnReference(condition, reference) ?? []);
    return decide.canHold(...inState(ofRecord, entity, state));
  });

const addPart = async (
  run: SampleRun,
  part: Entity,
  parent: Readonly<Record<string, string>>,
  makers: readonly SamplePerson[],
  at: number,
): Promise<boolean> => {
  const created = run.created.get(part.name) ?? [];
  for (const person of makers) {
    const occasion = { at, from: at, number: created.length };
    const made = await createRecord(run, part, person, occasion, () => at, parent);
    if (made.kind === "refusal") {
      if (isAboutPerson(made)) continue;
      return false;
    }
    run.created.set(part.name, [...created, made.id]);
    run.since.set(made.id, at);
    await addLaterParts(run, { entity: part, id: made.id }, "", makers, () => at);
    countWork(run, person);
    return true;
  }
  return false;
};

/** True if another person could do it. Of other values, such as more pieces than there are, nobody could add the part. */
const isAboutPerson = ({ code }: Refusal): boolean => code === "FORBIDDEN" || code === "NOT_FOUND";

/** Enters values that belong to a later state: a diagnosis, or the day of a delivery. */
const enterLaterValues = async (
  run: SampleRun,
  { entity, id }: Pick<SampleRecord, "entity" | "id">,
  people: readonly SamplePerson[],
  pace: Pace,
): Promise<void> => {
  const { service, random } = run;
  for (const field of listLaterFields(run, entity)) {
    const key = `${id} ${field.name}`;
    if (run.entered.has(key) || random() < 0.4) continue;
    const at = new Date(pace());
    const may = people.filter((person) =>
      grantsFor(service.model, entity, "update", person).some(({ fields }) => fields?.has(field.name) ?? true),
    );
    const person = await firstSuccess(may, async (candidate) => {
      const value = await sampleValue(run, field, createOccasion({ person: candidate.id, at: at.getTime() }));
      if (value === undefined) return false;
      const values = { [field.name]: value };
      const intent = { kind: "update", entity: entity.name, id, values, version: null, label: false } as const;
      return hasSucceeded(await service.perform(intent, candidate, at));
    });
    if (person !== undefined) run.entered.add(key);
  }
};

/** The optional fields that nobody enters with a record or a transition. */
const listLaterFields = ({ service: { model }, people }: SampleRun, entity: Entity): readonly Field[] => {
  const asked = findAskedFields(entity);
  const first = people.flatMap((person) => grantsFor(model, entity, "create", person));
  return [...entity.fields.values()].filter(
    (field) =>
      field.optional &&
      !isAutomatic(entity, field.name) &&
      !asked.has(field.name) &&
      !first.some(({ fields }) => fields?.has(field.name) ?? true),
  );
};
