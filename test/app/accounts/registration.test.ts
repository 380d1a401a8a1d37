import { beforeAll, describe, expect, test } from "vitest";
import type { OwnAccountJson } from "../../../src/core/wire/accounts/account.ts";
import type { RegisteringJson, RegistrationJson } from "../../../src/core/wire/accounts/people.ts";
import { type Mailer, sendMails } from "../../../src/jobs/mails.ts";
import { connect } from "../../../src/postgres/database.ts";
import { mailAddressChanges } from "../../../src/server/mail/security-notices.ts";
import { type Answer, serveText, type TestServer } from "../program.ts";
import { type ArrivedMail, startSmtp } from "../smtp-server.ts";

const desk = (signUp: string, calls = "") => `
# Desk

## 1. Product

Guests write notes.

\`\`\`yaml
translations: { de: { Desk: Pult } }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
User: { fields: { desk: text? } }
Note: { fields: { text: text } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { guest: { members: granted }, member: { members: signed in } }
permissions:
  User: { read: [{ role: member, fields: [name, desk] }] }
  Note: { read: [guest], create: [guest], update: none, delete: none }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
sign in: { sign up: ${signUp} }
${calls}
\`\`\`
`;

let mails: readonly ArrivedMail[];
let mailer: Mailer;
let served: TestServer;
let chief: Awaited<ReturnType<TestServer["person"]>>;
const sent = async () => {
  const database = connect({ connection: served.database.appUrl, max: 1 });
  await sendMails(database, mailer, new Date()).finally(() => database.end());
};
const tokenIn = (text: string) => /#sign-up=([\w-]+)/u.exec(text)?.[1] ?? "";
const problem = (answer: Answer) => {
  const { status, code, clause, errors } = answer.problem();
  return [status, code, clause, ...(errors ?? []).map((one) => `${one.at} ${one.code}`)].join(" ");
};
const site = { origin: "https://desk.example.com", proxies: [] };
const at = { origin: "https://desk.example.com" };

beforeAll(async () => {
  ({ mails, mailer } = await startSmtp());
  served = await serveText(
    desk(
      "{ emails: [example.com], roles: [guest] }",
      "calls: { POST /join: { sign up: true, takes: { user: { email } } } }",
    ),
    { app: { mails: true, site } },
  );
  chief = await served.person("Chief", ["administrator"]);
});

describe("a person who registers", () => {
  test("gets a link by email, and creates an account with the roles that the document grants", async () => {
    const ada = served.visitor();
    expect((await ada.post("/_/sign-up", { email: " Ada@Example.com " }, at)).status).toBe(202);
    expect((await served.database.query(`select from app."user" where email = 'ada@example.com'`)).rows).toHaveLength(
      0,
    );
    await sent();
    const mail = mails.at(-1);
    expect(mail?.to).toBe("ada@example.com");
    expect(mail?.text).toContain("https://desk.example.com/sign-in#sign-up=");
    expect((await served.database.query("select from ninefold.mail")).rows).toHaveLength(0);
    const token = tokenIn(mail?.text ?? "");

    const response = (await ada.post("/_/sign-up/link", { token }, at)).body as RegisteringJson;
    expect([response.email, response.fields.map(({ name }) => name)]).toEqual(["ada@example.com", ["name"]]);
    const created = { token, name: "Ada", password: "correct horse", more: { desk: "3" } };
    expect(problem(await ada.post("/_/sign-up/account", { ...created, password: "short" }, at))).toBe(
      "422 PASSWORD_LENGTH 7.sign in /password PASSWORD_LENGTH",
    );
    expect((await ada.post("/_/sign-up/account", created, at)).status).toBe(204);
    expect((await ada.get("/_/application")).body).toMatchObject({ person: { name: "Ada", roles: ["guest"] } });
    expect(problem(await served.visitor().post("/_/sign-up/account", { ...created, name: "Eve" }, at))).toBe(
      "403 LINK_USED SIGN_UP_CLOSED",
    );
  });

  test("gets the same response whether or not the address has an account; only a mail tells its owner", async () => {
    const visitor = served.visitor();
    await served.account("Known", "correct horse");
    const one = await visitor.post("/_/sign-up", { email: "known@example.com" }, at);
    const other = await visitor.post("/_/sign-up", { email: "unknown@example.com" }, at);
    expect([one.status, one.text, [...one.headers.keys()].sort()]).toEqual([
      other.status,
      other.text,
      [...other.headers.keys()].sort(),
    ]);
    await sent();
    const told = mails.find(({ to }) => to === "known@example.com");
    expect(tokenIn(told?.text ?? "")).toBe("");
    expect(told?.text).toContain("You already have an account");
    const { rows } = await served.database.query("select email from ninefold.sign_up");
    expect(rows.map(({ email }) => email)).toEqual(["unknown@example.com"]);
  });

  test("is refused if the document does not accept the address, if it is not valid, or after too many attempts", async () => {
    const visitor = served.visitor();
    const request = async (email: string) => problem(await visitor.post("/_/sign-up", { email }, at));
    expect(await request("eve@elsewhere.com")).toBe("403 FORBIDDEN 7.sign in.sign up");
    expect(await request("no address")).toBe("422 WRONG_TYPE 3.User.email /email WRONG_TYPE");
    for (let i = 0; i < 3; i++)
      expect((await visitor.post("/_/sign-up", { email: "often@example.com" }, at)).status).toBe(202);
    expect(await request("often@example.com")).toBe("429 TOO_MANY_ATTEMPTS 9.sign_in_attempts");
  });

  test("can use a call that the document shows", async () => {
    const visitor = served.visitor();
    expect((await visitor.post("/api/join", { user: { email: "cy@example.com" } }, at)).status).toBe(202);
    expect(problem(await visitor.post("/api/join", { user: { email: "?" } }, at))).toBe(
      "422 WRONG_TYPE 3.User.email /user/email WRONG_TYPE",
    );
  });

  test("is listed for administrators, who pass on the link or reject the registration", async () => {
    const waiting = async () => ((await chief.get("/_/sign-ups")).body as { items: RegistrationJson[] }).items;
    const ben = await served.person("Ben");
    expect(problem(await ben.get("/_/sign-ups"))).toBe("403 FORBIDDEN 6.administrator");
    const [cy] = (await waiting()).filter(({ email }) => email === "cy@example.com");
    const link = (await chief.post(`/_/sign-ups/${cy?.id}/link`, {}, at)).body as { link: string };
    const token = tokenIn(link.link);
    expect((await served.visitor().post("/_/sign-up/link", { token }, at)).status).toBe(200);
    expect((await chief.delete(`/_/sign-ups/${cy?.id}`, at)).status).toBe(204);
    expect(problem(await served.visitor().post("/_/sign-up/link", { token }, at))).toBe("403 LINK_USED SIGN_UP_CLOSED");
  });
});

