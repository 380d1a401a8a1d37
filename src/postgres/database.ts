import pg from "pg";
import type { Readers, Row } from "./driver/backend-messages.ts";
import { Connection } from "./driver/connection.ts";
import type { Query } from "./driver/pipeline.ts";
import { type Load, Pool } from "./driver/pool.ts";

export type { Row } from "./driver/backend-messages.ts";
export type { Query } from "./driver/pipeline.ts";
export type { Load } from "./driver/pool.ts";

/** The one place that speaks to Postgres. */
export interface Database {
  query(query: Query): Promise<readonly Row[]>;
  /**
   * Several statements as one transaction in one round trip, on a connection that is nobody else's meanwhile. `writes`: they
   * may wait for locks of others, for whom some connections are kept free.
   */
  batch(queries: readonly Query[], writes?: boolean): Promise<readonly (readonly Row[])[]>;
  /** Runs in one transaction on one connection; what is thrown rolls it back and is thrown on. */
  transaction<T>(work: (query: Database["query"], batch: Database["batch"]) => Promise<T>): Promise<T>;
  /** How busy it is. */
  load(): Load;
  end(): Promise<void>;
}

/** Postgres cannot be reached or is going away. Nothing of the statement was acknowledged; a person is told to try again. */
export class StoreAway extends Error {
  override readonly name = "StoreAway";
  /** What stands behind it, as the system or Postgres says it; empty where nothing does. */
  get reason(): string {
    const said = (error: unknown): readonly string[] => {
      if (error instanceof AggregateError) return error.errors.flatMap(said);
      return error instanceof Error ? [error.message, ...said(error.cause)] : [];
    };
    return [...new Set(said(this.cause))].join(", ");
  }
  /** The whole on one line. */
  get because(): string {
    const { message, reason } = this;
    return (reason === "" ? message : `${message.replace(/\.$/u, "")}: ${reason}.`).replace(/\s+/gu, " ");
  }
}

/** So many statements wait already that one more would only wait too: nothing was done, and it may be tried again. */
export class StoreBusy extends StoreAway {
  constructor() {
    super("Too many statements wait for the database.");
  }
}

/** A statement or its wait for a lock took longer than it may, and Postgres gave it up: nothing of it was done. */
export class StoreSlow extends StoreAway {}

/** What Postgres refused with its five-letter code and, for a constraint, its name. */
export class StoreRefusal extends Error {
  override readonly name = "StoreRefusal";
  readonly code: string;
  readonly constraint: string | undefined;
  readonly table: string | undefined;
  readonly column: string | undefined;
  constructor(cause: pg.DatabaseError) {
    super(cause.message, { cause });
    this.code = cause.code ?? "";
    this.constraint = cause.constraint;
    this.table = cause.table;
    this.column = cause.column;
  }
}

/** What the log is told of an error: of a store that is away why, and of what nobody foresaw where it arose as well. */
export const inLog = (error: unknown): { readonly because: string } | { readonly err: unknown } =>
  error instanceof StoreAway ? { because: error.because } : { err: error };

/**
 * https://www.postgresql.org/docs/18/errcodes-appendix.html: connection exceptions, operator intervention, and writes to
 * one that only reads, as while another takes its place. Whoever is on this connection will not fare better on it.
 */
const isGoing = (code: string): boolean => /^(?:08|57P0[123]|25006)/u.test(code);

/** No room: on the disk, in memory, for connections. */
const isFull = (code: string): boolean => code.startsWith("53");

/** A statement, or its wait for a lock, was given up. */
const isSlow = (code: string): boolean => code === "57014" || code === "55P03";

export const translated = (error: unknown): unknown => {
  if (error instanceof pg.DatabaseError && isSlow(error.code ?? ""))
    return new StoreSlow("A statement took too long.", { cause: error });
  if (error instanceof pg.DatabaseError)
    return isGoing(error.code ?? "") || isFull(error.code ?? "")
      ? new StoreAway("The database is going away.", { cause: error })
      : new StoreRefusal(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const lost =
    /^(?:ECONN|ENOENT|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)/u.test(code) ||
    (error instanceof Error &&
      /Connection terminated|timeout expired|Client has encountered a connection error|not queryable/u.test(
        error.message,
      ));
  return lost ? new StoreAway("The database cannot be reached.", { cause: error }) : error;
};

const { builtins } = pg.types;
/** `2026-01-31 08:00:00.5+00` as `2026-01-31T08:00:00.500Z`: connections are set to UTC, and a zero at the end is left out. */
const instant = (text: string): string =>
  `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.length === 22 ? "000" : text.slice(20, -3).padEnd(3, "0").slice(0, 3)}Z`;

const parsers: { readonly [type: number]: (text: string) => unknown } = {
  // Days stay days: a Date would move them by the process's zone.
  [builtins.DATE]: (text) => text,
  [builtins.TIMESTAMPTZ]: instant,
  // Its parts are read where its type is known.
  [builtins.INTERVAL]: (text) => text,
  [builtins.INT8]: Number,
};
const texts = new Map<number, (text: string) => unknown>();
/** Asked for each column of each answer: `pg`'s own tables are gone through once for a type. */
const reader: Readers = (type) => {
  const known = texts.get(type);
  if (known !== undefined) return known;
  const parser = parsers[type] ?? (pg.types.getTypeParser(type, "text") as (text: string) => unknown);
  texts.set(type, parser);
  return parser;
};
/** Whether a connection string can be read; whether somebody answers there is found out by connecting. */
export const isAddress = (url: string): boolean => {
  try {
    new pg.Client({ connectionString: url });
    return true;
  } catch {
    return false;
  }
};

/** The role that a connection is made as; undefined where its address leaves it to the system. */
export const roleOf = (connection: ConnectOptions["connection"]): string | undefined => {
  const { user } = new pg.Client(typeof connection === "string" ? { connectionString: connection } : connection);
  return user;
};

export interface ConnectOptions {
  /** A connection string, or what `pg` takes. */
  readonly connection: string | pg.ClientConfig;
  readonly max?: number;
  /** Milliseconds; a statement that takes longer is ended by Postgres. */
  readonly statementTimeout?: number;
  /**
   * Whether a pooler in transaction mode stands between: then a connection keeps nothing from one statement to the next,
   * so statements have no names, and what a connection is to be set to is set at the role (`system.ts`).
   */
  readonly pooled?: boolean;
  /** How many statements may wait for a connection before the next is turned away. */
  readonly queue?: number;
  /** Told of each statement how long it took, in seconds. */
  readonly measured?: (seconds: number) => void;
}

const IDLE_IN_TRANSACTION = 30_000;

/** What each connection is set to, by name. Rows are read as if time were UTC and days were written as ISO has them. */
export const settingsOf = (statementTimeout: number): Readonly<Record<string, string>> => ({
  TimeZone: "UTC",
  DateStyle: "ISO",
  IntervalStyle: "postgres",
  statement_timeout: String(statementTimeout),
  lock_timeout: String(Math.min(5_000, statementTimeout)),
  idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION),
  // A statement has one plan, whatever it is asked with: the one that was looked at when it was written (`bench:plans`).
  plan_cache_mode: "force_generic_plan",
});

