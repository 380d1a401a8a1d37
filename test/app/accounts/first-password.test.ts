import { beforeAll, describe, expect, test } from "vitest";
import type { LinkJson } from "../../../src/core/wire/accounts/people.ts";
import { sendMails } from "../../../src/jobs/mails.ts";
import { mailAddressChanges } from "../../../src/server/mail/security-notices.ts";
import { axeFindings } from "../../web/axe.ts";
import { complaints, focused, visit } from "../../web/browser.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";
import { type SmtpServer, startSmtp } from "../smtp-server.ts";

const text = (permission: string) => `# Desk

## 6. Roles and permissions
\`\`\`yaml
roles: { staff: { members: signed in }, User: { oneself: this == user } }
permissions: { User: { read: staff${permission} } }
\`\`\`
`;

const origin = "https://desk.example.com";
const at = { origin };
const password = "correct horse battery";
let smtp: SmtpServer;
let desk: TestServer;
let chief: ApiClient & { readonly id: string };
beforeAll(async () => {
  smtp = await startSmtp();
  const permission = ", update: { role: oneself, fields: [name] }";
  desk = await serveText(text(permission), { app: { mails: true, site: { origin, proxies: [] } } });
  chief = await desk.person("Carl", ["administrator"]);
});

const subjects = async (): Promise<readonly string[]> => {
  const { length } = smtp.mails;
  while ((await sendMails(desk.opened.service.database, smtp.mailer, new Date())) > 0);
  return smtp.mails
    .slice(length)
    .map(({ text: mail }) => /^Subject: (.*)$/mu.exec(mail)?.[1] ?? "")
    .sort();
};
const invite = async (
  server: TestServer,
  by: ApiClient,
  name: string,
  email: string,
  headers: Readonly<Record<string, string>> = at,
) => {
  const invited = (await by.post("/_/people", { name, email, roles: [] }, headers)).body as LinkJson;
  return { id: invited.id, token: invited.link.replace(/^.*password=/u, ""), visitor: server.visitor() };
};
const asksName = async ({ token, visitor }: Awaited<ReturnType<typeof invite>>) =>
  ((await visitor.post("/_/password-link", { token }, at)).body as { readonly asksName: boolean }).asksName;

test("a first password is no change, so no mail says that it was changed; a new one is", async () => {
  const { id, token, visitor } = await invite(desk, chief, "Ada Lovelace", "ada@example.com");
  expect(await subjects()).toEqual(["Carl invited you to Desk"]);
  expect((await visitor.post("/_/password", { token, password }, at)).status).toBe(204);
  expect(await subjects()).toEqual([]);

  const reset = (await chief.post(`/_/people/${id}/password_link`, {}, at)).body as LinkJson;
  const again = { token: reset.link.replace(/^.*password=/u, ""), password: `${password} 2` };
  expect((await desk.visitor().post("/_/password", again, at)).status).toBe(204);
  expect(await subjects()).toEqual(["Reset your Desk password", "Your Desk password was changed"]);
});

