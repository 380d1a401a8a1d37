import { createHmac } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startJobs } from "../../../src/jobs/jobs.ts";
import { waitAfter } from "../../../src/jobs/outbox.ts";
import { toAutomaticRefusal } from "../../../src/server/telemetry/refusal-log.ts";
import { serveText, type TestServer } from "../program.ts";

const DAY = 86_400_000;

const desk = (wait: string) => `
## 3. Entities
\`\`\`yaml
Request:
  fields: { subject: text, why: text?, priority: { type: integer, default: 1 }, rating: integer? }
Task:
  label: "{title}"
  fields: { request: Request, title: text, done: boolean }
\`\`\`
## 4. States
\`\`\`yaml
Request:
  field: status
  states: [asked, waiting, lapsed, ready, closed]
  final: closed
  transitions:
    wait:   { from: asked, to: waiting, by: staff }
    lapse:  { from: [asked, waiting], to: lapsed, timeout: patience, when: "priority < 3", set: { why: "'not decided in time'" } }
    finish: { from: [asked, waiting], to: ready, once: "Task.exists(t, t.request == this) && Task.filter(t, t.request == this).all(t, t.done)" }
    close:  { from: [ready, lapsed], to: closed, by: [boss, { role: staff, when: "priority == 1" }], asks: [rating?] }
    drop:   { from: asked, to: closed, by: none }
  after:
    lapse:
      - { notify: "User.filter(u, 'boss' in u.roles)", text: "{subject} was not decided: {why}" }
      - { call: board }
    finish:
      - { update: "Task.filter(t, t.request == this)", set: { title: "'done'" } }
Task:
  after:
    delete:
      - { make: drop, of: "Request.filter(r, r == request && r.status == asked)" }
\`\`\`
## 6. Roles
\`\`\`yaml
roles:
  staff: { members: signed in }
  boss: { members: granted }
permissions:
  Request: { read: [staff], create: [staff], update: [staff] }
  Task: { read: [staff], create: [staff], update: [staff], delete: [staff] }
\`\`\`
## 7. Calls
\`\`\`yaml
outgoing:
  board: { post: APP_BOARD_URL, sends: { subject, at: now, why }, retries: 2, secret: APP_BOARD_SECRET }
\`\`\`
## 9. Limits
\`\`\`yaml
patience: ${wait}
session_length: 90 days
\`\`\`
`;

const jobsOf = (served: TestServer, now: () => Date, environment: Record<string, string> = {}) =>
  startJobs({
    work: () => served.opened.service,
    clock: now,
    outside: { environment, fetch },
    every: 1_000_000,
    log: { warn: () => undefined, error: ({ err }: { err?: unknown }) => Promise.reject(err) },
  });

test("a transition is made after working days, without weekends and the dates of an entity", async () => {
  const served = await serveText(`
## 3. Entities
\`\`\`yaml
Holiday: { fields: { day: { type: date, unique: true } } }
Offer: { fields: { made: date } }
Contract: { fields: { next: date, level: { type: integer, default: 0 } } }
Bill: { fields: { contract: Contract, first: date } }
\`\`\`
## 4. States
\`\`\`yaml
Offer:
  field: status
  states: [open, over]
  transitions:
    lapse: { from: open, to: over, once: "add_working_days(made, 3, Holiday.map(h, h.day)) <= today" }
Contract:
  field: status
  states: [active, late]
  transitions:
    bill: { from: active, to: active, once: next <= today, set: { next: next + 1 month } }
    warn: { from: [active, late], to: late, once: "next > '2030-07-31' && level < 2", set: { level: level + 1 } }
  after:
    bill: { create: Bill, set: { contract: this, first: old.next } }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions:
  Holiday: { read: staff, create: staff }
  Offer: { read: staff, create: staff }
  Contract: { read: staff, create: staff }
  Bill: { read: staff }
\`\`\`
## 9. Constants
\`\`\`yaml
session_length: 90 days
\`\`\`
`);
  let now = new Date("2030-04-18T10:00:00Z");
  const jobs = jobsOf(served, () => now);
  served.ahead(now.getTime() - Date.now());
  const ada = await served.person("Ada");
  // Good Friday and Easter Monday.
  for (const day of ["2030-04-19", "2030-04-22"]) await ada.post("/api/holidays", { day });
  const { id } = (await ada.post("/api/offers", { made: "2030-04-18" })).record();
  const statusOn = async (day: string) => {
    now = new Date(`${day}T10:00:00Z`);
    await jobs.run();
    return (await ada.get(`/api/offers/${id}`)).record().status;
  };
  expect(await statusOn("2030-04-24")).toBe("open");
  expect(await statusOn("2030-04-25")).toBe("over");

  // A transition that leads back to its state happens once in each transaction, until its condition is false.
  const contract = (await ada.post("/api/contracts", { next: "2030-04-01" })).record();
  expect(contract).toMatchObject({ next: "2030-05-01", status: "active" });
  const billedOn = async (day: string) => {
    now = new Date(`${day}T10:00:00Z`);
    await jobs.run();
    const bills = (await ada.get("/api/bills?sort=first")).list().items;
    return bills.map(({ first }) => first);
  };
  expect(await billedOn("2030-04-30")).toEqual(["2030-04-01"]);
  expect(await billedOn("2030-06-02")).toEqual(["2030-04-01", "2030-05-01"]);
  expect(await billedOn("2030-06-02")).toEqual(["2030-04-01", "2030-05-01", "2030-06-01"]);
  expect(await billedOn("2030-06-02")).toHaveLength(3);
  const levelOn = async (day: string) => {
    await billedOn(day);
    return (await ada.get(`/api/contracts/${contract.id}`)).record();
  };
  expect(await levelOn("2030-07-02")).toMatchObject({ next: "2030-08-01", status: "late", level: 2 });
  expect(await levelOn("2030-07-02")).toMatchObject({ status: "late", level: 2 });
  await jobs.stop();
});

