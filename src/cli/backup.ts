import { access } from "node:fs/promises";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { writeBackup } from "../postgres/backup/backup.ts";
import { describeFolder, findRunning, startEmbedded } from "../postgres/embedded/index.ts";
import { createConnections, openingFailed } from "./connections.ts";
import { CommandFailed, exits } from "./exit-codes.ts";
import { usage } from "./usage.ts";

/** Saves a database to one file, whether or not the application is running. */
export const backup = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { data: { type: "string" }, database: { type: "string" } },
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0)
    throw new CommandFailed(exits.usage, "Name one file to write.", usage.backup);
  const store = openStore(values);
  const there = await access(path).then(
    () => true,
    () => false,
  );
  if (there)
    throw new CommandFailed(
      exits.usage,
      `The file ${path} already exists.`,
      "A backup never overwrites a file. Choose another name.",
    );
  try {
    const { tables, rows, bytes } =
      "url" in store
        ? await writeBackup(createConnections(store.url).owner, path, { demonstration: false })
        : await saveFolder(store.folder, path);
    process.stdout.write(`Saved ${rows} rows of ${tables} tables in ${path} (${formatSize(bytes)}).\n`);
    return exits.done;
  } catch (error) {
    throw unwritable(error, path) ?? openingFailed(error);
  }
};

/** The database to use: the one in a data folder, or an external one as the role that may read everything. */
export const openStore = (values: {
  readonly data?: string | undefined;
  readonly database?: string | undefined;
}): { readonly folder: string } | { readonly url: string } => {
  const url = values.database ?? process.env.DATABASE_OWNER_URL ?? process.env.DATABASE_URL;
  if (values.data !== undefined && values.database !== undefined)
    throw new CommandFailed(exits.usage, "Use either --data or --database, not both.");
  if (values.data !== undefined) return { folder: values.data };
  if (url === undefined) throw new CommandFailed(exits.usage, "Name the data with --data DIR or --database URL.");
  return { url };
};

const saveFolder = async (folder: string, path: string) => {
  const known = await describeFolder(folder);
  if (known === undefined)
    throw new CommandFailed(
      exits.databaseRefused,
      `There is no data in ${folder}.`,
      "Name the data folder with --data.",
    );
  const { demonstration } = known;
  const running = await findRunning(folder);
  if (running !== undefined) return writeBackup({ ...running.owner }, path, { demonstration });
  const embedded = await startEmbedded({ folder, name: basename(folder), demonstration });
  try {
    return await writeBackup({ ...embedded.owner }, path, { demonstration });
  } finally {
    await embedded.stop();
  }
};

const formatSize = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;

const unwritable = (error: unknown, path: string): CommandFailed | undefined => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (!/^(?:ENOENT|EACCES|EPERM|ENOSPC|EROFS|ENOTDIR|EDQUOT)$/u.test(code)) return undefined;
  return new CommandFailed(
    exits.usage,
    `Can’t write ${path} (${code}).`,
    code === "ENOSPC"
      ? "Free some space on the disk. The incomplete backup was deleted."
      : "Check that you can write to this folder.",
    error,
  );
};
