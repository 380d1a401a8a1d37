import { randomUUID } from "node:crypto";
import { LRUCache } from "lru-cache";
import type { Database } from "../../postgres/database.ts";

const EVERY = 400;
/** How long a write may take to its commit and still be noticed: ids are given before. */
const SETTLED = 10_000;
const MOST = 5_000;
/** Of so many who wait it is known where they are; of more, the first look at everything again. */
const PLACES = 10_000;

/** Lines of the audit, by the entity of whose records they tell. */
export type Lines = ReadonlyMap<string, readonly number[]>;

/**
 * Which lines are new in the audit, by whatever server: it is asked only while somebody waits. What of it somebody may know
 * is asked for each (`server/plan/row/change-visibility.ts`).
 */
export class Changes {
  readonly #database: Database;
  readonly #places = new LRUCache<string, number>({ max: PLACES });
  #sequence = 0;
  /** The newest lines, and the place after which all of them are here. */
  #lines: { readonly sequence: number; readonly entity: string; readonly id: number }[] = [];
  #from = 0;
  readonly #seen = new Map<number, number>();
  #settled: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #asking = false;
  readonly #waiting = new Set<() => void>();
  #released = false;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Where one is now: what to wait after. Each is a word of its own, so that none tells how much came meanwhile. */
  place(): string {
    const place = randomUUID();
    this.#places.set(place, this.#sequence);
    return place;
  }

  /** What was written after a place; null where that is not known, and everything may have been. */
  since(at: string): Lines | null {
    const sequence = this.#places.get(at);
    if (sequence === undefined || sequence < this.#from) return null;
    const found = new Map<string, number[]>();
    for (const line of this.#lines)
      if (line.sequence > sequence) found.set(line.entity, [...(found.get(line.entity) ?? []), line.id]);
    return found;
  }

  /** Until something changes, a time is over, or nobody asks any more. */
  async wait(milliseconds: number, given: AbortSignal): Promise<void> {
    if (given.aborted || this.#released) return;
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(limit);
        given.removeEventListener("abort", done);
        this.#waiting.delete(done);
        resolve();
      };
      const limit = setTimeout(done, milliseconds);
      given.addEventListener("abort", done);
      this.#waiting.add(done);
      this.#timer ??= setTimeout(() => void this.#look(), 0);
    });
  }

  /** Whether nobody waits any longer. */
  get released(): boolean {
    return this.#released;
  }

  /** Nobody waits any longer: the server is about to stop, or another document is in force. */
  release(): void {
    this.#released = true;
    for (const done of this.#waiting) done();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  async #look(): Promise<void> {
    if (this.#asking) return;
    this.#asking = true;
    try {
      await this.#ask();
    } catch {
      // A store that is away changes nothing that could be told; it is asked again.
    } finally {
      this.#asking = false;
      this.#timer = this.#waiting.size === 0 || this.#released ? undefined : setTimeout(() => void this.#look(), EVERY);
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
      values: [this.#settled, MOST],
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
    // What was seen long enough ago has nothing before it that is still to be committed.
    const crowded = rows.length >= MOST;
    for (const [id, since] of this.#seen)
      if (crowded || now - since > SETTLED) {
        this.#settled = Math.max(this.#settled ?? 0, id);
        this.#seen.delete(id);
      }
    if (this.#lines.length > MOST) {
      const left = this.#lines.splice(0, this.#lines.length - MOST);
      this.#from = left.at(-1)?.sequence ?? this.#from;
    }
    if (changed) for (const done of [...this.#waiting]) done();
  }
}
