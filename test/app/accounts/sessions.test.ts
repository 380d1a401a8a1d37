import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import type { OwnAccountJson } from "../../../src/core/wire/accounts/account.ts";
import type { Application } from "../../../src/core/wire/application.ts";
import { deleteExpiredData } from "../../../src/jobs/delete-expired-data.ts";
import { passwordFaults } from "../../../src/server/accounts/create-person.ts";
import { createFirstAdministratorToken } from "../../../src/server/accounts/first-administrator.ts";
import { limitKey } from "../../../src/server/limits/attempts.ts";
import { hashToken, newToken, SESSION_TOKEN_LENGTH } from "../../../src/server/util/token.ts";
import { type Answer, type ApiClient, compiled, example, serveText, type TestServer } from "../program.ts";

const notes = `
# Notes

## 3. Entities and their fields
\`\`\`yaml
Note: { fields: { text: text } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  member: { members: signed in }
  writer: { members: granted }
permissions: { Note: { read: [member], create: [writer] } }
\`\`\`

## 9. Business constants and limits
\`\`\`yaml
session_length: 2 hours
sign_in_attempts: 4
\`\`\`
`;

const PASSWORD = "correct horse battery";

let served: TestServer;
let ada: { readonly id: string; readonly email: string };
beforeAll(async () => {
  served = await serveText(notes);
  ada = await served.account("Ada Lovelace", PASSWORD);
});

const attempt = (email: unknown, password: unknown, visitor: ApiClient = served.visitor()): Promise<Answer> =>
  visitor.post("/_/session", { email, password });
const forget = () => served.database.query("delete from ninefold.attempt");
const whoIs = async (who: ApiClient) => ((await who.get("/_/application")).body as Application).person;
const codeOf = (answer: Answer) => `${answer.status} ${answer.problem().code}`;

