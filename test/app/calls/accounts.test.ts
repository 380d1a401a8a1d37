import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { drive } from "../openapi/drive.ts";
import { type Answer, type ApiClient, serveText, type TestServer } from "../program.ts";

/** People with accounts of their own, for clients that others wrote. */
const club = `
# Club

## 3. Entities and their fields
\`\`\`yaml
User:
  fields: { motto: text?, handle: { type: text?, unique: true, max: 30 } }
Post:
  fields: { text: text, author: { type: User, set: user } }
Card: { fields: { holder: { type: User, set: user } } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
User: { after: { create: { create: Card, set: { holder: this } } } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  visitor: { members: anyone }
  guest:   { members: granted }
  member:  { members: signed in }
  User:    { oneself: this == user }
permissions:
  User: { read: [{ role: visitor, fields: [name, motto, handle] }, { role: oneself, fields: [email] }], update: [{ role: oneself, fields: [name, email, motto, handle] }] }
  Post: { read: [visitor, guest], create: { role: member, fields: [text] }, update: none, delete: none }
  Card: { read: visitor, create: none, update: none, delete: none }
\`\`\`

## 5. Validation rules
\`\`\`yaml
User:
  - { unique: name, else: NAME_TAKEN }
  - { rule: "motto == null || !motto.contains('!')", else: LOUD }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
base: /v1
sign in: { by: handle, sign up: { roles: guest, verify email: false } }
token: { scheme: Token, by: member }
shapes: { User: { profile: { name, motto } } }
calls:
  POST /users: { sign up: true, takes: { user: { username: name, handle, motto, email, password } }, gives: { user: { email, name, motto, handle, token } } }
  POST /join: { sign up: true, takes: { email, password } }
  POST /login: { sign in: true, takes: { user: { email, password } }, gives: { user: { name, token } } }
  POST /login/handle: { sign in: true, takes: { handle, password }, gives: { token } }
  POST /logout: { sign out: true }
  POST /bye: { sign out: true, gives: { bye: name } }
  DELETE /user: { delete: User, where: this == user, gives: { closed: email } }
  GET /user: { read: User, where: this == user, gives: { user: { email, name, motto, token } } }
  PUT /user: { update: User, where: this == user, takes: { user: { name, email, motto, password } }, gives: { user: { email, name, motto, token } } }
  PUT /user/password: { update: User, where: user == this, takes: { new: password, old: current_password }, gives: none }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
NAME_TAKEN: { message: "{name} has already been taken", status: 409, at: name }
LOUD: { message: "{motto} is too loud", at: motto }
\`\`\`
`;

let served: TestServer;
const PASSWORD = "correct horse battery";

const problem = (answer: Answer) => {
  const { status, code, clause, errors } = answer.problem();
  return [status, code, clause, ...(errors ?? []).map((one) => `${one.at} ${one.code}`)].join(" ");
};
const bearing = (token: string) => ({ authorization: `Token ${token}` });
const client = (): ApiClient => served.visitor();
const signIn = async (email: string, password: string): Promise<string> => {
  const answer = await client().post("/v1/login", { user: { email, password } });
  return answer.status === 200 ? (answer.body as { user: { token: string } }).user.token : problem(answer);
};
const isOpen = async (token: string) => (await client().get("/v1/user", bearing(token))).status === 200;

beforeAll(async () => {
  served = await serveText(club);
});

