import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { createGate } from "../../wait.ts";
import { complaints, focused, visitAs, visitWith } from "../../web/browser.ts";
import { example, type RunningApplication, serveDemonstration, serveText } from "../program.ts";

/* The lists of an overview take the height of their rows, and lead to the acts on all of them. */

const head = "Sofía Marín";

let program: RunningApplication;
beforeAll(async () => {
  program = await serveDemonstration({ file: example("purchasing") });
});

test("a list keeps no hole below its rows when a wider window needs fewer lines", async () => {
  const page = await visitAs(program.url, head, { path: "/", width: 1100 });
  const rows = page.locator("main [data-row]");
  await rows.first().waitFor();
  const holes = () =>
    page.locator(".tile-card.list").evaluateAll((all) =>
      all.map((one) => {
        const card = one as HTMLElement;
        const { minBlockSize } = card.style;
        const kept = card.offsetHeight;
        card.style.minBlockSize = "";
        const needed = card.offsetHeight;
        card.style.minBlockSize = minBlockSize;
        return kept - needed;
      }),
    );
  const isHeld = () =>
    page
      .locator(".tile-card.list")
      .evaluateAll((all) => all.every((one) => (one as HTMLElement).style.minBlockSize !== ""));
  for (const width of [800, 1280, 800, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    await page.mouse.move(width - 200, 600);
    await expect.poll(isHeld).toBe(true);
    await expect.poll(async () => (await holes()).filter((hole) => hole !== 0)).toEqual([]);
  }
  expect(complaints(page)).toEqual([]);
});

/** A queue of jobs, and a list of all of them. */
const queue = `# Jobs

## 2. Screens
\`\`\`yaml
/: { tiles: [{ title: To do, list: Job, where: status == open, columns: [name, size, created_at] }, { title: Recent, list: Job }] }
/jobs: { list: Job, columns: [name, status], layouts: [{ board: status }, table] }
/jobs/{id}: { record: Job }
\`\`\`

## 3. Entities
\`\`\`yaml
Job: { label: "{name}", fields: { name: text, size: { type: choice, values: [small, unusually_large_one] } } }
\`\`\`

## 4. States
\`\`\`yaml
Job:
  field: status
  states: [open, done]
  transitions: { finish: { from: open, to: done, by: clerk }, reopen: { from: done, to: open, by: clerk } }
\`\`\`

## 6. Permissions
\`\`\`yaml
roles: { clerk: granted }
permissions: { Job: { read: clerk, create: clerk } }
\`\`\`
`;

const barOf = (page: Page): Locator => page.getByRole("region", { name: "Actions for the selected rows" });

describe("the rows of a tile are selected where they are", () => {
  test("all of them, with the reasons of those that are locked, until Escape", async () => {
    const page = await visitAs(program.url, "Lukas Brandt", { path: "/", width: 1440 });
    const tile = await findTile(page, "Invoices due within a week");
    const rows = await tile.locator("[data-row]").count();
    await tile.getByRole("button", { name: "Select all of “Invoices due within a week”" }).press("Enter");
    const bar = tile.getByRole("region", { name: "Actions for the selected rows" });
    await bar.getByText(`${rows} selected`).waitFor();
    expect(await tile.getByRole("checkbox", { checked: true }).count()).toBe(rows);
    await expect.poll(() => focused(page)).toContain('button "Pay…');
    await tile.locator(".refused-line", { hasText: /^The payments would add up to/u }).waitFor();
    await page.keyboard.press("Escape");
    await bar.waitFor({ state: "detached" });
    expect(await tile.getByRole("checkbox").count()).toBe(0);
    expect(
      await tile.evaluate((one) => document.activeElement?.matches("[data-row]") && one.matches(":focus-within")),
    ).toBe(true);
    expect(new URL(page.url()).pathname).toBe("/");
    expect(complaints(page)).toEqual([]);
  });

  test("while names stay whole, and nothing moves sideways however often they are drawn again", async () => {
    const page = await visitAs(program.url, "Lukas Brandt", { path: "/", width: 1280 });
    const tile = await findTile(page, "Invoices due within a week");
    const places = () =>
      page
        .locator(".tile-table tr:first-child > td")
        .evaluateAll((cells) => cells.map((one) => Math.round(one.getBoundingClientRect().left)));
    const before = await places();
    // No column has room to spare while a text of another is cut off.
    const cut = () =>
      page
        .locator(".tile-table .cut")
        .evaluateAll((all) => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.textContent));
    expect(await cut()).toEqual([]);
    for (let time = 1; time <= 3; time++) {
      await tile.getByRole("button", { name: /^Select all of/u }).click();
      await barOf(page).waitFor();
      expect(await cut()).toEqual([]);
      expect(await places()).toEqual(before);
      await page.keyboard.press("Escape");
      await barOf(page).waitFor({ state: "detached" });
      expect(await places()).toEqual(before);
    }
    expect(complaints(page)).toEqual([]);
  });

  test("by X and an arrow key; an act on them leaves the focus to the next row, and can be undone", async () => {
    const page = await visitAs(program.url, "Jonas Weber", { path: "/", width: 1280 });
    const tile = await findTile(page, "To order");
    const ids = () =>
      tile.locator("[data-row]").evaluateAll((all) => all.map((one) => one.getAttribute("data-row") ?? ""));
    const before = await ids();
    await tile.locator("[data-row]").first().focus();
    await page.keyboard.press("x");
    await page.keyboard.press("Shift+ArrowDown");
    await barOf(page).getByText("2 selected").waitFor();
    // Another tile has a bar of its own.
    const other = await findTile(page, "Deliveries overdue");
    await other.locator("[data-row]").first().focus();
    await page.keyboard.press("x");
    await barOf(page).getByText("1 selected").waitFor();
    expect(await tile.getByRole("checkbox").count()).toBe(0);
    expect(await ids()).toEqual(before);
    expect(new URL(page.url()).pathname).toBe("/");
    expect(complaints(page)).toEqual([]);
  });

  test("on a phone by taps, with the bar at the bottom of the screen", async () => {
    const page = await visitAs(program.url, "Lukas Brandt", { path: "/", width: 390 });
    const tile = await findTile(page, "Invoices due within a week");
    await tile.getByRole("button", { name: /^Select all of/u }).click();
    const bar = barOf(page);
    await bar.getByText(/^4\s+selected$/u).waitFor();
    await tile.getByText("AL-88").click();
    await bar.getByText(/^3\s+selected$/u).waitFor();
    expect(new URL(page.url()).pathname).toBe("/");
    const { bottom, height } = await bar.evaluate((one) => ({
      bottom: one.getBoundingClientRect().bottom,
      height: innerHeight,
    }));
    expect(height - bottom).toBeLessThan(90);
    expect(bottom).toBeLessThan(height);
    await bar.getByRole("button", { name: "Clear selection" }).click();
    await bar.waitFor({ state: "detached" });
    expect(complaints(page)).toEqual([]);
  });

  test("on a phone, the rows that are left selected are in sight after an act on the others", async () => {
    const server = await serveText(queue);
    const clerk = await server.person("Clerk", ["clerk"]);
    for (let at = 1; at <= 6; at++) await clerk.post("/api/jobs", { name: `Job ${at}`, size: "small" });
    const page = await visitWith(await server.listen(), clerk.cookie(), { path: "/", width: 390 });
    const tile = await findTile(page, "To do");
    await tile.getByRole("button", { name: /^Select all of/u }).click();
    const bar = barOf(page);
    await bar.getByText(/^6\s+selected$/u).waitFor();
    // The end of the tile is in sight, and its first rows are above.
    await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
    await bar.getByRole("button", { name: "Finish… 6 jobs" }).click();
    const dialog = page.getByRole("dialog");
    for (const name of ["Job 1", "Job 2"]) await dialog.getByRole("checkbox", { name }).click();
    await dialog.getByRole("button", { name: "Finish" }).click();
    await bar.getByText(/^2\s+selected$/u).waitFor();
    const left = tile.locator("li[data-selected]");
    await expect.poll(() => left.count()).toBe(2);
    await expect
      .poll(() =>
        left.evaluateAll((rows) => {
          const end = document.querySelector(".bulk")?.getBoundingClientRect().top ?? innerHeight;
          const places = rows.map((row) => row.getBoundingClientRect());
          return places.every(({ top, bottom }) => top >= 52 && bottom <= end);
        }),
      )
      .toBe(true);
    expect(complaints(page)).toEqual([]);
  });

  test("and decided together; the rest of a long queue is selected in its list", async () => {
    const server = await serveText(queue);
    const clerk = await server.person("Clerk", ["clerk"]);
    for (let at = 1; at <= 53; at++) await clerk.post("/api/jobs", { name: `Job ${at}`, size: "small" });
    const page = await visitWith(await server.listen(), clerk.cookie(), { path: "/", width: 1280 });
    const tile = await findTile(page, "To do");
    const nameOf = (row: Locator) => row.innerText();
    const names = await tile.locator("[data-row]").allInnerTexts();
    await tile.locator("[data-row]").first().focus();
    await page.keyboard.press("x");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press(".");
    await expect.poll(() => focused(page)).toContain('button "Finish');
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Finish" }).press("Enter");
    await page
      .getByText(/^Done: 2 jobs/u)
      .first()
      .waitFor();
    await expect.poll(() => nameOf(tile.locator("[data-row]").first())).toBe(names[2]);
    // The row that has taken the place of the first one, not a button.
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe(names[2]);
    expect(await barOf(page).count()).toBe(0);
    await tile.getByRole("button", { name: /^Select all of/u }).press("Enter");
    await barOf(page).getByText("6 selected").waitFor();
    await barOf(page).getByRole("button", { name: "Select all 51 in the list" }).press("Enter");
    await page.waitForURL(/\/jobs\?/u);
    await barOf(page).getByText("51 selected").waitFor();
    expect(new URL(page.url()).hash).toBe("");
    await page.reload();
    await page.locator("main tr [data-row]").first().waitFor();
    expect(await barOf(page).count()).toBe(0);
    expect(complaints(page)).toEqual([]);
  });
});

