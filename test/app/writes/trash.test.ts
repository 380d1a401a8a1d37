import { beforeAll, describe, expect, test } from "vitest";
import type { DeletionTrialJson, TrashedJson, TrashJson } from "../../../src/core/wire/trash.ts";
import { deleteExpiredData } from "../../../src/jobs/delete-expired-data.ts";
import { database } from "../../postgres.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

/* Deleted records are found and brought back by the people who could delete them. */

const text = `# Orders

## 3. Entities and their fields
\`\`\`yaml
Shop: { label: "{name}", fields: { name: text } }
Order:
  label: "{name}"
  fields:
    name: { type: text, unique: true }
    shop: Shop?
    follows: Order?
    owner: { type: User, set: user }
    price: { type: money, currency: EUR, default: 0 }
    limit: { type: money, currency: EUR, default: 100 }
    tags: { type: text, many: true }
    papers: { type: file, many: true }
    day: date?
    lines: { list: Line.order }
    total: { type: decimal, computed: "lines.map(l, l.amount).sum()" }
    doubled: { type: money, currency: EUR, computed: "price * 2" }
    was: { type: money, currency: EUR, computed: price, kept: true }
Line:
  label: "{item}"
  fields:
    order: { type: Order, part of: true }
    item: text
    amount: { type: decimal, default: 1 }
    marks: { list: Mark.line }
Mark:
  fields:
    line: { type: Line, part of: true }
    word: text
Ceiling: { fields: { name: text, most: decimal } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Order:
  field: status
  initial: open
  final: [done]
  states: [open, done]
  transitions:
    restore: { from: open, to: done, by: clerk }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Order:
  - { rule: "price <= limit", else: TOO_DEAR }
  - { rule: "Ceiling.all(c, total <= c.most)", else: ABOVE_CEILING }
  - { rule: "day == null || day >= today", during: create, else: DAY_IS_PAST }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: signed in, clerk: granted, guest: granted }
permissions:
  User: { read: [{ role: clerk, fields: [name] }] }
  Shop: { read: [clerk, guest], create: [clerk], update: [clerk], delete: [clerk] }
  Order:
    read: [clerk, { role: guest, fields: [name] }]
    create: [clerk, guest]
    update: [clerk]
    delete: [{ role: clerk, when: "lines.size() < 3" }, { role: member, when: "owner == user" }]
  Line: { read: [clerk], create: [clerk], update: [clerk], delete: [clerk] }
  Mark: { read: [clerk], create: [clerk], update: [clerk], delete: [clerk] }
  Ceiling: { read: [clerk], create: [clerk], update: [clerk], delete: [clerk] }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
TOO_DEAR: "{price} is more than {limit}."
ABOVE_CEILING: "{total} is above the ceiling."
DAY_IS_PAST: The day is past.
\`\`\`
`;

let served: TestServer;
let clerk: ApiClient & { readonly id: string };
let guest: ApiClient & { readonly id: string };
beforeAll(async () => {
  served = await serveText(text);
  clerk = await served.person("Cleo", ["clerk"]);
  guest = await served.person("Gus", ["guest"]);
});

const trash = async (somebody: ApiClient, query = ""): Promise<readonly TrashedJson[]> =>
  ((await somebody.get(`/_/trash${query}`)).body as TrashJson).items;
const bringBack = (somebody: ApiClient, record: string, of = "Order") =>
  somebody.post("/_/trash/bring-back", { of, record });
const create = async (values: object) => (await clerk.post("/api/orders", values)).record();

const DAY = 86_400_000;

/** Why the deletion of each record would be refused. */
const tryDeletions = async (somebody: ApiClient, of: string, ...records: readonly string[]) => {
  const { status, body } = await somebody.get(`/_/deletion?${new URLSearchParams({ of, records: records.join(",") })}`);
  return { status, items: (body as DeletionTrialJson).items };
};

