import { expect, onTestFinished, test } from "vitest";
import { type Database, StoreAway } from "../../../src/postgres/database.ts";
import { changeState, type Job, newestJob } from "../../../src/postgres/job/job-store.ts";
import { type JobOptions, runJob } from "../../../src/postgres/job/run-job.ts";
import { applyDocument } from "../../../src/postgres/schema/apply-document.ts";
import { planDocument } from "../../../src/postgres/schema/plan-document.ts";
import { prepareSystem } from "../../../src/postgres/schema/prepare-system.ts";
import { database } from "../../postgres.ts";
import { compiled } from "../program.ts";
import { everything, kill, options, ownerOf, publish, resumed } from "./phases.ts";

/*
 * Changes that give a column other values or another type, and tables whose rows follow from others: they are prepared
 * beside the live ones, with everything that reads them.
 */

interface Hotel {
  readonly room?: string;
  readonly kind?: string;
  readonly guest?: string;
  readonly more?: string;
  readonly rule?: string;
  readonly states?: string;
  readonly after?: string;
  readonly entity?: string;
  readonly was?: string;
}

const hotel = ({
  room = "room: text",
  kind = "kind: { type: choice, values: [a, b, c] }",
  guest = "guest: Guest?",
  more = "",
  rule = "",
  states = "",
  after = "",
  entity = "Stay",
  was,
}: Hotel): string => `# Hotel

## 2. Structure and navigation
\`\`\`yaml
/stays: { list: ${entity}, sort: [${/many|sort/u.test(kind) ? "size" : "kind, size"}] }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Guest: { fields: { name: text } }
${entity}:${was === undefined ? "" : `\n  was: ${was}`}
  fields:
    ${room}
    size: integer
    begins: date
    ends: date
    ${kind}
    ${guest}
${more}
${after}
\`\`\`
${states === "" ? "" : `\n## 4. States and transitions\n\`\`\`yaml\nStay: { ${states} }\n\`\`\`\n`}${rule === "" ? "" : `\n## 5. Rules and calculations\n\`\`\`yaml\nStay:\n  - { ${rule}, else: TAKEN }\n\`\`\`\n`}
## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Guest: { read: [member] }, ${entity}: { read: [member], create: [member], update: [member] } }
\`\`\`
${rule === "" ? "" : '\n## 8. Errors\n```yaml\nTAKEN: "Taken."\n```\n'}`;

const apart = "no overlap: [begins, ends], within: kind";
const score = (value: string) =>
  `    score: { type: integer, unique: true, computed: "kind == '${value}' ? size : 0 - size" }`;

const open =
  "states: [open, paid, gone], transitions: { pay: { from: open, to: paid }, leave: { from: paid, to: gone } }";
const merged = "states: [open, { gone: { was: paid } }], transitions: { leave: { from: open, to: gone } }";
const spread = "update app.stay set state = (array['open', 'paid', 'gone'])[1 + size % 3]";
const arrives = `insert into app.stay (id, version, created_at, updated_at, room, size, begins, ends, kind)
  values ('00000000-0000-4000-8000-00000000eeee', 1, now(), now(), 'new', 4000, '2060-01-01', '2060-01-02', 'a')`;
const choice = (values: string) => `kind: { type: choice, values: [${values}] }`;

