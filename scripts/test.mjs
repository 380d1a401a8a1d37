// npm test [-- PART …]: everything that has to hold. With a part (test/rule), the tests of that part without the other
// gates. Each gate counts as one test. The last line is always "N passed, N failed"; the exit code is 1 when any failed or none ran.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { obtainBrowser, variable } from "./browser.mjs";
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
const count = (report) => {
  const broken = report.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.some((test) => test.status === "failed"),
  );
  return { passed: report.numPassedTests, failed: report.numFailedTests + broken.length };
};

const runTests = async (browser) => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-report-"));
  const file = join(folder, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${file}`];
  const env = browser === undefined ? {} : { [variable]: browser };
  const { code } = await run([tool("vitest/vitest.mjs"), "run", ...reporters, ...parts], { quiet: false, env });
  let ran = { passed: 0, failed: 0 };
  try {
    ran = count(JSON.parse(readFileSync(file, "utf8")));
  } catch {
    console.log("The tests left no report: they did not run to their end.");
  }
  rmSync(folder, { recursive: true, force: true });
  // An error outside any test, or no test at all, fails the run without a test that failed.
  if (code !== 0 && ran.failed === 0) ran.failed = 1;
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
end();
