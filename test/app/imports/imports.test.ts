import { beforeAll, describe, expect, test } from "vitest";
import type { ImportJson } from "../../../src/core/wire/imports.ts";
import { waitUntil } from "../../wait.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

const text = `# Desk

## 1. What the product does and for whom

Lending.

\`\`\`yaml
ninefold: 1
name: Desk
timezone: Europe/Berlin
\`\`\`

## 3. Entities and their fields

\`\`\`yaml
Thing:
  label: "{name}"
  fields:
    number: { type: text, unique: true }
    name: text
    kind: { type: choice?, values: [hand_tool, machine] }
    price: money?
    secret: boolean
    bought_on: date?
    owner: User?
    loans: { list: Loan.thing }
Loan:
  fields:
    thing: Thing
    from: date
    until: date
Task:
  label: "{title}"
  fields:
    title: { type: text, unique: true }
    part_of: Task?
    reason: text?
Kit:
  label: "{name}"
  fields:
    name: { type: text, unique: true }
    items: { list: Item.kit }
Claim:
  label: "{number} {about}"
  fields:
    number: { type: sequence, pattern: "C-{n:3}", unique: true }
    about: text
    kind: { type: choice, values: [travel, meal] }
Item:
  fields:
    kit: { type: Kit, part of: true }
    name: text
    amount: integer
\`\`\`

## 4. States and transitions

\`\`\`yaml
Task:
  field: status
  states: [open, doing, { done: { title: Finished } }, dropped, forgotten]
  final: [done, dropped, forgotten]
  transitions:
    start: { from: open, to: doing, by: member }
    back: { from: doing, to: open, by: member }
    finish: { from: doing, to: done, by: keeper }
    drop: { from: [open, doing], to: dropped, by: member, asks: [reason, { waste: { type: integer?, min: 1 } }] }
    forget: { from: open, to: forgotten, timeout: 1 year }
\`\`\`

## 5. Validation rules

\`\`\`yaml
Loan:
  - { rule: until >= from, else: ENDS_BEFORE_IT_STARTS }
  - { no overlap: [from, until], within: thing, else: ON_LOAN }
Item:
  - { rule: amount <= 100, else: TOO_MANY_IN_KIT }
\`\`\`

## 6. Roles and permissions

\`\`\`yaml
roles: { member: signed in, keeper: granted }
permissions:
  User: { read: [member] }
  Thing:
    read: [keeper, { role: member, when: "!secret" }]
    create: [keeper]
    update: [keeper]
    delete: [keeper]
  Loan:
    read: [member]
    create: [member]
    delete: [keeper]
  Claim:
    read: [member]
    create: [member]
    update: [member]
  Kit:
    read: [member]
    create: [keeper]
    update: [keeper]
  Item:
    read: [member]
    create: [keeper]
    update: [keeper]
    delete: [keeper]
  Task:
    read: [member]
    create: { role: member, fields: [title, part_of] }
    update: { role: member, fields: [title, part_of] }
    delete: [member]
\`\`\`

## 8. Error catalogue

\`\`\`yaml
ENDS_BEFORE_IT_STARTS: { status: 422, message: "A loan ends on {until}, before it starts." }
TOO_MANY_IN_KIT: { status: 422, message: "{amount} is more than fits." }
ON_LOAN: { status: 409, message: "The thing is on loan then." }
\`\`\`
`;

let desk: TestServer;
let keeper: ApiClient;
let member: ApiClient;

beforeAll(async () => {
  desk = await serveText(text);
  keeper = await desk.person("Kim Keeper", ["keeper"]);
  member = await desk.person("Mo Member");
});

const upload = (who: ApiClient, path: string, content: string | Buffer, query = "") =>
  who.send("POST", `/api/${path}/import?name=x.csv${query}`, undefined, {
    raw: content,
    headers: { "content-type": "text/csv" },
  });

/** Waits until the import is no longer at work. */
const settled = async (who: ApiClient, path: string, id: string): Promise<ImportJson> => {
  let job: ImportJson | undefined;
  await waitUntil(async () => {
    job = (await who.get(`/api/${path}/import/${id}`)).body as ImportJson;
    return !["checking", "running", "undoing"].includes(job.state);
  }, "the import ends");
  return job as unknown as ImportJson;
};

const started = async (who: ApiClient, path: string, content: string | Buffer, query = ""): Promise<ImportJson> => {
  const answer = await upload(who, path, content, query);
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
  return settled(who, path, (answer.body as ImportJson).id);
};

