import type { Trigrams } from "../core/derive/tables.ts";
import type { Database, Query, Row } from "./database.ts";

/** With fewer rows a search reads them all sooner than a write keeps an index of them. */
const LARGE = 50_000;

/** The extension, where the database lets it be made. Without it a search reads what it looks through. */
export const TRIGRAMS = `do $trigrams$ begin
  create extension if not exists pg_trgm with schema ninefold;
exception when others then null;
end $trigrams$`;

/** Where texts are, or are to be, searched by trigrams; null where the database has none. A table that has its indexes keeps them. */
export const trigramsIn = async (query: (query: Query) => Promise<readonly Row[]>): Promise<Trigrams | null> => {
  const [extension] = await query({
    text: "select extnamespace::regnamespace::text as schema from pg_extension where extname = 'pg_trgm'",
    values: [],
  });
  if (extension === undefined) return null;
  const rows = await query({
    text: `select c.relname as name from pg_class c where c.relnamespace = 'app'::regnamespace and c.relkind = 'r'
           and (c.reltuples >= $1 or c.relname = any($2))`,
    values: [LARGE, [...(await searchedIn(query))]],
  });
  return { schema: String(extension.schema), tables: new Set(rows.map(({ name }) => String(name))) };
};

/** What to say at the start where a search reads large tables, and the database has not what would spare it that. */
export const slowSearches = async (query: Database["query"]): Promise<readonly string[]> => {
  const [row] = await query({
    text: `select not exists (select from pg_extension where extname = 'pg_trgm') and exists (
             select from pg_class c where c.relnamespace = 'app'::regnamespace and c.relkind = 'r' and c.reltuples >= $1) as slow`,
    values: [LARGE],
  });
  return row?.slow === true
    ? ["a search reads whole tables: the database has no pg_trgm, and its owner may not make it"]
    : [];
};

/** The tables whose texts have indexes of their trigrams. */
export const searchedIn = async (query: Database["query"]): Promise<ReadonlySet<string>> => {
  const rows = await query({
    text: `select distinct c.relname as name from pg_index x join pg_class c on c.oid = x.indrelid and c.relnamespace = 'app'::regnamespace
           join pg_opclass o on o.oid = any(x.indclass::oid[]) where o.opcname = 'gin_trgm_ops' and x.indisvalid`,
    values: [],
  });
  return new Set(rows.map(({ name }) => String(name)));
};