const buyer = "Jonas Weber";

/** The tile with this title, once its rows are there. */
const findTile = async (page: Page, title: string): Promise<Locator> => {
  const tile = page.locator(".tile-card", { has: page.getByRole("heading", { name: title }) });
  await tile.locator("a").first().waitFor();
  return tile;
};

test("J and K go through the rows of the tile from which a record was opened, and the way back leads to its row", async () => {
  const page = await visitAs(program.url, buyer, { path: "/", width: 1280 });
  const rows = (await findTile(page, "To order")).locator("[data-row]");
  const [first = "", second = ""] = await rows.evaluateAll((all) =>
    all.map((one) => one.getAttribute("data-row") ?? ""),
  );
  await rows.first().focus();
  await page.keyboard.press("Enter");
  const place = page.getByRole("navigation", { name: "Breadcrumb" });
  await place.getByText(/^1 of \d+$/u).waitFor();
  await place.getByRole("link", { name: "To order" }).waitFor();
  await page.keyboard.press("j");
  await page.waitForURL(`**/requests/${second}`);
  await place.getByText(/^2 of/u).waitFor();
  await page.keyboard.press("k");
  await page.waitForURL(`**/requests/${first}`);
  await page.goBack();
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("data-row"))).toBe(first);
  expect(complaints(page)).toEqual([]);
});

