import { beforeAll, describe, expect, test } from "vitest";
import type { HistoryLine, VisitJson } from "../../../src/core/wire/history.ts";
import type { RecordJson } from "../../../src/core/wire/records.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

/* Changes since the last visit: changes of a record's parts, and the time of the visit. */

const text = `# Orders

## 3. Entities and their fields
\`\`\`yaml
Thing: { fields: { name: text } }
Order:
  label: "{name}"
  fields:
    name: text
    hidden: { type: text? }
    lines: { list: Line.order }
    notes: { list: Note.order }
    remarks: { list: Remark.order }
Line:
  label: "{item}"
  fields:
    order: { type: Order, part of: true }
    at: position
    item: text
    amount: { type: decimal, default: 1 }
    of: Thing?
    cost: { type: decimal, default: 0 }
Note:
  label: "{words}"
  fields:
    order: { type: Order, part of: true }
    words: text
    open: boolean
Remark:
  fields:
    order: { type: Order, part of: true }
    by: { type: User, set: user }
    words: long text
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: signed in, buyer: granted, guest: granted }
permissions:
  User: { read: [{ role: member, fields: [name] }] }
  Thing: { read: [member], create: [buyer] }
  Order:
    read: [buyer, { role: guest, fields: [name, lines, notes], when: "hidden == null" }]
    create: [buyer]
    update: [buyer]
  Line:
    read: [buyer, { role: guest, fields: [order, at, item, amount, of] }]
    create: [buyer]
    update: [buyer]
    delete: [buyer]
  Note:
    read: [buyer, { role: guest, when: open }]
    create: [buyer]
    update: [buyer]
    delete: [buyer]
  Remark:
    read: [buyer]
    create: [{ role: buyer, fields: [order, words] }]
\`\`\`
`;

let served: TestServer;
let buyer: ApiClient;
let guest: ApiClient;
let order: RecordJson;
let thing: RecordJson;
beforeAll(async () => {
  served = await serveText(text);
  buyer = await served.person("Bea", ["buyer"]);
  guest = await served.person("Gus", ["guest"]);
  thing = (await buyer.post("/api/things", { name: "Shelf" })).record();
  order = (
    await buyer.post("/api/orders", {
      name: "For the archive",
      lines: [{ item: "Screws", amount: "10" }, { item: "Boards" }],
      notes: [{ words: "Ours" }, { words: "For all", open: true }],
    })
  ).record();
});

const readAll = async (): Promise<RecordJson> => (await buyer.get(`/api/orders/${order.id}?parts=true`)).record();
const lines = (record: RecordJson) => record.lines as unknown as readonly RecordJson[];
const notes = (record: RecordJson) => record.notes as unknown as readonly RecordJson[];
const change = async (body: unknown) => {
  const { version } = await readAll();
  return buyer.patch(`/api/orders/${order.id}`, body, { "if-match": `"${version}"` });
};
const history = async (somebody: ApiClient): Promise<readonly HistoryLine[]> =>
  (await somebody.get(`/api/orders/${order.id}/history`)).history();
const told = ({ parts = [] }: HistoryLine) =>
  parts.map(({ list, action, label, changes }) => `${list} ${action} ${label} ${changes.map((one) => one.field)}`);

describe("a history", () => {
  test("lists parts that were added, changed and deleted with the record, and not those that only moved", async () => {
    const [first, second] = lines(await readAll());
    expect((await history(buyer))[0]?.parts).toBeUndefined();
    await change({
      lines: [{ id: second?.id, amount: "4", of: thing.id }, { item: "Glue" }],
      notes: notes(await readAll()).map(({ id }) => ({ id })),
    });
    const [line] = await history(buyer);
    expect(line).toMatchObject({ action: "update", changes: [] });
    expect(told(line as HistoryLine).sort()).toEqual([
      "lines create Glue ",
      "lines delete Screws ",
      "lines update Boards amount,of",
    ]);
    expect(line?.parts?.find(({ action }) => action === "update")?.changes).toEqual([
      { field: "amount", before: "1", after: "4" },
      { field: "of", before: null, after: { id: thing.id, label: "Shelf" } },
    ]);
    expect(first?.item).toBe("Screws");
    expect((await history(guest))[0]?.parts).toEqual(line?.parts);
  });

  test("shows parts and their fields only to people who can read them, also after their deletion", async () => {
    const [stored] = lines(await readAll());
    await change({ lines: [{ id: stored?.id, cost: "99" }], notes: [] });
    const [own] = await history(buyer);
    expect(told(own as HistoryLine).sort()).toEqual([
      "lines delete Glue ",
      "lines update Boards cost",
      "notes delete For all ",
      "notes delete Ours ",
    ]);
    const [theirs] = await history(guest);
    expect(told(theirs as HistoryLine).sort()).toEqual(["lines delete Glue ", "notes delete For all "]);
  });

  test("leaves comments to their own place", async () => {
    await buyer.post("/api/remarks", { order: order.id, words: "Hm" });
    expect((await history(buyer)).flatMap(told).filter((one) => one.startsWith("remarks"))).toEqual([]);
  });
});

describe("a visit", () => {
  const request = (somebody: ApiClient, record: string = order.id) =>
    somebody.get(`/_/visits?of=Order&record=${record}`);
  const visited = (somebody: ApiClient, seen: string, record: string = order.id) =>
    somebody.post("/_/visits", { of: "Order", record, seen });

  test("is stored for each person with what they were shown, and never goes back in time", async () => {
    expect((await request(buyer)).body).toEqual({ at: null, seen: null });
    const early = (await readAll()).updated_at;
    expect((await visited(buyer, early)).status).toBe(204);
    expect((await request(buyer)).body).toMatchObject({ seen: early });
    await change({ name: "For the cellar" });
    const late = (await readAll()).updated_at;
    expect(late > early).toBe(true);
    expect((await request(buyer)).body).toMatchObject({ seen: early });
    await visited(buyer, late);
    await visited(buyer, early);
    expect((await request(buyer)).body).toMatchObject({ seen: late });
    expect((await request(guest)).body).toEqual({ at: null, seen: null });
    // A visit cannot be in the future.
    await visited(guest, "2999-01-01T00:00:00Z");
    const { seen } = (await request(guest)).body as VisitJson;
    expect(seen).toBe(late);
  });

  test("covers only records that the person can read", async () => {
    const visitor = served.visitor();
    expect((await request(visitor)).status).toBe(401);
    expect((await visited(visitor, order.updated_at)).status).toBe(401);
    const hidden = (await buyer.post("/api/orders", { name: "Secret", hidden: "yes" })).record();
    const nowhere = "00000000-0000-7000-8000-000000000000";
    for (const record of [hidden.id, nowhere]) {
      expect((await request(guest, record)).problem()).toMatchObject({ status: 404, code: "NOT_FOUND" });
      expect((await visited(guest, order.updated_at, record)).problem()).toMatchObject({ status: 404 });
    }
    expect((await request(guest, "nothing")).status).toBe(404);
    expect((await guest.get(`/_/visits?of=Nothing&record=${order.id}`)).status).toBe(404);
    expect((await visited(guest, "yesterday")).problem()).toMatchObject({ code: "MALFORMED" });
    const { rows } = await served.database.query("select record from ninefold.visit where record = $1", [hidden.id]);
    expect(rows).toEqual([]);
  });
});
