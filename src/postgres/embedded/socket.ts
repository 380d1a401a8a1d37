import { chown, mkdtemp, readdir, rmdir, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { canReach } from "./os-account.ts";
import type { Account } from "./processes.ts";
import { StartError } from "./start-error.ts";

/** Not a network port, only part of the socket's name, `.s.PGSQL.5432`. */
export const port = 5432;

const socketFolderName = /^ninefold-[A-Za-z0-9]{6}$/;

/**
 * Creates a short, private folder for the socket. Not in the data folder, because the path of a socket is limited to
 * 107 bytes (103 on macOS) and not every file system supports sockets. Not in XDG_RUNTIME_DIR, because that is emptied
 * when the user logs out while the server runs on.
 */
export const createSocketFolder = async (account: Account | undefined): Promise<string> => {
  for (const parent of new Set([tmpdir(), "/tmp", "/var/tmp"])) {
    const longest = Buffer.byteLength(join(parent, "ninefold-XXXXXX", `.s.PGSQL.${port}`));
    if (longest > 103 || (account !== undefined && !(await canReach(account, parent)))) continue;
    const folder = await mkdtemp(join(parent, "ninefold-")).catch(() => undefined);
    if (folder === undefined) continue;
    if (account !== undefined) await chown(folder, account.uid, account.gid);
    return folder;
  }
  throw new StartError(
    "postgres failed",
    `Can’t create a folder for the Postgres socket in ${tmpdir()}, /tmp or /var/tmp.`,
    "Set TMPDIR to a writable folder with a short path.",
  );
};

/** Removes a socket folder. Checks that it is one, because the path of an abandoned folder is read from a file. */
export const removeSocketFolder = async (folder: string): Promise<void> => {
  if (!socketFolderName.test(basename(folder))) return;
  for (const name of await readdir(folder).catch(() => []))
    if (name.startsWith(".s.PGSQL.")) await unlink(join(folder, name)).catch(() => {});
  await rmdir(folder).catch(() => {});
};
