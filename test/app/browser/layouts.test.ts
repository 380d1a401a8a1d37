import { readFileSync } from "node:fs";
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { createGate } from "../../wait.ts";
import { axeFindings } from "../../web/axe.ts";
import {
  atRest,
  complaints,
  focused,
  keeper,
  member,
  namedByWhy,
  pressUntil,
  sideways,
  visitAs,
  visitWith,
  writesOf,
} from "../../web/browser.ts";
import { type ApiClient, example, type RunningApplication, serveDemonstration } from "../program.ts";
import { requestNewThing } from "../request-new-thing.ts";

/** The lending desk with two rules: no loan longer than four weeks, and none that begins on a certain day. */
const lending = readFileSync(example("lending"), "utf8")
  .replace(
    "else: DUE_BEFORE_START }",
    `else: DUE_BEFORE_START }
  - { rule: "due_day <= from_day + longest", else: TOO_LONG }
  - { rule: "from_day != '2027-03-15'", else: CLOSED }`,
  )
  .replace(
    "at: due_day }",
    `at: due_day }
TOO_LONG: { status: 422, message: "{due_day} is more than four weeks away.", at: due_day }
CLOSED: { status: 422, message: "The desk is closed on {from_day}.", at: from_day }`,
  )
  .replace("page_size: 50", "longest: 28 days\npage_size: 50");

/** Visits with hours. */
const visitBook = `# Visits

## 1. Purpose
\`\`\`yaml
name: Visits
locale: en-GB
timezone: UTC
\`\`\`

## 2. Screens
\`\`\`yaml
/visits: { list: Visit, columns: [name], layouts: [{ calendar: [begins, ends] }] }
/visits/{id}: { record: Visit }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Visit: { label: "{name}", fields: { name: text, begins: datetime, ends: datetime } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: granted }
permissions: { Visit: { read: clerk, create: clerk, update: clerk } }
\`\`\`
`;

let program: RunningApplication;
/** Requests a loan for a day before all samples, so that it is the first one of the overview. */
const askForLoan = () => {
  const day = new Date(Date.now() - 70 * 86_400_000).toISOString().slice(0, 10);
  return requestNewThing(program, { remark: "first in line", from_day: day, due_day: day });
};
const askedLoans = async () =>
  (await (await program.signInAs("keeper")).get("/api/loans?status=asked&limit=50")).list().items;
/** Declines requested loans until this number is left. */
const keepAsked = async (count: number): Promise<void> => {
  const desk = await program.signInAs("keeper");
  for (const { id } of (await askedLoans()).slice(count))
    expect((await desk.post(`/api/loans/${id}/decline`, { reason: "It is promised." })).status).toBe(200);
};
beforeAll(async () => {
  program = await serveDemonstration({ text: lending });
  // Sample data are random, so a waiting record is not guaranteed.
  await askForLoan();
});

const column = (name: string) => new RegExp(`^${name}, `);

