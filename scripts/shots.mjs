// npm run shots [-- NAME …]: the named pictures of the lending desk into docs/shots, by the program and a Chromium of one's
// own. Only those that the README shows are kept with the source.
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { obtainBrowser } from "./browser.mjs";
import { build, checkNode, installPackages, Obstacle, root } from "./setup.mjs";

const keeper = "Jonas Weber";
const open = async (page, path, action) => {
  await page.goto(path);
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.waitForTimeout(700);
  await action?.(page);
  await page.waitForTimeout(300);
};

const selectRows = async (page) => {
  for (const at of [1, 3, 4]) await page.getByRole("row").nth(at).getByRole("checkbox").check({ force: true });
};
const openFirst = async (page) => {
  await page.getByRole("row").nth(1).getByRole("link").first().click();
  await page.getByRole("heading", { level: 2, name: "Where it stands" }).waitFor();
};

/** Each with its width and theme: `list-1440-light`. */
const pictures = {
  overview: ["/"],
  list: ["/loans"],
  "list-selected": ["/loans", selectRows],
  board: ["/loans?layout=board"],
  calendar: ["/loans?layout=calendar"],
  record: ["/loans?status=asked", openFirst],
  form: ["/loans/new"],
  palette: ["/loans", (page) => page.keyboard.press("Control+k")],
};
const sizes = [1440, 390];
const themes = ["light", "dark"];

const freePort = () =>
  new Promise((resolve) => {
    const probe = createServer();
    probe.listen(0, "127.0.0.1", () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });

const started = async (folder) => {
  const port = await freePort();
  const ready = join(folder, "ready");
  const program = spawn(
    process.execPath,
    [
      join(root, "dist/cli/main.js"),
      "run",
      join(root, "examples/lending.md"),
      "--port",
      `${port}`,
      "--data",
      join(folder, "data"),
      "--ready-file",
      ready,
    ],
    { stdio: "ignore" },
  );
  for (let tries = 0; tries < 300; tries++) {
    await new Promise((resolve) => setTimeout(resolve, 200));
    try {
      return { program, url: JSON.parse(readFileSync(ready, "utf8")).url };
    } catch {
      // Not yet.
    }
  }
  program.kill();
  throw new Obstacle("The program did not start in time.");
};

const take = async (url, wanted, executablePath) => {
  const out = join(root, "docs/shots");
  mkdirSync(out, { recursive: true });
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-gpu"] });
  try {
    for (const width of sizes)
      for (const colorScheme of themes) {
        const phone = width < 768;
        const context = await browser.newContext({
          baseURL: url,
          viewport: { width, height: phone ? 844 : 900 },
          colorScheme,
          isMobile: phone,
          hasTouch: phone,
          reducedMotion: "reduce",
          locale: "en-GB",
          timezoneId: "Europe/Berlin",
        });
        const page = await context.newPage();
        await page.goto("/sign-in");
        await page.getByRole("button", { name: keeper }).click();
        await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
        for (const [name, [path, action]] of Object.entries(pictures)) {
          if (wanted.length > 0 && !wanted.includes(name)) continue;
          // Rows are selected, and the palette is opened, where there is a pointer and a keyboard.
          if (phone && ["list-selected", "palette"].includes(name)) continue;
          const file = `${name}-${width}-${colorScheme}.png`;
          await open(
            page,
            path,
            phone && name === "record" ? (one) => one.locator("[data-row]").first().click() : action,
          );
          await page.screenshot({ path: join(out, file) });
          console.log(`docs/shots/${file}`);
        }
        await context.close();
      }
  } finally {
    await browser.close();
  }
};

const folder = mkdtempSync(join(tmpdir(), "ninefold-shots-"));
// The account that Postgres runs as under root must get through to its data below.
chmodSync(folder, 0o711);
let running;
try {
  checkNode();
  installPackages();
  build();
  const { path, missing } = obtainBrowser();
  if (path === undefined) throw new Obstacle(missing);
  running = await started(folder);
  await take(running.url, process.argv.slice(2), path);
} catch (thrown) {
  if (!(thrown instanceof Obstacle)) throw thrown;
  console.error(thrown.message);
  process.exitCode = 1;
} finally {
  if (running) {
    running.program.kill("SIGTERM");
    await new Promise((resolve) => running.program.once("close", resolve));
  }
  rmSync(folder, { recursive: true, force: true });
}
