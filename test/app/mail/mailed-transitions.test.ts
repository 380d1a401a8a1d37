import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { HistoryJson } from "../../../src/core/wire/history.ts";
import type { MailedTransitionJson } from "../../../src/core/wire/mailed-transition.ts";
import { deleteExpiredData } from "../../../src/jobs/delete-expired-data.ts";
import { sendMails } from "../../../src/jobs/mails.ts";
import { mailNotifications } from "../../../src/server/mail/notification-mails.ts";
import { serveText, type TestServer } from "../program.ts";
import { type SmtpServer, startSmtp } from "../smtp-server.ts";

const document = (limits = "") => `# Desk

## 1. Purpose
\`\`\`yaml
name: Desk
locale: en
translations:
  de: { Approve: Genehmigen, Reject: Ablehnen, Approved: Genehmigt, Reason: Grund }
\`\`\`

## 2. Screens
\`\`\`yaml
/requests: { list: Request }
/requests/{id}: { record: Request }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Request:
  label: "{title}"
  fields: { title: text, cost: integer, secret: text?, reason: text?, deputy: User?, owner: { type: User, set: user } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Request:
  field: status
  initial: draft
  states: [draft, submitted, approved, rejected]
  transitions:
    submit:  { from: draft, to: submitted, by: owner }
    reject:  { from: submitted, to: rejected, by: chief, asks: [reason, { points: integer? }] }
    approve: { from: submitted, to: approved, by: chief, when: "cost < 1000", main: true }
    hand_on: { from: submitted, to: submitted, by: chief, asks: [deputy] }
    file:    { from: approved, to: rejected, by: chief }
  after:
    submit: [{ notify: "User.filter(u, 'chief' in u.roles || 'clerk' in u.roles)", text: "{title} waits for you" }]
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { staff: { members: signed in }, chief: granted, clerk: granted, Request: { owner: "owner == user" } }
permissions:
  User: { read: { role: staff, fields: [name] } }
  Request:
    read: [owner, { role: chief, fields: [title, cost, status, reason, deputy, owner] }, { role: clerk, fields: [title, status] }]
    create: [{ role: staff, fields: [title, cost, secret] }]
    update: [chief]
\`\`\`
${limits}`;

const origin = "https://desk.example.com";
const at = { origin };
let now = new Date("2026-03-03T10:00:00Z");
const later = (hours: number) => {
  now = new Date(now.getTime() + hours * 3_600_000);
};

type Person = Awaited<ReturnType<TestServer["person"]>>;
let smtp: SmtpServer;
let desk: TestServer;
let owner: Person;
let chief: Person;

const serve = async (text: string) => {
  desk = await serveText(text, { app: { clock: () => now, mails: true, site: { origin, proxies: [] } } });
  owner = await desk.person("Olga");
  chief = await desk.person("Carl", ["chief"]);
};

