import type pg from "pg";
import { hiddenComments } from "../../core/migration/phases.ts";
import { identifier, join, render, type Sql, sql } from "../../core/sql.ts";
import { buildSettings, type ConnectOptions } from "../database.ts";
import { createOpener } from "../driver/open-client.ts";

/** The first frame of a backup. */
export interface Header {
  readonly made_at: string;
  readonly document: { readonly number: number; readonly file: string; readonly source: string };
  /** Number of steps that the system tables of the database had taken. */
  readonly steps: number;
  readonly demonstration: boolean;
  readonly sequences: readonly { readonly schema: string; readonly name: string; readonly value: number }[];
}

/** A table and its columns, before its rows. */
export interface TableHead {
  readonly schema: string;
  readonly name: string;
  readonly columns: readonly string[];
}

/** Credentials and attempt counters. An old copy must not let anybody in, nor must data saved by an older release. */
export const grantingAccess = [
  "session",
  "token",
  "once_link",
  "sign_up",
  "mail",
  "address_change",
  "attempt",
  "mail_transition",
];

/**
 * Recreated on restore: the number of system steps, the secret that signs cookies, and the running previews. A version
 * that is being published is not in the backup, so its job is not either.
 */
const excludedTables = [
  ...grantingAccess,
  "secret",
  "release",
  "preview",
  "job",
  "touched",
  "import_part",
  "unused_object",
];

export const openForCopy = async (connection: ConnectOptions["connection"]): Promise<pg.Client> => {
  // A dump has no time limit.
  const options = Object.entries({ ...buildSettings(0), idle_in_transaction_session_timeout: "0" })
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ");
  return createOpener(connection, { options, application_name: "ninefold backup" })();
};

export const textOf = (fragment: Sql): string => render(fragment).text;

export const tableName = ({ schema, name }: { readonly schema: string; readonly name: string }): Sql =>
  sql`${identifier(schema)}.${identifier(name)}`;

export const listColumnsSql = ({ columns }: TableHead): Sql => join(columns.map(identifier), ", ");

export const readTables = async (client: pg.Client): Promise<readonly TableHead[]> => {
  const { rows } = await client.query<{ schema: string; name: string; columns: string[] }>(
    `select n.nspname as schema, c.relname as name,
            coalesce((select array_agg(a.attname::text order by a.attnum) from pg_attribute a
                      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
                        and coalesce(col_description(a.attrelid, a.attnum), '') <> all($2)
                        and (n.nspname, c.relname, a.attname) <> ('ninefold', 'file', 'object')
                        and coalesce(col_description(a.attrelid, a.attnum), '') not like '{%"byTrigger":%'), '{}') as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind in ('r', 'p') and not c.relispartition and coalesce(obj_description(c.oid, 'pg_class'), '') <> all($2) and (n.nspname = 'app' or n.nspname = 'ninefold' and c.relname <> all($1))
     order by n.nspname desc, c.relname`,
    [excludedTables, hiddenComments],
  );
  return rows;
};

export const readSequences = async (client: pg.Client): Promise<Header["sequences"]> => {
  const { rows } = await client.query<{ schema: string; name: string; value: string }>(
    `select schemaname as schema, sequencename as name, last_value as value from pg_sequences
     where schemaname in ('app', 'ninefold') and last_value is not null`,
  );
  return rows.map(({ schema, name, value }) => ({ schema, name, value: Number(value) }));
};
