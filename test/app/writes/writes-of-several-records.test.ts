import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, type ApiClient, serveText, type TestServer } from "../program.ts";

/*
 * A request is checked as a whole: unchanged values are no change, references to deleted records are reported as such,
 * and uniqueness is checked after all records are written.
 */
const shelf = `
## 3. Entities and their fields
\`\`\`yaml
Node:
  label: "{name}"
  fields: { name: { type: text, unique: true }, above: Node?, peer: Peer?, tags: { type: choice, values: [a, b], many: true }, size: { type: decimal, default: 1 }, data: json?, place: { type: integer, default: 0 } }
Peer:
  label: "{name}"
  fields: { name: text, node: Node? }
Log:
  fields: { text: text, node: Node? }
Topic:
  label: "{name}"
  fields: { name: { type: text, unique: true }, about: text?, posts: { list: Post.topic }, closed: boolean }
Post:
  label: "{text}"
  fields: { topic: Topic, text: text }
Mark:
  fields: { post: Post }
Book:
  label: "{name}"
  fields: { name: text, pages: { list: Page.book } }
Page:
  label: "{text}"
  fields:
    book:  { type: Book, part of: true }
    text:  text
    code:  { type: text, unique: true }
    from:  date?
    to:    date?
    state: { type: choice, values: [open, shut], default: open }
Row:
  fields: { nth: { type: integer, unique: true } }
Shift:
  fields: { by: integer }
\`\`\`

## 4. States
\`\`\`yaml
Node:
  after:
    update: { create: Log, set: { text: name } }
Topic:
  after:
    delete: { delete: "Post.filter(p, p.topic == this)" }
Shift:
  after:
    create: { update: "Row.filter(r, r.nth > 0)", set: { nth: it.nth + by } }
\`\`\`

## 5. Rules
\`\`\`yaml
Page:
  - { unique: [book, text], where: state == open, else: TWICE }
  - { no overlap: [from, to], within: book, else: OVERLAP }
Topic:
  - { rule: posts.size() > 0, when: "about != null", during: create, else: EMPTY }
  - { rule: "!closed || posts.all(p, p.text != 'open')", else: OPEN }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  staff: { members: signed in }
permissions:
${["User", "Node", "Peer", "Log", "Topic", "Post", "Mark", "Book", "Page", "Row", "Shift"]
  .map((entity) => `  ${entity}: { read: [staff], create: [staff], update: [staff], delete: [staff] }`)
  .join("\n")}
\`\`\`

## 7. Calls
\`\`\`yaml
base: /v1
calls:
  POST /topics/{topic.name}:
    do:
      - { create: Topic, takes: { about } }
      - { create: Post, takes: { first: { text } } }
  PUT /topics/{topic.name}/close:
    do:
      - { update: Topic, takes: { topic: { closed } } }
      - { delete all: Post, query: { text } }
      - { read: Topic, gives: { name, closed, left: size(posts) } }
  DELETE /posts: { delete all: Post, query: { text } }
\`\`\`

## 8. Errors
\`\`\`yaml
TWICE:   { status: 409, message: "{text} stands there already.", at: text }
OVERLAP: { status: 409, message: "These days are taken.", at: from }
EMPTY:   { message: "A topic begins with a post." }
OPEN:    { message: "Something is open.", at: closed }
\`\`\`
`;

let desk: TestServer;
let ada: ApiClient;

beforeAll(async () => {
  desk = await serveText(shelf);
  ada = await desk.person("Ada");
});

const problem = (answer: Answer) => {
  const { status, code, clause, errors } = answer.problem();
  return [status, code, clause, ...(errors ?? []).map((one) => `${one.at} ${one.code}`)].join(" ");
};
const create = async (path: string, body: object) => (await ada.post(`/api/${path}`, body)).record().id;
const counted = async (text: string) => Number((await desk.database.query(text)).rows[0]?.n);