/** Texts, with what people write once each is in force. */
const versions: readonly (readonly [string, string, string?])[] = [
  ["a rule and a formula", hotel({ rule: apart, more: score("a") })],
  [
    "another name for a value that both read",
    hotel({ kind: choice("a, { bb: { was: b } }, c"), rule: apart, more: score("bb") }),
  ],
  ["a value that takes over another", hotel({ kind: choice("a, { bb: { was: c } }"), rule: apart, more: score("bb") })],
  ["the value again", hotel({ kind: choice("a, bb, c"), rule: apart, more: score("bb") })],
  [
    "a text in place of the choice",
    hotel({
      kind: "kind: { type: text, was: { kind: choice }, fill: \"was.kind == 'a' ? 'A' : was.kind\" }",
      rule: apart,
      more: score("A"),
    }),
  ],
  ["the choice again", hotel({ kind: choice("a, bb, c"), rule: apart, more: score("a") })],
  [
    "another rule without overlap",
    hotel({ kind: choice("a, bb, c"), rule: "no overlap: [begins, ends], within: [kind, room]" }),
  ],
  ["several values", hotel({ kind: "kind: { type: choice, many: true, values: [a, bb, c] }" })],
  ["one value", hotel({ kind: choice("a, bb, c") })],
  ["several references", hotel({ guest: "guest: { type: Guest, many: true }", kind: choice("a, bb, c") })],
  ["one reference", hotel({ kind: choice("a, bb, c") })],
  [
    "derived rows",
    hotel({
      kind: choice("a, bb, c"),
      after:
        'Night: { label: "{day}", rows of: { stay: Stay, day: "days(begins, ends)" }, fields: { who: { type: Guest?, kept: true, computed: stay.guest } } }',
    }),
  ],
  [
    "other derived rows",
    hotel({
      kind: choice("a, bb, c"),
      after:
        'Night: { label: "{day}", rows of: { stay: Stay, day: "days(begins, ends)" }, where: "stay.size > 20", fields: { who: { type: Guest?, kept: true, computed: stay.guest } } }',
    }),
  ],
  [
    "their end, and a computed value",
    hotel({ kind: choice("a, bb, c"), more: '    twice: { type: integer, computed: "size * 2" }' }),
  ],
  ["the computed value, entered", hotel({ kind: choice("a, bb, c"), more: "    twice: integer?" })],
  [
    "the computed value again, which is not stored",
    hotel({ kind: choice("a, bb, c"), more: '    twice: { type: text, computed: "room + guest.name" }' }),
  ],
  ["the value, entered", hotel({ kind: choice("a, bb, c"), more: "    twice: text?" })],
  ["states", hotel({ kind: choice("a, bb, c"), states: open }), spread],
  ["a state with its records", hotel({ kind: choice("a, bb, c"), states: merged })],
  ["the end of states", hotel({ kind: choice("a, bb, c") }), arrives],
  ["the states and their records again", hotel({ kind: choice("a, bb, c"), states: open })],
  ["a value for each record", hotel({ kind: choice("a, bb, c"), more: "    note: { type: text, fill: room }" })],
  [
    "another name for the entity and a field, and values that follow from it",
    hotel({
      kind: "sort: { type: choice, was: kind, values: [a, { d: { was: bb } }, c] }",
      more: '    note: text\n    label: { type: text, fill: "sort == \'a\' ? room : note" }\n    long: { type: integer, computed: "size + 1000" }',
      entity: "Visit",
      was: "Stay",
    }),
  ],
];

const fill = `insert into app.guest (id, version, created_at, updated_at, name)
    select ('00000000-0000-4000-9000-' || lpad(to_hex(n), 12, '0'))::uuid, 1, now(), now(), 'guest ' || n from generate_series(1, 30) n;
  insert into app.stay (id, version, created_at, updated_at, room, size, begins, ends, kind, guest)
    select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 1, now(), now(), 'room ' || n % 7, n, date '2026-01-01' + 3 * n, date '2026-01-02' + 3 * n,
      (array['a', 'b', 'c'])[1 + n % 3], case when n % 4 > 0 then ('00000000-0000-4000-9000-' || lpad(to_hex(1 + n % 30), 12, '0'))::uuid end
    from generate_series(1, 600) n`;

const opened = async () => {
  const store = await database();
  onTestFinished(() => store.end());
  const owner = ownerOf(store);
  const { model, source } = compiled(hotel({}), "shop.md");
  await prepareSystem(owner, "ninefold_app");
  await applyDocument(owner, model, source);
  await store.query(fill);
  return { store, owner };
};

test("whatever a column becomes, the result is that of a version applied at once", { timeout: 300_000 }, async () => {
  const [whole, phased] = await Promise.all([opened(), opened()]);
  for (const [what, text, acts] of versions) {
    const { model, source } = compiled(text, "shop.md");
    await applyDocument(whole.owner, model, source, { person: null, beforeCommit: () => Promise.resolve() });
    const result = await publish(phased.owner, text);
    expect([what, result?.error, result?.job.state, result?.job.refused]).toEqual([what, undefined, "done", []]);
    expect([what, result?.job.steps.filter(({ state }) => state !== "done")]).toEqual([what, []]);
    expect([what, await everything(phased.store)]).toEqual([what, await everything(whole.store)]);
    if (acts !== undefined) for (const { store } of [whole, phased]) await store.query(acts);
  }
});

