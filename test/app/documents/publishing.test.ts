import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { apply } from "../../../src/cli/change/apply.ts";
import type { MigrationStep } from "../../../src/core/migration/migration-step.ts";
import {
  estimatePause,
  estimatePreparation,
  estimateScan,
  type PhaseWork,
} from "../../../src/core/migration/phases.ts";
import { writeBackup } from "../../../src/postgres/backup/backup.ts";
import { restoreBackup } from "../../../src/postgres/backup/restore-backup.ts";
import { connect, StoreAway } from "../../../src/postgres/database.ts";
import { changeState, type Job, JobUnfinished, newestJob } from "../../../src/postgres/job/job-store.ts";
import { runJob } from "../../../src/postgres/job/run-job.ts";
import { applyDocument } from "../../../src/postgres/schema/apply-document.ts";
import { planDocument } from "../../../src/postgres/schema/plan-document.ts";
import { prepareSystem } from "../../../src/postgres/schema/prepare-system.ts";
import { database, type TestDatabase } from "../../postgres.ts";
import { compiled } from "../program.ts";
import { everything, kill, options, ownerOf, publish, resumed } from "./phases.ts";

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
}${
  more.includes("unique together")
    ? `
## 5. Rules and calculations
\`\`\`yaml
Item:
  - { unique: [kind, size], else: TAKEN }
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
}${
  more.includes("unique together")
    ? `
## 8. Errors
\`\`\`yaml
TAKEN: "Taken."
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
    "other names for values",
    shop(
      `${first.replace("[a, b, c]", "[a, { bb: { was: b } }, { cc: { was: c } }]")}\n    pages: integer?\n    sold: boolean\n    from: Maker?`,
      "by size unique together",
    ),
  ],
  [
    "the former names",
    shop(
      `${first.replace("[a, b, c]", "[a, { b: { was: bb } }, { c: { was: cc } }]")}\n    pages: integer?\n    sold: boolean\n    from: Maker?`,
      "by size unique together",
    ),
  ],
  [
    "a value that takes over the records of another",
    shop(
      `${first.replace("choice?, values: [a, b, c]", "choice?, values: [{ a: { was: b } }, c]")}\n    pages: integer?\n    sold: boolean\n    from: Maker?`,
      "by size unique together",
    ),
  ],
  [
    "the value that was taken over",
    shop(`${first}\n    pages: integer?\n    sold: boolean\n    from: Maker?`, "by size"),
  ],
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
  [
    "another name for what the formula reads",
    shop(
      `    length: { type: decimal, was: size }\n    remark: text\n    triple: { type: decimal, unique: true, computed: "length * 3" }`,
    ),
  ],
  [
    "the former name, and another name for the formula",
    shop(
      `    size: { type: decimal, was: length }\n    remark: text\n    threefold: { type: decimal, unique: true, was: triple, computed: "size * 3" }`,
    ),
  ],
  [
    "another type of what the formula read, and the end of the formula",
    shop(`    size: { type: text, was: { size: decimal }, fill: "text(was.size)" }\n    remark: text`, "by size"),
  ],
  [
    "a narrower bound, with the value of records that are outside it",
    shop(
      `    size: { type: text, max: 4, fill: "'long'" }\n    remark: { type: text, max: 5, fill: "'short'" }\n    copy: { type: text, was: { remark: text }, fill: was.remark }\n    brief: { type: text, fill: remark }`,
      "by size",
    ),
  ],
  ["the wider bound", shop(`    size: text\n    remark: text`, "by size")],
  ["numbers that are assigned", shop(`    size: text\n    remark: text\n    number: integer sequence`)],
  ["the end of these numbers", shop(`    size: text\n    remark: text`)],
  [
    "the numbers again, and numbers that continue entered ones",
    shop(`    size: text\n    remark: text\n    number: integer sequence\n    triple: integer sequence`),
  ],
];

const begin = shop(first);

const fill = `insert into app.item (id, version, created_at, updated_at, name, size, kind, note)
  select ('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 1, now(), now(), 'item ' || n, n, (array['a', 'b', null])[1 + n % 3], case when n % 2 = 0 then 'note' end
  from generate_series(1, 1200) n`;

const rewrite = (column: string) =>
  `update app.item set ${column} = ${column} + 5000 where id in (select id from app.item order by id limit 3)`;

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

const together = { person: null, beforeCommit: () => Promise.resolve() };

test("a version published in phases gives the same database as one applied at once", { timeout: 300_000 }, async () => {
  const [all, phased] = await Promise.all([started(), started()]);
  for (const [what, text] of versions) {
    const { model, source } = compiled(text, "shop.md");
    const phases: string[] = [];
    await applyDocument(all.owner, model, source, together);
    const result = await publish(phased.owner, text, {
      progress: ({ phase }) => void (phases.at(-1) === phase ? 0 : phases.push(phase)),
    });
    expect([what, result?.error, result?.job.state, result?.job.refused]).toEqual([what, undefined, "done", []]);
    expect([what, await everything(phased.store)]).toEqual([what, await everything(all.store)]);
    // Computed values follow what people write.
    if (!text.includes("computed")) continue;
    for (const { store } of [all, phased]) await store.query(rewrite(text.includes("length:") ? "length" : "size"));
    expect([what, await everything(phased.store)]).toEqual([what, await everything(all.store)]);
  }
});

const rich = shop(
  `${first.replace("note: text?", 'note: { type: text, fill: "name" }').replace("size: integer", "size: { type: integer, unique: true }").replace("[a, b, c]", "[{ a: { was: b } }, c]")}\n    double: { type: integer, fill: "size * 2" }\n    from: Maker?\n    triple: { type: integer, computed: "size * 3" }`,
  "by size rule",
);

/** Writes as the earlier version does, one statement each. Notes what was acknowledged before the new version. */
const writer = (store: TestDatabase) => {
  const acknowledged = new Map<string, number>();
  let isOn = true;
  const work = async (): Promise<void> => {
    for (let n = 200_000; isOn; n++) {
      const written = await store
        .query(
          n % 2 === 0
            ? `insert into app.item (id, version, created_at, updated_at, name, size, kind) values (gen_random_uuid(), 1, now(), now(), 'new', ${n - 150_000}, '${n % 4 === 0 ? "a" : "b"}')
               returning id, size, (select max(number) from ninefold.version) as version`
            : `update app.item set size = ${n - 150_000}, note = null where id = (select id from app.item where size <= 1200 order by size desc offset ${n % 7} limit 1)
               returning id, size, (select max(number) from ninefold.version) as version`,
        )
        .catch(() => ({ rows: [] }));
      for (const { id, size, version } of written.rows) if (version === 1) acknowledged.set(String(id), Number(size));
      await sleep(2);
    }
  };
  const ended = work();
  return {
    acknowledged,
    stop: async () => {
      isOn = false;
      await ended;
    },
  };
};

test("a job that is killed between any two steps is resumed, and loses no writes", { timeout: 300_000 }, async () => {
  const original = await started();
  await original.owner.end();
  await original.store.rest();
  // Every fourth moment.
  for (let killed = 0, isOver = false; !isOver; killed += 4) {
    const store = await database(original.store);
    onTestFinished(() => store.end());
    const people = writer(store);
    while (people.acknowledged.size === 0) await sleep(5);
    let count = 0;
    const progress = () => {
      if (count++ === killed) void kill(store);
    };
    await publish(connect({ connection: store.url, max: 1 }), rich, { progress }).catch((error: unknown) => {
      if (!(error instanceof StoreAway)) throw error;
    });
    const newest = await newestJob(async (query) => (await store.query(query.text, query.values)).rows);
    const job = newest?.state === "done" ? newest : await resumed(store);
    await people.stop();
    expect([killed, job.state, job.refused]).toEqual([killed, "done", []]);
    isOver = count <= killed;
    const { rows } = await store.query(
      "select id, size::float8, double::float8, triple::float8, note, name, kind from app.item",
    );
    const items = new Map(rows.map((row) => [String(row.id), row]));
    for (const [id, size] of people.acknowledged)
      expect([killed, items.get(id)]).toMatchObject([killed, { size, double: 2 * size, triple: 3 * size }]);
    const isBehind = (row: (typeof rows)[number]): boolean =>
      row.double === null || row.note === null || row.kind === "b" || row.triple !== 3 * Number(row.size);
    expect(rows.filter(isBehind)).toEqual([]);
    const { rows: remaining } = await store.query(
      `select (select count(*)::int from pg_trigger where tgname like 'ninefold#%') + (select count(*)::int from pg_class where relname like '%#next')
         + (select count(*)::int from ninefold.touched) + (select count(*)::int from pg_constraint where not convalidated) as count`,
    );
    expect([killed, remaining]).toEqual([killed, [{ count: 0 }]]);
  }
});

test("a value outside a narrower bound that somebody writes meanwhile returns with the wider bound", async () => {
  const { store, owner } = await started();
  const sizes = async () =>
    (
      await store.query(
        "select size::int from app.item where name in ('item 1100', 'item 1101', 'item 1102') order by name",
      )
    ).rows.map(({ size }) => size);
  let wrote: Promise<unknown> | undefined;
  const progress = ({ phase }: Job) => {
    if (phase === "validate")
      wrote ??= store.query(
        "update app.item set size = case name when 'item 1100' then 2000 else 5 end where name in ('item 1100', 'item 1101')",
      );
  };
  const narrow = first.replace("size: integer", "size: { type: integer, max: 1000, fill: 1000 }");
  expect((await publish(owner, shop(narrow), { progress }))?.job).toMatchObject({ state: "done" });
  await wrote;
  expect(await sizes()).toEqual([1000, 5, 1000]);
  expect((await publish(owner, begin))?.job).toMatchObject({ state: "done" });
  expect(await sizes()).toEqual([2000, 5, 1102]);
});

test("a value for records outside a bound reads the new values of other fields", async () => {
  const [all, phased] = await Promise.all([started(), started()]);
  const wide = shop(`    tall: integer?\n${first}\n    long: integer?`);
  const narrow = shop(
    `    tall: { type: integer?, max: 1000, fill: size }\n${first.replace("size: integer", "size: { type: integer, max: 1000, fill: 1000 }")}\n    long: { type: integer?, max: 1000, fill: size }`,
  );
  for (const { store, owner } of [all, phased]) {
    const { model, source } = compiled(wide, "shop.md");
    await applyDocument(owner, model, source, together);
    await store.query("update app.item set tall = 5000, long = 5000 where size > 1100");
  }
  const { model, source } = compiled(narrow, "shop.md");
  await applyDocument(all.owner, model, source, together);
  const result = await publish(phased.owner, narrow);
  expect([result?.job.state, result?.job.refused]).toEqual(["done", []]);
  expect(await everything(phased.store)).toEqual(await everything(all.store));
  const { rows } = await all.store.query(
    "select distinct tall::int, long::int from app.item where size = 1000 order by 1",
  );
  expect(rows).toEqual([
    { tall: 1000, long: 1000 },
    { tall: null, long: null },
  ]);
});

test("records that do not fit stop the job; it is resumed after a fix, or leaves nothing if it is abandoned", async () => {
  const { store, owner } = await started();
  const before = await everything(store);
  // Already stored records are found before anything is made.
  await store.query("update app.item set size = 100000 where name = 'item 1199'");
  const early = await publish(owner, rich);
  expect(early?.job).toMatchObject({ state: "abandoned", version: null, steps: [] });
  expect(early?.job.refused).toMatchObject([
    {
      clause: "5.Item.TOO_LARGE",
      says: expect.stringContaining("1 stored record violates it"),
      table: "item",
      records: [expect.any(String)],
    },
  ]);
  await store.query("update app.item set size = 1199 where name = 'item 1199'");
  expect(await everything(store)).toEqual(before);

  // A record that comes while the job works.
  const late = (size: number) => {
    let isDone = false;
    return ({ phase }: Job) => {
      if (phase !== "validate" || isDone) return;
      isDone = true;
      void store.query(`update app.item set size = ${size} where name = 'item 700'`);
    };
  };
  const failed = await publish(owner, rich, { progress: late(123_456) });
  expect(failed?.job).toMatchObject({ state: "failed", version: null });
  expect(failed?.job.refused.map(({ clause, records }) => [clause, records.length])).toEqual([["5.Item.TOO_LARGE", 1]]);
  expect((await store.query("select max(number) as number from ninefold.version")).rows).toEqual([{ number: 1 }]);
  // Another version has to wait.
  await expect(publish(owner, begin)).rejects.toBeInstanceOf(JobUnfinished);
  await store.query("update app.item set size = 700 where name = 'item 700'");
  expect(await changeState(owner.query, failed?.job.id ?? 0, "abandoning")).toMatchObject({ state: "abandoning" });
  expect(await resumed(store)).toMatchObject({ state: "abandoned" });
  expect(await everything(store)).toEqual(before);

  // It fails in the same way again, and the records are fixed.
  const again = await publish(owner, rich, { progress: late(123_456) });
  expect(again?.job.state).toBe("failed");
  await store.query("update app.item set size = 700 where name = 'item 700'");
  expect(await changeState(owner.query, again?.job.id ?? 0, "running")).toMatchObject({
    state: "running",
    refused: [],
  });
  expect(await resumed(store)).toMatchObject({ state: "done", version: 2, refused: [] });
});

test("a job can be paused and resumed, and one with a full disk says so and resumes when there is space", async () => {
  const { store, owner } = await started();
  const paused = await publish(owner, rich, {
    progress: ({ id, phase, state }) => {
      if (phase === "backfill" && state === "running")
        void changeState(async (query) => (await store.query(query.text, query.values)).rows, id, "paused");
    },
  });
  expect(paused?.job).toMatchObject({ state: "paused", version: null });
  // Only people with that permission can resume it.
  expect(await runJob(owner, options)).toBeUndefined();
  // A backup of this moment is one of the live version.
  const file = join(await mkdtemp(join(tmpdir(), "ninefold-")), "paused.backup");
  const copy = await database();
  onTestFinished(() => copy.end());
  await writeBackup(store.url, file, { demonstration: false });
  await restoreBackup(copy.url, file, "ninefold_app");
  expect(Object.keys((await copy.query("select * from app.item")).rows[0] ?? {})).not.toContain("double");
  await changeState(owner.query, paused?.job.id ?? 0, "running");
  // The error that Postgres raises when a file cannot grow, after some batches.
  await store.query(`create function public.full() returns trigger language plpgsql as $$ begin
    raise exception 'could not extend file "base/1/2": No space left on device' using errcode = 'disk_full'; end $$;
    create trigger full_disk before update on app.item for each row when (new.id > '00000000-0000-4000-8000-000000000300') execute function public.full()`);
  await owner.end();
  const full = await resumed(store);
  expect(full).toMatchObject({ state: "failed", version: null });
  expect(full.refused.map(({ says }) => says)).toEqual([
    expect.stringMatching(/^The database is out of space \(could not extend file/u),
  ]);
  await store.query("drop function public.full() cascade");
  await changeState(async (query) => (await store.query(query.text, query.values)).rows, full.id, "running");
  expect(await resumed(store)).toMatchObject({ state: "done", version: 2, refused: [] });
  // A copy of the new version computes what a trigger computes here.
  const other = await database();
  onTestFinished(() => other.end());
  await writeBackup(store.url, file, { demonstration: false });
  await restoreBackup(other.url, file, "ninefold_app");
  expect((await other.query("select count(*)::int as count from app.item where triple = 3 * size")).rows).toEqual([
    { count: 1200 },
  ]);
});

test("a command whose publication the database does not record in time changes nothing, and can be repeated", async () => {
  const { store, owner } = await started();
  const file = join(await mkdtemp(join(tmpdir(), "ninefold-")), "shop.md");
  await writeFile(file, shop(`${first}\n    pages: integer?`));
  const run = async () => {
    const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
    return apply([file, "--database", store.url]).finally(() => write.mockRestore());
  };
  const counts = async () =>
    (
      await store.query(
        "select (select count(*)::int from ninefold.job) as jobs, (select count(*)::int from ninefold.version) as versions",
      )
    ).rows;
  await owner.transaction(async (query) => {
    // Jobs can be read, but not added.
    await query({ text: "lock table ninefold.job in share mode", values: [] });
    await expect(run()).rejects.toMatchObject({
      exit: 5,
      message: "The database took too long. Nothing was changed.",
      hint: "Perhaps somebody else is publishing a version. Run the command again in a moment.",
    });
  });
  expect(await counts()).toEqual([{ jobs: 0, versions: 1 }]);
  expect(await run()).toBe(0);
  expect(await counts()).toEqual([{ jobs: 1, versions: 2 }]);
});

const rooms = (rules: string) => `# Rooms

## 3. Entities and their fields
\`\`\`yaml
Stay: { fields: { room: text, from: date, to: date?, void: boolean } }
\`\`\`
${rules === "" ? "" : `\n## 5. Rules and calculations\n\`\`\`yaml\nStay:\n  - { ${rules}, else: TAKEN }\n\`\`\`\n`}
## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Stay: { read: [member], create: [member], update: [member] } }
\`\`\`
${rules === "" ? "" : '\n## 8. Errors\n```yaml\nTAKEN: "Taken."\n```\n'}`;

test("records that must not overlap are compared in batches, and from the switch on by the database", async () => {
  const store = await database();
  onTestFinished(() => store.end());
  const owner = ownerOf(store);
  const { model, source } = compiled(rooms(""), "shop.md");
  await prepareSystem(owner, "ninefold_app");
  await applyDocument(owner, model, source);
  const stay = (n: number | string, from: string) =>
    `('00000000-0000-4000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid, 1, now(), now(), 'room ' || (${n}) % 40, ${from}, ${from} + 2, false`;
  const insert = 'insert into app.stay (id, version, created_at, updated_at, room, "from", "to", void)';
  await store.query(`${insert} select ${stay("n", "date '2026-01-01' + n")} from generate_series(1, 700) n`);
  const before = (await store.query("select * from app.stay order by id")).rows;

  // The last record but one overlaps with another.
  await store.query(`${insert} values (${stay(741, "date '2026-01-01' + 661")}), (${stay(742, "date '2030-01-01'")})`);
  const failed = await publish(owner, rooms("no overlap: [from, to], within: room"));
  expect(failed?.job).toMatchObject({
    state: "failed",
    version: null,
    refused: [
      {
        clause: "5.Stay.TAKEN",
        says: "5.Stay.TAKEN can’t take effect: some stored records overlap. Correct them, or compare only some with “where”.",
        records: ["00000000-0000-4000-8000-0000000002e5"],
      },
    ],
  });
  await changeState(owner.query, failed?.job.id ?? 0, "abandoning");
  expect(await resumed(store)).toMatchObject({ state: "abandoned" });
  expect(Object.keys((await store.query("select * from app.stay")).rows[0] ?? {})).toEqual(
    Object.keys(before[0] ?? {}),
  );

  // Resumed when it is corrected; what people write meanwhile is compared, too.
  const again = await publish(owner, rooms("no overlap: [from, to], within: room"));
  expect(again?.job.state).toBe("failed");
  await store.query(
    `update app.stay set "from" = '2031-01-01', "to" = null where room = 'room 21' and "from" = date '2026-01-01' + 661 and id::text like '%2e5'`,
  );
  await changeState(owner.query, again?.job.id ?? 0, "running");
  let isWritten = false;
  const done = await resumed(store, {
    progress: ({ phase }) => {
      if (phase === "backfill" && !isWritten) {
        isWritten = true;
        void store.query(`${insert} values (${stay(743, "date '2032-01-01'")})`);
      }
    },
  });
  expect(done).toMatchObject({ state: "done", version: 2, refused: [] });
  const taken = { code: "23P01", constraint: "stay__together_taken" };
  await expect(store.query(`${insert} values (${stay(823, "date '2032-01-02'")})`)).rejects.toMatchObject(taken);
  await expect(
    store.query(`update app.stay set "from" = '2026-01-30', "to" = null where room = 'room 1'`),
  ).rejects.toMatchObject(taken);
  // A start finds nothing to do, and a version without the rule takes everything away.
  const rule = compiled(rooms("no overlap: [from, to], within: room"), "shop.md");
  expect((await applyDocument(owner, rule.model, rule.source)).done).toEqual([]);
  expect((await publish(owner, rooms("")))?.job).toMatchObject({ state: "done", version: 3 });
  await store.query(`${insert} values (${stay(823, "date '2032-01-02'")})`);
  expect(Object.keys((await store.query("select * from app.stay")).rows[0] ?? {})).toEqual(
    Object.keys(before[0] ?? {}),
  );
});

test("a plan says for how long nobody can use records that cannot be changed in phases", async () => {
  const { store, owner } = await started();
  // A value gets another name, and a new field follows from it.
  const label = "label: { type: text?, was: { kind: choice }, fill: was.kind }";
  const text = shop(`${first.replace("[a, b, c]", "[a, { bb: { was: b } }, c]")}\n    ${label}`);
  const { model, source } = compiled(text, "shop.md");
  const pause = expect.stringContaining("no one can read or edit");
  expect((await planDocument(owner, model, source, { large: 100 })).done).not.toContainEqual(pause);
  await store.query(
    fill
      .replace("('00000000-0000-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid", "uuidv7()")
      .replace("1200) n", "60000) n")
      .replace("now(), 'item ' || n, n,", "now(), 'more ' || n, n + 1200,"),
  );
  expect((await planDocument(owner, model, source, { large: 100 })).done).toContainEqual(
    expect.stringMatching(
      /^Item: when the version takes effect, no one can read or edit its records for about \d seconds$/u,
    ),
  );
});

test("a plan says how long the work on many records takes before the version is live", () => {
  const work = { key: "", clause: "", says: "" };
  const backfill = { clause: "", column: "note", value: "''", where: "true", again: "true", former: null };
  const filled = { ...work, table: "item", phase: "backfill", backfill } as const;
  const replaced = { ...work, table: "item", phase: "backfill", backfill: { ...backfill, former: 1 } } as const;
  const estimate = (...beforeSwitch: readonly PhaseWork[]) => estimatePreparation({ beforeSwitch }, "item", 1_000_000);
  expect([estimate(), estimate({ ...filled, table: "box" }), estimate(filled)]).toEqual([0, 0, 70]);
  expect(estimate(replaced)).toBeGreaterThan(estimate(filled));
});

test("a plan says for how long a rule against overlaps and derived rows lock a table with many records", () => {
  const step = (run: string, more: Partial<MigrationStep> = {}): MigrationStep => ({ message: null, run, ...more });
  const online = { table: "stay", expand: "…", scans: true, switch: "…" } as const;
  expect(estimateScan([step("…", { online })], "stay", 1_000_000)).toBe(1);
  expect(estimateScan([step("…", { online })], "stay", 100_000)).toBe(0);
  expect(estimateScan([step("…", { online })], "item", 1_000_000)).toBe(0);
  const derived =
    'create trigger "rows" after insert on "app"."item" …; insert into "app"."row" as "t" select … from "app"."item"';
  expect(estimatePause([step(derived)], "item", 1_000_000)).toBe(30);
  expect(estimatePause([step(derived)], "stay", 1_000_000)).toBe(0);
});