describe("signing in", () => {
  test("with email address and password starts a session that scripts and other sites can’t use", async () => {
    const visitor = served.visitor();
    const answer = await attempt(ada.email, PASSWORD, visitor);
    expect([answer.status, answer.text]).toEqual([204, ""]);
    const [session = "", device = ""] = answer.headers.getSetCookie();
    const [value, ...attributes] = session.split("; ");
    expect(device).toMatch(/^device-9009=[\w.-]+; /);
    expect(value).toMatch(/^session-9009=[\w-]{43}$/);
    expect(attributes.sort()).toEqual(["HttpOnly", "Max-Age=7200", "Path=/", "SameSite=Lax"]);
    expect(await whoIs(visitor)).toEqual({
      id: ada.id,
      name: "Ada Lovelace",
      roles: [],
      everybody: ["member"],
      administrator: false,
      preferences: {},
    });
    expect(await visitor.get("/api/notes")).toMatchObject({ status: 200 });
  });

  test("ignores the case of the email address, and accepts each Unicode form of the password", async () => {
    const zoe = await served.account("Zoë", "pâssword für Zoë");
    for (const email of [zoe.email.toUpperCase(), ` ${zoe.email} `])
      expect((await attempt(email, "pâssword für Zoë".normalize("NFD"))).status).toBe(204);
    expect(codeOf(await attempt(zoe.email, "PÂSSWORD FÜR ZOË"))).toBe("401 BAD_CREDENTIALS");
  });

  test("gives the same response for a wrong password, an unknown address and a deactivated account", async () => {
    const deleted = await served.account("Gone", PASSWORD);
    await served.database.query(`update app."user" set active = false where id = $1`, [deleted.id]);
    await served.person("Nopassword");
    const answers = [
      await attempt(ada.email, "wrong horse battery"),
      await attempt("nobody@example.com", PASSWORD),
      await attempt(deleted.email, PASSWORD),
      await attempt("nopassword@example.com", ""),
      await attempt(ada.email, ""),
      await attempt("", ""),
    ];
    const bytes = answers.map(({ status, text, headers }) => [status, text, [...headers.keys()].sort()]);
    for (const one of bytes) expect(one).toEqual(bytes[0]);
    expect(answers[0]?.problem()).toMatchObject({ status: 401, code: "BAD_CREDENTIALS", clause: "7.sign in" });
    for (const answer of answers) expect(answer.headers.get("set-cookie")).toBe(null);
    await forget();
  });

  test("takes as long for an unknown address as for a wrong password", async () => {
    // Processor time, because other programs on the machine change the time by the clock.
    const took = async (email: string) => {
      const from = process.cpuUsage();
      expect((await attempt(email, "wrong horse battery")).status).toBe(401);
      const { user, system } = process.cpuUsage(from);
      return user + system;
    };
    const known: number[] = [];
    const unknown: number[] = [];
    for (let i = 0; i < 4; i++) {
      await forget();
      known.push(await took(ada.email));
      unknown.push(await took("stranger@example.com"));
    }
    // Compares the fastest of each; without a hash it would be a twentieth.
    expect(Math.min(...unknown)).toBeGreaterThan(Math.min(...known) / 4);
    await forget();
  });

  test.each([
    [{ email: {}, password: [] }],
    [{ email: ["ada.lovelace@example.com"], password: PASSWORD }],
    [{ email: "a\u0000b@example.com", password: PASSWORD }],
    [{ email: "\ud800", password: "\ud800" }],
    [{ email: "x".repeat(5_000), password: "y".repeat(5_000) }],
    [{ demonstration: "constructor" }],
    [{ demonstration: { toString: 1 } }],
    [{}],
    [undefined],
  ])("rejects a malformed body as a client error: %j", async (body) => {
    await forget();
    expect(codeOf(await served.visitor().post("/_/session", body))).toBe("401 BAD_CREDENTIALS");
    await forget();
  });

  test("is limited per account, and a success resets the limit", async () => {
    await served.account("Ben", PASSWORD);
    const ben = "ben@example.com";
    for (let i = 0; i < 3; i++) expect((await attempt(ben, "wrong")).status).toBe(401);
    expect((await attempt(ben, PASSWORD)).status).toBe(204);
    for (let i = 0; i < 4; i++) expect((await attempt(ben.toUpperCase(), "wrong")).status).toBe(401);
    for (const password of ["wrong", PASSWORD])
      expect((await attempt(ben, password)).problem()).toMatchObject({
        status: 429,
        code: "TOO_MANY_ATTEMPTS",
        clause: "9.sign_in_attempts",
      });
    expect((await attempt(ada.email, PASSWORD)).status).toBe(204);
    await forget();
  });

  test("is possible again a quarter of an hour after the first attempt", async () => {
    const codes = [];
    for (let i = 0; i < 5; i++) codes.push((await attempt(ada.email, "wrong")).status);
    served.ahead(16 * 60_000);
    for (let i = 0; i < 4; i++) codes.push((await attempt(ada.email, "wrong")).status);
    codes.push((await attempt(ada.email, PASSWORD)).status);
    served.ahead(0);
    expect(codes).toEqual([401, 401, 401, 401, 429, 401, 401, 401, 401, 429]);
    await forget();
  });

  test("doubles the wait after each further limit, and refused attempts do not count", async () => {
    const codes: string[] = [];
    const at = async (seconds: number, password: string) => {
      served.ahead(seconds * 1_000);
      codes.push(`${seconds} ${(await attempt(ada.email, password)).status}`);
    };
    for (let i = 0; i < 4; i++) await at(0, "wrong");
    for (let i = 0; i < 20; i++) expect((await attempt(ada.email, "wrong")).status).toBe(429);
    for (const seconds of [15, 45, 80, 120, 200]) await at(seconds, "wrong");
    await at(260, PASSWORD);
    served.ahead(0);
    expect(codes.slice(4)).toEqual(["15 429", "45 401", "80 429", "120 401", "200 429", "260 204"]);
    await forget();
  });

  test("attempts of strangers lock neither the account elsewhere nor a browser that signed in before", async () => {
    const from = (remoteAddress: string, password: string, cookie = "") =>
      served.app.inject({
        method: "POST",
        url: "/_/session",
        remoteAddress,
        headers: { cookie },
        payload: { email: ada.email, password },
      });
    const device = async (remoteAddress: string, cookie = ""): Promise<string> => {
      const set = (await from(remoteAddress, PASSWORD, cookie)).headers["set-cookie"];
      return (Array.isArray(set) ? set : [""]).find((one) => one.startsWith("device-9009="))?.split(";")[0] ?? "";
    };
    const own = await device("192.0.2.1");
    const wrong = async (address: string, times: number) => {
      for (let i = 0; i < times; i++) await from(address, "wrong");
    };
    await wrong("198.51.100.1", 12);
    expect((await from("198.51.100.1", PASSWORD)).statusCode).toBe(429);
    // From elsewhere the account is open, even without a device cookie.
    expect((await from("192.0.2.2", PASSWORD)).statusCode).toBe(204);
    // Addresses within one IPv6 /64 count as one.
    for (let i = 1; i < 7; i++) await from(`2001:db8:0:1::${i}`, "wrong");
    expect((await from("2001:db8:0:1::99", PASSWORD)).statusCode).toBe(429);
    expect((await from("2001:db8:0:2::99", PASSWORD)).statusCode).toBe(204);
    // After guesses from many networks, the account is closed to all but its own browsers, at any address.
    for (let i = 10; i < 22; i++) await wrong(`203.0.113.${i}`, 4);
    expect((await from("192.0.2.3", PASSWORD)).statusCode).toBe(429);
    expect((await from("198.51.100.1", PASSWORD, own)).statusCode).toBe(204);
    // Cookies of other persons, or with other signatures, have no effect.
    await served.account("Bea", PASSWORD);
    const other = await served.app.inject({
      method: "POST",
      url: "/_/session",
      remoteAddress: "192.0.2.9",
      payload: { email: "bea@example.com", password: PASSWORD },
    });
    const beas = other.headers["set-cookie"]?.[1]?.split(";")[0] ?? "";
    expect(beas).toMatch(/^device-9009=/);
    for (const cookie of [
      beas,
      own.replace(/.(?=.$)/u, (last) => (last === "A" ? "B" : "A")),
      own.replace(ada.id, "0".repeat(36)),
      "device-9009=x",
    ])
      expect((await from("198.51.100.1", PASSWORD, cookie)).statusCode).toBe(429);
    // A stolen device cookie allows no more guesses than any client has.
    const next = await device("192.0.2.1", own);
    const codes: number[] = [];
    for (let i = 0; i < 6; i++) codes.push((await from("192.0.2.1", "wrong", next)).statusCode);
    expect(codes).toEqual([401, 401, 401, 401, 429, 429]);
    await forget();
  });

  test("is counted without storing the name of the account or the network", async () => {
    await attempt("somebody.private@example.com", "wrong");
    const { rows } = await served.database.query("select key from ninefold.attempt");
    expect(rows.map(({ key }) => String(key).split(":")[0]).sort()).toEqual(["account", "account", "network"]);
    expect(JSON.stringify(rows)).not.toMatch(/private|example|127\.0/);
    await forget();
  });

  test("drops counters that have expired, and keeps at most a hundred thousand", async () => {
    await attempt("nobody@example.com", "wrong");
    const { database } = served.opened.service;
    const count = async () =>
      Number((await served.database.query("select count(*)::int as n from ninefold.attempt")).rows[0]?.n);
    await deleteExpiredData(database, new Date(), { trashDays: 30 });
    expect(await count()).toBe(3);
    await served.database.query(
      `insert into ninefold.attempt (key, count, since, until) select 'made ' || n, 1, now(), now() + interval '1 minute' * (n / 100000) from generate_series(50000, 200000) n`,
    );
    await deleteExpiredData(database, new Date(), { trashDays: 30 });
    expect(await count()).toBe(100_000);
    await deleteExpiredData(database, new Date(Date.now() + 20 * 60_000), { trashDays: 30 });
    expect(await count()).toBe(0);
  });

  test("is limited for unknown accounts too, so the limit reveals nothing", async () => {
    const codes = [];
    for (let i = 0; i < 5; i++) codes.push((await attempt("nobody@example.com", "wrong")).status);
    expect(codes).toEqual([401, 401, 401, 401, 429]);
    await forget();
  });

  test("is limited by network address across accounts", async () => {
    await served.database.query(
      "insert into ninefold.attempt (key, count, since, until, next_at) values ($1, 39, now(), now() + interval '15 minutes', now())",
      [limitKey("network", "127.0.0.1")],
    );
    expect((await attempt("nobody@example.com", "wrong")).status).toBe(401);
    expect((await attempt(ada.email, PASSWORD)).status).toBe(429);
    await forget();
  });

  test("is not refused below the limit, in whatever order simultaneous attempts arrive", async () => {
    const moments = [500, 0, 300, 100, 400, 200];
    const email = "order@example.com";
    const codes: number[] = [];
    for (const [i, moment] of moments.entries()) {
      served.ahead(moment);
      codes.push((await attempt(`${i}.${email}`, "wrong")).status);
    }
    served.ahead(0);
    expect(codes).toEqual(moments.map(() => 401));
    await forget();
  });

  test("counts simultaneous attempts like successive ones", async () => {
    await served.account("Cem", PASSWORD);
    const answers = await Promise.all(Array.from({ length: 24 }, (_, i) => attempt("cem@example.com", `wrong ${i}`)));
    expect(answers.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(4);
    await forget();
  });
});

describe("a session", () => {
  test("ends at sign-out, also for a copy of the cookie", async () => {
    const visitor = served.visitor();
    await attempt(ada.email, PASSWORD, visitor);
    const stored = visitor.cookie();
    const answer = await visitor.delete("/_/session");
    expect(answer.status).toBe(204);
    expect(answer.headers.get("set-cookie")).toMatch(/^session-9009=; .*(?:Max-Age=0|Expires=Thu, 01 Jan 1970)/);
    expect(codeOf(await served.visitor().get("/api/notes", { cookie: stored }))).toBe("401 NOT_SIGNED_IN");
    expect((await served.visitor().delete("/_/session")).status).toBe(204);
  });

  test("ends alone: the sessions of others and your other sessions continue", async () => {
    const here = served.visitor();
    const there = served.visitor();
    await attempt(ada.email, PASSWORD, here);
    await attempt(ada.email, PASSWORD, there);
    expect(here.cookie()).not.toBe(there.cookie());
    await here.delete("/_/session");
    expect((await there.get("/api/notes")).status).toBe(200);
  });

  test("is recognised if its random token begins like an API token", async () => {
    const token = `nf_${"a".repeat(SESSION_TOKEN_LENGTH - 3)}`;
    await served.database.query(
      "insert into ninefold.session (token_hash, person, made_at, expires_at, agent, address) values ($1, $2, now(), now() + interval '1 hour', '', '')",
      [hashToken(token), ada.id],
    );
    expect(await whoIs(served.signedIn(token))).toMatchObject({ id: ada.id });
    expect(newToken()).toHaveLength(SESSION_TOKEN_LENGTH);
  });

  test("expires exactly after the time of point 9", async () => {
    const visitor = served.visitor();
    await attempt(ada.email, PASSWORD, visitor);
    served.ahead(2 * 3_600_000 - 10_000);
    const before = await visitor.get("/api/notes");
    served.ahead(2 * 3_600_000 + 1_000);
    const after = await visitor.get("/api/notes");
    const person = await whoIs(visitor);
    served.ahead(0);
    expect([before.status, after.status, person]).toEqual([200, 401, null]);
  });

  test("is stored only as a hash, so a reader of the database can’t use it", async () => {
    const visitor = served.visitor();
    await attempt(ada.email, PASSWORD, visitor);
    const token = visitor.cookie().split("=")[1] ?? "";
    const readStored = async (text: string) =>
      (await served.database.query(`select 1 from ninefold.session where token_hash = ${text}`, [token])).rows.length;
    expect([await readStored("sha256($1::bytea)"), await readStored("$1::bytea")]).toEqual([1, 0]);
    const { rows: credentials } = await served.database.query("select password from ninefold.credential");
    for (const { password } of credentials) expect(password).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  test("has the user’s current permissions as soon as they change", async () => {
    const wes = await served.person("Wes");
    expect(codeOf(await wes.post("/api/notes", { text: "x" }))).toBe("403 FORBIDDEN");
    await served.database.query(`update app."user" set roles = '{writer}' where id = $1`, [wes.id]);
    expect((await wes.post("/api/notes", { text: "x" })).status).toBe(201);
    await served.database.query(`update app."user" set roles = '{}' where id = $1`, [wes.id]);
    expect(codeOf(await wes.post("/api/notes", { text: "x" }))).toBe("403 FORBIDDEN");
    await served.database.query(`update app."user" set active = false where id = $1`, [wes.id]);
    expect(codeOf(await wes.get("/api/notes"))).toBe("401 NOT_SIGNED_IN");
  });

  test.each([
    "session-9009=guessed",
    `session-9009=${"x".repeat(3_000)}`,
    "session-9009=",
    "session-9009=%00",
    "session-9010=x",
  ])("is not started by a cookie that is not ours: %s", async (cookie) => {
    expect(codeOf(await served.visitor().get("/api/notes", { cookie }))).toBe("401 NOT_SIGNED_IN");
  });
});

describe("the open sessions of an account", () => {
  const openOf = (answer: Answer) => (answer.body as Pick<OwnAccountJson, "open">).open;

  test("tell people that an administrator views the application as them; administrators also learn who and from where", async () => {
    const [root, other] = [
      await served.person("Vera View", ["administrator"]),
      await served.person("Otto Office", ["administrator"]),
    ];
    const kim = await served.person("Kim Close");
    await served.database.query("update ninefold.session set agent = $2, address = $3 where person = $1", [
      root.id,
      "Firefox of Vera",
      "192.0.2.7",
    ]);
    expect((await root.post("/_/look", { person: kim.id })).status).toBe(204);
    const own = await kim.get("/_/account");
    expect(openOf(own).filter(({ viewer }) => viewer !== undefined)).toMatchObject([
      { viewer: null, agent: "", address: "" },
    ]);
    expect(own.text).not.toMatch(/Vera|192\.0\.2\.7/u);
    const [seen] = openOf(await other.get(`/_/people/${kim.id}`)).filter(({ viewer }) => viewer !== undefined);
    expect(seen).toMatchObject({ viewer: "Vera View", agent: "Firefox of Vera", address: "192.0.2.7" });
  });
});

describe("preferences of the interface", () => {
  const likes = async (who: ApiClient) => (await who.get("/_/preferences")).body;

  test("are stored with the account one by one, and shown to nobody else", async () => {
    const [here, there] = [served.visitor(), served.visitor()];
    await attempt(ada.email, PASSWORD, here);
    await attempt(ada.email, PASSWORD, there);
    const columns = { columns: ["text"], widths: { text: 240 } };
    expect((await here.post("/_/preferences", { theme: "dark", "/notes": columns })).status).toBe(204);
    expect((await there.post("/_/preferences", { theme: "system", roomy: true })).status).toBe(204);
    expect(await likes(here)).toEqual({ theme: "system", roomy: true, "/notes": columns });
    expect(await whoIs(there)).toMatchObject({ id: ada.id, preferences: { theme: "system", roomy: true } });
    expect(await likes(await served.person("Grace Hopper"))).toEqual({});
    expect((await served.visitor().get("/_/preferences")).status).toBe(401);
    expect((await served.visitor().post("/_/preferences", { theme: "dark" })).status).toBe(401);
  });

  test("stay their own while you view as somebody else, who keeps theirs", async () => {
    const [root, bea] = [await served.person("Root", ["administrator"]), await served.person("Bea Rice")];
    await root.post("/_/preferences", { theme: "dark" });
    await bea.post("/_/preferences", { theme: "light", roomy: true });
    expect((await root.post("/_/look", { person: bea.id })).status).toBe(204);
    expect(await whoIs(root)).toMatchObject({ id: bea.id, looked: true, preferences: { theme: "dark" } });
    expect((await root.post("/_/preferences", { theme: "light" })).status).toBe(403);
    expect(await likes(bea)).toEqual({ theme: "light", roomy: true });
  });

  test.each([
    ["a text", "dark"],
    ["a list", ["dark"]],
    ["an unknown key", { colour: "dark" }],
    ["a key of every object", { constructor: true }],
    ["an unknown theme", { theme: "blue" }],
    ["nothing", { roomy: null }],
    ["an invalid language", { language: "de'; --" }],
    ["invalid columns of a list", { "/notes": 5 }],
    ["a path with control characters", { "/no\u0000tes": {} }],
    ["a path with an unpaired surrogate", { "/no\ud800tes": {} }],
    ["a long path", { [`/${"x".repeat(300)}`]: {} }],
    ["a long value", { "/notes": { columns: ["x".repeat(5_000)] } }],
    ["too many keys", Object.fromEntries(Array.from({ length: 501 }, (_, nth) => [`/${nth}`, {}]))],
  ])("reject %s, and nothing of such a request is stored", async (what, body) => {
    const lise = await served.person(`Lise ${what.replaceAll(/[^a-z]/gu, "x")}`);
    const input = typeof body === "object" && !Array.isArray(body) ? { singleKeys: false, ...body } : body;
    expect((await lise.post("/_/preferences", input)).status).toBe(400);
    expect(await likes(lise)).toEqual({});
  });

  test("have a maximum size, can still be changed at it, and hold any text unchanged", async () => {
    const kurt = await served.person("Kurt Hensel");
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, nth) => [`/${nth}`, {}]));
    expect((await kurt.post("/_/preferences", many)).status).toBe(204);
    expect((await kurt.post("/_/preferences", { theme: "dark", "/7": { columns: ["a\u0000\ud800"] } })).status).toBe(
      204,
    );
    expect(await likes(kurt)).toEqual({ ...many, "/7": { columns: ["a\u0000\ud800"] } });
  });

  test("are deleted with the person", async () => {
    const max = await served.person("Max Born");
    await max.post("/_/preferences", { theme: "dark" });
    const readStored = async () =>
      (await served.database.query("select from ninefold.preference where person = $1", [max.id])).rows.length;
    await deleteExpiredData(served.opened.service.database, new Date(), { trashDays: 30 });
    expect(await readStored()).toBe(1);
    await served.database.query(`delete from app."user" where id = $1`, [max.id]);
    await deleteExpiredData(served.opened.service.database, new Date(), { trashDays: 30 });
    expect(await readStored()).toBe(0);
  });
});