test("an export of durations has times and words, and an import reads them back", async () => {
  const trips = await serveText(`# Fahrten

## 1. Produkt
\`\`\`yaml
locale: de-DE
\`\`\`

## 3. Entitäten
\`\`\`yaml
Trip: { fields: { name: text, took: duration, breaks: { type: duration, many: true } } }
\`\`\`

## 6. Rollen
\`\`\`yaml
roles: { driver: signed in }
permissions: { Trip: { read: [driver], create: [driver], delete: [driver] } }
\`\`\`
`);
  const ada = await trips.person("Ada");
  const durations = [
    ["PT0S", "0:00:00"],
    ["PT36H30M", "36:30:00"],
    ["PT1.5S", "0:00:01.500"],
    ["P14D", "14 Tage"],
    ["P1Y1M", '"1 Jahr, 1 Monat"'],
    ["P1M14DT2H", '"1 Monat, 14 Tage, 2 Stunden"'],
    ["P1000D", "1000 Tage"],
    ["P1DT0.25S", "P1DT0.25S"],
  ] as const;
  for (const [at, [took]] of durations.entries())
    await ada.post("/api/trips", { name: String(at), took, breaks: [took, "PT15M"] });
  const file = (await ada.get("/_/export/trips.csv?columns=name,took,breaks&sort=name")).text;
  const lines = file.split("\r\n").slice(1, -1);
  expect(lines.map((line) => line.slice(2).replace(/,(?:"[^"]*"|[^",]*)$/u, ""))).toEqual(
    durations.map(([, cell]) => cell),
  );
  expect(lines[1]).toBe("1,36:30:00,36:30:00; 0:15:00");
  const all = async () =>
    (await ada.get("/api/trips?sort=name"))
      .list()
      .items.map(({ id, name, took, breaks }) => ({ id, name, took, breaks }));
  const before = await all();
  for (const { id } of before) await ada.delete(`/api/trips/${id}`);
  expect(await started(ada, "trips", file, "&then=run")).toMatchObject({ state: "done", added: 8, refused: 0 });
  const without = (rows: typeof before) => rows.map(({ id: _, ...values }) => values);
  expect(without(await all())).toEqual(without(before));
});

const things = `Number;Name;Kind;Price (EUR);Bought on;Owner
A-1;Bohrer;Hand tool;1.234,50;31.12.2025;Kim Keeper
A-2;Säge;machine;12,00;01.02.2026;kim.keeper@example.com
A-3;Wagen;boat;3,00;03.02.2026;
A-3;Zweiter;;;;Nobody
Total;;;;;
`;

test("an exported table, corrected, finds its records by a number that nobody can write", async () => {
  for (const about of ["Train", "Lunch"]) await member.post("/api/claims", { about, kind: "travel" });
  const corrected = "Number,About,Kind\nC-001,Train,Travel\nC-002,Lunch,Meal\n";
  const added = await started(member, "claims", corrected, "&then=check");
  expect(added.fields.find(({ name }) => name === "number")).toMatchObject({ required: false, matches: true });
  // Without it, the column has no effect.
  expect(added).toMatchObject({ added: 2, updated: 0, refused: 0 });

  const job = await started(member, "claims", corrected, "&then=run&match=number");
  expect(job).toMatchObject({ state: "done", added: 0, updated: 1, unchanged: 1, refused: 0 });
  const { items } = (await member.get("/api/claims?sort=number")).list();
  expect(items).toMatchObject([
    { number: "C-001", about: "Train", kind: "travel" },
    { number: "C-002", about: "Lunch", kind: "meal" },
  ]);
  // A number that no record has is no new record.
  const unknown = await started(member, "claims", "Number,About,Kind\nC-900,Taxi,Travel\n", "&then=check&match=number");
  expect(unknown.refusals).toMatchObject([{ field: "number", rows: [2] }]);
});

test("a column that only identifies records is asked for its format only if rows are matched by it", async () => {
  const desk = await serveText(`# Slots

## 3. Entities
\`\`\`yaml
Slot: { fields: { day: { type: date, unique: true }, note: text? } }
\`\`\`

## 6. Roles
\`\`\`yaml
roles: { member: signed in }
permissions: { Slot: { read: [member], update: [{ role: member, fields: [note] }] } }
\`\`\`
`);
  const ada = await desk.person("Ada");
  const slots = "Day,Note\n01/02/2026,Free\n03/02/2026,Taken\n";
  const sent = (await upload(ada, "slots", slots)).body as ImportJson;
  expect(sent.fields).toMatchObject([
    { name: "day", matches: true, fills: false },
    { name: "note", matches: true, fills: true },
  ]);
  expect(sent).toMatchObject({ columns: [{ days: "ask" }, {}], questions: [] });
  const check = (match: readonly string[]) =>
    ada.post(`/api/slots/import/${sent.id}/check`, { columns: sent.settings.columns, match });
  expect((await check(["day"])).problem()).toMatchObject({ status: 400, code: "BAD_QUERY" });
  expect((await check([])).status).toBeLessThan(300);
});

