import { beforeAll, describe, expect, test } from "vitest";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

/* Rules that compare a record with itself before the write. */

const document = `
## 3. Entities
\`\`\`yaml
Claim:
  label: "{name}"
  fields:
    name: text
    amount: integer
    limit: { type: integer, default: 100 }
    double: { type: integer, computed: amount * 2 }
    lines: { list: Line.claim }
    total: { type: integer?, computed: "lines.map(l, l.cost).sum()" }
    approver: User?
Line:
  label: "{claim.name}"
  fields: { claim: { type: Claim, part of: true }, cost: integer }
Round:
  label: "{name}"
  fields: { name: text, amount: integer }
\`\`\`
## 4. States
\`\`\`yaml
Claim:
  field: status
  states: [open, paid, closed]
  transitions:
    pay:   { from: open, to: paid, by: staff, asks: amount }
    close: { from: [open, paid], to: closed, by: staff, asks: [amount?] }
Round:
  after:
    create:
      - { update: "Claim.filter(c, c.status == open)", set: { amount: amount } }
      - { update: "Claim.filter(c, c.status == open)", set: { limit: 50 } }
\`\`\`
## 5. Rules
\`\`\`yaml
Claim:
  - { rule: amount >= old.amount, else: ONLY_RISES }
  - { rule: limit == old.limit, when: old.status == paid, else: PAID_ALREADY }
  - { rule: approver == old.approver, when: old.approver != null, during: close, else: SAME_PERSON }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions:
  User: { read: { role: staff, fields: [name] } }
  Claim: { read: staff, create: staff, update: staff, delete: staff }
  Line: { read: staff, create: staff, update: staff, delete: staff }
  Round: { read: staff, create: staff }
\`\`\`
## 7. Calls
\`\`\`yaml
calls:
  POST /twice/{id}:
    do:
      - { update: Claim, takes: { first: amount } }
      - { update: Claim, takes: { then: amount } }
\`\`\`
## 8. Errors
\`\`\`yaml
ONLY_RISES: { message: "{amount} is less than {old.amount}.", at: amount }
PAID_ALREADY: { status: 409, message: "It is paid." }
SAME_PERSON: The person changed.
\`\`\`
`;

let desk: TestServer;
let ada: ApiClient;
beforeAll(async () => {
  desk = await serveText(document);
  ada = await desk.person("Ada");
});

const claim = async (amount: number) => (await ada.post("/api/claims", { name: "Desk", amount })).record();

describe("a rule with “old”", () => {
  test("refuses no creation", async () => expect(await claim(1)).toMatchObject({ amount: 1 }));

  test("compares a change with the values before it, and shows them", async () => {
    const { id } = await claim(5);
    const refused = await ada.patch(`/api/claims/${id}`, { amount: 4 });
    expect([refused.status, refused.body]).toMatchObject([
      422,
      { errors: [{ at: "/amount", clause: "5.Claim.ONLY_RISES", message: "4 is less than 5." }] },
    ]);
    expect((await ada.patch(`/api/claims/${id}`, { amount: 5, name: "Chair" })).status).toBe(200);
    expect((await ada.patch(`/api/claims/${id}`, { amount: 7 })).record()).toMatchObject({ amount: 7, double: 14 });
  });

  test("compares a transition with the state and the values before it", async () => {
    const { id } = await claim(5);
    expect((await ada.post(`/api/claims/${id}/pay`, { amount: 3 })).problem()).toMatchObject({ code: "ONLY_RISES" });
    expect((await ada.patch(`/api/claims/${id}`, { limit: 90 })).status).toBe(200);
    expect((await ada.post(`/api/claims/${id}/pay`, { amount: 6 })).status).toBe(200);
    expect((await ada.patch(`/api/claims/${id}`, { limit: 80 })).problem()).toMatchObject({ code: "PAID_ALREADY" });
    expect((await ada.patch(`/api/claims/${id}`, { name: "Sofa" })).status).toBe(200);
  });

  test("compares what effects wrote with the record before the request", async () => {
    const { id } = await claim(5);
    const fewer = await ada.post("/api/rounds", { name: "R", amount: 2 });
    expect([fewer.status, fewer.body]).toMatchObject([422, { code: "ONLY_RISES", detail: "2 is less than 5." }]);
    expect((await ada.get(`/api/claims/${id}`)).record()).toMatchObject({ amount: 5, limit: 100 });
    expect((await ada.post("/api/rounds", { name: "R", amount: 1000 })).status).toBe(201);
    expect((await ada.get(`/api/claims/${id}`)).record()).toMatchObject({ amount: 1000, limit: 50 });
  });

  test("holds with the parts that are written with the record", async () => {
    const { id } = await claim(2000);
    const lines = [{ cost: 3 }];
    expect((await ada.patch(`/api/claims/${id}`, { amount: 1, lines })).problem()).toMatchObject({
      code: "ONLY_RISES",
    });
    expect((await ada.patch(`/api/claims/${id}`, { amount: 2001, lines })).status).toBe(200);
  });

  test("compares the steps of a call with the record before the call", async () => {
    const { id } = await claim(2100);
    const twice = (first: number, then: number) => ada.post(`/api/twice/${id}`, { first, then });
    expect((await twice(2200, 2099)).status).toBe(422);
    expect((await twice(2000, 2150)).status).toBe(200);
    expect((await twice(2200, 2160)).status).toBe(200);
    expect((await ada.get(`/api/claims/${id}`)).record()).toMatchObject({ amount: 2160 });
  });

  test("holds for changes at the same time: each is compared with the record that it replaces", async () => {
    const { id } = await claim(3000);
    const rises = Array.from({ length: 24 }, (_, i) => 3000 + ((i * 7) % 24));
    const answers = await Promise.all(rises.map((amount) => ada.patch(`/api/claims/${id}`, { amount })));
    expect(answers.map(({ status }) => status).filter((status) => status !== 200 && status !== 422)).toEqual([]);
    expect((await ada.get(`/api/claims/${id}`)).record()).toMatchObject({ amount: 3023 });
    const lines = (await ada.get(`/api/claims/${id}/history`)).history().toReversed();
    const steps = lines.flatMap(({ changes }) => changes.filter(({ field }) => field === "amount"));
    for (const { before, after } of steps.slice(1)) expect(Number(after)).toBeGreaterThan(Number(before));
  });

  test("is explained with the values before it", async () => {
    const { id } = await claim(5000);
    const why = await ada.get(`/api/why?do=Claim.pay&record=${id}`);
    const musts = [{ clause: "5.Claim.ONLY_RISES", later: true, says: "the amount is at least the amount as it was" }];
    expect(why.body).toMatchObject({
      musts: expect.arrayContaining(musts.map((one) => expect.objectContaining(one))),
    });
  });
});
