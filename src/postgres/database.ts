import { setImmediate as nextTurn } from "node:timers/promises";
import pg from "pg";
import type { Readers, Row, ValueReader } from "./driver/backend-messages.ts";
import { type Completion, Connection } from "./driver/connection.ts";
import { createOpener, parseServers } from "./driver/open-client.ts";
import type { Query } from "./driver/pipeline.ts";
import { type Load, Pool } from "./driver/pool.ts";

export type { Row, RowValues } from "./driver/backend-messages.ts";
export type { BuildRows, Query } from "./driver/pipeline.ts";
export type { Load } from "./driver/pool.ts";

/** Runs one statement, in the transaction that it was received from, if any. */
export type RunQuery = (query: Query) => Promise<readonly Row[]>;

/** The only module that talks to Postgres. */
export interface Database {
  query(query: Query): Promise<readonly Row[]>;
  /**
   * Runs several statements as one transaction in one round trip, on a connection of their own. Pass `writes` when they
   * may wait for locks: some connections are reserved for statements that do not.
   */
  batch(queries: readonly Query[], writes?: boolean): Promise<readonly (readonly Row[])[]>;
  /** Runs `work` in one transaction on one connection. An error rolls back and is rethrown. */
  transaction<T>(work: (query: Database["query"], batch: Database["batch"]) => Promise<T>): Promise<T>;
  /** The current load of the pool. */
  load(): Load;
  /** Standbys for statements that only read (`server/execution/read.ts`); absent if there are none. */
  readonly standbys?: Standbys | undefined;
  end(): Promise<void>;
}

/** A position in the log of the primary, in bytes: a commit is on every server that has replayed the log up to there. */
export type LogPosition = bigint;

/** Servers that replay the log of the primary and answer statements that only read. */
export interface Standbys {
  /**
   * The rows of statements from a standby that has replayed the log up to a position; undefined if none can answer now,
   * so that the primary must.
   */
  read(queries: readonly Query[], minPosition: LogPosition): Promise<readonly (readonly Row[])[] | undefined>;
  /** The end of the log: behind everything that was committed before. */
  position(): Promise<LogPosition>;
  end(): Promise<void>;
}

/**
 * Postgres cannot be reached or is shutting down. No part of the statement was acknowledged; the user is asked to try
 * again.
 */
export class StoreAway extends Error {
  override readonly name: string = "StoreAway";
  /** The underlying error as reported by the system or by Postgres; empty if there is none. */
  get reason(): string {
    const collectMessages = (error: unknown): readonly string[] => {
      if (error instanceof AggregateError) return error.errors.flatMap(collectMessages);
      return error instanceof Error ? [error.message, ...collectMessages(error.cause)] : [];
    };
    return [...new Set(collectMessages(this.cause))].join(", ");
  }
  /** Message and reason on one line. */
  get because(): string {
    const { message, reason } = this;
    return (reason === "" ? message : `${message.replace(/\.$/u, "")}: ${reason}.`).replace(/\s+/gu, " ");
  }
}

/** The queue for connections is full. Nothing was done, and the request may be retried. */
export class StoreBusy extends StoreAway {
  override readonly name = "StoreBusy";
  constructor(message = "Too many statements wait for the database.", options?: ErrorOptions) {
    super(message, options);
  }
}

/** A statement or its wait for a lock exceeded its time limit and was cancelled by Postgres, without effect. */
export class StoreSlow extends StoreAway {
  override readonly name = "StoreSlow";
}

const STORE_ERRORS = { StoreAway, StoreBusy, StoreSlow };
const isStoreError = (name: string): name is keyof typeof STORE_ERRORS => Object.hasOwn(STORE_ERRORS, name);

/** An error that comes from a worker thread has lost its class, but not its name. */
export const restoreStoreError = (error: Error): Error => {
  const { name, message, cause } = error;
  return isStoreError(name) ? new STORE_ERRORS[name](message, { cause }) : error;
};

/**
 * An error reported by Postgres, with its five-character code and, for a violated constraint, the constraint's name.
 */
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

/**
 * Log fields for an error: only the reason if the database is unavailable; the stack as well for anything unforeseen.
 */
export const toLogFields = (error: unknown): { readonly because: string } | { readonly err: unknown } =>
  error instanceof StoreAway ? { because: error.because } : { err: error };

/**
 * Connection exceptions, operator intervention, and writes to a server that has become read-only, as during a failover
 * (https://www.postgresql.org/docs/18/errcodes-appendix.html). The connection is useless from here on.
 */
const isEndingConnection = (code: string): boolean => /^(?:08|57P0[123]|25006)/u.test(code);

