import { type ChildProcess, spawn } from "node:child_process";
import { open, readFile, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Binaries } from "./binaries.ts";
import { findCause } from "./cluster.ts";
import { dataFolderPaths } from "./folder.ts";
import { type Account, as, environment, isTaken, readCommandLine, signal, waitUntil } from "./processes.ts";
import { port } from "./socket.ts";
import { StartError } from "./start-error.ts";

/** Postgres exited unexpectedly. It is restarted after `wait` milliseconds. */
export interface PostgresExit {
  /** One sentence for the log. */
  readonly message: string;
  /** Number of the next attempt to restart, from 1; reset once Postgres has accepted connections. */
  readonly attempt: number;
  readonly wait: number;
}

export interface PostgresOptions {
  /** Called after an unexpected exit and after each failed restart. */
  readonly onExit?: (exit: PostgresExit) => void;
  /** Called when Postgres accepts connections again. The settings are unchanged; connections must be reopened. */
  readonly onReturn?: () => void;
  /** Maximum number of connections, if it differs from that of the folder. */
  readonly connections?: number;
}

const pidFile = (folder: string) => join(dataFolderPaths(folder).cluster, "postmaster.pid");

/** The pid file of Postgres: process id on the first line, status on the eighth. */
const readPidFile = async (folder: string): Promise<{ process: number; ready: boolean } | undefined> => {
  const lines = (await readFile(pidFile(folder), "utf8").catch(() => "")).split("\n");
  const number = Math.abs(Number.parseInt(lines[0] ?? "", 10));
  return Number.isNaN(number) ? undefined : { process: number, ready: lines[7]?.trim() === "ready" };
};

const getArguments = (folder: string, socket: string, connections: number | undefined): readonly string[] => [
  ...["-D", dataFolderPaths(folder).cluster, "-k", socket, "-p", String(port)],
  ...["-c", "listen_addresses=", "-c", "unix_socket_permissions=0700", "-c", "fsync=on", "-c", "full_page_writes=on"],
  // Deadlocked writes are cancelled and retried; detect them sooner than after the default second.
  ...["-c", "deadlock_timeout=200ms"],
  // After a crash, flush Postgres's own files one by one. `syncfs` would be faster on a quiet disk, but waits for
  // everybody's writes on a busy one.
  ...["-c", "recovery_init_sync_method=fsync"],
  ...(connections === undefined ? [] : ["-c", `max_connections=${connections}`]),
];

/**
 * True if a process is the Postgres of this folder rather than one with a reused id. Postgres's working directory is
 * its cluster, which on Linux identifies it even if the folder was moved or is mounted elsewhere.
 */
const runsInFolder = async (folder: string, pid: number): Promise<boolean> => {
  const { cluster } = dataFolderPaths(folder);
  const command = await readCommandLine(pid);
  if (command === undefined || !/\bpostgres -D /.test(command)) return false;
  const [expected, actual] = await Promise.all(
    [cluster, `/proc/${pid}/cwd`].map((path) => stat(path).catch(() => undefined)),
  );
  if (expected === undefined || actual === undefined) return command.includes(`postgres -D ${cluster} -k `);
  return expected.dev === actual.dev && expected.ino === actual.ino;
};

/** Milliseconds to wait until the parent reaps a Postgres that has exited. If Node is process 1, nobody does. */
const reapPatience = 2_000;

/**
 * Removes the pid file if its id belongs to a process that is not the Postgres of this folder, even one that has exited
 * and was not reaped: Postgres would refuse to start. The file stays if no process has the id, because Postgres uses it
 * to detect remains of its predecessor.
 */
const releasePidFile = async (folder: string, pid: number): Promise<void> => {
  const isFree = async () => !isTaken(pid);
  const isEnding = (await readCommandLine(pid)) === undefined;
  if (isEnding ? await waitUntil(isFree, reapPatience) : await isFree()) return;
  await unlink(pidFile(folder)).catch(() => {});
};

