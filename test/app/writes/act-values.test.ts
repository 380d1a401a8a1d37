import { beforeAll, describe, expect, test } from "vitest";
import { connect } from "../../../src/postgres/database.ts";
import { planDocument } from "../../../src/postgres/schema/plan-document.ts";
import { database } from "../../postgres.ts";
import { type ApiClient, compiled, serveText, type TestServer } from "../program.ts";

const document = `
## 3. Entities
\`\`\`yaml
Place:
  label: "{name}"
  fields: { name: text }
Item:
  label: "{name}"
  fields:
    name: { type: text, unique: true }
    stock: { type: integer, default: 0 }
    most: { type: integer, default: 100 }
Delivery:
  label: "{added}"
  fields: { item: Item, added: integer, at: Place?, remark: text? }
Round:
  label: "{name}"
  fields: { name: text }
\`\`\`
## 4. States
\`\`\`yaml
Item:
  field: status
  states: [open, closed]
  transitions:
    receive:
      from: open
      to: same
      by: keeper
      asks:
        added: { type: integer, min: 1, title: Pieces, unit: pc }
        at: Place?
        kind: { type: choice?, values: [new, returned] }
        remark: text?
      set: { stock: stock + added }
    count: { from: open, to: same, by: keeper, asks: [{ counted: { type: integer, min: 0 } }, added?], set: { stock: counted } }
    close: { from: open, to: closed, by: keeper }
  after:
    receive:
      - { create: Delivery, set: { item: this, added, at, remark } }
      - { notify: "User.filter(u, u.name == 'Bob')", text: "{added} more of {name} ({remark})" }
Round:
  after:
    create: { make: receive, of: "Item.filter(i, i.status == open)", set: { added: 5 } }
\`\`\`
## 5. Rules
\`\`\`yaml
Item:
  - { rule: "old.stock + added <= most", during: receive, else: TOO_MANY }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { keeper: { members: granted }, member: { members: signed in } }
permissions:
  Place: { read: member, create: keeper, update: keeper, delete: keeper }
  Item: { read: [keeper, { role: member, except: [added] }], create: keeper, update: keeper }
  Delivery: { read: member }
  Round: { read: keeper, create: keeper }
\`\`\`
## 7. Calls
\`\`\`yaml
calls:
  POST /in/{name}: { transition: Item.receive, takes: { pieces: added, why: remark }, asks: added, gives: { stock } }
\`\`\`
## 8. Errors
\`\`\`yaml
TOO_MANY: { status: 422, message: "{added} pieces are too many.", at: added }
\`\`\`
`;

let served: TestServer;
let ada: ApiClient;
let bob: ApiClient;
let place: string;
beforeAll(async () => {
  served = await serveText(document);
  ada = await served.person("Ada", ["keeper"]);
  bob = await served.person("Bob");
  place = (await ada.post("/api/places", { name: "S1" })).record().id;
});

const newItem = async (name: string): Promise<string> => (await ada.post("/api/items", { name })).record().id;

describe("values that only a transition needs", () => {
  test("are used by its set, its effects and messages, and the record does not have them", async () => {
    const id = await newItem("Bolt");
    const answer = await ada.post(`/api/items/${id}/receive`, { added: 7, at: place, kind: "new", remark: "box" });
    expect([answer.status, answer.body]).toMatchObject([200, { stock: 7 }]);
    expect(Object.keys(answer.record())).not.toContain("added");
    const deliveries = await bob.get("/api/deliveries");
    expect(deliveries.body).toMatchObject({ items: [{ added: 7, remark: "box", at: { id: place, label: "S1" } }] });
    const notices = await bob.get("/_/notifications");
    expect(notices.body).toMatchObject({ items: [{ text: "… more of Bolt (box)" }] });
  });
  test("are in the history, even if they repeat, for those who can read them", async () => {
    const id = await newItem("Nut");
    for (const body of [{ added: 2, at: place, kind: "new" }, { added: 2 }])
      expect((await ada.post(`/api/items/${id}/receive`, body)).record()).toMatchObject({});
    const history = (await ada.get(`/api/items/${id}/history`)).body;
    expect(history).toMatchObject({
      items: [
        {
          action: "receive",
          changes: [
            { field: "stock", before: 2, after: 4 },
            { field: "added", before: null, after: 2 },
          ],
        },
        {
          action: "receive",
          changes: [
            { field: "stock", before: 0, after: 2 },
            { field: "added", before: null, after: 2 },
            { field: "at", before: null, after: { id: place, label: "S1" } },
            { field: "kind", before: null, after: "new" },
          ],
        },
        { action: "create" },
      ],
    });
    const others = (await bob.get(`/api/items/${id}/history`)).body;
    expect(JSON.stringify(others)).not.toContain("added");
  });
  test("do not keep a record from being deleted that an earlier act named", async () => {
    const id = await newItem("Pin");
    const old = (await ada.post("/api/places", { name: "Old" })).record().id;
    expect((await ada.post(`/api/items/${id}/count`, { counted: 3 })).status).toBe(200);
    expect((await ada.post(`/api/items/${id}/receive`, { added: 1 })).record()).toMatchObject({ stock: 4 });
    expect((await ada.post(`/api/items/${await newItem("Rod")}/receive`, { added: 1, at: place })).status).toBe(200);
    expect((await ada.delete(`/api/places/${old}`)).status).toBe(204);
  });
  test("are checked by their definition and by rules", async () => {
    const id = await newItem("Clip");
    const refused = async (body: unknown) => (await ada.post(`/api/items/${id}/receive`, body)).body;
    expect(await refused({})).toMatchObject({ errors: [{ at: "/added", code: "REQUIRED" }] });
    expect(await refused({ added: 0 })).toMatchObject({
      errors: [{ at: "/added", code: "TOO_SMALL", clause: "4.Item.receive.added" }],
    });
    expect(await refused({ added: 1, kind: "lost" })).toMatchObject({
      errors: [{ at: "/kind", code: "NOT_A_CHOICE" }],
    });
    expect(await refused({ added: 101 })).toMatchObject({
      code: "TOO_MANY",
      detail: "101 pieces are too many.",
      errors: [{ at: "/added" }],
    });
    expect((await ada.patch(`/api/items/${id}`, { added: 3 })).status).toBe(403);
    expect((await ada.post("/api/items", { name: "x", added: 3 })).status).not.toBe(201);
  });
  test("are taken by calls of the document", async () => {
    await newItem("Cap");
    const answer = await ada.post("/api/in/Cap", { pieces: 6, why: "box" });
    expect([answer.status, answer.body]).toEqual([200, { stock: 6 }]);
    expect((await ada.post("/api/in/Cap", { pieces: 0 })).body).toMatchObject({ errors: [{ at: "/pieces" }] });
    expect((await ada.post("/api/in/Cap", {})).body).toMatchObject({ errors: [{ at: "/pieces", code: "REQUIRED" }] });
  });
  test("are given by effects", async () => {
    const id = await newItem("Hook");
    await ada.post(`/api/items/${id}/receive`, { added: 50, remark: "first" });
    expect((await ada.post("/api/rounds", { name: "Monday" })).status).toBe(201);
    expect((await ada.get(`/api/items/${id}`)).record()).toMatchObject({ stock: 55 });
    const { items } = (await ada.get("/api/deliveries?sort=-created_at")).body as { items: { added: number }[] };
    expect(items.filter(({ added }) => added === 5).every((item) => !("remark" in item) || item.remark === null)).toBe(
      true,
    );
  });
});

