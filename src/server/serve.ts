import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Compiled } from "../core/compile.ts";
import { callsThatWait, type Environment } from "../core/model/environment.ts";
import type { Model } from "../core/model/model.ts";
import { type ConnectOptions, connect, type Database, findRole, inLog, StoreAway } from "../postgres/database.ts";
import { type Listener, listen } from "../postgres/listen.ts";
import { applyDocument, CHANGE_TIMEOUT, Superseded, VERSION_CHANNEL } from "../postgres/schema/apply-document.ts";
import type { Applied } from "../postgres/schema/newest-document.ts";
import { newestDocument } from "../postgres/schema/newest-document.ts";
import { prepareSystem } from "../postgres/schema/prepare-system.ts";
import { checkRequestRoleSettings } from "../postgres/schema/request-role-settings.ts";
import { makeSearches } from "../postgres/schema/trigram-indexes.ts";
import { connectStandbys } from "../postgres/standbys.ts";
import { listMissingSettings } from "./accounts/oidc.ts";
import { makeApp } from "./app.ts";
import { createDemonstration, type Demonstration } from "./auth/demo-sign-in.ts";
import { createAuthoring } from "./authoring/authoring.ts";
import { compileInThread, tryDraft } from "./authoring/draft/check-draft.ts";
import { createSerializer, type DocumentStore, type InForce } from "./authoring/in-force.ts";
import type { InPreview, Previews } from "./authoring/preview-routes.ts";
import { createService, type Service } from "./execution/service.ts";
import { purgeFiles } from "./files/file-store.ts";
import { unsetOrigins } from "./http/cors.ts";
import { ownMachine, type Site } from "./http/origin.ts";
import { VersionBehind } from "./http/repeat-request.ts";
import { createCompileAhead } from "./lifecycle/compile-ahead.ts";
import { HotSwapServer } from "./lifecycle/hot-swap.ts";
import { Standing } from "./lifecycle/readiness.ts";
import { maintainSearchIndexes } from "./lifecycle/search-index-maintenance.ts";
import { webRoot } from "./pages/spa.ts";
import type { FileChange, StartVersion } from "./proposals/start-version.ts";
import { makeLog } from "./telemetry/log.ts";
import { type Listening, type Metrics, serveMetrics } from "./telemetry/metrics.ts";
import { RefusalLog, type RefusedByItself, toAutomaticRefusal } from "./telemetry/refusal-log.ts";
import { makeTraces } from "./telemetry/tracing.ts";

/** A database opened with a document, before the server listens. */
export interface OpenDocument {
  readonly service: Service;
  /** The document in force. It differs from the file if the file became a proposal. */
  readonly compiled: Compiled;
  readonly applied: Applied;
  /** How the file differs from the version that was in force; null if it does not. */
  readonly change: FileChange | null;
  /** The tables with a trigram index; updated when more are built. */
  readonly searched: Set<string>;
  /** Builds missing indexes, or leaves that to another server (`makeSearches`). */
  readonly makeSearches: (model: Model, signal: AbortSignal) => Promise<boolean>;
  /** Notifies of new versions from other servers; null behind a pooler. */
  readonly listenForVersions: ((onVersion: () => void) => Listener) | null;
  close(): Promise<void>;
}

/** Opens the database with a document that is applied whatever was in force. */
export const open = (
  model: Model,
  compiled: Compiled,
  connections: Connections,
  options: OpenOptions = {},
): Promise<OpenDocument> =>
  openVersion(
    () => Promise.resolve({ compiled: { ...compiled, model }, base: undefined, change: null }),
    connections,
    options,
  );

interface OpenOptions {
  readonly metrics?: Metrics | undefined;
}

/** Servers that publish concurrently take turns, and each has one version to publish. */
const MAX_ATTEMPTS = 10;

/**
 * Opens the database, migrates it to this release and to the version that `choose` returns, and closes the owner's
 * connection: requests need no further privileges. Chooses again if another server publishes a version meanwhile.
 */
