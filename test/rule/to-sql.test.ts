import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type SqlEnv, toSql } from "../../src/core/expression/compile/to-sql.ts";
import type { EntityShape, Scope } from "../../src/core/expression/values/type.ts";
import { constant, fill, identifier, render, type Sql, sql, value } from "../../src/core/sql.ts";
import { expectFast } from "../growth.ts";
import { database, type TestDatabase } from "../postgres.ts";
import { leave } from "./leave.ts";
import { columnsOf, read } from "./world.ts";

const request = leave.entities.get("Request") as EntityShape;
const onRequest: SqlEnv = { field: columnsOf(request, identifier("t")) };
const scope: Scope = { ...leave, names: new Map([["input.note", { type: { kind: "text" }, optional: true }]]) };

const text = (fragment: Sql) => render(fragment).text.replaceAll('"', "");
const forms = (rule: string, env: SqlEnv = onRequest) => toSql(read(rule, scope), env);

test("only operations that can overflow are guarded", () => {
  expect(text(forms("days_between(first_day, last_day) + 1").value)).toBe(
    "((t.last_day - t.first_day)::bigint + 1::bigint)",
  );
  expect(forms("days_between(first_day, last_day) + 1").missing).toBe(false);
  expect(forms("days_between(first_day, last_day) - 9007199254740000").missing).toBe(true);
  expect(text(forms("days + 1").value)).toContain("nullif");
  expect(forms("days + 1").missing).toBe(true);
});

