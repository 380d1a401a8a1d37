import pg from "pg";
import type { ConnectOptions } from "./database.ts";

/** A subscription that lasts until it is stopped. */
export interface Listener {
  stop(): Promise<void>;
}

const SOONEST = 500;
const LATEST = 15_000;

/**
 * Calls `onNotice` for each notification on a channel of the database, and after each reconnect, because notifications
 * sent in between are lost. It uses a connection of its own, which a pooler in transaction mode cannot provide.
 */
export const listen = (connection: ConnectOptions["connection"], channel: string, onNotice: () => void): Listener => {
  let client: pg.Client | undefined;
  let wait = SOONEST;
  let next: NodeJS.Timeout | undefined;
  let stopped = false;

  const retry = (): void => {
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
    own.on("notification", onNotice);
    own.on("error", retry);
    own.on("end", retry);
    try {
      await own.connect();
      await own.query(`listen ${pg.escapeIdentifier(channel)}`);
      wait = SOONEST;
      onNotice();
    } catch {
      void own.end().catch(() => undefined);
      retry();
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
