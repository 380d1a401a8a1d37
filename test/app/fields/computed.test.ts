import { beforeAll, describe, expect, test } from "vitest";
import { database } from "../../postgres.ts";
import { type Answer, type ApiClient, serveText, type TestServer } from "../program.ts";

/**
 * Tickets with fields computed from their own fields (days, long, size_of, wide), a `kept` one (rate_then), and ones
 * computed from other records, the clock and the user (spent, left, mine, stage, overdue).
 */
const tickets = `
# Tickets

## 3. Entities and their fields
\`\`\`yaml
Customer:
  label: "{name}: {open_tickets}"
  fields:
    name:         { type: text, unique: true }
    rate:         integer
    secret:       { type: integer, default: 7 }
    tickets:      { list: Ticket.customer }
    open_tickets: { type: integer, computed: "tickets.count(t, t.long)" }
    spent:        { type: decimal, computed: "tickets.map(t, t.spent).sum()" }
Ticket:
  label: "{title}, {days} days, {stage}"
  fields:
    title:     { type: text, max: 20 }
    customer:  Customer
    owner:     { type: User, set: user }
    owner_unit: { type: text?, set: user.unit }
    first_day: date
    last_day:  date?
    price:     { type: decimal, default: 1 }
    days:      { type: integer?, computed: "days_between(first_day, last_day) + 1" }
    long:      { type: boolean, computed: "days > 3" }
    wide:      { type: decimal, computed: "price * price / 3" }
    word:      { type: text, computed: "title + ' of ' + (long ? 'long' : 'short') + ' standing'" }
    rate_then: { type: integer, kept: true, computed: "customer.rate" }
    due:       { type: decimal, computed: "rate_then * price" }
    hours:     { list: Hour.ticket }
    spent:     { type: decimal, computed: "hours.map(h, h.hours).sum()" }
    left:      { type: decimal, computed: "days * 8 - spent" }
    mine:      { type: boolean, computed: "owner == user" }
    overdue:   { type: boolean, computed: "last_day != null && last_day < today" }
    guarded:   { type: integer, computed: "customer.secret + 1" }
    stage:     { computed: { idle: "spent == 0", busy: "left > 0", over: "true" } }
Hour:
  fields:
    ticket: Ticket
    hours:  { type: decimal, min: 0.1 }
User:
  fields:
    unit: { type: text?, default: "'north'" }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Ticket:
  states: [open, closed]
  final: [closed]
  transitions:
    close: { from: open, to: closed, by: member, when: "left != null && left >= 0" }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Ticket:
  - { rule: "days == null || days > 0", else: REVERSED }
  - { rule: "days == null || days < 400", when: "customer.rate > 0", else: TOO_LONG_FOR_US }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  member: { members: signed in }
  seer:   { members: granted }
  boss:   { members: granted }
  Ticket: { busy: "stage == busy" }
permissions:
  User:
    read: [{ role: member, fields: [name] }]
  Customer:
    read:   [{ role: member, fields: [name, rate, open_tickets] }, boss]
    create: boss
    update: boss
    delete: none
  Ticket:
    read:   [{ role: member, fields: [title, days, first_day, stage, owner_unit] }, { role: busy, fields: [title, spent] }, boss]
    create: { role: boss, fields: [title, customer, first_day, last_day, price] }
    update: { role: boss, fields: [title, first_day, last_day, price, days] }
    delete: boss
  Hour:
    read:   boss
    create: boss
    update: boss
    delete: boss
\`\`\`

## 8. Error catalogue
\`\`\`yaml
REVERSED: "{days} days make no sense."
TOO_LONG_FOR_US: Too long.
\`\`\`
`;

let desk: TestServer;
let boss: ApiClient;
let member: ApiClient;
let acme: string;

const create = (answer: Answer): string => answer.record().id;
const ticket = async (fields: object): Promise<string> =>
  create(await boss.post("/api/tickets", { title: "Door", customer: acme, first_day: "2026-03-02", ...fields }));

beforeAll(async () => {
  desk = await serveText(tickets);
  boss = await desk.person("Bea", ["boss"]);
  member = await desk.person("Max", []);
  acme = create(await boss.post("/api/customers", { name: "Acme", rate: 50 }));
});

