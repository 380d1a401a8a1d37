import { beforeAll, expect, test } from "vitest";
import { drive } from "../openapi/drive.ts";
import { type Answer, serveText, type TestServer } from "../program.ts";

type Person = Awaited<ReturnType<TestServer["person"]>>;

/** Calls whose forms others prescribe: envelopes of errors, replacement, empty responses, unknown members, addresses. */
const shelf = `
# Shelf

## 3. Entities and their fields
\`\`\`yaml
Book:
  label: "{title}"
  fields:
    code:  { type: text, unique: true, max: 20 }
    title: { type: text, max: 40 }
    pages: integer?
    number: integer sequence
    tags:  { type: text, many: true, max: 20 }
    read:  boolean
    room:  Room?
    notes: { list: Note.book }
Room:
  label: "{code}"
  fields:
    code: { type: text, unique: true, max: 20 }
Note:
  label: "{text}"
  fields:
    book: { type: Book, part of: true }
    text: { type: text, max: 40 }
    room: Room?
    marks: { list: Mark.note }
Mark:
  label: "{sign}"
  fields:
    note: { type: Note, part of: true }
    sign: { type: text, max: 3 }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  visitor: anyone
  member:  signed in
permissions:
  Book: { read: visitor, create: member, update: member, delete: member }
  Room: { read: { role: visitor, when: "code != 'hidden'" }, create: member, update: none, delete: none }
  Note: { read: visitor, create: member, update: member, delete: member }
  Mark: { read: visitor, create: member, update: member, delete: member }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
base: /v1
cors: [APP_SITES, "https://*.shelf.example"]
error shape:
  status:  "status == 404 ? 'missing' : 'fail'"
  app:     brand
  version: 2
  since:   now
  data:    null
  errors:  messages
  list:    [{ at, field, message, why: code, status, is_one: "at == null" }]
  texts:   [message]
  trace:   request
shapes:
  Book: { linked: { code, url: "GET /books/{code}", notes: "GET /books/{book.code}/notes" } }
  Mark: { sent: { sign } }
  Note:
    sent: { noteId: id, body: { words: text }, roomId: room.id, marks: Mark.sent(marks) }
    linked: { text, url: "GET /notes/{id}", of: "GET /books/{book.code}/notes", all: GET /books }
calls:
  GET /books: { list: Book, sort: [code], gives: { books: Book.linked(page), first: GET /books } }
  GET /books/{code}: { read: Book }
  GET /numbered/{number}: { read: Book, gives: { number, code } }
  POST /noted: { create: Note, takes: { book: book.number, text }, gives: { book: book.number } }
  GET /books/{book.code}/notes: { list: Note, gives: Note.linked(page) }
  GET /notes/{id}: { read: Note, gives: Note.linked(this) }
  PUT /books/{code}: { replace: Book, takes: { book: { title, pages, tags, read, notes } }, gives: { title, pages, tags, read, notes: size(notes) } }
  PATCH /books/{code}: { update: Book, takes: { book: { title, pages } }, asks: pages, gives: none }
  POST /books/{code}/read: { update: Book, takes: {}, set: { read: "true" }, gives: none, status: 202 }
  POST /placed: { create: Book, takes: { code, title, at: { room: room.code } }, gives: { code, room: room.code } }
  GET /rooms/{room.code}/books: { list: Book, query: { q: { type: text, where: "lower(title).contains(lower(input.q))" } }, sort: [code], gives: { codes: "page.map(b, b.code)" } }
  POST /silent: { create: Book, takes: { code, title }, asks: [code, title], gives: none }
  PUT /ensured: { ensure: Book, takes: { code, title }, gives: none }
  POST /loose: { create: Book, takes: { book: { code, title } }, unknown: ignored, gives: Book.linked(this) }
  GET /loose: { list: Book, query: { code }, unknown: ignored, gives: { codes: "page.map(b, b.code)" } }
  POST /renamed: { create: Book, takes: { key: code, title }, gives: none }
  GET /shelf/{code}: { read: Book, errors: { NOT_FOUND: EMPTY_PLACE } }
  POST /books: { create: Book, takes: { book: { code, title } }, errors: { TAKEN: CODE_IN_USE } }
  POST /login: { sign in: true, errors: { BAD_CREDENTIALS: LOGIN_FAILED } }
  POST /bearer: { sign in: true, gives: { authorization: "'Bearer ' + token" } }
  PUT /put/{code}: { put: Book, takes: { title, pages, tags, of: room }, gives: { code, title, pages, tags } }
  PUT /rooms/{room.code}/books/{code}: { put: Book, takes: { title }, gives: { code, title, room: room.code } }
  PUT /any/{id}: { put: Room, takes: { code }, gives: none }
  POST /annotated: { create: Book, takes: { key: code, title, remarks: Note.sent(notes) }, gives: { key: code, remarks: Note.sent(notes) } }
  PUT /annotated/{code}: { update: Book, takes: { remarks: Note.sent(notes) }, gives: { remarks: Note.sent(notes) } }
  GET /found: { list: Book, query: { key: code, tag: tags, at: room.code, _id: id, seen: read, pages, title: "title == input.title && pages != null" }, sort: [code], gives: { codes: "page.map(b, b.code)" } }
  GET /same: { list: Book, query: { key: { type: text, where: "id == input.key" } }, gives: { codes: "page.map(b, b.code)" } }
  DELETE /found: { delete all: Book, query: { key: code }, gives: { deleted: size(found), codes: "found.map(b, b.code)", says: "size(found) > 0 ? 'gone' : 'none'" } }
  DELETE /one/{id}: { delete all: Book, gives: { deleted: size(found) } }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
NOT_SIGNED_IN:  { message: is missing, at: token }
Book.NOT_FOUND: { message: not found, at: book }
Book.code.WRONG_TYPE: { status: 400, message: "A code is a text, not {value}." }
EMPTY_PLACE:    { status: 410, message: There is nothing at this place. }
CODE_IN_USE:    { status: 409, message: "{field} is in use.", help: Take the next one. }
LOGIN_FAILED:   { status: 422, message: email or password is invalid, at: credentials }
\`\`\`

## 9. Business constants and limits
\`\`\`yaml
brand: Shelf 1
\`\`\`
`;

