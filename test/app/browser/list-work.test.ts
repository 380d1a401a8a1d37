import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { axeFindings } from "../../web/axe.ts";
import { atRest, complaints, focused, sideways, small, visitAs } from "../../web/browser.ts";
import { visitRequests } from "../../web/purchasing.ts";
import { example, type RunningApplication, serveDemonstration } from "../program.ts";

/* Finance finds and corrects purchase requests: the selection, filters, order and commands of one long list. */

const finance = "Lukas Brandt";

let program: RunningApplication;
beforeAll(async () => {
  program = await serveDemonstration({ file: example("purchasing") });
});

const bar = (page: Page) => page.getByRole("region", { name: "Actions for the selected rows" });

describe("the bar of selected rows", () => {
  test.each([1440, 1280, 390])("is one line at %i: what is possible for all comes first", async (width) => {
    const page = await visitRequests(program.url, "", width);
    if (width < 768) await page.getByRole("button", { name: "Select", exact: true }).click();
    await page.getByRole("checkbox", { name: "Select all shown" }).check({ force: true });
    const acts = bar(page).locator(":scope > button:not(.icon-only)");
    await expect.poll(async () => (await acts.allTextContents())[0]).toMatch(/^Edit… 3\d requests$/u);
    const middles = await bar(page)
      .locator(":scope > :is(b, button)")
      .evaluateAll((all) => all.map((one) => one.getBoundingClientRect()).map(({ y, height }) => y + height / 2));
    expect(Math.max(...middles) - Math.min(...middles)).toBeLessThan(4);
    expect(await bar(page).evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0);
    expect(await sideways(page)).toBeLessThanOrEqual(0);
    if (width < 768) expect(await small(page)).toEqual([]);
    await bar(page).getByRole("button", { name: "More actions for the selected rows" }).click();
    const menu = page.getByRole("menu", { name: "More actions for the selected rows" });
    await menu
      .getByRole("menuitem", { name: /… *1 request$/u })
      .first()
      .waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: /: / }).waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test.each([390, 320])(
    "begins on a phone of %i with what all of them await; editing moves into the menu for its room",
    async (width) => {
      const page = await visitRequests(program.url, "?status=endorsed", width);
      await page.getByRole("button", { name: "Select", exact: true }).click();
      await page.getByRole("checkbox", { name: "Select all shown" }).check({ force: true });
      const first = bar(page).locator(":scope > button:not(.icon-only)").first();
      await expect.poll(() => first.textContent()).toMatch(/^Approve for finance… \d requests?$/u);
      expect(await bar(page).evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0);
      await bar(page).getByRole("button", { name: "More actions for the selected rows" }).click();
      await page.getByRole("menuitem", { name: /^Edit…/u }).click();
      await page.getByRole("dialog", { name: "Edit" }).getByRole("combobox", { name: "Category" }).waitFor();
      expect(complaints(page)).toEqual([]);
    },
  );
});

