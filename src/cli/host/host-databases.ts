import { type ConnectOptions, connect, type Database, findRole } from "../../postgres/database.ts";
import { defaultFolder, describeFolder, type Embedded, startEmbedded } from "../../postgres/embedded/index.ts";
import { createSiblingDatabase, toDatabase } from "../../postgres/preview/preview-database.ts";
import type { Connections } from "../../server/serving/open-document.ts";
import { createLog } from "../../server/telemetry/log.ts";
import { createSerializer, type Serialize } from "../../server/util/serializer.ts";
import { createConnections, openingFailed } from "../data/connections.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import type { RunDatabase } from "../run/run-database.ts";
import { isOwnMachine } from "../run/run-options.ts";
import { writeLine } from "../run/write-line.ts";
import type { HostOptions } from "./host-options.ts";

/** Connections of one application for requests. */
const CONNECTIONS = 3;

/** Connections of one application in all: also for notices, jobs, and a change to its specification. */
const CONNECTIONS_IN_ALL = 6;

/** Connections for commands, and those that Postgres keeps for itself. */
const OTHER_CONNECTIONS = 30;

/** One Postgres with a database for each application. */
export interface HostDatabases {
  readonly embedded: Embedded | undefined;
  readonly demonstration: boolean;
  /** The database of an application; created if there is none. */
  open(name: string): Promise<RunDatabase>;
}

/** Uses the Postgres that the options name, or starts the bundled one on a data folder. */
export const openHostDatabases = async (options: HostOptions, applications: number): Promise<HostDatabases> => {
  const serialize = createSerializer();
  if (options.database !== undefined) {
    const connections = createConnections(options.database, options.owner, false, options.replicas);
    const open: HostDatabases["open"] = (name) => openDatabase(connections, name, { demonstration: false, serialize });
    return { embedded: undefined, demonstration: false, open };
  }
  const folder = options.data ?? (await defaultFolder("host"));
  const known = await describeFolder(folder);
  const isPublic = options.origin !== null || options.proxies.length > 0 || !isOwnMachine(options.host);
  if (known?.demonstration === true && isPublic)
    throw new CommandFailed(
      exits.demonstrationRefused,
      "A demonstration is only for this machine. Remove --host, --origin and --proxy.",
      "Or use another data folder: the demonstration in this one needs no password.",
    );
  writeLine(known === undefined ? `Creating a database in ${folder} …` : `Starting the database in ${folder} …`);
  const log = createLog();
  const embedded = await startEmbedded({
    folder,
    name: "host",
    demonstration: !isPublic,
    connections: applications * CONNECTIONS_IN_ALL + OTHER_CONNECTIONS,
    onExit: ({ message }) => log.error(`${message} Restarting it…`),
    onReturn: () => log.warn("The database answers again."),
  });
  const { demonstration } = embedded;
  const connections = { owner: { ...embedded.owner }, app: { ...embedded.app }, folder: embedded.folder };
  return { embedded, demonstration, open: (name) => openDatabase(connections, name, { demonstration, serialize }) };
};

const openDatabase = async (
  server: Connections,
  name: string,
  { demonstration, serialize }: { readonly demonstration: boolean; readonly serialize: Serialize },
): Promise<RunDatabase> => {
  // Postgres copies its template for one database at a time.
  const isNew = await serialize(() => createDatabase(server, name));
  const { folder } = server;
  return {
    connections: {
      ...server,
      owner: toDatabase(server.owner, name),
      app: toDatabase(server.app, name),
      replicas: (server.replicas ?? []).map((replica) => toDatabase(replica, name)),
      most: CONNECTIONS,
    },
    embedded: undefined,
    demonstration,
    sample: demonstration && isNew,
    option: folder === undefined ? "--database URL" : `--data ${folder}/${name}`,
  };
};

/** Creates the database of an application. False if there is one. */
const createDatabase = (server: Connections, name: string): Promise<boolean> =>
  withOwner(server.owner, async (owner) => {
    const found = await owner.query({ text: "select from pg_database where datname = $1", values: [name] });
    if (found.length > 0) return false;
    await createSiblingDatabase(owner, name, findRole(server.app));
    return true;
  });

const withOwner = async <T>(connection: ConnectOptions["connection"], work: (owner: Database) => Promise<T>) => {
  const owner = connect({ connection, max: 1 });
  try {
    return await work(owner);
  } catch (error) {
    throw openingFailed(error);
  } finally {
    await owner.end();
  }
};
