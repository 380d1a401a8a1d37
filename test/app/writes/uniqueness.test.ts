import { beforeAll, describe, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import { database } from "../../postgres.ts";
import { type Answer, type ApiClient, serveText, type TestServer } from "../program.ts";

const rooms = (rules: string, more = "") => `
# Rooms

## 1. What the product does and for whom
\`\`\`yaml
locale: en-GB
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Room:
  fields: { name: { type: text, unique: true } }
Booking:
  fields:
    room:     { type: Room?, default: null }
    guest:    text?
    mail:     email?
    from_day: date?
    to_day:   date?
    begins:   datetime?
    ends:     datetime?
    serial:   { type: text?, unique: true, missing: same }
    note:     text?
    seat:     integer?
    seat_to:  integer?
    from_kg:  decimal?
    to_kg:    decimal?
    fee:      money?
${more}
\`\`\`

## 4. States and transitions
\`\`\`yaml
Booking:
  field: status
  states: [asked, booked, dropped]
  transitions:
    book: { from: asked, to: booked, by: member }
    drop: { from: [asked, booked], to: dropped, by: member }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Booking:
${rules}
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions:
  Room: { read: member, create: member, update: member, delete: member }
  Booking: { read: member, create: member, update: member, delete: member }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
OVERLAP: { status: 409, message: "{room.name} is taken from {from_day} to {to_day}.", help: Take other days., at: from_day }
AGAIN: { status: 409, message: "{guest} is there already." }
BUSY: { status: 409, message: "That time is taken." }
SEATS: { status: 409, message: "{seat} to {seat_to} is taken." }
WEIGHTS: { status: 409, message: "There is a fee for {from_kg} already." }
\`\`\`
`;

const all = `
  - { no overlap: [from_day, to_day], within: room, where: "status in [asked, booked]", else: OVERLAP }
  - { unique: [guest, mail], within: room, where: status != dropped, else: AGAIN }
  - { no overlap: [begins, ends], else: BUSY }
  - { no overlap: [seat, seat_to], within: room, else: SEATS }
  - { no overlap: [from_kg, to_kg], within: [room, fee], else: WEIGHTS }`;

let served: TestServer;
let member: ApiClient;
let blue: string;
let red: string;
beforeAll(async () => {
  served = await serveText(rooms(all));
  member = await served.person("Mia");
  blue = (await member.post("/api/rooms", { name: "Blue" })).record().id;
  red = (await member.post("/api/rooms", { name: "Red" })).record().id;
});

let serial = 0;
const make = (values: Record<string, unknown>) => member.post("/api/bookings", { serial: `S-${++serial}`, ...values });
const create = async (values: Record<string, unknown>) => (await make(values)).record();
const messageOf = (answer: Answer) => {
  const { status, code, clause, errors } = answer.problem();
  return `${status} ${code} ${clause} ${errors?.map(({ at, message }) => `${at}: ${message}`).join("; ")}`;
};

describe("ranges that can’t overlap", () => {
  test("of whole numbers include their end, those of decimals are followed there by the next", async () => {
    await create({ room: red, seat: 1, seat_to: 10 });
    expect(messageOf(await make({ room: red, seat: 10, seat_to: 12 }))).toBe(
      "409 SEATS 5.Booking.SEATS /seat: 10 to 12 is taken.",
    );
    await create({ room: red, seat: 11, seat_to: 11 });
    // With the end before the start, a range occupies nothing.
    await create({ room: red, seat: 12, seat_to: 3 });
    await create({ room: red, seat: 12 });
    expect(messageOf(await make({ room: red, seat: 900 }))).toMatch(/^409 SEATS/u);
    const fee = "7.50";
    await create({ room: blue, fee, from_kg: "0", to_kg: "49.5" });
    await create({ room: blue, fee, from_kg: "49.5", to_kg: "100" });
    expect(messageOf(await make({ room: blue, fee, from_kg: "99.99" }))).toMatch(/^409 WEIGHTS/u);
    await create({ room: blue, fee: "8", from_kg: "99.99" });
  });

  test("include their last day, and are compared within their group", async () => {
    await create({ room: blue, from_day: "2026-03-01", to_day: "2026-03-05" });
    const refused = "409 OVERLAP 5.Booking.OVERLAP /from_day: Blue is taken from";
    expect(messageOf(await make({ room: blue, from_day: "2026-03-05", to_day: "2026-03-06" }))).toBe(
      `${refused} 5 Mar 2026 to 6 Mar 2026.`,
    );
    expect(messageOf(await make({ room: blue, from_day: "2026-02-01" }))).toBe(`${refused} 1 Feb 2026 to ….`);
    await create({ room: red, from_day: "2026-03-05", to_day: "2026-03-06" });
    await create({ room: blue, from_day: "2026-03-06", to_day: "2026-03-06" });
    await create({ room: blue, from_day: "2026-02-28", to_day: "2026-02-28" });
  });

  test("are not compared without a start, backwards, or without a group", async () => {
    for (const range of [{ to_day: "2026-03-03" }, { from_day: "2026-03-04", to_day: "2026-03-02" }, {}])
      await create({ room: blue, ...range });
    await create({ room: null, from_day: "2026-03-01", to_day: "2026-03-05" });
    await create({ room: null, from_day: "2026-03-01", to_day: "2026-03-05" });
  });

  test("count under the clause’s condition: a cancelled one frees its days, and returns only if they are free", async () => {
    const first = await create({ room: red, from_day: "2026-05-01", to_day: "2026-05-02" });
    await member.post(`/api/bookings/${first.id}/drop`);
    const second = await create({ room: red, from_day: "2026-05-02", to_day: "2026-05-03" });
    expect((await member.patch(`/api/bookings/${first.id}`, { note: "x" })).status).toBe(200);
    expect((await member.patch(`/api/bookings/${second.id}`, { to_day: "2026-05-09" })).status).toBe(200);
    const third = await create({ room: red, from_day: "2026-06-01", to_day: "2026-06-02" });
    expect((await member.patch(`/api/bookings/${third.id}`, { from_day: "2026-05-09" })).status).toBe(409);
    expect((await member.post(`/api/bookings/${second.id}/book`)).status).toBe(200);
  });

  test("of datetimes can touch", async () => {
    await create({ begins: "2026-04-01T10:00:00Z", ends: "2026-04-01T11:00:00Z" });
    await create({ begins: "2026-04-01T11:00:00Z", ends: "2026-04-01T12:00:00Z" });
    expect(messageOf(await make({ begins: "2026-04-01T12:59:00+02:00", ends: "2026-04-01T11:30:00Z" }))).toBe(
      "409 BUSY 5.Booking.BUSY /begins: That time is taken.",
    );
  });

  test("admit one of many simultaneous requests, and the others get the clause’s message", async () => {
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, i) =>
        make({ room: blue, from_day: `2027-01-${String(1 + (i % 3)).padStart(2, "0")}`, to_day: "2027-01-04" }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1);
    for (const answer of answers)
      if (answer.status !== 201)
        expect(messageOf(answer)).toMatch(/^409 OVERLAP 5\.Booking\.OVERLAP \/from_day: Blue is taken/);
    const { rows } = await served.database.query(
      `select count(*)::int as n from app.booking a join app.booking b on a.id < b.id and a.room = b.room
       and a.status <> 'dropped' and b.status <> 'dropped' and a.from_day <= a.to_day and b.from_day <= b.to_day
       and daterange(a.from_day, a.to_day, '[]') && daterange(b.from_day, b.to_day, '[]')`,
    );
    expect(rows).toEqual([{ n: 0 }]);
  });

  test("are enforced against every writer of the table", async () => {
    await create({ room: red, from_day: "2028-01-01", to_day: "2028-01-05" });
    await expect(
      served.database.query(
        `insert into app.booking (id, version, created_at, updated_at, room, from_day, to_day, status, serial)
         values (gen_random_uuid(), 1, now(), now(), $1, '2028-01-02', '2028-01-03', 'asked', 'X')`,
        [red],
      ),
    ).rejects.toThrow(/booking__together_overlap/);
  });
});

