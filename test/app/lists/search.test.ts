import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import type { Principal } from "../../../src/core/derive/authorization/grants.ts";
import { getPhrasesFor } from "../../../src/core/explain/language.ts";
import type { Entity } from "../../../src/core/model/entity.ts";
import { toTitle } from "../../../src/core/model/inflection.ts";
import type { Model } from "../../../src/core/model/model.ts";
import { connect, type Database, StoreSlow } from "../../../src/postgres/database.ts";
import { execute } from "../../../src/server/execution/execute.ts";
import type { ListIntent } from "../../../src/server/intent.ts";
import { JsonText } from "../../../src/server/plan/outcome.ts";
import { planList } from "../../../src/server/plan/read/list.ts";
import { searchWords } from "../../../src/server/plan/read/search-words.ts";
import { readerFormat } from "../../../src/server/plan/row/labels.ts";
import { Statements } from "../../../src/server/plan/statements.ts";
import { open } from "../../../src/server/serving/open-document.ts";
import fc from "../../chance.ts";
import { database, type TestDatabase } from "../../postgres.ts";

describe("the terms of a search", () => {
  test.each([
    ["lukas  parental", ["lukas", "parental"]],
    ['the "moving house" note', ["the", "moving house", "note"]],
    ['"moving ho', ["moving ho"]],
    ['24" monitor', ['24"', "monitor"]],
    ['"', ['"']],
    ['" "', []],
    ["Ada ada ADA", ["ada"]],
    ["a lovelace ada", ["lovelace", "ada"]],
    [
      "one two three four five six seven eight nine ten",
      ["one", "two", "three", "four", "five", "seven", "eight", "nine"],
    ],
  ])("%s", (search, words) => {
    expect(searchWords(search)).toEqual(words);
  });

  test("are split fast, however many there are", () => {
    expect(searchWords(Array.from({ length: 100_000 }, (_, n) => `w${n}`).join(" "))).toHaveLength(8);
  });
});

const specification = `
# Searched

## 2. Screens and routes
\`\`\`yaml
/tasks: { list: Task, sort: [rank] }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
User:
  fields: { manager: User? }
Project:
  label: "{code}: {name} of {lead} ({size}), from {begins}"
  fields: { code: text, name: text?, lead: User?, size: integer?, begins: date? }
Task:
  label: "{title} in {project}"
  fields:
    title:    text?
    note:     long text?
    project:  Project?
    owner:    User?
    helpers:  { type: User, many: true }
    kind:     { type: choice?, values: [early_bird, night_owl] }
    tags:     { type: choice, values: [shop_floor, office], many: true }
    previous: Task?
    rank:     integer
\`\`\`

## 4. States and transitions
\`\`\`yaml
Task: { field: status, initial: open, states: [open, in_review] }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  staff: { members: signed in }
  User: { self: "this == user", manager: "manager == user" }
  Project: { lead: "lead == user" }
  Task:
    owner: "owner == user"
    helper: "user in helpers"
    boss: "owner.manager == user"
permissions:
  User:
    read: [self, manager, { role: staff }, { role: staff, fields: [email, manager] }]
  Project:
    read: [lead, { role: staff, when: "size == 70" }, { role: staff }, { role: staff, fields: [code, lead, begins] }]
  Task:
    read:
      - owner
      - helper
      - boss
      - { role: staff }
      - { role: staff, when: "status == open" }
      - { role: staff, fields: [title, project, status, rank] }
      - { role: staff, when: "kind == night_owl", fields: [owner, helpers, kind, rank] }
      - { role: staff, when: "rank < 40", fields: [note, tags, previous, rank] }
\`\`\`

## 9. Business constants and limits
\`\`\`yaml
page_size_max: 1000
\`\`\`
`;

const compiled = compile({ file: "searched.md", text: specification });
const model = compiled.model as Model;
const id = (kind: number, n: number) => `0000000${kind}-0000-7000-8000-${String(n).padStart(12, "0")}`;
const people = ["Ada Lovelace", "Grace Hopper", "Mar-tin Öz", "ÄNNE Love", "O'Brien 50%", "Ivy_Oak"];
const PROJECTS = 14;
const TASKS = 120;

let store: TestDatabase;
let db: Database;

