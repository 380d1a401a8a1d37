import { Validator } from "@seriousme/openapi-schema-validator";
import { beforeAll, describe, expect, test } from "vitest";
import { allRoles, buildOpenapi } from "../../../src/core/derive/openapi/openapi.ts";
import { drive } from "../openapi/drive.ts";
import { type Answer, type ApiClient, compiled, serveText, type TestServer } from "../program.ts";

type Person = Awaited<ReturnType<TestServer["person"]>>;

/** Posts with likes, for a client written for another backend. */
const club = `
# Club

## 3. Entities and their fields
\`\`\`yaml
User:
  fields: { motto: text?, mentor: User? }
Post:
  label: "{title}"
  fields:
    slug:   { type: text, unique: true, max: 40 }
    title:  { type: text, max: 60 }
    kind:   { type: choice, values: [plain, loud], default: plain }
    author: { type: User, set: user }
    guide:  User?
    likes:  { list: Like.post }
    notes:  { list: Note.post }
    steps:  { list: Step.post }
Step:
  fields: { post: { type: Post, part of: true }, place: position, text: { type: text, max: 20 } }
Like:
  fields: { post: Post, person: { type: User, set: user } }
Note:
  fields: { post: Post, text: { type: text, max: 80 }, author: { type: User, set: user }, pinned: boolean }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Post:
  initial: draft
  states: [draft, out]
  transitions: { publish: { from: draft, to: out, by: author } }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Like: [{ unique: [post, person], else: LIKED }]
Note: [{ rule: "text != post.title", else: SAYS_NOTHING }]
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  visitor: { members: anyone }
  member:  { members: signed in }
  Post:    { author: "author == user" }
  Like:    { fan: "person == user" }
  Note:    { writer: "author == user" }
permissions:
  User: { read: [{ role: visitor, fields: [name, motto] }], update: [{ role: member, fields: [motto, mentor] }] }
  Post:
    read:   [visitor]
    create: [{ role: member, fields: [slug, title, kind, guide] }]
    update: [{ role: author, fields: [title, kind, steps] }]
    delete: [author]
  Step: { read: [{ like: post }], create: [{ like: { post: update } }], update: [{ like: { post: update } }], delete: [{ like: { post: update } }] }
  Like: { read: [visitor], create: [{ role: member, fields: [post] }], update: none, delete: [fan] }
  Note: { read: [visitor], create: [{ role: member, fields: [post, text, pinned] }], update: none, delete: [writer] }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
base: /v1
shapes:
  User: { person: { username: name, motto } }
  Like: { by: { who: "person.name" } }
  Step: { words: { text } }
  Note: { line: { text, pinned } }
  Post:
    full: { slug, title, kind, liked: "likes.exists(l, l.person == user)", count: size(likes), pinned: "Note.line(notes.filter(n, n.pinned))", fans: "likes.map(l, l.person)" }
calls:
  POST /login: { sign in: true, takes: { user: { email, password } }, gives: { user: { username: name, motto, token } } }
  POST /enter: { sign in: true }
  POST /leave: { sign out: true }
  GET /me: { read: User, where: this == user, gives: { user: User.person(this) } }
  PUT /me: { update: User, where: this == user, takes: { user: { motto } }, gives: { user: User.person(this) } }
  GET /posts: { list: Post, query: { kind: { default: plain } }, sort: [slug], gives: { posts: Post.full(page) } }
  GET /posts/{slug}: { read: Post, gives: { post: Post.full(this) } }
  POST /posts: { create: Post, query: { as: { type: text, default: loud } }, takes: { slug, title }, set: { kind: "input.as == 'loud' ? loud : plain", guide: user.mentor }, gives: { post: Post.full(this) } }
  DELETE /posts/{slug}: { delete: Post, gives: { gone: Post.full(this) } }
  POST /posts/{post.slug}/like: { do: [{ ensure: Like }, { read: Post, gives: { post: Post.full(this) } }] }
  PUT /posts/{post.slug}/like: { ensure: Like, gives: Like.by(this) }
  DELETE /posts/{post.slug}/like: { do: [{ delete: Like, where: person == user }, { read: Post, gives: { post: Post.full(this) } }] }
  PUT /posts/{slug}/steps: { update: Post, takes: { list: { items: steps } }, gives: { steps: Step.words(steps) } }
  POST /posts/{post.slug}/notes: { create: Note, takes: { text, pinned } }
  DELETE /posts/{post.slug}/notes: { delete all: Note, query: { pinned } }
  POST /posts/{post.slug}/out:
    do:
      - { create: Note, takes: { note: { text } } }
      - { transition: Post.publish, takes: {} }
      - { read: Post, gives: { state, title } }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
LIKED: { status: 409, message: "That is liked already." }
SAYS_NOTHING: { message: "It says nothing but the title.", at: text }
\`\`\`
`;

let served: TestServer;
let ada: Person;
let ben: Person;
let visitor: ApiClient;

