import { expect, onTestFinished, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import { unpackSources } from "../../../src/core/document/sources.ts";
import { connect } from "../../../src/postgres/database.ts";
import { createJob } from "../../../src/postgres/job/job-store.ts";
import { type JobOptions, runJob } from "../../../src/postgres/job/run-job.ts";
import { applyDocument, CHANGE_TIMEOUT } from "../../../src/postgres/schema/apply-document.ts";
import { prepareSystem } from "../../../src/postgres/schema/system-tables.ts";
import { database, type TestDatabase } from "../../postgres.ts";
import { compiled } from "../program.ts";

/*
 * A version is published in phases, by a job. Whatever the phases are, the database is afterwards as if the version had
 * been applied in one go.
 */

const shop = (fields: string, more = "") => `# Shop

## 2. Structure and navigation
\`\`\`yaml
/items: { list: Item, sort: [${more.includes("by size") ? "size, " : ""}name] }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Maker: { fields: { name: text } }
Item:
  fields:
    name: { type: text, max: 100 }
${fields}
${more.includes("unique together") ? "  unique: [{ fields: [kind, size], else: TAKEN }]" : ""}
\`\`\`
${
  more.includes("rule")
    ? `
## 5. Rules and calculations
\`\`\`yaml
Item:
  - { rule: "size < 100000", else: TOO_LARGE }
\`\`\`
`
    : ""
}
## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Item: { read: [member], create: [member], update: [member] }, Maker: { read: [member], create: [member] } }
\`\`\`
${
  more.includes("rule")
    ? `