describe("one's own account", () => {
  test("is read and changed with the token that the request sent", async () => {
    await served.account("Ada", PASSWORD);
    const token = await signIn("ada@example.com", PASSWORD);
    expect((await client().get("/v1/user", bearing(token))).body).toEqual({
      user: { email: "ada@example.com", name: "Ada", motto: null, token },
    });
    const changed = await client().send(
      "PUT",
      "/v1/user",
      { user: { motto: "Well.", email: "lovelace@example.com" } },
      { headers: bearing(token) },
    );
    expect(changed.body).toEqual({ user: { email: "lovelace@example.com", name: "Ada", motto: "Well.", token } });
    expect(problem(await client().get("/v1/user"))).toBe("401 NOT_SIGNED_IN 6.User.read");
  });

  test("does not show a page the token in its cookie", async () => {
    const ben = await served.person("Ben");
    expect((await ben.get("/v1/user")).body).toMatchObject({ user: { name: "Ben", token: null } });
  });

  test("gets a new password, which ends the other sessions and the tokens", async () => {
    await served.account("Cyd", PASSWORD);
    const [one, other] = [await signIn("cyd@example.com", PASSWORD), await signIn("cyd@example.com", PASSWORD)];
    const set = (body: object) => client().send("PUT", "/v1/user", { user: body }, { headers: bearing(one) });
    expect(problem(await set({ password: "short" }))).toBe(
      "422 PASSWORD_LENGTH 7.sign in /user/password PASSWORD_LENGTH",
    );
    expect(problem(await set({ password: null }))).toBe("422 WRONG_TYPE 7.sign in /user/password WRONG_TYPE");
    expect(problem(await set({ password: "a new long password", motto: 3 }))).toContain("422 WRONG_TYPE 3.User.motto");
    expect(await isOpen(other)).toBe(true);
    expect((await set({ password: "a new long password", motto: "Hm." })).body).toMatchObject({
      user: { motto: "Hm." },
    });
    expect([await isOpen(one), await isOpen(other)]).toEqual([true, false]);
    expect(await signIn("cyd@example.com", PASSWORD)).toBe("401 BAD_CREDENTIALS 7.sign in");
    const again = await signIn("cyd@example.com", "a new long password");
    expect(
      (await client().send("PUT", "/v1/user", { user: { password: PASSWORD } }, { headers: bearing(again) })).status,
    ).toBe(200);
    const { rows } = await served.database.query(
      `select action from ninefold.audit where entity = 'Account' and person = (select id from app."user" where name = 'Cyd')`,
    );
    expect(rows.map(({ action }) => action)).toEqual(["set_password", "set_password"]);
  });

  test("asks for the current password where the call says so", async () => {
    await served.account("Dee", PASSWORD);
    const token = await signIn("dee@example.com", PASSWORD);
    const set = (body: object) => client().send("PUT", "/v1/user/password", body, { headers: bearing(token) });
    expect(problem(await set({ new: "a new long password" }))).toBe("422 WRONG_TYPE 7.sign in /old WRONG_TYPE");
    expect(problem(await set({ new: "a new long password", old: "wrong" }))).toBe(
      "422 WRONG_PASSWORD 7.sign in /old WRONG_PASSWORD",
    );
    expect(problem(await set({ new: PASSWORD, old: PASSWORD }))).toBe(
      "422 PASSWORD_UNCHANGED 7.sign in /new PASSWORD_UNCHANGED",
    );
    expect((await set({ new: "a new long password", old: PASSWORD })).status).toBe(204);
    expect(await isOpen(await signIn("dee@example.com", "a new long password"))).toBe(true);
    expect((await client().post("/v1/logout", undefined, bearing(token))).status).toBe(204);
    expect(await isOpen(token)).toBe(false);
    expect(problem(await client().send("PUT", "/v1/user/password", { new: PASSWORD, old: PASSWORD }))).toBe(
      "401 NOT_SIGNED_IN 6.User.read",
    );
  });

  test("cannot be changed with a token for programs", async () => {
    const { email } = await served.account("Eve", PASSWORD);
    const eve = client();
    await eve.post("/_/session", { email, password: PASSWORD });
    const created = await eve.post("/_/account/tokens", {
      name: "x",
      days: 3,
      roles: [],
      reads: false,
      password: PASSWORD,
    });
    const { token } = created.body as { token: string };
    const set = (body: object) => client().send("PUT", "/v1/user", { user: body }, { headers: bearing(token) });
    expect((await set({ motto: "By a program." })).status).toBe(200);
    expect(problem(await set({ password: "a new long password" }))).toBe("403 FORBIDDEN 7.token");
  });
});

