// From an empty folder to an own application with two roles and the rows of a spreadsheet, until the second role has finished its
// work, by the keyboard alone in a real browser. Prints each step with its time, its keys and the words on the page; what a person would need for reading, typing and
// deciding is estimated from these, and marked so. `npm run bench:first-minutes`; writes docs/evidence/first-minutes.json. Needs a
// build and a Chromium (NINEFOLD_CHROMIUM). Nothing is asserted.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chromium, type Locator, type Page } from "playwright-core";

const root = fileURLToPath(new URL("../", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "ninefold-minutes-"));
chmodSync(folder, 0o711);

/** Seconds: a key, a decision at each step (keystroke-level model), and a word at 200 a minute. */
const [KEY, DECISION, WORD] = [0.28, 1.35, 0.3];

interface Step {
  readonly does: string;
  readonly ms: number;
  readonly keys: number;
  readonly words: number;
}

const steps: Step[] = [];
let keys = 0;

const rooms = [
  "Number,Name,Floor,Seats,Projector",
  ...Array.from(
    { length: 40 },
    (_, i) => `R-${101 + i},Room ${101 + i},${1 + (i % 3)},${4 + (i % 9)},${i % 2 ? "yes" : "no"}`,
  ),
].join("\n");
writeFileSync(join(folder, "rooms.csv"), rooms);

const command = "npx ninefold new my.md --run --port 9137";
const begun = performance.now();
const program = spawn(process.execPath, [join(root, "dist", "cli", "main.js"), ...command.split(" ").slice(2)], {
  cwd: folder,
});
let printed = "";
program.stdout.setEncoding("utf8").on("data", (text: string) => {
  printed += text;
});
const browser = await chromium.launch({
  executablePath: process.env.NINEFOLD_CHROMIUM ?? "/usr/bin/chromium-headless-shell",
  args: ["--no-sandbox", "--disable-gpu"],
});

const findLink = (): string | undefined => /Administrator \([^)]*\): (\S+)/u.exec(printed)?.[1];

const seen = new Set<string>();

/** The words in lines of the page, or of its dialog, that were on no page before. */
const countNewWords = async (page: Page): Promise<number> => {
  const text = await page.evaluate(
    () => (document.querySelector("dialog[open], main") as HTMLElement | null)?.innerText ?? "",
  );
  const fresh = text.split("\n").filter((line) => line.trim() !== "" && !seen.has(line));
  for (const line of fresh) seen.add(line);
  return fresh.join(" ").split(/\s+/u).filter(Boolean).length;
};

/** Does a step, and takes its time until the page shows what comes next. */
const step = async (page: Page, does: string, work: () => Promise<void>, until: Locator): Promise<void> => {
  const from = performance.now();
  keys = 0;
  await work();
  try {
    await until.first().waitFor({ timeout: 60_000 });
  } catch (error) {
    if (process.env.NINEFOLD_SHOTS) await page.screenshot({ path: join(process.env.NINEFOLD_SHOTS, "failed.png") });
    throw error;
  }
  if (process.env.NINEFOLD_SHOTS)
    await page.screenshot({ path: join(process.env.NINEFOLD_SHOTS, `${steps.length}.png`) });
  steps.push({ does, ms: Math.round(performance.now() - from), keys, words: await countNewWords(page) });
};

const press = async (page: Page, key: string): Promise<void> => {
  keys++;
  await page.keyboard.press(key);
};

const type = async (page: Page, text: string): Promise<void> => {
  keys += text.length;
  await page.keyboard.type(text);
};

/** Waits until a button can be pressed. */
const ready = async (button: Locator): Promise<void> => {
  await button.first().waitFor({ timeout: 120_000 });
  while ((await button.first().getAttribute("aria-disabled")) === "true") await sleep(50);
};

/** Moves the focus with Tab until it is on a control. */
const tabTo = async (page: Page, target: Locator): Promise<void> => {
  await ready(target);
  for (let count = 0; count < 150; count++) {
    if (await target.first().evaluate((element) => element === document.activeElement)) return;
    // In the text, Tab indents a line; after Escape, it leaves the text.
    if (await page.evaluate(() => document.activeElement?.closest(".cm-content") !== null)) await press(page, "Escape");
    await press(page, "Tab");
  }
  throw new Error(`Tab does not reach ${target.toString()}`);
};

