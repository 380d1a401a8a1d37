// npm run prove [-- PAIRS [SEED]]: compares JavaScript and Postgres on random expressions and records, a million pairs by
// default. Prints the seed. A counter-example is shrunk and printed; add its seed to the test.
// Then runs the other random tests with many more cases than "npm test".
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { build, checkNode, installPackages, Obstacle, root } from "./setup.mjs";

const [pairs = "1000000", seed = String(Math.floor(Math.random() * 2 ** 31))] = process.argv.slice(2);
/** Records for each expression; see engines-agree.test.ts. */
const RECORDS = 40;
const pairsTest = "test/rule/engines-agree.test.ts";

try {
  checkNode();
  await installPackages();
  await build();
} catch (thrown) {
  if (!(thrown instanceof Obstacle)) throw thrown;
  console.error(thrown.message);
  process.exit(1);
}

const runs = Math.ceil(Number(pairs) / RECORDS);
console.log(`${runs * RECORDS} pairs, seed ${seed}. Again with: npm run prove -- ${pairs} ${seed}`);
const vitest = (files, env) =>
  spawnSync(
    process.execPath,
    [join(root, "node_modules/vitest/vitest.mjs"), "run", ...files, "--testTimeout", "3600000"],
    { cwd: root, stdio: "inherit", env: { ...process.env, SEED: seed, ...env } },
  ).status ?? 1;

const pairsStatus = vitest([pairsTest], { RUNS: String(runs) });
const others = readdirSync(join(root, "test"), { recursive: true })
  .map((name) => `test/${name}`)
  .filter((name) => name.endsWith(".test.ts") && name !== pairsTest)
  .filter((name) => /\bcases\b[^;]*chance\.ts"/u.test(readFileSync(join(root, name), "utf8")));
process.exit(Math.max(pairsStatus, vitest(others, { MANY_CASES: "1" })));
