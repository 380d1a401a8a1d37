import type { Retired } from "../../core/migration/retired.ts";
import { hasValue } from "../../core/migration/retired.ts";
import { identifier, render, type Sql, sql, value } from "../../core/sql.ts";
import type { Database, Query, Row } from "../database.ts";
import { readRetired } from "./introspect.ts";
import { DOCUMENT_LOCK } from "./system-tables.ts";

/** A retired field or entity that holds values. */
export interface RetiredData {
  /** `Book.pages` or `Book`; with `#7`, the version that retired it, where several have the name. */
  readonly name: string;
  readonly kind: Retired["kind"];
  readonly entity: string;
  readonly field: string | null;
  /** Records that keep a value. */
  readonly records: number;
  /** The first version of the document without it. */
  readonly version: number;
  readonly at: string;
}

type Ask = (query: Query) => Promise<readonly Row[]>;

const statement = (piece: Sql): Query => {
  const { text, parameters } = render(piece);
  return { text, values: parameters.map((one) => (one.kind === "value" ? one.value : null)) };
};

/** Columns that the platform adds to states, and values that are computed again, are not shown. */
const isShown = (one: Retired): boolean =>
  one.kind === "entity" || (one.field !== "state_since" && one.definition.computed !== true);

const nameOf = (one: Retired): string => (one.kind === "entity" ? one.entity : `${one.entity}.${one.field}`);

const tableOf = (one: Retired): Sql => sql`"app".${identifier(one.table)}`;

const conditionOf = (one: Retired): Sql =>
  one.kind === "entity" ? sql`true` : hasValue(one.definition, identifier(one.column));

const found = async (ask: Ask): Promise<readonly { readonly thing: Retired; readonly shown: RetiredData }[]> => {
  const things = (await readRetired(ask)).filter(isShown);
  const moments = await ask({ text: "select id, at from ninefold.retired", values: [] });
  const shown: { thing: Retired; shown: RetiredData }[] = [];
  for (const thing of things) {
    const [row] = await ask(
      statement(sql`select count(*)::int as count from ${tableOf(thing)} where ${conditionOf(thing)}`),
    );
    const records = Number(row?.count ?? 0);
    if (records === 0) continue;
    const isAlone = things.filter((one) => nameOf(one) === nameOf(thing)).length === 1;
    shown.push({
      thing,
      shown: {
        name: isAlone ? nameOf(thing) : `${nameOf(thing)}#${thing.version}`,
        kind: thing.kind,
        entity: thing.entity,
        field: thing.kind === "field" ? thing.field : null,
        records,
        version: thing.version,
        at: String(moments.find(({ id }) => Number(id) === thing.id)?.at),
      },
    });
  }
  return shown;
};

/** Retired fields and entities that hold values, oldest first. */
export const listRetired = async (owner: Database): Promise<readonly RetiredData[]> =>
  (await found(owner.query)).map(({ shown }) => shown);

/** The text of the last version that had a retired thing; undefined if it is not stored. */
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

const ROWS = 1_000;

/**
 * Deletes retired values for good, in one transaction, after `write` received each as a line of JSON: whole records of an
 * entity, `id` and `value` of a field, and null after the last. Returns their number; undefined if nothing has this name.
 */
export const deleteRetired = (
  owner: Database,
  name: string,
  write: (line: string | null) => Promise<void>,
): Promise<number | undefined> =>
  owner.transaction(async (query) => {
    await query({ text: "select pg_advisory_xact_lock($1)", values: [DOCUMENT_LOCK] });
    const one = (await found(query)).find(({ shown }) => shown.name === name)?.thing;
    if (one === undefined) return undefined;
    await query(statement(sql`lock table ${tableOf(one)} in access exclusive mode`));
    const row =
      one.kind === "entity"
        ? sql`to_jsonb("t")`
        : sql`jsonb_build_object('id', "id", 'value', to_jsonb(${identifier(one.column)}))`;
    let count = 0;
    for (let after = "00000000-0000-0000-0000-000000000000"; ; ) {
      const rows = await query(
        statement(
          sql`select "id", ${row}::text as "line" from ${tableOf(one)} "t" where "id" > ${value(after, "uuid")} and ${conditionOf(one)} order by "id" limit ${{ kind: "sql", parts: [String(ROWS)] }}`,
        ),
      );
      for (const { line } of rows) await write(String(line));
      count += rows.length;
      if (rows.length < ROWS) break;
      after = String(rows.at(-1)?.id);
    }
    // Everything is stored elsewhere before it is dropped here.
    await write(null);
    await query(
      statement(
        one.kind === "entity"
          ? sql`drop table ${tableOf(one)}`
          : sql`alter table ${tableOf(one)} drop column ${identifier(one.column)}`,
      ),
    );
    await query(
      one.kind === "entity"
        ? { text: "delete from ninefold.retired where table_name = $1", values: [one.table] }
        : { text: "delete from ninefold.retired where id = $1", values: [one.id] },
    );
    return count;
  });
