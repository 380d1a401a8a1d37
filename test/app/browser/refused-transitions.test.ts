import { beforeAll, expect, test } from "vitest";
import { createGate } from "../../wait.ts";
import { complaints, focused, visitWith } from "../../web/browser.ts";
import { type ApiClient, type RunningApplication, serveDemonstration } from "../program.ts";

/* A transition that is refused says so before it is tried, and leads to those that are possible. */

const text = `# Purchases

## 2. Screens
\`\`\`yaml
/:
  title: Overview
  tiles:
    - { title: Waiting, list: Purchase, where: "status == asked", columns: [name, amount] }
/purchases: { list: Purchase, columns: [name, amount, status] }
/purchases/{id}: { record: Purchase }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Purchase:
  label: "{name}"
  fields: { name: text, amount: integer, reason: text?, buyer: { type: User, set: user } }
Stop: { label: "{name}", fields: { name: text } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Purchase:
  field: status
  states: [asked, passed_on, approved, { declined: { tone: bad } }]
  transitions:
    send_back: { from: asked, to: same, by: head, asks: [reason] }
    approve:   { from: asked, to: approved, by: { role: head, when: "buyer != user" }, when: "buyer != user", main: true }
    pass_on:   { from: asked, to: passed_on, by: head }
    decline:   { from: [asked, passed_on], to: declined, by: head, asks: [reason] }
\`\`\`

## 5. Rules
\`\`\`yaml
Purchase:
  - { rule: amount <= 100, during: approve, else: ABOVE_LIMIT }
  - { rule: amount != 13, before: approve, else: UNLUCKY }
  - rule: "!Purchase.exists(p, p != this && p.name == name && p.status == passed_on)"
    during: [pass_on, send_back]
    else: PASSED_ON
  - { rule: "!Stop.exists(s, s.name == name)", during: pass_on, else: STOPPED }
  - rule: "!Purchase.exists(p, p != this && p.reason == reason && p.status == declined)"
    during: decline
    else: SAID_BEFORE
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { head: granted, clerk: granted }
permissions:
  Purchase: { read: head, create: clerk }
  Stop: { read: [head, clerk], create: clerk, delete: clerk }
\`\`\`

## 8. Errors
\`\`\`yaml
SAID_BEFORE: This reason was given before.
STOPPED: Nobody buys this at the moment.
PASSED_ON: Finance has one already.
ABOVE_LIMIT: A head approves at most 100.
UNLUCKY: "A head approves no {amount}."
\`\`\`
`;

let program: RunningApplication;
let head: ApiClient;
const ask = async (name: string, amount: number): Promise<string> =>
  (await (await program.signInAs("clerk")).post("/api/purchases", { name, amount })).record().id;

beforeAll(async () => {
  program = await serveDemonstration({ text });
  head = await program.signInAs("head");
});

