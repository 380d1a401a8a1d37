import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { beginSession } from "../../../src/server/auth/sessions.ts";
import { database, type TestDatabase } from "../../postgres.ts";
import { type Answer, apiClientAt, freePort, serveText, startProgram, type TestServer } from "../program.ts";

/** For each kind of rule that reads other records, a resource that is too scarce for everybody. */
const document = `
## 3. Entities
\`\`\`yaml
User:
  fields:
    manager: User?
    allowance: { type: integer, default: 30 }
    places: { type: integer, default: 4 }
Request:
  label: "{days} days"
  fields: { employee: { type: User, set: user }, days: integer }
Seat:
  fields: { name: text, places: integer }
Booking:
  label: "{seat.name}"
  fields: { seat: Seat, note: text? }
Hold:
  label: "{thing}"
  fields: { thing: text, by_whom: { type: User, set: user } }
Code:
  label: "{code}"
  fields: { code: text }
Trip:
  label: "{employee.name}"
  fields: { employee: User, lead: User }
Order:
  fields: { name: text, limit: integer }
Line:
  label: "{amount}"
  fields: { order: Order, amount: integer }
Shelf:
  label: "{name}"
  fields: { name: text, least: integer }
Cart:
  label: "{name}"
  fields: { name: text, limit: integer, items: { list: Item.cart } }
Item:
  label: "{amount}"
  fields: { cart: { type: Cart, part of: true }, place: position, shelf: Shelf?, amount: integer }
Ticket:
  label: "{number}"
  fields: { number: integer }
Claim:
  label: "{thing}"
  fields: { thing: text }
Crew:
  label: "{name}"
  fields: { name: text }
Job:
  label: "{text}"
  fields: { crew: Crew, text: text }
Desk:
  label: "{name}"
  fields: { name: text, size: integer }
Stay:
  label: "{desk.name}"
  fields: { desk: Desk, note: text? }
Wish:
  label: "{thing}"
  fields: { thing: text }
Grant:
  label: "{thing}"
  fields: { thing: text }
Hall:
  label: "{name}"
  fields: { name: text }
Ring:
  label: "{hall.name}"
  fields: { hall: Hall }
Guest:
  label: "{hall.name}"
  fields: { hall: Hall }
\`\`\`
## 4. States
\`\`\`yaml
Request:
  field: status
  states: [draft, submitted]
  transitions:
    submit: { from: draft, to: submitted, by: staff }
Hold:
  field: status
  states: [asked, held]
  transitions:
    take: { from: asked, to: held, by: staff }
Claim:
  field: status
  states: [asked, held]
  transitions:
    take: { from: asked, to: held, by: staff, when: "!Claim.exists(c, c.thing == thing && c.status == held)" }
Crew:
  field: status
  states: [working, resting, gone]
  transitions:
    rest: { from: working, to: resting, by: staff }
    disband: { from: [working, resting], to: gone, by: staff, when: "!Job.exists(j, j.crew == this)" }
    settle: { from: resting, to: gone, once: "!Job.exists(j, j.crew == this)" }
Wish:
  field: status
  states: [asked, met]
  transitions:
    meet: { from: asked, to: met, by: staff, when: "Grant.count(g, g.thing == thing) < 3" }
  after:
    meet:
      - { create: Grant, set: { thing } }
Hall:
  field: status
  states: [open, shut]
  transitions:
    close: { from: open, to: shut, by: staff, when: "!Guest.exists(g, g.hall == this)" }
Ring:
  field: status
  states: [outside, inside]
  transitions:
    enter: { from: outside, to: inside, by: staff, when: "hall.status == open" }
  after:
    enter:
      - { create: Guest, set: { hall } }
\`\`\`
## 5. Rules
\`\`\`yaml
Request:
  - with: { taken: "Request.filter(r, r.employee == employee && r.status == submitted).map(r, r.days).sum()" }
    rule: "taken <= employee.allowance"
    during: submit
    else: SPENT
User:
  - rule: "Request.filter(r, r.employee == this && r.status == submitted).map(r, r.days).sum() <= allowance"
    during: update
    else: SPENT
Booking:
  - { rule: "Booking.filter(b, b.seat == seat).size() <= seat.places", else: FULL }
Hold:
  - { rule: "!Hold.exists(h, h != this && h.thing == thing && h.status == held)", during: take, else: FULL }
Code:
  - { rule: "Code.filter(c, c.code == code).size() <= 1", else: FULL }
Trip:
  - { rule: "Trip.filter(t, t.lead == employee.manager).size() <= employee.manager.places", else: FULL }
Order:
  - { rule: "Line.filter(l, l.order == this).map(l, l.amount).sum() <= limit", always: true, else: FULL }
Cart:
  - { rule: "items.map(i, i.amount).sum() <= limit", else: FULL }
Shelf:
  - { rule: "Item.filter(i, i.shelf == this).map(i, i.amount).sum() >= least", always: true, else: FULL }
Ticket:
  - { rule: "Ticket.count() <= 7", else: FULL }
\`\`\`
## 6. Roles
\`\`\`yaml
roles:
  staff: { members: signed in }
permissions:
${[
  "User",
  "Request",
  "Seat",
  "Booking",
  "Hold",
  "Code",
  "Trip",
  "Order",
  "Line",
  "Shelf",
  "Cart",
  "Item",
  "Ticket",
  "Claim",
  "Crew",
  "Desk",
  "Wish",
  "Grant",
  "Hall",
  "Ring",
  "Guest",
]
  .map((entity) => `  ${entity}: { read: [staff], create: [staff], update: [staff], delete: [staff] }`)
  .join("\n")}
  Job: { read: [staff], create: [{ role: staff, when: "crew.status != gone" }], update: [staff], delete: [staff] }
  Stay: { read: [staff], create: [{ role: staff, when: "Stay.count(s, s.desk == desk) <= desk.size" }] }
\`\`\`
## 8. Errors
\`\`\`yaml
SPENT: { status: 409, message: "That is more than {allowance_said}." }
FULL: { status: 409, message: "There is no more room." }
\`\`\`
`.replace(" than {allowance_said}", " than there is");

