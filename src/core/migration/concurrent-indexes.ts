import type { Index, Table } from "../derive/tables/table.ts";
import { identifier, render, sql } from "../sql.ts";
import { commentIndex, createIndexSql } from "./diff/definitions.ts";

/** An index built without blocking writes, by separate statements. */
export interface ConcurrentIndex {
  /** Drops an invalid index left by an interrupted build. */
  readonly drop: string;
  readonly make: string;
  /** Marks the finished index as ours, with its clause. */
  readonly note: string;
}

const hasIndex = (table: Table | undefined, { name, on }: Index): boolean =>
  table?.indexes.some((index) => index.name === name && index.on === on) === true;

const getLaterIndexes = ({ indexes }: Table): readonly Index[] => indexes.filter(({ later }) => later === true);

/** The indexes to be built. */
export const indexesToBuild = (actual: readonly Table[], desired: readonly Table[]): readonly ConcurrentIndex[] => {
  const existing = new Map(actual.map((table) => [table.name, table]));
  return desired.flatMap((table) =>
    getLaterIndexes(table)
      .filter((index) => !hasIndex(existing.get(table.name), index))
      .map((index) => ({
        drop: render(sql`drop index concurrently if exists "app".${identifier(index.name)}`).text,
        make: createIndexSql(table, index, "concurrently "),
        note: render(commentIndex(index)).text,
      })),
  );
};

/** The tables for which all such indexes exist. */
export const tablesWithIndexes = (actual: readonly Table[], desired: readonly Table[]): ReadonlySet<string> => {
  const existing = new Map(actual.map((table) => [table.name, table]));
  const complete = desired.filter((table) => {
    const later = getLaterIndexes(table);
    return later.length > 0 && later.every((index) => hasIndex(existing.get(table.name), index));
  });
  return new Set(complete.map(({ name }) => name));
};
