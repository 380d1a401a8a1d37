// npm run states [-- EXAMPLE …] [-t STATE]: opens every address of every example in every state in a browser. A complete
// run writes its results to docs/evidence/states.json.
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, parse } from "node:path";
import { obtainBrowser, variable } from "./browser.mjs";
import { build, checkNode, installPackages, Obstacle, root } from "./setup.mjs";

const examples = readdirSync(join(root, "examples"))
  .filter((file) => file.endsWith(".md") && file !== "README.md")
  .map((file) => parse(file).name);
const words = process.argv.slice(2);
const chosen = examples.filter((name) => words.includes(name));
const rest = words.filter((word) => !examples.includes(word));
const whole = chosen.length === 0 && rest.length === 0;

/** An example keeps two cores busy: two pages, their requests, and the database. */
const atOnce = Math.max(1, Math.floor(availableParallelism() / 2));

const walk = (name, browser, folder) =>
  new Promise((resolve) => {
    const args = ["run", "--reporter=verbose", "--hideSkippedTests", "test/app/states/states.test.ts", ...rest];
    const env = { ...process.env, [variable]: browser, STATES: name, STATES_INTO: folder };
    const child = spawn(process.execPath, [join(root, "node_modules/vitest/vitest.mjs"), ...args], {
      cwd: root,
      stdio: ["ignore", "inherit", "inherit"],
      env,
    });
    child.on("close", (code) => resolve(code === 0));
  });

const minutesOf = (seconds) => Math.round(seconds / 6) / 10;

const table = (summaries) => {
  console.log(
    "\nExample        State                                            Addresses  Opened   Looks  Findings  Minutes",
  );
  for (const [name, states] of Object.entries(summaries))
    for (const [state, { addresses, opened, looks, findings, seconds }] of Object.entries(states))
      console.log(
        [
          name.padEnd(14),
          state.slice(0, 48).padEnd(48),
          `${addresses}`.padStart(9),
          `${opened}`.padStart(7),
          `${looks}`.padStart(7),
          `${findings}`.padStart(9),
          minutesOf(seconds).toFixed(1).padStart(8),
        ].join(" "),
      );
};

const run = async () => {
  checkNode();
  await installPackages();
  await build();
  const browser = obtainBrowser();
  if (browser.missing !== undefined) throw new Obstacle(browser.missing);
  const folder = mkdtempSync(join(tmpdir(), "ninefold-states-"));
  const since = performance.now();
  const left = chosen.length === 0 ? [...examples] : [...chosen];
  const passed = [];
  const failed = [];
  const work = async () => {
    for (let name = left.shift(); name !== undefined; name = left.shift())
      ((await walk(name, browser.path, folder)) ? passed : failed).push(name);
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  const stored = readdirSync(folder).map((file) => [
    parse(file).name,
    JSON.parse(readFileSync(join(folder, file), "utf8")),
  ]);
  rmSync(folder, { recursive: true });
  const summaries = Object.fromEntries(stored);
  table(summaries);
  const states = Object.values(summaries).flatMap((one) => Object.values(one));
  const sum = (what) => states.reduce((total, state) => total + state[what], 0);
  const all = {
    examples: passed.length + failed.length,
    states: states.length,
    opened: sum("opened"),
    looks: sum("looks"),
    findings: sum("findings"),
    minutes: minutesOf((performance.now() - since) / 1000),
  };
  console.log(
    `\n${all.examples} examples, ${all.states} states, ${all.opened} things opened, ${all.looks} looks of axe, ${all.findings} findings, ${all.minutes} minutes${failed.length > 0 ? `; failed: ${failed.join(", ")}` : ""}`,
  );
  if (whole) {
    const evidence = {
      measured: new Date().toISOString().slice(0, 10),
      node: process.version,
      cores: availableParallelism(),
      all,
      examples: summaries,
    };
    writeFileSync(join(root, "docs/evidence/states.json"), `${JSON.stringify(evidence, null, 2)}\n`);
  }
  process.exitCode = failed.length > 0 ? 1 : 0;
};

try {
  await run();
} catch (thrown) {
  if (!(thrown instanceof Obstacle)) throw thrown;
  console.error(thrown.message);
  process.exitCode = 1;
}