export const openVersion = async (
  choose: (owner: Database) => Promise<StartVersion>,
  connections: Connections,
  { metrics }: OpenOptions = {},
): Promise<OpenDocument> => {
  const owner = connect({ connection: connections.owner, max: 1, statementTimeout: CHANGE_TIMEOUT });
  const applyChosen = async (turns: number): Promise<StartVersion & { readonly applied: Applied }> => {
    const chosen = await choose(owner);
    const { compiled, base } = chosen;
    try {
      const applied = await applyDocument(owner, compiled.model, compiled.source, {
        person: null,
        ...(base === undefined ? {} : { base }),
        together: () => Promise.resolve(),
      });
      return { ...chosen, applied };
    } catch (error) {
      if (error instanceof Superseded && turns > 1) return applyChosen(turns - 1);
      throw error;
    }
  };
  let version: StartVersion & { readonly applied: Applied };
  try {
    await prepareSystem(owner, findRole(connections.app));
    version = await applyChosen(MAX_ATTEMPTS);
  } finally {
    await owner.end();
  }
  const { applied, compiled, change } = version;
  const ofRequests = {
    pooled: connections.pooled === true,
    ...(metrics === undefined ? {} : { measured: metrics.statement }),
  };
  const primary = connect({ connection: connections.app, ...ofRequests });
  const { replicas = [] } = connections;
  const standbys =
    replicas.length === 0
      ? undefined
      : connectStandbys(primary, {
          connections: replicas,
          ...ofRequests,
          ...(metrics === undefined ? {} : { answered: metrics.read }),
        });
  const database: Database = {
    ...primary,
    standbys,
    end: async () => {
      await standbys?.end();
      await primary.end();
    },
  };
  metrics?.watch(() => database.load());
  if (connections.pooled === true)
    await checkRequestRoleSettings(database).catch(async (error: unknown) => {
      await database.end();
      throw error;
    });
  const searched = new Set(applied.searched);
  return {
    service: createService(applied.model, applied.version, database, {
      sources: compiled.sources,
      past: applied.past,
      retired: applied.retired,
      searched,
    }),
    compiled,
    applied,
    change,
    searched,
    makeSearches: (of, signal) => makeSearches(connections.owner, of, signal),
    listenForVersions:
      connections.pooled === true ? null : (onVersion) => listen(connections.app, VERSION_CHANNEL, onVersion),
    close: () => database.end(),
  };
};

/** Connections to the database: the owner creates tables and is needed only at start; requests read and write rows. */
export interface Connections {
  readonly owner: ConnectOptions["connection"];
  readonly app: ConnectOptions["connection"];
  /** True if requests go through a pooler in transaction mode. The owner never does. */
  readonly pooled?: boolean;
  /** Standbys of the database that requests may read from, with the role of requests. */
  readonly replicas?: readonly ConnectOptions["connection"][];
  /** The folder of an embedded Postgres, on whose disk the data is; absent for an external database. */
  readonly folder?: string;
}

export interface Serving {
  readonly url: string;
  /** Address of the metrics, if enabled. */
  readonly figures: string | null;
  readonly demonstration: Demonstration | null;
  /** The service for the document in force. */
  service(): Service;
  /** Logs a refusal without a request. */
  readonly refused: (refusal: RefusedByItself) => void;
  /** Stops accepting requests and waits for those in progress. */
  stop(): Promise<void>;
}

export interface ServeOptions {
  readonly compiled: Compiled;
  readonly opened: OpenDocument;
  /** Access to the document's files; null if the document cannot be changed at run time. */
  readonly documentStore: DocumentStore | null;
  readonly host: string;
  readonly port: number;
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
}

/** Maximum time in milliseconds that a request waits for a newer version to be live on this server. */
const CATCH_UP_TIMEOUT_MS = 10_000;

/**
 * Starts the server. Throws the system's error (`EADDRINUSE`) if the port is unavailable. A document applied at run
 * time gets a new application on the same server. Earlier requests finish under the previous one.
 */
