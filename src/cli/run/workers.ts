import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import { exits } from "../exit-codes.ts";
import type { RunDatabase } from "./run-database.ts";

/** The first message to a worker. */
export interface WorkerOrder {
  readonly number: number;
  /** True for the first start of the first worker, which brings the database up to date and fills it. */
  readonly isFirst: boolean;
  readonly port: number;
  readonly store: Omit<RunDatabase, "embedded">;
}

/** A message of a worker: it asks for its order, or it accepts requests. */
type WorkerMessage = { readonly kind: "begun" } | ({ readonly kind: "ready" } & WorkerReport);

export interface WorkerReport {
  readonly url: string;
  readonly port: number;
}

/** Set in the environment of workers. */
const VARIABLE = "NINEFOLD_WORKER";

/** Delay before a worker that ended is started again, in milliseconds. It doubles with each early end in a row. */
const SOONEST = 200;
const LATEST = 30_000;

/** A worker that ran for longer did not fail early. */
const LONG = 60_000;

/** Milliseconds that a worker has to stop, beside the time that it drains. */
const PATIENCE = 20_000;

/** True in a process that serves requests for another one. */
export const isWorkerProcess = (): boolean => cluster.isWorker && process.env[VARIABLE] !== undefined;

/** The first message of the process that started this one. */
export const receiveOrder = async (): Promise<WorkerOrder> => {
  const received = once(process, "message");
  // A message that comes before somebody listens is lost.
  process.send?.({ kind: "begun" } satisfies WorkerMessage);
  const [order] = await received;
  return order as WorkerOrder;
};

export const reportReady = (report: WorkerReport): void =>
  void process.send?.({ kind: "ready", ...report } satisfies WorkerMessage);

/** Closes the channel to the process that started this one, so that this process can end. */
export const closeParentChannel = (): void => {
  if (cluster.worker?.isConnected() === true) cluster.worker.disconnect();
};

interface WorkersOptions {
  readonly count: number;
  readonly port: number;
  readonly store: Omit<RunDatabase, "embedded">;
  /** The time of the program, which a worker that starts later continues; undefined for the time of the machine. */
  readonly clock: (() => Date) | undefined;
  /** Milliseconds between a signal and the end of the last request that a worker accepts. */
  readonly drain: number;
  readonly log: Logger;
}

/** The first worker ended before it accepted requests. It has said why. */
export class WorkerFailed extends Error {
  override readonly name = "WorkerFailed";
  readonly exit: number;
  constructor(exit: number) {
    super("the first worker could not start");
    this.exit = exit;
  }
}

/**
 * Runs several processes that accept connections at one port and are servers of one database like any others. A process
 * that ends is started again.
 */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #running = new Map<number, Worker>();
  readonly #failures = new Map<number, number>();
  #port: number;
  #isStopping = false;

  constructor(options: WorkersOptions) {
    this.#options = options;
    this.#port = options.port;
  }

  /** Starts all workers; the first one alone, because it prepares the database. Resolves when all accept requests. */
  async start(): Promise<WorkerReport> {
    const report = await this.#begin(1, true);
    this.#port = report.port;
    await Promise.all(Array.from({ length: this.#options.count - 1 }, (_, i) => this.#begin(i + 2, false)));
    return report;
  }

  /** Stops all workers and waits for their end. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    const ended = [...this.#running.values()].map((worker) => once(worker, "exit"));
    for (const worker of this.#running.values()) worker.process.kill("SIGTERM");
    const patience = setTimeout(() => {
      for (const worker of this.#running.values()) worker.process.kill("SIGKILL");
    }, this.#options.drain + PATIENCE);
    await Promise.all(ended);
    clearTimeout(patience);
  }

  #begin(number: number, isFirst: boolean): Promise<WorkerReport> {
    const { clock, store } = this.#options;
    const worker = cluster.fork({
      [VARIABLE]: String(number),
      ...(clock === undefined ? {} : { NINEFOLD_CLOCK: clock().toISOString() }),
    });
    this.#running.set(number, worker);
    const began = performance.now();
    return new Promise((resolve, reject) => {
      let isReady = false;
      worker.on("message", (message: Partial<WorkerMessage>) => {
        if (message.kind === "begun") worker.send({ number, isFirst, port: this.#port, store } satisfies WorkerOrder);
        if (message.kind !== "ready") return;
        isReady = true;
        resolve(message as WorkerReport);
      });
      worker.once("exit", (exit, signal) => {
        this.#running.delete(number);
        if (this.#isStopping) return;
        if (isFirst && !isReady) return reject(new WorkerFailed(exit ?? exits.fault));
        void this.#restart(number, performance.now() - began > LONG, signal ?? exit).then(resolve, reject);
      });
    });
  }

  async #restart(number: number, wasLong: boolean, end: string | number): Promise<WorkerReport> {
    const failures = wasLong ? 0 : (this.#failures.get(number) ?? 0);
    this.#failures.set(number, failures + 1);
    this.#options.log.error({ worker: number, end }, "a worker ended and is started again");
    await sleep(Math.min(LATEST, SOONEST * 2 ** failures));
    return this.#isStopping ? new Promise(() => undefined) : this.#begin(number, false);
  }
}
