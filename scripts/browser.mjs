// Finds the browser for the tests. Installs the Debian package if that needs no confirmation.
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
  names
    .flatMap((name) => (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name)))
    .find(isProgram);

/** The environment variable that names another browser. */
export const variable = "NINEFOLD_BROWSER";

/**
 * Programs and Debian packages of the same name, best first. The headless shell has no browser window and opens a page in
 * a third of the time.
 */
const names = ["chromium-headless-shell", "chromium"];
const others = ["chromium-browser", "google-chrome", "google-chrome-stable"];
const macs = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** The path of a Chromium, or undefined. */
export const findBrowser = () => {
  const named = process.env[variable];
  if (named) return isProgram(named) ? named : undefined;
  return onPath(...names, ...others) ?? macs.find(isProgram);
};

const install = (apt, name) => {
  console.log(`Installing ${name} for the tests (apt-get install ${name}) …`);
  const options = {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive" },
  };
  spawnSync(apt, ["install", "-y", "-qq", "--no-install-recommends", name], options);
};

/** The path of a Chromium, installed if there is none; otherwise a sentence that says what to do. */
export const obtainBrowser = () => {
  if (process.env[variable]) {
    const path = findBrowser();
    return path === undefined
      ? { missing: `${variable} names “${process.env[variable]}”, which is not a program that can be run.` }
      : { path };
  }
  const apt = onPath("apt-get");
  const canInstall = apt !== undefined && process.getuid?.() === 0;
  if (canInstall && onPath(names[0]) === undefined) {
    spawnSync(apt, ["update", "-qq"], { stdio: ["ignore", "ignore", "inherit"] });
    for (const name of names) if (onPath(names[0], name) === undefined) install(apt, name);
  }
  const path = findBrowser();
  if (path !== undefined) return { path };
  return {
    missing: canInstall
      ? `Chromium could not be installed with apt-get, which says why above. Name another with ${variable}=/path/to/chromium.`
      : `The tests need a Chromium. Install it (Debian: sudo apt-get install ${names[0]}), or name another with ${variable}=/path/to/chromium.`,
  };
};
