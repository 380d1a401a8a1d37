// The four kinds of test. The imports of a file decide its kind.
import { readdirSync, readFileSync } from "node:fs";

/**
 * - `browser`: drives a real Chromium
 * - `program`: starts the built program as a process, which some tests kill or starve
 * - `database`: runs the application in the test's process, on the shared Postgres of the run
 * - `unit`: no database
 */
const kinds = {
  browser: /from "[^"]*\/(?:web\/browser|states\/walk)\.ts"/u,
  program: /\b(?:startProgram|ninefold|command|startEmbedded)\b[^;]*from "/u,
  database: /from "[^"]*\/(?:postgres|program|pair|engines|world)\.ts"/u,
  unit: /(?:)/u,
};

/** The paths of all test files by kind, in the order of the kinds. Run in the project's folder. */
export const testFiles = () => {
  const found = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));
  for (const name of readdirSync("test", { recursive: true, encoding: "utf8" })) {
    if (!/\.test\.tsx?$/u.test(name)) continue;
    const text = readFileSync(`test/${name}`, "utf8");
    found[Object.keys(kinds).find((kind) => kinds[kind].test(text))].push(`test/${name}`);
  }
  return found;
};

/** True for a test file of random cases or with turns: it is short for the time that it takes. */
export const isRandom = (path) => /from "[^"]*\/(?:chance|turns)\.ts"/u.test(readFileSync(path, "utf8"));
