import { pluralize } from "../../model/inflection.ts";
import { toFieldName, toWords, wordsOfEntity } from "../names.ts";
import type { DatabaseColumn, DatabaseTable, ForeignKey } from "./database-table.ts";
import { idOf, type TablesById } from "./name-tables.ts";

/** A table whose rows only connect the records of two others, seen from one of them. */
export interface JoinTable {
  readonly table: DatabaseTable;
  /** The key of the side whose records name the others. */
  readonly owner: ForeignKey;
  readonly other: ForeignKey;
  /** The most rows of one owner. */
  readonly most: number;
}

/** `schema.table.column` → the most rows that share a value of this column. */
export type MostRows = ReadonlyMap<string, number>;

/** More references in one field are hard to read and to change. */
const MOST_REFERENCES = 50;

/** A time that the database writes into each row by itself. */
export const isWrittenNow = ({ type, default: written = "" }: DatabaseColumn): boolean =>
  type.startsWith("timestamp") && /^(?:now\(\)|CURRENT_TIMESTAMP|transaction_timestamp\(\))/iu.test(written);

/** An id that the database makes for each row, such as `gen_random_uuid()`. */
export const isGeneratedId = ({ type, default: made = "" }: DatabaseColumn): boolean =>
  type === "uuid" && /^(?:\w+\.)?(?:gen_random_uuid|uuid_generate_v\d\w*|uuidv\d)\(\)$/u.test(made);

/** The two keys of a table that consists of them. Undefined for any other table. */
export const findJoinKeys = (table: DatabaseTable): readonly [ForeignKey, ForeignKey] | undefined => {
  const [first, second, ...more] = table.foreignKeys;
  if (first === undefined || second === undefined || more.length > 0 || first.to === second.to) return undefined;
  if (first.columns.length > 1 || second.columns.length > 1) return undefined;
  const keys = [...first.columns, ...second.columns];
  const isPair = (columns: readonly string[]): boolean =>
    columns.length === 2 && keys.every((column) => columns.includes(column));
  const isPlain =
    (isPair(table.primaryKey) || table.unique.some(({ columns }) => isPair(columns))) &&
    table.columns.every((column) =>
      keys.includes(column.name) ? column.isRequired : isWrittenNow(column) || isGeneratedId(column),
    ) &&
    table.checks.length + table.others.length === 0;
  return isPlain ? [first, second] : undefined;
};

/**
 * The tables that become references from one of two sides: from the one that the table is named after, unless it has too many.
 * Others stay entities, as do those whose rows could not be counted.
 */
export const findJoinTables = (tables: TablesById, most: MostRows): readonly JoinTable[] => {
  const referred = new Set([...tables.values()].flatMap(({ table }) => table.foreignKeys.map(({ to }) => to)));
  return [...tables.values()].flatMap(({ table, spell }) => {
    const keys = findJoinKeys(table);
    if (keys === undefined || referred.has(idOf(table)) || keys.some(({ to }) => !tables.has(to))) return [];
    const words = toWords(spell(table.name)).join(" ");
    const isFirst = ({ to }: ForeignKey): boolean =>
      words.startsWith(wordsOfEntity(tables.get(to)?.entity ?? "").join(" "));
    const sides = isFirst(keys[1]) && !isFirst(keys[0]) ? [keys[1], keys[0]] : keys;
    for (const owner of sides) {
      const [other] = keys.filter((key) => key !== owner);
      const rows = most.get(`${idOf(table)}.${owner.columns[0]}`);
      if (other !== undefined && rows !== undefined && rows <= MOST_REFERENCES)
        return [{ table, owner, other, most: rows }];
    }
    return [];
  });
};

/** The name of a field with the records of an entity: Territory → territories. */
export const nameReferences = (entity: string, taken: ReadonlySet<string>): string =>
  toFieldName(toWords(pluralize(wordsOfEntity(entity).join(" "))), taken);

/** A sentence that shows the references. */
export const joinEvidence = ({ table, most }: JoinTable): string =>
  `table ${idOf(table)}${most === 0 ? "" : `, with ${most} ${most === 1 ? "row" : "rows"} for one record at most`}`;