test("a transition is made after working hours, over a weekend, a holiday and a change of clocks", async () => {
  const served = await serveText(`
## 1. Product
\`\`\`yaml
timezone: Europe/Berlin
\`\`\`
## 3. Entities
\`\`\`yaml
Holiday: { fields: { day: { type: date, unique: true } } }
Ticket:
  fields:
    reported_at: { type: datetime, set: now }
    due: { type: datetime, computed: "add_working_hours(reported_at, answer_hours, Holiday.map(h, h.day), office_hours)" }
    hours: { type: decimal, computed: "working_hours(reported_at, now, Holiday.map(h, h.day), office_hours)" }
\`\`\`
## 4. States
\`\`\`yaml
Ticket:
  field: status
  states: [reported, escalated]
  final: escalated
  transitions:
    escalate: { from: reported, to: escalated, once: "due <= now" }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions:
  Holiday: { read: staff, create: staff }
  Ticket: { read: staff, create: staff }
\`\`\`
## 9. Constants
\`\`\`yaml
session_length: 90 days
answer_hours: 6
office_hours: Mon-Fri 09:00-12:00, 13:00-17:00
\`\`\`
`);
  // Friday, 29 March 2030, 16:00 in winter time.
  let now = new Date("2030-03-29T15:00:00Z");
  const jobs = jobsOf(served, () => now);
  served.ahead(now.getTime() - Date.now());
  const ada = await served.person("Ada");
  await ada.post("/api/holidays", { day: "2030-04-01" });
  const { id } = (await ada.post("/api/tickets", {})).record();
  const at = async (moment: string) => {
    now = new Date(moment);
    served.ahead(now.getTime() - Date.now());
    await jobs.run();
    return (await ada.get(`/api/tickets/${id}`)).record();
  };
  // One hour on Friday, and five on Tuesday, in summer time: until 15:00.
  const before = await at("2030-04-02T12:58:00Z");
  expect(before).toMatchObject({ status: "reported", due: expect.stringMatching(/^2030-04-02T13:00:/u) });
  expect(Number(before.hours)).toBeCloseTo(5.97, 1);
  expect(await at("2030-04-02T13:02:00Z")).toMatchObject({ status: "escalated" });
  await jobs.stop();
});

