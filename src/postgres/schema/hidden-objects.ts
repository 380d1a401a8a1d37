import { say } from "../../core/i18n/message.ts";
import { refuseChange } from "../../core/migration/migration-step.ts";
import { dropHidden, dropHiddenTable, HIDDEN, nextName } from "../../core/migration/phases.ts";
import { identifier, render, sql } from "../../core/sql.ts";
import { type Row, type RunQuery, StoreRefusal } from "../database.ts";

/*
 * Objects that a job created before its switch are identified by their comments and names alone, so that they can be
 * removed whatever happened to the job.
 */

/** Suffixes of the names of the triggers by which a job notices writes. */
export const touchTriggers = { insert: "ninefold#insert", update: "ninefold#update" } as const;

/** Statements that remove everything that an unfinished job created, each short. */
export const hiddenDrops = async (query: RunQuery): Promise<readonly string[]> => {
  const columns = await query({
    text: `select c.relname as table, a.attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
           where c.relnamespace = 'app'::regnamespace and col_description(c.oid, a.attnum) = $1`,
    values: [HIDDEN],
  });
  const constraints = await query({
    text: "select relname as name from pg_class c where relnamespace = 'app'::regnamespace and relkind = 'r' and obj_description(c.oid, 'pg_class') = $1",
    values: [HIDDEN],
  });
  const indexes = await query({
    text: `select c.relname as table, i.relname as name from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class c on c.oid = x.indrelid
           where c.relnamespace = 'app'::regnamespace and i.relname like '%#next'`,
    values: [],
  });
  const tables = new Set([...indexes, ...columns].map((row) => String(row.table)));
  const named = (rows: readonly Row[], table: string) =>
    rows.filter((row) => row.table === table).map(({ name }) => String(name));
  return [
    ...constraints.map(({ name }) => dropHiddenTable(String(name))),
    ...[...tables].flatMap((name) => dropHidden({ name }, named(columns, name), named(indexes, name))),
    ...(await triggerDrops(query)),
  ];
};

/**
 * Deletes the former values of columns for which an unfinished job wrote new values into a second column: the live
 * columns still have those values.
 */
export const forgetFormer = async (query: RunQuery): Promise<void> => {
  const columns = await query({
    text: `select id, table_name as table, column_name as name from ninefold.former_column c
           where exists (select from ninefold.former_value where column_id = c.id and version > (select coalesce(max(number), 0) from ninefold.version))`,
    values: [],
  });
  for (const { id, table, name } of columns)
    if (await isHidden(query, String(table), nextName(String(name))))
      await query({
        text: `delete from ninefold.former_value where column_id = $1
               and version > (select coalesce(max(number), 0) from ninefold.version)`,
        values: [id],
      });
};

/** Statements that remove the triggers by which a job notices writes. */
const triggerDrops = async (query: RunQuery): Promise<readonly string[]> => {
  const rows = await query({
    text: `select c.relname as table, t.tgname as name from pg_trigger t join pg_class c on c.oid = t.tgrelid
           where c.relnamespace = 'app'::regnamespace and t.tgname = any ($1)`,
    values: [Object.values(touchTriggers)],
  });
  return rows.map(
    (row) =>
      render(sql`drop trigger if exists ${identifier(String(row.name))} on "app".${identifier(String(row.table))}`)
        .text,
  );
};

/** Ends a job whose version can no longer be published, because another version was. */
export const abandonUnfinished = async (query: RunQuery): Promise<void> => {
  const rows = await query({
    text: `update ninefold.job set state = 'abandoned', ended_at = now(), source = '', refused = $1
           where state in ('running', 'paused', 'failed', 'abandoning') and version is null returning id`,
    values: [JSON.stringify([{ ...refuseChange("", say("refused.superseded", {})), records: [] }])],
  });
  if (rows.length === 0) return;
  await forgetFormer(query);
  for (const text of await hiddenDrops(query)) await query({ text, values: [] });
  await query({ text: "delete from ninefold.touched", values: [] });
};

/**
 * Does what a job left for after its switch, before another version changes what that was meant for. A job that is
 * resumed later finds nothing left.
 */
export const finishPublished = async (query: RunQuery): Promise<void> => {
  const [job] = await query({
    text: "select id, later from ninefold.job where state in ('running', 'paused', 'failed') and version is not null for update",
    values: [],
  });
  if (job === undefined) return;
  for (const text of job.later as readonly string[]) {
    await query({ text: "savepoint later", values: [] });
    await query({ text, values: [] }).catch(async (error: unknown) => {
      // An object that is no longer there needs nothing.
      if (!(error instanceof StoreRefusal) || !error.code.startsWith("42")) throw error;
      await query({ text: "rollback to savepoint later", values: [] });
    });
  }
  for (const text of await hiddenDrops(query)) await query({ text, values: [] });
  await query({ text: "delete from ninefold.touched", values: [] });
  await query({
    text: "update ninefold.job set state = 'done', later = '[]', ended_at = now(), source = '' where id = $1",
    values: [job.id],
  });
};

/** True if an unfinished job created the table. */
export const isHiddenTable = async (query: RunQuery, name: string): Promise<boolean> => {
  const [row] = await query({
    text: "select obj_description(c.oid, 'pg_class') = $2 as hidden from pg_class c where relnamespace = 'app'::regnamespace and relkind = 'r' and relname = $1",
    values: [name, HIDDEN],
  });
  return row?.hidden === true;
};

/** True if an unfinished job added the column. */
export const isHidden = async (query: RunQuery, table: string, column: string): Promise<boolean> => {
  const [row] = await query({
    text: `select col_description(a.attrelid, a.attnum) = $3 as hidden from pg_attribute a join pg_class c on c.oid = a.attrelid
           where c.relnamespace = 'app'::regnamespace and c.relname = $1 and a.attname = $2 and not a.attisdropped`,
    values: [table, column, HIDDEN],
  });
  return row?.hidden === true;
};
