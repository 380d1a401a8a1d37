// Time and memory for compiling documents of 10, 100 and 1,000 entities with rules: the first document of a process, another
// one in a warm process, and a second compilation of it, unchanged and with one line changed. The built program compiles each
// size in a process of its own. Prints the results and asserts only that the documents have no error. `npm run bench:compile
// [-- --before CHECKOUT]`: an earlier checkout that is built compiles the largest document too, by turns, because the speed of
// a machine differs from day to day.
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { manyThings } from "./many-things.ts";

const { values: options } = parseArgs({ options: { before: { type: "string" } } });

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
const node = (cwd: string, ...args: readonly string[]): string =>
  execFileSync(process.execPath, args, { cwd, encoding: "utf8" });
node(root, "node_modules/vite/bin/vite.js", "build", "--config", "vite.program.config.ts", "--logLevel", "warn");

const folder = mkdtempSync(join(tmpdir(), "ninefold-bench-"));
const results = [10, 100, 1_000].map((count): Measured => {
  const versions = ["today", '"today + 1 days"', '"today - 1 days"'].map((day) => manyThings(count, day));
  const path = join(folder, `${count}.json`);
  writeFileSync(path, JSON.stringify(versions));
  return { entities: count, ...(JSON.parse(node(root, "bench/compile-size.mjs", path)) as Omit<Measured, "entities">) };
});

const ROUNDS = 3;

/** Milliseconds for the largest document, the best of several rounds by turns with the checkout. */
const compare = (checkout: string) => {
  const names = ["first, ms", "another, ms", "one line changed, ms"] as const;
  const path = join(folder, "1000.json");
  const rounds = Array.from({ length: ROUNDS }, () =>
    [checkout, root].map((at) => JSON.parse(node(at, "bench/compile-size.mjs", path)) as Measured),
  );
  const best = (index: number) =>
    Object.fromEntries(names.map((name) => [name, Math.min(...rounds.map((pair) => pair[index]?.[name] ?? Infinity))]));
  const git = (...args: readonly string[]) => execFileSync("git", args, { cwd: checkout, encoding: "utf8" }).trim();
  return {
    entities: 1_000,
    rounds: ROUNDS,
    before: { commit: git("rev-parse", "--short", "HEAD"), of: git("log", "-1", "--format=%as"), ...best(0) },
    after: best(1),
  };
};
const byTurns = options.before === undefined ? {} : { byTurns: compare(resolve(options.before)) };
rmSync(folder, { recursive: true });

console.table(results);
for (const [index, { entities, "another, ms": time }] of results.entries()) {
  const smaller = results[index - 1];
  if (smaller !== undefined)
    console.log(
      `${entities} entities take ${(time / smaller["another, ms"]).toFixed(1)} times as long as ${smaller.entities}.`,
    );
}
if (options.before !== undefined) console.dir(byTurns, { depth: null });
mkdirSync(new URL("../docs/evidence/", import.meta.url), { recursive: true });
writeFileSync(
  new URL("../docs/evidence/compile.json", import.meta.url),
  `${JSON.stringify({ measured: new Date().toISOString().slice(0, 10), node: process.version, unit: "the best of several rounds in one process; the first apart; another: without what was compiled before; again, and with one line changed: by one compiler; byTurns: beside an earlier checkout", results, ...byTurns }, undefined, 2)}\n`,
);