const WRITERS = 64;

let store: TestDatabase;
let setup: TestServer;
let person: { readonly id: string };
/** Two servers on one database. */
const servers: ((method: string, path: string, body?: unknown) => Promise<Answer>)[] = [];

beforeAll(async () => {
  store = await database();
  setup = await serveText(document, { database: store });
  person = await setup.person("Ada");
  const token = await beginSession(setup.opened.service.database, person.id, 12, new Date());
  for (let i = 0; i < 2; i++) {
    const port = await freePort();
    const program = await startProgram({ text: document, database: store.url, port });
    const someone = apiClientAt(program.url, `session-${port}=${token}`);
    servers.push((method, path, body) => someone.send(method, path, body));
  }
});
afterAll(() => store.end());

const ask = async (method: string, path: string, body?: unknown): Promise<Answer> => {
  const answer = await servers[0]?.(method, path, body);
  if (answer === undefined) throw new Error("no server");
  return answer;
};

const create = async (path: string, body: unknown): Promise<string> => (await ask("POST", path, body)).record().id;

const counted = async (text: string, values: readonly unknown[] = []): Promise<number> =>
  Number((await store.query(text, values)).rows[0]?.n);

/** Sends all at once, half to each server; returns the responses by status and the time of the slowest. */
const race = async (
  name: string,
  writes: readonly (readonly [string, string, unknown?])[],
  refused: readonly number[] = [],
) => {
  const before = await counted("select deadlocks as n from pg_stat_database where datname = current_database()");
  const times: number[] = [];
  const answers = await Promise.all(
    writes.map(async ([method, path, body], i) => {
      const begun = performance.now();
      const answer = await servers[i % servers.length]?.(method, path, body);
      times.push(performance.now() - begun);
      return answer;
    }),
  );
  const statuses = new Map<number, number>();
  for (const answer of answers) statuses.set(answer?.status ?? 0, (statuses.get(answer?.status ?? 0) ?? 0) + 1);
  times.sort((a, b) => a - b);
  const deadlocks =
    (await counted("select deadlocks as n from pg_stat_database where datname = current_database()")) - before;
  const p99 = times[Math.ceil(times.length * 0.99) - 1] ?? 0;
  console.info(
    `${name}: ${JSON.stringify(Object.fromEntries(statuses))}, deadlocks ${deadlocks}, p99 ${p99.toFixed(0)} ms`,
  );
  const winners = (statuses.get(200) ?? 0) + (statuses.get(201) ?? 0) + (statuses.get(204) ?? 0);
  // No response is a fault, and the rule refused everybody who did not win.
  expect([...statuses.keys()].filter((status) => ![200, 201, 204, 409, ...refused].includes(status))).toEqual([]);
  return { winners, answers };
};

