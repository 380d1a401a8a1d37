import { basename } from "node:path";
import { type ConnectOptions, connect, type Database } from "../postgres/database.ts";
import { describeFolder, findRunning, startEmbedded } from "../postgres/embedded/index.ts";
import { CHANGE_TIMEOUT } from "../postgres/schema/apply-document.ts";
import { RELEASE } from "../postgres/schema/system-tables.ts";
import { storeOf } from "./backup.ts";
import { connectionsTo, openingFailed } from "./connections.ts";
import { CommandFailed, exits } from "./exit-codes.ts";

/** Options of every command that works on existing data. */
export const dataOptions = { data: { type: "string" }, database: { type: "string" } } as const;

/**
 * Connects to existing data as the owner of the tables, whether or not the application is running, and lets go
 * afterwards. A database is never created.
 */
export const withData = async <T>(
  values: { readonly data?: string | undefined; readonly database?: string | undefined },
  work: (owner: Database) => Promise<T>,
): Promise<T> => {
  const store = storeOf(values);
  try {
    if ("url" in store) return await connected(connectionsTo(store.url).owner, work);
    const { folder } = store;
    const known = await describeFolder(folder);
    if (known === undefined)
      throw new CommandFailed(
        exits.databaseRefused,
        `There is no data in ${folder}.`,
        "Name the data folder with --data.",
      );
    const running = await findRunning(folder);
    if (running !== undefined) return await connected({ ...running.owner }, work);
    const embedded = await startEmbedded({ folder, name: basename(folder), demonstration: known.demonstration });
    try {
      return await connected({ ...embedded.owner }, work);
    } finally {
      await embedded.stop();
    }
  } catch (error) {
    throw openingFailed(error);
  }
};

const connected = async <T>(
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
