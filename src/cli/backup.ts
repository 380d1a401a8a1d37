import { access } from "node:fs/promises";
import { basename } from "node:path";
import { parseArgs } from "node:util";
import { writeBackup } from "../postgres/backup/backup.ts";
import { describeFolder, findRunning, startEmbedded } from "../postgres/embedded/index.ts";
import { connectionsTo, openingFailed } from "./connections.ts";
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
  const store = storeOf(values);
  const there = await access(path).then(
    () => true,
    () => false,
  );
  if (there)
    throw new CommandFailed(exits.usage, `There is a file ${path} already.`, "A backup never replaces a file.");
  try {
    const { tables, rows, bytes } =
      "url" in store
        ? await writeBackup(connectionsTo(store.url).owner, path, { demonstration: false })
        : await saveFolder(store.folder, path);
    process.stdout.write(`Saved ${rows} rows of ${tables} tables in ${path} (${sizeOf(bytes)}).\n`);
    return exits.done;
  } catch (error) {
    throw unwritable(error, path) ?? openingFailed(error);
  }
};

/** The database to use: the one in a data folder, or an external one as the role that may read everything. */
export const storeOf = (values: {
  readonly data?: string | undefined;
  readonly database?: string | undefined;
}): { readonly folder: string } | { readonly url: string } => {
  const url = values.database ?? process.env.DATABASE_OWNER_URL ?? process.env.DATABASE_URL;
  if (values.data !== undefined && values.database !== undefined)
    throw new CommandFailed(exits.usage, "--data and --database exclude each other.");
  if (values.data !== undefined) return { folder: values.data };
  if (url === undefined) throw new CommandFailed(exits.usage, "Say which data: --data DIR or --database URL.");
  return { url };
};

const saveFolder = async (folder: string, path: string) => {
  const known = await describeFolder(folder);
  if (known === undefined)
    throw new CommandFailed(exits.databaseRefused, `There are no data in ${folder}.`, "Name their folder with --data.");
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

const sizeOf = (bytes: number): string =>
  bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} KB` : `${(bytes / 1e6).toFixed(1)} MB`;

const unwritable = (error: unknown, path: string): CommandFailed | undefined => {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  if (!/^(?:ENOENT|EACCES|EPERM|ENOSPC|EROFS|ENOTDIR|EDQUOT)$/u.test(code)) return undefined;
  return new CommandFailed(
    exits.usage,
    `${path} cannot be written (${code}).`,
    code === "ENOSPC" ? "Make room on the disk; nothing was left there." : "See that you may write there.",
    error,
  );
};
