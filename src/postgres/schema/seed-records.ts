import { rowEnv } from "../../core/derive/sql/row-env.ts";
import { typeOfColumn } from "../../core/derive/tables/columns.ts";
import { toSql } from "../../core/expression/compile/to-sql.ts";
import type { Stored } from "../../core/field/kind.ts";
import { type Message, say } from "../../core/i18n/message.ts";
import { type RefusedChange, refuseChange } from "../../core/migration/migration-step.ts";
import type { Entity, SeedRecordDefinition } from "../../core/model/entity.ts";
import { findKeptAt } from "../../core/model/facts/kept-fields.ts";
import { computedExpr, type Field, isPlainColumn, isStored } from "../../core/model/field.ts";
import { toTableName } from "../../core/model/inflection.ts";
import type { Model } from "../../core/model/model.ts";
import { constant, identifier, join, render, type Sql, sql, withSlots } from "../../core/sql.ts";
import { type Row, type RunQuery, StoreRefusal } from "../database.ts";

/**
 * Ids of seed records that differ from the ids derived from their names, because they or their entity have been renamed
 * or are about to be.
 */
export const otherIds = async (query: RunQuery, model: Model): Promise<ReadonlyMap<string, string>> => {
  const others = new Map<string, string>();
  for (const entity of entitiesWithSeedRecords(model)) {
    const before = model.renamings.find(({ of, now }) => of === "entity" && now === entity.name);
    const tables = [entity.table, ...(before === undefined ? [] : [toTableName(before.old)])];
    const [found] = await query({
      text: `select c.relname from unnest($1::text[]) with ordinality as t(name, nth)
             join pg_class c on c.relname = t.name and c.relnamespace = 'app'::regnamespace
             join pg_attribute a on a.attrelid = c.oid and a.attname = $2 and not a.attisdropped order by t.nth limit 1`,
      values: [tables, getKey(entity)],
    });
    if (found === undefined) continue;
    const rows = await readSeedRows(query, String(found.relname), getKey(entity));
    const keys = new Set(rows.map(({ key }) => key));
    for (const { id, key } of rows) {
      const renamed = model.renamings.find(
        (renaming) => renaming.of === "record" && renaming.entity === entity.name && renaming.old === key,
      );
      const record = entity.records.get(renamed !== undefined && !keys.has(renamed.now) ? renamed.now : key);
      if (record !== undefined && record.id !== id) others.set(`${entity.name}.${record.key}`, id);
    }
  }
  return others;
};

const entitiesWithSeedRecords = (model: Model): readonly Entity[] =>
  [...model.entities.values()].filter(({ records }) => records.size > 0);

/** The column with the names of seed records. Every entity with seed records has one. */
const getKey = (entity: Entity): string => [...entity.fields.values()].find(({ isKey }) => isKey)?.name ?? "";

const getTable = (entity: Entity): Sql => sql`"app".${identifier(entity.table)}`;

const run = (query: RunQuery, fragment: Sql): Promise<readonly Row[]> => {
  const { text, parameters } = render(fragment);
  return query({ text, values: parameters.map((parameter) => (parameter.kind === "value" ? parameter.value : null)) });
};

const readSeedRows = async (
  query: RunQuery,
  table: string,
  column: string,
): Promise<readonly { readonly id: string; readonly key: string }[]> => {
  const key = identifier(column);
  const rows = await run(
    query,
    sql`select "id", ${key} as "key" from "app".${identifier(table)} where ${key} is not null`,
  );
  return rows.map((row) => ({ id: String(row.id), key: String(row.key) }));
};

export interface SeedChanges {
  /** The changes that were made. */
  readonly messages: readonly Message[];
  readonly refused: readonly RefusedChange[];
}

export const noSeedChanges: SeedChanges = { messages: [], refused: [] };

/**
 * Updates the seed records to match the document: creates new ones, updates changed ones, and deletes those no longer
 * listed. A record that is referred to or was edited stays, but is no longer offered. Each change is recorded in the
 * history under its clause, without a user. `changed`: the document differs from the previous version.
 */
