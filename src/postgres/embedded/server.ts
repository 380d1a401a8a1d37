import { type ChildProcess, spawn } from "node:child_process";
import { open, readFile, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Binaries } from "./binaries.ts";
import { causeIn } from "./cluster.ts";
import { partsOf } from "./folder.ts";
import { type Account, as, commandOf, environment, signal, waitUntil } from "./processes.ts";
import { port } from "./socket.ts";
import { StartError } from "./start-error.ts";

/** Postgres has ended without being asked to. It is started again by itself after `wait` milliseconds. */
export interface PostgresExit {
  /** One sentence for the log. */
  readonly message: string;
  /** Which try to start it again comes next, from 1; it is the first again as soon as one has answered. */
  readonly attempt: number;
  readonly wait: number;
}

export interface ServerEvents {
  /** Called when Postgres has ended by itself, and for every attempt to start it again that failed. */
  readonly onExit?: (exit: PostgresExit) => void;
  /** Called when it answers again after that. The settings stay the same; connections must be made anew. */
  readonly onReturn?: () => void;
}

const pidFile = (folder: string) => join(partsOf(folder).cluster, "postmaster.pid");

/** What Postgres writes of itself: its process on the first line, how it does on the eighth. */
const readPidFile = async (folder: string): Promise<{ process: number; ready: boolean } | undefined> => {
  const lines = (await readFile(pidFile(folder), "utf8").catch(() => "")).split("\n");
  const number = Math.abs(Number.parseInt(lines[0] ?? "", 10));
  return Number.isNaN(number) ? undefined : { process: number, ready: lines[7]?.trim() === "ready" };
};

const argumentsFor = (folder: string, socket: string): readonly string[] => [
  ...["-D", partsOf(folder).cluster, "-k", socket, "-p", String(port)],
  ...["-c", "listen_addresses=", "-c", "unix_socket_permissions=0700", "-c", "fsync=on", "-c", "full_page_writes=on"],
  // Writes that wait for each other in a circle are parted and tried again: sooner than after the second that is usual.
  ...["-c", "deadlock_timeout=200ms"],
  // Of a crash Postgres brings its own files to the disk, one by one. `syncfs` would be a stroke on a quiet disk, and waits for
  // whatever anybody else has written on a busy one.
  ...["-c", "recovery_init_sync_method=fsync"],
];

/**
 * Whether a process is the Postgres of this folder and not another that was given its number. Postgres works in its
 * cluster, so on Linux it is known by that, also when the folder was moved or is seen under another path.
 */
const isPostgresOf = async (folder: string, pid: number): Promise<boolean> => {
  const { cluster } = partsOf(folder);
  const command = await commandOf(pid);
  if (command === undefined || !/\bpostgres -D /.test(command)) return false;
  const [ours, its] = await Promise.all([cluster, `/proc/${pid}/cwd`].map((path) => stat(path).catch(() => undefined)));
  if (ours === undefined || its === undefined) return command.includes(`postgres -D ${cluster} -k `);
  return ours.dev === its.dev && ours.ino === its.ino;
};

/** Stops a Postgres that runs on this folder without an owner. Only the owner of the folder may call it. */
export const stopAbandoned = async (folder: string): Promise<void> => {
  const left = await readPidFile(folder);
  if (left === undefined) return;
  if (!(await isPostgresOf(folder, left.process))) {
    // Postgres itself does not start while any process has the number in this file. Where no process has it, the file
    // stays: Postgres uses it to see whether something of its predecessor is still about.
    if ((await commandOf(left.process)) !== undefined) await unlink(pidFile(folder)).catch(() => {});
    return;
  }
  const gone = async () => !(await isPostgresOf(folder, left.process));
  for (const [how, patience] of [
    ["SIGINT", 15_000],
    ["SIGQUIT", 5_000],
    ["SIGKILL", 5_000],
  ] as const) {
    signal(left.process, how);
    if (await waitUntil(gone, patience)) return;
  }
  throw new StartError(
    "data in use",
    `A Postgres without an owner (process ${left.process}) runs on ${folder} and does not stop.`,
    `End process ${left.process} and start again.`,
    { holder: { process: left.process } },
  );
};

/** How long Postgres may take until it answers: replaying its log after a crash takes as long as there is log. */
const startPatience = 120_000;
/** One that does not start is tried again after this, and each time after twice as long, up to the longest. */
const shortestWait = 100;
const longestWait = 10_000;
/** One that had answered is started again at once, but no sooner than this after it came up: it may die of coming up. */
const shortestLife = 1_000;

