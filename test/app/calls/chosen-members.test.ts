import { beforeAll, describe, expect, test } from "vitest";
import { drive } from "../openapi/drive.ts";
import { serveText, type TestServer } from "../program.ts";

/** Calls whose callers choose members, whose missing members are left out, and whose token has a header of its own. */
const board = `
# Board

## 3. Entities and their fields
\`\`\`yaml
User: { fields: { nick: { type: text?, max: 20 } } }
Card:
  label: "{title}"
  fields:
    code:   { type: text, unique: true, max: 20 }
    title:  { type: text, max: 40 }
    note:   { type: text?, max: 40 }
    cost:   decimal?
    secret: { type: text?, max: 40 }
    owner:  { type: User, set: user }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  member: signed in
  chief:  granted
permissions:
  User: { read: { role: member, fields: [name, nick] } }
  Card:
    read:   [{ role: member, fields: [code, title, note, cost, owner] }, chief]
    create: member
    update: chief
    delete: none
\`\`\`

## 7. The calls it makes
\`\`\`yaml
base: /v1
token: { header: X-Auth-Token }
cors: https://x.test
missing: omitted
shapes:
  User: { short: { name, nick } }
  Card: { entry: { code, title, note, cost, hint: "secret == null ? null : lower(secret)", by: User.short(owner), sum: { cost, note } } }
calls:
  POST /login: { sign in: true, takes: { email, password }, gives: { token } }
  POST /logout: { sign out: true, by: member, status: 200 }
  GET /me: { read: User, where: this == user, gives: { name, nick, token } }
  GET /cards: { list: Card, query: { code, owner, not: { type: Card.owner, where: owner != input.not } }, sort: [code], gives: { cards: Card.entry(page), total: size(found), next }, selectable: [title, note, hint, by, sum] }
  GET /cards/{id}: { read: Card, gives: { card: Card.entry(this) }, selectable: [title, hint] }
  GET /codes/{code}: { read: Card, gives: { code, title, note, secret }, selectable: [title, note, secret], missing: "null" }
  GET /people/{id}: { read: User, gives: { name } }
  GET /people: { list: User, query: { id, other: { type: User.id, where: id != input.other } }, gives: { names: "page.map(p, p.name)" } }
  GET /hello: { list: Card, gives: "'Hello'" }
  GET /last: { list: Card, query: { code }, gives: "page.map(c, c.note).max()" }
  GET /plain/{id}: { read: Card, errors: { BAD_PATH: NO_ID } }
  POST /cards: { create: Card, takes: { code, title, note, cost, secret }, gives: Card.entry(this) }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
Card.BAD_PATH: { status: 400, message: A card has an id. }
NO_ID: { status: 422, message: That is no id., shape: message }
\`\`\`
`;

type Person = Awaited<ReturnType<TestServer["person"]>>;
const PASSWORD = "correct horse battery";

let served: TestServer;
let ada: Person;
let boss: Person;
let id: string;

beforeAll(async () => {
  served = await serveText(board, { demonstration: true });
  [ada, boss] = [await served.person("Ada"), await served.person("Boss", ["chief"])];
  await served.account("Eve", PASSWORD);
  const created = await ada.post("/v1/cards", { code: "a", title: "Alpha", cost: "2", secret: "XY" });
  expect([created.status, created.body]).toEqual([
    201,
    { code: "a", title: "Alpha", cost: "2", by: { name: "Ada" }, sum: { cost: "2" } },
  ]);
  const listed = await ada.get("/api/cards");
  id = String((listed.body as { readonly items: readonly { readonly id: string }[] }).items[0]?.id);
});

/** The header with a new token of Eve. */
const bearing = async (): Promise<Readonly<Record<string, string>>> => {
  const { body } = await served.visitor().post("/v1/login", { email: "eve@example.com", password: PASSWORD });
  return { "x-auth-token": (body as { readonly token: string }).token };
};

describe("a caller", () => {
  test("chooses members of each record, and gets all without a choice", async () => {
    expect((await ada.get("/v1/cards?code=a&fields=title,by")).body).toEqual({
      cards: [{ code: "a", title: "Alpha", cost: "2", by: { name: "Ada" } }],
      total: 1,
    });
    expect((await ada.get(`/v1/cards/${id}?fields=title`)).body).toEqual({
      card: { code: "a", title: "Alpha", cost: "2", by: { name: "Ada" }, sum: { cost: "2" } },
    });
    expect((await boss.get("/v1/cards?code=a&fields=hint")).body).toMatchObject({ cards: [{ code: "a", hint: "xy" }] });
    expect((await ada.get("/v1/codes/a?fields=note")).body).toEqual({ code: "a", note: null });
  });

  test("cannot choose a member that the call does not name, one twice, or one that they can never read", async () => {
    for (const fields of ["code", "title,title", "", "title,", "secret", "title, note"])
      expect((await ada.get(`/v1/cards?fields=${encodeURIComponent(fields)}`)).status, fields).toBe(400);
    expect((await ada.get("/v1/cards?fields=hint")).body).toMatchObject({ code: "BAD_QUERY" });
    expect((await ada.get("/v1/codes/a?fields=secret")).status).toBe(400);
    expect((await boss.get("/v1/codes/a?fields=secret")).body).toEqual({ code: "a", secret: "XY" });
    expect((await ada.get("/v1/me?fields=name")).status).toBe(400);
  });

  test("reads in the description which members they can choose", async () => {
    const chosen = async (person: Person): Promise<string> =>
      JSON.stringify((await person.get("/api/openapi.json")).body).replaceAll(
        /.*?"\/v1\/cards":(.*?"enum":\[[^\]]*\]).*/gu,
        "$1",
      );
    expect(await chosen(ada)).toContain('"enum":["title","note","by","sum"]');
    expect(await chosen(boss)).toContain('"enum":["title","note","hint","by","sum"]');
  });
});

