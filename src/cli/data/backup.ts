import { access } from "node:fs/promises";
import { parseArgs } from "node:util";
import { writeBackup } from "../../postgres/backup/backup.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { usage } from "../usage.ts";
import { openingFailed } from "./connections.ts";
import { dataOptions, openStore, withStore } from "./data-store.ts";

/** Saves a database to one file. The application can be running. */
export const backup = async (args: readonly string[]): Promise<number> => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: dataOptions,
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0)
    throw new CommandFailed(exits.usage, "Name one file to write.", usage.backup);
  const store = openStore(values);
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  if (exists)
    throw new CommandFailed(
      exits.usage,
      `The file ${path} already exists.`,
      "A backup never overwrites a file. Choose another name.",
    );
  try {
    const { tables, rows, bytes } = await withStore(store, ({ owner, demonstration }) =>
      writeBackup(owner, path, { demonstration }),
    );
    process.stdout.write(`Saved ${rows} rows of ${tables} tables in ${path} (${formatSize(bytes)}).\n`);
    return exits.done;
  } catch (error) {
    throw unwritable(error, path) ?? openingFailed(error);
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
