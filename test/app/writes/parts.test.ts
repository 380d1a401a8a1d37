import { beforeAll, describe, expect, test } from "vitest";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

/**
 * Orders have lines, lines have notes; a line refers to a thing of the order's own shop, and requires a reason if it is
 * expensive.
 */
const orders = `
# Orders

## 3. Entities and their fields
\`\`\`yaml
Shop:
  fields: { name: { type: text, unique: true }, open: { type: boolean, default: "true" } }
Thing:
  label: "{name}"
  fields:
    name:  { type: text, unique: true }
    shop:  Shop
    price: integer
Order:
  label: "{name}"
  fields:
    name:  text
    shop:  { type: Shop, among: "Shop.filter(s, s.open)" }
    lines: { list: Line.order }
    total: { type: integer, computed: "lines.map(l, l.thing.price * l.count).sum()" }
Line:
  label: "{thing.name}"
  fields:
    order: { type: Order, part of: true }
    thing: { type: Thing, among: "Thing.filter(t, t.shop == order.shop && (!cheap || t.price < 100))" }
    cheap: boolean
    count: { type: integer, default: 1, min: 1 }
    why:   { type: text, required: "thing.price * count > 1000" }
Note:
  fields:
    line: { type: Line, part of: true }
    text: text
Bill:
  fields:
    order: Order
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  clerk: { members: granted }
  guest: { members: granted }
permissions:
  Shop:  { read: [clerk, guest], create: clerk, update: clerk, delete: clerk }
  Thing: { read: [clerk, { role: guest, when: price < 50 }], create: clerk, update: clerk, delete: clerk }
  Order: { read: clerk, create: clerk, update: clerk, delete: clerk }
  Line:
    read:   clerk
    create: [clerk, { role: guest, fields: [order, thing, cheap] }]
    update: clerk
    delete: none
  Note:  { read: none, create: clerk, update: none, delete: none }
  Bill:  { read: clerk, create: clerk, update: clerk, delete: clerk }
\`\`\`
`;

let desk: TestServer;
let clerk: ApiClient;
let guest: ApiClient;
const id = async (path: string, values: object): Promise<string> => (await clerk.post(path, values)).record().id;
const shops: string[] = [];
const things: string[] = [];

beforeAll(async () => {
  desk = await serveText(orders);
  clerk = await desk.person("Clara", ["clerk"]);
  guest = await desk.person("Gil", ["guest"]);
  for (const name of ["A", "B"]) shops.push(await id("/api/shops", { name }));
  for (const [i, price] of [10, 60, 600, 20].entries())
    things.push(await id("/api/things", { name: `T${i}`, shop: shops[i === 3 ? 1 : 0], price }));
});

const errors = (answer: Awaited<ReturnType<ApiClient["get"]>>) =>
  answer.problem().errors?.map(({ at, code, clause }) => `${at} ${code} ${clause}`);

describe("a part", () => {
  test("can’t be moved to another record", async () => {
    const order = await id("/api/orders", { name: "One", shop: shops[0] });
    const other = await id("/api/orders", { name: "Two", shop: shops[0] });
    expect(errors(await clerk.post("/api/lines", { thing: things[0] }))).toEqual(["/order REQUIRED 3.Line.order"]);
    const line = await id("/api/lines", { order, thing: things[0] });
    expect(errors(await clerk.patch(`/api/lines/${line}`, { order: other }))).toEqual([
      "/order NOT_YOURS_TO_WRITE 6.Line.update",
    ]);
    expect((await clerk.get(`/api/lines?order=${order}`)).list().items.length).toBe(1);
    expect((await clerk.get(`/api/orders/${order}`)).record()).toMatchObject({ total: 10 });
  });

  test("is deleted with its record, and so are its own parts, each with a line of history under the clause that makes it a part", async () => {
    const order = await id("/api/orders", { name: "Gone", shop: shops[0] });
    const line = await id("/api/lines", { order, thing: things[0], count: 2 });
    const note = await id("/api/notes", { line, text: "Soon" });
    expect((await clerk.delete(`/api/orders/${order}`)).status).toBe(204);
    expect((await clerk.get(`/api/lines/${line}`)).status).toBe(404);
    const { rows } = await desk.database.query(
      "select entity, action, clause, changes from ninefold.audit where record = any($1) and action = 'delete' order by entity",
      [[order, line, note]],
    );
    expect(rows).toMatchObject([
      { entity: "Line", clause: "3.Line.order", changes: { count: [2, null] } },
      { entity: "Note", clause: "3.Note.line", changes: { text: ["Soon", null] } },
      { entity: "Order", clause: "6.Order.delete" },
    ]);
    expect((await desk.database.query(`select from "app"."note" where "id" = $1`, [note])).rows).toEqual([]);
  });

  test("can’t leave a record that it must belong to", async () => {
    const order = await id("/api/orders", { name: "Billed", shop: shops[0] });
    const line = await id("/api/lines", { order, thing: things[0] });
    await id("/api/bills", { order });
    expect((await clerk.delete(`/api/orders/${order}`)).problem().code).toBe("IN_USE");
    expect((await clerk.get(`/api/lines/${line}`)).status).toBe(200);
  });

  test("that is created while its record is deleted is deleted too, or prevents the deletion", async () => {
    for (let i = 0; i < 10; i++) {
      const order = await id("/api/orders", { name: `Race ${i}`, shop: shops[0] });
      const [deleted, ...created] = await Promise.all([
        clerk.delete(`/api/orders/${order}`),
        ...things.slice(0, 2).map((thing) => clerk.post("/api/lines", { order, thing })),
      ]);
      expect(deleted?.status).toBe(204);
      for (const one of created) expect([201, 422]).toContain(one.status);
      const remaining = await desk.database.query(`select from "app"."line" where "order" = $1`, [order]);
      expect(remaining.rows.length).toBe(0);
    }
  });
});

