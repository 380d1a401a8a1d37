import { beforeAll, expect, test } from "vitest";
import type { Application } from "../../../src/core/wire/application.ts";
import type { RecordJson } from "../../../src/core/wire/records.ts";
import { evaluateForm, type OtherRecord } from "../../../src/web/form/state/computed-values.ts";
import { enterValue } from "../../../src/web/form/state/edit-form.ts";
import { type Form, shownSuggestion } from "../../../src/web/form/state/form-node.ts";
import { openForm, openLists } from "../../../src/web/form/state/open-form.ts";
import { readForm } from "../../../src/web/form/state/send-form.ts";
import { followSuggestions, recordsToLoad } from "../../../src/web/form/state/suggestions.ts";
import type { Entered } from "../../../src/web/format/input-value.ts";
import type { LocaleContext } from "../../../src/web/format/locale-context.ts";
import { randomFrom } from "../../document/reading.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

/* Defaults that read the new record and the records that it refers to: alike in a form and in the server. */

const document = `
## 3. Entities
\`\`\`yaml
Desk:
  label: "{name}"
  fields: { name: text, room: integer?, head: "User?" }
Employee:
  label: "{name}"
  fields: { name: text, desk: Desk?, level: integer?, secret: integer?, twice: { type: integer?, computed: level * 2 } }
Badge:
  label: "{name}"
  fields: { name: text, code: integer? }
Item:
  label: "{name}"
  fields: { name: text, price: integer? }
  records:
    pen: { name: Pen, price: 3 }
Request:
  label: "{number}"
  fields:
    number:   text
    person:   Employee?
    starts:   { type: date?, default: today }
    ends:     { type: date?, default: starts + 2 days }
    desk:     { type: Desk?, default: person.desk }
    room:     { type: integer?, default: "desk.room == null ? level : desk.room" }
    level:    { type: integer?, default: person.twice + 1 }
    size:     { type: choice, values: [small, large], default: "level > 5 ? large : small" }
    hidden:   { type: integer?, default: person.secret }
    most:     { type: integer?, max: 5, default: factor + 3 }
    people:   { type: integer, default: "Employee.count(e, e.desk == desk && e.secret != 1)" }
    factor:   { type: integer, default: "2" }
    badge:    Badge?
    code:     { type: integer?, computed: badge.code }
    place:    { type: integer?, computed: person.desk.room }
    double:   { type: integer?, computed: "person.level * 2 + factor" }
    riddle:   { type: integer?, computed: person.secret }
    lines:    { list: Line.request }
Line:
  fields:
    request: { type: Request, part of: true }
    item:    Item
    count:   { type: integer, default: request.factor }
    price:   { type: integer, default: item.price * count }
    cost:    { type: integer?, computed: item.price * count }
Log:
  label: "{name}"
  fields: { name: text, of: Employee, level: { type: integer?, default: of.secret }, next: { type: integer?, default: level + 1 } }
\`\`\`
## 4. States
\`\`\`yaml
Request:
  after:
    create:
      - { create: Log, when: person != null, set: { name: number, of: person } }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions:
  Desk: { read: staff, create: staff }
  Employee: { read: { role: staff, fields: [name, desk, level, twice] }, create: staff }
  Badge: { read: [{ role: staff, fields: [name] }, { role: staff, when: "code < 13" }], create: staff }
  Item: { read: staff, create: staff }
  Request: { read: staff, create: staff, update: staff }
  Line: { read: staff, create: { role: staff }, update: staff }
  Log: { read: staff }
\`\`\`
`;

let desk: TestServer;
let ada: ApiClient;
let application: Application;
let here: LocaleContext;
const employees: RecordJson[] = [];
beforeAll(async () => {
  desk = await serveText(document);
  ada = await desk.person("Ada");
  application = (await ada.get("/_/application")).body as Application;
  here = {
    locale: application.locale,
    timezone: application.timezone,
    booleans: { yes: "Yes", no: "No" },
    today: await today(),
  };
  const rooms = await Promise.all(
    [{ name: "East", room: 7 }, { name: "West" }].map(async (body) => (await ada.post("/api/desks", body)).record()),
  );
  for (const body of [
    { name: "Ben", desk: rooms[0]?.id, level: 1, secret: 1 },
    { name: "Cleo", desk: rooms[1]?.id, level: 4, secret: 2 },
    { name: "Dan" },
  ])
    employees.push((await ada.post("/api/employees", body)).record());
});

