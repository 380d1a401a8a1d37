import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import type { WhyJson } from "../../../src/core/wire/why.ts";
import { createGate } from "../../wait.ts";
import { axeFindings } from "../../web/axe.ts";
import { atRest, complaints, focused, sideways, small, visitWith } from "../../web/browser.ts";
import { type ApiClient, example, serveDemonstration, serveText, type TestServer } from "../program.ts";

/* The dialog of a transition shows what the decision depends on. */

let desk: TestServer;
let url = "";
type Person = ApiClient & { readonly id: string };
let manager: Person;
let ada: Person;
let ben: Person;

beforeAll(async () => {
  desk = await serveText(readFileSync(example("leave-desk"), "utf8"));
  url = await desk.listen();
  [manager, ada, ben] = [
    await desk.person("Mia Manager"),
    await desk.person("Ada Aims"),
    await desk.person("Ben Nevis"),
  ];
  for (const { id } of [ada, ben])
    await desk.database.query('update app."user" set manager = $1 where id = $2', [manager.id, id]);
});

const year = new Date().getFullYear() + 1;
const request = async (person: Person, first: string, last: string, kind = "holiday"): Promise<string> => {
  const days = { kind, first_day: `${year}-${first}`, last_day: `${year}-${last}` };
  const { id } = (await person.post("/api/requests", days)).record();
  expect((await person.post(`/api/requests/${id}/submit`)).status).toBe(200);
  return id;
};

test("days that are left, and who else is away, beside the decision about leave", async () => {
  const id = await request(ada, "03-01", "03-12");
  await request(ben, "03-10", "03-17");
  await request(ben, "05-03", "05-07");
  const withdrawn = await request(ben, "03-02", "03-03");
  await ben.post(`/api/requests/${withdrawn}/withdraw`);
  await desk.database.query('update app."user" set carried_over = 4 where id = $1', [ada.id]);

  const page = await visitWith(url, manager.cookie(), { path: `/requests/${id}` });
  await page.getByRole("button", { name: /^Grant/u }).click();
  const dialog = page.getByRole("dialog");
  // Leave of the next year does not count against this year's allowance.
  await expect.poll(() => dialog.getByText("Days left").locator("..").innerText()).toMatch(/34\sdays$/u);
  const others = dialog.getByRole("list").getByRole("listitem");
  await expect.poll(() => others.allInnerTexts()).toHaveLength(1);
  expect(await others.innerText()).toContain("Ben Nevis");
  expect(complaints(page)).toEqual([]);

  // In a row of the overview, which has fewer values of the record, too.
  const overview = await visitWith(url, manager.cookie(), { path: "/", width: 390 });
  await overview
    .getByRole("button", { name: /^Decline.*Ben Nevis.*May/u })
    .first()
    .click();
  await overview.getByRole("dialog").getByText("No other requests that you can see.").waitFor();
});

test("what a dialog loads does not move its button, and its end is announced once it is closed", async () => {
  const commented = await request(ada, "09-01", "09-02");
  for (const text of ["My sister comes to visit.", "Ben can take my calls."])
    expect((await ada.post("/api/comments", { request: commented, text })).status).toBe(201);
  const undecided = await request(ben, "09-01", "09-02");
  const page = await visitWith(url, manager.cookie(), { path: "/" });
  const open = page.getByRole("button", { name: /^Grant.*Ada Aims.*Sept/u }).first();
  await open.waitFor();
  await page.getByTitle("2 comments").waitFor();
  await atRest(page);
  const { opened: released, open: release } = createGate();
  const facts = /\/api\/(?:users\/|requests\?|comments\?)/u;
  await page.route(facts, async (route) => {
    await released;
    await route.continue();
  });
  await open.click();
  const dialog = page.getByRole("dialog");
  const grant = dialog.getByRole("button", { name: "Grant" });
  await dialog.locator(".at-the-same-time .bone").waitFor();
  const top = () => grant.evaluate((button) => Math.round(button.getBoundingClientRect().top));
  const before = await top();
  release();
  await dialog.getByText("Ben Nevis").waitFor();
  await dialog.getByText("Ben can take my calls.").waitFor();
  await expect.poll(() => dialog.locator(".bone").count()).toBe(0);
  expect(await top()).toBe(before);
  await page.unroute(facts);

  // The overview behind it takes a while to load again.
  const { opened: asked, open: isAsked } = createGate();
  const { opened: answered, open: answer } = createGate();
  await page.route(/\/_\/overview/u, async (route) => {
    isAsked();
    await answered;
    await route.continue();
  });
  await grant.click();
  await asked;
  await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(resolve)));
  expect([await page.locator(".toast").count(), await dialog.count()]).toEqual([0, 1]);
  answer();
  await page
    .locator(".toast")
    .getByText(/^Granted: Ada Aims/u)
    .waitFor();
  expect(await dialog.count()).toBe(0);
  // The list that the tile leads to has the order of the tile, not its own.
  expect(await page.locator(".tile-all").first().getAttribute("href")).toMatch(/&sort=first_day$/u);
  expect(complaints(page)).toEqual([]);
  // The requests that wait for the next tests are their own.
  expect((await ben.post(`/api/requests/${undecided}/withdraw`)).status).toBe(200);
});