describe("somebody whose invitation expired", () => {
  const expire = (id: string) =>
    desk.database.query("update ninefold.once_link set expires_at = now() - interval '1 hour' where person = $1", [id]);

  test("asks for a new link on the page of the old one, and sets the first password", async () => {
    const { id, token, visitor } = await invite(desk, chief, "Lena", "lena@example.com");
    await expire(id);
    expect((await visitor.post("/_/password", { token, password }, at)).problem().code).toBe("LINK_USED");
    await subjects();
    expect((await visitor.post("/_/forgotten-password", { email: "lena@example.com" }, at)).status).toBe(202);
    expect(await subjects()).toEqual(["Set your Desk password"]);
    const mail = smtp.mails.at(-1)?.text ?? "";
    expect(mail).not.toMatch(/current password|reset/iu);
    const again = /#password=([\w-]{43})/u.exec(mail)?.[1];
    expect((await visitor.post("/_/password", { token: again, password }, at)).status).toBe(204);
  });

  test("gets an invitation from an administrator again, for as long as the first", async () => {
    const { id } = await invite(desk, chief, "Mona", "mona@example.com");
    await expire(id);
    await subjects();
    const { until } = (await chief.post(`/_/people/${id}/password_link`, {}, at)).body as LinkJson;
    expect(await subjects()).toEqual(["Carl invited you to Desk"]);
    const days = (Date.parse(until) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(7);
  });

  test("gets no link by mail if they sign in through a provider", async () => {
    const { id } = await invite(desk, chief, "Nora", "nora@example.com");
    await desk.database.query(
      "insert into ninefold.identity (issuer, subject, person, made_at) values ('https://work.example.com', 'nora', $1, now())",
      [id],
    );
    await subjects();
    expect((await desk.visitor().post("/_/forgotten-password", { email: "nora@example.com" }, at)).status).toBe(202);
    expect(await subjects()).toEqual([]);
  });
});

test("a deactivated account gets no link for a forgotten password, and the answer does not say so", async () => {
  const { id, email } = await desk.account("Dana", password);
  const forget = () => desk.visitor().post("/_/forgotten-password", { email }, at);
  await subjects();
  const known = await forget();
  expect(await subjects()).toEqual(["Reset your Desk password"]);
  await desk.database.query(`update app."user" set "active" = false where "id" = $1`, [id]);
  const gone = await forget();
  expect([gone.status, gone.text]).toEqual([known.status, known.text]);
  expect(await subjects()).toEqual([]);
});

describe("a name that is only a guess from the address", () => {
  test("can be corrected with the first password", async () => {
    const invited = await invite(desk, chief, "Grace Hopper", "grace.hopper@example.com");
    expect(await asksName(invited)).toBe(true);
    const { id, token, visitor } = invited;
    const refused = (await visitor.post("/_/password", { token, password, name: " " }, at)).problem();
    expect(refused.errors?.map(({ at: place }) => place)).toEqual(["/name"]);
    // The link is not used up by a refused name.
    expect(await asksName(invited)).toBe(true);
    expect((await visitor.post("/_/password", { token, password, name: "Grace B. Hopper" }, at)).status).toBe(204);
    const { rows } = await desk.database.query(`select name from app."user" where id = '${id}'`);
    expect(rows).toEqual([{ name: "Grace B. Hopper" }]);
    // The history says who did it.
    const lines = await desk.database.query(
      `select action, person, changes from ninefold.audit where record = '${id}' and action = 'update'`,
    );
    expect(lines.rows).toEqual([{ action: "update", person: id, changes: expect.anything() }]);
  });

  test("stays as it was if the link is used meanwhile", async () => {
    const { id, token, visitor } = await invite(desk, chief, "Alan Turing", "alan.turing@example.com");
    const names = ["Alan M. Turing", "A. Turing", "Alan Mathison Turing"];
    const sent = await Promise.all(names.map((name) => visitor.post("/_/password", { token, password, name }, at)));
    expect(sent.map(({ status }) => status).toSorted()).toEqual([204, 403, 403]);
    const renamed = await desk.database.query(
      `select action from ninefold.audit where record = '${id}' and action = 'update' and changes ? 'name'`,
    );
    expect(renamed.rows).toHaveLength(1);
    const { rows } = await desk.database.query(`select name from app."user" where id = '${id}'`);
    expect(rows).toEqual([{ name: names[sent.findIndex(({ status }) => status === 204)] }]);
  });

  test("is not asked of somebody who sets a new password, and not changed with it", async () => {
    const { id, token, visitor } = await invite(desk, chief, "Edith Clarke", "edith.clarke@example.com");
    expect((await visitor.post("/_/password", { token, password }, at)).status).toBe(204);
    const reset = (await chief.post(`/_/people/${id}/password_link`, {}, at)).body as LinkJson;
    const again = { token: reset.link.replace(/^.*password=/u, ""), visitor: desk.visitor() };
    expect(await asksName({ id, ...again })).toBe(false);
    const sent = { token: again.token, password: `${password} 2`, name: "Somebody else" };
    expect((await again.visitor.post("/_/password", sent, at)).status).toBe(204);
    const { rows } = await desk.database.query(`select name from app."user" where id = '${id}'`);
    expect(rows).toEqual([{ name: "Edith Clarke" }]);
  });

  test("is suggested on the page of the link", async () => {
    const shown = await serveText(text(", update: { role: oneself, fields: [name] }"));
    const root = await shown.person("Root", ["administrator"]);
    const { token } = await invite(shown, root, "Grace Hopper", "grace.hopper@example.com", {});
    const page = await visit(await shown.listen(), { path: `/sign-in#password=${token}` });
    await expect.poll(() => focused(page)).toMatch(/textbox "Name"/u);
    const name = page.getByRole("textbox", { name: "Name" });
    expect(await name.inputValue()).toBe("Grace Hopper");
    expect(await axeFindings(page)).toEqual([]);
    await name.fill(" ");
    await page.keyboard.press("Tab");
    await page.keyboard.type(password);
    await page.keyboard.press("Enter");
    await page.getByRole("alert").first().waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await name.fill("Grace B. Hopper");
    await page.keyboard.press("Enter");
    await page
      .getByRole("button", { name: /^Signed in: Grace B\. Hopper/u })
      .first()
      .waitFor();
    expect(complaints(page).filter((line) => !line.includes("422"))).toEqual([]);
  });

  test("is not asked of somebody whom the inviter named, nor where the document does not let people change it", async () => {
    expect(await asksName(await invite(desk, chief, "Mina", "m.murray@example.com"))).toBe(false);
    const strict = await serveText(text(""), { app: { mails: true, site: { origin, proxies: [] } } });
    const root = await strict.person("Root", ["administrator"]);
    const invited = await invite(strict, root, "Grace Hopper", "grace.hopper@example.com");
    expect(await asksName(invited)).toBe(false);
    const { token, visitor } = invited;
    const sent = await visitor.post("/_/password", { token, password, name: "Somebody else" }, at);
    expect(sent.problem().code).toBe("FORBIDDEN");
  });
});

test("a link of another purpose or of a deactivated account sets no password, and names nobody", async () => {
  const { id, token, visitor } = await invite(desk, chief, "Hedy Lamarr", "hedy@example.com");
  const refusals = async () => {
    const read = (await visitor.post("/_/password-link", { token }, at)).problem().code;
    return [read, (await visitor.post("/_/password", { token, password }, at)).problem().code];
  };
  await desk.database.query("update ninefold.once_link set purpose = 'preview' where person = $1", [id]);
  expect(await refusals()).toEqual(["LINK_USED", "LINK_USED"]);
  await desk.database.query("update ninefold.once_link set purpose = 'password' where person = $1", [id]);
  await desk.database.query(`update app."user" set "active" = false where "id" = $1`, [id]);
  expect(await refusals()).toEqual(["LINK_USED", "LINK_USED"]);
});

test("sample people get no mails about their account", async () => {
  await subjects();
  const sample = await desk.account("Sam", password);
  await desk.database.query(`insert into ninefold.sample (entity, record) values ('User', '${sample.id}')`);
  const link = await chief.post(`/_/people/${sample.id}/password_link`, {}, at);
  // The administrator sees that the link was not mailed.
  expect(Object.keys(link.body as object).sort()).toEqual(["id", "link", "until"]);
  expect(await subjects()).toEqual([]);
  const token = (link.body as LinkJson).link.replace(/^.*password=/u, "");
  expect((await desk.visitor().post("/_/password", { token, password: `${password} 2` }, at)).status).toBe(204);
  expect(await subjects()).toEqual([]);
  const other = await desk.account("Olga", password);
  await desk.database.query(
    `insert into ninefold.address_change (person, old, new, at)
     select id, 'old-' || email, email, now() from app."user" where id in ($1, $2)`,
    [sample.id, other.id],
  );
  await mailAddressChanges(desk.opened.service, new Date());
  const { rows } = await desk.database.query('select recipient from ninefold.mail order by recipient collate "C"');
  expect(rows.map(({ recipient }) => recipient)).toEqual(["old-olga@example.com", "olga@example.com"]);
  await subjects();
  // So does their account page.
  const visitor = desk.visitor();
  await visitor.post("/_/session", { email: sample.email, password: `${password} 2` }, at);
  expect((await visitor.get("/_/account")).body).toMatchObject({ mails: expect.any(Array), sample: true });
});