beforeAll(async () => {
  store = await database();
  await (await open(model, compiled, { owner: store.url, app: store.appUrl })).close();
  db = connect({ connection: store.appUrl });
  // A fixed pseudo-random sequence, repeatable.
  let state = 11;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(state / 65_536) % below;
  };
  const some = <T>(value: T): T | null => (random(4) === 0 ? null : value);
  const one = <T>(values: readonly T[]): T => values[random(values.length)] as T;
  const insert = (table: string, row: Readonly<Record<string, unknown>>) =>
    store.query(
      `insert into app."${table}" (version, created_at, updated_at, ${Object.keys(row)}) values (1, now(), now(), ${Object.keys(row).map((_, i) => `$${i + 1}`)})`,
      Object.values(row),
    );
  for (const [n, name] of people.entries()) await insert("user", { id: id(1, n), name, email: `${n}@example.test` });
  for (const n of people.keys())
    await store.query(`update app."user" set manager = $2 where id = $1`, [
      id(1, n),
      some(id(1, random(people.length))),
    ]);
  for (let n = 0; n < PROJECTS; n++)
    await insert("project", {
      id: id(2, n),
      code: `c${n}`,
      name: some(one(["New Shop", "Old office", "Bridge: north"])),
      lead: some(id(1, random(people.length))),
      size: some(one([7, 70, 78])),
      begins: some("2026-01-03"),
    });
  for (let n = 0; n < TASKS; n++)
    await insert("task", {
      id: id(3, n),
      title: some(one(["Paint the door", "Call Grace", "Early start", "50% off_", "Review of c3"])),
      note: some(one(["For Ada\nsoon", "nothing", "ask O'Brien"])),
      project: some(id(2, random(PROJECTS))),
      owner: some(id(1, random(people.length))),
      helpers: [...new Set(Array.from({ length: random(3) }, () => id(1, random(people.length))))],
      kind: some(one(["early_bird", "night_owl"])),
      tags: random(3) === 0 ? ["shop_floor", "office"] : [],
      previous: n === 0 ? null : some(id(3, random(n))),
      rank: n,
      status: one(["open", "in_review"]),
    });
});
afterAll(async () => {
  await db.end();
  await store.end();
});

/** The document with some of its clauses. */
const withClauses = (which: Readonly<Record<string, readonly number[]>>): Model => {
  const entities = Object.entries(which).map(([name, clauses]): [string, Entity] => {
    const entity = model.entities.get(name) as Entity;
    const read = entity.permissions?.actions.read ?? [];
    const actions = { read: clauses.flatMap((i) => read[i] ?? []), create: [], update: [], delete: [] };
    return [name, { ...entity, permissions: { clause: entity.clause, actions, silent: new Set<never>() } }];
  });
  return { ...model, entities: new Map([...model.entities, ...entities]) };
};

const clausesOf = (name: string, minLength: number) =>
  fc.uniqueArray(fc.nat((model.entities.get(name)?.permissions?.actions.read.length ?? 1) - 1), {
    minLength,
    maxLength: 3,
  });

const looked = fc.constantFrom(
  ...[
    "ada",
    "LOVE",
    "hopper",
    "mar-",
    "öz",
    "ÄNNE",
    "änne",
    "o'b",
    "50%",
    "_",
    "c1",
    "c3:",
    "of",
    "from",
    "7",
    "70)",
    "(78),",
  ],
  ...[
    "early",
    "bird",
    "owl",
    "wl",
    "open",
    "pen",
    "review",
    "iew",
    "floor",
    "office",
    "shop",
    "in",
    "door",
    "e",
    "nowhere",
  ],
  ...[
    '"grace hop"',
    '"new shop of"',
    '"c2: new"',
    '"in review"',
    '"for ada soon"',
    '"early start in c',
    "bridge:",
    "north",
    "\\",
  ],
);

const asked = fc.record({
  User: clausesOf("User", 0),
  Project: clausesOf("Project", 0),
  Task: clausesOf("Task", 1),
  person: fc.nat(people.length - 1),
  words: fc.array(looked, { minLength: 1, maxLength: 3 }),
  sort: fc.constantFrom(["rank"], ["-rank"], []),
  keyLimit: fc.constantFrom(0, 2, 1_000),
  indexed: fc.constantFrom([], ["task"], ["task", "user"]),
  limit: fc.constantFrom(1, 1_000),
});

interface Shown {
  readonly id: string;
  readonly [field: string]: unknown;
}

/** The visible content of a record's screen: texts, titles of values, and labels of references. */
const seenOf = (record: Shown): { readonly texts: readonly string[]; readonly titles: readonly string[] } => {
  const labels = [record.project, record.owner, record.previous, ...((record.helpers ?? []) as unknown[])].flatMap(
    (one) => (one === null || one === undefined ? [] : [(one as { label: string }).label]),
  );
  const values = [record.kind, record.status, ...((record.tags ?? []) as unknown[])];
  return {
    texts: [record.title, record.note, ...labels].flatMap((text) =>
      typeof text === "string" ? [text.toLowerCase()] : [],
    ),
    titles: values.flatMap((value) => (typeof value === "string" ? [toTitle(value).toLowerCase()] : [])),
  };
};

const isFound = (record: Shown, words: readonly string[]): boolean => {
  const { texts, titles } = seenOf(record);
  return words.every(
    (word) =>
      texts.some((text) => text.includes(word)) ||
      titles.some((title) => title.startsWith(word) || title.includes(` ${word}`)),
  );
};