/** Stops a Postgres that runs on this folder without an owner. Call it only as the owner of the folder. */
export const stopAbandoned = async (folder: string): Promise<void> => {
  const previousPid = await readPidFile(folder);
  if (previousPid === undefined) return;
  if (!(await runsInFolder(folder, previousPid.process))) return releasePidFile(folder, previousPid.process);
  const hasEnded = async () => !(await runsInFolder(folder, previousPid.process));
  for (const [how, patience] of [
    ["SIGINT", 15_000],
    ["SIGQUIT", 5_000],
    ["SIGKILL", 5_000],
  ] as const) {
    signal(previousPid.process, how);
    if (await waitUntil(hasEnded, patience)) return releasePidFile(folder, previousPid.process);
  }
  throw new StartError(
    "data in use",
    `A Postgres without an owner (process ${previousPid.process}) uses ${folder} and does not stop.`,
    `End process ${previousPid.process} and start again.`,
    { holder: { process: previousPid.process } },
  );
};

/** Time limit for Postgres to accept connections: replaying the log after a crash can take long. */
const startPatience = 120_000;
/** Delay before a failed start is repeated; it doubles each time, up to a maximum. */
const shortestWait = 100;
const longestWait = 10_000;
/** Minimum time between two starts after Postgres had accepted connections: it may crash at start. */
const shortestLife = 1_000;

/** A Postgres on one folder, kept running until it is stopped. */
export class Server {
  readonly #folder: string;
  readonly #socket: string;
  readonly #binaries: Binaries;
  readonly #account: Account | undefined;
  readonly #options: PostgresOptions;
  #child: ChildProcess | undefined;
  #guard: ChildProcess | undefined;
  #stopping = new AbortController();
  #keeping: Promise<void> = Promise.resolve();

  constructor(
    folder: string,
    socket: string,
    binaries: Binaries,
    account: Account | undefined,
    options: PostgresOptions,
  ) {
    this.#folder = folder;
    this.#socket = socket;
    this.#binaries = binaries;
    this.#account = account;
    this.#options = options;
  }

  /** Starts Postgres and keeps it running. Resolves when it accepts connections. */
  async start(): Promise<void> {
    const ended = await this.#launch();
    this.#keeping = this.#keep(ended);
  }

