// Finds the browser that the tests drive, and installs Debian's where that can be done without asking.
import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

const isProgram = (path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

const onPath = (...names) =>
  (process.env.PATH ?? "")
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find(isProgram);

/** The variable that names another browser. */
export const variable = "NINEFOLD_BROWSER";

const macs = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The path of a Chromium, or undefined. */
export const findBrowser = () => {
  const named = process.env[variable];
  if (named) return isProgram(named) ? named : undefined;
  return onPath("chromium", "chromium-browser", "google-chrome", "google-chrome-stable") ?? macs.find(isProgram);
};

/** The path of a Chromium, installed where it was missing; where that cannot be, what to do instead. */
export const obtainBrowser = () => {
  const found = findBrowser();
  if (found !== undefined) return { path: found };
  if (process.env[variable])
    return { missing: `${variable} names “${process.env[variable]}”, which is not a program that can be run.` };
  const apt = onPath("apt-get");
  if (apt === undefined || process.getuid?.() !== 0)
    return {
      missing: `The tests drive a Chromium, and none is installed. Install it (Debian: sudo apt-get install chromium), or name another with ${variable}=/path/to/chromium.`,
    };
  console.log("Installing Chromium for the tests (apt-get install chromium) …");
  const options = {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  };
  spawnSync(apt, ["update", "-qq"], options);
  spawnSync(apt, ["install", "-y", "-qq", "--no-install-recommends", "chromium"], options);
  const installed = findBrowser();
  return installed === undefined
    ? {
        missing: `Chromium could not be installed with apt-get, which says why above. Name another with ${variable}=/path/to/chromium.`,
      }
    : { path: installed };
};