let served: TestServer;
let ada: Person;

const shaped = ({ status, body }: Answer) => [status, body];

beforeAll(async () => {
  served = await serveText(shelf, { demonstration: true, app: { environment: { APP_SITES: "https://x.test" } } });
  ada = await served.person("Ada");
  expect((await ada.post("/v1/books", { book: { code: "a", title: "Alpha" } })).status).toBe(201);
});

const envelope = {
  status: "fail",
  app: "Shelf 1",
  version: 2,
  since: expect.stringMatching(/^\d{4}-.*Z$/u),
  data: null,
  trace: expect.stringMatching(/^[0-9a-f-]{36}$/u),
};

test("an error shape has constants, expressions, own keys and lists", async () => {
  const visitor = served.visitor();
  expect(shaped(await visitor.post("/v1/books", { book: { code: "b", title: "Beta" } }))).toEqual([
    401,
    {
      ...envelope,
      errors: { token: ["is missing"] },
      list: [{ at: null, field: "token", message: "is missing", why: "NOT_SIGNED_IN", status: 401, is_one: true }],
      texts: ["is missing"],
    },
  ]);
  expect(shaped(await visitor.get("/v1/books/none"))).toEqual([
    404,
    {
      ...envelope,
      status: "missing",
      errors: { book: ["not found"] },
      list: [{ at: null, field: "book", message: "not found", why: "NOT_FOUND", status: 404, is_one: true }],
      texts: ["not found"],
    },
  ]);
  expect((await ada.post("/v1/books", { book: {} })).body).toMatchObject({
    errors: { code: ["Code is required."], title: ["Title is required."] },
    list: [
      { at: "/book/code", field: "code", why: "REQUIRED", status: 422, is_one: false },
      { at: "/book/title", field: "title", why: "REQUIRED" },
    ],
    texts: ["Code is required.", "Title is required."],
  });
  expect((await ada.get("/v1/books?color=red")).body).toMatchObject({ errors: { color: [expect.any(String)] } });
});

