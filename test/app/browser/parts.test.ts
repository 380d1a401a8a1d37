import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { alternately } from "../../turns.ts";
import { axeFindings } from "../../web/axe.ts";
import { administrator, atRest, complaints, focused, sideways, small, visitAs } from "../../web/browser.ts";
import { example, serveText, type TestServer } from "../program.ts";

/* Lines in the form of a purchase request: by keyboard, from a spreadsheet, on a phone, with a concurrent editor. */

let program: TestServer;
let url = "";
let requester: string;
beforeAll(async () => {
  program = await serveText(readFileSync(example("purchasing"), "utf8"), { demonstration: true });
  url = await program.listen();
  const { body } = await program.visitor().get("/_/application");
  const { signIn } = body as { signIn: { demonstration: { name: string; roles: string[] }[] } };
  requester = signIn.demonstration.find(({ roles }) => roles.length === 0)?.name ?? "";
});

const rows = (page: Page) =>
  page
    .getByRole("region", { name: "Lines" })
    .getByRole("row")
    .filter({ has: page.getByRole("textbox") });
const cell = (page: Page, field: string, row: number | string) =>
  page.getByLabel(`${field}, row ${row}`, { exact: true });
const type = async (page: Page, text: string) => page.keyboard.type(text, { delay: 0 });
const sum = (page: Page, label: string) => page.getByRole("status", { name: label, exact: true });

/** Moves from control to control by keyboard. */
const tabTo = async (page: Page, name: string) => {
  for (let i = 0; i < 40; i++) {
    if ((await focused(page)).includes(name)) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`no way by keyboard to ${name}, but to ${await focused(page)}`);
};

test("a value that no sum depends on is edited in place without a word about sums of lines", async () => {
  const { rows: writers } = await program.database.query(`select u.name from app.purchase_request r
    join app."user" u on u.id = r.requester where r.status = 'draft' order by u.name limit 1`);
  const page = await visitAs(url, String(writers[0]?.name), { path: "/requests?status=draft" });
  await page.getByRole("row").nth(1).getByRole("link").first().click();
  await page.getByRole("button", { name: "Edit “Deliver to”" }).click();
  const place = page.getByRole("textbox", { name: "Deliver to" });
  await place.fill("The gate in the yard");
  await page.getByRole("button", { name: "Save", exact: true }).waitFor();
  await atRest(page);
  expect(await page.locator(".computed-changes").textContent()).toBe("");
  await place.press("Enter");
  await place.waitFor({ state: "detached" });
  await page.getByRole("main").getByText("The gate in the yard").first().waitFor();
});

