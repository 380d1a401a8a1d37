import { randomUUID } from "node:crypto";
import type { Database } from "../postgres/database.ts";

const EVERY = 400;
/** How long a write may take to its commit and still be noticed: ids are given before. */
const SETTLED = 10_000;
const MOST = 5_000;

/**
 * Which entities were written to, by whatever server: the audit is asked what is new, and only while somebody waits. The
 * answer says no more than that something changed.
 */
export class Changes {
  readonly #database: Database;
  readonly #run = randomUUID().slice(0, 8);
  #sequence = 0;
  readonly #last = new Map<string, number>();
  readonly #seen = new Map<number, number>();
  #settled: number | undefined;
  #timer: NodeJS.Timeout | undefined;
  #asking = false;
  readonly #waiting = new Set<() => void>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Where one is now: what to wait after. */
  get at(): string {
    return `${this.#run}.${this.#sequence}`;
  }

  /** The entities that changed after a place; null where that is not known, and everything may have. */
  since(at: string): ReadonlySet<string> | null {
    const [run, sequence] = at.split(".");
    if (run !== this.#run || !/^\d{1,15}$/u.test(sequence ?? "")) return null;
    return new Set([...this.#last].filter(([, changed]) => changed > Number(sequence)).map(([entity]) => entity));
  }

  /** Until something changes, a time is over, or nobody asks any more. */
  async wait(milliseconds: number, given: AbortSignal): Promise<void> {
    if (given.aborted) return;
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

  /** Nobody waits any longer: the server is about to stop. */
  release(): void {
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
      this.#timer = this.#waiting.size === 0 ? undefined : setTimeout(() => void this.#look(), EVERY);
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
      this.#last.set(String(entity), this.#sequence);
    }
    // What was seen long enough ago has nothing before it that is still to be committed.
    const crowded = rows.length >= MOST;
    for (const [id, since] of this.#seen)
      if (crowded || now - since > SETTLED) {
        this.#settled = Math.max(this.#settled ?? 0, id);
        this.#seen.delete(id);
      }
    if (changed) for (const done of [...this.#waiting]) done();
  }
}
