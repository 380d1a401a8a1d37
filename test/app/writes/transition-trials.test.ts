import { beforeAll, expect, test } from "vitest";
import type { TransitionTrialJson } from "../../../src/core/wire/records.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

/* A transition that rules on other records refuse is known to be refused before anybody makes it. */

const text = `# Leave

## 3. Entities and their fields
\`\`\`yaml
Leave:
  fields: { who: long text, day: date, days: integer, reason: text?, secret: integer? }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Leave:
  field: status
  states: [asked, granted, moved, refused]
  transitions:
    grant:  { from: asked, to: granted, by: manager }
    move:   { from: asked, to: moved, by: manager, asks: [day] }
    refuse: { from: asked, to: refused, by: manager, asks: [reason] }
  after:
    grant: { notify: "User.filter(u, 'manager' in u.roles)", text: "{who} is away." }
\`\`\`

## 5. Rules
\`\`\`yaml
Leave:
  - with: { taken: "Leave.filter(l, l != this && l.who == who && l.status == granted).map(l, l.days).sum()" }
    rule: taken + days <= 10
    during: grant
    else: SPENT
  - rule: "!Leave.exists(l, l != this && l.day == day && l.status in [granted, moved])"
    during: [grant, move]
    else: TAKEN
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { manager: granted, clerk: granted }
permissions:
  Leave: { read: [manager, { role: clerk, fields: [who] }], create: clerk }
\`\`\`

## 8. Errors
\`\`\`yaml
SPENT: { message: "This would make {taken + days} days.", help: Ask for fewer. }
TAKEN: Somebody else is away.
\`\`\`
`;

let program: TestServer;
let manager: ApiClient;
let clerk: ApiClient;
beforeAll(async () => {
  program = await serveText(text);
  manager = await program.person("Mara", ["manager"]);
  clerk = await program.person("Cleo", ["clerk"]);
});

const ask = async (who: string, day: string, days: number): Promise<string> =>
  (await clerk.post("/api/leaves", { who, day, days, reason: null })).record().id;
const tryIn = async (client: ApiClient, id: string, entity = "Leave") => {
  const { status, body } = await client.get(`/_/transitions?of=${entity}&records=${id}`);
  expect(status).toBe(200);
  return (body as TransitionTrialJson).items.map(({ transition, refused }) => [
    transition,
    refused.code,
    refused.detail,
  ]);
};

test("a trial gives the refusal of the transition itself, writes nothing, and leaves out what the input decides", async () => {
  const first = await ask("Ada", "2031-03-03", 8);
  expect(await tryIn(manager, first)).toEqual([]);
  expect((await manager.get(`/api/leaves/${first}`)).record()).toMatchObject({ status: "asked", version: 1 });
  expect(await manager.post(`/api/leaves/${first}/grant`)).toMatchObject({ status: 200 });

  const second = await ask("Ada", "2031-04-04", 3);
  expect(await tryIn(manager, second)).toEqual([["grant", "SPENT", "This would make 11 days."]]);
  const made = (await manager.post(`/api/leaves/${second}/grant`)).problem();
  expect([made.code, made.detail, made.help]).toEqual(["SPENT", "This would make 11 days.", "Ask for fewer."]);

  expect((await manager.get(`/_/transitions?of=Leave&records=${second}`)).body).toMatchObject({
    items: [{ mendable: [] }],
  });

  // Another day can be entered for “Move”, so nothing refuses it beforehand.
  const third = await ask("Ben", "2031-03-03", 1);
  expect(await tryIn(manager, third)).toEqual([["grant", "TAKEN", "Somebody else is away."]]);
});

test("a trial answers nothing about transitions or records that the caller cannot have", async () => {
  const id = await ask("Cem", "2031-03-03", 1);
  expect(await tryIn(clerk, id)).toEqual([]);
  expect(await manager.get("/_/transitions?of=Leave&records=nothing")).toMatchObject({ status: 404 });
  expect(await tryIn(manager, "01900000-0000-7000-8000-000000000000")).toEqual([]);
  expect(await manager.get("/_/transitions?of=Nothing&records=1")).toMatchObject({ status: 404 });
});

test("one trial answers about several records, and leaves out transitions that do not start from their states", async () => {
  const ids = [
    await ask("Dora", "2031-06-02", 9),
    await ask("Dora", "2031-06-03", 9),
    await ask("Dora", "2031-06-04", 1),
  ];
  const [granted, tooMany] = ids;
  expect(await manager.post(`/api/leaves/${granted}/grant`)).toMatchObject({ status: 200 });
  const { body } = await manager.get(`/_/transitions?of=Leave&records=${ids.join(",").toUpperCase()}`);
  expect((body as TransitionTrialJson).items).toMatchObject([
    { record: tooMany, transition: "grant", refused: { code: "SPENT" }, mendable: [] },
  ]);
  const many = Array.from({ length: 51 }, (_, at) => `01900000-0000-7000-8000-0000000000${10 + at}`);
  expect((await manager.get(`/_/transitions?of=Leave&records=${many.slice(1).join(",")}`)).status).toBe(200);
  expect((await manager.get(`/_/transitions?of=Leave&records=${many.join(",")}`)).status).toBe(404);
});