test("a deletion can be tried: it gives the refusal of the deletion, and deletes nothing", async () => {
  const shop = (await clerk.post("/api/shops", { name: "Tried" })).record();
  const { id } = await create({ name: "Tried", shop: shop.id, lines: [{ item: "1" }] });
  const refusalOf = async (somebody: ApiClient, of: string, record: string) =>
    (await tryDeletions(somebody, of, record)).items[0]?.refused;
  const version = async () => (await clerk.get(`/api/orders/${id}`)).record().version;
  const before = await version();
  expect(await tryDeletions(clerk, "Order", id)).toEqual({ status: 200, items: [{ id, refused: null }] });
  expect(await version()).toBe(before);
  expect(await trash(clerk)).toEqual([]);
  // An order with its lines refers to the shop.
  const refused = await refusalOf(clerk, "Shop", shop.id);
  expect(refused).toMatchObject({ status: 409, code: "IN_USE", clause: "3.Shop" });
  expect((await clerk.delete(`/api/shops/${shop.id}`)).problem()).toEqual(refused);
  expect(await refusalOf(guest, "Order", id)).toEqual((await guest.delete(`/api/orders/${id}`)).problem());
  expect(await refusalOf(clerk, "Order", shop.id)).toEqual((await clerk.delete(`/api/orders/${shop.id}`)).problem());
  expect((await tryDeletions(served.visitor(), "Order", id)).status).toBe(401);
  for (const [of, record] of [
    ["Nothing", id],
    ["Order", "no id"],
    [
      "Order",
      Array.from({ length: 51 }, (_, nth) => `0198c0de-0000-7000-8000-${String(nth).padStart(12, "0")}`).join(),
    ],
  ] as const)
    expect((await tryDeletions(clerk, of, record)).status).toBe(404);
  // A page from before an upgrade names its record in another way, and must still be able to delete it.
  const asked = await clerk.get(`/_/deletion?${new URLSearchParams({ of: "Order", record: id })}`);
  expect([asked.status, asked.body]).toEqual([200, { items: [] }]);
  await clerk.delete(`/api/orders/${id}`);
  expect(await refusalOf(clerk, "Shop", shop.id)).toBeNull();
  expect((await bringBack(clerk, id)).status).toBe(204);
});

test("the deletions of several records are tried with one request, and no refusal is logged", async () => {
  const own = await serveText(text);
  const [ada, guest] = [await own.person("Ada", ["clerk"]), await own.person("Gus", ["guest"])];
  const create = async (path: string, values: object) => (await ada.post(path, values)).record().id;
  const [used, free] = [await create("/api/shops", { name: "Used" }), await create("/api/shops", { name: "Free" })];
  const first = await create("/api/orders", { name: "First", shop: used });
  const second = await create("/api/orders", { name: "Second", follows: first });
  const codesOf = async (somebody: ApiClient, of: string, ...ids: readonly string[]) =>
    (await tryDeletions(somebody, of, ...ids)).items.map(({ id, refused }) => [id, refused?.code ?? null]);
  expect(await codesOf(ada, "Shop", free, used, free, first)).toEqual([
    [free, null],
    [used, "IN_USE"],
    [first, "NOT_FOUND"],
  ]);
  expect(await codesOf(guest, "Order", first)).toEqual([[first, "FORBIDDEN"]]);
  // In whatever order they are asked about, those that use another come before it.
  const third = await create("/api/orders", { name: "Third", follows: second });
  for (const ids of [
    [first, second, third],
    [third, first, second],
    [second, third, first],
  ])
    expect(await codesOf(ada, "Order", ...ids)).toEqual([
      [third, null],
      [second, null],
      [first, null],
    ]);
  expect(await codesOf(ada, "Order", first, second)).toEqual([
    [first, "IN_USE"],
    [second, "IN_USE"],
  ]);
  await ada.delete(`/api/shops/${used}`);
  await own.refusals.write();
  const { rows } = await own.database.query("select action, code from ninefold.refusal");
  expect(rows).toEqual([{ action: "delete", code: "IN_USE" }]);
});

