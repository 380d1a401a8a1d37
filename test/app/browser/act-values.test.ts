import { beforeAll, expect, test } from "vitest";
import { createGate } from "../../wait.ts";
import { complaints, visitWith } from "../../web/browser.ts";
import { type ApiClient, type RunningApplication, serveDemonstration } from "../program.ts";

/* The dialog of a transition proposes values that only the transition needs, and offers the records that it permits. */

const text = `# Store

## 1. Purpose
\`\`\`yaml
currency: EUR
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Shelf: { path: shelves, label: "{name}", fields: { name: text, open: boolean } }
Item:
  label: "{name}"
  fields: { name: text, stock: { type: integer, default: 0 }, usual: integer?, remark: text? }
Order:
  label: "{name}"
  fields: { name: text, amount: integer, reason: text? }
Bid:
  label: "{number} {purpose}"
  fields:
    number: { type: sequence, pattern: "B-{n:5}", unique: true }
    purpose: text
    price: money
    firm: text
\`\`\`

## 4. States and transitions
\`\`\`yaml
Item:
  states: [kept]
  transitions:
    receive:
      from: kept
      to: same
      by: keeper
      asks:
        added: { type: integer, min: 1, default: usual }
        pairs: { type: integer, default: added * 2 }
        shelf: { type: Shelf?, among: "Shelf.filter(s, s.open)" }
        words: { type: text?, default: "'As usual'" }
      set: { stock: stock + added, remark: words }
    move:
      from: kept
      to: same
      by: keeper
      asks: { onto: { type: Shelf, among: "Shelf.filter(s, s.name == 'Shelf left')" } }
      set: { remark: onto.name }
Order:
  field: status
  states: [asked, granted, declined]
  transitions:
    grant:   { from: asked, to: granted, by: keeper, asks: [reason] }
    decline: { from: asked, to: declined, by: keeper, asks: [reason] }
Bid:
  field: status
  states: [received, accepted]
  final: accepted
  transitions:
    accept: { from: received, to: accepted, by: keeper }
\`\`\`

## 5. Rules
\`\`\`yaml
Order:
  - { rule: amount <= 100, during: grant, else: TOO_MUCH }
  - { rule: "!Order.exists(o, o != this && o.name == name && o.status == granted)", during: grant, else: GRANTED_ALREADY }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { keeper: granted }
permissions:
  Shelf: { read: keeper, create: keeper }
  Item: { read: keeper, create: keeper, update: keeper }
  Order: { read: keeper, create: keeper, update: keeper }
  Bid: { read: keeper, create: keeper, update: keeper }
\`\`\`

## 8. Errors
\`\`\`yaml
TOO_MUCH: An order is for at most 100.
GRANTED_ALREADY: There is one already.
\`\`\`
`;

let program: RunningApplication;
let keeper: ApiClient;
beforeAll(async () => {
  program = await serveDemonstration({ text });
  keeper = await program.signInAs("keeper");
  for (const body of [{ name: "Shelf left", open: true }, { name: "Shelf right" }])
    await keeper.post("/api/shelves", body);
});

test("proposes values, follows what people enter, and offers the permitted records", async () => {
  const { id } = (await keeper.post("/api/items", { name: "Bolt", usual: 6 })).record();
  const page = await visitWith(program.url, keeper.cookie(), { path: `/items/${id}` });
  await page.getByRole("button", { name: "Receive" }).click();
  const dialog = page.getByRole("dialog");
  const added = dialog.getByLabel("Added");
  await expect.poll(() => added.inputValue()).toBe("6");
  await expect.poll(() => dialog.getByLabel("Pairs").inputValue()).toBe("12");
  expect(await dialog.getByLabel("Words").inputValue()).toBe("As usual");
  await added.fill("4");
  await expect.poll(() => dialog.getByLabel("Pairs").inputValue()).toBe("8");
  await dialog.getByRole("combobox", { name: "Shelf" }).focus();
  await page.keyboard.type("Shelf");
  await page.getByRole("option", { name: "left" }).waitFor();
  expect(await page.getByRole("option", { name: "right" }).count()).toBe(0);
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Receive" }).click();
  await dialog.waitFor({ state: "detached" });
  expect((await keeper.get(`/api/items/${id}`)).record()).toMatchObject({ stock: 4, remark: "As usual" });
  expect(await complaints(page)).toEqual([]);
});