const many = <T>(one: (i: number) => T): readonly T[] => Array.from({ length: WRITERS }, (_, i) => one(i));

describe("64 writers at two servers race for the last one", () => {
  test("by a sum, through transitions", async () => {
    const ids = await Promise.all(many(() => create("/api/requests", { days: 4 })));
    const { winners } = await race(
      "sum",
      ids.map((id) => ["POST", `/api/requests/${id}/submit`] as const),
    );
    expect(winners).toBe(7);
    expect(await counted("select sum(days) as n from app.request where status = 'submitted'")).toBe(28);
  });
  test("by a count", async () => {
    const seat = await create("/api/seats", { name: "Front", places: 5 });
    const { winners } = await race(
      "count",
      many(() => ["POST", "/api/bookings", { seat }] as const),
    );
    expect(winners).toBe(5);
    expect(await counted("select count(*) as n from app.booking where seat = $1", [seat])).toBe(5);
  });
  test("of which only one can exist", async () => {
    const ids = await Promise.all(many(() => create("/api/holds", { thing: "drill" })));
    const { winners } = await race(
      "exists",
      ids.map((id) => ["POST", `/api/holds/${id}/take`] as const),
    );
    expect(winners).toBe(1);
    expect(await counted("select count(*) as n from app.hold where status = 'held'")).toBe(1);
  });
  test("by a value that nothing refers to", async () => {
    const { winners } = await race(
      "unique-like",
      many((i) => ["POST", "/api/codes", { code: `c${i % 4}` }] as const),
    );
    expect(winners).toBe(4);
    expect(await counted("select max(n) as n from (select count(*) as n from app.code group by code) x")).toBe(1);
  });
  test("through a reference of a reference", async () => {
    const lead = person.id;
    const people = await Promise.all(
      Array.from({ length: 8 }, (_, i) => setup.person(`Traveller ${String.fromCharCode(97 + i)}`)),
    );
    for (const one of people) expect((await ask("PATCH", `/api/users/${one.id}`, { manager: lead })).status).toBe(200);
    const { winners } = await race(
      "through a reference",
      many((i) => ["POST", "/api/trips", { employee: people[i % people.length]?.id, lead }] as const),
    );
    expect(winners).toBe(4);
    expect(await counted("select count(*) as n from app.trip where lead = $1", [lead])).toBe(4);
  });
  test("by a rule of another record that always applies", async () => {
    const order = await create("/api/orders", { name: "Paper", limit: 10 });
    const { winners } = await race(
      "always",
      many(() => ["POST", "/api/lines", { order, amount: 3 }] as const),
    );
    expect(winners).toBe(3);
    expect(await counted('select sum(amount) as n from app.line where "order" = $1', [order])).toBe(9);
  });
  test("of all records", async () => {
    const { winners } = await race(
      "uncorrelated",
      many((i) => ["POST", "/api/tickets", { number: i }] as const),
    );
    expect(winners).toBe(7);
    expect(await counted("select count(*) as n from app.ticket")).toBe(7);
  });
});