describe("registering in one call", () => {
  const register = (user: object) => client().post("/v1/users", { user });

  test("creates the account with fields of its own and signs in", async () => {
    const created = await register({
      username: "Fay",
      handle: "fay",
      motto: "Hm.",
      email: " Fay@Example.com",
      password: PASSWORD,
    });
    expect([created.status, created.body]).toEqual([
      201,
      { user: { email: "Fay@Example.com", name: "Fay", handle: "fay", motto: "Hm.", token: expect.any(String) } },
    ]);
    const { token } = (created.body as { user: { token: string } }).user;
    expect(created.headers.get("set-cookie")).toBe(null);
    expect(await isOpen(token)).toBe(true);
    expect(await isOpen(await signIn("fay@example.com", PASSWORD))).toBe(true);
    const { rows } = await served.database.query(
      `select roles, (select password like '$argon2id$%' from ninefold.credential c where c.person = u.id) as hashed,
              (select count(*)::int from ninefold.session s where s.token_hash = sha256('${token}')) as sessions,
              (select count(*)::int from ninefold.audit a where a.record = u.id and a.action = 'create') as lines
       from app."user" u where email = 'Fay@Example.com'`,
    );
    expect(rows).toEqual([{ roles: ["guest"], hashed: true, sessions: 1, lines: 1 }]);
  });

  test("refuses what the document and the password rules refuse, at the member of the body", async () => {
    await register({ username: "Gil", handle: "gil", email: "gil@example.com", password: PASSWORD });
    const at = async (user: object) => problem(await register(user));
    const other = { username: "Hal", email: "hal@example.com", password: PASSWORD };
    expect(await at({ ...other, email: "GIL@example.com" })).toBe("409 TAKEN 3.User.email /user/email TAKEN");
    expect(await at({ ...other, username: "Gil" })).toBe("409 NAME_TAKEN 5.User.NAME_TAKEN /user/username NAME_TAKEN");
    expect(await at({ ...other, handle: "gil" })).toBe("409 TAKEN 3.User.handle /user/handle TAKEN");
    expect(await at({ ...other, motto: "Ho!" })).toBe("422 LOUD 5.User.LOUD /user/motto LOUD");
    expect(await at({ ...other, email: "x" })).toBe("422 WRONG_TYPE 3.User.email /user/email WRONG_TYPE");
    expect(await at({ ...other, username: 3 })).toBe("422 WRONG_TYPE 3.User.name /user/username WRONG_TYPE");
    expect(await at({ ...other, username: "" })).toBe("422 REQUIRED 3.User.name /user/username REQUIRED");
    expect(await at({ ...other, password: "" })).toBe("422 REQUIRED 7.sign in /user/password REQUIRED");
    expect(await at({ ...other, password: "short" })).toBe(
      "422 PASSWORD_LENGTH 7.sign in /user/password PASSWORD_LENGTH",
    );
    expect(await at({ ...other, roles: ["administrator"] })).toContain("422 UNKNOWN_FIELD");
    expect((await served.database.query(`select from app."user" where name = 'Hal'`)).rows).toHaveLength(0);
    expect((await register(other)).status).toBe(201);
  });

  test("fills the braces of messages with the values that were sent, and with nothing else", async () => {
    const messages = async (user: object) => (await register(user)).problem().errors?.map(({ message }) => message);
    const ivy = { username: "Ivy", email: "ivy@example.com", password: PASSWORD };
    expect((await register(ivy)).status).toBe(201);
    expect(await messages({ ...ivy, email: "x@example.com", motto: "Ho!" })).toEqual([
      "Ho! is too loud",
      "Ivy has already been taken",
    ]);
  });

  test("signs a browser in by its cookie, and takes the name from the address", async () => {
    const ida = client();
    expect((await ida.post("/v1/join", { email: "ida@example.com", password: PASSWORD })).status).toBe(204);
    expect((await ida.get("/v1/user")).body).toMatchObject({ user: { name: "Ida", token: null } });
  });

  test("slows down clients that try many addresses", async () => {
    const from = await serveText(
      club.replace("## 8.", "## 9. Business constants and limits\n```yaml\nsign_in_attempts: 1\n```\n\n## 8."),
    );
    const answers: number[] = [];
    for (let i = 0; i < 11; i++)
      answers.push((await from.visitor().post("/v1/join", { email: "x", password: PASSWORD })).status);
    expect(answers).toEqual([...Array.from({ length: 10 }, () => 422), 429]);
  });
});