/** One Postgres on one folder, kept running until it is stopped. */
export class Server {
  readonly #folder: string;
  readonly #socket: string;
  readonly #binaries: Binaries;
  readonly #account: Account | undefined;
  readonly #events: ServerEvents;
  #child: ChildProcess | undefined;
  #guard: ChildProcess | undefined;
  #stopping = new AbortController();
  #keeping: Promise<void> = Promise.resolve();

  constructor(folder: string, socket: string, binaries: Binaries, account: Account | undefined, events: ServerEvents) {
    this.#folder = folder;
    this.#socket = socket;
    this.#binaries = binaries;
    this.#account = account;
    this.#events = events;
  }

  /** Starts Postgres and resolves when it answers; from then on it is kept running. */
  async start(): Promise<void> {
    const ended = await this.#launch();
    this.#keeping = this.#keep(ended);
  }

  /** Ends Postgres: at first as its manual bids, with force when it takes too long. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    const child = this.#child;
    if (child !== undefined) {
      child.ref();
      const gone = async () => child.exitCode !== null || child.signalCode !== null;
      for (const [how, patience] of [
        ["SIGINT", 20_000],
        ["SIGQUIT", 5_000],
        ["SIGKILL", 5_000],
      ] as const) {
        child.kill(how);
        if (await waitUntil(gone, patience, 5)) break;
      }
    }
    await this.#keeping;
  }

  /** Launches one process, waits until it answers and resolves with the promise of its end. */
  async #launch(): Promise<{ readonly ended: Promise<string> }> {
    const end = performance.now() + startPatience;
    for (;;) {
      const log = await this.#openLog();
      const { size: from } = await log.stat();
      if (this.#stopping.signal.aborted) {
        await log.close();
        throw new Error("Postgres was stopped before it was started again.");
      }
      const child = spawn(this.#binaries.postgres, argumentsFor(this.#folder, this.#socket), {
        cwd: "/",
        env: environment,
        // A session of its own: Ctrl-C is for us, who let requests finish before the database goes.
        detached: true,
        stdio: ["ignore", log.fd, log.fd],
        ...as(this.#account),
      });
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
      const said = await this.#logFrom(from);
      // The last processes of a Postgres that was killed go a moment after it.
      if (/pre-existing shared memory block|is the postmaster.*still running/.test(said) && performance.now() < end) {
        await sleep(100);
        continue;
      }
      throw new StartError(
        "postgres failed",
        `Postgres did not start: ${said.trim() === "" ? `it ${how}.` : causeIn(said)}`,
        `Its log is ${partsOf(this.#folder).log}.`,
      );
    }
  }

  /** "ready", or how it ended before it was. */
  async #untilReady(child: ChildProcess, ended: Promise<string>, end: number): Promise<string> {
    let how: string | undefined;
    ended.then((said) => {
      how = said;
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
        this.#events.onExit?.({ message, attempt, wait });
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
      this.#events.onReturn?.();
    }
  }

  /**
   * A shell that waits for our end, by whatever death, and then stops Postgres: killed with -9, we cannot. It reads from
   * a pipe that only we hold.
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
    // Without a guard the next start finds what is left, so its failure is no reason not to run.
    guard.on("error", () => {});
    guard.stdin?.on("error", () => {});
    guard.unref();
    if (guard.stdin !== null && "unref" in guard.stdin && typeof guard.stdin.unref === "function") guard.stdin.unref();
    this.#guard = guard;
  }

  /** Before the number of the process that ended can be another's. */
  #unwatch(): void {
    this.#guard?.kill("SIGKILL");
    this.#guard = undefined;
  }

  async #openLog() {
    const path = partsOf(this.#folder).log;
    const known = await stat(path).catch(() => undefined);
    if (known !== undefined && known.size > 5_000_000) await rename(path, `${path}.old`);
    const log = await open(path, "a", 0o640);
    // The owner of the data may start without root the next time.
    if (this.#account !== undefined) await log.chown(this.#account.uid, this.#account.gid);
    return log;
  }

  async #logFrom(start: number): Promise<string> {
    const text = await readFile(partsOf(this.#folder).log).catch(() => Buffer.alloc(0));
    return text.subarray(start).toString("utf8");
  }
}
