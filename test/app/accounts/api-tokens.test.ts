import { Validator } from "@seriousme/openapi-schema-validator";
import { beforeAll, describe, expect, test } from "vitest";
import { allRoles, buildOpenapi } from "../../../src/core/derive/openapi/openapi.ts";
import type { OwnAccountJson, TokenMadeJson } from "../../../src/core/wire/accounts/account.ts";
import type { PersonAccountJson } from "../../../src/core/wire/accounts/people.ts";
import { drive } from "../openapi/drive.ts";
import { type Answer, compiled, serveText, type TestServer } from "../program.ts";

const desk = `
# Desk

## 3. Entities and their fields
\`\`\`yaml
Note:
  fields: { text: { type: text, max: 20 }, author: { type: User, set: user } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  member: { members: signed in }
  clerk:  { members: granted }
  helper: { members: granted }
  Note:   { author: "author == user" }
permissions:
  User: { read: [member] }
  Note: { read: [clerk, author], create: [{ role: member, fields: [text] }], update: [{ role: clerk, fields: [text] }], delete: [clerk] }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
base: /v1
token: { by: [clerk, helper], longest: 90 days, scheme: Token }
cors: [APP_SITE, "https://other.example"]
error shape: { errors: messages, code, at: { status, clause } }
headers: { X-Desk: notes }
status: { create: 200, delete: 200 }
calls:
  GET /notes: { list: Note, headers: { X-Desk: list } }
  POST /notes: { create: Note, takes: { note: { text } } }
  DELETE /notes/{id}: { delete: Note }
  POST /notes/again: { create: Note, status: 202 }
\`\`\`
`;

let served: TestServer;
let ada: Awaited<ReturnType<TestServer["person"]>>;
let ben: Awaited<ReturnType<TestServer["person"]>>;
let chief: Awaited<ReturnType<TestServer["person"]>>;

const problem = (answer: Answer) => {
  const { status, code, clause, errors } = answer.problem();
  return [status, code, clause, ...(errors ?? []).map((one) => `${one.at} ${one.code}`)].join(" ");
};
const settings = { name: "Nightly export", days: 30, roles: ["clerk"], reads: true };
const create = async (asked: object = {}, by = ada) =>
  ((await by.post("/_/account/tokens", { ...settings, ...asked })).body as TokenMadeJson).token;
const bearing = (token: string) => ({ authorization: `Token ${token}` });
const own = async (person = ada) => ((await person.get("/_/account")).body as OwnAccountJson).tokens;

beforeAll(async () => {
  served = await serveText(desk, { app: { environment: { APP_SITE: "https://desk.example https://two.example" } } });
  ada = await served.person("Ada", ["clerk"]);
  ben = await served.person("Ben");
  chief = await served.person("Chief", ["administrator"]);
  await ben.post("/api/notes", { text: "Ben's" });
});