/** Out of disk space, memory or connections. */
const isFull = (code: string): boolean => code.startsWith("53");

/** True if Postgres had no room on its disk for a statement, of which nothing is left. */
export const isDiskFull = (error: unknown): boolean => {
  const cause = error instanceof StoreAway ? error.cause : undefined;
  return cause instanceof Error && "code" in cause && cause.code === "53100";
};

/** A statement or its wait for a lock was cancelled. */
const isSlow = (code: string): boolean => code === "57014" || code === "55P03";

export const toStoreError = (error: unknown): unknown => {
  if (error instanceof pg.DatabaseError && isSlow(error.code ?? ""))
    return new StoreSlow("A statement took too long.", { cause: error });
  if (error instanceof pg.DatabaseError)
    return isEndingConnection(error.code ?? "") || isFull(error.code ?? "")
      ? new StoreAway("The database is going away.", { cause: error })
      : new StoreRefusal(error);
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const lost =
    /^(?:25006|ECONN|ENOENT|EPIPE|ETIMEDOUT|ENOTFOUND|EHOSTUNREACH|EAI_AGAIN)/u.test(code) ||
    (error instanceof Error &&
      /Connection terminated|timeout expired|Client has encountered a connection error|not queryable/u.test(
        error.message,
      ));
  return lost ? new StoreAway("The database cannot be reached.", { cause: error }) : error;
};

const { builtins } = pg.types;
/**
 * Turns `2026-01-31 08:00:00.5+00` into `2026-01-31T08:00:00.500Z`. Connections are set to UTC; Postgres omits trailing
 * zeros.
 */
const toInstant = (text: string): string =>
  `${text.slice(0, 10)}T${text.slice(11, 19)}.${text.length === 22 ? "000" : text.slice(20, -3).padEnd(3, "0").slice(0, 3)}Z`;

const parsers: { readonly [type: number]: (text: string) => unknown } = {
  // Dates stay text: a `Date` would shift them by the time zone of the process.
  [builtins.DATE]: (text) => text,
  [builtins.TIMESTAMPTZ]: toInstant,
  // Intervals are parsed where the type of the field is known.
  [builtins.INTERVAL]: (text) => text,
  [builtins.INT8]: Number,
};
/** Types whose values are written with ASCII characters alone. */
const asciiTypes: ReadonlySet<number> = new Set([
  ...[builtins.BOOL, builtins.INT2, builtins.INT4, builtins.INT8, builtins.NUMERIC, builtins.UUID],
  ...[builtins.DATE, builtins.TIMESTAMPTZ],
]);
const texts = new Map<number, ValueReader>();
/** Called for each column of each result: `pg` itself searches its tables only once per type. */
const reader: Readers = (type) => {
  const known = texts.get(type);
  if (known !== undefined) return known;
  const parse = parsers[type] ?? (pg.types.getTypeParser(type, "text") as (text: string) => unknown);
  const found = { parse, isAscii: asciiTypes.has(type) };
  texts.set(type, found);
  return found;
};
/** True if a connection string can be parsed. Only connecting shows whether a server answers. */
export const isAddress = (url: string): boolean => {
  try {
    for (const server of parseServers(url).servers) new pg.Client(server);
    return true;
  } catch {
    return false;
  }
};

/** The role that a connection uses; undefined if the connection string leaves it to the system. */
export const findRole = (connection: ConnectOptions["connection"]): string | undefined => {
  const { user } = new pg.Client(parseServers(connection).servers[0]);
  return user;
};

export interface ConnectOptions {
  /** A connection string, of one server or of several (`driver/open-client.ts`), or a `pg` client configuration. */
  readonly connection: string | pg.ClientConfig;
  /** Maximum number of connections; 8 by default. Commits share a write of the log, so writes with fewer are slower. */
  readonly max?: number;
  /** Milliseconds after which Postgres cancels a statement. */
  readonly statementTimeout?: number;
  /**
   * True behind a pooler in transaction mode. A connection then keeps no state between statements: statements are not
   * named, and settings are made on the role (`system-tables.ts`).
   */
  readonly pooled?: boolean;
  /** Maximum number of statements waiting for a connection. Further ones fail with `StoreBusy`. */
  readonly queue?: number;
  /** Milliseconds to wait for a connection; 900 by default. */
  readonly wait?: number;
  /** Milliseconds after which a connection is closed if a batch has no answer to its first statement. */
  readonly firstAnswer?: number;
  /** Receives the duration of each statement, in seconds. */
  readonly measured?: (seconds: number) => void;
}

const IDLE_IN_TRANSACTION = 30_000;