describe("permissions that simultaneous writes decide", () => {
  test("a guard counts what others have taken", async () => {
    const ids = await Promise.all(many(() => create("/api/claims", { thing: "drill" })));
    const { winners } = await race(
      "guard",
      ids.map((id) => ["POST", `/api/claims/${id}/take`] as const),
    );
    expect(winners).toBe(1);
    expect(await counted("select count(*) as n from app.claim where status = 'held'")).toBe(1);
  });
  test("a permission counts them", async () => {
    const desk = await create("/api/desks", { name: "Window", size: 5 });
    const { winners } = await race(
      "permission",
      many(() => ["POST", "/api/stays", { desk }] as const),
      [403],
    );
    expect(winners).toBe(5);
    expect(await counted("select count(*) as n from app.stay")).toBe(5);
  });
  test("a guard and a permission cross: a crew is disbanded while jobs are created for it", async () => {
    const crews = await Promise.all(Array.from({ length: 16 }, (_, i) => create("/api/crews", { name: `Crew ${i}` })));
    await race(
      "guard and permission",
      many((i): readonly [string, string, unknown?] =>
        i % 4 === 0
          ? ["POST", `/api/crews/${crews[Math.floor(i / 4)]}/disband`]
          : ["POST", "/api/jobs", { crew: crews[Math.floor(i / 4)], text: "Dig" }],
      ),
      [403],
    );
    expect(
      await counted("select count(*) as n from app.job j join app.crew c on c.id = j.crew where c.status = 'gone'"),
    ).toBe(0);
    expect(
      await counted(
        "select count(*) as n from app.crew where status = 'gone' or exists (select from app.job j where j.crew = crew.id)",
      ),
    ).toBe(16);
  });
});

describe("permissions that the act’s own effects decide", () => {
  test("a guard counts the records that its own transition creates", async () => {
    for (const thing of ["lamp", "rope"]) {
      const ids = await Promise.all(many(() => create("/api/wishes", { thing })));
      const { winners } = await race(
        "effect of its own",
        ids.map((id) => ["POST", `/api/wishes/${id}/meet`] as const),
      );
      expect(winners).toBe(3);
      expect(await counted("select count(*) as n from app.grant where thing = $1", [thing])).toBe(3);
    }
  });
  test("a guard reads what another transition’s effect creates from the guard’s own changes", async () => {
    const halls = await Promise.all(Array.from({ length: 16 }, (_, i) => create("/api/halls", { name: `Hall ${i}` })));
    const rings = await Promise.all(many((i) => create("/api/rings", { hall: halls[Math.floor(i / 4)] })));
    await race(
      "effect of another",
      many((i) =>
        i % 4 === 0
          ? (["POST", `/api/halls/${halls[i / 4]}/close`] as const)
          : (["POST", `/api/rings/${rings[i]}/enter`] as const),
      ),
    );
    expect(
      await counted("select count(*) as n from app.guest g join app.hall h on h.id = g.hall where h.status = 'shut'"),
    ).toBe(0);
    expect(
      await counted(
        "select count(*) as n from app.hall where status = 'shut' or exists (select from app.guest g where g.hall = hall.id)",
      ),
    ).toBe(16);
  });
});

