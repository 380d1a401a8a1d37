// Time and memory for compiling documents of 10, 100 and 1,000 entities with rules: the first document of a process, another
// one in a warm process, and a second compilation of it, unchanged and with one line changed. The built program compiles each
// size in a process of its own. Prints the results and asserts only that the documents have no error. `npm run bench:compile`.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { manyThings } from "./many-things.ts";

/** The output of `compile-size.mjs`. */
interface Measured {
  readonly entities: number;
  readonly characters: number;
  readonly "first, ms": number;
  readonly "another, ms": number;
  readonly "again, ms": number;
  readonly "Markdown and YAML, ms": number;
  readonly "one line changed, ms": number;
  readonly "first, ms of processor": number;
  readonly "one line changed, ms of processor": number;
  readonly "process before, MB": number;
  readonly "process at most, MB": number;
}

const root = fileURLToPath(new URL("../", import.meta.url));
const node = (...args: readonly string[]): string =>
  execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" });
node("node_modules/vite/bin/vite.js", "build", "--config", "vite.program.config.ts", "--logLevel", "warn");

const folder = mkdtempSync(join(tmpdir(), "ninefold-bench-"));
const results = [10, 100, 1_000].map((count): Measured => {
  const versions = ["today", '"today + 1 days"', '"today - 1 days"'].map((day) => manyThings(count, day));
  const path = join(folder, `${count}.json`);
  writeFileSync(path, JSON.stringify(versions));
  return { entities: count, ...(JSON.parse(node("bench/compile-size.mjs", path)) as Omit<Measured, "entities">) };
});
rmSync(folder, { recursive: true });

console.table(results);
for (const [index, { entities, "another, ms": time }] of results.entries()) {
  const smaller = results[index - 1];
  if (smaller !== undefined)
    console.log(
      `${entities} entities take ${(time / smaller["another, ms"]).toFixed(1)} times as long as ${smaller.entities}.`,
    );
}
mkdirSync(new URL("../docs/evidence/", import.meta.url), { recursive: true });
writeFileSync(
  new URL("../docs/evidence/compile.json", import.meta.url),
  `${JSON.stringify({ measured: new Date().toISOString().slice(0, 10), node: process.version, unit: "the best of several rounds in one process; the first apart; another: without what was compiled before; again, and with one line changed: by one compiler", results }, undefined, 2)}\n`,
);
