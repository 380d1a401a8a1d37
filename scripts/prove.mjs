// npm run prove [-- PAIRS [SEED]]: random expressions over random records, in JavaScript and in Postgres, until a million
// pairs have agreed. The seed is printed; a counter-example is shrunk and shown, and its seed belongs into the test.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { build, checkNode, installPackages, Obstacle, root } from "./setup.mjs";

const [pairs = "1000000", seed = String(Math.floor(Math.random() * 2 ** 31))] = process.argv.slice(2);
/** Each expression meets this many records; see test/rule/agree.test.ts. */
const RECORDS = 40;

try {
  checkNode();
  installPackages();
  build();
} catch (thrown) {
  if (!(thrown instanceof Obstacle)) throw thrown;
  console.error(thrown.message);
  process.exit(1);
}

const runs = Math.ceil(Number(pairs) / RECORDS);
console.log(`${runs * RECORDS} pairs, seed ${seed}. Again with: npm run prove -- ${pairs} ${seed}`);
const { status } = spawnSync(
  process.execPath,
  [join(root, "node_modules/vitest/vitest.mjs"), "run", "test/rule/agree.test.ts", "--testTimeout", "3600000"],
  { cwd: root, stdio: "inherit", env: { ...process.env, SEED: seed, RUNS: String(runs) } },
);
process.exit(status ?? 1);
