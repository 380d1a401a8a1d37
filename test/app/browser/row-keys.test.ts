import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { complaints, focused, visitAs } from "../../web/browser.ts";
import { example, type RunningApplication, serveDemonstration } from "../program.ts";

/* A head of a department decides by keyboard what the overview shows. */

const head = "Sofía Marín";

let program: RunningApplication;
beforeAll(async () => {
  program = await serveDemonstration({ file: example("purchasing") });
});

const press = async (page: Page, ...keys: readonly string[]): Promise<string> => {
  for (const key of keys) await page.keyboard.press(key);
  return focused(page);
};

const rowsOf = async (page: Page): Promise<readonly string[]> => {
  await page.locator("main [data-row]").first().waitFor();
  return page.locator("main [data-row]").evaluateAll((all) => all.map((row) => row.ariaLabel ?? ""));
};

describe("the rows of an overview", () => {
  test("lead to their buttons by an arrow key and by a full stop", async () => {
    const page = await visitAs(program.url, head, { path: "/", width: 1280 });
    const [first = "", second = "", third = ""] = await rowsOf(page);
    expect(await press(page, "ArrowDown", "ArrowRight")).toContain(`button "Approve…, ${first}"`);
    expect(await press(page, "ArrowRight")).toContain(`button "Decline…, ${first}"`);
    expect(await press(page, "ArrowLeft", "ArrowLeft", "ArrowLeft")).toContain(`link "${first}"`);
    // The menu of a row has its acts, as in a list.
    await press(page, "ArrowDown", ".");
    await page.getByRole("menuitem", { name: "Approve…" }).waitFor();
    expect(await page.getByRole("menuitem").first().innerText()).toContain("Open");
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(page)).toContain(`link "${second}"`);
    expect(await press(page, "ArrowDown", "ArrowRight")).toContain(`button "Pass on to finance…, ${third}"`);
    // Last comes why another act takes the place of the expected one.
    expect(await press(page, "ArrowRight", "ArrowRight")).toMatch(/button ".*Approve/);
    expect(await press(page, "ArrowUp")).toContain(`link "${second}"`);
    expect(complaints(page)).toEqual([]);
  });

  test("lead past a locked button first, and on to the tile beside", async () => {
    const page = await visitAs(program.url, "Lukas Brandt", { path: "/", width: 1440 });
    await rowsOf(page);
    const tile = page.locator(".tile-card", { has: page.getByRole("heading", { name: "Invoices due within a week" }) });
    const locked = tile.locator("tr, li").filter({ has: page.locator('.tile-actions button[aria-disabled="true"]') });
    await locked.first().locator("[data-row]").focus();
    expect(await press(page, "ArrowRight")).toContain('button "Object…');
    expect(await press(page, "ArrowLeft")).toContain('button "Pay, ');
    const tileOf = () =>
      page.evaluate(() => document.activeElement?.closest("section")?.querySelector("h2")?.textContent);
    await page.locator(".tile-card [data-row]").first().focus();
    expect(await press(page, "ArrowRight", "ArrowRight", "ArrowRight")).toContain("link");
    expect(await tileOf()).toContain("Waiting for finance");
    expect(await press(page, "ArrowLeft")).toContain("link");
    expect(await tileOf()).toContain("Waiting for my approval");
    expect(complaints(page)).toEqual([]);
  });

  test("begin and end at Home and End, as those of a list do", async () => {
    for (const path of ["/", "/requests"]) {
      const page = await visitAs(program.url, head, { path, width: 1280 });
      const rows = await rowsOf(page);
      expect(await press(page, "ArrowDown", "End")).toContain(rows.at(-1));
      expect(await press(page, "Home")).toContain(rows[0]);
    }
  });
});

