// Time until the workbench shows a key that is typed into a document of 100 entities in one file, then its findings and its
// plan: with the formatted text, with the plan, and without both. `npm run bench:typing -- [--entities 100]
// [--keys 60]`, after a build; writes docs/evidence/typing.json. Nothing is asserted.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { chromium, type Page } from "playwright-core";
import type { Application } from "../src/core/wire/application.ts";
import { manyThings } from "./many-things.ts";

const { values: options } = parseArgs({
  options: { entities: { type: "string", default: "100" }, keys: { type: "string", default: "60" } },
});
const keys = Number(options.keys);
const root = fileURLToPath(new URL("../", import.meta.url));
const round = (value: number): number => Math.round(value);

const folder = await mkdtemp(join(tmpdir(), "ninefold-bench-"));
// Postgres runs as another account when this is started by root.
await chmod(folder, 0o755);
const file = join(folder, "things.md");
/** The document as one file: its files joined, point by point. */
const points = new Map<string, string[]>();
for (const source of manyThings(Number(options.entities), "today")) {
  const [, ...parts] = source.text.split(/^## (\d)\. .*$/mu);
  for (let i = 0; i < parts.length; i += 2) {
    const [point = "", says = ""] = parts.slice(i, i + 2);
    points.set(point, [...(points.get(point) ?? []), says.replace(/^# .*$/mu, "")]);
  }
}
const text = `# Many things\n\n${[...points]
  .toSorted(([one], [other]) => Number(one) - Number(other))
  .map(([point, says]) => `## ${point}. Point\n${says.join("")}`)
  .join("\n")}`;
writeFileSync(file, text);
const ready = join(folder, "ready");
const program = spawn(
  process.execPath,
  [
    join(root, "dist/cli/main.js"),
    "run",
    file,
    "--demonstration",
    "--data",
    join(folder, "data"),
    "--port",
    "0",
    "--ready-file",
    ready,
  ],
  { stdio: ["ignore", "inherit", "inherit"] },
);

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
  return { median: at(0.5), p95: at(0.95), most: at(1), over50: values.filter((one) => one > 50).length };
};

try {
  while (!existsSync(ready)) {
    if (program.exitCode !== null) throw new Error("the program did not start");
    await sleep(200);
  }
  const { url } = JSON.parse(readFileSync(ready, "utf8")) as { readonly url: string };
  const browser = await chromium.launch({
    executablePath: process.env.NINEFOLD_BROWSER || "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, locale: "en-GB" });
  const page = await context.newPage();
  const { signIn } = (await (await context.request.get(`${url}/_/application`)).json()) as Application;
  const administrator = signIn.demonstration?.find(({ roles }) => roles.includes("administrator"));
  await context.request.post(`${url}/_/session`, { data: { demonstration: administrator?.token } });
  await page.goto(`${url}/workbench/document?clause=3.Thing50.note`);
  const editor = page.getByRole("textbox", { name: /^Text of/u });
  await editor.waitFor();
  const choose = (pane: RegExp) =>
    page.getByRole("group", { name: "Panes" }).filter({ visible: true }).getByRole("button", { name: pane }).click();
  /** A comment at the end of the line of a field: each key changes the text and none changes its meaning. */
  const begin = async (): Promise<void> => {
    await page.locator(".cm-line", { hasText: "note:     { type: long text?" }).first().click();
    await page.keyboard.press("End");
    await page.keyboard.type(" # ");
    await sleep(2_000);
  };
  const words = "the quick brown fox jumps over the lazy dog and sleeps in the sun ".slice(0, keys);
  const measured: Record<string, ReturnType<typeof summary>> = {};
  for (const pane of ["Specification", "Plan"]) {
    await choose(new RegExp(`^${pane}`, "u"));
    await begin();
    measured[pane] = summary(await typeKeys(page, words));
    await page.getByRole("button", { name: "Discard draft" }).click();
  }
  // From a key that causes an error to its finding, and from the key that fixes it to the plan of behaviour.
  const findings: number[] = [];
  for (let round = 0; round < 5; round++) {
    await begin();
    const begun = Date.now();
    await page.keyboard.press("Home");
    await page.keyboard.type("?");
    await page.locator(".cm-lint-marker-error").first().waitFor();
    findings.push(Date.now() - begun);
    await page.getByRole("button", { name: "Discard draft" }).click();
    await sleep(500);
  }
  await browser.close();
  const results = { key: measured, findings: summary(findings) };
  console.log(JSON.stringify(results, undefined, 2));
  mkdirSync(new URL("../docs/evidence/", import.meta.url), { recursive: true });
  writeFileSync(
    new URL("../docs/evidence/typing.json", import.meta.url),
    `${JSON.stringify({ measured: new Date().toISOString().slice(0, 10), node: process.version, entities: Number(options.entities), characters: text.length, keys: words.length, load: round(loadavg()[0] ?? 0), unit: "milliseconds, in Chromium, beside the program and its database; key: from a key to its paint, while the formatted text or the plan is beside the editor; findings: from two keys to the mark of the error that they make", ...results }, undefined, 2)}\n`,
  );
} finally {
  if (program.exitCode === null) {
    program.kill("SIGTERM");
    await once(program, "exit");
  }
  await rm(folder, { recursive: true, force: true });
}
