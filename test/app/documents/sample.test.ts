import { beforeAll, expect, test } from "vitest";
import { serveText, type TestServer } from "../program.ts";

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
    picture: image
    papers:  { type: file, many: true }
    urgency: { type: choice, values: [low, normal, high], default: normal }
    worn:    { type: choice, values: [new, used, broken], many: true }
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
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  member: { members: signed in }
  keeper: { members: granted }
permissions:
  Gathering: { read: member, create: member, update: keeper }
  Find:
    read:   [member, keeper]
    create: { role: member, fields: [title, picture, papers, worn] }
    update: { role: keeper, fields: [urgency] }
\`\`\`
`;

let served: TestServer;
beforeAll(async () => {
  served = await serveText(findings, { sample: true });
});

test("samples have pictures, files and several values, and fields that their creator can’t write are set by other people", async () => {
  const finds = await served.opened.service.database.query({
    text: `select f.type, t.urgency, cardinality(t.worn) as worn, cardinality(t.papers) as papers
           from app.find t join ninefold.file f on f.id = (t.picture ->> 'id')::uuid`,
    values: [],
  });
  expect(finds.length).toBeGreaterThan(5);
  expect(new Set(finds.map(({ type }) => type))).toEqual(new Set(["image/png"]));
  expect(finds.some(({ papers }) => Number(papers) > 0)).toBe(true);
  expect(finds.some(({ worn }) => Number(worn) > 0)).toBe(true);
  expect(new Set(finds.map(({ urgency }) => urgency)).size).toBeGreaterThan(1);
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
