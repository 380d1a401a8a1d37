import { chown, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Binaries } from "./binaries.ts";
import { dataFolderPaths, unfinished } from "./folder.ts";
import { isRoot } from "./os-account.ts";
import { type Account, runProgram } from "./processes.ts";
import { StartError } from "./start-error.ts";

export const database = "ninefold";

/** Owns the database and its schemas; used by migrations. */
export const ownerRole = "ninefold_owner";

/** Used by requests: it has only the privileges granted to it and owns nothing. */
export const appRole = "ninefold_app";

/**
 * Settings for a small machine shared with other programs. An operator may change them in `postgres.conf`. Settings
 * that must not change (no TCP, the socket) are passed on the command line at every start.
 */
const settings: Readonly<Record<string, string>> = {
  max_connections: "60",
  shared_buffers: "128MB",
  effective_cache_size: "512MB",
  work_mem: "8MB",
  maintenance_work_mem: "64MB",
  random_page_cost: "1.1",
  // No replication over a socket; Ninefold makes its own backups.
  wal_level: "minimal",
  max_wal_senders: "0",
  max_logical_replication_workers: "0",
  min_wal_size: "64MB",
  max_wal_size: "512MB",
  checkpoint_timeout: "15min",
  // Parallel workers need /dev/shm, which has 64 MB in a container, and fail when it is full.
  max_parallel_workers_per_gather: "0",
  max_parallel_maintenance_workers: "0",
  // Each process reads for itself: three processes fewer, and a faster start.
  io_method: "sync",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  default_text_search_config: "pg_catalog.simple",
  // Failed statements are reported to the client and may contain names of people; the log records only the server's own
  // events.
  log_min_messages: "log",
  log_checkpoints: "off",
};

/**
 * After each checkpoint, Postgres logs every page that changes as a whole. To compress a page takes as long as several
 * statements, so requests do not. Backfills of large tables, which write many pages, set it for themselves.
 */
const roles = `
create role ${ownerRole} login createdb in role pg_signal_backend;
create role ${appRole} login;
grant set on parameter wal_compression to ${ownerRole};
create database ${database} owner ${ownerRole};
`;

/**
 * Creates a cluster with both roles and the database, under a temporary name that becomes `postgres` when everything is
 * complete and flushed. Remains of an interrupted attempt are removed first.
 */
export const createCluster = async (
  folder: string,
  binaries: Binaries,
  account: Account | undefined,
): Promise<void> => {
  const making = join(folder, unfinished);
  await rm(making, { recursive: true, force: true });
  await mkdir(making, { mode: 0o700 });
  if (account !== undefined && isRoot()) await chown(making, account.uid, account.gid);
  const steps = [
    {
      program: binaries.initdb,
      args: [
        ...["--pgdata", making, "--username", "postgres", "--no-instructions"],
        // Only we and root can enter the socket's folder, and it is the only way in. A password would have to be stored
        // beside it for the same readers. Postgres does not listen on TCP and would reject connections there.
        ...["--auth-local", "trust", "--auth-host", "reject"],
        // Text is compared by code point, the same on every machine and in every release; upper and lower case follow
        // Unicode, as in JavaScript.
        ...[
          "--encoding",
          "UTF8",
          "--locale",
          "C",
          "--locale-provider",
          "builtin",
          "--builtin-locale",
          "PG_UNICODE_FAST",
        ],
        ...Object.entries(settings).flatMap(([name, value]) => ["--set", `${name}=${value}`]),
      ],
      input: "",
    },
    // In single-user mode: nobody can connect to a cluster without roles.
    {
      program: binaries.postgres,
      args: ["--single", "-D", making, "-c", "exit_on_error=true", "template1"],
      input: roles,
    },
  ];
  for (const { program, args, input } of steps) {
    const done = await runProgram(program, args, { account, input }).catch((cause) => {
      throw new StartError(
        "postgres missing",
        `Can’t run ${program} on this machine (${cause.message}).`,
        "The Postgres that comes with Ninefold needs glibc, not Alpine's musl. On other systems, name a Postgres 18 with --database or DATABASE_URL.",
        { cause },
      );
    });
    if (done.code !== 0) {
      await rm(making, { recursive: true, force: true });
      throw new StartError(
        "postgres failed",
        `Can’t create a Postgres data folder in ${folder}: ${findCause(done.output)}`,
        // initdb looks up its user's name, which is missing if a container runs with a bare user id.
        done.output.includes("could not look up effective user")
          ? "Run Ninefold as a user that has a name (a line in /etc/passwd), or name a database of your own with DATABASE_URL."
          : "Fix the cause and start again. The incomplete data was deleted.",
        { cause: new Error(done.output) },
      );
    }
  }
  await rename(making, dataFolderPaths(folder).cluster);
};

/** The line of an output that gives the reason. */
export const findCause = (output: string): string => {
  const lines = output
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const why = lines.find((line) => /FATAL|PANIC|error:|ERROR/.test(line)) ?? lines.at(-1) ?? "it gave no reason.";
  return why.replace(/^.*?(FATAL|PANIC|ERROR|error):\s*/, "");
};
