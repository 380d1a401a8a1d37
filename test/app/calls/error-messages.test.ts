import { pino } from "pino";
import { expect, test } from "vitest";
import { getPhrasesFor } from "../../../src/core/explain/language.ts";
import { StoreAway, StoreBusy, StoreSlow } from "../../../src/postgres/database.ts";
import { unavailableResponse } from "../../../src/server/http/unavailable.ts";
import { database } from "../../postgres.ts";
import { serveText } from "../program.ts";

const document = `# Desk

## 3. Entities

\`\`\`yaml
Child:
  title: { one: child, many: children }
  fields:
    name: { type: text, unique: true, max: 5 }
    code: { type: text?, unique: true }
\`\`\`

## 5. Rules

\`\`\`yaml
Child:
  - { name: no_dots, rule: "!name.contains('.')", else: BAD }
\`\`\`

## 6. Roles

\`\`\`yaml
roles: { clerk: { members: granted, title: Clerk of the desk }, staff: { members: signed in } }
permissions:
  Child: { read: staff, create: clerk, update: clerk, delete: none }
\`\`\`

## 8. Errors

\`\`\`yaml
BAD: "No dots, please."
TAKEN: "{field}: that is there."
Child.name.TAKEN: { status: 422, message: A child of that name is here already., help: Add the family name. }
Child.NOT_FOUND: "There is no such child."
Child.TOO_LONG: "{field} is written with {max} letters."
\`\`\`
`;

test("an entry for a kind of error replaces its message, and keeps its reason", async () => {
  const entries = `
FORBIDDEN: { status: 403, message: "Ask the registry.", help: "It answers until noon." }
GUARD: "Not before it is paid."
WRONG_STATE: "It is “{state}”."`;
  const text = (errors: string) => `# Desk

## 3. Entities
\`\`\`yaml
Case:
  fields: { name: { type: text, unique: true }, paid: boolean, shelf: text, room: text }
\`\`\`

## 4. States
\`\`\`yaml
Case:
  field: status
  initial: open
  states: [open, shut]
  transitions:
    close: { from: open, to: shut, by: clerk, when: paid }
\`\`\`

## 5. Rules
\`\`\`yaml
Case: [{ unique: [shelf], where: "!paid", else: TAKEN }, { rule: "room != shelf", else: TAKEN }]
\`\`\`

## 6. Roles
\`\`\`yaml
roles: { clerk: granted, staff: signed in }
permissions: { Case: { read: staff, create: clerk, update: [{ role: clerk, when: "status == open" }], delete: none } }
\`\`\`

## 8. Errors
\`\`\`yaml${errors}
\`\`\`
`;
  const told = async (errors: string) => {
    const desk = await serveText(text(errors));
    const clerk = await desk.person("Ada", ["clerk"]);
    const staff = await desk.person("Sam");
    const { id } = (await clerk.post("/api/cases", { name: "A", shelf: "1", room: "2" })).record();
    const taken = (await clerk.post("/api/cases", { name: "B", shelf: "1", room: "2" })).problem();
    const ruled = (await clerk.post("/api/cases", { name: "B", shelf: "3", room: "3" })).problem();
    const guard = (await clerk.post(`/api/cases/${id}/close`, {})).problem();
    const { version } = (await clerk.get(`/api/cases/${id}`)).record();
    await clerk.patch(`/api/cases/${id}`, { paid: true }, { "if-match": `"${version}"` });
    const forbidden = (await staff.post(`/api/cases/${id}/close`, {})).problem();
    await clerk.post(`/api/cases/${id}/close`, {});
    const state = (await clerk.post(`/api/cases/${id}/close`, {})).problem();
    // Nobody could close a closed case, so the refusal names nobody.
    const late = (await staff.post(`/api/cases/${id}/close`, {})).problem();
    const change = (await staff.patch(`/api/cases/${id}`, { name: "C" }, { "if-match": '"3"' })).problem();
    return { taken, ruled, forbidden, guard, state, late, change };
  };
  const plain = await told(" {}");
  expect(plain.taken.detail).toBe("Shelf is already taken.");
  expect(plain.ruled.detail).toBe("Shelf is already taken.");
  expect(plain.forbidden).toMatchObject({ detail: "Only a clerk can close this case.", could: "a clerk" });
  expect(plain.guard.detail).toBe(plain.guard.because);
  expect(plain.guard.detail).toMatch(/paid/iu);
  expect(plain.state.detail).toBe("“Close” is only possible while the case is “Open”, not “Shut”.");
  expect([plain.late.could, plain.change.could]).toEqual([undefined, undefined]);

  const own = await told(entries);
  expect(own.forbidden).toMatchObject({
    detail: "Ask the registry.",
    because: "Only a clerk can close this case.",
    help: "It answers until noon.",
  });
  expect(own.guard).toMatchObject({ detail: "Not before it is paid.", because: plain.guard.because });
  expect(own.state.detail).toBe("It is “Shut”.");
});

