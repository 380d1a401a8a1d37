import { spawnSync } from "node:child_process";
import { root } from "./setup.mjs";

/** The files that differ from a commit, with new ones; none without git. */
export const changedFiles = (since) => {
  const git = (...args) => spawnSync("git", args, { cwd: root, encoding: "utf8" }).stdout?.split("\n") ?? [];
  return [...git("diff", "--name-only", since), ...git("ls-files", "--others", "--exclude-standard")].filter(Boolean);
};