describe("deleting a record that something refers to", () => {
  test("is refused if the referring record is of its own entity", async () => {
    const above = await create("nodes", { name: "above" });
    const below = await create("nodes", { name: "below", above });
    expect(problem(await ada.delete(`/api/nodes/${above}`))).toBe("409 IN_USE 3.Node");
    expect((await ada.delete(`/api/nodes/${below}`)).status).toBe(204);
    expect((await ada.delete(`/api/nodes/${above}`)).status).toBe(204);
  });

  test("is possible if only it refers to itself, and refused if two refer to each other", async () => {
    const own = await create("nodes", { name: "own" });
    expect((await ada.patch(`/api/nodes/${own}`, { above: own })).status).toBe(200);
    expect((await ada.delete(`/api/nodes/${own}`)).status).toBe(204);
    const node = await create("nodes", { name: "one" });
    const peer = await create("peers", { name: "other", node });
    expect((await ada.patch(`/api/nodes/${node}`, { peer })).status).toBe(200);
    expect(problem(await ada.delete(`/api/nodes/${node}`))).toBe("409 IN_USE 3.Node");
    expect(problem(await ada.delete(`/api/peers/${peer}`))).toBe("409 IN_USE 3.Peer");
  });

  test("is possible if an effect deletes the referring records, and refused if that leaves some", async () => {
    const topic = await create("topics", { name: "gone" });
    for (const text of ["one", "two"]) await create("posts", { topic, text });
    expect((await ada.delete(`/api/topics/${topic}`)).status).toBe(204);
    expect(await counted("select count(*) as n from app.post")).toBe(0);
    const stored = await create("topics", { name: "kept" });
    const post = await create("posts", { topic: stored, text: "one" });
    await create("marks", { post });
    expect(problem(await ada.delete(`/api/topics/${stored}`))).toBe("409 IN_USE 3.Post");
    expect(await counted("select count(*) as n from app.topic")).toBe(1);
    expect(await counted("select count(*) as n from app.post")).toBe(1);
  });
});

describe("an update without changes", () => {
  test("responds with the record: no new version, no history, no effects", async () => {
    const id = await create("nodes", { name: "same", tags: ["a"], size: "2.50", data: { b: 1, a: [1] } });
    const before = (await ada.get(`/api/nodes/${id}`)).record();
    for (const body of [
      {},
      { name: "same" },
      { name: "same", tags: ["a"], size: 2.5, data: { a: [1], b: 1 }, above: "" },
    ]) {
      const answer = await ada.patch(`/api/nodes/${id}`, body, { "if-match": '"1"' });
      expect([answer.status, answer.headers.get("etag"), answer.record()]).toEqual([200, '"1"', before]);
    }
    expect((await ada.get(`/api/nodes/${id}/history`)).history()).toHaveLength(1);
    expect(await counted("select count(*) as n from app.log where text = 'same'")).toBe(0);
    expect(problem(await ada.patch(`/api/nodes/${id}`, {}, { "if-match": '"7"' }))).toBe(
      "412 CHANGED_MEANWHILE 3.Node",
    );
    expect(problem(await ada.patch(`/api/nodes/${id}`, { name: "same", size: "x" }))).toBe(
      "422 WRONG_TYPE 3.Node.size /size WRONG_TYPE",
    );
    expect((await ada.patch(`/api/nodes/${id}`, { name: "same", size: 3 })).record().version).toBe(2);
  });

  test("with parts does the same, and writes only parts that differ", async () => {
    const created = await ada.post("/api/books", {
      name: "Same",
      pages: [
        { text: "a", code: "a1" },
        { text: "b", code: "b1" },
      ],
    });
    const { id } = created.record();
    const pages = created.record().pages as unknown as { id: string; text: string; code: string; version: number }[];
    const sent = pages.map(({ id, text, code }) => ({ id, text, code, state: "open" }));
    const same = await ada.patch(`/api/books/${id}`, { name: "Same", pages: sent });
    expect([same.status, same.record()]).toEqual([200, created.record()]);
    const other = await ada.patch(`/api/books/${id}`, { pages: [sent[0], { ...sent[1], text: "c" }] });
    expect(other.record()).toMatchObject({ version: 2, pages: [{ version: 1 }, { version: 2, text: "c" }] });
    const lines = await counted(
      `select count(*) as n from ninefold.audit where record = any('{${pages.map((one) => one.id).join()}}')`,
    );
    expect(lines).toBe(3);
  });
});

