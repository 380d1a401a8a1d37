import { grantsFor, isUnconditional, type Principal, showsOnAll } from "../../core/derive/authorization/grants.ts";
import { dateAt, getZone } from "../../core/expression/values/calendar.ts";
import type { RefusedChange } from "../../core/migration/migration-step.ts";
import type { Entity } from "../../core/model/entity.ts";
import { findParents } from "../../core/model/facts/parts.ts";
import { isStored } from "../../core/model/field.ts";
import type { Model } from "../../core/model/model.ts";
import { fill, identifier, join, render, slot, sql } from "../../core/sql.ts";
import type { CountedRecords, StepRecords } from "../../core/wire/authoring/document.ts";
import type { ReplayCountJson, ReplayExampleJson, ReplayedActs } from "../../core/wire/authoring/replay.ts";
import type { Database } from "../../postgres/database.ts";
import { callerParams } from "../plan/context.ts";
import { asCondition, readScope } from "../plan/row/read-scope.ts";
import { tableSql } from "../plan/row/sql-env.ts";
import type { PlannedChange } from "./planned-change.ts";

/** Finds those of some records of an entity that the author can read. */
export const findReadable = async (
  { query }: Pick<Database, "query">,
  model: Model,
  entity: Entity,
  ids: readonly string[],
  author: Principal,
  now: Date,
  fields: Iterable<string> = [],
): Promise<ReadonlySet<string>> => {
  if (ids.length === 0 || grantsFor(model, entity, "read", author).length === 0) return new Set();
  const today = dateAt(now.toISOString(), getZone(model.timezone)) ?? "";
  const { rows: filter, visibleWhen } = readScope(model, entity, author, "t");
  const conditions = [filter, ...[...fields].map(visibleWhen)];
  const statement = render(
    sql`SELECT "t"."id" FROM ${tableSql(entity)} AS "t" WHERE "t"."id" = ANY(${slot("ids", "uuid[]")}) AND ${join([...new Set(conditions)].map(asCondition), " AND ")}`,
  );
  const slots = { ...callerParams({ principal: author, now, today }), ids };
  const rows = await query({ text: statement.text, values: fill(statement, slots) });
  return new Set(rows.map(({ id }) => String(id)));
};

/**
 * Finds those of some records that the author can read with all values. A draft can ask for any value, so which records
 * it is about would tell the values of the others.
 */
export const findWhollyReadable = (
  database: Pick<Database, "query">,
  model: Model,
  entity: Entity,
  ids: readonly string[],
  author: Principal,
  now: Date,
): Promise<ReadonlySet<string>> => findReadable(database, model, entity, ids, author, now, storedFields(entity));

const storedFields = ({ fields }: Entity): readonly string[] =>
  [...fields.values()].flatMap((field) => (isStored(field) && !field.isKey ? [field.name] : []));

/** Leaves out of a plan the records of which the author cannot read all values; all counts stay. */
export const withReadableRecords = async (
  database: Pick<Database, "query">,
  model: Model,
  change: PlannedChange,
  author: Principal,
  now: Date,
): Promise<PlannedChange> => {
  const withReadable = async <T extends CountedRecords>(records: T): Promise<T> => {
    const entity = model.entities.get(records.entity);
    // There is no list of records if the author can read none of them.
    if (entity === undefined || grantsFor(model, entity, "read", author).length === 0)
      return { ...records, ids: [], point: undefined };
    const readable = await findWhollyReadable(database, model, entity, records.ids, author, now);
    const ids = records.ids.filter((id) => readable.has(id));
    const inside = await findContaining(database, model, entity, ids, author, now);
    // A list of all would not have more than these.
    const hasNoMore = records.ids.length >= records.count && ids.length < records.count;
    return { ...records, ids, ...(inside.length === 0 ? {} : { inside }), ...(hasNoMore && { point: undefined }) };
  };
  const records: StepRecords[] = [];
  for (const one of change.records) records.push(await withReadable(one));
  const refused: RefusedChange[] = [];
  for (const { misfits, ...one } of change.refused)
    refused.push(misfits === undefined ? one : { ...one, misfits: await withReadable(misfits) });
  return { ...change, records, refused };
};

/** Finds the records that contain parts, as far as the author can read them. Parts have no page of their own. */
export const findContaining = async (
  database: Pick<Database, "query">,
  model: Model,
  part: Entity,
  ids: readonly string[],
  author: Principal,
  now: Date,
): Promise<NonNullable<CountedRecords["inside"]>> => {
  if (ids.length === 0) return [];
  const found: { readonly entity: string; readonly ids: readonly string[] }[] = [];
  for (const { entity, field } of findParents(model, part)) {
    const parent = identifier(field.name);
    const statement = render(
      sql`SELECT DISTINCT ${parent} AS "id" FROM ${tableSql(part)} WHERE "id" = ANY(${slot("ids", "uuid[]")}) AND ${parent} IS NOT NULL ORDER BY 1`,
    );
    const rows = await database.query({ text: statement.text, values: fill(statement, { ids }) });
    const parents = rows.map(({ id }) => String(id));
    const readable = await findReadable(database, model, entity, parents, author, now);
    const open = parents.filter((id) => readable.has(id));
    const containing = await findContaining(database, model, entity, open, author, now);
    if (containing.length > 0) found.push(...containing);
    else if (open.length > 0) found.push({ entity: entity.name, ids: open });
  }
  return found;
};

/** Leaves out of a replay the examples of records of which the author cannot read all values. All counts stay. */
export const withReadableExamples = async (
  database: Pick<Database, "query">,
  model: Model,
  replay: ReplayedActs,
  author: Principal,
  now: Date,
): Promise<ReplayedActs> => {
  const examples = [...replay.refused, ...replay.allowed, ...replay.effects].flatMap((count) => count.examples);
  const readable = new Set<string>();
  const fullyReadable = new Set<string>();
  for (const name of new Set(examples.map(({ entity }) => entity))) {
    const entity = model.entities.get(name);
    if (entity === undefined) continue;
    const grants = grantsFor(model, entity, "read", author);
    const isFull = isUnconditional(grants) && storedFields(entity).every((field) => showsOnAll(grants, field));
    if (isFull) fullyReadable.add(name);
    if (grants.length === 0 || isFull) continue;
    const ids = new Set(examples.flatMap((example) => (example.entity === name ? (example.record ?? []) : [])));
    for (const id of await findWhollyReadable(database, model, entity, [...ids], author, now)) readable.add(id);
  }
  const isReadable = ({ entity, record }: ReplayExampleJson): boolean =>
    fullyReadable.has(entity) || (record !== null && readable.has(record));
  const keepReadable = (counts: readonly ReplayCountJson[]): readonly ReplayCountJson[] =>
    counts.map((count) => ({ ...count, examples: count.examples.filter(isReadable) }));
  return {
    ...replay,
    refused: keepReadable(replay.refused),
    allowed: keepReadable(replay.allowed),
    effects: keepReadable(replay.effects),
  };
};
