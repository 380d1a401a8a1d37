import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFile, chown, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { findPackage, prepareBinaries } from "../src/postgres/embedded/binaries.ts";
import { appRole, createCluster, database, ownerRole } from "../src/postgres/embedded/cluster.ts";
import { dataFolderPaths } from "../src/postgres/embedded/folder.ts";
import type { ConnectionSettings } from "../src/postgres/embedded/index.ts";
import { accountForPostgres } from "../src/postgres/embedded/os-account.ts";
import { as, environment } from "../src/postgres/embedded/processes.ts";
import { afterEveryFile } from "./ends.ts";
import { freePort } from "./free-port.ts";

/*
 * Postgres servers that replicate, from the binaries of the embedded one. A stopped data folder is copied: each copy is
 * started as the primary, or as a standby that streams from it.
 */

const SETTINGS = `
wal_level = replica
max_wal_senders = 8
wal_keep_size = 256MB
hot_standby = on
hot_standby_feedback = on
shared_buffers = 16MB
unix_socket_directories = ''
listen_addresses = '127.0.0.1'
`;

const ACCESS = `
host all all 127.0.0.1/32 trust
host replication all 127.0.0.1/32 trust
`;

const started = new Set<PostgresServer>();
afterEveryFile(async () => {
  for (const server of started) await server.stop("SIGKILL");
});

/** The files of a stopped Postgres, from which servers are started. */
export interface ServerFiles {
  /** The folder of Postgres itself. */
  readonly cluster: string;
}

/** A Postgres with a port of its own, started by a test. */
export class PostgresServer {
  readonly name: string;
  readonly port: number;
  readonly cluster: string;
  #child: ChildProcess | undefined;
  #said = "";

  constructor(name: string, port: number, cluster: string) {
    this.name = name;
    this.port = port;
    this.cluster = cluster;
  }

  /** With the role of requests. */
  get url(): string {
    return this.urlOf(appRole);
  }

  get ownerUrl(): string {
    return this.urlOf(ownerRole);
  }

  /** With the role that owns the database. */
  get settings(): ConnectionSettings {
    return { host: "127.0.0.1", port: this.port, user: ownerRole, database };
  }

  urlOf(user: string, name: string = database): string {
    return `postgresql://${user}@127.0.0.1:${this.port}/${name}`;
  }

  /** Starts it and waits until it answers. */
  async start(): Promise<void> {
    const account = await accountForPostgres(this.cluster);
    const { postgres } = await prepareBinaries(await findPackage(), account, join(this.cluster, ".."));
    const child = spawn(postgres, ["-D", this.cluster, "-p", String(this.port)], {
      cwd: "/",
      env: environment,
      stdio: ["ignore", "pipe", "pipe"],
      ...as(account),
    });
    this.#child = child;
    started.add(this);
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (text: string) => {
        this.#said += text;
      });
    // Ends Postgres if this process is killed.
    const guard = spawn("/bin/sh", ["-c", 'read -r line; kill -QUIT "$1" 2>&-', "guard", String(child.pid)], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    guard.unref();
    child.once("exit", () => guard.kill("SIGKILL"));
    for (const end = performance.now() + 60_000; ; await sleep(20)) {
      if (child.exitCode !== null) throw new Error(`${this.name} ended: ${this.#said}`);
      if (
        await this.query("select").then(
          () => true,
          () => false,
        )
      )
        return;
      if (performance.now() > end) throw new Error(`${this.name} does not answer: ${this.#said}`);
    }
  }

  /** Runs a statement as the superuser. */
  async query(text: string): Promise<readonly Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: this.urlOf("postgres"), connectionTimeoutMillis: 5_000 });
    client.on("error", () => undefined);
    try {
      await client.connect();
      return (await client.query<Record<string, unknown>>(text)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** Copies the files of the running server as a base backup. */
  async backUp(copy: () => Promise<ServerFiles>): Promise<ServerFiles> {
    // Both functions belong to one session.
    const client = new pg.Client({ connectionString: this.urlOf("postgres") });
    await client.connect();
    try {
      await client.query("select pg_backup_start('base', fast => true)");
      const files = await copy();
      const { rows } = await client.query<{ labelfile: string }>("select labelfile from pg_backup_stop()");
      const label = join(files.cluster, "backup_label");
      await writeFile(label, rows[0]?.labelfile ?? "");
      const { uid, gid } = await stat(files.cluster);
      await chown(label, uid, gid);
      await rm(join(files.cluster, "postmaster.pid"), { force: true });
      return files;
    } finally {
      await client.end();
    }
  }

  /** Prepares a copy of a base backup to replay an archive up to a moment. */
  async recover({ archive, until }: { readonly archive: string; readonly until: string }): Promise<void> {
    await appendFile(
      join(this.cluster, "postgresql.auto.conf"),
      `archive_mode = off\nrestore_command = 'cp ${archive}/%f %p'\nrecovery_target_time = '${until}'\nrecovery_target_action = promote\n`,
    );
    await writeFile(join(this.cluster, "recovery.signal"), "");
  }

  signal(signal: NodeJS.Signals): void {
    this.#child?.kill(signal);
  }

  async stop(signal: NodeJS.Signals = "SIGINT"): Promise<void> {
    const child = this.#child;
    started.delete(this);
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGCONT");
    child.kill(signal);
    await once(child, "exit");
  }
}

/** A new data folder in `folder`, with the roles and the database of the embedded Postgres. */
export const createServerFiles = async (folder: string): Promise<ServerFiles> => {
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const { cluster } = dataFolderPaths(folder);
  const account = await accountForPostgres(cluster);
  await createCluster(folder, await prepareBinaries(await findPackage(), account, folder), account);
  await appendFile(join(cluster, "postgresql.conf"), SETTINGS);
  await writeFile(join(cluster, "pg_hba.conf"), ACCESS);
  return { cluster };
};

/** A copy of the files of a stopped Postgres, not started yet. */
export const copyServer = async (
  { cluster }: ServerFiles,
  { name, port, folder }: { readonly name: string; readonly port: number; readonly folder: string },
): Promise<PostgresServer> => {
  await mkdir(folder, { recursive: true, mode: 0o711 });
  const copy = join(folder, name);
  await rm(copy, { recursive: true, force: true });
  // Keeps the owner of the files.
  execFileSync("cp", ["-a", cluster, copy]);
  return new PostgresServer(name, port, copy);
};

/** Turns a copy into a standby of a primary. */
export const followPrimary = async (standby: PostgresServer, primary: PostgresServer): Promise<void> => {
  const from = `host=127.0.0.1 port=${primary.port} user=postgres application_name=${standby.name}`;
  await appendFile(join(standby.cluster, "postgresql.conf"), `\nprimary_conninfo = '${from}'\n`);
  await writeFile(join(standby.cluster, "standby.signal"), "");
};

/** A running primary with running standbys. */
export const startReplicated = async (
  folder: string,
  count: number,
): Promise<{ readonly primary: PostgresServer; readonly standbys: readonly PostgresServer[] }> => {
  const files = await createServerFiles(folder);
  const primary = new PostgresServer("primary", await freePort(), files.cluster);
  // The log before its first start is too short for standbys.
  await primary.start();
  await primary.stop();
  const standbys: PostgresServer[] = [];
  for (let i = 1; i <= count; i++)
    standbys.push(await copyServer(files, { name: `standby_${i}`, port: await freePort(), folder }));
  for (const standby of standbys) await followPrimary(standby, primary);
  await primary.start();
  await Promise.all(standbys.map((standby) => standby.start()));
  return { primary, standbys };
};