test("comments are counted in rows, and the newest are beside the decision", async () => {
  const [first, second] = [await request(ada, "06-01", "06-02"), await request(ben, "06-08", "06-09")];
  for (const text of ["First words", "Second words", "Third words", "Fourth words"])
    expect((await ada.post("/api/comments", { request: first, text })).status).toBe(201);
  for (const [path, width] of [
    ["/requests", 1440],
    ["/requests", 390],
    ["/", 1440],
  ] as const) {
    const page = await visitWith(url, manager.cookie(), { path, width });
    const marks = page.getByTitle("4 comments");
    await marks.waitFor();
    expect(await marks.getAttribute("data-count")).toBe("4");
    // A press on their number opens the record at them.
    await marks.click();
    await page.waitForURL(`**/requests/${first}`);
    await expect.poll(() => focused(page)).toBe('- heading "Comments" [level=2]');
    expect(await page.getByText("Fourth words").isVisible()).toBe(true);
    await page.goBack();
    await marks.waitFor();
    if (path !== "/") continue;
    // All rows of a tile are one request.
    const counted = page.waitForRequest(/\/_\/groups\/comments/u);
    await page.reload();
    const asked = new URL((await counted).url()).searchParams.getAll("request");
    expect(asked).toEqual(expect.arrayContaining([first, second]));
    await page.getByRole("button", { name: /^Grant.*Ada Aims.*Jun/u }).click();
    const recent = page.getByRole("dialog").getByRole("region", { name: "Comments" });
    await recent.getByText("Fourth words").waitFor();
    expect(await recent.getByRole("listitem").allInnerTexts()).toEqual([
      expect.stringContaining("Second words"),
      expect.stringContaining("Third words"),
      expect.stringContaining("Fourth words"),
    ]);
    expect(await axeFindings(page)).toEqual([]);
    const all = recent.getByRole("link", { name: "Show all" });
    // In another tab, they can be read while the decision waits.
    await all.click({ modifiers: ["ControlOrMeta"] });
    expect(await recent.isVisible()).toBe(true);
    await all.click();
    await page.waitForURL(`**/requests/${first}`);
    await page.getByRole("main").getByText("First words").waitFor();
    await expect.poll(() => focused(page)).toBe('- heading "Comments" [level=2]');
    expect(complaints(page)).toEqual([]);
  }
  // Colleagues see that somebody is away, but no comments.
  expect((await manager.post(`/api/requests/${first}/grant`)).status).toBe(200);
  const colleague = await visitWith(url, ben.cookie(), { path: "/requests" });
  await colleague.locator(`[data-row="${first}"]`).waitFor();
  await atRest(colleague);
  expect(await colleague.locator(".comment-mark").count()).toBe(0);
  expect((await ben.post(`/api/requests/${second}/withdraw`)).status).toBe(200);
});

test("of many who are away, a few are named, and the rest are counted as far as they are known", async () => {
  const id = await request(ada, "08-02", "08-03");
  for (const letter of "abcdefghijklm") {
    const colleague = await desk.person(`Colleague ${letter}`);
    await desk.database.query('update app."user" set manager = $1 where id = $2', [manager.id, colleague.id]);
    await request(colleague, "08-02", "08-04");
  }
  const page = await visitWith(url, manager.cookie(), { path: `/requests/${id}` });
  const grant = page.getByRole("button", { name: /^Grant/u });
  await grant.click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText(/^and [89]\+ more$/u).waitFor();
  expect(await dialog.getByRole("listitem").count()).toBe(4);
  await page.keyboard.press("Escape");
  // A list that cannot be loaded is neither said to be empty, nor seems to be coming.
  const problem = { type: "about:blank", title: "No", status: 403, code: "FORBIDDEN", detail: "Not today." };
  await page.route(/\/api\/requests\?/, (route) => route.fulfill({ status: 403, json: problem }));
  await page.reload();
  await grant.click();
  await dialog.getByText("Not today.").waitFor();
  expect(complaints(page).filter((one) => !one.includes("403"))).toEqual([]);
});

