import { beforeAll, describe, expect, test } from "vitest";
import type { OwnAccountJson } from "../../../src/core/wire/accounts/account.ts";
import type { LinkJson, PeopleJson, PersonAccountJson } from "../../../src/core/wire/accounts/people.ts";
import type { Application } from "../../../src/core/wire/application.ts";
import type { HistoryJson } from "../../../src/core/wire/history.ts";
import { type Answer, type ApiClient, serveText, type TestServer } from "../program.ts";

const desk = `
# Desk

## 3. Entities and their fields
\`\`\`yaml
User: { fields: { office: { type: choice, values: [north, south] }, floor: integer? } }
Note: { fields: { text: text } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  member: { members: signed in }
  writer: { members: granted }
  keeper: { members: granted }
permissions:
  User: { read: [member] }
  Note: { read: [member], create: [writer] }
\`\`\`

## 9. Business constants and limits
\`\`\`yaml
sign_in_attempts: 4
\`\`\`
`;

/** The document with a default for new people. */
const staffed = desk.replace("User: { fields: { office: {", "User: { fields: { office: { default: north,");

const PASSWORD = "correct horse battery";
type Known = ApiClient & { readonly id: string };

let served: TestServer;
let admin: Known;
beforeAll(async () => {
  served = await serveText(staffed);
  admin = await served.person("Ada", ["administrator"]);
});

const codeOf = (answer: Answer) => `${answer.status} ${answer.problem().code} ${answer.problem().clause}`;
const people = async (search = "") => (await admin.get(`/_/people?search=${search}`)).body as PeopleJson;
const accountOf = async (id: string) => (await admin.get(`/_/people/${id}`)).body as PersonAccountJson;
const own = async (who: ApiClient) => (await who.get("/_/account")).body as OwnAccountJson;
const invite = async (name: string, roles: readonly string[] = []) => {
  const answer = await admin.post("/_/people", { name, email: `${name}@example.com`, roles });
  if (answer.status !== 201) throw new Error(answer.text);
  return answer.body as LinkJson;
};
const tokenIn = ({ link }: LinkJson) => /^\/sign-in#password=([\w-]{43})$/.exec(link)?.[1];
const enter = async (link: LinkJson, password = PASSWORD): Promise<ApiClient> => {
  const visitor = served.visitor();
  const answer = await visitor.post("/_/password", { token: tokenIn(link), password });
  if (answer.status !== 204) throw new Error(answer.text);
  return visitor;
};
const isSignedIn = async (who: ApiClient) => ((await who.get("/_/application")).body as Application).person !== null;

