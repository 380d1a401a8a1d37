import { afterAll, beforeAll, expect, test } from "vitest";
import type { ChangeJson, DocumentJson, PlannedRecordsJson } from "../../../src/core/wire/authoring/document.ts";
import { authoringOf } from "../authoring.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

/** Stored rows inside records that do not fit a tighter version. */

const shop = (most: string, readers: string): string => `# Shop

## 3. Entities and their fields
\`\`\`yaml
Order: { label: "{title}", fields: { title: text, lines: { list: Line.order } } }
Line: { fields: { order: { type: Order, part of: true }, amount: { type: integer, max: ${most} } } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: granted }
permissions: { Order: { read: [${readers}], create: [clerk] }, Line: { read: [${readers}], create: [clerk] } }
\`\`\`
`;

let served: TestServer;
let admin: ApiClient;
let orders: readonly string[];

beforeAll(async () => {
  served = await serveText(shop("9", "clerk, administrator"), {
    authoring: authoringOf,
  });
  admin = await served.person("Admin", ["administrator"]);
  const clerk = await served.person("Clerk", ["clerk"]);
  const ids: string[] = [];
  for (const [title, amounts] of [
    ["A", [9, 8, 1]],
    ["B", [7]],
    ["C", [2]],
  ] as const)
    ids.push((await clerk.post("/api/orders", { title, lines: amounts.map((amount) => ({ amount })) })).record().id);
  orders = ids;
});
afterAll(() => served.stop());

test("a plan leads from rows that do not fit to the records that contain them", async () => {
  const { hash } = (await admin.get("/_/document")).body as DocumentJson;
  const files = [{ file: "specification.md", text: shop("5", "clerk, administrator") }];
  const plan = (await admin.post("/_/document/plan", { base: hash, files })).body as ChangeJson;
  expect(plan.refused).toHaveLength(1);
  expect(plan.refused[0]?.misfits).toMatchObject({
    entity: "Line",
    count: 3,
    inside: [{ entity: "Order", ids: orders.slice(0, 2) }],
  });
});

test("the steps of a plan name the records that they count, as far as the author may read them", async () => {
  const planned = async (text: string) => {
    const { hash } = (await admin.get("/_/document")).body as DocumentJson;
    const files = [{ file: "specification.md", text }];
    return (await admin.post("/_/document/plan", { base: hash, files })).body as ChangeJson;
  };
  const whole = shop("9", "clerk, administrator");
  const filled = whole.replace("{ title: text,", '{ title: text, note: { type: text, fill: "title" },');
  expect(await planned(filled)).toMatchObject({
    steps: expect.arrayContaining(["3.Order.note: fill in 3 records"]),
    records: expect.arrayContaining([
      { step: expect.any(Number), entity: "Order", count: 3, point: "3.Order.note", ids: orders },
    ]),
  });
  // The draft renames the entity; its records are read under the name that it has until then.
  const renamed = filled
    .replace("Order: { label", "Job: { was: Order, label")
    .replace("type: Order", "type: Job")
    .replace("permissions: { Order", "permissions: { Job");
  expect((await planned(renamed)).records).toContainEqual(expect.objectContaining({ entity: "Order", ids: orders }));
  const removed = await planned(whole.replace("amount: { type: integer, max: 9 }", "count: integer?"));
  expect(removed.records).toContainEqual(
    expect.objectContaining({
      entity: "Line",
      count: 5,
      inside: [{ entity: "Order", ids: orders }],
    }),
  );
});

test("values that occur twice lead to their records", async () => {
  const { hash } = (await admin.get("/_/document")).body as DocumentJson;
  const text = shop("9", "clerk, administrator").replace(
    "title: text",
    "title: text, code: { type: text, fill: \"'x'\", unique: true }",
  );
  const files = [{ file: "specification.md", text }];
  const plan = (await admin.post("/_/document/plan", { base: hash, files })).body as ChangeJson;
  expect(plan.refused[0]).toMatchObject({ misfits: { entity: "Order", count: 3, ids: orders } });
});

test("all records that do not fit are listed page by page, as far as the author may read them", async () => {
  const { hash } = (await admin.get("/_/document")).body as DocumentJson;
  const text = shop("9", "clerk, administrator").replace("title: text,", "title: { type: text, min: 5 },");
  const draft = { base: hash, files: [{ file: "specification.md", text }] };
  const { rows } = await served.database.query(
    `INSERT INTO app."order" (id, title, created_at, updated_at) SELECT gen_random_uuid(), 'x', now(), now() FROM generate_series(1, 230) RETURNING id`,
  );
  const all = [...orders, ...rows.map(({ id }) => String(id))].sort();
  const { misfits } = ((await admin.post("/_/document/plan", draft)).body as ChangeJson).refused[0] ?? {};
  expect(misfits).toMatchObject({ count: 233, point: "3.Order.title", ids: all.slice(0, 20) });
  const readPage = async (after: string | null): Promise<PlannedRecordsJson> => {
    const query = new URLSearchParams({ at: "3.Order.title", ...(after === null ? {} : { after }) });
    return (await admin.post(`/_/document/plan/records?${query}`, draft)).body as PlannedRecordsJson;
  };
  const first = await readPage(null);
  const second = await readPage(first.next);
  expect([...first.records, ...second.records].map(({ id }) => id)).toEqual(all);
  expect(first).toMatchObject({ clause: "3.Order.title", count: 233, unreadable: 0, next: all[199] });
  expect(first.records).toContainEqual({ entity: "Order", id: orders[0], label: "A" });
  expect(second.next).toBeNull();
  // Nothing is counted at a point without misfits.
  expect((await admin.post("/_/document/plan/records?at=3.Line.amount", draft)).body).toEqual({
    says: null,
    clause: null,
    count: 0,
    records: [],
    unreadable: 0,
    next: null,
  });
  expect((await admin.post("/_/document/plan/records?at=3.Order.title&after=x", draft)).status).toBe(400);
});

test("no draft tells which records have a value that its author cannot read", async () => {
  const desk = (most: string): string => `# Desk

## 3. Entities and their fields
\`\`\`yaml
Pay: { label: "{name}", fields: { name: text, amount: { type: integer, max: ${most} } } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: granted }
permissions: { Pay: { read: [clerk, { role: administrator, fields: [name] }], create: [clerk] } }
\`\`\`
`;
  const own = await serveText(desk("9"), { authoring: authoringOf });
  const author = await own.person("Admin", ["administrator"]);
  const clerk = await own.person("Clerk", ["clerk"]);
  for (const amount of [8, 3]) await clerk.post("/api/pays", { name: `Pay ${amount}`, amount });
  const { hash } = (await author.get("/_/document")).body as DocumentJson;
  const draft = { base: hash, files: [{ file: "specification.md", text: desk("5") }] };
  const plan = (await author.post("/_/document/plan", draft)).body as ChangeJson;
  expect(plan.refused[0]?.misfits).toEqual({ entity: "Pay", count: 1, ids: [] });
  const page = (await author.post("/_/document/plan/records?at=3.Pay.amount", draft)).body as PlannedRecordsJson;
  expect(page).toMatchObject({ count: 1, unreadable: 1, records: [] });
  await own.stop();
});