/** Settings of each connection, by name. Rows are read on the assumption of UTC and ISO dates. */
export const buildSettings = (statementTimeout: number): Readonly<Record<string, string>> => ({
  TimeZone: "UTC",
  DateStyle: "ISO",
  IntervalStyle: "postgres",
  statement_timeout: String(statementTimeout),
  lock_timeout: String(Math.min(5_000, statementTimeout)),
  idle_in_transaction_session_timeout: String(IDLE_IN_TRANSACTION),
  // One plan per statement, whatever its parameters: the plan that `bench:plans` looks at.
  plan_cache_mode: "force_generic_plan",
});

/**
 * Maximum wait for a connection, in milliseconds. A request waits at most twice, so the user hears within two seconds
 * that the database is unavailable.
 */
const LONGEST_WAIT = 900;

/** Connections reserved for statements that do not wait for locks, so that reads need not wait behind writes. */
const FOR_READING = 2;

/** Milliseconds after which an idle connection is closed. */
const LONGEST_IDLE = 60_000;

/** Time limit of a statement of a request, in milliseconds. */
export const STATEMENT_TIMEOUT = 15_000;

const BEGIN: Query = { name: "begin", text: "begin", values: [] };
const COMMIT: Query = { name: "commit", text: "commit", values: [] };
const ROLLBACK: Query = { name: "rollback", text: "rollback", values: [] };

/** A statement that is parsed and planned anew each time. */
export const withoutName = ({ name: _, ...query }: Query): Query => query;

const formatOptions = (settings: Readonly<Record<string, string>>): string =>
  Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(" ");

/** Waits until everything that arrived while this process was busy has been read. */
const readArrived = async (): Promise<void> => {
  await nextTurn();
  await nextTurn();
};

/** Opens a pool. It connects on the first statement. */
export const connect = ({
  connection,
  max = 8,
  statementTimeout = STATEMENT_TIMEOUT,
  pooled = false,
  queue = 500,
  wait = LONGEST_WAIT,
  firstAnswer,
  measured,
}: ConnectOptions): Database => {
  const open = createOpener(connection, {
    connectionTimeoutMillis: wait,
    ...(pooled ? {} : { options: formatOptions(buildSettings(statementTimeout)) }),
    application_name: "ninefold",
  });
  const pool = new Pool({
    open: async () => Connection.of(await open(), reader),
    max,
    writers: Math.max(1, max - FOR_READING),
    wait,
    // Postgres cancels slow statements itself; this limit covers a server that does not answer at all.
    silence: statementTimeout + 1_000,
    idle: LONGEST_IDLE,
    late: () => new StoreAway("No connection to the database became free in time."),
  });

  const borrow = async (writes: boolean): Promise<Connection> => {
    const { idle, waiting } = pool.load();
    if (idle === 0 && waiting >= queue) throw new StoreBusy();
    try {
      return await pool.lend(writes);
    } catch (error) {
      throw toStoreError(error);
    }
  };

  const send = (connection: Connection, queries: readonly Query[]): Promise<readonly (readonly Row[])[]> =>
    new Promise((resolve, reject) => {
      const from = measured === undefined ? 0 : performance.now();
      const patience =
        firstAnswer === undefined
          ? undefined
          : setTimeout(async () => {
              await readArrived();
              if (connection.isSilent) connection.cut();
            }, firstAnswer);
      const done: Completion = (error, rows) => {
        clearTimeout(patience);
        measured?.((performance.now() - from) / 1_000);
        if (error === undefined) return resolve(rows);
        if (error instanceof pg.DatabaseError && isEndingConnection(error.code ?? "")) connection.cut();
        reject(toStoreError(error));
      };
      connection.ask(pooled ? queries.map(withoutName) : queries, done, firstAnswer !== undefined);
    });

  const batch: Database["batch"] = async (queries, writes = false) => {
    const connection = await borrow(writes);
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
      const connection = await borrow(true);
      // Sent with the first statement.
      let opening: readonly Query[] = [BEGIN];
      const sendInTransaction: Database["batch"] = async (queries) => {
        const first = opening;
        opening = [];
        // A text without parameters may hold several statements, which the extended protocol cannot send together with
        // others.
        if (first.length > 0 && queries.some(({ name, values }) => name === undefined && values.length === 0)) {
          await send(connection, first);
          return send(connection, queries);
        }
        return (await send(connection, [...first, ...queries])).slice(first.length);
      };
      try {
        const result = await work(async (query) => (await sendInTransaction([query]))[0] ?? [], sendInTransaction);
        if (opening.length === 0) await send(connection, [COMMIT]);
        return result;
      } catch (error) {
        // Postgres rolls back when a connection is lost.
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
