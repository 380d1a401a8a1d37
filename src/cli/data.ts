import { basename } from "node:path";
import { type ConnectOptions, connect, type Database } from "../postgres/database.ts";
import { describeFolder, findRunning, startEmbedded } from "../postgres/embedded/index.ts";
import { CHANGE_TIMEOUT } from "../postgres/schema/apply-document.ts";
import { RELEASE } from "../postgres/schema/system-tables.ts";
import type { Connections } from "../server/serve.ts";
import { openStore } from "./backup.ts";
import { createConnections, openingFailed } from "./connections.ts";
import { CommandFailed, exits } from "./exit-codes.ts";

/** Options of every command that works on existing data. */
export const dataOptions = { data: { type: "string" }, database: { type: "string" } } as const;

interface DataOptions {
  readonly data?: string | undefined;
  readonly database?: string | undefined;
}

/**
 * Connects to existing data as the owner of the tables, whether or not the application is running, and lets go
 * afterwards. A database is never created.
 */
export const withData = <T>(values: DataOptions, work: (owner: Database) => Promise<T>): Promise<T> =>
  withConnections(values, ({ owner }) => withConnection(owner, work));

/** The address of a running application on the data, if it is known, with the connections. */
export interface FoundData extends Connections {
  readonly url: string | null;
}

/** As `withData`, for work that opens connections of its own. */
export const withConnections = async <T>(values: DataOptions, work: (found: FoundData) => Promise<T>): Promise<T> => {
  const store = openStore(values);
  try {
    if ("url" in store) {
      const requests = values.database === undefined ? (process.env.DATABASE_URL ?? store.url) : store.url;
      return await work({ ...createConnections(requests, store.url), url: null });
    }
    const { folder } = store;
    const known = await describeFolder(folder);
    if (known === undefined)
      throw new CommandFailed(
        exits.databaseRefused,
        `There is no data in ${folder}.`,
        "Name the data folder with --data.",
      );
    const running = await findRunning(folder);
    if (running !== undefined)
      return await work({ owner: { ...running.owner }, app: { ...running.app }, url: running.url ?? null });
    const embedded = await startEmbedded({ folder, name: basename(folder), demonstration: known.demonstration });
    try {
      return await work({ owner: { ...embedded.owner }, app: { ...embedded.app }, url: null });
    } finally {
      await embedded.stop();
    }
  } catch (error) {
    throw openingFailed(error);
  }
};

/** Connects as the owner of the tables and refuses data of another release. */
export const withConnection = async <T>(
  connection: ConnectOptions["connection"],
  work: (owner: Database) => Promise<T>,
): Promise<T> => {
  const owner = connect({ connection, max: 1, statementTimeout: CHANGE_TIMEOUT });
  try {
    await refuseOtherReleases(owner);
    return await work(owner);
  } finally {
    await owner.end();
  }
};

/** Commands read and write the tables of this release only. Starting the application brings older ones up to it. */
const refuseOtherReleases = async (owner: Database): Promise<void> => {
  const [known] = await owner.query({ text: "select to_regclass('ninefold.release') is not null as ran", values: [] });
  if (known?.ran !== true)
    throw new CommandFailed(
      exits.databaseRefused,
      "This database has never run a specification.",
      "Check its address, or the data folder.",
    );
  const [release] = await owner.query({ text: "select steps from ninefold.release", values: [] });
  if (Number(release?.steps) !== RELEASE)
    throw new CommandFailed(
      exits.databaseRefused,
      "This database was last used by another release of Ninefold.",
      "Start the application with this release first.",
    );
};
