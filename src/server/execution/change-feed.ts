import { randomUUID } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Database } from "../../postgres/database.ts";

const POLL_MS = 400;
/** Maximum time between a write and its commit for the write to be noticed; ids are assigned at the write. */
const MAX_COMMIT_MS = 10_000;
const MAX_LINES = 5_000;
/** Maximum number of known positions; the oldest are dropped, and their clients reload everything. */
const MAX_POSITIONS = 10_000;

/** Audit lines by entity. */
export type Lines = ReadonlyMap<string, readonly number[]>;

/**
 * Polls the audit table for new lines from all servers, but only while a client waits. The caller's permission on each
 * line is checked separately (`server/plan/row/change-visibility.ts`).
 */
export class Changes {
  readonly #database: Database;
  readonly #places = new LRUCache<string, number>({ max: MAX_POSITIONS });
  #sequence = 0;
  /** The newest lines; complete after the position `#from`. */
  #lines: { readonly sequence: number; readonly entity: string; readonly id: number }[] = [];
  #from = 0;
  readonly #seen = new Map<number, number>();
  #settled: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #isPolling = false;
  readonly #waiting = new Set<() => void>();
  #released = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** A token for the current position. It is random, so that it does not disclose the number of changes. */
  place(): string {
    const place = randomUUID();
    this.#places.set(place, this.#sequence);
    return place;
  }

  /** Lines after a position; null if the position is unknown, so that anything could have changed. */
  since(at: string): Lines | null {
    const sequence = this.#places.get(at);
    if (sequence === undefined || sequence < this.#from) return null;
    const found = new Map<string, number[]>();
    for (const line of this.#lines)
      if (line.sequence > sequence) found.set(line.entity, [...(found.get(line.entity) ?? []), line.id]);
    return found;
  }

  /** Waits until a change, the timeout, or an abort by the client. */
  async wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#released) return;
    await new Promise<void>((resolve) => {
      const stopWaiting = () => {
        clearTimeout(limit);
        signal.removeEventListener("abort", stopWaiting);
        this.#waiting.delete(stopWaiting);
        resolve();
      };
      const limit = setTimeout(stopWaiting, milliseconds);
      signal.addEventListener("abort", stopWaiting);
      this.#waiting.add(stopWaiting);
      this.#timer ??= setTimeout(() => void this.#look(), 0);
    });
  }

  /** True after `release`. */
  get released(): boolean {
    return this.#released;
  }

  /** Ends all waiting, before the server stops or switches to another document. */
  release(): void {
    this.#released = true;
    for (const done of this.#waiting) done();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    if (this.#isPolling) return;
    this.#isPolling = true;
    try {
      await this.#ask();
    } catch {
      // Without the database there are no changes. Polling continues.
    } finally {
      this.#isPolling = false;
      this.#timer =
        this.#waiting.size === 0 || this.#released ? undefined : setTimeout(() => void this.#look(), POLL_MS);
      this.#timer?.unref();
    }
  }

  async #ask(): Promise<void> {
    const first = this.#settled === undefined;
    if (first) {
      const [row] = await this.#database.query({
        name: "changes_begin",
        text: "select coalesce(max(id), 0) as id from ninefold.audit",
        values: [],
      });
      this.#settled = Number(row?.id ?? 0);
      return;
    }
    const rows = await this.#database.query({
      name: "changes",
      text: "select id, entity from ninefold.audit where id > $1 order by id limit $2",
      values: [this.#settled, MAX_LINES],
    });
    const now = Date.now();
    let changed = false;
    for (const { id, entity } of rows) {
      if (this.#seen.has(Number(id))) continue;
      this.#seen.set(Number(id), now);
      if (!changed) this.#sequence += 1;
      changed = true;
      this.#lines.push({ sequence: this.#sequence, entity: String(entity), id: Number(id) });
    }
    // No uncommitted line can precede a line that was seen long enough ago.
    const crowded = rows.length >= MAX_LINES;
    for (const [id, since] of this.#seen)
      if (crowded || now - since > MAX_COMMIT_MS) {
        this.#settled = Math.max(this.#settled ?? 0, id);
        this.#seen.delete(id);
      }
    if (this.#lines.length > MAX_LINES) {
      const dropped = this.#lines.splice(0, this.#lines.length - MAX_LINES);
      this.#from = dropped.at(-1)?.sequence ?? this.#from;
    }
    if (changed) for (const done of [...this.#waiting]) done();
  }
}
