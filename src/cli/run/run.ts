import { type Compiled, compile } from "../../core/compile.ts";
import { defaultDocumentName } from "../../core/document/sources.ts";
import { startJobs } from "../../jobs/jobs.ts";
import { createMailer, type Mailer } from "../../jobs/mails.ts";
import { createPreviews } from "../../preview/previews.ts";
import { removeAbandoned } from "../../preview/start-preview.ts";
import { getMailColours, textToHtml } from "../../server/mail/mail-body.ts";
import { mailNotifications } from "../../server/mail/notification-mails.ts";
import { mailAddressChanges } from "../../server/mail/security-notices.ts";
import { mailProposals } from "../../server/proposals/proposal-mails.ts";
import { chooseVersion, NothingToRun } from "../../server/proposals/start-version.ts";
import { mailReports } from "../../server/records/report-mails.ts";
import { formatAddress, serve } from "../../server/serve.ts";
import { type OpenDocument, openVersion } from "../../server/serving/open-document.ts";
import { isLogForReader, makeLog } from "../../server/telemetry/log.ts";
import { type Metrics, makeMetrics } from "../../server/telemetry/metrics.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { openingFailed } from "../data/connections.ts";
import { describeFileProblem, openObjectStore } from "../data/file-store.ts";
import { readSources } from "../document-file.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { checkDocument, checkVersion, fixFirst } from "./check-document.ts";
import { checkPort, toListenFailure } from "./check-port.ts";
import { createDocumentStore, type TextAtStart } from "./document-on-disk.ts";
import { reportChange } from "./file-change-text.ts";
import { addSampleOnce, createAdministrator } from "./fill-database.ts";
import { printGreeting, warnAboutExposure } from "./greeting.ts";
import { readPasswordFile } from "./password-file.ts";
import { checkReadyFile, writeReadyLine } from "./ready-line.ts";
import { openRunDatabase, type RunDatabase } from "./run-database.ts";
import { parseRunOptions, type RunOptions } from "./run-options.ts";
import { Shutdown } from "./shutdown.ts";
import { writeLine } from "./write-line.ts";

/** Runs a document until it receives a signal. */
export const run = async (args: readonly string[]): Promise<number> => {
  const options = parseRunOptions(args);
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
    // 2. Open the database, with the file or the version in force.
    const store = await openRunDatabase(options, compiled.model?.name ?? defaultDocumentName(compiled.sources));
    shutdown.add(() => store.embedded?.stop());
    const metrics = options.figures === undefined ? undefined : await makeMetrics();
    const opened = await openDocument(compiled, options, store, { metrics, objects });
    shutdown.add(() => opened.close());
    shutdown.add(() => objects?.close());
    const log = makeLog();
    if (opened.change !== null)
      reportChange(
        opened.change,
        opened.applied.version,
        options,
        store.option,
        isLogForReader() ? undefined : log,
        writeLine,
      );
    const fileProblem = await describeFileProblem(objects, opened.service.database);
    if (fileProblem !== null) log.warn(fileProblem);
    reportMigration(opened);
    await removeAbandoned(store.connections).catch((error: unknown) =>
      log.warn({ err: error }, "the data of earlier previews could not be removed"),
    );

    // 3. Add sample data and the administrator.
    if (store.sample) await addSampleOnce(opened, options, clock());
    if (options.administrator !== undefined && password !== undefined)
      await createAdministrator(opened, options.administrator.email, password, clock());

    // 4. Serve requests, then run the jobs.
    const mailer = findMailer(process.env);
    const previews = createPreviews({
      connections: store.connections,
      database: opened.service.database,
      host: options.host,
      site: options.site,
      original: options.site.origin ?? (options.port === 0 ? null : formatAddress(options.host, options.port)),
      addresses: options.previews,
      objects,
      log,
    });
    shutdown.add(() => previews.stop());
    const serving = await serve({
      clock,
      opened,
      documentStore: {
        ...(await createDocumentStore(options.path, store.connections.owner, toTextAtStart(opened, compiled))),
        folder: store.connections.folder,
      },
      host: options.host,
      port: options.port,
      demonstration: store.demonstration,
      site: options.site,
      environment: process.env,
      mails: mailer !== undefined,
      metrics,
      figures: options.figures,
      drain: options.drain,
      previews,
    }).catch((error: unknown) => {
      throw toListenFailure(error, options.port);
    });
    shutdown.add(() => serving.stop());
    const jobs = startJobs({
      work: () => serving.service(),
      clock,
      outside: { environment: process.env, fetch },
      mailer: mailer && {
        send: (mail) => {
          const { origin } = options.site;
          if (mail.html !== undefined || origin === null) return mailer.send(mail);
          return mailer.send({ ...mail, html: textToHtml(mail.text, origin, getMailColours(serving.service().model)) });
        },
      },
      notices: async (now) => {
        await mailAddressChanges(serving.service(), now);
        await mailProposals(serving.service(), options.site.origin, now);
        await mailNotifications(serving.service(), options.site.origin, now);
        await mailReports(serving.service(), options.site.origin, now);
      },
      refused: serving.refused,
      log,
    });
    shutdown.add(() => jobs.stop());

    // 5. Tell people and programs where it runs.
    await store.embedded?.announce(serving.url);
    await printGreeting(opened, serving, store, clock());
    warnAboutExposure(options);
    await writeReadyLine(serving.url, options.readyFile);

    await shutdown.waitForSignal();
    return exits.done;
  } catch (error) {
    throw error instanceof CommandFailed ? error : openingFailed(error);
  } finally {
    await shutdown.run();
  }
};

const openDocument = async (
  compiled: Compiled,
  options: RunOptions,
  store: RunDatabase,
  resources: { readonly metrics: Metrics | undefined; readonly objects: ObjectStore | null },
): Promise<OpenDocument> => {
  if (compiled.model === undefined) await checkVersion(compiled, store.connections);
  try {
    return await openVersion(
      (owner) => chooseVersion(owner, compiled, options.applyChanges),
      store.connections,
      resources,
    );
  } catch (error) {
    throw error instanceof NothingToRun ? fixFirst(compiled.source) : openingFailed(error);
  }
};

const toTextAtStart = ({ change }: OpenDocument, { sources }: Compiled): TextAtStart | null =>
  change === null || change.kind === "applied" || change.kind === "published"
    ? null
    : { sources, isVersion: change.kind === "earlier" };

/** Prints what the start changed in an existing database. */
const reportMigration = ({ applied: { version, done } }: OpenDocument): void => {
  if (version === 1 || done.length === 0) return;
  writeLine("Changes to the database:");
  for (const step of done) writeLine(`  ${step}`);
};

const findMailer = (environment: typeof process.env): Mailer | undefined => {
  try {
    return createMailer(environment);
  } catch (error) {
    throw new CommandFailed(exits.usage, error instanceof Error ? error.message : String(error));
  }
};

/** `NINEFOLD_CLOCK` sets the time at the start, for tests and trials. The clock runs from there. */
const createClock = (set: string | undefined): (() => Date) => {
  if (set === undefined || set === "") return () => new Date();
  const begins = Date.parse(set);
  if (Number.isNaN(begins))
    throw new CommandFailed(
      exits.usage,
      `NINEFOLD_CLOCK is “${set}”, which isn’t a date and time.`,
      "Write for example 2026-03-01T08:00:00Z.",
    );
  const ahead = begins - Date.now();
  writeLine(`NINEFOLD_CLOCK sets the time to ${new Date(begins).toISOString()}.`);
  return () => new Date(Date.now() + ahead);
};
