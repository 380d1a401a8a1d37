import { expect, test } from "vitest";
import { complaints, visitWith } from "../../web/browser.ts";
import { serveText } from "../program.ts";

/* The page of a record shows its next reminder, to those who can read what it depends on. */

const desk = `
# Loans

## 1. What the product does
\`\`\`yaml
locale: en-GB
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Loan:
  label: "{thing}"
  fields: { thing: text, borrower: { type: User, set: user }, due: { type: date, default: today + 30 days } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Loan:
  states: [lent, back]
  final: back
  transitions: { take_back: { from: lent, to: back, by: staff } }
  remind:
    due_soon: { on: "due - 1 day", when: "state == lent", notify: borrower, text: "{thing} is due on {due}." }
    overdue: { on: "due + 1 day", when: "state == lent", notify: borrower, text: "{thing} was due on {due}." }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { staff: { members: signed in }, guest: { members: granted } }
permissions:
  User: { read: { role: staff, fields: [name] } }
  Loan: { read: staff, create: staff, update: staff }
\`\`\`
`;

test("the next reminder is on the page while its condition holds", async () => {
  const served = await serveText(desk);
  const url = await served.listen();
  const [ada, ben] = [await served.person("Ada"), await served.person("Ben")];
  const { id } = (await ada.post("/api/loans", { thing: "Drill" })).record();
  const ahead = async () => (await ben.get(`/api/loans/${id}?label=true`)).record()._ahead;
  expect(Object.keys((await ahead()) ?? {})).toEqual(["remind.due_soon", "remind.overdue"]);
  const own = await visitWith(url, ada.cookie(), { path: `/loans/${id}` });
  await own.getByText(/^Reminds you on \d+ \w+ \d{4}$/u).waitFor();
  const other = await visitWith(url, ben.cookie(), { path: `/loans/${id}`, width: 390 });
  await other.getByText(/^Reminds Ada on \d+ \w+ \d{4}$/u).waitFor();
  expect((await ben.post(`/api/loans/${id}/take_back`, {})).status).toBe(200);
  expect(await ahead()).toBeUndefined();
  await other.getByText(/^Reminds/u).waitFor({ state: "detached" });
  expect([...complaints(own), ...complaints(other)]).toEqual([]);
});
