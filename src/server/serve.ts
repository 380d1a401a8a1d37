import type { AddressInfo } from "node:net";
import type { FastifyInstance } from "fastify";
import { type Logger, pino } from "pino";
import type { Compiled } from "../core/compile.ts";
import type { Model } from "../core/model/model.ts";
import { type Applied, applyDocument } from "../postgres/apply.ts";
import { type ConnectOptions, connect, type Database } from "../postgres/database.ts";
import { prepareSystem } from "../postgres/system.ts";
import { makeApp } from "./app.ts";
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

/** Listens. Throws the system's error (`EADDRINUSE`) when the port cannot be had. */
export const serve = async ({
  compiled,
  opened,
  host,
  port,
  demonstration,
  clock = () => new Date(),
  log = makeLog(),
}: ServeOptions): Promise<Serving> => {
  const shown = demonstration ? await demonstrationOf(opened.service) : null;
  const app = await makeApp({
    compiled,
    hash: opened.applied.hash,
    service: opened.service,
    demonstration: shown,
    webRoot,
    port,
    log,
    clock,
  });
  await app.listen({ host, port });
  const { port: actual } = app.server.address() as AddressInfo;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${actual}`,
    demonstration: shown,
    stop: () => stop(app),
  };
};

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
