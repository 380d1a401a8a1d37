import type { Columns } from "./backend-messages.ts";

/** Maximum number of prepared statements per connection. Each takes 10 to 100 kB of Postgres's memory. */
export const KEPT_PLANS = 300;

/** The prepared statements of one connection with their columns; the least recently used one is evicted. */
export class Prepared {
  readonly #known = new Map<string, Columns>();
  #leaving: string[] = [];

  /** The columns of a statement; undefined if it is not prepared on this connection. */
  find(name: string): Columns | undefined {
    const columns = this.#known.get(name);
    if (columns === undefined) return undefined;
    // The most recently used is last.
    this.#known.delete(name);
    this.#known.set(name, columns);
    return columns;
  }

  keep(name: string, columns: Columns): void {
    if (this.#known.has(name)) return;
    this.#known.set(name, columns);
    if (this.#known.size <= KEPT_PLANS) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      this.#leaving.push(oldest);
      return;
    }
  }

  /** Names of evicted statements, to be closed with the next message. Each is returned once. */
  leaving(): readonly string[] {
    const leaving = this.#leaving;
    if (leaving.length > 0) this.#leaving = [];
    return leaving;
  }

  forget(name: string): void {
    this.#known.delete(name);
  }
}