/** The day of the server. */
const today = async (): Promise<string> =>
  String((await ada.post("/api/requests", { number: "0" })).record().starts).slice(0, 10);

const loaded = new Map<string, RecordJson>();
const find = ({ path, id }: OtherRecord) => loaded.get(`${path} ${id}`);

/** The form as a browser shows it, once everything that its defaults read is loaded. */
const settled = async (form: Form): Promise<Form> => {
  const entity = application.entities.Request;
  if (entity === undefined) throw new Error("there are no requests");
  const known = { context: here, entities: application.entities, find };
  let now = form;
  for (let round = 0; round < 9; round++) {
    for (const { path, id } of recordsToLoad(now, entity, known))
      loaded.set(`${path} ${id}`, (await ada.get(`${path}/${id}`)).record());
    now = followSuggestions(now, entity, known);
  }
  return now;
};

const open = (names: readonly string[]): Form => {
  const fields = application.entities.Request?.fields.filter(({ name }) => names.includes(name)) ?? [];
  return openForm("create", fields, null, { ...here, begin: () => here.today });
};

const chosen = (record: RecordJson | null | undefined): Entered =>
  record == null ? null : { id: record.id, label: record._label ?? "" };

test("a form shows the defaults that the server writes, also after values that somebody entered", async () => {
  const names = ["number", "person", "starts", "ends", "desk", "room", "level", "size", "hidden", "people"];
  const random = randomFrom(5);
  const followed = new Set<string>();
  for (let round = 0; round < 15; round++) {
    let form = await settled(enterValue(open(names), "number", `${round}`, here));
    for (const name of names.slice(1).filter(() => random.next() < 0.35)) {
      const values: Readonly<Record<string, readonly Entered[]>> = {
        person: [null, ...employees.map(chosen)],
        starts: ["", "2026-03-01", "2027-02-28"],
        ends: ["", "2026-03-09"],
        room: ["", "12"],
        level: ["3", "9"],
      };
      const among = values[name];
      if (among !== undefined)
        form = await settled(enterValue(form, name, random.pick(among as [Entered, ...Entered[]]), here));
    }
    const read = readForm(form, here);
    if (read.kind === "form") throw new Error(JSON.stringify(form.entered));
    const created = await ada.post("/api/requests", read.body);
    expect(created.status, created.text).toBe(201);
    // The server computes the defaults that nobody sent.
    const { ends, desk: _, room, level, size, ...least } = read.body;
    const isOwn = (name: string) => !(name in (form.followed ?? {})) || form.entered[name] !== form.followed?.[name];
    const sent = Object.fromEntries(
      Object.entries({ ends, room, level, size }).filter(([name, value]) => isOwn(name) && value !== undefined),
    );
    const alone = await ada.post("/api/requests", { ...least, ...sent });
    const shape = ({ id, created_at, updated_at, ...more }: RecordJson) => ({ ...more, may: undefined });
    expect(shape(alone.record()), JSON.stringify(form.entered)).toEqual(shape(created.record()));
    for (const field of form.fields) if (shownSuggestion(form, field) !== undefined) followed.add(field.name);
  }
  expect([...followed].sort()).toEqual(["desk", "ends", "level"]);
});

