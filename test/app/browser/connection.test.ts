import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { administrator, answered, atRest, complaints, listening, visitAs } from "../../web/browser.ts";
import { serveText } from "../program.ts";

/* A server that does not answer for a while: pages say so, and continue as soon as it is back. */

const shelf = `# Shelf

## 3. Entities and their fields
\`\`\`yaml
Book:
  label: "{title}"
  fields: { title: { type: text, examples: [Middlemarch, Emma, Villette] }, loans: { list: Loan.book } }
Loan: { fields: { book: Book, borrower: { type: text, examples: [Ada, Ben] } } }
\`\`\`
`;

const stands = `# Shop

## 3. Entities and their fields
\`\`\`yaml
Stand:
  label: "{name}"
  fields: { name: { type: text, examples: [North, South] }, place: Place? }
Place:
  label: "{name}"
  fields: { name: text }
  records: { hall: { name: Hall }, yard: { name: Yard } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Stand:
  field: status
  states: [shut, open]
  transitions: { open_up: { from: shut, to: open, by: keeper }, shut: { from: open, to: shut, by: keeper } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { keeper: { members: signed in } }
permissions:
  Stand: { read: [keeper], create: [keeper] }
  Place: { read: [keeper] }
\`\`\`
`;

let url = "";
beforeAll(async () => {
  url = await (await serveText(shelf, { demonstration: true })).listen();
});

const calls = /\/(?:api|_)\/(?!assets)/u;
const bar = (page: Page) => page.getByRole("status").filter({ hasText: "Can’t reach the server" });
const rows = (page: Page) => page.locator("[data-row]");

/** Opens a page without answers, lets minutes pass in which it tries again in vain, and stops the time. */
const cutOff = async (page: Page, cut: () => Promise<unknown>) => {
  await listening(page);
  await page.clock.install();
  await cut();
  await page.getByRole("link", { name: "Books" }).first().click();
  for (let times = 0; times < 40; times++) await page.clock.runFor(3_000);
  // Its next tries are due after at least 15 seconds.
  await page.clock.pauseAt(Date.now() + 86_400_000);
  // Tries that were due are sent before this request, so they are known when it has failed.
  await page.evaluate(() => fetch("/_/nothing").catch(() => undefined));
  await answered(page);
};

/** The time stands still for all later pages of a context, so it is not used again. */
const forgetClock = (page: Page) => page.context().close();

/** Waits while hardly any time passes for the page, so that it tries nothing again unless something asks for it. */
const soon = (page: Page, count: () => Promise<number>) =>
  expect.poll(async () => {
    await page.clock.runFor(5);
    return count();
  });

describe("a page that was opened while the server did not answer", () => {
  test("shows its content at once when the browser is online again", async () => {
    const page = await visitAs(url, administrator, { path: "/nowhere" });
    await cutOff(page, () => page.context().setOffline(true));
    expect(await rows(page).count()).toBe(0);
    await page.context().setOffline(false);
    await soon(page, () => rows(page).count()).toBeGreaterThan(0);
    expect(complaints(page)).toEqual([]);
    await forgetClock(page);
  });

  test("shows it when somebody presses “Try again”, and the bar disappears", async () => {
    const page = await visitAs(url, administrator, { path: "/nowhere" });
    await cutOff(page, () => page.route(calls, (route) => route.abort()));
    await page.unroute(calls);
    await bar(page).getByRole("button", { name: "Try again" }).click();
    await soon(page, () => rows(page).count()).toBeGreaterThan(0);
    await soon(page, () => bar(page).count()).toBe(0);
    expect(complaints(page)).toEqual([]);
    await forgetClock(page);
  });
});

test("a page whose code is not loaded yet says that it waits for the server, and opens when that answers", async () => {
  const page = await visitAs(url, administrator, { path: "/nowhere" });
  await listening(page);
  await page.route("**/*", (route) => route.abort());
  await page.evaluate(() => {
    history.pushState({}, "", "/sign-in/account");
    dispatchEvent(new PopStateEvent("popstate", { state: {} }));
  });
  await page.getByRole("heading", { level: 1, name: "Can’t reach the server" }).waitFor();
  await page.unroute("**/*");
  await bar(page).getByRole("button", { name: "Try again" }).click();
  await page.getByRole("heading", { level: 1, name: "Your account" }).waitFor();
});

test("a search that fails says so, and neither denies that records exist nor offers to create one", async () => {
  const page = await visitAs(url, administrator, { path: "/loans/new" });
  await atRest(page);
  const fault = { status: 500, code: "INTERNAL", title: "Internal error", detail: "A fault.", reference: "f4ult" };
  await page.route(/\/api\/books/u, (route) => route.fulfill({ status: 500, json: fault }));
  await page.getByRole("combobox", { name: "Book" }).fill("Persuasion");
  const said = page.locator(".option-none").getByText("An error occurred on our side. Try again.");
  await said.waitFor();
  expect(await page.getByText(/^(?:No results|Create “)/u).count()).toBe(0);
  await page.keyboard.press("Escape");
  await said.waitFor({ state: "hidden" });
  await page.keyboard.press("Control+k");
  await page.getByRole("dialog").getByRole("combobox").fill("Persuasion");
  const failure = page.getByRole("dialog").getByRole("status");
  await failure.getByText("An error occurred on our side. Try again.").waitFor();
  expect(await page.getByText(/^No results/u).count()).toBe(0);
  expect(complaints(page)).toEqual([]);
});

