import type { TestDatabase } from "../postgres.ts";

/** All rows of the document's tables, by table, and the definitions of these tables. */
export interface Stored {
  readonly rows: Readonly<Record<string, unknown>>;
  readonly found: readonly unknown[];
}

const definitions = [
  `select c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid), col_description(c.oid, a.attnum)
     from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
     where c.relnamespace = 'app'::regnamespace and c.relkind = 'r' order by 1, 2`,
  "select conname, pg_get_constraintdef(oid), obj_description(oid) from pg_constraint where connamespace = 'app'::regnamespace order by 1",
  "select indexdef from pg_indexes where schemaname = 'app' order by 1",
  // A history has partitions once a server has started.
  "select tgrelid::regclass::text as table, tgname from pg_trigger join pg_class c on c.oid = tgrelid where not tgisinternal and not c.relispartition order by 1, 2",
  "select proname, prosrc from pg_proc where pronamespace = 'app'::regnamespace order by 1",
];

export const readStored = async (on: Pick<TestDatabase, "query">): Promise<Stored> => {
  const { rows: tables } = await on.query(
    `select relname as name, coalesce(obj_description(oid), '') like '%"kept":%' as derived from pg_class where relnamespace = 'app'::regnamespace and relkind = 'r' order by 1`,
  );
  const rows: Record<string, unknown> = {};
  for (const { name, derived } of tables) {
    // Derived rows contain the time at which they were derived.
    const row = derived === true ? "to_jsonb(t) - 'created_at' - 'updated_at' - 'version'" : "to_jsonb(t)";
    rows[String(name)] = (
      await on.query(`select ${row} as row from app."${String(name)}" t order by to_jsonb(t)::text`)
    ).rows;
  }
  const found: unknown[] = [];
  for (const definition of definitions) found.push((await on.query(definition)).rows);
  return { rows, found };
};

/** The statement that inserts a row of a table of the document. */
export const insertSql = (table: string, row: Readonly<Record<string, unknown>>): string => {
  const values = { version: 1, created_at: "2026-01-01", updated_at: "2026-01-01", ...row };
  const names = Object.keys(values)
    .map((name) => `"${name}"`)
    .join();
  const json = `'${JSON.stringify(values).replaceAll("'", "''")}'::jsonb`;
  return `insert into app."${table}" (${names}) select ${names} from jsonb_populate_record(null::app."${table}", ${json})`;
};

/** Deletes all retired data, as an administrator can. */
export const dropRetired = async (on: Pick<TestDatabase, "query">): Promise<void> => {
  const { rows } = await on.query("select kind, table_name, column_name from ninefold.retired order by kind desc");
  for (const { kind, table_name: table, column_name: column } of rows)
    await on.query(
      kind === "entity"
        ? `drop table app."${String(table)}"`
        : `alter table app."${String(table)}" drop column "${String(column)}"`,
    );
};
