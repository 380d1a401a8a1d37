import type { Logger } from "pino";
import type { Model } from "../../core/model/model.ts";
import { type Database, inLog } from "../../postgres/database.ts";
import { searchesIn } from "../../postgres/schema/trigram-indexes.ts";

/** Milliseconds to the next look: tables grow slowly, and another server may be at work. */
const HOUR = 3_600_000;
const MINUTE = 60_000;

export interface SearchesOptions {
  /** Of the document in force. */
  readonly model: () => Model;
  readonly database: Database;
  /** Kept as it is: the tables whose texts are found by an index. */
  readonly searched: Set<string>;
  readonly make: (model: Model, signal: AbortSignal) => Promise<boolean>;
  readonly log: Pick<Logger, "warn">;
}

export interface TendedSearches {
  /** Looks now whether an index is missing, in place of when it would have. */
  look(): void;
  /** Ends what is being made. */
  stop(): Promise<void>;
}

/**
 * Has the texts of large tables indexed while everybody works: after the start, after a change of the document, and where a
 * table has grown. Searches are right all the time, and fast from then on.
 */
export const tendSearches = ({ model, database, searched, make, log }: SearchesOptions): TendedSearches => {
  const stopped = new AbortController();
  const { signal } = stopped;
  let next: NodeJS.Timeout | undefined;
  let under: Promise<unknown> = Promise.resolve();

  const missing = async (of: Model): Promise<boolean> => {
    const found = await searchesIn(database.query, of);
    searched.clear();
    for (const table of found.searched) searched.add(table);
    return found.missing.length > 0;
  };
  /** How long until the next look. */
  const looked = async (): Promise<number> => {
    const of = model();
    if (!(await missing(of))) return HOUR;
    await make(of, signal);
    return (await missing(of)) ? MINUTE : HOUR;
  };
  const wait = (milliseconds: number): void => {
    if (signal.aborted) return;
    clearTimeout(next);
    next = setTimeout(() => {
      under = under
        .then(() => (signal.aborted ? HOUR : looked()))
        .catch((error: unknown) => {
          if (!signal.aborted) log.warn(inLog(error), "an index for searches could not be made");
          return MINUTE;
        })
        .then(wait);
    }, milliseconds);
    next.unref();
  };
  return {
    look: () => wait(0),
    stop: async () => {
      stopped.abort();
      clearTimeout(next);
      await under;
    },
  };
};
