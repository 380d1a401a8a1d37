import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { compile } from "../../src/core/compile.ts";
import type { Model } from "../../src/core/model/model.ts";
import { type ConnectionSettings, startEmbedded, toConnectionUrl } from "../../src/postgres/embedded/index.ts";
import { open } from "../../src/server/serving/open-document.ts";
import { parentOf } from "./processor.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const byHand = (name: string): string => readFileSync(join(root, "bench/by-hand", name), "utf8");

/** One Postgres with the same leave requests twice: in the tables of the server by hand, and in ours. */
export interface Desks {
  readonly model: Model;
  readonly postmaster: number;
  /** The connection of a superuser. */
  query(of: DeskName, text: string): Promise<readonly Record<string, unknown>[]>;
  url(of: DeskName): string;
  serve(of: DeskName, port: number, more?: ServeOptions): Promise<Served>;
  /** Copies the database of the server by hand anew, for another server on the same tables. Returns its address. */
  copyByHand(name: string, user: string, statements: string): Promise<string>;
  /** Deletes the records that a load created, in copies too. A load changes nothing else. */
  reset(): Promise<void>;
  end(): Promise<void>;
}

/** `before`: an earlier checkout of this program. */
export type DeskName = "byhand" | "ninefold" | "before";
const databaseOf: { readonly [W in DeskName]: string } = { byhand: "byhand", ninefold: "leave", before: "before" };

interface ServeOptions {
  /** Further options of Node. */
  readonly node?: readonly string[];
  /** Further arguments of Ninefold. */
  readonly args?: readonly string[];
  /** The folder of another built program. */
  readonly checkout?: string;
}