test("an error of a field in point 8 applies under each name of the field in a body", async () => {
  expect((await ada.post("/v1/renamed", { key: 7, title: "Seven" })).body).toMatchObject({
    list: [{ at: "/key", field: "key", message: "A code is a text, not 7.", status: 400 }],
  });
});

test("a call responds with an error of its own in place of a built-in one", async () => {
  expect(shaped(await ada.get("/v1/shelf/none"))).toEqual([
    410,
    expect.objectContaining({
      texts: ["There is nothing at this place."],
      list: [expect.objectContaining({ why: "EMPTY_PLACE", field: null, status: 410 })],
    }),
  ]);
  expect(shaped(await ada.post("/v1/books", { book: { code: "a", title: "Again" } }))).toEqual([
    409,
    expect.objectContaining({ errors: { code: ["Code is in use."] } }),
  ]);
  const known = await served.account("Ben", "a long password of Ben");
  for (const sent of [
    { email: known.email, password: "another password" },
    { email: "nobody@example.com", password: "another password" },
  ])
    expect(shaped(await served.visitor().post("/v1/login", sent))).toEqual([
      422,
      expect.objectContaining({ errors: { credentials: ["email or password is invalid"] } }),
    ]);
  expect((await ada.get("/api/books/none")).problem()).toMatchObject({ code: "NOT_FOUND", detail: "not found" });
});

test("a reference is written by a unique field, and a list below a missing record gives 404", async () => {
  for (const code of ["r1", "hidden"]) await ada.post("/api/rooms", { code });
  const placed = (code: string, room: unknown) =>
    ada.post("/v1/placed", { code, title: `ÄRGER ${code}`, at: { room } });
  expect(shaped(await placed("p1", "r1"))).toEqual([201, { code: "p1", room: "r1" }]);
  expect(shaped(await placed("p2", null))).toEqual([201, { code: "p2", room: null }]);
  for (const room of ["none", "hidden", ["r1"], { id: 1 }, 7])
    expect(shaped(await placed("p3", room))).toEqual([
      422,
      expect.objectContaining({
        list: [expect.objectContaining({ at: "/at/room", why: "NO_SUCH_REFERENCE" })],
      }),
    ]);
  const below = async (path: string) => shaped(await ada.get(`/v1/rooms/${path}`));
  expect(await below("r1/books")).toEqual([200, { codes: ["p1"] }]);
  for (const q of ["ärger", "P1", "r p"])
    expect(await below(`r1/books?q=${encodeURIComponent(q)}`)).toEqual([200, { codes: ["p1"] }]);
  expect(await below("r1/books?q=other")).toEqual([200, { codes: [] }]);
  const [absent, hidden] = [await below("none/books"), await below("hidden/books")];
  expect(absent[0]).toBe(404);
  const { since: _, trace: __, ...said } = hidden[1] as { since: string; trace: string };
  expect(absent).toEqual([hidden[0], expect.objectContaining(said)]);
});

const url = "http://localhost:80/v1";