## 8. Errors
\`\`\`yaml
TOO_LARGE: "Too large."
\`\`\`
`
    : ""
}`;

const first = `    size: integer
    kind: { type: choice?, values: [a, b, c] }
    maker: Maker?
    note: text?`;

/** Versions one after the other, each with what it changes. */
const versions: readonly (readonly [string, string])[] = [
  [
    "an optional field, a boolean and a reference",
    shop(`${first}\n    pages: integer?\n    sold: boolean\n    from: Maker?`),
  ],
  ["an order", shop(`${first}\n    pages: integer?\n    sold: boolean\n    from: Maker?`, "by size")],
  [
    "a required field with the value of another",
    shop(
      `${first}\n    pages: integer?\n    sold: boolean\n    from: Maker?\n    double: { type: integer, fill: "size * 2" }`,
      "by size",
    ),
  ],
  [
    "a value for all that have none",
    shop(
      `${first.replace("note: text?", 'note: { type: text, fill: "name" }')}\n    sold: boolean\n    double: integer`,
      "by size",
    ),
  ],
  [
    "uniqueness, a rule and narrower bounds",
    shop(
      `${first.replace("note: text?", "note: text").replace("size: integer", "size: { type: integer, unique: true, max: 90000 }")}\n    double: { type: integer, min: 0 }`,
      "rule",
    ),
  ],
  [
    "a computed field that is stored",
    shop(
      `${first.replace("size: integer", "size: { type: integer, unique: true, max: 90000 }").replace("note: text?", "note: text")}\n    triple: { type: integer, computed: "size * 3" }\n    double: { type: integer, min: 0 }`,
      "rule",
    ),
  ],
  [
    "another name, and the end of others",
    shop(
      `${first.replace("note: text?", "remark: { type: text, was: note }")}\n    triple: { type: integer, computed: "size * 3" }`,
    ),
  ],
  [
    "what was retired",
    shop(
      `${first.replace("note: text?", "remark: text")}\n    double: integer?\n    pages: integer?\n    from: Maker?`,
    ),
  ],
  [
    "fewer values",
    shop(
      `${first.replace("values: [a, b, c]", "values: [a, b]").replace("note: text?", "remark: text")}\n    double: integer?`,
    ),
  ],
  [
    "other types",
    shop(
      `    size: decimal
    kind: { type: choice?, values: [a, b] }
    maker: Maker?
    remark: { type: integer, max: 1200, was: { remark: text }, fill: "was.remark == 'note' ? 7 : integer(was.remark.after('item '))" }
    double: { type: text?, unique: true }
    label: { type: text, unique: true, was: { size: integer }, fill: "'no ' + text(was.size)" }
    owner: { type: Maker?, was: { maker: Maker }, fill: was.maker }`,
      "by size",
    ),
  ],
  [
    "a choice that becomes a text",
    shop(
      `    size: decimal
    kind: { type: text?, was: { kind: choice }, fill: "was.kind == 'a' ? 'A' : was.kind" }
    remark: integer
    double: text?`,
    ),
  ],
  [
    "the former types",
    shop(
      `${first.replace("values: [a, b, c]", "values: [a, b]").replace("note: text?", "remark: text")}\n    double: integer?`,
    ),
  ],
  [
    "a formula",
    shop(
      `    size: integer\n    remark: text\n    triple: { type: integer, unique: true, computed: "size * 3" }`,
      "by size",
    ),
  ],
  [
    "the formula over another type",
    shop(
      `    size: decimal\n    remark: text\n    triple: { type: decimal, unique: true, computed: "size * 3" }`,
      "by size",
    ),
  ],
];

const begin = shop(first);

const everything = async (store: TestDatabase): Promise<unknown> => {
  const texts = [
    `select c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, pg_get_expr(d.adbin, d.adrelid), col_description(c.oid, a.attnum)
       from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
       where c.relnamespace = 'app'::regnamespace and c.relkind = 'r' order by 1, 2`,
    `select conname, convalidated, condeferrable, pg_get_constraintdef(k.oid), obj_description(k.oid) from pg_constraint k where k.connamespace = 'app'::regnamespace order by 1`,
    `select indexdef, obj_description(format('app.%I', indexname)::regclass) from pg_indexes where schemaname = 'app' order by 1`,
    `select tgrelid::regclass::text, tgname from pg_trigger where not tgisinternal and tgrelid::regclass::text like 'app.%' order by 1, 2`,
    "select number, hash, done, note from ninefold.version order by 1",
    "select kind, entity, field, table_name, column_name, version from ninefold.retired order by 1, 2, 3",
    "select table_name, column_name, record, before, after, version from ninefold.former_value order by 1, 2, 3",
    "select to_jsonb(i) - 'created_at' - 'updated_at' as item from app.item i order by id",
    "select count(*) from ninefold.touched",
  ];
  const found: unknown[] = [];
  for (const text of texts) found.push((await store.query(text)).rows);
  return found;
};

const fill = `insert into app.item (id, version, created_at, updated_at, name, size, kind, note)
  select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 1, now(), now(), 'item ' || n, n, (array['a', 'b', null])[1 + n % 3], case when n % 2 = 0 then 'note' end
  from generate_series(1, 1200) n`;

const ownerOf = (store: TestDatabase) => {
  const owner = connect({ connection: store.url, max: 1, statementTimeout: CHANGE_TIMEOUT });
  onTestFinished(() => owner.end());
  return owner;
};

const started = async (): Promise<{ readonly store: TestDatabase; readonly owner: ReturnType<typeof ownerOf> }> => {
  const store = await database();
  onTestFinished(() => store.end());
  const owner = ownerOf(store);
  const { model, source } = compiled(begin, "shop.md");
  await prepareSystem(owner, "ninefold_app");
  await applyDocument(owner, model, source);
  await store.query(fill);
  return { store, owner };
};

const together = { person: null, together: () => Promise.resolve() };

const options: JobOptions = { compile: (packed) => Promise.resolve(compile(unpackSources(packed))), large: 100 };

/** Publishes a text in phases. */
const publish = async (owner: ReturnType<typeof ownerOf>, text: string, more: Partial<JobOptions> = {}) => {
  const { source } = compiled(text, "shop.md");
  const [last] = await owner.query({
    text: "select hash from ninefold.version order by number desc limit 1",
    values: [],
  });
  await createJob((work) => owner.transaction(work), { source, base: String(last?.hash), person: null, note: "" });
  return runJob(owner, { ...options, ...more });
};

test("a version published in phases leaves the database as one applied in one go", async () => {
  const [whole, phased] = await Promise.all([started(), started()]);
  for (const [what, text] of versions) {
    const { model, source } = compiled(text, "shop.md");
    const phases: string[] = [];
    await applyDocument(whole.owner, model, source, together);
    const result = await publish(phased.owner, text, {
      progress: ({ phase }) => void (phases.at(-1) === phase ? 0 : phases.push(phase)),
    });
    console.log(
      what,
      phases.join(),
      result?.job.steps.map((s) => `${s.phase} ${s.says} ${s.state} ${s.written}`),
    );
    expect([what, result?.error, result?.job.state, result?.job.refused]).toEqual([what, undefined, "done", []]);
    expect([what, await everything(phased.store)]).toEqual([what, await everything(whole.store)]);
  }
});
