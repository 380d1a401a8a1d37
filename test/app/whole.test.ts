import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, type Served, type Somebody, serveText } from "./program.ts";

/*
 * What a request does is judged as one: what it leaves unchanged is no change, what refers to what it takes away is told
 * as that, and what holds between records is looked at when all of them are written.
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
  fields: { name: text, posts: { list: Post.topic }, closed: boolean }
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
shapes:
  Topic: { full: { name, posts: "posts.map(p, p.text)" } }
calls:
  POST /topics:
    do:
      - { create: Topic, takes: { name } }
      - { create: Post, takes: { first: { text } }, set: { topic: "Topic.one(t, t.name == input.as)" }, query: { as: { type: text, default: x } } }
  PUT /topics/{topic.name}/close:
    do:
      - { update: Topic, takes: { closed } }
      - { delete all: Post }
  DELETE /posts: { delete all: Post }
\`\`\`

## 8. Errors
\`\`\`yaml
TWICE:   { status: 409, message: "{text} stands there already.", at: text }
OVERLAP: { status: 409, message: "These days are taken.", at: from }
EMPTY:   { message: "A topic begins with a post." }
OPEN:    { message: "Something is open." }
\`\`\`
`;

let desk: Served;
let ada: Somebody;

beforeAll(async () => {
  desk = await serveText(shelf);
  ada = await desk.person("Ada");
});

const problem = (answer: Answer) => {
  const { status, code, clause, errors } = answer.problem();
  return [status, code, clause, ...(errors ?? []).map((one) => `${one.at} ${one.code}`)].join(" ");
};
const made = async (path: string, body: object) => (await ada.post(`/api/${path}`, body)).record().id;
const counted = async (text: string) => Number((await desk.database.query(text)).rows[0]?.n);

describe("a record that something refers to", () => {
  test("stays, where it is one of its own kind", async () => {
    const above = await made("nodes", { name: "above" });
    const below = await made("nodes", { name: "below", above });
    expect(problem(await ada.delete(`/api/nodes/${above}`))).toBe("409 IN_USE 3.Node");
    expect((await ada.delete(`/api/nodes/${below}`)).status).toBe(204);
    expect((await ada.delete(`/api/nodes/${above}`)).status).toBe(204);
  });

  test("goes, where it alone does, and stays, where two refer to each other", async () => {
    const own = await made("nodes", { name: "own" });
    expect((await ada.patch(`/api/nodes/${own}`, { above: own })).status).toBe(200);
    expect((await ada.delete(`/api/nodes/${own}`)).status).toBe(204);
    const node = await made("nodes", { name: "one" });
    const peer = await made("peers", { name: "other", node });
    expect((await ada.patch(`/api/nodes/${node}`, { peer })).status).toBe(200);
    expect(problem(await ada.delete(`/api/nodes/${node}`))).toBe("409 IN_USE 3.Node");
    expect(problem(await ada.delete(`/api/peers/${peer}`))).toBe("409 IN_USE 3.Peer");
  });

  test("goes, where what follows takes away what refers to it, and stays, where that leaves something", async () => {
    const topic = await made("topics", { name: "gone" });
    for (const text of ["one", "two"]) await made("posts", { topic, text });
    expect((await ada.delete(`/api/topics/${topic}`)).status).toBe(204);
    expect(await counted("select count(*) as n from app.post")).toBe(0);
    const kept = await made("topics", { name: "kept" });
    const post = await made("posts", { topic: kept, text: "one" });
    await made("marks", { post });
    expect(problem(await ada.delete(`/api/topics/${kept}`))).toBe("409 IN_USE 3.Post");
    expect(await counted("select count(*) as n from app.topic")).toBe(1);
    expect(await counted("select count(*) as n from app.post")).toBe(1);
  });
});

describe("a change that changes nothing", () => {
  test("is answered with the record as it is: no version, no line, nothing follows", async () => {
    const id = await made("nodes", { name: "same", tags: ["a"], size: "2.50", data: { b: 1, a: [1] } });
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

  test("with its parts neither, and of parts only those that are otherwise are written", async () => {
    const made = await ada.post("/api/books", {
      name: "Same",
      pages: [
        { text: "a", code: "a1" },
        { text: "b", code: "b1" },
      ],
    });
    const { id } = made.record();
    const pages = made.record().pages as unknown as { id: string; text: string; code: string; version: number }[];
    const sent = pages.map(({ id, text, code }) => ({ id, text, code, state: "open" }));
    const same = await ada.patch(`/api/books/${id}`, { name: "Same", pages: sent });
    expect([same.status, same.record()]).toEqual([200, made.record()]);
    const other = await ada.patch(`/api/books/${id}`, { pages: [sent[0], { ...sent[1], text: "c" }] });
    expect(other.record()).toMatchObject({ version: 2, pages: [{ version: 1 }, { version: 2, text: "c" }] });
    const lines = await counted(
      `select count(*) as n from ninefold.audit where record = any('{${pages.map((one) => one.id).join()}}')`,
    );
    expect(lines).toBe(3);
  });
});
