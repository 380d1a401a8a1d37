import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import type { PicturesJson } from "../../../src/core/wire/accounts/people.ts";
import { createGate } from "../../wait.ts";
import { axeFindings, axeFindingsInBothThemes } from "../../web/axe.ts";
import {
  atRest,
  complaints,
  focused,
  listening,
  pressUntil,
  shifted,
  type Visit,
  visitWith,
} from "../../web/browser.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

/* A record's page: causes in the history, people, and failures while a user types. */

const workshop = `
# Workshop

## 1. What it does
\`\`\`yaml
locale: en-GB
translations: { de: { "Work on {name}": "Arbeit an {name}", Work sheet: Arbeitsblatt } }
\`\`\`

## 2. Screens and routes
\`\`\`yaml
/jobs:   { list: Job, columns: [name, owner, helpers, status] }
/tools:  { list: Tool }
/people: { list: User, columns: [name] }
/odds:   { list: Odd }
/checks: { list: Check }
/pledges: { list: Pledge }
/jobs/{id}/sheet:
  letter: Job
  title: Work sheet
  where: status != dropped
  text: [{ heading: "Work on {name}" }, { table: steps, columns: [text] }]
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
User: { fields: { hall: { type: text? } } }
Tool:
  label: "{name}"
  fields: { name: text, used: { type: integer, default: 0 } }
Job:
  label: "{name}"
  fields:
    name:    text
    tool:    { type: Tool? }
    owner:   { type: User, set: user }
    helpers: { type: User, many: true }
    days:    { type: integer?, max: 30 }
    checked_by: User?
    checked_at: datetime?
    checked_on: date?
    plan:    { type: file? }
    photo:   { type: image? }
    remarks: { list: Remark.job }
    steps:   { list: Step.job }
Odd:
  label: "odd"
  fields:
    line:   text?
    words:  long text?
    styled: rich text?
    count:  integer?
    size:   decimal?
    cost:   { type: money?, currency: EUR }
    day:    date?
    hour:   time?
    moment: datetime?
    span:   duration?
    mail:   email?
    site:   url?
    call:   phone?
    data:   json?
    tool:   Tool?
    people: { type: User, many: true }
    tags:   { type: text, many: true }
Check:
  label: "{name}"
  fields: { name: text, seen_by: User?, seen_on: date? }
Pledge:
  label: "{name}"
  fields: { name: text, words: text? }
Step:
  label: "{text}"
  fields: { job: { type: Job, part of: true }, text: text }
Remark:
  fields: { job: { type: Job, part of: true }, author: { type: User, set: user }, words: long text }
\`\`\`

## 4. States
\`\`\`yaml
Job:
  field: status
  states: [planned, begun, { done: { tone: good } }, { dropped: { tone: bad } }]
  transitions:
    begin:  { from: planned, to: begun, by: worker }
    finish: { from: begun, to: done, by: worker, asks: [days], set: { checked_by: user, checked_at: now, checked_on: today } }
    resume: { from: done, to: begun, by: worker }
    drop:   { from: [planned, begun], to: dropped, by: worker }
  after:
    begin: { update: tool, set: { used: "tool.used + 1" } }
Pledge:
  field: status
  states: [open, kept]
  final: kept
  transitions:
    keep: { from: open, to: kept, by: worker }
Check:
  states: [open]
  transitions:
    look:  { from: open, to: same, by: worker, asks: [seen_by, seen_on] }
    weigh: { from: open, to: same, by: worker, asks: { weighed_by: User, weighed_on: date } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  worker:  { members: granted }
  visitor: { members: signed in }
  User:    { oneself: "this == user" }
permissions:
  User:
    read:   [{ role: worker, fields: [name, avatar] }, { role: visitor, fields: [name] }]
    update: [{ role: oneself, fields: [avatar] }]
  Tool:   { read: [worker, visitor], create: worker, update: worker, delete: worker }
  Job:    { read: [worker, visitor], create: worker, update: worker, delete: worker }
  Odd:    { read: worker, create: worker, update: worker, delete: worker }
  Check:  { read: worker, create: worker, update: worker }
  Pledge: { read: worker, create: worker, update: { role: worker, when: status == open } }
  Step:   { read: [worker, visitor], create: worker, update: worker, delete: worker }
  Remark: { read: [worker, visitor], create: worker, update: worker, delete: worker }
\`\`\`

## 9. Limits
\`\`\`yaml
upload_size: 20 kB
\`\`\`
`;