describe("a cross-site request", () => {
  const own = "http://localhost:80";
  let writer: ApiClient & { readonly id: string };
  beforeAll(async () => {
    writer = await served.person("Writer", ["writer"]);
  });
  const foreign: readonly Record<string, string>[] = [
    { origin: "https://evil.example" },
    { origin: "http://localhost:9010" },
    { origin: "http://localhost" },
    { origin: "http://localhost:81" },
    { origin: "null" },
    { "sec-fetch-site": "cross-site" },
    { "sec-fetch-site": "same-site" },
    { origin: own, "sec-fetch-site": "cross-site" },
  ];
  test.each(foreign)("changes nothing: %j", async (headers) => {
    const { rows } = await served.database.query("select count(*)::int as n from app.note");
    for (const answer of [
      await writer.post("/api/notes", { text: "x" }, { host: "localhost:80", ...headers }),
      await writer.post("/_/session", { email: ada.email, password: PASSWORD }, { host: "localhost:80", ...headers }),
      await writer.delete("/_/session", { host: "localhost:80", ...headers }),
      await writer.patch(`/api/notes/${writer.id}`, {}, { host: "localhost:80", ...headers }),
    ])
      expect(codeOf(answer)).toBe("403 FOREIGN_ORIGIN");
    expect((await served.database.query("select count(*)::int as n from app.note")).rows).toEqual(rows);
    expect((await writer.get("/api/notes", { host: "localhost:80", ...headers })).status).toBe(200);
  });

  test.each([{ origin: own }, { "sec-fetch-site": "same-origin" }, { "sec-fetch-site": "none" }, {}] as const)(
    "is told apart from a same-site one: %j",
    async (headers) => {
      const answer = await writer.post("/api/notes", { text: "x" }, { host: "localhost:80", ...headers });
      expect(answer.status).toBe(201);
    },
  );
});