describe("rows of a file become parts of a record", () => {
  const kit = async (name: string) => String((await keeper.post("/api/kits", { name })).record().id);
  const itemsOf = async (id: string) =>
    (await member.get(`/api/items?kit=${id}&sort=name`)).list().items.map(({ name, amount }) => [name, amount]);

  test("named by a column, or all of them of the record in the address, each with its clause, and undone", async () => {
    const [first, second] = [await kit("First aid"), await kit("Tools")];
    const named = await started(
      keeper,
      "items",
      "Kit,Name,Amount\nFirst aid,Plaster,20\nNo kit,Plaster,1\n",
      "&then=run",
    );
    expect(named).toMatchObject({ state: "done", added: 1, refused: 1 });
    expect(named.refusals).toMatchObject([{ clause: "3.Item.kit", values: ["No kit"] }]);

    const rows = "Name,Amount\nHammer,1\nNails,500\nSaw,two\n";
    const job = await started(keeper, "items", rows, `&then=run&parent=kit/${second}`);
    expect(job).toMatchObject({ state: "done", added: 1, refused: 2 });
    expect(job.fields.map(({ name }) => name)).toEqual(["name", "amount"]);
    expect(job.refusals.map(({ clause, message, rows }) => [clause, message, rows])).toEqual([
      ["5.Item.TOO_MANY_IN_KIT", "500 is more than fits.", [3]],
      ["3.Item.amount", "Amount must be a whole number.", [4]],
    ]);
    expect(await itemsOf(second)).toEqual([["Hammer", 1]]);
    // A row finds only parts of this record.
    const again = await started(
      keeper,
      "items",
      "Name,Amount\nHammer,2\nPlaster,3\n",
      `&then=run&match=name&parent=kit/${second}`,
    );
    expect(again).toMatchObject({ added: 1, updated: 1, refused: 0 });
    expect(await itemsOf(second)).toEqual([
      ["Hammer", 2],
      ["Plaster", 3],
    ]);
    expect(await itemsOf(first)).toEqual([["Plaster", 20]]);
    const other = await started(keeper, "items", "Name,Amount\nTape,5\n", `&then=run&parent=kit/${first}`);
    await keeper.post(`/api/items/import/${other.id}/undo`);
    expect(await settled(keeper, "items", other.id)).toMatchObject({ state: "undone" });
    expect(await itemsOf(first)).toEqual([["Plaster", 20]]);
  });

  test("a record that is none is refused before or row by row, and without permission nothing is sent", async () => {
    for (const parent of ["kit/x", `name/${"0".repeat(8)}`, "kit"])
      expect((await upload(keeper, "items", "Name,Amount\nA,1\n", `&parent=${parent}`)).problem().code).toBe(
        "BAD_QUERY",
      );
    const nowhere = "018f0000-0000-7000-8000-000000000000";
    const job = await started(keeper, "items", "Name,Amount\nA,1\n", `&then=run&parent=kit/${nowhere}`);
    expect(job.refusals).toMatchObject([{ clause: "3.Item.kit", code: "NO_SUCH_REFERENCE" }]);
    const refused = await upload(member, "items", "Name,Amount\nA,1\n", `&parent=kit/${nowhere}`);
    expect(refused.problem()).toMatchObject({ code: "FORBIDDEN", clause: "6.Item.create" });
  });
});