describe("a person with a handle", () => {
  const enter = (body: object) => client().post("/v1/login/handle", body);

  test("signs in by it, in a call and on the sign-in page", async () => {
    const lea = { handle: "lea", email: "lea@example.com", password: PASSWORD };
    expect((await client().post("/v1/users", { user: { ...lea, username: "Lea" } })).status).toBe(201);
    const { token } = (await enter({ handle: " lea", password: PASSWORD })).body as { token: string };
    expect(await isOpen(token)).toBe(true);
    for (const body of [
      { handle: "lea", password: "wrong" },
      { handle: "lea@example.com", password: PASSWORD },
    ])
      expect(problem(await enter(body))).toBe("401 BAD_CREDENTIALS 7.sign in");
    expect(problem(await enter({ password: PASSWORD }))).toBe("422 REQUIRED 3.User.handle /handle REQUIRED");
    const page = client();
    expect((await page.post("/_/session", { handle: "lea", password: PASSWORD })).status).toBe(204);
    expect((await client().post("/_/session", { name: "Lea", password: PASSWORD })).status).toBe(401);
    expect((await page.get("/_/application")).body).toMatchObject({
      person: { name: "Lea" },
      signIn: { by: { name: "handle", label: "Handle" }, signUp: { fields: [{ name: "name" }, { name: "email" }] } },
    });
  });

  test("registers on the sign-in page at once, and sends nothing that the page does not ask for", async () => {
    const page = client();
    const mia = { name: "Mia", email: "mia@example.com", password: PASSWORD, more: { motto: "Hm.", handle: "mia" } };
    expect(problem(await page.post("/_/sign-up/account", { ...mia, password: "short" }))).toBe(
      "422 PASSWORD_LENGTH 7.sign in /password PASSWORD_LENGTH",
    );
    expect((await page.post("/_/sign-up/account", mia)).status).toBe(204);
    expect((await page.get("/v1/user")).body).toMatchObject({ user: { name: "Mia", motto: null } });
  });
});

describe("a person who leaves", () => {
  test("gets the response of signing out before the session ends", async () => {
    await served.account("Nia", PASSWORD);
    const token = await signIn("nia@example.com", PASSWORD);
    const bye = await client().post("/v1/bye", undefined, bearing(token));
    expect([bye.status, bye.body]).toEqual([200, { bye: "Nia" }]);
    expect(await isOpen(token)).toBe(false);
    expect(problem(await client().post("/v1/bye"))).toBe("401 NOT_SIGNED_IN 7.sign in");
  });

  test("closes the account, which keeps its records, until an administrator reactivates it", async () => {
    const { id } = await served.account("Oda", PASSWORD, ["guest"]);
    const [one, other] = [await signIn("oda@example.com", PASSWORD), await signIn("oda@example.com", PASSWORD)];
    const close = (token: string) => client().send("DELETE", "/v1/user", undefined, { headers: bearing(token) });
    expect((await client().post("/api/posts", { text: "Stays." }, bearing(one))).status).toBe(201);
    expect(problem(await client().delete("/v1/user"))).toBe("401 NOT_SIGNED_IN 7.sign in");
    const closed = await close(one);
    expect([closed.status, closed.body]).toEqual([200, { closed: "oda@example.com" }]);
    expect([await isOpen(one), await isOpen(other)]).toEqual([false, false]);
    expect(await signIn("oda@example.com", PASSWORD)).toBe("401 BAD_CREDENTIALS 7.sign in");
    const { rows } = await served.database.query(
      `select (select count(*)::int from app.post where author = $1) as posts, action, clause, person = record as own
       from ninefold.audit where record = $1 and action = 'deactivate'`,
      [id],
    );
    expect(rows).toEqual([{ posts: 1, action: "deactivate", clause: "7.sign in", own: true }]);
    const chief = await served.person("Second chief", ["administrator"]);
    expect((await chief.post(`/_/people/${id}/activate`, {})).status).toBe(204);
    expect(await isOpen(await signIn("oda@example.com", PASSWORD))).toBe(true);
  });

  test("cannot close the last administrator’s account, nor one by a token for programs", async () => {
    const alone = await serveText(club);
    const { email } = await alone.account("Pia", PASSWORD, ["administrator"]);
    const pia = alone.visitor();
    await pia.post("/_/session", { email, password: PASSWORD });
    expect(problem(await pia.delete("/v1/user"))).toBe("409 LAST_ADMINISTRATOR 6.administrator");
    const created = await pia.post("/_/account/tokens", {
      name: "x",
      days: 3,
      roles: [],
      reads: false,
      password: PASSWORD,
    });
    const { token } = created.body as { token: string };
    expect(problem(await alone.visitor().send("DELETE", "/v1/user", undefined, { headers: bearing(token) }))).toBe(
      "403 FORBIDDEN 7.token",
    );
    expect((await pia.get("/v1/user")).status).toBe(200);
  });
});

