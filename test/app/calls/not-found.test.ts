import { beforeAll, expect, test } from "vitest";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

/* Responses for resources that do not exist, and the addresses of created ones. */

const text = `# Desk

## 3. Entities and their fields
\`\`\`yaml
Notice: { fields: { text: text } }
Draft:  { fields: { text: text, owner: { type: User, set: user } } }
Order:  { fields: { number: { type: text, unique: true } } }
Parcel: { fields: { size: integer, of: Order? } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { everybody: anyone, staff: signed in, clerk: granted, Draft: { owner: "owner == user" } }
permissions:
  Notice: { read: [everybody], create: [staff] }
  Draft:  { read: [owner, { role: everybody, when: "text == 'open'" }], create: [staff] }
  Order:  { read: [staff], create: [staff] }
  Parcel: { read: [staff], create: [staff] }
\`\`\`

## 7. Calls
\`\`\`yaml
base: /v1
conventional: [Notice, Draft]
shapes: { Parcel: { plain: { id, size } } }
calls:
  POST /orders: { create: Order }
  GET /orders/{id}: { read: Order }
  POST /parcels: { create: Parcel, takes: { parcel: { size: size, of: { id: of } } }, gives: { parcel: Parcel.plain(this) } }
  GET /notices/{id}: { read: Notice }
\`\`\`
`;

const NONE = "00000000-0000-4000-8000-000000000000";
let desk: TestServer;
let staff: ApiClient;
let visitor: ApiClient;

beforeAll(async () => {
  desk = await serveText(text);
  staff = await desk.person("Ada");
  visitor = desk.visitor();
});

test("a public record that does not exist gives 404 to everyone", async () => {
  for (const path of ["/api/notices", "/v1/notices"]) {
    const answer = await visitor.get(`${path}/${NONE}`);
    expect([answer.status, answer.problem().code]).toEqual([404, "NOT_FOUND"]);
  }
  expect((await visitor.get(`/api/notices/${NONE}/history`)).status).toBe(404);
  // For records that only some can read, the response does not disclose their existence.
  const { id } = (await staff.post("/api/drafts", { text: "mine" })).record();
  const [hidden, absent] = [await visitor.get(`/api/drafts/${id}`), await visitor.get(`/api/drafts/${NONE}`)];
  expect([hidden.status, hidden.text]).toEqual([401, absent.text]);
  expect((await visitor.post("/api/notices", { text: "x" })).status).toBe(401);
});

test("a program that asks for JSON, or for an address below the base, gets 404", async () => {
  const json = { accept: "application/json" };
  for (const [path, headers] of [
    ["/nowhere", json],
    ["/nowhere", { accept: "application/json, text/plain, */*" }],
    ["/v1/nowhere", {}],
    ["/v1", { accept: "text/html" }],
    ["/api/nowhere", {}],
  ] as const) {
    const answer = await visitor.get(path, headers);
    expect([path, answer.status, answer.headers.get("content-type")]).toEqual([
      path,
      404,
      "application/problem+json; charset=utf-8",
    ]);
    expect(answer.problem().code).toBe("NO_SUCH_CALL");
  }
  // A browser gets the page, which knows its screens.
  const page = await visitor.get("/nowhere", { accept: "text/html,application/xhtml+xml" });
  expect(page.headers.get("content-type")).not.toMatch(/json/u);
});

test("a Location header names an address that exists, and is absent otherwise", async () => {
  const notice = await staff.post("/api/notices", { text: "Open" });
  expect((await staff.get(notice.headers.get("location") ?? "")).status).toBe(200);
  const order = await staff.post("/v1/orders", { number: "1" });
  expect(order.headers.get("location")).toBe(`/v1/orders/${order.record().id}`);
  expect((await staff.get(order.headers.get("location") ?? "")).record()).toMatchObject({ number: "1" });
  const parcel = await staff.post("/v1/parcels", { parcel: { size: 1 } });
  expect([parcel.status, parcel.headers.get("location")]).toEqual([201, null]);
});

test("another value in place of an object has the wrong type", async () => {
  for (const [body, at] of [
    [{ parcel: 5 }, "/parcel"],
    [{ parcel: { size: 1, of: "x" } }, "/parcel/of"],
    [{ parcel: [1] }, "/parcel"],
  ] as const) {
    const refused = (await staff.post("/v1/parcels", body)).problem();
    expect(refused).toMatchObject({ status: 422, code: "WRONG_TYPE" });
    expect(refused.errors).toMatchObject([{ at, code: "WRONG_TYPE" }]);
    expect(refused.detail).toMatch(/ must be an object\.$/u);
  }
});