test.each([1440, 390])("of several requests, each with its facts at %i, and one can be left out", async (width) => {
  const month = width < 768 ? "10" : "09";
  const [first, second, third] = [
    await request(ada, `${month}-06`, `${month}-08`),
    await request(ben, `${month}-07`, `${month}-09`),
    await request(ada, `${month}-20`, `${month}-21`),
  ];
  await ben.post("/api/comments", { request: second, text: "My sister marries" });
  const days = `first_day%3E=${year}-${month}-01&first_day%3C=${year}-${month}-28`;
  const page = await visitWith(url, manager.cookie(), { path: `/requests?${days}`, width });
  if (width < 768) await page.getByRole("button", { name: "Select", exact: true }).click();
  await page.getByRole("checkbox", { name: "Select all shown" }).check({ force: true });
  const bar = page.getByRole("region", { name: "Actions for the selected rows" });
  await bar.getByRole("button", { name: "Grant… 3 requests" }).click();
  const dialog = page.getByRole("dialog");
  // The answer has the focus, and not the first of the choices that are made already.
  const grant = dialog.getByRole("button", { name: "Grant", exact: true });
  await expect.poll(() => grant.evaluate((button) => button === document.activeElement)).toBe(true);
  const ofBen = dialog.locator(".record-choice", { hasText: "Ben Nevis" }).filter({ hasText: "Days left" }).first();
  await ofBen.getByText(/days$/u).last().waitFor();
  await ofBen.locator(".at-the-same-time").getByText("Ada Aims").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(await sideways(page)).toBeLessThanOrEqual(0);
  if (width < 768) expect(await small(page)).toEqual([]);
  // The dots between its values are clipped where its lines begin: below the name.
  const [values, name] = [ofBen.locator(".record-block > .dotted"), ofBen.locator(".record-block b")];
  const edge = await values.evaluate(
    (line) => line.getBoundingClientRect().x + Number.parseFloat(getComputedStyle(line).fontSize),
  );
  expect(edge).toBeCloseTo((await name.boundingBox())?.x ?? 0, 0);
  const boxes = dialog.getByRole("checkbox");
  // Comments are read without choosing anything.
  await ofBen.getByRole("button", { name: /^1 comment: /u }).click();
  await ofBen.getByText("My sister marries").waitFor();
  expect(await boxes.evaluateAll((all) => all.filter((one) => one.matches(":checked")).length)).toBe(3);
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByRole("checkbox", { name: "Ben Nevis" }).press("Space");
  await page.getByRole("dialog", { name: "Grant: 2 requests" }).waitFor();
  for (const box of await boxes.all()) await box.setChecked(false);
  expect(await grant.getAttribute("aria-disabled")).toBe("true");
  for (const box of await dialog.getByRole("checkbox", { name: "Ada Aims" }).all()) await box.check();
  await grant.press("Enter");
  await page.getByText("Granted: 2 requests").waitFor();
  const stateOf = async (id: string) => (await manager.get(`/api/requests/${id}`)).record().status;
  expect(await Promise.all([first, second, third].map(stateOf))).toEqual(["granted", "submitted", "granted"]);
  // The one that was left out is still selected, beside two of other tests that were decided before.
  await bar.getByText(width < 768 ? "1 selected" : "3 selected").waitFor();
  // The bar is at the foot, so the message is above it.
  const note = page.locator(".toasts");
  const foot = () => note.evaluate((one) => innerHeight - one.getBoundingClientRect().bottom);
  if (width >= 768) await expect.poll(foot).toBe(76);
  expect(complaints(page)).toEqual([]);
});

