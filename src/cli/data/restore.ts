import { access } from "node:fs/promises";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { readHeader, restoreBackup } from "../../postgres/backup/restore-backup.ts";
import { findRole } from "../../postgres/database.ts";
import { startEmbedded } from "../../postgres/embedded/index.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { usage } from "../usage.ts";
import { createConnections, openingFailed } from "./connections.ts";
import { openStore } from "./data-store.ts";

const holdNotice =
  "This copy sends no emails and makes no calls to other programs until an administrator allows it on the Accounts page. Allow it only if nothing else runs on this data.\n";

/** Restores a backup into an empty database or a new data folder, completely or not at all. */
export const restore = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { data: { type: "string" }, database: { type: "string" }, sends: { type: "boolean", default: false } },
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw new CommandFailed(exits.usage, "Name one backup.", usage.restore);
  const store = openStore(values);
  await access(path).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(exits.badBackup, `Can’t read ${path} (${error.code ?? error.message}).`);
  });
  try {
    const { tables, rows, version, made_at } =
      "url" in store
        ? await restoreInto(store.url, path, values.sends)
        : await restoreFolder(store.folder, path, values.sends);
    process.stdout.write(
      `Restored ${rows} rows of ${tables} tables from ${made_at}, with version ${version} of the specification.\n${values.sends ? "" : holdNotice}`,
    );
    return exits.done;
  } catch (error) {
    throw openingFailed(error);
  }
};

/** Requests use the role of DATABASE_URL if the owner has a different one. */
const restoreInto = (url: string, path: string, sends: boolean) => {
  const requests = process.env.DATABASE_URL;
  return restoreBackup(
    createConnections(url).owner,
    path,
    requests === undefined ? undefined : findRole(requests),
    sends,
  );
};

/** A restored demonstration is still a demonstration. */
const restoreFolder = async (folder: string, path: string, sends: boolean) => {
  const { demonstration } = await readHeader(path);
  const embedded = await startEmbedded({ folder, name: basename(folder), demonstration });
  try {
    return await restoreBackup({ ...embedded.owner }, path, embedded.app.user, sends);
  } finally {
    await embedded.stop();
  }
};
