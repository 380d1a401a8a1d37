import { beforeAll, describe, expect, test, vi } from "vitest";
import { type Answer, type ApiClient, serveText, type TestServer } from "../program.ts";

/*
 * A record with its parts in one request and one transaction. Orders have ordered lines; lines are checked like in
 * their own calls, and the order's rules that read them are checked afterwards.
 */
const orders = `
# Orders

## 3. Entities and their fields
\`\`\`yaml
Thing:
  label: "{name}"
  fields: { name: { type: text, unique: true }, price: { type: money, currency: EUR }, sold: { type: boolean, default: "true" } }
Order:
  label: "{name}"
  fields:
    name:  text
    limit: { type: money?, currency: EUR }
    owner: { type: User, set: user }
    rush:  boolean
    why:   { type: text?, required: "lines.size() > 3" }
    lines: { list: Line.order }
    total: { type: money, currency: EUR, computed: "lines.map(l, l.net).sum()" }
    tags:  { list: Tag.order }
Line:
  label: "{thing.name}"
  fields:
    order: { type: Order, part of: true }
    place: position
    number: { type: sequence, pattern: "L-{n:3}" }
    thing: { type: Thing, among: "Thing.filter(t, t.sold)" }
    count: { type: integer, default: 1, min: 1, max: 100 }
    price: { type: money, currency: EUR, computed: thing.price, kept: true }
    net:   { type: money, currency: EUR, computed: price * count }
    cost:  { type: money?, currency: EUR }
    note:  { type: text?, max: 20 }
    by:    { type: User, set: user }
    notes: { list: Note.line }
Note:
  fields: { line: { type: Line, part of: true }, place: position, text: { type: text, max: 40 }, stamp: { type: text?, unique: true }, by: { type: User, set: user } }
Tag:
  fields: { order: { type: Order, part of: true }, text: text, paper: file? }
Log:
  fields: { text: text }
\`\`\`

## 4. States
\`\`\`yaml
Order:
  after:
    create: { create: Log, set: { text: "'made'" } }
Line:
  after:
    create: { create: Log, set: { text: "thing.name" } }
    delete: { create: Log, set: { text: "'gone'" } }
\`\`\`

## 5. Rules
\`\`\`yaml
Order:
  - { rule: "limit == null || total <= limit", else: OVER }
  - { rule: "lines.size() <= 5", always: true, else: MANY }
Line:
  - { unique: [order, thing], else: TWICE }
  - { rule: "count < 50 || note != null", else: SAY_WHY }
  - { rule: "notes.size() <= 3", else: NOTED }
  - { rule: "thing.price > 0 || count == 1", else: FREE }
Thing:
  - { rule: "Line.filter(l, l.thing == this).map(l, l.count).sum() >= 0", always: true, else: NEVER }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  clerk: { members: granted }
  buyer: { members: signed in }
  Order: { owner: "owner == user" }
permissions:
  User:  { read: clerk }
  Thing: { read: [buyer], create: clerk, update: clerk, delete: clerk }
  Order:
    read:   [clerk, owner]
    create: [clerk, { role: buyer, fields: [name, limit, lines] }]
    update: [clerk, { role: owner, when: "!rush", fields: [name, lines] }]
    delete: [clerk, owner]
  Line:
    read:   [clerk, { role: owner, fields: [order, place, thing, count, net, note] }]
    create: [clerk, { role: owner, fields: [thing, count, note, order] }]
    update: [clerk, { role: owner, when: "note != 'fixed'", fields: [count, note] }]
    delete: [clerk, { role: owner, when: "note != 'fixed'" }]
  Note: { read: clerk, create: clerk, update: clerk, delete: clerk }
  Tag:  { read: clerk, create: clerk, update: clerk, delete: none }
  Log:  { read: clerk, create: none, update: none, delete: none }
\`\`\`

## 8. Errors
\`\`\`yaml
OVER:    { status: 409, message: "{total} is more than {limit}.", at: limit }
MANY:    { status: 409, message: "There are {lines.size()} lines." }
TWICE:   { status: 409, message: "{thing.name} stands there already.", at: thing }
SAY_WHY: { status: 422, message: "Say why there are {count}.", at: note }
FREE:    { status: 422, message: "What is free comes once.", at: count }
NOTED:   { status: 409, message: "There are {notes.size()} notes.", at: notes }
NEVER:   { status: 409, message: "That cannot be." }
\`\`\`
`;

