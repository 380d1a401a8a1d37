import type { AdjustedCell } from "../../../core/import/group-adjustments.ts";
import type { RowError } from "../../../core/import/group-refusals.ts";
import type { Entity } from "../../../core/model/entity.ts";
import type { ImportSettings } from "../../../core/wire/imports.ts";
import type { Database } from "../../../postgres/database.ts";
import type { Service } from "../../execution/service.ts";
import type { Intent } from "../../intent.ts";
import type { Caller } from "../../plan/context.ts";
import { toProblem } from "../../problems/to-problem.ts";
import { isRefusal, type Refusal } from "../../refusal.ts";
import type { RowResult, StoredImport } from "../import-store.ts";
import type { ImportRow } from "../table-parts.ts";
import type { Arrangement } from "./arrange-rows.ts";
import { attemptTogether } from "./attempt-together.ts";
import { type MatchedRecord, RowMatcher } from "./match-rows.ts";
import { type ImportTransaction, type RecordMove, RecordMover } from "./move-records.ts";
import { CellsReader, type RowBody } from "./read-rows.ts";

/** A row as a request, and the state into which its record should come. */
interface Request {
  /** Null if the row only names a state. */
  readonly intent: Extract<Intent, { kind: "create" | "update" }> | null;
  readonly before: MatchedRecord | null;
  readonly body: RowBody;
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
  /** The fields by which a row finds its record. A row with a parent finds only parts of it. */
  readonly #matchNames: readonly string[];
  readonly #reader: CellsReader;
  readonly #matcher: RowMatcher;
  readonly #mover: RecordMover | null;
  readonly #arrangement: Arrangement | null;

  constructor(service: Service, entity: Entity, stored: StoredImport, arrangement: Arrangement | null) {
    const { states } = entity;
    const { match, parent } = stored.settings;
    this.#service = service;
    this.#entity = entity;
    this.#settings = stored.settings;
    this.#arrangement = arrangement;
    this.#reader = new CellsReader(service, entity, stored, arrangement);
    this.#matchNames = match.length === 0 || parent === undefined ? match : [...match, parent.field];
    this.#matcher = new RowMatcher(service.context, entity, this.#matchNames);
    this.#mover = states === null ? null : new RecordMover(service, entity, states);
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

  /** The cells of rows whose values are changed to fit their fields, where the row was not refused. */
  findAdjusted(rows: readonly ImportRow[], results: readonly RowResult[]): readonly AdjustedCell[] {
    const refused = new Set(results.filter(({ did }) => did === "refused").map(({ row }) => row));
    return this.#reader.findAdjusted(rows.filter(([row]) => !refused.has(row)));
  }

  async #writeLevel(
    rows: readonly ImportRow[],
    caller: Caller,
    transaction: ImportTransaction,
  ): Promise<readonly RowResult[]> {
    const attempt = (some: readonly ImportRow[]) => this.#attempt(some, caller, transaction);
    const written = this.#reader.namesStates
      ? await attemptTogether(transaction.send, rows, attempt, isRefusal)
      : await attempt(rows);
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
    const journeys = requests.map((request, at): RecordMove | undefined => {
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
    const read = await this.#reader.read(rows, caller, send);
    const toMatch = read.map((body, at) => ({
      row: rows[at]?.[0] ?? 0,
      values: isRefusal(body) ? undefined : body.values,
    }));
    const matches = await this.#matcher.match(toMatch, caller, send);
    return read.map((body, at) => {
      const match = matches[at] ?? null;
      if (isRefusal(body)) return body;
      return isRefusal(match) ? match : this.#request(body, match);
    });
  }

  #request(body: RowBody, match: MatchedRecord | null): Request {
    const entity = this.#entity.name;
    const values = Object.fromEntries(Object.entries(body.values).filter(([name]) => !body.left.has(name)));
    if (match === null)
      return { intent: { kind: "create", entity, values, key: null, label: false }, before: null, body };
    const keys = new Set(this.#matchNames);
    const changed = Object.fromEntries(Object.entries(values).filter(([name]) => !keys.has(name)));
    if (body.state !== undefined && Object.keys(changed).length === 0) return { intent: null, before: match, body };
    return {
      intent: { kind: "update", entity, id: match.id, values: changed, version: match.version, label: false },
      before: match,
      body,
    };
  }

  /** Remembers rows that were written before, so that a later row with the same values is refused. */
  remember(rows: readonly ImportRow[]): void {
    for (const [row, cells] of rows) this.#matcher.remember(row, this.#reader.readCells(cells, this.#matchNames));
  }

  /** Words a refusal in the language of the person, with the text of the cell. */
  #errors(refusal: Refusal, cells: readonly string[], { phrases }: Caller): readonly RowError[] {
    const { model } = this.#service;
    const body = this.#reader.getTexts(cells);
    const problem = toProblem(model, refusal, phrases, { entity: this.#entity.name, body });
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
