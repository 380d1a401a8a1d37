import { resolve } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { findBrowser, variable } from "./scripts/browser.mjs";
import { changedFiles } from "./scripts/changed.mjs";
import { isRandom, testFiles } from "./scripts/kinds.mjs";
import { temporaryFolder } from "./scripts/memory.mjs";
import "./scripts/load-typescript.mjs";
import { slowFiles } from "./test/slow-files.ts";
import { day, leftOn, takesTurns } from "./test/turns.ts";

/** The folder for files of workers and of the programs that they start. */
process.env.TMPDIR = temporaryFolder();

/** Parts of a run that take about the same time. */
const PARTS = 10;

const seconds = new Map(slowFiles.flatMap(Object.entries).map(([path, taken]) => [resolve(path), taken]));

/**
 * Runs files of all kinds among each other, because tests that drive a browser or start programs wait for half of their time,
 * and the others mostly compute: side by side they leave no core idle. Of each kind, every part of the run gets one of the
 * slowest files and then shorter ones, so that all workers are busy until the end. After the slow files (test/slow-files.ts)
 * come those that try many random cases, and then the largest.
 */
class KindsAmongEachOther extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const weight = ({ moduleId }: TestSpecification) => seconds.get(moduleId) ?? (isRandom(moduleId) ? 1 : 0);
    const slowestFirst = (await super.sort(files)).toSorted((a, b) => weight(b) - weight(a));
    const places = new Map<TestSpecification, number>();
    for (const paths of Object.values(testFiles())) {
      const its = new Set(paths.map((path) => resolve(path)));
      const all = slowestFirst.filter(({ moduleId }) => its.has(moduleId));
      const inParts = Array.from({ length: PARTS }, (_, part) => all.filter((_, i) => i % PARTS === part)).flat();
      for (const [i, file] of inParts.entries()) places.set(file, i / inParts.length);
    }
    return slowestFirst.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
  }
}

/** What a whole run leaves to other days; never a file that is being changed. */
const changed = changedFiles("HEAD");
const left = takesTurns ? leftOn(day).filter((path) => !changed.includes(path)) : [];

export default defineConfig({
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    exclude: [...configDefaults.exclude, ...left],
    globalSetup: ["test/global-setup.ts"],
    setupFiles: ["test/setup.ts"],
    sequence: { sequencer: KindsAmongEachOther },
    // Three processes run all files, so that each loads the sources once, and one computes while another waits.
    pool: "forks",
    maxWorkers: 3,
    // Node itself loads the modules, not the runner of Vite: that took a process of its own 13 seconds, and called functions
    // of other modules through getters.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Tests create much short-lived garbage. A larger young generation makes files that compile much faster.
    execArgv: ["--max-semi-space-size=64", "--import", new URL("scripts/load-typescript.mjs", import.meta.url).href],
    isolate: false,
    restoreMocks: true,
    env: { [variable]: findBrowser() ?? "" },
    // Long enough for a busy machine. A test that hangs is still found.
    testTimeout: 90_000,
    hookTimeout: 180_000,
    // The same as for locators (test/web/browser.ts): both wait for the same pages.
    expect: { poll: { timeout: 60_000 } },
  },
});
