// Compares the first list of this checkout with that of another one, in the same browser and by turns.
// `npm run bench:first-row -- --other FOLDER [--name WORDS] [--rows 2000] [--runs 15]`; both checkouts must be built. Writes
// docs/evidence/first-row.json. Nothing is asserted.
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";
import { openDesks } from "./leave/desks.ts";
import { firstRow, inNewBrowser, slowDown } from "./leave/first-row.ts";

const { values: options } = parseArgs({
  options: {
    other: { type: "string" },
    name: { type: "string", default: "other" },
    rows: { type: "string", default: "2000" },
    runs: { type: "string", default: "15" },
  },
});
if (options.other === undefined) throw new Error("--other is missing: the folder of the other checkout");
const round = (value: number, places = 0): number => Number(value.toFixed(places));

/** A quantile by linear interpolation. */
const quantile = (values: readonly number[], part: number): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * part;
  const [low = Number.NaN, high = low] = [sorted[Math.floor(at)], sorted[Math.ceil(at)]];
  return low + (high - low) * (at - Math.floor(at));
};
const spread = (values: readonly number[]) => ({
  median: round(quantile(values, 0.5)),
  quartiles: [round(quantile(values, 0.25)), round(quantile(values, 0.75))],
});

const desks = await openDesks({ rows: Number(options.rows) });
const checkouts = [
  { name: "this", served: await desks.serve("ninefold", 4_011) },
  { name: options.name, served: await desks.serve("ninefold", 4_012, { checkout: resolve(options.other) }) },
];
const browser = await chromium.launch({
  executablePath: process.env.NINEFOLD_BROWSER || "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
});
try {
  const seen = checkouts.map(({ name, served }) => ({
    name,
    url: `http://127.0.0.1:${served.port}`,
    bytes: [] as number[],
    processor: [] as number[],
    fast: [] as number[],
    slow: [] as number[],
  }));
  for (let nth = 0; nth < Number(options.runs); nth++)
    for (const { url, bytes, processor, fast, slow } of nth % 2 === 0 ? seen : seen.toReversed()) {
      const row = await inNewBrowser(browser, url, firstRow);
      bytes.push(row.script);
      processor.push(row.processor);
      fast.push(row.ms);
      const slowly = await inNewBrowser(browser, url, async (one) => {
        await slowDown(one);
        return firstRow(one);
      });
      slow.push(slowly.ms);
    }
  const [own, other] = seen;
  const differences = (way: "processor" | "fast" | "slow") =>
    spread((other?.[way] ?? []).map((ms, nth) => ms - (own?.[way][nth] ?? Number.NaN)));
  const evidence = {
    measured: new Date().toISOString().slice(0, 10),
    node: process.version,
    browser: browser.version(),
    runs: Number(options.runs),
    load: round(loadavg()[0] ?? 0, 1),
    unit: "kilobytes of script over the wire, and milliseconds from the request to the first row, without a cache; processor: of the main thread until then, on the fast way; difference: of the other checkout to this one in the same turn; slow: 4 times slower processor, 1.6 Mbit/s, 150 ms away",
    // The machine's load changes from minute to minute, less so between two runs that follow each other.
    difference: { processor: differences("processor"), fast: differences("fast"), slow: differences("slow") },
    results: seen.map(({ name, bytes, processor, fast, slow }) => ({
      name,
      script: round(quantile(bytes, 0.5) / 1_000, 1),
      processor: spread(processor),
      fast: spread(fast),
      slow: spread(slow),
    })),
  };
  console.log(JSON.stringify(evidence, undefined, 1));
  const file = new URL("../docs/evidence/first-row.json", import.meta.url);
  writeFileSync(file, `${JSON.stringify(evidence, undefined, 2)}\n`);
} finally {
  await browser.close();
  for (const { served } of checkouts) await served.stop();
  await desks.end();
}