describe("an administrator", () => {
  test("invites a person, who sets a password by a link that works once and is then signed in with their roles", async () => {
    const link = await invite("grace", ["writer"]);
    const invited = { name: "grace", active: true, password: false, sessions: 0, invitation: "open" };
    expect(await accountOf(link.id)).toMatchObject(invited);
    const visitor = served.visitor();
    const owner = await visitor.post("/_/password-link", { token: tokenIn(link) });
    expect(owner.body).toEqual({ name: "grace", email: "grace@example.com", asksName: false });
    const grace = await enter(link);
    expect((await grace.post("/api/notes", { text: "hello" })).status).toBe(201);
    expect((await served.visitor().post("/_/session", { email: "grace@example.com", password: PASSWORD })).status).toBe(
      204,
    );
    for (const path of ["/_/password", "/_/password-link"])
      expect(codeOf(await visitor.post(path, { token: tokenIn(link), password: PASSWORD }))).toBe(
        "403 LINK_USED 7.sign in",
      );
    expect(await accountOf(link.id)).toMatchObject({ password: true, link_until: null, sessions: 2, invitation: null });
  });

  test("sees an invitation that has expired, invites again, and withdraws it", async () => {
    const { id } = await invite("hedy");
    const expire = () => served.database.query("delete from ninefold.once_link where person = $1", [id]);
    await expire();
    expect(await accountOf(id)).toMatchObject({ link_until: null, invitation: "expired" });
    const again = (await admin.post(`/_/people/${id}/password_link`)).body as LinkJson;
    expect(await accountOf(id)).toMatchObject({ link_until: again.until, invitation: "open" });
    expect((await admin.post(`/_/people/${id}/deactivate`)).status).toBe(204);
    expect((await served.visitor().post("/_/password", { token: tokenIn(again), password: PASSWORD })).status).toBe(
      403,
    );
    // A person whom nobody has invited has no invitation that could expire.
    expect(await accountOf((await served.person("Otto")).id)).toMatchObject({ invitation: null });
  });

  test("sees the errors of a new person, and no person is created", async () => {
    const wrong = await admin.post("/_/people", { name: "", email: "no address", roles: [], more: { floor: "x" } });
    expect(wrong.problem().errors?.map(({ at, code }) => `${at} ${code}`)).toEqual([
      "/name REQUIRED",
      "/email WRONG_TYPE",
      "/floor WRONG_TYPE",
    ]);
    const taken = await admin.post("/_/people", { name: "Ada", email: "ADA@example.com", roles: [] });
    expect(taken.problem()).toMatchObject({ status: 409, code: "TAKEN" });
    for (const roles of [["member"], ["nobody"], ["constructor"]])
      expect(codeOf(await admin.post("/_/people", { name: "X", email: "x@example.com", roles }))).toBe(
        "422 NOT_A_CHOICE 6.administrator",
      );
    const forged = await admin.post("/_/people", { name: "X", email: "x@example.com", more: { active: false } });
    expect(forged.problem()).toMatchObject({ code: "UNKNOWN_FIELD" });
    expect((await people("x@example.com")).items).toEqual([]);
  });

  test("recognises sample people, finds them, and removes them with the sample records, but not the own account", async () => {
    const tried = await serveText(staffed);
    const chief = await tried.person("Chief", ["administrator"]);
    const real = await tried.person("Real", ["writer"]);
    const [needed, idle] = [await tried.person("Needed", ["writer"]), await tried.person("Idle", ["writer"])];
    const note = async (who: ApiClient, text: string) => (await who.post("/api/notes", { text })).record().id;
    const [sample, own] = [await note(idle, "sample"), await note(real, "own")];
    await tried.database.query(
      `insert into ninefold.sample (entity, record) values
         ('User', '${chief.id}'), ('User', '${needed.id}'), ('User', '${idle.id}'), ('Note', '${sample}')`,
    );
    const list = async (query: string) => {
      const { items, samples } = (await chief.get(`/_/people${query}`)).body as PeopleJson;
      return { samples, names: items.map(({ name, sample }) => `${name}${sample ? " (sample)" : ""}`) };
    };
    expect(await list("")).toEqual({
      samples: 2,
      names: ["Chief (sample)", "Idle (sample)", "Needed (sample)", "Real"],
    });
    expect((await list("?sample=true&search=e")).names).toEqual(["Chief (sample)", "Idle (sample)", "Needed (sample)"]);
    expect((await real.post("/_/samples/remove", {})).status).toBe(403);

    const removed = await chief.post("/_/samples/remove", {});
    expect([removed.status, removed.body]).toEqual([200, { removed: 3, retained: 0 }]);
    // Only the sign-in page of the demonstration lets the own account in.
    expect(await list("")).toEqual({ samples: 0, names: ["Chief (sample)", "Real"] });
    expect((await chief.get(`/_/people/${chief.id}`)).body).toMatchObject({
      history: expect.arrayContaining([
        expect.objectContaining({ action: "remove_samples", removed: 3, person: { id: chief.id, label: "Chief" } }),
      ]),
    });
    expect((await chief.post("/_/samples/remove", {})).body).toEqual({ removed: 0, retained: 0 });
    const { rows: lines } = await tried.database.query(
      "select changes from ninefold.audit where action = 'remove_samples'",
    );
    expect(lines).toEqual([{ changes: { removed: 3, retained: 0 } }]);
    const { rows } = await tried.database.query("select id from app.note");
    expect(rows).toEqual([{ id: own }]);

    await tried.database.query(`insert into ninefold.credential (person, password) values ('${chief.id}', 'a hash')`);
    expect((await chief.post("/_/samples/remove", {})).body).toEqual({ removed: 0, retained: 0 });
    expect((await list("")).names).toEqual(["Chief", "Real"]);
  });

  test("lists all people by name, page by page, and finds them by name or email address", async () => {
    for (let i = 0; i < 60; i++)
      await served.account(`Number ${String.fromCharCode(97 + (i % 26))}${"i".repeat(i)}`, PASSWORD);
    const first = await people();
    expect(first.items).toHaveLength(50);
    expect(first).toMatchObject({ roles: ["writer", "keeper", "administrator"] });
    expect(first.fields.map(({ name }) => name)).toEqual(["name", "email"]);
    const next = (await admin.get(`/_/people?after=${first.next}`)).body as PeopleJson;
    const names = [...first.items, ...next.items].map(({ name }) => name.toLowerCase());
    expect(next.next).toBe(null);
    expect(new Set(names).size).toBe(names.length);
    expect((await people("GRACE")).items.map(({ email }) => email)).toEqual(["grace@example.com"]);
    const withRole = (await admin.get("/_/people?role=keeper&role=administrator")).body as PeopleJson;
    expect(new Set(withRole.items.flatMap(({ roles }) => roles))).toEqual(new Set(["administrator"]));
    expect(((await admin.get("/_/people?role=nobody")).body as PeopleJson).items).toEqual([]);
    expect(codeOf(await admin.get("/_/people?after=elsewhere"))).toBe("400 BAD_CURSOR undefined");
  });

  test("grants and removes roles, each with its clause in the history and in force from the next request", async () => {
    const link = await invite("linus");
    const linus = await enter(link);
    expect(codeOf(await linus.post("/api/notes", { text: "no" }))).toBe("403 FORBIDDEN 6.Note.create");
    expect((await admin.post(`/_/people/${link.id}/grant`, { role: "writer" })).status).toBe(204);
    expect((await admin.post(`/_/people/${link.id}/grant`, { role: "writer" })).status).toBe(204);
    expect((await linus.post("/api/notes", { text: "yes" })).status).toBe(201);
    expect((await admin.post(`/_/people/${link.id}/take`, { role: "writer" })).status).toBe(204);
    expect((await linus.post("/api/notes", { text: "no" })).status).toBe(403);
    const { history } = await accountOf(link.id);
    expect(history.map((one) => [one.action, one.clause, one.granted, one.taken, one.person?.label])).toEqual([
      ["take", "6.roles.writer", [], ["writer"], "Ada"],
      ["grant", "6.roles.writer", ["writer"], [], "Ada"],
      ["set_password", "7.sign in", [], [], "linus"],
      ["create", "7.sign in", [], [], "Ada"],
    ]);
    expect(codeOf(await admin.post(`/_/people/${link.id}/grant`, { role: "member" }))).toBe(
      "422 NOT_A_CHOICE 6.administrator",
    );
  });

  test("deactivates a person at once, which ends their sessions and links, and reactivates them", async () => {
    const link = await invite("margaret");
    const margaret = await enter(link);
    const reset = (await admin.post(`/_/people/${link.id}/password_link`)).body as LinkJson;
    expect((await admin.post(`/_/people/${link.id}/deactivate`)).status).toBe(204);
    expect(await isSignedIn(margaret)).toBe(false);
    const signIn = () => served.visitor().post("/_/session", { email: "margaret@example.com", password: PASSWORD });
    expect((await signIn()).status).toBe(401);
    expect((await served.visitor().post("/_/password", { token: tokenIn(reset), password: PASSWORD })).status).toBe(
      403,
    );
    expect(codeOf(await admin.post(`/_/people/${link.id}/password_link`))).toBe("409 ACCOUNT_INACTIVE 7.sign in");
    expect(await accountOf(link.id)).toMatchObject({ active: false, sessions: 0, link_until: null });
    expect((await admin.post(`/_/people/${link.id}/activate`)).status).toBe(204);
    expect((await signIn()).status).toBe(204);
    expect(await isSignedIn(margaret)).toBe(false);
  });

  test("sends a link for a new password, which ends every session and replaces the previous link", async () => {
    const link = await invite("barbara");
    const barbara = await enter(link);
    const links = [];
    for (let i = 0; i < 2; i++) links.push((await admin.post(`/_/people/${link.id}/password_link`)).body as LinkJson);
    const [old, fresh] = links as [LinkJson, LinkJson];
    expect(Date.parse(fresh.until) - Date.now()).toBeLessThanOrEqual(86_400_000);
    expect(await isSignedIn(barbara)).toBe(true);
    const use = (one: LinkJson, password: string) =>
      served.visitor().post("/_/password", { token: tokenIn(one), password });
    expect((await use(old, "another password")).status).toBe(403);
    expect(codeOf(await use(fresh, "short"))).toBe("422 PASSWORD_LENGTH 7.sign in");
    expect((await use(fresh, "another password")).status).toBe(204);
    expect(await isSignedIn(barbara)).toBe(false);
    const signIn = (password: string) =>
      served.visitor().post("/_/session", { email: "barbara@example.com", password });
    expect([(await signIn(PASSWORD)).status, (await signIn("another password")).status]).toEqual([401, 204]);
  });

  test("a password link expires after a day, an invitation after a week", async () => {
    const invitation = await invite("late");
    const known = await invite("later");
    await enter(known);
    const reset = (await admin.post(`/_/people/${known.id}/password_link`)).body as LinkJson;
    const look = async (one: LinkJson) =>
      (await served.visitor().post("/_/password-link", { token: tokenIn(one) })).status;
    served.ahead(25 * 3_600_000);
    expect([await look(invitation), await look(reset)]).toEqual([200, 403]);
    served.ahead(8 * 24 * 3_600_000);
    expect(await look(invitation)).toBe(403);
    served.ahead(0);
  });

  test("ends a person’s sessions, and account changes are hidden from others in the record’s history", async () => {
    const link = await invite("edsger");
    const edsger = await enter(link);
    const reader = await served.person("Reader");
    expect((await admin.post(`/_/people/${link.id}/end_sessions`)).status).toBe(204);
    expect(await isSignedIn(edsger)).toBe(false);
    const seen = (await reader.get(`/api/users/${link.id}/history`)).body as HistoryJson;
    expect(seen.items.map(({ action }) => action)).toEqual(["create"]);
    expect((await accountOf(link.id)).history.map(({ action }) => action)).toEqual([
      "end_sessions",
      "set_password",
      "create",
    ]);
  });

  test("gets 404 for a person who does not exist", async () => {
    for (const id of ["00000000-0000-7000-8000-000000000000", "x", "constructor"]) {
      expect(codeOf(await admin.get(`/_/people/${id}`))).toBe("404 NOT_FOUND 6.administrator");
      for (const act of ["deactivate", "activate", "end_sessions", "password_link"])
        expect(codeOf(await admin.post(`/_/people/${id}/${act}`))).toBe("404 NOT_FOUND 6.administrator");
      expect(codeOf(await admin.post(`/_/people/${id}/grant`, { role: "writer" }))).toBe(
        "404 NOT_FOUND 6.administrator",
      );
    }
  });

  test("the last administrator can’t be removed, by themselves or by two requests at once", async () => {
    expect(codeOf(await admin.post(`/_/people/${admin.id}/deactivate`))).toBe("409 LAST_ADMINISTRATOR 6.administrator");
    expect(codeOf(await admin.post(`/_/people/${admin.id}/take`, { role: "administrator" }))).toBe(
      "409 LAST_ADMINISTRATOR 6.administrator",
    );
    const other = await served.person("Other", ["administrator"]);
    for (let round = 0; round < 8; round++) {
      const answers = await Promise.all([
        admin.post(`/_/people/${other.id}/take`, { role: "administrator" }),
        other.post(`/_/people/${admin.id}/deactivate`),
      ]);
      const { rows } = await served.database.query(
        `select count(*)::int as left from app."user" where active and roles @> '{administrator}'`,
      );
      expect([answers.map(({ status }) => status), rows[0]?.left]).toEqual([expect.arrayContaining([204]), 1]);
      await served.database.query(`update app."user" set active = true, roles = '{administrator}' where id = any($1)`, [
        [admin.id, other.id],
      ]);
      admin = Object.assign(await again(admin.id), { id: admin.id });
    }
    await admin.post(`/_/people/${other.id}/take`, { role: "administrator" });
  });
});

