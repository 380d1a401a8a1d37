import { beforeAll, expect, test } from "vitest";
import { database } from "../../postgres.ts";
import { type ApiClient, compiled, serveText, type TestServer } from "../program.ts";

const bookings = `
# Bookings

## 3. Entities and their fields
\`\`\`yaml
Room:
  label: "{name}"
  fields: { name: text, shared: boolean, kind: { type: choice, values: [desk, hall], default: desk } }
Booking:
  label: "{slot}"
  fields:
    room:  Room
    slot:  text?
    from:  date
    to:    date?
    begin: datetime?
    end:   datetime?
\`\`\`

## 5. Validation rules
\`\`\`yaml
Booking:
  - { unique: [room, slot], where: "!room.shared", else: TAKEN_SLOT }
  - { no overlap: [from, to], within: room, where: "room.kind == hall", else: HALL_TAKEN }
  - { no overlap: [begin, end], within: room, where: "room.kind == hall", else: HOURS_TAKEN }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { staff: { members: granted } }
permissions:
  Room: { read: staff, create: staff, update: staff }
  Booking: { read: staff, create: staff, update: staff, delete: staff }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
TAKEN_SLOT: "{slot} in {room.name} is taken."
HALL_TAKEN: The hall is taken on these days.
HOURS_TAKEN: The hall is taken at this time.
\`\`\`
`;

let one: TestServer;
let other: TestServer;
let staff: ApiClient;
let colleague: ApiClient;

beforeAll(async () => {
  const store = await database();
  one = await serveText(bookings, { database: store });
  other = await serveText(bookings, { database: store });
  staff = await one.person("Sam", ["staff"]);
  colleague = other.signedIn(staff.cookie().replace("session=", ""));
  return async () => {
    await one.stop();
    await other.stop();
    await store.end();
  };
});

const room = async (values: object) => (await staff.post("/api/rooms", { shared: false, ...values })).record().id;
const booked = async (who: ApiClient, values: object) => {
  const answer = await who.post("/api/bookings", { from: "2026-01-01", ...values });
  return answer.status === 201
    ? "booked"
    : answer
        .problem()
        .errors?.map(({ code, message }) => `${code}: ${message}`)
        .join();
};

test("a value is unique among the records that meet a condition on others, also when these change", async () => {
  const [desk, pool] = [await room({ name: "Desk" }), await room({ name: "Pool", shared: true })];
  expect(await booked(staff, { room: desk, slot: "morning" })).toBe("booked");
  expect(await booked(staff, { room: desk, slot: "morning" })).toBe("TAKEN_SLOT: morning in Desk is taken.");
  expect(await booked(staff, { room: desk })).toBe("booked");
  expect(await booked(staff, { room: desk })).toBe("booked");
  expect(await booked(staff, { room: pool, slot: "morning" })).toBe("booked");
  expect(await booked(staff, { room: pool, slot: "morning" })).toBe("booked");
  expect((await staff.patch(`/api/rooms/${pool}`, { shared: false })).problem().errors).toMatchObject([
    { code: "TAKEN_SLOT", clause: "5.Booking.TAKEN_SLOT" },
  ]);
  expect((await staff.patch(`/api/rooms/${desk}`, { shared: true })).status).toBe(200);
  expect(await booked(staff, { room: desk, slot: "morning" })).toBe("booked");
});

test("a range of dates includes its last day, a range of datetimes excludes its end, and open ends are allowed", async () => {
  const hall = await room({ name: "Hall", kind: "hall" });
  const days = (from: string, to?: string) => booked(staff, { room: hall, from, ...(to === undefined ? {} : { to }) });
  expect(await days("2026-03-01", "2026-03-05")).toBe("booked");
  expect(await days("2026-03-05", "2026-03-06")).toMatch(/^HALL_TAKEN/u);
  expect(await days("2026-03-06", "2026-03-06")).toBe("booked");
  expect(await days("2026-03-20")).toBe("booked");
  expect(await days("2027-01-01", "2027-01-02")).toMatch(/^HALL_TAKEN/u);
  const stage = await room({ name: "Stage", kind: "hall" });
  const hours = (day: number, begin: string, end: string) =>
    booked(staff, { room: stage, from: `2026-04-0${day}`, to: `2026-04-0${day}`, begin, end });
  expect(await hours(1, "2026-04-01T08:00:00Z", "2026-04-01T10:00:00Z")).toBe("booked");
  expect(await hours(2, "2026-04-01T10:00:00Z", "2026-04-01T12:00:00Z")).toBe("booked");
  expect(await hours(3, "2026-04-01T11:00:00Z", "2026-04-01T13:00:00Z")).toMatch(/^HOURS_TAKEN/u);
});

test("of two simultaneous writes at two servers one succeeds", async () => {
  for (let round = 0; round < 5; round++) {
    const contested = await room({ name: `Contested ${round}` });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, i) => booked(i % 2 === 0 ? staff : colleague, { room: contested, slot: "noon" })),
    );
    expect(answers.filter((answer) => answer === "booked")).toHaveLength(1);
    const [first, second] = [await room({ name: "A", shared: true }), await room({ name: "B" })];
    await booked(staff, { room: first, slot: "noon" });
    // One person books while another makes the room unshared: only one succeeds.
    const [closing, booking] = await Promise.all([
      staff.patch(`/api/rooms/${first}`, { shared: false }),
      booked(colleague, { room: first, slot: "noon" }),
    ]);
    expect([closing.status === 200, booking === "booked"].filter(Boolean)).toHaveLength(1);
    expect(await booked(staff, { room: second, slot: "noon" })).toBe("booked");
  }
});

test("neither the person nor the day decides which records are compared", () => {
  const messageOf = (where: string) => () => compiled(bookings.replace('"!room.shared"', `"${where}"`));
  expect(messageOf("room.name == user.name")).toThrow(/BAD_VALUE This condition depends on the user or on the time/u);
  expect(messageOf("from > today")).toThrow(/BAD_VALUE This condition depends on the user or on the time/u);
});
