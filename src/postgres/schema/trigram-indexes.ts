import { buildTables } from "../../core/derive/tables/tables.ts";
import type { Trigrams } from "../../core/derive/tables/trigram-indexes.ts";
import { type Message, say } from "../../core/i18n/message.ts";
import { type ConcurrentIndex, indexesToBuild, tablesWithIndexes } from "../../core/migration/concurrent-indexes.ts";
import type { Model } from "../../core/model/model.ts";
import { type ConnectOptions, connect, type Database, type RunQuery } from "../database.ts";
import { introspect } from "./introspect.ts";

/** Below this number of rows, reading them all is cheaper than maintaining an index with each write. */
const LARGE = 50_000;

/** Creates the extension if the database allows it. Without it, a search reads all rows that it covers. */
export const TRIGRAMS = `do $trigrams$ begin
  create extension if not exists pg_trgm with schema ninefold;
exception when others then null;
end $trigrams$`;

/**
 * The tables with a trigram index or in need of one; null if the database lacks the extension. A table with such an
 * index keeps it.
 */
export const trigramsIn = async (query: RunQuery): Promise<Trigrams | null> => {
  const [extension] = await query({
    text: "select extnamespace::regnamespace::text as schema from pg_extension where extname = 'pg_trgm'",
    values: [],
  });
  if (extension === undefined) return null;
  const rows = await query({
    text: `select c.relname as name from pg_class c where c.relnamespace = 'app'::regnamespace and c.relkind = 'r'
           and (c.reltuples >= $1 or exists (
             select from pg_index x join pg_opclass o on o.oid = any(x.indclass::oid[])
             where x.indrelid = c.oid and x.indisvalid and o.opcname = 'gin_trgm_ops'))`,
    values: [LARGE],
  });
  return { schema: String(extension.schema), tables: new Set(rows.map(({ name }) => String(name))) };
};

/** Warnings at start if searches read large tables and the database lacks trigram indexes. */
export const slowSearches = async (query: Database["query"]): Promise<readonly Message[]> => {
  const [row] = await query({
    text: `select not exists (select from pg_extension where extname = 'pg_trgm') and exists (
             select from pg_class c where c.relnamespace = 'app'::regnamespace and c.relkind = 'r' and c.reltuples >= $1) as slow`,
    values: [LARGE],
  });
  return row?.slow === true ? [say("step.searches", {})] : [];
};

/** The trigram indexes of a document. */
export interface Searches {
  /** The tables whose texts are indexed. */
  readonly searched: ReadonlySet<string>;
  /** The indexes that are still missing. */
  readonly missing: readonly ConcurrentIndex[];
}

export const searchesIn = async (query: RunQuery, model: Model): Promise<Searches> => {
  const desired = buildTables(model, await trigramsIn(query));
  const actual = await introspect(query);
  return { searched: tablesWithIndexes(actual, desired), missing: indexesToBuild(actual, desired) };
};

/** Advisory lock of the connection that is building indexes. */
const MAKING = 9_090_011;

const DAY = 86_400_000;

/**
 * Builds the missing trigram indexes one by one, without blocking writes. Among several servers one does it; the others
 * get `false`. Throws if an index cannot be built or building was halted (`haltTrigramIndexes`); finished indexes remain.
 */
export const buildTrigramIndexes = async (
  connection: ConnectOptions["connection"],
  model: Model,
  signal: AbortSignal,
): Promise<boolean> => {
  const owner = connect({ connection, max: 1, statementTimeout: DAY });
  const execute = (text: string) => owner.query({ text, values: [] });
  const halt = () => void haltSafely(connection);
  try {
    const [lock] = await execute(`select pg_try_advisory_lock(${MAKING}) as held`);
    if (lock?.held !== true) return false;
    // Building waits for transactions that began earlier; only this connection waits for them.
    await execute("set lock_timeout = 0");
    signal.addEventListener("abort", halt);
    for (const { drop, make, note } of (await searchesIn(owner.query, model)).missing) {
      signal.throwIfAborted();
      // An index whose building was interrupted is invalid and of no use.
      await execute(drop);
      await execute(make);
      await execute(note);
    }
    return true;
  } finally {
    signal.removeEventListener("abort", halt);
    await owner.end();
  }
};

/** Stops index building in this database, so that a schema change need not wait for it. Building starts again later. */
export const haltTrigramIndexes = async (query: RunQuery): Promise<void> => {
  await query({
    text: `select pg_cancel_backend(pid) from pg_locks
           where locktype = 'advisory' and objid = ${MAKING} and granted and pid <> pg_backend_pid()
             and database = (select oid from pg_database where datname = current_database())`,
    values: [],
  });
};

const haltSafely = async (connection: ConnectOptions["connection"]): Promise<void> => {
  const owner = connect({ connection, max: 1 });
  await haltTrigramIndexes(owner.query)
    .catch(() => undefined)
    .finally(() => owner.end());
};
