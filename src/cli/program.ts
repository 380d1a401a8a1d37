import { basename, isAbsolute, relative } from "node:path";

/**
 * The words that start this program, by the script that started it: `ninefold` if it is installed, `npx ninefold` after
 * `npx` or `npm start`, otherwise `node` with the path of the script.
 */
export const findProgram = (script: string | undefined, folder: string): string => {
  if (script === undefined || /[\\/](?:node_modules[\\/]\.bin[\\/]ninefold|scripts[\\/]start\.mjs)$/u.test(script))
    return "npx ninefold";
  if (basename(script) === "ninefold") return "ninefold";
  const path = relative(folder, script);
  return `node ${path.startsWith("..") || isAbsolute(path) ? script : path}`;
};

/** The words before each command that a hint prints, so that the reader can copy it: `npx ninefold` in a checkout. */
export const program = findProgram(process.argv[1], process.cwd());
