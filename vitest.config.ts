import { resolve } from "node:path";
import { configDefaults, defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { findBrowser, variable } from "./scripts/browser.mjs";
import { testFiles } from "./scripts/kinds.mjs";
import { temporaryFolder } from "./scripts/memory.mjs";

/** The folder for files of workers and of the programs that they start. */
process.env.TMPDIR = temporaryFolder();

/** Random tests use other cases each day; `SEED=20261122 npm test` repeats those of a day. */
process.env.SEED ??= new Date().toISOString().slice(0, 10).replaceAll("-", "");

/** Runs the slowest kind first, and within a kind the largest file, so that all workers are busy until the end. */
class SlowestFirst extends BaseSequencer {
  readonly #order = Object.values(testFiles()).map((files) => new Set(files.map((file) => resolve(file))));

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => this.#order.findIndex((kind) => kind.has(moduleId));
    return bySize.toSorted((a, b) => rank(a) - rank(b));
  }
}

/**
 * Slow files that a whole run tests on alternate days, so that it ends in time on two cores: how pages look and feel, and
 * faults while a version is published. `ALL_TESTS=1 npm test` and `npm test -- FILE` test them on every day.
 */
const alternating = [
  "test/app/browser/whole-application.test.ts",
  "test/app/browser/layouts.test.ts",
  "test/app/browser/comments.test.ts",
  "test/app/operation/publishing-faults.test.ts",
  "test/app/browser/parts.test.ts",
  "test/app/database/embedded.test.ts",
  "test/app/browser/keyboard.test.ts",
  "test/app/browser/bulk-edit.test.ts",
  "test/app/browser/whole-lives.test.ts",
  "test/app/states/states.test.ts",
  "test/app/accounts/people-browser.test.ts",
  "test/app/browser/workbench.test.ts",
  "test/app/browser/workbench-plan.test.ts",
  "test/app/browser/record.test.ts",
  "test/change/twenty-versions.test.ts",
  "test/app/operation/strangers.test.ts",
];
const isWhole = process.env.NINEFOLD_WHOLE_RUN === "1" && process.env.ALL_TESTS === undefined;
const ofOtherDay = isWhole ? alternating.filter((_, i) => (i + Number(process.env.SEED)) % 2 === 0) : [];

export default defineConfig({
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    exclude: [...configDefaults.exclude, ...ofOtherDay],
    globalSetup: ["test/global-setup.ts"],
    setupFiles: ["test/setup.ts"],
    sequence: { sequencer: SlowestFirst },
    // Three processes run all files, so that each loads the sources once, and one computes while another waits.
    pool: "forks",
    maxWorkers: 3,
    // Tests create much short-lived garbage. A larger young generation makes files that compile much faster.
    execArgv: ["--max-semi-space-size=64"],
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
