import { createHash } from "node:crypto";
import { realpath, stat } from "node:fs/promises";
import { join, resolve } from "node:path";
import { findPackage, prepareBinaries, systemFolder } from "./binaries.ts";
import { appRole, database, makeCluster, ownerRole } from "./cluster.ts";
import { type FolderDescription, openFolder, partsOf, unusableBy, writeDescription } from "./folder.ts";
import { findOwner, type Ownership, takeOwnership } from "./folder-lock.ts";
import { accountForPostgres, canReach, isRoot } from "./os-account.ts";
import { Server, type ServerEvents, stopAbandoned } from "./server.ts";
import { makeSocketFolder, port, removeSocketFolder } from "./socket.ts";

export { describeFolder } from "./folder.ts";
export { isRoot } from "./os-account.ts";
export { StartError } from "./start-error.ts";

/** What `pg` needs to connect: pass it to a pool as it is. */
export interface ConnectionSettings {
  /** The folder of the socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/** The same as a connection string, as DATABASE_URL has it. */
export const urlOf = ({ host, port, user, database }: ConnectionSettings): string =>
  `postgresql://${encodeURIComponent(user)}@/${encodeURIComponent(database)}?host=${encodeURIComponent(host)}&port=${port}`;

export interface EmbeddedOptions extends ServerEvents {
  /** The data folder; made when it is not there. By default `defaultFolder(name)`. */
  readonly folder?: string;
  /** The name of the document, for a folder that is made. */
  readonly name: string;
  /** Whether a folder that is made is to be a demonstration. */
  readonly demonstration: boolean;
}

/** An embedded Postgres that runs and is ours. */
export interface Embedded {
  readonly owner: ConnectionSettings;
  readonly app: ConnectionSettings;
  /** The data folder, absolute and without links. */
  readonly folder: string;
  /** Whether the data folder has just been made. */
  readonly fresh: boolean;
  /** What the folder says, not what was asked: an existing folder stays what it is. */
  readonly demonstration: boolean;
  readonly description: FolderDescription;
  /** Says where the application answers, for whoever finds the data in use. */
  announce(url: string): Promise<void>;
  /** Stops Postgres (open transactions are rolled back) and leaves no process, socket or lock. May be called twice. */
  stop(): Promise<void>;
}

const settingsFor = (socket: string, user: string): ConnectionSettings => ({ host: socket, port, user, database });

/**
 * Where the data of a document lies when nobody says: `.ninefold/<name>` in the working directory, or, where Postgres's
 * account cannot reach that (root in /root), a folder under /var/lib/ninefold that is this directory's own.
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

/** The settings of a Postgres that another process runs on this folder; undefined when none does. */
export const findRunning = async (
  folder: string,
): Promise<{ owner: ConnectionSettings; app: ConnectionSettings; process: number; url?: string } | undefined> => {
  const claim = await findOwner(resolve(folder));
  if (claim?.socket === undefined) return undefined;
  return {
    owner: settingsFor(claim.socket, ownerRole),
    app: settingsFor(claim.socket, appRole),
    process: claim.process,
    ...(claim.url === undefined ? {} : { url: claim.url }),
  };
};

/**
 * Starts the Postgres that Ninefold brings on a data folder, and makes the folder first where it is not there. Resolves
 * when it answers; throws a `StartError`. It listens on a socket in a private folder and nowhere else. Should this
 * process be killed, Postgres is stopped soon after; should both be killed, the next start mends it.
 */
export const startEmbedded = async (options: EmbeddedOptions): Promise<Embedded> => {
  // First of all: where there is no Postgres to run, nothing is made.
  const found = await findPackage();
  const wanted = resolve(options.folder ?? (await defaultFolder(options.name)));
  const account = await accountForPostgres(partsOf(wanted).cluster);
  const before = await openFolder(wanted, account);
  const folder = await realpath(wanted);
  const ownership = await takeOwnership(folder).catch((thrown) => {
    throw unusableBy(folder, thrown);
  });
  let socket: string | undefined;
  let server: Server | undefined;
  try {
    await stopAbandoned(folder);
    for (const left of ownership.abandoned) await removeSocketFolder(left);
    const binaries = await prepareBinaries(found, account, folder);
    // Asked again now that the folder is ours: another process may have made it a moment ago.
    if ((await stat(partsOf(folder).cluster).catch(() => undefined)) === undefined)
      await makeCluster(folder, binaries, account);
    socket = await makeSocketFolder(account);
    await ownership.tell({ socket });
    server = new Server(folder, socket, binaries, account, options);
    await server.start();
    const known = before ?? (await openFolder(folder, account));
    const description = known ?? (await writeDescription(folder, options));
    return embeddedOf(server, folder, socket, ownership, description, known === undefined);
  } catch (thrown) {
    await server?.stop();
    if (socket !== undefined) await removeSocketFolder(socket);
    await ownership.release();
    throw unusableBy(folder, thrown);
  }
};

const embeddedOf = (
  server: Server,
  folder: string,
  socket: string,
  ownership: Ownership,
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
    owner: settingsFor(socket, ownerRole),
    app: settingsFor(socket, appRole),
    folder,
    fresh,
    demonstration: description.demonstration,
    description,
    announce: (url) => ownership.tell({ url }),
    stop: () => {
      stopping ??= stop();
      return stopping;
    },
  };
};