describe("a computed field", () => {
  test("that reads its own record exists from its creation, and follows each change", async () => {
    const id = await ticket({ last_day: "2026-03-05", price: "2.5" });
    expect((await boss.get(`/api/tickets/${id}`)).record()).toMatchObject({
      days: 4,
      long: true,
      wide: "2.0833333333",
      word: "Door of long standing",
      rate_then: 50,
      due: "125",
    });
    const changed = await boss.patch(`/api/tickets/${id}`, { last_day: "2026-03-03" });
    expect(changed.record()).toMatchObject({ days: 2, long: false, word: "Door of short standing" });
    expect((await boss.patch(`/api/tickets/${id}`, { last_day: null })).record()).toMatchObject({ days: null });
  });

  test("is checked by rules before it is written, and appears in their messages", async () => {
    const answer = await boss.post("/api/tickets", {
      title: "x",
      customer: acme,
      first_day: "2026-03-02",
      last_day: "2026-02-01",
    });
    expect(answer.problem()).toMatchObject({ code: "REVERSED", detail: "-28 days make no sense." });
    const id = await ticket({ last_day: "2026-03-05" });
    expect((await boss.patch(`/api/tickets/${id}`, { last_day: "2029-03-05" })).problem().code).toBe("TOO_LONG_FOR_US");
  });

  test("with `kept` changes only when its own record is written", async () => {
    const id = await ticket({ last_day: "2026-03-05" });
    const before = await boss.get(`/api/customers/${acme}`);
    await boss.patch(`/api/customers/${acme}`, { rate: 60 });
    expect((await boss.get(`/api/tickets/${id}`)).record()).toMatchObject({ rate_then: 50, due: "50" });
    expect((await boss.patch(`/api/tickets/${id}`, { price: "2" })).record()).toMatchObject({
      rate_then: 60,
      due: "120",
    });
    await boss.patch(`/api/customers/${acme}`, { rate: before.record().rate });
  });

  test("that reads other records is current in filters, orders, labels, guards and roles", async () => {
    const own = create(await boss.post("/api/customers", { name: "Other", rate: 1 }));
    const id = await ticket({ title: "Idle", customer: own, last_day: "2026-03-02" });
    const busy = await ticket({ title: "Busy", customer: own, last_day: "2026-03-02" });
    await boss.post("/api/hours", { ticket: busy, hours: "2.5" });
    expect((await boss.get(`/api/tickets/${busy}?label=true`)).record()).toMatchObject({
      spent: "2.5",
      left: "5.5",
      stage: "busy",
      _label: "Busy, 1 days, Busy",
      may: { transitions: ["close"] },
    });
    const list = async (words: string) =>
      (await boss.get(`/api/tickets?customer=${own}&${words}`)).list().items.map(({ title }) => title);
    expect(await list("stage=busy")).toEqual(["Busy"]);
    expect(await list("sort=-spent")).toEqual(["Busy", "Idle"]);
    expect(await list("sort=left")).toEqual(["Busy", "Idle"]);
    expect(await list("search=idle of")).toEqual(["Idle"]);
    expect(await list("spent=2.5")).toEqual(["Busy"]);
    const seen = (await member.get(`/api/tickets?title=Busy&title=Idle&sort=title`)).list().items;
    expect(seen).toMatchObject([
      { title: "Busy", spent: "2.5", stage: "busy" },
      { title: "Idle", stage: "idle" },
    ]);
    expect(seen[1]).not.toHaveProperty("spent");
    await boss.post("/api/hours", { ticket: busy, hours: "7" });
    expect((await boss.get(`/api/tickets/${busy}`)).record()).toMatchObject({ stage: "over", left: "-1.5" });
    expect((await boss.post(`/api/tickets/${busy}/close`, {})).problem().code).toBe("GUARD");
    expect((await boss.post(`/api/tickets/${id}/close`, {})).status).toBe(200);
    expect((await boss.get(`/api/customers/${own}?label=true`)).record()).toMatchObject({
      open_tickets: 0,
      spent: "9.5",
      _label: "Other: 0",
    });
  });

  test("reads the user and the clock", async () => {
    const id = await ticket({ last_day: "2026-03-05" });
    expect((await boss.get(`/api/tickets/${id}`)).record()).toMatchObject({ mine: true, overdue: true, guarded: 8 });
  });

  test("gives pages in its order", async () => {
    const own = create(await boss.post("/api/customers", { name: "Many", rate: 1 }));
    for (const [i, price] of ["1.1", "1.2", "1.1", "1.3", "1.2"].entries())
      await ticket({ title: `P${i}`, customer: own, price, ...(i === 2 ? {} : { last_day: `2026-03-0${i + 2}` }) });
    for (const sort of ["wide", "-wide", "days", "-days,word", "stage,-left", "word", "-due,spent"]) {
      const all = (await boss.get(`/api/tickets?customer=${own}&sort=${sort}`)).list().items.map(({ id }) => id);
      const paged: string[] = [];
      let after = "";
      do {
        const page = (await boss.get(`/api/tickets?customer=${own}&sort=${sort}&limit=2${after}`)).list();
        paged.push(...page.items.map(({ id }) => id));
        after = page.next === null ? "" : `&after=${page.next}`;
      } while (after !== "");
      expect([sort, paged]).toEqual([sort, all]);
      expect(new Set(paged).size).toBe(5);
    }
  });

  test("can’t be written, and needs its own permission to be read", async () => {
    const id = await ticket({ last_day: "2026-03-05" });
    for (const name of ["days", "spent", "rate_then", "hours"]) {
      const answer = await boss.patch(`/api/tickets/${id}`, { [name]: 3 });
      expect([name, answer.problem().code]).toEqual([name, "NOT_YOURS_TO_WRITE"]);
    }
    const seen = (await member.get(`/api/tickets/${id}`)).record();
    expect(Object.keys(seen)).not.toContain("guarded");
    expect((await member.get("/api/tickets?guarded=8")).problem().code).toBe("BAD_QUERY");
    expect((await member.get("/api/tickets?sort=guarded")).problem().code).toBe("BAD_QUERY");
    expect((await boss.get(`/api/tickets/${id}`)).record()).not.toHaveProperty("hours");
  });

  test("is in the history if it is stored", async () => {
    const id = await ticket({ last_day: "2026-03-05" });
    await boss.patch(`/api/tickets/${id}`, { last_day: "2026-03-06" });
    const [change, creation] = (await boss.get(`/api/tickets/${id}/history`)).history();
    expect(change?.changes).toContainEqual({ field: "days", before: 4, after: 5 });
    expect(creation?.changes).toContainEqual({ field: "rate_then", before: null, after: 50 });
    await boss.delete(`/api/tickets/${id}`);
  });

  test("of the user can be read while a record is created", async () => {
    const id = await ticket({});
    const { owner_unit } = (await member.get(`/api/tickets/${id}`)).record();
    expect(owner_unit).toBe("north");
  });
});

