import { expect, test } from "vitest";
import { type RefusedTransition, Timers } from "../../../src/jobs/timers.ts";
import { serveText } from "../program.ts";

/* Reminders happen once for each record and moment. */

const text = `
## 1. Purpose
\`\`\`yaml
timezone: Europe/Berlin
\`\`\`
## 3. Entities
\`\`\`yaml
Loan:
  label: "{thing}"
  fields:
    thing: text
    borrower: { type: User, set: user }
    due: date?
    meets: datetime?
\`\`\`
## 4. States
\`\`\`yaml
Loan:
  field: status
  states: [lent, back]
  transitions: { give_back: { from: lent, to: back, by: staff } }
  remind:
    due_soon: { on: due - notice, when: status == lent, notify: borrower, text: "{thing} is due on {due}." }
    late: { on: due + 1 day, when: status == lent, notify: borrower, text: "{thing} was due on {due}." }
    meeting: { on: meets - 2 hours, notify: borrower, text: "{thing} at {meets}." }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions: { Loan: { read: staff, create: staff, update: staff, delete: staff } }
\`\`\`
## 9. Limits
\`\`\`yaml
notice: 1 day
\`\`\`
`;

const setUp = async (written = text) => {
  const served = await serveText(written);
  const ada = await served.person("Ada", []);
  const refused: RefusedTransition<{ readonly code: string }>[] = [];
  const startTimers = () => new Timers<{ readonly code: string }>((what) => void refused.push(what));
  const timers = startTimers();
  const run = (time: string, by = timers) => by.run(served.opened.service, new Date(time));
  await run("2031-03-01T12:00:00Z");
  const told = async (): Promise<readonly string[]> => {
    const { rows } = await served.database.query("select text from ninefold.notification order by at, text");
    return rows.map((row) => String(row.text));
  };
  /** The notifications up to a time. */
  const at = async (time: string, by = timers): Promise<readonly string[]> => {
    const before = (await told()).length;
    await run(time, by);
    return (await told()).slice(before);
  };
  const lend = async (record: object) => (await ada.post("/api/loans", record)).record().id;
  return { served, ada, at, lend, told, run, startTimers, refused };
};

test("a reminder is sent once, in the morning of its day, and again if the day changes", async () => {
  const { ada, at, lend } = await setUp();
  const drill = await lend({ thing: "Drill", due: "2031-03-05" });
  expect(await at("2031-03-04T06:59:00Z")).toEqual([]);
  expect(await at("2031-03-04T07:00:01Z")).toEqual(["Drill is due on 5 Mar 2031."]);
  expect(await at("2031-03-04T07:00:03Z")).toEqual([]);
  await ada.patch(`/api/loans/${drill}`, { due: "2031-03-09" });
  expect(await at("2031-03-06T12:00:00Z")).toEqual([]);
  expect(await at("2031-03-08T12:00:00Z")).toEqual(["Drill is due on 9 Mar 2031."]);
  await ada.post(`/api/loans/${drill}/give_back`, {});
  expect(await at("2031-03-12T12:00:00Z")).toEqual([]);
});