describe("rows of a file become records", () => {
  let id: string;

  test("columns are matched by names and titles, and read as the file writes them", async () => {
    const answer = await upload(keeper, "things", things);
    expect(answer.status).toBe(201);
    const job = answer.body as ImportJson;
    id = job.id;
    expect(job).toMatchObject({ state: "mapping", rows: 4, questions: [] });
    expect(job.settings.columns.map(({ field }) => field)).toEqual([
      "number",
      "name",
      "kind",
      "price",
      "bought_on",
      "owner",
    ]);
    expect(job.columns[4]).toMatchObject({ days: "dmy", samples: ["31.12.2025", "01.02.2026", "03.02.2026"] });
    expect(job.columns[3]).toMatchObject({ decimal: "," });
    expect(job.remarks).toEqual(["Row 6 (“Total”) is a total."]);
    const german = { "accept-language": "de-DE,de;q=0.9" };
    expect((await keeper.get(`/api/things/import/${id}`, german)).body).toMatchObject({
      remarks: ["Zeile 6 („Total“) ist eine Summe."],
    });
  });

  test("a dry run writes nothing, and says what would be refused by which clause", async () => {
    expect((await keeper.post(`/api/things/import/${id}/check`)).status).toBe(202);
    const job = await settled(keeper, "things", id);
    expect(job).toMatchObject({ state: "checked", added: 2, updated: 0, refused: 2, waits: null });
    expect(job.refusals).toMatchObject([
      { code: "NOT_A_CHOICE", clause: "3.Thing.kind", field: "kind", rows: [4], values: ["boat"] },
      { code: "NO_SUCH_REFERENCE", clause: "3.Thing.owner", field: "owner", rows: [5], values: ["Nobody"] },
    ]);
    expect((await keeper.get("/api/things")).list().items).toEqual([]);
  });

  test("what fits is imported, with a line in the history of each record", async () => {
    await keeper.post(`/api/things/import/${id}/run`);
    expect(await settled(keeper, "things", id)).toMatchObject({ state: "done", added: 2, refused: 2 });
    const { items } = (await keeper.get("/api/things?label=true&sort=number")).list();
    expect(items).toMatchObject([
      {
        number: "A-1",
        kind: "hand_tool",
        price: { amount: "1234.50" },
        bought_on: "2025-12-31",
        owner: { label: "Kim Keeper" },
      },
      { number: "A-2", kind: "machine", bought_on: "2026-02-01", owner: { label: "Kim Keeper" } },
    ]);
    const history = (await keeper.get(`/api/things/${items[0]?.id}/history`)).history();
    expect(history[0]).toMatchObject({ action: "create", imported: "x.csv" });
  });

  test("refused rows come back as a file with their reasons", async () => {
    const { text: csv } = await keeper.get(`/api/things/import/${id}/refused.csv`);
    const { text: french } = await keeper.get(`/api/things/import/${id}/refused.csv`, { "accept-language": "fr" });
    expect(french.split("\r\n")[0]).toMatch(/,Refusé parce que$/u);
    expect(csv.split("\r\n").slice(0, 3)).toEqual([
      "\ufeffNumber,Name,Kind,Price (EUR),Bought on,Owner,Refused because",
      'A-3,Wagen,boat,"3,00",03.02.2026,,Kind must be Hand tool or Machine.',
      "A-3,Zweiter,,,,Nobody,The record in “Owner” doesn’t exist or you don’t have access.",
    ]);
  });

  test("a field can decide which records are changed", async () => {
    const job = await started(
      keeper,
      "things",
      "number,name\nA-1,Drill\nA-2,Säge\nA-9,New\n",
      "&then=run&match=number",
    );
    expect(job).toMatchObject({ state: "done", added: 1, updated: 1, unchanged: 1, refused: 0 });
    const { items } = (await keeper.get("/api/things?sort=number")).list();
    expect(items.map(({ name }) => name)).toEqual(["Drill", "Säge", "New"]);

    // Undone, the record has its former name again.
    await keeper.post(`/api/things/import/${job.id}/undo`);
    expect(await settled(keeper, "things", job.id)).toMatchObject({ state: "undone", refused: 0 });
    const after = (await keeper.get("/api/things?sort=number")).list();
    expect(after.items.map(({ name }) => name)).toEqual(["Bohrer", "Säge"]);
  });

  test("a record that somebody changed since keeps the import from being undone", async () => {
    const job = await started(keeper, "things", "number,name\nU-1,One\nU-2,Two\n", "&then=run");
    const { items } = (await keeper.get("/api/things?number=U-1")).list();
    await keeper.patch(`/api/things/${items[0]?.id}`, { name: "Mine" });
    const refused = await keeper.post(`/api/things/import/${job.id}/undo`);
    expect(refused.status).toBe(409);
    expect(refused.problem()).toMatchObject({ code: "IMPORT_TOUCHED" });
    expect((await keeper.get("/api/things?number=U-2")).list().items).toHaveLength(1);
  });

  test("all rows or none: with one refused row nothing is imported, and the check finds each refused row", async () => {
    const rows = "number,name\nN-1,One\nN-1,Two\nN-2,\n";
    const job = await started(keeper, "things", rows, "&then=run&mode=all");
    expect(job).toMatchObject({ state: "checked", added: 1, refused: 2 });
    expect(job.refusals.map(({ code }) => code).toSorted()).toEqual(["REQUIRED", "TAKEN"]);
    expect((await keeper.get("/api/things?number=N-1")).list().items).toEqual([]);
    const good = await started(keeper, "things", "number,name\nN-1,One\nN-2,Two\n", "&then=run&mode=all");
    expect(good).toMatchObject({ state: "done", added: 2, refused: 0 });
  });
});

