import { randomUUID } from "node:crypto";
import type { FastifyBaseLogger } from "fastify";
import type { Principal } from "../../core/derive/authorization/grants.ts";
import { choosePhrases } from "../../core/derive/client/localize.ts";
import { heldRolesSql } from "../../core/derive/sql/held-roles.ts";
import { type AdjustedCell, AdjustmentGroups } from "../../core/import/group-adjustments.ts";
import { RefusalGroups, type RefusedRow } from "../../core/import/group-refusals.ts";
import type { Entity } from "../../core/model/entity.ts";
import { definitionText, sql } from "../../core/sql.ts";
import type { ImportState } from "../../core/wire/imports.ts";
import { type Row, StoreAway, StoreRefusal, StoreSlow, toLogFields } from "../../postgres/database.ts";
import { type RetryPolicy, withRetries } from "../../postgres/with-retries.ts";
import { executeTogether } from "../execution/execute-together.ts";
import { CONFLICT_DELAY_MS } from "../execution/retries.ts";
import type { Service } from "../execution/service.ts";
import { deleteUnnamedFiles } from "../files/file-store.ts";
import type { Caller } from "../plan/context.ts";
import {
  claimImport,
  endState,
  mergeNotificationsQuery,
  NO_COUNTS,
  nameImportQuery,
  progressQuery,
  type RowCounts,
  type RowResult,
  readPart,
  recordHeartbeat,
  releaseImport,
  type StoredImport,
  storeResultsQuery,
} from "./import-store.ts";
import { type Arrangement, arrangeRows, readRowsNamedBefore } from "./rows/arrange-rows.ts";
import type { ImportTransaction } from "./rows/move-records.ts";
import { undoRows } from "./rows/undo-rows.ts";
import { RowWriter } from "./rows/write-rows.ts";
import { type ImportRow, ROWS_PER_PART } from "./table-parts.ts";

/** Interval at which a server looks for imports that another one left. */
const POLL_MS = 5_000;

/** Maximum number of attempts at a part whose locks others hold, before the import waits. */
const MAX_ATTEMPTS = 8;

/** Thrown if another server has taken over the import. */
class TakenOver extends Error {
  override readonly name = "TakenOver";
}

/** Thrown if the import was cancelled, so that what was written is rolled back. */
class Cancelled extends Error {
  override readonly name = "Cancelled";
}

/** Thrown if a row was refused in an import of all rows or none. */
class NotAll extends Error {
  override readonly name = "NotAll";
}

const count = (counts: RowCounts, results: readonly RowResult[]): RowCounts => {
  const sum = { ...counts };
  for (const { did } of results) sum[did] += 1;
  return sum;
};

const isPassing = (error: unknown): boolean =>
  error instanceof StoreSlow || (error instanceof StoreRefusal && (error.code === "40P01" || error.code === "40001"));

/** Repeats work that others prevented for a moment. */
const retryPassing: RetryPolicy = (error, attempt) =>
  attempt < MAX_ATTEMPTS && isPassing(error)
    ? { delay: Math.random() * CONFLICT_DELAY_MS * attempt, counts: true }
    : undefined;

/**
 * Runs imports, one at a time, so that enough connections remain for others. Any server continues where another one
 * stopped.
 */
export class ImportRunner {
  readonly #service: Service;
  readonly #clock: () => Date;
  readonly #log: FastifyBaseLogger;
  readonly #runner = randomUUID();
  #timer: NodeJS.Timeout | undefined;
  #work: Promise<void> | undefined;
  #isStopping = false;
  #isAskedAgain = false;

  constructor(service: Service, clock: () => Date, log: FastifyBaseLogger) {
    this.#service = service;
    this.#clock = clock;
    this.#log = log;
  }

  /** Starts to look for waiting imports. */
  start(): void {
    this.#timer = setInterval(() => this.poll(), POLL_MS);
    this.#timer.unref();
  }

