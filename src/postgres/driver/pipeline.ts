import {
  type Columns,
  decodeColumns,
  decodeError,
  decodeRow,
  decodeValues,
  type Readers,
  type Row,
  type RowValues,
} from "./backend-messages.ts";
import { MessageWriter } from "./frontend-messages.ts";
import type { Prepared } from "./statement-cache.ts";

/** Builds rows from their values. It receives the names of the columns first. */
export type BuildRows = (names: readonly string[]) => (values: RowValues) => Row;

/** A statement. With a name it is parsed and planned once per connection; a different text needs a different name. */
export interface Query {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
  /** Builds the rows of the result. Without it, a row has a property for each column, which is slow for many rows. */
  readonly rows?: BuildRows | undefined;
  /** True if its reader can do without the rows should the statement take too long. */
  readonly isOptional?: boolean | undefined;
}

/** The columns of a command, or of rows without columns. */
const NOTHING: Columns = { empty: {}, names: [], readers: [] };

/** Reported for a plan whose tables have changed since. */
const FEATURE_NOT_SUPPORTED = "0A000";

const [ROW_DESCRIPTION, DATA_ROW, COMMAND_COMPLETE, EMPTY_QUERY, ERROR, READY] = [..."TDCIEZ"].map((letter) =>
  letter.charCodeAt(0),
);

const messages = new MessageWriter();

/**
 * Statements sent in one message with a single Sync: one transaction in one round trip. Each sees what was committed
 * before it began (https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-PIPELINING). If one fails, none
 * takes effect.
 */
export class Batch {
  readonly #queries: readonly Query[];
  readonly #kept: Prepared;
  readonly #readers: Readers;
  readonly #isEager: boolean;
  #isHeard = false;
  /** The columns of each statement, where known. */
  readonly #columns: (Columns | undefined)[] = [];
  readonly #rows: Row[][] = [];
  /** Builds the rows of the current statement, if it does that itself. */
  #build: ((values: RowValues) => Row) | undefined;
  #at = 0;
  #error: Error | undefined;

  /** `isEager`: Postgres sends the rows of the first statement before it begins the next one. */
  constructor(queries: readonly Query[], prepared: Prepared, readers: Readers, isEager = false) {
    this.#isEager = isEager;
    this.#queries = queries;
    this.#kept = prepared;
    this.#readers = readers;
    for (const _ of queries) this.#rows.push([]);
  }

  /** The rows of each statement, once the batch is complete. */
  get rows(): readonly (readonly Row[])[] {
    return this.#rows;
  }

  /** The error, if the batch failed. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** True once Postgres has answered anything. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  /** The bytes to send. */
  written(): Buffer {
    const [first] = this.#queries;
    messages.clear();
    // A query without name and parameters may hold several statements.
    if (this.#queries.length === 1 && first?.name === undefined && first?.values.length === 0)
      messages.query(first.text);
    else this.#write();
    return messages.take();
  }

  #write(): void {
    const cache = this.#kept;
    for (const name of cache.leaving()) messages.close(name);
    const prepared = new Set<string>();
    for (const [i, { name = "", text, values }] of this.#queries.entries()) {
      this.#columns[i] = name === "" ? undefined : cache.find(name);
      if (this.#columns[i] === undefined && !prepared.has(name)) {
        // A later statement may have failed after this one was prepared.
        if (name !== "") messages.close(name);
        messages.parse(name, text);
        messages.describe(name);
        if (name !== "") prepared.add(name);
      }
      messages.execute(name, values);
      if (this.#isEager && i === 0) messages.flush();
    }
    messages.sync();
  }

  /** Processes one message; true if it was the last. */
  take(letter: number, bytes: Buffer, from: number, to: number): boolean {
    this.#isHeard = true;
    switch (letter) {
      case DATA_ROW:
        this.#takeRow(bytes, from, to);
        return false;
      case COMMAND_COMPLETE:
      case EMPTY_QUERY:
        this.#complete();
        return false;
      case ROW_DESCRIPTION:
        this.#columns[this.#at] = decodeColumns(this.#readers, bytes, from);
        return false;
      case ERROR:
        this.#fail(decodeError(bytes, from, to));
        return false;
      default:
        return letter === READY;
    }
  }

  #takeRow(bytes: Buffer, from: number, to: number): void {
    const columns = this.#columns[this.#at] ?? this.#described();
    const own = this.#queries[this.#at]?.rows;
    if (own === undefined) {
      this.#rows[this.#at]?.push(decodeRow(columns, bytes, from, to));
      return;
    }
    // Nobody would catch an error that is thrown while bytes arrive.
    try {
      this.#build ??= own(columns.names);
      this.#rows[this.#at]?.push(this.#build(decodeValues(columns, bytes, from, to)));
    } catch (error) {
      this.#error ??= error instanceof Error ? error : new Error(String(error));
    }
  }

  /** A statement that occurs twice is described once. */
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
    // Several statements in one text count as one.
    if (this.#at < this.#queries.length - 1) this.#at += 1;
    this.#build = undefined;
  }

  #fail(error: Error & { readonly code?: string | undefined }): void {
    this.#error ??= error;
    const { name } = this.#queries[this.#at] ?? {};
    if (name !== undefined && error.code === FEATURE_NOT_SUPPORTED) this.#kept.forget(name);
  }
}
