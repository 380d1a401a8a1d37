import { beforeAll, describe, expect, test } from "vitest";
import { openShelf, shelfText } from "../../change/shelf.ts";
import { serveText, type TestServer } from "../program.ts";

/** Whole numbers that the program assigns: in addresses, payloads and references. */
const desk = `
# Desk

## 3. Entities and their fields
\`\`\`yaml
Article:
  label: "{number}: {title}"
  fields:
    number: integer sequence
    title:  { type: text, max: 40 }
    words:  { type: integer?, max: 900 }
    paid:   { type: integer sequence, gapless: pay }
Note:
  fields:
    article: Article
    text:    { type: text, max: 40 }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Article:
  states: [open, paid_for]
  final: paid_for
  transitions:
    pay: { from: open, to: paid_for, by: member }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Article:
  - { rule: "title != 'bad'", else: BAD_TITLE }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions:
  Article: { read: member, create: member, update: member, delete: member }
  Note: { read: member, create: member, update: none, delete: none }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
base: /v1
shapes:
  Article: { short: { id: number, title } }
calls:
  GET /articles: { list: Article, sort: [number], query: { from: { type: integer, where: number >= input.from } }, gives: Article.short(page) }
  GET /articles/{number}: { read: Article, gives: Article.short(this) }
  PUT /articles/{number}: { update: Article, takes: { title }, gives: Article.short(this) }
  DELETE /articles/{number}: { delete: Article }
  POST /articles: { create: Article, takes: { title, words }, gives: Article.short(this) }
  POST /notes: { create: Note, takes: { article: article.number, text }, gives: { text, article: article.number } }
  GET /articles/{article.number}/notes: { list: Note, gives: { texts: "page.map(n, n.text)" } }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
BAD_TITLE: That title is bad.
\`\`\`
`;

describe("an integer sequence", () => {
  let served: TestServer;
  let mia: Awaited<ReturnType<TestServer["person"]>>;
  const post = async (title: string) => (await mia.post("/v1/articles", { title })).body as { readonly id: number };
  beforeAll(async () => {
    served = await serveText(desk);
    mia = await served.person("Mia");
  });

  test("is a number in responses and addresses", async () => {
    expect([await post("One"), await post("Two")]).toEqual([
      { id: 1, title: "One" },
      { id: 2, title: "Two" },
    ]);
    expect((await mia.get("/v1/articles/2")).body).toEqual({ id: 2, title: "Two" });
    expect((await mia.send("PUT", "/v1/articles/2", { title: "Second" })).body).toEqual({ id: 2, title: "Second" });
    expect((await mia.get("/v1/articles?from=2")).body).toEqual([{ id: 2, title: "Second" }]);
    for (const address of ["/v1/articles/3", "/v1/articles/two", "/v1/articles/9007199254740993"])
      expect([address, (await mia.get(address)).status]).toEqual([address, 404]);
    const [first] = (await mia.get("/api/articles?number=1&sort=-number")).list().items;
    expect(first).toMatchObject({ number: 1, paid: null });
  });

  test("names a record in a payload", async () => {
    const note = { text: "Good", article: 1 };
    expect(await mia.post("/v1/notes", note)).toMatchObject({ status: 201 });
    expect((await mia.get("/v1/articles/1/notes")).body).toEqual({ texts: ["Good"] });
    expect((await mia.get("/v1/articles/77/notes")).status).toBe(404);
    expect((await mia.post("/v1/notes", { ...note, article: 77 })).status).toBe(422);
  });

  test("cannot be written by people", async () => {
    const refused = await mia.post("/api/articles", { title: "Three", number: 9 });
    expect(refused.status).toBe(403);
    expect((await mia.post("/v1/articles", { title: "Three", number: 9 })).status).toBe(422);
  });

  test("is different and rises for simultaneous requests, and is not used again", async () => {
    const before = (await post("Before")).id;
    const drawn = await Promise.all(Array.from({ length: 30 }, async (_, at) => (await post(`Title ${at}`)).id));
    expect(new Set(drawn).size).toBe(30);
    expect(Math.min(...drawn)).toBeGreaterThan(before);
    const last = Math.max(...drawn);
    expect((await mia.delete(`/v1/articles/${last}`)).status).toBe(204);
    expect((await mia.post("/v1/articles", { title: "bad" })).status).toBe(422);
    expect((await post("After")).id).toBeGreaterThan(last);
  });

  test("has no more digits than an integer, and is assigned once by a transition", async () => {
    await served.database.query("update ninefold.sequence set last = 999999999999 where field = 'article.number'");
    const { id } = await post("Far");
    expect(id).toBe(1_000_000_000_000);
    const [record] = (await mia.get(`/api/articles?number=${id}`)).list().items;
    expect((await mia.post(`/api/articles/${record?.id}/pay`)).record().paid).toBe(1);
    const [line] = (await mia.get(`/api/articles/${record?.id}/history`)).history();
    expect(line?.changes).toContainEqual({ field: "paid", before: null, after: 1 });
  });
});