test("a registration asks for what the document asks for: at once, by a mailed link, and in a call", async () => {
  const asking = (verifies: string) =>
    serveText(
      club
        .replace(
          "sign up: { roles: guest, verify email: false }",
          `sign up: { roles: guest, asks: [motto, handle]${verifies} }`,
        )
        .replace(/ {2}POST \/join.*\n/u, "")
        .replace(/ {2}POST \/users.*\n/u, verifies === "" ? "" : "$&"),
    );
  const once = await asking(", verify email: false");
  const anybody = once.visitor();
  const sent = { handle: "noor", email: "noor@example.com", password: PASSWORD };
  expect(problem(await anybody.post("/v1/users", { user: sent }))).toBe(
    "422 REQUIRED 3.User.motto /user/motto REQUIRED",
  );
  expect((await anybody.post("/v1/users", { user: { ...sent, motto: "Row." } })).status).toBe(201);
  const { fields } = (
    (await anybody.get("/_/application")).body as { signIn: { signUp: { fields: { name: string }[] } } }
  ).signIn.signUp;
  expect(fields.map(({ name }) => name)).toEqual(["name", "email", "motto", "handle"]);
  const page = { name: "Ola", email: "ola@example.com", password: PASSWORD };
  expect((await anybody.post("/_/sign-up/account", page)).status).toBe(422);
  expect((await anybody.post("/_/sign-up/account", { ...page, more: { motto: "!", handle: "ola" } })).status).toBe(422);
  expect((await anybody.post("/_/sign-up/account", { ...page, more: { motto: "Up.", handle: "ola" } })).status).toBe(
    204,
  );

  const mailed = await asking("");
  const chief = await mailed.person("Chief", ["administrator"]);
  expect((await mailed.visitor().post("/_/sign-up", { email: "pi@example.com" })).status).toBe(202);
  const { items } = (await chief.get("/_/sign-ups")).body as { items: readonly { id: string }[] };
  const { link } = (await chief.post(`/_/sign-ups/${items[0]?.id}/link`, {})).body as { link: string };
  const token = link.split("=").at(-1) ?? "";
  const shown = (await mailed.visitor().post("/_/sign-up/link", { token })).body as {
    fields: readonly { name: string; optional: boolean }[];
  };
  expect(shown.fields.map(({ name, optional }) => [name, optional])).toEqual([
    ["name", false],
    ["motto", false],
    ["handle", false],
  ]);
  const created = { token, name: "Pi", password: PASSWORD };
  expect(problem(await mailed.visitor().post("/_/sign-up/account", { ...created, more: { handle: "pi" } }))).toBe(
    "422 REQUIRED 3.User.motto /motto REQUIRED",
  );
  const done = await mailed
    .visitor()
    .post("/_/sign-up/account", { ...created, more: { handle: "pi", motto: "Pull." } });
  expect(done.status).toBe(204);
});

