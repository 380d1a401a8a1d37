// Waiting times in the browser: the first list on a fast and on a slow connection, a keystroke, opening a record, scrolling
// through a hundred thousand rows. `npm run bench:web -- [--keep FOLDER] [--rows 200000] [--runs 5]
// [--scrolled 100000]`; writes docs/evidence/web.json. Nothing is asserted.
import { mkdirSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { chromium, type Page } from "playwright-core";
import { openDesks } from "./leave/desks.ts";
import { firstRow, inNewBrowser, type OpenedPage, slowDown } from "./leave/first-row.ts";

const { values: options } = parseArgs({
  options: {
    keep: { type: "string" },
    rows: { type: "string", default: "200000" },
    runs: { type: "string", default: "5" },
    scrolled: { type: "string", default: "100000" },
  },
});
const runs = Number(options.runs);
const round = (value: number, places = 0): number => Number(value.toFixed(places));
const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b);
const at = (values: readonly number[], part: number): number =>
  sorted(values)[Math.min(values.length - 1, Math.floor(values.length * part))] ?? Number.NaN;
const perSecond = (frames: readonly number[]) => (1_000 * frames.length) / frames.reduce((sum, one) => sum + one, 0);
const middle = (values: readonly number[]) => at(values, 0.5);

/** Types, and returns the time from each key until the browser showed it (as INP measures it). */
const typing = async (page: Page, type: () => Promise<void>): Promise<readonly number[]> => {
  await page.evaluate(() => {
    const seen: number[] = [];
    Object.assign(window, { seen });
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) if (/^key/u.test(entry.name)) seen.push(entry.duration);
    }).observe({ type: "event", durationThreshold: 16, buffered: false } as PerformanceObserverInit);
  });
  await type();
  await page.waitForTimeout(300);
  // The browser does not report events that took less than 16 ms.
  return page.evaluate(() => (window as unknown as { seen: number[] }).seen);
};
const WORDS = "Jonas looks after my customers; the handover is in the team folder. ";

/** The time from pressing a row until the fields of its record are shown. */
const openRecord = (page: Page, nth: number): Promise<number> =>
  page.evaluate(async (nth) => {
    const row = document.querySelectorAll<HTMLElement>("[data-row]")[nth];
    const begun = performance.now();
    row?.click();
    while (document.querySelector(".record .fields dd") === null)
      await new Promise((resolve) => requestAnimationFrame(resolve));
    return performance.now() - begun;
  }, nth);

/** Scrolls down by so many pixels in each frame, as a hand does that never rests. Times in milliseconds. */
const steadily = async ({ page, devtools }: OpenedPage, pixels: number) => {
  const busy = async (): Promise<number> => {
    const { metrics } = await devtools.send("Performance.getMetrics");
    return 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
  };
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  const before = await busy();
  const passed = await page.evaluate(
    async ({ pixels, wanted }) => {
      const frames: number[] = [];
      let last = performance.now();
      let jumps = 0;
      while (frames.length < wanted) {
        const before = window.scrollY;
        window.scrollBy(0, pixels);
        const meant = window.scrollY;
        await new Promise((resolve) => requestAnimationFrame(resolve));
        // A person scrolls by this much, and nothing else moves the page.
        if (Math.abs(window.scrollY - meant) > 1 && meant !== before) jumps += 1;
        const now = performance.now();
        frames.push(now - last);
        last = now;
      }
      return { frames, jumps };
    },
    { pixels, wanted: FRAMES },
  );
  return { ...passed, pixels, processor: ((await busy()) - before) / FRAMES };
};
const FRAMES = 300;

/** Scrolls on as fast as rows come, until so many have been passed. */
const scroll = async ({ page, devtools }: OpenedPage, wanted: number, patience: number) => {
  const scrolled = await page.evaluate(
    async ({ wanted, patience }) => {
      const begun = performance.now();
      let nodes = 0;
      let passed = 0;
      const rowsNow = () => Math.round((document.querySelector(".grid")?.getBoundingClientRect().height ?? 0) / 38);
      while (rowsNow() < wanted && performance.now() - begun < patience) {
        window.scrollBy(0, 6_000);
        await new Promise((resolve) => requestAnimationFrame(resolve));
        passed += 1;
        if (passed % 20 === 0) nodes = Math.max(nodes, document.querySelectorAll("body *").length);
      }
      return { rows: rowsNow(), nodes, seconds: (performance.now() - begun) / 1_000 };
    },
    { wanted, patience },
  );
  await devtools.send("HeapProfiler.collectGarbage");
  const { usedSize } = await devtools.send("Runtime.getHeapUsage");
  return { ...scrolled, heap: usedSize / 1_000_000 };
};