  /** Stops Postgres with a fast shutdown, then by force if that takes too long. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const child = this.#child;
    if (child !== undefined) {
      child.ref();
      const hasEnded = async () => child.exitCode !== null || child.signalCode !== null;
      for (const [how, patience] of [
        ["SIGINT", 20_000],
        ["SIGQUIT", 5_000],
        ["SIGKILL", 5_000],
      ] as const) {
        child.kill(how);
        if (await waitUntil(hasEnded, patience, 5)) break;
      }
    }
    await this.#keeping;
  }

  /** Launches one process and waits until it accepts connections. Resolves with a promise of its exit. */
  async #launch(): Promise<{ readonly ended: Promise<string> }> {
    const end = performance.now() + startPatience;
    for (;;) {
      const log = await this.#openLog();
      const { size: from } = await log.stat();
      if (this.#stopping.signal.aborted) {
        await log.close();
        throw new Error("Postgres was stopped before it was started again.");
      }
      const child = spawn(
        this.#binaries.postgres,
        getArguments(this.#folder, this.#socket, this.#options.connections),
        {
          cwd: "/",
          env: environment,
          // In a session of its own, so that Ctrl-C reaches only us and requests can finish before the database stops.
          detached: true,
          stdio: ["ignore", log.fd, log.fd],
          ...as(this.#account),
        },
      );
      const ended = new Promise<string>((done) => {
        child.once("error", (error) => done(`could not be run: ${error.message}`));
        child.once("exit", (code, by) => done(by === null ? `ended with code ${code}` : `was ended by ${by}`));
      });
      this.#child = child;
      await log.close();
      this.#watch(child);
      const how = await this.#untilReady(child, ended, end);
      if (how === "ready") {
        child.unref();
        return { ended };
      }
      this.#unwatch();
      const logText = await this.#logFrom(from);
      // The last child processes of a killed Postgres exit slightly later.
      if (
        /pre-existing shared memory block|is the postmaster.*still running/.test(logText) &&
        performance.now() < end
      ) {
        await sleep(100);
        continue;
      }
      throw new StartError(
        "postgres failed",
        `Postgres did not start: ${logText.trim() === "" ? `it ${how}.` : findCause(logText)}`,
        `Its log is ${dataFolderPaths(this.#folder).log}.`,
      );
    }
  }

  /** Resolves to "ready", or to how the process ended before that. */
  async #untilReady(child: ChildProcess, ended: Promise<string>, end: number): Promise<string> {
    let how: string | undefined;
    ended.then((reason) => {
      how = reason;
    });
    while (performance.now() < end) {
      const file = await readPidFile(this.#folder);
      if (how !== undefined) return how;
      if (file?.process === child.pid && file?.ready) return "ready";
      await sleep(3);
    }
    child.kill("SIGQUIT");
    return `did not answer within ${startPatience / 1000} seconds, and ${await ended}`;
  }

  async #keep(running: { readonly ended: Promise<string> }): Promise<void> {
    const stopped = this.#stopping.signal;
    let { ended } = running;
    for (;;) {
      const since = performance.now();
      let message = `Postgres ${await ended}.`;
      this.#unwatch();
      let wait = Math.max(0, Math.ceil(shortestLife - (performance.now() - since)));
      for (let attempt = 1; ; attempt++) {
        if (stopped.aborted) return;
        this.#options.onExit?.({ message, attempt, wait });
        await sleep(wait, undefined, { signal: stopped }).catch(() => {});
        if (stopped.aborted) return;
        try {
          ({ ended } = await this.#launch());
          break;
        } catch (thrown) {
          message = thrown instanceof Error ? thrown.message : String(thrown);
          wait = Math.min(longestWait, shortestWait * 2 ** (attempt - 1));
        }
      }
      this.#options.onReturn?.();
    }
  }

  /**
   * Starts a shell that stops Postgres when we die, even by SIGKILL. It reads from a pipe whose other end only we hold.
   */
  #watch(child: ChildProcess): void {
    if (child.pid === undefined) return;
    const script = [
      'read -r line; kill -INT "$1"',
      `n=0; while [ $n -lt 200 ] && [ -S "$2/.s.PGSQL.${port}" ]; do n=$((n + 1)); sleep 0.1; done`,
      'rmdir "$2"',
    ].join("\n");
    const guard = spawn("/bin/sh", ["-c", script, "ninefold-guard", String(child.pid), this.#socket], {
      cwd: "/",
      env: environment,
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    // Running without a guard is acceptable: the next start cleans up.
    guard.on("error", () => {});
    guard.stdin?.on("error", () => {});
    guard.unref();
    if (guard.stdin !== null && "unref" in guard.stdin && typeof guard.stdin.unref === "function") guard.stdin.unref();
    this.#guard = guard;
  }

  /** Before the process id can be reused. */
  #unwatch(): void {
    this.#guard?.kill("SIGKILL");
    this.#guard = undefined;
  }

  async #openLog() {
    const path = dataFolderPaths(this.#folder).log;
    const known = await stat(path).catch(() => undefined);
    if (known !== undefined && known.size > 5_000_000) await rename(path, `${path}.old`);
    const log = await open(path, "a", 0o640);
    // The next start may not be as root, and then needs to write the log.
    if (this.#account !== undefined) await log.chown(this.#account.uid, this.#account.gid);
    return log;
  }

  async #logFrom(start: number): Promise<string> {
    const text = await readFile(dataFolderPaths(this.#folder).log).catch(() => Buffer.alloc(0));
    return text.subarray(start).toString("utf8");
  }
}
