import type { FastifyBaseLogger } from "fastify";
import { type Database, type Query, toLogFields } from "../../postgres/database.ts";

/** The table to which a log writes its lines. */
export interface LogTable<Line> {
  /** The name of the insert statement, and of the lines in messages, such as `refusals`. */
  readonly name: string;
  insert(lines: readonly Line[]): Pick<Query, "text" | "values">;
  /** Deletes the lines that are too old or too many. */
  readonly trim: Query;
}

const WRITE_EVERY = 1_000;
const TRIM_EVERY = 60_000;
const MAX_WAITING = 2_000;

/**
 * A log in the database. Lines are collected in memory and written in batches, independently of requests. If lines
 * arrive faster than they can be written, or the database is unavailable, the newest are dropped and counted.
 */
export class BatchedLog<Line> {
  readonly #database: Database;
  readonly #log: FastifyBaseLogger;
  readonly #table: LogTable<Line>;
  readonly #timer: NodeJS.Timeout;
  #waiting: Line[] = [];
  #dropped = 0;
  #trimmed = 0;
  #writing: Promise<void> = Promise.resolve();

  constructor(database: Database, log: FastifyBaseLogger, table: LogTable<Line>) {
    this.#database = database;
    this.#log = log;
    this.#table = table;
    this.#timer = setInterval(() => void this.write(), WRITE_EVERY);
    this.#timer.unref();
  }

  add(line: Line): void {
    if (this.#waiting.length < MAX_WAITING) this.#waiting.push(line);
    else this.#dropped++;
  }

  /** Writes the waiting lines. Resolves after they are written or the write failed. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#flush());
    return this.#writing;
  }

  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await this.write();
  }

  async #flush(): Promise<void> {
    const { name, insert, trim } = this.#table;
    if (this.#dropped > 0) this.#log.warn({ dropped: this.#dropped }, `too many ${name} at once; some were dropped`);
    this.#dropped = 0;
    const lines = this.#waiting;
    if (lines.length === 0) return;
    this.#waiting = [];
    try {
      await this.#database.query({ name, ...insert(lines) });
      if (Date.now() - this.#trimmed > TRIM_EVERY) {
        this.#trimmed = Date.now();
        await this.#database.query(trim);
      }
    } catch (error) {
      this.#log.warn({ ...toLogFields(error), lost: lines.length }, `${name} could not be written`);
    }
  }
}