/** The sessions of a deactivated person are deleted. */
const again = async (id: string): Promise<ApiClient> => {
  const visitor = served.visitor();
  await served.database.query(
    `insert into ninefold.once_link (token_hash, purpose, person, expires_at) values (sha256('again'), 'password', $1, now() + interval '1 hour')`,
    [id],
  );
  expect((await visitor.post("/_/password", { token: "again", password: PASSWORD })).status).toBe(204);
  return visitor;
};

describe("a person who is not an administrator", () => {
  test.each([
    ["GET", "/_/people"],
    ["POST", "/_/people"],
    ["GET", "/_/people/00000000-0000-7000-8000-000000000000"],
    ["POST", "/_/people/00000000-0000-7000-8000-000000000000/deactivate"],
    ["POST", "/_/people/00000000-0000-7000-8000-000000000000/activate"],
    ["POST", "/_/people/00000000-0000-7000-8000-000000000000/grant"],
    ["POST", "/_/people/00000000-0000-7000-8000-000000000000/take"],
    ["POST", "/_/people/00000000-0000-7000-8000-000000000000/end_sessions"],
    ["POST", "/_/people/00000000-0000-7000-8000-000000000000/password_link"],
  ])("can’t %s %s, nor can a visitor", async (method, path) => {
    const writer = await served.person(`Writer ${method} ${path}`, ["writer", "keeper"]);
    expect(codeOf(await writer.send(method, path, method === "POST" ? {} : undefined))).toBe(
      "403 FORBIDDEN 6.administrator",
    );
    expect(codeOf(await served.visitor().send(method, path, method === "POST" ? {} : undefined))).toBe(
      "401 NOT_SIGNED_IN 7.sign in",
    );
  });

  test("can’t grant themselves a role by updating their own record", async () => {
    const writer = await served.person("Sly", ["writer"]);
    for (const body of [{ roles: ["administrator"] }, { active: true }])
      expect([403, 404, 422]).toContain((await writer.patch(`/api/users/${writer.id}`, body)).status);
    expect((await writer.get("/_/people")).status).toBe(403);
  });
});

