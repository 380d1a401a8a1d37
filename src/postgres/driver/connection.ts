import type pg from "pg";
import { type MessageHandler, MessageSplitter, type Readers, type Row } from "./backend-messages.ts";
import { Batch, type Query } from "./pipeline.ts";
import { Prepared } from "./statement-cache.ts";

/** Receives the rows of each statement, or the reason why none took effect. */
export type Completion = (error: Error | undefined, rows: readonly (readonly Row[])[]) => void;

/**
 * A connection that processes one batch at a time. `pg` connects, authenticates and closes. Messages in between are
 * written and read here, because `pg` describes a statement with every run and emits an event for each row.
 */
export class Connection {
  readonly #client: pg.Client;
  readonly #stream: pg.Connection["stream"];
  readonly #readers: Readers;
  readonly #prepared = new Prepared();
  readonly #messages = new MessageSplitter();
  readonly #told: MessageHandler = (letter, bytes, from, to) => {
    if (this.#batch?.take(letter, bytes, from, to) === true) this.#answered(this.#batch.error);
  };
  #batch: Batch | undefined;
  #done: Completion | undefined;
  #isOpen = true;
  /** Time of its last return, or of the last check that it is alive. */
  since = performance.now();

  private constructor(client: pg.Client, readers: Readers) {
    this.#client = client;
    this.#stream = client.connection.stream;
    this.#readers = readers;
    this.#stream.removeAllListeners("data").on("data", (chunk: Buffer) => this.#messages.take(chunk, this.#told));
    // After the first sign of an end, it is no longer lent.
    for (const sign of ["end", "error"])
      this.#stream.once(sign, () => {
        this.#isOpen = false;
      });
    client.once("end", () => {
      this.#isOpen = false;
      this.#answered(this.#batch?.error ?? new Error("Connection terminated unexpectedly"));
    });
  }

  /** Takes over a client that has connected. */
  static of(client: pg.Client, readers: Readers): Connection {
    return new Connection(client, readers);
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  get isAsked(): boolean {
    return this.#batch !== undefined;
  }

  /** True while a batch waits for its first answer. */
  get isSilent(): boolean {
    return this.#batch?.isHeard === false;
  }

  ask(queries: readonly Query[], done: Completion, isEager = false): void {
    if (this.#batch !== undefined) throw new Error("a connection is asked one thing at a time");
    this.since = performance.now();
    this.#batch = new Batch(queries, this.#prepared, this.#readers, isEager);
    this.#done = done;
    if (this.#isOpen) this.#stream.write(this.#batch.written());
    else process.nextTick(() => this.#answered(new Error("Connection terminated unexpectedly")));
  }

  #answered(error: Error | undefined): void {
    const [batch, done] = [this.#batch, this.#done];
    this.#batch = undefined;
    this.#done = undefined;
    done?.(error, batch?.rows ?? []);
  }

  /** Closes the connection at once. A pending batch fails as lost. */
  cut(): void {
    this.#isOpen = false;
    this.#stream.destroy();
  }

  async end(): Promise<void> {
    if (this.isAsked) this.cut();
    await this.#client.end();
  }
}