test("a replacement clears what is not sent; a call asks for fields; a response can be empty", async () => {
  await ada.post("/v1/loose", { book: { code: "r", title: "Rho" } });
  const put = (book: object) => ada.send("PUT", "/v1/books/r", { book });
  const all = { title: "Rho", pages: 3, tags: ["a"], read: true, notes: [{ text: "One" }, { text: "Two" }] };
  expect(shaped(await put(all))).toEqual([200, { ...all, notes: 2 }]);
  expect(shaped(await put({ title: "Rho 2" }))).toEqual([
    200,
    { title: "Rho 2", pages: null, tags: [], read: false, notes: 0 },
  ]);
  expect(shaped(await put({ pages: 4 }))).toEqual([
    422,
    expect.objectContaining({ errors: { title: ["Title is required."] } }),
  ]);
  const response = await ada.patch("/v1/books/r", { book: { title: "Rho 3" } });
  expect(shaped(response)).toEqual([422, expect.objectContaining({ errors: { pages: ["Pages is required."] } })]);
  const changed = await ada.patch("/v1/books/r", { book: { title: "Rho 3", pages: 1 } });
  expect([changed.status, changed.text]).toEqual([204, ""]);
  const set = await ada.post("/v1/books/r/read");
  expect([set.status, set.text]).toEqual([202, ""]);
  expect((await ada.get("/v1/books/r")).body).toMatchObject({ title: "Rho 3", pages: 1, read: true });
  const silent = await ada.post("/v1/silent", { code: "s", title: "Sigma" });
  expect([silent.status, silent.text, silent.headers.get("location")]).toEqual([201, "", "/v1/books/s"]);
  const ensured = async () => (await ada.send("PUT", "/v1/ensured", { code: "e x", title: "Eps" })).status;
  expect([await ensured(), await ensured()]).toEqual([201, 204]);
});

test("unknown members and query words are ignored where the call says so", async () => {
  const created = await ada.post("/v1/loose", { book: { code: "l", title: "L", color: { deep: 1 } }, other: [] });
  expect(shaped(created)).toEqual([201, { code: "l", url: `${url}/books/l`, notes: `${url}/books/l/notes` }]);
  expect((await ada.post("/v1/loose", { book: "text" })).status).toBe(422);
  expect((await ada.get("/v1/loose?code=l&color=red&color=blue")).body).toEqual({ codes: ["l"] });
  expect((await ada.get("/v1/loose?code=l&code=m")).status).toBe(400);
  expect((await ada.post("/v1/books", { book: { code: "m", title: "M", color: 1 } })).status).toBe(422);
});

test("a response has the addresses of calls, and a new record that of the call that reads it", async () => {
  const created = await ada.post("/v1/books", { book: { code: "ä/1", title: "Slash" } });
  expect(created.headers.get("location")).toBe("/v1/books/%C3%A4%2F1");
  expect((await ada.get("/v1/books/%C3%A4%2F1")).body).toMatchObject({ title: "Slash" });
  await ada.send("PUT", "/v1/books/%C3%A4%2F1", { book: { title: "Slash", notes: [{ text: "N" }] } });
  const notes = (await served.visitor().get("/v1/books/%C3%A4%2F1/notes")).body as { url: string }[];
  const [note] = notes;
  expect(notes).toEqual([
    {
      text: "N",
      url: expect.stringMatching(/^http:\/\/localhost:80\/v1\/notes\/[0-9a-f-]{36}$/u),
      of: `${url}/books/%C3%A4%2F1/notes`,
      all: `${url}/books`,
    },
  ]);
  expect((await ada.get(note?.url.slice("http://localhost:80".length) ?? "")).body).toEqual(note);
  expect((await ada.get("/v1/books")).body).toMatchObject({ first: `${url}/books` });
});

test("pages of other sites can call if their origin matches a pattern, and never with a cookie", async () => {
  const from = (origin: string) => ada.get("/v1/books", { origin, "sec-fetch-site": "cross-site" });
  const allowed = async (origin: string) => (await from(origin)).headers.get("access-control-allow-origin");
  for (const origin of ["https://a.shelf.example", "https://a.b.shelf.example", "https://x.test"])
    expect(await allowed(origin)).toBe(origin);
  for (const origin of [
    "https://shelf.example",
    "https://a.shelf.example.evil",
    "http://a.shelf.example",
    "https://evilshelf.example",
  ])
    expect(await allowed(origin)).toBe(null);
  const headers = { origin: "https://a.shelf.example", "sec-fetch-site": "cross-site" };
  expect((await ada.post("/v1/books", { book: { code: "x", title: "X" } }, headers)).status).toBe(401);
});

