import { readdirSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import { findBrowser, variable } from "./scripts/browser.mjs";
import { temporaryFolder } from "./scripts/memory.mjs";

/** Workers and the programs that they start put their files here. */
process.env.TMPDIR = temporaryFolder();

/** Random tests draw other cases each day; `SEED=20261122 npm test` repeats those of a day. */
process.env.SEED ??= new Date().toISOString().slice(0, 10).replaceAll("-", "");

/**
 * The four kinds of test, slowest first, each known by what its file imports:
 *
 * - `browser`: a person at a real Chromium
 * - `program`: the built program as a process of its own, often killed or starved
 * - `database`: the application in the test's own process, on the run's shared Postgres
 * - `unit`: no database
 */
const kinds = {
  browser: /from "[^"]*\/(?:web\/browser|states\/walk)\.ts"/u,
  program: /\b(?:startProgram|ninefold|command|startEmbedded)\b[^;]*from "|OTEL_EXPORTER/u,
  database: /from "[^"]*\/(?:postgres|program|pair|engines|world)\.ts"/u,
  unit: /(?:)/u,
};
type Kind = keyof typeof kinds;

const filesOf: Record<Kind, string[]> = { browser: [], program: [], database: [], unit: [] };
for (const name of readdirSync("test", { recursive: true, encoding: "utf8" })) {
  if (!/\.test\.tsx?$/u.test(name)) continue;
  const text = readFileSync(`test/${name}`, "utf8");
  const kind = (Object.keys(kinds) as Kind[]).find((one) => kinds[one].test(text)) ?? "unit";
  filesOf[kind].push(`test/${name}`);
}

/** The slowest kind first, and within a kind the largest file: the last minute is not one worker's alone. */
class SlowestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    const rank = ({ project }: TestSpecification) => Object.keys(kinds).indexOf(project.name);
    return bySize.toSorted((a, b) => rank(a) - rank(b));
  }
}

const shared = {
  pool: "forks",
  maxWorkers: 2,
  setupFiles: ["test/setup.ts"],
  restoreMocks: true,
  env: { [variable]: findBrowser() ?? "" },
  // A busy machine is slow, not wrong; a test that hangs is still found.
  testTimeout: 90_000,
  hookTimeout: 180_000,
  expect: { poll: { timeout: 20_000 } },
} as const;

/** Without isolation the files of a kind share a process, in which the sources are loaded once. */
const project = (name: Kind, isolate: boolean) => ({
  test: { ...shared, setupFiles: [...shared.setupFiles], name, include: filesOf[name], isolate },
});

export default defineConfig({
  test: {
    // One Postgres for all projects.
    globalSetup: ["test/global-setup.ts"],
    sequence: { sequencer: SlowestFirst },
    maxWorkers: shared.maxWorkers,
    projects: [project("browser", false), project("program", true), project("database", false), project("unit", false)],
  },
});
