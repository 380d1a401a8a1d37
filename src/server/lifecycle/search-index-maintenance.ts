import type { Logger } from "pino";
import type { Model } from "../../core/model/model.ts";
import { type Database, toLogFields } from "../../postgres/database.ts";
import { searchesIn } from "../../postgres/schema/trigram-indexes.ts";

/** Intervals between checks: tables grow slowly, and another server may be building. */
const HOUR_MS = 3_600_000;
const MINUTE = 60_000;

export interface SearchesOptions {
  /** The live model. */
  readonly model: () => Model;
  readonly database: Database;
  /** The tables with a trigram index. Kept up to date. */
  readonly searched: Set<string>;
  readonly make: (model: Model, signal: AbortSignal) => Promise<boolean>;
  readonly log: Pick<Logger, "warn">;
}

export interface SearchIndexMaintenance {
  /** Checks now. */
  check(): void;
  /** Stops building. */
  stop(): Promise<void>;
}

/**
 * Builds search indexes for large tables in the background: after the start, after a change of the document, and when a
 * table has grown. Searches without them are correct, only slower.
 */
export const maintainSearchIndexes = ({
  model,
  database,
  searched,
  make,
  log,
}: SearchesOptions): SearchIndexMaintenance => {
  const stopped = new AbortController();
  const { signal } = stopped;
  let next: NodeJS.Timeout | undefined;
  let under: Promise<unknown> = Promise.resolve();

  const lacksIndexes = async (of: Model): Promise<boolean> => {
    const found = await searchesIn(database.query, of);
    searched.clear();
    for (const table of found.searched) searched.add(table);
    return found.missing.length > 0;
  };
  /** Returns the time until the next check. */
  const buildMissing = async (): Promise<number> => {
    const of = model();
    if (!(await lacksIndexes(of))) return HOUR_MS;
    await make(of, signal);
    return (await lacksIndexes(of)) ? MINUTE : HOUR_MS;
  };
  const wait = (milliseconds: number): void => {
    if (signal.aborted) return;
    clearTimeout(next);
    next = setTimeout(() => {
      under = under
        .then(() => (signal.aborted ? HOUR_MS : buildMissing()))
        .catch((error: unknown) => {
          if (!signal.aborted) log.warn(toLogFields(error), "a search index could not be built");
          return MINUTE;
        })
        .then(wait);
    }, milliseconds);
    next.unref();
  };
  return {
    check: () => wait(0),
    stop: async () => {
      stopped.abort();
      clearTimeout(next);
      await under;
    },
  };
};