test("five lines by keyboard: sums update while typing, the limit refuses, a fix is submitted", async () => {
  const page = await visitAs(url, requester, { path: "/requests/new" });
  await page.getByRole("heading", { level: 1 }).waitFor();
  await page.getByRole("combobox", { name: "Department" }).focus();
  await type(page, "W");
  await page.getByRole("option").first().waitFor();
  await page.keyboard.press("Enter");
  await page.keyboard.press("Tab");
  await type(page, "Shelves for the archive");
  await tabTo(page, "Category");
  await type(page, "Office");
  await tabTo(page, "Item, row 1");
  const lines = [
    ["Steel shelf", "2", "120.50"],
    ["Screws", "100", "0.05"],
    ["Drill", "1", "89.99"],
    ["Gloves", "12", "3.20"],
    ["Delivery", "1", "45"],
  ];
  for (const [i, [item = "", quantity = "", price = ""]] of lines.entries()) {
    await type(page, item);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await page.keyboard.press("Control+a");
    await type(page, quantity);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Tab");
    await type(page, price);
    if (i < lines.length - 1) {
      await page.keyboard.press("Enter");
      await expect.poll(() => focused(page)).toContain(`Item, row ${i + 2}`);
    }
  }
  await expect.poll(() => rows(page).count()).toBe(5);
  // 241.00 + 5.00 + 89.99 + 38.40 + 45.00, and 19 per cent of each, rounded to the cent.
  await expect.poll(() => sum(page, "Net").textContent()).toContain("419.39");
  await expect.poll(() => sum(page, "Tax").textContent()).toContain("79.69");
  await expect.poll(() => sum(page, "Gross").textContent()).toContain("499.08");
  await expect.poll(() => cell(page, "Net", 2).textContent()).toContain("5.00");

  // One more line exceeds the limit; the error is at its cell, and no input is lost.
  await page.keyboard.press("Enter");
  await type(page, "Screws");
  for (let i = 0; i < 4; i++) await page.keyboard.press("Tab");
  await type(page, "0.05");
  await tabTo(page, 'button "Save as ');
  await page.keyboard.press("Enter");
  const refused = page.getByRole("alert").filter({ hasText: "Row 6" });
  await refused.waitFor();
  await expect.poll(() => cell(page, "Item", 6).getAttribute("aria-invalid")).toBe("true");
  await refused.getByRole("link").focus();
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toContain("Item, row 6");
  await tabTo(page, "Remove row 6");
  await page.keyboard.press("Enter");
  await expect.poll(() => rows(page).count()).toBe(5);

  // Moves the last line to the front.
  await cell(page, "Item", 5).focus();
  await page.keyboard.press("Alt+ArrowUp");
  await page.keyboard.press("Alt+ArrowUp");
  await expect.poll(() => cell(page, "Item", 3).inputValue()).toBe("Delivery");
  await tabTo(page, 'button "Save as ');
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/requests\/[0-9a-f-]{36}$/u);
  await page.getByRole("button", { name: "Submit" }).first().focus();
  await page.keyboard.press("Enter");
  await page
    .getByText(/^Submitted|Approved/u)
    .first()
    .waitFor();
  const lender = await program.signInAs(null);
  const id = page.url().split("/").at(-1) ?? "";
  const saved = (await lender.get(`/api/requests/${id}?parts=true`)).record();
  expect((saved.lines as unknown as { item: string }[]).map(({ item }) => item)).toEqual([
    "Steel shelf",
    "Screws",
    "Delivery",
    "Drill",
    "Gloves",
  ]);
  expect(saved.gross).toEqual({ amount: "499.08", currency: "EUR" });
  expect(complaints(page)).toEqual([]);
});

test("rows are pasted from a spreadsheet, removed and restored, and kept as a draft", async () => {
  const page = await visitAs(url, requester, { path: "/requests/new" });
  await cell(page, "Item", 1).focus();
  await page.evaluate(() => {
    const data = new DataTransfer();
    data.setData("text/plain", "Paper\tA4\t10\tBox\t4.50 €\tReduced\nToner\t\t2\tpiece\t60\t\n");
    document.activeElement?.dispatchEvent(
      new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }),
    );
  });
  await expect.poll(() => rows(page).count()).toBe(2);
  await expect.poll(() => cell(page, "Unit", 1).inputValue()).toBe("box");
  await expect.poll(() => cell(page, "Tax", 1).inputValue()).toBe("reduced");
  await expect.poll(() => sum(page, "Gross").textContent()).toContain("190.95");
  await page.getByRole("button", { name: "Remove row 1" }).click();
  await expect.poll(() => sum(page, "Gross").textContent()).toContain("142.80");
  await page.getByRole("button", { name: "Undo" }).click();
  await expect.poll(() => rows(page).count()).toBe(2);
  await page.getByText(/Kept on this device/u).waitFor();
  await page.reload();
  await page.getByText("Continuing from your draft").waitFor();
  await expect.poll(() => cell(page, "Item", 2).inputValue()).toBe("Toner");
  await page.getByRole("button", { name: "Discard draft" }).click();
  expect(complaints(page)).toEqual([]);
});

