import pg from "pg";
import type { ConnectOptions } from "./database.ts";

/** Somebody who listens until they stop. */
export interface Listener {
  stop(): Promise<void>;
}

const SOONEST = 500;
const LATEST = 15_000;

/**
 * Calls `heard` when something is said on a channel of the database, and whenever the connection was made anew: what was
 * said in between, nobody heard. It has a connection of its own, which a pooler in transaction mode does not give.
 */
export const listen = (connection: ConnectOptions["connection"], channel: string, heard: () => void): Listener => {
  let client: pg.Client | undefined;
  let wait = SOONEST;
  let next: NodeJS.Timeout | undefined;
  let stopped = false;

  const again = (): void => {
    if (stopped || next !== undefined) return;
    client = undefined;
    next = setTimeout(() => {
      next = undefined;
      void begin();
    }, wait);
    next.unref();
    wait = Math.min(wait * 2, LATEST);
  };

  const begin = async (): Promise<void> => {
    const base: pg.ClientConfig = typeof connection === "string" ? { connectionString: connection } : connection;
    const own = new pg.Client({ ...base, keepAlive: true, connectionTimeoutMillis: 5_000 });
    client = own;
    own.on("notification", heard);
    own.on("error", again);
    own.on("end", again);
    try {
      await own.connect();
      await own.query(`listen ${pg.escapeIdentifier(channel)}`);
      wait = SOONEST;
      heard();
    } catch {
      void own.end().catch(() => undefined);
      again();
    }
  };
  void begin();
  return {
    stop: async () => {
      stopped = true;
      clearTimeout(next);
      await client?.end().catch(() => undefined);
    },
  };
};
