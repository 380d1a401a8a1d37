import { beforeAll, describe, expect, test } from "vitest";
import { Timers } from "../../../src/jobs/timers.ts";
import { type Answer, type ApiClient, serveText, type TestServer } from "../program.ts";

/*
 * Concurrent writes, for each kind of clause: a write takes its locks before it writes anything, or starts again with
 * them, so that Postgres never has to resolve a deadlock; and if two writes complete a condition together, one of them
 * sees it.
 */

const document = `
## 3. Entities
\`\`\`yaml
Job:
  label: "{name}"
  fields: { name: text, shut_by: User?, tasks: { list: Task.job }, checks: { list: Check.job } }
Task:
  label: "{name}"
  fields: { job: Job, name: text, done: boolean }
Check:
  label: "{name}"
  fields: { job: Job, name: text, passed: boolean }
Card:
  label: "{name}"
  fields: { name: text, place: position, code: { type: text?, unique: true }, word: { type: slug, from: name } }
Pin:
  label: "{name}"
  fields: { name: text, place: { type: position, unique: true } }
Post:
  label: "{text}"
  fields: { text: text }
Entry:
  label: "{text}"
  fields: { text: text, place: position, key: { type: text, unique: true } }
Lot:
  label: "{name}"
  fields: { name: text, bids: { list: Bid.lot } }
Bid:
  label: "{amount}"
  fields: { lot: Lot, amount: integer }
Case:
  label: "{name}"
  fields: { name: text, steps: { list: Step.case } }
Step:
  label: "{name}"
  fields: { case: { type: Case, part of: true }, place: position, name: text, code: { type: text?, unique: true } }
Crate:
  label: "{name}"
  fields: { name: text, other: Crate?, count: { type: integer, default: 0 }, slips: { list: Slip.crate } }
Slip:
  label: "{text}"
  fields: { crate: { type: Crate, part of: true }, text: text }
Order:
  label: "{code}"
  fields: { code: text, note: text?, paid: { type: integer, default: 0 } }
Bill:
  label: "{code}"
  fields: { code: text, note: text? }
Lease:
  label: "{name}"
  fields: { name: text, owner: text, renewed: { type: integer, default: 0 } }
Tally:
  label: "{owner}"
  fields: { owner: { type: text, unique: true }, ended: { type: integer, default: 0 } }
Invoice:
  label: "{number}"
  fields: { number: { type: sequence, pattern: "R-{n:4}" }, day: date }
Voucher:
  label: "{number}"
  fields: { number: { type: sequence, pattern: "V-{n:4}" }, day: date }
Parcel:
  label: "{day}"
  fields: { day: date, forth: boolean }
\`\`\`
## 4. States
\`\`\`yaml
Job:
  field: status
  states: [open, shut]
  transitions:
    shut: { from: open, to: shut, once: "size(tasks) > 0 && tasks.all(t, t.done) && checks.all(c, c.passed)", set: { shut_by: user } }
Post:
  after:
    create:
      - { create: Entry, set: { text, key: text } }
Bid:
  field: status
  states: [open, taken, turned_down, drawn_back]
  transitions:
    take:      { from: open, to: taken, by: staff, when: "!Bid.exists(b, b.lot == lot && b.status == taken)" }
    turn_down: { from: open, to: turned_down, by: none }
    draw_back: { from: open, to: drawn_back, by: staff }
  after:
    take:
      - { make: turn_down, of: "Bid.filter(b, b.lot == lot && b.status == open)" }
Crate:
  after:
    update:
      - { create: Slip, set: { crate: other, text: name }, when: "other != null" }
Slip:
  after:
    delete:
      - { update: "Slip.filter(s, s.text == text)", set: { text: "text + '+'" } }
Lease:
  field: status
  states: [running, ended]
  transitions:
    end: { from: running, to: ended, timeout: 1 day, when: "Lease.count(l, l.owner == owner && l.status == running) > 0" }
    stop: { from: running, to: ended, by: staff }
  after:
    end:
      - { put: Tally, key: owner, set: { owner, ended: 1 } }
      - { update: "Tally.filter(t, t.owner == owner)", set: { ended: "Lease.count(l, l.owner == owner && l.status == ended)" } }
    stop:
      - { put: Tally, key: owner, set: { owner, ended: 1 } }
      - { update: "Tally.filter(t, t.owner == owner)", set: { ended: "Lease.count(l, l.owner == owner && l.status == ended)" } }
Parcel:
  after:
    create:
      - { create: Invoice, set: { day }, when: forth }
      - { create: Voucher, set: { day } }
      - { create: Invoice, set: { day }, when: "!forth" }
\`\`\`
## 5. Rules
\`\`\`yaml
Entry:
  - { unique: [place], else: SAME_PLACE }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions:
${[
  "User",
  "Job",
  "Task",
  "Check",
  "Card",
  "Pin",
  "Post",
  "Entry",
  "Lot",
  "Bid",
  "Case",
  "Step",
  "Invoice",
  "Voucher",
  "Parcel",
  "Crate",
  "Slip",
  "Order",
  "Bill",
  "Lease",
  "Tally",
]
  .map((entity) => `  ${entity}: { read: staff, create: staff, update: staff, delete: staff }`)
  .join("\n")}
\`\`\`
## 7. Calls
\`\`\`yaml
conventional: all
calls:
  POST /both/{code}/forth:
    do:
      - { update: Order, takes: { note } }
      - { update: Bill, takes: { note } }
  POST /both/{code}/back:
    do:
      - { update: Bill, takes: { note } }
      - { update: Order, takes: { note } }
\`\`\`
## 8. Errors
\`\`\`yaml
SAME_PLACE: { status: 409, message: "There is something in this place." }
\`\`\`
`;

