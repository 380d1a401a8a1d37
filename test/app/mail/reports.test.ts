import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { OwnAccountJson } from "../../../src/core/wire/accounts/account.ts";
import { sendMails } from "../../../src/jobs/mails.ts";
import { mailReports } from "../../../src/server/records/reports/report-mails.ts";
import { serveText, type TestServer } from "../program.ts";
import { type ArrivedMail, headersOf, type SmtpServer, startSmtp } from "../smtp-server.ts";

const text = `# Desk

## 1. Purpose
\`\`\`yaml
name: Desk
locale: en
timezone: Europe/Berlin
currency: EUR
translations:
  de: { Open requests: Offene Anträge, Cost: Kosten, Open: Offen }
\`\`\`

## 2. Screens
\`\`\`yaml
/:
  title: Today
  tiles:
    - { title: Waiting, count: Request, where: status == open }
    - { title: Total, figure: Request, value: sum(cost), target: { at most: 10000 } }
    - { title: By people, pivot: owner, by: needed_on, from: Request, value: sum(cost) }
    - { title: Mine, list: Request, where: owner == user, columns: [title, cost] }
    - { title: Cost by state, chart: bars, from: Request, per: status, value: sum(cost) }
    - { title: By month, chart: columns, from: Request, per: month_of(needed_on) }
    - { title: Closed by state, chart: bars, from: Request, per: status, where: status == closed }
  send: { every: working day 07:30, to: boss }
/open:
  title: Open requests
  list: Request
  columns: [title, cost, needed_on, secret, owner]
  sort: [title]
  where: status == open
  send: { every: monday 08:00, to: [clerk, boss], attach: csv }
/all: { list: Request, send: { every: month 6:00, to: staff, empty: true } }
/states: { title: By state, list: Request, layouts: [{ pivot: status, by: needed_on }], send: { every: sunday 05:00, to: [clerk, boss] } }
/requests/{id}: { record: Request }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Request:
  label: "{title} of {owner}"
  fields: { title: text, cost: money, needed_on: date?, secret: text?, owner: { type: User, set: user } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Request: { field: status, initial: open, states: [open, closed], transitions: { close: { from: open, to: closed, by: boss } } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { staff: { members: signed in }, clerk: granted, boss: granted, Request: { owner: owner == user } }
permissions:
  User: { read: { role: staff, fields: [name] } }
  Request:
    read: [boss, owner, { role: clerk, when: "cost < 1000", fields: [title, cost, needed_on, owner, status] }]
    create: [{ role: staff, fields: [title, cost, needed_on, secret] }]
\`\`\`
`;

const origin = "https://desk.example.com";
type Person = Awaited<ReturnType<TestServer["person"]>>;
let now = new Date("2026-03-04T10:00:00Z");
let smtp: SmtpServer;
let desk: TestServer;
let boss: Person;
let clerk: Person;
let owner: Person;

/** The mails that arrive at a time. */
const arrivedAt = async (time: string): Promise<readonly ArrivedMail[]> => {
  now = new Date(time);
  const { length } = smtp.mails;
  const { service } = desk.opened;
  while ((await mailReports(service, origin, now)) > 0);
  while ((await sendMails(service.database, smtp.mailer, now)) > 0);
  return smtp.mails.slice(length);
};
const to = (mails: readonly ArrivedMail[]) => mails.map((mail) => mail.to).sort();
const textTo = (mails: readonly ArrivedMail[], { email }: Person) =>
  mails.find((mail) => mail.to === email)?.text ?? "";
/** The list of Mondays alone. */
const isOpenList = ({ text: mail }: ArrivedMail) => mail.includes("Subject: Desk: Open requests");

beforeAll(async () => {
  smtp = await startSmtp();
  desk = await serveText(text, { app: { clock: () => now, mails: true, site: { origin, proxies: [] } } });
  boss = await desk.person("Bea", ["boss"]);
  clerk = await desk.person("Clara", ["clerk"]);
  owner = await desk.person("Olga");
  for (const [title, cost, needed_on] of [
    ["Chairs", "640.50", "2026-03-20"],
    ["Servers", "9000", null],
  ])
    expect((await owner.post("/api/requests", { title, cost, needed_on, secret: "hush" })).status).toBe(201);
});
beforeEach(async () => {
  await desk.database.query("delete from ninefold.preference");
});

