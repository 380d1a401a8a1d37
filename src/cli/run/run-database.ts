import { basename, resolve } from "node:path";
import { defaultFolder, describeFolder, type Embedded, startEmbedded } from "../../postgres/embedded/index.ts";
import type { Connections } from "../../server/serving/open-document.ts";
import { createLog } from "../../server/telemetry/log.ts";
import { createConnections } from "../data/connections.ts";
import { CommandFailed, exits } from "../exit-codes.ts";
import { isOwnMachine, type RunOptions } from "./run-options.ts";
import { writeLine } from "./write-line.ts";

export interface RunDatabase {
  readonly connections: Connections;
  readonly embedded: Embedded | undefined;
  readonly demonstration: boolean;
  readonly sample: boolean;
  /** The option that names the database to other commands. */
  readonly option: string;
}

/** Connections of one worker process: for requests, for notices of versions, and as the owner. */
const CONNECTIONS_OF_WORKER = 10;

/** Connections for commands, previews, and those that Postgres keeps for itself. */
const OTHER_CONNECTIONS = 40;

/** The data folder of the embedded Postgres. */
export const findFolder = ({ data, path }: RunOptions): Promise<string> =>
  data === undefined ? defaultFolder(basename(resolve(path)).replace(/\.md$/u, "")) : Promise.resolve(data);

/** The database to use: an external one, or the bundled Postgres on a data folder. */
export const openRunDatabase = async (options: RunOptions, documentName: string): Promise<RunDatabase> => {
  const refuse = (message: string) =>
    new CommandFailed(
      exits.demonstrationRefused,
      message,
      "Demonstration sign-in needs no password, so only a data folder that was created as a demonstration has it.",
    );
  if (options.database !== undefined) {
    if (options.demonstration)
      throw refuse("A database that you name with --database or DATABASE_URL can’t be a demonstration.");
    return {
      connections: createConnections(options.database, options.owner, options.pooled, options.replicas),
      embedded: undefined,
      demonstration: false,
      sample: options.sample === true,
      option: "--database URL",
    };
  }
  const folder = await findFolder(options);
  const known = await describeFolder(folder);
  if (options.demonstration && known?.demonstration === false)
    throw refuse(`The data folder ${folder} is not a demonstration.`);
  if (options.workers > 1 && known?.demonstration === true)
    throw new CommandFailed(
      exits.demonstrationRefused,
      `The data folder ${folder} is a demonstration, which runs in one process.`,
      "Start it without --workers.",
    );
  const demonstration =
    known?.demonstration ??
    (options.demonstration ||
      (options.workers === 1 && options.sample !== false && options.administrator === undefined));
  writeLine(known === undefined ? `Creating a database in ${folder} …` : `Starting the database in ${folder} …`);
  if (demonstration && (!isOwnMachine(options.host) || options.site.origin !== null || options.site.proxies.length > 0))
    throw refuse("A demonstration is only for this machine. Remove --host, --origin and --proxy.");
  const log = createLog();
  const embedded = await startEmbedded({
    folder,
    name: documentName,
    demonstration,
    ...(options.workers === 1 ? {} : { connections: options.workers * CONNECTIONS_OF_WORKER + OTHER_CONNECTIONS }),
    onExit: ({ message }) => log.error(`${message} Restarting it…`),
    onReturn: () => log.warn("The database answers again."),
  });
  const sample = embedded.fresh ? embedded.demonstration || options.sample === true : options.sample === true;
  return {
    connections: { owner: { ...embedded.owner }, app: { ...embedded.app }, folder: embedded.folder },
    embedded,
    demonstration: embedded.demonstration,
    sample,
    option: `--data ${folder}`,
  };
};
