import { beforeAll, expect, test } from "vitest";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

const document = `
# Trips

## 3. Entities and their fields
\`\`\`yaml
Rate:
  fields:
    zone: text
    most: integer
Bill:
  fields:
    trip: Trip
    most: integer
Trip:
  fields:
    zone:  text?
    days:  integer
    price: integer?
    least: { type: integer?, kept: true, computed: "zone == null ? null : Rate.one(r, r.zone == zone).most" }
    most:  { type: integer, default: 1 }
    again: { type: integer?, computed: "Rate.one(r, r.zone == zone).most" }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Trip:
  states: [open, closed]
  transitions:
    close: { from: open, to: closed, by: member, set: { most: "Rate.one(r, r.zone == zone).most" } }
  after:
    close: [{ create: Bill, set: { trip: this, most: "Rate.one(r, r.zone == 'bills').most" } }]
\`\`\`

## 5. Validation rules
\`\`\`yaml
Trip:
  - { rule: "price <= days * Rate.one(r, r.zone == zone && r.most > 1).most", when: price != null, during: [create, update], else: TOO_DEAR }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  member: { members: signed in }
permissions:
  Bill: { read: member, create: none, update: none, delete: none }
  Rate: { read: member, create: member, update: member, delete: member }
  Trip: { read: member, create: member, update: member, delete: member }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
TOO_DEAR: "{price} is too much."
\`\`\`
`;

let desk: TestServer;
let ada: ApiClient;

beforeAll(async () => {
  desk = await serveText(document);
  ada = await desk.person("Ada", []);
  for (const [zone, most] of [
    ["north", 10],
    ["twice", 10],
    ["twice", 20],
    ["least", 1],
  ] as const)
    await ada.post("/api/rates", { zone, most });
});

const make = (fields: object) => ada.post("/api/trips", { days: 2, ...fields });
const refusals = async (fields: object) =>
  (await make(fields)).problem().errors?.map(({ code, clause, at }) => `${code} ${clause} ${at}`);

test("the only match can be read by a rule and a stored field", async () => {
  expect((await make({ zone: "north", price: 20 })).record()).toMatchObject({ least: 10, again: 10 });
  expect(await refusals({ zone: "north", price: 21 })).toEqual(["TOO_DEAR 5.Trip.TOO_DEAR /zone"]);
});

test("no match and several are both refused, under the clause that asks", async () => {
  // The kept field and the rule look by the same field, so that one line says it.
  const once = ["NOT_ONE 3.Trip.least /zone"];
  expect(await refusals({ zone: "south", price: 1 })).toEqual(once);
  expect(await refusals({ zone: "twice", price: 1 })).toEqual(once);
  expect((await make({ zone: "south" })).problem()).toMatchObject({ status: 409, code: "NOT_ONE" });
});

test("an expression that is not reached is not evaluated", async () => {
  expect((await make({})).record()).toMatchObject({ least: null, again: null });
  // The `kept` field finds one record; the rule would search another if there were a price.
  expect((await make({ zone: "least" })).record()).toMatchObject({ least: 1 });
  expect(await refusals({ zone: "least", price: 1 })).toEqual(["NOT_ONE 5.Trip.TOO_DEAR /zone"]);
});

test("in a read-only expression the value is missing then, and nothing is refused", async () => {
  const id = (await make({ zone: "north" })).record().id;
  const second = (await ada.post("/api/rates", { zone: "north", most: 30 })).record().id;
  expect((await ada.get(`/api/trips/${id}`)).record()).toMatchObject({ least: 10, again: null });
  // A write of the record itself evaluates it again, whatever it changes.
  expect((await ada.patch(`/api/trips/${id}`, { days: 3 })).problem()).toMatchObject({ code: "NOT_ONE" });
  await ada.delete(`/api/rates/${second}`);
  expect((await ada.patch(`/api/trips/${id}`, { days: 3 })).record()).toMatchObject({ least: 10, again: 10 });
});

test("a required field that is set needs exactly one match", async () => {
  const close = async (id: string) => {
    const answer = await ada.post(`/api/trips/${id}/close`);
    return answer.status === 200 ? answer.record() : `${answer.problem().code} ${answer.problem().clause}`;
  };
  const rate = (await ada.post("/api/rates", { zone: "later", most: 2 })).record().id;
  const remaining = (await make({ zone: "later" })).record().id;
  await ada.delete(`/api/rates/${rate}`);
  // The rule of the field that searches for one explains the refusal, as without effects of the transition.
  expect(await close(remaining)).toBe("NOT_ONE 3.Trip.least");
  expect(await close((await make({})).record().id)).toBe("REQUIRED 3.Trip.most");
  const id = (await make({ zone: "north" })).record().id;
  expect(await close(id)).toBe("REQUIRED 3.Bill.most");
  await ada.post("/api/rates", { zone: "bills", most: 3 });
  expect(await close(id)).toMatchObject({ state: "closed", most: 10 });
  expect((await ada.get("/api/bills")).list().items).toMatchObject([{ most: 3 }]);
});