test("a default reads only what the creator can read of other records", async () => {
  const [ben] = employees;
  const created = (await ada.post("/api/requests", { number: "x", person: ben?.id })).record();
  // `secret` is hidden from everybody: it gives no value, and every secret differs from 1.
  expect(created).toMatchObject({ hidden: null, people: 1, level: 3, room: 7, size: "small" });
  const fields = application.entities.Request?.fields ?? [];
  expect(fields.find(({ name }) => name === "hidden")?.default).toBeUndefined();
  expect(fields.find(({ name }) => name === "desk")?.default).toMatchObject({
    loads: ["person"],
    says: "“Desk” of “Person”",
  });
  // An effect has no creator, so it reads everything.
  expect((await ada.get("/api/logs?name=x")).list().items).toMatchObject([{ level: 1, next: 2 }]);
  expect((await ada.post("/api/requests", { number: "x", person: ben?.id })).record()).toMatchObject({ most: 5 });
  const above = await ada.post("/api/requests", { number: "x", person: ben?.id, factor: 3 });
  expect(above.problem()).toMatchObject({ status: 422, errors: [{ at: "/most", code: "TOO_LARGE" }] });
  // A value that was sent counts, and so does an empty one.
  const sent = { number: "y", person: ben?.id, level: null, room: 9 };
  expect((await ada.post("/api/requests", sent)).record()).toMatchObject({ level: null, room: 9, size: "small" });
});

test("parts take defaults from their record and from what they refer to, in a form and in the server", async () => {
  const pen = (await ada.get("/api/items")).list().items[0];
  const entity = application.entities.Request;
  const parts = {
    field: "lines",
    label: "Lines",
    entity: "Line",
    by: "request",
    columns: ["item", "count", "price"],
    place: null,
    clause: "",
  };
  const lists = openLists([parts], application.entities, null, here);
  const fields = entity?.fields.filter(({ name }) => ["number", "factor"].includes(name)) ?? [];
  const empty = openForm("create", fields, null, here, lists);
  const numbered = enterValue(enterValue(empty, "number", "n", here), "factor", "1", here);
  const form = await settled({
    ...numbered,
    lists: numbered.lists.map((list) => ({
      ...list,
      rows: list.rows.map((row) => enterValue(row, "item", chosen(pen), here)),
    })),
  });
  expect(form.lists[0]?.rows[0]?.entered).toMatchObject({ count: "1", price: "3" });
  const body = { number: "n", factor: 1, lines: [{ item: pen?.id }, { item: pen?.id, count: 2 }] };
  const created = (await ada.post("/api/requests", body)).record();
  const lines = (await ada.get(`/api/requests/${created.id}?parts=true`)).record().lines;
  expect(lines).toMatchObject([
    { count: 1, price: 3 },
    { count: 2, price: 6 },
  ]);
});

test("computed values follow the chosen records while you type, as far as you can read them", async () => {
  const entity = application.entities.Request;
  if (entity === undefined) throw new Error("there are no requests");
  const [ben] = employees;
  const badges = await Promise.all(
    [7, 13].map(async (code) => (await ada.post("/api/badges", { name: `No. ${code}`, code })).record()),
  );
  const others = { entities: application.entities, find };
  const shown = async (form: Form) => {
    let computed = evaluateForm(form, entity, null, { context: here, others });
    // A loaded record can lead to another.
    for (let round = 0; round < 3; round++) {
      for (const { path, id } of computed.records)
        loaded.set(`${path} ${id}`, (await ada.get(`${path}/${id}`)).record());
      computed = evaluateForm(form, entity, null, { context: here, others });
    }
    return computed.record;
  };
  const empty = enterValue(open(["person", "factor", "badge"]), "factor", "2", here);
  expect(await shown(empty)).toEqual({ code: null, place: null, double: null });
  const [readable, hidden] = badges.map((badge) => enterValue(empty, "badge", chosen(badge), here));
  expect(await shown(enterValue(readable ?? empty, "person", chosen(ben), here))).toEqual({
    code: 7,
    place: 7,
    double: 4,
  });
  // The code of this badge is hidden, so the form says nothing about it.
  expect(await shown(hidden ?? empty)).toEqual({ place: null, double: null });
  // Before the records are loaded, it says nothing either.
  const chosenPerson = enterValue(empty, "person", { id: "01a21d26-ece0-760c-a820-e5a5f1295463", label: "" }, here);
  expect(evaluateForm(chosenPerson, entity, null, { context: here, others }).record).toEqual({ code: null });
  const fieldNamed = (of: string, name: string) =>
    application.entities[of]?.fields.find((field) => field.name === name);
  expect(fieldNamed("Request", "riddle")?.reckoned).toBeUndefined();
  expect(fieldNamed("Line", "cost")?.reckoned).toBeDefined();
});