test("on a phone, the buttons of a new record stay in their place when its draft is kept, and no field is marked", async () => {
  const page = await visitAs(url, requester, { path: "/requests/new", width: 390 });
  const button = page.locator(".form-foot .primary");
  const before = await button.boundingBox();
  await page.getByRole("textbox", { name: "Purpose" }).fill("A ladder");
  await page.getByText(/Kept on this device/u).waitFor();
  expect((await button.boundingBox())?.y).toBe(before?.y);
  expect(await page.locator(".form-field .dot").count()).toBe(0);
  expect(complaints(page)).toEqual([]);
});

test("on a record, the rows of a table become its lines, refused ones are named, and the import is undone", async () => {
  const caller = await program.signInAs(null);
  const department = String((await caller.get("/api/departments")).list().items[0]?.id);
  const body = {
    department,
    purpose: "Imported lines",
    category: "office",
    lines: [{ item: "One", unit_price: "10" }],
  };
  const { id } = (await caller.post("/api/requests", body)).record();
  const page = await visitAs(url, requester, { path: `/requests/${id}` });
  const region = page.getByRole("region", { name: "Lines" });
  await region.getByRole("button", { name: "Import lines" }).click();
  const dialog = page.getByRole("dialog", { name: "Import lines" });
  const cells = "Item\tQuantity\tUnit price\nBolts\t20\t0.50\nNuts\tmany\t0.30\n";
  await dialog.getByLabel("Or paste cells from a spreadsheet, with the header row").fill(cells);
  await dialog.getByRole("button", { name: "Use these cells" }).click();
  await dialog.getByRole("button", { name: "Check 2 rows" }).click();
  await dialog.getByText("“many”").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Import 1 row" }).click();
  await dialog.getByRole("button", { name: "Undo the import" }).waitFor();
  await region.getByText("Bolts").waitFor();
  await dialog.getByRole("button", { name: "Undo the import" }).click();
  await dialog.getByText("The import was undone.").waitFor();
  await region.getByText("Bolts").waitFor({ state: "detached" });
  expect(complaints(page)).toEqual([]);
});

test("in the list, rows become the lines of the requests that a column names, and are undone", async () => {
  const caller = await program.signInAs(null);
  const department = String((await caller.get("/api/departments")).list().items[0]?.id);
  const create = async (purpose: string) => {
    const lines = [{ item: "One", unit_price: "10" }];
    const { id } = (await caller.post("/api/requests", { department, purpose, category: "office", lines })).record();
    return (await caller.get(`/api/requests/${id}`)).record();
  };
  const [first, second] = [await create("First of two"), await create("Second of two")];
  const itemsOf = async (id: unknown) =>
    (await caller.get(`/api/lines?request=${id}&sort=item`)).list().items.map(({ item }) => item);
  const page = await visitAs(url, requester, { path: "/requests" });
  await page.getByRole("button", { name: "More list actions" }).click();
  await page.getByRole("menuitem", { name: "Import requests" }).click();
  await page.getByRole("dialog", { name: "Import requests" }).getByLabel("The rows are").selectOption("lines");
  const dialog = page.getByRole("dialog", { name: "Import lines" });
  await dialog.getByText("One column names the request of each row").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  const rows = [`${first.number}\tBolts\t20\t0.50`, `${second.number}\tNuts\t5\t0.30`, "PR-0\tNails\t1\t0.10"];
  await dialog
    .getByLabel("Or paste cells from a spreadsheet, with the header row")
    .fill(`Request\tItem\tQuantity\tUnit price\n${rows.join("\n")}\n`);
  await dialog.getByRole("button", { name: "Use these cells" }).click();
  await dialog.getByRole("button", { name: "Check 3 rows" }).waitFor();
  expect(await dialog.getByLabel("Field for “Request”").inputValue()).toBe("request");
  await dialog.getByRole("button", { name: "Check 3 rows" }).click();
  await dialog.getByText("“PR-0”").waitFor();
  await dialog.getByRole("button", { name: "Import 2 rows" }).click();
  await dialog.getByRole("button", { name: "Undo the import" }).waitFor();
  expect([await itemsOf(first.id), await itemsOf(second.id)]).toEqual([
    ["Bolts", "One"],
    ["Nuts", "One"],
  ]);
  await dialog.getByRole("button", { name: "Undo the import" }).click();
  await dialog.getByText("The import was undone.").waitFor();
  expect(await itemsOf(first.id)).toEqual(["One"]);
  expect(complaints(page)).toEqual([]);
});