/** A picture with one pixel. */
const DOT = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

let desk: TestServer;
let url = "";
let ada: ApiClient & { readonly id: string };
let ben: ApiClient & { readonly id: string };
let vera: ApiClient & { readonly id: string };
let picture = "";
const sent = async (somebody: ApiClient, name: string, bytes: Buffer): Promise<string> => {
  const headers = { "content-type": "application/octet-stream" };
  return (await somebody.send("POST", `/_/files?name=${name}`, undefined, { raw: bytes, headers })).record().id;
};

beforeAll(async () => {
  desk = await serveText(workshop);
  url = await desk.listen();
  ada = await desk.person("Ada Lovelace", ["worker"]);
  ben = await desk.person("Ben Nevis", ["worker"]);
  vera = await desk.person("Vera Rubin");
  picture = await sent(ada, "ada.png", DOT);
  expect((await ada.patch(`/api/users/${ada.id}`, { avatar: picture })).status).toBe(200);
});

const see = (somebody: ApiClient, path: string, more: Visit = {}): Promise<Page> =>
  visitWith(url, somebody.cookie(), { ...more, path });
const pictures = (page: Page) => page.locator(`img[src$="/api/users/${ada.id}/files/${picture}"]`);

describe("history", () => {
  test("says which record caused a line, with a link, to readers who can see it", async () => {
    const tool = (await ada.post("/api/tools", { name: "Lathe" })).record().id;
    const job = (await ada.post("/api/jobs", { name: "Axle", tool, helpers: [] })).record().id;
    expect((await ada.post(`/api/jobs/${job}/begin`)).status).toBe(200);
    const page = await see(ada, `/tools/${tool}`);
    const cause = page.getByText("because of begin on the job “Axle”");
    await cause.waitFor();
    await cause.getByRole("link", { name: "Axle" }).click();
    await page.getByRole("heading", { level: 1, name: "Axle" }).waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test("names the person and the time of a transition once, although it notes them in fields", async () => {
    const job = (await ada.post("/api/jobs", { name: "Bolt", helpers: [] })).record().id;
    await ada.post(`/api/jobs/${job}/begin`);
    await ada.post(`/api/jobs/${job}/finish`, { days: 2 });
    const page = await see(ada, `/jobs/${job}`);
    const lines = page.locator(".history > li");
    await lines.first().getByText("Ada Lovelace").waitFor();
    const changed = (nth: number) => lines.nth(nth).locator(".history-field").allTextContents();
    expect((await changed(0)).map((text) => text.trim())).toEqual(["Days:"]);
    // Another person takes the place of the first, whom the line does not name.
    await ben.post(`/api/jobs/${job}/resume`);
    await ben.post(`/api/jobs/${job}/finish`, { days: 2 });
    await expect
      .poll(async () => (await changed(0)).map((text) => text.trim()))
      .toEqual(["Checked by:", "Checked at:"]);
    expect(complaints(page)).toEqual([]);
  });
});

describe("values that a transition asks for", () => {
  test("are in the history also if they are the person who made it, and the day", async () => {
    const today = new Date().toISOString().slice(0, 10);
    const check = (await ada.post("/api/checks", { name: "Scales" })).record().id;
    expect((await ada.post(`/api/checks/${check}/look`, { seen_by: ada.id, seen_on: today })).status).toBe(200);
    expect((await ada.post(`/api/checks/${check}/weigh`, { weighed_by: ada.id, weighed_on: today })).status).toBe(200);
    const page = await see(ada, `/checks/${check}`);
    const lines = page.locator(".history > li");
    await lines.nth(1).getByText("Ada Lovelace").first().waitFor();
    const fields = async (nth: number) =>
      (await lines.nth(nth).locator(".history-field").allTextContents()).map((text) => text.trim());
    expect(await fields(0)).toEqual(["Weighed by:", "Weighed on:"]);
    expect(await fields(1)).toEqual(["Seen by:", "Seen on:"]);
    expect(complaints(page)).toEqual([]);
  });
});

describe("avatars", () => {
  const request = async (somebody: ApiClient, ...people: readonly string[]) =>
    ((await somebody.get(`/_/pictures?of=${people.join(",")}`)).body as PicturesJson).items;

  test("are shown only to readers of the picture, and only for people who have one", async () => {
    expect(await request(ada, ada.id, ben.id)).toEqual([{ id: ada.id, file: picture }]);
    expect(await request(ben, ada.id)).toEqual([{ id: ada.id, file: picture }]);
    expect(await request(vera, ada.id, vera.id)).toEqual([]);
    expect(await request(desk.visitor(), ada.id)).toEqual([]);
    for (const wrong of ["", "x", `${ada.id},`, Array.from({ length: 101 }, () => ada.id).join(",")])
      expect(await ben.get(`/_/pictures?of=${wrong}`)).toMatchObject({ status: 404 });
  });

  test("appear beside names in lists, records, comments and history without a layout shift", async () => {
    const job = (await ada.post("/api/jobs", { name: "Frame", helpers: [ben.id, ada.id] })).record().id;
    await ada.post("/api/remarks", { job, words: "Mind the weld." });
    await ben.post("/api/remarks", { job, words: "Done." });
    const list = await see(ben, "/jobs");
    const row = list.getByRole("row").filter({ hasText: "Frame" });
    await expect.poll(() => row.locator("img").count()).toBeGreaterThan(0);
    await atRest(list);
    const sizes = await row.locator(".avatar").evaluateAll((all) =>
      all.map((one) => {
        const { width, height } = one.getBoundingClientRect();
        return `${width}×${height}`;
      }),
    );
    expect(new Set(sizes).size).toBe(1);
    // One request for all, instead of one for each.
    const questions: string[] = [];
    list.on("request", (request) => {
      if (request.url().includes("/_/pictures")) questions.push(request.url());
    });
    await list.goto(`${url}/jobs/${job}`);
    await list.getByText("Mind the weld.").waitFor();
    // The field of the owner, the one among the helpers, the comment, and the history.
    await expect.poll(() => pictures(list).count()).toBeGreaterThanOrEqual(3);
    await expect
      .poll(() => pictures(list).evaluateAll((all) => all.every((one) => (one as HTMLImageElement).naturalWidth > 0)))
      .toBe(true);
    await atRest(list);
    expect(questions.length).toBeLessThanOrEqual(4);
    await expect.poll(() => list.locator("[data-initials=BN]").count()).toBeGreaterThan(0);
    expect(await shifted(list)).toBeLessThan(0.1);
    expect(await axeFindings(list)).toEqual([]);
    expect(complaints(list)).toEqual([]);

    const other = await see(vera, `/jobs/${job}`);
    await other.getByText("Mind the weld.").waitFor();
    await atRest(other);
    await expect.poll(() => other.locator(".avatar img").count()).toBe(0);
    await expect.poll(() => other.locator("[data-initials=AL]").count()).toBeGreaterThan(0);
    expect(complaints(other)).toEqual([]);
  });
});

/** Writes of the page, except visits. */
const writesOf = (page: Page): readonly string[] => {
  const sent: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() !== "GET" && pathname !== "/_/visits") sent.push(`${request.method()} ${pathname}`);
  });
  return sent;
};

