import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import type { Application } from "../../../src/core/wire/application.ts";
import type { EntityJson, TransitionJson } from "../../../src/core/wire/entities.ts";
import { complaints, type Visit, visitWith } from "../../web/browser.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

/* Upcoming events of a record: scheduled transitions, who can make the next ones, their effects, and the start. */

const claims = `
# Claims

## 1. What the product does
\`\`\`yaml
locale: en-GB
\`\`\`

## 2. Screens and routes
\`\`\`yaml
/claims:     { list: Claim, columns: [subject, owner, status] }
/claims/{id}:
  record: Claim
  sections:
    - fields: [subject, due, weeks]
    - { title: Outcome, fields: [remark, starts] }
/claims/new: { form: Claim, fields: [subject, approver, copy_to, due, remind, asked_for] }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
User:
  fields: { deputy: User? }
Claim:
  label: "{subject}"
  fields:
    subject:   text
    owner:     { type: User, set: user }
    approver:  User
    asked_for: { type: User, default: user }
    due:       { type: date, default: today + notice }
    copy_to:   { type: User?, default: approver.deputy }
    remind:    { type: date?, default: due - 2 days }
    weeks:     { type: integer, default: 1, unit: weeks }
    starts:    datetime?
    term:      date?
    remark:    text?
Entry:
  label: "{words}"
  fields: { claim: Claim, words: text }
\`\`\`

## 4. States
\`\`\`yaml
Claim:
  field: status
  states: [draft, sent, { agreed: { tone: good } }, { lapsed: { tone: bad } }, over]
  transitions:
    send:   { from: draft, to: sent, by: owner, when: "weeks > 0" }
    agree:  { from: sent, to: agreed, by: approver, asks: [remark] }
    lapse:  { from: sent, to: lapsed, timeout: patience }
    expire: { from: agreed, to: over, once: "now > starts + grace" }
    shut:   { from: agreed, to: over, once: "today > term" }
  after:
    send:  { notify: approver, text: "{subject} waits." }
    agree:
      - { notify: owner, text: "{subject} is agreed." }
      - { notify: "User.filter(u, 'boss' in u.roles)", when: "weeks > 4", text: "{subject} is long." }
      - { create: Entry, set: { claim: this, words: subject } }
      - { create: Entry, when: "weeks > 8", set: { claim: this, words: remark } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  boss:  { members: granted }
  clerk: { members: signed in }
  Claim: { owner: "owner == user", approver: "approver == user" }
permissions:
  User:  { read: [clerk] }
  Claim:
    read:
      - { role: owner, fields: [subject, owner, approver, asked_for, due, weeks, starts, remark, status] }
      - { role: approver, fields: [subject, owner, approver, due, weeks, remark, status] }
      - boss
      - { role: clerk, fields: [subject] }
    create: [clerk]
    update: [boss]
    delete: none
  Entry: { read: [boss], create: none, update: none, delete: none }
\`\`\`

## 9. Limits
\`\`\`yaml
notice: 10 days
patience: 14 days
grace: 30 minutes
\`\`\`
`;

const DAY = 86_400_000;
let desk: TestServer;
let url = "";
let ada: ApiClient & { readonly id: string };
let ben: ApiClient & { readonly id: string };
let cleo: ApiClient & { readonly id: string };
let boss: ApiClient & { readonly id: string };

beforeAll(async () => {
  desk = await serveText(claims);
  url = await desk.listen();
  ada = await desk.person("Ada Lovelace");
  ben = await desk.person("Ben Nevis");
  cleo = await desk.person("Cleo Stone");
  boss = await desk.person("Bo Ness", ["boss"]);
  await desk.database.query('update app."user" set deputy = $1 where id = $2', [cleo.id, ben.id]);
});

const create = async (more: object = {}): Promise<string> =>
  (await ada.post("/api/claims", { subject: "Lens", approver: ben.id, ...more })).record().id;
const aheadFor = async (somebody: ApiClient, id: string) =>
  (await somebody.get(`/api/claims/${id}?label=true`)).record()._ahead;
const claimFor = async (somebody: ApiClient): Promise<EntityJson> => {
  const { entities } = (await somebody.get("/_/application")).body as Application;
  if (!entities.Claim) throw new Error("claims are not served");
  return entities.Claim;
};
const see = (somebody: ApiClient, path: string, more: Visit = {}): Promise<Page> =>
  visitWith(url, somebody.cookie(), { ...more, path });