try {
  while (findLink() === undefined) await sleep(100);
  steps.push({
    does: command,
    ms: Math.round(performance.now() - begun),
    keys: command.length + 1,
    words: printed.split(/\s+/u).length,
  });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  const button = (name: string) => page.getByRole("button", { name, exact: true });
  const dialog = page.getByRole("dialog", { name: "Publish this draft?" });
  const publish = dialog.getByRole("button", { name: "Publish", exact: true });
  const start = page.getByRole("link", { name: "Start", exact: true });
  /** Goes to a control and presses it. */
  const follow = (does: string, control: Locator, until: Locator): Promise<void> =>
    step(
      page,
      does,
      async () => {
        await tabTo(page, control);
        await press(page, "Enter");
      },
      until,
    );
  await step(
    page,
    "open the link of the administrator",
    () => page.goto(findLink() ?? "").then(() => undefined),
    start,
  );
  await follow("Start", start, button("Choose a file"));
  await step(
    page,
    "choose the spreadsheet",
    async () => {
      await tabTo(page, button("Choose a file"));
      const chosen = page.waitForEvent("filechooser");
      await press(page, "Enter");
      // The dialog of the system: its name, and Enter.
      keys += "rooms.csv".length + 1;
      await (await chosen).setFiles(join(folder, "rooms.csv"));
    },
    button("Use this draft"),
  );
  await follow("use the draft", button("Use this draft"), button("Publish…"));
  await follow("open what the draft changes", button("Publish…"), publish);
  await follow("publish it and import the rows", publish, page.getByRole("link", { name: "Rooms: 40 added" }));
  const guide = page.getByRole("region", { name: "First steps" });
  await follow("open the first steps", button("First steps"), guide);
  const reader = guide.getByRole("textbox", { name: "Everyone who signs in is a…" });
  await step(
    page,
    "say what it does",
    async () => {
      await tabTo(page, guide.getByRole("textbox", { name: "What it does, in one sentence" }));
      await type(page, "Which rooms there are");
      await press(page, "Enter");
    },
    reader,
  );
  const states = guide.getByRole("textbox", { name: "States, in order" });
  await follow("write two roles", reader, states);
  await follow("write states", states, guide.locator("li:last-child .hidden-words"));
  await follow("open what the draft changes", button("Publish…"), publish);
  await follow("publish roles and states", publish, page.getByRole("status").getByText(/Version 3 is live/u));
  // The other role works in a browser of its own.
  const other = await (await browser.newContext({ viewport: { width: 1440, height: 900 } })).newPage();
  const own = (name: string) => other.getByRole("button", { name });
  const followThere = (does: string, control: Locator, until: Locator): Promise<void> =>
    step(
      other,
      does,
      async () => {
        await tabTo(other, control);
        await press(other, "Enter");
      },
      until,
    );
  const asKeeper = own("Keeper").or(other.getByRole("link", { name: "Keeper" }));
  await step(
    other,
    "open the address as another person",
    () => other.goto("http://127.0.0.1:9137").then(() => undefined),
    asKeeper,
  );
  const first = other.getByRole("table").getByRole("link").first();
  await followThere("sign in as the keeper", asKeeper.first(), first);
  await followThere("open a room", first, own("Finish"));
  const dialogOfFinish = other.getByRole("dialog").getByRole("button", { name: "Finish", exact: true });
  await followThere("press its action", own("Finish").first(), dialogOfFinish);
  await followThere("finish it", dialogOfFinish, other.getByRole("main").getByText("4.Room.finish"));
} finally {
  const machine = steps.reduce((sum, { ms }) => sum + ms, 0) / 1_000;
  const person = steps.reduce((sum, { keys: pressed, words }) => sum + pressed * KEY + words * WORD + DECISION, 0);
  const figures = {
    measured: new Date().toISOString().slice(0, 10),
    node: process.version,
    about: `Estimated for a person: ${KEY} s a key, ${WORD} s a word on the page, ${DECISION} s to decide at each step, as if every new line on the screen were read, the text of the specification included.`,
    "measured, seconds": Math.round(machine),
    "estimated for a person, seconds": Math.round(person),
    keys: steps.reduce((sum, one) => sum + one.keys, 0),
    words: steps.reduce((sum, one) => sum + one.words, 0),
    steps,
  };
  console.log(JSON.stringify(figures, undefined, 2));
  writeFileSync(join(root, "docs", "evidence", "first-minutes.json"), `${JSON.stringify(figures, undefined, 2)}\n`);
  await browser.close();
  program.kill("SIGTERM");
  await once(program, "exit");
  rmSync(folder, { recursive: true, force: true });
}
