import { grantsFor, isAutomatic } from "../../core/derive/authorization/grants.ts";
import { findCommentThread } from "../../core/derive/client/comment-threads.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { Field } from "../../core/model/field.ts";
import { ADMINISTRATOR, DEPUTY } from "../../core/model/permissions.ts";
import type { Json } from "../../core/wire/json.ts";
import type { ListJson } from "../../core/wire/lists.ts";
import { readJsonBody } from "../http/reply.ts";
import type { Values } from "../intent.ts";
import type { Refusal } from "../refusal.ts";
import {
  HOUR,
  hasSucceeded,
  MINUTE,
  remember,
  type SamplePerson,
  type SampleRecord,
  type SampleRun,
  SPAN_DAYS,
  toWorkingHours,
} from "./context.ts";
import { usesFutureDates } from "./future-dates.ts";
import { isPlannedDay } from "./plausible.ts";
import { createOccasion, DAY_MS, pick, type SampleOccasion, sampleValue } from "./values.ts";

/** Parts have twice as many records, and entities without references half as many. */
const RECORDS_PER_ENTITY = 24;

/**
 * Maximum number of days between the creation of a future record and its first date, so that recent records lie after
 * today.
 */
export const MAX_DAYS_AHEAD = 60;

/** Number of times that somebody has a deputy. */
const DEPUTIES = 3;

/** Number of records among which the value of a limited reference is chosen. */
const MAX_CANDIDATES = 50;

/** From midnight, when people act on what is planned for a day. */
const START_OF_WORK = 9 * HOUR;

/** Attempts with other values after a refusal. */
const MAX_ATTEMPTS = 10;

/** The number of examples of a unique field; null if there is none with examples. */
const countUniqueExamples = (entity: Entity): number | null =>
  [...entity.fields.values()].find((field) => field.unique && field.examples.length > 0)?.examples.length ?? null;

/** A unique field with examples gets one record per example. */
export const recordsFor = (entity: Entity): number => {
  if (entity.name === DEPUTY) return DEPUTIES;
  const examples = countUniqueExamples(entity);
  if (examples !== null) return examples;
  const references = [...entity.fields.values()].filter((field) => field.entity !== null);
  if (references.some(({ partOf }) => partOf)) return 2 * RECORDS_PER_ENTITY;
  return references.length > 0 ? RECORDS_PER_ENTITY : RECORDS_PER_ENTITY / 2;
};

export const sampleRecord = async (
  run: SampleRun,
  entity: Entity,
  number: number,
): Promise<Omit<SampleRecord, "entity"> | undefined> => {
  const { random, now } = run;
  const makers = listCreators(run, entity);
  const isAhead = usesFutureDates(run.service.model, entity) && random() < 0.6;
  // More recent records than old ones.
  const days = Math.floor((1 - number / recordsFor(entity)) ** 1.6 * SPAN_DAYS + random() * 3);
  const time = Math.min(toWorkingHours(now.getTime() - days * DAY_MS, random), now.getTime());
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const maker = pick(random, makers);
    if (maker === undefined) return undefined;
    // If a future date is refused, try without it.
    const from = isAhead && attempt < MAX_ATTEMPTS / 2 ? time + Math.floor(random() * MAX_DAYS_AHEAD) * DAY_MS : time;
    const created = await createRecord(run, entity, maker, { at: time, from, number }, (values) =>
      Math.min(chooseTime(run, entity, values, time, number), now.getTime()),
    );
    if (created.kind !== "refusal") return created;
  }
  return undefined;
};

/** The people who may create records of an entity. Administrators are among them only if the document is silent. */
export const listCreators = ({ service: { model }, people }: SampleRun, entity: Entity): readonly SamplePerson[] => {
  const makers = people.filter(
    (person) =>
      grantsFor(model, entity, "create", person).length > 0 &&
      !(person.granted.has(ADMINISTRATOR) && entity.permissions !== null),
  );
  if (entity.name !== DEPUTY) return makers;
  // Only somebody with a role to hand over needs a deputy.
  const handed = makers.filter(({ granted }) => [...granted].some((role) => model.deputies?.roles.has(role)));
  return handed.length > 0 ? handed : makers;
};

interface CreatedSample extends Omit<SampleRecord, "entity"> {
  readonly kind: "created";
}

/** Creates a record by a person. `at` of the occasion is when it is planned. `parent`: the record of which it is a part. */
export const createRecord = async (
  run: SampleRun,
  entity: Entity,
  maker: SamplePerson,
  { at, from, number }: { readonly at: number; readonly from: number; readonly number: number },
  timeOf: (values: Values) => number,
  parent: Values = {},
): Promise<CreatedSample | Refusal> => {
  const occasion = createOccasion({
    person: maker.id,
    at,
    from,
    number,
    rows: countUniqueExamples(entity),
    label: findLabelField(entity),
    kind: entity.name,
  });
  const values = { ...(await sampleValues(run, entity, maker, occasion, parent)), ...parent };
  const created = new Date(timeOf(values));
  const outcome = await run.service.perform(
    { kind: "create", entity: entity.name, values, key: null, label: false },
    maker,
    created,
  );
  if (!hasSucceeded(outcome)) return outcome;
  if (outcome.kind !== "created") throw new Error(`Creating ${entity.name} ended as “${outcome.kind}”.`);
  const { id } = outcome;
  await remember(run.service, entity.name, id);
  return {
    kind: "created",
    id,
    at: created,
    enteredFields: new Set(Object.keys(values)),
    times: listTimes(entity, values),
  };
};