describe("a list with “send”", () => {
  test("is first sent at its next time, to the people of its roles, each with their own rows", async () => {
    expect(await arrivedAt("2026-03-04T10:00:00Z")).toEqual([]);
    // 8:00 in Berlin is 7:00 UTC.
    expect((await arrivedAt("2026-03-09T06:59:00Z")).filter(isOpenList)).toEqual([]);
    const mails = (await arrivedAt("2026-03-09T07:00:10Z")).filter(isOpenList);
    expect(to(mails)).toEqual([boss.email, clerk.email].sort());
    const toBoss = textTo(mails, boss);
    expect(toBoss).toContain("Open requests\n2 requests");
    // Values in its label are not repeated.
    expect(toBoss).toMatch(/Chairs of Olga\nCost: €640\.50 · Needed on: 20 Mar 2026 · Secret: hush\nhttps:/u);
    expect(toBoss).toContain("Servers");
    expect(toBoss).toContain(`Open:\n${origin}/open`);
    const toClerk = textTo(mails, clerk);
    expect(toClerk).toContain("1 request");
    expect(toClerk).toContain("because Desk sends “Open requests” every Monday at 08:00 (");
    expect(toClerk).not.toMatch(/hush|Servers|Secret/u);
    // The rows are attached as a file.
    expect(toBoss).toMatch(/filename="Open requests\.csv"/u);
    // Nobody gets it twice.
    expect((await arrivedAt("2026-03-09T12:00:00Z")).filter(isOpenList)).toEqual([]);
  });

  test("is written with the permissions of the moment, and not at all if there is nothing to show", async () => {
    await desk.database.query(`update app."request" set cost = 2000 where title = 'Chairs'`);
    expect(to((await arrivedAt("2026-03-16T07:00:10Z")).filter(isOpenList))).toEqual([boss.email]);
    await desk.database.query(`update app."user" set roles = '{}' where id = $1`, [boss.id]);
    expect((await arrivedAt("2026-03-23T07:00:10Z")).filter(isOpenList)).toEqual([]);
    await desk.database.query(`update app."user" set roles = '{boss}' where id = $1`, [boss.id]);
  });

  test("is in the reader’s language", async () => {
    await desk.database.query(`insert into ninefold.preference (person, name, value) values ($1, 'language', '"de"')`, [
      boss.id,
    ]);
    const mails = (await arrivedAt("2026-03-30T06:00:10Z")).filter(({ text: mail }) => mail.includes("Offene Antr"));
    expect(textTo(mails, boss)).toContain("Kosten: 2.000");
    expect(textTo(mails, boss)).toContain("jeden Montag um 08:00 (");
    expect(textTo(mails, boss)).toContain('<html lang="de">');
  });

  test("is sent to everybody with “signed in”, also without rows if “empty” says so", async () => {
    const quiet = await desk.person("Quentin");
    // Sample people get no mail.
    const sample = await desk.person("Sam");
    await desk.database.query(`insert into ninefold.sample (entity, record) values ('User', '${sample.id}')`);
    const mails = (await arrivedAt("2026-04-01T04:00:10Z")).filter(({ text: mail }) => mail.includes("Desk: Requests"));
    expect(to(mails)).toEqual([boss.email, clerk.email, owner.email, quiet.email].sort());
    expect(textTo(mails, quiet)).toContain("Requests\nNone at the moment.");
  });

  test("waits while a restored copy sends nothing, and is not sent a day later", async () => {
    await arrivedAt("2026-04-12T10:00:00Z");
    await desk.database.query("update ninefold.release set held_since = now()");
    expect(await arrivedAt("2026-04-13T06:00:10Z")).toEqual([]);
    await desk.database.query("update ninefold.release set held_since = null");
    expect((await arrivedAt("2026-04-14T07:00:00Z")).filter(isOpenList)).toEqual([]);
  });

  test("ends with one request of the mail program, without ending other lists, overviews or mails", async () => {
    const mails = (await arrivedAt("2026-04-20T06:00:10Z")).filter(isOpenList);
    const [mail] = mails.filter((one) => one.to === boss.email);
    const token = /token=([\w.-]+)/u.exec(headersOf(mail as ArrivedMail).get("list-unsubscribe") ?? "")?.[1] ?? "";
    expect((await desk.visitor().post("/_/mail/unsubscribe", { token }, { origin })).status).toBe(204);
    const named = (of: string) => desk.visitor().get(`/_/mail/unsubscribe?token=${of}`);
    expect((await named(token)).body).toEqual({ kind: "report", title: expect.any(String) });
    const retitled = token.replace(/[^.]+$/u, Buffer.from("Call me").toString("base64url"));
    expect((await named(retitled)).problem().code).toBe("LINK_USED");
    const chosen = async () => {
      const { rows } = await desk.database.query("select value from ninefold.preference where name = 'mail'");
      return rows.map(({ value }): unknown => JSON.parse(String(value)));
    };
    expect(await chosen()).toEqual([{ stopped: ["/open"] }]);
    const later = await arrivedAt("2026-04-27T06:00:10Z");
    expect(later.filter(isOpenList)).toEqual([]);
    expect(to(later)).toContain(boss.email);

    // Once more changes nothing, and another person’s signature or another list does not fit.
    expect((await desk.visitor().post("/_/mail/unsubscribe", { token }, { origin })).status).toBe(204);
    const forged = token.replace(/[^.]+$/u, Buffer.from("/all").toString("base64url"));
    expect((await desk.visitor().post("/_/mail/unsubscribe", { token: forged }, { origin })).problem().code).toBe(
      "LINK_USED",
    );
    expect(await chosen()).toEqual([{ stopped: ["/open"] }]);
    // The page of the link can end all lists and overviews.
    expect((await desk.visitor().post("/_/mail/unsubscribe", { token, all: "reports" }, { origin })).status).toBe(204);
    expect(await chosen()).toEqual([{ stopped: ["/open"], reports: "never" }]);

    // As many as a choice can hold: the oldest gives way, and the choice stays valid.
    const many = Array.from({ length: 100 }, (_, at) => `/list-${at}`);
    await desk.database.query(
      `update ninefold.preference set value = '${JSON.stringify({ stopped: many })}' where name = 'mail'`,
    );
    expect((await desk.visitor().post("/_/mail/unsubscribe", { token }, { origin })).status).toBe(204);
    expect(await chosen()).toEqual([{ stopped: [...many.slice(1), "/open"] }]);
    await desk.database.query("delete from ninefold.preference where name = 'mail'");
  });
});

