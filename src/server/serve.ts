import { createServer, type Server, type ServerOptions } from "node:http";
import type { AddressInfo } from "node:net";
import type { FastifyInstance, FastifyServerFactory } from "fastify";
import { type Logger, pino } from "pino";
import type { Compiled } from "../core/compile.ts";
import type { Model } from "../core/model/model.ts";
import { type Applied, applyDocument } from "../postgres/apply.ts";
import { type ConnectOptions, connect, type Database } from "../postgres/database.ts";
import { prepareSystem } from "../postgres/system.ts";
import { makeApp } from "./app.ts";
import { authoringOf, type Desk, type InForce } from "./authoring.ts";
import { type Demonstration, demonstrationOf } from "./demonstration.ts";
import { webRoot } from "./page.ts";
import { type Service, serviceOf } from "./service.ts";

/** A document in force on a database, before anything listens. */
export interface Opened {
  readonly service: Service;
  readonly applied: Applied;
  close(): Promise<void>;
}

/**
 * Opens the database, brings it up to this release and to the document, and closes the owner's connection again: what
 * requests do needs no more rights than theirs.
 */
export const open = async (
  model: Model,
  compiled: Compiled,
  connections: { readonly owner: ConnectOptions["connection"]; readonly app: ConnectOptions["connection"] },
): Promise<Opened> => {
  const owner = connect({ connection: connections.owner, max: 1, statementTimeout: 600_000 });
  let applied: Applied;
  try {
    await prepareSystem(owner);
    applied = await applyDocument(owner, model, compiled.source);
  } finally {
    await owner.end();
  }
  const database: Database = connect({ connection: connections.app });
  return { service: serviceOf(model, applied.version, database), applied, close: () => database.end() };
};

export interface Serving {
  readonly url: string;
  readonly demonstration: Demonstration | null;
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
}

/** Request bodies, cookies and passwords are never written; an error is, with its cause. */
export const makeLog = (): Logger =>
  pino(
    { level: process.env.NINEFOLD_LOG ?? "warn", base: null, timestamp: pino.stdTimeFunctions.isoTime },
    pino.destination({ fd: 2, sync: true }),
  );

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
}: ServeOptions): Promise<Serving> => {
  const shown = demonstration ? await demonstrationOf(opened.service) : null;
  const passage = new Passage();
  let inForce: InForce = { compiled, applied: opened.applied };
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
      serverFactory: (handler, options) => passage.lead(handler, options),
    });
  const enforce = async (next: InForce): Promise<void> => {
    const { model } = next.compiled;
    if (model === undefined) throw new Error("a document that cannot run was applied");
    const app = await application(next, serviceOf(model, next.applied.version, opened.service.database));
    await app.ready();
    passage.open();
    inForce = next;
  };
  const authoring = desk === null ? null : authoringOf(desk, () => inForce, enforce);
  const app = await application(inForce, opened.service);
  passage.open();
  await app.listen({ host, port });
  const { port: actual } = app.server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${actual}`,
    demonstration: shown,
    stop: () => stop(app),
  };
};

type Handler = Parameters<FastifyServerFactory>[0];

/** One server, and the application that its requests go to. */
class Passage {
  #now: Handler | undefined;
  #next: Handler | undefined;
  #server: Server | undefined;
  /** What an application gets for a server: the one that listens. */
  lead(handler: Handler, options: ServerOptions): Server {
    this.#next = handler;
    this.#server ??= createServer(options, (request, response) => this.#now?.(request, response));
    return this.#server;
  }
  /** From now on requests go to the application that was led here last. */
  open(): void {
    this.#now = this.#next;
  }
}

/** Longer than any request of ours takes; who has not been answered by then keeps a connection and sends nothing. */
const GRACE = 8_000;

/** Lets requests in flight finish; a connection is closed as soon as it has nothing more to say. */
const stop = async (app: FastifyInstance): Promise<void> => {
  const idle = setInterval(() => app.server.closeIdleConnections(), 100);
  const patience = setTimeout(() => app.server.closeAllConnections(), GRACE);
  try {
    await app.close();
  } finally {
    clearInterval(idle);
    clearTimeout(patience);
  }
};
