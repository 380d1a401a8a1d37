import { createServer } from "node:http";
import { beforeAll, describe, expect, test } from "vitest";
import type { LinkJson, PersonAccountJson } from "../../../src/core/wire/accounts/people.ts";
import type { UnsentPageJson } from "../../../src/core/wire/unsent.ts";
import { createMailer, type Mailer, reportOutage, sendMails } from "../../../src/jobs/mails.ts";
import { deliver } from "../../../src/jobs/outbox.ts";
import { mailAddressChanges } from "../../../src/server/mail/security-notices.ts";
import { freePort, serveText, type TestServer } from "../program.ts";
import { type SmtpServer, startSmtp } from "../smtp-server.ts";

const text = `# Desk

## 3. Entities and their fields
\`\`\`yaml
Case: { fields: { title: text } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Case: { after: { create: [{ call: ledger }] } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions: { Case: { read: staff, create: staff } }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
outgoing: { ledger: { post: APP_LEDGER_URL, sends: { title }, retries: 0 } }
\`\`\`
`;

const origin = "https://desk.example.com";
const at = { origin };
let smtp: SmtpServer;
let desk: TestServer;
let chief: Awaited<ReturnType<TestServer["person"]>>;
let now = new Date("2026-03-03T10:00:00Z");

const sent = () => sendMails(desk.opened.service.database, smtp.mailer, now);
const unsent = async () => ((await chief.get("/_/unsent")).body as UnsentPageJson).items;

beforeAll(async () => {
  smtp = await startSmtp();
  desk = await serveText(text, { app: { clock: () => now, mails: true, site: { origin, proxies: [] } } });
  chief = await desk.person("Carl", ["administrator"]);
});

describe("a mail that cannot be sent", () => {
  test("is listed with the server’s answer, without its subject, and sent again by an administrator", async () => {
    smtp.rejects.set("gone@example.com", "550 no such mailbox");
    const invitation = { name: "Gone", email: "gone@example.com", roles: [] };
    const invited = await chief.post("/_/people", invitation, at);
    expect(invited.status).toBe(201);
    const linkMail = async () =>
      ((await chief.get(`/_/people/${(invited.body as LinkJson).id}`)).body as PersonAccountJson).link_mail;
    expect(await linkMail()).toBe("waiting");
    await sent();
    expect(await linkMail()).toMatchObject({ kind: "mail", said: expect.stringContaining("550 no such mailbox") });
    const [mail, ...more] = await unsent();
    expect(more).toEqual([]);
    expect(mail).toMatchObject({ kind: "mail", to: "gone@example.com", tries: 1, again: null });
    expect(mail?.reason).toMatchObject({ kind: "mail", said: expect.stringContaining("550 no such mailbox") });
    expect(JSON.stringify(mail)).not.toContain("invited");
    // It is not retried automatically.
    now = new Date("2026-03-03T20:00:00Z");
    expect(await sent()).toBe(0);

    smtp.rejects.clear();
    expect((await chief.post(`/_/unsent/${mail?.id}/send`, {}, at)).status).toBe(204);
    await sent();
    expect(smtp.mails.at(-1)?.to).toBe("gone@example.com");
    expect(await linkMail()).toBeNull();
    expect(await unsent()).toEqual([]);
    const { rows } = await desk.database.query("select person, clause from ninefold.audit where action = 'send_again'");
    expect(rows).toEqual([{ person: chief.id, clause: "6.administrator" }]);
  });

  test("is not taken for the mail with a link if it is about something else, or about a link that no longer counts", async () => {
    smtp.rejects.set("nora@example.com", "550 no such mailbox");
    const invited = await chief.post("/_/people", { name: "Nora", email: "nora@example.com", roles: [] }, at);
    const { id } = invited.body as LinkJson;
    const linkMail = async () => ((await chief.get(`/_/people/${id}`)).body as PersonAccountJson).link_mail;
    await sent();
    expect(await linkMail()).toMatchObject({ kind: "mail" });
    smtp.rejects.clear();
    expect((await chief.post(`/_/people/${id}/password_link`, {}, at)).status).toBe(201);
    expect(await linkMail()).toBe("waiting");
    await sent();
    await desk.database.query(
      "insert into ninefold.address_change (person, old, new, at) values ($1, 'old@example.com', 'nora@example.com', now())",
      [id],
    );
    await mailAddressChanges(desk.opened.service, now);
    const { rows } = await desk.database.query("select from ninefold.mail where recipient = 'nora@example.com'");
    expect(rows).toHaveLength(2);
    expect(await linkMail()).toBeNull();
    await desk.database.query("delete from ninefold.mail");
  });

  test("is retried automatically if the server is busy, and listed meanwhile with the time of the next attempt", async () => {
    smtp.rejects.set("busy@example.com", "451 try later");
    await chief.post("/_/people", { name: "Busy", email: "busy@example.com", roles: [] }, at);
    await sent();
    const [mail] = await unsent();
    expect(mail).toMatchObject({ to: "busy@example.com", tries: 1 });
    expect(Date.parse(mail?.again ?? "")).toBeGreaterThan(now.getTime());
    smtp.rejects.clear();
    now = new Date(now.getTime() + 60_000);
    await sent();
    expect(smtp.mails.at(-1)?.to).toBe("busy@example.com");
    expect(await unsent()).toEqual([]);
  });
});