describe("a demonstration", () => {
  let shown: TestServer;
  beforeAll(async () => {
    shown = await serveText(readFileSync(example("lending"), "utf8"), { demonstration: true });
  });

  test("offers its sample people by role, without a password", async () => {
    const { signIn } = (await shown.visitor().get("/_/application")).body as Application;
    expect(new Set(signIn.demonstration?.flatMap(({ roles }) => roles))).toEqual(new Set(["administrator", "keeper"]));
    const keeper = await shown.signInAs("keeper");
    expect(await whoIs(keeper)).toMatchObject({ roles: ["keeper"], administrator: false });
  });

  test("answers only to this machine’s names, so DNS rebinding gets nothing", async () => {
    for (const host of [
      "evil.example",
      "evil.example:9009",
      "127.0.0.1.evil.example",
      "localhost.evil.example",
      "192.168.1.7",
    ])
      for (const path of ["/_/application", "/", "/api/things", "/healthz"])
        expect(codeOf(await shown.visitor().get(path, { host }))).toBe("403 FOREIGN_ORIGIN");
    for (const host of ["localhost", "localhost:9009", "127.0.0.1:9009", "[::1]:9009"])
      expect((await shown.visitor().get("/_/application", { host })).status).toBe(200);
  });

  test("has no effect on an application that is not one: no sample people, no demo tokens", async () => {
    const { signIn } = (await shown.visitor().get("/_/application")).body as Application;
    expect(((await served.visitor().get("/_/application")).body as Application).signIn).not.toHaveProperty(
      "demonstration",
    );
    for (const { token } of signIn.demonstration ?? [])
      expect(codeOf(await served.visitor().post("/_/session", { demonstration: token }))).toBe("401 BAD_CREDENTIALS");
    expect((await served.visitor().get("/_/application", { host: "app.example" })).status).toBe(200);
  });
});