test("of several requests, the refused ones stay, with what can be done instead", async () => {
  await request(ben, "11-03", "11-04");
  await request(ada, "11-08", "11-12");
  const page = await visitWith(url, manager.cookie(), {
    path: `/requests?first_day%3E=${year}-11-01&first_day%3C=${year}-11-28`,
  });
  await page.getByRole("checkbox", { name: "Select all shown" }).check({ force: true });
  const bar = page.getByRole("region", { name: "Actions for the selected rows" });
  await bar.getByRole("button", { name: "Grant… 2 requests" }).click();
  await page.getByRole("dialog").getByText("Will notify Ada Aims and Ben Nevis.").waitFor();
  // Room below the last of a few looks as if something were missing.
  const room = await page
    .locator(".record-choices")
    .evaluate(
      (list) => list.getBoundingClientRect().bottom - (list.lastElementChild?.getBoundingClientRect().bottom ?? 0),
    );
  expect(room).toBeLessThanOrEqual(2);
  // After the rule was found to be met.
  await desk.database.query('update app."user" set allowance = 1 where id = $1', [ada.id]);
  await page.getByRole("dialog").getByRole("button", { name: "Grant", exact: true }).click();
  const results = page.getByRole("dialog", { name: "Grant: 1 of 2 done" });
  // Its days are written as in the list.
  await results.getByRole("link", { name: `Ada Aims, 8 – 12 Nov ${year}` }).waitFor();
  await results.getByRole("group", { name: "Instead, you can:" }).getByRole("button", { name: "Decline…" }).click();
  const dialog = page.getByRole("dialog", { name: /^Decline: Ada Aims/u });
  await dialog.getByRole("textbox", { name: "Reason" }).fill("Not enough days are left.");
  await dialog.getByRole("button", { name: "Decline" }).click();
  await page.locator(".toast").getByText(`Declined: Ada Aims, 8 – 12 Nov ${year}`).waitFor();
  await desk.database.query('update app."user" set allowance = 30 where id = $1', [ada.id]);
  expect(complaints(page)).toEqual([]);
});

test("of several requests, those that a rule refuses are listed with the reason, and the people who are told by name", async () => {
  const away = await Promise.all(["Cleo Crane", "Dan Dune"].map((name) => desk.person(name)));
  for (const { id } of away)
    await desk.database.query('update app."user" set manager = $1 where id = $2', [manager.id, id]);
  for (const person of [...away, ada, ben]) await request(person, "12-06", "12-10");
  await desk.database.query('update app."user" set allowance = 1 where id = $1', [ada.id]);
  const path = `/requests?first_day%3E=${year}-12-01&first_day%3C=${year}-12-28`;
  const page = await visitWith(url, manager.cookie(), { path });
  await page.getByRole("checkbox", { name: "Select all shown" }).check({ force: true });
  const bar = page.getByRole("region", { name: "Actions for the selected rows" });
  // The reason for declining is often the one that refuses the other answer.
  await bar.getByRole("button", { name: "Decline… 4 requests" }).click();
  const declining = page.getByRole("dialog", { name: "Decline: 4 requests" });
  const locked = declining.locator(".record-choice", {
    hasText: /Why not “Grant”\? This would make .+ but the allowance is/u,
  });
  await locked.getByText("Ada Aims").first().waitFor();
  expect(await locked.count()).toBe(1);
  await declining.getByRole("button", { name: "Cancel" }).click();
  await bar.getByRole("button", { name: "Grant… 3 requests" }).click();
  const dialog = page.getByRole("dialog", { name: "Grant: 3 requests" });
  const refused = dialog.locator(".record-choice", { hasText: "but the allowance is" });
  await refused.getByText("Ada Aims").first().waitFor();
  expect(await refused.getByRole("checkbox").count()).toBe(0);
  expect(await dialog.getByRole("checkbox").count()).toBe(3);
  expect(await dialog.locator(".record-choice").first().innerText()).toContain("but the allowance is");
  await dialog.getByText(/^Will notify (?:Ben Nevis|Cleo Crane|Dan Dune), .+ and .+\.$/u).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Grant", exact: true }).click();
  await page
    .locator(".toast")
    .getByText(/^Granted: 3 requests\. Notified .+ and .+\.$/u)
    .waitFor();
  // The refused one stays, for another act.
  await bar.getByText("1 selected").waitFor();
  await bar.getByRole("button", { name: "Decline… 1 request" }).waitFor();
  // Its row of the overview says why, too.
  await page.goto(url);
  const tile = page.getByRole("region", { name: /^Waiting for my decision/u });
  const reasons = tile.getByRole("button", { name: /^This would make .+ but the allowance is /u });
  await reasons.first().waitFor();
  await desk.database.query('update app."user" set allowance = 30 where id = $1', [ada.id]);
  expect(complaints(page)).toEqual([]);
});

test("the leave that uses up the allowance is named, though colleagues read only parts of other requests", async () => {
  const person = await desk.person("Fay Fell");
  await desk.database.query('update app."user" set manager = $1, allowance = 6 where id = $2', [manager.id, person.id]);
  const first = await request(person, "04-05", "04-07");
  const second = await request(person, "04-19", "04-21");
  await desk.database.query('update app."user" set allowance = 3 where id = $1', [person.id]);
  const why = (await manager.get(`/api/why?do=Request.grant&record=${second}`)).body as WhyJson;
  const [spent] = why.musts.filter(({ records }) => records !== undefined);
  expect(spent?.records?.items.map(({ id }) => id)).toEqual([first]);
});

