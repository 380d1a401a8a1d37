// npm run shots [-- NAME …]: saves screenshots of the leave desk in docs/shots, with a program and a Chromium of its own.
// Pictures that pages of the documentation show are in docs/images.
import { spawn } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { obtainBrowser } from "./browser.mjs";
import { build, checkNode, installPackages, Obstacle, root } from "./setup.mjs";

const member = "Mei Tanaka";
const payroll = "Jonas Weber";
const author = "Amara Okafor";

const settled = async (page) => {
  await page.getByRole("main").waitFor();
  for (let still = 0; still < 3; ) {
    await page.waitForTimeout(120);
    const busy = await page.evaluate(() => document.querySelector("[aria-busy=true], .skeleton") !== null);
    still = busy ? 0 : still + 1;
  }
};
const control = (page, name) => page.getByRole("button", { name }).filter({ visible: true }).first();
const press = (name) => (page) => control(page, name).click({ force: true });
const inTurn =
  (...acts) =>
  async (page) => {
    for (const act of acts) {
      await act(page);
      await settled(page);
    }
  };
const openFirst = (page) => page.locator("[data-row]").first().click();
/** Opens the first record that offers the transition: sample records are assigned to people at random. */
const openWhere = (name) => async (page) => {
  const list = page.url();
  for (let nth = 0; nth < (await page.locator("[data-row]").count()); nth++) {
    await page.locator("[data-row]").nth(nth).click();
    await settled(page);
    if (await control(page, name).isVisible()) return;
    await page.goto(list);
    await settled(page);
  }
};
const select = async (page) => {
  for (const at of [1, 3, 4]) await page.getByRole("row").nth(at).getByRole("checkbox").check({ force: true });
};
const fillForm = async (page) => {
  await page.getByRole("radio", { name: "Holiday" }).check({ force: true });
  await page.getByRole("textbox", { name: "First day" }).fill("+20");
  await page.getByRole("textbox", { name: "Last day" }).fill("+10");
  await page.getByRole("textbox", { name: "Note" }).fill("The school is closed that week.");
};
/** Adds a field to the document in the text editor. */
const write = async (page) => {
  await page.goto("/workbench/document?clause=3.PublicHoliday.day");
  await settled(page);
  const panes = page.getByRole("group", { name: "Panes" }).getByRole("button", { name: "Text" });
  const text = page.getByRole("textbox", { name: /^Text of/u });
  // The compiler loads after the page. Only then is it known if the window has room for both panes.
  await panes.or(text).filter({ visible: true }).first().waitFor();
  if (await panes.isVisible()) await panes.click();
  await text.getByText("PublicHoliday:", { exact: true }).first().click();
  // Below the heading, where the fields begin.
  for (const key of ["ArrowDown", "ArrowDown", "End"]) await page.keyboard.press(key);
  await page.keyboard.press("Enter");
  await page.keyboard.type("  half: boolean");
  await page.getByRole("button", { name: "Publish…" }).filter({ visible: true }).first().waitFor();
};

/**
 * The pictures: person, address, and steps before the picture; `desk` for wide windows only. The file name has the name,
 * the width and the theme: `list-1440-light`.
 */
const pictures = {
  "sign-in": { path: "/sign-in" },
  overview: { who: member, path: "/" },
  list: { who: payroll, path: "/requests" },
  "list-selected": { who: payroll, path: "/requests", act: select, desk: true },
  "list-no-match": { who: payroll, path: "/requests?status=refused&kind=parental" },
  views: { who: payroll, path: "/requests?status=granted", act: press("Views") },
  board: { who: payroll, path: "/requests?layout=board" },
  calendar: { who: payroll, path: "/requests?layout=calendar" },
  record: { who: payroll, path: "/requests?status=granted", act: openFirst },
  why: { who: payroll, path: "/requests?status=granted", act: inTurn(openFirst, press("Cancel")) },
  transition: { who: member, path: "/requests?status=submitted", act: inTurn(openWhere("Refuse…"), press("Refuse…")) },
  form: { who: member, path: "/requests/new", act: fillForm },
  "form-refused": { who: member, path: "/requests/new", act: inTurn(fillForm, press(/^Create /u)) },
  palette: { who: payroll, path: "/requests", act: (page) => page.keyboard.press("Control+k"), desk: true },
  notifications: { who: member, path: "/", act: press(/^Notifications/u) },
  holidays: { who: payroll, path: "/public-holidays" },
  "open-points": { who: author, path: "/workbench" },
  document: { who: author, path: "/workbench/document" },
  map: { who: author, path: "/workbench/map" },
  "who-may-what": { who: author, path: "/workbench/who" },
  apply: { who: author, path: "/workbench/document", act: inTurn(write, press("Publish…")) },
  people: { who: author, path: "/workbench/people" },
  person: { who: author, path: "/workbench/people", act: (page) => page.getByRole("link", { name: payroll }).click() },
  account: { who: member, path: "/sign-in/account" },
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
      join(root, "examples/leave-desk.md"),
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
      // Not loaded yet.
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
        let signedIn;
        let page;
        for (const [name, { who, path, act, desk }] of Object.entries(pictures)) {
          if ((wanted.length > 0 && !wanted.includes(name)) || (phone && desk)) continue;
          if (page === undefined || who !== signedIn) {
            await page?.context().close();
            page = await enter(browser, url, { width, colorScheme, phone, who });
            signedIn = who;
          }
          const file = `${name}-${width}-${colorScheme}.png`;
          try {
            await page.goto(path);
            await settled(page);
            await act?.(page);
            await settled(page);
          } catch (thrown) {
            // The picture shows the state at the failure.
            process.exitCode = 1;
            console.error(`${file}: ${thrown.message.split("\n")[0]}`);
          }
          await page.screenshot({ path: join(out, file) });
          console.log(`docs/shots/${file}`);
        }
        await page?.context().close();
      }
  } finally {
    await browser.close();
  }
};

/** A page for a sample person; without `who`, for nobody. */
const enter = async (browser, url, { width, colorScheme, phone, who }) => {
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
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  await page.goto("/sign-in");
  if (who !== undefined) {
    await page.getByRole("button", { name: who }).click();
    await page.waitForURL((address) => address.pathname !== "/sign-in");
  }
  return page;
};

const folder = mkdtempSync(join(tmpdir(), "ninefold-shots-"));
// Under root, Postgres runs as another account, which must be able to reach its data below this folder.
chmodSync(folder, 0o711);
let running;
try {
  checkNode();
  installPackages();
  await build();
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
