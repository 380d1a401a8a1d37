import { compile } from "../../core/compile.ts";
import { formatAddress } from "../../server/serve.ts";
import { createLog } from "../../server/telemetry/log.ts";
import { createMetrics, createWorkersMetrics, serveMetrics } from "../../server/telemetry/metrics.ts";
import { openingFailed } from "../data/connections.ts";
import { openObjectStore } from "../data/file-store.ts";
import { readSources } from "../document-file.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { startApplication } from "./application.ts";
import { toListenFailure } from "./check-port.ts";
import { createClock, findMailer } from "./environment.ts";
import { printGreeting, printMetrics, printWorkers, warnAboutExposure, warnAboutMails } from "./greeting.ts";
import { readPasswordFile } from "./password-file.ts";
import { writeReadyLine } from "./ready-line.ts";
import type { RunDatabase } from "./run-database.ts";
import type { RunOptions } from "./run-options.ts";
import { Shutdown } from "./shutdown.ts";
import { closeParentChannel, receiveOrder, reportReady, WorkerFailed, Workers } from "./workers.ts";

/** Lets several processes serve the document, until this one receives a signal. */
export const runWorkers = async (
  options: RunOptions,
  { embedded, ...store }: RunDatabase,
  clock: () => Date,
  shutdown: Shutdown,
): Promise<number> => {
  const workers = new Workers({
    count: options.workers,
    port: options.port,
    store,
    clock: (process.env.NINEFOLD_CLOCK ?? "") === "" ? undefined : clock,
    drain: options.drain,
    log: createLog(),
  });
  shutdown.add(() => workers.stop());
  try {
    const { figures } = options;
    if (figures !== undefined) shutdown.add(await serveMetrics(await createWorkersMetrics(), figures));
    const { url } = await workers.start();
    await embedded?.announce(url);
    if (figures !== undefined) printMetrics(`${formatAddress(figures.host, figures.port)}/metrics`);
    printWorkers(options.workers);
    warnAboutExposure(options);
    warnAboutMails(options, process.env);
    await writeReadyLine(url, options.readyFile);
    await shutdown.waitForSignal();
    return exits.done;
  } catch (error) {
    // The worker has said why.
    if (error instanceof WorkerFailed) return error.exit;
    throw toListenFailure(error, options.port);
  }
};

/** Serves the document as one of several processes. */
export const runWorker = async (given: RunOptions): Promise<number> => {
  const { number, isFirst, port, store } = await receiveOrder();
  const options: RunOptions = {
    ...given,
    port,
    // Another worker has done this.
    ...(isFirst ? {} : { administrator: undefined, sample: undefined }),
  };
  const shutdown = new Shutdown();
  try {
    const compiled = compile(await readSources(options.path));
    const objects = await openObjectStore(process.env);
    shutdown.add(() => objects?.close());
    const { administrator } = options;
    const clock = createClock(process.env.NINEFOLD_CLOCK, () => undefined);
    const database: RunDatabase = { ...store, embedded: undefined, sample: isFirst && store.sample };
    const { opened, serving } = await startApplication(
      {
        compiled,
        options,
        store: database,
        clock,
        objects,
        mailer: findMailer(process.env),
        password: administrator === undefined ? undefined : await readPasswordFile(administrator.passwordFile),
        metrics: options.figures === undefined ? undefined : await createMetrics(),
        worker: number,
      },
      shutdown,
    );
    if (isFirst) await printGreeting(opened, serving, database, clock());
    reportReady({ url: serving.url, port: serving.port });
    await shutdown.waitForSignal();
    return exits.done;
  } catch (error) {
    throw error instanceof CommandFailed ? error : openingFailed(error);
  } finally {
    await shutdown.run();
    closeParentChannel();
  }
};