let desk: TestServer;
let clerk: ApiClient;
let buyer: ApiClient;
const things: string[] = [];

beforeAll(async () => {
  desk = await serveText(orders);
  clerk = await desk.person("Clara", ["clerk"]);
  buyer = await desk.person("Ben", []);
  for (const price of [10, 20, 30, 40, 50, 0])
    things.push((await clerk.post("/api/things", { name: `T${price}`, price })).record().id);
});

type Line = { readonly id: string; readonly version: number; readonly [field: string]: unknown };
const errors = (answer: Answer) => answer.problem().errors?.map(({ at, code, clause }) => `${at} ${code} ${clause}`);
const linesOf = (answer: Answer): readonly Line[] => answer.record().lines as unknown as readonly Line[];
const counts = (answer: Answer) => linesOf(answer).map(({ count }) => count);
const create = async (lines: readonly object[], more: object = {}, who = clerk) =>
  who.post("/api/orders", { name: "Order", lines, ...more });
const line = (i: number, more: object = {}) => ({ thing: things[i], ...more });

describe("creating a record with its parts", () => {
  test("stores them in order, with their computed fields, the record’s totals, history and effects", async () => {
    const answer = await create([line(1, { count: 2 }), line(0), line(2, { count: 3 })]);
    expect(answer.status).toBe(201);
    expect(answer.record()).toMatchObject({ total: { amount: "140.00" }, version: 1 });
    expect(answer.headers.get("etag")).toBe('"1"');
    expect(linesOf(answer)).toMatchObject([
      { count: 2, place: 1, number: "L-001", price: { amount: "20.00" }, net: { amount: "40.00" } },
      { count: 1, place: 2, number: "L-002" },
      { count: 3, place: 3, number: "L-003" },
    ]);
    const { rows } = await desk.database.query(
      `select one.action, one.clause, cause.entity as cause, one.changes -> 'count' as count from ninefold.audit one
       left join ninefold.audit cause on cause.id = one.cause where one.entity = 'Line' order by one.id`,
    );
    expect(rows).toEqual([
      { action: "create", clause: "6.Line.create", cause: "Order", count: [null, 2] },
      { action: "create", clause: "6.Line.create", cause: "Order", count: [null, 1] },
      { action: "create", clause: "6.Line.create", cause: "Order", count: [null, 3] },
    ]);
    const logs = (await clerk.get("/api/logs?sort=text")).list().items.map(({ text }) => text);
    expect(logs).toEqual(["made", "T10", "T20", "T30"]);
    expect((await clerk.get(`/api/orders/${answer.record().id}`)).record()).not.toHaveProperty("lines");
    expect(counts(await clerk.get(`/api/orders/${answer.record().id}?parts=true`))).toEqual([2, 1, 3]);
  });

  test("happens once for one idempotency key, and repeats its response with the parts", async () => {
    const body = { name: "Once", lines: [line(0), line(1)] };
    const key = { "idempotency-key": "parts-1" };
    const first = await clerk.post("/api/orders", body, key);
    const again = await clerk.post("/api/orders", body, key);
    expect([first.status, again.status]).toEqual([201, 201]);
    expect(linesOf(again).map(({ id }) => id)).toEqual(linesOf(first).map(({ id }) => id));
    const other = await clerk.post("/api/orders", { ...body, lines: [line(0)] }, key);
    expect(other.problem().code).toBe("KEY_REUSED");
  });

  test("takes one statement for all parts, however many there are", async () => {
    const statements = async (many: number, below = 0) => {
      let requestCount = 0;
      const { database } = desk.opened.service;
      const watched = vi.spyOn(database, "transaction").mockImplementation((steps) => {
        watched.mockRestore();
        return database.transaction((query, batch) =>
          steps(
            (one) => {
              requestCount += 1;
              return query(one);
            },
            (several) => {
              requestCount += several.length;
              return batch(several);
            },
          ),
        );
      });
      const answer = await clerk.post("/api/orders", {
        name: "Many",
        why: "Several",
        lines: things.slice(0, many).map((thing) => ({
          thing,
          ...(below === 0 ? {} : { notes: Array.from({ length: below }, (_, i) => ({ text: `${i}` })) }),
        })),
      });
      expect(answer.status).toBe(201);
      return requestCount;
    };
    expect(await statements(5)).toBe(await statements(1));
    expect(await statements(5, 3)).toBe(await statements(1, 1));
    // Including the session, the final checks of the tables, and the nested parts.
    expect(await statements(5)).toBeLessThan(18);
  });
});

