import { describe, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import type { NotificationsJson } from "../../../src/core/wire/notifications.ts";
import { serveText, type TestServer } from "../program.ts";

/** An order and its effects: stock, a ledger, notifications, parcels. */
const shop = `
## 3. Entities
\`\`\`yaml
User:
  fields:
    manager: User?
Item:
  fields: { name: text, stock: integer, sold: { type: integer, default: 0 } }
Order:
  label: "{item.name}"
  fields: { item: Item, count: integer, buyer: { type: User, set: user }, note: text?, secret: text? }
Parcel:
  label: "{order.item.name}"
  fields: { order: Order, nth: integer }
Ledger:
  fields: { item: Item, month: text, count: { type: integer, max: 20 }, last: User? }
\`\`\`
## 4. States
\`\`\`yaml
Order:
  field: status
  states: [draft, placed, sent, back]
  transitions:
    place: { from: draft, to: placed, by: buyer }
    send: { from: placed, to: sent, by: clerk }
    give_back: { from: [placed, sent], to: back, by: buyer }
  after:
    place:
      - { update: item, set: { stock: it.stock - count, sold: it.sold + count } }
      - { put: Ledger, key: [item, month], set: { item, month: "'now'", count, last: user } }
      - { create: Parcel, for: { other: "Item.filter(i, i.stock < 100)" }, when: "count > 1", set: { order: this, nth: other.stock } }
      - { notify: "[buyer, buyer.manager]", text: "{user.name} has ordered {count} of {item.name}: {secret}" }
      - { call: warehouse }
    give_back:
      - { delete: "Parcel.filter(p, p.order == this)" }
      - { update: item, set: { stock: it.stock + count, sold: it.sold - count } }
Parcel:
  field: state
  states: [packed, lost]
  transitions:
    lose: { from: packed, to: lost, by: clerk }
  after:
    create:
      - { update: order, set: { note: "'has parcels'" } }
    delete:
      - { update: order, set: { note: "'had parcel ' + string(old.nth)" } }
Item:
  after:
    delete:
      - { delete: "Ledger.filter(l, l.item == this)" }
User:
  after:
    update:
      - { make: give_back, of: "Order.filter(o, o.buyer == this)", when: "manager == null && old.manager != null" }
\`\`\`
## 5. Rules
\`\`\`yaml
Item:
  - { rule: "stock >= 0", else: OUT_OF_STOCK }
Order:
  - { rule: "Order.filter(o, o.item == item && o.status == placed).map(o, o.count).sum() <= 50", during: place, else: TOO_MANY }
\`\`\`
## 6. Roles
\`\`\`yaml
roles:
  staff: { members: signed in }
  clerk: { members: granted }
  Order: { buyer: "buyer == user" }
permissions:
  User: { read: [staff], update: [{ role: clerk, fields: [manager] }] }
  Item: { read: [staff], create: [clerk], delete: [clerk] }
  Order:
    read: [buyer, { role: staff, fields: [item, count, buyer, status, note] }]
    create: [staff]
  Parcel: { read: [staff] }
  Ledger: { read: [staff] }
\`\`\`
## 7. Calls
\`\`\`yaml
outgoing:
  warehouse: { post: APP_WAREHOUSE_URL, sends: { item: item.name, count, by: user.name } }
\`\`\`
## 8. Errors
\`\`\`yaml
OUT_OF_STOCK: { status: 409, message: "There are no more than that." }
TOO_MANY: { status: 409, message: "Too many are placed." }
\`\`\`
`;

const open = async () => {
  const desk = await serveText(shop.replace("'had parcel ' + string(old.nth)", "'had a parcel'"));
  const clerk = await desk.person("Cleo", ["clerk"]);
  const boss = await desk.person("Bob");
  const ada = await desk.person("Ada");
  await clerk.patch(`/api/users/${ada.id}`, { manager: boss.id });
  const item = (await clerk.post("/api/items", { name: "Pen", stock: 10 })).record().id;
  const order = async (count: number) =>
    (await ada.post("/api/orders", { item, count, note: null, secret: "hush" })).record().id;
  return { desk, clerk, boss, ada, item, order };
};

const rows = async (desk: TestServer, text: string, ...values: unknown[]) =>
  (await desk.database.query(text, values)).rows;

describe("the effects of a write", () => {
  test("happen in order, with the write, and each written record has a line that names its cause", async () => {
    const { desk, clerk, boss, ada, item, order } = await open();
    const id = await order(3);
    const answer = await ada.post(`/api/orders/${id}/place`);
    expect(answer.record()).toMatchObject({ status: "placed", note: "has parcels", version: 3 });
    expect(answer.headers.get("etag")).toBe('"3"');
    expect((await ada.get(`/api/items/${item}`)).record()).toMatchObject({ stock: 7, sold: 3, version: 2 });
    const lines = await rows(
      desk,
      "select a.entity, a.action, a.clause, c.entity as cause, c.action as did from ninefold.audit a left join ninefold.audit c on c.id = a.cause where a.id >= (select id from ninefold.audit where record = $1 and action = 'place') order by a.id",
      id,
    );
    expect(lines).toEqual([
      { entity: "Order", action: "place", clause: "4.Order.place", cause: null, did: null },
      { entity: "Item", action: "update", clause: "4.Order.after.place.1", cause: "Order", did: "place" },
      { entity: "Ledger", action: "create", clause: "4.Order.after.place.2", cause: "Order", did: "place" },
      { entity: "Parcel", action: "create", clause: "4.Order.after.place.3", cause: "Order", did: "place" },
      { entity: "Order", action: "update", clause: "4.Parcel.after.create.1", cause: "Parcel", did: "create" },
    ]);
    // The parcel has the stock after the first effect.
    expect(await rows(desk, "select nth::int as nth from app.parcel")).toEqual([{ nth: 7 }]);
    // Each recipient gets a text in their read scope, and no actor gets one.
    expect(await rows(desk, "select person, text, clause from ninefold.notification order by text")).toEqual([
      { person: boss.id, text: "Ada has ordered 3 of Pen: …", clause: "4.Order.after.place.4" },
    ]);
    expect(await rows(desk, "select call, payload, state from ninefold.outbox")).toEqual([
      { call: "warehouse", payload: { item: "Pen", count: 3, by: "Ada" }, state: "waiting" },
    ]);
    // The history names the cause to readers who can see it.
    const [line] = (await ada.get(`/api/items/${item}/history`)).history();
    expect(line?.cause).toEqual({ entity: "Order", id, label: "Pen", action: "place" });
    const parcel = (await ada.get("/api/parcels")).list().items[0]?.id;
    expect((await ada.get(`/api/parcels/${parcel}/history`)).history()[0]?.cause).toMatchObject({ entity: "Order" });
    const [own] = (await ada.get(`/api/orders/${id}/history`)).history();
    expect(own?.cause).toEqual({ entity: "Parcel", id: parcel, label: "Pen", action: "create" });
    const told = (await boss.get("/_/notifications")).body as NotificationsJson;
    expect(told).toMatchObject({
      items: [{ text: "Ada has ordered 3 of Pen: …", path: `/orders/${id}`, read: false }],
      next: null,
      unread: 1,
    });
    expect((await boss.post("/_/notifications/read", { until: told.items[0]?.id })).status).toBe(204);
    expect((await boss.get("/_/notifications")).body).toMatchObject({ items: [{ read: true }], unread: 0 });
    expect((await ada.get("/_/notifications")).body).toMatchObject({ unread: 0 });
    expect((await desk.visitor().get("/_/notifications")).status).toBe(401);
    const second = await order(1);
    expect((await ada.post(`/api/orders/${second}/place`)).status).toBe(200);
    // The ledger's record is updated rather than recreated.
    expect(await rows(desk, "select count::int as count, version, last from app.ledger")).toEqual([
      { count: 1, version: 2, last: ada.id },
    ]);
    void clerk;
  });

  test("refuse the whole write if one of the written records breaks a rule", async () => {
    const { desk, ada, item, order } = await open();
    const id = await order(11);
    const before = await rows(desk, "select count(*)::int as n from ninefold.audit");
    expect((await ada.post(`/api/orders/${id}/place`)).problem()).toMatchObject({
      status: 409,
      code: "OUT_OF_STOCK",
      clause: "5.Item.OUT_OF_STOCK",
    });
    expect((await ada.get(`/api/orders/${id}`)).record()).toMatchObject({ status: "draft", version: 1 });
    expect((await ada.get(`/api/items/${item}`)).record()).toMatchObject({ stock: 10 });
    expect(await rows(desk, "select count(*)::int as n from ninefold.audit")).toEqual(before);
    expect(await rows(desk, "select 1 from ninefold.notification")).toEqual([]);
  });

  test("respect the bounds of fields", async () => {
    const { clerk, ada } = await open();
    const item = (await clerk.post("/api/items", { name: "Ink", stock: 40 })).record().id;
    const id = (await ada.post("/api/orders", { item, count: 21 })).record().id;
    expect((await ada.post(`/api/orders/${id}/place`)).problem()).toMatchObject({
      code: "TOO_LARGE",
      clause: "3.Ledger.count",
      errors: [{ at: "", message: "Count must be at most 20." }],
    });
    expect((await ada.get(`/api/items/${item}`)).record()).toMatchObject({ stock: 40 });
  });

  test("make transitions of other records, which have effects of their own", async () => {
    const { desk, clerk, ada, item, order } = await open();
    const [one, two] = [await order(2), await order(3)];
    await ada.post(`/api/orders/${one}/place`);
    await ada.post(`/api/orders/${two}/place`);
    expect((await clerk.patch(`/api/users/${ada.id}`, { manager: null })).status).toBe(200);
    expect((await ada.get(`/api/items/${item}`)).record()).toMatchObject({ stock: 10, sold: 0 });
    expect((await ada.get(`/api/orders/${one}`)).record()).toMatchObject({ status: "back", note: "had a parcel" });
    expect(await rows(desk, "select 1 from app.parcel")).toEqual([]);
    const [line] = (await ada.get(`/api/orders/${two}/history`)).history();
    expect(line).toMatchObject({ action: "update", clause: "4.Parcel.after.delete.1", person: { label: "Cleo" } });
  });

  test("refuse the whole write if a transition can’t be made", async () => {
    const { clerk, ada, order } = await open();
    await order(2);
    expect((await clerk.patch(`/api/users/${ada.id}`, { manager: null })).problem()).toMatchObject({
      status: 409,
      code: "WRONG_STATE",
      clause: "4.Order.give_back",
    });
    expect((await ada.get(`/api/users/${ada.id}`)).record().manager).not.toBeNull();
  });

  test("keep rules and lose nothing when many people act at once", async () => {
    const { desk, ada, item, order } = await open();
    const ids = await Promise.all(Array.from({ length: 16 }, () => order(1)));
    // On a busy machine a wait for the item can time out; the client retries.
    const placed = async (id: string) => {
      for (;;) {
        const answer = await ada.post(`/api/orders/${id}/place`);
        if (answer.status !== 503) return answer;
      }
    };
    const answers = await Promise.all(ids.map(placed));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(6);
    expect((await ada.get(`/api/items/${item}`)).record()).toMatchObject({ stock: 0, sold: 10 });
    expect(await rows(desk, "select count(*)::int as n from app.ledger")).toEqual([{ n: 1 }]);
    expect(await rows(desk, "select count(*)::int as n from ninefold.outbox")).toEqual([{ n: 10 }]);
  });
});

describe("effects that no order could carry out", () => {
  const states = (after: string) => `
## 3. Entities
\`\`\`yaml
A: { fields: { name: text, other: A? } }
B: { fields: { name: text, a: A } }
\`\`\`
## 4. States
\`\`\`yaml
A:
  after:
${after}
B:
  after:
    create:
      - { update: a, set: { name: "'x'" } }
\`\`\`
`;
  test.each([
    ["of their own entity", "    update:\n      - { update: other, set: { name } }"],
    ["of each other", "    update:\n      - { create: B, set: { name, a: this } }"],
  ])("that create records %s are a finding", (_, after) => {
    const { findings, model } = compile({ file: "a.md", text: states(after) });
    expect(findings.filter(({ severity }) => severity === "error").map(({ code }) => code)).toContain("CYCLE");
    expect(model).toBeUndefined();
  });
  test("set the required fields of the records that they create", () => {
    const { findings } = compile({ file: "a.md", text: states("    create:\n      - { create: B, set: { name } }") });
    expect(findings.filter(({ severity }) => severity === "error").map(({ code, message }) => [code, message])).toEqual(
      [["MISSING_KEY", "A B needs a, but this effect does not set it."]],
    );
  });
});

test("several values are written if each is within the bounds of its field, and refused otherwise", async () => {
  const desk = await serveText(`
# Labels
## 3. Entities
\`\`\`yaml
Box:
  fields: { words: { type: text, many: true }, figures: { type: integer, many: true } }
Label:
  fields:
    words:   { type: text, many: true, max: 5 }
    figures: { type: integer, many: true, min: 1, max: 9 }
\`\`\`
## 4. States
\`\`\`yaml
Box:
  after: { create: { create: Label, set: { words, figures } } }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { member: { members: signed in } }
permissions:
  Box:   { read: [member], create: [member], update: none, delete: none }
  Label: { read: [member], create: none, update: none, delete: none }
\`\`\`
`);
  const ada = await desk.person("Ada");
  const create = async (words: readonly string[], figures: readonly number[]) => {
    const answer = await ada.post("/api/boxes", { words, figures });
    return answer.status === 201 ? "made" : `${answer.status} ${answer.problem().code} ${answer.problem().clause}`;
  };
  expect(await create([], [])).toBe("made");
  expect(await create(["pens", "caps"], [1, 9])).toBe("made");
  expect(await create(["pens", "pencils"], [1])).toBe("422 TOO_LONG 3.Label.words");
  expect(await create(["pens"], [3, 0])).toBe("422 TOO_SMALL 3.Label.figures");
  expect(await create(["pens"], [10])).toBe("422 TOO_LARGE 3.Label.figures");
  const { items } = (await ada.get("/api/labels")).body as { items: { words: string[] }[] };
  expect(items.map(({ words }) => words)).toEqual([["pens", "caps"], []]);
});
