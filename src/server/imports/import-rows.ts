import { decidingClauseId, grantsFor, type Principal, writableFields } from "../../core/derive/authorization/grants.ts";
import { referenceRefusal, zippedFileRefusal } from "../../core/derive/consistency/check-refusals.ts";
import type { Stored } from "../../core/field/kind.ts";
import { getFieldKind } from "../../core/field/multi-valued.ts";
import type { RowError } from "../../core/import/group-refusals.ts";
import { importableFields, takesFiles } from "../../core/import/map-columns.ts";
import { buildCellReader, type CellReader, splitCell } from "../../core/import/read-cell.ts";
import type { Entity } from "../../core/model/entity.ts";
import { toFieldSpec } from "../../core/model/facts/field-spec.ts";
import type { Field } from "../../core/model/field.ts";
import type { Model } from "../../core/model/model.ts";
import type { ImportSettings } from "../../core/wire/imports.ts";
import type { Json } from "../../core/wire/json.ts";
import type { Database } from "../../postgres/database.ts";
import type { Service } from "../execution/service.ts";
import { sizeInWords } from "../files/file-name.ts";
import type { Intent, Values } from "../intent.ts";
import { type Caller, getEntity } from "../plan/context.ts";
import type { Outcome } from "../plan/outcome.ts";
import type { Plan } from "../plan/plan.ts";
import { isRefusal, type Refusal, type RefusalAt, refuse, refuseAt, toProblem } from "../refusal.ts";
import { type MatchedRecord, matchRecords, type NamedRecord, RecordFinder } from "./find-records.ts";
import type { RowResult, StoredImport } from "./import-store.ts";
import type { ImportRow } from "./table-parts.ts";

/** The fields that a person can write on some record, and that a column of an import can fill. */
export const fieldsFor = (
  model: Model,
  entity: Entity,
  principal: Principal,
  { files }: Pick<StoredImport, "files">,
): readonly Field[] => {
  const writable = new Set(
    (["create", "update"] as const).flatMap((action) => [
      ...writableFields(entity, grantsFor(model, entity, action, principal)),
    ]),
  );
  return importableFields(entity, writable, files !== null);
};

/** A column that fills a field. */
interface Filling {
  readonly field: Field;
  /** The index of its cells in a row. */
  readonly at: number;
  readonly read: CellReader;
  /** Finds the records that cells name. */
  readonly finder: RecordFinder | null;
}

/** A row as a request. */
interface Request {
  readonly intent: Extract<Intent, { kind: "create" | "update" }>;
  readonly before: MatchedRecord | null;
}

/** The body of a request. */
interface Body {
  readonly values: Values;
}

/** Turns rows of a file into the requests that a form would send, and their outcomes into results. */
export class RowWriter {
  readonly #service: Service;
  readonly #entity: Entity;
  readonly #settings: ImportSettings;
  readonly #fillings: readonly Filling[];
  readonly #files: NonNullable<StoredImport["files"]>;
  /** Values by which earlier rows found their records. */
  readonly #seen = new Map<string, number>();

  constructor(
    service: Service,
    entity: Entity,
    { columns, settings, files }: Pick<StoredImport, "columns" | "settings" | "files">,
  ) {
    const { context, format, model } = service;
    this.#files = files ?? {};
    this.#service = service;
    this.#entity = entity;
    this.#settings = settings;
    this.#fillings = settings.columns.flatMap(({ field: name, days, decimal }, at) => {
      const field = name === null ? undefined : entity.fields.get(name);
      if (field === undefined) return [];
      const column = columns[at];
      const read = buildCellReader(model, field, {
        days: days ?? column?.days ?? null,
        decimal: decimal ?? column?.decimal ?? null,
      });
      const target = field.entity === null ? null : getEntity(context, field.entity);
      return [{ field, at, read, finder: target === null ? null : new RecordFinder(context, target, format) }];
    });
  }

  /** Writes rows. `run` executes their plans, and `send` reads in the same transaction. */
  async write(
    rows: readonly ImportRow[],
    caller: Caller,
    run: (plans: readonly (Plan | Refusal)[]) => Promise<readonly (Outcome | Refusal)[]>,
    send: Database["batch"],
  ): Promise<readonly RowResult[]> {
    const requests = await this.#requests(rows, caller, send);
    const outcomes = await run(
      requests.map((request) => (isRefusal(request) ? request : this.#service.plan(request.intent, caller))),
    );
    return rows.map(([row, cells], at): RowResult => {
      const [request, outcome] = [requests[at], outcomes[at]];
      if (request === undefined || outcome === undefined) throw new Error(`row ${row} has no outcome`);
      if (outcome.kind === "refusal") return { row, did: "refused", errors: this.#errors(outcome, cells, caller) };
      const before = isRefusal(request) ? null : request.before;
      if (outcome.kind === "created") return { row, did: "added", id: outcome.id, version: outcome.version };
      if (outcome.kind !== "changed" || before === null) throw new Error(`row ${row} ended as ${outcome.kind}`);
      const isSame = outcome.version === before.version;
      return { row, did: isSame ? "unchanged" : "updated", id: before.id, version: outcome.version };
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
    const read = rows.map(([, cells]) => this.#values(cells, records));
    const matches = await this.#matches(rows, read, caller, send);
    return read.map((body, at) => {
      const match = matches[at] ?? null;
      if (isRefusal(body)) return body;
      return isRefusal(match) ? match : this.#request(body.values, match);
    });
  }

  #request(values: Values, match: MatchedRecord | null): Request {
    const entity = this.#entity.name;
    if (match === null) return { intent: { kind: "create", entity, values, key: null, label: false }, before: null };
    const keys = new Set(this.#settings.match);
    const changed = Object.fromEntries(Object.entries(values).filter(([name]) => !keys.has(name)));
    return {
      intent: { kind: "update", entity, id: match.id, values: changed, version: match.version, label: false },
      before: match,
    };
  }

  /**
   * Builds the body of a request. An empty cell is left out: a new record gets its default, and an existing one keeps
   * its value.
   */
  #values(cells: readonly string[], records: ReadonlyMap<Filling, ReadonlyMap<string, NamedRecord>>): Body | Refusal {
    const values: Record<string, Json> = {};
    const wrong: RefusalAt[] = [];
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
        values[field.name] = read(text);
        continue;
      }
      const named = (field.many ? splitCell(text) : [text]).map((item) => found.get(item) ?? "none");
      const ids = named.flatMap((record) => (typeof record === "object" ? [record.id] : []));
      if (ids.length === named.length) values[field.name] = field.many ? ids : (ids[0] ?? null);
      else
        wrong.push({
          ...referenceRefusal(field),
          code: named.includes("several") ? "NOT_ONE" : "NO_SUCH_REFERENCE",
          values: { field: field.title },
        });
    }
    return wrong.length === 0 ? { values } : refuseAt(wrong);
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
      if ((earlier !== undefined && earlier !== row) || match === "several") return refuse("NOT_ONE", clause);
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
      const filling = this.#fillings.find((candidate) => candidate.field.name === field);
      return filling === undefined ? {} : { value: (cells[filling.at] ?? "").slice(0, MAX_VALUE_LENGTH) };
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
