import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";

/** The commands and all that they need, built into one file (vite.commands.config.ts). */
const file = fileURLToPath(new URL("../../server/parts/commands.cjs", import.meta.url));

/** Keeps the compiled code of `file` for the version of Node that wrote it; others ignore it. */
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
 * Loads the commands as Node loads a CommonJS module. Node itself compiles each module anew at each start, which takes
 * longer than the rest of a start.
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
