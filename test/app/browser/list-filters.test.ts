import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { axeFindings } from "../../web/axe.ts";
import { atRest, complaints, focused, sideways, small, visitAs } from "../../web/browser.ts";
import { visitRequests } from "../../web/purchasing.ts";
import { example, type RunningApplication, serveDemonstration } from "../program.ts";

/* Filters are in sight as long as they act: in the rows, in the line of a phone, and for the keyboard. */

const finance = "Lukas Brandt";

/** The short name of last month, in the time zone of the specification. */
const lastMonth = (): string => {
  const day = new Date(`${new Date().toLocaleDateString("en-CA", { timeZone: "Europe/Berlin" })}T12:00:00Z`);
  return new Date(day.setUTCDate(0)).toLocaleDateString("en-GB", { month: "short", timeZone: "UTC" });
};

let program: RunningApplication;
beforeAll(async () => {
  program = await serveDemonstration({ file: example("purchasing") });
});

const heads = (page: Page) => page.getByRole("columnheader").allTextContents();

describe("a field that the list does not show", () => {
  test("has a column beside its like while the rows are filtered or sorted by it", async () => {
    const page = await visitRequests(program.url, "?ordered_on@=last_month");
    await page
      .getByRole("button", { name: new RegExp(`^Ordered on: Last month \\(.*${lastMonth()}.*\\)$`, "u") })
      .waitFor();
    const shown = await heads(page);
    expect(shown.indexOf("Ordered on")).toBe(shown.indexOf("Needed by") + 1);
    expect(await sideways(page)).toBeLessThanOrEqual(0);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect.poll(() => heads(page)).not.toContain("Ordered on");
    // Days that are not a named period are as short.
    await page.goto(`${program.url}/requests?ordered_on>=2026-10-01&ordered_on<=2026-10-31`);
    await page.getByRole("button", { name: /^Ordered on: 1\s*–\s*31 Oct/u }).waitFor();
    await page.goto(`${program.url}/requests?sort=-ordered_on`);
    await page.getByRole("columnheader", { name: "Ordered on" }).waitFor();
    expect(await page.getByText(/^Sorted by/u).count()).toBe(0);
    // The menu has each column that is shown, with a check mark where lists of options have it.
    await page.keyboard.press("s");
    const current = page.getByRole("menu", { name: "Sort" }).getByRole("menuitem", { name: /^Ordered on/u });
    await expect.poll(() => current.evaluate((one) => one.lastElementChild?.className)).toBe("menu-check");
    await page.keyboard.press("Escape");
    await page.goto(`${program.url}/requests?grouped=category&ordered_on@=last_month`);
    await page.getByRole("columnheader", { name: "Ordered on" }).waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test("has a column if a search found something in it alone", async () => {
    const page = await visitRequests(program.url, "?search=entrance");
    const before = await heads(page);
    expect(before).toContain("Deliver to");
    await page.goto(`${program.url}/requests?search=scanner`);
    await page
      .getByRole("row", { name: /scanner/u })
      .first()
      .waitFor();
    expect((await heads(page)).length).toBeLessThan(before.length);
  });

  test("is in the line of a row on a phone, with its name", async () => {
    const page = await visitRequests(program.url, "?ordered_on@=last_month", 390);
    await page
      .getByText(new RegExp(`^Needed by \\d+ \\w+ · Ordered on \\d+ ${lastMonth()}`, "u"))
      .first()
      .waitFor();
    // Texts without room are left out as a whole.
    const cut = await page.locator(".row-second").evaluateAll((lines) =>
      lines.flatMap((line) =>
        [...line.children]
          .filter((text) => text.getBoundingClientRect().top < line.getBoundingClientRect().bottom)
          .filter((text) => text.getBoundingClientRect().right > line.getBoundingClientRect().right + 1)
          .map((text) => text.textContent),
      ),
    );
    expect(cut).toEqual([]);
    expect(complaints(page)).toEqual([]);
  });
});

test("on a phone, a row does not repeat the only state that the filter leaves", async () => {
  const page = await visitRequests(program.url, "?status=submitted", 390);
  await page.getByRole("button", { name: "Status: Submitted" }).waitFor();
  expect(await page.locator(".row-state .state").count()).toBe(0);
  await page.goto(`${program.url}/requests?status=submitted&status=endorsed`);
  await page.locator(".row-state .state").first().waitFor();
});

describe("the filters on a phone", () => {
  const tools = (page: Page) => page.locator(".filter-tools").innerText();
  const words = (page: Page) => page.locator(".filter-chips").innerText();
  /** The chips that are not in sight as a whole. */
  const hidden = (page: Page) =>
    page.locator(".filter-chips > *:not([popover])").evaluateAll((all) =>
      all
        .filter((one) => {
          const { left, right } = one.getBoundingClientRect();
          return left < 0 || right > innerWidth || one.scrollWidth > one.clientWidth + 1;
        })
        .map((one) => one.textContent),
    );

  test("are a line below the tools, which stay in place, and it scrolls to the last one", async () => {
    const page = await visitRequests(program.url, "", 390);
    await expect.poll(() => tools(page)).toMatch(/^Filter\s+Sort: Needed by ↓\s+Group$/u);
    expect(await page.locator(".filter-chips").count()).toBe(0);
    const add = page.getByRole("button", { name: "Filter", exact: true });
    const places = () =>
      page.locator(".filter-tools button").evaluateAll((all) => all.map((one) => one.getBoundingClientRect().left));
    const before = await places();
    const offered = new Set<string>();
    for (const [field, value] of [
      ["Category", "Office"],
      ["Department", "Workshop"],
    ] as const) {
      await add.click();
      await page.getByRole("option", { name: field, exact: true }).waitFor();
      offered.add((await page.getByRole("option").allTextContents()).join());
      await page.getByRole("option", { name: field, exact: true }).click();
      const sheet = page.getByRole("dialog", { name: field });
      await sheet.getByRole("checkbox", { name: value }).check();
      // The button of the sheet says to how many rows it leads.
      await sheet.getByRole("button", { name: /^Show \d requests?$|^No requests found/u }).click();
      await sheet.waitFor({ state: "hidden" });
      await expect.poll(() => focused(page)).toContain(`${field}: ${value}`);
    }
    await expect.poll(() => words(page)).toMatch(/^Category: Office\s+Department: Workshop\s+Clear/u);
    expect(await places()).toEqual(before);
    // The fields in use are offered in the same places.
    expect(offered.size).toBe(1);
    // Its cross is not below the button that unfolds the line.
    const uncovered = () =>
      page.getByRole("button", { name: "Remove the filter on Department" }).evaluate((cross) => {
        const { left, top, width, height } = cross.getBoundingClientRect();
        return cross.contains(document.elementFromPoint(left + width / 2, top + height / 2));
      });
    await expect.poll(uncovered).toBe(true);
    expect(await sideways(page)).toBeLessThanOrEqual(0);
    expect(await small(page)).toEqual([]);
    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect.poll(() => page.locator(".filter-chips").count()).toBe(0);
    await add.click();
    await page.getByRole("combobox", { name: "Filter" }).fill("ordered on: last month");
    await expect.poll(() => page.getByRole("option").allTextContents()).toEqual(["Ordered on: Last month"]);
    expect(complaints(page)).toEqual([]);
  });

  test("stand below the order and the groups, which are taken back in the same way", async () => {
    const page = await visitRequests(
      program.url,
      "?status=ordered&ordered_on@=last_month&sort=-net&grouped=category",
      390,
    );
    await expect.poll(() => tools(page)).toMatch(/^Filter\s+Net ↓\s+Category$/u);
    await expect.poll(() => words(page)).toMatch(/^Status: Ordered\s+Ordered on: Last month [^\n]*\s+Clear/u);
    // The crosses of both are in sight.
    const { scrollWidth, clientWidth } = await page
      .locator(".filter-tools")
      .evaluate((line) => ({ scrollWidth: line.scrollWidth, clientWidth: line.clientWidth }));
    expect(scrollWidth).toBe(clientWidth);
    // Rows are in sight at once, and all conditions after one press.
    const firstRow = async () => (await page.locator(".list").boundingBox())?.y ?? 0;
    expect(await firstRow()).toBeLessThan(290);
    await page.getByRole("button", { name: "2 conditions", expanded: false }).click();
    await expect.poll(() => hidden(page)).toEqual([]);
    await page.getByRole("button", { name: "2 conditions", expanded: true }).click();
    expect(await firstRow()).toBeLessThan(290);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Remove the grouping" }).click();
    await expect.poll(() => focused(page)).toContain("Group the list");
    await page.getByRole("button", { name: "Use the default order" }).click();
    await expect.poll(() => new URL(page.url()).search).toBe("?ordered_on%40=last_month&status=ordered");
    // The link of the navigation begins without filters.
    await page.getByRole("navigation").getByRole("link", { name: "Requests" }).click();
    await expect.poll(() => tools(page)).toMatch(/^Filter\s+Sort: Needed by ↓\s+Group$/u);
    expect(complaints(page)).toEqual([]);
  });
});

test("on a phone, the search has a cross", async () => {
  const page = await visitRequests(program.url, "?search=drill", 390);
  const cross = page.getByRole("button", { name: "Clear the search" });
  await cross.click();
  await page.waitForURL((url) => url.search === "");
  await cross.waitFor({ state: "detached" });
  await expect.poll(() => focused(page)).toContain("search");
  expect(complaints(page)).toEqual([]);
});

describe("a filter chosen by keyboard", () => {
  const choose = async (page: Page, typed: string) => {
    await page.keyboard.press("f");
    await page.getByRole("combobox", { name: "Filter" }).waitFor();
    await page.keyboard.type(typed);
    await page.keyboard.press("Enter");
  };

  test("has the focus afterwards, from where the down arrow leads into the rows", async () => {
    const page = await visitRequests(program.url);
    for (const field of ["ordered", "approved on"]) {
      await page.locator("main [data-row]").nth(1).focus();
      await choose(page, field);
      await page.getByRole("button", { name: "This year" }).click();
      await expect.poll(() => focused(page)).toMatch(/: This year/u);
      await page.getByRole("button", { name: "Clear filters" }).waitFor();
      // A row of the list before would take the focus along when it goes.
      await atRest(page);
      await page.keyboard.press("ArrowDown");
      await expect.poll(() => focused(page)).toContain('link "PR-');
      await page.getByRole("button", { name: "Clear filters" }).click();
    }
    expect(complaints(page)).toEqual([]);
  });

  test("by mistake goes with Escape, and the focus returns to the row", async () => {
    const page = await visitRequests(program.url);
    const chips = () => page.locator(".filter-chips [data-fit]").count();
    const before = await chips();
    const row = page.locator("main [data-row]").nth(2);
    await row.focus();
    await choose(page, "approved on");
    await page.getByRole("dialog", { name: "Approved on" }).waitFor();
    expect(await chips()).toBe(before + 1);
    await page.keyboard.press("Escape");
    await expect.poll(chips).toBe(before);
    await expect.poll(() => row.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(complaints(page)).toEqual([]);
  });
});

test("G shows the letters of the screens while it waits for one, and Escape ends that", async () => {
  const page = await visitRequests(program.url);
  const letters = page.getByRole("status").filter({ hasText: "Go to…" });
  await page.locator("main [data-row]").first().focus();
  await page.keyboard.press("x");
  await page.keyboard.press("g");
  await letters.getByText("Suppliers").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  // It waits anew, because the check takes a while.
  await page.keyboard.press("g");
  await letters.waitFor();
  await page.keyboard.press("Escape");
  await letters.waitFor({ state: "detached" });
  // Escape was for the letters, not for the selection.
  await page.getByText("1 selected").waitFor();
  await page.keyboard.press("g");
  await letters.waitFor();
  await page.keyboard.press("s");
  await page.getByRole("heading", { level: 1, name: "Suppliers" }).waitFor();
  await letters.waitFor({ state: "detached" });
  expect(complaints(page)).toEqual([]);
});

test("the text that names a record opens it, and is edited by its menu or with F2", async () => {
  const page = await visitRequests(program.url, "?status=draft");
  const row = page.getByRole("row").nth(1);
  const title = row.locator("[data-field=purpose]");
  await title.click();
  await page.getByRole("heading", { level: 1, name: /PR-/u }).waitFor();
  await page.goBack();
  const editor = page.getByRole("dialog", { name: "Edit “Purpose”" });
  await row.getByRole("button", { name: /^More actions/u }).click();
  await page.getByRole("menuitem", { name: "Edit “Purpose”" }).click();
  await editor.getByRole("textbox").waitFor();
  await page.keyboard.press("Escape");
  await editor.waitFor({ state: "detached" });
  await row.getByRole("link").first().focus();
  await page.keyboard.press("F2");
  await editor.getByRole("textbox").waitFor();
  await page.keyboard.press("Escape");
  await editor.waitFor({ state: "detached" });
  // The other values are edited by a click.
  await row.locator("[data-field=category]").click();
  await page.getByRole("dialog", { name: "Edit “Category”" }).waitFor();
  expect(complaints(page)).toEqual([]);
});

test("an empty list forgets that its address asked to select all", async () => {
  const page = await visitRequests(program.url);
  await page.goto(`${program.url}/requests?search=nosuchthing&layout=table#all`);
  await page.getByText(/^No requests match/u).waitFor();
  await expect.poll(() => new URL(page.url()).hash).toBe("");
  expect(complaints(page)).toEqual([]);
});

test("a deadline is named as people say it, in one line", async () => {
  const page = await visitAs(program.url, finance, { path: "/", width: 390 });
  const due = page.getByText(/^Due in \d days$/u);
  await due.first().waitFor();
  const linesOf = (one: Element) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
  };
  for (const one of await due.all()) expect(await one.evaluate(linesOf)).toBe(1);
  expect(complaints(page)).toEqual([]);
});
