import {
  decidingClauseId,
  grantsFor,
  type Principal,
  transitionGrantsFor,
  writableFields,
} from "../../../core/derive/authorization/grants.ts";
import { referenceRefusal, typeRefusal, zippedFileRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import type { Stored } from "../../../core/field/kind.ts";
import { getFieldKind } from "../../../core/field/multi-valued.ts";
import type { ColumnFormat } from "../../../core/import/column-format.ts";
import type { RowError } from "../../../core/import/group-refusals.ts";
import { importableFields, takesFiles } from "../../../core/import/map-columns.ts";
import {
  buildCellReader,
  type CellReader,
  findStateWords,
  findUnreadOrder,
  readState,
  splitCell,
} from "../../../core/import/read-cell.ts";
import type { Entity } from "../../../core/model/entity.ts";
import { toFieldSpec } from "../../../core/model/facts/field-spec.ts";
import type { Field } from "../../../core/model/field.ts";
import { toTitle } from "../../../core/model/inflection.ts";
import type { Model } from "../../../core/model/model.ts";
import type { ImportSettings } from "../../../core/wire/imports.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { Database } from "../../../postgres/database.ts";
import type { Service } from "../../execution/service.ts";
import { sizeInWords } from "../../files/file-name.ts";
import type { Intent, Values } from "../../intent.ts";
import { type Caller, getEntity } from "../../plan/context.ts";
import { toProblem } from "../../problems/to-problem.ts";
import { isRefusal, type Refusal, type RefusalAt, refuse, refuseAt } from "../../refusal.ts";
import type { RowResult, StoredImport } from "../import-store.ts";
import type { ImportRow } from "../table-parts.ts";
import type { Arrangement } from "./arrange-rows.ts";
import { attemptTogether } from "./attempt-together.ts";
import { type MatchedRecord, matchRecords, type NamedRecord, RecordFinder } from "./find-records.ts";
import { type ImportTransaction, type Journey, RecordMover } from "./move-records.ts";

/** The fields that a person can write on some record without a transition. */
const fieldsWithoutTransition = (model: Model, entity: Entity, principal: Principal): ReadonlySet<string> =>
  new Set(
    (["create", "update"] as const).flatMap((action) => [
      ...writableFields(entity, grantsFor(model, entity, action, principal)),
    ]),
  );

/** The state, and the fields that the transitions of a person ask for. */
const fieldsOfTransitions = (model: Model, entity: Entity, principal: Principal): readonly string[] =>
  entity.states === null
    ? []
    : [
        entity.states.field,
        ...[...entity.states.transitions.values()].flatMap((transition) =>
          transitionGrantsFor(model, entity, transition, principal).length > 0 ? transition.asks : [],
        ),
      ];

/** The fields that a person can write on some record, and that a column of an import can fill. */
export const fieldsFor = (
  model: Model,
  entity: Entity,
  principal: Principal,
  { files }: Pick<StoredImport, "files">,
): readonly Field[] => {
  const writable = new Set([
    ...fieldsWithoutTransition(model, entity, principal),
    ...fieldsOfTransitions(model, entity, principal),
  ]);
  return importableFields(entity, writable, files !== null);
};

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

/** A row as a request, and the state into which its record should come. */
interface Request {
  /** Null if the row only names a state. */
  readonly intent: Extract<Intent, { kind: "create" | "update" }> | null;
  readonly before: MatchedRecord | null;
  readonly body: Body;
}

/** The body of a request. */
interface Body {
  readonly values: Values;
  /** Undefined if the row names no state. */
  readonly state: string | undefined;
  /** The fields that only transitions write. */
  readonly left: ReadonlySet<string>;
}

/** A result before its sentences are written. */
type Written =
  | Refusal
  | { readonly did: "added" | "updated" | "unchanged"; readonly id: string; readonly version: number | null };

/** Turns rows of a file into the requests that a form would send, and their outcomes into results. */
export class RowWriter {
  readonly #service: Service;
  readonly #entity: Entity;
  readonly #settings: ImportSettings;
  readonly #fillings: readonly Filling[];
  readonly #files: NonNullable<StoredImport["files"]>;
  /** The column that names states, with the words for them; null if there is none. */
  readonly #stateColumn: {
    readonly at: number;
    readonly words: ReadonlyMap<string, string>;
    readonly field: Field;
  } | null;
  readonly #mover: RecordMover | null;
  readonly #arrangement: Arrangement | null;
  /** Values by which earlier rows found their records. */
  readonly #seen = new Map<string, number>();

  constructor(
    service: Service,
    entity: Entity,
    { columns, settings, files }: Pick<StoredImport, "columns" | "settings" | "files">,
    arrangement: Arrangement | null,
  ) {
    const { context, format, model } = service;
    this.#files = files ?? {};
    this.#service = service;
    this.#entity = entity;
    this.#settings = settings;
    this.#arrangement = arrangement;
    const { states } = entity;
    this.#mover = states === null ? null : new RecordMover(service, entity, states);
    this.#stateColumn = findStateColumn(model, entity, settings);
    this.#fillings = settings.columns.flatMap(({ field: name, days, decimal }, at) => {
      const field = name === null ? undefined : entity.fields.get(name);
      if (field === undefined || field.type === "state") return [];
      const column = columns[at];
      const columnFormat: ColumnFormat = {
        ...(column?.days === "mixed"
          ? { days: "mixed", otherDays: days ?? undefined }
          : { days: days ?? column?.days ?? null }),
        decimal: decimal ?? column?.decimal ?? null,
      };
      const read = buildCellReader(model, field, columnFormat);
      const target = field.entity === null ? null : getEntity(context, field.entity);
      const finder = target === null ? null : new RecordFinder(context, target, format, target.name === entity.name);
      return [{ field, at, read, columnFormat, finder }];
    });
  }

  /** Writes rows. `transaction`: that of the part. */
  async write(
    rows: readonly ImportRow[],
    caller: Caller,
    transaction: ImportTransaction,
  ): Promise<readonly RowResult[]> {
    const results = new Map<number, RowResult>();
    for (const level of this.#arrangement?.levels(rows) ?? [rows]) {
      const written = await this.#writeLevel(level, caller, transaction);
      this.#arrangement?.note(written);
      for (const result of written) results.set(result.row, result);
    }
    return rows.flatMap(([row]) => results.get(row) ?? []);
  }

  async #writeLevel(
    rows: readonly ImportRow[],
    caller: Caller,
    transaction: ImportTransaction,
  ): Promise<readonly RowResult[]> {
    const attempt = (some: readonly ImportRow[]) => this.#attempt(some, caller, transaction);
    const written =
      this.#stateColumn === null
        ? await attempt(rows)
        : await attemptTogether(transaction.send, rows, attempt, isRefusal);
    return rows.map(([row, cells], at): RowResult => {
      const result = written[at];
      if (result === undefined) throw new Error(`row ${row} has no outcome`);
      if (isRefusal(result)) return { row, did: "refused", errors: this.#errors(result, cells, caller) };
      return { row, ...result };
    });
  }

  /** Writes rows, and then brings their records into the states that the rows name. */
  async #attempt(
    rows: readonly ImportRow[],
    caller: Caller,
    transaction: ImportTransaction,
  ): Promise<readonly Written[]> {
    const requests = await this.#requests(rows, caller, transaction.send);
    const plans = requests.flatMap((request) =>
      isRefusal(request) ? [request] : request.intent === null ? [] : [this.#service.plan(request.intent, caller)],
    );
    const outcomes = await transaction.run(plans);
    let next = 0;
    const written = requests.map((request): Written => {
      const { intent, before } = isRefusal(request) ? { intent: undefined, before: null } : request;
      if (intent === null && before !== null) return { did: "unchanged", ...before };
      const outcome = outcomes[next++];
      if (outcome?.kind === "refusal") return outcome;
      if (outcome?.kind === "created") return { did: "added", id: outcome.id, version: outcome.version };
      if (outcome?.kind !== "changed" || before === null) throw new Error(`a row ended as ${outcome?.kind}`);
      const isSame = outcome.version === before.version;
      return { did: isSame ? "unchanged" : "updated", id: before.id, version: outcome.version };
    });
    return this.#move(requests, written, caller, transaction);
  }

  async #move(
    requests: readonly (Request | Refusal)[],
    written: readonly Written[],
    caller: Caller,
    transaction: ImportTransaction,
  ): Promise<readonly Written[]> {
    const { states } = this.#entity;
    if (this.#mover === null || states === null) return written;
    const journeys = requests.map((request, at): Journey | undefined => {
      const result = written[at];
      if (isRefusal(request) || result === undefined || isRefusal(result)) return undefined;
      const { state: to, values, left } = request.body;
      const from = result.did === "added" ? states.initial : undefined;
      return to === undefined ? undefined : { id: result.id, to, from, version: result.version, values, left };
    });
    const moving = journeys.filter((journey) => journey !== undefined);
    if (moving.length === 0) return written;
    const ends = await this.#mover.move(moving, caller, transaction);
    const endOf = new Map(moving.map((journey, at) => [journey, ends[at]]));
    return written.map((result, at) => {
      const journey = journeys[at];
      const end = journey === undefined ? undefined : endOf.get(journey);
      if (end === undefined || isRefusal(result)) return result;
      if (isRefusal(end)) return end;
      const { version } = end;
      return {
        ...result,
        did: result.did === "unchanged" && version !== result.version ? "updated" : result.did,
        version,
      };
    });
  }

  async #requests(
    rows: readonly ImportRow[],
    caller: Caller,
    send: Database["batch"],
  ): Promise<readonly (Request | Refusal)[]> {
    const records = new Map<Filling, ReadonlyMap<string, NamedRecord>>();
    for (const filling of this.#fillings) {
      if (filling.finder === null) continue;
      const texts = rows.flatMap(([, cells]) => {
        const text = cells[filling.at] ?? "";
        return filling.field.many ? splitCell(text) : text === "" ? [] : [text];
      });
      records.set(filling, await filling.finder.find(send, caller, new Set(texts)));
    }
    const free = fieldsWithoutTransition(this.#service.model, this.#entity, caller.principal);
    const read = rows.map((row) => this.#values(row, records, free));
    const matches = await this.#matches(rows, read, caller, send);
    return read.map((body, at) => {
      const match = matches[at] ?? null;
      if (isRefusal(body)) return body;
      return isRefusal(match) ? match : this.#request(body, match);
    });
  }

  #request(body: Body, match: MatchedRecord | null): Request {
    const entity = this.#entity.name;
    const values = Object.fromEntries(Object.entries(body.values).filter(([name]) => !body.left.has(name)));
    if (match === null)
      return { intent: { kind: "create", entity, values, key: null, label: false }, before: null, body };
    const keys = new Set(this.#settings.match);
    const changed = Object.fromEntries(Object.entries(values).filter(([name]) => !keys.has(name)));
    if (body.state !== undefined && Object.keys(changed).length === 0) return { intent: null, before: match, body };
    return {
      intent: { kind: "update", entity, id: match.id, values: changed, version: match.version, label: false },
      before: match,
      body,
    };
  }

  /**
   * Builds the body of a request. An empty cell is left out: a new record gets its default, and an existing one keeps
   * its value.
   */
  #values(
    [row, cells]: ImportRow,
    records: ReadonlyMap<Filling, ReadonlyMap<string, NamedRecord>>,
    free: ReadonlySet<string>,
  ): Body | Refusal {
    const values: Record<string, Json> = {};
    const wrong: RefusalAt[] = [];
    const state = this.#readState(cells);
    if (typeof state === "object") wrong.push(state);
    for (const filling of this.#fillings) {
      const { field, at, read } = filling;
      const text = cells[at] ?? "";
      if (text === "") continue;
      if (takesFiles(field)) {
        const ids = (field.many ? splitCell(text) : [text]).map((name) => this.#findFile(field, name));
        wrong.push(...ids.filter((id) => typeof id !== "string"));
        if (ids.every((id) => typeof id === "string")) values[field.name] = field.many ? ids : (ids[0] ?? null);
        continue;
      }
      const found = records.get(filling);
      if (found === undefined) {
        const unread = field.many ? undefined : this.#refuseDate(filling, text);
        if (unread === undefined) values[field.name] = read(text);
        else wrong.push(unread);
        continue;
      }
      const ids: string[] = [];
      for (const item of field.many ? splitCell(text) : [text]) {
        const record = found.get(item) ?? "none";
        if (typeof record === "object") ids.push(record.id);
        else if (record === "several")
          wrong.push({
            ...referenceRefusal(field),
            code: "NOT_ONE",
            values: { field: field.title, ...this.#titleOf(field.entity) },
          });
        else wrong.push(this.#refuseReference(filling, row, item));
      }
      values[field.name] = field.many ? ids : (ids[0] ?? null);
    }
    if (wrong.length > 0) return refuseAt(wrong);
    const left = state === undefined ? [] : Object.keys(values).filter((name) => !free.has(name));
    return { values, state: typeof state === "string" ? state : undefined, left: new Set(left) };
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

  /** Refuses a date that has another order than its column. */
  #refuseDate({ field: { name, title, type, clause }, columnFormat }: Filling, text: string): RefusalAt | undefined {
    const days = type === "date" || type === "datetime" ? findUnreadOrder(text, columnFormat) : undefined;
    if (days === undefined) return undefined;
    const values = days === "ask" ? { type: "unordered date" } : { type: "ordered date", days };
    return { at: `/${name}`, ...typeRefusal(clause.id), values: { field: title, ...values } };
  }

  /** The title of the entity among whose records NOT_ONE finds none or several. */
  #titleOf(name: string | null): { readonly things?: string } {
    const entity = this.#service.model.entities.get(name ?? "");
    return entity === undefined ? {} : { things: toTitle(entity.called.many) };
  }

  /** Refuses a text that names no record. A row of the file may have it, but was refused. */
  #refuseReference({ field }: Filling, row: number, text: string): RefusalAt {
    const refusal = { ...referenceRefusal(field), values: { field: field.title } };
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
    const max = sizeInWords(this.#service.model.limits.uploadSize);
    return { ...zippedFileRefusal(field, found?.fault ?? "missing"), values: { field: field.title, file: name, max } };
  }

  /** Finds the record that each row changes; `null` for a row that adds a record. */
  async #matches(
    rows: readonly ImportRow[],
    read: readonly (Body | Refusal)[],
    caller: Caller,
    send: Database["batch"],
  ): Promise<readonly (MatchedRecord | Refusal | null)[]> {
    const fields = this.#settings.match.flatMap((name) => this.#entity.fields.get(name) ?? []);
    if (fields.length === 0) return read.map(() => null);
    const clause = decidingClauseId(this.#entity, "update");
    const keys = read.map((body) => (isRefusal(body) ? undefined : this.#key(fields, body.values)));
    const complete = keys.flatMap((key) => (key === undefined ? [] : [key]));
    const found =
      complete.length === 0
        ? []
        : await matchRecords(send, this.#service.context, this.#entity, fields, caller, complete);
    let next = 0;
    return keys.map((key, at) => {
      if (key === undefined) return null;
      const match = found[next++] ?? "none";
      const text = JSON.stringify(key);
      const row = rows[at]?.[0] ?? 0;
      const earlier = this.#seen.get(text);
      if (earlier === undefined) this.#seen.set(text, row);
      if ((earlier !== undefined && earlier !== row) || match === "several")
        return refuse("NOT_ONE", clause, this.#titleOf(this.#entity.name));
      return match === "none" ? null : match;
    });
  }

  /** The stored values of the fields by which a row finds its record. Undefined if one is missing or invalid. */
  #key(fields: readonly Field[], values: Values): readonly Stored[] | undefined {
    const key: Stored[] = [];
    for (const field of fields) {
      const json = values[field.name];
      if (json === undefined || json === null || json === "") return undefined;
      const reading = getFieldKind(field).read(json, toFieldSpec(this.#entity, field));
      if (!reading.ok) return undefined;
      key.push(reading.value);
    }
    return key;
  }

  /** Remembers rows that were written before, so that a later row with the same values is refused. */
  remember(rows: readonly ImportRow[]): void {
    const fields = this.#settings.match.flatMap((name) => this.#entity.fields.get(name) ?? []);
    for (const [row, cells] of rows) {
      const values = Object.fromEntries(
        this.#fillings.flatMap(({ field, at, read }) =>
          fields.includes(field) ? [[field.name, read(cells[at] ?? "")]] : [],
        ),
      );
      const key = this.#key(fields, values);
      if (key !== undefined) this.#seen.set(JSON.stringify(key), row);
    }
  }

  /** Words a refusal in the language of the person, with the text of the cell. */
  #errors(refusal: Refusal, cells: readonly string[], { phrases }: Caller): readonly RowError[] {
    const { model } = this.#service;
    const sent = Object.fromEntries(this.#fillings.map(({ field, at }) => [field.name, cells[at] ?? ""]));
    const problem = toProblem(model, refusal, phrases, { entity: this.#entity.name, body: sent });
    const cellOf = (field: string | null) => {
      const at = this.#settings.columns.findIndex((column) => field !== null && column.field === field);
      return at < 0 ? {} : { value: (cells[at] ?? "").slice(0, MAX_VALUE_LENGTH) };
    };
    const errors = problem.errors ?? [];
    if (errors.length === 0)
      return [{ code: problem.code, clause: problem.clause ?? null, field: null, message: problem.detail }];
    return errors.map(({ at, code, clause, message }) => {
      const name = at.split("/")[1] ?? "";
      const field = this.#entity.fields.has(name) ? name : null;
      return { code, clause, field, message, ...cellOf(field) };
    });
  }
}

const MAX_VALUE_LENGTH = 100;

/** Maximum number of rows of a circle in a sentence. */
const MAX_LISTED_ROWS = 10;

const listNumbers = (rows: readonly number[]): string =>
  `${rows.slice(0, MAX_LISTED_ROWS).join(", ")}${rows.length > MAX_LISTED_ROWS ? ", …" : ""}`;

const findStateColumn = (model: Model, entity: Entity, { columns }: ImportSettings) => {
  const { states } = entity;
  const at = states === null ? -1 : columns.findIndex(({ field }) => field === states.field);
  const field = states === null ? undefined : entity.fields.get(states.field);
  return states === null || field === undefined || at < 0 ? null : { at, field, words: findStateWords(model, states) };
};
