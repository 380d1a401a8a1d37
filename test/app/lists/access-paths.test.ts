import { afterAll, beforeAll, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import { accessPathsFor, narrowToConditions } from "../../../src/core/derive/authorization/access-paths.ts";
import type { Principal } from "../../../src/core/derive/authorization/grants.ts";
import { getPhrasesFor } from "../../../src/core/explain/language.ts";
import type { Entity } from "../../../src/core/model/entity.ts";
import { createFormatter } from "../../../src/core/model/format.ts";
import type { Model } from "../../../src/core/model/model.ts";
import type { Permission } from "../../../src/core/model/permissions.ts";
import { fill, join, render, slot, sql } from "../../../src/core/sql.ts";
import { connect, type Database } from "../../../src/postgres/database.ts";
import { execute } from "../../../src/server/execution/execute.ts";
import type { ListIntent } from "../../../src/server/intent.ts";
import { JsonText } from "../../../src/server/plan/outcome.ts";
import { filterCondition, filterParams, parseFilters } from "../../../src/server/plan/read/filter.ts";
import { planList } from "../../../src/server/plan/read/list.ts";
import { findScreenConditions, screenConditionsSql } from "../../../src/server/plan/read/screen-conditions.ts";
import { findSortKeys, orderBySql, sortJoinsSql } from "../../../src/server/plan/read/sort.ts";
import { asCondition, readScope } from "../../../src/server/plan/row/read-scope.ts";
import { tableSql } from "../../../src/server/plan/row/sql-env.ts";
import { Statements } from "../../../src/server/plan/statements.ts";
import { open } from "../../../src/server/serving/open-document.ts";
import fc, { cases } from "../../chance.ts";
import { database, type TestDatabase } from "../../postgres.ts";

/** All kinds of clauses that lead, or do not lead, from the caller to records. */
const clauses = [
  "{ role: employee }",
  "{ role: stand_in }",
  "{ role: manager }",
  "{ role: deputy }",
  "{ role: either }",
  "{ role: colleague }",
  "{ role: alike }",
  "{ role: favourite }",
  '{ role: manager, when: "status != draft" }',
  '{ role: manager, when: "status in [granted, refused]", fields: [employee, day, status] }',
  "{ role: employee, fields: [day, amount, status, kind] }",
  '{ role: staff, when: "status == granted" }',
  '{ role: staff, when: "urgent || stand_in.manager == user", fields: [status, amount] }',
  '{ role: staff, when: "stand_in == user || (employee == user && kind == b)" }',
  '{ role: staff, when: "kind == c && urgent", fields: [kind, urgent, level] }',
  "{ role: helper }",
  "{ role: chief }",
  "{ role: led }",
  '{ role: helper, when: "status == draft", fields: [day, helpers] }',
  "{ role: for_manager }",
  '{ role: for_stand_in, when: "status != draft" }',
  "{ role: for_kind }",
];

const specification = `
# Ways

## 2. Screens and routes
\`\`\`yaml
/requests: { list: Request, filters: [status, kind, employee], sort: [-day] }
/amounts:  { list: Request, filters: [level, urgent], sort: [amount, -day] }
/helped:   { list: Request, where: "user in helpers && status != draft" }
/chiefs:   { list: Request, where: "user in employee.chiefs" }
/team:     { list: Request, where: "employee.manager == user" }
/alike:    { list: Request, where: "stand_in == user.manager" }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
User:
  fields: { manager: User?, deputy: User?, favourite: Request?, chiefs: { type: User, many: true }, leads: { type: User, many: true } }
Request:
  fields:
    employee: User
    stand_in: User?
    kind:     { type: choice, values: [a, b, c] }
    level:    { type: choice?, values: [low, high] }
    day:      date
    amount:   integer?
    urgent:   boolean
    helpers:  { type: User, many: true }
Absence:
  fields: { person: User?, deputy: User, kind: { type: choice, values: [a, b, c] }, over: boolean }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Request: { field: status, initial: draft, states: [draft, granted, refused] }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  staff: { members: signed in }
  Request:
    employee:  "employee == user"
    stand_in:  "stand_in == user"
    manager:   "employee.manager == user"
    deputy:    "employee.manager.deputy == user"
    either:    "employee != user && (employee.manager == user || employee.manager.deputy == user)"
    colleague: "employee.manager != null && employee.manager == user.manager"
    alike:     "employee.manager == user.manager"
    favourite: "this == user.favourite"
    helper:    "user in helpers"
    chief:     "user in employee.chiefs"
    led:       "employee in user.leads"
    for_manager:  "Absence.exists(a, a.deputy == user && !a.over && employee.manager == a.person && a.person != null)"
    for_stand_in: "Absence.exists(a, a.deputy == user && employee == a.person)"
    for_kind:     "Absence.exists(a, a.deputy == user && employee == a.person && a.kind == kind)"
permissions:
  User: { read: staff }
  Absence: { read: staff }
  Request:
    read: [${clauses.join(", ")}]
\`\`\`

## 9. Business constants and limits
\`\`\`yaml
page_size_max: 1000
\`\`\`
`;

const compiled = compile({ file: "ways.md", text: specification });
const model = compiled.model as Model;
const request = model.entities.get("Request") as Entity;
const id = (kind: number, n: number) => `0000000${kind}-0000-7000-8000-${String(n).padStart(12, "0")}`;
const PEOPLE = 8;
const REQUESTS = 240;

let store: TestDatabase;
let db: Database;

beforeAll(async () => {
  store = await database();
  await (await open(model, compiled, { owner: store.url, app: store.appUrl })).close();
  db = connect({ connection: store.appUrl });
  // A fixed pseudo-random sequence, repeatable.
  let state = 7;
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor(state / 65_536) % below;
  };
  const some = <T>(value: T): T | null => (random(4) === 0 ? null : value);
  const several = () => [...new Set(Array.from({ length: random(3) }, () => id(1, random(PEOPLE))))];
  for (let n = 0; n < PEOPLE; n++)
    await store.query(
      `insert into app."user" (id, version, created_at, updated_at, name, email) values ($1, 1, now(), now(), $2, $3)`,
      [id(1, n), `Person ${n}`, `${n}@example.test`],
    );
  for (let n = 0; n < REQUESTS; n++)
    await store.query(
      `insert into app.request (id, version, created_at, updated_at, employee, stand_in, kind, level, day, amount, urgent, status, helpers)
       values ($1, 1, now(), now(), $2, $3, $4, $5, $6, $7, $8, $9, $10)`,
      [
        id(2, n),
        id(1, random(PEOPLE)),
        some(id(1, random(PEOPLE))),
        ["a", "b", "c"][random(3)],
        some(["low", "high"][random(2)]),
        `2026-01-0${1 + random(5)}`,
        some(random(4)),
        random(3) === 0,
        ["draft", "granted", "refused"][random(3)],
        several(),
      ],
    );
  for (let n = 0; n < 2 * PEOPLE; n++)
    await store.query(
      `insert into app.absence (id, version, created_at, updated_at, person, deputy, kind, over) values ($1, 1, now(), now(), $2, $3, $4, $5)`,
      [id(3, n), some(id(1, random(PEOPLE))), id(1, random(PEOPLE)), ["a", "b", "c"][random(3)], random(3) === 0],
    );
  for (let n = 0; n < PEOPLE; n++)
    await store.query(
      `update app."user" set manager = $2, deputy = $3, favourite = $4, chiefs = $5, leads = $6 where id = $1`,
      [
        id(1, n),
        some(id(1, random(PEOPLE))),
        some(id(1, random(PEOPLE))),
        some(id(2, random(REQUESTS))),
        several(),
        several(),
      ],
    );
});
afterAll(async () => {
  await db.end();
  await store.end();
});