test("a tried deletion leaves nothing of its effects: no records, notifications, calls or history", async () => {
  const text = `# Tasks

## 3. Entities and their fields
\`\`\`yaml
Task: { label: "{name}", fields: { name: text, watcher: User } }
Log: { fields: { number: { type: sequence, pattern: "L-{n:4}" }, name: text } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Task:
  after:
    delete:
      - { create: Log, set: { name: old.name } }
      - { notify: old.watcher, text: "{old.name} is gone." }
      - { call: bin }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: signed in }
permissions:
  User: { read: [member] }
  Task: { read: [member], create: [member], delete: [member] }
  Log: { read: [member] }
\`\`\`

## 7. Calls
\`\`\`yaml
outgoing:
  bin: { post: APP_BIN_URL, sends: { name: old.name } }
\`\`\`
`;
  const tasks = await serveText(text);
  const [ada, ben] = [await tasks.person("Ada"), await tasks.person("Ben")];
  const { id } = (await ada.post("/api/tasks", { name: "One", watcher: ben.id })).record();
  const count = async () => {
    const { rows } = await tasks.database.query(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('app', 'ninefold') order by 1",
    );
    const counts = rows.map(({ name }) => `select '${name}' as name, count(*)::integer as rows from ${name}`);
    return (await tasks.database.query(counts.join(" union all "))).rows;
  };
  const before = await count();
  expect((await tryDeletions(ada, "Task", id)).items).toEqual([{ id, refused: null }]);
  expect(await count()).toEqual(before);
  expect((await ada.delete(`/api/tasks/${id}`)).status).toBe(204);
  const [log] = (await ada.get("/api/logs")).list().items;
  expect(log).toMatchObject({ number: "L-0001", name: "One" });
  expect(await count()).not.toEqual(before);
});

