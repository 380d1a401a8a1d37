import { chmod, chown, mkdir, readdir, readFile, rename, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { major } from "./binaries.ts";
import { canReach } from "./os-account.ts";
import type { Account } from "./processes.ts";
import { findErrorCode, StartError } from "./start-error.ts";

/** Format of the data folder: the one written, and the newest that can be read. */
const format = 1;

/** The contents of `ninefold.json` in a data folder. */
export interface FolderDescription {
  readonly format: number;
  /** Major version of Postgres that created the cluster. */
  readonly postgres: number;
  /** Time of creation, ISO 8601 in UTC. */
  readonly createdAt: string;
  /** True if the folder holds sample people and records for trying things out. */
  readonly demonstration: boolean;
  /** Name of the document that the folder was created for. */
  readonly name: string;
}

/** The JSON in the file, whose `made` is `createdAt`. */
type DescriptionFile = Omit<FolderDescription, "createdAt"> & { readonly made: string };

/** Paths within a data folder. */
export const dataFolderPaths = (folder: string) => ({
  description: join(folder, "ninefold.json"),
  cluster: join(folder, "postgres"),
  log: join(folder, "postgres.log"),
});

/** A cluster that initdb has not finished; it is renamed to `postgres` when complete. */
export const unfinished = "postgres.making";

const ownFiles = /^(postgres|postgres\.making|postgres\.log(\.old)?|ninefold\.json(\.new)?|binaries|owner-.*)$/;

const unusable = (message: string, hint: string, cause?: unknown) =>
  new StartError("data unusable", message, hint, { cause });

/** Turns a system error about a path into a `StartError`; returns any other error unchanged. */
export const toFolderError = (path: string, thrown: unknown): unknown => {
  const code = findErrorCode(thrown);
  if (thrown instanceof StartError || code === undefined) return thrown;
  if (code === "ENOTDIR" || code === "EEXIST")
    return unusable(`${path} is not a folder.`, "Name a folder with --data.", thrown);
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return unusable(
      `Can’t read or write the data folder ${path} (${code}).`,
      "Name a folder of your own with --data, or change the owner and permissions of this one.",
      thrown,
    );
  if (code === "ENOSPC" || code === "EDQUOT")
    return unusable(
      `The disk of the data folder ${path} is full.`,
      "Free some space, then start again. What was stored before is unchanged.",
      thrown,
    );
  return unusable(`Can’t use the data folder ${path} (${code}).`, "Name another folder with --data.", thrown);
};

/**
 * Reads the description of a data folder; undefined if there is none. Throws a `StartError` of kind "data unusable" for
 * a folder of a newer Ninefold or another Postgres, or an unreadable description.
 */
export const describeFolder = async (folder: string): Promise<FolderDescription | undefined> => {
  const { description } = dataFolderPaths(folder);
  let text: string;
  try {
    text = await readFile(description, "utf8");
  } catch (thrown) {
    if (findErrorCode(thrown) === "ENOENT") return undefined;
    throw toFolderError(folder, thrown);
  }
  const read = readDescription(text);
  if (read === undefined)
    throw unusable(`Can’t read ${description}.`, "Restore it from a backup, or name another folder with --data.");
  if (read.format > format)
    throw unusable(
      `The data in ${folder} was written by a newer Ninefold (format ${read.format}; this one reads up to ${format}).`,
      "Start the newer Ninefold, or name another folder with --data.",
    );
  if (read.postgres !== major)
    throw unusable(
      `The data in ${folder} was written by Postgres ${read.postgres}, but this Ninefold includes Postgres ${major}.`,
      "Back it up with the Ninefold that wrote it, and restore the backup into a new folder.",
    );
  return read;
};

const readDescription = (text: string): FolderDescription | undefined => {
  try {
    const { format, postgres, made, demonstration, name } = JSON.parse(text) as Partial<DescriptionFile>;
    if (typeof format !== "number" || typeof postgres !== "number") return undefined;
    return { format, postgres, createdAt: String(made), demonstration: demonstration === true, name: String(name) };
  } catch {
    return undefined;
  }
};

/** Replaces `ninefold.json` atomically. */
export const writeDescription = async (
  folder: string,
  { demonstration, name }: Pick<FolderDescription, "demonstration" | "name">,
): Promise<FolderDescription> => {
  const createdAt = new Date().toISOString();
  const description: FolderDescription = { format, postgres: major, createdAt, demonstration, name };
  const path = dataFolderPaths(folder).description;
  const file: DescriptionFile = { format, postgres: major, made: createdAt, demonstration, name };
  await writeFile(`${path}.new`, `${JSON.stringify(file, undefined, 2)}\n`, { mode: 0o640, flush: true });
  await rename(`${path}.new`, path);
  return description;
};

/**
 * Ensures that the folder exists, is ours, and can be reached by the Postgres account. Returns its description, or
 * undefined if it holds no finished cluster.
 */
export const openFolder = async (
  folder: string,
  account: Account | undefined,
): Promise<FolderDescription | undefined> => {
  let entries: readonly string[];
  try {
    if (account !== undefined) await checkAccess(await findNearestExisting(folder), folder, account);
    await makeFolder(folder, account);
    entries = await readdir(folder);
  } catch (thrown) {
    throw toFolderError(folder, thrown);
  }
  const strange = entries.find((entry) => !ownFiles.test(entry));
  const description = await describeFolder(folder);
  if (strange !== undefined && description === undefined)
    throw unusable(
      `${folder} is not a data folder of Ninefold: it contains “${strange}”.`,
      "Name an empty or a new folder with --data.",
    );
  if (account !== undefined) await checkAccess(folder, folder, account);
  await checkCluster(folder);
  if (description !== undefined && (await stat(dataFolderPaths(folder).cluster).catch(() => undefined)) === undefined)
    throw unusable(
      `${folder} has lost its cluster: there is a ninefold.json, but no folder “postgres”.`,
      "Restore it from a backup, or name another folder with --data.",
    );
  return description;
};

/** The folder itself, or its nearest existing ancestor. */
const findNearestExisting = async (folder: string): Promise<string> => {
  const found = await stat(folder).catch((thrown) => {
    if (findErrorCode(thrown) === "ENOENT") return undefined;
    throw thrown;
  });
  if (found === undefined) return findNearestExisting(dirname(folder));
  return found.isDirectory() ? folder : dirname(folder);
};

const checkAccess = async (path: string, folder: string, account: Account): Promise<void> => {
  if (await canReach(account, path)) return;
  throw unusable(
    `The data folder ${folder} is out of reach of the account “${account.name}”, under which Postgres runs if root starts Ninefold.`,
    "Name a folder outside private ones such as /root with --data, or start Ninefold as an ordinary user.",
  );
};

const makeFolder = async (folder: string, account: Account | undefined): Promise<void> => {
  const first = await mkdir(folder, { recursive: true, mode: account === undefined ? 0o700 : 0o755 });
  if (account === undefined) return;
  if (first !== undefined) {
    // Under a strict umask the account could not enter the new parent folders.
    for (let path = folder; path.length >= first.length; path = dirname(path)) await chmod(path, 0o755);
  } else if ((await readdir(folder)).length > 0) return;
  // A new or empty folder belongs to root and can be entered by the Postgres account only.
  await chown(folder, 0, account.gid);
  await chmod(folder, 0o750);
};

const checkCluster = async (folder: string): Promise<void> => {
  const { cluster } = dataFolderPaths(folder);
  const found = await stat(cluster).catch(() => undefined);
  if (found === undefined) return;
  const we = process.getuid?.();
  if (we !== 0 && found.uid !== we)
    throw unusable(
      `The data in ${folder} belongs to another user (uid ${found.uid}; you are ${we}).`,
      "Start Ninefold as that user, or name another folder with --data.",
    );
  const version = (await readFile(join(cluster, "PG_VERSION"), "utf8").catch(() => "")).trim();
  if (version === String(major)) return;
  throw unusable(
    version === ""
      ? `${cluster} is not a data folder of Postgres.`
      : `The data in ${folder} was written by Postgres ${version}, but this Ninefold includes Postgres ${major}.`,
    version === ""
      ? "Restore it from a backup, or name another folder with --data."
      : "Make a backup with the Ninefold that wrote it and restore it into a new folder.",
  );
};
