import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { type ConnectionSettings, findRunning, startEmbedded } from "../src/postgres/embedded/index.ts";

declare module "vitest" {
  export interface ProvidedContext {
    /** Postgres of this run, as the role that makes and drops databases. */
    readonly postgres: ConnectionSettings;
    /** Where data folders with samples are kept to be copied (`app/sample-folder.ts`). */
    readonly sampleFolders: string;
  }
}

const prefix = "ninefold-test-";

/** What runs that were killed left behind; those that still run have an owner. */
const sweep = async () => {
  for (const name of await readdir(tmpdir())) {
    const folder = join(tmpdir(), name);
    if (!name.startsWith(prefix) || (await findRunning(join(folder, "data"))) !== undefined) continue;
    const made = await stat(folder).catch(() => undefined);
    if (made === undefined || made.mtimeMs > Date.now() - 3_600_000) continue;
    // A small disk that is still mounted there cannot go, and is nothing that a new run would fail of.
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
};

/** One Postgres for the whole run; every test takes an empty database of its own (`database()` in `postgres.ts`). */
export default async (project: TestProject) => {
  console.log(`Random tests use the seed ${process.env.SEED}. Repeat them with SEED=${process.env.SEED}.`);
  await sweep();
  const parent = await mkdtemp(join(tmpdir(), prefix));
  // The account that Postgres runs as under root must get through to its own folder below.
  await chmod(parent, 0o711);
  const embedded = await startEmbedded({ folder: join(parent, "data"), name: "tests", demonstration: false });
  project.provide("postgres", embedded.owner);
  const sampleFolders = join(parent, "samples");
  await mkdir(sampleFolders, { mode: 0o711 });
  project.provide("sampleFolders", sampleFolders);
  return async () => {
    await embedded.stop();
    // What Postgres said while all tests ran is looked through with the rest.
    const keptIn = process.env.NINEFOLD_KEEP_IN;
    if (keptIn !== undefined) await copyFile(join(parent, "data", "postgres.log"), join(keptIn, "postgres.said"));
    await rm(parent, { recursive: true, force: true });
  };
};
