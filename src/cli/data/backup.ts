import { access } from "node:fs/promises";
import { parseArgs } from "node:util";
import { writeBackup } from "../../postgres/backup/backup.ts";
import { readFromObjects } from "../../server/files/outside-files.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { usage } from "../usage.ts";
import { openingFailed } from "./connections.ts";
import { dataOptions, openStore, withStore } from "./data-store.ts";
import { openObjectStore } from "./file-store.ts";
import { formatSize } from "./format-size.ts";

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
  const objects = await openObjectStore(process.env);
  try {
    const lost: string[] = [];
    const readOutside =
      objects === null ? null : readFromObjects(objects, ({ name, id }) => lost.push(`${name} (${id})`));
    const { tables, rows, bytes } = await withStore(store, ({ owner, demonstration }) =>
      writeBackup(owner, path, { demonstration, readOutside }),
    );
    process.stdout.write(`Saved ${rows} rows of ${tables} tables in ${path} (${formatSize(bytes)}).\n`);
    if (lost.length === 0) return exits.done;
    process.stdout.write(
      `The backup is complete except for files that are missing or damaged in ${objects?.address}:\n${lost.map((name) => `  ${name}\n`).join("")}`,
    );
    return exits.filesLost;
  } catch (error) {
    throw unwritable(error, path) ?? openingFailed(error);
  } finally {
    objects?.close();
  }
};

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