describe("all messages that failed", () => {
  const invite = async (...names: readonly string[]) => {
    for (const name of names)
      await chief.post("/_/people", { name, email: `${name.toLowerCase()}@example.com`, roles: [] }, at);
  };
  const sendAll = async () => expect((await chief.post("/_/unsent/send", {}, at)).status).toBe(204);
  const recipients = () => smtp.mails.map(({ to }) => to);
  const later = (minutes: number) => {
    now = new Date(now.getTime() + minutes * 60_000);
  };
  const acts = async () =>
    (await desk.database.query("select id from ninefold.audit where action = 'send_again'")).rows.length;
  /** Lets each of several attempts fail, after the longest time for which it can wait. */
  const fail = async (attempts: number, mailer: Mailer) => {
    for (let tries = 0; tries < attempts; tries++) {
      await sendMails(desk.opened.service.database, mailer, now);
      if (tries < attempts - 1) later((2 ** (tries + 1) * 1.2) / 60);
    }
  };

  test("are sent again by one act of an administrator, such as mails that found no mail server", async () => {
    const away = createMailer({ ...smtp.environment, NINEFOLD_SMTP: `smtp://127.0.0.1:${await freePort()}` });
    if (away === undefined) throw new Error("no mailer");
    await invite("One", "Two");
    await fail(10, away);
    const listed = await unsent();
    expect(listed.map(({ to }) => to).sort()).toEqual(["one@example.com", "two@example.com"]);
    for (const { reason, again } of listed)
      expect({ reason, again }).toEqual({
        reason: { kind: "no mail server", code: expect.stringMatching(/^connect ECONNREFUSED 127\.0\.0\.1:\d+$/u) },
        again: null,
      });
    const before = await acts();
    await sendAll();
    await sent();
    expect(recipients().slice(-2).sort()).toEqual(["one@example.com", "two@example.com"]);
    expect(await unsent()).toEqual([]);
    expect(await acts()).toBe(before + 1);
    // Nothing is left, so nothing is recorded.
    await sendAll();
    expect(await acts()).toBe(before + 1);
  });

  test("are reported in the log once for as long as the mail server cannot be used", async () => {
    const lines: unknown[] = [];
    let isAway = true;
    const log = { warn: (what: object, message: string) => lines.push([what, message]) };
    const away = createMailer({ ...smtp.environment, NINEFOLD_SMTP: `smtp://127.0.0.1:${await freePort()}` });
    const send: Mailer["send"] = async (mail) => (isAway ? away : smtp.mailer)?.send(mail);
    const mailer = reportOutage({ send }, log);
    const mail = { to: "log@example.com", subject: "Log", text: "Log" };
    for (let tries = 0; tries < 2; tries++) await expect(mailer.send(mail)).rejects.toThrow();
    expect(lines).toEqual([
      [{ reason: expect.stringContaining("ECONNREFUSED") }, "emails wait, because the mail server cannot be used"],
    ]);
    isAway = false;
    await mailer.send(mail);
    // The server rejects an address: it can be used.
    smtp.rejects.set("log@example.com", "550 nobody here");
    await expect(mailer.send(mail)).rejects.toThrow();
    smtp.rejects.clear();
    expect(lines).toHaveLength(1);
    isAway = true;
    await expect(mailer.send(mail)).rejects.toThrow();
    expect(lines).toHaveLength(2);
  });

  test("do not include one whose next attempt is in progress, which would be sent twice", async () => {
    smtp.rejects.set("slow@example.com", "451 try later");
    await invite("Slow");
    await sent();
    smtp.rejects.clear();
    later(1);
    const during: Mailer = {
      send: async (mail) => {
        await sendAll();
        expect(await sent()).toBe(0);
        await smtp.mailer.send(mail);
      },
    };
    await sendMails(desk.opened.service.database, during, now);
    expect(recipients().filter((to) => to === "slow@example.com")).toHaveLength(1);
    expect(await unsent()).toEqual([]);
  });

  test("include one that would be tried again only much later", async () => {
    smtp.rejects.set("late@example.com", "451 try later");
    await invite("Late");
    await fail(9, smtp.mailer);
    smtp.rejects.clear();
    await sent();
    expect(recipients()).not.toContain("late@example.com");
    await sendAll();
    await sent();
    expect(recipients()).toContain("late@example.com");
  });

  test("do not include calls that an administrator dropped after a restore, which can be sent one by one", async () => {
    await chief.post("/api/cases", { title: "Dropped" }, at);
    await desk.database.query("update ninefold.release set held_since = $1, held_from = $1", [now.toISOString()]);
    expect((await chief.post("/_/held/let-go", { old: false }, at)).status).toBe(204);
    const stateOf = async () => (await unsent()).map(({ reason, again }) => ({ reason, isGivenUp: again === null }));
    const dropped = [{ reason: { kind: "restored" }, isGivenUp: true }];
    expect(await stateOf()).toEqual(dropped);
    await sendAll();
    expect(await stateOf()).toEqual(dropped);
    const [{ id = "" } = {}] = await unsent();
    expect((await chief.post(`/_/unsent/${id}/send`, {}, at)).status).toBe(204);
    expect(await stateOf()).toEqual([{ reason: { kind: "restored" }, isGivenUp: false }]);
    await desk.database.query("delete from ninefold.outbox");
  });
});