test("every site can call without a cookie where the document says so", async () => {
  const open = await serveText(shelf.replace('[APP_SITES, "https://*.shelf.example"]', '"*"'));
  const eve = await open.person("Eve");
  const headers = { origin: "https://anywhere.test", "sec-fetch-site": "cross-site" };
  const read = await eve.get("/v1/books", headers);
  expect([read.status, read.headers.get("access-control-allow-origin")]).toEqual([200, "*"]);
  expect(read.headers.get("access-control-allow-credentials")).toBe(null);
  expect((await eve.post("/v1/books", { book: { code: "x", title: "X" } }, headers)).status).toBe(401);
  expect((await eve.post("/v1/books", { book: { code: "x", title: "X" } })).status).toBe(201);
});

test("a parameter is compared with the field that stands in place of its condition", async () => {
  const code = async (query: string) => ((await ada.get(`/v1/found?${query}`)).body as { codes: string[] }).codes;
  expect((await ada.post("/api/rooms", { code: "r9" })).status).toBe(201);
  expect((await ada.post("/v1/placed", { code: "q1", title: "One", at: { room: "r9" } })).status).toBe(201);
  const one = (
    await ada.post("/api/books", { code: "q2", title: "Two", tags: ["x", "y"], pages: 7, read: true })
  ).record();
  expect(await code("key=q1")).toEqual(["q1"]);
  expect(await code("tag=y")).toEqual(["q2"]);
  expect(await code("at=r9")).toEqual(["q1"]);
  expect(await code("seen=true&pages=7")).toEqual(["q2"]);
  expect(await code(`_id=${one.id}`)).toEqual(["q2"]);
  expect(await code("title=Two&pages=7")).toEqual(["q2"]);
  expect(await code("title=One")).toEqual([]);
  // An id compares with any text.
  const same = async (key: string) => (await ada.get(`/v1/same?key=${key}`)).body;
  expect(await same(one.id)).toEqual({ codes: ["q2"] });
  expect(await same("a")).toEqual({ codes: [] });
  // An error of a parameter is under its name.
  expect(shaped(await ada.get("/v1/found?pages=many"))).toMatchObject([
    400,
    { errors: { pages: [expect.any(String)] } },
  ]);
  expect(shaped(await ada.get("/v1/found?colour=red"))).toMatchObject([
    400,
    { errors: { colour: [expect.any(String)] } },
  ]);
});

test("deleting all returns what it deleted, also if that is nothing", async () => {
  expect((await ada.post("/api/books", { code: "d1", title: "Old" })).status).toBe(201);
  expect(shaped(await ada.delete("/v1/found?key=d1"))).toEqual([200, { deleted: 1, codes: ["d1"], says: "gone" }]);
  expect(shaped(await ada.delete("/v1/found?key=d1"))).toEqual([200, { deleted: 0, codes: [], says: "none" }]);
  expect(shaped(await ada.delete("/v1/one/a"))).toEqual([200, { deleted: 0 }]);
});

test("signing in can return its token after a text, and refuses fields by which nobody can sign in", async () => {
  const visitor = served.visitor();
  const password = "correct horse battery";
  const { email } = await served.account("Bea", password);
  const { authorization } = (await visitor.post("/v1/bearer", { email, password })).body as { authorization: string };
  expect(authorization).toMatch(/^Bearer \S{20,}$/u);
  expect((await visitor.post("/v1/silent", { code: "borne", title: "S" }, { authorization })).status).toBe(201);
  expect(shaped(await visitor.post("/v1/login", { email: "bea", remember: true }))).toMatchObject([
    422,
    { errors: { email: [expect.any(String)], password: [expect.any(String)], remember: [expect.any(String)] } },
  ]);
});

