import pg from "pg";
import type { ConnectOptions } from "./database.ts";
import { createOpener } from "./driver/open-client.ts";

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
  const open = createOpener(connection, { keepAlive: true, connectionTimeoutMillis: 5_000 });
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
    let own: pg.Client | undefined;
    try {
      own = await open();
      client = own;
      own.on("notification", onNotice);
      own.on("error", retry);
      own.on("end", retry);
      if (stopped) throw new Error("the listener was stopped");
      await own.query(`listen ${pg.escapeIdentifier(channel)}`);
      wait = SOONEST;
      onNotice();
    } catch {
      void own?.end().catch(() => undefined);
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
