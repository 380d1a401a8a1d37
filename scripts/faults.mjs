// npm run faults [-- ROUNDS]: what goes wrong around the program, for long: twenty kills of the database and of servers under
// writers, a full disk, slow and hostile clients, a clock that jumps. Writes what it found to docs/evidence/faults.json. Then what strangers, and one
// person among many, send to keep everybody else waiting, with how long the others waited.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { build, checkNode, installPackages, Obstacle, root } from "./setup.mjs";

const [rounds = "20"] = process.argv.slice(2);

try {
  checkNode();
  installPackages();
  build();
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