const desks = await openDesks({
  ...(options.keep === undefined ? {} : { folder: options.keep }),
  rows: Number(options.rows),
});
const served = await desks.serve("ninefold", 4_003);
const browser = await chromium.launch({
  executablePath: process.env.NINEFOLD_BROWSER || "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
});
try {
  const url = `http://127.0.0.1:${served.port}`;
  const fresh = <T>(measure: (opened: OpenedPage) => Promise<T>): Promise<T> => inNewBrowser(browser, url, measure);
  const fast: Awaited<ReturnType<typeof firstRow>>[] = [];
  const slow: number[] = [];
  for (let nth = 0; nth < runs; nth++) {
    fast.push(await fresh(firstRow));
    const slowly = async (one: OpenedPage) => {
      await slowDown(one);
      return (await firstRow(one)).ms;
    };
    slow.push(await fresh(slowly));
  }
  console.log(`First row: ${fast.map(({ ms }) => round(ms))} ms; slowly: ${slow.map((ms) => round(ms))} ms.`);

  const felt = await fresh(async ({ page }) => {
    await page.goto("/requests/new");
    const note = page.getByRole("textbox", { name: "Note" });
    await note.waitFor();
    const form = await typing(page, () => note.pressSequentially(WORDS, { delay: 30 }));
    await page.goto("/requests");
    await page.locator("[data-row]").first().waitFor();
    const box = page.getByRole("searchbox").first();
    const filter = await typing(page, () => box.pressSequentially("holiday in march", { delay: 60 }));
    await page.goto("/requests");
    const records: number[] = [];
    for (let nth = 0; nth < 12; nth++) {
      await page.locator("[data-row]").nth(nth).waitFor();
      // The first record is not counted, because its code is still loading, and people open more than one.
      records.push(await openRecord(page, nth));
      await page.goBack();
    }
    return { form, filter, records };
  });
  console.log(
    `Keys: ${round(Math.max(0, ...felt.form))} ms at most in a form, ${round(Math.max(0, ...felt.filter))} in a search; a record: ${round(middle(felt.records))} ms.`,
  );

  const { steady, rows } = await fresh(async (one) => {
    await one.page.goto("/requests");
    await one.page.locator("[data-row]").first().waitFor();
    await one.page.getByRole("button", { name: /^Show .* more$/u }).click();
    // A turn of a wheel, and a scroll bar that is dragged.
    const steady = [await steadily(one, 100), await steadily(one, 600)];
    return { steady, rows: await scroll(one, Number(options.scrolled), 240_000) };
  });
  const pace = steady.map(({ pixels, frames, jumps, processor }) => ({
    pixels,
    framesPerSecond: round(perSecond(frames), 1),
    processor: round(processor, 1),
    median: round(middle(frames), 1),
    p95: round(at(frames, 0.95), 1),
    most: round(Math.max(0, ...frames), 1),
    over20: frames.filter((ms) => ms > 20).length,
    of: frames.length,
    jumps,
  }));
  console.log(`${rows.rows} rows in ${round(rows.seconds)} s, ${rows.nodes} nodes at most, ${round(rows.heap)} MB.`);

  const file = new URL("../docs/evidence/web.json", import.meta.url);
  mkdirSync(new URL(".", file), { recursive: true });
  const kilobytes = (bytes: number) => round(bytes / 1_000, 1);
  const evidence = {
    measured: new Date().toISOString().slice(0, 10),
    node: process.version,
    browser: browser.version(),
    requests: Number(options.rows),
    load: round(loadavg()[0] ?? 0, 1),
    unit: "kilobytes over the wire and milliseconds, each time a browser that has never been there; slow: 4 times slower processor, 1.6 Mbit/s, 150 ms away; a key: from pressing it until the page shows it, where that took 16 ms or more; scrolled: by so many pixels in each frame, one of 20 ms and more being one that was missed, drawn without graphics hardware; processor: of the page for a frame; jumps: how often it moved by itself; allRows: on as fast as rows come; nodes: the most elements in the page meanwhile; heap: megabytes of the page's scripts when all rows are there",
    firstList: {
      script: kilobytes(middle(fast.map(({ script }) => script))),
      sheet: kilobytes(middle(fast.map(({ sheet }) => sheet))),
      font: kilobytes(middle(fast.map(({ font }) => font))),
    },
    firstRow: { fast: round(middle(fast.map(({ ms }) => ms))), slow: round(middle(slow)) },
    typing: {
      form: {
        keys: WORDS.length,
        most: round(Math.max(0, ...felt.form)),
        over50: felt.form.filter((ms) => ms > 50).length,
      },
      search: {
        keys: 16,
        most: round(Math.max(0, ...felt.filter)),
        over50: felt.filter.filter((ms) => ms > 50).length,
      },
    },
    record: {
      median: round(middle(felt.records.slice(1))),
      most: round(Math.max(...felt.records.slice(1))),
      first: round(felt.records[0] ?? 0),
    },
    scrolled: pace,
    allRows: {
      rows: rows.rows,
      seconds: round(rows.seconds),
      nodes: rows.nodes,
      heap: round(rows.heap),
    },
  };
  writeFileSync(file, `${JSON.stringify(evidence, undefined, 2)}\n`);
  console.log(JSON.stringify(evidence, undefined, 1));
} finally {
  await browser.close();
  await served.stop();
  await desks.end();
}