test("a list of parts has the members of its shape, at any depth", async () => {
  const room = (await ada.post("/api/rooms", { code: "r8" })).record();
  const remark = { body: { words: "Good" }, roomId: room.id, marks: [{ sign: "!" }, { sign: "?" }] };
  const made = await ada.post("/v1/annotated", { key: "w1", title: "Parts", remarks: [remark] });
  const kept = { ...remark, noteId: expect.any(String) };
  expect(shaped(made)).toEqual([201, { key: "w1", remarks: [kept] }]);
  const { remarks } = made.body as { remarks: { noteId: string }[] };
  const changed = await ada.send("PUT", "/v1/annotated/w1", {
    remarks: [{ noteId: remarks[0]?.noteId, body: { words: "Better" } }, { body: { words: "New" } }],
  });
  expect(shaped(changed)).toEqual([
    200,
    {
      remarks: [
        { ...kept, body: { words: "Better" } },
        { noteId: expect.any(String), body: { words: "New" }, roomId: null, marks: [] },
      ],
    },
  ]);
  // Errors name the members that were sent.
  const wrong = await ada.post("/v1/annotated", {
    key: "w2",
    remarks: [{ body: { words: "x".repeat(41) }, colour: "red", marks: [{}, { sign: "long" }] }, { text: "x" }],
    what: 1,
  });
  const places = (wrong.body as { list: { at: string; why: string }[] }).list.map(({ at, why }) => `${at} ${why}`);
  expect(places.sort()).toEqual([
    "/remarks/0/body/words TOO_LONG",
    "/remarks/0/colour UNKNOWN_FIELD",
    "/remarks/0/marks/0/sign REQUIRED",
    "/remarks/0/marks/1/sign TOO_LONG",
    "/remarks/1/body/words REQUIRED",
    "/remarks/1/text UNKNOWN_FIELD",
    "/title REQUIRED",
    "/what UNKNOWN_FIELD",
  ]);
});

test("a put creates the record of its path, or replaces it", async () => {
  const put = (path: string, body: object, headers?: Record<string, string>) =>
    ada.send("PUT", `/v1${path}`, body, headers === undefined ? undefined : { headers });
  const one = { code: "u1", title: "One", pages: 3, tags: ["x"] };
  expect(shaped(await put("/put/u1", { title: "One", pages: 3, tags: ["x"] }))).toEqual([201, one]);
  expect(shaped(await put("/put/u1", { title: "Two" }))).toEqual([
    200,
    { code: "u1", title: "Two", pages: null, tags: [] },
  ]);
  expect(shaped(await put("/put/u2", { pages: 1, colour: 1 }))).toMatchObject([
    422,
    { errors: { title: [expect.any(String)], colour: [expect.any(String)] } },
  ]);
  expect((await put("/put/u3", { title: "Three" }, { "if-match": '"1"' })).status).toBe(412);
  expect((await ada.get("/v1/books/u3")).status).toBe(404);
  // Its path can lead through a reference, and the server chooses ids.
  await ada.post("/api/rooms", { code: "r7" });
  expect(shaped(await put("/rooms/r7/books/u4", { title: "Four" }))).toEqual([
    201,
    { code: "u4", title: "Four", room: "r7" },
  ]);
  expect((await put("/rooms/none/books/u5", { title: "Five" })).status).toBe(404);
  expect((await put("/any/a", { code: "r6" })).status).toBe(201);
  // Somebody who cannot create one learns that; concurrent calls create one record.
  expect((await served.visitor().send("PUT", "/v1/put/u6", { title: "Six" })).status).toBe(401);
  const at = await Promise.all([1, 2, 3, 4].map((n) => put("/put/u7", { title: `Seven ${n}` })));
  expect(at.map(({ status }) => status).sort()).toEqual([200, 200, 200, 201]);
});

test("every response is in the description", async () => {
  const driven = await drive(shelf, 3, served);
  await driven.some(250);
  expect(driven.wrong.slice(0, 5)).toEqual([]);
});
