import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import type { Compiled } from "../core/compile.ts";
import type { Model } from "../core/model/model.ts";
import { type ConnectOptions, connect, inLog, roleOf, StoreAway } from "../postgres/database.ts";
import { type Listener, listen } from "../postgres/listen.ts";
import {
  type Applied,
  applyDocument,
  CHANGE_TIMEOUT,
  newestDocument,
  VERSION_CHANNEL,
} from "../postgres/schema/apply-document.ts";
import { prepareSystem, refuseUnset } from "../postgres/schema/system-tables.ts";
import { makeSearches } from "../postgres/schema/trigram-indexes.ts";
import { missingSettings } from "./accounts/oidc.ts";
import { makeApp } from "./app.ts";
import { type Demonstration, demonstrationOf } from "./auth/demo-sign-in.ts";
import { authoringOf, type Desk, type InForce, oneAfterTheOther } from "./authoring/authoring.ts";
import { type Service, serviceOf } from "./execution/service.ts";
import { purgeFiles } from "./files/file-store.ts";
import { unsetOrigins } from "./http/cors.ts";
import { ownMachine, type Site } from "./http/origin.ts";
import { Passage } from "./lifecycle/hot-swap.ts";
import { Standing } from "./lifecycle/readiness.ts";
import { tendSearches } from "./lifecycle/search-index-maintenance.ts";
import { webRoot } from "./pages/spa.ts";
import { makeLog } from "./telemetry/log.ts";
import { type Listening, type Metrics, serveMetrics } from "./telemetry/metrics.ts";
import { RefusalLog, type RefusedByItself, refusedByItself } from "./telemetry/refusal-log.ts";
import { makeTraces } from "./telemetry/tracing.ts";
import { callsThatWait, type Environment } from "./util/environment.ts";

/** A document in force on a database, before anything listens. */
export interface Opened {
  readonly service: Service;
  readonly applied: Applied;
  /** The tables whose texts are found by an index; those of which one is made later join them. */
  readonly searched: Set<string>;
  /** Makes the indexes that are missing, or leaves it to another server (`makeSearches`). */
  readonly makeSearches: (model: Model, signal: AbortSignal) => Promise<boolean>;
  /** Calls when another server may have brought a version; null where a pooler stands between. */
  readonly hear: ((heard: () => void) => Listener) | null;
  close(): Promise<void>;
}

/**
 * Opens the database, brings it up to this release and to the document, and closes the owner's connection again: what
 * requests do needs no more rights than theirs.
 */
export const open = async (
  model: Model,
  compiled: Compiled,
  connections: Connections,
  { metrics }: { readonly metrics?: Metrics | undefined } = {},
): Promise<Opened> => {
  const owner = connect({ connection: connections.owner, max: 1, statementTimeout: CHANGE_TIMEOUT });
  let applied: Applied;
  try {
    await prepareSystem(owner, roleOf(connections.app));
    applied = await applyDocument(owner, model, compiled.source);
  } finally {
    await owner.end();
  }
  const database = connect({
    connection: connections.app,
    pooled: connections.pooled === true,
    ...(metrics === undefined ? {} : { measured: metrics.statement }),
  });
  metrics?.watch(() => database.load());
  if (connections.pooled === true)
    await refuseUnset(database).catch(async (error: unknown) => {
      await database.end();
      throw error;
    });
  const searched = new Set(applied.searched);
  return {
    service: serviceOf(applied.model, applied.version, database, {
      sources: compiled.sources,
      past: applied.past,
      searched,
    }),
    applied,
    searched,
    makeSearches: (of, signal) => makeSearches(connections.owner, of, signal),
    hear: connections.pooled === true ? null : (heard) => listen(connections.app, VERSION_CHANNEL, heard),
    close: () => database.end(),
  };
};

/** Who may do what on the database: the owner makes tables, and is needed at the start alone; requests read and write rows. */
export interface Connections {
  readonly owner: ConnectOptions["connection"];
  readonly app: ConnectOptions["connection"];
  /** Whether requests reach the database through a pooler in transaction mode. The owner never does. */
  readonly pooled?: boolean;
}

export interface Serving {
  readonly url: string;
  /** Where figures are, where they are served. */
  readonly figures: string | null;
  readonly demonstration: Demonstration | null;
  /** The document in force now. */
  service(): Service;
  /** Keeps what was refused, though nobody asked for it, with what else is. */
  readonly refused: (what: RefusedByItself) => void;
  /** Lets requests in flight finish, and takes no new ones. */
  stop(): Promise<void>;
}

