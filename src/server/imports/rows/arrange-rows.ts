import { type NamedRow, orderRows, type RowOrder, rowsByKey } from "../../../core/import/order-rows.ts";
import { splitCell } from "../../../core/import/read-cell.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { ImportSettings } from "../../../core/wire/imports.ts";
import type { Database } from "../../../postgres/database.ts";
import { type RowResult, readPart, reorderRows, type StoredImport } from "../import-store.ts";
import { type ImportRow, ROWS_PER_PART } from "../table-parts.ts";
import { partsOfLabel, uniqueFields } from "./find-records.ts";

/** Why a text names no record although a row of the file has it. */
export type RowFault =
  | { readonly kind: "circle"; readonly rows: readonly number[] }
  | { readonly kind: "refused"; readonly row: number };

/** The columns of an import whose cells name rows of the same file, and those by which these are named. */
const findColumns = (entity: Entity, { columns }: Pick<ImportSettings, "columns">) => {
  const columnOf = new Map(columns.flatMap(({ field }, at) => (field === null ? [] : [[field, at] as const])));
  const referring = [...columnOf].flatMap(([name, at]) => {
    const field = entity.fields.get(name);
    return field?.entity === entity.name ? [{ at, many: field.many }] : [];
  });
  const keys = uniqueFields(entity).flatMap(({ name }) => columnOf.get(name) ?? []);
  const label = partsOfLabel(entity)?.map((part) =>
    typeof part === "string" ? part : (columnOf.get(part.name) ?? null),
  );
  return { referring, keys, label };
};

/** True if rows of the file can refer to each other. */
const canReferToRows = (entity: Entity, settings: Pick<ImportSettings, "columns">): boolean =>
  findColumns(entity, settings).referring.length > 0;

const nameRow = ({ referring, keys, label }: ReturnType<typeof findColumns>, [row, cells]: ImportRow): NamedRow => {
  const texts = label?.map((part) => (typeof part === "string" ? part : part === null ? "" : (cells[part] ?? "")));
  const own = texts?.every((text) => text !== "") === true ? [texts.join("")] : [];
  return {
    row,
    keys: [...keys.map((at) => cells[at] ?? ""), ...own].filter((text) => text !== ""),
    names: referring.flatMap(({ at, many }) => {
      const text = cells[at] ?? "";
      return text === "" ? [] : many ? splitCell(text) : [text];
    }),
  };
};

/** The rows of an import of which some name others of the same file. Only their names and numbers are in memory. */
export class Arrangement {
  readonly #order: RowOrder;
  readonly #byKey: ReadonlyMap<string, readonly number[]>;
  readonly #place: ReadonlyMap<number, number>;
  readonly #refused = new Set<number>();

  constructor(rows: readonly NamedRow[]) {
    this.#byKey = rowsByKey(rows);
    this.#order = orderRows(rows, this.#byKey);
    this.#place = new Map(this.#order.order.map((row, place) => [row, place]));
  }

  /** The row numbers in the order in which they are written. */
  get order(): readonly number[] {
    return this.#order.order;
  }

  /** Remembers the rows that were refused. */
  note(results: readonly RowResult[]): void {
    for (const { row, did } of results)
      if (did === "refused") this.#refused.add(row);
      else this.#refused.delete(row);
  }

  /** Groups rows so that none names a row of its own group or of a later one, unless in a circle. */
  levels(rows: readonly ImportRow[]): readonly (readonly ImportRow[])[] {
    const levelOf = new Map<number, number>();
    const groups: ImportRow[][] = [];
    for (const row of rows.toSorted(([a], [b]) => this.#placeOf(a) - this.#placeOf(b))) {
      const levels = (this.#order.needs.get(row[0]) ?? []).map((needed) => levelOf.get(needed) ?? -1);
      const level = 1 + Math.max(-1, ...levels);
      levelOf.set(row[0], level);
      groups[level] ??= [];
      groups[level].push(row);
    }
    return groups;
  }

  /** The rows of earlier parts that the rows of a part name, and those that these name, by the numbers of their parts. */
  namedBefore(part: number): ReadonlyMap<number, ReadonlySet<number>> {
    const from = part * ROWS_PER_PART;
    const found = new Map<number, Set<number>>();
    const seen = new Set<number>();
    const waiting = this.#order.order.slice(from, from + ROWS_PER_PART);
    for (let row = waiting.pop(); row !== undefined; row = waiting.pop())
      for (const needed of this.#order.needs.get(row) ?? []) {
        const place = this.#placeOf(needed);
        if (place >= from || seen.has(needed) || this.#refused.has(needed)) continue;
        seen.add(needed);
        waiting.push(needed);
        const at = Math.floor(place / ROWS_PER_PART);
        found.set(at, (found.get(at) ?? new Set()).add(needed));
      }
    return found;
  }

  /** Why a row finds no record by a text that a row of the file has; undefined if none has it. */
  findFault(row: number, text: string): RowFault | undefined {
    const named = this.#byKey.get(text) ?? [];
    const circle = this.#order.circles.get(row);
    if (circle !== undefined && named.some((other) => circle.includes(other))) return { kind: "circle", rows: circle };
    const refused = named.find((other) => this.#refused.has(other));
    return refused === undefined ? undefined : { kind: "refused", row: refused };
  }

  #placeOf(row: number): number {
    return this.#place.get(row) ?? 0;
  }
}

/**
 * Arranges the rows of an import whose cells can name rows of the same file, and stores them in the order in which they
 * are written. Null for other imports.
 */
export const arrangeRows = async (
  database: Database,
  entity: Entity,
  { id, settings }: Pick<StoredImport, "id" | "settings">,
): Promise<Arrangement | null> => {
  if (!canReferToRows(entity, settings)) return null;
  const columns = findColumns(entity, settings);
  const rows: NamedRow[] = [];
  for (let part = 0; ; part++) {
    const found = await readPart(database, id, part);
    if (found === undefined) break;
    rows.push(...found.rows.map((row) => nameRow(columns, row)));
  }
  // A second arrangement of stored rows is the same, because it begins with the order of the file.
  const arrangement = new Arrangement(rows.toSorted((a, b) => a.row - b.row));
  if (arrangement.order.some((row, at) => row !== rows[at]?.row))
    await reorderRows(database, id, arrangement.order, ROWS_PER_PART);
  return arrangement;
};

/** Reads the rows of earlier parts that a part needs in a trial, which writes nothing. */
export const readRowsNamedBefore = async (
  database: Database,
  id: string,
  arrangement: Arrangement,
  part: number,
): Promise<readonly ImportRow[]> => {
  const rows: ImportRow[] = [];
  for (const [number, named] of arrangement.namedBefore(part)) {
    const found = await readPart(database, id, number);
    rows.push(...(found?.rows ?? []).filter(([row]) => named.has(row)));
  }
  return rows;
};
