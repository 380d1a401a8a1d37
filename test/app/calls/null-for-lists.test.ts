import { beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../../../src/core/wire/json.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

const shop = `
# Shop

## 3. Entities and their fields
\`\`\`yaml
Order:
  label: "{title}"
  fields:
    title: { type: text, max: 40, unique: true }
    tags:  { type: text, many: true, max: 20 }
    lines: { list: Line.order }
Line:
  fields:
    order:   { type: Order, part of: true }
    item:    { type: text, max: 40 }
    colours: { type: choice, many: true, values: [red, blue] }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Order:
  states: [open, sent]
  final: sent
  transitions:
    send: { from: open, to: same, by: clerk, asks: { boxes: { type: integer, many: true } }, set: { title: "title + ' in ' + text(size(boxes))" } }
    mark: { from: open, to: same, by: clerk, asks: tags? }
    close: { from: open, to: sent, by: clerk }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: { members: granted } }
permissions:
  Order: { read: clerk, create: clerk, update: clerk }
  Line:  { read: clerk, create: clerk, update: clerk, delete: clerk }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
base: /v1
shapes:
  Line: { sent: { item, palette: colours } }
calls:
  POST /orders:         { create: Order, takes: { order: { title, labels: tags, rows: Line.sent(lines) } } }
  POST /marked:         { create: Order, takes: { title, labels: tags }, asks: tags }
  PATCH /orders/{id}:   { update: Order, takes: { labels: tags, rows: Line.sent(lines) } }
  PUT /orders/{id}:     { replace: Order, takes: { title, labels: tags } }
  PUT /named/{title}:   { put: Order, takes: { labels: tags } }
  POST /ensured:        { ensure: Order, takes: { title, labels: tags } }
  POST /orders/{id}/marks: { transition: Order.mark, takes: { labels: tags } }
  POST /both:
    do:
      - { create: Order, takes: { title } }
      - { create: Order, takes: { other: title, labels: tags } }
\`\`\`
`;

interface Body {
  readonly code: string;
  readonly detail: string;
  readonly errors: readonly { readonly at: string; readonly code: string; readonly message: string }[];
}

let desk: TestServer;
let clerk: ApiClient;

beforeAll(async () => {
  desk = await serveText(shop);
  clerk = await desk.person("Clerk", ["clerk"]);
});

const order = async (title: string): Promise<string> =>
  String(
    (await clerk.post("/api/orders", { title, tags: ["a"], lines: [{ item: "Box", colours: ["red"] }] })).record().id,
  );

const says = "must be a list; send [] to empty it.";

/** Sends a body with null for a list, and expects the refusal of exactly that member. */
const refuses = async (method: "POST" | "PUT" | "PATCH", url: string, body: Json, at: string, title: string) => {
  const { status, body: answer } = await clerk.send(method, url, body as object);
  const { errors } = answer as unknown as Body;
  expect([method, url, status, errors]).toMatchObject([
    method,
    url,
    422,
    [{ at, code: "WRONG_TYPE", message: `${title} ${says}` }],
  ]);
};

describe("null in place of a list", () => {
  test("is refused in every call of the document, and the sentence says what to send", async () => {
    const id = await order("One");
    await refuses("POST", "/v1/orders", { order: { title: "Two", labels: null } }, "/order/labels", "Tags");
    await refuses("POST", "/v1/orders", { order: { title: "Two", rows: null } }, "/order/rows", "Lines");
    const row = { order: { title: "Two", rows: [{ item: "Box", palette: null }] } };
    await refuses("POST", "/v1/orders", row, "/order/rows/0/palette", "Colours");
    await refuses("POST", "/v1/marked", { title: "Two", labels: null }, "/labels", "Tags");
    await refuses("PATCH", `/v1/orders/${id}`, { labels: null }, "/labels", "Tags");
    await refuses("PATCH", `/v1/orders/${id}`, { rows: null }, "/rows", "Lines");
    await refuses("PUT", `/v1/orders/${id}`, { title: "One", labels: null }, "/labels", "Tags");
    await refuses("PUT", "/v1/named/One", { labels: null }, "/labels", "Tags");
    await refuses("PUT", "/v1/named/Two", { labels: null }, "/labels", "Tags");
    await refuses("POST", "/v1/ensured", { title: "Two", labels: null }, "/labels", "Tags");
    await refuses("POST", `/v1/orders/${id}/marks`, { labels: null }, "/labels", "Tags");
    await refuses("POST", "/v1/both", { title: "Two", other: "Three", labels: null }, "/labels", "Tags");
    expect((await clerk.get("/api/orders?title=Two")).list().items).toEqual([]);
    expect((await clerk.get(`/api/orders/${id}?parts=true`)).record()).toMatchObject({
      version: 1,
      tags: ["a"],
      lines: [{ colours: ["red"] }],
    });
  });

  test("is refused in the same way in the conventional calls, also for a value that no record keeps", async () => {
    const id = await order("Conventional");
    await refuses("POST", "/api/orders", { title: "Two", tags: null }, "/tags", "Tags");
    await refuses("POST", "/api/orders", { title: "Two", lines: null }, "/lines", "Lines");
    await refuses("PATCH", `/api/orders/${id}`, { tags: null }, "/tags", "Tags");
    await refuses("PATCH", `/api/orders/${id}`, { lines: null }, "/lines", "Lines");
    await refuses("POST", `/api/orders/${id}/send`, { boxes: null }, "/boxes", "Boxes");
    await refuses("POST", `/api/orders/${id}/mark`, { tags: null }, "/tags", "Tags");
  });

  test("an empty list empties, and a member that is not sent stays", async () => {
    const id = await order("Emptied");
    expect((await clerk.send("PATCH", `/v1/orders/${id}`, {})).status).toBe(200);
    expect((await clerk.get(`/api/orders/${id}?parts=true`)).record()).toMatchObject({ version: 1, tags: ["a"] });
    expect((await clerk.send("PATCH", `/v1/orders/${id}`, { labels: [], rows: [] })).status).toBe(200);
    expect((await clerk.get(`/api/orders/${id}?parts=true`)).record()).toMatchObject({ tags: [], lines: [] });
  });

  test("is no part of the type in OpenAPI", async () => {
    const nulls: string[] = [];
    const walk = (json: Json, path: string): void => {
      if (typeof json !== "object" || json === null) return;
      if (!Array.isArray(json)) {
        const { type } = json as { readonly type?: Json };
        if (Array.isArray(type) && type.includes("array") && type.includes("null")) nulls.push(path);
      }
      for (const [name, inner] of Object.entries(json)) walk(inner as Json, `${path}/${name}`);
    };
    walk((await clerk.get("/api/openapi.json")).body as unknown as Json, "");
    expect(nulls).toEqual([]);
  });
});