describe("a condition has the SQL that the reference shows", () => {
  test.each([
    ["days == 3", "t.days = 3::bigint", "t.days <> 3::bigint"],
    ["score == 3", "t.score = 3::bigint", "t.score IS DISTINCT FROM 3::bigint"],
    ["note == reason", "t.note IS NOT DISTINCT FROM t.reason", "t.note IS DISTINCT FROM t.reason"],
    ["note == null", "t.note IS NULL", "t.note IS NOT NULL"],
    ["days < 3", "t.days < 3::bigint", "t.days >= 3::bigint"],
    ["score < 3", "t.score < 3::bigint", "(t.score >= 3::bigint) OR (t.score IS NULL)"],
    ["!(score < 3)", "(t.score >= 3::bigint) OR (t.score IS NULL)", "t.score < 3::bigint"],
    ["employee == user", "t.employee = $1::uuid", "t.employee <> $1::uuid"],
    ["last_day >= today", "t.last_day >= $1::date", "t.last_day < $1::date"],
    [
      "status in [submitted, granted]",
      "t.status IN ('submitted'::text, 'granted'::text)",
      "t.status NOT IN ('submitted'::text, 'granted'::text)",
    ],
    [
      "days > 3 && days < 9",
      "(t.days > 3::bigint) AND (t.days < 9::bigint)",
      "(t.days <= 3::bigint) OR (t.days >= 9::bigint)",
    ],
    ["note > 'b'", "t.note > 'b'::text COLLATE C", "(t.note <= 'b'::text COLLATE C) OR (t.note IS NULL)"],
    [
      "Request.exists(r, year(r.first_day) == year(first_day))",
      "EXISTS (SELECT 1 FROM app.request AS request~0 WHERE request~0.first_day BETWEEN date_trunc('year', t.first_day::timestamp)::date AND (date_trunc('year', t.first_day::timestamp) + '1 year -1 day'::interval)::date)",
      "NOT EXISTS (SELECT 1 FROM app.request AS request~0 WHERE request~0.first_day BETWEEN date_trunc('year', t.first_day::timestamp)::date AND (date_trunc('year', t.first_day::timestamp) + '1 year -1 day'::interval)::date)",
    ],
    [
      "employee.manager == user",
      "(SELECT manager~0.manager FROM app.user AS manager~0 WHERE manager~0.id = t.employee) = $1::uuid",
      "(SELECT manager~0.manager FROM app.user AS manager~0 WHERE manager~0.id = t.employee) IS DISTINCT FROM $1::uuid",
    ],
    [
      "comments.exists(c, c.author == user)",
      "EXISTS (SELECT 1 FROM app.comment AS comment~0 WHERE (comment~0.request = t.id) AND (comment~0.author = $1::uuid))",
      "NOT EXISTS (SELECT 1 FROM app.comment AS comment~0 WHERE (comment~0.request = t.id) AND (comment~0.author = $1::uuid))",
    ],
    [
      "Request.all(r, r.score > 3)",
      "NOT EXISTS (SELECT 1 FROM app.request AS request~0 WHERE (request~0.score <= 3::bigint) OR (request~0.score IS NULL))",
      "EXISTS (SELECT 1 FROM app.request AS request~0 WHERE (request~0.score <= 3::bigint) OR (request~0.score IS NULL))",
    ],
  ])("%s", (rule, truth, falsehood) => {
    const sqlForms = forms(rule);
    expect(text(sqlForms.truth)).toBe(truth);
    expect(text(sqlForms.falsehood)).toBe(falsehood);
  });

  test("a parameter gets its value when the statement is bound", () => {
    const formsWith = (note: Sql, missing: boolean) =>
      text(forms("note == input.note", { ...onRequest, names: () => ({ sql: note, missing }) }).truth);
    expect(formsWith(sql`${value("x")}`, false)).toBe("t.note = $1");
    expect(formsWith(constant(null), true)).toBe("t.note IS NULL");
  });

  test("a field that the user can’t read is NULL of its type", () => {
    const hidden: SqlEnv = { field: () => ({ sql: sql`NULL`, missing: true }) };
    expect(text(forms("first_day + 14 days > last_day", hidden).truth)).toContain(
      "(NULL::date + '0 mons 14 days 0 secs'::interval)",
    );
    expect(text(forms("note == reason", hidden).truth)).toBe("NULL::text IS NULL");
  });

  test("only optional values are wrapped", () => {
    expect(text(forms("days > 3").value)).toBe("(t.days > 3::bigint)");
    expect(text(forms("score > 3").value)).toBe("((t.score > 3::bigint) IS TRUE)");
  });

  test("deep nesting compiles fast and without repetition", async () => {
    const deep = (sign: string) => `${"(".repeat(55)}score${` ${sign} 1)`.repeat(55)}`;
    for (const rule of [`!(${deep("+")} < 1)`, `!(${deep("/")} == ${deep("*")})`, `${"!".repeat(55)}(score < 1)`]) {
      expect(text(forms(rule).falsehood).length).toBeLessThan(20_000);
      await expectFast(() => text(forms(rule).falsehood), 10);
    }
  });

  test("complex operands are written once", () => {
    expect(text(forms("days / score > 1").falsehood)).toMatch(/^\(round.*\) IS NOT TRUE$/u);
  });
});

describe("values", () => {
  test.each([
    ["days_between(first_day, last_day)", "(t.last_day - t.first_day)::bigint"],
    ["month_of(first_day)", "date_trunc('month', t.first_day::timestamp)::date"],
    ["size(comments)", "(SELECT count(*) FROM app.comment AS comment~0 WHERE comment~0.request = t.id)"],
    ["size(proof)", "cardinality(t.proof)::bigint"],
    ["score == null ? 0 : score", "CASE WHEN t.score IS NULL THEN 0::bigint ELSE t.score END"],
  ])("%s", (rule, expected) => expect(text(forms(rule).value)).toBe(expected));
});

test("a rule on plain columns becomes a CHECK without parameters", () => {
  const check = toSql(read("status == draft || score > 3", scope), { field: columnsOf(request) }).value;
  expect(render(check)).toEqual({
    text: `((("status" = 'draft'::text) OR ("score" > 3::bigint)) IS TRUE)`,
    parameters: [],
  });
});