describe("a dashboard", () => {
  test("links each count to the list that it counts", async () => {
    const page = await visitAs(program.url, keeper, { path: "/" });
    const tile = page.getByRole("region", { name: "Lent" });
    const figure = Number(await tile.getByText(/^\d+$/u).textContent());
    await tile.getByRole("link", { name: "Lent" }).click();
    await page.getByRole("heading", { level: 1, name: "Loans" }).waitFor();
    await page.getByRole("row").nth(1).waitFor();
    await expect.poll(() => page.getByRole("row").count()).toBe(figure + 1);
    await page.getByRole("button", { name: "Remove the filter on Lent" }).click();
    await page.waitForURL((url) => url.search === "");
    expect(complaints(page)).toEqual([]);
  });

  test("has no links before its tiles are in their places, so that none of them loses the focus", async () => {
    const page = await visitAs(program.url, keeper, { path: "/loans" });
    const { opened: held, open: release } = createGate();
    await page.route("**/_/overview?*", async (route) => {
      await held;
      await route.continue();
    });
    await page.locator('nav a[href="/"]').first().click();
    const tile = page.getByRole("region", { name: "Lent" });
    await tile.waitFor();
    expect(await page.locator(".tiles a, .tiles button").count()).toBe(0);
    release();
    await tile.getByRole("link", { name: "Lent" }).waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test("has a table for each chart, and each chart has a sentence as its name", async () => {
    const page = await visitAs(program.url, keeper, { path: "/" });
    const chart = page.getByRole("group", { name: /^Loans by month: .* The largest is / });
    await chart.waitFor();
    await page.getByRole("button", { name: "Show Loans by month as a table" }).click();
    await page.getByRole("table", { name: "Loans by month" }).getByRole("rowheader", { name: "Total" }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    // A group of the chart opens its records, in the chart and in the table.
    await page.getByRole("table", { name: "Loans by month" }).getByRole("link").first().click();
    await page.getByRole("heading", { level: 1, name: "Loans" }).waitFor();
    const days = [...new URL(page.url()).searchParams.keys()].filter((key) => /[<>]$/u.test(key));
    expect(days).toHaveLength(2);
    await page.goBack();
    await chart.getByRole("link").first().click();
    await page.getByRole("heading", { level: 1, name: "Loans" }).waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test("shows each person their own records", async () => {
    const page = await visitAs(program.url, member, { path: "/" });
    const tile = page.getByRole("region", { name: "Requested" });
    await tile.getByRole("row").nth(1).waitFor();
    for (const row of (await tile.getByRole("row").all()).slice(1))
      await expect.poll(() => row.textContent()).toContain(member);
  });
});

describe("a record that waits for a person", () => {
  test("can be decided on the dashboard, with the fields that the transition asks for", async () => {
    const page = await visitAs(program.url, keeper, { path: "/" });
    const tile = page.getByRole("region", { name: "Requested" });
    // Without rows there is no number beside the title.
    const count = async () => Number(/\d+$/u.exec((await tile.getByRole("heading").textContent()) ?? "")?.[0] ?? 0);
    await tile
      .getByRole("button", { name: /^Hand over…, / })
      .first()
      .waitFor();
    const before = await count();
    expect(await axeFindings(page)).toEqual([]);
    await tile
      .getByRole("button", { name: /^Decline…, / })
      .first()
      .click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Reason" }).fill("It is promised.");
    await dialog.getByRole("button", { name: "Decline" }).click();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(count).toBe(before - 1);
    // It has left the tile, so the note leads to it.
    await page.locator(".toast").getByRole("link", { name: "Open" }).click();
    await page.getByText("It is promised.").first().waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test("fills the tile of a chart with its drawing, and ends the actions of all rows together", async () => {
    await askForLoan();
    await askForLoan();
    const page = await visitAs(program.url, keeper, { path: "/", width: 1440 });
    const decline = page.getByRole("region", { name: "Requested" }).getByRole("button", { name: /^Decline…, / });
    await decline.nth(1).waitFor();
    const ends = await decline.evaluateAll((buttons) =>
      buttons.map((button) => Math.round(button.getBoundingClientRect().right)),
    );
    expect(new Set(ends).size).toBe(1);
    const chart = page.locator(".tile-card", { has: page.locator(".plot svg") });
    await chart.waitFor();
    const below = await chart.evaluate((card) => {
      const drawing = card.querySelector(".plot svg");
      return drawing === null ? null : card.getBoundingClientRect().bottom - drawing.getBoundingClientRect().bottom;
    });
    expect(below).toBeLessThan(24);
    expect(complaints(page)).toEqual([]);
  });

  test("leaves the tiles below the pointer in their places when it is decided, and becomes lower once the pointer is elsewhere", async () => {
    for (let times = 0; times < 3; times++) await askForLoan();
    // A tile shows a few rows, and others come up for those that leave it.
    await keepAsked(4);
    const page = await visitAs(program.url, keeper, { path: "/", width: 1440 });
    const tile = page.getByRole("region", { name: "Requested" });
    const decline = tile.getByRole("button", { name: /^Decline…, / });
    const waiting = async () => Number(/\d+$/u.exec((await tile.getByRole("heading").textContent()) ?? "")?.[0] ?? 0);
    await decline.first().waitFor();
    const places = () =>
      page.locator(".tile-card").evaluateAll((tiles) =>
        tiles.map((tile) => {
          const { left, top } = tile.getBoundingClientRect();
          return { title: tile.querySelector("h2 > span")?.textContent, left, top };
        }),
      );
    const before = await places();
    const heightOf = async () => Math.round((await tile.boundingBox())?.height ?? 0);
    const full = await heightOf();
    await tile.getByRole("heading").hover();
    for (let times = 0; times < 2; times++) {
      const left = await waiting();
      // With keys, so that the pointer stays.
      await decline.first().press("Enter");
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox", { name: "Reason" }).fill("It is promised.");
      await dialog.getByRole("button", { name: "Decline" }).press("Enter");
      await dialog.waitFor({ state: "detached" });
      await tile.getByRole("heading").hover();
      await expect.poll(waiting).toBe(left - 1);
    }
    await page.mouse.move(2, 2);
    await expect.poll(heightOf).toBeLessThan(full - 40);
    const rows = (await tile.getByRole("button", { name: /^Decline…, / }).count()) - 1;
    // A change by somebody else moves nothing under the pointer, however long it stays.
    await tile.getByRole("heading").hover();
    const pointed = await places();
    await keepAsked((await askedLoans()).length - 1);
    await expect.poll(() => tile.getByRole("button", { name: /^Decline…, / }).count()).toBe(rows);
    expect(await places()).toEqual(pointed);
    await page.reload();
    await decline.first().waitFor();
    const columns = (all: typeof before) => all.map(({ title, left }) => ({ title, left }));
    expect(columns(await places())).toEqual(columns(before));
  });

  test("becomes as low as its rows need where nothing points, also when drawn anew on the way", async () => {
    for (let times = 0; times < 3; times++) await askForLoan();
    await keepAsked(3);
    const page = await visitAs(program.url, keeper, { path: "/", width: 390 });
    const tile = page.getByRole("region", { name: "Requested" });
    const rows = tile.getByRole("listitem");
    await expect.poll(() => rows.count()).toBe(3);
    const below = () =>
      tile.evaluate((card) => {
        const last = [...card.querySelectorAll("li, .tile-more")].at(-1);
        if (last === undefined) return null;
        // The room for a finger around the words of the foot reaches into the edge of the card.
        const margin = Number.parseFloat(getComputedStyle(last).marginBlockEnd);
        return Math.round(card.getBoundingClientRect().bottom - last.getBoundingClientRect().bottom - margin);
      });
    const before = await below();
    await page.evaluate(() => document.documentElement.style.setProperty("--slow", "1500ms"));
    for (const left of [2, 1]) {
      await tile
        .getByRole("button", { name: /^Decline…, / })
        .first()
        .click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox", { name: "Reason" }).fill("It is promised.");
      await dialog.getByRole("button", { name: "Decline" }).click();
      await dialog.waitFor({ state: "detached" });
      await expect.poll(() => rows.count()).toBe(left);
      await expect.poll(() => tile.evaluate((card) => card.getAnimations().length), { timeout: 6_000 }).toBe(0);
      expect(await below()).toBe(before);
    }
    expect(complaints(page)).toEqual([]);
  });

  test("has no button for a person who can only withdraw it", async () => {
    const page = await visitAs(program.url, member, { path: "/", width: 390 });
    const tile = page.getByRole("region", { name: "Requested" });
    await tile.getByRole("link").first().waitFor();
    await expect.poll(() => tile.getByRole("button").count()).toBe(0);
  });
});

describe("a board", () => {
  test("moves a card by keyboard, with the fields that the transition asks for", async () => {
    const page = await visitAs(program.url, keeper, { path: "/loans?layout=board" });
    const asked = page.getByRole("region", { name: column("Requested") });
    await asked.getByRole("listitem").first().waitFor();
    const before = await asked.getByRole("listitem").count();
    await page.keyboard.press("ArrowDown");
    const card = await focused(page);
    expect(card).toMatch(/^- link/);
    await page.keyboard.press("m");
    const menu = page.getByRole("menu", { name: /^Move / });
    await menu.waitFor();
    const refused = menu.getByRole("menuitem", { name: /^Returned/ });
    await expect.poll(() => refused.getAttribute("aria-disabled")).toBe("true");
    await refused.getByText("not possible").waitFor();
    const written = writesOf(page);
    await menu.getByRole("menuitem", { name: /^Declined/ }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: /^Decline: / });
    await dialog.getByRole("textbox", { name: "Reason" }).fill("It is reserved for someone else.");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page
      .getByText(/^Declined: /)
      .last()
      .waitFor();
    expect(written).toHaveLength(1);
    await expect.poll(() => asked.getByRole("listitem").count()).toBe(before - 1);
    expect(complaints(page)).toEqual([]);
  });

  test("says once, for all columns, that it could not be loaded, and loads all of them again", async () => {
    await requestNewThing(program, { remark: "in the first column" });
    const page = await visitAs(program.url, keeper, { path: "/loans" });
    await page.getByRole("row").nth(1).waitFor();
    const isCards = (url: URL) => url.pathname === "/api/loans" && url.searchParams.has("status");
    await page.route(isCards, (route) => route.fulfill({ status: 500, json: {} }));
    await page.getByRole("button", { name: "Board" }).click();
    const again = page.getByRole("button", { name: "Try again" });
    await again.first().waitFor();
    await expect.poll(() => page.getByRole("region", { name: column("Requested") }).count()).toBe(0);
    // Every column has failed by now.
    await atRest(page);
    expect(await again.count()).toBe(1);
    expect(await axeFindings(page)).toEqual([]);
    await page.unroute(isCards);
    await again.click();
    await page
      .getByRole("region", { name: column("Requested") })
      .getByRole("listitem")
      .first()
      .waitFor();
    expect(await again.count()).toBe(0);
  });

  test("moves a card by pointer, and a column that can’t take it says why during the drag", async () => {
    for (const remark of ["carried", "carried too"]) await requestNewThing(program, { remark });
    const page = await visitAs(program.url, keeper, { path: "/loans?layout=board&search=carried" });
    const asked = page.getByRole("region", { name: column("Requested") });
    const lent = page.getByRole("region", { name: column("Lent") });
    const returned = page.getByRole("region", { name: column("Returned") });
    await asked.getByRole("listitem").first().waitFor();
    await atRest(page);
    const before = await asked.getByRole("listitem").count();
    const from = await asked.getByRole("listitem").first().boundingBox();
    const to = await lent.boundingBox();
    if (!from || !to) throw new Error("there is nothing to drag");
    const places = () =>
      page.locator(".card").evaluateAll((cards) => cards.map((card) => card.getBoundingClientRect().top));
    const still = await places();
    await page.mouse.move(from.x + 40, from.y + 30);
    await page.mouse.down();
    await page.mouse.move(from.x + 80, from.y + 40, { steps: 5 });
    await page.mouse.move(to.x + 60, to.y + 80, { steps: 10 });
    await returned.getByText("Can’t move here from “Requested”.").waitFor();
    expect(await places()).toEqual(still);
    await page.mouse.up();
    await page.getByRole("dialog").getByRole("button", { name: "Hand over" }).click();
    await page
      .getByText(/^Lent: /)
      .last()
      .waitFor();
    await expect.poll(() => asked.getByRole("listitem").count()).toBe(before - 1);
  });

  test("names the reason of a rule during the drag and in the menu, and takes a card below its last one", async () => {
    const first = await requestNewThing(program, { remark: "twice, the first" });
    await (await program.signInAs("keeper")).post(`/api/loans/${first.id}/hand_over`);
    const { thing, from_day, due_day } = first;
    const second = { thing: (thing as { readonly id: string }).id, from_day, due_day, remark: "twice, the second" };
    expect((await (await program.signInAs(member)).post("/api/loans", second)).status).toBe(201);
    const page = await visitAs(program.url, keeper, { path: "/loans?layout=board&search=twice" });
    const asked = page.getByRole("region", { name: column("Requested") });
    const declined = page.getByRole("region", { name: column("Declined") });
    const card = asked.getByRole("listitem").first();
    await card.waitFor();
    await atRest(page);
    const from = await card.boundingBox();
    const to = await declined.boundingBox();
    if (!from || !to) throw new Error("there is nothing to drag");
    const reason = / is with .*, due back on /;
    await page.mouse.move(from.x + 40, from.y + 30);
    await page.mouse.down();
    await page.mouse.move(from.x + 80, from.y + 40, { steps: 5 });
    await page
      .getByRole("region", { name: column("Lent") })
      .getByText(reason)
      .waitFor();
    await page.mouse.move(to.x + 60, 600, { steps: 10 });
    await page.mouse.up();
    await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
    await card.getByRole("button", { name: /^Move / }).click();
    await page.getByRole("menuitem", { name: /^Lent/ }).getByText(reason).waitFor();
  });

  test("tells a person who can’t move a card who can", async () => {
    const page = await visitAs(program.url, member, { path: "/loans?layout=board" });
    const asked = page.getByRole("region", { name: column("Requested") });
    await asked.getByRole("listitem").first().waitFor();
    await expect.poll(() => asked.getByRole("button", { name: /^Move / }).count()).toBeGreaterThan(0);
    await asked
      .getByRole("button", { name: /^Move / })
      .first()
      .click();
    await expect.poll(() => page.getByRole("menuitem", { name: /^Lent/ }).getAttribute("aria-disabled")).toBe("true");
  });

  test("is remembered for its screen, and is in the address", async () => {
    const page = await visitAs(program.url, keeper);
    await page.getByRole("button", { name: "Board" }).click();
    await page.waitForURL(/layout=board/);
    await page.goto(`${program.url}/loans`);
    await page.getByRole("region", { name: column("Requested") }).waitFor();
    // Closing the browser would lose unsent requests, and later tests expect the table layout.
    const saved = page.waitForResponse((response) => response.url().endsWith("/_/preferences"));
    await page.getByRole("button", { name: "Table", exact: true }).click();
    await page.getByRole("row").nth(1).waitFor();
    await saved;
  });
});

describe("a calendar", () => {
  test("shows as many entries of a day as fit, and all of them on demand", async () => {
    const day = "2028-05-10";
    for (let loan = 0; loan < 6; loan++)
      await requestNewThing(program, { remark: "crowded", from_day: day, due_day: day });
    const page = await visitAs(program.url, keeper, { path: `/loans?layout=calendar&at=${day}&search=crowded` });
    const bars = page.getByRole("grid").locator(".month-bar");
    const more = page.getByRole("button", { name: /^\+\d more$/ });
    await page.setViewportSize({ width: 1440, height: 700 });
    await expect.poll(() => more.textContent()).toBe("+3 more");
    expect(await bars.count()).toBe(3);
    await page.setViewportSize({ width: 1440, height: 900 });
    await expect.poll(() => more.textContent()).toBe("+2 more");
    await more.click();
    await expect.poll(() => page.getByRole("dialog").getByRole("listitem").count()).toBe(6);
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 1440, height: 1300 });
    await expect.poll(() => bars.count()).toBe(6);
    expect(await more.count()).toBe(0);
  });

  test("can be walked by day; a day shows its entries and creates a new one", async () => {
    const page = await visitAs(program.url, keeper, { path: "/loans?layout=calendar&at=2026-10-05" });
    await page.getByRole("grid", { name: "Loans by day" }).waitFor();
    await atRest(page);
    await pressUntil(page, "Tab", /button "Monday, 5 October 2026/);
    await page.keyboard.press("ArrowRight");
    await expect.poll(() => focused(page)).toMatch(/button "Tuesday, 6 October 2026/);
    await page.keyboard.press("PageDown");
    await page.getByRole("heading", { name: "November 2026" }).waitFor();
    await expect.poll(() => focused(page)).toMatch(/button "Friday, 6 November 2026/);
    await page.keyboard.press("Enter");
    const day = page.getByRole("dialog", { name: /^Friday, 6 November 2026/ });
    await day.waitFor();

    // Creates another record on that day
    const make = day.getByRole("link", { name: "New loan" });
    await make.waitFor();
    await expect.poll(() => focused(page)).not.toMatch(/button "Friday, 6 November 2026/);
    // On an empty day, the panel begins with it.
    if (!/link "New loan"/u.test(await focused(page))) await pressUntil(page, "Tab", /link "New loan"/);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "New loan" }).waitFor();
    await expect.poll(() => page.getByRole("textbox", { name: "From day" }).inputValue()).toBe("6 Nov 2026");
    await expect.poll(() => page.getByRole("textbox", { name: "Due day" }).inputValue()).toBe("6 Nov 2026");

    // Over two days, by keyboard and by dragging
    await page.goBack();
    await page.getByRole("heading", { name: "November 2026" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => focused(page)).toMatch(/button "Friday, 6 November 2026/);
    await page.keyboard.press("Shift+ArrowRight");
    await expect.poll(() => focused(page)).toMatch(/button "Saturday, 7 November 2026/);
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByRole("textbox", { name: "Due day" }).inputValue()).toBe("7 Nov 2026");
    await page.goBack();
    await page.getByRole("heading", { name: "November 2026" }).waitFor();
    await atRest(page);
    const [from, to] = [
      await page.locator("[data-on='2026-11-11']").boundingBox(),
      await page.locator("[data-on='2026-11-12']").boundingBox(),
    ];
    if (!from || !to) throw new Error("nothing is drawn");
    await page.mouse.move(to.x + 60, to.y + to.height - 5);
    await page.mouse.down();
    await page.mouse.move(from.x + 60, from.y + from.height - 5, { steps: 3 });
    await page.mouse.up();
    await expect.poll(() => page.getByRole("textbox", { name: "From day" }).inputValue()).toBe("11 Nov 2026");
    await expect.poll(() => page.getByRole("textbox", { name: "Due day" }).inputValue()).toBe("12 Nov 2026");
    expect(complaints(page)).toEqual([]);
  });

  const loanUntil = async (due_day: string, remark: string) => {
    const somebody = await program.signInAs(member);
    const [thing] = (await somebody.get("/api/things?limit=1")).list().items;
    const input = { thing: thing?.id, from_day: "2027-03-01", due_day, remark };
    return { somebody, loan: (await somebody.post("/api/loans", input)).record() };
  };
  const until = async (somebody: ApiClient, id: string) => (await somebody.get(`/api/loans/${id}`)).record().due_day;

  test("shows a week, and the end of an entry can be dragged and moved by keyboard if it can be changed", async () => {
    const { somebody, loan } = await loanUntil("2027-03-03", "pulled");
    const path = "/loans?layout=calendar&scale=week&at=2027-03-01&search=pulled";
    const page = await visitAs(program.url, member, { path });
    await page.getByRole("heading", { name: /1.*7 Mar 2027/ }).waitFor();
    await expect.poll(() => page.getByRole("gridcell").count()).toBe(7);
    const bar = page.getByRole("grid").getByRole("link");
    await bar.focus();
    await page.keyboard.down("Shift");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.up("Shift");
    await expect.poll(() => until(somebody, loan.id)).toBe("2027-03-05");
    expect(await axeFindings(page)).toEqual([]);
    await atRest(page);
    const [from, to] = [await bar.boundingBox(), await page.getByRole("gridcell").nth(1).boundingBox()];
    if (!from || !to) throw new Error("nothing is drawn");
    await page.mouse.move(from.x + from.width - 4, from.y + 10);
    await page.mouse.down();
    await page.mouse.move(to.x + to.width / 2, from.y + 30, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => until(somebody, loan.id)).toBe("2027-03-02");
    // Dragging did not follow the link.
    expect(new URL(page.url()).pathname).toBe("/loans");
    await page.keyboard.press("PageDown");
    expect(complaints(page)).toEqual([]);
  });

  const days = async (somebody: ApiClient, id: string) => {
    const { from_day, due_day } = (await somebody.get(`/api/loans/${id}`)).record();
    return [from_day, due_day];
  };
  /** Drags the middle of an element by some pixels. */
  const drag = async (page: Page, held: Locator, [x, y]: readonly [number, number]) => {
    const box = await held.boundingBox();
    if (!box) throw new Error("nothing is drawn");
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width / 2 + x, box.y + box.height / 2 + y, { steps: 4 });
    await page.mouse.up();
  };

  test("moves an entry by keyboard and by dragging, undoes it, and says why one can’t be moved", async () => {
    const { somebody, loan } = await loanUntil("2027-03-03", "moved");
    const path = "/loans?layout=calendar&at=2027-03-01&search=moved";
    const page = await visitAs(program.url, member, { path });
    const bar = page.getByRole("grid").getByRole("link");
    await bar.focus();
    await page.keyboard.down("Alt");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowRight");
    // The focus follows the entry to its new day.
    await expect.poll(() => focused(page)).toMatch(/link "/u);
    await page.keyboard.up("Alt");
    await expect.poll(() => days(somebody, loan.id)).toEqual(["2027-03-09", "2027-03-11"]);
    // A second change does not wait until the list has the first one.
    await page.keyboard.press("Alt+ArrowRight");
    await page.keyboard.press("Alt+ArrowRight");
    await expect.poll(() => days(somebody, loan.id)).toEqual(["2027-03-11", "2027-03-13"]);
    await atRest(page);

    const cell = await page.getByRole("gridcell").first().boundingBox();
    await drag(page, bar, [0, cell?.height ?? 0]);
    await expect.poll(() => days(somebody, loan.id)).toEqual(["2027-03-18", "2027-03-20"]);
    // Dragging did not follow the link.
    expect(new URL(page.url()).pathname).toBe("/loans");
    await page
      .getByRole("status")
      .getByText(/now begins .*18 Mar/u)
      .waitFor();
    await page.keyboard.press("Control+z");
    await expect.poll(() => days(somebody, loan.id)).toEqual(["2027-03-11", "2027-03-13"]);
    expect(complaints(page)).toEqual([]);

    const other = await visitAs(program.url, keeper, { path });
    await other.getByRole("grid").getByRole("link").focus();
    await other.keyboard.press("Alt+ArrowRight");
    const note = other.getByRole("alert").filter({ hasText: "Couldn’t move" });
    await note.waitFor();
    expect(await namedByWhy(other, note)).toBe("6.Loan.update");
    expect(await days(somebody, loan.id)).toEqual(["2027-03-11", "2027-03-13"]);
  });

  test("restores an entry whose move a rule refuses, and says why", async () => {
    const { somebody, loan } = await loanUntil("2027-03-03", "unwelcome");
    const page = await visitAs(program.url, member, { path: "/loans?layout=calendar&at=2027-03-01&search=unwelcome" });
    const bar = page.getByRole("grid").getByRole("link");
    // The note takes space above the month.
    const top = async () => {
      const [entry, month] = [await bar.boundingBox(), await page.getByRole("grid").boundingBox()];
      return Math.round((entry?.y ?? 0) - (month?.y ?? 0));
    };
    await bar.focus();
    await atRest(page);
    const before = await top();
    await page.keyboard.down("Alt");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.up("Alt");
    const refused = page.getByRole("alert").filter({ hasText: "The desk is closed on 15 Mar 2027." });
    await expect.poll(() => refused.evaluate((note) => note === document.activeElement)).toBe(true);
    expect(await namedByWhy(page, refused)).toBe("5.Loan.CLOSED");
    await expect.poll(top).toBe(before);
    expect(await days(somebody, loan.id)).toEqual(["2027-03-01", "2027-03-03"]);
    expect(complaints(page)).toEqual([]);
  });

  test("keeps the focus on an entry whose move is undone with Escape, and follows a shaky click", async () => {
    const { somebody, loan } = await loanUntil("2027-03-25", "shaky");
    const path = "/loans?layout=calendar&at=2027-03-01&search=shaky";
    const page = await visitAs(program.url, member, { path });
    const bars = page.getByRole("grid").getByRole("link");
    await bars.first().focus();
    await page.keyboard.down("Alt");
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.locator("[data-on='2027-03-03']").locator("[data-entry]").first().waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.up("Alt");
    await expect.poll(() => focused(page)).toMatch(/link "/u);
    expect(await days(somebody, loan.id)).toEqual(["2027-03-01", "2027-03-25"]);

    const other = await visitAs(program.url, keeper, { path });
    await atRest(other);
    const box = await other.getByRole("grid").getByRole("link").first().boundingBox();
    if (!box) throw new Error("nothing is drawn");
    await other.mouse.move(box.x + 20, box.y + box.height / 2);
    await other.mouse.down();
    await other.mouse.move(box.x + 26, box.y + box.height / 2, { steps: 3 });
    await other.mouse.up();
    await other.waitForURL((url) => url.pathname === `/loans/${loan.id}`);
  });

  test("moves an entry by quarters of an hour in a week with hours", async () => {
    const visits = await serveDemonstration({ text: visitBook });
    const clerk = await visits.signInAs("clerk");
    const [begins, ends] = ["2027-03-03T09:00:00Z", "2027-03-03T10:30:00Z"];
    const visit = (await clerk.post("/api/visits", { name: "Inspection", begins, ends })).record();
    const times = async () => {
      const now = (await clerk.get(`/api/visits/${visit.id}`)).record();
      return [now.begins, now.ends].map((time) => String(time).slice(5, 16));
    };
    const path = "/visits?layout=calendar&scale=week&at=2027-03-03&search=Inspection";
    const page = await visitWith(visits.url, clerk.cookie(), { path });
    const bar = page.getByRole("grid").getByRole("link", { name: /Inspection/u });
    await bar.focus();
    await page.keyboard.press("Alt+ArrowDown");
    await expect.poll(times).toEqual(["03-03T09:15", "03-03T10:45"]);
    await page.keyboard.press("Shift+ArrowDown");
    await expect.poll(times).toEqual(["03-03T09:15", "03-03T11:00"]);
    await page.keyboard.press("Alt+ArrowLeft");
    await expect.poll(times).toEqual(["03-02T09:15", "03-02T11:00"]);
    await atRest(page);
    const cell = await page.getByRole("gridcell").first().boundingBox();
    await drag(page, bar, [cell?.width ?? 0, 22]);
    await expect.poll(times).toEqual(["03-03T09:45", "03-03T11:30"]);
    expect(complaints(page)).toEqual([]);
  });

  test("keeps an end that can’t be changed, and says why", async () => {
    const { somebody, loan } = await loanUntil("2027-03-03", "shut");
    const path = "/loans?layout=calendar&at=2027-03-01&search=shut";
    const page = await visitAs(program.url, keeper, { path });
    await page.getByRole("grid").getByRole("link").focus();
    await page.keyboard.press("Shift+ArrowRight");
    const note = page.getByRole("alert").filter({ hasText: "Couldn’t change the end of" });
    await note.waitFor();
    expect(await namedByWhy(page, note)).toBe("6.Loan.update");
    expect(await axeFindings(page)).toEqual([]);
    expect(await until(somebody, loan.id)).toBe("2027-03-03");
  });

  test("restores an end that a rule refuses, by keyboard and by pointer, and says why in place", async () => {
    const { somebody, loan } = await loanUntil("2027-03-27", "too long");
    const path = "/loans?layout=calendar&at=2027-03-01&search=too+long";
    const page = await visitAs(program.url, member, { path });
    const bars = page.getByRole("grid").getByRole("link");
    await expect.poll(() => bars.count()).toBe(4);
    await atRest(page);
    const drawn = async () => Promise.all((await bars.all()).map((bar) => bar.boundingBox()));
    const before = await drawn();
    const refused = page.getByRole("alert").filter({ hasText: "30 Mar 2027 is more than four weeks away." });
    const isBack = async () => {
      await expect.poll(() => refused.evaluate((note) => note === document.activeElement)).toBe(true);
      expect(await namedByWhy(page, refused)).toBe("5.Loan.TOO_LONG");
      const { y, height } = (await refused.boundingBox()) ?? { y: -1, height: 0 };
      expect(y).toBeGreaterThanOrEqual(0);
      expect(y + height).toBeLessThanOrEqual(page.viewportSize()?.height ?? 0);
      // The note takes space above the month; the bars keep their positions relative to it.
      const at = (boxes: typeof before) => boxes.map((box) => box && [box.x, box.width]);
      await expect.poll(async () => at(await drawn())).toEqual(at(before));
      expect(await until(somebody, loan.id)).toBe("2027-03-27");
    };

    await bars.first().focus();
    await page.keyboard.down("Shift");
    for (let day = 0; day < 3; day++) await page.keyboard.press("ArrowRight");
    await page.keyboard.up("Shift");
    await isBack();
    expect(await axeFindings(page)).toEqual([]);

    await bars.last().focus();
    const [end, to] = [
      await bars.last().boundingBox(),
      await page.getByRole("button", { name: /^Tuesday, 30 March/ }).boundingBox(),
    ];
    if (!end || !to) throw new Error("nothing is drawn");
    await page.mouse.move(end.x + end.width - 4, end.y + 10);
    await page.mouse.down();
    await page.mouse.move(to.x + 10, to.y + 10, { steps: 4 });
    await page.mouse.up();
    await isBack();
    expect(complaints(page)).toEqual([]);
  });
});

describe("printing", () => {
  /** Rendered for print: A4 at 96 dpi, with a dark screen theme. */
  const printed = async (path: string) => {
    const page = await visitAs(program.url, keeper, { path, theme: "dark" });
    await atRest(page);
    await page.setViewportSize({ width: 794, height: 1123 });
    const foot = page.getByText(/, version 1 of the specification/);
    // A page that is not rendering misses the change of medium, so it is repeated.
    await expect
      .poll(
        async () => {
          await page.emulateMedia({ media: "screen", colorScheme: "dark" });
          await page.emulateMedia({ media: "print", colorScheme: "dark" });
          return foot.waitFor({ timeout: 5_000 }).then(
            () => true,
            () => false,
          );
        },
        { timeout: 60_000 },
      )
      .toBe(true);
    return page;
  };
  const shown = (page: Page, selector: string) =>
    page.evaluate(
      (selector) => [...document.querySelectorAll<HTMLElement>(selector)].filter((one) => one.checkVisibility()).length,
      selector,
    );
  /** The lightness of the lightest visible text, 0 for black. */
  const lightest = (page: Page) =>
    page.evaluate(() => {
      const words = [...document.querySelectorAll<HTMLElement>("main *")].filter(
        (one) => one.checkVisibility() && [...one.childNodes].some((child) => child.nodeType === 3),
      );
      return Math.max(
        ...words.map((one) =>
          Math.max(...(getComputedStyle(one).color.match(/[\d.]+/gu) ?? []).slice(0, 3).map(Number)),
        ),
      );
    });

  test("a list prints its rows, filters and order, dark on white and without controls", async () => {
    const page = await printed("/loans?status=returned&sort=from_day");
    const rows = (await (await program.signInAs("keeper")).get("/api/loans?status=returned&limit=50")).list().items;
    expect(await shown(page, "main tbody tr")).toBe(rows.length);
    await expect.poll(() => page.getByText("Status: Returned").isVisible()).toBe(true);
    expect(await shown(page, "nav, header.topbar, main button:not(th button, .chip), main input")).toBe(0);
    expect(await lightest(page)).toBeLessThan(140);
    expect(await page.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe("rgb(255, 255, 255)");
    expect(await page.evaluate(() => getComputedStyle(document.querySelector("thead") as Element).display)).toBe(
      "table-header-group",
    );
    expect(await sideways(page)).toBeLessThanOrEqual(0);
    const cut = await page.evaluate(
      () =>
        [...document.querySelectorAll<HTMLElement>("main td *")].filter(
          (one) => one.scrollWidth > one.clientWidth + 1 && one.clientWidth > 1,
        ).length,
    );
    expect(cut).toBe(0);
    // The line below a row has no gap in its first column.
    const gaps = await page.evaluate(
      () =>
        [...document.querySelectorAll("main tbody tr")].filter(
          (row) => (row.firstElementChild?.clientHeight ?? 0) < row.clientHeight - 2,
        ).length,
    );
    expect(gaps).toBe(0);
    expect((await page.pdf({ format: "A4" })).length).toBeGreaterThan(10_000);
  });

  test("a dashboard prints without actions, and no row is cut", async () => {
    const page = await printed("/");
    expect(await shown(page, "main td")).toBeGreaterThan(0);
    expect(await shown(page, "main td button, nav")).toBe(0);
    const cut = await page.evaluate(
      () =>
        [...document.querySelectorAll<HTMLElement>("main td:not(.tile-acts)")].filter(
          (one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1,
        ).length,
    );
    expect(cut).toBe(0);
    expect(await sideways(page)).toBeLessThanOrEqual(0);
  });

  test("a record prints its fields and history without actions", async () => {
    const page = await printed("/loans");
    await page.emulateMedia({ media: "screen" });
    await page.getByRole("row").nth(1).getByRole("link").click();
    await page.getByRole("definition").first().waitFor();
    await atRest(page);
    const fields = await page.getByRole("definition").allTextContents();
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    await page.getByText(/, version 1 of the specification/).waitFor();
    await expect.poll(() => page.getByRole("definition").allTextContents()).toEqual(fields);
    expect(await shown(page, "main button, main textarea, nav")).toBe(0);
    expect(await lightest(page)).toBeLessThan(140);
    expect(await sideways(page)).toBeLessThanOrEqual(0);
  });
});