export interface Served {
  readonly port: number;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Statements of a file, one by one, because VACUUM and CHECKPOINT cannot run in a transaction. */
const statementsOf = (text: string): readonly string[] =>
  text
    .split(/;\s*$/mu)
    .reduce<string[]>((all, part) => {
      const last = all.at(-1);
      // The body of a function contains semicolons, too. It ends with the second pair of dollar signs.
      if (last !== undefined && (last.split("$$").length - 1) % 2 === 1) all[all.length - 1] = `${last};\n${part}`;
      else all.push(part);
      return all;
    }, [])
    .filter((part) => part.replaceAll(/--.*$/gmu, "").trim() !== "");

const runFile = async (client: pg.Client, text: string): Promise<void> => {
  for (const statement of statementsOf(text)) await client.query(statement);
};

/**
 * Opens the folder's Postgres with both desks in it, and makes and loads them where they are not there. Without a folder
 * all of it is gone at the end.
 */
export const openDesks = async (input: {
  readonly folder?: string;
  readonly rows: number;
  /** The folder of an earlier checkout of this program, which is built. */
  readonly before?: string;
}): Promise<Desks> => {
  // Stopping a benchmark stops the programs that it started.
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  const folder = input.folder ?? (await mkdtemp(join(tmpdir(), "ninefold-bench-")));
  await mkdir(folder, { recursive: true });
  // Under root, Postgres runs as another account, which must be able to reach its folder below this one.
  await chmod(folder, 0o711);
  const data = join(folder, "data");
  const start = () => startEmbedded({ folder: data, name: "bench", demonstration: false });
  let embedded = await start();
  const as = (user: string, database: string): ConnectionSettings => ({ ...embedded.owner, user, database });
  const clientOf = async (settings: ConnectionSettings): Promise<pg.Client> => {
    const client = new pg.Client(toConnectionUrl(settings));
    await client.connect();
    return client;
  };
  const on = async <T>(database: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = await clientOf(as("postgres", database));
    try {
      return await work(client);
    } finally {
      await client.end();
    }
  };

  const compiled = compile({ file: "bench/leave.md", text: readFileSync(join(root, "bench/leave.md"), "utf8") });
  const { model } = compiled;
  if (model === undefined) throw new Error(compiled.findings.map((one) => one.message).join("\n"));

  const { rows: counting } = await on("postgres", (client) => client.query("show shared_preload_libraries"));
  if (!String(counting[0]?.shared_preload_libraries).includes("pg_stat_statements")) {
    await on("postgres", async (client) => {
      await client.query("alter system set shared_preload_libraries = 'pg_stat_statements'");
      // It counts only on demand, and costs nothing otherwise.
      await client.query("alter system set pg_stat_statements.track = 'none'");
    });
    await embedded.stop();
    embedded = await start();
  }
  const has = async (database: string): Promise<boolean> =>
    on(
      "postgres",
      async (client) => (await client.query("select 1 from pg_database where datname = $1", [database])).rowCount === 1,
    );
  if (!(await has("byhand"))) {
    console.log(`Loading ${input.rows} requests …`);
    await on("postgres", (client) => client.query("create database loading"));
    await on("loading", async (client) => {
      await runFile(client, byHand("schema.sql"));
      await runFile(client, byHand("data.sql").replace("1000000::bigint", `${input.rows}::bigint`));
      await client.query("create extension pg_stat_statements");
    });
    await on("postgres", (client) => client.query("alter database loading rename to byhand"));
  }
  if (!(await has("leave"))) {
    console.log("The same for Ninefold …");
    await on("postgres", (client) => client.query(`create database filling owner ${embedded.owner.user}`));
    const owner = { ...embedded.owner, database: "filling" };
    const opened = await open(model, compiled, { owner, app: { ...embedded.app, database: "filling" } });
    await opened.close();
    await on("filling", (client) => fill(client, as("postgres", "byhand")));
    await on("postgres", (client) => client.query("alter database filling rename to leave"));
  }
  if (input.before !== undefined && !(await has("before"))) {
    console.log("The same for the earlier checkout …");
    await on("postgres", (client) => client.query(`create database filling owner ${embedded.owner.user}`));
    // The earlier checkout creates the tables in its own form.
    const url = toConnectionUrl({ ...embedded.owner, database: "filling" });
    await (await serve("before", 4_003, url, { checkout: input.before })).stop();
    await on("filling", (client) => fill(client, as("postgres", "byhand")));
    await on("postgres", (client) => client.query("alter database filling rename to before"));
  }
  // A folder of an earlier run may have an older document. A filled table has indexes that an empty one lacks.
  const [owner, app] = [embedded.owner, embedded.app].map((settings) => ({
    ...settings,
    database: databaseOf.ninefold,
  }));
  if (owner !== undefined && app !== undefined) await (await open(model, compiled, { owner, app })).close();
  const postmaster = await on("postgres", async (client) => {
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    return parentOf(rows[0]?.pid ?? 0) ?? 0;
  });

  const copies: string[] = [];
  return {
    model,
    postmaster,
    query: (of, text) => on(databaseOf[of], async (client) => (await client.query<Record<string, unknown>>(text)).rows),
    url: (of) => toConnectionUrl(as(of === "byhand" ? "postgres" : embedded.app.user, databaseOf[of])),
    serve: (of, port, more = {}) =>
      serve(of, port, toConnectionUrl(as(of === "byhand" ? "postgres" : embedded.owner.user, databaseOf[of])), {
        ...(of === "before" && input.before !== undefined ? { checkout: input.before } : {}),
        ...more,
      }),
    copyByHand: async (name, user, statements) => {
      await on("postgres", async (client) => {
        await client.query(`drop database if exists ${name}`);
        await client.query(`create database ${name} template byhand strategy file_copy`);
      });
      await on(name, (client) => client.query(statements));
      copies.push(name);
      return toConnectionUrl(as(user, name));
    },
    reset: async () => {
      for (const name of ["byhand", ...copies]) await on(name, (client) => runFile(client, byHand("reset.sql")));
      await on(databaseOf.ninefold, (client) => runFile(client, reset));
      if (input.before !== undefined) await on(databaseOf.before, (client) => runFile(client, reset));
    },
    end: async () => {
      await embedded.stop();
      if (input.folder === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
};

const reset = `
delete from app.request r using ninefold.audit a where a.record = r.id and a.action = 'create';
set session_replication_role = replica;
truncate ninefold.audit;
set session_replication_role = origin;
vacuum analyze app.request;
vacuum app."user";
checkpoint;
`;

/** Copies the rows of the server by hand, and its sessions, into the tables of the document. */
const fill = async (client: pg.Client, from: ConnectionSettings): Promise<void> => {
  const { rows } = await client.query<{ name: string }>(
    "select column_name as name from information_schema.columns where table_schema = 'app' and table_name = 'request' and is_generated = 'NEVER'",
  );
  const days = rows.some(({ name }) => name === "days");
  await runFile(
    client,
    `set synchronous_commit = off;
create extension postgres_fdw;
create extension pg_stat_statements;
create server byhand foreign data wrapper postgres_fdw options (host '${from.host}', port '${from.port}', dbname '${from.database}', fetch_size '10000');
create user mapping for current_user server byhand options (user '${from.user}', password_required 'false');
create schema byhand;
import foreign schema public limit to (people, request, session) from server byhand into byhand;
insert into app."user" (id, version, created_at, updated_at, roles, active, name, email, manager, allowance)
  select id, 1, now(), now(), case when payroll then '{payroll}'::text[] else '{}' end, true, name, email, manager_id, allowance
  from byhand.people order by email;
insert into app.request (id, version, created_at, updated_at, employee, kind, first_day, last_day, note, status${days ? ", days" : ""})
  select id, version, created_at, updated_at, employee_id, kind, first_day, last_day, note, status${days ? ", days" : ""}
  from byhand.request order by id;
insert into ninefold.session (token_hash, person, made_at, expires_at)
  select token_hash, person_id, now(), expires_at from byhand.session;
drop schema byhand cascade;
drop server byhand cascade;
drop extension postgres_fdw;
reset synchronous_commit;
vacuum analyze;
checkpoint;
`,
  );
};

const serve = (of: DeskName, port: number, url: string, more: ServeOptions): Promise<Served> => {
  const { checkout = root, node = [], args = [] } = more;
  if (of === "byhand")
    return startServer(of, port, {
      command: process.execPath,
      args: ["bench/by-hand/server.mjs"],
      cwd: checkout,
      env: { DATABASE_URL: url, PORT: String(port) },
    });
  const program = "dist/cli/main.js";
  if (!existsSync(join(checkout, program))) throw new Error(`dist is not built in ${checkout}`);
  return startServer(of, port, {
    command: process.execPath,
    args: [
      ...(process.env.BENCH_NODE?.split(" ") ?? []),
      ...node,
      ...[program, "run", "bench/leave.md", "--port", String(port), "--database", url],
      ...args,
    ],
    cwd: checkout,
  });
};

/** Starts a server as a person would, and waits until it answers. */
export const startServer = async (
  name: string,
  port: number,
  how: {
    readonly command: string;
    readonly args: readonly string[];
    readonly cwd: string;
    readonly env?: Readonly<Record<string, string>>;
  },
): Promise<Served> => {
  const child: ChildProcess = spawn(how.command, how.args, {
    cwd: how.cwd,
    env: { ...process.env, ...how.env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  process.once("exit", () => child.kill());
  let output = "";
  child.stderr?.setEncoding("utf8").on("data", (data) => {
    output += data;
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  for (let tried = 0; ; tried++) {
    if (child.exitCode !== null || tried > 600) {
      child.kill();
      throw new Error(`${name} does not start: ${output}`);
    }
    const answer = await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined);
    if (answer !== undefined) break;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    port,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
};
