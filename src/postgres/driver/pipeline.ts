import { type Columns, columnsOf, errorOf, type Readers, type Row, rowOf } from "./backend-messages.ts";
import { Messages } from "./frontend-messages.ts";
import type { Prepared } from "./statement-cache.ts";

/** A statement with a name is parsed and planned once per connection. The name must change with the text. */
export interface Query {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A command, or a row without columns: `INSERT` alone answers it. */
const NOTHING: Columns = { empty: {}, names: [], readers: [] };

/** A plan that outlived the tables that it was made for. */
const FEATURE_NOT_SUPPORTED = "0A000";

const [ROW_DESCRIPTION, DATA_ROW, COMMAND_COMPLETE, EMPTY_QUERY, ERROR, READY] = [..."TDCIEZ"].map((letter) =>
  letter.charCodeAt(0),
);

const messages = new Messages();

/**
 * Statements in one message to Postgres, with one Sync behind the last: they are one transaction, made in one round trip,
 * and each sees what was committed before it began
 * (https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-PIPELINING). Where one fails, none was done.
 */
export class Batch {
  readonly #queries: readonly Query[];
  readonly #kept: Prepared;
  readonly #readers: Readers;
  /** What each answers, as far as it is known. */
  readonly #columns: (Columns | undefined)[] = [];
  readonly #rows: Row[][] = [];
  #at = 0;
  #error: Error | undefined;

  constructor(queries: readonly Query[], kept: Prepared, readers: Readers) {
    this.#queries = queries;
    this.#kept = kept;
    this.#readers = readers;
    for (const _ of queries) this.#rows.push([]);
  }

  /** The rows of each statement, once it is done. */
  get rows(): readonly (readonly Row[])[] {
    return this.#rows;
  }

  /** Why it was not done. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** The bytes that ask for it. */
  written(): Buffer {
    const [first] = this.#queries;
    messages.clear();
    // What has neither name nor values may be several statements in one text.
    if (this.#queries.length === 1 && first?.name === undefined && first?.values.length === 0)
      messages.query(first.text);
    else this.#write();
    return messages.take();
  }

  #write(): void {
    const kept = this.#kept;
    for (const name of kept.leaving()) messages.close(name);
    const prepared = new Set<string>();
    for (const [i, { name = "", text, values }] of this.#queries.entries()) {
      this.#columns[i] = name === "" ? undefined : kept.find(name);
      if (this.#columns[i] === undefined && !prepared.has(name)) {
        // It may be there after all, where what came behind it failed.
        if (name !== "") messages.close(name);
        messages.parse(name, text);
        messages.describe(name);
        if (name !== "") prepared.add(name);
      }
      messages.execute(name, values);
    }
    messages.sync();
  }

  /** Takes an answer in; true where it was the last. */
  take(letter: number, bytes: Buffer, from: number, to: number): boolean {
    switch (letter) {
      case DATA_ROW:
        this.#rows[this.#at]?.push(rowOf(this.#columns[this.#at] ?? this.#described(), bytes, from, to));
        return false;
      case COMMAND_COMPLETE:
      case EMPTY_QUERY:
        this.#complete();
        return false;
      case ROW_DESCRIPTION:
        this.#columns[this.#at] = columnsOf(this.#readers, bytes, from);
        return false;
      case ERROR:
        this.#fail(errorOf(bytes, from, to));
        return false;
      default:
        return letter === READY;
    }
  }

  /** A statement that stands there twice is described once. */
  #described(): Columns {
    const { name } = this.#queries[this.#at] ?? {};
    const first = this.#queries.findIndex((query) => query.name === name);
    const columns = this.#columns[first] ?? NOTHING;
    this.#columns[this.#at] = columns;
    return columns;
  }

  #complete(): void {
    const { name } = this.#queries[this.#at] ?? {};
    if (name !== undefined) this.#kept.keep(name, this.#columns[this.#at] ?? this.#described());
    // Several in one text are one to us.
    if (this.#at < this.#queries.length - 1) this.#at += 1;
  }

  #fail(error: Error & { readonly code?: string | undefined }): void {
    this.#error ??= error;
    const { name } = this.#queries[this.#at] ?? {};
    if (name !== undefined && error.code === FEATURE_NOT_SUPPORTED) this.#kept.forget(name);
  }
}