describe("a timed transition", () => {
  test("is made by the system once the state has lasted long enough, with its effects, and not before", async () => {
    const served = await serveText(desk("14 days"));
    const ada = await served.person("Ada", ["boss"]);
    let ahead = 0;
    const jobs = jobsOf(served, () => new Date(Date.now() + ahead));
    const id = (await ada.post("/api/requests", { subject: "Chair" })).record().id;
    const late = (await ada.post("/api/requests", { subject: "Desk", priority: 3 })).record().id;
    ahead = 13 * DAY;
    served.ahead(ahead);
    await jobs.run();
    expect((await ada.get(`/api/requests/${id}`)).record().status).toBe("asked");
    await ada.post(`/api/requests/${id}/wait`);
    ahead = 20 * DAY;
    await jobs.run();
    // The time counts from entering the state, each time.
    expect((await ada.get(`/api/requests/${id}`)).record().status).toBe("waiting");
    ahead = 27 * DAY + 60_000;
    await jobs.run();
    expect((await ada.get(`/api/requests/${id}`)).record()).toMatchObject({
      status: "lapsed",
      why: "not decided in time",
    });
    expect((await ada.get(`/api/requests/${late}`)).record().status).toBe("asked");
    const [line] = (await ada.get(`/api/requests/${id}/history`)).history();
    expect(line).toMatchObject({ action: "lapse", clause: "4.Request.lapse", person: null });
    const { rows } = await served.database.query("select text from ninefold.notification");
    expect(rows).toEqual([{ text: "Chair was not decided: not decided in time" }]);
  });

  test("is made once by several servers, and as soon as its delay is shortened", async () => {
    const served = await serveText(desk("14 days"));
    const ada = await served.person("Ada");
    const ids = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => (await ada.post("/api/requests", { subject: `No ${i}` })).record().id),
    );
    const shorter = await serveText(desk("2 days"), { database: served.database });
    const now = () => new Date(Date.now() + 3 * DAY);
    const [one, two] = [jobsOf(shorter, now), jobsOf(shorter, now)];
    await Promise.all([one.run(), two.run()]);
    const { rows } = await served.database.query(
      "select record, count(*)::int as n from ninefold.audit where action = 'lapse' group by record",
    );
    expect(rows).toHaveLength(ids.length);
    expect(rows.every(({ n }) => n === 1)).toBe(true);
  });
});

describe("an automatic transition", () => {
  test("is made with the write that makes its condition true, wherever that is, with its effects", async () => {
    const served = await serveText(desk("14 days"));
    const ada = await served.person("Ada");
    const request = (await ada.post("/api/requests", { subject: "Chair" })).record().id;
    const task = async (title: string) => (await ada.post("/api/tasks", { request, title, done: false })).record().id;
    const [first, second] = [await task("measure"), await task("order")];
    await ada.patch(`/api/tasks/${first}`, { done: true });
    expect((await ada.get(`/api/requests/${request}`)).record().status).toBe("asked");
    expect((await ada.patch(`/api/tasks/${second}`, { done: true })).record()).toMatchObject({
      done: true,
      title: "done",
    });
    expect((await ada.get(`/api/requests/${request}`)).record().status).toBe("ready");
    const { rows } = await served.database.query(
      "select a.action, c.action as cause from ninefold.audit a join ninefold.audit c on c.id = a.cause where a.record = $1",
      [request],
    );
    expect(rows).toEqual([{ action: "finish", cause: "update" }]);
  });
});

describe("the roles of a transition", () => {
  test("can have a condition, can be omitted, and can be none, so that only effects make the transition", async () => {
    const served = await serveText(desk("14 days"));
    const [ada, bob] = [await served.person("Ada"), await served.person("Bob", ["boss"])];
    const ready = async (priority: number) => {
      const id = (await ada.post("/api/requests", { subject: "Chair", priority })).record().id;
      await ada.post("/api/tasks", { request: id, title: "t", done: true });
      return id;
    };
    const [one, two] = [await ready(1), await ready(2)];
    expect((await ada.post(`/api/requests/${two}/close`)).problem()).toMatchObject({ status: 403 });
    expect((await ada.post(`/api/requests/${one}/close`)).record()).toMatchObject({ status: "closed", rating: null });
    expect((await bob.post(`/api/requests/${two}/close`, { rating: 5 })).record()).toMatchObject({ rating: 5 });
    const id = (await ada.post("/api/requests", { subject: "Lamp" })).record().id;
    expect((await bob.post(`/api/requests/${id}/drop`)).problem()).toMatchObject({ status: 403 });
    const task = (await ada.post("/api/tasks", { request: id, title: "t", done: false })).record().id;
    expect((await ada.delete(`/api/tasks/${task}`)).status).toBe(204);
    expect((await ada.get(`/api/requests/${id}`)).record().status).toBe("closed");
  });
});