describe("an API token", () => {
  test("has the rights of its user and its own roles, and is read-only unless write access is granted", async () => {
    const visitor = served.visitor();
    const reader = bearing(await create());
    const answer = await visitor.get("/api/notes", reader);
    expect(answer.list().items).toHaveLength(1);
    expect(problem(await visitor.post("/api/notes", { text: "x" }, reader))).toBe("403 FORBIDDEN 7.token");
    const plain = bearing(await create({ roles: [], reads: false }));
    expect((await visitor.get("/api/notes", plain)).list().items).toHaveLength(0);
    const note = (await visitor.post("/api/notes", { text: "by program" }, plain)).record();
    expect(problem(await visitor.patch(`/api/notes/${note.id}`, { text: "y" }, plain))).toBe(
      "403 FORBIDDEN 6.Note.update",
    );
    const history = (await ada.get(`/api/notes/${note.id}/history`)).history();
    expect(history[0]?.person?.id).toBe(ada.id);
  });

  test("is shown once, stored as a hash, and shows when it was last used", async () => {
    const token = await create({ name: "Kept" });
    const { rows } = await served.database.query("select * from ninefold.token");
    expect(JSON.stringify(rows)).not.toContain(token.slice(3));
    const before = (await own())?.items.find(({ name }) => name === "Kept");
    expect(before).toMatchObject({ roles: ["clerk"], reads: true, used_at: null });
    expect(JSON.stringify(await own())).not.toContain(token.slice(3));
    await served.visitor().get("/api/notes", bearing(token));
    expect((await own())?.items.find(({ name }) => name === "Kept")?.used_at).toEqual(expect.any(String));
  });

  test("gives no access to accounts, people or the document", async () => {
    const visitor = served.visitor();
    const token = bearing(await create({ reads: false }));
    for (const path of ["/_/account", "/_/people", "/_/application", "/%5F/account", "/%5f/people"])
      expect(problem(await visitor.get(path, token))).toBe("401 NOT_SIGNED_IN 7.token");
    expect(problem(await visitor.post("/_/account/tokens", settings, token))).toBe("401 NOT_SIGNED_IN 7.token");
  });

  test("never has more rights than its user: roles that the user loses are lost to the token", async () => {
    const cy = await served.person("Cy", ["clerk", "helper"]);
    const token = bearing(await create({ roles: ["clerk"] }, cy));
    const seen = async () => (await served.visitor().get("/api/notes", token)).list().items.length;
    expect(await seen()).toBeGreaterThan(0);
    await chief.post(`/_/people/${cy.id}/take`, { role: "clerk" });
    expect(await seen()).toBe(0);
    await chief.post(`/_/people/${cy.id}/take`, { role: "helper" });
    expect(problem(await served.visitor().get("/api/notes", token))).toBe("401 NOT_SIGNED_IN 7.token");
  });

  test("can be revoked by its user or an administrator, expires, and ends with the account", async () => {
    const visitor = served.visitor();
    const refused = async (token: string) => problem(await visitor.get("/api/notes", bearing(token)));
    const first = await create({ name: "First" });
    const [id] = ((await own())?.items ?? []).filter(({ name }) => name === "First").map((one) => one.id);
    expect((await ada.delete(`/_/account/tokens/${id}`)).status).toBe(204);
    expect(await refused(first)).toBe("401 NOT_SIGNED_IN 7.token");

    const di = await served.person("Di", ["helper"]);
    const second = await create({ name: "Second", roles: [] }, di);
    const account = (await chief.get(`/_/people/${di.id}`)).body as PersonAccountJson;
    expect(problem(await ada.delete(`/_/people/${di.id}/tokens/${account.tokens[0]?.id}`))).toBe(
      "403 FORBIDDEN 6.administrator",
    );
    await chief.delete(`/_/people/${di.id}/tokens/${account.tokens[0]?.id}`);
    expect(await refused(second)).toBe("401 NOT_SIGNED_IN 7.token");
    const { history } = (await chief.get(`/_/people/${di.id}`)).body as PersonAccountJson;
    expect(history.slice(0, 2).map(({ action, token, person }) => [action, token, person?.label])).toEqual([
      ["end_token", "Second", "Chief"],
      ["make_token", "Second", "Di"],
    ]);

    const third = await create({ name: "Third", roles: [] }, di);
    await chief.post(`/_/people/${di.id}/deactivate`);
    await chief.post(`/_/people/${di.id}/activate`);
    expect(await refused(third)).toBe("401 NOT_SIGNED_IN 7.token");

    const fourth = await create({ days: 1 });
    served.ahead(2 * 86_400_000);
    expect(await refused(fourth)).toBe("401 NOT_SIGNED_IN 7.token");
    served.ahead(0);
  });

  test("is revoked when its user’s password and sessions are reset by anyone", async () => {
    const PASSWORD = "correct horse battery";
    const { id, email } = await served.account("Fay", PASSWORD, ["helper"]);
    const visitor = served.visitor();
    const signedIn = async (password: string) => {
      const fay = served.visitor();
      expect((await fay.post("/_/session", { email, password })).status).toBe(204);
      return fay;
    };
    const token = async (password: string) => {
      const input = { ...settings, roles: [], password };
      return ((await (await signedIn(password)).post("/_/account/tokens", input)).body as TokenMadeJson).token;
    };
    const seen = async (of: string) => (await visitor.get("/api/notes", bearing(of))).status;
    const first = await token(PASSWORD);
    expect(await seen(first)).toBe(200);
    const { link } = (await chief.post(`/_/people/${id}/password_link`)).body as { link: string };
    expect(await seen(first)).toBe(200);
    await visitor.post("/_/password", { token: /password=(.+)$/u.exec(link)?.[1], password: "the second password" });
    expect(await seen(first)).toBe(401);

    const second = await token("the second password");
    expect((await chief.post(`/_/people/${id}/end_sessions`)).status).toBe(204);
    expect(await seen(second)).toBe(401);

    const third = await token("the second password");
    const fay = await signedIn("the second password");
    const change = { current: "the second password", password: "the third password" };
    expect((await fay.post("/_/account/password", change)).status).toBe(204);
    expect(await seen(third)).toBe(401);
    expect(((await fay.get("/_/account")).body as OwnAccountJson).tokens?.items).toEqual([]);
  });

  test("requires the user’s password, or a recent sign-in if the user has none", async () => {
    const PASSWORD = "correct horse battery";
    const { email } = await served.account("Gus", PASSWORD, ["helper"]);
    const gus = served.visitor();
    await gus.post("/_/session", { email, password: PASSWORD });
    const request = async (password: unknown) =>
      problem(await gus.post("/_/account/tokens", { ...settings, roles: [], password }));
    for (const wrong of [undefined, "", "wrong", {}])
      expect(await request(wrong)).toBe("422 WRONG_PASSWORD 7.sign in /password WRONG_PASSWORD");
    expect((await gus.get("/_/account")).body).toMatchObject({ tokens: { items: [] } });
    for (let nth = 0; nth < 6; nth++) await request("wrong");
    expect(await request(PASSWORD)).toBe("429 TOO_MANY_ATTEMPTS 9.sign_in_attempts");
    await served.database.query("delete from ninefold.attempt");
    expect((await gus.post("/_/account/tokens", { ...settings, roles: [], password: PASSWORD })).status).toBe(201);

    const hal = await served.person("Hal", ["helper"]);
    served.ahead(9 * 60_000);
    expect((await hal.post("/_/account/tokens", { ...settings, roles: [] })).status).toBe(201);
    served.ahead(11 * 60_000);
    expect(problem(await hal.post("/_/account/tokens", { ...settings, roles: [] }))).toBe(
      "403 SIGN_IN_AGAIN 7.sign in",
    );
    served.ahead(0);
  });

  test("can be created only by the roles that the document names, within its limits", async () => {
    const refusals = async (asked: object, by = ada) =>
      problem(await by.post("/_/account/tokens", { ...settings, ...asked }));
    expect(await refusals({}, ben)).toBe("403 FORBIDDEN 7.token");
    expect(await own(ben)).toBeNull();
    expect(await refusals({ days: 91 })).toBe("422 TOO_LARGE 7.token /days TOO_LARGE");
    expect(await refusals({ days: "x", name: " " })).toBe("422 INVALID 7.token /name REQUIRED /days WRONG_TYPE");
    expect(await refusals({ roles: ["helper"] })).toBe("422 NOT_A_CHOICE 7.token /roles NOT_A_CHOICE");
  });

  test("is refused if it is invalid, whatever visitors can do, and after many attempts is not looked up any more", async () => {
    const visitor = served.visitor();
    const request = async () => problem(await visitor.get("/api/notes", bearing("nf_guess")));
    const answers: string[] = [];
    for (let i = 0; i < 120; i++) answers.push(await request());
    expect(answers[0]).toBe("401 NOT_SIGNED_IN 7.token");
    expect(answers.at(-1)).toBe("429 TOO_MANY_ATTEMPTS 9.sign_in_attempts");
    // A valid token is not limited by other clients at the same address.
    expect((await visitor.get("/api/notes", bearing(await create()))).status).toBe(200);
  });
});

