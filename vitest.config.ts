import { resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { findBrowser, variable } from "./scripts/browser.mjs";
import { testFiles } from "./scripts/kinds.mjs";
import { temporaryFolder } from "./scripts/memory.mjs";

/** Workers and the programs that they start put their files here. */
process.env.TMPDIR = temporaryFolder();

/** Random tests draw other cases each day; `SEED=20261122 npm test` repeats those of a day. */
process.env.SEED ??= new Date().toISOString().slice(0, 10).replaceAll("-", "");

/** The slowest kind first, and within a kind the largest file: the last minute is not one worker's alone. */
class SlowestFirst extends BaseSequencer {
  readonly #order = Object.values(testFiles()).map((files) => new Set(files.map((file) => resolve(file))));

  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => this.#order.findIndex((kind) => kind.has(moduleId));
    return bySize.toSorted((a, b) => rank(a) - rank(b));
  }
}

export default defineConfig({
  test: {
    include: ["test/**/*.test.{ts,tsx}"],
    globalSetup: ["test/global-setup.ts"],
    setupFiles: ["test/setup.ts"],
    sequence: { sequencer: SlowestFirst },
    // Two processes run all files, so that each loads the sources once.
    pool: "forks",
    maxWorkers: 2,
    // What a test makes is soon garbage: files that compile much take less time if young objects are collected less often.
    execArgv: ["--max-semi-space-size=64"],
    isolate: false,
    restoreMocks: true,
    env: { [variable]: findBrowser() ?? "" },
    // A busy machine is slow, not wrong; a test that hangs is still found.
    testTimeout: 90_000,
    hookTimeout: 180_000,
    // As long as a locator waits (test/web/browser.ts): both wait for the same pages.
    expect: { poll: { timeout: 60_000 } },
  },
});