describe("fields that are unique together", () => {
  test("are compared only if all of them have values, and email addresses ignore case", async () => {
    await create({ room: blue, guest: "Ada", mail: "ada@example.com" });
    expect(messageOf(await make({ room: blue, guest: "Ada", mail: "ADA@example.com" }))).toBe(
      "409 AGAIN 5.Booking.AGAIN /mail: Ada is there already.",
    );
    await create({ room: blue, guest: "Ada", mail: "other@example.com" });
    await create({ room: red, guest: "Ada", mail: "ada@example.com" });
    await create({ room: blue, guest: "Ada" });
    await create({ room: blue, guest: "Ada" });
  });

  test("count under the clause’s condition, and are checked by every write that affects them", async () => {
    const first = await create({ room: red, guest: "Bob", mail: "bob@example.com" });
    const other = await create({ room: red, guest: "Bob", mail: "bobby@example.com" });
    expect((await member.patch(`/api/bookings/${other.id}`, { mail: "bob@example.com" })).problem().code).toBe("AGAIN");
    await member.post(`/api/bookings/${first.id}/drop`);
    expect((await member.patch(`/api/bookings/${other.id}`, { mail: "bob@example.com" })).status).toBe(200);
  });

  test("stay unique under simultaneous writes", async () => {
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => make({ room: red, guest: "Eve", mail: "eve@example.com" })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array.from({ length: 15 }, () => 409)]);
  });
});

test("a unique field can be missing in several records", async () => {
  await create({ serial: null });
  const second = await make({ serial: null });
  expect(messageOf(second)).toBe("409 TAKEN 3.Booking.serial /serial: Serial is already taken.");
});