test("a new version renames such a value, or makes it a field", async () => {
  const written = (asks: string, fields = "") => `
## 3. Entities
\`\`\`yaml
Bin:
  fields: { name: text, stock: { type: integer, default: 0 }${fields} }
\`\`\`
## 4. States
\`\`\`yaml
Bin:
  states: [open]
  transitions: { fill: { from: open, to: same, by: member, asks: ${asks} } }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Bin: { read: member, create: member } }
\`\`\`
`;
  const store = await database();
  const planned = async (text: string) => {
    const { model, source } = compiled(text);
    const owner = connect({ connection: store.url, max: 1, statementTimeout: 10_000 });
    const { done, refused } = await planDocument(owner, model, source).finally(() => owner.end());
    return { done, refused };
  };
  const first = await serveText(
    written("{ sort: { type: choice, values: [big, small] }, of: Bin?, pieces: integer }"),
    {
      database: store,
    },
  );
  const kim = await first.person("Kim");
  const { id } = (await kim.post("/api/bins", { name: "B1" })).record();
  expect((await kim.post(`/api/bins/${id}/fill`, { sort: "small", of: id, pieces: 5 })).status).toBe(200);
  await first.stop();

  const renamed = written(
    "{ kind: { type: choice, values: [big], was: sort }, of: Bin?, amount: { type: integer, was: pieces } }",
  );
  expect(await planned(renamed)).toMatchObject({ refused: [] });
  const second = await serveText(renamed, { database: store });
  const lee = await second.person("Lee");
  const [line] = (await lee.get(`/api/bins/${id}/history`)).history();
  expect(line?.changes).toEqual([
    { field: "kind", before: null, after: "small" },
    { field: "of", before: null, after: { id, label: "B1" } },
    { field: "amount", before: null, after: 5 },
  ]);
  await second.stop();

  const kept = written("amount", ", amount: integer?, of: { type: Bin? }");
  expect(await planned(kept)).toMatchObject({ refused: [] });
  const third = await serveText(kept, { database: store });
  const max = await third.person("Max");
  expect((await max.get(`/api/bins/${id}`)).record()).toMatchObject({ name: "B1", amount: null, of: null });
});

test("a field that becomes such a value keeps the values of records for its return", async () => {
  const written = (field: string, asks: string) => `
## 3. Entities
\`\`\`yaml
Bin:
  fields: { name: text, stock: { type: integer, default: 0 }${field} }
\`\`\`
## 4. States
\`\`\`yaml
Bin:
  states: [open]
  transitions: { fill: { from: open, to: same, by: member, asks: ${asks} } }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Bin: { read: member, create: member } }
\`\`\`
`;
  const store = await database();
  const asField = written(", amount: integer?", "amount");
  const asAct = written("", "{ amount: integer }");
  const first = await serveText(asField, { database: store });
  const kim = await first.person("Kim");
  const { id } = (await kim.post("/api/bins", { name: "B1", amount: 5 })).record();
  await first.stop();

  const second = await serveText(asAct, { database: store });
  const lee = await second.person("Lee");
  expect((await lee.get(`/api/bins/${id}`)).record()).not.toHaveProperty("amount");
  expect((await lee.post(`/api/bins/${id}/fill`, { amount: 8 })).status).toBe(200);
  await second.stop();

  const third = await serveText(asField, { database: store });
  const max = await third.person("Max");
  expect((await max.get(`/api/bins/${id}`)).record()).toMatchObject({ amount: 5 });
});