test("an overview is sent with its counts, figures and lists", async () => {
  const [mail, ...more] = await arrivedAt("2026-04-28T05:30:10Z");
  expect([mail?.to, more]).toEqual([boss.email, []]);
  expect(mail?.text).toContain("Waiting: 2");
  expect(mail?.text).toMatch(/Total: €11,000\.00/u);
  expect(mail?.text).toMatch(
    /By people\n2 requests\n\nOwner \/ Needed on: Cost {2}.*Mar 2026.* Total\nOlga .*€11,000\.00\nTotal /u,
  );
  expect(mail?.text).toContain(`Open:\n${origin}/\n`);
  // Each tile leads to its records.
  expect(mail?.text).toContain(`href="${origin}/all?where=2.%2F.1"`);
  // The figure has its target.
  expect(mail?.text).toContain("Total: €11,000.00\nAbove the limit of €10,000.00");
  expect(mail?.text).toMatch(/font-size:24px[^>]*>€11,000\.00<\/div>/u);
  expect(mail?.text).toContain("Mine\nNone at the moment.");
});

test("a chart is mailed as bars with their values, which load nothing", async () => {
  const [mail] = await arrivedAt("2026-04-29T05:30:10Z");
  expect(mail?.text).toMatch(/Cost by state\n\nOpen +€11,000\.00\n/u);
  expect(mail?.text).toMatch(/By month\n\nMar 2026 +1\nNo Needed on +1\nTotal +2\n/u);
  expect(mail?.text).toMatch(
    /<th scope="row"[^>]*>Mar 2026<\/th><td[^>]*><table role="presentation" width="100%"[^>]*bgcolor/u,
  );
  expect(mail?.text).toContain("Closed by state\nNone at the moment.");
  expect(mail?.text).not.toContain("<img");
});

test("a list that opens as a pivot is sent as one, with the rows that its reader can see", async () => {
  await desk.database.query(`update app."request" set cost = 20 where title = 'Chairs'`);
  const mails = await arrivedAt("2026-05-03T03:00:10Z");
  expect(to(mails)).toEqual([boss.email, clerk.email].sort());
  expect(textTo(mails, boss)).toMatch(
    /By state\n2 requests\n\nStatus \/ Needed on {2}Mar 2026 {2}No Needed on {2}Total\nOpen +1 +1 +2\nTotal +1 +1 +2\n/u,
  );
  expect(textTo(mails, clerk)).toMatch(/By state\n1 request\n\nStatus \/ Needed on {2}Mar 2026 {2}Total\nOpen /u);
  expect(textTo(mails, clerk)).toMatch(/<th scope="row"[^>]*>Open<\/th><td[^>]*>1<\/td>/u);
});

test("the account lists what is sent to its owner, with the schedule", async () => {
  const { email } = await desk.account("Kim", "correct horse battery");
  const kim = desk.visitor();
  const signedIn = await kim.post("/_/session", { email, password: "correct horse battery" }, { origin });
  expect(signedIn.status).toBe(204);
  const { reports } = (await kim.get("/_/account")).body as OwnAccountJson;
  expect(reports).toEqual([{ screen: "/all", title: "Requests", days: "month", time: "06:00" }]);
});
