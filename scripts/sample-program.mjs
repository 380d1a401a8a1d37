// Runs an example with its sample data for pictures, and opens pages in it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { obtainBrowser } from "./browser.mjs";
import { Obstacle, root } from "./setup.mjs";

export const launchBrowser = () => {
  const { path, missing } = obtainBrowser();
  if (path === undefined) throw new Obstacle(missing);
  return chromium.launch({ executablePath: path, args: ["--no-sandbox", "--disable-gpu"] });
};

/** Calls `use` with the address of the running example, then stops it and deletes its data. */
export const withExample = async (name, use, env = {}) => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-pictures-"));
  // Under root, Postgres runs as another account, which must be able to reach its data below this folder.
  chmodSync(folder, 0o755);
  const ready = join(folder, "ready");
  const options = ["--demonstration", "--data", join(folder, "data"), "--port", "0", "--ready-file", ready];
  const file = join(root, "examples", `${name}.md`);
  const program = spawn(process.execPath, [join(root, "dist/cli/main.js"), "run", file, ...options], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, ...env },
  });
  try {
    while (!existsSync(ready)) {
      if (program.exitCode !== null) throw new Obstacle(`The example “${name}” did not start.`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    await use(JSON.parse(readFileSync(ready, "utf8")).url);
  } finally {
    program.kill("SIGTERM");
    if (program.exitCode === null) await once(program, "exit");
    rmSync(folder, { recursive: true, force: true });
  }
};

/** The sample people of a running example: their names, roles and sign-in tokens. */
export const findPeople = async (url) => (await (await fetch(`${url}/_/application`)).json()).signIn.demonstration;

/** A page in a browser context of its own; signed in as the sample person, if there is one. */
export const openPage = async (browser, url, person, { width, theme, ...options }) => {
  const phone = width < 768;
  const context = await browser.newContext({
    baseURL: url,
    viewport: { width, height: phone ? 844 : 900 },
    colorScheme: theme,
    isMobile: phone,
    hasTouch: phone,
    reducedMotion: "reduce",
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    ...options,
  });
  context.setDefaultTimeout(20_000);
  if (person !== undefined) await context.request.post("/_/session", { data: { demonstration: person.token } });
  return context.newPage();
};

/** Waits until nothing on the page is loading. */
export const waitUntilLoaded = async (page) => {
  await page.getByRole("main").waitFor();
  const isBusy = () => document.querySelector("[aria-busy=true], .skeleton") !== null;
  for (let still = 0; still < 3; still = (await page.evaluate(isBusy)) ? 0 : still + 1) await page.waitForTimeout(120);
};
