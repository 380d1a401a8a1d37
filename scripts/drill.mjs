// npm run drill [-- ROUNDS]: a failover drill. A primary with two standbys, two servers, 32 writers and 8 readers: kills the
// primary, promotes a standby, and counts acknowledged writes that are lost (10 rounds each with synchronous and asynchronous
// standbys). Writes the results to docs/evidence/drill.json. Then it goes back to a point in time from a base backup and an archive
// of the log.
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { build, checkNode, installPackages, Obstacle, root } from "./setup.mjs";

const [rounds = "10"] = process.argv.slice(2);

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
    "test/app/operation/failover.test.ts",
    "test/app/operation/recovery.test.ts",
  ],
  { cwd: root, stdio: "inherit", env: { ...process.env, DRILL_ROUNDS: rounds } },
);
process.exit(status ?? 1);