describe("your account", () => {
  test("shows where you are signed in, and ends one session or all others", async () => {
    const { email } = await served.account("Sam Sessions", PASSWORD);
    const signIn = async (agent: string) => {
      const visitor = served.visitor();
      const answer = await visitor.post("/_/session", { email, password: PASSWORD }, { "user-agent": agent });
      expect(answer.status).toBe(204);
      return visitor;
    };
    const [here, phone, office] = [await signIn("here"), await signIn("phone"), await signIn("x".repeat(2_000))];
    const { open, recent: _, ...rest } = await own(here);
    expect(rest).toEqual({
      name: "Sam Sessions",
      email,
      mails: null,
      reports: [],
      relations: [],
      renameRefused: expect.objectContaining({ code: "FORBIDDEN", clause: "6.User" }),
      closes: false,
      roles: [],
      password: true,
      sample: false,
      tokens: null,
    });
    expect(open.map(({ agent, current }) => [agent.length, current])).toEqual([
      [300, false],
      [5, false],
      [4, true],
    ]);
    expect(JSON.stringify(open)).not.toContain(here.cookie().split("=")[1]);
    expect((await here.delete(`/_/account/sessions/${open[1]?.id}`)).status).toBe(204);
    expect([await isSignedIn(here), await isSignedIn(phone), await isSignedIn(office)]).toEqual([true, false, true]);
    expect((await here.delete("/_/account/sessions")).status).toBe(204);
    expect([await isSignedIn(here), await isSignedIn(office)]).toEqual([true, false]);
    const stranger = await served.person("Stranger");
    expect((await stranger.delete(`/_/account/sessions/${(await own(here)).open[0]?.id}`)).status).toBe(204);
    expect(await isSignedIn(here)).toBe(true);
  });

  test("changes the password only with the old one; wrong ones count as sign-in attempts; other sessions end", async () => {
    const { email } = await served.account("Pat", PASSWORD);
    const signIn = async (password: string) => {
      const visitor = served.visitor();
      return { visitor, status: (await visitor.post("/_/session", { email, password })).status };
    };
    const { visitor: here } = await signIn(PASSWORD);
    const { visitor: there } = await signIn(PASSWORD);
    const change = (current: string, password: string) => here.post("/_/account/password", { current, password });
    expect(codeOf(await change("wrong", "the next password"))).toBe("422 WRONG_PASSWORD 7.sign in");
    expect(codeOf(await change(PASSWORD, "short"))).toBe("422 PASSWORD_LENGTH 7.sign in");
    expect(codeOf(await change(PASSWORD, PASSWORD))).toBe("422 PASSWORD_UNCHANGED 7.sign in");
    expect((await change(PASSWORD, "the next password")).status).toBe(204);
    expect([await isSignedIn(here), await isSignedIn(there)]).toEqual([true, false]);
    expect([(await signIn(PASSWORD)).status, (await signIn("the next password")).status]).toEqual([401, 204]);
    for (let i = 0; i < 4; i++) expect((await change("wrong", "x")).status).toBe(422);
    expect(codeOf(await change("the next password", "one more password"))).toBe(
      "429 TOO_MANY_ATTEMPTS 9.sign_in_attempts",
    );
  });

  test.each([
    ["a common one", "Password123"],
    ["a common one in capitals", "QWERTYUIOP"],
    ["the email address", "Uma.Weak@example.com"],
    ["the email address with spaces", "  uma.weak@example.com "],
    ["the name", "uma ａlice weak"],
    ["only spaces", " ".repeat(12)],
    ["only Unicode spaces", "\u2003".repeat(12)],
  ])("rejects a weak password: %s", async (what, password) => {
    const name = "Uma Alice Weak";
    const email = "uma.weak@example.com";
    const invited = await admin.post("/_/people", { name, email, roles: [] });
    const link = invited.body as LinkJson;
    const set = (input: string) => served.visitor().post("/_/password", { token: tokenIn(link), password: input });
    expect([what, codeOf(await set(password))]).toEqual([what, "422 PASSWORD_WEAK 7.sign in"]);
    // The link remains valid.
    const uma = await enter(link);
    expect(codeOf(await uma.post("/_/account/password", { current: PASSWORD, password }))).toBe(
      "422 PASSWORD_WEAK 7.sign in",
    );
    expect(
      (await uma.post("/_/account/password", { current: PASSWORD, password: `${password} and more` })).status,
    ).toBe(204);
    await served.database.query(`delete from app."user" where id = $1`, [link.id]);
  });

  test("requires a session", async () => {
    const visitor = served.visitor();
    for (const answer of [
      await visitor.get("/_/account"),
      await visitor.post("/_/account/password", { current: "", password: "" }),
      await visitor.delete("/_/account/sessions"),
      await visitor.delete("/_/account/sessions/00000000-0000-7000-8000-000000000000"),
    ])
      expect(codeOf(answer)).toBe("401 NOT_SIGNED_IN 7.sign in");
  });

  test("the audit contains no password and no token", async () => {
    const { rows } = await served.database.query("select string_agg(a::text, ' ') as all from ninefold.audit a");
    expect(String(rows[0]?.all)).not.toMatch(/argon2|correct horse|password=/);
  });
});