test("a tile offers the transition that leads on instead, and so does the explanation", async () => {
  const id = await ask("Milling machine", 3_490);
  const page = await visitWith(program.url, head.cookie(), { path: "/", width: 390 });
  const acts = page.getByRole("group", { name: "Actions for Milling machine" });
  await acts.waitFor();
  expect(await acts.getByRole("button").allInnerTexts()).toEqual(["Pass on…", "Decline…"]);
  // Why “Approve” is missing stands below, in the words of the rule.
  const row = page.getByRole("listitem").filter({ has: acts });
  const refused = row.getByRole("button", { name: "Approve: A head approves at most 100." });
  await refused.focus();
  await page.keyboard.press("Enter");
  const why = page.getByRole("dialog", { name: "Why not “Approve”?" });
  await why.getByText("A head approves at most 100.").waitFor();
  const instead = why.getByRole("group", { name: "Instead, you can:" });
  await instead.getByRole("button", { name: "Pass on…" }).waitFor();
  expect(await instead.getByRole("button").allInnerTexts()).toEqual(["Pass on…", "Decline…", "Send back…"]);
  // A key pressed while the explanation is read is not given to the button that Tab reaches.
  await page.keyboard.press("Space");
  await page.keyboard.press("Tab");
  await expect.poll(() => focused(page)).toContain("Pass on");
  expect(await why.isVisible()).toBe(true);
  await instead.getByRole("button", { name: "Pass on…" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Pass on" });
  await dialog.getByText("Why not “Approve”? A head approves at most 100.").waitFor();
  await dialog.getByRole("button", { name: "Pass on", exact: true }).click();
  await expect.poll(async () => (await head.get(`/api/purchases/${id}`)).record().status).toBe("passed_on");
  expect(await complaints(page)).toEqual([]);
});

test("the page of a record says below its title why the expected act is locked, also on a phone", async () => {
  const id = await ask("Planer", 4_200);
  for (const width of [1280, 390]) {
    const page = await visitWith(program.url, head.cookie(), { path: `/purchases/${id}`, width });
    const reason = page.getByRole("button", { name: "Approve: A head approves at most 100." });
    await reason.press("Enter");
    const why = page.getByRole("dialog", { name: "Why not “Approve”?" });
    await why.getByRole("button", { name: "Pass on…" }).press("Enter");
    await page.getByRole("dialog", { name: "Pass on" }).waitFor();
    expect(complaints(page)).toEqual([]);
  }
});

test("a tile says why with the values of the record, and the explanation moves nothing that can be pressed", async () => {
  await ask("Broom", 13);
  const page = await visitWith(program.url, head.cookie(), { path: "/" });
  const refused = page.getByRole("button", { name: "Approve: A head approves no 13." });
  await refused.waitFor();
  const answered = createGate();
  await page.route("**/api/why?*", async (route) => {
    await answered.opened;
    await route.continue();
  });
  await refused.click();
  const why = page.getByRole("dialog", { name: "Why not “Approve”?" });
  await why.getByText("A head approves no 13.").waitFor();
  expect(await why.getByRole("button").count()).toBe(1);
  answered.open();
  await why.getByRole("button", { name: "Pass on…" }).waitFor();
  // The reason is in sight where the answer to it is written.
  await why.getByRole("button", { name: "Decline…" }).click();
  await page.getByRole("dialog", { name: "Decline" }).getByText("Why not “Approve”? A head approves no 13.").waitFor();
  expect(await complaints(page)).toEqual([]);
});

test("the explanation says each condition once, and names clauses on request", async () => {
  const id = await ask("Lathe", 2_000);
  const page = await visitWith(program.url, head.cookie(), { path: `/purchases/${id}` });
  await page.getByRole("button", { name: "Approve", exact: true }).press("Enter");
  const why = page.getByRole("dialog", { name: "Why not “Approve”?" });
  // The sentence above says why.
  const steps = why.getByText("Always required");
  await steps.waitFor({ state: "attached" });
  expect(await steps.isVisible()).toBe(false);
  await why.getByRole("heading", { name: "Conditions" }).click();
  await steps.waitFor();
  expect(await why.getByText(/buyer/i).allInnerTexts()).toEqual(["you are not the buyer"]);
  expect(await why.locator(".clause").count()).toBe(0);
  await why.getByRole("button", { name: "Show sources" }).press("Enter");
  await why.getByText("Decided by 5.Purchase.ABOVE_LIMIT").waitFor();
  expect(await why.locator(".clause").allTextContents()).toContain("4.Purchase.approve");
  expect(await complaints(page)).toEqual([]);
});

test("“Why?” beside a missing reason says which transition requires it", async () => {
  const id = await ask("Drill", 50);
  const page = await visitWith(program.url, head.cookie(), { path: `/purchases/${id}` });
  await page.getByRole("button", { name: "Decline…" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Decline" });
  await dialog.getByRole("button", { name: "Decline", exact: true }).press("Enter");
  await dialog.getByText("Reason is required.").waitFor();
  await dialog.getByRole("button", { name: "Why?" }).press("Enter");
  await page.getByText("“Decline” requires it.").waitFor();
  expect(await complaints(page)).toEqual([]);
});

test("a rule on other records locks the transition beforehand, and its dialog says why and what is possible", async () => {
  const earlier = await ask("Crane", 500);
  const id = await ask("Crane", 600);
  const page = await visitWith(program.url, head.cookie(), { path: `/purchases/${id}` });
  const acts = page.getByRole("group", { name: "Actions for Crane" });
  await acts.getByRole("button", { name: "Pass on…" }).waitFor();
  await head.post(`/api/purchases/${earlier}/pass_on`);
  // The page learns of the other record, and tries again.
  const passOn = acts.getByRole("button", { name: "Pass on", exact: true });
  await passOn.waitFor();
  expect(await passOn.getAttribute("aria-disabled")).toBe("true");
  await passOn.press("Enter");
  await page.getByRole("dialog", { name: "Why not “Pass on”?" }).getByText("Finance has one already.").waitFor();
  expect(await complaints(page)).toEqual([]);

  // A dialog that was opened before says it too.
  await head.post(`/api/purchases/${earlier}/decline`, { reason: "Too high" });
  await acts.getByRole("button", { name: "Pass on…" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Pass on" });
  const other = await ask("Crane", 700);
  await head.post(`/api/purchases/${other}/pass_on`);
  await dialog.getByText("Finance has one already.").waitFor();
  expect(await dialog.getByRole("button", { name: "Pass on", exact: true }).getAttribute("aria-disabled")).toBe("true");
  await dialog
    .getByRole("group", { name: "Instead, you can:" })
    .getByRole("button", { name: "Decline…" })
    .press("Enter");
  await page.getByRole("dialog", { name: "Decline" }).waitFor();
  expect(await complaints(page)).toEqual([]);
});

/** A purchase of this name is with finance: no other of the same name can be passed on. */
const passOn = async (name: string): Promise<string> => {
  const id = await ask(name, 500);
  await head.post(`/api/purchases/${id}/pass_on`);
  return id;
};

test("tiles, menus of rows and the bar of a selection know what rules on other records lock", async () => {
  const names = ["Ladder", "Trolley", "Hoist"];
  const ids: string[] = [];
  for (const name of names) ids.push(await ask(name, 500));
  const page = await visitWith(program.url, head.cookie(), { path: "/" });
  const acts = page.getByRole("group", { name: "Actions for Trolley" });
  await acts.getByRole("button", { name: /^Pass on…/ }).waitFor();
  const trials: string[] = [];
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.pathname === "/_/transitions") trials.push(url.searchParams.get("records") ?? "");
  });
  const earlier = await passOn("Trolley");
  // Nothing leads on now: the main action is locked, and beside it stands what is possible.
  await expect.poll(() => acts.getByRole("button").allInnerTexts()).toEqual(["Approve", "Decline…"]);
  // One call asks about all rows.
  expect(trials).not.toEqual([]);
  expect(trials.every((records) => ids.every((id) => records.includes(id)))).toBe(true);

  await page.goto(`${program.url}/purchases?status=asked`);
  const row = page.locator("tr", { has: page.getByRole("link", { name: "Trolley" }) });
  await row.getByRole("button").press("Enter");
  const menu = page.getByRole("menu");
  await menu.getByRole("menuitem", { name: "Decline…" }).waitFor();
  const locked = menu.getByRole("menuitem", { name: "Pass on", exact: true });
  expect(await locked.getAttribute("aria-disabled")).toBe("true");
  // It explains itself in the same panel as a button does, and leads on from there.
  await locked.press("Enter");
  const why = page.getByRole("dialog", { name: "Why not “Pass on”?" });
  await why.getByText("Finance has one already.").waitFor();
  await why.getByRole("group", { name: "Instead, you can:" }).getByRole("button", { name: "Decline…" }).press("Enter");
  const decline = page.getByRole("dialog", { name: "Decline" });
  await decline.waitFor();
  await page.keyboard.press("Escape");
  await decline.waitFor({ state: "detached" });

  for (const name of names) await page.getByRole("checkbox", { name: `Select ${name}` }).check();
  const bar = page.getByRole("region", { name: "Actions for the selected rows" });
  await bar.getByRole("button", { name: /^Pass on.*2/ }).press("Enter");
  const dialog = page.getByRole("dialog");
  await dialog.getByText("Finance has one already.").waitFor();
  await head.post(`/api/purchases/${earlier}/decline`, { reason: "Too heavy" });
  expect(await complaints(page)).toEqual([]);
});

test("a tile waits for what rules on other records lock, so that no button changes under the pointer, but not for long", async () => {
  const earlier = await passOn("Winch");
  await ask("Winch", 500);
  const page = await visitWith(program.url, head.cookie(), { path: "/nowhere" });
  const rows = page.locator(".tile-card [data-row]");
  const asked = createGate();
  const answered = createGate();
  await page.route("**/_/transitions?*", async (route) => {
    asked.open();
    await answered.opened;
    await route.continue();
  });
  await page.clock.install();
  await page.locator('nav a[href="/"]').first().click();
  // Hardly any time passes for the page until it asks, however long that takes.
  let isAsked = false;
  void asked.opened.then(() => {
    isAsked = true;
  });
  await expect
    .poll(async () => {
      await page.clock.runFor(10);
      return isAsked;
    })
    .toBe(true);
  expect(await rows.count()).toBe(0);
  await page.clock.runFor(500);
  const acts = page.getByRole("group", { name: "Actions for Winch" });
  expect(await acts.getByRole("button").allInnerTexts()).toEqual(["Pass on…", "Decline…"]);
  answered.open();
  await expect
    .poll(async () => {
      await page.clock.runFor(50);
      return acts.getByRole("button").allInnerTexts();
    })
    .toEqual(["Approve", "Decline…"]);
  await head.post(`/api/purchases/${earlier}/decline`, { reason: "Too slow" });
  expect(await complaints(page)).toEqual([]);
  await page.context().close();
});

test("what a rule on records of another entity locks, and unlocks, is known at once", async () => {
  const id = await ask("Saw", 70);
  const clerk = await program.signInAs("clerk");
  const page = await visitWith(program.url, head.cookie(), { path: `/purchases/${id}` });
  const acts = page.getByRole("group", { name: "Actions for Saw" });
  const open = acts.getByRole("button", { name: "Pass on…" });
  await open.waitFor();
  const stop = (await clerk.post("/api/stops", { name: "Saw" })).record();
  await acts.getByRole("button", { name: "Pass on", exact: true }).waitFor();
  expect((await clerk.delete(`/api/stops/${stop.id}`)).status).toBeLessThan(300);
  await open.waitFor();
  expect(await complaints(page)).toEqual([]);
});

test("the button of a dialog rests after a refusal until its input or a record changes", async () => {
  const [earlier, id] = [await ask("Vice", 10), await ask("Anvil", 20)];
  await head.post(`/api/purchases/${earlier}/decline`, { reason: "Too dear" });
  const page = await visitWith(program.url, head.cookie(), { path: `/purchases/${id}` });
  await page.getByRole("button", { name: "Decline…" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Decline" });
  const decline = dialog.getByRole("button", { name: "Decline", exact: true });
  const reason = dialog.getByRole("textbox", { name: "Reason" });
  await reason.fill("Too dear");
  await decline.press("Enter");
  await dialog.getByText("This reason was given before.").waitFor();
  await expect.poll(() => decline.getAttribute("aria-disabled")).toBe("true");
  // The rule reads other records: it can be tried again after a change of any.
  const clerk = await program.signInAs("clerk");
  await clerk.post("/api/stops", { name: "Nothing" });
  await expect.poll(() => decline.getAttribute("aria-disabled")).toBe(null);
  await decline.press("Enter");
  await expect.poll(() => decline.getAttribute("aria-disabled")).toBe("true");
  await reason.fill("Too dear for us");
  await expect.poll(() => decline.getAttribute("aria-disabled")).toBe(null);
  await decline.press("Enter");
  await dialog.waitFor({ state: "detached" });
  expect((await head.get(`/api/purchases/${id}`)).record()).toMatchObject({
    status: "declined",
    reason: "Too dear for us",
  });
});