describe("each row is checked like a request of the person", () => {
  test("rules over other records refuse rows of one file against each other", async () => {
    const job = await started(
      member,
      "loans",
      "Thing,From,Until\nBohrer,2026-01-01,2026-01-05\nBohrer,2026-01-04,2026-01-06\nSäge,2026-01-04,2026-01-01\n",
      "&then=run",
    );
    expect(job).toMatchObject({ added: 1, refused: 2 });
    expect(job.refusals.map(({ code, rows }) => [code, rows])).toEqual([
      ["ON_LOAN", [3]],
      ["ENDS_BEFORE_IT_STARTS", [4]],
    ]);
    expect(job.refusals[1]?.message).toBe("A loan ends on 1 Jan 2026, before it starts.");
    // Undoing would delete the added loan, which only keepers can do. The import says so beforehand.
    expect(job.undoRefused).toMatchObject({ clause: "6.Loan.delete" });
    const undone = await member.post(`/api/loans/import/${job.id}/undo`);
    expect([undone.status, undone.problem().detail]).toEqual([403, job.undoRefused?.because]);
  });

  test("a person who can add nothing cannot import", async () => {
    const refused = await upload(member, "things", things);
    expect(refused.status).toBe(403);
    expect(refused.problem()).toMatchObject({ code: "FORBIDDEN", clause: "6.Thing.create" });
    expect((await upload(desk.visitor(), "things", things)).status).toBe(401);
  });

  test("a record that the person cannot read is named like one that does not exist", async () => {
    await keeper.post("/api/things", { number: "S-1", name: "Hidden", secret: true });
    const row = (name: string) => `Thing,From,Until\n${name},2026-03-01,2026-03-02\n`;
    const hidden = await started(member, "loans", row("Hidden"), "&then=check");
    const absent = await started(member, "loans", row("Absent"), "&then=check");
    const told = ({ refusals, added, refused }: ImportJson) => ({
      added,
      refused,
      refusals: refusals.map((one) => ({ ...one, values: [] })),
    });
    expect(told(hidden)).toEqual(told(absent));
  });

  test("nobody sees the import of another person", async () => {
    const job = await started(keeper, "things", "number,name\nP-1,One\n", "&then=check");
    const other = await desk.person("Olga Other", ["keeper"]);
    expect((await other.get(`/api/things/import/${job.id}`)).status).toBe(404);
    expect((await other.get("/api/things/import")).body).toEqual({ items: [] });
  });
});

