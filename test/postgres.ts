import { createHash, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { inject } from "vitest";
import { toConnectionUrl } from "../src/postgres/embedded/index.ts";

export interface TestDatabase {
  readonly name: string;
  /** With the role that owns the database, for migrations. */
  readonly url: string;
  /** With the role of requests, which has only granted permissions. */
  readonly appUrl: string;
  /** With a name, which the text must always have, it is planned once for each connection. */
  query(
    text: string,
    values?: readonly unknown[],
    name?: string,
  ): Promise<{ readonly rows: Record<string, unknown>[] }>;
  /** Works on one connection, which is closed if that fails. */
  onOne(work: (client: pg.ClientBase) => Promise<void>): Promise<void>;
  /** With the role of requests, on standbys. Only with `TEST_STANDBY`. */
  readonly replicas: readonly string[];
  /** Waits until every standby has what was committed before. */
  replayed(): Promise<void>;
  /** Closes the connections of `query`, which can be used again. */
  rest(): Promise<void>;
  /** Drops the database even if connections are open. */
  end(): Promise<void>;
}

/** Few connections for all files of this process: each new one costs Postgres a process. */
let administrators: pg.Pool | undefined;
const administer = async <T>(work: (client: pg.ClientBase) => Promise<T>): Promise<T> => {
  if (administrators === undefined) {
    administrators = new pg.Pool({ connectionString: toConnectionUrl(inject("postgres")), max: 4 });
    administrators.on("error", () => undefined);
  }
  const client = await administrators.connect();
  return work(client).finally(() => client.release());
};

/**
 * A new database on the shared Postgres of this run: empty, or a copy of one without connections. Call `end` when done.
 */
export const database = async (template?: Pick<TestDatabase, "name">): Promise<TestDatabase> => {
  const name = `test_${randomBytes(6).toString("hex")}`;
  await administer((client) =>
    // Copying files takes half the time of copying pages through the log.
    client.query(`create database ${name} template ${template?.name ?? "template1"} strategy file_copy`),
  );
  return connect(name);
};

/**
 * A template for `database(template)`. The first test of the run that asks for `key` fills it; the others wait, in any
 * process.
 */
export const template = (
  key: string,
  fill: (empty: TestDatabase) => Promise<unknown>,
): Promise<Pick<TestDatabase, "name">> => {
  const name = `template_${createHash("sha256").update(key).digest("hex").slice(0, 16)}`;
  const made = templates.get(name) ?? makeTemplate(name, fill).then(() => ({ name }));
  templates.set(name, made);
  return made;
};

/** The templates that this process has asked for. */
const templates = new Map<string, Promise<Pick<TestDatabase, "name">>>();

const makeTemplate = async (name: string, fill: (empty: TestDatabase) => Promise<unknown>): Promise<void> => {
  // A connection of its own: its end releases the lock, also after a failure.
  const client = new pg.Client(toConnectionUrl(inject("postgres")));
  await client.connect();
  try {
    await client.query("select pg_advisory_lock(hashtext($1))", [name]);
    const { rowCount } = await client.query("select from pg_database where datname = $1", [name]);
    if (rowCount !== 0) return;
    const filled = await database();
    await fill(filled);
    await filled.rest();
    await client.query(`alter database ${filled.name} rename to ${name}`);
  } finally {
    await client.end();
  }
};

/** Sends statements over the connections of a pool. */
export const statementsOn = (pool: () => pg.Pool): Pick<TestDatabase, "query" | "onOne"> => ({
  query: (text, values = [], name = "") => pool().query<Record<string, unknown>>({ text, values: [...values], name }),
  onOne: async (work) => {
    const client = await pool().connect();
    try {
      await work(client);
    } catch (error) {
      client.release(true);
      throw error;
    }
    client.release();
  },
});

let standbyPool: pg.Pool | undefined;
const untilReplayed = async (standby: string): Promise<void> => {
  const { rows } = await administer((client) =>
    client.query<{ at: string }>("select pg_current_wal_lsn()::text as at"),
  );
  standbyPool ??= new pg.Pool({ connectionString: standby, max: 2 });
  for (let isThere = false; !isThere; ) {
    const found = await standbyPool.query("select pg_last_wal_replay_lsn() >= $1::pg_lsn as is_there", [rows[0]?.at]);
    isThere = found.rows[0]?.is_there === true;
    if (!isThere) await sleep(5);
  }
};

const connect = (name: string): TestDatabase => {
  const owner = inject("postgres");
  const standby = inject("standby");
  const url = toConnectionUrl({ ...owner, database: name });
  const fresh = () => {
    const made = new pg.Pool({ connectionString: url, max: 4 });
    // Dropping the database closes its connections.
    made.on("error", () => undefined);
    return made;
  };
  let pool = fresh();
  return {
    name,
    url,
    appUrl: toConnectionUrl({ ...owner, database: name, user: "ninefold_app" }),
    replicas: standby === null ? [] : [toConnectionUrl({ ...standby, database: name, user: "ninefold_app" })],
    replayed: () => (standby === null ? Promise.resolve() : untilReplayed(toConnectionUrl(standby))),
    ...statementsOn(() => pool),
    rest: async () => {
      await pool.end();
      pool = fresh();
    },
    end: async () => {
      await pool.end();
      await administer((client) => client.query(`drop database ${name} with (force)`));
    },
  };
};