describe("errors of parts are reported at their places, all at once", () => {
  test("invalid values, before any query", async () => {
    const answer = await clerk.post("/api/orders", {
      lines: [
        { count: "many" },
        7,
        line(0, { count: 200, colour: "red" }),
        { ...line(1), id: "x" },
        line(1, { price: 3 }),
      ],
    });
    expect(errors(answer)).toEqual(["/lines/4/price NOT_YOURS_TO_WRITE 6.Line.create"]);
    const wrong = await clerk.post("/api/orders", {
      lines: [{ count: "many" }, 7, line(0, { count: 200, colour: "red" }), { ...line(1), id: "x" }],
    });
    expect(wrong.status).toBe(422);
    expect(errors(wrong)).toEqual([
      "/name REQUIRED 3.Order.name",
      "/lines/0/count WRONG_TYPE 3.Line.count",
      "/lines/0/thing REQUIRED 3.Line.thing",
      "/lines/1 WRONG_TYPE 3.Order.lines",
      "/lines/2/colour UNKNOWN_FIELD 3.Line",
      "/lines/2/count TOO_LARGE 3.Line.count",
      "/lines/3/id WRONG_TYPE 3.Line.order",
    ]);
    expect(errors(await clerk.post("/api/orders", { name: "X", lines: {} }))).toEqual([
      "/lines WRONG_TYPE 3.Order.lines",
    ]);
    const many = Array.from({ length: 1001 }, () => line(0));
    expect(errors(await clerk.post("/api/orders", { name: "X", lines: many }))).toEqual([
      "/lines TOO_MANY_PARTS 3.Order.lines",
    ]);
  });

  test("refusals of the database for each part, with the rules of the others", async () => {
    const nobody = "00000000-0000-7000-8000-000000000000";
    const answer = await create([line(0), line(0), { thing: nobody }, line(1, { count: 60 }), line(5, { count: 2 })]);
    expect(errors(answer)).toEqual([
      "/lines/1/thing TWICE 5.Line.TWICE",
      "/lines/2/thing NO_SUCH_REFERENCE 3.Line.thing",
      "/lines/3/note SAY_WHY 5.Line.SAY_WHY",
      "/lines/4/count FREE 5.Line.FREE",
    ]);
    expect(answer.problem().errors?.[0]?.message).toBe("T10 stands there already.");
    expect((await clerk.get("/api/orders?name=Order&count=true")).list().count).toBe(1);
  });

  test("and the record’s own rules over its parts, at the end", async () => {
    const over = await create([line(0, { count: 9 }), line(1)], { limit: 100 });
    expect(over.status).toBe(409);
    expect(errors(over)).toEqual(["/limit OVER 5.Order.OVER"]);
    expect(over.problem().errors?.[0]?.message).toContain("110.00");
    expect(errors(await create([0, 1, 2, 3].map((i) => line(i))))).toEqual(["/why REQUIRED 3.Order.why"]);
    expect(
      errors(
        await create(
          [0, 1, 2, 3, 4, 5].map((i) => line(i)),
          { why: "All" },
        ),
      ),
    ).toEqual(["/lines MANY 5.Order.MANY"]);
    expect(
      (
        await create(
          [0, 1, 2, 3].map((i) => line(i)),
          { why: "Four" },
        )
      ).status,
    ).toBe(201);
  });
});

