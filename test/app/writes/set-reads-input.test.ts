import { beforeAll, describe, expect, test } from "vitest";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

const document = `
## 3. Entities
\`\`\`yaml
Carrier:
  label: "{name}"
  fields: { name: text, fee: integer }
Parcel:
  label: "{name}"
  fields:
    name: text
    carrier: Carrier?
    weight: { type: integer, default: 1 }
    note: text?
    double: { type: integer, computed: weight * 2 }
    times: { type: integer?, computed: "carrier == null ? null : carrier.fee * weight" }
    fee: integer?
    charged: integer?
    total: integer?
    was: text?
Round:
  label: "{name}"
  fields: { name: text, carrier: Carrier }
\`\`\`
## 4. States
\`\`\`yaml
Parcel:
  field: status
  states: [packed, sent, returned]
  transitions:
    send:
      from: [packed, sent]
      to: sent
      by: staff
      asks: [carrier, weight, note?]
      set: { fee: carrier.fee, charged: double, total: times, was: "note == null ? 'silent' : note" }
Round:
  after:
    create:
      - make: send
        of: "Parcel.filter(p, p.status == packed)"
        set: { carrier: carrier, weight: 7, note: name }
\`\`\`
## 5. Rules
\`\`\`yaml
Parcel:
  - { rule: "fee == null || fee < 100", else: TOO_DEAR }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions:
  Carrier: { read: staff, create: staff, update: staff }
  Parcel: { read: staff, create: staff, update: staff }
  Round: { read: staff, create: staff }
\`\`\`
## 8. Errors
\`\`\`yaml
TOO_DEAR: { status: 422, message: "{fee} is too much.", at: carrier }
\`\`\`
`;

let served: TestServer;
let ada: ApiClient;
let cheap: string;
let dear: string;
beforeAll(async () => {
  served = await serveText(document);
  ada = await served.person("Ada");
  cheap = (await ada.post("/api/carriers", { name: "Cheap", fee: 3 })).record().id;
  dear = (await ada.post("/api/carriers", { name: "Dear", fee: 50 })).record().id;
});

const sent = async (id: string, body: unknown) => {
  const answer = await ada.post(`/api/parcels/${id}/send`, body);
  expect([answer.status, answer.body]).toMatchObject([200, {}]);
  return answer.record();
};

describe("the fields that a transition sets", () => {
  test("are computed from its input, and from fields computed from that", async () => {
    const { id } = (await ada.post("/api/parcels", { name: "P", carrier: cheap, weight: 2, note: "old" })).record();
    expect(await sent(id, { carrier: dear, weight: 4, note: "new" })).toMatchObject({
      fee: 50,
      charged: 8,
      total: 200,
      was: "new",
    });
    // Omitted optional input leaves the field unchanged.
    expect(await sent(id, { carrier: cheap, weight: 5 })).toMatchObject({ fee: 3, charged: 10, total: 15, was: "new" });
  });
  test("are checked by the rules with their new values", async () => {
    const far = (await ada.post("/api/carriers", { name: "Far", fee: 500 })).record().id;
    const { id } = (await ada.post("/api/parcels", { name: "P", carrier: cheap })).record();
    const refused = await ada.post(`/api/parcels/${id}/send`, { carrier: far, weight: 1 });
    expect([refused.status, refused.body]).toMatchObject([422, { code: "TOO_DEAR", detail: "500 is too much." }]);
  });
  test("are computed from the values of an effect too", async () => {
    const { id } = (await ada.post("/api/parcels", { name: "P", carrier: cheap, weight: 2 })).record();
    expect((await ada.post("/api/rounds", { name: "Monday", carrier: dear })).status).toBe(201);
    expect((await ada.get(`/api/parcels/${id}`)).record()).toMatchObject({
      status: "sent",
      fee: 50,
      charged: 14,
      total: 350,
      was: "Monday",
    });
  });
});
