import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import type { HistoryLine } from "../../../src/core/wire/history.ts";
import type { RecordJson } from "../../../src/core/wire/records.ts";
import { type ApiClient, example, serveText, type TestServer } from "../program.ts";

/* A history line contains only data of the record that its reader can read now and could read then. */

const historyOf = async (somebody: ApiClient, path: string): Promise<readonly HistoryLine[]> =>
  (await somebody.get(`${path}/history`)).history();
const actionsOf = (lines: readonly HistoryLine[]) => lines.map(({ action }) => action);

describe("the history of a leave request", () => {
  let desk: TestServer;
  let payroll: ApiClient;
  let manager: ApiClient & { readonly id: string };
  let employee: ApiClient & { readonly id: string };
  let colleague: ApiClient & { readonly id: string };
  let sick: RecordJson;
  let holiday: RecordJson;

  beforeAll(async () => {
    desk = await serveText(readFileSync(example("leave-desk"), "utf8"));
    payroll = await desk.person("Paula", ["payroll"]);
    manager = await desk.person("Mara");
    employee = await desk.person("Emil");
    colleague = await desk.person("Cora");
    for (const { id } of [employee, colleague]) {
      const { version } = (await payroll.get(`/api/users/${id}`)).record();
      await payroll.patch(`/api/users/${id}`, { manager: manager.id }, { "if-match": `"${version}"` });
    }
    const request = async (kind: string, day: string) =>
      (await employee.post("/api/requests", { kind, first_day: day, last_day: day })).record();
    const year = new Date().getFullYear() + 1;
    sick = await request("sick", `${year}-03-02`);
    holiday = await request("holiday", `${year}-03-03`);
    const makes = async (who: ApiClient, { id }: RecordJson, action: string) => {
      const created = await who.post(`/api/requests/${id}/${action}`, {});
      expect(created.status, created.text).toBe(200);
    };
    await makes(employee, sick, "report");
    await makes(employee, holiday, "submit");
    await makes(manager, holiday, "grant");
    await makes(payroll, sick, "book");
    await makes(payroll, holiday, "book");
  });

  const path = ({ id }: RecordJson) => `/api/requests/${id}`;

  test("shows a colleague neither the reason of an absence nor who approved it, nor when", async () => {
    const [ofSick, ofHoliday] = [await historyOf(colleague, path(sick)), await historyOf(colleague, path(holiday))];
    const without = (lines: readonly HistoryLine[]) => lines.map(({ at: _, ...line }) => line);
    expect(without(ofSick)).toEqual(without(ofHoliday));
    expect(actionsOf(ofSick)).toEqual(["book", undefined]);
    // A change that made the record visible shows only the resulting values.
    expect(ofHoliday[1]).toEqual({ changes: [{ field: "status", after: "granted" }] });
    expect(ofHoliday[0]).toMatchObject({ clause: "4.Request.book", person: { label: "Paula" } });
    expect(JSON.stringify([ofSick, ofHoliday])).not.toMatch(/report|4\.Request\.grant|submit|draft|Mara/u);
  });

  test("shows all of it to the employee", async () => {
    const lines = await historyOf(employee, path(holiday));
    expect(actionsOf(lines)).toEqual(["book", "grant", "submit", "create"]);
    expect(lines.map(({ person }) => person?.label)).toEqual(["Paula", "Mara", "Emil", "Emil"]);
    expect(lines.every(({ at, clause }) => at !== undefined && clause !== undefined)).toBe(true);
    expect(actionsOf(await historyOf(employee, path(sick)))).toEqual(["book", "report", "create"]);
  });

  test("of a person is visible to themselves and others by any permission", async () => {
    for (const who of [employee, colleague, manager, payroll])
      expect(actionsOf(await historyOf(who, `/api/users/${employee.id}`)).at(-1)).toBe("create");
  });

  test("starts for a manager when the request was submitted, and for payroll when it reached them", async () => {
    expect(actionsOf(await historyOf(manager, path(holiday)))).toEqual(["book", "grant", "submit"]);
    expect(actionsOf(await historyOf(manager, path(sick)))).toEqual(["book", "report"]);
    const [, first, ...others] = await historyOf(payroll, path(holiday));
    expect(first).toMatchObject({ action: "grant", person: { label: "Mara" } });
    expect(others).toEqual([]);
    expect(actionsOf(await historyOf(payroll, path(sick)))).toEqual(["book", "report"]);
  });
});

