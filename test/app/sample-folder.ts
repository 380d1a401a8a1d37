import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmod, mkdir, rename, rmdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { inject } from "vitest";

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

/**
 * Copies a data folder with the samples of a document to `data`. The second test of the run that asks for it fills one
 * with `make`; the others wait, in any process. The first one gets false and makes the samples for itself, because most
 * documents have no second test.
 */
export const sampleFolder = async (
  document: string,
  data: string,
  make: (folder: string) => Promise<unknown>,
): Promise<boolean> => {
  const ready = join(inject("sampleFolders"), createHash("sha256").update(document).digest("hex").slice(0, 16));
  const isFirst = await mkdir(`${ready}.asked`).then(
    () => true,
    () => false,
  );
  if (isFirst) return false;
  const [making, lock] = [`${ready}.making`, `${ready}.lock`];
  while (!(await exists(ready))) {
    const own = await mkdir(lock).then(
      () => true,
      () => false,
    );
    if (!own) {
      await sleep(50);
      continue;
    }
    try {
      if (!(await exists(ready))) {
        await make(making);
        await rename(making, ready);
      }
    } finally {
      await rmdir(lock);
    }
  }
  execFileSync("cp", ["-a", ready, data]);
  await chmod(data, 0o711);
  return true;
};