describe("a timed transition", () => {
  test("is due some time after its state was entered, again at each entry, and is shown to readers of the state", async () => {
    const id = await create();
    expect(await aheadFor(ada, id)).toBeUndefined();
    const sent = (await ada.post(`/api/claims/${id}/send`)).record();
    const at = (await aheadFor(ada, id))?.lapse ?? "";
    // Fourteen calendar days; a change of the clocks in between adds or removes an hour.
    const away = Date.parse(at) - Date.parse(sent.updated_at) - 14 * DAY;
    expect(Math.abs(away)).toBeLessThanOrEqual(3_600_000);
    expect(await aheadFor(ben, id)).toEqual({ lapse: at });
    // A reader without permission on the state learns nothing about upcoming events.
    expect((await cleo.get(`/api/claims/${id}`)).status).toBe(200);
    expect(await aheadFor(cleo, id)).toBeUndefined();
    // Programs that request the record alone get it as described.
    expect((await ada.get(`/api/claims/${id}`)).record()._ahead).toBeUndefined();
  });

  test("is due at the time in a field, and is shown to readers of that field", async () => {
    const id = await create({ starts: "2031-03-01T09:00:00.000Z", term: "2031-04-30" });
    await ada.post(`/api/claims/${id}/send`);
    expect((await ben.post(`/api/claims/${id}/agree`, { remark: "Fine." })).status).toBe(200);
    expect(await aheadFor(boss, id)).toEqual({ expire: "2031-03-01T09:30:00.000Z", shut: "2031-05-01" });
    expect(await aheadFor(ada, id)).toEqual({ expire: "2031-03-01T09:30:00.000Z" });
    expect(await aheadFor(ben, id)).toBeUndefined();
  });

  test("is described before there is a record, to people who can know what it reads", async () => {
    const itself = async (somebody: ApiClient) =>
      Object.fromEntries(
        (await claimFor(somebody)).states?.transitions.flatMap((one) =>
          one.itself === undefined ? [] : [[one.name, one.itself]],
        ) ?? [],
      );
    expect(await itself(boss)).toEqual({
      lapse: "after 14 days",
      expire: "30 minutes after “Starts”",
      shut: "at “Term”",
    });
    expect(await itself(ada)).toMatchObject({ lapse: "after 14 days" });
  });
});

describe("the effects of a transition", () => {
  const of = async (somebody: ApiClient, name: string): Promise<TransitionJson | undefined> =>
    (await claimFor(somebody)).states?.transitions.find((one) => one.name === name);

  test("name who is notified, what is created, and on what condition", async () => {
    expect((await of(boss, "agree"))?.follows).toEqual([
      { kind: "tell", what: "the owner", field: "owner" },
      { kind: "tell", what: "every boss", when: "the weeks is more than 4" },
      { kind: "create", what: "entry" },
      { kind: "create", what: "entry", from: "Remark", when: "the weeks is more than 8" },
    ]);
    expect((await of(boss, "lapse"))?.follows).toBeUndefined();
  });

  test("are the same for everyone if the condition does not depend on the user", async () => {
    expect((await of(boss, "send"))?.guarded).toBe(true);
    expect((await of(boss, "agree"))?.guarded).toBeUndefined();
  });

  test("name the person of a role that a field holds, if the field can be read", async () => {
    expect((await claimFor(boss)).holders).toEqual({ owner: "owner", approver: "approver" });
  });
});

