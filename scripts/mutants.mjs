// npm run prove:mutants: corrupts the functions of the rule language one at a time. Counts the pairs of an expression and a
// record until the comparison of JavaScript and Postgres finds each corruption. Writes docs/evidence/mutants.json.
// Then edits the example documents: each edit has to give the lines of its kind, and the example of each line is stored in
// Postgres, where both versions have to treat it differently.
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build, checkNode, installPackages, Obstacle, root } from "./setup.mjs";

try {
  checkNode();
  await installPackages();
  await build();
} catch (thrown) {
  if (!(thrown instanceof Obstacle)) throw thrown;
  console.error(thrown.message);
  process.exit(1);
}

const evidence = join(root, "docs/evidence/mutants.json");
const run = (files, env) =>
  spawnSync(
    process.execPath,
    [join(root, "node_modules/vitest/vitest.mjs"), "run", ...files, "--testTimeout", "3600000"],
    { cwd: root, stdio: "inherit", env: { ...process.env, ...env } },
  ).status ?? 1;
const status = run(["test/rule/mutation.test.ts", "--reporter=dot"], { EVIDENCE: evidence });
const { of, results } = JSON.parse(readFileSync(evidence, "utf8"));
for (const { operation, noticedAfter } of results) {
  const mistakes = Object.entries(noticedAfter).map(([mistake, pairs]) => `${mistake} ${pairs}`);
  console.log(`${operation.padEnd(34)} ${mistakes.join(", ")}`);
}
const all = results.flatMap(({ noticedAfter }) => Object.values(noticedAfter));
console.log(
  `${all.length} mistakes in ${results.length} operations; the last was noticed after ${Math.max(...all)} of ${of} pairs.`,
);
const changes = run(["test/change/mutants.test.ts", "test/change/witnesses.test.ts"], {
  MANY_CASES: "1",
  EVIDENCE: evidence,
});
process.exit(Math.max(status, changes));
