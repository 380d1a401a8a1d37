import type { Browser, CDPSession, Page } from "playwright-core";
import { people } from "./cases.ts";

/** 1.6 Mbit/s and a processor four times as slow, at 150 ms from the server. */
const slowWay = {
  cpu: 4,
  network: { offline: false, latency: 150, downloadThroughput: 200_000, uploadThroughput: 94_000 },
};

export interface OpenedPage {
  readonly page: Page;
  readonly devtools: CDPSession;
}

/** A browser without a cache, in which payroll is signed in: they read every request. */
export const inNewBrowser = async <T>(
  browser: Browser,
  url: string,
  measure: (opened: OpenedPage) => Promise<T>,
): Promise<T> => {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1440, height: 900 } });
  try {
    await context.addCookies([{ name: "session", value: `person-${people.payroll}`, url }]);
    const page = await context.newPage();
    const devtools = await context.newCDPSession(page);
    await devtools.send("Network.enable");
    return await measure({ page, devtools });
  } finally {
    await context.close();
  }
};

export const slowDown = async ({ devtools }: OpenedPage): Promise<void> => {
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: slowWay.cpu });
  await devtools.send("Network.emulateNetworkConditions", slowWay.network);
};

/**
 * Milliseconds from the request until a row of the list is painted, which the page itself notes; the page's processor time
 * and the bytes received until then, by kind. Processor time says more than the clock where other programs run beside.
 */
export const firstRow = async ({ page, devtools }: OpenedPage) => {
  const kinds = new Map<string, string>();
  const bytes: Record<string, number> = {};
  devtools.on("Network.responseReceived", ({ requestId, type }) => kinds.set(requestId, type));
  devtools.on("Network.loadingFinished", ({ requestId, encodedDataLength }) => {
    const kind = kinds.get(requestId) ?? "Other";
    bytes[kind] = (bytes[kind] ?? 0) + encodedDataLength;
  });
  await devtools.send("Performance.enable", { timeDomain: "threadTicks" });
  await page.addInitScript(() => {
    const painted = new Promise<number>((resolve) => {
      const watch = new MutationObserver(() => {
        if (document.querySelector("[data-row]") === null) return;
        watch.disconnect();
        // A task that is queued before a frame runs after it.
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
      });
      watch.observe(document, { childList: true, subtree: true });
    });
    Object.assign(window, { painted });
  });
  await page.goto("/requests", { waitUntil: "commit" });
  const ms = await page.evaluate(() => (window as unknown as { painted: Promise<number> }).painted);
  const { metrics } = await devtools.send("Performance.getMetrics");
  const processor = 1_000 * (metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN);
  return { ms, processor, script: bytes.Script ?? 0, sheet: bytes.Stylesheet ?? 0, font: bytes.Font ?? 0 };
};