describe("constraints between records are checked after all writes", () => {
  type Sent = { readonly [field in "id" | "text" | "code" | "from" | "to"]?: string | undefined };
  type Page = Sent & { readonly id: string; readonly code: string };
  const pagesOf = (answer: Answer) => answer.record().pages as unknown as readonly Page[];
  const book = async (name: string, pages: readonly Sent[]) => {
    const answer = await ada.post("/api/books", { name, pages });
    return { path: `/api/books/${answer.record().id}`, pages: pagesOf(answer) };
  };
  const swapped = (one: Sent, other: Sent, ...fields: readonly (keyof Sent)[]): readonly Sent[] => [
    { ...one, ...Object.fromEntries(fields.map((field) => [field, other[field]])) },
    { ...other, ...Object.fromEntries(fields.map((field) => [field, one[field]])) },
  ];
  const onlySent = ({ id, text, code, from, to }: Page) => ({ id, text, code, from, to });

  test("parts of one record swap unique and non-overlapping values, also on a condition", async () => {
    const { path, pages } = await book("Swap", [
      { text: "x", code: "s1", from: "2026-01-01", to: "2026-01-10" },
      { text: "y", code: "s2", from: "2026-01-11", to: "2026-01-20" },
    ]);
    const [one, other] = pages.map(onlySent);
    if (one === undefined || other === undefined) throw new Error("no pages");
    for (const fields of [["code"], ["text"], ["from", "to"], ["code", "text", "from", "to"]] as const) {
      const [a, b] = pagesOf(await ada.get(`${path}?parts=true`)).map(onlySent);
      if (a === undefined || b === undefined) throw new Error("no pages");
      const answer = await ada.patch(path, { pages: swapped(a, b, ...fields) });
      expect(pagesOf(answer)).toMatchObject(swapped(a, b, ...fields));
    }
    // Rotates values, with one new page and one deleted.
    const three = pagesOf(await ada.patch(path, { pages: [one, other, { text: "z", code: "s3" }] })).map(onlySent);
    const circle = three.map((page, i) => ({ ...page, code: three[(i + 1) % 3]?.code ?? "" }));
    expect(pagesOf(await ada.patch(path, { pages: circle })).map(({ code }) => code)).toEqual(["s2", "s3", "s1"]);
    const [, second, third] = circle;
    const stored = [{ ...second, code: "s2" }, third, { text: "w", code: "s9" }];
    expect(pagesOf(await ada.patch(path, { pages: stored })).map(({ code }) => code)).toEqual(["s2", "s1", "s9"]);
    // Values that are equal in the end are still refused, at their position.
    expect(
      problem(await ada.patch(path, { pages: [{ id: second?.id, code: "s9" }, { id: third?.id }, stored[2]] })),
    ).toBe("409 TAKEN 3.Page.code /pages/2/code TAKEN");
    await book("Other", [{ text: "o", code: "o1" }]);
    expect(problem(await ada.patch(path, { pages: [{ id: second?.id, code: "o1" }] }))).toBe(
      "409 TAKEN 3.Page.code /pages/0/code TAKEN",
    );
  });

  test("the steps of a call are checked after the last one, each with its own place", async () => {
    expect(problem(await ada.post("/api/topics", { name: "alone", about: "x" }))).toBe(
      "422 EMPTY 5.Topic.EMPTY /about EMPTY",
    );
    expect((await ada.post("/v1/topics/steps", { about: "x", first: { text: "open" } })).status).toBe(201);
    const close = (query: string) => ada.send("PUT", `/v1/topics/steps/close${query}`, { topic: { closed: true } });
    expect(problem(await close("?text=nothing"))).toBe("422 OPEN 5.Topic.OPEN /topic/closed OPEN");
    expect((await ada.get("/api/topics?name=steps")).list().items[0]).toMatchObject({ closed: false, version: 1 });
    expect((await close("?text=open")).body).toEqual({ name: "steps", closed: true, left: 0 });
    expect(problem(await ada.post("/v1/topics/bare", { about: "x", first: { text: "z".repeat(2000) } }))).toBe(
      "422 TOO_LONG 3.Post.text /first/text TOO_LONG",
    );
    expect(await counted("select count(*) as n from app.topic where name = 'bare'")).toBe(0);
  });

  test("many records are deleted in one statement with effects, or none if one must stay", async () => {
    const topic = await create("topics", { name: "many" });
    await desk.database.query(
      `insert into app.post (id, version, created_at, updated_at, topic, text) select uuidv7(), 1, now(), now(), $1, case when n > 2500 then 'late' else 'early' end from generate_series(1, 2600) n`,
      [topic],
    );
    const [late] = (await ada.get("/api/posts?text=late")).list().items;
    const mark = await create("marks", { post: late?.id ?? "" });
    expect(problem(await ada.delete("/v1/posts?text=late"))).toBe("409 IN_USE 3.Post");
    expect((await ada.delete("/v1/posts?text=early")).status).toBe(204);
    expect(await counted("select count(*) as n from app.post where text = 'early'")).toBe(0);
    expect(
      await counted("select count(*) as n from ninefold.audit where entity = 'Post' and action = 'delete'"),
    ).toBeGreaterThan(2500);
    expect((await ada.delete(`/api/marks/${mark}`)).status).toBe(204);
    expect((await ada.delete("/v1/posts?text=late")).status).toBe(204);
  });

  test("and so are the records that an effect writes", async () => {
    for (const nth of [1, 2, 3]) await create("rows", { nth });
    expect((await ada.post("/api/shifts", { by: 1 })).status).toBe(201);
    const { items } = (await ada.get("/api/rows?sort=nth")).list();
    expect(items.map(({ nth }) => nth)).toEqual([2, 3, 4]);
    expect((await ada.post("/api/rows", { nth: 3 })).problem().code).toBe("TAKEN");
  });
});
