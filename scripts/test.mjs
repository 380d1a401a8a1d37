// npm test [-- PART …]: everything that has to hold. With a part (test/rule), the tests of that part without the other
// gates. Each gate counts as one test. The last line is always "N passed, N failed"; the exit code is 1 when any failed or none ran.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { obtainBrowser, variable } from "./browser.mjs";
import { keepIn, searched } from "./secrets.mjs";
import { build, checkNode, installPackages, Obstacle, root } from "./setup.mjs";

const parts = process.argv.slice(2);
let passed = 0;
let failed = 0;

const tool = (path) => join(root, "node_modules", path);

const run = (args, { quiet, env }) =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, ...env },
      stdio: quiet ? ["ignore", "pipe", "pipe"] : "inherit",
    });
    let said = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (data) => {
        said += data;
      });
    child.on("error", (error) => resolve({ code: 1, said: error.message }));
    child.on("close", (code) => resolve({ code: code ?? 1, said }));
  });

/** One line for a gate that holds; all that it said for one that does not. */
const gate = (name, code, said, since) => {
  if (code === 0) passed += 1;
  else failed += 1;
  console.log(`${code === 0 ? "passed" : "FAILED"}  ${name} (${((performance.now() - since) / 1000).toFixed(1)} s)`);
  if (code !== 0) console.log(said.trimEnd().replaceAll(/^/gm, "    "));
};

const gates = [
  { name: "types", args: [tool("typescript/bin/tsc"), "-b"] },
  { name: "style", args: [tool("@biomejs/biome/bin/biome"), "check", "--error-on-warnings"] },
  { name: "no dead code", args: [tool("knip/bin/knip.js"), "--no-progress"] },
];

const runGates = () =>
  Promise.all(
    gates.map(async ({ name, args }) => {
      const since = performance.now();
      const { code, said } = await run(args, { quiet: true });
      gate(name, code, said, since);
    }),
  );

/** Tests that ran, and files that broke before any of their tests did. */
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

/** Where a whole run leaves what its last step looks through. */
const kept = parts.length === 0 ? mkdtempSync(join(tmpdir(), "ninefold-kept-")) : undefined;

/** Whether a secret of any test stands in a log, a trace or a table where it does not belong. */
const lookForSecrets = () => {
  const since = performance.now();
  const { planted, size, wrong } = searched(kept);
  const among = Object.entries(planted).map(([kind, count]) => `${count} ${kind}`);
  gate(
    `no secret of ${among.join(", ")} in ${Math.round(size / 1e6)} MB of what was said and stored`,
    wrong.length,
    wrong.join("\n"),
    since,
  );
  rmSync(kept, { recursive: true, force: true });
};

/** One run of the tests: what it came to, and file by file where it left a report. */
const runOnce = async (browser, args) => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-report-"));
  const file = join(folder, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const env = {
    ...(browser === undefined ? {} : { [variable]: browser }),
    ...(kept === undefined ? {} : { [keepIn]: kept }),
  };
  const { code } = await run([tool("vitest/vitest.mjs"), "run", ...reporters, ...args], { quiet: false, env });
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
 * Faults, races and browsers are tried on whatever machine there is, and a busy one may be slower than any patience. So where a
 * few files of a whole run failed, they run once more, alone; what fails then has failed. What did not is said by name:
 * it is to be mended like any other mistake.
 */
const FEW = 3;
const runTests = async (browser) => {
  const { code, report } = await runOnce(browser, parts);
  let ran = report === undefined ? { passed: 0, failed: 0 } : count(report);
  let ended = code;
  const unsteady = report?.testResults.filter(({ status }) => status === "failed") ?? [];
  if (whole && ran.failed > 0 && unsteady.length <= FEW) {
    const names = unsteady.map(({ name }) => relative(root, name));
    console.log(`Once more, alone: ${names.join(", ")}`);
    const again = await runOnce(browser, [...names, "--no-file-parallelism"]);
    if (again.report !== undefined) {
      const kept = report.testResults.filter((result) => !unsteady.includes(result));
      ran = count({ testResults: [...kept, ...again.report.testResults] });
      ended = again.code;
    }
    if (ran.failed === 0) console.log(`UNSTEADY: failed at first, and held when run alone: ${names.join(", ")}`);
  }
  // An error outside any test, or no test at all, fails the run without a test that failed.
  if (ended !== 0 && ran.failed === 0) ran.failed = 1;
  passed += ran.passed;
  failed += ran.failed;
};

const end = () => {
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed > 0 || passed === 0 ? 1 : 0);
};

const attempt = (name, step) => {
  const since = performance.now();
  try {
    const missing = step();
    gate(name, missing === undefined ? 0 : 1, missing ?? "", since);
  } catch (thrown) {
    gate(name, 1, thrown instanceof Obstacle ? thrown.message : String(thrown?.stack ?? thrown), since);
  }
  return failed === 0;
};

const whole = parts.length === 0;
const ready = attempt("set up", () => {
  checkNode();
  installPackages();
});
if (!ready) end();
attempt("build", build);
const browser = obtainBrowser();
if (whole) {
  attempt("a browser for the tests", () => browser.missing);
  await runGates();
} else if (browser.missing !== undefined) console.log(browser.missing);
await runTests(browser.path);
if (whole) lookForSecrets();
end();