describe("all calls", () => {
  test("report errors at a field or for the whole request", async () => {
    const long = await ada.post("/v1/notes", { note: { text: "x".repeat(21) } });
    expect([long.status, long.headers.get("content-type"), long.body]).toEqual([
      422,
      "application/json; charset=utf-8",
      {
        errors: { text: [expect.stringMatching(/20/u)] },
        code: "TOO_LONG",
        at: { status: 422, clause: "3.Note.text" },
      },
    ]);
    const deleted = await ada.delete("/v1/notes/0190a0a0-0000-7000-8000-000000000000");
    expect(deleted.body).toMatchObject({ errors: { body: [expect.any(String)] }, code: "NOT_FOUND" });
    const unread = await ada.send("POST", "/v1/notes", undefined, {
      raw: "{",
      headers: { "content-type": "application/json" },
    });
    expect([unread.status, unread.body]).toMatchObject([400, { code: "MALFORMED" }]);
    expect(problem(await ada.post("/api/notes", { text: "x".repeat(21) }))).toMatch(/^422 TOO_LONG/u);
  });

  test("send their own headers and statuses, or the conventional ones", async () => {
    const listed = await ada.get("/v1/notes");
    const one = await ada.post("/v1/notes", { note: { text: "one" } });
    expect([listed.headers.get("x-desk"), one.headers.get("x-desk"), one.status]).toEqual(["list", "notes", 200]);
    expect((await ada.post("/v1/notes/again", { text: "two" })).status).toBe(202);
    expect((await ada.delete(`/v1/notes/${one.record().id}`)).status).toBe(200);
  });
});