test("of two tiles that have a record, the way back leads to the one from which it was opened", async () => {
  const server = await serveText(`# Jobs

## 2. Screens
\`\`\`yaml
/: { tiles: [{ title: All jobs, list: Job }, { title: Late jobs, list: Job }] }
/jobs: { list: Job, columns: [name] }
/jobs/{id}: { record: Job }
\`\`\`

## 3. Entities
\`\`\`yaml
Job: { label: "{name}", fields: { name: text } }
\`\`\`

## 6. Permissions
\`\`\`yaml
roles: { clerk: granted }
permissions: { Job: { read: clerk, create: clerk } }
\`\`\`
`);
  const clerk = await server.person("Clerk", ["clerk"]);
  const { id } = (await clerk.post("/api/jobs", { name: "Paint" })).record();
  const page = await visitWith(await server.listen(), clerk.cookie(), { path: "/" });
  const row = (await findTile(page, "Late jobs")).locator(`[data-row="${id}"]`);
  await row.focus();
  await page.keyboard.press("Enter");
  await page.waitForURL(`**/jobs/${id}`);
  await page.getByRole("navigation", { name: "Breadcrumb" }).getByText("1 of 1").waitFor();
  await page.goBack();
  await expect.poll(() => row.evaluate((one) => one === document.activeElement).catch(() => false)).toBe(true);
  expect(complaints(page)).toEqual([]);
});