/**
 * The time of creation of a record planned for `time`. A part is created soon after its parent (a comment at any time);
 * any other record after those it refers to.
 */
const chooseTime = ({ since }: SampleRun, entity: Entity, values: Values, time: number, number: number): number => {
  let latest = time;
  for (const { name, partOf } of entity.fields.values()) {
    const referred = since.get(String(values[name] ?? ""));
    if (referred === undefined) continue;
    if (partOf && findCommentThread(entity, name) === null) return referred + (1 + (number % 20)) * MINUTE;
    latest = Math.max(latest, referred + HOUR);
  }
  return latest;
};

const listTimes = (entity: Entity, values: Values): readonly number[] =>
  [...entity.fields.values()]
    .filter(({ name }) => name in values)
    .flatMap((field) => {
      const time = Date.parse(String(values[field.name]));
      return field.type === "datetime" ? time : isPlannedDay(field) ? time + START_OF_WORK : [];
    })
    .sort((a, b) => a - b);

/** A record that the document permits a reference to name (`among`), as its maker sees it; undefined if there is none. */
const choosePermitted = async (
  { service, since, random }: SampleRun,
  entity: Entity,
  { name, entity: target }: Field,
  maker: SamplePerson,
  values: Values,
  at: number,
): Promise<string | undefined> => {
  const entered = Object.entries(values).flatMap(([field, value]): [string, string][] =>
    value === null || typeof value === "object" ? [] : [[field, String(value)]],
  );
  const outcome = await service.perform(
    {
      kind: "list",
      entity: target ?? "",
      where: [],
      filters: [],
      sort: [],
      limit: Math.min(MAX_CANDIDATES, service.model.limits.pageSizeMax),
      after: null,
      count: false,
      may: false,
      label: false,
      search: null,
      among: { entity: entity.name, field: name, record: null, given: entered },
    },
    maker,
    new Date(at),
  );
  if (outcome.kind !== "found") return undefined;
  const ids = (readJsonBody(outcome) as ListJson).items.map(({ id }) => id);
  const known = ids.filter((id) => (since.get(id) ?? 0) <= at);
  return pick(random, known.length === 0 ? ids : known);
};

/**
 * A default applies to half of the records, and a suggested day to most. But examples say what most of them have: a new
 * part has none in stock, the parts of a shop have some.
 */
const chanceLeftOut = ({ optional, type, default: suggested, examples }: Field): number => {
  if (suggested === null) return optional ? 0.5 : 0;
  if (examples.length > 0) return 0.15;
  return type === "date" || type === "datetime" ? 0.65 : 0.5;
};

const sampleValues = async (
  run: SampleRun,
  entity: Entity,
  maker: SamplePerson,
  occasion: SampleOccasion,
  parent: Values,
): Promise<Values> => {
  const grants = grantsFor(run.service.model, entity, "create", maker);
  const taken = (name: string) => grants.some((grant) => grant.fields === null || grant.fields.has(name));
  const inputFields = findAskedFields(entity);
  const values: Record<string, Json> = {};
  for (const field of entity.fields.values()) {
    if (isAutomatic(entity, field.name) || !taken(field.name) || inputFields.has(field.name)) continue;
    if (field.name in parent || run.random() < chanceLeftOut(field)) continue;
    const isLimited = field.among !== null && !field.many && !field.partOf;
    const value = isLimited
      ? await choosePermitted(run, entity, field, maker, values, occasion.at)
      : await sampleValue(run, field, occasion);
    if (value !== undefined) values[field.name] = value;
  }
  return values;
};

/** `{name}` of a site, whose sample records are called “Site 1” rather than “Name 1”. */
const findLabelField = ({ name, label, called }: Entity): SampleOccasion["label"] => {
  const [part, ...rest] = label.parts;
  if (typeof part !== "object" || part.kind !== "field" || part.entity.name !== name || rest.length > 0) return null;
  return { field: part.field.name, word: `${called.one.charAt(0).toUpperCase()}${called.one.slice(1)}` };
};

/** Fields that are entered only with transitions, and the times of transitions, such as `approved_on`, which these set. */
export const findAskedFields = ({ fields, states }: Entity): ReadonlySet<string> =>
  new Set(
    [...(states?.transitions.values() ?? [])].flatMap(({ asks, set }) => [
      ...asks,
      ...[...set].flatMap(([name, value]) => {
        const field = fields.get(name);
        const isTime = field?.optional === true && (field.type === "date" || field.type === "datetime");
        return isTime && value.kind !== "constant" ? name : [];
      }),
    ]),
  );
