import { describe, expect, test } from "vitest";
import { serveText } from "../program.ts";

/** A small leave desk: days taken, compared with the person's allowance. */
const leave = `
## 3. Entities
\`\`\`yaml
User:
  fields:
    allowance: { type: integer, default: 30 }
Request:
  label: "{days} days"
  fields:
    employee: { type: User, set: user }
    days: integer
\`\`\`
## 4. States
\`\`\`yaml
Request:
  field: status
  states: [draft, submitted, granted]
  transitions:
    submit: { from: draft, to: submitted, by: staff }
    grant: { from: submitted, to: granted, by: staff }
\`\`\`
## 5. Rules
\`\`\`yaml
Request:
  - with:
      taken: |
        Request.filter(r, r.employee == employee && r.status in [submitted, granted]).map(r, r.days).sum()
    rule: "taken <= employee.allowance"
    during: [submit, grant]
    else: ALLOWANCE_SPENT
User:
  - rule: "Request.filter(r, r.employee == this && r.status in [submitted, granted]).map(r, r.days).sum() <= allowance"
    always: true
    else: ALREADY_TAKEN
\`\`\`
## 6. Roles
\`\`\`yaml
roles:
  staff: { members: signed in }
  payroll: { members: granted }
permissions:
  User: { read: [staff], update: [{ role: payroll, fields: [allowance] }] }
  Request: { read: [staff], create: [staff], update: [staff], delete: [staff] }
\`\`\`
## 8. Errors
\`\`\`yaml
ALLOWANCE_SPENT: { status: 409, message: "That makes {taken} days, more than {employee.allowance}." }
ALREADY_TAKEN: { status: 409, message: "{name} has taken more than {allowance} days." }
\`\`\`
`;

describe("a rule that reads other records", () => {
  test("counts the record as it would be, and shows the count", async () => {
    const desk = await serveText(leave);
    const ada = await desk.person("Ada");
    const request = async (days: number) => (await ada.post("/api/requests", { days })).record().id;
    const [first, second, third] = [await request(20), await request(10), await request(1)];
    expect((await ada.post(`/api/requests/${first}/submit`)).status).toBe(200);
    expect((await ada.post(`/api/requests/${second}/submit`)).status).toBe(200);
    expect((await ada.post(`/api/requests/${third}/submit`)).problem()).toMatchObject({
      status: 409,
      errors: [
        { code: "ALLOWANCE_SPENT", clause: "5.Request.ALLOWANCE_SPENT", message: "That makes 31 days, more than 30." },
        { code: "ALREADY_TAKEN", clause: "5.User.ALREADY_TAKEN", message: "Ada has taken more than 30 days." },
      ],
    });
  });
  test("that always applies is checked when the values that it reads change", async () => {
    const desk = await serveText(leave);
    const [ada, pay] = [await desk.person("Ada"), await desk.person("Pay", ["payroll"])];
    const id = (await ada.post("/api/requests", { days: 20 })).record().id;
    await ada.post(`/api/requests/${id}/submit`);
    expect((await pay.patch(`/api/users/${ada.id}`, { allowance: 19 })).problem()).toMatchObject({
      code: "ALREADY_TAKEN",
    });
    expect((await pay.patch(`/api/users/${ada.id}`, { allowance: 20 })).status).toBe(200);
    expect((await ada.patch(`/api/requests/${id}`, { days: 21 })).problem()).toMatchObject({
      code: "ALREADY_TAKEN",
      detail: "Ada has taken more than 20 days.",
    });
    expect((await ada.delete(`/api/requests/${id}`)).status).toBe(204);
  });
});