describe("a call to another program", () => {
  let port = 0;
  const got: { readonly headers: Record<string, unknown>; readonly body: string }[] = [];
  let answers: number[] = [];
  const board = createServer((request, response) => {
    let body = "";
    request.on("data", (part) => {
      body += String(part);
    });
    request.on("end", () => {
      got.push({ headers: request.headers, body });
      response.statusCode = answers.shift() ?? 200;
      response.end();
    });
  });
  beforeAll(() =>
    new Promise<void>((resolve) => board.listen(0, "127.0.0.1", resolve)).then(() => {
      port = (board.address() as AddressInfo).port;
    }),
  );
  afterAll(() => new Promise((resolve) => board.close(resolve)));

  const lapsed = async () => {
    const served = await serveText(desk("1 day"));
    const ada = await served.person("Ada");
    await ada.post("/api/requests", { subject: "Chair" });
    let ahead = 2 * DAY;
    const environment = { APP_BOARD_URL: `http://127.0.0.1:${port}/in`, APP_BOARD_SECRET: "shh" };
    // The clock stands still, so that a slow machine does not reach the next attempt by itself.
    const begun = Date.now();
    const jobs = jobsOf(served, () => new Date(begun + ahead), environment);
    const state = async () => (await served.database.query("select state, tries, said from ninefold.outbox")).rows[0];
    return {
      jobs,
      state,
      later: (ms: number) => {
        ahead += ms;
      },
    };
  };

  test("is signed, is retried later with the same key, and ends", async () => {
    got.length = 0;
    answers = [500, 200];
    const { jobs, state, later } = await lapsed();
    await jobs.run();
    expect(await state()).toEqual({ state: "waiting", tries: 1, said: "answered 500" });
    await jobs.run();
    expect(got).toHaveLength(1);
    later(3_000);
    await jobs.run();
    expect(await state()).toEqual({ state: "done", tries: 2, said: null });
    const [first, second] = got;
    expect(second?.headers["idempotency-key"]).toBe(first?.headers["idempotency-key"]);
    expect(JSON.parse(first?.body ?? "")).toMatchObject({ subject: "Chair", why: "not decided in time" });
    const [, stamp, signature] = /^t=(\d+),v1=([0-9a-f]+)$/u.exec(String(first?.headers["ninefold-signature"])) ?? [];
    expect(signature).toBe(createHmac("sha256", "shh").update(`${stamp}.${first?.body}`).digest("hex"));
  });

  test("is given up after the number of attempts in the document", async () => {
    answers = [500, 503, 500, 200];
    const { jobs, state, later } = await lapsed();
    for (let i = 0; i < 4; i++) {
      await jobs.run();
      later(60_000);
    }
    expect(await state()).toEqual({ state: "given up", tries: 3, said: "answered 500" });
  });

  test("doubles its wait each time, up to an hour", () => {
    expect([1, 2, 3, 11, 12, 40].map((tries) => waitAfter(tries, 0.5) / 1_000)).toEqual([2, 4, 8, 2048, 3600, 3600]);
  });
});

describe("an effect that the database rejects", () => {
  const text = `
## 3. Entities
\`\`\`yaml
Request: { fields: { subject: text } }
Note: { fields: { request: Request, by_whom: { type: User, set: user } } }
\`\`\`
## 4. States
\`\`\`yaml
Request:
  states: [asked, lapsed, late]
  transitions:
    lapse: { from: asked, to: lapsed, timeout: 2 days, when: "subject == 'bad'" }
    stay:  { from: asked, to: late, timeout: 2 days, when: "subject != 'bad'" }
  after: { lapse: { create: Note, set: { request: this } } }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions: { Request: { read: [staff], create: [staff] } }
\`\`\`
`;

  test("does not stop other effects, and is logged", async () => {
    const served = await serveText(text);
    const ada = await served.person("Ada", []);
    const bad = (await ada.post("/api/requests", { subject: "bad" })).record().id;
    const good = (await ada.post("/api/requests", { subject: "good" })).record().id;
    const messages: string[] = [];
    const jobs = startJobs({
      work: () => served.opened.service,
      clock: () => new Date(Date.now() + 3 * DAY),
      outside: { environment: {}, fetch },
      every: 1_000_000,
      log: {
        warn: (said: object) => void messages.push(JSON.stringify(said)),
        error: ({ err }: { err?: unknown }) => Promise.reject(err),
      },
    });
    await jobs.run();
    // Three days later Ada's session has expired and been deleted.
    const bo = await served.person("Bo", []);
    expect(await bo.get(`/api/requests/${good}`)).toMatchObject({ body: { state: "late" } });
    expect(await bo.get(`/api/requests/${bad}`)).toMatchObject({ body: { state: "asked" } });
    expect(messages.join()).toContain(bad);
    await jobs.stop();
    await served.stop();
  });
});