test("states return with records that another state took over, however often the job is killed", async () => {
  const before = [hotel({ states: open }), hotel({ states: merged }), hotel({})];
  const [whole, phased] = await Promise.all([preparedWith(...before), preparedWith(...before)]);
  for (const { store } of [whole, phased]) await store.query(arrives);
  const stored = await everything(phased.store);
  const text = hotel({ states: open });
  const abandoned = await publish(phased.owner, text, {
    progress: ({ id, phase, steps }) => {
      if (phase === "validate" && steps.every(({ state }) => state === "done"))
        void changeState(async (query) => (await phased.store.query(query.text, query.values)).rows, id, "abandoning");
    },
  });
  expect(abandoned?.job).toMatchObject({ state: "abandoned", version: null });
  expect(await everything(phased.store)).toEqual(stored);
  const { model, source } = compiled(text, "shop.md");
  await applyDocument(whole.owner, model, source, { person: null, beforeCommit: () => Promise.resolve() });
  let reports = 0;
  const progress = (): void => void (++reports % 5 === 0 && kill(phased.store));
  const first = await publish(phased.owner, text, { progress }).catch((error: unknown) => {
    if (!(error instanceof StoreAway)) throw error;
  });
  const job = first?.job.state === "done" ? first.job : await resumed(phased.store, { progress });
  expect(job).toMatchObject({ state: "done", refused: [] });
  expect(await everything(phased.store)).toEqual(await everything(whole.store));
  const { rows } = await phased.store.query("select state, count(*)::int from app.stay group by 1 order by 1");
  expect(rows).toEqual([
    { state: "gone", count: 200 },
    { state: "open", count: 201 },
    { state: "paid", count: 200 },
  ]);
});

test("work that a killed job left does not drop a column that a later version has again", async () => {
  const { store, owner } = await preparedWith(hotel({ more: "    note: text?" }), hotel({}));
  let isAway = false;
  const whileThere = <T>(work: () => Promise<T>): Promise<T> => (isAway ? Promise.reject(new StoreAway()) : work());
  const leaving: Database = {
    ...owner,
    query: (query) => whileThere(() => owner.query(query)),
    batch: (queries, writes) => whileThere(() => owner.batch(queries, writes)),
    transaction: (work) => whileThere(() => owner.transaction(work)),
  };
  const atSwitch: JobOptions["atSwitch"] = async (apply) => {
    const applied = await apply(() => Promise.resolve());
    isAway = true;
    return applied;
  };
  await expect(publish(leaving, hotel({ more: "    more: text?" }), { atSwitch })).rejects.toThrow(StoreAway);
  const next = ownerOf(store);
  const left = await newestJob(next.query);
  expect(left).toMatchObject({ state: "running", phase: "retire", version: 4 });
  expect(left?.later).not.toEqual([]);
  // It would drop the column, which is empty.
  const { model, source } = compiled(hotel({ more: "    note: text?\n    more: text?" }), "shop.md");
  await applyDocument(next, model, source, { person: null, beforeCommit: () => Promise.resolve() });
  expect(await runJob(next, options)).toBeUndefined();
  expect(await newestJob(next.query)).toMatchObject({ state: "done", version: 4, later: [] });
  await store.query("update app.stay set note = 'kept', more = 'kept' where size = 1");
});

/** Everything at once: another type, several values, another rule, a formula and derived rows. */
const base = hotel({ rule: apart, more: score("a") });
const rich = hotel({
  kind: "kind: { type: text, was: { kind: choice }, fill: \"was.kind == 'a' ? 'A' : was.kind\" }",
  guest: "guest: { type: Guest, many: true }",
  rule: "no overlap: [begins, ends], within: [kind, room]",
  more: score("A"),
  after:
    'Night: { label: "{day}", rows of: { stay: Stay, day: "days(begins, ends)" }, where: "stay.size > 20", fields: { size: { type: integer, kept: true, computed: stay.size } } }',
});

/** Writes of people who use the earlier version, at several moments of a job. */
const acts = [
  `update app.stay set kind = 'b', guest = null where size in (30, 33);
   insert into app.stay (id, version, created_at, updated_at, room, size, begins, ends, kind)
     values ('00000000-0000-4000-8000-00000000ffff', 1, now(), now(), 'new', 5000, '2040-01-01', '2040-01-02', 'a')`,
  "update app.stay set size = 21 where size = 20; delete from app.stay where size = 40",
  `update app.stay set kind = 'a', guest = '00000000-0000-4000-9000-000000000001', size = 5001 where size = 5000;
   update app.stay set begins = '2050-01-01', ends = '2050-01-04' where size = 50`,
];

const preparedWith = async (...texts: readonly string[]) => {
  const made = await opened();
  for (const text of texts) {
    const { model, source } = compiled(text, "shop.md");
    await applyDocument(made.owner, model, source, { person: null, beforeCommit: () => Promise.resolve() });
    if (text.includes("[open, paid, gone]")) await made.store.query(spread);
  }
  return made;
};