describe("updating a record with its parts", () => {
  test("keeps, changes, adds, removes and moves parts in one version", async () => {
    const first = await create([line(0), line(1), line(2)]);
    const { id } = first.record();
    const [a, b, c] = linesOf(first);
    const answer = await clerk.patch(
      `/api/orders/${id}`,
      { name: "Changed", lines: [{ id: c?.id }, line(3), { id: a?.id, version: 1, count: 5 }] },
      { "if-match": '"1"' },
    );
    expect(answer.status).toBe(200);
    expect(answer.record()).toMatchObject({ name: "Changed", version: 2, total: { amount: "120.00" } });
    expect(linesOf(answer)).toMatchObject([
      { id: c?.id, place: 3, version: 1 },
      { count: 1, place: 4, version: 1 },
      { id: a?.id, count: 5, place: 5, version: 2 },
    ]);
    const { rows } = await desk.database.query(
      "select action, changes from ninefold.audit where record = any($1) and action <> 'create' order by id",
      [[a?.id, b?.id, c?.id]],
    );
    expect(rows).toMatchObject([
      { action: "delete", changes: { count: [1, null] } },
      { action: "update", changes: { count: [1, 5], place: [1, 5] } },
    ]);
    expect((await clerk.get(`/api/lines/${b?.id}`)).status).toBe(404);
    // A body that only lists the ids changes nothing.
    const same = await clerk.patch(`/api/orders/${id}`, { lines: linesOf(answer).map((one) => ({ id: one.id })) });
    expect(linesOf(same).map(({ version }) => version)).toEqual([1, 1, 2]);
    expect(linesOf(await clerk.patch(`/api/orders/${id}`, { lines: [] }))).toEqual([]);
  });

  test("rejects parts of another record, repeated parts, and parts that changed meanwhile", async () => {
    const [one, other] = [await create([line(0), line(1)]), await create([line(2)])];
    const [a, b] = linesOf(one);
    const [foreign] = linesOf(other);
    const answer = await clerk.patch(`/api/orders/${one.record().id}`, {
      lines: [
        { id: a?.id },
        { id: a?.id, count: 2 },
        { id: foreign?.id, count: 3 },
        { id: b?.id, version: 9, count: 1 },
      ],
    });
    expect(errors(answer)).toEqual([
      "/lines/1/id PART_TWICE 3.Line.order",
      "/lines/2/id NO_SUCH_PART 3.Line.order",
      "/lines/3/version CHANGED_MEANWHILE 3.Line",
    ]);
    expect(linesOf(await clerk.get(`/api/orders/${other.record().id}?parts=true`))).toMatchObject([{ count: 1 }]);
  });

  test("lets two unique values be swapped, and reuses a freed one", async () => {
    const first = await create([line(0), line(1)]);
    const [a] = linesOf(first);
    const answer = await clerk.patch(`/api/orders/${first.record().id}`, { lines: [line(1), { id: a?.id }] });
    expect(linesOf(answer)).toMatchObject([{ place: 1 }, { id: a?.id, place: 2 }]);
  });

  test("keeps the parts of its parts, and deletes them with their parent", async () => {
    const first = await create([line(0), line(1)]);
    const [a, b] = linesOf(first);
    for (const one of [a, b]) await clerk.post("/api/notes", { line: one?.id, text: "Soon" });
    const before = (await clerk.get(`/api/orders/${first.record().id}`)).record().version;
    expect(before).toBe(3);
    await clerk.patch(`/api/orders/${first.record().id}`, { lines: [{ id: a?.id, count: 2 }] });
    const notes = (await clerk.get(`/api/notes?line=${a?.id}&line=${b?.id}`)).list().items;
    expect(notes.map(({ line }) => (line as unknown as Line).id)).toEqual([a?.id]);
  });
});

