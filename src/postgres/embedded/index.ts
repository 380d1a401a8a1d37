import { createHash } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { findPackage, prepareBinaries, systemFolder } from "./binaries.ts";
import { appRole, createCluster, database, ownerRole } from "./cluster.ts";
import { dataFolderPaths, type FolderDescription, openFolder, toFolderError, writeDescription } from "./folder.ts";
import { findOwner, type Ownership, takeOwnership } from "./folder-lock.ts";
import { accountForPostgres, canReach, isRoot } from "./os-account.ts";
import { type PostgresOptions, Server, stopAbandoned } from "./server.ts";
import { createSocketFolder, port, removeSocketFolder } from "./socket.ts";

export { describeFolder } from "./folder.ts";
export { isRoot } from "./os-account.ts";
export { StartError } from "./start-error.ts";

/** Connection settings for a `pg` pool. */
export interface ConnectionSettings {
  /** The folder of the socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/** The settings as a connection string for DATABASE_URL. */
export const toConnectionUrl = ({ host, port, user, database }: ConnectionSettings): string =>
  `postgresql://${encodeURIComponent(user)}@/${encodeURIComponent(database)}?host=${encodeURIComponent(host)}&port=${port}`;

export interface EmbeddedOptions extends PostgresOptions {
  /** The data folder; created if missing. Defaults to `defaultFolder(name)`. */
  readonly folder?: string;
  /** Name of the document, recorded in a new folder. */
  readonly name: string;
  /** True if a new folder is to be a demonstration. */
  readonly demonstration: boolean;
}

/** A running embedded Postgres that we own. */
export interface Embedded {
  readonly owner: ConnectionSettings;
  readonly app: ConnectionSettings;
  /** The data folder: absolute, links resolved. */
  readonly folder: string;
  /** True if the data folder was created by this start. */
  readonly fresh: boolean;
  /** As recorded in the folder: an existing folder stays as it is, whatever the options say. */
  readonly demonstration: boolean;
  readonly description: FolderDescription;
  /** Publishes the application's URL for processes that find the data in use. */
  announce(url: string): Promise<void>;
  /**
   * Stops Postgres, rolling back open transactions, and leaves no process, socket or lock behind. May be called twice.
   */
  stop(): Promise<void>;
}

const getSettings = (socket: string, user: string): ConnectionSettings => ({ host: socket, port, user, database });

/**
 * The default data folder of a document: `.ninefold/<name>` in the working directory, or, if the Postgres account
 * cannot reach that (root in /root), a folder under /var/lib/ninefold for this directory.
 */
export const defaultFolder = async (name: string, directory = process.cwd()): Promise<string> => {
  const safe =
    name
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}]+/gu, "-")
      .replaceAll(/^-|-$/g, "")
      .slice(0, 60) || "data";
  const near = join(directory, ".ninefold", safe);
  if (!isRoot() || (await canReach(await accountForPostgres(near), directory))) return near;
  return join(systemFolder, `${safe}-${createHash("sha256").update(near).digest("hex").slice(0, 8)}`);
};

/** Connection settings of a Postgres that another process runs on this folder; undefined if there is none. */
export const findRunning = async (
  folder: string,
): Promise<{ owner: ConnectionSettings; app: ConnectionSettings; process: number; url?: string } | undefined> => {
  const claim = await findOwner(resolve(folder));
  if (claim?.socket === undefined) return undefined;
  return {
    owner: getSettings(claim.socket, ownerRole),
    app: getSettings(claim.socket, appRole),
    process: claim.process,
    ...(claim.url === undefined ? {} : { url: claim.url }),
  };
};

/**
 * Starts the bundled Postgres on a data folder, creating the folder if necessary. Resolves when Postgres accepts
 * connections; throws a `StartError`. It listens only on a socket in a private folder. If this process is killed,
 * Postgres is stopped soon after; if both are killed, the next start recovers.
 */
export const startEmbedded = async (options: EmbeddedOptions): Promise<Embedded> => {
  // Checked first, so that nothing is created if there is no Postgres to run.
  const found = await findPackage();
  const wanted = resolve(options.folder ?? (await defaultFolder(options.name)));
  const account = await accountForPostgres(dataFolderPaths(wanted).cluster);
  const before = await openFolder(wanted, account);
  const folder = await realpath(wanted);
  const ownership = await takeOwnership(folder).catch((thrown) => {
    throw toFolderError(folder, thrown);
  });
  let socket: string | undefined;
  let server: Server | undefined;
  try {
    await stopAbandoned(folder);
    for (const abandoned of ownership.abandoned) await removeSocketFolder(abandoned);
    const binaries = await prepareBinaries(found, account, folder);
    // Checked again under the lock: another process may just have created it.
    if ((await stat(dataFolderPaths(folder).cluster).catch(() => undefined)) === undefined)
      await createCluster(folder, binaries, account);
    socket = await createSocketFolder(account);
    await ownership.update({ socket });
    server = new Server(folder, socket, binaries, account, options);
    await server.start();
    const known = before ?? (await openFolder(folder, account));
    const description = known ?? (await writeDescription(folder, options));
    return createEmbedded({ server, folder, socket, ownership }, description, known === undefined);
  } catch (thrown) {
    await server?.stop();
    if (socket !== undefined) await removeSocketFolder(socket);
    await ownership.release();
    throw toFolderError(folder, thrown);
  }
};

/** A running server and what it occupies. */
interface Running {
  readonly server: Server;
  readonly folder: string;
  readonly socket: string;
  readonly ownership: Ownership;
}

const createEmbedded = (
  { server, folder, socket, ownership }: Running,
  description: FolderDescription,
  fresh: boolean,
): Embedded => {
  const stop = async () => {
    await server.stop();
    await removeSocketFolder(socket);
    await ownership.release();
  };
  let stopping: Promise<void> | undefined;
  return {
    owner: getSettings(socket, ownerRole),
    app: getSettings(socket, appRole),
    folder,
    fresh,
    demonstration: description.demonstration,
    description,
    announce: (url) => ownership.update({ url }),
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
};
