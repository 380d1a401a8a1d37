// npm test                    runs every check and every test
// npm test -- PART …          runs the tests of files or folders (test/rule), without the other checks
// npm test -- --changed [REF] runs the tests that uncommitted changes affect, or all changes since REF
//
// Each check counts as one test. The last line is "N passed, N failed"; the exit code is 1 if any failed or none ran.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { constants, setPriority } from "node:os";
import { join, relative } from "node:path";
import { obtainBrowser, variable } from "./browser.mjs";
import { changedFiles } from "./changed.mjs";
import { testFiles } from "./kinds.mjs";
import { temporaryFolder } from "./memory.mjs";
import { recordIn, searched } from "./secrets.mjs";
import { build, checkNode, installPackages, Obstacle, root } from "./setup.mjs";

const words = process.argv.slice(2);
const isWhole = words.length === 0;
let passed = 0;
let failed = 0;

const tool = (path) => join(root, "node_modules", path);

const run = (args, { isBackground = false, env }) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: isBackground ? ["ignore", "pipe", "pipe"] : "inherit",
    });
    if (isBackground && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (data) => {
        output += data;
      });
    child.on("error", (error) => resolve({ code: 1, output: error.message }));
    child.on("close", (code) => resolve({ code: code ?? 1, output }));
  });

const secondsSince = (since) => (performance.now() - since) / 1000;

/** Prints one line for a check that passes, and the whole output of one that fails. */
const printCheck = ({ name, code, output, seconds }) => {
  if (code === 0) passed += 1;
  else failed += 1;
  console.log(`${code === 0 ? "passed" : "FAILED"}  ${name} (${seconds.toFixed(1)} s)`);
  if (code !== 0) console.log(output.trimEnd().replaceAll(/^/gm, "    "));
};

const checks = [
  { name: "types", args: [tool("typescript/bin/tsc"), "-b"] },
  { name: "style", args: [tool("@biomejs/biome/bin/biome"), "check", "--error-on-warnings"] },
  { name: "no dead code", args: [tool("knip/bin/knip.js"), "--no-progress"] },
];

/** Runs the checks one after another, on what the tests leave of the processors. */
const runChecks = async () => {
  const results = [];
  for (const { name, args } of checks) {
    const since = performance.now();
    results.push({ name, ...(await run(args, { isBackground: true })), seconds: secondsSince(since) });
  }
  return results;
};

/** Counts tests, and files that failed before any of their tests ran. */
const count = ({ testResults }) => {
  const all = testResults.flatMap(({ assertionResults }) => assertionResults);
  const broken = testResults.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  );
  return {
    passed: all.filter(({ status }) => status === "passed").length,
    failed: all.filter(({ status }) => status === "failed").length + broken.length,
  };
};

/** The folder with the logs and secrets of a whole run, which the last check searches. */
const recordFolder = isWhole ? mkdtempSync(join(temporaryFolder(), "ninefold-secrets-")) : undefined;

/** Fails if a secret of any test appears in a log, a trace or a table where it does not belong. */
const searchForSecrets = () => {
  const since = performance.now();
  const { planted, size, wrong } = searched(recordFolder);
  const among = Object.entries(planted).map(([kind, count]) => `${count} ${kind}`);
  printCheck({
    name: `no secret of ${among.join(", ")} in ${Math.round(size / 1e6)} MB of logs and tables`,
    code: wrong.length,
    output: wrong.join("\n"),
    seconds: secondsSince(since),
  });
  rmSync(recordFolder, { recursive: true, force: true });
};

/** Runs Vitest once and returns its report, file by file; no report if it did not run to its end. */
const runVitest = async (browser, args) => {
  const folder = mkdtempSync(join(temporaryFolder(), "ninefold-report-"));
  const file = join(folder, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const env = {
    ...(browser === undefined ? {} : { [variable]: browser }),
    ...(recordFolder === undefined ? {} : { [recordIn]: recordFolder }),
    ...(isWhole ? { NINEFOLD_WHOLE_RUN: "1" } : {}),
  };
  const { code } = await run([tool("vitest/vitest.mjs"), "run", ...reporters, ...args], { env });
  let report;
  try {
    report = JSON.parse(readFileSync(file, "utf8"));
  } catch {
    console.log("The tests left no report: they did not run to their end.");
  }
  rmSync(folder, { recursive: true, force: true });
  return { code, report };
};

/**
 * Runs the tests. If a few files of a whole run fail, they run once more, alone. A test that passes then still counts as
 * failed, but is reported as UNSTEADY: its cause is timing or order.
 */
const FEW = 3;
const runTests = async (browser, args) => {
  const { code, report } = await runVitest(browser, args);
  const ran = report === undefined ? { passed: 0, failed: 0 } : count(report);
  const failures = report?.testResults.filter(({ status }) => status === "failed").map(({ name }) => name) ?? [];
  if (isWhole && failures.length > 0 && failures.length <= FEW) {
    console.log(`Once more, alone: ${failures.map((name) => relative(root, name)).join(", ")}`);
    const again = await runVitest(browser, [...failures, "--no-file-parallelism"]);
    for (const { name, status } of again.report?.testResults ?? [])
      if (status === "passed") console.log(`UNSTEADY: ${relative(root, name)} failed, and passed when run alone.`);
  }
  // An error outside any test fails the run too.
  if (code !== 0 && ran.failed === 0) ran.failed = 1;
  passed += ran.passed;
  failed += ran.failed;
};

/** Tests that start the built program import none of its sources, so a change in these folders runs all of that kind. */
const startedFrom = { "src/web/": "browser", "src/cli/": "program" };

const runChanged = async (browser, ref) => {
  const since = ref ?? "HEAD";
  const files = changedFiles(since);
  const kinds = Object.entries(startedFrom).filter(([folder]) => files.some((file) => file.startsWith(folder)));
  await runTests(browser, ["--changed", since, "--passWithNoTests"]);
  for (const [, kind] of kinds) await runTests(browser, testFiles()[kind]);
};

const end = () => {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed > 0 || passed === 0 ? 1 : 0);
};

const attempt = async (name, step) => {
  const since = performance.now();
  try {
    const missing = await step();
    printCheck({ name, code: missing === undefined ? 0 : 1, output: missing ?? "", seconds: secondsSince(since) });
  } catch (thrown) {
    const output = thrown instanceof Obstacle ? thrown.message : String(thrown?.stack ?? thrown);
    printCheck({ name, code: 1, output, seconds: secondsSince(since) });
  }
  return failed === 0;
};

const ready = await attempt("set up", async () => {
  checkNode();
  await installPackages();
});
if (!ready) end();
const browser = obtainBrowser();
if (isWhole) await attempt("a browser for the tests", () => browser.missing);
else if (browser.missing !== undefined) console.log(browser.missing);
await attempt("build", build);
const checked = isWhole ? runChecks() : [];
if (words[0] === "--changed") await runChanged(browser.path, words[1]);
else await runTests(browser.path, words);
for (const result of await checked) printCheck(result);
if (isWhole) searchForSecrets();
end();
