import type { FastifyInstance } from "fastify";
import type { Database } from "../../postgres/database.ts";

/** The response of `GET /readyz`: the state of a server, for load balancers. */
export interface ReadinessJson {
  readonly ok: boolean;
  /** The document version of this server, and the newest of any server on the database. */
  readonly version: number;
  readonly newest: number;
  /** Absent if the server is ready. */
  readonly because?: "stopping" | "superseded";
}

/** Determines whether this server should receive requests. Throws if the database is unavailable. */
export class Readiness {
  readonly #database: Database;
  /** The current version of this server. */
  readonly #version: () => number;
  #stopping = false;
  constructor(database: Database, version: () => number) {
    this.#database = database;
    this.#version = version;
  }

  /** Reports "stopping" from now on. Requests are still answered. */
  stop(): void {
    this.#stopping = true;
  }

  async check(): Promise<ReadinessJson> {
    const version = this.#version();
    const [row] = await this.#database.query({
      name: "newest version",
      text: "select max(number) as number from ninefold.version",
      values: [],
    });
    const newest = Number(row?.number ?? version);
    if (this.#stopping) return { ok: false, version, newest, because: "stopping" };
    return newest > version ? { ok: false, version, newest, because: "superseded" } : { ok: true, version, newest };
  }
}

/** Serves liveness and readiness checks. */
export const serveReadiness = (app: FastifyInstance, readiness: Readiness): void => {
  app.get("/healthz", (_, reply) => reply.send({ ok: true }));
  app.get("/readyz", async (_, reply) => {
    const state = await readiness.check();
    return reply.code(state.ok ? 200 : 503).send(state);
  });
};
