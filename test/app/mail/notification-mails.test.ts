import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { sendMails } from "../../../src/jobs/mails.ts";
import { mailNotifications } from "../../../src/server/mail/notification-mails.ts";
import { serveText, type TestServer } from "../program.ts";
import { type ArrivedMail, headersOf, type SmtpServer, startSmtp } from "../smtp-server.ts";

const text = `# Desk

## 1. Purpose
\`\`\`yaml
name: Desk
locale: en
timezone: Europe/Berlin
translations:
  de:
    "{title} is shut by {user.name}: {secret} (was {old.secret})": "{user.name} hat {title} geschlossen: {secret} (vorher {old.secret})"
    Status: Zustand
    Shut: Geschlossen
\`\`\`

## 2. Screens
\`\`\`yaml
/cases: { list: Case }
/cases/{id}: { record: Case }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Case:
  label: "{title}"
  fields: { title: text, secret: text, due: date?, open_to_clerks: boolean, owner: { type: User, set: user }, notes: { list: Note.case } }
Note:
  fields: { case: Case, text: text }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Case:
  field: status
  initial: open
  states: [open, shut]
  transitions:
    shut: { from: open, to: shut, by: [owner, chief], asks: [secret] }
    remind: { from: open, to: same, by: owner, asks: { word: text, pages: "integer?" } }
  after:
    shut:
      - { notify: "User.filter(u, u == owner || 'chief' in u.roles || 'clerk' in u.roles)", text: "{title} is shut by {user.name}: {secret} (was {old.secret})" }
    remind: { notify: "User.filter(u, 'chief' in u.roles)", text: "{title} {word} {pages}" }
Note:
  after:
    create: [{ notify: case.owner, text: "{text}" }]
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { staff: { members: signed in }, chief: granted, clerk: granted, Case: { owner: "owner == user" } }
permissions:
  User: { read: { role: staff, fields: [name] } }
  Case:
    read: [owner, chief, { role: clerk, fields: [title, status, due] }, { role: clerk, when: open_to_clerks }]
    create: [{ role: staff, fields: [title, secret, due, open_to_clerks] }]
    update: [owner]
  Note: { read: staff, create: staff }
\`\`\`
`;

const origin = "https://desk.example.com";
const now = new Date("2026-03-03T10:00:00Z");
const minutesLater = (minutes: number) => new Date(now.getTime() + minutes * 60_000);

let smtp: SmtpServer;
let desk: TestServer;
let owner: Awaited<ReturnType<TestServer["person"]>>;
let chief: typeof owner;
let clerk: typeof owner;

/** Sends what is due and returns the mails that arrived. */
const arrived = async (at = now): Promise<readonly ArrivedMail[]> => {
  const { length } = smtp.mails;
  const { service } = desk.opened;
  await mailNotifications(service, origin, at);
  while ((await sendMails(service.database, smtp.mailer, at)) > 0);
  return smtp.mails.slice(length);
};
const choose = (who: typeof owner, mail: object) => who.post("/_/preferences", { mail });
const shut = async (title: string, more: object = {}) => {
  const { id } = (await owner.post("/api/cases", { title, secret: "hush", open_to_clerks: true, ...more })).record();
  expect((await owner.post(`/api/cases/${id}/shut`, { secret: "quiet" })).status).toBe(200);
  return id;
};
const mailTo = (mails: readonly ArrivedMail[], who: typeof owner) => {
  const found = mails.filter(({ to }) => to === who.email);
  expect(found).toHaveLength(1);
  return found[0] as ArrivedMail;
};

beforeAll(async () => {
  smtp = await startSmtp();
  desk = await serveText(text, {
    app: { clock: () => now, mails: true, site: { origin, proxies: [] } },
  });
  owner = await desk.person("Olga");
  chief = await desk.person("Carl", ["chief"]);
  clerk = await desk.person("Clara", ["clerk"]);
});
beforeEach(async () => {
  await desk.database.query("update ninefold.notification set mail_at = null");
  await desk.database.query("delete from ninefold.preference");
});

test("sample people get no mail", async () => {
  await desk.database.query(`insert into ninefold.sample (entity, record) values ('User', '${chief.id}')`);
  await shut("A trial");
  expect((await arrived()).map(({ to }) => to)).not.toContain(chief.email);
  await desk.database.query("delete from ninefold.sample");
  await shut("A real case");
  expect((await arrived()).map(({ to }) => to)).toContain(chief.email);
});