const problem = (answer: Answer) => {
  const { status, code, clause, errors } = answer.problem();
  return [status, code, clause, ...(errors ?? []).map((one) => `${one.at} ${one.code}`)].join(" ");
};
const historyOf = async (entity: string) =>
  Number(
    (await served.database.query(`select count(*) as n from ninefold.audit where entity = '${entity}'`)).rows[0]?.n,
  );

beforeAll(async () => {
  served = await serveText(club);
  ada = await served.person("Ada");
  ben = await served.person("Ben");
  visitor = served.visitor();
});

describe("a call that finds a record", () => {
  test("uses its condition for the current user", async () => {
    expect((await ada.get("/v1/me")).body).toEqual({ user: { username: "Ada", motto: null } });
    expect((await ben.send("PUT", "/v1/me", { user: { motto: "Well." } })).body).toEqual({
      user: { username: "Ben", motto: "Well." },
    });
    expect(problem(await visitor.get("/v1/me"))).toBe("401 NOT_SIGNED_IN 6.User.read");
  });

  test("writes the values that the document sets: constants, parameters of the address and the user", async () => {
    expect((await ada.patch(`/api/users/${ada.id}`, { mentor: ben.id })).status).toBe(200);
    expect((await ada.post("/v1/posts", { slug: "one", title: "One" })).body).toMatchObject({
      post: { slug: "one", kind: "loud", liked: false, count: 0, pinned: [], fans: [] },
    });
    await ada.post("/v1/posts?as=other", { slug: "two", title: "Two" });
    const { items } = (await ada.get("/api/posts?sort=slug")).list();
    expect(items.map(({ kind, guide }) => [kind, guide])).toEqual([
      ["loud", { id: ben.id, label: expect.any(String) }],
      ["plain", { id: ben.id, label: expect.any(String) }],
    ]);
    expect(problem(await ada.post("/v1/posts", { slug: "x", title: "X", kind: "loud" }))).toBe(
      "422 UNKNOWN_FIELD 7.POST /posts /kind UNKNOWN_FIELD",
    );
  });

  test("of a list has default values for missing parameters", async () => {
    const slugs = async (query: string) =>
      ((await visitor.get(`/v1/posts${query}`)).body as { posts: { slug: string }[] }).posts.map(({ slug }) => slug);
    expect([await slugs(""), await slugs("?kind=loud")]).toEqual([["two"], ["one"]]);
  });
});

test("accepts parts with their record if the payload has them, and refuses them otherwise", async () => {
  const items = (...texts: readonly string[]) => ({ list: { items: texts.map((text) => ({ text })) } });
  const put = (body: object, who = ada) => who.send("PUT", "/v1/posts/one/steps", body);
  expect((await put(items("first", "second"))).body).toEqual({ steps: [{ text: "first" }, { text: "second" }] });
  expect((await put(items("other"))).body).toEqual({ steps: [{ text: "other" }] });
  expect(problem(await put(items("fine", "x".repeat(21))))).toBe(
    "422 TOO_LONG 3.Step.text /list/items/1/text TOO_LONG",
  );
  expect(problem(await put(items("x"), ben))).toBe("403 FORBIDDEN 6.Post.update");
});

describe("a call with “ensure”", () => {
  test("creates a record once, for repeated and simultaneous requests", async () => {
    const before = await historyOf("Like");
    const response = await Promise.all(Array.from({ length: 12 }, () => ben.send("PUT", "/v1/posts/one/like")));
    expect(response.map(({ body }) => body)).toEqual(Array.from({ length: 12 }, () => ({ who: "Ben" })));
    const statuses = response.map(({ status }) => status).sort();
    expect([...new Set(statuses)]).toEqual([200, 201]);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect((await historyOf("Like")) - before).toBe(1);
    expect(problem(await visitor.send("PUT", "/v1/posts/one/like"))).toBe("401 NOT_SIGNED_IN 6.Like.create");
    expect(problem(await ben.send("PUT", "/v1/posts/nowhere/like"))).toBe("404 NOT_FOUND 6.Post.read");
  });

  test("can be followed by a lookup in the same transaction", async () => {
    const liked = (await ada.post("/v1/posts/one/like")).body;
    expect(liked).toMatchObject({ post: { liked: true, count: 2 } });
    expect((liked as { post: { fans: object[] } }).post.fans).toEqual(
      expect.arrayContaining([{ id: ada.id, label: expect.any(String) }]),
    );
    expect((await ada.post("/v1/posts/one/like")).body).toEqual(liked);
    expect((await ada.delete("/v1/posts/one/like")).body).toMatchObject({ post: { liked: false, count: 1 } });
    expect(problem(await ada.delete("/v1/posts/one/like"))).toBe("404 NOT_FOUND 6.Like.read");
  });
});