test("links that an administrator creates are mailed too, in the language that the person chose, or the document’s", async () => {
  const created = await chief.post("/_/people", { name: "Invited", email: "invited@example.com", roles: [] });
  expect(created.body).toMatchObject({ mailed: "invited@example.com", link: expect.stringContaining("#password=") });
  const { id, link } = created.body as { id: string; link: string };
  await served.database.query(
    `insert into ninefold.preference (person, name, value) values ($1, 'language', '"de-AT"')`,
    [id],
  );
  const again = await chief.post(`/_/people/${id}/password_link`, {}, { "accept-language": "fr" });
  expect(again.body).toMatchObject({ mailed: "invited@example.com" });
  const { rows } = await served.database.query(
    "select headers->>'content-language' as named from ninefold.mail where recipient = 'invited@example.com'",
  );
  expect(rows.map(({ named }) => named).sort()).toEqual(["de", "en"]);
  const waiting = async () => (await served.database.query("select 1 from ninefold.mail")).rows.length;
  while ((await waiting()) > 0) await sent();
  const theirs = mails.filter(({ to }) => to === "invited@example.com").map(({ text }) => text.replaceAll("\n", ""));
  // They are sent at the same time.
  theirs.sort((a, b) => Number(b.includes("invited you to Desk")) - Number(a.includes("invited you to Desk")));
  expect(theirs).toEqual([
    expect.stringContaining(`https://desk.example.com${link}`),
    expect.stringContaining(`https://desk.example.com${(again.body as { link: string }).link}`),
  ]);
  expect(theirs[0]).toContain("Subject: Chief invited you to Desk");
  expect(theirs[0]).toContain("Chief invited you to Desk.");
  expect(theirs[0]).toContain("Guests write notes.");
  // Without a password, the new link is an invitation, too.
  expect(theirs[1]).toContain("Chief lädt Sie zu Pult ein.");
});

const tended = `
# Tended

## 1. Product
\`\`\`yaml
timezone: Europe/Berlin
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: { members: granted }, member: { members: signed in } }
permissions: { User: { read: [member], update: [clerk] } }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
token: { by: member }
\`\`\`
`;