test("the closest entry of the catalogue is used, and people read the author’s words", async () => {
  const desk = await serveText(document);
  const clerk = await desk.person("Ada", ["clerk"]);
  await clerk.post("/api/childs", { name: "Tom", code: "1" });
  const twice = (await clerk.post("/api/childs", { name: "Tom" })).problem();
  expect(twice).toMatchObject({
    status: 422,
    code: "TAKEN",
    clause: "3.Child.name",
    detail: "A child of that name is here already.",
    help: "Add the family name.",
  });
  const code = (await clerk.post("/api/childs", { name: "Ann", code: "1" })).problem();
  expect(code).toMatchObject({ status: 409, detail: "Code: that is there." });
  const long = (await clerk.post("/api/childs", { name: "Thomas" })).problem();
  expect(long.errors).toMatchObject([{ code: "TOO_LONG", message: "Name is written with 5 letters." }]);
  const missing = await clerk.get("/api/childs/00000000-0000-4000-8000-000000000000");
  expect(missing.problem()).toMatchObject({ code: "NOT_FOUND", detail: "There is no such child." });
  expect((await clerk.post("/api/childs", { name: "a.b" })).problem().clause).toBe("5.Child.no_dots");

  const other = await desk.person("Sam");
  const refused = (await other.post("/api/childs", { name: "Kim" })).problem();
  expect(refused.detail).toBe("Only a clerk of the desk can create a child.");
  const { entities, roles } = (await other.get("/_/application")).body as {
    entities: Record<string, unknown>;
    roles: unknown;
  };
  expect(entities.Child).toMatchObject({ one: "child", many: "children" });
  expect(roles).toEqual({ clerk: "Clerk of the desk", staff: "Staff" });
  await desk.stop();
});

test("errors of unknown addresses and failed requests are in the reader’s language", async () => {
  const store = await database();
  const desk = await serveText(document, { database: store, log: "silent" });
  const clerk = await desk.person("Ada", ["clerk"]);
  const german = { "accept-language": "de" };
  const request = async (path: string) => {
    const [en, de] = [(await clerk.get(path)).problem(), (await clerk.get(path, german)).problem()];
    return [en.detail, de.detail];
  };
  expect(await request("/api/childs?colour=red")).toEqual([
    "The address isn’t valid: you can’t filter by “colour”.",
    "Die Adresse ist ungültig: nach „colour“ lässt sich nicht filtern.",
  ]);
  expect(await request("/api/childs?limit=100000")).toEqual([
    "The address isn’t valid: “limit” must be between 1 and 200.",
    "Die Adresse ist ungültig: „limit“ muss zwischen 1 und 200 liegen.",
  ]);
  expect((await request("/api/why?do={word}.read"))[1]).toBe(
    "Die Adresse ist ungültig: „{word}.read“ ist keine Aktion.",
  );
  await store.query("alter table app.child rename to elsewhere");
  expect(await request("/api/childs")).toEqual([
    "Something went wrong on our side. Try again in a moment.",
    "Bei uns ist etwas schiefgegangen. Versuchen Sie es gleich noch einmal.",
  ]);
  expect(
    unavailableResponse(new StoreAway("gone"), "r1", getPhrasesFor("de").errors.unavailable)?.problem,
  ).toMatchObject({
    title: "Datenbank nicht erreichbar",
    code: "STORE_AWAY",
    reference: "r1",
  });
  await desk.stop();
  await store.end();
});