describe("other origins", () => {
  const from = (origin: string) => ({ origin, "sec-fetch-site": "cross-site" });

  test("can make calls with a token, and preflight requests, if the document names them", async () => {
    const visitor = served.visitor();
    const token = bearing(await create({ reads: false }));
    for (const origin of ["https://desk.example", "https://two.example", "https://other.example"]) {
      const response = await visitor.send("OPTIONS", "/v1/notes", undefined, {
        headers: { ...from(origin), "access-control-request-method": "POST" },
      });
      expect([response.status, response.headers.get("access-control-allow-origin")]).toEqual([204, origin]);
      expect(response.headers.get("access-control-allow-credentials")).toBeNull();
      const answer = await visitor.post("/v1/notes", { note: { text: "far" } }, { ...from(origin), ...token });
      expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, origin]);
    }
  });

  test("can’t use a session cookie, and other origins are refused", async () => {
    expect((await ada.get("/v1/notes")).list().items.length).toBeGreaterThan(0);
    expect((await ada.get("/v1/notes", from("https://desk.example"))).problem().code).toBe("NOT_SIGNED_IN");
    const far = await ada.post("/v1/notes", { note: { text: "x" } }, from("https://elsewhere.example"));
    expect([far.status, far.body]).toMatchObject([403, { code: "FOREIGN_ORIGIN" }]);
    expect(far.headers.get("access-control-allow-origin")).toBeNull();
    expect((await ada.post("/_/account/tokens", settings, from("https://desk.example"))).problem().code).toBe(
      "FOREIGN_ORIGIN",
    );
  });
});

test("OpenAPI describes all of it", { timeout: 180_000 }, async () => {
  const { model } = compiled(desk);
  const document = buildOpenapi(model, allRoles(model), { version: 1, cookie: "session" });
  expect(await new Validator().validate(JSON.parse(JSON.stringify(document)))).toEqual({ valid: true });
  expect(document).toMatchObject({ security: [{ session: [] }, { token: [] }, {}] });
  const driven = await drive(desk, 5);
  await driven.some(300);
  expect(driven.wrong.slice(0, 5)).toEqual([]);
});