describe("the account page", () => {
  /** The member of a club without calls for accounts, where nobody changes their name. */
  const closed = club
    .replaceAll("fields: [name, email, motto, handle] }]", "fields: [motto] }]")
    .replaceAll(/ {2}(?:DELETE|PUT) \/user.*\n/gu, "");
  const pageOf = async (of: TestServer, name: string) => {
    const { email } = await of.account(name, PASSWORD);
    const person = of.visitor();
    await person.post("/_/session", { email, password: PASSWORD });
    return { person, page: async () => (await person.get("/_/account")).body as Readonly<Record<string, unknown>> };
  };

  test("changes one’s own name as the document permits, with its rules and its history", async () => {
    const { person, page } = await pageOf(served, "Ruth");
    expect(await page()).toMatchObject({ name: "Ruth", renameRefused: null, closes: true });
    expect((await person.post("/_/account/name", { name: " Ruth Lin " })).status).toBe(204);
    expect(await page()).toMatchObject({ name: "Ruth Lin" });
    await served.account("Taken", PASSWORD);
    expect(problem(await person.post("/_/account/name", { name: "Taken" }))).toBe(
      "409 NAME_TAKEN 5.User.NAME_TAKEN /name NAME_TAKEN",
    );
    expect(problem(await person.post("/_/account/name", {}))).toBe("422 REQUIRED 3.User.name /name REQUIRED");
    const { rows } = await served.database.query(
      "select clause, person = record as own from ninefold.audit where entity = 'User' and action = 'update' order by at desc limit 1",
    );
    expect(rows).toEqual([{ clause: "6.User.update", own: true }]);
    expect(problem(await served.visitor().post("/_/account/name", { name: "X" }))).toBe("401 NOT_SIGNED_IN 7.sign in");
  });

  test("closes the account after its password, if the document has a call for it", async () => {
    const { person } = await pageOf(served, "Sami");
    expect(problem(await person.post("/_/account/close", { password: "wrong" }))).toBe(
      "422 WRONG_PASSWORD 7.sign in /password WRONG_PASSWORD",
    );
    expect((await person.get("/_/account")).status).toBe(200);
    expect((await person.post("/_/account/close", { password: PASSWORD })).status).toBe(204);
    expect((await person.get("/_/account")).status).toBe(401);
    expect(await signIn("sami@example.com", PASSWORD)).toBe("401 BAD_CREDENTIALS 7.sign in");
  });

  test("offers neither where the document does not", async () => {
    const other = await serveText(closed);
    const { person, page } = await pageOf(other, "Tom");
    expect(await page()).toMatchObject({ renameRefused: { clause: "6.User.update" }, closes: false });
    expect(problem(await person.post("/_/account/name", { name: "Tim" }))).toBe(
      "403 NOT_YOURS_TO_WRITE 6.User.update /name NOT_YOURS_TO_WRITE",
    );
    expect(problem(await person.post("/_/account/close", { password: PASSWORD }))).toBe("403 FORBIDDEN 7.sign in");
    expect(await page()).toMatchObject({ name: "Tom" });
  });
});

describe("however an account is created", () => {
  const cards = async (email: string) =>
    (
      await served.database.query(
        `select c.id from app.card c join app."user" u on u.id = c.holder where u.email = $1`,
        [email],
      )
    ).rows;

  test("rules decide about it, and its effects run", async () => {
    const chief = await served.person("Chief", ["administrator"]);
    const invite = (more: object) =>
      chief.post("/_/people", { name: "Jan", email: "jan@example.com", roles: [], more });
    const loud = await invite({ motto: "Ho!" });
    expect([problem(loud), loud.problem().detail]).toEqual(["422 LOUD 5.User.LOUD /motto LOUD", "Ho! is too loud"]);
    expect((await invite({ motto: "Hm." })).status).toBe(201);
    await client().post("/v1/join", { email: "kit@example.com", password: PASSWORD });
    for (const email of [chief.email, "jan@example.com", "kit@example.com"]) expect(await cards(email)).toHaveLength(1);
    const { rows } = await served.database.query(
      "select cause is not null as caused from ninefold.audit where entity = 'Card'",
    );
    expect(new Set(rows.map(({ caused }) => caused))).toEqual(new Set([true]));
  });
});

test("OpenAPI describes the calls as they respond", { timeout: 60_000 }, async () => {
  const driven = await drive(club, 5);
  await driven.some(80);
  expect(driven.wrong.slice(0, 5)).toEqual([]);
});