describe("a call of several steps", () => {
  test("carries out all or none: a refusal of the second step undoes the first", async () => {
    const before = await historyOf("Note");
    expect(problem(await ben.post("/v1/posts/one/out", { note: { text: "Out!" } }))).toBe(
      "403 FORBIDDEN 4.Post.publish",
    );
    expect(await historyOf("Note")).toBe(before);
    expect(problem(await ada.post("/v1/posts/one/out", { note: { text: "One" } }))).toBe(
      "422 SAYS_NOTHING 5.Note.SAYS_NOTHING /note/text SAYS_NOTHING",
    );
    expect(problem(await ada.post("/v1/posts/one/out", { text: "x" }))).toBe(
      "422 UNKNOWN_FIELD 7.POST /posts/{post.slug}/out /text UNKNOWN_FIELD",
    );
    expect((await ada.post("/v1/posts/one/out", { note: { text: "Out!" } })).body).toEqual({
      state: "out",
      title: "One",
    });
    expect(await historyOf("Note")).toBe(before + 1);
  });
});

describe("a call that deletes", () => {
  test("deletes all records or none if one can’t be deleted", async () => {
    for (const text of ["a", "b"]) await ben.post("/v1/posts/two/notes", { text });
    await ada.post("/v1/posts/two/notes", { text: "mine", pinned: true });
    expect((await visitor.get("/v1/posts/two")).body).toMatchObject({
      post: { pinned: [{ text: "mine", pinned: true }] },
    });
    const countRemaining = async () => (await visitor.get("/api/notes?limit=200")).list().items.length;
    const before = await countRemaining();
    expect(problem(await ben.delete("/v1/posts/two/notes"))).toBe("403 FORBIDDEN 6.Note.delete");
    expect(await countRemaining()).toBe(before);
    expect((await ben.delete("/v1/posts/two/notes?pinned=false")).status).toBe(204);
    expect(await countRemaining()).toBe(before - 2);
    expect((await ben.delete("/v1/posts/nowhere/notes")).status).toBe(204);
    expect(problem(await visitor.delete("/v1/posts/two/notes"))).toBe("401 NOT_SIGNED_IN 6.Note.delete");
    await ada.delete("/v1/posts/two/notes");
  });

  test("responds with the record as it was", async () => {
    const deleted = await ada.delete("/v1/posts/two");
    expect([deleted.status, deleted.body]).toMatchObject([200, { gone: { slug: "two", count: 0 } }]);
    expect(problem(await ada.delete("/v1/posts/two"))).toBe("404 NOT_FOUND 6.Post.read");
    expect(problem(await ben.delete("/v1/posts/one"))).toBe("403 FORBIDDEN 6.Post.delete");
  });
});

describe("sign-in and sign-out by the document’s calls", () => {
  test("returns a token for programs, and no cookie", async () => {
    const { email } = await served.account("Cy", "correct horse battery");
    const answer = await visitor.post("/v1/login", { user: { email, password: "correct horse battery" } });
    expect(answer.body).toEqual({ user: { username: "Cy", motto: null, token: expect.any(String) } });
    expect(answer.headers.get("set-cookie")).toBeNull();
    const { token } = (answer.body as { user: { token: string } }).user;
    const bearing = { authorization: `Bearer ${token}` };
    expect((await visitor.get("/v1/me", bearing)).body).toEqual({ user: { username: "Cy", motto: null } });
    expect((await visitor.post("/v1/leave", undefined, bearing)).status).toBe(204);
    expect(problem(await visitor.get("/v1/me", bearing))).toBe("401 NOT_SIGNED_IN 6.User.read");
  });

  test("sets a cookie if no token is shown", async () => {
    const { email } = await served.account("Di", "correct horse battery");
    const somebody = served.visitor();
    expect((await somebody.post("/v1/enter", { email, password: "correct horse battery" })).status).toBe(204);
    expect((await somebody.get("/v1/me")).body).toMatchObject({ user: { username: "Di" } });
    expect((await somebody.post("/v1/leave")).status).toBe(204);
    expect(problem(await somebody.get("/v1/me"))).toBe("401 NOT_SIGNED_IN 6.User.read");
  });

  test("rejects wrong values with a general error, and values that are not shown", async () => {
    expect(problem(await visitor.post("/v1/login", { user: { email: "x@example.com", password: "y" } }))).toBe(
      "401 BAD_CREDENTIALS 7.sign in",
    );
    expect(problem(await visitor.post("/v1/login", { email: "x@example.com" }))).toBe(
      "422 INVALID 7.POST /login /email UNKNOWN_FIELD /user/email REQUIRED /user/password REQUIRED",
    );
  });
});

test("OpenAPI describes them as they respond", { timeout: 180_000 }, async () => {
  const { model } = compiled(club);
  const document = buildOpenapi(model, allRoles(model), { version: 1, cookie: "session" });
  expect(await new Validator().validate(JSON.parse(JSON.stringify(document)))).toEqual({ valid: true });
  const driven = await drive(club, 3);
  expect(driven.operations.map(({ operationId }) => operationId)).toEqual(
    expect.arrayContaining(model.calls.map(({ name }) => name)),
  );
  await driven.some(400);
  expect(driven.wrong.slice(0, 5)).toEqual([]);
});
