import type { FastifyInstance } from "fastify";
import type { Database } from "../../postgres/database.ts";

/** How a server stands, for whoever shares requests out among several: `GET /readyz`. */
export interface StandingJson {
  readonly ok: boolean;
  /** The version of the document that this server runs, and the newest that any server on the database has run. */
  readonly version: number;
  readonly newest: number;
  /** Absent where all is well. */
  readonly because?: "stopping" | "superseded";
}

/** Whether this server should be given requests. It throws where the database is away. */
export class Standing {
  readonly #database: Database;
  /** The version that this server runs now. */
  readonly #version: () => number;
  #stopping = false;
  constructor(database: Database, version: () => number) {
    this.#database = database;
    this.#version = version;
  }

  /** From now on it asks to be given none, and answers those that come all the same. */
  stops(): void {
    this.#stopping = true;
  }

  async ask(): Promise<StandingJson> {
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

/** Whether the process is up, and whether it should be given requests: for who watches it. */
export const serveStanding = (app: FastifyInstance, standing: Standing): void => {
  app.get("/healthz", (_, reply) => reply.send({ ok: true }));
  app.get("/readyz", async (_, reply) => {
    const stands = await standing.ask();
    return reply.code(stands.ok ? 200 : 503).send(stands);
  });
};