test("an email that the mail client cannot send is not said to lack a mail server", async () => {
  const failing: Mailer = { send: () => Promise.reject(Object.assign(new Error("no"), { code: "EENVELOPE" })) };
  await chief.post("/_/people", { name: "Odd", email: "odd@example.com", roles: [] }, at);
  await sendMails(desk.opened.service.database, failing, now);
  expect((await unsent()).map(({ reason }) => reason)).toEqual([{ kind: "mail", said: "EENVELOPE" }]);
  await desk.database.query("delete from ninefold.mail");
});

test("a call that was given up is listed with its reason, and can be sent again", async () => {
  let status = 500;
  const server = createServer((_, response) => response.writeHead(status).end());
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  const { port } = server.address() as { readonly port: number };
  const calling = async () => {
    const { database, model } = desk.opened.service;
    const outside = { environment: { APP_LEDGER_URL: `http://127.0.0.1:${port}/` }, fetch };
    return deliver(database, model.outgoing, outside, now, { warn: () => undefined });
  };
  await chief.post("/api/cases", { title: "Secret title" }, at);
  await calling();
  const [call] = await unsent();
  expect(call).toMatchObject({ kind: "call", to: "ledger", again: null, reason: { kind: "answered", status: "500" } });
  expect(JSON.stringify(call)).not.toContain("Secret title");
  status = 204;
  expect((await chief.post(`/_/unsent/${call?.id}/send`, {}, at)).status).toBe(204);
  expect(await calling()).toBe(1);
  expect(await unsent()).toEqual([]);
  await new Promise((resolve) => server.close(resolve));
});