test("“All” of a pivot and of a chart opens the list as it is arranged there", async () => {
  const page = await visitAs(program.url, buyer, { path: "/requests", width: 1280 });
  await page.getByRole("group", { name: "Layout" }).getByRole("button", { name: "Board" }).click();
  await page.waitForURL(/layout=board/u);
  await page.goto(program.url);
  await (await findTile(page, "Ordered by department and month, without tax")).locator(".tile-all").click();
  await page.getByRole("table", { name: /Sum of Net/u }).waitFor();
  await page.getByRole("button", { name: "Pivot", pressed: true }).waitFor();
  await page.goBack();
  const chart = await findTile(page, "Open orders by category, without tax");
  const bars = await chart.locator(".bar-name").allInnerTexts();
  expect(bars.length).toBeGreaterThan(2);
  await chart.locator(".tile-all").click();
  await page.getByRole("button", { name: "Group: Category" }).waitFor();
  // The largest first, as in the chart, not as the document declares them.
  await expect
    .poll(async () =>
      (await page.locator(".group-fold .cut").allInnerTexts()).map((one) => one.replace(/^.*:\s*/u, "")),
    )
    .toEqual(bars);
  expect(complaints(page)).toEqual([]);
});

test("the groups of a chart are one stop of the Tab key, with arrow keys between them", async () => {
  const page = await visitAs(program.url, buyer, { path: "/", width: 1280 });
  const tile = await findTile(page, "Open orders by category, without tax");
  const groups = await tile.locator(".group-link").allTextContents();
  await tile.locator(".tile-all").focus();
  await page.keyboard.press("Tab");
  for (const [key, at] of [
    ["ArrowDown", 1],
    ["End", -1],
    ["ArrowDown", -1],
    ["ArrowUp", -2],
  ] as const) {
    await page.keyboard.press(key);
    expect(await focused(page)).toContain(groups.at(at) ?? "");
  }
  await page.keyboard.press("Tab");
  expect(await tile.evaluate((one) => one.contains(document.activeElement))).toBe(false);
  await page.keyboard.press("Shift+Tab");
  expect(await focused(page)).toContain(groups.at(-2) ?? "");
  expect(complaints(page)).toEqual([]);
});

test("a decision that is being sent keeps the values that it was made on", async () => {
  const page = await visitAs(program.url, head, { path: "/", width: 390 });
  await page
    .getByRole("button", { name: /^Approve/u })
    .first()
    .click();
  const dialog = page.getByRole("dialog");
  const budget = dialog.getByText(/^Remaining budget/u).locator("..");
  await expect.poll(() => budget.innerText()).toMatch(/€[\d,.]+$/u);
  const before = await budget.innerText();
  // The overview behind it takes a while to load again, unlike the department.
  const { opened: answered, open: answer } = createGate();
  await page.route(/\/_\/overview/u, async (route) => {
    await answered;
    await route.continue();
  });
  const loaded = page.waitForResponse((response) => /\/api\/departments\//u.test(response.url()));
  await dialog.getByRole("button", { name: "Approve" }).click();
  const { remaining_budget } = await (await loaded).json();
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))));
  expect(Number(before.replaceAll(/[^\d.]/gu, ""))).toBeGreaterThan(Number(remaining_budget.amount));
  expect([await dialog.count(), await budget.innerText()]).toEqual([1, before]);
  answer();
  await dialog.waitFor({ state: "detached" });
  expect(complaints(page)).toEqual([]);
});

