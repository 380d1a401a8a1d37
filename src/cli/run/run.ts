import { compile } from "../../core/compile.ts";
import { defaultDocumentName } from "../../core/document/sources.ts";
import { createMetrics } from "../../server/telemetry/metrics.ts";
import { openingFailed } from "../data/connections.ts";
import { openObjectStore } from "../data/file-store.ts";
import { readSources } from "../document-file.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { startApplication } from "./application.ts";
import { checkDocument } from "./check-document.ts";
import { checkPort } from "./check-port.ts";
import { createClock, findMailer } from "./environment.ts";
import { printGreeting, warnAboutExposure, warnAboutMails } from "./greeting.ts";
import { readPasswordFile } from "./password-file.ts";
import { checkReadyFile, writeReadyLine } from "./ready-line.ts";
import { openRunDatabase } from "./run-database.ts";
import { parseRunOptions } from "./run-options.ts";
import { runWorker, runWorkers } from "./run-workers.ts";
import { Shutdown } from "./shutdown.ts";
import { isWorkerProcess } from "./workers.ts";

/** Runs a document until it receives a signal. */
export const run = async (args: readonly string[]): Promise<number> => {
  const options = parseRunOptions(args);
  if (isWorkerProcess()) return runWorker(options);
  const compiled = compile(await readSources(options.path));

  // 1. Refuse what cannot work, before anything is created.
  await checkDocument(compiled, options);
  const objects = await openObjectStore(process.env);
  const clock = createClock(process.env.NINEFOLD_CLOCK);
  const password =
    options.administrator === undefined ? undefined : await readPasswordFile(options.administrator.passwordFile);
  if (options.readyFile !== undefined) await checkReadyFile(options.readyFile);
  await checkPort(options.host, options.port);

  const shutdown = new Shutdown();
  try {
    // 2. Start the database and the application.
    const store = await openRunDatabase(options, compiled.model?.name ?? defaultDocumentName(compiled.sources));
    shutdown.add(() => store.embedded?.stop());
    shutdown.add(() => objects?.close());
    if (options.workers > 1) return await runWorkers(options, store, clock, shutdown);
    const { opened, serving } = await startApplication(
      {
        compiled,
        options,
        store,
        clock,
        objects,
        mailer: findMailer(process.env),
        password,
        metrics: options.figures === undefined ? undefined : await createMetrics(),
      },
      shutdown,
    );

    // 3. Tell people and programs where it runs.
    await store.embedded?.announce(serving.url);
    await printGreeting(opened, serving, store, clock());
    warnAboutExposure(options);
    warnAboutMails(options, process.env);
    await writeReadyLine(serving.url, options.readyFile);

    await shutdown.waitForSignal();
    return exits.done;
  } catch (error) {
    throw error instanceof CommandFailed ? error : openingFailed(error);
  } finally {
    await shutdown.run();
  }
};