export const syncSeedRecords = async (
  query: RunQuery,
  model: Model,
  version: number,
  changed: boolean,
): Promise<SeedChanges> => {
  const messages: Message[] = [];
  const refused: RefusedChange[] = [];
  const known = new Map<Entity, readonly { readonly id: string; readonly key: string }[]>();
  for (const entity of inOrder(entitiesWithSeedRecords(model))) {
    const rows = await readSeedRows(query, entity.table, getKey(entity));
    known.set(entity, rows);
    const storedKeys = new Set(rows.map(({ key }) => key));
    const fresh = [...entity.records.values()].filter(({ key }) => !storedKeys.has(key));
    const isCreated = await tryStep(query, entity.clause.id, refused, () =>
      createSeedRecords(query, model, entity, fresh, version),
    );
    if (isCreated) messages.push(...fresh.map(({ clause }) => say("step.record.added", { clause: clause.id })));
    for (const record of entity.records.values()) {
      if (!storedKeys.has(record.key)) continue;
      await tryStep(query, record.clause.id, refused, async () => {
        const written = await writeRecord(query, model, entity, record, version);
        if (written.length > 0)
          messages.push(say("step.record.changed", { clause: record.clause.id, fields: written.join(", ") }));
      });
    }
  }
  if (!changed) return { messages, refused };
  // Records that refer to others are deleted first.
  for (const entity of inOrder(entitiesWithSeedRecords(model)).toReversed())
    for (const { id, key } of known.get(entity) ?? [])
      if (!entity.records.has(key)) messages.push(await deleteSeedRecord(query, entity, id, key, version));
  return { messages, refused };
};

/** Entities sorted so that each comes after those that its seed records refer to. */
const inOrder = (entities: readonly Entity[]): readonly Entity[] => {
  const ordered: Entity[] = [];
  const waiting = [...entities];
  while (waiting.length > 0) {
    const at = waiting.findIndex((entity) =>
      [...entity.fields.values()].every(
        (field) => field.entity === entity.name || !waiting.some((other) => other.name === field.entity),
      ),
    );
    ordered.push(...waiting.splice(Math.max(at, 0), 1));
  }
  return ordered;
};

const VIOLATION = /^23/u;

/** Reports a step that does not fit stored data, and lets the others continue. */
const tryStep = async (
  query: RunQuery,
  clause: string,
  refused: RefusedChange[],
  work: () => Promise<unknown>,
): Promise<boolean> => {
  await query({ text: "savepoint kept", values: [] });
  try {
    await work();
    await query({ text: "release savepoint kept", values: [] });
    return true;
  } catch (error) {
    if (!(error instanceof StoreRefusal) || !VIOLATION.test(error.code)) throw error;
    await query({ text: "rollback to savepoint kept", values: [] });
    const same = error.code === "23505";
    refused.push(refuseChange(clause, say("refused.record", { clause, same, constraint: error.constraint ?? "" })));
    return false;
  }
};

/** SQL without a user, at the current time. */
const byNobody = (model: Model, fragment: Sql): Sql =>
  withSlots(fragment, {
    user: sql`'00000000-0000-0000-0000-000000000000'::uuid`,
    now: sql`date_trunc('milliseconds', now())`,
    today: sql`(now() AT TIME ZONE ${constant(model.timezone)})::date`,
  });

const valueSql = (field: Field, stored: Stored): Sql =>
  sql`${{ kind: "sql", parts: [{ kind: "value", value: stored, cast: typeOfColumn(field) }] }}`;