test("a search finds exactly the records in which the person sees each term, whichever way it is executed", async () => {
  const [found, all] = [new Set<string>(), new Set<string>()];
  await fc.assert(
    fc.asyncProperty(asked, async ({ User, Project, Task, person: n, words, sort, keyLimit, indexed, limit }) => {
      const of = withClauses({ User, Project, Task });
      const context = {
        ...{ model: of, version: 1, statements: new Statements(), past: [], source: () => "" },
        ...{ keyLimit, searched: new Set(indexed) },
      };
      const principal: Principal = { id: id(1, n), granted: new Set() };
      const caller = {
        principal,
        now: new Date("2026-06-01T00:00:00Z"),
        today: "2026-06-01",
        phrases: getPhrasesFor("en"),
      };
      const listed = async (
        search: string | null,
        limit: number,
        far = false,
      ): Promise<{ items: readonly Shown[]; count: number }> => {
        const intent: ListIntent = {
          ...{ kind: "list", entity: "Task", where: [], among: null, filters: [], sort, limit, after: null },
          ...{ count: true, may: false, label: false, search },
        };
        const action = planList(context, intent, caller, readerFormat(of), { isScan: far });
        if (action.kind === "refusal") return { items: [], count: 0 };
        const answer = await execute(db, action);
        if (answer.kind === "refusal" || !(answer.body instanceof JsonText)) throw new Error("no list");
        return JSON.parse(answer.body.text);
      };
      const search = words.join(" ");
      const everything = await listed(null, 1_000);
      const wanted = everything.items.filter((record) => isFound(record, searchWords(search)));
      const got = await listed(search, limit);
      expect(got.items).toEqual(wanted.slice(0, limit));
      expect(got.count).toBe(wanted.length);
      expect((await listed(search, 1_000, true)).items).toEqual(wanted);
      for (const record of wanted) found.add(`${record.id} ${search}`);
      for (const record of everything.items) all.add(`${record.id} ${search}`);
    }),
    { numRuns: 60 },
  );
  expect(found.size).toBeGreaterThan(200);
  expect(found.size).toBeLessThan(all.size);
}, 300_000);

/** A caller who reads by all permissions, and a search of the first five tasks. */
const searching = (search: string, count: ListIntent["count"]) => {
  const context = {
    ...{ model: withClauses({ User: [2], Project: [2], Task: [3] }), version: 1, statements: new Statements() },
    ...{ past: [], source: () => "", searched: new Set(["task", "user"]) },
  };
  const caller = {
    ...{ principal: { id: id(1, 0), granted: new Set<string>() }, now: new Date("2026-06-01T00:00:00Z") },
    ...{ today: "2026-06-01", phrases: getPhrasesFor("en") },
  };
  const intent: ListIntent = {
    ...{ kind: "list", entity: "Task", where: [], among: null, filters: [], sort: ["rank"], limit: 5, after: null },
    ...{ count, may: false, label: false, search },
  };
  const plan = planList(context, intent, caller, readerFormat(context.model));
  return plan as Exclude<typeof plan, { kind: "refusal" }>;
};

test("common words are looked for in the order of the list, and the indexes find the others", async () => {
  await store.query(`update app.task set title = 'A rare word' where rank = 7`);
  await store.query(
    `insert into app.task (version, created_at, updated_at, id, title, rank, status)
     select 1, now(), now(), gen_random_uuid(), 'Paint the door', 1000 + n, 'open' from generate_series(1, 400) as n`,
  );
  let batches = 0;
  const counted: Database = {
    ...db,
    batch: (queries, writes) => {
      batches += 1;
      return db.batch(queries, writes);
    },
  };
  const batchesOf = async (search: string): Promise<number> => {
    batches = 0;
    expect((await execute(counted, searching(search, false))).kind).toBe("found");
    return batches;
  };
  expect(await batchesOf("paint")).toBe(2);
  expect(await batchesOf("rare")).toBe(1);
});

test("a page of a search comes without the count if counting takes long, unless the exact one is wanted", async () => {
  const asked = async (count: ListIntent["count"], slow: boolean) => {
    const database: Database = {
      ...db,
      batch: (queries, writes) =>
        db.batch(
          queries.map((query) => {
            if (!slow || !query.text.includes(`count(*)::integer AS "count"`)) return query;
            const { name: _, ...unnamed } = query;
            return { ...unnamed, text: `select (select pg_sleep(8)), * from (${query.text}) as counted` };
          }),
          writes,
        ),
    };
    const answer = await execute(database, searching("paint", count));
    if (answer.kind !== "found") throw new Error(answer.kind);
    return JSON.parse((answer.body as JsonText).text) as { readonly items: readonly unknown[] };
  };
  const usual = await asked(true, false);
  expect(usual).toMatchObject({ count: expect.any(Number) });
  const { items, ...others } = await asked(true, true);
  expect(items).toEqual(usual.items);
  expect(Object.keys(others)).toEqual(["next"]);
  await expect(asked("exact", true)).rejects.toThrow(StoreSlow);
});