/**
 * How long a statement may wait for a connection, in milliseconds. A request has two at most, one after the other, so that
 * whoever asks is told before two seconds are over that the database is away.
 */
const LONGEST_WAIT = 900;

/** Of the connections, those that writes never have, so that who reads does not wait with them. */
const FOR_READING = 2;

/** How long a connection is kept that nobody asks, in milliseconds. */
const LONGEST_IDLE = 60_000;

/** How long a statement of a request may take, in milliseconds. */
export const STATEMENT_TIMEOUT = 15_000;

const BEGIN: Query = { name: "begin", text: "begin", values: [] };
const COMMIT: Query = { name: "commit", text: "commit", values: [] };
const ROLLBACK: Query = { name: "rollback", text: "rollback", values: [] };

const unnamed = ({ text, values }: Query): Query => ({ text, values });

const optionsOf = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ");

/** Opens a pool. Nothing is connected before the first statement. */
export const connect = ({
  connection,
  max = 6,
  statementTimeout = STATEMENT_TIMEOUT,
  pooled = false,
  queue = 500,
  measured,
}: ConnectOptions): Database => {
  const config: pg.ClientConfig = {
    ...(typeof connection === "string" ? { connectionString: connection } : connection),
    connectionTimeoutMillis: LONGEST_WAIT,
    ...(pooled ? {} : { options: optionsOf(settingsOf(statementTimeout)) }),
    application_name: "ninefold",
  };
  const pool = new Pool({
    open: () => Connection.open(config, reader),
    max,
    writers: Math.max(1, max - FOR_READING),
    wait: LONGEST_WAIT,
    // Postgres ends a statement that takes too long; where nothing comes back at all, we do.
    silence: statementTimeout + 1_000,
    idle: LONGEST_IDLE,
    late: () => new StoreAway("No connection to the database was had in time."),
  });

  const borrowed = async (writes: boolean): Promise<Connection> => {
    const { idle, waiting } = pool.load();
    if (idle === 0 && waiting >= queue) throw new StoreBusy();
    try {
      return await pool.lend(writes);
    } catch (error) {
      throw translated(error);
    }
  };

  const send = (connection: Connection, queries: readonly Query[]): Promise<readonly (readonly Row[])[]> =>
    new Promise((resolve, reject) => {
      const from = measured === undefined ? 0 : performance.now();
      connection.ask(pooled ? queries.map(unnamed) : queries, (error, rows) => {
        measured?.((performance.now() - from) / 1_000);
        if (error === undefined) return resolve(rows);
        if (error instanceof pg.DatabaseError && isGoing(error.code ?? "")) connection.cut();
        reject(translated(error));
      });
    });

  const batch: Database["batch"] = async (queries, writes = false) => {
    const connection = await borrowed(writes);
    try {
      return await send(connection, queries);
    } finally {
      pool.giveBack(connection);
    }
  };

  return {
    query: async (query) => (await batch([query]))[0] ?? [],
    batch,
    transaction: async (work) => {
      const connection = await borrowed(true);
      // Goes out with the first statement.
      let opening: readonly Query[] = [BEGIN];
      const asked: Database["batch"] = async (queries) => {
        const first = opening;
        opening = [];
        // A text without values may be several statements, which stand in no message with others.
        if (first.length > 0 && queries.some(({ name, values }) => name === undefined && values.length === 0)) {
          await send(connection, first);
          return send(connection, queries);
        }
        return (await send(connection, [...first, ...queries])).slice(first.length);
      };
      try {
        const result = await work(async (query) => (await asked([query]))[0] ?? [], asked);
        if (opening.length === 0) await send(connection, [COMMIT]);
        return result;
      } catch (error) {
        // One that is cut rolls back by itself.
        if (opening.length === 0 && connection.isOpen) await send(connection, [ROLLBACK]).catch(() => connection.cut());
        throw error;
      } finally {
        pool.giveBack(connection);
      }
    },
    load: () => pool.load(),
    end: () => pool.end(),
  };
};