test("days that are left, while leave is requested", async () => {
  await desk.database.query('update app."user" set carried_over = 6 where id = $1', [ben.id]);
  const page = await visitWith(url, ben.cookie(), { path: "/requests/new" });
  const left = page.locator(".still-field", { hasText: "Days left" }).locator("output");
  await expect.poll(() => left.innerText()).toMatch(/^36\sdays$/u);
  // Of days that are still entered, “None” would be an answer.
  const days = page.getByRole("status", { name: "Days", exact: true });
  await expect.poll(() => days.locator("[aria-hidden]").allTextContents()).toEqual(["–"]);
  expect(complaints(page)).toEqual([]);
});

/** A loan can be asked for while the thing has free copies. */
const lending = `# Lending

## 3. Entities and their fields
\`\`\`yaml
Thing: { label: "{name}", fields: { name: text, free: integer } }
Loan: { label: "{thing.name}", fields: { thing: Thing, note: text?, borrower: { type: User, set: user } } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Loan:
  field: status
  states: [draft, asked, lent]
  transitions:
    ask:  { from: draft, to: asked, by: borrower }
    lend: { from: asked, to: lent, by: keeper }
\`\`\`

## 5. Rules
\`\`\`yaml
Loan: [{ rule: thing.free > 0, during: ask, else: NONE_FREE }]
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  keeper: granted
  member: signed in
  Loan: { borrower: { when: "borrower == user" } }
permissions:
  User: { read: { role: member, fields: [name] } }
  Thing: { read: member, create: keeper }
  Loan: { read: [borrower, keeper], create: member, update: borrower }
\`\`\`

## 8. Errors
\`\`\`yaml
NONE_FREE: No copy is free.
\`\`\`
`;

test("the values of a record that is chosen in a form follow the choice", async () => {
  const program = await serveDemonstration({ text: lending });
  const keeper = await program.signInAs("keeper");
  for (const [name, free] of [
    ["Zither", 731],
    ["Zampogna", 417],
  ])
    await keeper.post("/api/things", { name, free });
  const page = await visitWith(program.url, keeper.cookie(), { path: "/loans/new" });
  const left = page.locator(".still-field", { hasText: "Free" }).locator("output");
  for (const [name, free] of [
    ["Zither", "731"],
    ["Zampogna", "417"],
  ] as const) {
    await page.getByRole("combobox", { name: "Thing" }).fill(name);
    await page.getByRole("option", { name }).click();
    await expect.poll(() => left.allInnerTexts()).toEqual([free]);
  }
  expect(complaints(page)).toEqual([]);
});

test("cards of a board count their comments, so that the dialog of a move keeps room for them", async () => {
  const commented = await request(ada, "10-01", "10-02");
  for (const text of ["My sister comes to visit.", "Ben can take my calls."])
    expect((await ada.post("/api/comments", { request: commented, text })).status).toBe(201);
  const page = await visitWith(url, manager.cookie(), { path: "/requests?layout=board" });
  const card = page.locator(`[data-card="${commented}"]`);
  await card.getByTitle("2 comments").waitFor();
  expect(await card.getByRole("link").getAttribute("aria-description")).toBe("2 comments");
  await atRest(page);
  expect(await axeFindings(page)).toEqual([]);
  const { opened: released, open: release } = createGate();
  await page.route(/\/api\/comments\?/u, async (route) => {
    await released;
    await route.continue();
  });
  await card.getByRole("button", { name: /^Move/u }).click();
  await page.getByRole("menuitem", { name: /^Granted/u }).click();
  const dialog = page.getByRole("dialog");
  const grant = dialog.getByRole("button", { name: "Grant", exact: true });
  await expect.poll(() => dialog.locator(".recent-comments li").count()).toBe(2);
  await dialog
    .locator(".decision-facts")
    .getByText(/\d+\sdays$/u)
    .waitFor();
  await dialog.getByText("No other requests that you can see.").waitFor();
  // Both comments are shown.
  expect(await dialog.getByRole("link", { name: "Show all" }).count()).toBe(0);
  const top = () => grant.evaluate((button) => Math.round(button.getBoundingClientRect().top));
  const before = await top();
  release();
  await dialog.getByText("Ben can take my calls.").waitFor();
  expect(await top()).toBe(before);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await card.getByTitle("2 comments").click();
  await expect.poll(() => focused(page)).toBe('- heading "Comments" [level=2]');
  expect((await ada.post(`/api/requests/${commented}/withdraw`)).status).toBe(200);
});
