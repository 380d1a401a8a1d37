import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";

/** All commands and their dependencies, built into one file (vite.commands.config.ts). */
const file = fileURLToPath(new URL("../../server/parts/commands.cjs", import.meta.url));

/** The compiled code of `file`. Only the version of Node that wrote it can use it. */
export const codeCache = `${file}.cache`;

const readCache = (): Buffer | undefined => {
  try {
    return readFileSync(codeCache);
  } catch {
    return undefined;
  }
};

interface Commands {
  /** Runs `ninefold` with these arguments; returns its exit code. */
  readonly main: (args: readonly string[]) => Promise<number>;
  readonly script: Script;
}

/**
 * Loads the commands as a CommonJS module with cached code. Node itself would compile each module again at every start,
 * which takes longer than the rest of the start.
 */
export const loadCommands = (): Commands => {
  const cachedData = readCache();
  const text = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, "latin1")}\n})`;
  const script = new Script(text, {
    filename: file,
    ...(cachedData === undefined ? {} : { cachedData }),
  });
  const module = { exports: {} as Pick<Commands, "main"> };
  const run = script.runInThisContext() as (...args: readonly unknown[]) => void;
  run.call(module.exports, module.exports, createRequire(file), module, file, dirname(file));
  return { main: module.exports.main, script };
};