  /** Stops after the current part. Another server, or this one after a restart, continues. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#timer);
    await this.#work;
  }

  /** Looks for waiting imports now. */
  poll(): void {
    if (this.#isStopping) return;
    if (this.#work !== undefined) {
      this.#isAskedAgain = true;
      return;
    }
    this.#work = this.#all()
      .catch((error: unknown) => {
        // Requests already report an unavailable database.
        if (!(error instanceof StoreAway)) this.#log.error(toLogFields(error), "an import could not continue");
      })
      .finally(() => {
        this.#work = undefined;
        if (!this.#isAskedAgain) return;
        this.#isAskedAgain = false;
        this.poll();
      });
  }

  async #all(): Promise<void> {
    for (;;) {
      if (this.#isStopping) return;
      const found = await claimImport(this.#service.database, this.#runner);
      if (found === undefined) return;
      await this.#one(found);
    }
  }

  async #one(stored: StoredImport): Promise<void> {
    const { database, model } = this.#service;
    const { id } = stored;
    try {
      const entity = model.entities.get(stored.entity);
      if (entity === undefined) {
        await endState(database, id, this.#runner, ended(stored.state, true));
        return;
      }
      if (stored.state === "running" && stored.settings.mode === "all") await this.#runAll(stored, entity);
      else await this.#runParts(stored, entity);
    } catch (error) {
      if (error instanceof TakenOver) return;
      if (isPassing(error) || error instanceof StoreAway) {
        await releaseImport(database, id, this.#runner, "busy").catch(() => undefined);
        if (isPassing(error)) return;
      } else await endState(database, id, this.#runner, ended(stored.state, true), "fault");
      throw error;
    }
  }

  /** The person of an import with their current roles; undefined if their account is not active. */
  async #caller({ person, roles, language }: StoredImport): Promise<Caller | undefined> {
    const [row] = await this.#service.database.query({
      text: `select ${definitionText(heldRolesSql(this.#service.model, sql`u`, sql`$2`))} as "roles" from app."user" u where "id" = $1 and "active" and $2::timestamptz is not null`,
      values: [person, this.#clock().toISOString()],
    });
    if (row === undefined) return undefined;
    const roleNames = Array.isArray(row.roles) ? row.roles.map(String) : [];
    const principal: Principal = {
      id: person,
      granted: new Set(roles === null ? roleNames : roleNames.filter((role) => roles.includes(role))),
    };
    return this.#service.caller(principal, this.#clock(), choosePhrases(this.#service.model, language));
  }

  /** Runs part after part, each in its own transaction. */
  async #runParts(stored: StoredImport, entity: Entity): Promise<void> {
    const { database } = this.#service;
    const { id, state, settings } = stored;
    const isTrial = state === "checking";
    const arrangement = state === "undoing" ? null : await arrangeRows(database, entity, stored);
    const writer = new RowWriter(this.#service, entity, stored, arrangement);
    // A check is repeated from the start, because it wrote nothing.
    let part = isTrial ? 0 : stored.part;
    let counts = isTrial ? NO_COUNTS : stored.counts;
    let groups = new RefusalGroups(isTrial ? [] : stored.refusals);
    let adjustments = new AdjustmentGroups(isTrial ? [] : stored.adjusted);
    if (state === "running" && (settings.match.length > 0 || arrangement !== null))
      await this.#remember(writer, arrangement, id, part);
    const parts = countParts(stored);
    for (; part < parts; part++) {
      if (this.#isStopping) {
        await releaseImport(database, id, this.#runner, null);
        return;
      }
      const number = state === "undoing" ? parts - 1 - part : part;
      const found = await readPart(database, id, number);
      const caller = await this.#caller(stored);
      if (found === undefined || caller === undefined) break;
      // A trial wrote nothing, so rows of earlier parts are written again for those that refer to them.
      const before =
        isTrial && arrangement !== null ? await readRowsNamedBefore(database, id, arrangement, number) : [];
      const done = await withRetries([retryPassing], () =>
        executeTogether(database, { before: [nameImportQuery(id)], isTrial }, async (run, send) => {
          const { results, refused, adjusted } =
            state === "undoing"
              ? {
                  ...(await undoRows(this.#service, entity, { id, results: found.results }, caller, { run, send })),
                  adjusted: [],
                }
              : await writeRows(writer, { before, rows: found.rows }, caller, { run, send });
          const sum =
            state === "undoing" ? { ...counts, refused: counts.refused + refused.length } : count(counts, results);
          const next = new RefusalGroups(groups.all);
          for (const refusedRow of refused) next.add(refusedRow);
          const nextAdjustments = new AdjustmentGroups(adjustments.all);
          for (const cell of adjusted) nextAdjustments.add(cell);
          const queries = [
            storeResultsQuery(id, number, results),
            progressQuery(id, this.#runner, {
              part: part + 1,
              counts: sum,
              refusals: next.all,
              adjusted: nextAdjustments.all,
              state,
            }),
          ];
          const saved = isTrial ? undefined : await send([mergeNotificationsQuery(id), ...queries]);
          return { sum, next, nextAdjustments, queries, saved };
        }),
      );
      const isCancelled = readProgress(done.saved ?? (await database.batch(done.queries)));
      counts = done.sum;
      groups = done.next;
      adjustments = done.nextAdjustments;
      if (!isCancelled) continue;
      await endState(database, id, this.#runner, ended(state, true));
      return;
    }
    if (state === "undoing") await deleteUnnamedFiles(database, listFiles(stored));
    await endState(database, id, this.#runner, ended(state));
  }

  /**
   * Runs all rows in one transaction. If one is refused, nothing is written; a check goes on to find other refusals.
   */
  async #runAll(stored: StoredImport, entity: Entity): Promise<void> {
    const { database } = this.#service;
    const { id } = stored;
    const parts = countParts(stored);
    try {
      const arrangement = await arrangeRows(database, entity, stored);
      await withRetries([retryPassing], () => {
        const writer = new RowWriter(this.#service, entity, stored, arrangement);
        let counts = NO_COUNTS;
        const adjustments = new AdjustmentGroups();
        return executeTogether(database, { before: [nameImportQuery(id)], isTrial: false }, async (run, send) => {
          for (let part = 0; part < parts; part++) {
            const found = await readPart(database, id, part);
            const caller = await this.#caller(stored);
            if (found === undefined || caller === undefined) throw new Cancelled();
            const rows = { before: [], rows: found.rows };
            const { results, refused, adjusted } = await writeRows(writer, rows, caller, { run, send });
            if (refused.length > 0) throw new NotAll();
            counts = count(counts, results);
            for (const cell of adjusted) adjustments.add(cell);
            await send([mergeNotificationsQuery(id), storeResultsQuery(id, part, results)]);
            const alive = await recordHeartbeat(database, id, this.#runner, part + 1);
            if (alive === undefined) throw new TakenOver();
            if (alive.cancelled || this.#isStopping) throw new Cancelled();
          }
          const progress = { part: parts, counts, refusals: [], adjusted: adjustments.all, state: "running" } as const;
          await send([progressQuery(id, this.#runner, progress)]);
        });
      });
      await endState(database, id, this.#runner, "done");
    } catch (error) {
      if (error instanceof NotAll) await endState(database, id, this.#runner, "checking");
      else if (!(error instanceof Cancelled)) throw error;
      else if (this.#isStopping) await releaseImport(database, id, this.#runner, null);
      else await endState(database, id, this.#runner, "checked");
    }
  }

  /** Reads the rows that were written before, so that later rows do not change their records again. */
  async #remember(writer: RowWriter, arrangement: Arrangement | null, id: string, parts: number): Promise<void> {
    for (let part = 0; part < parts; part++) {
      const found = await readPart(this.#service.database, id, part);
      if (found === undefined) continue;
      writer.remember(found.rows);
      arrangement?.note(found.results);
    }
  }
}

/** Writes the rows of a part. `before`: rows of earlier parts to which they refer. */
const writeRows = async (
  writer: RowWriter,
  { before, rows }: { readonly before: readonly ImportRow[]; readonly rows: readonly ImportRow[] },
  caller: Caller,
  transaction: ImportTransaction,
): Promise<{
  readonly results: readonly RowResult[];
  readonly refused: readonly RefusedRow[];
  readonly adjusted: readonly AdjustedCell[];
}> => {
  if (before.length > 0) await writer.write(before, caller, transaction);
  const results = await writer.write(rows, caller, transaction);
  return {
    results,
    refused: results.flatMap((result) => (result.did === "refused" ? [result] : [])),
    adjusted: writer.findAdjusted(rows, results),
  };
};

/** The files that were stored for the import. */
const listFiles = ({ files }: StoredImport): readonly string[] =>
  Object.values(files ?? {}).flatMap((file) => (file.fault === undefined ? [file.id] : []));

const countParts = ({ rows }: StoredImport): number => Math.ceil(rows / ROWS_PER_PART);

/** The state that follows another one, or a part of it. */
const ended = (state: ImportState, isPart = false): ImportState => {
  if (state === "checking") return isPart ? "mapping" : "checked";
  return state === "undoing" && !isPart ? "undone" : "done";
};

/** True if the import was cancelled. */
const readProgress = (results: readonly (readonly Row[])[]): boolean => {
  const row = results.at(-1)?.[0];
  if (row === undefined) throw new TakenOver();
  return row.cancelled === true;
};
