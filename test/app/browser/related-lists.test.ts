import { beforeAll, expect, test } from "vitest";
import { complaints, focused, visitWith } from "../../web/browser.ts";
import { type ApiClient, type RunningApplication, serveDemonstration } from "../program.ts";

/* Records are added to a list on the page of another record. */

const text = `# Yard

## 2. Screens and routes
\`\`\`yaml
/pallets/{id}:
  record: Pallet
  sections:
    - fields: [name, remark]
    - list: crates
    - title: Counted
      list: counts
/orders/{id}:
  record: Order
  sections:
    - fields: [name]
    - list: receipts
    - list: bills
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Pallet:
  label: "{name}"
  fields:
    name: text
    remark: text?
    crates: { list: Crate.pallet }
    counts: { list: Count.pallet }
Crate:
  label: "{name}"
  fields:
    pallet: { type: Pallet, part of: true }
    place:  position
    name:   text
    bottles: integer
    counts: { list: Count.crate }
Count:
  label: "{crate.name}"
  fields:
    crate:  { type: Crate, once: true, among: "Crate.filter(c, c.counts.size() == 0)" }
    pallet: { type: Pallet, computed: crate.pallet, kept: true }
    found:  { type: integer, default: crate.bottles, examples: [6, 12] }
    sheet:  { type: text?, examples: [S-2026-0815, S-2026-0816, S-2026-0817] }
Order:
  label: "{name}"
  fields:
    name:     text
    by:       { type: User, set: user }
    receipts: { list: Receipt.order }
    bills:    { list: Bill.order }
Receipt:
  fields:
    order: { type: Order, once: true }
    note:  text
Bill:
  fields:
    order: { type: Order, once: true }
    price: text
\`\`\`

## 4. States and transitions
\`\`\`yaml
Order:
  field: status
  initial: open
  final: [done]
  states: [open, done]
  transitions:
    finish: { from: open, to: done, by: owner }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  keeper: granted
  clerk: granted
  Order: { owner: "by == user" }
  Bill: { owner: "order.by == user" }
permissions:
  Order:
    read: [owner, { role: keeper, fields: [name, status, receipts] }]
    create: [keeper, clerk]
    delete: owner
  Receipt: { read: keeper, create: keeper }
  Bill: { read: owner }
  Pallet: { read: keeper, create: keeper, update: keeper }
  Crate:  { read: keeper, create: keeper, update: keeper }
  Count:  { read: keeper, create: keeper }
\`\`\`
`;

let program: RunningApplication;
let keeper: ApiClient;
let clerk: ApiClient;
beforeAll(async () => {
  program = await serveDemonstration({ text });
  keeper = await program.signInAs("keeper");
  clerk = await program.signInAs("clerk");
});

test("on a phone: parts come in their order, and after the last one the heading has the focus", async () => {
  const crates = ["Zinc tops", "Apple juice"].map((name) => ({ name, bottles: 12 }));
  const { id } = (await keeper.post("/api/pallets", { name: "Pallet 7", crates })).record();
  const page = await visitWith(program.url, keeper.cookie(), { path: `/pallets/${id}`, width: 390 });
  const add = page.getByRole("button", { name: "Add count" });
  const dialog = page.getByRole("dialog", { name: "New count: Pallet 7" });
  const crate = dialog.getByRole("combobox", { name: "Crate" });
  await add.click();
  await crate.click();
  const options = page.getByRole("option");
  await options.nth(1).waitFor();
  expect(await options.allTextContents()).toEqual(["Zinc tops", "Apple juice"]);
  // The options are as wide as their box.
  const width = async (selector: string) => (await page.locator(selector).boundingBox())?.width;
  expect(await width(".popup.options:popover-open")).toBe(await width("dialog .box:has([role=combobox])"));
  await options.first().click();
  // An example would say what is already there.
  const help = dialog.getByText("Suggestion: “Bottles” of “Crate”.", { exact: true });
  await help.waitFor();
  expect(await dialog.getByText("S-2026-0816").evaluate((number) => number.getClientRects().length)).toBe(1);
  await dialog.getByRole("button", { name: "Add" }).click();
  await dialog.waitFor({ state: "detached" });
  await expect.poll(() => focused(page)).toContain("Add count");
  await add.click();
  await crate.fill("Apple");
  await options.first().click();
  await help.waitFor();
  await dialog.getByRole("button", { name: "Add" }).click();
  await dialog.waitFor({ state: "detached" });
  await expect.poll(() => add.count()).toBe(0);
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Counted");
  expect(complaints(page)).toEqual([]);
});

const orderOf = async (person: ApiClient, name: string) =>
  `/orders/${(await person.post("/api/orders", { name })).record().id}`;

test("the bar of a record offers to add to its first list that is open, while nobody expects a transition", async () => {
  const order = await orderOf(clerk, "Order 1");
  for (const width of [390, 1440]) {
    const page = await visitWith(program.url, keeper.cookie(), { path: order, width });
    const bar = page.getByRole("group", { name: /^Actions/ });
    await bar.getByRole("button", { name: "Add receipt" }).focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "New receipt: Order 1" });
    await dialog.getByRole("textbox", { name: "Note" }).fill("Complete");
    await dialog.getByRole("button", { name: "Add" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("Complete").first().waitFor();
    await expect.poll(() => focused(page)).toContain("Add receipt");
    expect(complaints(page)).toEqual([]);
  }
  // A transition is expected of the owner.
  const own = await visitWith(program.url, keeper.cookie(), { path: await orderOf(keeper, "Order 2"), width: 1440 });
  const bar = own.getByRole("group", { name: /^Actions/ });
  await own.getByRole("button", { name: "Add receipt" }).waitFor();
  await bar.getByRole("button", { name: "Finish" }).waitFor();
  expect(await bar.getByRole("button", { name: "Add receipt" }).count()).toBe(0);
});

test("a list that a person cannot see on a record is no section there", async () => {
  const sections = async (address: string) => {
    const page = await visitWith(program.url, keeper.cookie(), { path: address, width: 1440 });
    await page.getByRole("heading", { name: "Receipts" }).waitFor();
    return page.locator(".related h2").allTextContents();
  };
  expect(await sections(await orderOf(keeper, "Order 3"))).toEqual(["Receipts", "Bills"]);
  expect(await sections(await orderOf(clerk, "Order 4"))).toEqual(["Receipts"]);
});