describe("the selection of a reference", () => {
  test("refuses all other records, also after what it depends on has changed", async () => {
    const order = await id("/api/orders", { name: "Amid", shop: shops[0] });
    expect(errors(await clerk.post("/api/lines", { order, thing: things[3] }))).toEqual([
      "/thing NOT_AMONG 3.Line.thing",
    ]);
    expect(errors(await clerk.post("/api/lines", { order, thing: things[2], cheap: true }))).toEqual([
      "/thing NOT_AMONG 3.Line.thing",
    ]);
    const line = await id("/api/lines", { order, thing: things[2], count: 1 });
    expect(errors(await clerk.patch(`/api/lines/${line}`, { cheap: true }))).toEqual(["/thing NOT_AMONG 3.Line.thing"]);
    expect((await clerk.patch(`/api/lines/${line}`, { count: 1 })).status).toBe(200);
  });

  test("is offered by a form: records that the person can read and that fit the input", async () => {
    const order = await id("/api/orders", { name: "Form", shop: shops[0] });
    const line = await id("/api/lines", { order, thing: things[0] });
    const offered = async (who: ApiClient, words: string) =>
      (await who.get(`/api/things?sort=name&among=${words}`)).list().items.map(({ name }) => name);
    expect(await offered(clerk, "Line.thing")).toEqual([]);
    expect(await offered(clerk, `Line.thing&given.order=${order}`)).toEqual(["T0", "T1", "T2"]);
    expect(await offered(clerk, `Line.thing&given.order=${order}&given.cheap=true`)).toEqual(["T0", "T1"]);
    expect(await offered(clerk, `Line.thing/${line}`)).toEqual(["T0", "T1", "T2"]);
    expect(await offered(clerk, `Line.thing/${line}&given.cheap=true&search=t1`)).toEqual(["T1"]);
    expect(await offered(guest, `Line.thing&given.order=${order}`)).toEqual(["T0"]);
    // A line that a guest cannot read discloses nothing to them.
    expect(await offered(guest, `Line.thing/${line}`)).toEqual([]);
    expect((await clerk.get("/api/things?among=Line.order")).problem().code).toBe("BAD_QUERY");
    expect((await guest.get(`/api/shops?among=Order.shop`)).problem().code).toBe("BAD_QUERY");
    expect((await clerk.get("/api/things?among=Line")).problem().code).toBe("BAD_QUERY");
  });
});

describe("a conditionally required field", () => {
  test("is required if its condition holds, and when it starts to hold", async () => {
    const order = await id("/api/orders", { name: "Dear", shop: shops[0] });
    expect(errors(await clerk.post("/api/lines", { order, thing: things[2], count: 2 }))).toEqual([
      "/why REQUIRED 3.Line.why",
    ]);
    const line = await id("/api/lines", { order, thing: things[2] });
    expect(errors(await clerk.patch(`/api/lines/${line}`, { count: 2 }))).toEqual(["/why REQUIRED 3.Line.why"]);
    expect((await clerk.patch(`/api/lines/${line}`, { count: 2, why: "It is needed" })).status).toBe(200);
    expect(errors(await clerk.patch(`/api/lines/${line}`, { why: null }))).toEqual(["/why REQUIRED 3.Line.why"]);
    expect((await clerk.patch(`/api/lines/${line}`, { why: null, count: 1 })).status).toBe(200);
  });
});

test("the selection of a reference excludes the record itself", async () => {
  const text = `# Yard

## 3. Entities

\`\`\`yaml
Line:
  fields:
    wanted:  integer
    parcels: { list: Parcel.line }
    missing: { type: integer, computed: "wanted - parcels.map(p, p.pieces).sum()" }
Parcel:
  fields:
    line:   { type: Line, among: "Line.filter(l, l.missing > 0)" }
    pieces: integer
    told:   boolean
\`\`\`

## 4. States

\`\`\`yaml
Line:
  field: status
  states: [open, whole]
  transitions: { close: { from: open, to: whole, once: missing <= 0 } }
\`\`\`

## 6. Roles

\`\`\`yaml
roles: { clerk: signed in }
permissions: { Line: { read: clerk, create: clerk }, Parcel: { read: clerk, create: clerk, update: clerk } }
\`\`\`
`;
  const yard = await serveText(text);
  const clerk = await yard.person("Cleo");
  const line = (await clerk.post("/api/lines", { wanted: 5 })).record().id;
  const other = (await clerk.post("/api/lines", { wanted: 2 })).record().id;
  const arrives = (pieces: number) => clerk.post("/api/parcels", { line, pieces });
  expect((await arrives(3)).status).toBe(201);
  const last = await arrives(2);
  expect(last.status).toBe(201);
  expect((await clerk.get(`/api/lines/${line}`)).record()).toMatchObject({ missing: 0, status: "whole" });
  expect((await arrives(1)).problem().code).toBe("NOT_AMONG");
  // A parcel moved to another line can complete that line too; one that stays can be changed.
  const path = `/api/parcels/${last.record().id}`;
  expect((await clerk.patch(path, { line: other })).status).toBe(200);
  expect((await clerk.patch(path, { told: true })).status).toBe(200);
});
