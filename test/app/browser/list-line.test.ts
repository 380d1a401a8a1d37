import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { alternately } from "../../turns.ts";
import { axeFindings } from "../../web/axe.ts";
import { complaints, focused, sideways, visitWith } from "../../web/browser.ts";
import { type ApiClient, type RunningApplication, serveDemonstration } from "../program.ts";

/* The line above a list stays one line, and its columns fit the rows that it shows. */

const fields = Array.from({ length: 12 }, (_, at) => `    note_${at}: { type: text?, max: 40 }`).join("\n");

const text = `# Tickets

## 2. Screens and what people do on them
\`\`\`yaml
/:
  title: Overview
  tiles:
    - { title: Seen in the office, list: Ticket, where: "seen && subject == 'Nothing like it'", columns: [number, subject] }
    - { title: Not seen, list: Ticket, where: "!seen", columns: [number, subject] }
/tickets: { list: Ticket, columns: [subject, category, due, priority], filters: [priority, urgency, place, seen, category] }
/categories: { list: Category }
/orders: { list: Order, columns: [name, purpose, pieces, status] }
/repairs: { list: Repair, columns: [name, purpose, place, priority, answer_due] }
/long: { title: Long tickets, list: Ticket, where: "subject == 'Nothing like it'", columns: [subject] }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Ticket:
  label: "{subject}"
  fields:
    subject:  { type: text, max: 60 }
    number:   { type: sequence, pattern: "T-{year}-{n:5}" }
    category: Category?
    priority: { type: choice, values: [low, normal, high], default: normal }
    urgency:  { type: choice, values: [usual, pressing], default: usual }
    place:    { type: choice, values: [office, warehouse], default: office }
    seen:     { type: boolean, default: false }
${fields}
    due:      date?
Category:
  label: "{name}"
  fields: { name: { type: text, max: 60 } }
Order:
  label: "{name}"
  fields: { name: { type: text, max: 60 }, purpose: { type: text, max: 60 }, pieces: integer }
Repair:
  label: "{name}"
  fields:
    name:       { type: text, max: 60 }
    purpose:    { type: text, max: 60 }
    place:      { type: choice, values: [office, warehouse], default: office }
    priority:   { type: choice, values: [low, normal, high], default: normal }
    answer_due: datetime
\`\`\`

## 4. States and transitions
\`\`\`yaml
Order:
  field: status
  states: [waiting_for_finance, ordered]
  transitions:
    order: { from: waiting_for_finance, to: ordered, by: agent }
Repair:
  field: status
  states: [{ reported: { deadline: answer_due } }, done]
  transitions:
    finish: { from: reported, to: done, by: agent }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { agent: granted }
permissions:
  Ticket: { read: [agent], create: [agent], update: [agent] }
  Category: { read: [agent], create: [agent] }
  Order: { read: [agent], create: [agent] }
  Repair: { read: [agent], create: [agent] }
\`\`\`
`;

let program: RunningApplication;
let agent: ApiClient;
beforeAll(async () => {
  program = await serveDemonstration({ text });
  agent = await program.signInAs("agent");
  const long = (
    await agent.post("/api/categories", { name: "Machines and vehicles of the workshop in Bremen" })
  ).record();
  for (const name of ["Software", "Hardware"]) await agent.post("/api/categories", { name });
  await agent.post("/api/tickets", { subject: "Belt of the drill", category: long.id });
  await agent.post("/api/tickets", { subject: "Newest without category" });
  const purpose = "Replacement for the broken drill press in Bremen";
  await agent.post("/api/orders", { name: "Drill press", purpose, pieces: 1 });
  const answer_due = new Date(Date.now() - 4 * 24 * 60 * 60_000).toISOString();
  await agent.post("/api/repairs", { name: "Belt", purpose, answer_due });
});

const rightOf = (page: Page, part: string) =>
  page.locator(part).evaluate((shown) => Math.round(shown.getBoundingClientRect().right));

test("on a phone, a long state leaves the second line of its row whole, up to the number", async () => {
  const page = await visitWith(program.url, agent.cookie(), { width: 390, path: "/orders?search=drill" });
  const figure = page.locator(".row-figure");
  await figure.waitFor();
  const starts = await figure.evaluate((shown) => Math.round(shown.getBoundingClientRect().left));
  expect(starts - (await rightOf(page, ".row-second"))).toBe(12);
  expect(await rightOf(page, ".row-figure")).toBe(await rightOf(page, ".row-state"));
  expect(await sideways(page)).toBeLessThanOrEqual(0);
});

test("on a phone, how late a row is stands at its end, where it is not cut off", async () => {
  const page = await visitWith(program.url, agent.cookie(), { width: 390, path: "/repairs?search=belt" });
  const figure = page.locator(".row-figure", { hasText: "4 days overdue" });
  await figure.waitFor();
  expect(await figure.evaluate((shown) => shown.scrollWidth - shown.clientWidth)).toBeLessThanOrEqual(0);
  expect(await sideways(page)).toBeLessThanOrEqual(0);
});