test("a client that others wrote uses an account from registration to its end", async () => {
  const conduit = await serveText(readFileSync("test/documents/conduit.md", "utf8"));
  const anybody = conduit.visitor();
  const register = async (username: string) => {
    const user = { username, email: `${username}@example.com`, password: PASSWORD };
    const answer = await anybody.post("/api/users", { user });
    expect(answer.body).toEqual({
      user: { username, email: user.email, bio: null, image: null, token: expect.any(String) },
    });
    return bearing((answer.body as { user: { token: string } }).user.token);
  };
  const [jo, ann] = [await register("jo"), await register("ann")];
  const send = (method: string, path: string, headers: Record<string, string>, body?: object) =>
    anybody.send(method, `/api${path}`, body, { headers });

  expect(
    (await anybody.post("/api/users", { user: { username: "jo", email: "x@example.com", password: PASSWORD } })).body,
  ).toEqual({
    errors: { username: ["has already been taken"] },
  });
  expect(
    (await send("PUT", "/user", jo, { user: { bio: "Writes.", password: "another long one" } })).body,
  ).toMatchObject({
    user: { bio: "Writes.", token: jo.authorization.slice(6) },
  });
  expect(
    (await anybody.post("/api/users/login", { user: { email: "jo@example.com", password: PASSWORD } })).status,
  ).toBe(401);
  const article = { title: "How to train", description: "Well", body: "Text.", tagList: ["one", "two"] };
  const created = (await send("POST", "/articles", jo, { article })).body as { article: { slug: string } };
  expect(created.article).toMatchObject({ ...article, slug: "how-to-train", favoritesCount: 0 });
  expect((await send("POST", "/profiles/jo/follow", ann, { user: {} })).body).toEqual({
    profile: { username: "jo", bio: "Writes.", image: null, following: true },
  });
  expect((await send("GET", "/articles/feed", ann)).body).toMatchObject({ articlesCount: 1 });
  expect((await send("POST", "/articles/how-to-train/favorite", ann)).body).toMatchObject({
    article: { favorited: true, favoritesCount: 1 },
  });
  expect((await send("POST", "/articles/how-to-train/comments", ann, { comment: { body: "Hm." } })).status).toBe(201);
  expect((await anybody.get("/api/articles/how-to-train/comments")).body).toMatchObject({
    comments: [{ body: "Hm.", author: { username: "ann", following: false } }],
  });
  expect((await send("DELETE", "/profiles/jo/follow", ann)).body).toMatchObject({ profile: { following: false } });
  expect((await send("DELETE", "/articles/how-to-train", ann)).status).toBe(403);
  expect((await send("DELETE", "/articles/how-to-train", jo)).status).toBe(204);
});

describe("an application in which nobody signs in", () => {
  const board = `
# Board

## 3. Entities and their fields
\`\`\`yaml
Note: { fields: { text: { type: text, max: 40 } } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { visitor: { members: anyone } }
permissions: { Note: { read: visitor, create: visitor, update: visitor, delete: none } }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
sign in: none
calls: { GET /board: { list: Note, gives: { texts: "page.map(n, n.text)" } } }
\`\`\`
`;

  test("treats everybody as a visitor, and protects the workbench", { timeout: 60_000 }, async () => {
    const open = await serveText(board, { demonstration: true });
    const visitor = open.visitor();
    const { id } = (await visitor.post("/api/notes", { text: "One" })).record();
    const chief = await open.person("Chief", ["administrator"]);
    expect((await chief.post("/api/notes", { text: "Two" })).status).toBe(201);
    expect((await visitor.get("/api/board")).body).toMatchObject({ texts: expect.arrayContaining(["Two", "One"]) });
    expect(problem(await visitor.delete(`/api/notes/${id}`))).toBe("403 FORBIDDEN 6.Note");
    const { rows } = await open.database.query(
      "select person from ninefold.audit where entity = 'Note' order by id desc limit 2",
    );
    expect(rows).toEqual([{ person: null }, { person: null }]);
    expect((await visitor.get("/_/application")).body).toMatchObject({ signIn: { off: true } });
    for (const path of ["/_/people", "/_/account", "/_/sign-ins"])
      expect((await visitor.get(path)).status, path).toBe(401);
    expect((await chief.get("/_/people")).status).toBe(200);

    const driven = await drive(board, 7, open);
    await driven.some(40);
    expect(driven.wrong.slice(0, 3)).toEqual([]);
  });
});