describe("a mail about a notification", () => {
  test("has the values of its own act, whichever acts follow", async () => {
    const { id } = (await owner.post("/api/cases", { title: "Keys", secret: "hush" })).record();
    for (const body of [{ word: "early" }, { word: "late", pages: 12 }])
      expect((await owner.post(`/api/cases/${id}/remind`, body)).status).toBe(200);
    const texts = (await arrived()).filter(({ to }) => to === chief.email).map(({ text }) => text);
    expect(texts.join(" ")).toContain("Keys early …");
    expect(texts.join(" ")).toContain("Keys late 12");
  });

  test("has the values that its reader can read, a link, and no copy for the person who acted", async () => {
    const id = await shut("Keys", { due: "2026-03-09", open_to_clerks: false });
    const mails = await arrived();
    expect(mails.map(({ to }) => to).sort()).toEqual([chief.email, clerk.email].sort());
    const toChief = mailTo(mails, chief).text;
    expect(toChief).toContain("Keys is shut by Olga: quiet (was hush)");
    expect(toChief).toContain("Status: Shut");
    expect(toChief).toContain("Due: 9 Mar 2026");
    expect(toChief).toContain("Owner: Olga");
    expect(toChief).toContain(`${origin}/cases/${id}`);
    expect(toChief).toContain(`href="${origin}/cases/${id}"`);
    // Lists of mails show this beginning beside the subject, which names only the record.
    expect(toChief).toMatch(/max-width:640px;margin:0 auto">\s*<div [^>]*><p [^>]*>Keys is shut by Olga/u);
    const toClerk = mailTo(mails, clerk).text;
    expect(toClerk).toContain("Keys is shut by Olga: … (was …)");
    expect(toClerk).not.toMatch(/quiet|hush|Owner/u);
    expect(await arrived()).toEqual([]);
  });

  test("is composed at the moment of sending: values hidden meanwhile are left out", async () => {
    const id = await shut("Locks");
    await desk.database.query('update app."case" set open_to_clerks = false where id = $1', [id]);
    await desk.database.query(`update app."user" set roles = '{}' where id = $1`, [chief.id]);
    const mails = await arrived();
    await desk.database.query(`update app."user" set roles = '{chief}' where id = $1`, [chief.id]);
    expect(mailTo(mails, clerk).text).toContain("Locks is shut by Olga: … (was …)");
    const former = mailTo(mails, chief).text;
    expect(former).toContain("… is shut by …: … (was …)");
    expect(former).not.toContain("Locks");
    expect(headersOf(mailTo(mails, chief)).get("subject")).toBe("Desk: new notification");
  });

  test("is not sent to people who read the notification, or whose account is not active", async () => {
    await shut("Doors");
    await desk.database.query("update ninefold.notification set read_at = now() where person = $1", [chief.id]);
    await desk.database.query(`update app."user" set active = false where id = $1`, [clerk.id]);
    expect(await arrived()).toEqual([]);
    await desk.database.query(`update app."user" set active = true where id = $1`, [clerk.id]);
  });

  test("is in the reader’s language", async () => {
    await chief.post("/_/preferences", { language: "de" });
    await shut("Tore", { due: "2026-03-09" });
    const mail = mailTo(await arrived(), chief).text;
    expect(mail).toContain("Olga hat Tore geschlossen: quiet (vorher hush)");
    expect(mail).toContain("Zustand: Geschlossen");
    expect(mail).toContain("9. März 2026");
    expect(mail).toContain("E-Mail-Einstellungen");
    expect(mail).toContain('<html lang="de">');
  });

  test("escapes HTML", async () => {
    await shut('<img src="https://evil.example/x">');
    const html = mailTo(await arrived(), chief).text.split("<!doctype html>")[1];
    expect(html).toContain("&lt;img src=&quot;https://evil.example/x&quot;&gt;");
    expect(html).not.toContain("<img");
  });

  test("belongs to the thread of its record, and that of a part to the thread of the record that shows it", async () => {
    const id = await shut("Threads");
    const of = headersOf(mailTo(await arrived(), chief));
    expect(of.get("references")).toBe(`<Case.${id}@desk.example.com>`);
    expect(of.get("in-reply-to")).toBe(of.get("references"));
    expect(of.get("message-id")).toMatch(/^<[\da-f-]{36}@desk\.example\.com>$/u);
    await chief.post("/api/notes", { case: id, text: "Well done" });
    const note = mailTo(await arrived(), owner);
    expect(headersOf(note).get("references")).toBe(of.get("references"));
    expect(headersOf(note).get("subject")).toBe("Threads");
    expect(note.text).toContain(`${origin}/cases/${id}`);
  });

  test("waits while a restored copy sends nothing, and is not sent a day later", async () => {
    await shut("Copy");
    await desk.database.query("update ninefold.release set held_since = now()");
    expect(await arrived()).toEqual([]);
    await desk.database.query("update ninefold.release set held_since = null");
    expect(await arrived(minutesLater(25 * 60))).toEqual([]);
    expect((await desk.database.query("select from ninefold.notification where mail_at is not null")).rows).toEqual([]);
  });
});

describe("a person chooses", () => {
  test("one mail a day at a time of their zone", async () => {
    await choose(chief, { when: "daily", at: "18:30", zone: "America/New_York" });
    await shut("First");
    await shut("Second");
    expect((await arrived()).map(({ to }) => to)).toEqual([clerk.email, clerk.email]);
    // 18:30 in New York is 23:30 UTC.
    expect(await arrived(new Date("2026-03-03T23:29:00Z"))).toEqual([]);
    const mail = mailTo(await arrived(new Date("2026-03-03T23:31:00Z")), chief);
    expect(headersOf(mail).get("subject")).toBe("Desk: 2 notifications");
    expect(mail.text).toMatch(/First is shut[\s\S]*Second is shut/u);
  });

  test("one mail a day, which shows each record once, those that may wait for the reader first", async () => {
    await choose(chief, { when: "daily", at: "18:30", zone: "America/New_York" });
    await choose(clerk, { when: "never" });
    await shut("Finished");
    const { id } = (await owner.post("/api/cases", { title: "Pending", secret: "hush" })).record();
    for (const word of ["urgent", "late"]) await owner.post(`/api/cases/${id}/remind`, { word });
    const { text } = mailTo(await arrived(new Date("2026-03-03T23:31:00Z")), chief);
    expect(text).toContain("Subject: Desk: 3 notifications");
    // Lists of mails show how the text begins.
    expect(text).toContain('<div style="display:none">Finished is shut by Olga: quiet (was hush) · Pending urgent');
    const plain = text.slice(text.indexOf("text/plain"), text.indexOf("text/html"));
    const lines = plain
      .split("\n")
      .filter((line) => /Pending|Finished|^Status|^(?:Shut|Open):|works? once|You get/u.test(line));
    expect(lines).toEqual([
      "3 Mar 2026, 11:00 · Pending urgent …",
      "3 Mar 2026, 11:00 · Pending late …",
      "Pending",
      "Status: Open",
      "Shut:",
      "Open:",
      "3 Mar 2026, 11:00 · Finished is shut by Olga: quiet (was hush)",
      "Finished",
      "Status: Shut",
      "Open:",
      "The link “Shut” works once, for 72 hours, and acts as you. Don’t forward this email.",
      "You get this email because Desk sends you notifications once a day at 18:30 (America/New_York).",
    ]);
  });

  test("no mails, or other mails for some entities", async () => {
    await choose(chief, { when: "never" });
    await choose(clerk, { when: "now", kinds: { Case: "never" } });
    await shut("Silence");
    expect(await arrived()).toEqual([]);
    await choose(chief, { when: "never", kinds: { Case: "now" } });
    await shut("Sound");
    expect((await arrived()).map(({ to }) => to)).toEqual([chief.email]);
  });

  test("to get mails at once again, with those that wait for the daily mail", async () => {
    await choose(chief, { when: "daily" });
    await choose(clerk, { when: "never" });
    await shut("Late");
    expect(await arrived()).toEqual([]);
    await choose(chief, { when: "now" });
    mailTo(await arrived(), chief);
  });

  test.each([
    [{ when: "sometimes" }],
    [{ at: "25:00" }],
    [{ zone: "Mars/Base" }],
    [{ kinds: { Case: "hourly" } }],
    [{ other: 1 }],
    [[]],
  ])("nothing else: %j", async (mail) => {
    expect((await choose(chief, mail)).status).toBe(400);
  });
});

describe("unsubscribing", () => {
  const tokenIn = (mail: ArrivedMail) =>
    /unsubscribe\?token=([\w.-]+)/u.exec(headersOf(mail).get("list-unsubscribe") ?? "")?.[1] ?? "";

  test("works with one request of a mail program, without signing in", async () => {
    await shut("Enough");
    const mail = mailTo(await arrived(), chief);
    const headers = headersOf(mail);
    expect(headers.get("list-unsubscribe-post")).toBe("List-Unsubscribe=One-Click");
    const [path] = /\/_\/mail[^>]*/u.exec(headers.get("list-unsubscribe") ?? "") ?? [];
    const form = { method: "POST", url: path ?? "", payload: "List-Unsubscribe=One-Click" } as const;
    const answer = await desk.app.inject({ ...form, headers: { "content-type": "application/x-www-form-urlencoded" } });
    expect(answer.statusCode).toBe(204);
    await shut("More");
    expect((await arrived()).map(({ to }) => to)).toEqual([clerk.email]);
  });

  test("does not happen by opening the link, with a wrong signature, or for somebody else", async () => {
    await shut("Scanned");
    const token = tokenIn(mailTo(await arrived(), chief));
    const named = (of: string) => desk.visitor().get(`/_/mail/unsubscribe?token=${of}`);
    expect((await named(token)).body).toEqual({ kind: "notifications", title: null });
    // As mail programs do that cannot unsubscribe with one click.
    const opened = await desk.app.inject({
      url: `/_/mail/unsubscribe?token=${token}`,
      headers: { accept: "text/html" },
    });
    expect([opened.statusCode, opened.headers.location]).toEqual([303, `/sign-in#stop-mails=${token}`]);
    const others = token.replace(chief.id, clerk.id);
    expect((await named(others)).problem().code).toBe("LINK_USED");
    expect((await desk.visitor().post("/_/mail/unsubscribe", { token: others })).problem().code).toBe("LINK_USED");
    expect((await desk.visitor().post("/_/mail/unsubscribe", {})).problem().code).toBe("LINK_USED");
    expect((await desk.database.query("select from ninefold.preference")).rows).toEqual([]);
  });
});