describe("a row of an overview", () => {
  test("is selected with all of its tile by Shift and X, and the first act of the bar can be seen to have the focus", async () => {
    const page = await visitAs(program.url, "Lukas Brandt", { path: "/", width: 1440 });
    await rowsOf(page);
    await page
      .locator(".tile-card", { has: page.getByRole("heading", { name: "Invoices due" }) })
      .locator("[data-row]")
      .first()
      .focus();
    await page.keyboard.press("X");
    const bar = page.getByRole("region", { name: "Actions for the selected rows" });
    await bar.getByText("4 selected").waitFor();
    await page.keyboard.press(".");
    await expect.poll(() => focused(page)).toContain('button "Pay…');
    // Its ring lies on the dark bar, whose words can be read.
    const ink = await bar.evaluate((element) => getComputedStyle(element).color);
    expect(await bar.locator(":focus-visible").evaluate((act) => getComputedStyle(act).outlineColor)).toBe(ink);
    expect(complaints(page)).toEqual([]);
  });

  test("that was the last of its tile leaves the focus to the next one that waits, as the page is read", async () => {
    const page = await visitAs(program.url, "Lukas Brandt", { path: "/", width: 1440 });
    await rowsOf(page);
    const first = page.locator(".tile-card", { has: page.getByRole("heading", { name: "Waiting for my approval" }) });
    await first.locator("[data-row]").first().focus();
    await first.locator("tbody > tr, ul > li").evaluateAll((rows) => {
      for (const row of rows) row.remove();
    });
    // In the page, the tile below comes before the tile beside.
    const tileOf = () =>
      page.evaluate(() => document.activeElement?.closest("section")?.querySelector("h2")?.textContent);
    await expect.poll(tileOf).toContain("Waiting for finance");
  });

  test("that was the last of its tile leaves the focus to the next one that waits", async () => {
    const page = await visitAs(program.url, "Jonas Weber", { path: "/", width: 1280 });
    await rowsOf(page);
    // Only the page knows the rows: as after a decision, those of the first tile go.
    const next = await page.evaluate(() => {
      const waiting = [...document.querySelectorAll<HTMLElement>("main section")].filter(
        (tile) => tile.querySelector(".tile-actions button:not([aria-disabled])") !== null,
      );
      const [first, second] = waiting;
      first?.querySelector<HTMLElement>("[data-row]")?.focus();
      for (const row of first?.querySelectorAll("tbody > tr, ul > li") ?? []) row.remove();
      const acts = second?.querySelector(".tile-actions button:not([aria-disabled])");
      return acts?.closest("tr, li")?.querySelector("[data-row]")?.getAttribute("data-row");
    });
    expect(next).toBeTruthy();
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("data-row"))).toBe(next);
  });
});