test("on a record they are edited in place, and another person’s line is not overwritten", async () => {
  const caller = await program.signInAs(null);
  const department = (await caller.get("/api/departments?limit=1")).list().items[0]?.id;
  const created = await caller.post("/api/requests", {
    department,
    purpose: "In place",
    category: "office",
    lines: [
      { item: "One", unit_price: "10" },
      { item: "Two", unit_price: "20" },
    ],
  });
  const { id } = created.record();
  const page = await visitAs(url, requester, { path: `/requests/${id}` });
  await page.getByRole("button", { name: "Edit Lines" }).click();
  await cell(page, "Quantity", 2).fill("3");
  await caller.post("/api/lines", { request: id, item: "Three", unit_price: "30" });
  await page.getByRole("region", { name: "Lines" }).first().waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  const conflict = page.getByRole("alert").filter({ hasText: "Save these" });
  await conflict.waitFor();
  await conflict.getByRole("button").click();
  await expect
    .poll(async () => {
      const now = (await caller.get(`/api/requests/${id}?parts=true`)).record();
      return (now.lines as unknown as { item: string; quantity: string }[]).map((one) => `${one.item} ${one.quantity}`);
    })
    .toEqual(["One 1", "Two 3", "Three 1"]);
  expect(complaints(page)).toEqual([]);
});

test.each(
  alternately([
    [1440, "light"],
    [390, "dark"],
  ] as const),
)("at %i, %s: axe finds nothing, and nothing overflows", async (width, theme) => {
  const page = await visitAs(url, requester, { path: "/requests/new", width, theme });
  await cell(page, "Item", 1).fill("Something");
  await cell(page, "Price", 1)
    .or(cell(page, "Unit price", 1))
    .fill("x");
  await page.getByRole("button", { name: "Add line" }).click();
  await atRest(page);
  expect(await axeFindings(page)).toEqual([]);
  expect(await sideways(page)).toBe(0);
});

/* Nested parts: an order, its lines, and their serial numbers. */
const stock = `
# Stock

## 2. Screens and routes
\`\`\`yaml
/orders:
  list: Order
/orders/new:
  form: Order
  fields: [name, weight, { list: lines, columns: [item, weight, serials] }]
/orders/{id}/edit:
  form: Order
  fields: [name, weight, { list: lines, columns: [item, weight, serials] }]
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Order:
  label: "{name}"
  fields:
    name:  text
    lines: { list: Line.order }
    weight: { type: integer, computed: "lines.map(l, l.weight).sum()" }
Line:
  label: "{item}"
  fields:
    order:   { type: Order, part of: true }
    place:   position
    item:    text
    serials: { list: Serial.line }
    weight:  { type: integer, computed: "serials.map(s, s.weight).sum()" }
Serial:
  label: "{number}"
  fields:
    line:   { type: Line, part of: true }
    place:  position
    number: text
    weight: { type: integer, default: 1, min: 1, max: 90 }
\`\`\`

## 5. Rules
\`\`\`yaml
Line:
  - { rule: "serials.size() <= 3", else: FULL }
Serial:
  - { unique: [line, number], else: TWICE }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  clerk: { members: signed in }
permissions:
  Order:  { read: clerk, create: clerk, update: clerk, delete: clerk }
  Line:   { read: clerk, create: clerk, update: clerk, delete: clerk }
  Serial: { read: clerk, create: clerk, update: clerk, delete: clerk }
\`\`\`

## 8. Errors
\`\`\`yaml
TWICE: { status: 409, message: "{number} stands there already.", at: number }
FULL:  { status: 409, message: "There are {serials.size()} numbers, and 3 have room.", at: serials }
\`\`\`
`;

