import { basename } from "node:path";
import { type ConnectOptions, connect, type Database } from "../postgres/database.ts";
import { describeFolder, findRunning, startEmbedded } from "../postgres/embedded/index.ts";
import { CHANGE_TIMEOUT } from "../postgres/schema/apply-document.ts";
import { storeOf } from "./backup.ts";
import { connectionsTo } from "./connections.ts";
import { CommandFailed, exits } from "./exit-codes.ts";

/** Does work as the owner of the tables, in a data folder or an external database, running or not. */
export const withOwner = async <T>(
  values: { readonly data?: string | undefined; readonly database?: string | undefined },
  work: (owner: Database) => Promise<T>,
): Promise<T> => {
  const store = storeOf(values);
  const asOwner = async (connection: ConnectOptions["connection"]): Promise<T> => {
    const owner = connect({ connection, max: 1, statementTimeout: CHANGE_TIMEOUT });
    try {
      return await work(owner);
    } finally {
      await owner.end();
    }
  };
  if ("url" in store) return asOwner(connectionsTo(store.url).owner);
  const { folder } = store;
  const known = await describeFolder(folder);
  if (known === undefined)
    throw new CommandFailed(
      exits.databaseRefused,
      `There is no data in ${folder}.`,
      "Name the data folder with --data.",
    );
  const running = await findRunning(folder);
  if (running !== undefined) return asOwner({ ...running.owner });
  const embedded = await startEmbedded({ folder, name: basename(folder), demonstration: known.demonstration });
  try {
    return await asOwner({ ...embedded.owner });
  } finally {
    await embedded.stop();
  }
};