describe("the first administrator", () => {
  const person = { name: "Ada", email: "ada@example.com", password: PASSWORD };
  const fresh = async () => {
    const application = await serveText(notes);
    const link = () => createFirstAdministratorToken(application.opened.service.database, new Date());
    const use = (token: string, more: object = {}, visitor = application.visitor()) =>
      visitor.post("/_/first-administrator", { token, ...person, ...more });
    return { application, link, use };
  };

  test("is created by a link, is signed in at once, and can sign in again", async () => {
    const { application, link, use } = await fresh();
    const visitor = application.visitor();
    expect((await use(await link(), {}, visitor)).status).toBe(204);
    expect(await whoIs(visitor)).toMatchObject({ name: "Ada", roles: ["administrator"], administrator: true });
    expect((await application.visitor().post("/_/session", person)).status).toBe(204);
    const { rows } = await application.database.query("select action, clause, person from ninefold.audit");
    expect(rows).toEqual([{ action: "create", clause: "7.sign in", person: null }]);
  });

  test("is created once: the link works once, and no other link works afterwards", async () => {
    const { link, use } = await fresh();
    const token = await link();
    expect((await use(token)).status).toBe(204);
    const another = { email: "eve@example.com" };
    expect((await use(token, another)).problem()).toMatchObject({
      status: 403,
      code: "LINK_USED",
      clause: "7.sign in",
    });
    expect(codeOf(await use(await link(), another))).toBe("403 LINK_USED");
  });

  test("the link is checked before the password is hashed, and guesses are counted without blocking sign-in", async () => {
    const { application, use } = await fresh();
    await application.account("Ben", PASSWORD);
    // Only the holder of the link learns what is invalid.
    expect(codeOf(await use("guess", { password: "short", email: "" }))).toBe("403 LINK_USED");
    const guesses = Array.from({ length: 80 }, (_, i) => use(`guess ${i}`));
    const signedIn = application.visitor().post("/_/session", { email: "ben@example.com", password: PASSWORD });
    expect((await signedIn).status).toBe(204);
    const codes = (await Promise.all(guesses)).map(codeOf);
    expect(codes.filter((code) => code === "403 LINK_USED")).toHaveLength(39);
    expect(codes.filter((code) => code === "429 TOO_MANY_ATTEMPTS")).toHaveLength(41);
  });

  test("is one person, even if several use the link at once", async () => {
    const { application, link, use } = await fresh();
    const token = await link();
    const answers = await Promise.all(Array.from({ length: 4 }, (_, i) => use(token, { email: `a${i}@example.com` })));
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 403, 403, 403]);
    const { rows } = await application.database.query(`select count(*)::int as n from app."user"`);
    expect(rows).toEqual([{ n: 1 }]);
  });

  test("is created only by the newest link, within a day", async () => {
    const { application, link, use } = await fresh();
    const old = await link();
    const token = await link();
    expect(codeOf(await use(old))).toBe("403 LINK_USED");
    application.ahead(86_400_000 + 1_000);
    expect(codeOf(await use(token))).toBe("403 LINK_USED");
    application.ahead(86_400_000 - 60_000);
    expect((await use(token)).status).toBe(204);
  });

  test("has a name, an email address and a password of 10 to 200 characters; an invalid value does not use up the link", async () => {
    const { link, use } = await fresh();
    const token = await link();
    const wrong = await use(token, { name: "", email: "nobody", password: "too short" });
    expect(wrong.problem().errors?.map(({ at, code }) => `${at} ${code}`)).toEqual([
      "/name REQUIRED",
      "/email WRONG_TYPE",
      "/password PASSWORD_LENGTH",
    ]);
    expect((await use(token, { password: "x".repeat(201) })).problem()).toMatchObject({ code: "PASSWORD_LENGTH" });
    expect((await use(token, { password: "😀".repeat(9) })).problem()).toMatchObject({ code: "PASSWORD_LENGTH" });
    expect((await use(token, { password: "" })).problem()).toMatchObject({ code: "PASSWORD_LENGTH" });
    expect((await use(token, { password: "😀".repeat(10) })).status).toBe(204);
  });
});