describe("a person whose account changes", () => {
  const PASSWORD = "correct horse battery";
  let tending: TestServer;
  /** The mails sent now, by recipient. */
  const leaving = async () => {
    const from = mails.length;
    await mailAddressChanges(tending.opened.service, new Date());
    const { database } = tending.opened.service;
    while ((await sendMails(database, mailer, new Date())) > 0);
    return mails.slice(from).map(({ to, text }) => [to, text.replaceAll("\n", " ")] as const);
  };
  const person = async (name: string) => {
    const { id, email } = await tending.account(name, PASSWORD);
    const visitor = tending.visitor();
    expect((await visitor.post("/_/session", { email, password: PASSWORD }, at)).status).toBe(204);
    return { ...visitor, id, email };
  };
  beforeAll(async () => {
    tending = await serveText(tended, { app: { mails: true, site } });
  });

  test("is notified of a new password, set by link or by themselves, in their language", async () => {
    const ada = await person("Ada");
    const body = { current: PASSWORD, password: "the second password" };
    expect((await ada.post("/_/account/password", { ...body, current: "wrong" }, at)).status).toBe(422);
    expect(await leaving()).toEqual([]);
    expect((await ada.post("/_/account/password", body, at)).status).toBe(204);
    expect(await leaving()).toEqual([
      [
        ada.email,
        expect.stringMatching(
          /was changed on \d{1,2} \w+ \d{4}, \d\d:\d\d \(Europe\/Berlin\), from the IP address 127\.0\.0\.1/u,
        ),
      ],
    ]);
    await ada.post("/_/preferences", { language: "de" }, at);
    const root = await tending.person("Root", ["administrator"]);
    const { link } = (await root.post(`/_/people/${ada.id}/password_link`, {}, at)).body as { link: string };
    await leaving();
    const token = /password=(.+)$/u.exec(link)?.[1];
    await tending.visitor().post("/_/password", { token, password: "the third password" }, at);
    const told = await leaving();
    expect(told).toEqual([[ada.email, expect.stringContaining("Das Passwort Ihres Kontos bei Tended")]]);
    expect(JSON.stringify(told)).not.toMatch(/third password|password=/u);
  });

  test("is notified when tokens are created and revoked, without the token", async () => {
    const ben = await person("Ben");
    const settings = { name: "Nightly export", days: 30, roles: [], reads: true };
    expect((await ben.post("/_/account/tokens", { ...settings, password: "wrong" }, at)).status).toBe(422);
    const created = (await ben.post("/_/account/tokens", { ...settings, password: PASSWORD }, at)).body as {
      token: string;
    };
    const told = await leaving();
    expect(told).toEqual([[ben.email, expect.stringContaining("Nightly export")]]);
    expect(JSON.stringify(told)).not.toContain(created.token.slice(3));
    const { tokens } = (await ben.get("/_/account")).body as OwnAccountJson;
    const root = await tending.person("Rita", ["administrator"]);
    const ended = `/_/people/${ben.id}/tokens/${tokens?.items[0]?.id}`;
    for (const told of [[[ben.email, expect.stringContaining("The API token “Nightly export” of your")]], []]) {
      expect((await root.send("DELETE", ended, undefined, { headers: at })).status).toBe(204);
      expect(await leaving()).toEqual(told);
    }
  });

  test("is notified of a changed email address at the old and the new one, whoever changed it", async () => {
    const cy = await person("Cy");
    const clerk = await tending.person("Clerk", ["clerk"]);
    expect((await clerk.patch(`/api/users/${cy.id}`, { name: "Cyrus" }, at)).status).toBe(200);
    expect(await leaving()).toEqual([]);
    expect((await clerk.patch(`/api/users/${cy.id}`, { email: "new@example.com" }, at)).status).toBe(200);
    const told = await leaving();
    expect(told.map(([to]) => to).toSorted()).toEqual([cy.email, "new@example.com"]);
    for (const [, text] of told) expect(text).toContain(`from ${cy.email} to new@example.com`);
    expect((await tending.database.query("select from ninefold.address_change")).rows).toHaveLength(0);
  });

  test("gets no mail if mail is not set up", async () => {
    const mute = await serveText(tended);
    const { email } = await mute.account("Di", PASSWORD);
    const di = mute.visitor();
    await di.post("/_/session", { email, password: PASSWORD });
    await di.post("/_/account/password", { current: PASSWORD, password: "the second password" });
    expect((await mute.database.query("select from ninefold.mail")).rows).toHaveLength(0);
    await mute.stop();
  });
});

test("a mail goes to exactly one address, whatever the address looks like", async () => {
  const open = await serveText(desk("open"), { app: { mails: true, site } });
  const odd = ["a,boss@example.com", "group:boss@example.com;x.example", "boss(x)@example.com"];
  for (const email of odd) await open.visitor().post("/_/sign-up", { email }, at);
  const asked = (await open.database.query("select recipient from ninefold.mail order by recipient")).rows;
  const from = mails.length;
  await sendMails(open.opened.service.database, mailer, new Date());
  expect(asked.length).toBeGreaterThan(1);
  expect(mails.slice(from).map(({ to }) => to)).not.toContain("boss@example.com");
  expect(
    mails
      .slice(from)

      // SMTP quotes the part before the @.
      .map(({ to }) => to.replaceAll('"', ""))
      .toSorted(),
  ).toEqual(asked.map(({ recipient }) => recipient));
  await open.stop();
});

test("registration is closed if the document does not open it; without mail only administrators see the links", async () => {
  const closed = await serveText(desk("none"));
  const refused = await closed.visitor().post("/_/sign-up", { email: "a@example.com" });
  expect(refused).toMatchObject({ status: 404, body: { code: "NO_SUCH_CALL" } });
  await closed.stop();
  const open = await serveText(desk("open"));
  expect((await open.visitor().post("/_/sign-up", { email: "a@example.com" })).status).toBe(202);
  expect((await open.database.query("select from ninefold.mail")).rows).toHaveLength(0);
  expect((await open.database.query("select from ninefold.sign_up")).rows).toHaveLength(1);
  await open.stop();
});
