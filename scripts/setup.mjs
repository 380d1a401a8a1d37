// Prepares everything that Ninefold needs to start or to be tested: Node, the packages, the build. Uses only Node's own
// modules, because it runs before any package is installed. It prints each step, and skips finished ones.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));
const at = (...path) => join(root, ...path);

/** A problem that the person has to solve, as a sentence. */
export class Obstacle extends Error {}

const giveUp = (sentence) => {
  throw new Obstacle(sentence);
};

/** The oldest supported Node, from `engines` in package.json. */
export const checkNode = (running = process.versions.node) => {
  const least = /\d+\.\d+/.exec(JSON.parse(readFileSync(at("package.json"), "utf8")).engines.node)[0];
  const [major, minor] = running.split(".").map(Number);
  const [leastMajor, leastMinor] = least.split(".").map(Number);
  if (major > leastMajor || (major === leastMajor && minor >= leastMinor)) return;
  giveUp(
    `Ninefold needs Node ${least} or newer, and this is Node ${running}. Install it from https://nodejs.org and start again.`,
  );
};

const readJson = (path) => {
  try {
    return JSON.parse(readFileSync(path, "utf8"));
  } catch {
    return undefined;
  }
};

/**
 * The first package that is missing or whose version differs from package-lock.json; undefined if there is none.
 * npm's last step is to list the installed packages in node_modules/.package-lock.json. Packages for other platforms are
 * optional and not installed.
 */
export const wrongPackage = (lock, installed) => {
  if (installed === undefined) return "";
  for (const [path, wanted] of Object.entries(lock.packages)) {
    const found = installed.packages[path];
    if (path === "" || (found === undefined && (wanted.optional || wanted.devOptional))) continue;
    if (found?.version !== wanted.version || found?.integrity !== wanted.integrity) return path;
  }
  return undefined;
};

const isRunning = (id) => {
  try {
    return process.kill(id, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
};

/** Runs work that writes to this folder while no other process does: somebody may start two applications at once. */
export const alone = async (work, lock = at("dist", ".being-written")) => {
  mkdirSync(dirname(lock), { recursive: true });
  for (let isTold = false; ; isTold = true) {
    try {
      writeFileSync(lock, `${process.pid}`, { flag: "wx" });
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    // A process that was killed has left its lock. One that has just made it may not have written its id yet.
    const owner = existsSync(lock) ? readFileSync(lock, "utf8") : "";
    if (owner !== "" && !isRunning(Number(owner))) rmSync(lock, { force: true });
    else if (!isTold) console.log("Another process installs or builds here. Waiting for it …");
    await sleep(200);
  }
  try {
    return await work();
  } finally {
    rmSync(lock, { force: true });
  }
};

/** Installs the packages of package-lock.json, unless they are already installed. */
export const installPackages = () => alone(installMissing);

const installMissing = () => {
  const lock =
    readJson(at("package-lock.json")) ??
    giveUp("package-lock.json is missing or cannot be read. Restore it from the repository.");
  const wrong = wrongPackage(lock, readJson(at("node_modules", ".package-lock.json")));
  if (wrong === undefined) return;
  console.log(
    wrong === ""
      ? "Installing the packages (npm ci). This is done once …"
      : `Installing the packages again (npm ci): ${wrong} differs from package-lock.json …`,
  );
  // Uses the npm that started this script, not the first one in PATH. NODE_ENV=production would omit the compiler.
  const npm = process.env.npm_execpath ?? "";
  const [program, ...first] = basename(npm).startsWith("npm") ? [process.execPath, npm] : ["npm"];
  // Warnings of npm about packages of packages mean nothing to the reader; errors are printed.
  const quiet = ["--include=dev", "--loglevel=error", "--no-audit", "--no-fund"];
  const { status, error } = spawnSync(program, [...first, "ci", ...quiet], { cwd: root, stdio: "inherit" });
  if (error !== undefined)
    giveUp(`npm could not be run (${error.message}). Install npm, which comes with Node, and start again.`);
  if (status !== 0) giveUp("The packages could not be installed. npm says why above. Fix this, then start again.");
};

/** Vite configurations of the interface, the program and the commands. */
const configs = ["vite.config.ts", "vite.program.config.ts", "vite.commands.config.ts"];

/** A hash of all inputs of the build. Hashes contents, because a checkout gives each file a new time. */
const sourcesHash = () => {
  const hash = createHash("sha1");
  const files = ["src", "docs"]
    .flatMap((folder) => readdirSync(at(folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const settings = ["package-lock.json", "tsconfig.base.json", "scripts/write-docs.mjs", ...configs].map((name) =>
    at(name),
  );
  for (const file of [...files.sort(), ...settings])
    hash.update(file).update("\0").update(readFileSync(file)).update("\0");
  return hash.digest("hex");
};

const runStep = async (step) => {
  const [status] = await once(spawn(process.execPath, step, { cwd: root, stdio: "inherit" }), "close");
  if (status !== 0) giveUp("The build failed, for the reasons above.");
};

const stamp = at("dist", ".built-from");

const isBuiltFrom = (sources) =>
  ["cli/main.js", "server/parts/commands.cjs", "web/index.html", "docs/index.json"].every((name) =>
    existsSync(at("dist", name)),
  ) &&
  existsSync(stamp) &&
  readFileSync(stamp, "utf8") === sources;

/** True if dist/ is built from src/ as it is now. */
export const isBuilt = () => isBuiltFrom(sourcesHash());

/** Builds dist/ from src/ if it is out of date. */
export const build = () => alone(buildOutdated);

const buildOutdated = async () => {
  const sources = sourcesHash();
  if (isBuiltFrom(sources)) return;
  console.log("Building. This takes about a minute …");
  const vite = at("node_modules/vite/bin/vite.js");
  // They write different files, so they run beside each other.
  const parts = [
    // Checks the types and writes declarations for users of the library.
    [at("node_modules/typescript/bin/tsc"), "-b", "src"],
    ...configs.map((config) => [vite, "build", "--config", at(config), "--logLevel", "warn"]),
    [at("scripts/write-docs.mjs")],
  ];
  await Promise.all(parts.map(runStep));
  await runStep([at("dist/cli/write-code-cache.js"), at("examples/lending.md")]);
  mkdirSync(at("dist"), { recursive: true });
  writeFileSync(stamp, sources);
};