describe("a due transition that is refused", () => {
  const text = (say: string) => `
## 3. Entities
\`\`\`yaml
Booking: { fields: { room: text } }
\`\`\`
## 4. States
\`\`\`yaml
Booking:
  field: status
  states: [asked, held]
  transitions: { hold: { from: asked, to: held, timeout: 2 days } }
\`\`\`
## 5. Rules
\`\`\`yaml
Booking: [{ unique: [room], where: "status == held", else: ROOM_TAKEN }]
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions: { Booking: { read: [staff], create: [staff] } }
\`\`\`
## 8. Errors
\`\`\`yaml
ROOM_TAKEN: "${say}"
\`\`\`
`;
  const MINUTE = 60_000;

  /** Bookings of rooms, longest overdue first. */
  const booked = async (served: TestServer, rooms: readonly string[]) => {
    await served.database.query(
      `insert into app.booking (id, version, created_at, updated_at, state_since, room, status)
       select uuidv7(), 1, now(), now(), now() + n * interval '1 second', room, 'asked'
       from unnest($1::text[]) with ordinality as given (room, n)`,
      [rooms],
    );
    const state = async () => {
      const { rows } = await served.database.query(
        "select room, count(*)::int as n from app.booking where status = 'held' group by room order by room",
      );
      return Object.fromEntries(rows.map(({ room, n }) => [room, n]));
    };
    return state;
  };

  test("does not delay others, however many there are", async () => {
    const served = await serveText(text("Taken."));
    const held = await booked(served, [...Array.from({ length: 130 }, () => "one"), "two"]);
    let refused = 0;
    const jobs = startJobs({
      work: () => served.opened.service,
      clock: () => new Date(Date.now() + 3 * DAY),
      outside: { environment: {}, fetch },
      every: 1_000_000,
      refused: () => {
        refused += 1;
      },
      log: { warn: () => undefined, error: ({ err }: { err?: unknown }) => Promise.reject(err) },
    });
    await jobs.run();
    expect(await held()).toEqual({ one: 1 });
    await jobs.run();
    expect(await held()).toEqual({ one: 1, two: 1 });
    expect(refused).toBe(129);
  });

  test("is retried at growing intervals, reported each time, and retried at once after a change of the document", async () => {
    const served = await serveText(text("Taken."));
    const held = await booked(served, ["one", "one"]);
    const begun = Date.now() + 3 * DAY;
    let minutes = 0;
    let service = served.opened.service;
    const now = () => new Date(begun + minutes * MINUTE);
    const told: { readonly code: string; readonly again: string }[] = [];
    const jobs = startJobs({
      work: () => service,
      clock: now,
      outside: { environment: {}, fetch },
      every: 1_000_000,
      refused: (what) => served.refusals.add(toAutomaticRefusal(what, now())),
      log: {
        warn: (line: object) => void told.push(line as (typeof told)[number]),
        error: ({ err }: { err?: unknown }) => Promise.reject(err),
      },
    });
    const at = async (minute: number): Promise<number> => {
      minutes = minute;
      const before = told.length;
      await jobs.run();
      return told.length - before;
    };
    const tried = [];
    for (const minute of [0, 4, 5, 14, 15, 34, 35]) tried.push([minute, await at(minute)]);
    expect(tried).toEqual([
      [0, 1],
      [4, 0],
      [5, 1],
      [14, 0],
      [15, 1],
      [34, 0],
      [35, 1],
    ]);
    expect(told.at(-1)).toMatchObject({
      transition: "Booking.hold",
      code: "ROOM_TAKEN",
      again: new Date(begun + 75 * MINUTE).toISOString(),
    });
    // At most a day.
    for (let i = 0; i < 12; i++) await at((Date.parse(told.at(-1)?.again ?? "") - begun) / MINUTE);
    expect(Date.parse(told.at(-1)?.again ?? "") - now().getTime()).toBe(DAY);
    const otherwise = await serveText(text("It is taken."), { database: served.database });
    ({ service } = otherwise.opened);
    expect(await at(minutes)).toBe(1);
    expect(Date.parse(told.at(-1)?.again ?? "") - now().getTime()).toBe(5 * MINUTE);
    expect(await held()).toEqual({ one: 1 });
    await served.refusals.write();
    const { rows } = await served.database.query(
      "select person, document, status, code, clause, entity, action, request from ninefold.refusal order by id",
    );
    expect(rows).toHaveLength(told.length);
    const line = { person: null, status: 422, code: "ROOM_TAKEN", entity: "Booking", action: "hold", request: "" };
    expect(rows[0]).toEqual({ ...line, document: 1, clause: "5.Booking.ROOM_TAKEN" });
    expect(rows.at(-1)).toMatchObject({ ...line, document: 2 });
  });
});
