import { execFileSync } from "node:child_process";
import { chmod, mkdir, open, statfs } from "node:fs/promises";
import { join } from "node:path";
import { scratch } from "../program.ts";

/** A disk of so many megabytes and how to remove it; undefined where none can be made. */
export const mountSmallDisk = async (
  megabytes: number,
): Promise<{ readonly folder: string; remove(): void } | undefined> => {
  if (process.getuid?.() !== 0 || process.platform !== "linux") return undefined;
  const folder = join(await scratch(), "disk");
  await mkdir(folder);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0711`, "tmpfs", folder], { stdio: "ignore" });
    await chmod(folder, 0o711);
    return { folder, remove: () => void execFileSync("umount", ["-l", folder], { stdio: "ignore" }) };
  } catch {
    return undefined;
  }
};

/** Writes a file until the disk has only this number of bytes left, or none. */
export const fillDisk = async (folder: string, file: string, left = 0): Promise<void> => {
  const { bavail, bsize } = await statfs(folder);
  const ballast = await open(join(folder, file), "a");
  const block = Buffer.alloc(256 * 1024);
  let most = Math.max(0, bavail * bsize - left);
  for (let full = false; !full && (left === 0 || most > 0); most -= block.length)
    full = await ballast.write(block).then(
      () => false,
      () => true,
    );
  await ballast.close();
};
