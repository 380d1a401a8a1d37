import type pg from "pg";
import type { DraftColumn, DraftEntity } from "../../core/draft/draft-entities.ts";
import type { SheetTable } from "../../core/draft/table.ts";
import type { ReadSourceRows } from "./import-drafted.ts";

/** Rows that are sent at once: files of an import have at most 32 MB. */
const ROWS_AT_ONCE = 5000;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** A value of a row of `from` as an import reads it. */
const valueSql = ({ column, columnType = "", join }: DraftColumn, from: string): string => {
  const name = quoted(column);
  if (join !== undefined)
    return `(select string_agg(j.${name}::text, '; ' order by j.${name}) from ${quoted(join.schema)}.${quoted(join.table)} j where j.${quoted(join.column)} = ${from}.${quoted(join.key)})`;
  if (columnType.endsWith("[]")) return `array_to_string(${name}, '; ')`;
  // Times at midnight become dates, too. The import says where it leaves out another time among them.
  if (columnType === "date")
    return `case when ${name}::timestamp = ${name}::date then ${name}::date::text else ${name}::timestamp::text end`;
  const instantFormat = `'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'`;
  if (columnType.startsWith("timestamp") && columnType.endsWith("with time zone"))
    return `to_char(${name} at time zone 'UTC', ${instantFormat})`;
  if (columnType.startsWith("timestamp")) return `to_char(${name}, ${instantFormat})`;
  // A floating point number can have an exponent: 1e+06.
  if (columnType === "real" || columnType === "double precision") return `${name}::text::numeric::text`;
  return `${name}::text`;
};

/** Reads the rows of tables in the transaction of a client. */
export const readTableRows = (client: pg.Client): ReadSourceRows =>
  async function* (entity: DraftEntity, columns: readonly DraftColumn[]) {
    const [schema = "", ...rest] = entity.source.replace(/^table /u, "").split(".");
    const from = `${quoted(schema)}.${quoted(rest.join("."))}`;
    const list = columns.map((column, at) => `${valueSql(column, from)} as c${at}`).join(", ");
    await client.query(`declare drafted_rows cursor for select ${list} from ${from}`);
    for (;;) {
      const { rows } = await client.query<(string | null)[]>({
        text: `fetch ${ROWS_AT_ONCE} from drafted_rows`,
        rowMode: "array",
      });
      if (rows.length === 0) break;
      // Rows of a database have no numbers. These are the ones that they have in the file that is sent.
      yield rows.map((row, index) => ({
        number: index + 2,
        cells: row.map((value, at) => {
          const choices = columns[at]?.choices;
          const plain = value ?? "";
          if (choices === undefined) return plain;
          const parts = columns[at]?.columnType?.endsWith("[]") === true ? plain.split("; ") : [plain];
          // A check of `upper(code)` allows small letters, too.
          const find = (part: string) =>
            choices.get(part) ?? choices.get(part.toUpperCase()) ?? choices.get(part.toLowerCase());
          return parts.map((part) => find(part) ?? part).join("; ");
        }),
      }));
    }
    await client.query("close drafted_rows");
  };

/** The rows of tables that were read from files. `tables` are in the order of the entities. */
export const readSheetRows = (entities: readonly DraftEntity[], tables: readonly SheetTable[]): ReadSourceRows =>
  async function* (entity: DraftEntity, columns: readonly DraftColumn[]) {
    const table = tables[entities.indexOf(entity)];
    const all = entity.columnsOfSource ?? [];
    const places = columns.map((column) => all.indexOf(column));
    const numbers = table?.rowNumbers ?? [];
    for (let from = 0; from < numbers.length; from += ROWS_AT_ONCE)
      yield numbers.slice(from, from + ROWS_AT_ONCE).map((number, row) => ({
        number,
        cells: places.map((place) => table?.columns[place]?.values[from + row] ?? ""),
      }));
  };
