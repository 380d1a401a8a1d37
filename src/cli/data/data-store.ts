import { basename, dirname, resolve } from "node:path";
import { type ConnectOptions, connect, type Database } from "../../postgres/database.ts";
import { describeFolder, findRunning, startEmbedded } from "../../postgres/embedded/index.ts";
import { CHANGE_TIMEOUT } from "../../postgres/schema/apply-document.ts";
import { RELEASE } from "../../postgres/schema/system-tables.ts";
import type { Connections } from "../../server/serving/open-document.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { createConnections, openingFailed } from "./connections.ts";

/** Options of every command that works on existing data. */
export const dataOptions = { data: { type: "string" }, database: { type: "string" } } as const;

interface DataOptions {
  readonly data?: string | undefined;
  readonly database?: string | undefined;
}

/**
 * Connects to existing data as the owner of the tables, and disconnects afterwards. The application can be running.
 * Never creates a database.
 */
export const withData = <T>(
  values: DataOptions,
  work: (owner: Database, folder: string | undefined) => Promise<T>,
): Promise<T> =>
  withConnections(values, ({ owner, folder }) => withConnection(owner, (database) => work(database, folder)));

/** The data folder of a database, or the address of one. */
export type DataStore = { readonly folder: string } | { readonly url: string };

const findUrl = (values: DataOptions): string | undefined =>
  values.database ?? process.env.DATABASE_OWNER_URL ?? process.env.DATABASE_URL;

/** True if an option or the environment names the data. */
export const isStoreNamed = (values: DataOptions): boolean =>
  values.data !== undefined || findUrl(values) !== undefined;

/**
 * Finds the database to use: the one in a data folder, or an external one. The external one is opened with the role
 * that can read everything.
 */
export const openStore = (values: DataOptions): DataStore => {
  const url = findUrl(values);
  if (values.data !== undefined && values.database !== undefined)
    throw new CommandFailed(exits.usage, "Use either --data or --database, not both.");
  if (values.data !== undefined) return { folder: values.data };
  if (url === undefined) throw new CommandFailed(exits.usage, "Name the data with --data DIR or --database URL.");
  return { url };
};

/** The connections to existing data. */
export interface FoundData extends Connections {
  /** The address of a running application on the data, if it is known. */
  readonly url: string | null;
  /** True for the data folder of a demonstration. */
  readonly demonstration: boolean;
}

/** Like `withData`, for work that opens its own connections. */
export const withConnections = <T>(values: DataOptions, work: (found: FoundData) => Promise<T>): Promise<T> => {
  const requests = values.database === undefined ? process.env.DATABASE_URL : undefined;
  return withStore(openStore(values), work, requests);
};

/**
 * Like `withConnections`, on a known store. `requests`: the address used for requests, if it differs from the owner's.
 */
export const withStore = async <T>(
  store: DataStore,
  work: (found: FoundData) => Promise<T>,
  requests?: string,
): Promise<T> => {
  try {
    if ("url" in store)
      return await work({ ...createConnections(requests ?? store.url, store.url), url: null, demonstration: false });
    const found = await findFolder(store.folder);
    if (found === undefined)
      throw new CommandFailed(
        exits.databaseRefused,
        `There is no data in ${store.folder}.`,
        "Name the data folder with --data.",
      );
    const { folder, database, demonstration } = found;
    const pair = (from: { readonly owner: object; readonly app: object }) => ({
      owner: { ...from.owner, ...database },
      app: { ...from.app, ...database },
      folder,
      demonstration,
    });
    const running = await findRunning(folder);
    if (running !== undefined) return await work({ ...pair(running), url: running.url ?? null });
    const embedded = await startEmbedded({ folder, name: basename(folder), demonstration });
    try {
      return await work({ ...pair(embedded), url: null });
    } finally {
      await embedded.stop();
    }
  } catch (error) {
    throw openingFailed(error);
  }
};

interface FoundFolder {
  readonly folder: string;
  /** Set for one of several databases: that of an application that `ninefold host` serves from `folder`. */
  readonly database: { readonly database: string } | undefined;
  readonly demonstration: boolean;
}

/** A data folder, or `FOLDER/NAME` for one of the applications in it. */
const findFolder = async (path: string): Promise<FoundFolder | undefined> => {
  const known = await describeFolder(path);
  if (known !== undefined) return { folder: path, database: undefined, demonstration: known.demonstration };
  const folder = dirname(resolve(path));
  const shared = await describeFolder(folder);
  if (shared === undefined) return undefined;
  return { folder, database: { database: basename(path) }, demonstration: shared.demonstration };
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

/** Commands support the tables of this release only. Starting the application upgrades older ones. */
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