test("the log has a line without a stack for an expected failure, and a stack for an unexpected one", async () => {
  const lines: Record<string, unknown>[] = [];
  let fails: Error | undefined;
  const log = pino({ level: "warn" }, { write: (line: string) => lines.push(JSON.parse(line)) });
  const desk = await serveText(document, {
    app: { log },
    service: (service) => {
      const { database: real } = service;
      const gone = <T>(otherwise: () => Promise<T>) => (fails === undefined ? otherwise() : Promise.reject(fails));
      const query: typeof real.query = (one) => gone(() => real.query(one));
      return { ...service, database: { ...real, query, batch: (some) => gone(() => real.batch(some)) } };
    },
  });
  const clerk = await desk.person("Ada", ["clerk"]);
  const cause = new AggregateError([
    new Error("connect ECONNREFUSED ::1:1"),
    new Error("connect ECONNREFUSED 127.0.0.1:1"),
  ]);
  const told = async (error: Error) => {
    lines.length = 0;
    fails = error;
    const answer = await clerk.get("/api/childs");
    fails = undefined;
    expect(lines).toHaveLength(1);
    return { status: answer.status, line: lines[0], keys: Object.keys(lines[0] ?? {}).toSorted() };
  };
  const keys = ["because", "hostname", "level", "msg", "pid", "reqId", "time"];
  expect(await told(new StoreAway("The database cannot be reached.", { cause }))).toMatchObject({
    status: 503,
    line: {
      msg: "STORE_AWAY",
      because: "The database cannot be reached: connect ECONNREFUSED ::1:1, connect ECONNREFUSED 127.0.0.1:1.",
    },
    keys,
  });
  expect(await told(new StoreBusy())).toMatchObject({
    status: 503,
    line: { msg: "TOO_BUSY", because: "Too many statements wait for the database." },
    keys,
  });
  expect(
    await told(new StoreSlow("A statement took too long.", { cause: new Error("canceling\nstatement") })),
  ).toMatchObject({
    status: 503,
    line: { msg: "TOOK_TOO_LONG", because: "A statement took too long: canceling statement." },
    keys,
  });
  expect(await told(new Error("nobody foresaw it"))).toMatchObject({
    status: 500,
    line: {
      msg: "a request failed because of a defect",
      err: { message: "nobody foresaw it", stack: expect.stringContaining("error-messages.test.ts") },
    },
  });
});

test("a message leaves out values that the refused person can’t read, whatever their type", async () => {
  const text = `# Desk

## 3. Entities

\`\`\`yaml
Claim:
  fields:
    title: text
    open:  { type: boolean, default: "true" }
    owner: { type: User, set: user }
\`\`\`

## 5. Rules

\`\`\`yaml
Claim:
  - { rule: "title != 'no'", during: update, else: NOT_SO }
\`\`\`

## 6. Roles

\`\`\`yaml
roles: { staff: signed in, clerk: granted }
permissions:
  User:  { read: { role: staff, fields: [name] } }
  Claim:
    create: staff
    read:   [{ role: clerk, when: open, fields: [title, open] }]
    update: { role: clerk, fields: [title] }
\`\`\`

## 8. Errors

\`\`\`yaml
NOT_SO: "{owner.name} would not like that title: {title}."
\`\`\`
`;
  const desk = await serveText(text);
  const staff = await desk.person("Sue");
  const clerk = await desk.person("Ada", ["clerk"]);
  const { id } = (await staff.post("/api/claims", { title: "Train", open: true })).body as { readonly id: string };
  const refused = await clerk.patch(`/api/claims/${id}`, { title: "no" });
  expect(refused.problem()).toMatchObject({ code: "NOT_SO", detail: "Owner would not like that title: no." });
});