/** The first value of a field; `place`: that of the record among the `size` that are created. */
const findFirst = (
  model: Model,
  entity: Entity,
  field: Field,
  record: SeedRecordDefinition,
  [place, size]: readonly [number, number],
): Sql | undefined => {
  const stored = record.values.get(field.name);
  if (stored !== undefined) return valueSql(field, stored);
  if (field.isKey) return valueSql(field, record.key);
  if (field.type === "state") return valueSql(field, entity.states?.initial ?? null);
  const initial = field.set ?? field.default;
  const ownValue = (name: string): Sql => {
    const other = entity.fields.get(name);
    const value = other === undefined ? undefined : findFirst(model, entity, other, record, [place, size]);
    return value === undefined ? sql`NULL` : sql`(${value})`;
  };
  if (initial !== null && computedExpr(field) === null)
    return byNobody(model, toSql(initial, rowEnv(model, entity, ownValue, { hasColumn: isPlainColumn })).value);
  if (field.type === "boolean") return sql`false`;
  if (field.type === "position")
    return sql`(select coalesce(max(${identifier(field.name)}), 0) + 1 from ${getTable(entity)})`;
  if (field.type === "integer sequence" && !field.optional)
    return sql`${lastNumber(entity, field)} - ${constant(size - 1 - place)}`;
  return field.many ? sql`'{}'` : undefined;
};

const counterName = (entity: Entity, field: Field): Sql => constant(`${entity.table}.${field.name}`);

const lastNumber = (entity: Entity, field: Field): Sql =>
  sql`(select "last" from "ninefold"."sequence" where "field" = ${counterName(entity, field)} and "scope" = '{n}')`;

/** Draws numbers for new records, in their order. */
const drawNumbers = (entity: Entity, field: Field, size: number): Sql =>
  sql`insert into "ninefold"."sequence" as "counter" ("field", "scope", "last") values (${counterName(entity, field)}, '{n}', ${constant(size)}) on conflict ("field", "scope") do update set "last" = "counter"."last" + excluded."last"`;

const createSeedRecords = async (
  query: RunQuery,
  model: Model,
  entity: Entity,
  records: readonly SeedRecordDefinition[],
  version: number,
): Promise<void> => {
  if (records.length === 0) return;
  const fields = [...entity.fields.values()].filter(({ storage }) => storage.as === "column");
  for (const field of fields)
    if (field.type === "integer sequence" && !field.optional)
      await run(query, drawNumbers(entity, field, records.length));
  const rows = records.map(
    (record, place) =>
      sql`(${join([sql`${constant(record.id)}::uuid`, sql`1`, sql`now()`, sql`now()`, ...fields.map((field) => findFirst(model, entity, field, record, [place, records.length]) ?? sql`null::${typeSql(field)}`)], ", ")})`,
  );
  const columns = ["id", "version", "created_at", "updated_at", ...fields.map(({ name }) => name)];
  await run(
    query,
    sql`insert into ${getTable(entity)} (${join(columns.map(identifier), ", ")}) values ${join(rows, ", ")}`,
  );
  await updateStoredComputed(query, model, entity, records, null);
  for (const record of records)
    await writeAudit(query, {
      entity: entity.name,
      record: record.id,
      action: "create",
      clause: record.clause.id,
      version,
      changes: changesFrom(record, () => null),
    });
};

const typeSql = (field: Field): Sql => ({ kind: "sql", parts: [typeOfColumn(field)] });

/** Updates the stored computed fields, as every write of a record does. `changed`: null for new records. */
const updateStoredComputed = async (
  query: RunQuery,
  model: Model,
  entity: Entity,
  records: readonly SeedRecordDefinition[],
  changed: ReadonlySet<string> | null,
): Promise<void> => {
  const affected = changed === null ? null : new Set(findKeptAt(entity, "update", changed));
  for (const field of entity.fields.values()) {
    if (field.storage.as !== "stored" || affected?.has(field.name) === false) continue;
    const value = byNobody(model, toSql(field.storage.from, rowEnv(model, entity, entity.table)).value);
    await run(
      query,
      sql`update ${getTable(entity)} set ${identifier(field.name)} = ${value} where "id" in (${join(
        records.map(({ id }) => sql`${constant(id)}::uuid`),
        ", ",
      )})`,
    );
  }
};