describe("a part with parts of its own", () => {
  type Deep = Line & { readonly notes: readonly Line[] };
  const deep = (answer: Answer) => linesOf(answer) as readonly Deep[];
  const texts = (answer: Answer) => deep(answer).map(({ notes }) => notes.map(({ text }) => text));

  test("is created, updated and read with them, and each of its records has one new version", async () => {
    const answer = await create([line(0, { notes: [{ text: "a" }, { text: "b", stamp: "one" }] }), line(1)]);
    expect(texts(answer)).toEqual([["a", "b"], []]);
    expect(answer.record().version).toBe(1);
    expect(deep(answer).map(({ version }) => version)).toEqual([1, 1]);
    const { id } = answer.record();
    const [one, other] = deep(answer);
    const [a, b] = one?.notes ?? [];
    // Of one line only parts change, the other changes too, and both get new parts.
    const next = await clerk.patch(`/api/orders/${id}`, {
      lines: [
        { id: one?.id, notes: [{ id: b?.id, text: "B" }, { text: "c" }] },
        { id: other?.id, count: 2, notes: [{ text: "d", stamp: "two" }] },
        line(2, { notes: [{ text: "e" }] }),
      ],
    });
    expect(texts(next)).toEqual([["B", "c"], ["d"], ["e"]]);
    expect(next.record().version).toBe(2);
    expect(deep(next).map(({ version }) => version)).toEqual([2, 2, 1]);
    expect(deep(next)[0]?.notes).toMatchObject([{ id: b?.id, version: 2 }, { version: 1 }]);
    expect((await clerk.get(`/api/notes/${a?.id}`)).status).toBe(404);
    expect(texts(await clerk.get(`/api/orders/${id}?parts=true`))).toEqual(texts(next));
    // Lines swap unique values.
    const [x, y, z] = deep(next);
    const swapped = await clerk.patch(`/api/orders/${id}`, {
      lines: [
        { id: x?.id, notes: [{ id: b?.id, stamp: "two" }, { id: x?.notes[1]?.id }] },
        { id: y?.id, notes: [{ id: y?.notes[0]?.id, stamp: "one" }] },
        { id: z?.id },
      ],
    });
    expect(deep(swapped).map(({ notes }) => notes.map(({ stamp }) => stamp))).toEqual([["two", null], ["one"], [null]]);
    expect(deep(swapped).map(({ version }) => version)).toEqual([3, 3, 1]);
    // Unchanged values raise no version, and an omitted list stays.
    const same = await clerk.patch(`/api/orders/${id}`, {
      lines: deep(swapped).map(({ id, notes }) => ({ id, notes: notes.map(({ id, text }) => ({ id, text })) })),
    });
    expect(same.record()).toEqual(swapped.record());
    const { rows } = await desk.database.query(
      "select distinct cause.entity as cause from ninefold.audit one join ninefold.audit cause on cause.id = one.cause where one.entity = 'Note' and one.record = $1",
      [b?.id],
    );
    expect(rows).toEqual([{ cause: "Order" }]);
  });

  test("is refused with errors at their places, from input, database or rules", async () => {
    const wrong = await clerk.post("/api/orders", {
      name: "X",
      lines: [line(0, { notes: [{ text: "x".repeat(41) }, 7] }), line(1, { notes: {} })],
    });
    expect(errors(wrong)).toEqual([
      "/lines/0/notes/0/text TOO_LONG 3.Note.text",
      "/lines/0/notes/1 WRONG_TYPE 3.Line.notes",
      "/lines/1/notes WRONG_TYPE 3.Line.notes",
    ]);
    const first = await create([line(0, { notes: [{ text: "a", stamp: "s" }] }), line(1)]);
    const [one, other] = deep(first);
    const path = `/api/orders/${first.record().id}`;
    const patch = (...lines: object[]) => clerk.patch(path, { lines });
    expect(
      errors(await patch({ id: one?.id }, { id: other?.id, notes: [{ text: "b" }, { text: "c", stamp: "s" }] })),
    ).toEqual(["/lines/1/notes/1/stamp TAKEN 3.Note.stamp"]);
    const four = [1, 2, 3, 4].map((n) => ({ text: `${n}` }));
    expect(errors(await patch({ id: one?.id }, { id: other?.id, notes: four }))).toEqual([
      "/lines/1/notes NOTED 5.Line.NOTED",
    ]);
    expect(errors(await patch({ id: one?.id }, { id: other?.id }, line(2, { notes: four })))).toEqual([
      "/lines/2/notes NOTED 5.Line.NOTED",
    ]);
    // A note of one line cannot become part of another, and a caller without permission on notes writes none.
    expect(errors(await patch({ id: one?.id }, { id: other?.id, notes: [{ id: one?.notes[0]?.id }] }))).toEqual([
      "/lines/1/notes/0/id NO_SUCH_PART 3.Note.line",
    ]);
    expect(errors(await create([line(0, { notes: [{ text: "a" }] })], {}, buyer))).toEqual([
      "/lines/0/notes UNKNOWN_FIELD 3.Line",
    ]);
    expect(texts(await clerk.get(`${path}?parts=true`))).toEqual([["a"], []]);
    expect((await clerk.get(path)).record().version).toBe(1);
  });
});