describe("the line of filters", () => {
  test("keeps its filters when a period is chosen, and the tools above it their texts", async () => {
    const page = await visitRequests(program.url);
    const chips = () =>
      page
        .locator(".filters [data-filter]:not(input)")
        .evaluateAll((all) => all.map((one) => one.getAttribute("data-filter")));
    const before = await chips();
    expect(before).toContain("requester");
    const group = page.getByRole("button", { name: "Group the list" });
    await group.getByText("Group").waitFor();
    await page.getByRole("button", { name: "Ordered on" }).click();
    await page.getByRole("button", { name: "Last month" }).click();
    await page.waitForURL(/last_month/u);
    await page.getByRole("button", { name: "Clear filters" }).waitFor();
    expect(await group.getByText("Group").isVisible()).toBe(true);
    expect(await chips()).toEqual(before);
    expect(complaints(page)).toEqual([]);
  });

  test("S sorts, F filters and Shift+G groups, and no key is lost while they open", async () => {
    const page = await visitRequests(program.url);
    const keys = async (...all: readonly string[]) => {
      for (const key of all)
        await (key.length > 1 && !/^[A-Z]/u.test(key) ? page.keyboard.type(key) : page.keyboard.press(key));
    };
    // From the column in use, a letter goes to the next one that begins with it.
    await keys("s", "n", "n", "Enter");
    await page.waitForURL(/sort=-net/u);
    await keys("f", "depart", "Enter", "workshop", "Enter");
    await page.waitForURL(/department=[0-9a-f-]{36}/u);
    await page.getByRole("button", { name: "Department: Workshop" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("dialog", { name: "Department" }).waitFor({ state: "hidden" });
    // Also “Order number” begins so, but is no filter of the list.
    await keys("f", "ord", "Enter");
    await page.getByRole("group", { name: "Periods" }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("Shift+G");
    await page.getByRole("dialog", { name: "Group the list" }).waitFor();
    const by = page.getByRole("combobox", { name: "Group by" });
    // The panel begins below its button, and leaves the title in sight.
    const left = await page
      .getByRole("button", { name: "Group the list" })
      .evaluate((one) => one.getBoundingClientRect().x);
    const panel = page.getByRole("dialog", { name: "Group the list" });
    await expect.poll(() => panel.evaluate((one) => one.getBoundingClientRect().x)).toBeCloseTo(left, 0);
    await expect.poll(() => by.evaluate((box) => box === document.activeElement)).toBe(true);
    await keys("cat", "Enter");
    await page.waitForURL(/grouped=category/u);
    await page.getByRole("dialog", { name: "Group the list" }).waitFor({ state: "hidden" });
    await page.keyboard.press("?");
    const help = page.getByRole("dialog", { name: "Help" });
    for (const words of ["Sort the list", "Choose a filter", "Group the list"]) await help.getByText(words).waitFor();
    expect(complaints(page)).toEqual([]);
  });
});

test("F offers the filters of the list first, and Tab through the navigation does not move the page", async () => {
  const page = await visitRequests(program.url, "", 1280);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.keyboard.press("f");
  const offered = page.getByRole("listbox", { name: "Filter" }).getByRole("option");
  await offered.first().waitFor();
  expect((await offered.allTextContents()).slice(0, 3)).toEqual(["Status", "Category", "Ordered on"]);
  await page.keyboard.press("Escape");
  // The chips are beside the button.
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await offered.first().waitFor();
  expect(await offered.first().textContent()).not.toBe("Status");
  await page.keyboard.press("Escape");
  await page.evaluate(() => scrollTo(0, 200));
  await page.getByRole("main").focus();
  for (const name of ["Signed in", "Help", "Dark", "Notifications", "Departments"]) {
    await page.keyboard.press("Shift+Tab");
    expect(await focused(page)).toContain(name);
  }
  expect(await page.evaluate(() => scrollY)).toBe(200);
  expect(complaints(page)).toEqual([]);
});

test("a link of the navigation to the list that is open begins it anew at its top; Back returns to the place", async () => {
  const page = await visitRequests(program.url, "?sort=-net", 390);
  const scrolled = () => page.evaluate(() => Math.round(scrollY));
  await page.evaluate(() => scrollTo(0, 400));
  await page
    .getByRole("navigation")
    .getByRole("link", { name: "Requests", exact: true })
    .filter({ visible: true })
    .click();
  await page.waitForURL(/\/requests$/u);
  await expect.poll(scrolled).toBe(0);
  expect(await page.getByRole("heading", { name: "Requests" }).isVisible()).toBe(true);
  await page.goBack();
  await page.waitForURL(/sort=-net/u);
  await expect.poll(scrolled).toBe(400);
  expect(complaints(page)).toEqual([]);
});

test("while rows are being selected on a phone, no state is cut off, and no title that has two lines", async () => {
  const page = await visitRequests(program.url, "", 390);
  await page.getByRole("button", { name: "Select", exact: true }).click();
  await page.locator(".selecting .row-title").first().waitFor();
  const cut = await page
    .locator(".selecting :is(.row-title, .state > .cut)")
    .evaluateAll((all) =>
      all
        .filter((one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight + 1)
        .map((one) => one.textContent),
    );
  expect(cut).toEqual([]);
  expect(await sideways(page)).toBeLessThanOrEqual(0);
});

test("E begins in the first field of the form", async () => {
  const page = await visitRequests(program.url, "?status=draft");
  await page.locator("main [data-row]").first().press("Enter");
  await page.getByRole("link", { name: "Edit", exact: true }).waitFor();
  await page.keyboard.press("e");
  await page.getByRole("heading", { level: 1, name: /^Edit / }).waitFor();
  await expect.poll(() => focused(page)).toContain(`combobox "Department"`);
  expect(complaints(page)).toEqual([]);
});

describe("the table", () => {
  test.each([1440, 1280])(
    "at %i, states, purposes and names are whole, in two lines where they need them",
    async (width) => {
      const page = await visitRequests(program.url, "", width);
      await page.getByText("Waiting for finance").first().waitFor();
      const cut = () =>
        page
          .locator("tbody :is(bdi, .cut)")
          .evaluateAll((all) =>
            all
              .filter((one) => one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1)
              .map((one) => one.textContent),
          );
      await expect.poll(async () => (await cut()).length).toBeLessThanOrEqual(width === 1440 ? 0 : 3);
      expect(await cut()).not.toContain("Waiting for finance");
      const heights = await page
        .locator("tbody tr:not(.room)")
        .evaluateAll((all) => [...new Set(all.map((row) => Math.round(row.getBoundingClientRect().height)))]);
      expect(heights).toHaveLength(1);
      expect(await sideways(page)).toBeLessThanOrEqual(0);
      // Paper has room for all lines.
      await page.emulateMedia({ media: "print" });
      const clampOf = (one: Element) => getComputedStyle(one).webkitLineClamp;
      expect(await page.locator("tbody bdi").first().evaluate(clampOf)).toBe("none");
      expect(complaints(page)).toEqual([]);
    },
  );
});

test("on a phone, a tap on a date opens its calendar, and another one is for typing", async () => {
  const page = await visitAs(program.url, finance, { path: "/requests/new", width: 390 });
  const box = page.getByRole("textbox", { name: "Needed by" });
  await box.tap();
  const calendar = page.getByRole("dialog", { name: /Needed by/u });
  await calendar.getByRole("gridcell").first().waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await calendar.waitFor({ state: "hidden" });
  await expect.poll(() => focused(page)).toContain("Needed by");
  await box.tap();
  expect(await calendar.isVisible()).toBe(false);
  expect(complaints(page)).toEqual([]);
});

test("a row on a phone has no label for the value by which it is sorted, and its number comes last", async () => {
  const page = await visitRequests(program.url, "?status=submitted", 390);
  const row = page.getByRole("link", { name: /3D printer/u });
  // The day follows from that on which the samples were made.
  await row.getByText(/^\d+ \p{L}+(?: \d+)? · Tools and machines · Workshop/u).waitFor();
  // The line of filters begins with the order.
  await page.getByRole("button", { name: "Sort: Needed by" }).click();
  await page.getByRole("menuitem", { name: "Net" }).click();
  await page.getByRole("button", { name: "Sort: Net" }).waitFor();
  await page.getByRole("button", { name: "Use the default order" }).waitFor();
  expect(complaints(page)).toEqual([]);
});

test.each([1280, 1440])("at %i, a table cuts off neither a state nor how many people have acted", async (width) => {
  const page = await visitAs(program.url, finance, { path: "/requests", width });
  const row = page.getByRole("row", { name: /laser cutter/u });
  const cutOff = (words: string) =>
    row.getByText(words, { exact: true }).evaluate((text) => {
      const [own, cell] = [text.getBoundingClientRect(), text.closest("td")?.getBoundingClientRect()];
      return cell === undefined || own.right > cell.right + 1 || own.bottom > cell.bottom + 1;
    });
  await row.waitFor();
  await atRest(page);
  expect([await cutOff("Waiting for finance"), await cutOff("1 of 2")]).toEqual([false, false]);
});

test("a date shows its weekday, the calendar has next Monday, and a cleared reference offers others at once", async () => {
  const page = await visitAs(program.url, finance, { path: "/requests/new" });
  const day = page.getByRole("textbox", { name: "Needed by" });
  await day.fill("2026-12-03");
  await page.getByText("Thu", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Calendar for Needed by" }).click();
  await page.getByRole("button", { name: "Next Monday" }).click();
  await page.getByText("Mon", { exact: true }).waitFor();
  const department = page.getByRole("combobox", { name: "Department" });
  await department.click();
  await page.getByRole("option", { name: "Workshop" }).click();
  await page.getByRole("button", { name: "Remove Department" }).click();
  await page.getByRole("option", { name: "Sales" }).waitFor();
  await expect.poll(() => focused(page)).toContain("Department");
  expect(complaints(page)).toEqual([]);
});

test("the help begins with the keys after ?, and with the page after Help; the menu of a row names its keys", async () => {
  const page = await visitRequests(program.url);
  const help = page.getByRole("dialog", { name: "Help" });
  const headings = () => help.getByRole("heading", { level: 3 }).allTextContents();
  await page.keyboard.press("?");
  await expect.poll(async () => (await headings())[0]).toBe("Keyboard shortcuts");
  // Its title and the button that closes it stay in view.
  await help.evaluate((dialog) => dialog.scrollTo(0, dialog.scrollHeight));
  const [top, title] = [await help.boundingBox(), await help.getByRole("heading", { level: 2 }).boundingBox()];
  expect(title?.y).toBeGreaterThan(top?.y ?? 0);
  await help.getByRole("button", { name: "Close" }).click();
  await help.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Help" }).click();
  await expect.poll(async () => (await headings())[0]).toBe("What you can do here");
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await page.locator("main [data-row]").first().focus();
  await page.keyboard.press(".");
  await page.getByRole("menuitem", { name: /^Open\s*Enter$/u }).waitFor();
  expect(complaints(page)).toEqual([]);
});

test("a group shows as many rows as before after it was emptied and this was undone", async () => {
  const page = await visitRequests(program.url, "?grouped=category");
  const more = page.getByRole("button", { name: "Show 3 more" });
  await more.click();
  await more.waitFor({ state: "detached" });
  const group = page.locator("tbody", { has: page.getByRole("link", { name: /document scanner/u }) });
  await expect.poll(() => group.locator("[data-row]").count()).toBe(8);
  await page.getByRole("checkbox", { name: "Select Category: Electronics" }).click();
  await page.getByRole("button", { name: /^Edit/u }).first().click();
  const dialog = page.getByRole("dialog", { name: /^Edit/u });
  // Its list is open already, above the button.
  await dialog.locator("#field-category").selectOption({ label: "Office" });
  await page.keyboard.press("Control+Enter");
  await page.getByRole("button", { name: /Category: Electronics/u }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: /^Undo/u }).first().click();
  await expect.poll(() => group.locator("[data-row]").count(), { timeout: 30_000 }).toBe(8);
  expect(complaints(page)).toEqual([]);
});

test("a choice of people says by which text it found somebody", async () => {
  const page = await visitAs(program.url, finance, { path: "/departments/new" });
  await page.getByRole("combobox", { name: "Head" }).fill("tanaka@");
  await page.getByRole("option", { name: "Mei Tanaka" }).getByText("mei.tanaka@example.com").waitFor();
  expect(complaints(page)).toEqual([]);
});

describe("the palette", () => {
  const choose = async (page: Page, typed: string, option: string | RegExp) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search or jump to" }).fill(typed);
    await page.getByRole("option", { name: option }).first().waitFor();
    await page.keyboard.press("Enter");
  };

  test("finds the most expensive open requests of last month by category", async () => {
    const page = await visitRequests(program.url);
    await choose(page, "last month", "Ordered on: Last month");
    await page.waitForURL(/ordered_on(@|%40)=last_month/u);
    await choose(page, "status open", "Status: Open");
    await page.waitForURL(/status=submitted/u);
    await choose(page, "group by category", "Group by: Category");
    await page.waitForURL(/category/u);
    await choose(page, "sort by net", "Sort by Net");
    await page.waitForURL(/sort=-net/u);
    await page.getByRole("columnheader", { name: /Net/u }).first().waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test("changes a choice with two presses: the list of the cell is open at once, and choosing saves", async () => {
    const page = await visitRequests(program.url, "?status=draft");
    const cell = page.locator("main td[data-field=category]").first();
    const other = (await cell.textContent()) === "Marketing" ? "Warehouse" : "Marketing";
    await cell.click();
    await page.getByRole("option", { name: other }).click();
    await expect.poll(() => cell.textContent()).toBe(other);
    await page.getByRole("dialog", { name: "Edit “Category”" }).waitFor({ state: "detached" });
    // By keyboard, the value is active first, an arrow key moves, and Enter chooses.
    await cell.press("Enter");
    await page.getByRole("option", { name: other }).waitFor();
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    await expect.poll(() => cell.textContent()).not.toBe(other);
    expect(complaints(page)).toEqual([]);
  });

  test("has the menu of the row in focus, found by its acts, and edits one of its values", async () => {
    const page = await visitRequests(program.url, "?status=submitted");
    await page.keyboard.press("ArrowDown");
    const label = await page.locator("main [data-row]").first().getAttribute("aria-label");
    await choose(page, "decline", /^More actions/u);
    const menu = page.getByRole("menu", { name: `More actions for ${label}` });
    await menu.getByRole("menuitem", { name: /^Decline/u }).waitFor();
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "detached" });
    await choose(page, "edit category", /^Edit “Category”/u);
    const editor = page.getByRole("dialog", { name: "Edit “Category”" });
    await editor.getByRole("combobox").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("row").nth(1).getByRole("link").first().click();
    await page.getByRole("button", { name: "Edit “Category”" }).waitFor();
    await choose(page, "edit category", "Edit “Category”");
    await page.getByRole("combobox", { name: "Category" }).waitFor();
    expect(complaints(page)).toEqual([]);
  });
});
