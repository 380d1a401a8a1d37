import type { Compiled } from "../../core/compile.ts";
import { createTranslator } from "../../core/derive/client/localize.ts";
import { type Jobs, startJobs } from "../../jobs/jobs.ts";
import { type Mailer, reportOutage } from "../../jobs/mails.ts";
import { createPreviews } from "../../preview/previews.ts";
import { removeAbandoned } from "../../preview/start-preview.ts";
import type { Previews } from "../../server/authoring/preview-routes.ts";
import { getMailColours, textToHtml } from "../../server/mail/mail-body.ts";
import { mailNotifications } from "../../server/mail/notification-mails.ts";
import { mailAddressChanges } from "../../server/mail/security-notices.ts";
import { mailProposals } from "../../server/proposals/proposal-mails.ts";
import { chooseVersion, NothingToRun } from "../../server/proposals/start-version.ts";
import { drawMailedLetters } from "../../server/records/letter-file.ts";
import { mailReports } from "../../server/records/reports/report-mails.ts";
import { formatAddress, type Mount, type Serving, serve } from "../../server/serve.ts";
import { type OpenDocument, openVersion } from "../../server/serving/open-document.ts";
import { createLog, isLogForReader } from "../../server/telemetry/log.ts";
import type { Metrics } from "../../server/telemetry/metrics.ts";
import type { ObjectStore } from "../../storage/object-store.ts";
import { openingFailed } from "../data/connections.ts";
import { describeFileProblem } from "../data/file-store.ts";
import { checkVersion, fixFirst } from "./check-document.ts";
import { toListenFailure } from "./check-port.ts";
import { createDocumentStore, type TextAtStart } from "./document-on-disk.ts";
import { reportChange } from "./file-change-text.ts";
import { addSampleOnce, addSamplesForChange, createAdministrator, createSampleSource } from "./fill-database.ts";
import type { RunDatabase } from "./run-database.ts";
import type { RunOptions } from "./run-options.ts";
import type { StopList } from "./shutdown.ts";
import { writeLine } from "./write-line.ts";

/** A document, its database, and what several documents of one process share. */
export interface ApplicationParts {
  readonly compiled: Compiled;
  readonly options: RunOptions;
  readonly store: RunDatabase;
  readonly clock: () => Date;
  readonly objects: ObjectStore | null;
  readonly mailer: Mailer | undefined;
  /** The password of the administrator in the options. */
  readonly password?: string | undefined;
  /** Set if several applications share a port. They start no previews, which have ports of their own. */
  readonly mount?: Mount;
  /** Absent without metrics. */
  readonly metrics?: Metrics | undefined;
  /** The number of this process among the workers; absent if it is the only one. The first runs the jobs of all. */
  readonly worker?: number;
  /** Interval of the jobs in milliseconds. */
  readonly jobInterval?: number;
}

export interface RunningApplication {
  readonly opened: OpenDocument;
  readonly serving: Serving;
}

/** Opens the database of a document, serves requests and runs the jobs, until `stops` runs. */
export const startApplication = async (parts: ApplicationParts, stops: StopList): Promise<RunningApplication> => {
  const { compiled, options, store, clock, objects, mailer, password, mount, metrics, worker } = parts;
  const log = createLog();

  // 1. Open the database, with the file or the live version.
  const opened = await openDocument(parts);
  stops.add(() => opened.close());
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

  // 2. Add sample data and the administrator.
  const samples = createSampleSource(clock);
  if (store.sample) await addSampleOnce(opened, options, clock());
  if (store.demonstration) await addSamplesForChange(opened, samples);
  if (options.administrator !== undefined && password !== undefined)
    await createAdministrator(opened, options.administrator, password, clock());

  // 3. Serve requests, then run the jobs.
  const previews = mount === undefined ? startPreviews(parts, opened, stops) : null;
  const serving = await serve({
    clock,
    opened,
    documentStore: {
      ...(await createDocumentStore(options.path, store.connections.owner, toTextAtStart(opened, compiled))),
      folder: store.connections.folder,
    },
    host: options.host,
    port: options.port,
    ...(mount === undefined ? {} : { mount }),
    demonstration: store.demonstration,
    site: options.site,
    environment: process.env,
    mails: mailer !== undefined,
    metrics,
    figures: worker === undefined ? options.figures : undefined,
    drain: options.drain,
    previews,
    samples,
  }).catch((error: unknown) => {
    throw toListenFailure(error, options.port);
  });
  stops.add(() => serving.stop());
  if (worker === undefined || worker === 1) {
    const jobs = runJobs(parts, serving);
    stops.add(() => jobs.stop());
  }
  return { opened, serving };
};

const openDocument = async ({
  compiled,
  options,
  store,
  objects,
  metrics,
}: ApplicationParts): Promise<OpenDocument> => {
  if (compiled.model === undefined) await checkVersion(compiled, store.connections);
  try {
    return await openVersion((owner) => chooseVersion(owner, compiled, options.applyChanges), store.connections, {
      metrics,
      objects,
      onWait: () => writeLine("The database does not answer yet. Waiting for it …"),
    });
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

const startPreviews = (
  { options, store, objects }: ApplicationParts,
  opened: OpenDocument,
  stops: StopList,
): Previews => {
  const previews = createPreviews({
    connections: store.connections,
    database: opened.service.database,
    host: options.host,
    site: options.site,
    original: options.site.origin ?? (options.port === 0 ? null : formatAddress(options.host, options.port)),
    addresses: options.previews,
    objects,
    log: createLog(),
  });
  stops.add(() => previews.stop());
  return previews;
};

/** Names the application as the sender, and gives mails that have only a text the look of the others. */
const withLook = (mailer: Mailer, origin: string | null, serving: Serving): Mailer => ({
  send: (mail) => {
    const { model } = serving.service();
    const language = mail.headers?.["content-language"];
    const sender = createTranslator(model, language ?? model.locale)(model.name);
    if (mail.html !== undefined || origin === null) return mailer.send({ ...mail, sender });
    const html = textToHtml(mail.text, origin, getMailColours(model), language);
    return mailer.send({ ...mail, sender, html });
  },
});

const runJobs = ({ options, clock, mailer, jobInterval }: ApplicationParts, serving: Serving): Jobs => {
  const log = createLog();
  return startJobs({
    work: () => serving.service(),
    clock,
    outside: { environment: process.env, fetch, origin: options.site.origin },
    mailer: mailer && withLook(reportOutage(mailer, log), options.site.origin, serving),
    draw: (mail, now) => drawMailedLetters(serving.service(), mail, now, log),
    composeMails: async (now) => {
      await mailAddressChanges(serving.service(), now);
      await mailProposals(serving.service(), options.site.origin, now);
      await mailNotifications(serving.service(), options.site.origin, now);
      await mailReports(serving.service(), options.site.origin, now);
    },
    ...(jobInterval === undefined ? {} : { every: jobInterval }),
    refused: serving.refused,
    log,
  });
};