describe("a row of a list", () => {
  test("that no longer matches leaves the focus to the row that takes its place", async () => {
    const page = await visitAs(program.url, "Lukas Brandt", { path: "/requests?category=office", width: 1280 });
    await rowsOf(page);
    const rows = page.locator("main tr [data-row]");
    const second = await rows.nth(1).getAttribute("data-row");
    await rows.first().focus();
    await press(page, "ArrowRight", "ArrowRight", "F2");
    await page.locator("#field-category").selectOption({ label: "Marketing" });
    await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("data-row"))).toBe(second);
    expect(complaints(page)).toEqual([]);
  });

  test("opens its form by E, and G leads from a filter to the list that is open", async () => {
    const page = await visitAs(program.url, "Jonas Weber", { path: "/requests?category=office", width: 1280 });
    await rowsOf(page);
    await page.getByRole("button", { name: /^Category: /u }).focus();
    await press(page, "g", "r");
    await page.waitForURL(/\/requests$/u);
    await expect.poll(() => focused(page)).toBe("- main");
    await page.goto(`${program.url}/requests?status=draft`);
    await rowsOf(page);
    await press(page, "ArrowDown", ".");
    await page.getByRole("menuitem", { name: /^Edit\s*E$/u }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("menu").waitFor({ state: "hidden" });
    await page.keyboard.press("e");
    await page.waitForURL(/\/requests\/[0-9a-f-]{36}\/edit$/u);
    expect(complaints(page)).toEqual([]);
  });

  test("opens its form by E after it was selected and deselected, but not while all rows are selected", async () => {
    const page = await visitAs(program.url, "Jonas Weber", { path: "/requests?status=draft", width: 1280 });
    await rowsOf(page);
    await press(page, "ArrowDown", "X");
    await page.getByRole("region", { name: "Actions for the selected rows" }).waitFor();
    await page.keyboard.press("e");
    await page.getByRole("menu", { name: "Edit" }).or(page.getByRole("dialog")).first().waitFor();
    expect(new URL(page.url()).pathname).toBe("/requests");
    await page.goto(`${program.url}/requests?status=draft`);
    await rowsOf(page);
    await press(page, "ArrowDown", "x", "x", "e");
    await page.waitForURL(/\/requests\/[0-9a-f-]{36}\/edit$/u);
    expect(complaints(page)).toEqual([]);
  });

  test("says by E why its record cannot be edited", async () => {
    const page = await visitAs(program.url, "Jonas Weber", { path: "/requests?status=settled", width: 1280 });
    await rowsOf(page);
    await press(page, "ArrowDown", "e");
    await expect.poll(() => page.locator(".toasts").innerText(), { timeout: 20_000 }).toMatch(/edit/iu);
    expect(new URL(page.url()).pathname).toBe("/requests");
    expect(complaints(page)).toEqual([]);
  });

  test("stays selected if a drag comes back to its box, and is where the next drag begins", async () => {
    const page = await visitAs(program.url, "Lukas Brandt", { path: "/requests", width: 1280 });
    await rowsOf(page);
    const boxes = page.locator("main tbody input[data-select]");
    const drag = async (...rows: readonly number[]) => {
      for (const [nth, at] of rows.entries()) {
        await boxes.nth(at).hover();
        if (nth === 0) await page.mouse.down();
      }
      await page.mouse.up();
    };
    await drag(1, 2, 1);
    await page.getByText("2 selected").waitFor();
    await boxes.nth(6).check();
    // Not the rows between these and the one that was selected last.
    await drag(2, 3);
    await page.getByText("4 selected").waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test("is one of several that F2 edits, and of several over whose boxes the pointer is dragged", async () => {
    const page = await visitAs(program.url, "Lukas Brandt", { path: "/requests", width: 1280 });
    await rowsOf(page);
    const boxes = page.locator("main tbody input[data-select]");
    await boxes.nth(1).hover();
    await page.mouse.down();
    for (const at of [2, 3]) await boxes.nth(at).hover();
    await page.mouse.up();
    await page.getByText("3 selected").waitFor();
    expect(await page.evaluate(() => String(getSelection()))).toBe("");
    const cell = page.locator("tr[data-selected] td[data-field=category]").first();
    await cell.focus();
    await page.keyboard.press("F2");
    await page.getByRole("dialog", { name: /^Edit/u }).getByText("Category").first().waitFor();
    expect(complaints(page)).toEqual([]);
  });
});

describe("all rows of a list, selected by Shift and X", () => {
  test.each(["e", "F2"])("are edited together by %s, beginning with the field that most of them share", async (key) => {
    const page = await visitAs(program.url, "Lukas Brandt", { path: "/requests", width: 1280 });
    await rowsOf(page);
    await press(page, "ArrowDown", "X");
    await page
      .getByRole("region", { name: "Actions for the selected rows" })
      .getByText(/selected/u)
      .waitFor();
    await page.keyboard.press(key);
    expect(await page.getByRole("menuitem").first().innerText()).toBe("Category");
    expect(new URL(page.url()).pathname).toBe("/requests");
    expect(complaints(page)).toEqual([]);
  });

  test("stay where they are when a full stop leads to their actions", async () => {
    const page = await visitAs(program.url, "Lukas Brandt", { path: "/requests", width: 1280 });
    await page.setViewportSize({ width: 1280, height: 600 });
    await rowsOf(page);
    await press(page, "ArrowDown", "X");
    await page.getByRole("button", { name: /^Edit…/u }).waitFor();
    await page.keyboard.press(".");
    await expect.poll(() => focused(page)).toContain('button "Edit…');
    expect(await page.evaluate(() => scrollY)).toBe(0);
  });
});

describe("the bar of the selected rows", () => {
  test("is a full stop away from its rows; the menu of a row that is not selected is, too", async () => {
    const page = await visitAs(program.url, head, { path: "/requests", width: 1280 });
    await rowsOf(page);
    await press(page, "ArrowDown", "x", "Shift+ArrowDown", ".");
    const bar = page.getByRole("region", { name: "Actions for the selected rows" });
    await expect.poll(() => bar.evaluate((one) => one.contains(document.activeElement))).toBe(true);
    const [, , third = ""] = await rowsOf(page);
    await page.locator(`main [data-row][aria-label="${third}"]`).focus();
    await page.keyboard.press(".");
    await page.getByRole("menuitem", { name: "Open" }).waitFor();
  });

  test("is a full stop away, too, if only one row is selected, in a list and in an overview", async () => {
    for (const path of ["/requests", "/"]) {
      const page = await visitAs(program.url, head, { path, width: 1280 });
      await rowsOf(page);
      await press(page, "ArrowDown", "x");
      const bar = page.getByRole("region", { name: "Actions for the selected rows" });
      await bar.getByText("1 selected").waitFor();
      await page.keyboard.press(".");
      await expect.poll(() => bar.evaluate((one) => one.contains(document.activeElement))).toBe(true);
      expect(await page.getByRole("menu").count()).toBe(0);
      expect(complaints(page)).toEqual([]);
    }
  });
});

describe("a right click on one of several selected rows", () => {
  test("offers the acts on all of them, as the bar does", async () => {
    const page = await visitAs(program.url, "Lukas Brandt", { path: "/requests", width: 1280 });
    await rowsOf(page);
    const rows = page.locator("main tbody tr");
    for (const at of [0, 1, 2]) await rows.nth(at).locator("input[data-select]").check();
    const bar = page.getByRole("region", { name: "Actions for the selected rows" });
    const offer = bar.getByRole("button", { name: /^Edit…/u });
    const count = (await offer.innerText()).replace(/\D/gu, "");
    await rows.nth(1).click({ button: "right" });
    const menu = page.getByRole("menu", { name: "3 selected" });
    expect(await menu.getByRole("menuitem", { name: /^Edit…/u }).innerText()).toContain(`${count} `);
    await menu.getByRole("menuitem", { name: /^Edit…/u }).press("Enter");
    await page.getByRole("menuitem", { name: "Category" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: /^Edit/u });
    await dialog.getByRole("button", { name: "Cancel" }).press("Enter");
    await dialog.waitFor({ state: "detached" });
    // A row that is not selected has a menu of its own.
    await rows.nth(4).click({ button: "right" });
    await page.getByRole("menuitem", { name: "Open" }).waitFor();
    await page.keyboard.press("Escape");
    await rows.nth(1).click({ button: "right" });
    await menu.getByRole("menuitem", { name: "Clear selection" }).press("Enter");
    await bar.waitFor({ state: "detached" });
    expect(complaints(page)).toEqual([]);
  });
});

describe("typed letters", () => {
  test("find an item of a menu by all of them", async () => {
    const page = await visitAs(program.url, head, { path: "/requests", width: 1280 });
    await rowsOf(page);
    await page.keyboard.press("s");
    await page.getByRole("menuitem", { name: "Number" }).waitFor();
    await page.keyboard.type("net");
    expect(await focused(page)).toContain("Net");
  });

  test("find a period by two words, whose space does not choose another", async () => {
    const page = await visitAs(program.url, head, { path: "/requests", width: 1280 });
    await rowsOf(page);
    await page.getByRole("button", { name: "Ordered on" }).press("Enter");
    await page.getByRole("button", { name: "Yesterday" }).waitFor();
    await page.keyboard.type("last m");
    expect(await focused(page)).toContain("Last month");
    await page.keyboard.press("Enter");
    await page.waitForURL(/last_month/u);
  });
});

test("the dialog of an act in a row breaks its lines, although the row does not", async () => {
  const page = await visitAs(program.url, head, { path: "/", width: 1280 });
  await rowsOf(page);
  await page
    .getByRole("button", { name: /^Decline/u })
    .first()
    .click();
  const dialog = page.getByRole("dialog", { name: "Decline" });
  await dialog.getByText(/^For example/u).waitFor();
  expect(await dialog.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
});

test("an act on a record from the overview marks what was said about it as read", async () => {
  const page = await visitAs(program.url, "Lukas Brandt", { path: "/", width: 1280 });
  await rowsOf(page);
  const bell = page.getByRole("button", { name: /^Notifications/u });
  await expect.poll(() => bell.textContent()).toMatch(/1 unread/u);
  expect(await press(page, "ArrowDown", "ArrowRight")).toContain("Approve…, PR-2026-00038");
  await page.keyboard.press("Enter");
  await page.getByRole("dialog", { name: "Approve" }).waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => bell.textContent()).not.toMatch(/unread/u);
});

describe("a record and its form", () => {
  test("have their main action at Ctrl and Enter, and their way out at Escape", async () => {
    const page = await visitAs(program.url, head, { path: "/", width: 1280 });
    await rowsOf(page);
    await press(page, "ArrowDown", "Enter");
    await page.getByRole("button", { name: "Approve…" }).waitFor();
    await page.keyboard.press("Control+Enter");
    await page.getByRole("dialog", { name: "Approve" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    expect(complaints(page)).toEqual([]);
  });

  test("are left by Escape if nothing was entered; otherwise it leads to the way out", async () => {
    const page = await visitAs(program.url, "Lukas Brandt", { path: "/requests", width: 1280 });
    await rowsOf(page);
    await press(page, "ArrowDown", "e");
    const category = page.locator("#field-category");
    await category.waitFor();
    await page.keyboard.press("Escape");
    await page.waitForURL(/\/requests\/[0-9a-f-]{36}$/u);
    await page.getByRole("link", { name: "Edit" }).waitFor();
    await page.keyboard.press("e");
    await category.selectOption({ label: "Marketing" });
    await category.focus();
    expect(await press(page, "Escape")).toContain('link "Cancel"');
    expect(complaints(page)).toEqual([]);
  });

  test("lead to the actions without a stop at a neighbour that there is not", async () => {
    const page = await visitAs(program.url, head, { path: "/", width: 1280 });
    await rowsOf(page);
    await press(page, "ArrowDown", "Enter");
    await page.getByRole("button", { name: "Previous, K" }).waitFor();
    expect(await page.getByRole("button", { name: "Previous, K" }).getAttribute("tabindex")).toBe("-1");
    expect(await page.getByRole("button", { name: "Next, J" }).getAttribute("tabindex")).toBe("0");
  });
});

describe("the filters of a list", () => {
  test("are found by their values, which apply at once", async () => {
    const page = await visitAs(program.url, "Lukas Brandt", { path: "/requests", width: 1280 });
    await rowsOf(page);
    await page.keyboard.press("f");
    const box = page.getByRole("combobox", { name: "Filter" });
    await box.pressSequentially("ord");
    // A field is found by its name, and not with all its values.
    await page.getByRole("option", { name: "Status: Ordered" }).waitFor();
    const found = await page.getByRole("option").allInnerTexts();
    expect(found[0]).toBe("Ordered on");
    expect(found.filter((label) => label.startsWith("Ordered on:"))).toEqual([]);
    await box.fill("last month");
    await page.getByRole("option", { name: "Ordered on: Last month" }).waitFor();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: /^Ordered on: Last month/u }).waitFor();
    await page.getByRole("listbox").waitFor({ state: "hidden" });
    await page.keyboard.press("f");
    await box.fill("open");
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Status: Open" }).waitFor();
    expect(complaints(page)).toEqual([]);
  });
});

describe("several rows of a list", () => {
  test("are edited by keyboard alone: Enter sends the choice that Enter has made", async () => {
    const page = await visitAs(program.url, "Lukas Brandt", { path: "/requests?category=warehouse", width: 1280 });
    await rowsOf(page);
    // It is the only field that all of them share, so it is not chosen first.
    await press(page, "ArrowDown", "X", "e");
    const dialog = page.getByRole("dialog", { name: /^Edit \d+ requests$/u });
    await dialog.locator("select").selectOption({ label: "Marketing" });
    await dialog.locator("select").press("Enter");
    await page.locator(".toast").getByText("Category: Marketing").waitFor();
    await page.keyboard.press("Control+z");
    await page.locator(".toast").getByText("Undone").waitFor();
    expect(complaints(page)).toEqual([]);
  });
});

describe("Ctrl+Z", () => {
  const category = (page: Page) => page.locator("main dl.fields div", { hasText: "Category" }).locator("dd");
  const note = (page: Page) => page.locator(".toast");

  test("undoes what a form has saved, and then says that there is nothing more to undo", async () => {
    const page = await visitAs(program.url, "Lukas Brandt", {
      path: "/requests?category=office&status=ordered",
      width: 1280,
    });
    await rowsOf(page);
    await press(page, "ArrowDown", "e");
    await page.locator("#form select").first().selectOption({ label: "Marketing" });
    await page.keyboard.press("Control+Enter");
    await note(page).getByText("Category: Marketing").waitFor();
    await expect.poll(() => category(page).innerText()).toContain("Marketing");
    await page.keyboard.press("Control+z");
    await note(page).getByText("Undone: 1 request").waitFor();
    await expect.poll(() => category(page).innerText()).toContain("Office");
    await page.keyboard.press("Control+z");
    await note(page).getByText("Nothing to undo").waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test("undoes the edit of a value on the page of its record, not what was done before", async () => {
    const page = await visitAs(program.url, "Lukas Brandt", { path: "/requests?category=office", width: 1280 });
    await rowsOf(page);
    await press(page, "ArrowDown", "Enter");
    await page.getByRole("button", { name: "Edit “Category”" }).press("Enter");
    await page.getByRole("option", { name: "Marketing" }).click();
    await note(page).getByText("Category: Marketing").waitFor();
    await page.keyboard.press("Control+z");
    await note(page).getByText("Undone: 1 request").waitFor();
    await expect.poll(() => category(page).innerText()).toContain("Office");
    expect(complaints(page)).toEqual([]);
  });
});