describe("a line of history shows", () => {
  const text = `# Desk

## 3. Entities and their fields
\`\`\`yaml
Case:
  label: "{title}"
  fields:
    title: { type: text, max: 40 }
    owner: { type: User, set: user }
    secret: boolean
    urgent: boolean
    seen_at: datetime?
    handler: User?
    copies: { list: Copy.of }
Copy:
  label: "{title}"
  fields: { of: Case, title: text, stamp: { type: integer, default: 0 } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Case:
  field: status
  initial: open
  states: [open, taken, shut]
  transitions:
    take:  { from: open, to: taken, by: clerk, set: { handler: user } }
    look:  { from: taken, to: taken, by: clerk, set: { seen_at: now } }
    hurry: { from: taken, to: taken, by: clerk, set: { urgent: "true" } }
    close: { from: taken, to: shut, by: clerk, when: "!secret" }
    hide:  { from: taken, to: shut, by: clerk, when: secret }
  after:
    look:
      - { create: Copy, set: { of: this, title: title } }
    hide:
      - { update: "Copy.filter(c, c.of == this)", set: { stamp: "1" } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { staff: { members: signed in }, clerk: { members: granted }, Case: { owner: "owner == user" } }
permissions:
  User: { read: [{ role: staff, fields: [name] }] }
  Case:
    read: [clerk, { role: staff, fields: [title, status, copies] }]
    create: [{ role: staff, fields: [title, secret] }]
    update: [{ role: owner, fields: [title] }]
  Copy: { read: [staff] }
\`\`\`
`;
  let desk: TestServer;
  let clerk: ApiClient;
  let owner: ApiClient;
  let other: ApiClient;
  let record: RecordJson;
  let theirs: readonly HistoryLine[];

  beforeAll(async () => {
    desk = await serveText(text);
    clerk = await desk.person("Clara", ["clerk"]);
    owner = await desk.person("Olga");
    other = await desk.person("Otto");
    const { id } = (await owner.post("/api/cases", { title: "One", secret: true })).body as RecordJson;
    const { version } = (await clerk.get(`/api/cases/${id}`)).record();
    await owner.patch(`/api/cases/${id}`, { title: "Two" }, { "if-match": `"${version}"` });
    for (const action of ["take", "look", "hurry", "hide"])
      expect((await clerk.post(`/api/cases/${id}/${action}`, {})).status).toBe(200);
    record = (await clerk.get(`/api/cases/${id}`)).record();
    theirs = await historyOf(other, `/api/cases/${id}`);
  });

  test("everything to a reader of all fields", async () => {
    const lines = await historyOf(clerk, `/api/cases/${record.id}`);
    expect(actionsOf(lines)).toEqual(["hide", "hurry", "look", "take", "update", "create"]);
    expect(lines.map(({ person }) => person?.label)).toEqual(["Clara", "Clara", "Clara", "Clara", "Olga", "Olga"]);
    expect(lines.every(({ at }) => at !== undefined)).toBe(true);
  });

  test("no person, if a hidden field or the permitting role reveals it", () => {
    const [create, update, take] = theirs.toReversed();
    expect(create).toMatchObject({ action: "create", at: expect.any(String) });
    expect(create).not.toHaveProperty("person");
    expect(update).toMatchObject({ action: "update", changes: [{ field: "title", before: "One", after: "Two" }] });
    expect(update).not.toHaveProperty("person");
    expect(take).toMatchObject({ action: "take", clause: "4.Case.take" });
    expect(take).not.toHaveProperty("person");
  });

  test("no time, if a hidden field was set to it", () => {
    const look = theirs.find(({ action }) => action === "look");
    expect(look).toMatchObject({ person: { label: "Clara" } });
    expect(look).not.toHaveProperty("at");
  });

  test("no action, if it reveals a hidden field", () => {
    expect(actionsOf(theirs)).toEqual([undefined, "look", "take", "update", "create"]);
    expect(theirs[0]).toEqual({ changes: [{ field: "status", before: "taken", after: "shut" }] });
  });

  test("no cause, if it is hidden", async () => {
    const [copy] = (await clerk.get("/api/copies")).list().items;
    const [full] = await historyOf(clerk, `/api/copies/${copy?.id}`);
    expect(full).toMatchObject({ action: "update", cause: { action: "hide" }, clause: "4.Case.after.hide.1" });
    const [line, created] = await historyOf(other, `/api/copies/${copy?.id}`);
    expect(line).toEqual({ action: "update", changes: [{ field: "stamp", before: 0, after: 1 }] });
    expect(created).toMatchObject({ action: "create", cause: { action: "look" }, person: { label: "Clara" } });
  });
});