test("rules find other records by an index, whatever they compare", async () => {
  const { rows } = await program.database.query(
    "select indexdef from pg_indexes where schemaname = 'app' and tablename = 'leave' and indexdef like '%hash%' order by 1",
  );
  expect(rows.map((row) => String(row.indexdef).replace(/^.* USING /u, ""))).toEqual(["hash (day)", "hash (who)"]);
  // A text of any length has room in it.
  const who = Array.from({ length: 3000 }, (_, nth) => nth.toString(36)).join("");
  expect((await clerk.post("/api/leaves", { who, day: "2032-03-02", days: 1, reason: null })).status).toBe(201);
});

/** Orders are charged what is computed from the amount that a clerk enters, and get a number. */
const orders = `# Orders

## 3. Entities and their fields
\`\`\`yaml
Order:
  fields:
    who: text
    amount: integer
    price: integer
    total: { type: integer, computed: "amount * price" }
    charged: { type: integer, default: 0 }
    place: { type: text?, required: "status == sent" }
    number: { type: sequence, pattern: "{n:3}", gapless: book }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Order:
  field: status
  states: [open, charged, booked, sent]
  transitions:
    charge: { from: open, to: charged, by: clerk, asks: [amount], set: { charged: total } }
    book:   { from: open, to: booked, by: clerk }
    send:   { from: booked, to: sent, by: [clerk, packer] }
\`\`\`

## 5. Rules
\`\`\`yaml
Order:
  - rule: "Order.filter(o, o != this && o.who == who).map(o, o.charged).sum() + charged <= 10"
    during: charge
    else: SPENT
  - rule: "!Order.exists(o, o != this && o.who == who && o.status == booked)"
    during: book
    else: BOOKED
  - { rule: "!Order.exists(o, o != this && o.place == place && o.status == sent)", during: send, else: SENT }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: granted, packer: granted }
permissions:
  Order: { read: [clerk, packer], create: clerk, update: { role: clerk, fields: [place] } }
\`\`\`

## 8. Errors
\`\`\`yaml
SPENT: Too much was charged.
BOOKED: One order was booked.
SENT: Another one was sent there.
\`\`\`
`;

test("a trial leaves out what is computed from the input, and draws no number", async () => {
  const program = await serveText(orders);
  const desk = await program.person("Cleo", ["clerk"]);
  const order = async () => (await desk.post("/api/orders", { who: "Ada", amount: 5, price: 10 })).record().id;
  const [first, second] = [await order(), await order()];
  expect(await tryIn(desk, first, "Order")).toEqual([]);
  // The stored amount breaks the rule, another one does not.
  expect(await desk.post(`/api/orders/${first}/charge`, { amount: 1 })).toMatchObject({ status: 200 });
  expect((await desk.post(`/api/orders/${second}/book`)).record().number).toBe("001");
  const third = await order();
  expect(await tryIn(desk, third, "Order")).toEqual([["book", "BOOKED", "One order was booked."]]);
  await program.database.query("update app.\"order\" set status = 'open' where id = $1", [second]);
  expect((await desk.post(`/api/orders/${third}/book`)).record().number).toBe("002");
});

test("a trial says of a missing value that the caller can enter it", async () => {
  const program = await serveText(orders);
  const [desk, store] = [await program.person("Cleo", ["clerk"]), await program.person("Pia", ["packer"])];
  const { id } = (await desk.post("/api/orders", { who: "Ada", amount: 1, price: 1 })).record();
  expect((await desk.post(`/api/orders/${id}/book`)).status).toBe(200);
  const mendable = async (client: ApiClient) =>
    ((await client.get(`/_/transitions?of=Order&records=${id}`)).body as TransitionTrialJson).items.flatMap(
      ({ transition, mendable: fields }) => (transition === "send" ? [fields] : []),
    );
  expect(await mendable(desk)).toEqual([["place"]]);
  expect(await mendable(store)).toEqual([[]]);
});

/** The boss of a shift can close it, unless another one is closed. */
const shifts = `# Shifts

## 3. Entities and their fields
\`\`\`yaml
Shift: { label: "{name}", fields: { name: text, boss: User, late: boolean } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Shift:
  field: status
  states: [open, shut]
  transitions: { shut: { from: open, to: shut, by: boss, when: "!late" } }
\`\`\`

## 5. Rules
\`\`\`yaml
Shift: [{ rule: "!Shift.exists(s, s != this && s.status == shut)", during: shut, else: SHUT }]
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { staff: signed in, Shift: { boss: "boss == user" } }
permissions: { User: { read: staff }, Shift: { read: staff, create: staff } }
\`\`\`

## 8. Errors
\`\`\`yaml
SHUT: One is shut.
\`\`\`
`;

test("a trial leaves out what the record itself tells: a missing permission and the guard", async () => {
  const program = await serveText(shifts);
  const [ada, ben] = [await program.person("Ada"), await program.person("Ben")];
  const shift = async (boss: string, late: boolean) =>
    (await ada.post("/api/shifts", { name: "Shift", boss, late })).record().id;
  const [own, late, other] = [await shift(ada.id, false), await shift(ada.id, true), await shift(ben.id, false)];
  expect(await ben.post(`/api/shifts/${other}/shut`)).toMatchObject({ status: 200 });
  const third = await shift(ben.id, false);
  expect((await ada.get(`/_/transitions?of=Shift&records=${[own, late, third].join(",")}`)).body).toMatchObject({
    items: [{ record: own, transition: "shut", refused: { code: "SHUT" } }],
  });
});
