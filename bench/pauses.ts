// The longest pauses of 16 readers and 8 writers while a version is published, for each kind of change.
// `npm run bench:pauses -- [--rows 1000000] [--minutes 60] [--from "an index"] [--to "a tighter rule"]`; prints them, and
// merges them into docs/evidence/change.json, so that the kinds can be measured in pieces. `--list` prints their names.
// Nothing is asserted. Each kind of change follows from the one before it: those that restore what others changed have
// to be measured together with them. After so many minutes the run ends: the change that is being published is listed with
// the pauses until then, and later ones remain as they were measured before.
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
import { changeState, createJob, interruptJob } from "../src/postgres/job/job-store.ts";
import { runJob } from "../src/postgres/job/run-job.ts";
import { applyDocument, CHANGE_TIMEOUT } from "../src/postgres/schema/apply-document.ts";
import { prepareSystem } from "../src/postgres/schema/prepare-system.ts";
import { startPeople } from "./people.ts";

const { values: options } = parseArgs({
  options: {
    rows: { type: "string", default: "1000000" },
    from: { type: "string" },
    to: { type: "string" },
    list: { type: "boolean", default: false },
    minutes: { type: "string", default: "60" },
  },
});
const end = performance.now() + Number(options.minutes) * 60_000;
const rows = Number(options.rows);

/** A document about items, of which there are many, and boxes, of which there are few. */
interface Draft {
  /** The fields of an item, by name. */
  readonly fields: Readonly<Record<string, string>>;
  readonly boxes: boolean;
  readonly sort: string;
  readonly rules: readonly string[];
  readonly states: string;
  readonly roles: string;
  readonly screens: string;
  readonly calls: string;
  readonly more: string;
}

const block = (point: string, ...lines: readonly string[]): string =>
  `## ${point}\n\`\`\`yaml\n${lines.filter((line) => line !== "").join("\n")}\n\`\`\`\n`;

const document = ({ fields, boxes, sort, rules, states, roles, screens, calls, more }: Draft): string =>
  [
    "# Stock\n",
    block("2. Lists", `/items: { list: Item, sort: [${sort}] }`, screens),
    block(
      "3. Entities",
      boxes ? 'Box: { label: "{name}", fields: { name: text } }' : "",
      "Item:\n  fields:",
      ...Object.entries(fields).map(([name, type]) => `    ${name}: ${type}`),
      more,
    ),
    states === "" ? "" : block("4. States", `Item: ${states}`),
    rules.length === 0 ? "" : block("5. Rules", "Item:", ...rules.map((rule) => `  - { ${rule}, else: BAD }`)),
    block(
      "6. Permissions",
      `roles: { member: { members: signed in }${roles} }`,
      `permissions: { Item: { read: [member], create: [member], update: [member] }${boxes ? ", Box: { read: [member], create: [member] }" : ""} }`,
    ),
    calls === "" ? "" : block("7. Calls", calls),
    rules.length === 0 ? "" : block("8. Errors", 'BAD: "Bad."'),
  ].join("\n");

const base: Draft = {
  fields: {
    name: "{ type: text, max: 100 }",
    size: "integer",
    kind: "{ type: choice, values: [a, b, c] }",
    note: "text?",
    from: "date?",
    to: "date?",
    box: "Box?",
  },
  boxes: true,
  sort: "name",
  rules: [],
  states: "",
  roles: "",
  screens: "",
  calls: "",
  more: "",
};

/** The draft with other fields; null removes one. */
const withFields = ({ fields, ...rest }: Draft, changed: Readonly<Record<string, string | null>>): Draft => ({
  ...rest,
  fields: Object.fromEntries(
    Object.entries({ ...fields, ...changed }).flatMap(([name, type]) => (type === null ? [] : [[name, type] as const])),
  ),
});
const fields =
  (changed: Readonly<Record<string, string | null>>, more: Partial<Draft> = {}) =>
  (draft: Draft): Draft => ({ ...withFields(draft, changed), ...more });
const points =
  (more: Partial<Draft>) =>
  (draft: Draft): Draft => ({ ...draft, ...more });

const apart = "no overlap: [from, to], within: name";
const nights = (where: string) =>
  `Day:\n  label: "{day}"\n  rows of: { item: Item, day: "days(from, to)" }${where}\n  fields:\n    size: { type: integer, kept: true, computed: item.size }`;

