// npm run faults [-- ROUNDS]: long fault tests. Kills the database and servers under load (20 rounds), fills the disk, connects
// slow and hostile clients, and moves the clock. Writes the results to docs/evidence/faults.json. Then it measures how long
// people wait while strangers or one other person flood the server.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { build, checkNode, installPackages, Obstacle, root } from "./setup.mjs";

const [rounds = "20"] = process.argv.slice(2);

try {
  checkNode();
  await installPackages();
  await build();
} catch (thrown) {
  if (!(thrown instanceof Obstacle)) throw thrown;
  console.error(thrown.message);
  process.exit(1);
}

const { status } = spawnSync(
  process.execPath,
  [
    join(root, "node_modules/vitest/vitest.mjs"),
    "run",
    "test/app/operation/faults.test.ts",
    "test/app/operation/strangers.test.ts",
  ],
  { cwd: root, stdio: "inherit", env: { ...process.env, FAULT_ROUNDS: rounds } },
);
process.exit(status ?? 1);