test("errors have the form that a client of Mongoose expects, and never a password", async () => {
  const text = readFileSync("test/documents/contact-list.md", "utf8");
  const contacts = await serveText(text);
  const anybody = contacts.visitor();
  const jo = { firstName: "Jo", lastName: "Bell", email: "jo@example.com", password: PASSWORD };
  const registered = await anybody.post("/users", jo);
  expect(registered.body).toEqual({
    user: { _id: expect.any(String), firstName: "Jo", lastName: "Bell", email: jo.email, __v: 0 },
    token: expect.any(String),
  });
  const headers = { authorization: `Bearer ${(registered.body as { token: string }).token}` };
  const send = (method: string, path: string, body?: object) => anybody.send(method, path, body, { headers });

  const long = "x".repeat(21);
  expect((await send("POST", "/contacts", { firstName: long, phone: "none", birthdate: 7 })).body).toEqual({
    errors: {
      firstName: {
        message: `Path \`firstName\` (\`${long}\`) is longer than the maximum allowed length (20).`,
        value: long,
        kind: "TOO_LONG",
      },
      birthdate: { message: "Birthdate is invalid", value: 7, kind: "WRONG_TYPE" },
      lastName: { message: "Path `lastName` is required.", value: null, kind: "REQUIRED" },
    },
    message: expect.any(String),
  });
  expect((await send("POST", "/contacts", { firstName: "Al", lastName: "Ash", phone: "none" })).body).toMatchObject({
    errors: { phone: { message: "Phone number is invalid", value: "none", kind: "PHONE_INVALID" } },
  });
  const huge = await send("POST", "/contacts", { firstName: "x".repeat(300), lastName: "Ash" });
  expect((huge.body as { message: string }).message).toContain(`(\`${"x".repeat(200)}…\`)`);
  expect(
    (await send("POST", "/contacts", { firstName: "Al", lastName: "Ash", passwort: PASSWORD })).text,
  ).not.toContain(PASSWORD);

  const other = "Not a secret.";
  for (const answer of [
    await send("PATCH", "/users/me", { password: "short" }),
    await send("PATCH", "/users/me", { password: other.repeat(20) }),
    await send("PATCH", "/users/me", { password: { firstName: other } }),
    await anybody.post("/users", { ...jo, email: "x@example.com", password: "short" }),
    await anybody.post("/users", { ...jo, email: "x@example.com", password: [other] }),
    await anybody.post("/users", { ...jo, email: other, password: "short" }),
  ]) {
    expect(answer.status, answer.text).toBe(400);
    expect(answer.text).not.toMatch(/short|Not a secret.*Not a secret|firstName: /u);
    expect(answer.body).toMatchObject({ errors: { password: { value: null } } });
  }

  expect((await send("PATCH", "/users/me", { password: "short" })).body).toMatchObject({
    message: "Path `password` (`…`) must have 8 to 100 characters.",
  });

  expect((await send("PATCH", "/users/me", { email: "jo@example.com" })).status).toBe(200);
  await anybody.post("/users", { ...jo, email: "al@example.com" });
  const taken = await send("PATCH", "/users/me", { email: "al@example.com" });
  expect([taken.status, taken.body]).toEqual([
    400,
    { message: "Email address is already in use", keyValue: { email: "al@example.com" } },
  ]);
  const nobody = await anybody.get("/contacts");
  expect([nobody.status, nobody.body]).toEqual([401, { error: "Please authenticate." }]);
  const wrong = await anybody.post("/users/login", { email: jo.email, password: "wrong" });
  expect([wrong.status, wrong.text]).toEqual([401, ""]);
  expect((await anybody.post("/users/login", { email: jo.email })).text).toBe("");
  const none = await send("GET", "/contacts/4b9e3a0a-0000-4000-8000-000000000000");
  expect([none.status, none.text]).toEqual([404, ""]);
  const driven = await drive(
    text.replace(/text, max: 20 \}\n(.*)text, max: 20/u, "text?, max: 20 }\n$1text?, max: 20"),
    3,
  );
  await driven.some(60);
  expect(driven.wrong.slice(0, 3)).toEqual([]);
});