test("a member without a value is left out where the document says so, and null elsewhere", async () => {
  expect((await ada.get(`/v1/cards/${id}`)).body).toEqual({
    card: { code: "a", title: "Alpha", cost: "2", by: { name: "Ada" }, sum: { cost: "2" } },
  });
  expect((await ada.get("/v1/codes/a")).body).toEqual({ code: "a", title: "Alpha", note: null, secret: null });
});

test("a value of another form in an address has an error of its own where the document has one", async () => {
  expect(await ada.get("/v1/cards/abc")).toMatchObject({ status: 400, body: { code: "BAD_PATH" } });
  expect(await ada.get("/v1/plain/abc")).toMatchObject({ status: 422 });
  expect((await served.app.inject({ url: "/v1/plain/abc", headers: await bearing() })).payload).toBe("That is no id.");
  // Without an entry for it, there is no record at such an address.
  expect(await ada.get("/v1/people/abc")).toMatchObject({ status: 404, body: { code: "NOT_FOUND" } });
  expect(await ada.get(`/v1/cards/${id.replace(/.$/u, (last) => (last === "0" ? "1" : "0"))}`)).toMatchObject({
    status: 404,
    body: { code: "NOT_FOUND" },
  });
  expect((await served.visitor().get("/v1/cards/abc")).status).toBe(401);
  // So do the ids in a query. Without an entry, no record has such an id.
  expect(await ada.get("/v1/cards?owner=abc&not=abc")).toMatchObject({
    status: 400,
    body: {
      code: "INVALID",
      errors: [
        { at: "?owner", code: "BAD_PATH" },
        { at: "?not", code: "BAD_PATH" },
      ],
    },
  });
  expect((await served.visitor().get("/v1/cards?owner=abc")).status).toBe(400);
  expect((await ada.get("/v1/people?id=abc")).body).toEqual({ names: [] });
  expect((await ada.get("/v1/people?other=abc")).body).not.toEqual({ names: [] });
  // The conventional calls have no such error.
  expect((await ada.get("/api/cards/abc")).status).toBe(404);
});

test("a response that is a single text is plain text", async () => {
  const got = await served.app.inject({ url: "/v1/hello", headers: await bearing() });
  expect([got.headers["content-type"], got.payload]).toEqual(["text/plain; charset=utf-8", "Hello"]);
  const missing = await served.app.inject({ url: "/v1/last?code=a", headers: await bearing() });
  expect([missing.headers["content-type"], missing.payload]).toEqual(["application/json; charset=utf-8", "null"]);
});

test("a token is in the header that the document names, and in no other", async () => {
  const { "x-auth-token": token = "" } = await bearing();
  const get = (headers: Readonly<Record<string, string>>) => served.app.inject({ url: "/v1/me", headers });
  expect((await get({ "x-auth-token": token })).json()).toEqual({ name: "Eve", token });
  expect((await get({ authorization: `Bearer ${token}` })).statusCode).toBe(401);
  expect((await get({ "x-auth-token": `Bearer ${token}` })).statusCode).toBe(401);
  expect((await get({ "x-auth-token": "" })).statusCode).toBe(401);
  const response = await served.app.inject({
    method: "OPTIONS",
    url: "/v1/me",
    headers: { origin: "https://x.test", "access-control-request-method": "GET" },
  });
  expect(response.headers["access-control-allow-headers"]).toContain("x-auth-token");
  // A call for signing out can require somebody who is signed in.
  const out = (headers: Readonly<Record<string, string>>) =>
    served.app.inject({ method: "POST", url: "/v1/logout/", headers });
  expect((await out({})).statusCode).toBe(401);
  expect(await out({ "x-auth-token": token })).toMatchObject({ statusCode: 200, payload: "" });
  expect((await out({ "x-auth-token": token })).statusCode).toBe(401);
});

test("every response is in the description", { timeout: 60_000 }, async () => {
  const driven = await drive(board, 5, served);
  await driven.some(250);
  expect(driven.wrong.slice(0, 5)).toEqual([]);
});