/** The document with some of its clauses. */
const withClauses = (which: readonly number[]): Model => {
  const read: readonly Permission[] = request.permissions?.actions.read ?? [];
  const permissions = {
    clause: request.clause,
    actions: {
      read: which.flatMap((i) => read[i] ?? []),
      create: [],
      update: [],
      delete: [],
    },
    silent: new Set<never>(),
  };
  return { ...model, entities: new Map([...model.entities, ["Request", { ...request, permissions }]]) };
};

const clauseOf = (path: string): string => model.screens.find((screen) => screen.path === path)?.clause.id ?? "";

const seldom = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(null) }, { weight: 1, arbitrary });

const asked = fc.record({
  clauses: fc.uniqueArray(fc.nat(clauses.length - 1), { minLength: 1, maxLength: 5 }),
  person: fc.nat(PEOPLE - 1),
  sort: fc.constantFrom(
    ["-day"],
    [],
    ["day"],
    ["amount", "-day"],
    ["-amount"],
    ["status", "kind"],
    ["level"],
    ["employee"],
    ["-stand_in", "kind"],
    ["-helpers"],
  ),
  status: seldom(fc.uniqueArray(fc.constantFrom("draft", "granted", "refused"), { minLength: 1 })),
  kind: seldom(fc.constantFrom(["a"], ["b", "c"])),
  level: seldom(fc.constantFrom(["low"], ["high", ""], [""])),
  employee: seldom(fc.nat(PEOPLE - 1)),
  helpers: seldom(fc.uniqueArray(fc.nat(PEOPLE - 1), { minLength: 1, maxLength: 2 })),
  screen: seldom(fc.constantFrom("/helped", "/chiefs", "/team", "/alike")),
  limit: fc.constantFrom(2, 7, 50),
  keyLimit: fc.constantFrom(0, 2, 1_000),
});