let served: TestServer;
let ada: ApiClient & { readonly id: string };
let bert: ApiClient & { readonly id: string };
beforeAll(async () => {
  served = await serveText(document);
  ada = await served.person("Ada");
  bert = await served.person("Bert");
});

const counted = async (text: string): Promise<number> => Number((await served.database.query(text)).rows[0]?.n);

/** Sends all at once; no response may be a fault, and Postgres must not have ended a transaction by deadlock. */
const atOnce = async (asked: readonly (() => Promise<Answer>)[]): Promise<readonly Answer[]> => {
  const deadlocks = () => counted("select deadlocks as n from pg_stat_database where datname = current_database()");
  const before = await deadlocks();
  const answers = await Promise.all(asked.map((one) => one()));
  expect(answers.filter(({ status }) => status >= 500).map(({ status, body }) => [status, body])).toEqual([]);
  expect((await deadlocks()) - before).toBe(0);
  return answers;
};

const statuses = (answers: readonly Answer[]): readonly number[] =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);

const create = async (path: string, body: unknown): Promise<string> => (await ada.post(path, body)).record().id;

describe("a condition that two simultaneous requests complete together", () => {
  test("makes its transition in the request that completes it", async () => {
    for (let round = 0; round < 50; round++) {
      const job = await create("/api/jobs", { name: `Job ${round}` });
      const [task, other, check] = await Promise.all([
        create("/api/tasks", { job, name: "One", done: false }),
        create("/api/tasks", { job, name: "Two", done: false }),
        create("/api/checks", { job, name: "Three", passed: false }),
      ]);
      const answers = await atOnce([
        () => ada.patch(`/api/tasks/${task}`, { done: true }),
        () => bert.patch(`/api/tasks/${other}`, { done: true }),
        () => bert.patch(`/api/checks/${check}`, { passed: true }),
      ]);
      expect(statuses(answers)).toEqual([200, 200, 200]);
      const shut = (await ada.get(`/api/jobs/${job}`)).record();
      expect([round, shut.status]).toEqual([round, "shut"]);
      expect([ada.id, bert.id]).toContain((shut.shut_by as { readonly id: string } | null)?.id);
    }
  });
  test("has a line of history that names that request", async () => {
    const job = await create("/api/jobs", { name: "Job" });
    const task = await create("/api/tasks", { job, name: "Alone", done: false });
    expect((await ada.patch(`/api/tasks/${task}`, { done: true })).status).toBe(200);
    const { items } = (await ada.get(`/api/jobs/${job}/history`)).body as {
      readonly items: readonly { readonly action: string; readonly cause?: unknown }[];
    };
    expect(items[0]).toMatchObject({ action: "shut", cause: { entity: "Task", id: task, label: "Alone" } });
  });
});

