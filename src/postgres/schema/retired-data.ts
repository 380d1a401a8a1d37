import { formerOfRetired } from "../../core/migration/aside-names.ts";
import { dropFormer } from "../../core/migration/former-values.ts";
import type { Retired } from "../../core/migration/retired.ts";
import { hasValue } from "../../core/migration/retired.ts";
import { identifier, render, type Sql, sql, value } from "../../core/sql.ts";
import type { RetiredJson } from "../../core/wire/authoring/retired.ts";
import type { Database, Query, Row, RunQuery } from "../database.ts";
import { readRetired } from "./introspect.ts";
import { DOCUMENT_LOCK } from "./system-tables.ts";

/** A retired field or entity with values, as in `GET /_/retired` and the command line. */
export type RetiredData = RetiredJson;

const statement = (fragment: Sql): Query => {
  const { text, parameters } = render(fragment);
  return { text, values: parameters.map((parameter) => (parameter.kind === "value" ? parameter.value : null)) };
};

/** Internal columns of states, and values that are computed again, are not shown. */
const isShown = (retired: Retired): boolean =>
  retired.kind === "entity" || (retired.field !== "state_since" && retired.definition.computed !== true);

const getName = (retired: Retired): string =>
  retired.kind === "entity" ? retired.entity : `${retired.entity}.${retired.field}`;

const getTable = (retired: Retired): Sql => sql`"app".${identifier(retired.table)}`;

const getCondition = (retired: Retired): Sql =>
  retired.kind === "entity" ? sql`true` : hasValue(retired.definition, identifier(retired.column));

/** Counts the records of each, up to `most` if given. */
const found = async (
  query: RunQuery,
  most: number | null = null,
): Promise<readonly { readonly retired: Retired; readonly shown: RetiredData }[]> => {
  const retiredWithValues = (await readRetired(query)).filter(isShown);
  const retirements = await query({
    text: `select r.id, r.at, u."id" as person, u."name" from ninefold.retired r left join app."user" u on u."id" = r.person`,
    values: [],
  });
  const bound: Sql = { kind: "sql", parts: [most === null ? "" : ` limit ${most + 1}`] };
  const shown: { retired: Retired; shown: RetiredData }[] = [];
  for (const retired of retiredWithValues) {
    const [row] = await query(
      statement(
        sql`select count(*)::int as count from (select from ${getTable(retired)} where ${getCondition(retired)}${bound}) "kept"`,
      ),
    );
    const counted = Number(row?.count ?? 0);
    if (counted === 0) continue;
    const hasMore = most !== null && counted > most;
    const retirement = retirements.find(({ id }) => Number(id) === retired.id);
    const isAlone = retiredWithValues.filter((other) => getName(other) === getName(retired)).length === 1;
    shown.push({
      retired,
      shown: {
        name: isAlone ? getName(retired) : `${getName(retired)}#${retired.version}`,
        kind: retired.kind,
        entity: retired.entity,
        field: retired.kind === "field" ? retired.field : null,
        records: hasMore ? most : counted,
        hasMore,
        version: retired.version,
        at: String(retirement?.at),
        author: retirement?.person == null ? null : { id: String(retirement.person), label: String(retirement.name) },
      },
    });
  }
  return shown;
};

/** Retired fields and entities with values, oldest first. `most` limits the count of records of each. */
export const listRetired = async (owner: Database, most: number | null = null): Promise<readonly RetiredData[]> =>
  (await found(owner.query, most)).map(({ shown }) => shown);

/** The text of the last version that had a retired field or entity; undefined if it is not stored. */
export const lastVersionWith = async (
  owner: Database,
  { version }: RetiredData,
): Promise<{ readonly number: number; readonly file: string; readonly text: string } | undefined> => {
  const [row] = await owner.query({
    text: "select number, file, source from ninefold.version where number < $1 order by number desc limit 1",
    values: [version],
  });
  return row === undefined
    ? undefined
    : { number: Number(row.number), file: String(row.file), text: String(row.source) };
};

/** True if an entity of that name, or any role, was renamed since the data was retired. */
export const wasRenamedSince = async (owner: Database, { version, entity }: RetiredData): Promise<boolean> => {
  const rows = await owner.query({
    text: `select from ninefold.renaming
           where document >= $1 and ("of" = 'role' or ("of" = 'entity' and $2 in (old, now))) limit 1`,
    values: [version, entity],
  });
  return rows.length > 0;
};

const ROWS = 1_000;

/** The first retired values after an id, as lines of JSON. `row` is the SQL of a line. */
const readPage = (query: RunQuery, retired: Retired, row: Sql, after: string, most: number): Promise<readonly Row[]> =>
  query(
    statement(
      sql`select "id", ${row}::text as "line" from ${getTable(retired)} "t" where "id" > ${value(after, "uuid")} and ${getCondition(retired)} order by "id" limit ${{ kind: "sql", parts: [String(most)] }}`,
    ),
  );