test("the count of approvals behind a name is never cut off, and the decision names who approved before", async () => {
  const page = await visitAs(program.url, "Lukas Brandt", { path: "/", width: 1280 });
  const name = page.getByRole("link", { name: /laser cutter/u });
  const count = name.locator(".approval-count");
  await count.waitFor();
  // Its button names what it counts.
  expect((await count.innerText()).replaceAll(/\s/gu, " ")).toBe("1 of 2 people");
  expect(await count.evaluate((words) => words.scrollWidth <= words.clientWidth + 1)).toBe(true);
  const rightOf = async (part: Locator) => part.evaluate((element) => element.getBoundingClientRect().right);
  expect(await rightOf(count)).toBeLessThanOrEqual(await rightOf(name.locator("xpath=ancestor::td")));
  const decision = page.getByRole("button", { name: /^Approve for finance.+laser cutter/u });
  await decision.click();
  await page
    .getByRole("dialog")
    .getByText(/^Noah Fischer/u)
    .first()
    .waitFor();
  await page.keyboard.press("Escape");
  // Among several, too.
  const heads = await visitAs(program.url, head, { path: "/" });
  await heads
    .getByRole("button", { name: /^Pass on to finance/u })
    .first()
    .click();
  await heads.getByRole("dialog").getByRole("button", { name: "Pass on to finance" }).click();
  await heads.getByRole("dialog").waitFor({ state: "detached" });
  await page.goto(`${program.url}/requests?status=endorsed`);
  await page.getByRole("checkbox", { name: "Select all shown" }).check({ force: true });
  const bar = page.getByRole("region", { name: "Actions for the selected rows" });
  await bar.getByRole("button", { name: /^Approve for finance/u }).click();
  const choice = page.getByRole("dialog").locator(".record-choice", { hasText: "laser cutter" });
  await choice.getByText(/^Noah Fischer/u).waitFor();
  expect(complaints(page)).toEqual([]);
});

test("the values of other rows stay where they are when a row goes", async () => {
  const server = await serveText(queue);
  const clerk = await server.person("Clerk", ["clerk"]);
  const sizes = ["small", "small", "unusually_large_one"];
  for (const size of sizes) await clerk.post("/api/jobs", { name: `A ${size} job`, size });
  const page = await visitWith(await server.listen(), clerk.cookie(), { path: "/", width: 1440 });
  const tile = await findTile(page, "To do");
  const row = tile.locator("tr", { hasText: "A small job" }).first();
  const places = () => row.locator("td").evaluateAll((cells) => cells.map((one) => one.getBoundingClientRect().left));
  const before = await places();
  await tile.getByRole("button", { name: "Finish, A unusually_large_one job" }).click();
  await expect.poll(() => tile.locator("[data-row]").count()).toBe(2);
  expect(await places()).toEqual(before);
  expect(complaints(page)).toEqual([]);
});

