import { beforeAll, describe, expect, test } from "vitest";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

const document = `
## 3. Entities
\`\`\`yaml
Job:
  label: "{name}"
  fields:
    name: text
    begins: { type: date, default: today }
    due: { type: date, default: begins + 2 days, max: 2100-12-31 }
    size: { type: integer?, default: "size(name)", max: 9.5 }
    at: { type: datetime?, max: 2100-12-31 }
    open: { type: time?, min: "08:00" }
    lasts: { type: duration?, max: 14 days }
    code: { type: text?, min: 3, max: 5 }
    mail: { type: email?, max: 20 }
    tags: { type: text, many: true, max: 4 }
    price: { type: decimal?, min: 1, max: 10 }
\`\`\`
## 4. States
\`\`\`yaml
Job:
  field: status
  states: [new, moved]
  transitions:
    move:
      from: [new, moved]
      to: moved
      by: staff
      asks:
        day: { type: date?, default: due }
        instant: datetime?
        hour: time?
        days: duration?
        number: integer?
        word: text?
        address: email?
        words: { type: text, many: true }
        amount: decimal?
      set:
        { due: day, at: instant, open: hour, lasts: days, size: number, code: word, mail: address, tags: words, price: amount }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions:
  Job: { read: staff, create: staff, update: staff }
\`\`\`
`;

let served: TestServer;
let ada: ApiClient;
beforeAll(async () => {
  served = await serveText(document);
  ada = await served.person("Ada");
});

const create = (body: object) => ada.post("/api/jobs", { name: "Job", ...body });

const move = async (body: object) => {
  const { id } = (await create({})).record();
  return ada.post(`/api/jobs/${id}/move`, { day: "2030-01-01", words: ["one"], ...body });
};

describe("the bounds of a field hold for a value that", () => {
  test.each([
    [{ day: "2100-12-31" }, { day: "2101-01-01" }, "TOO_LARGE", "/due"],
    [{ instant: "2100-12-31T00:00:00Z" }, { instant: "2100-12-31T00:00:01Z" }, "TOO_LARGE", "/at"],
    [{ hour: "08:00" }, { hour: "07:59" }, "TOO_SMALL", "/open"],
    [{ days: "P14D" }, { days: "P14DT1H" }, "TOO_LARGE", "/lasts"],
    [{ number: 9 }, { number: 10 }, "TOO_LARGE", "/size"],
    [{ word: "abcde" }, { word: "abcdef" }, "TOO_LONG", "/code"],
    [{ word: "äöü" }, { word: "äö" }, "TOO_SHORT", "/code"],
    [{ address: "ada@office.example" }, { address: "ada@large-office.example" }, "TOO_LONG", "/mail"],
    [{ words: ["four", "one"] }, { words: ["one", "three"] }, "TOO_LONG", "/tags"],
    [{ amount: "10" }, { amount: "10.01" }, "TOO_LARGE", "/price"],
    [{ amount: "1" }, { amount: "0.99" }, "TOO_SMALL", "/price"],
  ])("a transition sets: %j, not %j", async (within, beyond, code, at) => {
    expect(await move(within)).toMatchObject({ status: 200 });
    const refused = await move(beyond);
    expect([refused.status, refused.body]).toMatchObject([422, { code, errors: [{ code, at }] }]);
  });
  test("is a default that reads the record", async () => {
    expect(await create({ begins: "2100-12-29" })).toMatchObject({ status: 201 });
    const refused = await create({ begins: "2100-12-30" });
    expect([refused.status, refused.body]).toMatchObject([422, { errors: [{ code: "TOO_LARGE", at: "/due" }] }]);
    expect(await create({ begins: "2100-12-30", due: "2100-12-31" })).toMatchObject({ status: 201 });
    expect(await create({ name: "A long name" })).toMatchObject({ status: 422 });
  });
});