const FIRST = "00000000-0000-0000-0000-000000000000";

/** The retired values as lines of JSON, a page at a time. */
const readPages = async function* (query: RunQuery, retired: Retired, row: Sql): AsyncGenerator<readonly string[]> {
  for (let after = FIRST; ; ) {
    const rows = await readPage(query, retired, row, after, ROWS);
    yield rows.map(({ line }) => String(line));
    if (rows.length < ROWS) return;
    after = String(rows.at(-1)?.id);
  }
};

const fieldLine = (column: string): Sql =>
  sql`jsonb_build_object('id', "id", 'value', to_jsonb(${identifier(column)}))`;

const isNamed =
  ({ name, version }: RetiredName) =>
  ({ shown }: { readonly shown: RetiredData }): boolean =>
    shown.name === name && (version === undefined || shown.version === version);

/** A name as listed, and the version that retired it, which make it unique. */
interface RetiredName {
  readonly name: string;
  readonly version?: number;
}

/**
 * The values as lines of JSON, a page at a time: `id` and `value` of a field, or whole records of an entity with the
 * columns that it had when it was retired. No pages if nothing has this name.
 */
export const exportRetired = async function* (owner: Database, which: RetiredName): AsyncGenerator<readonly string[]> {
  const match = (await found(owner.query, 0)).find(isNamed(which))?.retired;
  if (match !== undefined) yield* readPages(owner.query, match, lineOf(match));
};

const lineOf = (retired: Retired): Sql => {
  if (retired.kind === "field") return fieldLine(retired.column);
  const columns = retired.definition.columns.map(({ name }) => name);
  return sql`(select jsonb_object_agg("key", "value") from jsonb_each(to_jsonb("t")) where "key" = any(${value(columns, "text[]")}))`;
};

/** The first records with retired values, each with its line of JSON as in an export. */
export const sampleRetired = async (
  owner: Database,
  which: RetiredName,
  most: number,
): Promise<readonly { readonly id: string; readonly line: string }[]> => {
  const match = (await found(owner.query, 0)).find(isNamed(which))?.retired;
  if (match === undefined) return [];
  const rows = await readPage(owner.query, match, lineOf(match), FIRST, most);
  return rows.map(({ id, line }) => ({ id: String(id), line: String(line) }));
};

/**
 * Deletes retired values permanently, in one transaction. Before that, `write` receives each as a line of JSON (whole
 * records of an entity, `id` and `value` of a field), and null after the last. `within` runs in the transaction before
 * anything is locked. `most` limits the count of records. Returns undefined if nothing has this name.
 */
export const deleteRetired = (
  owner: Database,
  which: RetiredName,
  {
    write,
    within,
    most = null,
  }: {
    readonly write?: (line: string | null) => Promise<void>;
    readonly within?: (query: RunQuery, retired: RetiredData) => Promise<void>;
    readonly most?: number | null;
  },
): Promise<{ readonly records: number } | undefined> =>
  owner.transaction(async (query) => {
    await query({ text: "select pg_advisory_xact_lock($1)", values: [DOCUMENT_LOCK] });
    const known = (await found(query, most)).find(isNamed(which));
    if (known === undefined) return undefined;
    const { retired, shown } = known;
    await within?.(query, shown);
    await query(statement(sql`lock table ${getTable(retired)} in access exclusive mode`));
    let records = shown.records;
    if (write !== undefined) {
      records = 0;
      for await (const page of readPages(
        query,
        retired,
        retired.kind === "entity" ? sql`to_jsonb("t")` : fieldLine(retired.column),
      )) {
        for (const line of page) await write(line);
        records += page.length;
      }
      // All values are written before they are deleted here.
      await write(null);
    }
    await query(
      statement(
        retired.kind === "entity"
          ? sql`drop table ${getTable(retired)}`
          : sql`alter table ${getTable(retired)} drop column ${identifier(retired.column)}`,
      ),
    );
    await query(
      retired.kind === "entity"
        ? { text: "delete from ninefold.trash where entity = $1", values: [shown.entity] }
        : {
            text: "update ninefold.trash set stored = stored - $2 where entity = $1",
            values: [shown.entity, shown.field],
          },
    );
    await query(statement(dropFormer(retired.table, retired.kind === "entity" ? null : formerOfRetired(retired))));
    await query(
      retired.kind === "entity"
        ? { text: "delete from ninefold.retired where table_name = $1", values: [retired.table] }
        : { text: "delete from ninefold.retired where id = $1", values: [retired.id] },
    );
    return { records };
  });