/** Returns the fields that were written. */
const writeRecord = async (
  query: RunQuery,
  model: Model,
  entity: Entity,
  record: SeedRecordDefinition,
  version: number,
): Promise<readonly string[]> => {
  const assignments = [...record.values].flatMap(([name, stored]) => {
    const field = entity.fields.get(name);
    return field === undefined || !isStored(field) ? [] : [{ field, stored }];
  });
  if (assignments.length === 0) return [];
  const [row] = await run(
    query,
    sql`select ${join(
      assignments.flatMap(({ field, stored }) => [
        sql`${identifier(field.name)} is distinct from ${valueSql(field, stored)} as ${identifier(`is:${field.name}`)}`,
        sql`${inHistory(field)} as ${identifier(`was:${field.name}`)}`,
      ]),
      ", ",
    )} from ${getTable(entity)} where "id" = ${constant(record.id)}::uuid for no key update`,
  );
  const changed = assignments.filter(({ field }) => row?.[`is:${field.name}`] === true);
  if (changed.length === 0) return [];
  await run(
    query,
    sql`update ${getTable(entity)} set ${join([sql`"version" = "version" + 1`, sql`"updated_at" = now()`, ...changed.map(({ field, stored }) => sql`${identifier(field.name)} = ${valueSql(field, stored)}`)], ", ")} where "id" = ${constant(record.id)}::uuid`,
  );
  await updateStoredComputed(query, model, entity, [record], new Set(changed.map(({ field }) => field.name)));
  const names = changed.map(({ field }) => field.name);
  const changes = changesFrom(record, (name) => row?.[`was:${name}`] ?? null, names);
  const line = { entity: entity.name, record: record.id, clause: record.clause.id, version, changes };
  await writeAudit(query, { ...line, action: "update" });
  return names;
};

/** The form of values in the history: decimals as text. */
const inHistory = ({ name, type }: Field): Sql =>
  type === "decimal" || type === "money"
    ? sql`to_jsonb(trim_scale(${identifier(name)})::text)`
    : type === "json"
      ? sql`to_jsonb(${identifier(name)}::text)`
      : sql`to_jsonb(${identifier(name)})`;

const changesFrom = (
  record: SeedRecordDefinition,
  before: (field: string) => unknown,
  fields: Iterable<string> = record.values.keys(),
): Readonly<Record<string, unknown>> =>
  Object.fromEntries([...fields].map((name) => [name, [before(name), record.values.get(name) ?? null]]));

interface SeedRecordLine {
  readonly entity: string;
  readonly record: string;
  readonly action: "create" | "update" | "delete";
  readonly clause: string;
  readonly version: number;
  readonly changes: Readonly<Record<string, unknown>>;
}

const writeAudit = async (query: RunQuery, line: SeedRecordLine): Promise<void> => {
  const { entity, record, action, clause, version, changes } = line;
  await query({
    text: `insert into ninefold.audit (entity, record, action, clause, document, changes) values ($1, $2, $3, $4, $5, $6)`,
    values: [entity, record, action, clause, version, JSON.stringify(changes)],
  });
};

/** Deletes a seed record that the document no longer lists, unless it was edited or is referred to. */
const deleteSeedRecord = async (
  query: RunQuery,
  entity: Entity,
  id: string,
  key: string,
  version: number,
): Promise<Message> => {
  const clause = `3.${entity.name}.${key}`;
  const [touched] = await query({
    text: "select 1 from ninefold.audit where record = $1 and person is not null limit 1",
    values: [id],
  });
  if (touched !== undefined) return say("step.record.edited", { clause });
  await query({ text: "savepoint kept", values: [] });
  try {
    await run(query, sql`delete from ${getTable(entity)} where "id" = ${constant(id)}::uuid`);
    await query({ text: "release savepoint kept", values: [] });
    await writeAudit(query, { entity: entity.name, record: id, action: "delete", clause, version, changes: {} });
    return say("step.record.deleted", { clause });
  } catch (error) {
    if (!(error instanceof StoreRefusal) || !VIOLATION.test(error.code)) throw error;
    await query({ text: "rollback to savepoint kept", values: [] });
    return say("step.record.used", { clause });
  }
};
