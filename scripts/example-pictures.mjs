// node scripts/example-pictures.mjs: runs each example with its sample data, and saves a picture of its first page for
// the start page of the workbench (docs/images/example-NAME.png).
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { obtainBrowser } from "./browser.mjs";
import { build, root } from "./setup.mjs";

/** The page of each example, and the role whose view it is. */
const examples = {
  lending: { role: "keeper", path: "/" },
  "help-desk": { role: "agent", path: "/" },
  "leave-desk": { role: "payroll", path: "/" },
  purchasing: { role: "buyer", path: "/" },
  booking: { role: "administrator", path: "/" },
};

const picture = async (browser, name, { role, path }) => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-picture-"));
  // Postgres runs as another account when this is started by root.
  chmodSync(folder, 0o755);
  const ready = join(folder, "ready");
  const file = join(root, "examples", `${name}.md`);
  const options = ["--demonstration", "--data", join(folder, "data"), "--port", "0", "--ready-file", ready];
  const program = spawn(process.execPath, [join(root, "dist/cli/main.js"), "run", file, ...options], {
    stdio: ["ignore", "ignore", "inherit"],
    env: { ...process.env, NINEFOLD_CLOCK: "2026-11-18T09:30:00Z" },
  });
  try {
    while (!existsSync(ready)) {
      if (program.exitCode !== null) throw new Error(`${name} did not start`);
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const { url } = JSON.parse(readFileSync(ready, "utf8"));
    const context = await browser.newContext({
      viewport: { width: 1120, height: 700 },
      locale: "en-GB",
      deviceScaleFactor: 640 / 1120,
    });
    const { signIn } = await (await context.request.get(`${url}/_/application`)).json();
    const person = signIn.demonstration.find(({ roles }) => roles.includes(role)) ?? signIn.demonstration[0];
    await context.request.post(`${url}/_/session`, { data: { demonstration: person.token } });
    const page = await context.newPage();
    await page.goto(`${url}${path}`);
    await page.getByRole("main").waitFor();
    const isBusy = () => document.querySelector("[aria-busy=true], .skeleton") !== null;
    for (let still = 0; still < 6; still = (await page.evaluate(isBusy)) ? 0 : still + 1)
      await page.waitForTimeout(250);
    await page.screenshot({ path: join(root, "docs", "images", `example-${name}.png`) });
    await context.close();
  } finally {
    program.kill("SIGTERM");
    if (program.exitCode === null) await once(program, "exit");
    rmSync(folder, { recursive: true, force: true });
  }
};

await build();
const browser = await chromium.launch({
  executablePath: obtainBrowser().path,
  args: ["--no-sandbox", "--disable-gpu"],
});
for (const [name, options] of Object.entries(examples)) await picture(browser, name, options);
await browser.close();