describe("a deleted record", () => {
  test("comes back as it was, with its parts, its times and its history", async () => {
    const shop = (await clerk.post("/api/shops", { name: "Corner" })).record();
    const { id } = await create({
      name: "Paper",
      shop: shop.id,
      price: "12.50",
      tags: ["a", "b"],
      lines: [{ item: "A4", marks: [{ word: "white" }] }, { item: "A3" }],
    });
    await clerk.patch(`/api/orders/${id}`, { price: "20.00" });
    const before = (await clerk.get(`/api/orders/${id}?parts=true`)).record();
    expect((await clerk.delete(`/api/orders/${id}`)).status).toBe(204);
    expect((await clerk.get(`/api/orders/${id}`)).status).toBe(404);

    const [found] = await trash(clerk);
    expect(found).toMatchObject({
      id,
      entity: "Order",
      label: "Paper",
      parts: 3,
      person: { id: clerk.id, label: "Cleo" },
    });
    expect((await bringBack(clerk, id)).status).toBe(204);
    const after = (await clerk.get(`/api/orders/${id}?parts=true`)).record();
    const steady = ({ version: _, updated_at: __, ...rest }: typeof after) =>
      JSON.stringify(rest, (key, value) => (key === "version" || key === "updated_at" ? undefined : value));
    expect(steady(after)).toBe(steady(before));
    // Somebody who still has the old form open gets a conflict.
    expect(after.version).toBe(before.version + 1);
    expect(await trash(clerk)).toEqual([]);

    const lines = (await clerk.get(`/api/orders/${id}/history`)).history();
    expect(lines.map(({ action }) => action)).toEqual(["bring back", "delete", "update", "create"]);
    expect(lines.slice(0, 2).flatMap(({ changes, parts = [] }) => [...changes, ...parts])).toEqual([]);
    expect((await bringBack(clerk, id)).status).toBe(404);
  });

  test("is not found by people who could not delete it, and gives them no other answer than an unknown one", async () => {
    const { id } = await create({ name: "Hidden", lines: [{ item: "1" }, { item: "2" }, { item: "3" }] });
    // The clerk owns it, so the clerk can delete it in spite of the number of its lines.
    await clerk.delete(`/api/orders/${id}`);
    const other = await served.person("Otto", ["clerk"]);
    expect(await trash(guest)).toEqual([]);
    expect(await trash(other)).toEqual([]);
    const unknown = "00000000-0000-4000-8000-000000000000";
    for (const one of [guest, other]) {
      const [own, none] = [await bringBack(one, id), await bringBack(one, unknown)];
      expect([own.status, own.text]).toEqual([none.status, none.text]);
    }
    expect((await served.visitor().get("/_/trash")).body).toEqual({ items: [], next: null });
    expect((await bringBack(clerk, id)).status).toBe(204);
  });

  test("is shown without fields that the caller cannot read", async () => {
    const { id } = (await guest.post("/api/orders", { name: "Own" })).record();
    await guest.delete(`/api/orders/${id}`);
    expect(await trash(guest)).toMatchObject([{ id, label: "Own" }]);
    expect((await bringBack(guest, id)).status).toBe(204);
  });

  test("does not come back against a rule, a unique value or a missing reference, and the refusal names the clause", async () => {
    const shop = (await clerk.post("/api/shops", { name: "Gone soon" })).record();
    const { id } = await create({ name: "Wanted", shop: shop.id, lines: [{ item: "x", amount: "50" }] });
    await clerk.delete(`/api/orders/${id}`);

    const taken = await create({ name: "Wanted" });
    expect((await bringBack(clerk, id)).problem()).toMatchObject({
      errors: [{ code: "TAKEN", clause: "3.Order.name" }],
    });
    await clerk.patch(`/api/orders/${taken.id}`, { name: "Other" });

    const ceiling = (await clerk.post("/api/ceilings", { name: "now", most: "10" })).record();
    expect((await bringBack(clerk, id)).problem()).toMatchObject({
      errors: [{ code: "ABOVE_CEILING", clause: "5.Order.ABOVE_CEILING", message: "50 is above the ceiling." }],
    });
    await clerk.delete(`/api/ceilings/${ceiling.id}`);

    await clerk.delete(`/api/shops/${shop.id}`);
    expect((await bringBack(clerk, id)).problem()).toMatchObject({ errors: [{ clause: "3.Order.shop" }] });
    expect((await bringBack(clerk, shop.id, "Shop")).status).toBe(204);
    expect((await bringBack(clerk, id)).status).toBe(204);
  });

  test("comes back although a rule that holds only at its creation is broken now", async () => {
    const calendar = await serveText(text);
    const early = await calendar.person("Erna", ["clerk"]);
    const today = new Date().toISOString().slice(0, 10);
    const { id } = (await early.post("/api/orders", { name: "Dated", day: today })).record();
    await early.delete(`/api/orders/${id}`);
    calendar.ahead(3 * DAY);
    const later = await calendar.person("Lena", ["clerk"]);
    expect((await bringBack(later, id)).status).toBe(204);
  });

  test("leaves the trash after the days of the document: for its readers at once, and then from the table", async () => {
    const old = await serveText(text);
    const early = await old.person("Erna", ["clerk"]);
    const { id } = (await early.post("/api/orders", { name: "Old", lines: [{ item: "x" }] })).record();
    await early.delete(`/api/orders/${id}`);
    old.ahead(31 * DAY);
    const later = await old.person("Lena", ["clerk"]);
    expect(await trash(later)).toEqual([]);
    expect((await bringBack(later, id)).status).toBe(404);

    const { database } = old.opened.service;
    const rows = async () => (await old.database.query("select from ninefold.trash where root = $1", [id])).rows.length;
    await deleteExpiredData(database, new Date(Date.now() + 29 * DAY), { trashDays: 30 });
    expect(await rows()).toBe(2);
    await deleteExpiredData(database, new Date(Date.now() + 31 * DAY), { trashDays: 30 });
    expect(await rows()).toBe(0);
  });

  test("is listed by pages, newest first, of one entity or of all", async () => {
    const own = await served.person("Pia", ["clerk"]);
    for (let i = 0; i < 55; i++) {
      const { id } = (await own.post("/api/shops", { name: `Shop ${i}` })).record();
      await own.delete(`/api/shops/${id}`);
    }
    const first = (await own.get("/_/trash?of=Shop")).body as TrashJson;
    const second = (await own.get(`/_/trash?of=Shop&after=${first.next}`)).body as TrashJson;
    expect([first.items.length, second.items.length, second.next]).toEqual([50, 5, null]);
    expect([...first.items, ...second.items].map(({ label }) => label)).toEqual(
      Array.from({ length: 55 }, (_, i) => `Shop ${54 - i}`),
    );
    expect((await own.get("/_/trash?after=nonsense")).problem().code).toBe("BAD_CURSOR");
    expect(await trash(own, "?of=Nothing")).toEqual([]);
  });

  test("is found by words of the fields and references that the caller can read, by person and by time", async () => {
    const own = await serveText(text);
    const [cleo, dora] = [await own.person("Cleo", ["clerk"]), await own.person("Dora", ["clerk"])];
    const gus = await own.person("Gus", ["guest"]);
    const shop = (await cleo.post("/api/shops", { name: "Corner" })).record();
    const ids: Record<string, string> = {};
    for (const [by, values] of [
      [cleo, { name: "Paper, white", shop: shop.id, tags: ["office"] }],
      [dora, { name: "Ink" }],
      [gus, { name: "Own secret" }],
    ] as const) {
      const { id } = (await by.post("/api/orders", values)).record();
      await by.delete(`/api/orders/${id}`);
      ids[values.name] = id;
    }
    const found = async (somebody: ApiClient, query: string) =>
      (await trash(somebody, `?${query}`)).map(({ label }) => label).sort();
    expect(await found(cleo, "search=PAPER%20white")).toEqual(["Paper, white"]);
    expect(await found(cleo, "search=corner")).toEqual(["Paper, white"]);
    expect(await found(cleo, "search=offi")).toEqual(["Paper, white"]);
    expect(await found(cleo, "search=open")).toEqual(["Ink", "Own secret", "Paper, white"]);
    expect(await found(cleo, "search=nowhere")).toEqual([]);
    expect(await found(cleo, "search=%20")).toHaveLength(3);
    expect(await found(cleo, `person=${dora.id}&person=${gus.id}`)).toEqual(["Ink", "Own secret"]);
    expect(await found(cleo, `person=${dora.id}&search=paper`)).toEqual([]);
    // The guest cannot read the state, so its title finds nothing.
    expect(await found(gus, "search=secret")).toEqual(["Own secret"]);
    expect(await found(gus, "search=open")).toEqual([]);
    expect(await found(gus, `person=${gus.id}`)).toEqual(["Own secret"]);
    const [ink] = await trash(cleo, "?search=ink");
    expect(await found(cleo, `at%3E=${ink?.at}&at%3C=${ink?.at}`)).toContain("Ink");
    expect(await found(cleo, "at%3C=2020-01-01T00:00:00Z")).toEqual([]);
    for (const wrong of ["person=nobody", "at%3E=yesterday", "at%3C=0000-01-01T00:00:00Z", "search=%00"])
      expect((await cleo.get(`/_/trash?${wrong}`)).status).toBe(400);
    expect((await cleo.get(`/_/trash?after=0000-01-01T00:00:00.000Z_${ids.Ink}`)).status).toBe(400);
  });

  test("comes back once when it is asked for twice at the same moment", async () => {
    const { id } = await create({ name: "Raced" });
    await clerk.delete(`/api/orders/${id}`);
    const answers = await Promise.all([bringBack(clerk, id), bringBack(clerk, id)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([204, 404]);
  });

  test("of a part comes back to its parent, whose version it raises", async () => {
    const order = await create({ name: "Whole", lines: [{ item: "only" }] });
    const all = (await clerk.get(`/api/orders/${order.id}?parts=true`)).record();
    const [line] = all.lines as unknown as readonly { readonly id: string }[];
    await clerk.delete(`/api/lines/${line?.id}`);
    const without = (await clerk.get(`/api/orders/${order.id}`)).record();
    expect((await bringBack(clerk, line?.id ?? "", "Line")).status).toBe(204);
    expect((await clerk.get(`/api/orders/${order.id}`)).record().version).toBe(without.version + 1);
  });
});

test("a document without a trash deletes for good", async () => {
  const without = await serveText(text.replace("## 6.", "## 9. Limits\n```yaml\ntrash: 0 days\n```\n\n## 6."));
  const somebody = await without.person("Cleo", ["clerk"]);
  const { id } = (await somebody.post("/api/shops", { name: "Corner" })).record();
  await somebody.delete(`/api/shops/${id}`);
  expect(await trash(somebody)).toEqual([]);
  expect((await without.database.query("select from ninefold.trash")).rows).toEqual([]);
});

const garage = (version: 1 | 2): string => `# Garage

## 3. Entities and their fields
\`\`\`yaml
${version === 1 ? "Car:" : "Vehicle:\n  was: Car"}
  label: "{${version === 1 ? "plate" : "sign"}}"
  fields:
    ${version === 1 ? "plate: text" : "sign: { type: text, was: plate }"}
    kind: { type: choice, values: [van, ${version === 1 ? "lorry" : "{ truck: { was: lorry } }"}], many: true }
    length: ${version === 1 ? "text?" : "integer?"}
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: granted }
permissions:
  ${version === 1 ? "Car" : "Vehicle"}: { read: [clerk], create: [clerk], update: [clerk], delete: [clerk] }
\`\`\`
`;

test("deleted records follow renamings of the document; a value of another type is left out", async () => {
  const store = await database();
  const first = await serveText(garage(1), { database: store });
  const { id } = (
    await (
      await first.person("Cleo", ["clerk"])
    ).post("/api/cars", { plate: "HB 1", kind: ["lorry", "van"], length: "9 m" })
  ).record();
  await (await first.person("Dora", ["clerk"])).delete(`/api/cars/${id}`);
  await first.stop();
  const second = await serveText(garage(2), { database: store });
  const somebody = await second.person("Erna", ["clerk"]);
  expect(await trash(somebody)).toMatchObject([{ id, entity: "Vehicle", label: "HB 1" }]);
  expect((await bringBack(somebody, id, "Vehicle")).status).toBe(204);
  expect((await somebody.get(`/api/vehicles/${id}`)).record()).toMatchObject({
    sign: "HB 1",
    kind: ["truck", "van"],
    length: null,
  });
  await second.stop();
  await store.end();
});

test("a deleted record is not found by people who could delete records of its kind, but not read this one", async () => {
  const desk = await serveText(`# Notes

## 3. Entities and their fields
\`\`\`yaml
Note: { label: "{name}", fields: { name: text, owner: { type: User, set: user } } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { writer: { members: signed in }, sweeper: granted, Note: { owner: owner == user } }
permissions: { Note: { read: owner, create: writer, delete: [owner, sweeper] } }
\`\`\`
`);
  const [ada, sue] = [await desk.person("Ada"), await desk.person("Sue", ["sweeper"])];
  const { id } = (await ada.post("/api/notes", { name: "Private" })).record();
  expect((await sue.delete(`/api/notes/${id}`)).status).toBe(404);
  expect((await ada.delete(`/api/notes/${id}`)).status).toBe(204);
  expect((await sue.get("/_/trash")).body).toEqual({ items: [], next: null });
  expect((await sue.post("/_/trash/bring-back", { of: "Note", record: id })).status).toBe(404);
  expect((await ada.post("/_/trash/bring-back", { of: "Note", record: id })).status).toBe(204);
});