/** Each version changes the one before it. */
const edits: readonly (readonly [string, (draft: Draft) => Draft])[] = [
  ["nothing stored", fields({ to: "{ type: date?, title: Until }" })],
  ["a screen and a role are added", points({ roles: ", keeper: granted", screens: "/boxes: { list: Box }" })],
  ["a screen and a role are removed", points({ roles: "", screens: "" })],
  ["a call is added", points({ calls: "calls: { GET /stock: { list: Item } }" })],
  ["a call is removed", points({ calls: "" })],
  ["an optional field", fields({ pages: "integer?" })],
  ["a required field with a value for each record", fields({ double: '{ type: integer, fill: "size * 2" }' })],
  ["an index", fields({ double: "integer" }, { sort: "size, name" })],
  ["uniqueness", fields({ size: "{ type: integer, unique: true }" })],
  ["the end of uniqueness", fields({ size: "integer" })],
  ["a tighter rule", points({ rules: ['rule: "double >= 0"'] })],
  ["a looser rule", points({ rules: ['rule: "double >= -5"'] })],
  ["the end of a rule", points({ rules: [] })],
  ["another name", fields({ pages: null, sheets: "{ type: integer?, was: pages }" })],
  ["the end of a field", fields({ sheets: "integer?", double: null })],
  ["bring back the field", fields({ double: "integer?" })],
  ["required from now on", fields({ double: "integer" })],
  ["optional from now on", fields({ double: "integer?" })],
  ["optional, then required with a value", fields({ sheets: "{ type: integer, fill: 1 }" })],
  ["optional again, with the values from before", fields({ sheets: "integer?" })],
  [
    "another type with a conversion",
    fields({ size: "{ type: text, was: { size: integer }, fill: text(was.size) }" }, { sort: "double, name" }),
  ],
  ["the former type", fields({ size: "integer" })],
  [
    "a computed field that a list is sorted by",
    fields({ triple: '{ type: integer, computed: "double * 3" }' }, { sort: "triple, name" }),
  ],
  ["another formula", fields({ triple: '{ type: integer, computed: "double * 3 + 1" }' })],
  ["a computed field becomes an entered one", fields({ triple: "integer?" })],
  ["an entered field becomes a computed one", fields({ triple: '{ type: integer, computed: "double * 3" }' })],
  ["the end of a computed field", fields({ triple: null }, { sort: "kind, name" })],
  ["another name for a value", fields({ kind: "{ type: choice, values: [a, { bb: { was: b } }, c] }" })],
  ["a value whose records get another", fields({ kind: "{ type: choice, values: [a, { bb: { was: c } }] }" })],
  ["the value and its records again", fields({ kind: "{ type: choice, values: [a, bb, c] }" })],
  [
    "a text in place of a choice",
    fields({ kind: "{ type: text, was: { kind: choice }, fill: \"was.kind == 'a' ? 'A' : was.kind\" }" }),
  ],
  ["the choice again", fields({ kind: "{ type: choice, values: [a, bb, c] }" }, { sort: "name" })],
  ["several values", fields({ kind: "{ type: choice, many: true, values: [a, bb, c] }" })],
  ["one value again", fields({ kind: "{ type: choice, values: [a, bb, c] }" })],
  ["several references", fields({ box: "{ type: Box, many: true }" })],
  ["one reference again", fields({ box: "Box?" })],
  ["the end of an entity and its references", fields({ box: null }, { boxes: false })],
  ["bring back the entity", fields({ box: "Box?" }, { boxes: true })],
  ["states", points({ states: "{ states: [new, old, gone], transitions: { age: { from: new, to: old } } }" })],
  [
    "a transition is removed, and a state with its records",
    points({ states: "{ states: [{ old: { was: new } }, gone], transitions: { go: { from: old, to: gone } } }" }),
  ],
  ["the end of all states", points({ states: "" })],
  [
    "bring back the states",
    points({ states: "{ states: [old, gone], transitions: { go: { from: old, to: gone } } }" }),
  ],
  ["derived rows", points({ more: nights("") })],
  ["other derived rows", points({ more: nights("\n  where: item.size > 10") })],
  ["the end of derived rows", points({ more: "" })],
  ["no overlap", points({ rules: [apart] })],
  ["another rule without overlap", points({ rules: ["no overlap: [from, to], within: [name, kind]"] })],
  [
    "another name for a value under a rule without overlap",
    fields({ kind: "{ type: choice, values: [a, { b: { was: bb } }, c] }" }),
  ],
  ["the end of a rule without overlap", points({ rules: [] })],
];

interface Change {
  readonly what: string;
  readonly before: Draft;
  readonly draft: Draft;
}
const changes: Change[] = [];
for (const [what, edit] of edits) {
  const before = changes.at(-1)?.draft ?? base;
  changes.push({ what, before, draft: edit(before) });
}

const indexOf = (what: string | undefined, otherwise: number): number => {
  if (what === undefined) return otherwise;
  const at = changes.findIndex((change) => change.what === what);
  if (at < 0) throw new Error(`there is no kind of change “${what}”; --list prints them`);
  return at;
};
if (options.list) {
  console.log(changes.map(({ what }) => what).join("\n"));
  process.exit(0);
}
const chosen = changes.slice(indexOf(options.from, 0), indexOf(options.to, changes.length - 1) + 1);
if (chosen.length === 0) throw new Error("--to comes before --from");

interface Measured {
  readonly change: string;
  readonly measured: string;
  readonly [figure: string]: unknown;
}

