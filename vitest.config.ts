import { defineConfig } from "vitest/config";
import { findBrowser, variable } from "./scripts/browser.mjs";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts", "test/**/*.test.tsx"],
    globalSetup: ["test/global-setup.ts"],
    // Where the tests that drive a browser find one; empty where there is none.
    env: { [variable]: findBrowser() ?? "" },
    // Two at a time on two cores; the default leaves one idle.
    maxWorkers: 2,
    // What hangs is found all the same; what is slow on a busy machine is not taken for it.
    testTimeout: 90_000,
    hookTimeout: 180_000,
    expect: { poll: { timeout: 20_000 } },
  },
});