test("only administrators can see and resend messages", async () => {
  const ada = await desk.person("Ada");
  expect((await ada.get("/_/unsent")).problem().code).toBe("FORBIDDEN");
  expect((await desk.visitor().get("/_/unsent")).problem().code).toBe("NOT_SIGNED_IN");
  expect((await ada.post("/_/unsent/send", {}, at)).problem().code).toBe("FORBIDDEN");
  const id = "01a1f40a-58ca-7a05-9984-7eae99dc592e";
  expect((await ada.post(`/_/unsent/${id}/send`, {}, at)).problem().code).toBe("FORBIDDEN");
  expect((await chief.post(`/_/unsent/${id}/send`, {}, at)).problem().code).toBe("NOT_FOUND");
  expect((await chief.get("/_/unsent?after=x")).problem().code).toBe("BAD_CURSOR");
});

describe("a person who forgot their password", () => {
  const ask = (email: string) => desk.visitor().post("/_/forgotten-password", { email }, at);
  const tokenIn = (mail: string) => /#password=([\w-]+)/u.exec(mail)?.[1] ?? "";

  test("gets a link for an hour, and sets a new one", async () => {
    const { email } = await desk.account("Petra", "correct horse");
    const before = smtp.mails.length;
    expect((await ask(` ${email.toUpperCase()} `)).status).toBe(202);
    await sent();
    expect(smtp.mails.slice(before).map(({ to }) => to)).toEqual([email]);
    const mail = smtp.mails.at(-1)?.text ?? "";
    expect(mail).toContain(`${origin}/sign-in#password=`);
    const set = { token: tokenIn(mail), password: "battery staple" };
    expect((await desk.visitor().post("/_/password", set, at)).status).toBe(204);
    expect((await desk.visitor().post("/_/session", { email, password: "battery staple" }, at)).status).toBe(204);
    expect((await desk.visitor().post("/_/password", set, at)).problem().code).toBe("LINK_USED");

    await ask(email);
    await sent();
    const late = tokenIn(smtp.mails.at(-1)?.text ?? "");
    now = new Date(now.getTime() + 61 * 60_000);
    expect((await desk.visitor().post("/_/password-link", { token: late }, at)).problem().code).toBe("LINK_USED");
  });

  test("gets the same response as somebody without an account, who gets no mail", async () => {
    const { email } = await desk.account("Known", "correct horse");
    const former = await desk.account("Former", "correct horse");
    await desk.database.query(`update app."user" set active = false where id = $1`, [former.id]);
    // Signs in through a provider alone.
    await desk.database.query("insert into ninefold.identity values ('https://work.example.com', 'carl', $1, now())", [
      chief.id,
    ]);
    const known = await ask(email);
    const before = smtp.mails.length;
    for (const other of ["unknown@example.com", former.email, chief.email]) {
      const answer = await ask(other);
      expect([answer.status, answer.text, [...answer.headers.keys()].sort()]).toEqual([
        known.status,
        known.text,
        [...known.headers.keys()].sort(),
      ]);
    }
    while ((await sent()) > 0);
    expect(smtp.mails.slice(before).map(({ to }) => to)).toEqual([email]);
    // A text that cannot be an address is refused; that depends on the request alone.
    for (const typed of ["", " ", "ada", "ada@desk"])
      expect((await ask(typed)).problem().errors).toMatchObject([{ at: "/email", code: "WRONG_TYPE" }]);
  });

  test("cannot ask more than three times a day", async () => {
    for (let i = 0; i < 3; i++) expect((await ask("often@example.com")).status).toBe(202);
    expect((await ask("often@example.com")).problem()).toMatchObject({ status: 429, code: "TOO_MANY_ATTEMPTS" });
  });

  test("does not lose a link that an administrator created", async () => {
    const { id, email } = await desk.account("Linked", "correct horse");
    const { link } = (await chief.post(`/_/people/${id}/password_link`, {}, at)).body as { readonly link: string };
    await ask(email);
    expect((await desk.visitor().post("/_/password-link", { token: tokenIn(link) }, at)).status).toBe(200);
  });
});
