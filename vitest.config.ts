import { resolve } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { findBrowser, variable } from "./scripts/browser.mjs";
import { isRandom, testFiles } from "./scripts/kinds.mjs";
import { temporaryFolder } from "./scripts/memory.mjs";
import "./scripts/load-typescript.mjs";
import { day, takesTurns } from "./test/turns.ts";

/** The folder for files of workers and of the programs that they start. */
process.env.TMPDIR = temporaryFolder();

/** Parts of a run that take about the same time. */
const PARTS = 10;

/**
 * Runs files of all kinds among each other, because tests that drive a browser or start programs wait for half of their time,
 * and the others mostly compute: side by side they leave no core idle. Of each kind, every part of the run gets one of the
 * slowest files and then shorter ones, so that all workers are busy until the end. Files that try many random cases count as
 * slow, and then the largest.
 */
class KindsAmongEachOther extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    const slowestFirst = [
      ...bySize.filter(({ moduleId }) => isRandom(moduleId)),
      ...bySize.filter(({ moduleId }) => !isRandom(moduleId)),
    ];
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

/**
 * Slow files that a whole run tests on alternate days, so that it ends in time on two cores: how pages look and feel.
 * `ALL_TESTS=1 npm test` and `npm test -- FILE` test them on every day.
 */
const alternating = [
  "test/app/browser/whole-lives.test.ts",
  "test/app/states/states.test.ts",
  "test/app/browser/parts.test.ts",
  "test/app/accounts/people-browser.test.ts",
  "test/app/browser/layouts.test.ts",
  "test/app/browser/whole-application.test.ts",
  "test/app/browser/comments.test.ts",
  "test/app/browser/keyboard.test.ts",
];
const ofOtherDay = takesTurns ? alternating.filter((_, i) => (i + day) % 2 === 0) : [];

export default defineConfig({
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    exclude: [...configDefaults.exclude, ...ofOtherDay],
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
