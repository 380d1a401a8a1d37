import pg from "pg";

/** A statement with a name is parsed and planned once per connection. The name must change with the text. */
export interface Query {
  readonly name?: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

export type Row = Readonly<Record<string, unknown>>;

/** What `pg` calls on a query, of which its types tell only a part. */
interface Answering {
  readonly name?: string;
  readonly text?: string;
  prepare(connection: pg.Connection): void;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: pg.Connection): void;
  handleEmptyQuery(connection: pg.Connection): void;
  handleReadyForQuery(connection: pg.Connection): void;
}

type Submitted = pg.Connection & { readonly submittedNamedStatements: Record<string, string> };

/**
 * Several statements in one message to Postgres, with one Sync behind the last: they are one transaction, made in one
 * round trip, and each sees what was committed before it began
 * (https://www.postgresql.org/docs/18/protocol-flow.html#PROTOCOL-FLOW-PIPELINING). Where one fails, none was done.
 *
 * `pg` takes whatever has `submit`; the statements are its own queries, written without the Sync that each would end in.
 */
export class Batch {
  callback: (error: Error | null | undefined) => void;
  readonly #statements: readonly Answering[];
  readonly #rows: (readonly Row[])[] = [];
  #at = 0;

  constructor(queries: readonly Query[], types: pg.CustomTypesConfig, done: Batch["callback"]) {
    this.callback = done;
    this.#statements = queries.map(({ name, text, values }, i) => {
      const config = { ...(name === undefined ? {} : { name }), text, values: [...values], types };
      const query = new pg.Query<Record<string, unknown>, unknown[]>(config, (_, { rows }) => {
        this.#rows[i] = rows;
      });
      return query as unknown as Answering;
    });
  }

  /** The rows of each statement, once it is done. */
  get rows(): readonly (readonly Row[])[] {
    return this.#rows;
  }

  /** The statement that is being answered: `pg` remembers by its name that it was prepared. */
  get name(): string | undefined {
    return this.#statements[this.#at]?.name;
  }
  get text(): string | undefined {
    return this.#statements[this.#at]?.text;
  }

  submit(connection: pg.Connection): void {
    const unsynced = Object.create(connection, { sync: { value: () => undefined } }) as pg.Connection;
    connection.stream.cork();
    try {
      for (const statement of this.#statements) statement.prepare(unsynced);
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
  }

  handleRowDescription(message: unknown): void {
    this.#statements[this.#at]?.handleRowDescription(message);
  }
  handleDataRow(message: unknown): void {
    this.#statements[this.#at]?.handleDataRow(message);
  }
  handleCommandComplete(message: unknown, connection: pg.Connection): void {
    this.#statements[this.#at]?.handleCommandComplete(message, connection);
    this.#at += 1;
  }
  handleReadyForQuery(connection: pg.Connection): void {
    for (const statement of this.#statements) statement.handleReadyForQuery(connection);
    this.callback(null);
  }
  handleError(error: Error, connection: Submitted): void {
    // What stood behind it was skipped, and so not prepared.
    for (const { name } of this.#statements.slice(this.#at))
      if (name !== undefined) delete connection.submittedNamedStatements[name];
    this.callback(error);
  }
}