describe("a generated value", () => {
  test("is a different position for simultaneous creations", async () => {
    const answers = await atOnce(
      Array.from({ length: 60 }, (_, i) => () => ada.post("/api/pins", { name: `Pin ${i}` })),
    );
    expect(statuses(answers)).toEqual(Array.from({ length: 60 }, () => 201));
    expect(new Set(answers.map((answer) => answer.record().place)).size).toBe(60);
  });
  test("is a different slug for simultaneous creations", async () => {
    const answers = await atOnce(Array.from({ length: 60 }, () => () => ada.post("/api/cards", { name: "Card" })));
    expect(statuses(answers)).toEqual(Array.from({ length: 60 }, () => 201));
    expect(new Set(answers.map((answer) => answer.record().word)).size).toBe(60);
  });
  test("is a different position for simultaneous effects", async () => {
    const answers = await atOnce(
      Array.from({ length: 40 }, (_, i) => () => ada.post("/api/posts", { text: `Post ${i}` })),
    );
    expect(statuses(answers)).toEqual(Array.from({ length: 40 }, () => 201));
    expect(await counted("select count(distinct place) as n from app.entry")).toBe(40);
  });
  test("is a different number for each, whichever sequence comes first", async () => {
    const answers = await atOnce(
      Array.from({ length: 40 }, (_, i) => () => ada.post("/api/parcels", { day: "2026-01-01", forth: i % 2 === 0 })),
    );
    expect(statuses(answers)).toEqual(Array.from({ length: 40 }, () => 201));
    expect(await counted("select count(*) as n from app.invoice")).toBe(40);
    expect(await counted("select count(*) as n from app.voucher")).toBe(40);
  });
});

describe("a unique value", () => {
  test("is created by one of several simultaneous requests", async () => {
    for (let round = 0; round < 5; round++) {
      const answers = await atOnce(
        Array.from({ length: 32 }, (_, i) => () => ada.post("/api/cards", { name: `C${i}`, code: `code ${round}` })),
      );
      expect(statuses(answers)).toEqual([201, ...Array.from({ length: 31 }, () => 409)]);
    }
  });
  test("can be swapped between records at once", async () => {
    const cards = await Promise.all([1, 2, 3].map((i) => create("/api/cards", { name: "S", code: `swap ${i}` })));
    for (let round = 0; round < 10; round++) {
      const answers = await atOnce(
        cards.map((card, i) => () => ada.patch(`/api/cards/${card}`, { code: `swap ${((i + round) % 4) + 1}` })),
      );
      expect(statuses(answers).every((status) => status === 200 || status === 409)).toBe(true);
    }
  });
  test("is created once by effects", async () => {
    const answers = await atOnce(
      Array.from({ length: 32 }, (_, i) => () => ada.post("/api/posts", { text: `Same ${i % 4}` })),
    );
    expect(statuses(answers)).toEqual([
      ...Array.from({ length: 4 }, () => 201),
      ...Array.from({ length: 28 }, () => 409),
    ]);
  });
  test("is created once among parts, by their own calls and with their record", async () => {
    const cases = await Promise.all([0, 1, 2, 3].map((i) => create("/api/cases", { name: `Case ${i}` })));
    const answers = await atOnce(
      Array.from(
        { length: 32 },
        (_, i) => () =>
          i % 2 === 0
            ? ada.post("/api/steps", { case: cases[i % 4], name: `S${i}`, code: `c${i % 5}` })
            : ada.patch(`/api/cases/${cases[(i + 1) % 4]}`, { steps: [{ name: `P${i}`, code: `c${(i + 2) % 5}` }] }),
      ),
    );
    expect(statuses(answers).every((status) => [200, 201, 409].includes(status))).toBe(true);
    expect(await counted("select max(n) as n from (select count(*) as n from app.step group by code) as x")).toBe(1);
  });
});