test("a document with more required fields of a person requires them in an invitation", async () => {
  const strict = await serveText(desk.replace("office: {", "desk_number: { type: integer, min: 1 }, office: {"));
  const { rows } = await strict.database.query(
    `insert into app."user" (id, version, created_at, updated_at, name, email, roles, desk_number, office)
     values (gen_random_uuid(), 1, now(), now(), 'Root', 'root@example.com', '{administrator}', 1, 'north') returning id`,
  );
  await strict.database.query(
    `insert into ninefold.once_link (token_hash, purpose, person, expires_at) values (sha256('in'), 'password', $1, now() + interval '1 hour')`,
    [rows[0]?.id],
  );
  const root = strict.visitor();
  expect((await root.post("/_/password", { token: "in", password: PASSWORD })).status).toBe(204);
  const { fields } = (await root.get("/_/people")).body as PeopleJson;
  expect(fields.map(({ name, type }) => [name, type])).toEqual([
    ["name", "text"],
    ["email", "email"],
    ["desk_number", "integer"],
    ["office", "choice"],
  ]);
  const person = { name: "New", email: "new@example.com", roles: [] };
  expect((await root.post("/_/people", person)).problem().errors?.map(({ at }) => at)).toEqual([
    "/desk_number",
    "/office",
  ]);
  const more = { desk_number: 7, office: "south" };
  const created = (await root.post("/_/people", { ...person, more })).body as LinkJson;
  expect((await root.get(`/api/users/${created.id}`)).record()).toMatchObject(more);
});
