import pg from "pg";
import type {
  DatabaseColumn,
  DatabaseTable,
  SeenColumns,
  SeenValues,
} from "../../core/draft/database/database-table.ts";
import { findJoinKeys, type MostRows } from "../../core/draft/database/join-tables.ts";
import { CommandFailed, exits } from "../exit-codes.ts";

/** A document of more entities is nothing that an author reads. */
const MOST_TABLES = 300;

/** Rows in which values are looked at. */
const ROWS_SEEN = 10_000;

/** Longer texts do not fit a line. */
const LONGEST_LINE = 1000;

export interface ReadDatabaseOptions {
  readonly url: string;
  /** Names of schemas; all except those of Postgres if there are none. */
  readonly schemas: readonly string[];
  /** Names of tables, or `schema.table`; all if there are none. */
  readonly tables: readonly string[];
}

/** The tables of a database, and facts about the values in it. */
export interface DatabaseContent {
  readonly name: string;
  readonly tables: readonly DatabaseTable[];
  readonly seen: SeenColumns;
  readonly most: MostRows;
}

// The rows of a table whose columns are all inherited are rows of the tables from which it inherits: it is an older partition.
const TABLES = `
  select n.nspname as schema, c.relname as name, c.oid::text as id, obj_description(c.oid, 'pg_class') as comment
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where c.relkind in ('r', 'p') and not c.relispartition
    and (not exists (select from pg_inherits i where i.inhrelid = c.oid)
      or exists (select from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attinhcount = 0))
    and n.nspname !~ '^pg_' and n.nspname <> 'information_schema'
    and (cardinality($1::text[]) = 0 or n.nspname = any ($1))
    and (cardinality($2::text[]) = 0 or c.relname = any ($2) or n.nspname || '.' || c.relname = any ($2))
    and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
  order by n.nspname <> 'public', n.nspname, c.relname
  limit ${MOST_TABLES + 1}`;

const COLUMNS = `
  with recursive base(id, type, modifier, root) as (
    select t.oid, t.oid, -1, t.oid from pg_type t where t.typtype = 'd'
    union all
    select b.id, t.typbasetype, t.typtypmod, t.typbasetype from base b join pg_type t on t.oid = b.type
    where t.typtype = 'd'
  ), resolved as (
    select b.id, b.type, b.modifier from base b join pg_type t on t.oid = b.type where t.typtype <> 'd'
  )
  select a.attrelid::text as table_id, a.attname as name,
    format_type(coalesce(r.type, a.atttypid), case when r.type is null then a.atttypmod else r.modifier end) as type,
    a.attnotnull or coalesce(d.typnotnull, false) as is_required,
    col_description(a.attrelid, a.attnum) as comment,
    pg_get_expr(f.adbin, f.adrelid, true) as "default",
    case when a.attgenerated <> '' then 'generated'
      when a.attidentity <> '' or pg_get_expr(f.adbin, f.adrelid) ~ '^(nextval|gen_random_uuid|uuid_generate_v|uuidv)'
      then 'numbered' else 'entered' end as fill,
    (select array_agg(e.enumlabel::text order by e.enumsortorder) from pg_enum e
      join pg_type t on t.oid = coalesce(r.type, a.atttypid) where e.enumtypid in (t.oid, t.typelem)) as labels,
    (select array_agg(pg_get_expr(c.conbin, 0, true) order by c.conname) from pg_constraint c
      where c.contypid = a.atttypid and c.contype = 'c') as domain_checks
  from pg_attribute a
  left join resolved r on r.id = a.atttypid
  left join pg_type d on d.oid = a.atttypid and d.typtype = 'd'
  left join pg_attrdef f on f.adrelid = a.attrelid and f.adnum = a.attnum
  where a.attrelid = any ($1::oid[]) and a.attnum > 0 and not a.attisdropped
  order by a.attrelid, a.attnum`;

const CONSTRAINTS = `
  select c.conrelid::text as table_id, c.conname as name, c.contype as kind,
    pg_get_constraintdef(c.oid, true) as definition, pg_get_expr(c.conbin, c.conrelid, true) as condition,
    n.nspname || '.' || t.relname as target,
    array(select a.attname::text from unnest(c.conkey) with ordinality k(n, at)
      join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.n order by at) as columns,
    array(select a.attname::text from unnest(c.confkey) with ordinality k(n, at)
      join pg_attribute a on a.attrelid = c.confrelid and a.attnum = k.n order by at) as target_columns
  from pg_constraint c
  left join pg_class t on t.oid = c.confrelid left join pg_namespace n on n.oid = t.relnamespace
  where c.conrelid = any ($1::oid[]) and c.contype in ('p', 'f', 'c', 'x') and c.conparentid = 0
  order by c.conrelid, c.conname`;