describe("an effect on the records of a list", () => {
  test("leaves records alone that another request moves meanwhile", async () => {
    for (let round = 0; round < 12; round++) {
      const lot = await create("/api/lots", { name: `Lot ${round}` });
      const bids = await Promise.all(Array.from({ length: 6 }, (_, i) => create("/api/bids", { lot, amount: i })));
      const [first = "", ...others] = bids;
      const [taken, ...drawn] = await atOnce([
        () => ada.post(`/api/bids/${first}/take`, {}),
        ...others.map((bid) => () => bert.post(`/api/bids/${bid}/draw_back`, {})),
      ]);
      expect([taken?.status, taken?.body]).toMatchObject([200, { status: "taken" }]);
      expect(drawn.every(({ status }) => status === 200 || status === 409)).toBe(true);
      expect(await counted(`select count(*) as n from app.bid where lot = '${lot}' and status = 'open'`)).toBe(0);
    }
  });
  test("happens once when many requests each remove one", async () => {
    const lot = await create("/api/lots", { name: "Lot" });
    const bids = await Promise.all(Array.from({ length: 24 }, (_, i) => create("/api/bids", { lot, amount: i })));
    const answers = await atOnce(bids.map((bid) => () => ada.post(`/api/bids/${bid}/take`, {})));
    expect(statuses(answers)).toEqual([200, ...Array.from({ length: 23 }, () => 409)]);
  });
});

describe("writes to several records", () => {
  test("succeed in calls of several steps, whichever record they start with", async () => {
    await create("/api/orders", { code: "b1" });
    await create("/api/bills", { code: "b1" });
    const answers = await atOnce(
      Array.from(
        { length: 32 },
        (_, i) => () => ada.post(`/api/both/b1/${i % 2 === 0 ? "forth" : "back"}`, { note: `Note ${i}` }),
      ),
    );
    expect(statuses(answers)).toEqual(Array.from({ length: 32 }, () => 200));
  });
  test("succeed in effects that create parts of each other’s records", async () => {
    const one = await create("/api/crates", { name: "One" });
    const other = await create("/api/crates", { name: "Other", other: one });
    expect((await ada.patch(`/api/crates/${one}`, { other })).status).toBe(200);
    const answers = await atOnce(
      Array.from(
        { length: 32 },
        (_, i) => () => ada.patch(`/api/crates/${i % 2 === 0 ? one : other}`, { count: i + 1 }),
      ),
    );
    expect(statuses(answers)).toEqual(Array.from({ length: 32 }, () => 200));
    expect(await counted("select count(*) as n from app.slip")).toBe(33);
  });
  test("succeed by timers and requests", async () => {
    const leases = await Promise.all(
      Array.from({ length: 24 }, (_, i) => create("/api/leases", { name: `Lease ${i}`, owner: `Owner ${i % 3}` })),
    );
    const { service } = served.opened;
    const refused: unknown[] = [];
    const timers = [0, 1].map(() => new Timers((what) => refused.push(what)));
    const now = new Date(Date.now() + 2 * 86_400_000);
    const running = Promise.all(timers.map((one) => one.run(service, now)));
    const answers = await atOnce(
      leases.flatMap((lease, i) => (i % 2 === 0 ? [() => ada.post(`/api/leases/${lease}/stop`, {})] : [])),
    );
    await running;
    expect(answers.filter(({ status }) => status !== 200 && status !== 409).map(({ body }) => body)).toEqual([]);
    expect(refused).toEqual([]);
    expect(await counted("select count(*) as n from app.lease where status = 'ended'")).toBe(24);
    expect(await counted("select sum(ended) as n from app.tally")).toBe(24);
  });
});