describe("record pages", () => {
  test("show what happens automatically and who can make the next transitions; a transition says what follows", async () => {
    const id = await create({ subject: "Lamp" });
    await ada.post(`/api/claims/${id}/send`);
    const page = await see(ben, `/claims/${id}`);
    await page.getByText(/^Changes to “Lapsed” automatically on \d+ \w+ \d{4}$/u).waitFor();
    const next = page.getByRole("list", { name: "Possible next steps" });
    await next.getByText("Agree: you", { exact: true }).waitFor();
    await next.getByText(/^Lapse: automatic, \d+ \w+ \d{4}$/u).waitFor();
    // There is no outcome yet; its heading says what will appear.
    const outcome = page.getByRole("region", { name: "Outcome" });
    await expect.poll(() => outcome.innerText()).toMatch(/^Outcome\s+None yet$/u);
    await page.getByText("1 week", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Agree…" }).click();
    const dialog = page.getByRole("dialog", { name: "Agree: Lamp" });
    await dialog.getByText("Will notify Ada Lovelace.", { exact: false }).waitFor();
    await dialog.getByText("Will also create an entry.", { exact: false }).waitFor();
    await dialog
      .getByText("The content of “Remark” will be added as an entry, if the weeks is more than 8.", { exact: false })
      .waitFor();
    await dialog.getByRole("textbox", { name: "Remark" }).fill("Fine.");
    await dialog.getByRole("button", { name: "Agree" }).click();
    await page.getByRole("status").getByText("Agreed: Lamp. Notified Ada Lovelace.", { exact: false }).waitFor();
    await page.getByText("Fine.").waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test("link to the next record that waits for the same transition after one was made", async () => {
    const dora = await desk.person("Dora Hill");
    const ids = await Promise.all(
      ["Rail", "Rope"].map(async (subject) => {
        const id = await create({ subject, approver: dora.id });
        await ada.post(`/api/claims/${id}/send`);
        return id;
      }),
    );
    const page = await see(dora, `/claims/${ids[0]}`);
    const agree = async () => {
      await page.getByRole("button", { name: "Agree…" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("textbox", { name: "Remark" }).fill("Fine.");
      await dialog.getByRole("button", { name: "Agree" }).click();
      await dialog.waitFor({ state: "hidden" });
    };
    await agree();
    await page.getByText("Next for you:").getByRole("link", { name: "Rope" }).click();
    await page.getByRole("heading", { level: 1, name: "Rope" }).waitFor();
    await expect.poll(() => page.getByText("Next for you:").count()).toBe(0);
    await agree();
    await page.getByText("Fine.").waitFor();
    await expect.poll(() => page.getByText("Next for you:").count()).toBe(0);
    expect(complaints(page)).toEqual([]);
  });

  test.each([
    ["subject", "Sail 3", "Emil Frost"],
    ["-subject", "Oar 1", "Fay Gale"],
  ])("link to the next record in the order %s of the list that it was opened from", async (order, next, approver) => {
    const reader = await desk.person(approver);
    const [thing = ""] = next.split(" ");
    for (const subject of [`${thing} 1`, `${thing} 2`, `${thing} 3`]) {
      const id = await create({ subject, approver: reader.id });
      await ada.post(`/api/claims/${id}/send`);
    }
    const page = await see(reader, `/claims?sort=${order}`);
    await page.getByRole("link", { name: `${thing} 2` }).click();
    await page.getByRole("button", { name: "Agree…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Remark" }).fill("Fine.");
    await dialog.getByRole("button", { name: "Agree" }).click();
    await page.getByText("Next for you:").getByRole("link", { name: next }).waitFor();
  });

  test("call the other person by name if the record says who it is", async () => {
    const id = await create({ subject: "Tripod" });
    await ada.post(`/api/claims/${id}/send`);
    const page = await see(ada, `/claims/${id}`);
    await page.getByRole("list", { name: "Possible next steps" }).getByText("Agree: Ben Nevis").waitFor();
  });

  test("a form starts with today in the document’s time zone and with the current user, and says what follows after saving", async () => {
    const page = await see(ada, "/claims/new");
    const due = page.getByRole("textbox", { name: "Due" });
    await due.waitFor();
    const wanted = new Date(Date.now() + 10 * DAY);
    expect(Math.abs(Date.parse(`${await due.inputValue()} UTC`) - wanted.getTime())).toBeLessThan(2 * DAY);
    await page.getByRole("button", { name: "Send", exact: true }).waitFor();
    await page.getByText("Send: you", { exact: true }).waitFor();
    await expect.poll(() => page.getByRole("combobox", { name: "Asked for" }).inputValue()).toBe("Ada Lovelace");
    // A cleared field stays empty and does not get its default again.
    await due.fill("");
    await page.getByRole("textbox", { name: "Subject" }).fill("Case");
    await page.getByRole("combobox", { name: "Approver" }).fill("Ben");
    await page.getByRole("option", { name: "Ben Nevis" }).click();
    // A default follows what it reads, also in another record, until somebody enters another value.
    const copyTo = page.getByRole("combobox", { name: "Copy to" });
    await expect.poll(() => copyTo.inputValue()).toBe("Cleo Stone");
    await page.getByText("Suggestion: “Deputy” of “Approver”.").waitFor();
    const remind = page.getByRole("textbox", { name: "Remind" });
    await expect.poll(() => remind.inputValue()).toBe("");
    await due.fill("2031-03-12");
    await expect.poll(() => remind.inputValue()).toBe("10 Mar 2031");
    await remind.fill("2031-03-01");
    await due.fill("");
    await expect.poll(() => remind.inputValue()).toBe("1 Mar 2031");
    await page.getByRole("button", { name: /^Save as / }).click();
    await page.getByRole("heading", { name: "Not saved" }).waitFor();
    await due.fill("+10");
    await page.getByRole("button", { name: /^Save as / }).click();
    await page.getByRole("heading", { level: 1, name: "Case", exact: true }).waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test("on a phone, the next and previous record of the list are one tap away", async () => {
    await create({ subject: "Bag" });
    await create({ subject: "Box" });
    const page = await see(ada, "/claims", { width: 390 });
    await page.getByRole("link", { name: /Box/u }).first().click();
    await page.getByRole("heading", { level: 1, name: "Box" }).waitFor();
    const way = /^(?:Previous|Next), /u;
    const ways = page.getByRole("button", { name: way });
    await expect.poll(() => ways.count()).toBe(2);
    for (const one of await ways.all()) {
      const box = await one.boundingBox();
      expect(Math.min(box?.width ?? 0, box?.height ?? 0)).toBeGreaterThanOrEqual(44);
    }
    await page.getByRole("button", { name: way, disabled: false }).first().click();
    await page.getByRole("heading", { level: 1 }).filter({ hasNotText: "Box" }).waitFor();
  });
});