const file = new URL("../docs/evidence/change.json", import.meta.url);
/** Writes after each change, so that a run that is interrupted leaves what it measured. */
const keep = (): void => {
  const known = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  const key = rows === 1_000_000 ? "pauses" : `pauses with ${rows} records`;
  const before = (known[key] as { readonly changes?: readonly Measured[] } | undefined)?.changes ?? [];
  const newest = changes.flatMap(({ what }) => [...before, ...found].filter(({ change }) => change === what).slice(-1));
  const pauses = {
    rows,
    unit: "the longest statement of 16 readers and 8 writers while the version is published, and in the second before",
    changes: newest,
    "not measured": changes.map(({ what }) => what).filter((what) => !newest.some(({ change }) => change === what)),
  };
  writeFileSync(file, `${JSON.stringify({ ...known, [key]: pauses }, undefined, 2)}\n`);
};

const folder = mkdtempSync(join(tmpdir(), "ninefold-pauses-"));
chmodSync(folder, 0o755);
const embedded = await startEmbedded({ folder, name: "pauses", demonstration: false });
const url = toConnectionUrl(embedded.owner);
const owner = connect({ connection: url, max: 1, statementTimeout: CHANGE_TIMEOUT });
const other = connect({ connection: url, max: 1 });
const found: Measured[] = [];
try {
  const start = chosen[0]?.before ?? base;
  const first = compile({ file: "stock.md", text: document(start) });
  if (first.model === undefined) throw new Error(first.findings.map(({ message }) => message).join("\n"));
  await prepareSystem(owner, undefined);
  await applyDocument(owner, first.model, first.source);
  const kinds = start.fields.kind ?? "";
  const kind = `(array['a', '${/\bbb\b(?! \})/u.test(kinds) ? "bb" : "b"}', '${kinds.includes("was: c") ? "bb" : "c"}'])[1 + n % 3]`;
  const box = "('00000000-0000-4000-8000-' || lpad(to_hex(n % 1000), 12, '0'))::uuid";
  const isMany = (name: string): boolean => start.fields[name]?.includes("many") === true;
  const values: Readonly<Record<string, string>> = {
    ...{ id: "uuidv7()", version: "1", created_at: "now()", updated_at: "now()", name: "'item ' || n % 10000" },
    ...{ size: start.fields.size?.includes("type: text") === true ? "n::text" : "n", note: "'note'" },
    ...{ pages: "n", sheets: "n", double: "n * 2", triple: "n * 6", state_since: "now()" },
    ...{ kind: isMany("kind") ? `array[${kind}]` : kind, box: isMany("box") ? `array[${box}]` : box },
    ...{ state: start.states.includes("[new") ? "'new'" : "'old'" },
    ...{ from: "date '2020-01-01' + n / 10000 * 3", to: "date '2020-01-02' + n / 10000 * 3" },
  };
  if (start.boxes)
    await owner.query({
      text: `insert into app.box (id, version, created_at, updated_at, name) select ${box}, 1, now(), now(), 'box ' || n from generate_series(0, 999) n`,
      values: [],
    });
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
  for (const { what, draft } of chosen) {
    const text = document(draft);
    // Half a minute is left to end and to remove the database.
    const remaining = end - performance.now() - 30_000;
    if (remaining <= 0) break;
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
    // A statement that the job waits for is cancelled, too.
    const late = setInterval(() => {
      if (performance.now() > end - 30_000) void other.query(interruptJob).catch(() => undefined);
    }, 1_000);
    const result = await runJob(owner, {
      compile: (packed) => Promise.resolve(compile(unpackSources(packed))),
      signal: AbortSignal.timeout(Math.ceil(remaining)),
      progress: ({ phase }) => {
        if (times.at(-1)?.[1] !== phase) times.push([Date.now(), phase]);
      },
    })
      .catch((error: unknown) => {
        if (performance.now() < end - 30_000) throw error;
        return undefined;
      })
      .finally(() => clearInterval(late));
    const seconds = (performance.now() - begun) / 1_000;
    const longest = await said("end");
    const phaseOf = (at: number): string => times.findLast(([from]) => from <= at)?.[1] ?? "before";
    found.push({
      change: what,
      measured: new Date().toISOString().slice(0, 10),
      load: Number(loadavg()[0]?.toFixed(1)),
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
      ...(result?.job.steps.some(({ state }) => state === "left") === true ? { left: true } : {}),
      ...(result?.job.state === "done" ? {} : { because: result?.job.refused.map(({ says }) => says).join(" ") }),
    });
    console.log(found.at(-1));
    keep();
    if (result === undefined || result.job.state === "done") continue;
    if (remaining <= seconds * 1_000) break;
    await changeState(owner.query, result.job.id, "abandoning");
    await runJob(owner, { compile: (packed) => Promise.resolve(compile(unpackSources(packed))) });
  }
} finally {
  await owner.end();
  await other.end();
  await embedded.stop();
  rmSync(folder, { recursive: true, force: true });
}
console.table(found);