const visitTickets = (query = "", width = 1440): Promise<Page> =>
  visitWith(program.url, agent.cookie(), { width, path: `/tickets${query}` });

test("the columns fit the rows of a larger result that begins with the row of a smaller one", async () => {
  const page = await visitTickets("?search=newest&sort=-subject");
  await page.getByRole("row", { name: /Newest/ }).waitFor();
  expect(await page.getByRole("row").count()).toBe(2);
  await page.getByRole("button", { name: "Clear filters" }).click();
  const cell = page.getByRole("row", { name: /Belt/ }).getByRole("cell", { name: /Machines/ });
  await cell.waitFor();
  await expect.poll(() => cell.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0);
  expect(complaints(page)).toEqual([]);
});

test("columns stay where they are when the widest value of one is edited", async () => {
  const long = (await agent.get("/api/categories?search=machines")).list().items[0];
  await agent.post("/api/tickets", { subject: "Widths", category: long?.id });
  const page = await visitTickets("?search=widths");
  const row = page.getByRole("row", { name: /Widths/ });
  await row.waitFor();
  const places = () =>
    page.getByRole("columnheader").evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().x)));
  const before = await places();
  await row.getByRole("cell", { name: /Machines/ }).click();
  const editor = page.getByRole("dialog", { name: "Edit “Category”" });
  await editor.getByRole("combobox").fill("Softw");
  await page.getByRole("option", { name: "Software" }).click();
  await row.getByRole("cell", { name: "Software" }).waitFor();
  expect(await places()).toEqual(before);
  expect(complaints(page)).toEqual([]);
});