describe("a change of the document", () => {
  const document = (days: string, more = "") => `
# Trips

## 3. Entities and their fields
\`\`\`yaml
Trip:
  fields:
    nights: integer
    price:  { type: integer, default: 2 }
    days:   { type: integer, ${days} }
${more}
\`\`\`

## 2. Screens and routes
\`\`\`yaml
/trips: { list: Trip, sort: [-days] }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Trip: [{ rule: "days > 0", else: NO }]
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
permissions:
  Trip: { read: administrator, create: administrator, update: administrator, delete: none }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
NO: No.
\`\`\`
`;

  test("recreates computed columns with their indexes and constraints, and loses nothing else", async () => {
    const store = await database();
    const names = ["Hal", "Gil", "Fay", "Eda"];
    const days = async (text: string, id: string) => {
      const served = await serveText(text, { database: store });
      const admin = await served.person(names.pop() ?? "Zoe", ["administrator"]);
      const record = (await admin.get(`/api/trips/${id}`)).record();
      const again = (await admin.post("/api/trips", { nights: -9 })).problem().code;
      await served.stop();
      const { rows } = await store.query(
        `select (select count(*)::int from pg_indexes where schemaname = 'app' and indexdef like '%days%') as "by",
                (select count(*)::int from pg_constraint where conname = 'trip__rule_no') as "held"`,
      );
      return { days: record.days, again, ...rows[0] };
    };
    const first = await serveText(document(`computed: "nights + 1"`), { database: store });
    const maker = await first.person("Ada", ["administrator"]);
    const { id } = (await maker.post("/api/trips", { nights: 3 })).record();
    await first.stop();
    const stored = { again: "NO", by: 1, held: 1 };
    expect(await days(document(`computed: "nights + 1"`), id)).toEqual({ days: 4, ...stored });
    expect(await days(document(`computed: "nights + 2"`), id)).toEqual({ days: 5, ...stored });
    // A virtual field has no column, and so neither index nor constraint.
    expect(await days(document(`computed: "nights + Trip.count(t, t.nights > 0)"`), id)).toMatchObject({
      days: 4,
      by: 0,
    });
    expect(await days(document(`kept: true, computed: "nights * price"`), id)).toEqual({ days: 6, ...stored });
    await store.end();
  });
});