const job = async (name: string, more: object = {}) =>
  (await ada.post("/api/jobs", { name, helpers: [], ...more })).record();
const saved = async (id: string) => (await ada.get(`/api/jobs/${id}?parts=true`)).record();

/** Presses a control that moves during the press, because content above it loads. */
const pressAsItMoves = async (page: Page, control: Locator) => {
  await control.hover();
  await page.mouse.down();
  await page.evaluate(async () => {
    const come = document.createElement("p");
    come.style.blockSize = "200px";
    document.querySelector("main article")?.prepend(come);
    await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
  });
  await page.mouse.up();
};

test("what the title shows is no field as well, unless it can be edited there", async () => {
  const { id } = await job("Gear");
  const own = await see(ada, `/jobs/${id}`);
  await own.getByRole("button", { name: "Edit “Name”" }).waitFor();
  const other = await see(vera, `/jobs/${id}`);
  await other.locator("dt", { hasText: "Owner" }).waitFor();
  expect(await other.locator("dt", { hasText: "Name" }).count()).toBe(0);
  expect([complaints(own), complaints(other)]).toEqual([[], []]);
});

test("if nothing can be done with a record, what is locked is in the menu, with the reasons", async () => {
  const { id } = (await ada.post("/api/pledges", { name: "Clean up" })).record();
  const page = await see(ada, `/pledges/${id}`);
  const actions = page.getByRole("group", { name: "Actions for Clean up" });
  await actions.getByRole("button", { name: "Keep" }).waitFor();
  expect((await ada.post(`/api/pledges/${id}/keep`)).status).toBe(200);
  await expect.poll(() => actions.getByRole("button").count()).toBe(1);
  await actions.getByRole("button", { name: "More actions for Clean up" }).click();
  await page.getByRole("menuitem", { name: /^Keep/ }).waitFor();
  await page.getByRole("menuitem", { name: /^Edit/ }).waitFor();
  await page.getByRole("menuitem", { name: "What can I do here?" }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(complaints(page)).toEqual([]);
});

test("an explanation closes when Tab leaves it, since it would cover what has the focus", async () => {
  const { id } = await job("Lever");
  const page = await see(ada, `/jobs/${id}`);
  await page.getByRole("button", { name: "Resume" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Why not “Resume”?" });
  await dialog.waitFor();
  for (let times = 0; times < 8 && (await dialog.isVisible()); times++) await page.keyboard.press("Tab");
  expect(await dialog.count()).toBe(0);
  expect(await focused(page)).not.toContain("Resume");
  expect(complaints(page)).toEqual([]);
});

test("each action of a record is done once when pressed repeatedly, even if the controls move", async () => {
  const { id } = await job("Pulley");
  const page = await see(ada, `/jobs/${id}`);
  const sent = writesOf(page);
  // Under the second click there may be another button by then.
  await page.getByRole("button", { name: "Begin" }).dblclick();
  await page.getByRole("dialog").getByRole("button", { name: "Begin" }).dblclick();
  await page.getByText("Ada Lovelace: Begin").waitFor();
  // The button is gone, so the focus goes to the heading of the record.
  await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
  await pressAsItMoves(page, page.getByRole("button", { name: "Edit Steps" }));
  await page.getByRole("button", { name: "Add step" }).click();
  await page.getByLabel("Text, row 1").fill("Turn it");
  await page.getByRole("button", { name: "Save", exact: true }).dblclick();
  await page.getByRole("button", { name: "Edit Steps" }).waitFor();
  await page.getByLabel("Words").fill("Mind the belt.");
  await page.getByRole("button", { name: "Send" }).dblclick();
  await page.getByText("Mind the belt.").waitFor();
  await page.getByRole("button", { name: "More actions for Pulley" }).click();
  await page.getByRole("menuitem", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).dblclick();
  await page.waitForURL(/\/jobs$/u);
  await atRest(page);
  expect(sent).toEqual([
    `POST /api/jobs/${id}/begin`,
    `PATCH /api/jobs/${id}`,
    "POST /api/remarks",
    `DELETE /api/jobs/${id}`,
  ]);
  expect(complaints(page)).toEqual([]);
});

test("a letter is opened, translated, saved and printed with the keyboard alone, and says why a record has none", async () => {
  const { id } = await job("Crank", { steps: [{ text: "Cast it" }, { text: "Turn it" }] });
  const page = await see(ada, `/jobs/${id}`);
  await page.evaluate(() => {
    window.print = () =>
      document.documentElement.setAttribute("data-printed", document.querySelector("h2")?.textContent ?? "");
  });
  const openMenu = async () => {
    await pressUntil(page, "Tab", /button "More actions for Crank/u);
    await page.keyboard.press("Enter");
  };
  await openMenu();
  await pressUntil(page, "ArrowDown", /menuitem "Work sheet"/u);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 2, name: "Work on Crank" }).waitFor();
  await page.getByRole("cell", { name: "Cast it" }).waitFor();
  await atRest(page);
  expect(await axeFindingsInBothThemes(page)).toEqual([]);

  await pressUntil(page, "Tab", /combobox "Language of the letter"/u);
  await page.keyboard.press("ArrowDown");
  await page.getByRole("heading", { level: 2, name: "Arbeit an Crank" }).waitFor();
  expect(await page.locator(".letter-sheet").getAttribute("lang")).toBe("de");
  await pressUntil(page, "Tab", /button "Download PDF"/u);
  const download = page.waitForEvent("download");
  await page.keyboard.press("Enter");
  expect((await download).suggestedFilename()).toBe("Arbeitsblatt Crank.pdf");
  await pressUntil(page, "Tab", /button "Print"/u);
  await page.keyboard.press("Enter");
  await expect.poll(() => page.locator("html").getAttribute("data-printed")).toBe("Arbeit an Crank");
  // On paper there is the letter alone.
  await page.emulateMedia({ media: "print" });
  expect(await page.getByText("of the specification").isVisible()).toBe(false);
  await page.emulateMedia({ media: "screen" });
  // The palette has the commands of the page as well.
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or jump to" }).fill("download");
  await page.getByRole("option", { name: "Download PDF" }).waitFor();
  const again = page.waitForEvent("download");
  await page.keyboard.press("Enter");
  expect((await again).suggestedFilename()).toBe("Arbeitsblatt Crank.pdf");

  // The page of the letter says why, and so does the menu of the record.
  expect((await ada.post(`/api/jobs/${id}/drop`)).status).toBe(200);
  const why = "“Work sheet” is only possible while the job is “Planned”, “Begun” or “Done”, not “Dropped”.";
  await page.reload();
  await page.getByText(why).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await pressUntil(page, "Tab", /link "Job"/iu);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Crank" }).waitFor();
  await openMenu();
  await pressUntil(page, "ArrowDown", /menuitem "Work sheet/u);
  expect(await focused(page)).toContain(why);
  expect(complaints(page)).toEqual([]);
});

describe("a value edited in place", () => {
  const shownValue = (page: Page, label: string) =>
    page.locator("dl.fields > div").filter({ hasText: label }).locator("dd");
  const daysOf = async (id: string) => (await saved(id)).days;

  test("opens with a click or a key, and Enter saves it, Escape does not", async () => {
    const { id } = await job("Bolt", { days: 3 });
    const page = await see(ada, `/jobs/${id}`);
    const sent = writesOf(page);
    await shownValue(page, "Days").click();
    const days = page.getByRole("textbox", { name: "Days" });
    await expect.poll(() => days.evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.type("5");
    await page.keyboard.press("Escape");
    const pencil = page.getByRole("button", { name: "Edit “Days”" });
    // Focus is back where the edit began.
    await expect.poll(() => pencil.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await shownValue(page, "Days").textContent()).toBe("3");
    expect(sent).toEqual([]);

    await page.keyboard.press("Enter");
    await days.waitFor();
    await page.keyboard.type("7");
    expect(await axeFindings(page)).toEqual([]);
    await days.press("Enter");

    await expect.poll(() => pencil.evaluate((one) => one === document.activeElement)).toBe(true);
    expect(await shownValue(page, "Days").textContent()).toBe("7");
    expect(await daysOf(id)).toBe(7);
    expect(sent).toEqual([`PATCH /api/jobs/${id}`]);
    expect(complaints(page)).toEqual([]);
  }, 120_000);

  test("is refused beside it, and merged with the changes of others", async () => {
    const { id, version } = await job("Nut", { days: 3 });
    const page = await see(ada, `/jobs/${id}`);
    await page.getByRole("button", { name: "Edit “Days”" }).press("Enter");
    const days = page.getByRole("textbox", { name: "Days" });
    await days.fill("31");
    await days.press("Enter");
    await expect.poll(() => days.getAttribute("aria-invalid")).toBe("true");
    expect(await daysOf(id)).toBe(3);
    expect((await ben.patch(`/api/jobs/${id}`, { days: 4 }, { "if-match": `"${version}"` })).status).toBe(200);
    await days.fill("30");
    await days.press("Enter");
    const conflict = page.locator(".conflict");
    await conflict.filter({ hasText: "30" }).waitFor();
    expect(await daysOf(id)).toBe(4);
    await page.getByRole("radio", { name: /30/u }).check({ force: true });
    await conflict.getByRole("button").last().click();
    await expect.poll(() => daysOf(id)).toBe(30);
    expect(complaints(page)).toEqual([]);
  }, 120_000);

  test("is not offered to a person who never changes such records", async () => {
    const { id } = await job("Washer", { days: 3 });
    const page = await see(vera, `/jobs/${id}`);
    await shownValue(page, "Days").click();
    expect(await page.locator(".edit-value").count()).toBe(0);
    expect(await page.getByRole("textbox", { name: "Days" }).count()).toBe(0);
  });
});

describe("while a person types on a record’s page", () => {
  /** Starts a comment and a transition. */
  const typing = async (page: Page) => {
    await page.getByRole("button", { name: "Edit Steps" }).click();
    await page.getByRole("button", { name: "Add step" }).click();
    await page.getByLabel("Text, row 1").fill("Half a step");
    await page.getByLabel("Words").fill("Half a remark");
  };
  const typed = async (page: Page) => [
    await page.getByLabel("Text, row 1").inputValue(),
    await page.getByLabel("Words").inputValue(),
  ];
  const all = ["Half a step", "Half a remark"];

  test("and somebody deletes the record: the typed values stay, and the page says what to do", async () => {
    const { id, version } = await job("Crank");
    const page = await see(ada, `/jobs/${id}`);
    await typing(page);
    expect((await ben.delete(`/api/jobs/${id}`, { "if-match": `"${version}"` })).status).toBe(204);
    await page.getByRole("alert").filter({ hasText: "This job no longer exists" }).waitFor();
    expect(await typed(page)).toEqual(all);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("alert").filter({ hasText: "Not saved" }).waitFor();
    expect(await typed(page)).toEqual(all);
    expect(complaints(page)).toEqual([]);
  }, 120_000);

  test("and their permission is removed: the page says why, and keeps the typed values over a reload", async () => {
    const cleo = await desk.person("Cleo", ["worker"]);
    const { id } = await job("Lever");
    const page = await see(cleo, `/jobs/${id}`);
    await typing(page);
    await desk.database.query(`update app."user" set roles = '{}' where id = $1`, [cleo.id]);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByRole("alert").filter({ hasText: "Not saved" }).waitFor();
    expect(await typed(page)).toEqual(all);
    await desk.database.query(`update app."user" set roles = '{worker}' where id = $1`, [cleo.id]);
    await page.reload();
    await page.getByText("Continuing from your draft").waitFor();
    expect(await typed(page)).toEqual(all);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(async () => JSON.stringify((await saved(id)).steps)).toContain("Half a step");
    expect(complaints(page)).toEqual([]);
  }, 120_000);

  test("and the network fails and the session ends: it is saved once after both are back", async () => {
    const { email } = await desk.account("Ida Rhodes", "correct horse battery", ["worker"]);
    const ida = desk.visitor();
    expect((await ida.post("/_/session", { email, password: "correct horse battery" })).status).toBe(204);
    const { id } = await job("Spindle");
    const page = await see(ida, `/jobs/${id}`);
    await typing(page);
    await page.context().setOffline(true);
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("alert").filter({ hasText: "Your change wasn’t sent" }).first().waitFor();
    expect(await typed(page)).toEqual(all);
    await ida.delete("/_/session");
    // When the network is back, the page reloads all data and finds that nobody is signed in.
    await page.context().setOffline(false);
    const dialog = page.getByRole("dialog", { name: "Signed out" });
    await dialog.waitFor();
    await dialog.getByLabel("Email").fill(email);
    await dialog.getByRole("textbox", { name: "Password" }).fill("correct horse battery");
    await dialog.getByRole("button", { name: "Sign in" }).click();
    await dialog.waitFor({ state: "detached" });
    expect(await typed(page)).toEqual(all);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await expect.poll(async () => JSON.stringify((await saved(id)).steps)).toContain("Half a step");
    await page.getByRole("button", { name: "Send" }).click();
    await expect
      .poll(async () => (await ada.get(`/api/remarks?job=${id}`)).list().items.map(({ words }) => words))
      .toEqual(["Half a remark"]);
    expect(complaints(page)).toEqual([]);
  }, 120_000);

  test("and the comments cannot be loaded: the box is shown, and keeps the focus while they are loaded again", async () => {
    const { id } = await job("Flange");
    const page = await see(ada, "/jobs");
    const { opened: held, open: release } = createGate();
    let requestCount = 0;
    await page.route("**/api/remarks?*", async (route) => {
      requestCount += 1;
      if (requestCount === 1) return route.fulfill({ status: 500, contentType: "application/json", body: "{}" });
      await held;
      return route.continue();
    });
    await page.goto(`${url}/jobs/${id}`);
    const remarks = page.getByRole("region", { name: "Remarks" });
    await remarks.getByRole("button", { name: "Try again" }).waitFor();
    await listening(page);
    const words = page.getByLabel("Words");
    await words.click();
    await page.keyboard.insertText("Half");
    expect((await ben.post("/api/remarks", { job: id, words: "Mind the bolts." })).status).toBe(201);
    await remarks.getByRole("button", { name: "Try again" }).waitFor({ state: "detached" });
    await page.keyboard.insertText(" a remark");
    expect(await words.inputValue()).toBe("Half a remark");
    release();
    await remarks.getByText("Mind the bolts.").waitFor();
    await page.keyboard.insertText(".");
    expect(await words.inputValue()).toBe("Half a remark.");
    await page.getByRole("button", { name: "Send" }).click();
    await expect.poll(() => remarks.getByRole("listitem").count()).toBe(2);
    expect(complaints(page)).toEqual([]);
  });

  test("and the network fails before the comments are loaded: the box is still shown", async () => {
    const { id } = await job("Gasket");
    const page = await see(ada, "/jobs");
    await page.route("**/api/remarks?*", (route) => route.abort());
    await page.goto(`${url}/jobs/${id}`);
    await page.getByLabel("Words").fill("Half a remark");
    // The note of the comments: once the page shows its bar too, the sentence is on the page twice.
    await page.getByText("Can’t reach the server", { exact: true }).waitFor();
    await page.unroute("**/api/remarks?*");
    await page.getByRole("button", { name: "Send" }).click();
    await page.getByRole("region", { name: "Remarks" }).getByText("Half a remark").waitFor();
    expect(complaints(page)).toEqual([]);
  });
});

test.each([
  ["a hundred thousand characters", "x".repeat(100_000)],
  [
    "control characters, combined emoji and markup",
    `a\u0000b\u0007c\u202ed\ufffe \u{1f469}\u200d\u{1f469}\u200d\u{1f467} e\u0301 \ud83d <img src=x onerror="hacked=1"><script>hacked=1</script><a href="javascript:hacked=1">x</a>`,
  ],
  ["only white space", " \t\r\n\n\u00a0\u2003"],
] as const)(
  "%s in every control is accepted or refused at its field, and stays in the control",
  async (_, strange) => {
    const page = await see(ada, "/odds/new");
    await page.getByRole("heading", { level: 1 }).waitFor();
    await page.getByRole("textbox", { name: "Styled" }).waitFor();
    const controls = page.locator("main form").locator("input:not([type=file]), textarea, [contenteditable=true]");
    const count = await controls.count();
    expect(count).toBeGreaterThanOrEqual(17);
    for (let i = 0; i < count; i++) {
      const control = controls.nth(i);
      await control.focus();
      await page.keyboard.insertText(strange);
      // As pasted from another program.
      await control.evaluate((one, text) => {
        const data = new DataTransfer();
        data.setData("text/plain", text);
        data.setData("text/html", text);
        one.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
      }, strange);
      await page.keyboard.press("Escape");
    }
    const stands = () =>
      controls.evaluateAll((all) => all.map((one) => ("value" in one ? one.value : one.textContent)));
    await page.getByRole("heading", { level: 1 }).click();
    const before = await stands();
    await page.getByRole("button", { name: /^Create / }).click();
    const alert = page.getByRole("alert").filter({ hasText: "Not saved" });
    await alert
      .or(page.getByRole("heading", { level: 1, name: "odd" }))
      .first()
      .waitFor();
    if ((await alert.count()) > 0) {
      expect(await stands()).toEqual(before);
      await expect.poll(() => alert.getByRole("link").count()).toBeGreaterThan(0);
    }
    expect(await page.evaluate("'hacked' in window")).toBe(false);
    expect(complaints(page)).toEqual([]);

    const { id } = await job("Strange");
    await page.goto(`${url}/jobs/${id}`);
    const words = page.getByLabel("Words");
    // The box is not focusable until the comments above it are there.
    await words.click();
    await page.keyboard.insertText(strange);
    const text = await words.inputValue();
    await page.getByRole("button", { name: "Send" }).click();
    const remark = page.getByRole("region", { name: "Remarks" }).getByRole("listitem");
    await remark
      .or(page.getByRole("alert").filter({ hasText: /\w/u }))
      .first()
      .waitFor();
    if ((await remark.count()) === 0) await expect.poll(() => words.inputValue()).toBe(text);
    expect(await page.evaluate("'hacked' in window")).toBe(false);
    expect(complaints(page)).toEqual([]);
  },
  120_000,
);
