// npm start [-- FILE] [options of `ninefold run`]

import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, checkNode, installPackages, Obstacle, root } from "./setup.mjs";

const args = process.argv.slice(2);
const named = args[0] !== undefined && !args[0].startsWith("-");
/** npm runs this script in the folder of package.json, but paths are relative to the person's folder. */
const located = (name) => {
  const path = resolve(process.env.INIT_CWD ?? "", name);
  return existsSync(path) ? relative("", path) : name;
};
const file = named ? located(args[0]) : relative("", join(root, "examples", "lending.md"));
const rest = named ? args.slice(1) : args;
const port = rest.some((option) => option === "--port" || option.startsWith("--port=")) ? [] : ["--port", "9009"];

try {
  checkNode();
  await installPackages();
  await build();
} catch (thrown) {
  if (!(thrown instanceof Obstacle)) throw thrown;
  console.error(thrown.message);
  process.exit(1);
}

// The program runs in this process, not in a child: Ctrl+C reaches every process of the terminal, so a child would get it
// twice.
// npm passes SIGTERM to a shell, which ends without passing it on. So the program stops when its parent process is gone.
const parent = process.ppid;
const watch = setInterval(() => {
  if (process.ppid === parent) return;
  clearInterval(watch);
  process.kill(process.pid, "SIGTERM");
}, 200).unref();

const main = join(root, "dist", "cli", "main.js");
process.argv = [process.execPath, fileURLToPath(import.meta.url), "run", file, ...port, ...rest];
await import(pathToFileURL(main).href);