describe("in a database", () => {
  let postgres: TestDatabase;
  beforeAll(async () => {
    postgres = await database();
    await postgres.query(
      'CREATE SCHEMA app; CREATE TABLE app."user" (id uuid PRIMARY KEY, name text, allowance bigint)',
    );
    await postgres.query("CREATE TABLE app.request (id uuid, employee uuid, days bigint, score bigint, status text)");
    await postgres.query(
      `INSERT INTO app."user" SELECT gen_random_uuid(), name, 3 FROM unnest('{a,b,c}'::text[]) name`,
    );
    await postgres.query("INSERT INTO app.request SELECT gen_random_uuid(), id, 3, NULL, 'draft' FROM app.\"user\"");
  });
  afterAll(() => postgres.end());

  const count = async (condition: Sql) => {
    const statement = render(sql`SELECT count(*)::int AS n FROM app.request AS t WHERE ${condition}`);
    return (await postgres.query(statement.text, fill(statement, {}))).rows[0]?.n;
  };

  test("a constraint rejects what the rule refuses, including missing values", async () => {
    const { value } = toSql(read("score > 3", scope), { field: columnsOf(request) });
    await postgres.query(`ALTER TABLE app.request ADD CHECK ${render(value).text} NOT VALID`);
    const insert = (score: string) => postgres.query(`INSERT INTO app.request (score) VALUES (${score})`);
    await expect(insert("NULL")).rejects.toThrow("violates check constraint");
    await expect(insert("3")).rejects.toThrow("violates check constraint");
    await insert("4");
    await postgres.query("DELETE FROM app.request WHERE score = 4");
  });

  test("the read scope of a user hides rows and fields", async () => {
    const eyes: SqlEnv = {
      ...onRequest,
      table: () => ({
        sql: sql`(SELECT u.id, u.name, CASE WHEN u.name = 'a' THEN u.allowance END AS allowance FROM app."user" u WHERE u.name <> 'c')`,
        hides: (field) => field === "allowance",
      }),
    };
    const enough = read("days <= employee.allowance", scope);
    expect(await count(toSql(enough, onRequest).truth)).toBe(3);
    expect(await count(toSql(enough, eyes).truth)).toBe(1);
    expect(await count(toSql(enough, eyes).falsehood)).toBe(2);
    const someone = read("User.exists(u, u.allowance == null)", scope);
    expect(await count(toSql(someone, eyes).truth)).toBe(3);
    expect(await count(toSql(someone, onRequest).truth)).toBe(0);
  });

  test("an aggregate can depend on the outer statement", async () => {
    expect(await count(toSql(read("User.map(u, days).sum() == 9", scope), onRequest).truth)).toBe(3);
  });
});

describe("a comparison of two days in one period becomes an equivalent range for the index", () => {
  let store: TestDatabase;
  beforeAll(async () => {
    store = await database();
  });
  afterAll(() => store.end());

  test.each([
    ["year", "extract(year from @)"],
    ["month_of", "date_trunc('month', @::timestamp)"],
    ["year_of", "date_trunc('year', @::timestamp)"],
    ["start_of_week", "date_trunc('week', @::timestamp)"],
  ])("%s", async (name, plainly) => {
    const env: SqlEnv = {
      field: (field) => ({ sql: field === "first_day" ? sql`"a"."x"` : sql`"b"."x"`, missing: false }),
    };
    const { truth, falsehood } = toSql(read(`${name}(first_day) == ${name}(last_day)`, scope), env);
    const same = `${plainly.replace("@", "a.x")} = ${plainly.replace("@", "b.x")}`;
    const { rows } = await store.query(
      `with days as (select d::date as x from unnest(array['0001-01-01', '0001-12-31', '9999-01-01', '9999-12-31']) d
         union all select d::date from generate_series('2023-12-20'::date, '2025-01-15', '3 days') d)
       select count(*)::int as pairs, count(*) filter (where ${same})::int as same,
         count(*) filter (where (${render(truth).text}) is distinct from (${same}) or (${render(falsehood).text}) is not distinct from (${same}))::int as wrong
       from days a, days b`,
    );
    expect(rows[0]).toMatchObject({ wrong: 0 });
    expect(Number(rows[0]?.same)).toBeGreaterThan(130);
    expect(Number(rows[0]?.pairs)).toBeGreaterThan(10_000);
  });
});
