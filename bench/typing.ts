// Time until the workbench shows a key that is typed into documents of about 20, 100 and 200 kB in one file, at their start,
// in their middle and at their end, beside the formatted text and beside the plan; then the time to the findings.
// `npm run bench:typing -- [--entities 13,67,134] [--keys 40] [--profile FOLDER]`, after a build; writes
// docs/evidence/typing.json, and with `--profile` instead a CPU profile of the page for each document. Nothing is asserted.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Browser, chromium, type Page } from "playwright-core";
import type { Application } from "../src/core/wire/application.ts";
import { manyThings } from "./many-things.ts";

const { values: options } = parseArgs({
  options: {
    entities: { type: "string", default: "13,67,134" },
    keys: { type: "string", default: "40" },
    profile: { type: "string" },
  },
});
const root = fileURLToPath(new URL("../", import.meta.url));
const round = (value: number): number => Math.round(value);
const words = "the quick brown fox jumps over the lazy dog and sleeps in the sun ".slice(0, Number(options.keys));

/** A document of many entities as one file: its files joined, point by point. */
const writeDocument = (entities: number): string => {
  const points = new Map<string, string[]>();
  for (const source of manyThings(entities, "today")) {
    const [, ...parts] = source.text.split(/^## (\d)\. .*$/mu);
    for (let i = 0; i < parts.length; i += 2) {
      const [point = "", says = ""] = parts.slice(i, i + 2);
      points.set(point, [...(points.get(point) ?? []), says.replace(/^# .*$/mu, "")]);
    }
  }
  return `# Many things\n\n${[...points]
    .toSorted(([one], [other]) => Number(one) - Number(other))
    .map(([point, says]) => `## ${point}. Point\n${says.join("")}`)
    .join("\n")}`;
};

/** Clauses at the start, in the middle and at the end of the text. */
const places = (entities: number): Readonly<Record<string, string>> => ({
  start: "3.Thing0.note",
  middle: `4.Thing${Math.floor(entities / 3)}.ask`,
  end: `6.Thing${entities - 1}.read`,
});

/** Types keys as fast as a quick person, and returns the milliseconds from each key to its paint. */
const typeKeys = async (page: Page, words: string): Promise<readonly number[]> => {
  const seen: number[] = [];
  for (const key of words) {
    await page.evaluate(() => {
      const measured = window as unknown as { painted: Promise<number> };
      measured.painted = new Promise((resolve) => {
        addEventListener(
          "keydown",
          ({ timeStamp }) =>
            // The frame after the next begins when the key is painted.
            requestAnimationFrame(() => {
              const channel = new MessageChannel();
              channel.port1.onmessage = () => resolve(performance.now() - timeStamp);
              channel.port2.postMessage(null);
            }),
          { once: true, capture: true },
        );
      });
    });
    await page.keyboard.press(key === " " ? "Space" : key);
    seen.push(await page.evaluate(() => (window as unknown as { painted: Promise<number> }).painted));
    await sleep(90 + Math.random() * 120);
  }
  return seen;
};

const summary = (values: readonly number[]) => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part: number): number =>
    round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? 0);
  return {
    median: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    most: at(1),
    over50: values.filter((one) => one > 50).length,
  };
};

const startProgram = async (folder: string, text: string): Promise<{ program: ChildProcess; url: string }> => {
  const file = join(folder, "things.md");
  const ready = join(folder, "ready");
  writeFileSync(file, text);
  const args = ["run", file, "--demonstration", "--data", join(folder, "data"), "--port", "0", "--ready-file", ready];
  const program = spawn(process.execPath, [join(root, "dist/cli/main.js"), ...args], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  while (!existsSync(ready)) {
    if (program.exitCode !== null) throw new Error("the program did not start");
    await sleep(200);
  }
  return { program, url: (JSON.parse(readFileSync(ready, "utf8")) as { readonly url: string }).url };
};

const openPage = async (browser: Browser, url: string): Promise<Page> => {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en-GB" });
  const { signIn } = (await (await context.request.get(`${url}/_/application`)).json()) as Application;
  const administrator = signIn.demonstration?.find(({ roles }) => roles.includes("administrator"));
  await context.request.post(`${url}/_/session`, { data: { demonstration: administrator?.token } });
  return context.newPage();
};

/** Writes a comment at the end of the line of a clause: each key changes the text and none changes its meaning. */
const begin = async (page: Page, url: string, clause: string, beside: string): Promise<void> => {
  await page.goto(`${url}/workbench/document?${new URLSearchParams({ clause, beside })}`);
  const editor = page.getByRole("textbox", { name: /^Text of/u });
  await editor.waitFor();
  await page.locator(".cm-lint-marker, .pane-empty").first().waitFor({ state: "attached" });
  await sleep(1_500);
  await editor.focus();
  await page.keyboard.press("End");
  await page.keyboard.press("End");
  await page.keyboard.type(" # ");
  await sleep(3_000);
};

const discard = async (page: Page): Promise<void> => {
  await page.getByRole("button", { name: "Discard draft" }).click();
  await sleep(300);
};

type Measured = ReturnType<typeof summary> & { readonly mainThread: number };

const measure = async (browser: Browser, entities: number) => {
  const folder = await mkdtemp(join(tmpdir(), "ninefold-bench-"));
  // Postgres runs as another account when this is started by root.
  await chmod(folder, 0o755);
  const text = writeDocument(entities);
  const { program, url } = await startProgram(folder, text);
  try {
    const page = await openPage(browser, url);
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
    const cpu = async (): Promise<number> => {
      const { metrics } = await devtools.send("Performance.getMetrics");
      return (metrics.find(({ name }) => name === "TaskDuration")?.value ?? 0) * 1_000;
    };
    const key: Record<string, Record<string, Measured>> = {};
    // Of so few keys at one place, the slowest one in a hundred is the slowest. Those of all places say more.
    const everywhere: Record<string, number[]> = {};
    for (const [place, clause] of Object.entries(places(entities))) {
      key[place] = {};
      for (const pane of ["sheet", "plan"]) {
        await begin(page, url, clause, pane);
        if (options.profile !== undefined) {
          await devtools.send("Profiler.enable");
          await devtools.send("Profiler.start");
        }
        const before = await cpu();
        const seen = await typeKeys(page, words);
        const mainThread = round(((await cpu()) - before) / words.length);
        key[place][pane] = { ...summary(seen), mainThread };
        everywhere[pane] = [...(everywhere[pane] ?? []), ...seen];
        if (options.profile !== undefined) {
          const { profile } = await devtools.send("Profiler.stop");
          mkdirSync(options.profile, { recursive: true });
          writeFileSync(join(options.profile, `${entities}-${place}-${pane}.cpuprofile`), JSON.stringify(profile));
        }
        await discard(page);
      }
    }
    // From a key that causes an error to the mark of its finding.
    const findings: number[] = [];
    for (let round = 0; round < 3; round++) {
      await begin(page, url, "3.Thing0.note", "sheet");
      const begun = Date.now();
      await page.keyboard.press("Home");
      await page.keyboard.type("?");
      await page.locator(".cm-lint-marker-error").first().waitFor();
      findings.push(Date.now() - begun);
      await discard(page);
    }
    const all = Object.fromEntries(Object.entries(everywhere).map(([pane, seen]) => [pane, summary(seen)]));
    return { entities, characters: text.length, key, all, findings: summary(findings) };
  } finally {
    if (program.exitCode === null) {
      program.kill("SIGTERM");
      await once(program, "exit");
    }
    await rm(folder, { recursive: true, force: true });
  }
};

const browser = await chromium.launch({
  executablePath: process.env.NINEFOLD_BROWSER || "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu"],
});
const load = round(loadavg()[0] ?? 0);
const documents: Awaited<ReturnType<typeof measure>>[] = [];
for (const entities of options.entities.split(",")) documents.push(await measure(browser, Number(entities)));
await browser.close();
const results = {
  measured: new Date().toISOString().slice(0, 10),
  node: process.version,
  keys: words.length,
  load,
  unit: "milliseconds, in Chromium, beside the program and its database; key: from a key to its paint, at three places of a document (all: of these together), while the formatted text (sheet) or the plan is beside the editor; mainThread: processor time of the page per key, with everything that follows the key, which the load of the machine does not change; findings: from two keys to the mark of the error that they make",
  documents,
};
console.log(JSON.stringify(results, undefined, 2));
if (options.profile === undefined) {
  mkdirSync(new URL("../docs/evidence/", import.meta.url), { recursive: true });
  writeFileSync(new URL("../docs/evidence/typing.json", import.meta.url), `${JSON.stringify(results, undefined, 2)}\n`);
}