test("the pages of a list equal one WHERE over all records in their order, and the count is their number", async () => {
  const format = createFormatter("en", "UTC", { yes: "Yes", no: "No" });
  let rows = 0;
  await fc.assert(
    fc.asyncProperty(
      asked,
      async ({ clauses, person: n, sort, status, kind, level, employee, helpers, screen, limit, keyLimit }) => {
        const of = withClauses(clauses);
        const context = { model: of, version: 1, statements: new Statements(), past: [], source: () => "", keyLimit };
        const principal: Principal = { id: id(1, n), granted: new Set() };
        const caller = {
          principal,
          now: new Date("2026-06-01T00:00:00Z"),
          today: "2026-06-01",
          phrases: getPhrasesFor("en"),
        };
        const entity = of.entities.get("Request") as Entity;
        const scope = readScope(of, entity, principal, "t");
        const readable = new Set(scope.fields.map(({ name }) => name));
        const filters = Object.entries({
          ...{ status, kind, level },
          employee: employee === null ? null : [id(1, employee)],
          helpers: helpers?.map((one) => id(1, one)) ?? null,
        })
          .flatMap(([name, values]) => (values === null ? [] : [[name, values] as const]))
          .filter(([name]) => readable.has(name));
        const intent: ListIntent = {
          kind: "list",
          entity: "Request",
          where: screen === null ? [] : [clauseOf(screen)],
          among: null,
          filters,
          sort: sort.filter((key) => readable.has(key.replace("-", ""))),
          limit,
          after: null,
          count: true,
          may: false,
          label: false,
          search: null,
        };

        const keys = findSortKeys({ model: of, principal }, scope, intent.sort);
        const found = parseFilters(context, scope, intent, caller);
        const where = findScreenConditions(of, principal, entity, intent.where);
        if ("kind" in keys || "kind" in found || "kind" in where) throw new Error("the list is refused");
        const naive = render(
          sql`SELECT "t"."id" FROM ${tableSql(entity)} AS "t"${sortJoinsSql(keys)} WHERE ${join(
            [
              asCondition(scope.rows),
              // So that every parameter is used.
              sql`${slot("user", "uuid")} IS NOT NULL`,
              ...found.map((one) => filterCondition(one, (name) => scope.column(name))),
              ...screenConditionsSql(of, principal, entity, where)(),
            ],
            " AND ",
          )} ORDER BY ${orderBySql(keys)}`,
        );
        const wanted = (
          await db.query({ text: naive.text, values: fill(naive, { user: principal.id, ...filterParams(found) }) })
        ).map((row) => row.id);

        const got: string[] = [];
        let after: string | null = null;
        do {
          const answered = async (far: boolean): Promise<string> => {
            const action = planList(context, { ...intent, after }, caller, format, { isScan: far });
            if (action.kind === "refusal") throw new Error(action.code);
            const answer = await execute(db, action);
            if (answer.kind === "refusal" || !(answer.body instanceof JsonText)) throw new Error("no list");
            return answer.body.text;
          };
          const text = await answered(false);
          // Every way of reading gives equal results.
          if (after === null) expect(await answered(true)).toBe(text);
          const page = JSON.parse(text) as { items: { id: string }[]; next: string | null; count: number };
          got.push(...page.items.map((one) => one.id));
          expect(page.count).toBe(wanted.length);
          expect(page.items.length <= limit).toBe(true);
          after = page.next;
        } while (after !== null && got.length <= wanted.length);
        expect(got).toEqual(wanted);
        rows += got.length;
      },
    ),
    { numRuns: cases(60, 1_000) },
  );
  expect(rows).toBeGreaterThan(cases(400, 10_000));
}, 300_000);

