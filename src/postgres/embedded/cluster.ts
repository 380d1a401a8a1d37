import { chown, mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Binaries } from "./binaries.ts";
import { partsOf, unfinished } from "./folder.ts";
import { isRoot } from "./os-account.ts";
import { type Account, run } from "./processes.ts";
import { StartError } from "./start-error.ts";

export const database = "ninefold";

/** Owns the database and its schemas: what migrations connect as. */
export const ownerRole = "ninefold_owner";

/** What requests connect as: it has what it was granted, and owns nothing. */
export const appRole = "ninefold_app";

/**
 * Settings that an operator may change in `postgres.conf`, for a small machine that is not Postgres's alone. Those that
 * must hold (no TCP, the socket) are given on the command line at every start instead.
 */
const settings: Readonly<Record<string, string>> = {
  max_connections: "60",
  shared_buffers: "128MB",
  effective_cache_size: "512MB",
  work_mem: "8MB",
  maintenance_work_mem: "64MB",
  random_page_cost: "1.1",
  // Nobody replicates from a socket; copies are made by Ninefold's own backup.
  wal_level: "minimal",
  max_wal_senders: "0",
  max_logical_replication_workers: "0",
  min_wal_size: "64MB",
  max_wal_size: "512MB",
  checkpoint_timeout: "15min",
  // Parallel workers talk through /dev/shm, which is 64 MB in a container, and fail when it is full.
  max_parallel_workers_per_gather: "0",
  max_parallel_maintenance_workers: "0",
  // Reads by the process that wants them: three processes fewer, and a quicker start.
  io_method: "sync",
  jit: "off",
  timezone: "UTC",
  log_timezone: "UTC",
  default_text_search_config: "pg_catalog.simple",
  // What fails in a statement is told to the program that sent it, and may name people; the log holds the server's own life.
  log_min_messages: "log",
  log_checkpoints: "off",
};

const roles = `
create role ${ownerRole} login createdb in role pg_signal_backend;
create role ${appRole} login;
create database ${database} owner ${ownerRole};
`;

/**
 * Makes a cluster with both roles and the database, under a temporary name that becomes `postgres` only when all is
 * there and on the disk. Whatever was left half-made before is removed.
 */
export const makeCluster = async (folder: string, binaries: Binaries, account: Account | undefined): Promise<void> => {
  const making = join(folder, unfinished);
  await rm(making, { recursive: true, force: true });
  await mkdir(making, { mode: 0o700 });
  if (account !== undefined && isRoot()) await chown(making, account.uid, account.gid);
  const steps = [
    {
      program: binaries.initdb,
      args: [
        ...["--pgdata", making, "--username", "postgres", "--no-instructions"],
        // Nobody but us and root can enter the folder of the socket, and there is no other way in: a password would
        // have to lie beside it, for the same readers. It does not listen on TCP, and would let nobody in there.
        ...["--auth-local", "trust", "--auth-host", "reject"],
        // Text is compared by code point, alike on every machine and for ever; upper and lower case are Unicode's, as
        // JavaScript has them.
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
    // Without a server: nobody can connect to a cluster that has no roles yet.
    {
      program: binaries.postgres,
      args: ["--single", "-D", making, "-c", "exit_on_error=true", "template1"],
      input: roles,
    },
  ];
  for (const { program, args, input } of steps) {
    const done = await run(program, args, { account, input }).catch((cause) => {
      throw new StartError(
        "postgres missing",
        `${program} cannot be run on this machine (${cause.message}).`,
        "The Postgres that Ninefold brings needs glibc (not Alpine's musl); elsewhere name a Postgres 18 with --database or DATABASE_URL.",
        { cause },
      );
    });
    if (done.code !== 0) {
      await rm(making, { recursive: true, force: true });
      throw new StartError(
        "postgres failed",
        `A data folder of Postgres could not be made in ${folder}: ${causeIn(done.said)}`,
        // initdb asks for the name of whoever runs it, and a container may run us under a bare number.
        done.said.includes("could not look up effective user")
          ? "Run Ninefold as a user that has a name (a line in /etc/passwd), or name a database of your own with DATABASE_URL."
          : "Mend the cause and start again; what was half-made has been removed.",
        { cause: new Error(done.said) },
      );
    }
  }
  await rename(making, partsOf(folder).cluster);
};

/** The line of an output that says why. */
export const causeIn = (said: string): string => {
  const lines = said
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const why = lines.find((line) => /FATAL|PANIC|error:|ERROR/.test(line)) ?? lines.at(-1) ?? "it said nothing.";
  return why.replace(/^.*?(FATAL|PANIC|ERROR|error):\s*/, "");
};