describe("permissions apply to each part, by row and by field", () => {
  test("a person who can’t write the list in the record’s form can’t send it", async () => {
    expect(errors(await create([line(0)], { tags: [{ text: "a" }] }, buyer))).toEqual([
      "/tags NOT_YOURS_TO_WRITE 6.Order.create",
    ]);
    const order = await create([line(0)], {}, buyer);
    expect(order.status).toBe(201);
    expect(linesOf(order)[0]).not.toHaveProperty("price");
    expect(errors(await create([line(0, { cost: 3 })], {}, buyer))).toEqual(["/lines/0/cost UNKNOWN_FIELD 3.Line"]);
    const rush = await clerk.post("/api/orders", { name: "Rush", rush: true });
    expect((await buyer.patch(`/api/orders/${rush.record().id}`, { lines: [] })).status).toBe(404);
  });

  test("a part that can’t be changed, removed or moved refuses the whole write", async () => {
    const first = await create([line(0, { note: "fixed" }), line(1), line(2)], {}, buyer);
    const { id } = first.record();
    const [a, b, c] = linesOf(first);
    expect(errors(await buyer.patch(`/api/orders/${id}`, { lines: [{ id: b?.id }] }))).toEqual([
      "/lines FORBIDDEN 6.Line.delete",
    ]);
    expect(
      errors(
        await buyer.patch(`/api/orders/${id}`, { lines: [{ id: a?.id, count: 3 }, { id: b?.id }, { id: c?.id }] }),
      ),
    ).toEqual(["/lines/0 FORBIDDEN 6.Line.update"]);
    expect(
      errors(await buyer.patch(`/api/orders/${id}`, { lines: [{ id: b?.id }, { id: a?.id }, { id: c?.id }] })),
    ).toEqual(["/lines/1 FORBIDDEN 6.Line.update", "/lines/2/place NOT_YOURS_TO_WRITE 6.Line.update"]);
    expect(
      errors(await buyer.patch(`/api/orders/${id}`, { lines: [{ id: a?.id }, { id: b?.id, thing: things[3] }] })),
    ).toEqual(["/lines/1/thing NOT_YOURS_TO_WRITE 6.Line.update"]);
    const ok = await buyer.patch(`/api/orders/${id}`, { lines: [{ id: a?.id }, { id: c?.id, count: 4 }, line(4)] });
    expect(counts(ok)).toEqual([1, 4, 1]);
  });

  test("hidden parts are not mentioned, and stay", async () => {
    const first = await clerk.post("/api/orders", { name: "Tagged", tags: [{ text: "a" }] });
    expect(first.record().tags).toMatchObject([{ text: "a" }]);
    const [tag] = first.record().tags as unknown as readonly { readonly id: string }[];
    const nothing = "01a1ff19-116d-7ce9-848b-038aafed4c85";
    expect(
      errors(await clerk.patch(`/api/orders/${first.record().id}`, { tags: [{ id: tag?.id, paper: nothing }] })),
    ).toEqual(["/tags/0/paper NO_SUCH_FILE 3.Tag.paper"]);
    expect(errors(await clerk.patch(`/api/orders/${first.record().id}`, { tags: [] }))).toEqual([
      "/tags FORBIDDEN 6.Tag",
    ]);
  });
});

describe("writing a part by its own call", () => {
  test("raises the version of its record, and of that record’s parent", async () => {
    const first = await create([line(0)]);
    const { id } = first.record();
    const [a] = linesOf(first);
    const version = async () => (await clerk.get(`/api/orders/${id}`)).record().version;
    await clerk.patch(`/api/lines/${a?.id}`, { count: 2 });
    expect(await version()).toBe(2);
    const added = (await clerk.post("/api/lines", { order: id, thing: things[1] })).record();
    expect(await version()).toBe(3);
    const note = (await clerk.post("/api/notes", { line: added.id, text: "x" })).record();
    expect(await version()).toBe(4);
    expect((await clerk.get(`/api/lines/${added.id}`)).record().version).toBe(2);
    await clerk.delete(`/api/notes/${note.id}`);
    await clerk.delete(`/api/lines/${added.id}`);
    expect(await version()).toBe(6);
    const stale = await clerk.patch(`/api/orders/${id}`, { lines: [] }, { "if-match": '"1"' });
    expect(stale.status).toBe(412);
  });

  test("raises no version if it is refused, and is checked by the rules of its record", async () => {
    const first = await create(
      [0, 1, 2, 3].map((i) => line(i)),
      { why: "Four", limit: 150 },
    );
    const { id } = first.record();
    const refused = await clerk.post("/api/lines", { order: id, thing: things[4], count: 2 });
    expect(refused.problem().code).toBe("OVER");
    expect((await clerk.get(`/api/orders/${id}`)).record().version).toBe(1);
  });
});

test("parts deleted with their record have effects and checks as if deleted alone", async () => {
  const first = await create([line(0), line(1)]);
  const gone = async () => (await clerk.get("/api/logs?text=gone&count=true")).list().count;
  const before = Number(await gone());
  expect((await clerk.delete(`/api/orders/${first.record().id}`)).status).toBe(204);
  expect(Number(await gone())).toBe(before + 2);
});