/** A request that waits for the chief, and the links in the mail about it, by their text. */
const submitted = async (title: string, more: object = {}) => {
  const { id } = (await owner.post("/api/requests", { title, cost: 10, secret: "hush", ...more })).record();
  expect((await owner.post(`/api/requests/${id}/submit`, {})).status).toBe(200);
  return { id, ...(await mailed()) };
};
const mailed = async (who = chief) => {
  const { length } = smtp.mails;
  const { service } = desk.opened;
  await mailNotifications(service, origin, now);
  while ((await sendMails(service.database, smtp.mailer, now)) > 0);
  const text = smtp.mails.slice(length).find(({ to }) => to === who.email)?.text ?? "";
  const plain = text.split("<!doctype html>")[0] ?? "";
  const links = new Map(
    [...plain.matchAll(/^(.+):\n\S+#act=([\w-]{43})$/gmu)].map(([, title = "", token = ""]) => [title, token]),
  );
  return { text, links, token: (title: string) => links.get(title) ?? "" };
};
const show = async (token: string, who: { post: Person["post"] } = desk.visitor()) =>
  (await who.post("/_/mail/transition-link", { token }, at)).body as MailedTransitionJson;
const make = (token: string, more: object = {}, who: { post: Person["post"] } = desk.visitor()) =>
  who.post("/_/mail/transition", { token, ...more }, at);
const stateOf = async (id: string) => (await owner.get(`/api/requests/${id}`)).record().status;

beforeAll(async () => {
  smtp = await startSmtp();
  await serve(document());
});
beforeEach(async () => {
  await desk.database.query("update ninefold.notification set mail_at = null");
});

describe("a mail about a notification", () => {
  test("offers the transitions that its reader can make now, main ones first, and says how long", async () => {
    const { text, links } = await submitted("Chairs");
    expect([...links.keys()]).toEqual(["Approve", "Reject", "Hand on"]);
    expect(text).toContain("The links “Approve”, “Reject”, and “Hand on” work once, for 72 hours");
    expect(text).toMatch(/href="https:\/\/desk\.example\.com\/sign-in#act=[\w-]{43}"/u);
    const { links: dear } = await submitted("Tables", { cost: 5_000 });
    expect([...dear.keys()]).toEqual(["Reject", "Hand on"]);
  });

  test("offers none to people who can make none, and stores only hashes", async () => {
    const clerk = await desk.person("Clara", ["clerk"]);
    const { id } = (await owner.post("/api/requests", { title: "Lamps", cost: 10 })).record();
    await owner.post(`/api/requests/${id}/submit`, {});
    const { text, links } = await mailed(clerk);
    expect(text).toContain("Lamps waits for you");
    expect(links.size).toBe(0);
    await desk.database.query('update app."user" set active = false where id = $1', [clerk.id]);
    const { token } = await submitted("Desks");
    const { rows } = await desk.database.query("select l::text as line from ninefold.mail_transition l");
    expect(rows.map(({ line }) => String(line)).join()).not.toContain(token("Approve"));
  });
});

describe("the link of a mail", () => {
  test("shows the values on which the decision depends, also of other records, as far as the person can read them", async () => {
    await serve(document().replace("main: true }", "main: true, shows: [title, secret, owner.name] }"));
    const { token } = await submitted("Chairs");
    const shown = await show(token("Approve"));
    expect(shown).toMatchObject({ state: "ready" });
    const facts = "facts" in shown ? shown.facts : [];
    expect(facts).toContainEqual(["Title", "Chairs"]);
    expect(facts).toContainEqual(["Name", "Olga"]);
    expect(JSON.stringify(facts)).not.toContain("hush");
    const rejected = await show(token("Reject"));
    expect("facts" in rejected ? rejected.facts : []).not.toContainEqual(["Name", "Olga"]);
    await serve(document());
  });

  test("shows people by their names, and lengths of time, lists and files in words", async () => {
    const sizes = "sizes: { type: choice, values: [big_one, small], many: true }";
    await serve(
      document()
        .replace("by: owner }", "by: owner, asks: [helpers, sizes] }")
        .replace("deputy: User?,", `deputy: User?, lasts: duration?, helpers: { type: User, many: true }, ${sizes},`)
        .replace("fields: [title, cost, secret]", "fields: [title, cost, secret, lasts]")
        .replace("status, reason, deputy, owner]", "status, reason, deputy, owner, lasts, helpers, sizes]"),
    );
    const { id } = (await owner.post("/api/requests", { title: "Chairs", cost: 10, lasts: "P14D" })).record();
    const values = { helpers: [owner.id, chief.id], sizes: ["big_one", "small"] };
    expect((await owner.post(`/api/requests/${id}/submit`, values)).status).toBe(200);
    const { token, text } = await mailed();
    expect(text).toContain("Lasts: 14 days");
    const shown = await show(token("Approve"));
    const facts = "facts" in shown ? shown.facts : [];
    expect(facts).toContainEqual(["Lasts", "14 days"]);
    expect(facts).toContainEqual(["Helpers", "Olga, Carl"]);
    expect(facts).toContainEqual(["Sizes", "Big one, Small"]);
    await serve(document());
  });

  test("shows what the person can read and changes nothing; then acts once, and the history says so", async () => {
    const { id, token } = await submitted("Chairs");
    const approve = token("Approve");
    for (let looked = 0; looked < 2; looked++) {
      const shown = await show(approve);
      expect(shown).toMatchObject({
        state: "ready",
        transition: "Approve",
        label: "Chairs",
        person: "Carl",
        becomes: "Approved",
      });
      expect(JSON.stringify(shown)).not.toContain("hush");
    }
    expect((await desk.visitor().get(`/_/mail/transition?token=${approve}`)).status).toBe(404);
    expect(await stateOf(id)).toBe("submitted");
    expect((await make(approve)).status).toBe(204);
    expect(await stateOf(id)).toBe("approved");
    const { items } = (await chief.get(`/api/requests/${id}/history`)).body as HistoryJson;
    expect(items[0]).toMatchObject({ action: "approve", person: { id: chief.id }, via: "mail" });
    expect(items[1]).not.toHaveProperty("via");
    expect(await show(approve)).toMatchObject({ state: "used", at: now.toISOString(), transition: "Approve" });
    expect((await make(approve)).problem().code).toBe("LINK_USED");
    // Another link about the same record meets the state that it has now.
    const reject = token("Reject");
    expect(await show(reject)).toMatchObject({
      state: "refused",
      why: { code: "WRONG_STATE" },
      label: "Chairs",
      last: { transition: "Approve", person: "Carl", at: now.toISOString() },
    });
    const refused = (await make(reject, { values: { reason: "No" } })).problem();
    expect(refused).toMatchObject({ code: "WRONG_STATE", clause: "4.Request.reject" });
  });

  test("asks for the fields of the transition; a refused attempt leaves the link valid", async () => {
    const { id, token } = await submitted("Chairs");
    const shown = await show(token("Reject"));
    if (shown.state !== "ready") throw new Error(shown.state);
    expect(shown.asks.map(({ name, optional }) => [name, optional])).toEqual([
      ["reason", false],
      ["points", true],
    ]);
    expect(shown.signIn).toBe(false);
    expect((await make(token("Reject"))).problem()).toMatchObject({ code: "REQUIRED", errors: [{ at: "/reason" }] });
    expect((await make(token("Reject"), { values: { reason: "Too many", points: 3 } })).status).toBe(204);
    expect((await owner.get(`/api/requests/${id}`)).record()).toMatchObject({ status: "rejected", reason: "Too many" });
    const [rejected] = (await owner.get(`/api/requests/${id}/history`)).history();
    expect(rejected?.changes).toContainEqual({ field: "points", before: null, after: 3 });
  });

  test("shows fields that choose records only to its person, signed in", async () => {
    const { token } = await submitted("Chairs");
    expect(await show(token("Hand on"))).toMatchObject({ state: "ready", signIn: true });
    expect(await show(token("Hand on"), chief)).toMatchObject({ state: "ready", signIn: false });
  });

  test("refuses what the record no longer allows, and what has changed since it was shown", async () => {
    const { id, token } = await submitted("Chairs");
    const shown = await show(token("Approve"));
    if (shown.state !== "ready") throw new Error(shown.state);
    expect((await chief.patch(`/api/requests/${id}`, { cost: 20 })).status).toBe(200);
    expect((await make(token("Approve"), { version: shown.version })).status).toBe(412);
    expect((await chief.patch(`/api/requests/${id}`, { cost: 2_000 })).status).toBe(200);
    expect(await show(token("Approve"))).toMatchObject({ state: "refused", why: { code: "GUARD" } });
    expect((await make(token("Approve"))).problem().code).toBe("GUARD");
    expect(await stateOf(id)).toBe("submitted");
  });

  test("applies the roles that the person has now", async () => {
    const { token } = await submitted("Chairs");
    await desk.database.query(`update app."user" set roles = '{clerk}' where id = $1`, [chief.id]);
    expect(await show(token("Approve"))).toMatchObject({
      state: "refused",
      why: { code: "FORBIDDEN", clause: "4.Request.approve" },
    });
    expect((await make(token("Approve"))).problem()).toMatchObject({ code: "FORBIDDEN", clause: "4.Request.approve" });
    await desk.database.query(`update app."user" set roles = '{}' where id = $1`, [chief.id]);
    expect(await show(token("Approve"))).toEqual({ state: "hidden" });
    expect((await make(token("Approve"))).status).toBe(404);
    await desk.database.query(`update app."user" set roles = '{chief}' where id = $1`, [chief.id]);
    expect((await make(token("Approve"))).status).toBe(204);
  });

  test("shows nothing in a browser in which somebody else is signed in", async () => {
    const { token } = await submitted("Chairs");
    expect(await show(token("Approve"), owner)).toEqual({
      state: "other",
      path: expect.stringContaining("/requests/"),
    });
    expect((await make(token("Approve"), {}, owner)).problem().code).toBe("LINK_USED");
    // An administrator who views the application as its person acts in nobody's name.
    const administrator = await desk.person("Ida", ["administrator"]);
    expect((await administrator.post("/_/look", { person: chief.id }, at)).status).toBe(204);
    expect(await show(token("Approve"), administrator)).toMatchObject({ state: "other" });
    expect((await make(token("Approve"), {}, administrator)).problem().code).toBe("LINK_USED");
    expect((await make(token("Approve"), {}, chief)).status).toBe(204);
  });

  test.each<readonly [string, () => Promise<unknown>, () => Promise<unknown>]>([
    [
      "the account is not active",
      () => desk.database.query('update app."user" set active = false where id = $1', [chief.id]),
      () => desk.database.query('update app."user" set active = true where id = $1', [chief.id]),
    ],
    [
      "the person has another address",
      () => desk.database.query(`update app."user" set email = 'new@example.com' where id = $1`, [chief.id]),
      () => desk.database.query('update app."user" set email = $2 where id = $1', [chief.id, chief.email]),
    ],
    [
      "a restored copy sends nothing",
      () => desk.database.query("update ninefold.release set held_since = now()"),
      () => desk.database.query("update ninefold.release set held_since = null"),
    ],
  ])("is not honoured while %s", async (_, begin, end) => {
    const { id, token } = await submitted("Chairs");
    await begin();
    expect(await show(token("Approve"))).toEqual({ state: "gone" });
    expect((await make(token("Approve"))).problem().code).toBe("LINK_USED");
    await end();
    expect(await stateOf(id)).toBe("submitted");
    expect(await show(token("Approve"))).toMatchObject({ state: "ready" });
  });

  test("ends with the sessions and tokens of its person", async () => {
    const { token } = await submitted("Chairs");
    const administrator = await desk.person("Ada", ["administrator"]);
    expect((await administrator.post(`/_/people/${chief.id}/end_sessions`, {}, at)).status).toBe(204);
    expect(await show(token("Approve"))).toEqual({ state: "gone" });
    chief = await desk.person("Carla", ["chief"]);
  });

  test("acts once, however often it is pressed at the same time", async () => {
    const { token } = await submitted("Chairs");
    const answers = await Promise.all([1, 2, 3].map(() => make(token("Approve"))));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 403, 403]);
  });

  test("expires after 72 hours, and is forgotten a month later", async () => {
    const { token } = await submitted("Chairs");
    later(73);
    expect(await show(token("Approve"))).toMatchObject({ state: "expired", hours: 72 });
    expect((await make(token("Approve"))).problem()).toMatchObject({ code: "LINK_USED", clause: "9.mail_transitions" });
    later(31 * 24);
    await deleteExpiredData(desk.opened.service.database, now, { trashDays: 30 });
    expect(await show(token("Approve"))).toEqual({ state: "gone" });
    later(-(73 + 31 * 24));
  });

  test("shows nothing for an unknown token", async () => {
    expect(await show("x".repeat(43))).toEqual({ state: "gone" });
    expect((await make("")).problem().code).toBe("LINK_USED");
  });
});

describe("mails offer no transitions", () => {
  test.each([
    ["if the document says so", "\n## 9. Limits\n```yaml\nmail_transitions: 0\n```\n"],
    [
      "if people sign in only through a provider",
      "\n## 7. Calls\n```yaml\nsign in: { providers: [google], password: false }\n```\n",
    ],
  ])("%s", async (_, more) => {
    await serve(document(more));
    const { text, links } = await submitted("Chairs");
    expect(text).toContain("Chairs waits for you");
    expect(links.size).toBe(0);
  });
});