test("a list reads the index for no state that its conditions exclude", () => {
  const statesOf = (clause: number): string | undefined => {
    const context = {
      model: withClauses([clause]),
      version: 1,
      statements: new Statements(),
      past: [],
      source: () => "",
    };
    const principal: Principal = { id: id(1, 1), granted: new Set() };
    const caller = { principal, now: new Date(), today: "2026-06-01", phrases: getPhrasesFor("en") };
    const asked = { where: [], among: null, filters: [], sort: ["-day"], limit: 5, after: null };
    const intent: ListIntent = {
      ...{ kind: "list", entity: "Request", ...asked },
      ...{ count: false, may: false, label: false, search: null },
    };
    const plan = planList(context, intent, caller, createFormatter("en", "UTC", { yes: "Yes", no: "No" }));
    if (!("steps" in plan)) throw new Error("the list is refused");
    const { done, value } = plan.steps().next();
    if (done === true) throw new Error("the list needs no statement");
    return /unnest\(ARRAY\[(.*?)\]::text\[\]\)/u.exec(value[0]?.text ?? "")?.[1];
  };
  expect(statesOf(2)).toBe("'draft', 'granted', 'refused'");
  expect(statesOf(8)).toBe("'granted', 'refused'");
});

test("a condition of a list gives keys where the permission has none, except for a value that can be missing", () => {
  const narrowed = (screen: string, by: string | null = null) => {
    const shown = model.screens.find(({ path }) => path === screen);
    const conditions = shown?.kind === "list" && shown.where !== null ? [shown.where] : [];
    const path = narrowToConditions({ by, keys: [], conditions: [], grants: [] }, conditions);
    return [path.by, path.keys.map(({ path: fields }) => fields.map(({ field }) => field.name).join("."))];
  };
  expect(narrowed("/helped")).toEqual(["id", ["helpers"]]);
  expect(narrowed("/chiefs")).toEqual(["employee", ["chiefs"]]);
  expect(narrowed("/team")).toEqual(["employee", ["manager"]]);
  expect(narrowed("/alike")).toEqual([null, []]);
  expect(narrowed("/requests")).toEqual([null, []]);
  expect(narrowed("/helped", "employee")).toEqual(["employee", []]);
});

test("a permission that names its records becomes key ranges, and others filter all records", () => {
  const waysThrough = (...which: readonly number[]) =>
    accessPathsFor(
      (withClauses(which).entities.get("Request")?.permissions?.actions.read ?? []).map(
        ({ clause, roleCondition, when, fields }) => ({
          clause: clause.id,
          conditions: [...(roleCondition === null ? [] : [roleCondition]), ...(when === null ? [] : [when])],
          fields,
        }),
      ),
    ).map(({ by, keys, conditions }) => [
      by,
      keys.map(({ path, to }) => [...path.map(({ field }) => field.name), to.kind].join(".")),
      conditions.length,
    ]);
  expect(waysThrough(0, 2)).toEqual([["employee", ["user", "manager.user"], 0]]);
  expect(waysThrough(0, 8)).toEqual([
    ["employee", ["user"], 0],
    ["employee", ["manager.user"], 1],
  ]);
  expect(waysThrough(4)).toEqual([["employee", ["manager.user", "manager.deputy.user"], 1]]);
  expect(waysThrough(5)).toEqual([["employee", ["manager.field"], 1]]);
  // Two missing values are equal, which no key finds.
  expect(waysThrough(6)).toEqual([[null, [], 1]]);
  expect(waysThrough(7)).toEqual([["id", ["field"], 0]]);
  expect(waysThrough(15)).toEqual([["id", ["helpers.user"], 0]]);
  expect(waysThrough(16, 17)).toEqual([["employee", ["chiefs.user", "field"], 0]]);
  expect(waysThrough(18)).toEqual([["id", ["helpers.user"], 1]]);
  // Of what the caller alone decides, such as the people whom a deputy represents, each value is a key.
  expect(waysThrough(2, 19)).toEqual([
    ["employee", ["manager.user"], 0],
    [null, [], 1],
  ]);
  expect(waysThrough(0, 20)).toEqual([
    ["employee", ["user"], 0],
    ["employee", ["each"], 1],
  ]);
  expect(waysThrough(21)).toEqual([[null, [], 1]]);
  expect(waysThrough(11)).toEqual([[null, [], 1]]);
  expect(waysThrough(12)).toEqual([[null, [], 1]]);
  expect(waysThrough(13)).toEqual([
    ["stand_in", ["user"], 0],
    ["employee", ["user"], 1],
  ]);
});