test("a choice of few records stays as it is if it cannot be loaded again", async () => {
  const shop = await serveText(stands, { demonstration: true });
  const page = await visitAs(await shop.listen(), administrator, { path: "/stands/new" });
  const options = page.getByRole("combobox", { name: "Place" }).locator("option");
  await expect.poll(() => options.allTextContents()).toEqual(["None", "Hall", "Yard"]);
  await page.route(/\/api\/places/u, (route) => route.fulfill({ status: 500, json: {} }));
  const failed = page.waitForResponse(/\/api\/places/u);
  await page.evaluate(() => dispatchEvent(new Event("online")));
  await failed;
  await atRest(page);
  expect(await options.allTextContents()).toEqual(["None", "Hall", "Yard"]);
});

test("a related list that waits for the server says so in its place", async () => {
  const page = await visitAs(url, administrator, { path: "/books" });
  await page.route(/\/api\/loans/u, (route) => route.abort());
  await rows(page).first().click();
  const loans = page.getByRole("region", { name: "Loans" });
  await loans.getByText("Can’t reach the server").waitFor();
  await page.unroute(/\/api\/loans/u);
  await loans.getByText("Can’t reach the server").waitFor({ state: "detached" });
  expect(complaints(page)).toEqual([]);
});

test("a transition that gets no answer says so while the page waits for the server", async () => {
  const shop = await serveText(stands, { demonstration: true });
  const keeper = await shop.signInAs("administrator");
  const { id } = (await keeper.post("/api/stands", { name: "By the gate" })).record();
  const page = await visitAs(await shop.listen(), administrator, { path: `/stands/${id}` });
  await atRest(page);
  await page.route(calls, (route) => route.abort());
  await page.getByRole("button", { name: "Open up" }).click();
  await page.getByRole("alert").getByText("No answer from the server", { exact: false }).waitFor({ timeout: 20_000 });
  await page.unroute(calls);
  await page.getByRole("button", { name: "Open up" }).click();
  await page.getByText("Amara Okafor: Open up").waitFor();
  expect(complaints(page)).toEqual([]);
});

test("a call that a proxy gives up on is repeated a few times, and other pages do not say that the server is away", async () => {
  const page = await visitAs(url, administrator, { path: "/nowhere" });
  await listening(page);
  await page.clock.install();
  let asked = 0;
  await page.route(/\/api\/books/u, (route) => {
    asked += 1;
    return route.fulfill({ status: 504, contentType: "text/html", body: "<h1>Gateway timeout</h1>" });
  });
  await page.getByRole("link", { name: "Books" }).first().click();
  const failure = page.getByRole("main").getByText("An error occurred on our side", { exact: false });
  // Later, the page may read again for other reasons.
  for (let times = 0; times < 60 && !(await failure.isVisible()); times++) {
    await page.clock.runFor(3_000);
    // A response that takes long must not take half a minute of the page's time.
    await answered(page);
  }
  await failure.waitFor();
  expect(asked).toBeLessThanOrEqual(10);
  expect(await bar(page).count()).toBe(0);
  // It may read again for other reasons, but does not ask on and on.
  const given = asked;
  for (let times = 0; times < 20; times++) {
    await page.clock.runFor(30_000);
    await answered(page);
  }
  expect(asked - given).toBeLessThanOrEqual(10);
  await failure.waitFor();
  await page.unroute(/\/api\/books/u);
  await page.getByRole("main").getByRole("button", { name: "Try again" }).click();
  await soon(page, () => rows(page).count()).toBeGreaterThan(0);
  expect(complaints(page)).toEqual([]);
  await forgetClock(page);
});

test.each([502, 503, 504])("the page of a proxy (%s) counts as a server that does not answer", async (status) => {
  const page = await visitAs(url, administrator, { path: "/books/new" });
  const title = page.getByRole("textbox", { name: "Title" });
  await title.fill("Persuasion");
  await page.route(calls, (route) => route.fulfill({ status, contentType: "text/html", body: "<h1>Bad gateway</h1>" }));
  await page.getByRole("button", { name: /^Create / }).click();
  const alert = page.getByRole("alert").filter({ hasText: "Not saved" });
  await alert.getByText("No answer from the server", { exact: false }).waitFor();
  await bar(page).waitFor();
  await page.unroute(calls);
  await page.getByRole("button", { name: /^Create / }).click();
  await page.getByRole("heading", { level: 1, name: "Persuasion" }).waitFor();
  await atRest(page);
  expect(complaints(page)).toEqual([]);
});