test("after the last row of a tile, a tap leaves the page where it is, and a key shows the next row that waits", async () => {
  const server = await serveText(
    queue.replace(/tiles: .+ \}/u, () => {
      const tile = (title: string, size: string) =>
        `{ title: ${title}, list: Job, where: status == open && size == ${size}, columns: [name] }`;
      return `tiles: [${tile("Small", "small")}, ${tile("Large", "unusually_large_one")}] }`;
    }),
  );
  const clerk = await server.person("Clerk", ["clerk"]);
  for (const [name, size] of [
    ["First", "small"],
    ["Second", "unusually_large_one"],
  ])
    await clerk.post("/api/jobs", { name, size });
  const page = await visitWith(await server.listen(), clerk.cookie(), { path: "/", width: 390 });
  await page.setViewportSize({ width: 390, height: 330 });
  const finish = page.getByRole("button", { name: "Finish, First" });
  const next = page.getByRole("link", { name: "Second" });
  const isInSight = () =>
    next.evaluate((row) => {
      const { left, top, height } = row.getBoundingClientRect();
      return row.contains(document.elementFromPoint(left + 8, top + height / 2));
    });
  const scrolled = () => page.evaluate(() => scrollY);
  await finish.scrollIntoViewIfNeeded();
  const before = await scrolled();
  expect(await isInSight()).toBe(false);
  await finish.tap();
  await expect.poll(() => focused(page)).toContain("Second");
  expect(await scrolled()).toBe(before);
  // By key, the row that waits comes into sight.
  await clerk.post("/api/jobs", { name: "Third", size: "small" });
  await page.reload();
  const again = page.getByRole("button", { name: "Finish, Third" });
  await again.waitFor();
  expect(await isInSight()).toBe(false);
  await again.press("Enter");
  await expect.poll(() => focused(page)).toContain("Second");
  await expect.poll(isInSight).toBe(true);
  expect(complaints(page)).toEqual([]);
});

test("in one column, the tiles whose rows wait for the reader come first", async () => {
  const page = await visitAs(program.url, "Lukas Brandt", { path: "/", width: 390 });
  await findTile(page, "Invoices due within a week");
  // In the document, the invoices come last.
  expect(await page.locator(".tile-card.list h2 > span:first-child").allInnerTexts()).toEqual([
    "Waiting for my approval",
    "Waiting for finance",
    "Invoices due within a week",
    "My requests",
    "Deliveries overdue",
  ]);
  expect(complaints(page)).toEqual([]);
});

