// The longest pauses of 16 readers and 8 writers while a version is published, for each kind of change.
// `npm run bench:pauses -- [--rows 1000000] [--minutes 15]`; adds them to docs/evidence/change.json. Nothing is asserted. With
// `--only "an index"`, the one kind of change is measured and printed. After so many minutes the run ends: the change that
// is being published is listed with the pauses until then, and later ones are listed as not measured.
import { execFileSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { compile } from "../src/core/compile.ts";
import { unpackSources } from "../src/core/document/sources.ts";
import { connect } from "../src/postgres/database.ts";
import { startEmbedded, toConnectionUrl } from "../src/postgres/embedded/index.ts";
import { createJob } from "../src/postgres/job/job-store.ts";
import { runJob } from "../src/postgres/job/run-job.ts";
import { applyDocument, CHANGE_TIMEOUT } from "../src/postgres/schema/apply-document.ts";
import { prepareSystem } from "../src/postgres/schema/prepare-system.ts";
import { startPeople } from "./people.ts";

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    only: { type: "string" },
    minutes: { type: "string", default: "15" },
  },
});
const end = performance.now() + Number(options.minutes) * 60_000;
const rows = Number(options.rows);

const base = [
  "name: { type: text, max: 100 }",
  "size: integer",
  "kind: { type: choice, values: [a, b, c] }",
  "note: text?",
  "from: date?",
  "to: date?",
];
interface Change {
  readonly fields: readonly string[];
  readonly sort?: string;
  readonly rule?: string;
  readonly more?: string;
}
const document = ({ fields, sort = "name", rule, more = "" }: Change): string =>
  `# Stock\n\n## 2. Lists\n\`\`\`yaml\n/items: { list: Item, sort: [${sort}] }\n\`\`\`\n\n## 3. Entities\n\`\`\`yaml\nItem:\n  fields:\n${fields.map((one) => `    ${one}`).join("\n")}\n${more}\n\`\`\`\n\n${
    rule === undefined ? "" : `## 5. Rules\n\`\`\`yaml\nItem:\n  - { ${rule}, else: BAD }\n\`\`\`\n\n`
  }## 6. Permissions\n\`\`\`yaml\nroles: { member: { members: signed in } }\npermissions: { Item: { read: [member], create: [member], update: [member] } }\n\`\`\`\n${
    rule === undefined ? "" : '\n## 8. Errors\n```yaml\nBAD: "Bad."\n```\n'
  }`;

/** Each version changes the one before it. */
const changes: readonly (readonly [string, Change])[] = [
  ["nothing stored", { fields: [...base.slice(0, 5), "to: { type: date?, title: Until }"] }],
  ["add a field", { fields: [...base, "pages: integer?"] }],
  [
    "add a required field with a value for each record",
    { fields: [...base, "pages: integer?", 'double: { type: integer, fill: "size * 2" }'] },
  ],
  ["an index", { fields: [...base, "pages: integer?", "double: integer"], sort: "size, name" }],
  [
    "uniqueness",
    {
      fields: [
        ...base.map((one) => (one === "size: integer" ? "size: { type: integer, unique: true }" : one)),
        "pages: integer?",
        "double: integer",
      ],
      sort: "size, name",
    },
  ],
  [
    "a tighter rule",
    { fields: [...base, "pages: integer?", "double: integer"], sort: "size, name", rule: 'rule: "double >= 0"' },
  ],
  [
    "another name",
    { fields: [...base, "sheets: { type: integer?, was: pages }", "double: integer"], sort: "size, name" },
  ],
  ["the end of a field", { fields: [...base, "sheets: integer?"], sort: "size, name" }],
  ["bring back the field", { fields: [...base, "sheets: integer?", "double: integer?"], sort: "size, name" }],
  ["required from now on", { fields: [...base, "sheets: integer?", "double: integer"], sort: "size, name" }],
  [
    "another type with a conversion",
    {
      fields: [
        ...base.map((one) =>
          one === "size: integer" ? "size: { type: text, was: { size: integer }, fill: text(was.size) }" : one,
        ),
        "double: integer",
      ],
      sort: "double, name",
    },
  ],
  [
    "a computed field that a list is sorted by",
    {
      fields: [
        ...base.map((one) => (one === "size: integer" ? "size: text" : one)),
        "double: integer",
        'triple: { type: integer, computed: "double * 3" }',
      ],
      sort: "triple, name",
    },
  ],
  [
    "a value whose records get another",
    {
      fields: [
        ...base.map((one) => {
          if (one.startsWith("kind")) return "kind: { type: choice, values: [a, { b: { was: c } }] }";
          return one === "size: integer" ? "size: text" : one;
        }),
        "double: integer",
      ],
      sort: "double, name",
    },
  ],
  [
    "no overlap",
    {
      fields: [
        ...base.map((one) => {
          if (one.startsWith("kind")) return "kind: { type: choice, values: [a, b] }";
          return one === "size: integer" ? "size: text" : one;
        }),
        "double: integer",
      ],
      sort: "double, name",
      rule: "no overlap: [from, to], within: name",
    },
  ],
];

const file = new URL("../docs/evidence/change.json", import.meta.url);
/** Writes after each change, so that a run that is interrupted leaves what it measured. */
const keep = (): void => {
  if (options.only !== undefined) return;
  const known = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  const pauses = {
    measured: new Date().toISOString().slice(0, 10),
    rows,
    load: Number(loadavg()[0]?.toFixed(1)),
    unit: "the longest statement of 16 readers and 8 writers while the version is published, and in the second before",
    changes: found,
    "not measured": changes.slice(found.length).map(([what]) => what),
  };
  writeFileSync(file, `${JSON.stringify({ ...known, pauses }, undefined, 2)}\n`);
};

const folder = mkdtempSync(join(tmpdir(), "ninefold-pauses-"));
chmodSync(folder, 0o755);
const embedded = await startEmbedded({ folder, name: "pauses", demonstration: false });
const url = toConnectionUrl(embedded.owner);
const owner = connect({ connection: url, max: 1, statementTimeout: CHANGE_TIMEOUT });
const found: Record<string, unknown>[] = [];
try {
  const from = options.only === undefined ? -1 : changes.findIndex(([what]) => what === options.only) - 1;
  const first = compile({ file: "stock.md", text: document(changes[from]?.[1] ?? { fields: base }) });
  if (first.model === undefined) throw new Error(first.findings.map(({ message }) => message).join("\n"));
  await prepareSystem(owner, undefined);
  await applyDocument(owner, first.model, first.source);
  const values: Readonly<Record<string, string>> = {
    ...{
      id: "uuidv7()",
      version: "1",
      created_at: "now()",
      updated_at: "now()",
      name: "'item ' || n % 10000",
      size: "n",
    },
    ...{ kind: "(array['a', 'b', 'c'])[1 + n % 3]", note: "'note'", pages: "n", sheets: "n", double: "n * 2" },
    ...{ from: "date '2020-01-01' + n / 10000 * 3", to: "date '2020-01-02' + n / 10000 * 3" },
  };
  const columns = (
    await owner.query({
      text: "select attname as name from pg_attribute where attrelid = 'app.item'::regclass and attnum > 0 and attgenerated = ''",
      values: [],
    })
  ).map(({ name }) => String(name));
  await owner.query({
    text: `insert into app.item (${columns.map((name) => `"${name}"`).join(", ")}) select ${columns.map((name) => values[name] ?? "null").join(", ")} from generate_series(1, ${rows}) n`,
    values: [],
  });
  const ids = (
    await owner.query({ text: "select id from app.item tablesample system (2) limit 5000", values: [] })
  ).map(({ id }) => String(id));
  await owner.query({ text: "vacuum analyze app.item", values: [] });
  for (const [what, change] of changes) {
    if (options.only !== undefined && options.only !== what) continue;
    const text = document(change);
    // Half a minute is left to end and to remove the database.
    const left = end - performance.now() - 30_000;
    if (left <= 0) break;
    const { model, source, findings } = compile({ file: "stock.md", text });
    if (model === undefined) throw new Error(`${what}: ${findings.map(({ message }) => message).join("\n")}`);
    const said = startPeople(url, ids);
    // Flush earlier writes to the disk, so that they delay no commit from now on.
    execFileSync("sync");
    await sleep(1_500);
    await said("forget");
    await sleep(1_000);
    const quiet = await said("forget");
    const begun = performance.now();
    const [last] = await owner.query({
      text: "select hash from ninefold.version order by number desc limit 1",
      values: [],
    });
    await createJob((inside) => owner.transaction(inside), {
      source,
      base: String(last?.hash),
      person: null,
      note: "",
    });
    const times: (readonly [number, string])[] = [[Date.now(), "before"]];
    const result = await runJob(owner, {
      compile: (packed) => Promise.resolve(compile(unpackSources(packed))),
      signal: AbortSignal.timeout(Math.ceil(left)),
      progress: ({ phase }) => {
        if (times.at(-1)?.[1] !== phase) times.push([Date.now(), phase]);
      },
    });
    const seconds = (performance.now() - begun) / 1_000;
    const longest = await said("end");
    const phaseOf = (at: number): string => times.findLast(([from]) => from <= at)?.[1] ?? "before";
    found.push({
      change: what,
      "read, ms": Math.round(longest.read.took),
      "read in": phaseOf(longest.read.at),
      "write, ms": Math.round(longest.write.took),
      "write in": phaseOf(longest.write.at),
      seconds: Number(seconds.toFixed(1)),
      waits: result?.job.waits ?? 0,
      "before, read, ms": Math.round(quiet.read.took),
      "before, write, ms": Math.round(quiet.write.took),
      refused: longest.refused,
      state: result?.job.state ?? "none",
      ...(result?.job.state === "done" ? {} : { because: result?.job.refused.map(({ says }) => says).join(" ") }),
    });
    console.log(found.at(-1));
    keep();
    if (result?.job.state !== "done") break;
  }
} finally {
  await owner.end();
  await embedded.stop();
  rmSync(folder, { recursive: true, force: true });
}
console.table(found);