describe("a rule that reads the parts of its record", () => {
  test("is checked when a part is created, changed or deleted", async () => {
    const desk = await serveText(`
## 3. Entities
\`\`\`yaml
Order:
  fields: { name: text, limit: integer, lines: { list: Line.order } }
Line:
  label: "{amount}"
  fields: { order: { type: Order, part of: true }, amount: integer }
\`\`\`
## 5. Rules
\`\`\`yaml
Order:
  - { rule: "lines.map(l, l.amount).sum() <= limit", else: TOO_MUCH }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions:
  Order: { read: [staff], create: [staff], update: [staff] }
  Line: { read: [staff], create: [staff], update: [staff], delete: [staff] }
\`\`\`
## 8. Errors
\`\`\`yaml
TOO_MUCH: { status: 409, message: "{name} may have {limit} at most." }
\`\`\`
`);
    const ada = await desk.person("Ada");
    const order = (await ada.post("/api/orders", { name: "Paper", limit: 10 })).record().id;
    const line = (await ada.post("/api/lines", { order, amount: 7 })).record().id;
    const tooMuch = { status: 409, clause: "5.Order.TOO_MUCH", detail: "Paper may have 10 at most." };
    expect((await ada.post("/api/lines", { order, amount: 4 })).problem()).toMatchObject(tooMuch);
    expect((await ada.patch(`/api/lines/${line}`, { amount: 11 })).problem()).toMatchObject(tooMuch);
    expect((await ada.patch(`/api/orders/${order}`, { limit: 6 })).problem()).toMatchObject({ status: 409 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => ada.post("/api/lines", { order, amount: 1 })));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    expect((await ada.delete(`/api/lines/${line}`)).status).toBe(204);
  });
});

describe("any series of writes", () => {
  /** A random number generator with a seed (mulberry32). */
  const randomFrom = (seed: number) => {
    let state = seed;
    return (below: number): number => {
      state = (state + 0x6d2b79f5) | 0;
      let t = Math.imul(state ^ (state >>> 15), 1 | state);
      t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
      return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4_294_967_296) * below);
    };
  };
  const counts = (status: string) => status !== "draft";

  test.each([1, 2, 3])(
    "is accepted or refused as a naive model predicts, with the same result (seed %i)",
    async (seed) => {
      const random = randomFrom(seed);
      const desk = await serveText(leave);
      const pay = await desk.person("Pay", ["payroll"]);
      const people = [await desk.person("Ada"), await desk.person("Bob")];
      const allowances = new Map(people.map(({ id }) => [id, 30]));
      const requests = new Map<string, { readonly employee: string; readonly days: number; readonly status: string }>();
      const holds = (employee: string) =>
        [...requests.values()]
          .filter((one) => one.employee === employee && counts(one.status))
          .reduce((sum, one) => sum + one.days, 0) <= (allowances.get(employee) ?? 0);
      let [count, refused] = [0, 0];
      for (let step = 0; step < 120; step++) {
        const ids = [...requests.keys()];
        const id = ids[random(Math.max(1, ids.length))] ?? "";
        const before = requests.get(id);
        const person = people[random(people.length)];
        if (person === undefined) throw new Error("nobody");
        const days = 1 + random(12);
        const kind = before === undefined ? 0 : random(7);
        // The naive model makes the change, and undoes it if the rule is violated.
        const undo = { requests: new Map(requests), allowances: new Map(allowances) };
        let allowed = true;
        let answer: { readonly status: number };
        if (before === undefined || kind <= 1) {
          answer = await person.post("/api/requests", { days });
          const created = (answer as Awaited<ReturnType<typeof person.post>>).record().id;
          requests.set(created, { employee: person.id, days, status: "draft" });
        } else if (kind === 2) {
          const allowance = random(40);
          allowances.set(person.id, allowance);
          answer = await pay.patch(`/api/users/${person.id}`, { allowance });
        } else if (kind === 3) {
          requests.set(id, { ...before, days });
          answer = await person.patch(`/api/requests/${id}`, { days });
        } else if (kind === 4) {
          requests.delete(id);
          answer = await person.delete(`/api/requests/${id}`);
        } else {
          const [from, to, name] =
            before.status === "draft" ? ["draft", "submitted", "submit"] : ["submitted", "granted", "grant"];
          allowed = before.status === from;
          requests.set(id, { ...before, status: to ?? "" });
          answer = await person.post(`/api/requests/${id}/${name}`);
        }
        allowed &&= [...allowances.keys()].every(holds);
        expect([200, 201, 204].includes(answer.status), `step ${step}`).toBe(allowed);
        if (allowed) count++;
        else {
          refused++;
          for (const [key, value] of undo.allowances) allowances.set(key, value);
          requests.clear();
          for (const [key, value] of undo.requests) requests.set(key, value);
        }
      }
      const { rows } = await desk.database.query("select id, employee, days::int as days, status from app.request");
      expect(new Map(rows.map(({ id, ...rest }) => [id, rest]))).toEqual(requests);
      // A program that refused everything or nothing would prove nothing.
      expect(count).toBeGreaterThan(20);
      expect(refused).toBeGreaterThan(5);
    },
  );
});