export const serve = async ({
  compiled,
  opened,
  documentStore,
  host,
  port,
  demonstration,
  clock = () => new Date(),
  log = makeLog(),
  site = ownMachine,
  environment = {},
  mails = false,
  metrics,
  figures,
  drain = 0,
  preview,
  previews = null,
  attempt = tryDraft,
}: ServeOptions): Promise<Serving> => {
  const shown = demonstration ? await createDemonstration(opened.service) : null;
  const passage = new HotSwapServer();
  let inForce: InForce = { compiled, applied: opened.applied };
  let current = opened.service;
  const { database } = current;
  /** The application of the version in force. */
  let inFront: FastifyInstance | undefined;
  /** A switch to the newest version that has not begun, so that it includes everything published before now. */
  let catchingUp: Promise<void> | undefined;
  const standing = new Standing(database, () => inForce.applied.version);
  const refusals = new RefusalLog(database, log);
  const traces = await makeTraces(opened.service.model.name);
  const logMissingSettings = (model: Model): void => {
    // A demonstration sets no addresses of other programs, which its greeting says. A preview sends nothing.
    if (demonstration || preview !== undefined) return;
    for (const line of [...listMissingSettings(model, environment), ...unsetOrigins(model, environment)])
      log.warn(line);
    for (const [call, names] of callsThatWait(model, environment))
      log.warn(`Calls to “${call}” wait: set ${names.join(" and ")}, and start again to send them.`);
    if (model.signIn.signUp !== null && (!mails || site.origin === null))
      log.warn(
        "No emails are sent, so people who register wait for an administrator. To send emails, set NINEFOLD_SMTP, NINEFOLD_MAIL_FROM and --origin.",
      );
  };
  logMissingSettings(opened.service.model);
  const application = (next: InForce, service: Service): Promise<FastifyInstance> =>
    makeApp({
      compiled: next.compiled,
      hash: next.applied.hash,
      service,
      demonstration: shown,
      webRoot,
      port,
      log,
      clock,
      authoring,
      site,
      environment,
      mails,
      standing,
      metrics,
      traces,
      refusals,
      preview,
      previews,
      findNewer: () => findNewer(next.applied.version),
      serverFactory: (handler, options) => passage.lead(handler, options),
    });
  const enforce = async (next: InForce): Promise<void> => {
    const service = createService(next.applied.model, next.applied.version, database, {
      sources: next.compiled.sources,
      past: next.applied.past,
      retired: next.applied.retired,
      searched: opened.searched,
    });
    const app = await application(next, service);
    await app.ready();
    passage.open(app);
    // Ends long polls under the previous document, so that clients learn of the new one.
    current.changes.release();
    logMissingSettings(next.applied.model);
    inForce = next;
    current = service;
    inFront = app;
    searches.check();
  };
  const searches = maintainSearchIndexes({
    model: () => current.model,
    database,
    searched: opened.searched,
    make: opened.makeSearches,
    log,
  });
  const serialize = createSerializer();
  const authoring =
    documentStore === null
      ? null
      : createAuthoring(
          documentStore,
          opened.service.database,
          () => inForce,
          enforce,
          serialize,
          attempt,
          (error) => log.error({ err: error }, "a version could not be published"),
        );
  const ahead = createCompileAhead(
    database,
    (files) => compileInThread(files, attempt),
    () => authoring?.isPublishing() === true,
  );
  /** Switches to a newer version that another server applied, and writes it to this server's files. */
  const catchUp = (): Promise<void> => {
    catchingUp ??= serialize(async () => {
      catchingUp = undefined;
      const { because } = await standing.ask();
      if (because !== "superseded") return;
      const before = inForce.compiled.sources;
      const next = await newestDocument(database, ahead.compile);
      if (documentStore !== null && documentStore.fixed === null)
        await documentStore
          .write(before, next.compiled.sources)
          .catch((error: unknown) =>
            log.warn(
              { err: error },
              "another server published a version, and its text could not be written to the files here",
            ),
          );
      await enforce(next);
    }).catch((error: unknown) => {
      // Requests already report an unavailable database.
      if (!(error instanceof StoreAway))
        log.error({ err: error }, "the newest version could not be loaded on this server");
    });
    return catchingUp;
  };
  /** The application of a version newer than this one, live on this server (`FindNewer`). */
  const findNewer = async (version: number): Promise<FastifyInstance | undefined> => {
    if (inForce.applied.version === version) {
      if ((await standing.ask()).newest <= version) return undefined;
      await Promise.race([catchUp(), sleep(CATCH_UP_TIMEOUT_MS, undefined, { ref: false })]);
    }
    if (inForce.applied.version === version) throw new VersionBehind();
    return inFront;
  };
  const app = await application(inForce, opened.service);
  inFront = app;
  await app.ready();
  passage.open(app);
  const stopFigures = metrics === undefined || figures === undefined ? undefined : await serveMetrics(metrics, figures);
  try {
    await passage.listen(host, port);
  } catch (error) {
    await stopFigures?.();
    throw error;
  }
  searches.check();
  const resumeJobs = (atOnce: boolean): void =>
    void authoring
      ?.resumeUnfinished(atOnce)
      .catch((error: unknown) => log.warn(inLog(error), "a job could not be resumed"));
  resumeJobs(true);
  const follow = (): void => {
    // Without a database there is nothing to follow.
    void catchUp().then(() => ahead.look().catch(() => undefined));
  };
  const listener = opened.listenForVersions?.(follow);
  const watching = setInterval(follow, listener === undefined ? 1_000 : 15_000);
  watching.unref();
  const resumeTimer = setInterval(() => resumeJobs(false), 5_000);
  resumeTimer.unref();
  const tidying = setInterval(
    () =>
      void purgeFiles(database).catch((error: unknown) => log.warn(inLog(error), "unused files could not be deleted")),
    3_600_000,
  );
  tidying.unref();
  const { port: actual } = passage.address() as AddressInfo;
  return {
    url: site.origin ?? formatAddress(host, actual),
    figures: figures === undefined ? null : `${formatAddress(figures.host, figures.port)}/metrics`,
    demonstration: shown,
    service: () => current,
    refused: (refusal) => refusals.add(toAutomaticRefusal(refusal, clock())),
    stop: async () => {
      clearInterval(watching);
      clearInterval(resumeTimer);
      clearInterval(tidying);
      await Promise.all([searches.stop(), listener?.stop(), authoring?.stop()]);
      standing.stops();
      if (drain > 0) await sleep(drain);
      await passage.stop();
      await refusals.stop();
      await stopFigures?.();
      await traces?.stop().catch((error: unknown) => log.warn({ err: error }, "traces could not be sent"));
    },
  };
};

/** The address of a server that listens at a host and a port. */
export const formatAddress = (host: string, port: number): string =>
  `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
