import { referenceRefusal, typeRefusal, zippedFileRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import type { ColumnFormat } from "../../../core/import/column-format.ts";
import type { AdjustedCell } from "../../../core/import/group-adjustments.ts";
import { takesFiles } from "../../../core/import/map-columns.ts";
import {
  buildCellReader,
  type CellReader,
  findStateWords,
  readState,
  splitCell,
} from "../../../core/import/read-cell.ts";
import { findUnreadOrder, isOnOtherDay } from "../../../core/import/read-date.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { Field } from "../../../core/model/field.ts";
import { toTitle } from "../../../core/model/inflection.ts";
import type { Model } from "../../../core/model/model.ts";
import type { ImportSettings } from "../../../core/wire/imports.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { Database } from "../../../postgres/database.ts";
import type { Service } from "../../execution/service.ts";
import { formatByteSize } from "../../files/file-name.ts";
import type { Values } from "../../intent.ts";
import { type Caller, getEntity } from "../../plan/context.ts";
import { type Refusal, type RefusalAt, refuseAt } from "../../refusal.ts";
import type { StoredImport } from "../import-store.ts";
import type { ImportRow } from "../table-parts.ts";
import type { Arrangement } from "./arrange-rows.ts";
import { fieldsWithoutTransition, findMatchOnlyFields } from "./fillable-fields.ts";
import { type NamedRecord, RecordFinder } from "./find-records.ts";

/** A column that fills a field. */
interface Filling {
  readonly field: Field;
  /** The index of its cells in a row. */
  readonly at: number;
  readonly read: CellReader;
  readonly columnFormat: ColumnFormat;
  /** Finds the records that cells name. */
  readonly finder: RecordFinder | null;
}

/** The column that names states, with the words for them. */
interface StateColumn {
  readonly at: number;
  readonly words: ReadonlyMap<string, string>;
  readonly field: Field;
}

type FoundValue = { readonly value: Json } | { readonly wrong: readonly RefusalAt[] };

/** The values of a row, and the state that it names. */
export interface RowBody {
  readonly values: Values;
  /** Undefined if the row names no state. */
  readonly state: string | undefined;
  /** The fields that only transitions write. */
  readonly left: ReadonlySet<string>;
}

/** Turns the cells of rows into the values of fields, and finds the records, states and files that they name. */
export class CellsReader {
  readonly #service: Service;
  readonly #entity: Entity;
  readonly #fillings: readonly Filling[];
  readonly #files: NonNullable<StoredImport["files"]>;
  readonly #stateColumn: StateColumn | null;
  readonly #arrangement: Arrangement | null;
  /** The fields by which rows find their records. */
  readonly #matched: ReadonlySet<string>;
  /** The reference of each row to the parent of the import. */
  readonly #parentValue: Values;

  constructor(
    service: Service,
    entity: Entity,
    { columns, settings, files }: Pick<StoredImport, "columns" | "settings" | "files">,
    arrangement: Arrangement | null,
  ) {
    const { context, format, model } = service;
    this.#service = service;
    this.#entity = entity;
    this.#files = files ?? {};
    this.#arrangement = arrangement;
    this.#matched = new Set(settings.match);
    this.#parentValue = settings.parent === undefined ? {} : { [settings.parent.field]: settings.parent.id };
    this.#stateColumn = findStateColumn(model, entity, settings);
    this.#fillings = settings.columns.flatMap(({ field: name, days, decimal }, at) => {
      const field = name === null ? undefined : entity.fields.get(name);
      if (field === undefined || field.type === "state") return [];
      const column = columns[at];
      const columnFormat: ColumnFormat = {
        ...(column?.days === "mixed"
          ? { days: "mixed", otherDays: days ?? undefined }
          : { days: days ?? column?.days ?? null }),
        decimal: column?.decimal == null ? null : (decimal ?? column.decimal),
      };
      const read = buildCellReader(model, field, columnFormat);
      const target = field.entity === null ? null : getEntity(context, field.entity);
      const finder = target === null ? null : new RecordFinder(context, target, format, target.name === entity.name);
      return [{ field, at, read, columnFormat, finder }];
    });
  }

  /** True if a column names the state of each record. */
  get namesStates(): boolean {
    return this.#stateColumn !== null;
  }

  /** The values of rows, each as a request would send them. */
  async read(
    rows: readonly ImportRow[],
    caller: Caller,
    send: Database["batch"],
  ): Promise<readonly (RowBody | Refusal)[]> {
    const records = new Map<Filling, ReadonlyMap<string, NamedRecord>>();
    for (const filling of this.#fillings) {
      if (filling.finder === null) continue;
      const texts = rows.flatMap(([, cells]) => {
        const text = cells[filling.at] ?? "";
        return filling.field.many ? splitCell(text) : text === "" ? [] : [text];
      });
      records.set(filling, await filling.finder.find(send, caller, new Set(texts)));
    }
    const { model } = this.#service;
    const free = fieldsWithoutTransition(model, this.#entity, caller.principal);
    const identifying = findMatchOnlyFields(model, this.#entity, caller.principal);
    return rows.map((row) => this.#readRow(row, records, { free, identifying }));
  }

  /** The values of some fields as their cells have them, without looking anything up. */
  readCells(cells: readonly string[], fields: readonly string[]): Values {
    const wanted = this.#fillings.filter(({ field }) => fields.includes(field.name));
    const own = wanted.map(({ field, at, read }) => [field.name, read(cells[at] ?? "").value] as const);
    return { ...Object.fromEntries(own), ...this.#parentValue };
  }

  /** The cells of rows whose values are changed to fit their fields. */
  findAdjusted(rows: readonly ImportRow[]): readonly AdjustedCell[] {
    return rows.flatMap(([row, cells]) =>
      this.#fillings.flatMap(({ field: { name }, at, read }) => {
        const { adjustments } = read(cells[at] ?? "");
        return adjustments.length === 0 ? [] : [{ row, field: name, adjustments }];
      }),
    );
  }

  /** The text of the cell of each field. */
  getTexts(cells: readonly string[]): Readonly<Record<string, string>> {
    return Object.fromEntries(this.#fillings.map(({ field, at }) => [field.name, cells[at] ?? ""]));
  }

  /**
   * Builds the body of a request. An empty cell is left out: a new record gets its default, and an existing one keeps
   * its value.
   */
  #readRow(
    [row, cells]: ImportRow,
    records: ReadonlyMap<Filling, ReadonlyMap<string, NamedRecord>>,
    { free, identifying }: { readonly free: ReadonlySet<string>; readonly identifying: ReadonlySet<string> },
  ): RowBody | Refusal {
    const values: Record<string, Json> = { ...this.#parentValue };
    const wrong: RefusalAt[] = [];
    const state = this.#readState(cells);
    if (typeof state === "object") wrong.push(state);
    for (const filling of this.#fillings) {
      const text = cells[filling.at] ?? "";
      const { name } = filling.field;
      if (text === "" || (identifying.has(name) && !this.#matched.has(name))) continue;
      const cell = this.#readCell(filling, text, row, records.get(filling));
      if ("wrong" in cell) wrong.push(...cell.wrong);
      else values[name] = cell.value;
    }
    if (wrong.length > 0) return refuseAt(wrong);
    const left =
      state === undefined ? [] : Object.keys(values).filter((name) => !free.has(name) && !identifying.has(name));
    return { values, state: typeof state === "string" ? state : undefined, left: new Set(left) };
  }

  /** `records`: those that the cells of this column name, if it is a reference. */
  #readCell(
    filling: Filling,
    text: string,
    row: number,
    records: ReadonlyMap<string, NamedRecord> | undefined,
  ): FoundValue {
    const { field, read } = filling;
    const texts = field.many ? splitCell(text) : [text];
    if (takesFiles(field))
      return toFoundValue(
        field,
        texts.map((name) => this.#findFile(field, name)),
      );
    if (records !== undefined)
      return toFoundValue(
        field,
        texts.map((name) => this.#findRecord(filling, row, name, records.get(name) ?? "none")),
      );
    const unread = field.many ? undefined : this.#refuseDate(filling, text);
    return unread === undefined ? { value: read(text).value } : { wrong: [unread] };
  }

  /** The state that a row names; undefined if it names none. */
  #readState(cells: readonly string[]): string | RefusalAt | undefined {
    if (this.#stateColumn === null) return undefined;
    const { at, words, field } = this.#stateColumn;
    const text = cells[at] ?? "";
    if (text === "") return undefined;
    const { name, clause, title, type } = field;
    return (
      readState(words, text) ?? {
        at: `/${name}`,
        code: "NOT_A_CHOICE",
        clause: clause.id,
        values: { field: title, type },
      }
    );
  }

  /** Refuses a date that has another order than its column, or a time that does not show its day. */
  #refuseDate({ field: { name, title, type, clause }, columnFormat }: Filling, text: string): RefusalAt | undefined {
    const days = type === "date" || type === "datetime" ? findUnreadOrder(text, columnFormat) : undefined;
    const { timezone } = this.#service.model;
    const isUnclear = type === "date" && days === undefined && isOnOtherDay(text, columnFormat, timezone);
    if (days === undefined && !isUnclear) return undefined;
    const values: Readonly<Record<string, string>> =
      days === undefined
        ? { type: "zoned date", zone: timezone }
        : days === "ask"
          ? { type: "unordered date" }
          : { type: "ordered date", days };
    return { at: `/${name}`, ...typeRefusal(clause.id), values: { field: title, ...values } };
  }

  /** The id of the record that a text names, or why there is none. A row of the file may have it, but was refused. */
  #findRecord({ field }: Filling, row: number, text: string, record: NamedRecord): string | RefusalAt {
    if (typeof record === "object") return record.id;
    const refusal = { ...referenceRefusal(field), values: { field: field.title } };
    if (record === "several") {
      const things = entityTitleValue(this.#service.model, field.entity);
      return { ...refusal, code: "NOT_ONE", values: { ...refusal.values, ...things } };
    }
    const fault = field.entity === this.#entity.name ? this.#arrangement?.findFault(row, text) : undefined;
    if (fault === undefined) return refusal;
    return fault.kind === "circle"
      ? { ...refusal, code: "ROWS_IN_CIRCLE", values: { ...refusal.values, rows: listNumbers(fault.rows) } }
      : { ...refusal, code: "ROW_REFUSED", values: { ...refusal.values, text, row: String(fault.row) } };
  }

  /** The id of the stored file that a cell names, or why there is none. */
  #findFile(field: Field, name: string): string | RefusalAt {
    const found = Object.hasOwn(this.#files, name) ? this.#files[name] : undefined;
    if (found?.fault === undefined && found !== undefined) return found.id;
    const max = formatByteSize(this.#service.model.limits.uploadSize);
    return { ...zippedFileRefusal(field, found?.fault ?? "missing"), values: { field: field.title, file: name, max } };
  }
}

/** The value of a field with these ids, unless one is refused. */
const toFoundValue = ({ many }: Field, ids: readonly (string | RefusalAt)[]): FoundValue => {
  const wrong = ids.filter((id) => typeof id !== "string");
  const found = ids.filter((id) => typeof id === "string");
  if (wrong.length > 0) return { wrong };
  return { value: many ? found : (found[0] ?? null) };
};

const findStateColumn = (model: Model, entity: Entity, { columns }: ImportSettings): StateColumn | null => {
  const { states } = entity;
  const at = states === null ? -1 : columns.findIndex(({ field }) => field === states.field);
  const field = states === null ? undefined : entity.fields.get(states.field);
  return states === null || field === undefined || at < 0 ? null : { at, field, words: findStateWords(model, states) };
};

/** The title of the entity among whose records NOT_ONE finds none or several. */
export const entityTitleValue = (
  { entities }: Pick<Model, "entities">,
  name: string | null,
): { readonly things?: string } => {
  const entity = entities.get(name ?? "");
  return entity === undefined ? {} : { things: toTitle(entity.called.many) };
};

/** Maximum number of rows of a circle in a sentence. */
const MAX_LISTED_ROWS = 10;

const listNumbers = (rows: readonly number[]): string =>
  `${rows.slice(0, MAX_LISTED_ROWS).join(", ")}${rows.length > MAX_LISTED_ROWS ? ", …" : ""}`;