export interface ServeOptions {
  readonly compiled: Compiled;
  readonly opened: Opened;
  /** Where the document is kept; null where it cannot be changed from within. */
  readonly desk: Desk | null;
  readonly host: string;
  readonly port: number;
  readonly demonstration: boolean;
  readonly clock?: () => Date;
  readonly log?: Logger;
  readonly site?: Site;
  readonly environment?: Environment;
  /** Whether mails are sent. */
  readonly mails?: boolean;
  readonly metrics?: Metrics | undefined;
  readonly figures?: Listening | undefined;
  /** Milliseconds between saying that it stops and taking no more requests: as long as a balancer needs to hear of it. */
  readonly drain?: number;
}

/**
 * Listens. Throws the system's error (`EADDRINUSE`) when the port cannot be had. A document that is applied from within
 * gets an application of its own, on the same server: what it was asked before is answered under the one before.
 */
export const serve = async ({
  compiled,
  opened,
  desk,
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
}: ServeOptions): Promise<Serving> => {
  const shown = demonstration ? await demonstrationOf(opened.service) : null;
  const passage = new Passage();
  let inForce: InForce = { compiled, applied: opened.applied };
  let current = opened.service;
  const { database } = current;
  const standing = new Standing(database, () => inForce.applied.version);
  const refusals = new RefusalLog(database, log);
  const traces = await makeTraces(opened.service.model.name);
  const tellWhatIsMissing = (model: Model): void => {
    for (const line of [...missingSettings(model, environment), ...unsetOrigins(model, environment)]) log.warn(line);
    for (const [call, names] of callsThatWait(model, environment))
      log.warn(`Calls to “${call}” wait: ${names.join(" and ")} is not set. Set it and start again to send them.`);
    if (model.signIn.signUp !== null && (!mails || site.origin === null))
      log.warn(
        "No mails are sent: who registers waits for an administrator. Set NINEFOLD_SMTP, NINEFOLD_MAIL_FROM and --origin.",
      );
  };
  tellWhatIsMissing(opened.service.model);
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
      serverFactory: (handler, options) => passage.lead(handler, options),
    });
  const enforce = async (next: InForce): Promise<void> => {
    const service = serviceOf(next.applied.model, next.applied.version, database, {
      sources: next.compiled.sources,
      past: next.applied.past,
      searched: opened.searched,
    });
    const app = await application(next, service);
    await app.ready();
    passage.open(app);
    // Who waits under the document before asks again, and hears of this one.
    current.changes.release();
    tellWhatIsMissing(next.applied.model);
    inForce = next;
    current = service;
    searches.look();
  };
  const searches = tendSearches({
    model: () => current.model,
    database,
    searched: opened.searched,
    make: opened.makeSearches,
    log,
  });
  const inTurn = oneAfterTheOther();
  const authoring = desk === null ? null : authoringOf(desk, opened.service.database, () => inForce, enforce, inTurn);
  /** Another server has brought a newer version into force: this one takes it over, and writes it where its own text lies. */
  const catchUp = (): Promise<void> =>
    inTurn(async () => {
      const { because } = await standing.ask();
      if (because !== "superseded") return;
      const before = inForce.compiled.sources;
      const next = await newestDocument(database);
      if (desk !== null && desk.fixed === null)
        await desk
          .write(before, next.compiled.sources)
          .catch((error: unknown) =>
            log.warn({ err: error }, "another server changed the document, and its text here could not be"),
          );
      await enforce(next);
    }).catch((error: unknown) => {
      // The requests say that the database is away.
      if (!(error instanceof StoreAway))
        log.error({ err: error }, "the newest version of the document is not in force here");
    });
  const app = await application(inForce, opened.service);
  await app.ready();
  passage.open(app);
  const stopFigures = metrics === undefined || figures === undefined ? undefined : await serveMetrics(metrics, figures);
  try {
    await passage.listen(host, port);
  } catch (error) {
    await stopFigures?.();
    throw error;
  }
  searches.look();
  const listener = opened.hear?.(() => void catchUp());
  const watching = setInterval(() => void catchUp(), listener === undefined ? 3_000 : 15_000);
  watching.unref();
  const tidying = setInterval(
    () =>
      void purgeFiles(database).catch((error: unknown) => log.warn(inLog(error), "files that no record names stay")),
    3_600_000,
  );
  tidying.unref();
  const { port: actual } = passage.address() as AddressInfo;
  return {
    url: site.origin ?? addressOf(host, actual),
    figures: figures === undefined ? null : `${addressOf(figures.host, figures.port)}/metrics`,
    demonstration: shown,
    service: () => current,
    refused: (what) => refusals.add(refusedByItself(what, clock())),
    stop: async () => {
      clearInterval(watching);
      clearInterval(tidying);
      await Promise.all([searches.stop(), listener?.stop()]);
      standing.stops();
      if (drain > 0) await sleep(drain);
      await passage.stop();
      await refusals.stop();
      await stopFigures?.();
      await traces?.stop().catch((error: unknown) => log.warn({ err: error }, "traces could not be sent"));
    },
  };
};

const addressOf = (host: string, port: number): string => `http://${host.includes(":") ? `[${host}]` : host}:${port}`;
