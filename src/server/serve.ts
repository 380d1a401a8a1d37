import type { RequestListener } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "pino";
import type { Environment } from "../core/model/environment.ts";
import type { Model } from "../core/model/model.ts";
import { toLogFields } from "../postgres/database.ts";
import { createApp } from "./app.ts";
import { createDemonstration, type Demonstration } from "./auth/demo-sign-in.ts";
import { type Authoring, createAuthoring } from "./authoring/authoring.ts";
import { compileInThread, tryDraft } from "./authoring/draft/check-draft.ts";
import type { DocumentStore } from "./authoring/in-force.ts";
import type { InPreview, Previews } from "./authoring/preview-routes.ts";
import type { AddSamples } from "./authoring/publish-draft.ts";
import type { Service } from "./execution/service.ts";
import { purgeFiles, purgeObjects } from "./files/file-store.ts";
import { ownMachine, type Site } from "./http/origin.ts";
import { createCompileAhead } from "./lifecycle/compile-ahead.ts";
import { HotSwapServer } from "./lifecycle/hot-swap.ts";
import { Readiness } from "./lifecycle/readiness.ts";
import { maintainSearchIndexes } from "./lifecycle/search-index-maintenance.ts";
import { webRoot } from "./pages/spa.ts";
import { addSamples, type SampleSource } from "./sample/add-samples.ts";
import { createVersionFollower } from "./serving/follow-versions.ts";
import { createLiveVersion, type LiveVersion } from "./serving/live-version.ts";
import { logMissingSettings } from "./serving/log-missing-settings.ts";
import type { OpenDocument } from "./serving/open-document.ts";
import { createLog } from "./telemetry/log.ts";
import { type Listening, type Metrics, serveMetrics } from "./telemetry/metrics.ts";
import { type AutomaticRefusal, RefusalLog, toAutomaticRefusal } from "./telemetry/refusal-log.ts";
import { createTraces } from "./telemetry/tracing.ts";
import { createSerializer } from "./util/serializer.ts";

export interface Serving {
  readonly url: string;
  readonly port: number;
  /** Address of the metrics, if enabled. */
  readonly figures: string | null;
  readonly demonstration: Demonstration | null;
  /** The service for the live document. */
  service(): Service;
  /** Logs a refusal without a request. */
  readonly refused: (refusal: AutomaticRefusal) => void;
  /** Stops accepting requests and waits for those in progress. `onFree` is called when only the latter is left to do. */
  stop(onFree?: () => void): Promise<void>;
}

export interface ServeOptions {
  readonly opened: OpenDocument;
  /** Access to the document's files; null if the document cannot be changed at run time. */
  readonly documentStore: DocumentStore | null;
  readonly host: string;
  readonly port: number;
  /** Receives requests from a server that several applications share, in place of a port of its own. */
  readonly mount?: Mount;
  readonly demonstration: boolean;
  readonly clock?: () => Date;
  readonly log?: Logger;
  readonly site?: Site;
  readonly environment?: Environment;
  /** True if mail is configured. */
  readonly mails?: boolean;
  readonly metrics?: Metrics | undefined;
  readonly figures?: Listening | undefined;
  /** Milliseconds between reporting "stopping" and refusing requests, for load balancers to notice. */
  readonly drain?: number;
  /** Set for a preview of a draft. */
  readonly preview?: InPreview;
  /** Starts previews; null if this application cannot. */
  readonly previews?: Previews | null;
  /** Compiles and tries drafts and versions of other servers; in a thread by default. */
  readonly attempt?: typeof tryDraft;
  /** Where a demonstration gets samples for what later versions add; without it, it gets none. */
  readonly samples?: SampleSource;
}

/** Directs the requests for one application to its handler. Returns a function that ends this. */
export type Mount = (handle: RequestListener) => () => void;

/**
 * Starts the server. Throws the system's error (`EADDRINUSE`) if the port is unavailable. A document applied at run
 * time gets a new application on the same server. Earlier requests finish under the previous one.
 */
