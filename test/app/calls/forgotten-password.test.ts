import { beforeAll, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import { type Mailer, sendMails } from "../../../src/jobs/mails.ts";
import { connect } from "../../../src/postgres/database.ts";
import { type Answer, serveText, type TestServer } from "../program.ts";
import { type ArrivedMail, startSmtp } from "../smtp-server.ts";

/* A forgotten password in calls of the document, for clients that others wrote. */

const club = `
# Club

## 3. Entities and their fields
\`\`\`yaml
Note: { fields: { text: text } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in }, User: { oneself: this == user } }
permissions: { User: { read: [oneself] }, Note: { read: member } }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
base: /v1
calls:
  POST /forgot: { forgot password: true, link: APP_RESET_PAGE, takes: { user: { mail: email } }, status: 200, gives: { ok: true, message: "'Look into your mail'" } }
  POST /ask:    { forgot password: true }
  POST /reset:  { reset password: true, takes: { key: token, secret: password }, gives: { name, token } }
  POST /set:    { reset password: true }
  GET /me:      { read: User, where: this == user, gives: { name } }
\`\`\`
`;

const PASSWORD = "correct horse battery";
const site = { origin: "https://desk.example.com", proxies: [] };
const from = { origin: "https://desk.example.com" };

let mails: readonly ArrivedMail[];
let mailer: Mailer;
let served: TestServer;

const problem = (answer: Answer) => {
  const { status, code, errors } = answer.problem();
  return [status, code, ...(errors ?? []).map((one) => `${one.at} ${one.code}`)].join(" ");
};
const waiting = async () => (await served.database.query("select recipient, text from ninefold.mail")).rows;
const send = async (): Promise<ArrivedMail | undefined> => {
  const database = connect({ connection: served.database.appUrl, max: 1 });
  await sendMails(database, mailer, new Date()).finally(() => database.end());
  return mails.at(-1);
};

beforeAll(async () => {
  ({ mails, mailer } = await startSmtp());
  const environment = { APP_RESET_PAGE: "https://club.example.com/reset?key=" };
  served = await serveText(club, { app: { mails: true, site, environment } });
});

test("the client’s own page gets the token, which sets the password once and ends earlier sessions", async () => {
  const { email } = await served.account("Ada", PASSWORD);
  const [ada, visitor] = [served.visitor(), served.visitor()];
  expect((await ada.post("/_/session", { email, password: PASSWORD }, from)).status).toBe(204);
  const asked = await visitor.post("/v1/forgot", { user: { mail: email.toUpperCase() } }, from);
  expect([asked.status, asked.body]).toEqual([200, { ok: true, message: "Look into your mail" }]);
  const mail = await send();
  expect(mail?.to).toBe(email);
  const key = /https:\/\/club\.example\.com\/reset\?key=([\w-]{43})/u.exec(mail?.text ?? "")?.[1] ?? "";

  expect(problem(await visitor.post("/v1/reset", { key, secret: "short" }, from))).toBe(
    "422 PASSWORD_LENGTH /secret PASSWORD_LENGTH",
  );
  expect(problem(await visitor.post("/v1/reset", { key: "wrong", secret: PASSWORD }, from))).toBe("403 LINK_USED");
  const set = await visitor.post("/v1/reset", { key, secret: "another long one" }, from);
  expect(set.body).toEqual({ name: "Ada", token: expect.any(String) });
  const { token } = set.body as { readonly token: string };
  expect((await served.visitor().get("/v1/me", { authorization: `Bearer ${token}` })).body).toEqual({ name: "Ada" });
  // A response with the token is for a program, so no browser is signed in, and the earlier session has ended.
  expect((await visitor.get("/v1/me")).status).toBe(401);
  expect((await ada.get("/v1/me")).status).toBe(401);
  expect(problem(await visitor.post("/v1/reset", { key, secret: PASSWORD }, from))).toBe("403 LINK_USED");
});

test("the response is the same for an address without an account, and mails are limited", async () => {
  const ben = await served.account("Ben", PASSWORD);
  const ask = async (email: string) => (await served.visitor().post("/v1/ask", { email }, from)).status;
  await send();
  expect([await ask(ben.email), await ask("nobody@example.com")]).toEqual([202, 202]);
  // These depend on the request alone.
  expect([await ask(""), await ask("ben")]).toEqual([422, 422]);
  const [first, ...others] = await waiting();
  expect([first?.recipient, others.length]).toEqual([ben.email, 0]);
  expect(first?.text).toContain("https://desk.example.com/sign-in#password=");
  expect([await ask(ben.email), await ask(ben.email), await ask(ben.email)]).toEqual([202, 202, 429]);
  const cookie = await served.visitor().post("/v1/set", { token: "none", password: PASSWORD }, from);
  expect(problem(cookie)).toBe("403 LINK_USED");
});

test("OpenAPI describes both calls", async () => {
  const { body } = await served.visitor().get("/api/openapi.json");
  const { paths } = body as { readonly paths: Readonly<Record<string, { readonly post: object }>> };
  expect(paths["/v1/forgot"]?.post).toMatchObject({
    responses: { 200: { description: "Accepted." } },
    requestBody: { required: true },
  });
  expect(JSON.stringify(paths["/v1/reset"]?.post)).toContain("LINK_USED");
});

test("a misspelt member, a record and an address in the document are refused", () => {
  const codes = (call: string) =>
    compile({ file: "club.md", text: club.replace("POST /ask:    { forgot password: true }", `POST /ask: ${call}`) })
      .findings.filter(({ severity }) => severity === "error")
      .map(({ code }) => code);
  expect(codes("{ forgot password: true, takes: { name } }")).toEqual(["MISSING_KEY", "UNKNOWN_NAME"]);
  expect(codes("{ forgot password: true, gives: { name } }")).toEqual(["UNKNOWN_NAME"]);
  expect(codes("{ forgot password: true, link: 'https://club.example.com' }")).toEqual(["SECRET_IN_DOCUMENT"]);
  expect(codes("{ reset password: true, takes: { token } }")).toEqual(["MISSING_KEY"]);
  expect(codes("{ reset password: true, link: APP_RESET_PAGE }")).toEqual(["BAD_VALUE"]);
});