test("begins with the only record that a required reference can have, which can be cleared", async () => {
  const { id } = (await keeper.post("/api/items", { name: "Washer" })).record();
  const page = await visitWith(program.url, keeper.cookie(), { path: `/items/${id}` });
  await page.getByRole("button", { name: "Move" }).click();
  const dialog = page.getByRole("dialog");
  const onto = dialog.getByRole("combobox", { name: "Onto" });
  await expect.poll(() => onto.inputValue()).toBe("Shelf left");
  await onto.fill("");
  await expect.poll(() => onto.inputValue()).toBe("");
  await page.keyboard.type("left");
  await page.getByRole("option", { name: "Shelf left" }).waitFor();
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Move", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
  expect((await keeper.get(`/api/items/${id}`)).record()).toMatchObject({ remark: "Shelf left" });
  expect(await complaints(page)).toEqual([]);
});

test("lets each of several records have its own default", async () => {
  for (const [name, usual] of [
    ["Nail one", 2],
    ["Nail two", 5],
  ])
    await keeper.post("/api/items", { name, usual });
  const page = await visitWith(program.url, keeper.cookie(), { path: "/items?search=nail" });
  await page.getByRole("row", { name: /Nail two/ }).waitFor();
  await page.getByRole("checkbox", { name: "Select all shown" }).check({ force: true });
  const bar = page.getByRole("region", { name: "Actions for the selected rows" });
  await bar.getByRole("button", { name: /Receive/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Words").waitFor();
  expect(await dialog.getByLabel("Added").inputValue()).toBe("");
  await dialog.getByRole("button", { name: /Receive/ }).click();
  await dialog.waitFor({ state: "detached" });
  // They are as they were before, so their state would say nothing.
  await page.locator(".toast").getByText("Receive: 2 items", { exact: true }).waitFor();
  const stocks = async () =>
    (await keeper.get("/api/items?search=nail&sort=name")).list().items.map(({ stock }) => stock);
  await expect.poll(stocks).toEqual([2, 5]);
});

test("a click beside the dialog closes it only while nothing in it was touched", async () => {
  const { id } = (await keeper.post("/api/items", { name: "Screw", usual: 3 })).record();
  const page = await visitWith(program.url, keeper.cookie(), { path: `/items/${id}` });
  const open = page.getByRole("button", { name: "Receive" });
  await open.click();
  const dialog = page.getByRole("dialog", { name: /^Receive/ });
  await dialog.waitFor();
  await page.mouse.click(5, 5);
  await dialog.waitFor({ state: "detached" });
  await open.click();
  // Choosing a record is no event of input.
  const shelf = dialog.getByRole("combobox", { name: "Shelf" });
  await shelf.click();
  await page.getByRole("option", { name: "left" }).click();
  await expect.poll(() => shelf.inputValue()).toBe("Shelf left");
  await page.mouse.click(5, 5);
  expect(await shelf.inputValue()).toBe("Shelf left");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  expect(await complaints(page)).toEqual([]);
});

test("another transition in the place of a refused one keeps what was entered for fields of both", async () => {
  const { id } = (await keeper.post("/api/orders", { name: "Crane", amount: 101 })).record();
  const page = await visitWith(program.url, keeper.cookie(), { path: `/orders/${id}` });
  await page.getByRole("button", { name: "Grant" }).click();
  const refused = page.getByRole("dialog", { name: "Grant: Crane" });
  await refused.getByRole("textbox", { name: "Reason" }).fill("Too heavy for the yard");
  const note = refused.getByRole("status").filter({ hasText: "An order is for at most 100." });
  await note.waitFor();
  // Of what changes by itself only the reason is read out.
  expect(await note.getByRole("button", { name: "Decline" }).count()).toBe(0);
  await refused.getByRole("button", { name: "Decline" }).click();
  const dialog = page.getByRole("dialog", { name: "Decline: Crane" });
  const reason = dialog.getByRole("textbox", { name: "Reason" });
  expect(await reason.inputValue()).toBe("Too heavy for the yard");
  expect(await reason.evaluate((box) => box === document.activeElement)).toBe(true);
  await page.mouse.click(5, 5);
  await dialog.getByRole("button", { name: "Decline" }).click();
  await dialog.waitFor({ state: "detached" });
  expect((await keeper.get(`/api/orders/${id}`)).record()).toMatchObject({
    status: "declined",
    reason: "Too heavy for the yard",
  });
  expect(await complaints(page)).toEqual([]);
});

test("says beforehand what only the server knows, and offers the other transitions", async () => {
  const order = { name: "Steps", amount: 10 };
  const granted = (await keeper.post("/api/orders", order)).record();
  await keeper.post(`/api/orders/${granted.id}/grant`, { reason: "For the roof" });
  const { id } = (await keeper.post("/api/orders", order)).record();
  const page = await visitWith(program.url, keeper.cookie(), { path: `/orders/${id}` });
  // The keeper can rename the order, so the page does not lock the transition.
  await page.getByRole("button", { name: "Grant" }).click();
  const refused = page.getByRole("dialog", { name: "Grant: Steps" });
  await refused.getByRole("status").getByText("There is one already.").waitFor();
  expect(await refused.getByRole("button", { name: "Grant" }).getAttribute("aria-disabled")).toBe("true");
  await refused.getByRole("textbox", { name: "Reason" }).fill("For the wall");
  await refused.getByRole("group", { name: "Instead, you can:" }).getByRole("button", { name: "Decline" }).click();
  const dialog = page.getByRole("dialog", { name: "Decline: Steps" });
  expect(await dialog.getByRole("textbox", { name: "Reason" }).inputValue()).toBe("For the wall");
  expect(await complaints(page)).toEqual([]);
});

test("shows the record apart from the question, with the amount and its label beside its name", async () => {
  const bid = { purpose: "A roof for the bicycle shed", price: "1250.00", firm: "Duarte" };
  const { id, number } = (await keeper.post("/api/bids", bid)).record();
  const page = await visitWith(program.url, keeper.cookie(), { path: `/bids/${id}` });
  await page.getByRole("button", { name: "Accept…" }).click();
  const dialog = page.getByRole("dialog", { name: `Accept: ${number} A roof for the bicycle shed` });
  await dialog.waitFor();
  const block = dialog.locator(".record-block");
  expect(await block.locator(":scope > *").allTextContents()).toEqual([
    "A roof for the bicycle shed",
    "Price €1,250.00",
    `${number} · Duarte`,
  ]);
  // Where a line is too short for both, the dot between them is cut off.
  const broken = await block.locator(".dotted").evaluate((line: HTMLElement) => {
    line.style.inlineSize = "80px";
    const [first, second] = [...line.children].map((item) => item.getBoundingClientRect());
    const dot = line.querySelector(".dotted-dot")?.getBoundingClientRect();
    const cutAt = line.getBoundingClientRect().left + Number.parseFloat(getComputedStyle(line).fontSize);
    return { wraps: Number(second?.top) > Number(first?.top), isCut: Number(dot?.right) <= cutAt + 0.5 };
  });
  expect(broken).toEqual({ wraps: true, isCut: true });
  expect(complaints(page)).toEqual([]);
});

test("stays what was answered while its result is arriving", async () => {
  const { id } = (await keeper.post("/api/orders", { name: "Ladder", amount: 3 })).record();
  const page = await visitWith(program.url, keeper.cookie(), { path: `/orders/${id}` });
  await page.getByRole("button", { name: "Grant" }).click();
  const dialog = page.getByRole("dialog", { name: "Grant: Ladder" });
  await dialog.getByRole("textbox", { name: "Reason" }).fill("The old one is broken");
  const answered = await dialog.innerText();
  expect(answered).toContain("Granted");
  const { opened: released, open: release } = createGate();
  await page.route(/\/history/u, async (route) => {
    await released;
    await route.continue();
  });
  await dialog.getByRole("button", { name: "Grant" }).click();
  await page.locator(".record-head").getByText("Granted").waitFor();
  expect(await dialog.innerText()).toBe(answered);
  release();
  await dialog.waitFor({ state: "detached" });
  expect(await complaints(page)).toEqual([]);
});