describe("every response", () => {
  const everything = {
    "x-content-type-options": "nosniff",
    "x-frame-options": expect.stringMatching(/^(?:DENY|SAMEORIGIN)$/),
    "referrer-policy": "same-origin",
    "permissions-policy": expect.stringMatching(/^camera=\(\), .*microphone=\(\)/),
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "content-security-policy": expect.stringContaining("default-src 'none'"),
    "ninefold-version": "1",
  };

  test.each([
    ["GET", "/api/notes"],
    ["GET", "/api/nothing"],
    ["POST", "/_/session"],
    ["GET", "/_/application"],
    ["GET", "/"],
    ["GET", "/notes/new"],
    ["GET", "/api/notes/%zz"],
    ["GET", "/healthz"],
  ])("has security headers, is not cached, and names no software: %s %s", async (method, path) => {
    const { headers } = await served.visitor().send(method, path);
    const input = Object.fromEntries(headers);
    expect(input).toMatchObject({ ...everything, "cache-control": "no-store" });
    for (const name of ["server", "x-powered-by", "access-control-allow-origin"])
      expect(input).not.toHaveProperty(name);
    expect(input["content-security-policy"]).toContain("frame-ancestors 'none'");
    expect(input["content-security-policy"]).not.toMatch(/unsafe-(?:inline|eval)/);
  });

  test("that is the page has a nonce of its own", async () => {
    const nonceOf = (answer: Answer) =>
      /'nonce-([\w+/=]+)'/.exec(answer.headers.get("content-security-policy") ?? "")?.[1];
    const [one, other] = [await served.visitor().get("/"), await served.visitor().get("/")];
    expect(nonceOf(one)).toMatch(/^.{24}$/);
    expect(nonceOf(one)).not.toBe(nonceOf(other));
    expect(one.text).toContain(nonceOf(one));
    expect(one.text).not.toContain("__NONCE__");
  });
});

test("the length of new passwords is a constant of the document", async () => {
  const faultsOf = async (constants: string, password: string) => {
    const { limits } = compiled(`# Notes\n\n## 9. Constants\n\n\`\`\`yaml\n${constants}\n\`\`\`\n`).model;
    const faults = await passwordFaults({ limits }, password, { email: "ada@example.com" });
    return faults.map(({ code, values }) => [code, values.min, values.max].filter(Boolean).join(" "));
  };
  expect(await faultsOf("page_size: 20", "xkqzvwpy9")).toEqual(["PASSWORD_LENGTH 10 200"]);
  expect(await faultsOf("password_length: 8", "xkqzvwpy")).toEqual([]);
  expect(await faultsOf("password_length: 8", "xkqzvwp")).toEqual(["PASSWORD_LENGTH 8 200"]);
  expect(await faultsOf("password_length: 8", "password1")).toEqual(["PASSWORD_WEAK"]);
  expect(await faultsOf("password_length_max: 1000", "xkqzvwpy".repeat(125))).toEqual([]);
  // The longest is never shorter than the shortest.
  expect(await faultsOf("password_length: 300", "x")).toEqual(["PASSWORD_LENGTH 300 300"]);
});
