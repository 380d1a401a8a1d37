import { beforeAll, expect, test } from "vitest";
import { drive } from "../openapi/drive.ts";
import { type Answer, type Served, serveText } from "../program.ts";

type Person = Awaited<ReturnType<Served["person"]>>;

/** Calls whose forms others prescribe: envelopes of errors, and an error of its own for a call. */
const shelf = `
# Shelf

## 3. Entities and their fields
\`\`\`yaml
Book:
  label: "{title}"
  fields:
    code:  { type: text, unique: true, max: 20 }
    title: { type: text, max: 40 }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  visitor: anyone
  member:  signed in
permissions:
  Book: { read: visitor, create: member, update: member, delete: member }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
base: /v1
error shape:
  status:  "status == 404 ? 'missing' : 'fail'"
  app:     brand
  version: 2
  since:   now
  data:    null
  errors:  messages
  list:    [{ at, field, message, why: code, status, is_one: "at == null" }]
  texts:   [message]
calls:
  GET /books: { list: Book }
  GET /books/{code}: { read: Book }
  GET /shelf/{code}: { read: Book, errors: { NOT_FOUND: EMPTY_PLACE } }
  POST /books: { create: Book, takes: { book: { code, title } }, errors: { TAKEN: CODE_IN_USE } }
  POST /login: { sign in: true, errors: { BAD_CREDENTIALS: LOGIN_FAILED } }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
NOT_SIGNED_IN:  { message: is missing, at: token }
Book.NOT_FOUND: { message: not found, at: book }
EMPTY_PLACE:    { status: 410, message: There is nothing at this place. }
CODE_IN_USE:    { status: 409, message: "{field} is in use.", help: Take the next one. }
LOGIN_FAILED:   { status: 422, message: email or password is invalid, at: credentials }
\`\`\`

## 9. Business constants and limits
\`\`\`yaml
brand: Shelf 1
\`\`\`
`;

let served: Served;
let ada: Person;

const shaped = ({ status, body }: Answer) => [status, body];

beforeAll(async () => {
  served = await serveText(shelf, { demonstration: true });
  ada = await served.person("Ada");
  expect((await ada.post("/v1/books", { book: { code: "a", title: "Alpha" } })).status).toBe(201);
});

const envelope = {
  status: "fail",
  app: "Shelf 1",
  version: 2,
  since: expect.stringMatching(/^\d{4}-.*Z$/u),
  data: null,
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
  expect((await ada.get("/v1/books?color=red")).body).toMatchObject({ errors: { body: [expect.any(String)] } });
});

test("a call answers an error of its own in place of a built-in one", async () => {
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

test("every answer is in the description", async () => {
  const driven = await drive(shelf, 3, served);
  await driven.some(250);
  expect(driven.wrong.slice(0, 5)).toEqual([]);
});
