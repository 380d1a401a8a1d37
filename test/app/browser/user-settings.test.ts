import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { alternately } from "../../turns.ts";
import { axeFindings } from "../../web/axe.ts";
import { atRest, complaints, keeper, shifted, sideways, visit, visitAs } from "../../web/browser.ts";
import { example, type RunningApplication, serveDemonstration } from "../program.ts";

/*
 * Settings of a user's browser: right-to-left languages, forced colours, larger letter spacing, keyboard instead of
 * pointer. The page stays usable with each.
 */

let program: RunningApplication;
beforeAll(async () => {
  const text = readFileSync(example("lending"), "utf8").replace("locale: en-GB", "locale: ar");
  program = await serveDemonstration({ text });
});

const addresses = ["/", "/loans?layout=table", "/loans?layout=board", "/loans?layout=calendar", "/loans/new"];

/** Opens each of the addresses afresh. */
const each = async (page: Page, look: (address: string) => Promise<void>): Promise<void> => {
  for (const address of addresses) {
    await page.goto(program.url + address);
    await atRest(page);
    await look(address);
  }
};

test.each(alternately([1440, 390]))(
  "right to left at %i: the page is mirrored from its first paint, without a layout shift",
  async (width) => {
    const page = await visitAs(program.url, keeper, { width });
    await each(page, async (address) => {
      expect(await page.locator("html").getAttribute("dir"), address).toBe("rtl");
      expect(await shifted(page), address).toBeLessThan(0.1);
      expect(await sideways(page), address).toBe(0);
      if (width === 1440) expect(await axeFindings(page), address).toEqual([]);
    });
    expect(complaints(page)).toEqual([]);
  },
);

test("in forced colours: selections and pop-ups have an edge, and a bar differs from its track", async () => {
  const page = await visitAs(program.url, keeper, { path: "/loans?layout=board" });
  await page.emulateMedia({ forcedColors: "active" });
  await atRest(page);
  const edge = (of: string) =>
    page
      .locator(of)
      .first()
      .evaluate((one) => {
        const { outlineStyle, borderTopStyle } = getComputedStyle(one);
        return [outlineStyle, borderTopStyle].includes("solid");
      });
  expect(await edge(".layouts [aria-pressed=true]")).toBe(true);
  expect(await edge(".layouts [aria-pressed=false]")).toBe(false);
  await page.getByRole("button", { name: "Status" }).first().click();
  await page.locator("[popover]:popover-open").waitFor();
  expect(await edge("[popover]:popover-open")).toBe(true);
  await page.goto(`${program.url}/`);
  await page.locator(".bar-track i").first().waitFor();
  const fill = (of: string) =>
    page
      .locator(of)
      .first()
      .evaluate((one) => getComputedStyle(one).backgroundColor);
  expect(await fill(".bar-track i")).not.toBe(await fill(".bar-track"));
});

test("with the text spacing of WCAG 1.4.12 nothing is cut off", async () => {
  const spaced = "* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }";
  const page = await visitAs(program.url, keeper, { width: 390 });
  await each(page, async (address) => {
    await page.evaluate((css) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(css);
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    }, spaced);
    expect(await sideways(page), address).toBe(0);
  });
});

test("with text at 200% the page grows and nothing is cut off", async () => {
  const page = await visitAs(program.url, keeper, { width: 390 });
  const letters = () => page.locator("h1").evaluate((one) => Number.parseFloat(getComputedStyle(one).fontSize));
  const usual = await letters();
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Page.setFontSizes", { fontSizes: { standard: 32 } });
  expect(await letters()).toBe(2 * usual);
  await each(page, async (address) => expect(await sideways(page), address).toBe(0));
  // Zooming halves the available width; content that does not fit beside the list moves above and below it.
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${program.url}/loans?layout=table`);
  await page
    .getByRole("list")
    .filter({ has: page.locator("[data-row]") })
    .waitFor();
  expect(await sideways(page)).toBe(0);
});

test("focus in the filters of a narrow phone is fully visible", async () => {
  const path = "/loans?status=returned&from_day>=2020-01-01&due_day>=2020-01-01";
  const page = await visitAs(program.url, keeper, { width: 320, path });
  await page.locator(".filter-chips").waitFor();
  await atRest(page);
  await page.getByRole("searchbox").focus();
  let reached = 0;
  for (;;) {
    await page.keyboard.press("Tab");
    const seen = await page.evaluate(() => {
      const held = document.activeElement;
      const one = held?.closest(".filter-tools, .filter-chips");
      if (!held || !one) return null;
      const [a, b] = [held.getBoundingClientRect(), one.getBoundingClientRect()];
      return a.left >= b.left - 1 && a.right <= b.right + 1;
    });
    if (seen === null) break;
    expect(seen).toBe(true);
    reached += 1;
  }
  expect(reached).toBeGreaterThan(5);
});

// A notice is above both pages. The list of seven sample people just fits on the first, and the second is short.
test.each(["/", "/sign-in#stop-mails=x"])("%s of a demonstration is no higher than its window", async (path) => {
  const page = await visit(program.url, { path });
  await atRest(page);
  expect(await page.evaluate(() => document.documentElement.scrollHeight - innerHeight)).toBe(0);
});
