import { execFileSync } from "node:child_process";
import { appendFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { findPackage, prepareBinaries } from "../src/postgres/embedded/binaries.ts";
import { createCluster } from "../src/postgres/embedded/cluster.ts";
import { dataFolderPaths } from "../src/postgres/embedded/folder.ts";
import { accountForPostgres } from "../src/postgres/embedded/os-account.ts";

/*
 * A cluster of the embedded Postgres, created once for a run and copied, because creating one takes longer than the rest
 * of a first start.
 */

/** For databases that live for seconds. */
const SETTINGS = "autovacuum = off\n";

/** Creates a cluster with the roles and the database of the embedded Postgres in a new data folder. */
export const prepareCluster = async (folder: string): Promise<string> => {
  await mkdir(folder, { mode: 0o711 });
  const { cluster } = dataFolderPaths(folder);
  const account = await accountForPostgres(cluster);
  await createCluster(folder, await prepareBinaries(await findPackage(), account, folder), account);
  await appendFile(join(cluster, "postgresql.conf"), SETTINGS);
  return cluster;
};

/** Copies a cluster that is not running into a new data folder. */
export const copyCluster = async (cluster: string, folder: string): Promise<void> => {
  await mkdir(folder, { mode: 0o711 });
  // Keeps the owner of the files.
  execFileSync("cp", ["-a", cluster, dataFolderPaths(folder).cluster]);
};