test("an empty list says which tile or screen is empty, and leads to the overview and to the whole list", async () => {
  const page = await visitWith(program.url, agent.cookie(), { path: "/" });
  const clear = page.getByRole("button", { name: "Clear filters" });
  await page.getByRole("region", { name: "Seen in the office" }).getByRole("link", { name: "All" }).click();
  await page.getByText("“Seen in the office” is empty").waitFor();
  await expect.poll(() => clear.count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("link", { name: "Back to “Overview”" }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Show all" }).click();
  await page.getByRole("row", { name: /Newest/ }).waitFor();

  await page.goto(`${program.url}/long`);
  await page.getByText("“Long tickets” is empty").waitFor();
  await page.getByRole("link", { name: "Back to “Overview”" }).waitFor();
  await page.goto(`${program.url}/tickets?search=nowhere`);
  await page.getByText("No tickets match").waitFor();
  expect(await clear.count()).toBe(1);
  expect(complaints(page)).toEqual([]);
});

test("once all of a tile is done, the link back to its overview has the focus", async () => {
  await agent.post("/api/tickets", { subject: "Nothing like it", seen: true });
  const page = await visitWith(program.url, agent.cookie(), { path: "/" });
  await page.getByRole("region", { name: "Seen in the office" }).getByRole("link", { name: "All" }).click();
  await page.getByRole("row", { name: /Nothing like it/ }).waitFor();
  for (const key of ["ArrowDown", "x"]) await page.keyboard.press(key);
  await page.getByRole("button", { name: "Edit… 1 ticket" }).waitFor();
  await page.keyboard.press("e");
  await page.getByRole("menuitem", { name: "Subject" }).press("Enter");
  await page.getByRole("dialog").getByRole("textbox", { name: "Subject" }).fill("Done");
  await page.keyboard.press("Enter");
  await page.getByText("“Seen in the office” is empty").waitFor();
  await expect.poll(() => focused(page)).toContain("Back to “Overview”");
  expect(complaints(page)).toEqual([]);
});

test("the digits of an identifier have their own widths, so that its hyphens have no gaps", async () => {
  const page = await visitWith(program.url, agent.cookie(), { path: "/" });
  const number = page.getByText(/^T-\d{4}-\d{5}$/u).first();
  await number.waitFor();
  expect(await number.evaluate((one) => getComputedStyle(one).fontVariantNumeric)).toBe("normal");
});

describe("the line of filters", () => {
  const heightOf = (page: Page) =>
    page.getByRole("group", { name: "Filters" }).evaluate((line) => line.getBoundingClientRect().height);

  test.each(alternately([1024, 1440]))("keeps its height when filters are set, at a width of %s", async (width) => {
    const page = await visitTickets("", width);
    await page.getByRole("row", { name: /Newest/ }).waitFor();
    const before = await heightOf(page);
    await page.goto(`${program.url}/tickets?priority=normal&priority=high&seen=false&search=drill`);
    await page.getByRole("button", { name: "Clear filters" }).waitFor();
    await page.getByText("Belt of the drill").first().waitFor();
    expect(await heightOf(page)).toBe(before);
    expect(await sideways(page)).toBeLessThanOrEqual(0);
    expect(complaints(page)).toEqual([]);
  });

  test("offers the filters without space, those of columns first, and finds one by typing", async () => {
    const page = await visitTickets("", 800);
    await page.getByRole("row", { name: /Newest/ }).waitFor();
    await page.getByRole("button", { name: "Filter", exact: true }).press("Enter");
    await expect.poll(() => focused(page)).toContain("combobox");
    const options = page.getByRole("option");
    const names = await options.allTextContents();
    expect(names.slice(0, 6)).toEqual(["Subject", "Category", "Due", "Number", "Note 0", "Note 1"]);
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.type("no such");
    await expect.poll(() => options.count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole("combobox", { name: "Filter" }).fill("note 1");
    await expect.poll(() => options.allTextContents()).toEqual(["Note 1", "Note 10", "Note 11"]);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    const holds = page.getByRole("textbox", { name: "Contains" });
    await expect.poll(() => holds.evaluate((box) => box === document.activeElement)).toBe(true);
    await holds.fill("x");
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.searchParams.get("note_10~") === "x");
    expect(complaints(page)).toEqual([]);
  });

  test("opens a sheet on a phone, which ends with a button", async () => {
    const page = await visitTickets("", 390);
    await page.getByText("Newest without category").waitFor();
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("option", { name: "Priority", exact: true }).click();
    const sheet = page.getByRole("dialog", { name: "Priority" });
    await sheet.getByRole("checkbox", { name: "High" }).check();
    await page.waitForURL((url) => url.searchParams.get("priority") === "high");
    expect(await axeFindings(page)).toEqual([]);
    await sheet.getByRole("button", { name: /^Show \d+ tickets?$|^No tickets found$/u }).click();
    await sheet.waitFor({ state: "hidden" });
    await expect.poll(() => focused(page)).toContain("Priority");
    expect(complaints(page)).toEqual([]);
  });

  test("keeps the filter that is being changed, also when it has no value for a moment", async () => {
    const page = await visitTickets("", 800);
    await page.getByRole("row", { name: /Newest/ }).waitFor();
    await page.getByRole("button", { name: "Filter", exact: true }).press("Enter");
    await expect.poll(() => page.evaluate(() => document.activeElement?.closest("[popover]") != null)).toBe(true);
    await page.keyboard.type("categ");
    await page
      .getByRole("option", { name: /categ/iu })
      .or(page.getByRole("menuitem", { name: /categ/iu }))
      .first()
      .waitFor();
    await page.keyboard.press("Enter");
    const box = page.getByRole("checkbox", { name: "Software" });
    await box.check();
    await page.waitForURL((url) => url.searchParams.has("category"));
    await box.uncheck();
    await page.waitForURL((url) => !url.searchParams.has("category"));
    expect(await box.isVisible()).toBe(true);
    expect(complaints(page)).toEqual([]);
  });

  test("has import, export and permissions in one menu, in words", async () => {
    const page = await visitTickets();
    await page.getByRole("button", { name: "More list actions" }).press("Enter");
    const items = page.getByRole("menu", { name: "More list actions" }).getByRole("menuitem");
    await items.first().waitFor();
    expect((await items.allTextContents()).map((item) => item.replace(/\d+/u, "2"))).toEqual([
      "Import tickets",
      "Export: CSV (2 rows)",
      "Export: Excel (2 rows)",
      "Print",
      "What can I do here?",
    ]);
    expect(await axeFindings(page)).toEqual([]);
    await items.first().press("Enter");
    await page.getByRole("dialog", { name: "Import tickets" }).waitFor();
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(page)).toContain("More list actions");
    expect(complaints(page)).toEqual([]);
  });
});

test("the first arrow key after typing stays at the first match, and does not create another record", async () => {
  const page = await visitTickets("/new");
  const category = page.getByRole("combobox", { name: "Category" });
  await category.fill("Soft");
  await page.getByRole("option", { name: "Create “Soft”" }).waitFor();
  const active = () => page.getByRole("option", { selected: true }).textContent();
  await expect.poll(active).toBe("Software");
  await category.press("ArrowDown");
  await expect.poll(active).toBe("Software");
  await category.press("Enter");
  await expect.poll(() => category.inputValue()).toBe("Software");
  expect(await page.getByRole("dialog", { name: "New category" }).count()).toBe(0);
  await category.fill("Soft");
  await page.getByRole("option", { name: "Create “Soft”" }).waitFor();
  for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await category.press(key);
  await page.getByRole("dialog", { name: "New category" }).waitFor();
  expect(complaints(page)).toEqual([]);
});
