import { describe, expect, test } from "vitest";
import { serveText } from "./program.ts";

/** A small leave desk: what is taken, against what a person may take. */
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
  test("counts the record as it would be, and says what it counted", async () => {
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
  test("that holds always is judged where what it reads changes", async () => {
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
