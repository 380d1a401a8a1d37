import type pg from "pg";
import { Messages } from "./message.ts";
import { type Columns, Prepared } from "./prepared.ts";

/** A statement with a name is parsed and planned once per connection. The name must change with the text. */
export interface Query {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

export type Row = Readonly<Record<string, unknown>>;

/** How text of a type of Postgres's, by its number, is read. */
export type Readers = (type: number) => (text: string) => unknown;

/** A command, or a row without columns: `INSERT` alone answers it. */
const NOTHING: Columns = { empty: {}, names: [], readers: [] };

/** A plan that outlived the tables that it was made for. */
const FEATURE_NOT_SUPPORTED = "0A000";

const prepared = new WeakMap<pg.Connection, Prepared>();

/** The statements that a connection keeps. */
const preparedOn = (connection: pg.Connection): Prepared => {
  const known = prepared.get(connection) ?? new Prepared();
  prepared.set(connection, known);
  return known;
};

const messages = new Messages();

/**
 * Statements in one message to Postgres, with one Sync behind the last: they are one transaction, made in one round trip,
 * and each sees what was committed before it began
 * (https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-PIPELINING). Where one fails, none was done.
 *
 * `pg` connects, and takes as a query whatever has `submit`. What it does itself for a query, it does for each anew: a
 * statement is described with every run, in a message of its own. Here that is done once, when it is prepared.
 */
export class Batch {
  callback: (error: Error | null | undefined) => void;
  readonly #queries: readonly Query[];
  readonly #readers: Readers;
  /** What each answers, as far as it is known. */
  readonly #columns: (Columns | undefined)[] = [];
  readonly #rows: Row[][] = [];
  #at = 0;

  constructor(queries: readonly Query[], readers: Readers, done: Batch["callback"]) {
    this.callback = done;
    this.#queries = queries;
    this.#readers = readers;
    for (const _ of queries) this.#rows.push([]);
  }

  /** The rows of each statement, once it is done. */
  get rows(): readonly (readonly Row[])[] {
    return this.#rows;
  }

  submit(connection: pg.Connection): void {
    const [first] = this.#queries;
    messages.clear();
    // What has neither name nor values may be several statements in one text.
    if (this.#queries.length === 1 && first?.name === undefined && first?.values.length === 0)
      messages.query(first.text);
    else this.#write(preparedOn(connection));
    connection.stream.write(messages.take());
  }

  #write(kept: Prepared): void {
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

  handleRowDescription({
    fields,
  }: {
    readonly fields: readonly { readonly name: string; readonly dataTypeID: number }[];
  }): void {
    this.#columns[this.#at] = {
      empty: Object.fromEntries(fields.map(({ name }) => [name, null])),
      names: fields.map(({ name }) => name),
      readers: fields.map(({ dataTypeID }) => this.#readers(dataTypeID)),
    };
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const { empty, names, readers } = this.#columns[this.#at] ?? this.#described();
    const row: Record<string, unknown> = { ...empty };
    for (let i = 0; i < fields.length; i++) {
      const text = fields[i];
      if (text != null) row[names[i] ?? ""] = readers[i]?.(text);
    }
    this.#rows[this.#at]?.push(row);
  }

  /** A statement that stands there twice is described once. */
  #described(): Columns {
    const { name } = this.#queries[this.#at] ?? {};
    const first = this.#queries.findIndex((query) => query.name === name);
    const columns = this.#columns[first] ?? NOTHING;
    this.#columns[this.#at] = columns;
    return columns;
  }

  handleCommandComplete(_: unknown, connection: pg.Connection): void {
    const query = this.#queries[this.#at];
    if (query?.name !== undefined)
      preparedOn(connection).keep(query.name, this.#columns[this.#at] ?? this.#described());
    // Several in one text are one to us.
    if (this.#at < this.#queries.length - 1) this.#at += 1;
  }
  handleEmptyQuery(connection: pg.Connection): void {
    this.handleCommandComplete(undefined, connection);
  }
  handleReadyForQuery(): void {
    this.callback(null);
  }
  handleError(error: Error & { readonly code?: string }, connection: pg.Connection): void {
    const { name } = this.#queries[this.#at] ?? {};
    if (name !== undefined && error.code === FEATURE_NOT_SUPPORTED) preparedOn(connection).forget(name);
    this.callback(error);
  }
}