describe("states and rows that name each other", () => {
  const tasks = `Title,Part of,Status,Reason,Waste
Roof,House,Finished,,
House,,doing,,
Cellar,House,dropped,Too wet,4
Tiles,Roof,,,
Attic,Roof,forgotten,,
Shed,,nowhere,,
Door,Shed,,,
Egg,Hen,,,
Hen,Egg,,,
Fence,,dropped,,
Gate,,,Rust,
`;

  test("no column is missed for the state, because a new record begins in the first one", async () => {
    const job = await started(keeper, "tasks", "Title\nGutter\n");
    expect(job.fields.filter(({ required }) => required).map(({ name }) => name)).toEqual(["title"]);
  });

  test("a record comes into its state by the transitions of the person, and a row after those that it names", async () => {
    const job = await started(keeper, "tasks", tasks, "&then=check");
    const answers = job.refusals.map(({ code, clause, message, rows }) => ({ code, clause, message, rows }));
    expect(answers.toSorted((a, b) => (a.rows[0] ?? 0) - (b.rows[0] ?? 0))).toEqual([
      {
        code: "NO_WAY_TO_STATE",
        clause: "4.Task",
        message: "No transition that people make leads from “Open” to “Forgotten”.",
        rows: [6],
      },
      {
        code: "NOT_A_CHOICE",
        clause: "4.Task",
        message: "Status must be Open, Doing, Finished, Dropped or Forgotten.",
        rows: [7],
      },
      {
        code: "ROW_REFUSED",
        clause: "3.Task.part_of",
        message: "“Shed” is in row 7, which is refused. Correct that row first.",
        rows: [8],
      },
      {
        code: "ROWS_IN_CIRCLE",
        clause: "3.Task.part_of",
        message:
          "“Part of” leads in a circle through these rows: 9, 10. Leave it empty in one of them, and add it in a second import.",
        rows: [9, 10],
      },
      { code: "REQUIRED", clause: "4.Task.drop", message: "Reason is required.", rows: [11] },
      { code: "NOT_YOURS_TO_WRITE", clause: "6.Task.create", message: "You can’t edit Reason.", rows: [12] },
    ]);
    await keeper.post(`/api/tasks/import/${job.id}/run`);
    expect(await settled(keeper, "tasks", job.id)).toMatchObject({ state: "done", added: 4, refused: 7 });
    const { items } = (await keeper.get("/api/tasks?label=true&sort=title")).list();
    expect(items).toMatchObject([
      { title: "Cellar", part_of: { label: "House" }, status: "dropped", reason: "Too wet" },
      { title: "House", part_of: null, status: "doing" },
      { title: "Roof", part_of: { label: "House" }, status: "done" },
      { title: "Tiles", part_of: { label: "Roof" }, status: "open" },
    ]);
    // A value that only the transition needs is in the history alone.
    const [dropped] = (await keeper.get(`/api/tasks/${items[0]?.id}/history`)).history();
    expect(dropped).toMatchObject({
      action: "drop",
      changes: expect.arrayContaining([{ field: "waste", before: null, after: 4 }]),
    });
    const history = (await keeper.get(`/api/tasks/${items[2]?.id}/history`)).history();
    expect(history.map(({ action }) => action)).toEqual(["finish", "start", "create"]);
    await keeper.post(`/api/tasks/import/${job.id}/undo`);
    expect(await settled(keeper, "tasks", job.id)).toMatchObject({ state: "undone", refused: 0 });
    expect((await keeper.get("/api/tasks")).list().items).toEqual([]);
  });

  test("a transition of others is refused with its clause, and nothing of its row is written", async () => {
    const job = await started(member, "tasks", "Title,Status\nWall,done\nPath,doing\n", "&then=run");
    expect(job).toMatchObject({ added: 1, refused: 1 });
    expect(job.refusals).toMatchObject([
      { code: "FORBIDDEN", clause: "4.Task.finish", message: "Only a keeper can finish a task.", rows: [2] },
    ]);
    expect((await keeper.get("/api/tasks?title=Wall")).list().items).toEqual([]);
  });

  test("an existing record moves to its state, and back when the import is undone", async () => {
    const job = await started(keeper, "tasks", "Title,Status\nPath,Finished\n", "&then=run&match=title");
    expect(job).toMatchObject({ updated: 1, refused: 0 });
    // No transition leads back from its end, and the reason is said.
    await keeper.post(`/api/tasks/import/${job.id}/undo`);
    expect(await settled(keeper, "tasks", job.id)).toMatchObject({
      state: "undone",
      refused: 1,
      refusals: [{ code: "NO_WAY_TO_STATE" }],
    });
    await keeper.post("/api/tasks", { title: "Pond" });
    const moved = await started(keeper, "tasks", "Title,Status\nPond,doing\nPond,\n", "&then=run&match=title");
    expect(moved).toMatchObject({ updated: 1, refused: 1, refusals: [{ code: "NOT_ONE" }] });
    await keeper.post(`/api/tasks/import/${moved.id}/undo`);
    expect(await settled(keeper, "tasks", moved.id)).toMatchObject({ state: "undone", refused: 0 });
    expect((await keeper.get("/api/tasks?title=Pond")).list().items).toMatchObject([{ status: "open" }]);
  });

  test("rows of many parts are written in their order, also in a dry run", async () => {
    // The last row is the root, and the nine before it are its parts.
    const rows = Array.from({ length: 150 }, (_, at) => {
      const number = 149 - at;
      return `Part ${number},${number === 0 ? "" : `Part ${Math.floor((number - 1) / 9)}`}`;
    });
    const job = await started(keeper, "tasks", `Title,Part of\n${rows.join("\n")}\n`, "&then=check");
    expect(job).toMatchObject({ added: 150, refused: 0 });
    await keeper.post(`/api/tasks/import/${job.id}/run`);
    expect(await settled(keeper, "tasks", job.id)).toMatchObject({ state: "done", added: 150, refused: 0 });
  });
});
