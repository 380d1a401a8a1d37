import Big from "big.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toJs } from "../../src/core/expression/compile/to-js.ts";
import { toSql } from "../../src/core/expression/compile/to-sql.ts";
import type { Scope, Type } from "../../src/core/expression/values/type.ts";
import { noRecord, type Value } from "../../src/core/expression/values/value.ts";
import { definitionText, identifier } from "../../src/core/sql.ts";
import fc, { cases } from "../chance.ts";
import { database, type TestDatabase } from "../postgres.ts";
import { entities, read } from "./world.ts";

/**
 * Conversions have equal results in JavaScript and in Postgres, for texts that almost have the right form and for all
 * others.
 */

let postgres: TestDatabase;
beforeAll(async () => {
  postgres = await database();
});
afterAll(() => postgres.end());

const scope = (type: Type): Scope => ({
  user: false,
  entities,
  limits: new Map(),
  timezone: "Europe/Berlin",
  names: new Map([["a", { type, optional: true }]]),
});

const digits = (most: number) => fc.stringMatching(new RegExp(`^-?[0-9]{0,${most}}$`, "u"));
const two = fc.integer({ min: 0, max: 70 }).map((n) => String(n).padStart(2, "0"));
const year = fc.oneof(fc.constantFrom("0000", "0001", "1900", "2000", "2024", "2026", "9999"), digits(5));
const blanks = fc.constantFrom("", "", "", " ", "\n", "x");
const texts = fc
  .tuple(
    fc.oneof(
      digits(18),
      fc.tuple(digits(29), fc.constantFrom(".", ",", ""), digits(11)).map((parts) => parts.join("")),
      fc.tuple(year, fc.constantFrom("01", "02", "02", "04", "12", "13"), two).map((parts) => parts.join("-")),
      fc.tuple(year, two, fc.constantFrom("28", "29", "30", "31")).map((parts) => parts.join("-")),
      fc.tuple(two, two).map((parts) => parts.join(":")),
      fc.tuple(two, two, two).map((parts) => parts.join(":")),
      fc.string({ unit: "grapheme", minLength: 1 }).map((text) => text.replaceAll("\0", "")),
      fc.constantFrom("Ada Lovelace", " a ", "a, b, c", "1,200,000", "-0", "-0.0", "٣", "𝟙"),
    ),
    blanks,
  )
  .map(([text, blank]) => text + blank)
  .filter((text) => text !== "");

/** Evaluates both for the value of each operand, as text. */
const bothSay = async (text: string, type: Type, column: string, values: readonly (string | number)[]) => {
  const expr = read(text, scope(type));
  const evaluate = toJs(expr);
  const toInput = (value: string | number): Value => (column === "numeric" ? new Big(value) : value);
  const inJs = values.map((value) => {
    const found = evaluate(noRecord, { now: "", today: "", names: { a: toInput(value) }, rows: () => [] });
    return found instanceof Big ? found.toFixed() : found === null ? null : String(found);
  });
  const sql = toSql(expr, { names: () => ({ sql: identifier("a"), missing: true }) }).value;
  const shown = expr.type.kind === "decimal" ? "trim_scale(v)::text" : "v::text";
  const { rows } = await postgres.query(
    `select ${shown} as it from unnest($1::${column}[]) with ordinality as t(a, n), lateral (select ${definitionText(sql)} as v) as c order by n`,
    [values],
  );
  return { inJs, inSql: rows.map(({ it }) => it) };
};

const fromText = [
  ...["integer(a)", "decimal(a)", "date(a)", "time(a)", "before(a, ' ')", "after(a, ' ')", "without(a, ',')"],
  ...["without(a, '1')", "replace(a, a, 'b')", "replace(a, '1', '$&')", "decimal(replace(a, ',', '.'))"],
];
test.each(fromText)("%s means the same in JavaScript and in Postgres", async (text) => {
  const values = fc.sample(texts, cases(3_000, 50_000));
  const { inJs, inSql } = await bothSay(text, { kind: "text" }, "text", values);
  for (const [i, value] of values.entries()) expect(inSql[i], value).toBe(inJs[i]);
  expect(inJs.some((item) => item !== null)).toBe(true);
});

test("numbers and dates become texts that are read as the same value", async () => {
  const integers = fc.sample(fc.maxSafeInteger(), cases(500, 5_000));
  const decimals = fc
    .sample(fc.tuple(fc.maxSafeInteger(), fc.integer({ min: 0, max: 999_999 })), cases(500, 5_000))
    .map(([seconds, part]) => `${seconds}.${String(part).padStart(6, "0")}`);
  const days = fc
    .sample(fc.date({ min: new Date("0001-01-01"), max: new Date("9999-12-31"), noInvalidDate: true }), 500)
    .map((day) => day.toISOString().slice(0, 10));
  for (const [type, column, values] of [
    [{ kind: "integer" }, "bigint", integers],
    [{ kind: "decimal" }, "numeric", decimals],
    [{ kind: "date" }, "date", days],
  ] as const) {
    for (const text of ["text(a)", `text(${type.kind}(text(a)))`]) {
      const { inJs, inSql } = await bothSay(text, type, column, values);
      expect(inSql).toEqual(inJs);
      expect(inJs).toEqual(values.map((value) => (column === "numeric" ? new Big(value).toFixed() : String(value))));
    }
  }
});

test("generated columns can use every conversion", async () => {
  await postgres.query("create table held (a text)");
  for (const [i, text] of fromText.entries()) {
    const sql = toSql(read(text, scope({ kind: "text" })), {
      names: () => ({ sql: identifier("a"), missing: true }),
    }).value;
    const type = { integer: "bigint", decimal: "numeric", date: "date", time: "time" }[text.replace(/\(.*/u, "")];
    await postgres.query(
      `alter table held add column g${i} ${type ?? "text"} generated always as (${definitionText(sql)}) stored`,
    );
  }
  const day = toSql(read("text(a)", scope({ kind: "date" })), {
    names: () => ({ sql: identifier("e"), missing: true }),
  }).value;
  await postgres.query(
    `alter table held add column e date, add column t text generated always as (${definitionText(day)}) stored`,
  );
  await postgres.query("insert into held (a, e) values ('2024-02-29', '2024-02-29'), ('nothing of it', null)");
  const { rows } = await postgres.query("select g2::text, t from held where a like '2%'");
  expect(rows).toEqual([{ g2: "2024-02-29", t: "2024-02-29" }]);
});
