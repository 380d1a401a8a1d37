import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { type ConnectionSettings, findRunning, startEmbedded } from "../src/postgres/embedded/index.ts";
import { copyCluster, prepareCluster } from "./cluster.ts";
import { startReplicated } from "./replication.ts";

const { isBuilt } = (await import(new URL("../scripts/setup.mjs", import.meta.url).href)) as {
  readonly isBuilt: () => boolean;
};

declare module "vitest" {
  export interface ProvidedContext {
    /** The Postgres of this run, with the role that creates and drops databases. */
    readonly postgres: ConnectionSettings;
    /** A standby of it, for `TEST_STANDBY`: lists are then read from there. */
    readonly standby: ConnectionSettings | null;
    /** The files of a new cluster, of which programs get a copy. */
    readonly newCluster: string;
    /** Folder of data folders with samples, which tests copy (`app/sample-folder.ts`). */
    readonly sampleFolders: string;
  }
}

const prefix = "ninefold-test-";

/** Removes leftovers of killed runs; those of active runs have an owner. */
const sweep = async () => {
  for (const name of await readdir(tmpdir())) {
    const folder = join(tmpdir(), name);
    if (!name.startsWith(prefix) || (await findRunning(join(folder, "data"))) !== undefined) continue;
    const made = await stat(folder).catch(() => undefined);
    if (made === undefined || made.mtimeMs > Date.now() - 3_600_000) continue;
    // A small disk still mounted there cannot be removed, and does not disturb a new run.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
};

interface Running {
  readonly owner: ConnectionSettings;
  readonly standby: ConnectionSettings | null;
  stop(): Promise<unknown>;
}

/** Enough for the applications and databases of all processes that run tests. */
const CONNECTIONS = 120;

/** The embedded Postgres, or a primary with a standby. */
const startPostgres = async (folder: string, newCluster: string): Promise<Running> => {
  if (process.env.TEST_STANDBY === undefined) {
    await copyCluster(newCluster, folder);
    const options = { folder, name: "tests", demonstration: false, connections: CONNECTIONS };
    return { ...(await startEmbedded(options)), standby: null };
  }
  const { primary, standbys } = await startReplicated(folder, 1);
  const all = [primary, ...standbys];
  const [owner, standby = null] = all.map(({ settings }) => settings);
  if (owner === undefined) throw new Error("there is no primary");
  return { owner, standby, stop: () => Promise.all(all.map((server) => server.stop("SIGQUIT"))) };
};

/** Says what the run leaves to other days; its configuration excludes these files (`turns.ts`). */
const printLeft = ({ config }: TestProject): void => {
  const left = config.exclude.filter((path) => path.startsWith("test/"));
  if (left.length === 0) return;
  const names = left.map((path) => path.slice("test/".length).replace(/\.test\.tsx?$/u, ""));
  console.log(
    `\n${left.length} slow files, and cases of others, are left to the next two days. ALL_TESTS=1 npm test runs everything; npm test -- --changed runs what your changes affect. Left: ${names.join(", ")}.\n`,
  );
};

/** One Postgres for the whole run; each test uses a database of its own (`database()` in `postgres.ts`). */
export default async (project: TestProject) => {
  console.log(`Random tests use the seed ${process.env.SEED}. Repeat them with SEED=${process.env.SEED}.`);
  if (!isBuilt())
    console.log(
      "dist/ was built from other sources, and tests that open pages or start programs use it. npm test -- PATH builds it first.",
    );
  await sweep();
  const parent = await mkdtemp(join(tmpdir(), prefix));
  // The account of Postgres under root must pass through this folder to its own.
  await chmod(parent, 0o711);
  const newCluster = await prepareCluster(join(parent, "new"));
  project.provide("newCluster", newCluster);
  const embedded = await startPostgres(join(parent, "data"), newCluster);
  project.provide("postgres", embedded.owner);
  project.provide("standby", embedded.standby);
  const sampleFolders = join(parent, "samples");
  await mkdir(sampleFolders, { mode: 0o711 });
  project.provide("sampleFolders", sampleFolders);
  return async () => {
    await embedded.stop();
    // Keeps Postgres's log for the search for secrets.
    const recordIn = process.env.NINEFOLD_RECORD_IN;
    if (recordIn !== undefined && process.env.TEST_STANDBY === undefined)
      await copyFile(join(parent, "data", "postgres.log"), join(recordIn, "postgres.output"));
    await rm(parent, { recursive: true, force: true });
    printLeft(project);
  };
};
