import { readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { readExampleStories } from "../../../src/cli/run/story-file.ts";
import { Timers } from "../../../src/jobs/timers.ts";
import { addSamples } from "../../../src/server/sample/add-samples.ts";
import { createSampleData } from "../../../src/server/sample/sample.ts";
import { open } from "../../../src/server/serving/open-document.ts";
import { compiled, example, sampledDatabase, serveText, type TestServer } from "../program.ts";

const findings = `
# Found things

## 2. Screens and routes
\`\`\`yaml
/coming:
  tiles:
    - { title: Coming up, list: Gathering, where: "status == published && starts > now" }
/gatherings: { list: Gathering }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Gathering: { fields: { topic: text, host: { type: User, set: user }, starts: datetime, ends: datetime } }
Find:
  label: "{title}"
  fields:
    title:   text
    shelf_mark: { type: text, unique: true, max: 5 }
    picture: image
    papers:  { type: file, many: true }
    urgency: { type: choice, values: [low, normal, high], default: normal }
    worn:    { type: choice, values: [new, used, broken], many: true }
Raise: { fields: { salary: { type: money, min: 30000 }, approved_on: date? } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Gathering:
  field: status
  initial: draft
  states: [draft, published, held, called_off]
  transitions:
    publish:  { from: draft, to: published, by: keeper, when: starts > now }
    hold:     { from: published, to: held, by: keeper, when: starts <= now }
    call_off: { from: [draft, published], to: called_off, by: keeper }
Raise:
  field: status
  states: [asked, approved]
  transitions: { approve: { from: asked, to: approved, by: keeper, set: { approved_on: today } } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  member: { members: signed in }
  keeper: { members: granted }
permissions:
  Gathering: { read: member, create: member, update: keeper }
  Raise: { read: member, create: keeper }
  Find:
    read:   [member, keeper]
    create: { role: member, fields: [title, shelf_mark, picture, papers, worn] }
    update: { role: keeper, fields: [urgency] }
\`\`\`
`;

let served: TestServer;
beforeAll(async () => {
  served = await serveText(findings, { sample: true });
});

test("the day of a transition has a value only after it, and salaries differ", async () => {
  const { rows } = await served.database.query(
    `select count(*) filter (where approved_on is not null and status = 'asked')::int as early,
            count(*) filter (where approved_on is null and status = 'approved')::int as missing,
            count(distinct salary)::int > 4 as differ from app.raise`,
  );
  expect(rows).toEqual([{ early: 0, missing: 0, differ: true }]);
});

test("a numbered text is as short as its field has room for", async () => {
  const { rows } = await served.database.query(
    "select shelf_mark from app.find order by length(shelf_mark), shelf_mark",
  );
  expect(rows.slice(0, 2)).toEqual([{ shelf_mark: "SM-1" }, { shelf_mark: "SM-2" }]);
});

test("samples have pictures, files and several values, and fields that their creator can’t write are set by other people", async () => {
  const finds = await served.opened.service.database.query({
    text: `select f.type, t.urgency, cardinality(t.worn) as worn, cardinality(t.papers) as papers
           from app.find t join ninefold.file f on f.id = (t.picture ->> 'id')::uuid`,
    values: [],
  });
  expect(finds.length).toBeGreaterThan(5);
  expect(new Set(finds.map(({ type }) => type))).toEqual(new Set(["image/png"]));
  const papers = await served.database.query(
    "select f.name, f.type from app.find t, unnest(t.papers) p join ninefold.file f on f.id = (p ->> 'id')::uuid limit 1",
  );
  expect(papers.rows).toMatchObject([
    { name: expect.stringMatching(/^Papers \d+(?:-\d+)?\.pdf$/u), type: "application/pdf" },
  ]);
  expect(finds.some(({ papers }) => Number(papers) > 0)).toBe(true);
  expect(finds.some(({ worn }) => Number(worn) > 0)).toBe(true);
  expect(new Set(finds.map(({ urgency }) => urgency)).size).toBeGreaterThan(1);
});

test("a text that alone names a record is made of the word for such records", async () => {
  const { rows } = await served.database.query(
    `select count(*) filter (where title !~ '^Find [0-9]+$')::int as finds,
            (select count(*) filter (where topic !~ '^Gathering [0-9]+$')::int from app.gathering) as gatherings from app.find`,
  );
  expect(rows[0]).toEqual({ finds: 0, gatherings: 0 });
});

test("what is planned for a day lies on both sides of today, on working days, and is done on its day", async () => {
  const visits = await serveText(
    `
# Visits

## 3. Entities and their fields
\`\`\`yaml
Visit: { label: "{place}", fields: { place: text, planned_for: date } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Visit:
  field: status
  final: done
  states: [planned, done]
  transitions:
    finish: { from: planned, to: done, by: member }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Visit: { read: member, create: member } }
\`\`\`
`,
    { sample: true },
  );
  const { rows } = await visits.database.query(
    `select count(*) filter (where status = 'done' and planned_for > current_date)::int as early,
            count(*) filter (where planned_for > current_date) > 2 as ahead,
            count(*) filter (where status = 'done') > 1 as done,
            count(*) filter (where extract(isodow from planned_for) > 5)::int as weekend from app.visit`,
  );
  expect(rows).toEqual([{ early: 0, ahead: true, done: true, weekend: 0 }]);
});

test("most records go on to their end, although a way back is open", async () => {
  const defects = await serveText(
    `
# Defects

## 3. Entities and their fields
\`\`\`yaml
Defect: { label: "{title}", fields: { title: text } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Defect:
  field: status
  final: confirmed
  states: [open, fixed, confirmed]
  transitions:
    fix:     { from: open, to: fixed, by: member }
    reopen:  { from: fixed, to: open, by: member }
    confirm: { from: fixed, to: confirmed, by: member }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Defect: { read: member, create: member } }
\`\`\`
`,
    { sample: true },
  );
  const { rows } = await defects.database.query(
    "select count(*) filter (where status = 'confirmed')::int as confirmed, count(*)::int as all from app.defect",
  );
  expect(Number(rows[0]?.confirmed)).toBeGreaterThan(Number(rows[0]?.all) / 5);
});

test("records that need a date in the future get one, and not all of them are cancelled", async () => {
  const counted = await served.opened.service.database.query({
    text: `select status, count(*)::int as all, count(*) filter (where starts > now())::int as ahead from app.gathering group by 1`,
    values: [],
  });
  const all = new Map(counted.map((row) => [row.status, row]));
  expect(all.get("published")?.ahead).toBeGreaterThan(1);
  expect(all.size).toBeGreaterThan(2);
  expect(all.get("called_off")?.all ?? 0).toBeLessThan(12);
});

test("records of a calendar that shows their beginning and end are planned ahead too", async () => {
  const tents = await serveText(
    `
# Tents

## 2. Screens
\`\`\`yaml
/hires: { list: Hire, layouts: [table, { calendar: [begins, ends] }] }
\`\`\`

## 3. Entities
\`\`\`yaml
Hire: { fields: { begins: date, ends: date } }
\`\`\`
`,
    { sample: true },
  );
  const { rows } = await tents.database.query(
    "select count(*) filter (where begins > current_date)::int as ahead, count(*)::int as all from app.hire",
  );
  expect(Number(rows[0]?.ahead)).toBeGreaterThan(1);
  expect(Number(rows[0]?.ahead)).toBeLessThan(Number(rows[0]?.all));
});

test("names fit their field, addresses differ where they must, and nothing happens before what it follows", async () => {
  const shop = await serveText(
    `
# Shop

## 3. Entities
\`\`\`yaml
Customer: { fields: { name: { type: text, max: 13 }, email: { type: email, unique: true } } }
Claim: { fields: { title: text } }
\`\`\`

## 4. States
\`\`\`yaml
Claim:
  field: status
  states: [asked, forgotten, answered]
  transitions:
    forget: { from: asked, to: forgotten, timeout: 10 days }
    answer: { from: forgotten, to: answered, by: member }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Customer: { read: member, create: member }, Claim: { read: member, create: member } }
\`\`\`
`,
  );
  const timers = new Timers(() => undefined);
  const { service } = shop.opened;
  await createSampleData(service, new Date(), (until) => timers.run(service, until));
  const { rows } = await shop.database.query(
    `select count(*)::int as all, count(distinct email)::int as addresses,
       count(*) filter (where length(name) > 13 or name ~ '[0-9]')::int as unfit from app.customer`,
  );
  expect(rows).toEqual([{ all: 12, addresses: 12, unfit: 0 }]);
  const { rows: answered } = await shop.database.query("select 1 from app.claim where status = 'answered'");
  expect(answered).not.toEqual([]);
  const { rows: early } = await shop.database.query(
    `select action from (select action, at, lag(at) over (partition by record order by id) as before
       from ninefold.audit where entity = 'Claim') as lines where at < before`,
  );
  expect(early).toEqual([]);
});

const grants = `
## 3. Entities
\`\`\`yaml
Grant: { fields: { title: text } }
\`\`\`
## 4. States
\`\`\`yaml
Grant:
  field: status
  states: [draft, published]
  transitions: { publish: { from: draft, to: published, by: officer, needs: 2, recorded in: published_by } }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { officer: { members: granted }, member: { members: signed in } }
permissions: { Grant: { read: member, create: member } }
\`\`\`
`;

test("a role has as many people as a transition needs", async () => {
  const office = await serveText(grants, { sample: true });
  const [row] = await office.opened.service.database.query({
    text: `select count(*)::int as published, min(cardinality(published_by)) as people from app."grant" where status = 'published'`,
    values: [],
  });
  expect(Number(row?.published)).toBeGreaterThan(1);
  expect(row?.people).toBe(2);
  await office.stop();
});

const purchases = `
# Purchases

## 3. Entities and their fields
\`\`\`yaml
Article:
  label: "{name}"
  fields:
    code: { type: text, unique: true, examples: [MIC-1, CEN-1, LAS-1] }
    name: { type: text, examples: [Microscope, Centrifuge, Laser cutter] }
Purchase:
  fields:
    article:  Article
    customer: text
    price:    { type: money, currency: EUR, min: 0 }
    discount: { type: integer?, min: 0, max: 50 }
    paid_on:  date
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Article: { read: member, create: member }, Purchase: { read: member, create: member } }
\`\`\`
`;

test("values without examples are plausible by their names, and examples of one length belong together", async () => {
  const shop = await serveText(purchases, { sample: true });
  const { query } = shop.database;
  const { rows: articles } = await query("select code, name from app.article order by code");
  expect(articles).toEqual([
    { code: "CEN-1", name: "Centrifuge" },
    { code: "LAS-1", name: "Laser cutter" },
    { code: "MIC-1", name: "Microscope" },
  ]);
  const { rows } = await query(
    `select count(*)::int as all, min(price)::float as least, max(price)::float as most, max(discount)::int as discount,
            count(*) filter (where paid_on > created_at + interval '1 day')::int as later,
            count(*) filter (where customer like 'Customer %')::int as nameless from app.purchase`,
  );
  expect(rows[0]).toMatchObject({ later: 0, nameless: 0 });
  expect(Number(rows[0]?.all)).toBeGreaterThan(5);
  expect(Number(rows[0]?.least)).toBeGreaterThan(4);
  expect(Number(rows[0]?.most)).toBeLessThan(2_000);
  expect(Number(rows[0]?.discount)).toBeLessThan(51);
});

test("people and companies have names of the document's language, also under English identifiers", async () => {
  const shop = await serveText(
    `
# Verkauf

## 1. Zweck
\`\`\`yaml
locale: de
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Kunde:    { label: "{name}", fields: { name: text, vertrag: file } }
Supplier: { label: "{name}", fields: { name: text } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Kunde: { read: member, create: member }, Supplier: { read: member, create: member } }
\`\`\`
`,
    { sample: true },
  );
  const { query } = shop.database;
  const { rows: customers } = await query("select name from app.kunde");
  expect(customers.map(({ name }) => name)).toContain("Katrin Böhm");
  const { rows: notes } = await query(
    "select distinct convert_from(c.bytes, 'latin1') like '%(Beispieldatei dieser Demonstration)%' as german from ninefold.file_chunk c",
  );
  expect(notes).toEqual([{ german: true }]);
  const { rows: suppliers } = await query("select name from app.supplier");
  expect(suppliers.map(({ name }) => name)).toContain("Kröger Werkzeuge");
  expect(suppliers.map(({ name }) => name)).not.toContain("Kröger Tools");
});

const keys = `
# Keys

## 3. Entities and their fields
\`\`\`yaml
Key:
  label: "{number}"
  fields:
    number: { type: text, unique: true, examples: [A-12, A-14, B-03] }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Key: { read: member, create: member } }
\`\`\`
`;

const keysWithLoans = keys
  .replace(
    "\n## 6.",
    `
\`\`\`yaml
Handout: { label: "{key}", fields: { key: Key, until: date, note: text? } }
Room: { label: "{name}", fields: { name: text } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Handout: { field: status, initial: asked, states: [asked, lent, back], transitions: { lend: { from: asked, to: lent, by: porter }, return: { from: lent, to: back, by: porter } } }
\`\`\`

## 6.`,
  )
  .replace("roles: { member", "roles: { porter: { members: granted }, member")
  .replace(
    "permissions: {",
    "permissions: { Handout: { read: member, create: member }, Room: { read: member, create: porter },",
  );

const first = compiled(keys).model;
const later = compiled(keysWithLoans);
const lending = compiled(readFileSync(example("lending"), "utf8"));
const source = { clock: () => new Date(), passing: () => () => Promise.resolve(), stories: () => Promise.resolve([]) };

test("a new version gets samples for what is new alone, and an example its story", async () => {
  const store = await sampledDatabase(keys);
  const rows = async (text: string) => (await store.query(text)).rows;
  const count = async (text: string) => (await rows(`select count(*)::int as n from ${text}`))[0]?.n;
  const people = Number(await count(`app."user"`));
  const extended = await open(later.model, later, { owner: store.url, app: store.appUrl });
  const added = await addSamples(extended.service, first, new Set(["Room"]), source);
  expect(added).toEqual({ people: 2, records: await count("app.handout") });
  expect(added.records).toBeGreaterThan(10);
  expect(await count(`app."user"`)).toBe(people + 2);
  expect(await count(`app."user" where roles = array['porter']`)).toBe(2);
  expect(await count("app.key")).toBe(3);
  expect(await count("app.room")).toBe(0);
  expect(await count("app.handout where status <> 'asked'")).toBeGreaterThan(2);
  // No version is new twice.
  expect(await addSamples(extended.service, later.model, new Set(), source)).toEqual({ people: 0, records: 0 });
  await extended.close();

  // The sample people get their part in the story.
  const replaced = await open(lending.model, lending, { owner: store.url, app: store.appUrl });
  await addSamples(replaced.service, later.model, new Set(), { ...source, stories: readExampleStories });
  expect(
    await rows(`select name from app."user" where email = 'jonas.weber@example.com' and 'keeper' = any(roles)`),
  ).toEqual([{ name: "Jonas Weber" }]);
  expect(await rows("select name from app.thing where name = 'Cargo bike'")).toHaveLength(1);

  // Nothing is added where the samples were removed.
  await store.query("delete from ninefold.sample");
  expect(await addSamples(replaced.service, first, new Set(), source)).toEqual({ people: 0, records: 0 });
  await replaced.close();
});
