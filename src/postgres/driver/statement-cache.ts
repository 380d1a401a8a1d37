import { LRUCache } from "lru-cache";
import type { Columns } from "./backend-messages.ts";

/** Maximum number of prepared statements per connection. Each takes 10 to 100 kB of Postgres's memory. */
export const MOST_PREPARED = 300;

/** The prepared statements of one connection with their columns; the least recently used one is evicted. */
export class Prepared {
  #leaving: string[] = [];
  readonly #known = new LRUCache<string, Columns>({
    max: MOST_PREPARED,
    dispose: (_, name, reason) => {
      if (reason === "evict") this.#leaving.push(name);
    },
  });

  /** The columns of a statement; undefined if it is not prepared on this connection. */
  find(name: string): Columns | undefined {
    return this.#known.get(name);
  }

  keep(name: string, columns: Columns): void {
    if (!this.#known.has(name)) this.#known.set(name, columns);
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