const INDEXES = `
  select i.indrelid::text as table_id, c.relname as name, i.indnullsnotdistinct as missing_is_same,
    i.indpred is null and i.indexprs is null as is_plain, pg_get_indexdef(i.indexrelid) as definition,
    array(select a.attname::text from unnest(i.indkey[0:i.indnkeyatts - 1]) with ordinality k(n, at)
      join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.n order by at) as columns
  from pg_index i join pg_class c on c.oid = i.indexrelid
  where i.indrelid = any ($1::oid[]) and i.indisunique and not i.indisprimary
  order by i.indrelid, c.relname`;

type Row = Readonly<Record<string, unknown>>;

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const texts = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);

const groupByTable = (rows: readonly Row[]): ReadonlyMap<string, readonly Row[]> => {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const id = String(row.table_id);
    const group = groups.get(id);
    if (group === undefined) groups.set(id, [row]);
    else group.push(row);
  }
  return groups;
};

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const isText = (type: string): boolean =>
  /^(?:text|citext|character varying(?:\(\d+\))?|character\(\d+\))$/u.test(type);

const isTime = (type: string): boolean => type.startsWith("timestamp") && type.endsWith("without time zone");

/** Facts about a column as SQL, under names that end with its place. */
const factsOf = ({ name, type }: DatabaseColumn, at: number): string => {
  const own = quoted(name);
  if (isTime(type))
    return `0 as e${at}, false as l${at}, case when bool_and(${own} = date_trunc('day', ${own})) then 'date' end as f${at}`;
  const value = `${own}::text`;
  const isEach = (pattern: string): string => `bool_and(${value} ~* '${pattern}') filter (where ${value} <> '')`;
  return `count(*) filter (where ${value} = '')::int as e${at},
      coalesce(bool_or(${value} ~ E'[\\n\\r]' or length(${value}) > ${LONGEST_LINE}), false) as l${at},
      case when ${isEach("^[^\\s@,;]+@[^\\s@,;]+\\.[a-z]{2,}$")} then 'email'
        when ${isEach("^https?://[^\\s]+$")} then 'url' end as f${at}`;
};

const forms = ["email", "url", "date"] as const;

/** Looks at the texts and times of a table in one query. */
const seeValues = async (
  client: pg.Client,
  table: DatabaseTable,
): Promise<readonly (readonly [string, SeenValues])[]> => {
  const columns = table.columns.filter(({ type, labels }) => (isText(type) || isTime(type)) && labels === undefined);
  if (columns.length === 0) return [];
  const facts = columns.map(factsOf);
  const from = `(select ${columns.map(({ name }) => quoted(name)).join(", ")} from ${quoted(table.schema)}.${quoted(table.name)} limit ${ROWS_SEEN}) as t`;
  // A role may read the catalogue and not the rows: then nothing is said about values.
  await client.query("savepoint values_seen");
  try {
    const { rows } = await client.query(`select count(*)::int as rows, ${facts.join(", ")} from ${from}`);
    const row = rows[0] as Row;
    return columns.map(({ name }, at) => [
      `${table.schema}.${table.name}.${name}`,
      {
        rows: Number(row.rows),
        empty: Number(row[`e${at}`]),
        isLong: row[`l${at}`] === true,
        form: forms.find((form) => row[`f${at}`] === form),
      },
    ]);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    await client.query("rollback to savepoint values_seen");
    return [];
  }
};

/** Counts the rows of a table that connects two others, for each of their records. */
const countJoins = async (client: pg.Client, table: DatabaseTable): Promise<readonly (readonly [string, number])[]> => {
  const columns = (findJoinKeys(table) ?? []).flatMap((key) => key.columns);
  if (columns.length === 0) return [];
  const most = columns.map(
    (column, at) =>
      `(select coalesce(max(rows), 0)::int from (select count(*) as rows from ${quoted(table.schema)}.${quoted(table.name)} group by ${quoted(column)}) t) as c${at}`,
  );
  await client.query("savepoint joins");
  try {
    const { rows } = await client.query(`select ${most.join(", ")}`);
    const row = rows[0] as Row;
    return columns.map((column, at) => [`${table.schema}.${table.name}.${column}`, Number(row[`c${at}`])]);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    await client.query("rollback to savepoint joins");
    return [];
  }
};