describe("simultaneously", () => {
  test("an allowance is lowered while it is spent", async () => {
    for (let round = 0; round < 6; round++) {
      const { id } = await setup.person(`Spender ${String.fromCharCode(97 + round)}`);
      const token = await beginSession(setup.opened.service.database, id, 12, new Date());
      const spender = await setup.signedIn(token);
      const ids = await Promise.all(
        Array.from({ length: 8 }, async () => (await spender.post("/api/requests", { days: 5 })).record().id),
      );
      await race("lowered", [
        ...ids.slice(0, 4).map((one) => ["POST", `/api/requests/${one}/submit`] as const),
        ["PATCH", `/api/users/${id}`, { allowance: 10 }] as const,
        ...ids.slice(4).map((one) => ["POST", `/api/requests/${one}/submit`] as const),
      ]);
      const [row] = (
        await store.query(
          `select u.allowance, coalesce(sum(r.days) filter (where r.status = 'submitted'), 0) as taken
           from app."user" u left join app.request r on r.employee = u.id where u.id = $1 group by u.id`,
          [id],
        )
      ).rows;
      expect(Number(row?.taken)).toBeLessThanOrEqual(Number(row?.allowance));
    }
  });
  test("lines grow, shrink, move between orders and are deleted, and the orders’ limits change", async () => {
    const orders = await Promise.all([0, 1, 2].map((i) => create("/api/orders", { name: `Order ${i}`, limit: 20 })));
    const lines = await Promise.all(
      Array.from({ length: 12 }, (_, i) => create("/api/lines", { order: orders[i % 3], amount: 4 })),
    );
    const order = (i: number) => orders[i % 3];
    for (let round = 0; round < 3; round++)
      await race(
        "lines",
        many((i): readonly [string, string, unknown?] => {
          const line = `/api/lines/${lines[(i * 7) % lines.length]}`;
          if (i % 5 === 0) return ["PATCH", `/api/orders/${order(i)}`, { limit: 14 + ((i * 3) % 9) }];
          if (i % 5 === 1) return ["PATCH", line, { order: order(i + 1) }];
          if (i % 5 === 2) return ["POST", "/api/lines", { order: order(i), amount: 1 + (i % 3) }];
          return ["PATCH", line, { amount: 1 + ((i * 5) % 8) }];
        }),
      );
    const { rows } = await store.query(
      'select o.name, o.limit, coalesce(sum(l.amount), 0) as n from app."order" o left join app.line l on l.order = o.id group by o.id',
    );
    for (const row of rows) expect(Number(row.n), String(row.name)).toBeLessThanOrEqual(Number(row.limit));
  });

  test("the parts of a record are written with it and by their own calls", async () => {
    const cart = await create("/api/carts", { name: "Cart", limit: 40, items: [{ amount: 1 }] });
    const { winners } = await race(
      "parts",
      many((i): readonly [string, string, unknown?] =>
        i % 8 === 0
          ? ["PATCH", `/api/carts/${cart}`, { items: [{ amount: 2 }, { amount: 1 + (i % 5) }] }]
          : ["POST", "/api/items", { cart, amount: 3 }],
      ).slice(0, 32),
    );
    const { rows } = await store.query(
      "select c.version, c.limit, (select sum(amount) from app.item i where i.cart = c.id) as n from app.cart c where c.id = $1",
      [cart],
    );
    expect(Number(rows[0]?.n)).toBeLessThanOrEqual(40);
    // A write of a part raises its parent's version; a refused one writes nothing.
    expect(Number(rows[0]?.version)).toBe(1 + winners);
  });
  test("of several updates from one version one saves the parts, and no other overwrites them", async () => {
    const cart = await create("/api/carts", { name: "Cart", limit: 100 });
    const token = await beginSession(setup.opened.service.database, person.id, 12, new Date());
    const one = await setup.signedIn(token);
    const answers = await Promise.all(
      many((i) =>
        i % 2 === 0
          ? one.patch(`/api/carts/${cart}`, { items: [{ amount: i + 1 }] }, { "if-match": '"1"' })
          : one.patch(`/api/carts/${cart}`, { name: `Cart ${i}` }, { "if-match": '"1"' }),
      ),
    );
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, ...many(() => 412).slice(1)]);
  });
  test("records are deleted with parts that others require", async () => {
    const shelf = await create("/api/shelfs", { name: "Shelf", least: 0 });
    const carts = await Promise.all(
      Array.from({ length: 16 }, (_, i) =>
        create("/api/carts", {
          name: `Cart ${i}`,
          limit: 9,
          items: [
            { amount: 2, shelf },
            { amount: 1, shelf },
          ],
        }),
      ),
    );
    expect((await ask("PATCH", `/api/shelfs/${shelf}`, { least: 13 })).status).toBe(200);
    const { winners } = await race(
      "parts that go",
      carts.map((cart) => ["DELETE", `/api/carts/${cart}`] as const),
    );
    expect(winners).toBe(11);
    expect(await counted("select sum(amount) as n from app.item where shelf = $1", [shelf])).toBe(15);
  });
});
