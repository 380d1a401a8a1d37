import { onTestFinished } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import { unpackSources } from "../../../src/core/document/sources.ts";
import { connect, StoreAway } from "../../../src/postgres/database.ts";
import { createJob, JOB_LOCK } from "../../../src/postgres/job/job-store.ts";
import { type JobOptions, runJob } from "../../../src/postgres/job/run-job.ts";
import { CHANGE_TIMEOUT } from "../../../src/postgres/schema/apply-document.ts";
import type { TestDatabase } from "../../postgres.ts";
import { compiled } from "../program.ts";

/** Rows and definitions of a database, written so that it makes no difference how its versions were published. */
export const everything = async (store: TestDatabase): Promise<unknown> => {
  const texts = [
    // Computed columns of large tables are computed by triggers.
    `select c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
       case when note like '{"clause":%"generated":%' then note::jsonb - 'byTrigger' || '{"is": "computed"}' else to_jsonb(note) end as note,
       case when note like '{"clause":%"generated":%' then null else pg_get_expr(d.adbin, d.adrelid) end as initial
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
       cross join lateral (select col_description(c.oid, a.attnum) as note) noted
       where c.relnamespace = 'app'::regnamespace and c.relkind = 'r' and coalesce(note, '') <> 'ninefold#checked' order by 1, 2`,
    // A constraint without overlap of a large table holds for the rows of a column of its own.
    `select conrelid::regclass::text as on, case when contype <> 'n' then conname end as name, convalidated, condeferrable, case when contype <> 'x' then pg_get_constraintdef(k.oid) end as says, obj_description(k.oid) as note
       from pg_constraint k where k.connamespace = 'app'::regnamespace order by 1, 2, 5`,
    `select indexdef, obj_description(format('app.%I', indexname)::regclass) from pg_indexes where schemaname = 'app' and indexname not in (select conname from pg_constraint where contype = 'x') order by 1`,
    `select tgrelid::regclass::text, tgname from pg_trigger where not tgisinternal and tgrelid::regclass::text like 'app.%' and tgname not like '%#%' order by 1, 2`,
    // The steps of a version follow the order of the columns, which a replaced column changes.
    "select number, hash, (select jsonb_agg(one order by one::text) from jsonb_array_elements(done) one) as done, note from ninefold.version order by 1",
    "select kind, entity, field, table_name, column_name, version from ninefold.retired order by 1, 2, 3, 6",
    "select table_name, column_name, record, before, after, version from ninefold.former_value join ninefold.former_column c on c.id = column_id order by 1, 2, 3, 6",
    "select count(*) from ninefold.touched",
    "select field, scope, last from ninefold.sequence order by 1, 2",
  ];
  const { rows: tables } = await store.query(
    `select relname as name, coalesce(obj_description(oid), '') like '%"kept":%' as derived from pg_class where relnamespace = 'app'::regnamespace and relkind = 'r' order by 1`,
  );
  const found: unknown[] = [];
  for (const text of [
    ...texts,
    ...tables.map(
      ({ name, derived }) =>
        `select to_jsonb(t)${derived === true ? " - 'version'" : ""} - 'created_at' - 'updated_at' - 'state_since' - array(select key from jsonb_object_keys(to_jsonb(t)) as key where key like '%#checked') as row from app."${String(name)}" t order by 1`,
    ),
  ])
    found.push((await store.query(text)).rows);
  return found;
};

export const ownerOf = (store: TestDatabase) => {
  const owner = connect({ connection: store.url, max: 1, statementTimeout: CHANGE_TIMEOUT });
  onTestFinished(() => owner.end());
  return owner;
};

export const options: JobOptions = { compile: (packed) => Promise.resolve(compile(unpackSources(packed))), large: 100 };

/** Publishes a text in phases. */
export const publish = async (owner: ReturnType<typeof ownerOf>, text: string, more: Partial<JobOptions> = {}) => {
  const { source } = compiled(text, "shop.md");
  const [last] = await owner.query({
    text: "select hash from ninefold.version order by number desc limit 1",
    values: [],
  });
  await createJob((work) => owner.transaction(work), { source, base: String(last?.hash), person: null, note: "" });
  return runJob(owner, { ...options, ...more });
};

/** Ends the connection that works on the job, as a kill of its process or of the database does. */
export const kill = (store: TestDatabase) =>
  store.query(
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = ${JOB_LOCK} and granted
       and database = (select oid from pg_database where datname = current_database())`,
  );

/** Works on the job again until it ends, as servers do when it has been silent. */
export const resumed = async (store: TestDatabase, more: Partial<JobOptions> = {}) => {
  for (;;) {
    const owner = connect({ connection: store.url, max: 1, statementTimeout: CHANGE_TIMEOUT });
    try {
      const result = await runJob(owner, { ...options, ...more });
      if (result !== undefined) return result.job;
    } catch (error) {
      if (!(error instanceof StoreAway)) throw error;
    } finally {
      await owner.end();
    }
  }
};