export const serve = async ({
  opened,
  documentStore,
  host,
  port,
  mount,
  demonstration,
  clock = () => new Date(),
  log = createLog(),
  site = ownMachine,
  environment = {},
  mails = false,
  metrics,
  figures,
  drain = 0,
  preview,
  previews = null,
  attempt = tryDraft,
  samples,
}: ServeOptions): Promise<Serving> => {
  const { database, model } = opened.service;
  const server = new HotSwapServer();
  const demo = demonstration ? await createDemonstration(opened.service) : null;
  const readiness = new Readiness(database, () => live.inForce().applied.version);
  const refusals = new RefusalLog(database, log);
  const traces = await createTraces(model.name);

  const warnOfSettings = (version: Model): void => {
    // A demonstration sets no addresses of other programs, which its greeting says. A preview sends nothing.
    if (!demonstration && preview === undefined)
      logMissingSettings(log, version, environment, mails && site.origin !== null);
  };

  // The live version, and its replacement by versions that are published here or by other servers.
  const live = createLiveVersion(
    opened,
    server,
    ({ compiled, applied }, service) =>
      createApp({
        compiled,
        hash: applied.hash,
        service,
        demonstration: demo,
        webRoot,
        port,
        log,
        clock,
        authoring,
        site,
        environment,
        mails,
        readiness,
        metrics,
        traces,
        refusals,
        preview,
        previews,
        findNewer: () => follower.findNewer(applied.version),
        serverFactory: (handler, options) => server.lead(handler, options),
      }),
    ({ applied }) => {
      warnOfSettings(applied.model);
      searches.check();
    },
  );
  const searches = maintainSearchIndexes({
    model: () => live.service().model,
    database,
    searched: opened.searched,
    make: opened.buildTrigramIndexes,
    log,
  });
  const addNewSamples =
    demo === null || samples === undefined
      ? async () => undefined
      : createSampleAdder(demo, samples, live.service, log);
  const { authoring, follower } = createVersions(opened, {
    live,
    documentStore,
    readiness,
    attempt,
    addNewSamples,
    log,
  });

  warnOfSettings(model);
  await live.start();
  const stopFigures = metrics === undefined || figures === undefined ? undefined : await serveMetrics(metrics, figures);
  const unmount = await listen(server, { host, port, isExclusive: preview !== undefined }, mount).catch(
    async (error: unknown) => {
      await stopFigures?.();
      throw error;
    },
  );
  searches.check();
  const stopRepeating = startRepeatedWork(opened.service, authoring, log);
  const watch = follower.watch(opened.listenForVersions);
  const listeningAt = server.address()?.port ?? port;

  return {
    url: site.origin ?? formatAddress(host, listeningAt),
    port: listeningAt,
    figures: figures === undefined ? null : `${formatAddress(figures.host, figures.port)}/metrics`,
    demonstration: demo,
    service: live.service,
    refused: (refusal) => refusals.add(toAutomaticRefusal(refusal, clock())),
    stop: async (onFree) => {
      stopRepeating();
      await Promise.all([searches.stop(), watch.stop(), authoring?.stop()]);
      readiness.stop();
      if (drain > 0) await sleep(drain);
      unmount();
      // Otherwise the requests of waiting pages would have to be cut off.
      live.service().changes.release();
      await server.stop(onFree);
      await refusals.stop();
      await stopFigures?.();
      await traces?.stop().catch((error: unknown) => log.warn({ err: error }, "traces could not be sent"));
    },
  };
};

/** Receives requests, at a port of its own or from a shared server. Returns a function that ends the latter. */
const listen = async (
  server: HotSwapServer,
  { host, port, isExclusive }: { readonly host: string; readonly port: number; readonly isExclusive: boolean },
  mount: Mount | undefined,
): Promise<() => void> => {
  if (mount !== undefined) return mount(server.handle);
  await server.listen(host, port, isExclusive);
  return () => undefined;
};

interface VersionParts {
  readonly live: LiveVersion;
  readonly documentStore: DocumentStore | null;
  readonly readiness: Readiness;
  readonly attempt: typeof tryDraft;
  readonly addNewSamples: AddSamples;
  readonly log: Logger;
}

/** How the live version is replaced: versions that are published here, and those that other servers publish. */
const createVersions = (
  { service: { database } }: OpenDocument,
  { live, documentStore, readiness, attempt, addNewSamples, log }: VersionParts,
) => {
  const serialize = createSerializer();
  const authoring =
    documentStore === null
      ? null
      : createAuthoring({
          store: documentStore,
          database,
          current: live.inForce,
          enforce: live.replace,
          serialize,
          attempt,
          log: (error) => log.error({ err: error }, "a version could not be published"),
          addSamples: addNewSamples,
        });
  const compileAhead = createCompileAhead(
    database,
    (files) => compileInThread(files, attempt),
    () => authoring?.isPublishing() === true,
  );
  const follower = createVersionFollower({
    live,
    database,
    documentStore,
    readiness,
    compileAhead,
    serialize,
    addSamples: addNewSamples,
    log,
  });
  return { authoring, follower };
};

/** Adds samples for what a new version of a demonstration adds. Without them, the version is live all the same. */
const createSampleAdder =
  (demo: Demonstration, samples: SampleSource, service: () => Service, log: Logger): AddSamples =>
  async ({ compiled: { model: before } }, without = new Set()) => {
    if (before === undefined) return undefined;
    try {
      const added = await addSamples(service(), before, without, samples);
      await demo.refresh(service());
      return added;
    } catch (error) {
      log.error(toLogFields(error), "samples could not be added for a new version");
      return undefined;
    }
  };

const RESUME_MS = 5_000;
const PURGE_FILES_MS = 3_600_000;

/** Resumes interrupted jobs and deletes files that no record names, now and then. Returns a function that stops it. */
const startRepeatedWork = (service: Service, authoring: Authoring | null, log: Logger): (() => void) => {
  const resumeJobs = (atOnce: boolean): void =>
    void authoring
      ?.resumeUnfinished(atOnce)
      .catch((error: unknown) => log.warn(toLogFields(error), "a job could not be resumed"));
  const deleteFiles = (): void =>
    void purgeFiles(service.database)
      .then(() => purgeObjects(service))
      .catch((error: unknown) => log.warn(toLogFields(error), "unused files could not be deleted"));
  resumeJobs(true);
  const timers = [setInterval(() => resumeJobs(false), RESUME_MS), setInterval(deleteFiles, PURGE_FILES_MS)];
  for (const timer of timers) timer.unref();
  return () => {
    for (const timer of timers) clearInterval(timer);
  };
};

/** The address of a server that listens at a host and a port. */
export const formatAddress = (host: string, port: number): string =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
