import { grantsFor, isAutomatic } from "../../core/derive/authorization/grants.ts";
import { findCommentThread } from "../../core/derive/client/comment-threads.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { Field } from "../../core/model/field.ts";
import { ADMINISTRATOR } from "../../core/model/permissions.ts";
import type { Json } from "../../core/wire/json.ts";
import type { ListJson } from "../../core/wire/lists.ts";
import { readJsonBody } from "../http/reply.ts";
import type { Values } from "../intent.ts";
import {
  HOUR,
  MINUTE,
  remember,
  type SamplePerson,
  type SampleRecord,
  type SampleRun,
  SPAN_DAYS,
  toWorkingHours,
} from "./context.ts";
import { usesFutureDates } from "./future-dates.ts";
import { createOccasion, DAY_MS, pick, type SampleOccasion, sampleValue } from "./values.ts";

/** Parts have twice as many records, and entities without references half as many. */
const RECORDS_PER_ENTITY = 24;

/**
 * Maximum number of days between the creation of a future record and its first date, so that recent records lie after
 * today.
 */
export const MAX_DAYS_AHEAD = 60;

/** Number of records among which the value of a limited reference is chosen. */
const MAX_CANDIDATES = 50;

/** Attempts with other values after a refusal. */
const MAX_ATTEMPTS = 10;

/** The number of examples of a unique field; null if there is none with examples. */
const countUniqueExamples = (entity: Entity): number | null =>
  [...entity.fields.values()].find((field) => field.unique && field.examples.length > 0)?.examples.length ?? null;

/** A unique field with examples gets one record per example. */
export const recordsFor = (entity: Entity): number => {
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
  const { service, people, random, now } = run;
  const makers = people.filter(
    (person) =>
      grantsFor(service.model, entity, "create", person).length > 0 &&
      !(person.granted.has(ADMINISTRATOR) && entity.permissions !== null),
  );
  const isAhead = usesFutureDates(service.model, entity) && random() < 0.6;
  // More recent records than old ones.
  const days = Math.floor((1 - number / recordsFor(entity)) ** 1.6 * SPAN_DAYS + random() * 3);
  const time = Math.min(toWorkingHours(now.getTime() - days * DAY_MS, random), now.getTime());
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const maker = pick(random, makers);
    if (maker === undefined) return undefined;
    // If a future date is refused, try without it.
    const from = isAhead && attempt < MAX_ATTEMPTS / 2 ? time + Math.floor(random() * MAX_DAYS_AHEAD) * DAY_MS : time;
    const values = await sampleValues(
      run,
      entity,
      maker,
      createOccasion({
        person: maker.id,
        at: time,
        from,
        number,
        rows: countUniqueExamples(entity),
        label: findLabelField(entity),
      }),
    );
    const at = new Date(Math.min(chooseTime(run, entity, values, time, number), now.getTime()));
    const outcome = await service.perform(
      { kind: "create", entity: entity.name, values, key: null, label: false },
      maker,
      at,
    );
    if (outcome.kind !== "created") continue;
    const { id } = outcome;
    await remember(service, entity.name, id);
    return { id, at, enteredFields: new Set(Object.keys(values)), times: listTimes(entity, values) };
  }
  return undefined;
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
  Object.entries(values)
    .filter(([name]) => entity.fields.get(name)?.type === "datetime")
    .map(([, value]) => Date.parse(String(value)))
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

const isZero = (value: Field["default"]): boolean =>
  value?.kind === "constant" && value.value !== null && Number(value.value) === 0;

const sampleValues = async (
  run: SampleRun,
  entity: Entity,
  maker: SamplePerson,
  occasion: SampleOccasion,
): Promise<Values> => {
  const grants = grantsFor(run.service.model, entity, "create", maker);
  const taken = (name: string) => grants.some((grant) => grant.fields === null || grant.fields.has(name));
  const inputFields = findAskedFields(entity);
  const values: Record<string, Json> = {};
  for (const field of entity.fields.values()) {
    if (isAutomatic(entity, field.name) || !taken(field.name) || inputFields.has(field.name)) continue;
    const isLeftOut = (field.optional || field.default !== null) && run.random() < 0.5;
    // A new part has none in stock, the parts of a shop have some.
    if (isLeftOut && !(isZero(field.default) && field.examples.length > 0)) continue;
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

/** Fields that are entered only with transitions. */
export const findAskedFields = (entity: Entity): ReadonlySet<string> =>
  new Set([...(entity.states?.transitions.values() ?? [])].flatMap((transition) => transition.asks));