test("what people write meanwhile follows, and a job that is killed is resumed or leaves nothing", {
  timeout: 180_000,
}, async () => {
  const [whole, phased] = await Promise.all([preparedWith(base), preparedWith(base)]);
  const before = await everything(phased.store);
  // Abandoned after everything was prepared.
  const paused = await publish(phased.owner, rich, {
    progress: ({ id, phase, steps }) => {
      if (phase === "validate" && steps.every(({ state }) => state === "done"))
        void changeState(async (query) => (await phased.store.query(query.text, query.values)).rows, id, "abandoning");
    },
  });
  expect(paused?.job).toMatchObject({ state: "abandoned", version: null });
  expect(await everything(phased.store)).toEqual(before);

  for (const act of acts) await whole.store.query(act);
  const { model, source } = compiled(rich, "shop.md");
  await applyDocument(whole.owner, model, source, { person: null, beforeCommit: () => Promise.resolve() });
  const left = [...acts];
  let reports = 0;
  const work = { acting: Promise.resolve() };
  const act = (): void => {
    const next = left.shift();
    if (next !== undefined) work.acting = work.acting.then(async () => void (await phased.store.query(next)));
  };
  const progress = ({ phase }: Job): void => {
    reports++;
    if (phase === "backfill" && left.length === acts.length) act();
    if (phase === "backfill" && left.length === acts.length - 1 && reports % 4 === 0) act();
    if (phase === "validate") act();
    if (reports % 6 === 0) void kill(phased.store);
  };
  await publish(phased.owner, rich, { progress }).catch((error: unknown) => {
    if (!(error instanceof StoreAway)) throw error;
  });
  const newest = await newestJob(async (query) => (await phased.store.query(query.text, query.values)).rows);
  const job = newest?.state === "done" ? newest : await resumed(phased.store, { progress });
  await work.acting;
  expect([job.state, job.refused, left]).toEqual(["done", [], []]);
  expect(job.steps.filter(({ state }) => state !== "done")).toEqual([]);
  // One that was deleted meanwhile had been counted.
  const result = async ({ store }: typeof whole) =>
    JSON.parse(JSON.stringify(await everything(store)).replaceAll(/\d+ records/gu, "records")) as unknown;
  expect(await result(phased)).toEqual(await result(whole));
});

test("a conversion that fails for the last record says so, and goes on once the record is corrected", async () => {
  const { store, owner } = await preparedWith(hotel({}));
  const before = await everything(store);
  const text = hotel({ room: "room: { type: integer, was: { room: text }, fill: integer(was.room.after('room ')) }" });
  const last = "00000000-0000-4000-8000-000000000258";
  const spoil = `update app.stay set room = 'the attic' where id = '${last}'`;
  const correct = `update app.stay set room = 'room 5' where id = '${last}'`;
  const refusal = {
    clause: "3.Stay.room",
    says: "3.Stay.room can’t be converted: no value follows from room in 1 record. Correct it, or say in “fill” which value it gets.",
    table: "stay",
    records: [last],
  };
  // A record that does not fit from the start is found before anything is made, by the plan of a large table too.
  await store.query(spoil);
  const { model, source } = compiled(text);
  const planned = await planDocument(owner, model, source, { large: 100 });
  expect(planned.refused).toMatchObject([
    { clause: "3.Stay.room", says: refusal.says, misfits: { entity: "Stay", count: 1, ids: [last] } },
  ]);
  const early = await publish(owner, text);
  expect(early?.job).toMatchObject({ state: "abandoned", version: null, steps: [], refused: [refusal] });
  await store.query(correct);
  expect(await everything(store)).toEqual(before);

  const spoiling = { done: Promise.resolve(), isOver: false };
  const progress = ({ phase }: Job): void => {
    if (phase !== "backfill" || spoiling.isOver) return;
    spoiling.isOver = true;
    spoiling.done = store.query(spoil).then(() => undefined);
  };
  const failed = await publish(owner, text, { progress });
  await spoiling.done;
  expect(failed?.job).toMatchObject({ state: "failed", version: null, refused: [refusal] });
  expect((await store.query("select max(number) as number from ninefold.version")).rows).toEqual([{ number: 1 }]);
  await store.query(correct);
  await changeState(owner.query, failed?.job.id ?? 0, "running");
  expect(await resumed(store)).toMatchObject({ state: "done", version: 2, refused: [] });
  const { rows } = await store.query("select sum(room)::int as sum from app.stay");
  expect(rows).toEqual([{ sum: 1800 }]);
});