const readTables = async (
  client: pg.Client,
  { schemas, tables }: ReadDatabaseOptions,
): Promise<readonly DatabaseTable[]> => {
  const found = (await client.query(TABLES, [schemas, tables])).rows as Row[];
  const ids = [found.map(({ id }) => id)];
  const byTable = {
    columns: groupByTable((await client.query(COLUMNS, ids)).rows),
    constraints: groupByTable((await client.query(CONSTRAINTS, ids)).rows),
    indexes: groupByTable((await client.query(INDEXES, ids)).rows),
  };
  return found.map((table): DatabaseTable => {
    const id = String(table.id);
    const own = byTable.constraints.get(id) ?? [];
    const keys = byTable.indexes.get(id) ?? [];
    return {
      schema: String(table.schema),
      name: String(table.name),
      comment: text(table.comment),
      columns: (byTable.columns.get(id) ?? []).map((column) => ({
        name: String(column.name),
        type: String(column.type),
        labels: column.labels === null ? undefined : texts(column.labels),
        isRequired: column.is_required === true,
        comment: text(column.comment),
        default: text(column.default),
        fill: column.fill === "generated" || column.fill === "numbered" ? column.fill : "entered",
        domainChecks: texts(column.domain_checks),
      })),
      primaryKey: texts(own.find(({ kind }) => kind === "p")?.columns),
      unique: keys
        .filter((key) => key.is_plain === true)
        .map((key) => ({
          name: String(key.name),
          columns: texts(key.columns),
          missingIsSame: key.missing_is_same === true,
        })),
      foreignKeys: own
        .filter(({ kind }) => kind === "f")
        .map((key) => ({
          name: String(key.name),
          columns: texts(key.columns),
          to: String(key.target),
          toColumns: texts(key.target_columns),
        })),
      checks: own
        .filter(({ kind }) => kind === "c")
        .map((check) => ({ name: String(check.name), sql: String(check.condition) })),
      others: [...own.filter(({ kind }) => kind === "x"), ...keys.filter((key) => key.is_plain !== true)].map(
        ({ name, definition }) => ({ name: String(name), sql: String(definition) }),
      ),
    };
  });
};

const refuse = (message: string, hint: string, cause?: unknown): CommandFailed =>
  new CommandFailed(exits.databaseRefused, message, hint, cause);

/** The address without its password, for sentences. */
const withoutPassword = (url: string): string => {
  try {
    const address = new URL(url);
    return `${address.protocol}//${address.host}${address.pathname}`;
  } catch {
    return "the database";
  }
};

/** True for an address of a Postgres database. */
export const isDatabaseAddress = (from: string): boolean => /^postgres(?:ql)?:\/\//u.test(from);

/** Works in one transaction that cannot write. Throws one sentence if the database refuses. */
export const readOnly = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const place = withoutPassword(url);
  let client: pg.Client;
  try {
    client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: 10_000,
      application_name: "ninefold draft",
      options:
        "-c default_transaction_read_only=on -c statement_timeout=60000 -c TimeZone=UTC -c DateStyle=ISO -c IntervalStyle=iso_8601",
    });
    await client.connect();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw refuse(`Can’t connect to ${place}: ${why}`, "Check the address, the name and the password.", error);
  }
  try {
    await client.query("begin transaction isolation level repeatable read read only");
    return await work(client);
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error;
    throw refuse(`${place} refused to be read: ${error.message}`, "Use a role that can read the tables.", error);
  } finally {
    await client.end().catch(() => undefined);
  }
};

/** Reads the tables of a Postgres database, their constraints, and facts about values. Writes nothing. */
export const readDatabase = (options: ReadDatabaseOptions): Promise<DatabaseContent> =>
  readOnly(options.url, async (client) => {
    const place = withoutPassword(options.url);
    const tables = await readTables(client, options);
    if (tables.length > MOST_TABLES)
      throw refuse(
        `${place} has more than ${MOST_TABLES} tables.`,
        "Nobody reads a specification of so many entities. Name the tables of one application with --table, or a schema with --schema.",
      );
    if (tables.length === 0)
      throw refuse(
        `${place} has no tables${options.schemas.length + options.tables.length > 0 ? " of these names" : ""}.`,
        "Check the database, --schema and --table.",
      );
    const seen = new Map<string, SeenValues>();
    for (const table of tables) for (const [column, facts] of await seeValues(client, table)) seen.set(column, facts);
    const most = new Map<string, number>();
    for (const table of tables) for (const [column, rows] of await countJoins(client, table)) most.set(column, rows);
    const { rows } = await client.query("select current_database() as name");
    return { name: String((rows[0] as Row).name), tables, seen, most };
  });