describe("numbers of stored records", () => {
  const shelf = openShelf();
  const book = (more: string) => shelfText({ 3: `Book: { fields: { title: text${more} } }` });
  const put = (title: string, nth: number, more = {}) =>
    shelf.insert("book", { id: `00000000-0000-7000-8000-00000000000${nth}`, title, ...more });
  const numbers = async () =>
    (await shelf.store.query("select number::int from app.book order by id")).rows.map((row) => row.number);
  const last = async () =>
    Number((await shelf.store.query("select last from ninefold.sequence where field = 'book.number'")).rows[0]?.last);

  test("follow the order of creation, stay when the field is removed, and continue when it comes back", async () => {
    await shelf.apply(book(""));
    await put("Second", 2);
    await put("First", 1);
    const { messages } = await shelf.apply(book(", number: integer sequence"));
    expect(messages).toContainEqual({ id: "step.numbered", values: { clause: "3.Book.number", rows: 2 } });
    expect([await numbers(), await last()]).toEqual([[1, 2], 2]);
    await shelf.apply(book(""));
    await put("Third", 3);
    await shelf.apply(book(", number: integer sequence"));
    expect([await numbers(), await last()]).toEqual([[1, 2, 3], 3]);
  });

  test("continue after the highest entered number", async () => {
    await shelf.apply(book(", number: integer?"));
    await put("One", 1, { number: 40 });
    await put("Two", 2);
    await put("Three", 3, { number: 7 });
    await shelf.apply(book(", number: integer sequence"));
    expect([await numbers(), await last()]).toEqual([[40, 41, 7], 41]);
  });

  test("cannot continue numbers that two records have", async () => {
    await shelf.apply(book(", number: integer"));
    await put("One", 1, { number: 40 });
    await put("Two", 2, { number: 40 });
    expect(await shelf.refusal(book(", number: integer sequence"))).toHaveLength(1);
  });

  test("continue in the pattern of a text, in each of its periods", async () => {
    await shelf.apply(book(", number: text?"));
    await put("One", 1, { number: "B/2025-012" });
    await put("Two", 2, { number: "B/2025-7" });
    await put("Three", 3, { number: "other", created_at: "2025-03-01T00:00:00Z" });
    await put("Four", 4, { created_at: "2025-03-01T00:00:00Z" });
    await put("Five", 5, { created_at: "2026-03-01T00:00:00Z" });
    await shelf.apply(book(', number: { type: sequence, pattern: "B/{year}-{n:3}" }'));
    expect(
      (await shelf.store.query("select number from app.book order by id")).rows.map(({ number }) => number),
    ).toEqual(["B/2025-012", "B/2025-7", "other", "B/2025-013", "B/2026-001"]);
    const counters = await shelf.store.query(
      "select scope, last::int from ninefold.sequence where field = 'book.number' and scope like 'B%' order by scope",
    );
    expect(counters.rows).toEqual([
      { scope: "B/2025-{n}", last: 13 },
      { scope: "B/2026-{n}", last: 1 },
    ]);
  });

  test("can follow from a pattern", async () => {
    await shelf.apply(book(', number: { type: sequence, pattern: "B-{n:3}" }'));
    await put("One", 1, { number: "B-012" });
    await put("Two", 2, { number: "B-003" });
    const fill = "integer(was.number.after('B-'))";
    await shelf.apply(book(`, number: { type: integer sequence, was: { number: sequence }, fill: "${fill}" }`));
    expect([await numbers(), await last()]).toEqual([[12, 3], 12]);
  });
});