test("A presses the main button of the row", async () => {
  const page = await visitAs(program.url, "Lukas Brandt", { path: "/", width: 1280 });
  const tile = await findTile(page, "Invoices due within a week");
  await tile.locator("[data-row]").first().focus();
  await page.keyboard.press("a");
  await page.getByRole("dialog", { name: "Pay" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  expect(complaints(page)).toEqual([]);
});

test("J goes on from the last row of a tile to the rest of its queue", async () => {
  const server = await serveText(queue);
  const clerk = await server.person("Clerk", ["clerk"]);
  for (let at = 1; at <= 8; at++) await clerk.post("/api/jobs", { name: `Job ${at}`, size: "small" });
  const page = await visitWith(await server.listen(), clerk.cookie(), { path: "/", width: 1280 });
  const tile = await findTile(page, "To do");
  await tile.locator("[data-row]").last().press("Enter");
  const place = page.getByRole("navigation", { name: "Breadcrumb" });
  for (const position of [6, 7, 8]) {
    await place.getByText(`${position} of 8`).waitFor();
    if (position === 8) break;
    await place.getByRole("button", { name: "Next, J", disabled: false }).waitFor();
    await page.keyboard.press("j");
  }
  expect(complaints(page)).toEqual([]);
});

/** Hours of tasks, of which a rule refuses some. */
const hours = `# Hours

## 2. Screens
\`\`\`yaml
/: { tiles: [{ title: Tasks, list: Task, columns: [name, hours, rest], sort: [name] }] }
/tasks/{id}: { record: Task }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Task:
  label: "{name}"
  fields:
    name:  text
    quick: boolean
    hours: { type: integer, default: 1 }
    rest:  { type: integer, computed: 10 - hours }
\`\`\`

## 5. Rules
\`\`\`yaml
Task: [{ rule: hours <= 4, when: quick, else: TOO_LONG }]
\`\`\`

## 6. Permissions
\`\`\`yaml
roles: { clerk: granted }
permissions: { Task: { read: clerk, create: clerk, update: clerk } }
\`\`\`

## 8. Errors
\`\`\`yaml
TOO_LONG: { message: A quick task takes at most 4 hours., at: hours }
\`\`\`
`;

test("after an edit that a rule refuses for some rows, the tile shows the others as they are, while the dialog asks again", async () => {
  const server = await serveText(hours);
  const clerk = await server.person("Clerk", ["clerk"]);
  for (const name of ["Long", "Quick"]) await clerk.post("/api/tasks", { name, quick: name === "Quick" });
  const page = await visitWith(await server.listen(), clerk.cookie(), { path: "/", width: 1280 });
  // Nothing else tells the page that it should load the overview again.
  await page.route("**/_/changes*", () => new Promise<void>(() => {}));
  const tile = page.getByRole("region", { name: /^Tasks/u });
  await tile.locator("[data-row]").first().focus();
  await page.keyboard.press("x");
  await page.keyboard.press("Shift+ArrowDown");
  await barOf(page).getByText("2 selected").waitFor();
  await page.keyboard.press("e");
  await page.getByRole("menuitem", { name: "Hours" }).click();
  await page
    .getByRole("dialog")
    .getByRole("spinbutton", { name: "Hours" })
    .or(page.getByRole("dialog").getByRole("textbox"))
    .fill("6");
  await page.getByRole("dialog").getByRole("button", { name: "Edit 2 tasks" }).click();
  await page
    .getByRole("dialog", { name: "Edit 1 task" })
    .getByText("A quick task takes at most 4 hours.")
    .first()
    .waitFor();
  const rows = page.locator(".tile-table tbody tr");
  const textOf = async (name: string) => (await rows.filter({ hasText: name }).innerText()).replaceAll(/\s+/gu, " ");
  await expect.poll(() => textOf("Long")).toMatch(/6.*4/u);
  await expect.poll(() => textOf("Quick")).toMatch(/1.*9/u);
  await expect.poll(() => rows.evaluateAll((all) => all.map((row) => row.ariaSelected))).toEqual([null, "true"]);
  expect(complaints(page)).toEqual([]);
});

test("keys that are pressed while an overview loads move through its rows once they are there", async () => {
  const page = await visitAs(program.url, buyer, { path: "/suppliers", width: 1280 });
  await page.getByRole("row").nth(1).waitFor();
  const { opened: loaded, open: load } = createGate();
  await page.route("**/_/overview*", async (route) => {
    await loaded;
    await route.continue();
  });
  const open = async (keys: readonly string[]) => {
    await page.getByRole("link", { name: "Overview" }).click();
    await page.getByRole("heading", { name: "Overview" }).waitFor();
    for (const key of keys) await page.keyboard.press(key);
    load();
  };
  await open(["ArrowDown", "ArrowDown", "x"]);
  await barOf(page).getByText("1 selected").waitFor();
  const rows = page.locator("main [data-row]");
  await expect.poll(() => rows.evaluateAll((all) => all.indexOf(document.activeElement as HTMLElement))).toBe(1);
  expect(complaints(page)).toEqual([]);
});

test("the name of a long state is whole in the rows of a tile on a phone", async () => {
  const server = await serveText(
    queue
      .replace("where: status == open, columns: [name, size, created_at]", "columns: [name, status]")
      .replaceAll("[open, done]", "[waiting_for_the_requester, done]")
      .replaceAll(/(?<=from: |to: )open/gu, "waiting_for_the_requester"),
  );
  const clerk = await server.person("Clerk", ["clerk"]);
  await clerk.post("/api/jobs", { name: "The connection from home ends after an hour", size: "small" });
  const page = await visitWith(await server.listen(), clerk.cookie(), { path: "/", width: 390 });
  const state = (await findTile(page, "To do")).locator(".row-state .state > .cut").first();
  expect(await state.innerText()).toBe("Waiting for the requester");
  expect(await state.evaluate((one) => one.scrollHeight - one.clientHeight)).toBeLessThanOrEqual(1);
});