describe("nested parts", () => {
  let store: TestServer;
  let at = "";
  let clerk: string;
  beforeAll(async () => {
    store = await serveText(stock, { demonstration: true });
    at = await store.listen();
    const { body } = await store.visitor().get("/_/application");
    const { signIn } = body as { signIn: { demonstration: { name: string; roles: string[] }[] } };
    clerk = signIn.demonstration[0]?.name ?? "";
  });
  interface Saved {
    readonly item: string;
    readonly serials: readonly { readonly number: string; readonly weight: number }[];
  }
  const linesOf = async (id: string) => {
    const caller = await store.signInAs(null);
    const { lines } = (await caller.get(`/api/orders/${id}?parts=true`)).record();
    return (lines as unknown as readonly Saved[]).map(
      ({ item, serials }) => `${item}: ${serials.map(({ number, weight }) => `${number}/${weight}`).join(" ")}`,
    );
  };

  test("by keyboard: rows within rows, sums of sums, an error at the right cell, saved in one step", async () => {
    const page = await visitAs(at, clerk, { path: "/orders/new" });
    await page.getByRole("textbox", { name: "Name" }).fill("Spring");
    await cell(page, "Item", 1).focus();
    await type(page, "Drill");
    await tabTo(page, "Add serial 1");
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toContain("Number, row 1.1");
    await type(page, "A");
    // Enter starts the next row below the line.
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toContain("Number, row 1.2");
    await type(page, "A");
    await tabTo(page, "Weight, row 1.2");
    await page.keyboard.press("Control+a");
    await type(page, "40");
    await cell(page, "Item", 1).focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toContain("Item, row 2");
    await type(page, "Saw");
    await tabTo(page, "Add serial 2");
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toContain("Number, row 2.1");
    await type(page, "A");
    await expect.poll(() => cell(page, "Weight", 1).textContent()).toBe("41");
    await expect.poll(() => sum(page, "Weight").textContent()).toBe("42");

    await tabTo(page, 'button "Create ');
    await page.keyboard.press("Enter");
    const refused = page
      .getByRole("alert")
      .filter({ hasText: "Not saved" })
      .filter({ hasText: "A stands there already." });
    await refused.waitFor();
    await refused
      .getByRole("link", { name: /^Row 1\.[12]: / })
      .first()
      .focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toMatch(/Number, row 1\.[12]/u);
    await expect.poll(() => cell(page, "Number", "2.1").getAttribute("aria-invalid")).toBeNull();
    await page.keyboard.press("Control+a");
    await type(page, "B");
    await tabTo(page, 'button "Create ');
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/orders\/[0-9a-f-]{36}$/u);
    const saved = await linesOf(page.url().split("/").at(-1) ?? "");
    expect(saved.map((line) => line.replace("B/40 A/1", "A/1 B/40").replace("B/1 A/40", "A/1 B/40"))).toEqual([
      "Drill: A/1 B/40",
      "Saw: A/1",
    ]);
    expect(complaints(page)).toEqual([]);
  });

  test("on a record, in place: too many rows are reported at their list, and a draft of the form keeps them", async () => {
    const caller = await store.signInAs(null);
    const serials = ["A", "B", "C"].map((number) => ({ number }));
    const created = await caller.post("/api/orders", {
      name: "Autumn",
      lines: [{ item: "One", serials }, { item: "Two" }],
    });
    const { id } = created.record();
    const page = await visitAs(at, clerk, { path: `/orders/${id}` });
    await page.getByRole("button", { name: "Edit Lines" }).click();
    await page.getByRole("button", { name: "Add serial 1" }).click();
    await cell(page, "Number", "1.4").fill("D");
    await page.getByRole("button", { name: "Add serial 2" }).click();
    await cell(page, "Number", "2.1").fill("E");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const refused = page.getByRole("alert").filter({ hasText: "Not saved" }).filter({ hasText: "There are 4 numbers" });
    await refused.waitFor();
    await refused.getByRole("link").click();
    await expect.poll(() => focused(page)).toContain("Serials 1");
    await expect.poll(() => page.getByRole("region", { name: "Serials 1" }).textContent()).toContain("and 3 have room");
    await page.getByRole("button", { name: "Remove row 1.1" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(() => linesOf(id)).toEqual(["One: B/1 C/1 D/1", "Two: E/1"]);

    await page.goto(`${at}/orders/${id}/edit`);
    await cell(page, "Weight", "2.1").fill("7");
    await page.getByText(/Kept on this device/u).waitFor();
    await page.reload();
    await page.getByText("Continuing from your draft").waitFor();
    await expect.poll(() => cell(page, "Weight", "2.1").inputValue()).toBe("7");
    expect(complaints(page)).toEqual([]);
  });

  test.each(
    alternately([
      [1440, "dark"],
      [390, "light"],
    ] as const),
  )("at %i, %s: rows are added and removed, axe finds nothing, and nothing overflows", async (width, theme) => {
    const page = await visitAs(at, clerk, { path: "/orders/new", width, theme });
    await cell(page, "Item", 1).fill("Something");
    await page.getByRole("button", { name: "Add serial 1" }).click();
    await cell(page, "Number", "1.1").fill("A");
    await page.getByRole("button", { name: "Add serial 1" }).click();
    await cell(page, "Weight", "1.2").fill("x");
    await cell(page, "Number", "1.2").fill("B");
    await page.getByRole("button", { name: "Move row 1.2", exact: true }).focus();
    await page.keyboard.press("ArrowUp");
    await expect.poll(() => cell(page, "Number", "1.1").inputValue()).toBe("B");
    await atRest(page);
    expect(await axeFindings(page)).toEqual([]);
    expect(await sideways(page)).toBe(0);
    if (width < 768) expect(await small(page)).toEqual([]);
    await page.getByRole("button", { name: "Remove row 1.2" }).click();
    await expect.poll(() => cell(page, "Number", "1.2").count()).toBe(0);
    expect(complaints(page)).toEqual([]);
  });
});

const claims = `# Claims

## 3. Entities and their fields
\`\`\`yaml
Claim: { label: "{purpose}", fields: { purpose: text, lines: { list: Line.claim } } }
Line:
  label: "{item}"
  fields:
    claim:   { type: Claim, part of: true }
    item:    text
    day:     date
    kind:    { type: choice, values: [travel, hotel, meal] }
    amount:  { type: money, currency: EUR }
    place:   text
    note:    text?
    receipt: file?
\`\`\`
`;

/** On how many lines each place with a text draws it. */
const drawnLines = (page: Page, text: string): Promise<readonly number[]> =>
  page.getByText(text, { exact: true }).evaluateAll((all) =>
    all.map((one) => {
      const range = document.createRange();
      range.selectNodeContents(one);
      return new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size;
    }),
  );

test.each([1440, 1024, 390])("at %i a file name in a line wraps between words", async (width) => {
  const desk = await serveText(claims, { demonstration: true });
  const page = await visitAs(await desk.listen(), administrator, { path: "/claims/new", width });
  await page.getByRole("textbox", { name: "Purpose" }).fill("To Berlin");
  const name = "Receipt of the train from Hamburg to Berlin.pdf";
  await page
    .getByLabel("Receipt, row 1")
    .setInputFiles({ name, mimeType: "application/pdf", buffer: Buffer.from("%PDF-1.4") });
  await page.getByText(name, { exact: true }).waitFor();
  await atRest(page);
  for (const lines of await drawnLines(page, name)) expect(lines).toBeLessThanOrEqual(4);
  expect(await sideways(page)).toBe(0);
  await desk.stop();
});