test("ranges are compared among records with the same time, duration, choice or file", async () => {
  const fields = `    at_time: time?
    length: duration?
    kind: { type: choice, values: [one, two], default: one }
    plan: file?`;
  const rule = "  - { no overlap: [from_day, to_day], within: [at_time, length, kind, plan], else: BUSY }";
  const program = await serveText(rooms(rule, fields));
  const mia = await program.person("Mia");
  const url = await program.app.listen();
  const upload = async () => {
    const body = Uint8Array.of(65);
    const sent = await fetch(`${url}/_/files?name=plan.txt`, {
      method: "POST",
      headers: { cookie: mia.cookie() },
      body,
    });
    return (await sent.json()) as { readonly id: string };
  };
  const [plan, other] = [await upload(), await upload()];
  const book = async (values: Record<string, unknown>) =>
    (
      await mia.post("/api/bookings", {
        serial: `S-${++serial}`,
        from_day: "2026-03-01",
        to_day: "2026-03-05",
        at_time: "10:00:00",
        length: "PT1H",
        plan: plan.id,
        ...values,
      })
    ).status;
  expect(await book({})).toBe(201);
  expect(await book({})).toBe(409);
  expect(await book({ plan: other.id })).toBe(201);
  expect(await book({ length: "PT2H" })).toBe(201);
  expect(await book({ length: "P1Y" })).toBe(201);
  expect(await book({ length: "P360D" })).toBe(409);
  expect(await book({ length: "P365D" })).toBe(201);
  expect(await book({ kind: "two" })).toBe(201);
  expect(await book({ from_day: "2026-03-06", to_day: "2026-03-07" })).toBe(201);
  await program.stop();
});

describe("a change of the document", () => {
  const start = (text: string, store: Awaited<ReturnType<typeof database>>) => serveText(text, { database: store });

  test("adds, changes and removes constraints between records, and is refused if stored records break them", async () => {
    const store = await database();
    const without = rooms("  - { rule: \"note != 'no'\", else: BUSY }");
    const first = await start(without, store);
    const mia = await first.person("Mia");
    const room = (await mia.post("/api/rooms", { name: "Blue" })).record().id;
    for (const serial of ["1", "2"])
      await mia.post("/api/bookings", { room, serial, guest: "Ada", from_day: "2026-01-01", to_day: "2026-01-02" });
    await first.stop();
    const overlap = "  - { no overlap: [from_day, to_day], within: room, else: OVERLAP }";
    const unique = "  - { unique: [guest, room], else: AGAIN }";
    await store.query("update app.booking set seat = 1, seat_to = 5, from_kg = 0.5");
    for (const numbers of ["[seat, seat_to], within: room", "[from_kg, to_kg]"])
      await expect(start(rooms(`  - { no overlap: ${numbers}, else: OVERLAP }`), store)).rejects.toMatchObject({
        refused: [{ clause: "5.Booking.OVERLAP", says: expect.stringContaining("some stored records overlap.") }],
      });
    await expect(start(rooms(overlap), store)).rejects.toMatchObject({
      refused: [
        {
          clause: "5.Booking.OVERLAP",
          says: "5.Booking.OVERLAP can’t take effect: some stored records overlap. Correct them, or compare only some with “where”.",
        },
      ],
    });
    await expect(start(rooms(unique), store)).rejects.toMatchObject({ refused: [{ clause: "5.Booking.AGAIN" }] });
    await store.query("delete from app.booking where serial = '2'");
    const second = await start(rooms(`${overlap}\n${unique}`), store);
    await second.stop();
    const third = await start(rooms(`${overlap.replace("room", "[room, guest]")}`), store);
    const { rows } = await store.query(
      "select conname from pg_constraint where contype = 'x' union select relname from pg_class where relname like '%together%' order by 1",
    );
    expect(rows.map(({ conname }) => conname)).toEqual(["booking__together_overlap"]);
    await third.stop();
    await (await start(without, store)).stop();
    await store.end();
  });
});

describe("findings", () => {
  const found = (rule: string) =>
    compile({ file: "rooms.md", text: rooms(rule) })
      .findings.filter(({ severity }) => severity === "error")
      .map(({ code, message }) => `${code} ${message}`);

  test.each([
    ["  - { no overlap: [from_day, ends], else: BUSY }", /BAD_VALUE A range needs two fields/],
    ["  - { no overlap: [from_day], else: BUSY }", /BAD_VALUE A range needs two fields/],
    ["  - { no overlap: [guest, note], else: BUSY }", /BAD_VALUE A range needs two fields/],
    ["  - { no overlap: [seat, to_kg], else: BUSY }", /BAD_VALUE A range needs two fields/],
    ["  - { unique: guest, during: create, else: AGAIN }", /BAD_VALUE “during” is only for “rule”/],
    ["  - { rule: guest != 'x', within: room, else: AGAIN }", /BAD_VALUE “within” is only for “unique”/],
    ["  - { no overlap: [from_day, to_day], missing: same, else: BUSY }", /BAD_VALUE “missing” is only for “unique”/],
  ])("%s", (rule, finding) => {
    expect(found(rule)).toEqual([expect.stringMatching(finding)]);
  });
});
