import type { Columns } from "./backend-messages.ts";

/** So many plans a connection keeps; each is some ten to a hundred kilobytes of Postgres's memory. */
export const KEPT_PLANS = 300;

/**
 * The statements that are prepared on one connection, with what they answer. Of more than it keeps, the one goes that was
 * asked for the longest time ago.
 */
export class Prepared {
  readonly #known = new Map<string, Columns>();
  #leaving: string[] = [];

  /** What a statement answers; undefined where it is not prepared here. */
  find(name: string): Columns | undefined {
    const columns = this.#known.get(name);
    if (columns === undefined) return undefined;
    // The youngest stands last.
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

  /** Those that were given up, to be taken away with what is sent next; told once. */
  leaving(): readonly string[] {
    const leaving = this.#leaving;
    if (leaving.length > 0) this.#leaving = [];
    return leaving;
  }

  forget(name: string): void {
    this.#known.delete(name);
  }
}
