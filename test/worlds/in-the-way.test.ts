import { afterAll, beforeAll, expect, test } from "vitest";
import type { Application } from "../../src/core/wire/application.ts";
import type { Json } from "../../src/core/wire/json.ts";
import { collisionQueries, collisionRules } from "../../src/web/form/state/collisions.ts";
import { type ApiClient, serveText, type TestServer } from "../app/program.ts";

/*
 * The records in the way of another: a form, a refusal and “Why not?” name those that the person reads anyway. A hidden
 * one changes no answer; only the write itself is refused because of it.
 */

const text = `# Rooms

## 3. Entities and their fields
\`\`\`yaml
Booking:
  label: "{title}"
  fields:
    title: { type: text, unique: true, discloses: true }
    room: text
    begins: date
    ends: date
    owner: { type: User, set: user }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Booking: { field: status, states: [asked, held], transitions: { hold: { from: asked, to: held, by: staff } } }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Booking:
  - { no overlap: [begins, ends], within: room, where: status == held, discloses: true, else: BUSY }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions:
  Booking: { read: { role: staff, when: "owner == user" }, create: staff, update: { role: staff, when: "owner == user" }, delete: none }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
BUSY: { status: 409, message: The room is booked. }
\`\`\`
`;

let served: TestServer;
let ada: ApiClient;
let ben: ApiClient;
let asked: string;

beforeAll(async () => {
  served = await serveText(text);
  ada = await served.person("Ada", []);
  ben = await served.person("Ben", []);
  asked = (await ada.post("/api/bookings", booking("Mine"))).record().id;
});
afterAll(() => served.stop());

const booking = (title: string): Readonly<Record<string, Json>> => ({
  title,
  room: "Hall",
  begins: "2031-03-04",
  ends: "2031-03-06",
});

/** The answers to the questions of a browser about the records in the way of a booking. */
const answersOf = async (title: string): Promise<readonly string[]> => {
  const { entities } = (await ada.get("/_/application")).body as Application;
  const { Booking } = entities;
  if (Booking === undefined) throw new Error("there are no bookings");
  const rules = collisionRules(Booking);
  expect(rules.map(({ clause }) => clause)).toEqual(["3.Booking.title", "5.Booking.BUSY"]);
  const queries = rules.flatMap((rule) => collisionQueries(Booking, rule, (name) => booking(title)[name], 20));
  const paths = [
    ...queries.map((query) => `/api/bookings?${query}&label=true&count=true`),
    `/api/why?do=Booking.hold&record=${asked}`,
    `/_/permissions?of=Booking&record=${asked}`,
  ];
  const answers: string[] = [];
  for (const path of paths) answers.push((await ada.get(path)).text);
  return answers;
};

test("a hidden record in the way changes only the answer to the write", async () => {
  const before = await answersOf("Theirs");
  const hidden = (await ben.post("/api/bookings", booking("Theirs"))).record().id;
  await ben.post(`/api/bookings/${hidden}/hold`, {});
  expect(await answersOf("Theirs")).toEqual(before);

  const taken = await ada.post("/api/bookings", booking("Theirs"));
  const busy = await ada.post(`/api/bookings/${asked}/hold`, {});
  expect([taken.status, busy.status]).toEqual([409, 409]);
  for (const { text: answer } of [taken, busy]) {
    expect(answer).not.toContain(hidden);
    expect(answer).not.toContain("Ben");
  }
  // Asked beforehand about transitions, the server says no more than the transition itself.
  const said = await ada.get(`/_/transitions?of=Booking&records=${asked}`);
  expect(said.text).toContain("The room is booked.");
  expect(said.text).not.toContain(hidden);
});

test("a readable record in the way is found by the same queries", async () => {
  const found = await answersOf("Mine");
  expect(found[0]).toContain(asked);
});
