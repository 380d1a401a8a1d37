// The four kinds of test, slowest first, each known by what its file imports.
import { readdirSync, readFileSync } from "node:fs";

/**
 * - `browser`: a person at a real Chromium
 * - `program`: the built program as a process of its own, often killed or starved
 * - `database`: the application in the test's own process, on the run's shared Postgres
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
