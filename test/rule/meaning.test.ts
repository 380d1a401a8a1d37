import Big from "big.js";
import { afterAll, beforeAll, expect, test } from "vitest";
import { toJs } from "../../src/core/expression/compile/to-js.ts";
import { toSql } from "../../src/core/expression/compile/to-sql.ts";
import type { Scope, Type } from "../../src/core/expression/values/type.ts";
import { noRecord, type Value } from "../../src/core/expression/values/value.ts";
import { postgresType } from "../../src/core/expression/values/value-kinds.ts";
import { fill, render } from "../../src/core/sql.ts";
import { database, type TestDatabase } from "../postgres.ts";
import { entities, read, stored } from "./world.ts";

/**
 * The meaning of expressions, case by case. Every case is written by hand, and both engines must agree with it; nothing
 * is derived from the operation table.
 */
let postgres: TestDatabase;
beforeAll(async () => {
  postgres = await database();
});
afterAll(() => postgres.end());

const scopeOf = (type: Type): Scope => ({
  user: false,
  entities,
  limits: new Map(),
  timezone: "Europe/Berlin",
  names: new Map(
    ["a", "b", "c"].map((name) => [name, { type, optional: type.kind !== "boolean" && type.kind !== "list" }]),
  ),
});

const types = {
  integer: { kind: "integer" },
  decimal: { kind: "decimal" },
  text: { kind: "text" },
  date: { kind: "date" },
  datetime: { kind: "datetime" },
  boolean: { kind: "boolean" },
  duration: { kind: "duration" },
  texts: { kind: "list", of: { kind: "text" } },
  integers: { kind: "list", of: { kind: "integer" } },
} satisfies Record<string, Type>;

const toInput = (value: Value, type: Type): Value =>
  type.kind === "decimal" && typeof value === "string" ? new Big(value) : value;

const clock = { now: "2026-03-29T00:30:00.000Z", today: "2026-03-29" };

let cells = 0;

/** Each row: the operands a, b, c in order, then the result. */
const means = (of: keyof typeof types, text: string, rows: readonly (readonly Value[])[]): void => {
  cells += rows.length;
  test.each(rows.map((row) => [row.slice(0, -1), row.at(-1)] as const))(
    `${text} of %j is %j`,
    async (operands, expected) => {
      const type = types[of];
      const expr = read(text, scopeOf(type));
      const names = Object.fromEntries(operands.map((value, i) => ["abc"[i] ?? "", toInput(value, type)]));
      const shown = (value: unknown): unknown => (value instanceof Big ? value.toFixed() : value);
      expect(shown(toJs(expr)(noRecord, { ...clock, names, rows: () => [] }))).toEqual(expected);

      // Once with an optional operand, and once with a required one if it exists.
      for (const careful of [true, false]) {
        const forms = toSql(expr, {
          names: (name) => {
            const value = names[name] ?? null;
            const sql = { kind: "value", value: stored(value), cast: postgresType(type) } as const;
            return { sql: { kind: "sql", parts: [sql] }, missing: careful || value === null };
          },
        });
        if (expr.type.kind !== "boolean") {
          expect(await ask(forms.value, expr.type), "value").toEqual(expected);
          continue;
        }
        expect((await ask(forms.truth)) === true, "truth").toBe(expected);
        expect((await ask(forms.falsehood)) === true, "falsehood").toBe(!expected);
        expect(await ask(forms.value), "value").toBe(expected);
      }
    },
  );
};

const ask = async (fragment: Parameters<typeof render>[0], type: Type = { kind: "boolean" }): Promise<unknown> => {
  const statement = render(fragment);
  const asText: Readonly<Record<string, string>> = {
    boolean: statement.text,
    integer: statement.text,
    datetime: `to_char(${statement.text} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`,
  };
  const shown = asText[type.kind] ?? `(${statement.text})::text`;
  const { rows } = await postgres.query(`SELECT to_jsonb(${shown}) AS it`, fill(statement, clock));
  const it = rows[0]?.it;
  return type.kind === "decimal" && typeof it === "string" ? new Big(it).toFixed() : it;
};

const no = null;

// Missing equals missing and nothing else.
means("integer", "a == b", [
  [1, 1, true],
  [1, 2, false],
  [no, 1, false],
  [1, no, false],
  [no, no, true],
]);
means("integer", "a != b", [
  [1, 1, false],
  [1, 2, true],
  [no, 1, true],
  [1, no, true],
  [no, no, false],
]);
means("integer", "a == null", [
  [0, false],
  [no, true],
]);
means("integer", "null != a", [
  [0, true],
  [no, false],
]);
means("text", "a == 'b'", [
  ["b", true],
  ["B", false],
  ["b ", false],
  [no, false],
]);
means("text", "a != 'b'", [
  ["b", false],
  ["B", true],
  [no, true],
]);

// Ordered comparisons with a missing value are false.
means("integer", "a < b", [
  [1, 2, true],
  [2, 2, false],
  [3, 2, false],
  [no, 2, false],
  [1, no, false],
  [no, no, false],
]);
means("integer", "a <= b", [
  [1, 2, true],
  [2, 2, true],
  [3, 2, false],
  [no, 2, false],
  [2, no, false],
  [no, no, false],
]);
means("integer", "a > b", [
  [1, 2, false],
  [2, 2, false],
  [3, 2, true],
  [no, 2, false],
  [3, no, false],
  [no, no, false],
]);
means("integer", "a >= b", [
  [1, 2, false],
  [2, 2, true],
  [3, 2, true],
  [no, 2, false],
  [3, no, false],
  [no, no, false],
]);
means("integer", "!(a < b)", [
  [1, 2, false],
  [2, 2, true],
  [no, 2, true],
  [1, no, true],
  [no, no, true],
]);
// Text by code point: U+FB01 is below U+1F600, though its UTF-16 unit is above.
means("text", "a < b", [
  ["a", "b", true],
  ["B", "a", true],
  ["a", "a", false],
  ["a", "ab", true],
  ["Z", "a", true],
  ["z", "ä", true],
  ["\u{fb01}", "\u{1f600}", true],
  ["\u{1f600}", "\u{fb01}", false],
  ["\u{1f600}", "\u{1f601}", true],
  ["a", no, false],
]);
means("date", "a < b", [
  ["2026-03-28", "2026-03-29", true],
  ["0999-12-31", "2026-01-01", true],
  ["9999-12-31", "2026-01-01", false],
]);
means("duration", "a < b", [
  [{ months: 0, days: 1, milliseconds: 0 }, { months: 0, days: 0, milliseconds: 86_400_001 }, true],
  [{ months: 1, days: 0, milliseconds: 0 }, { months: 0, days: 30, milliseconds: 0 }, false],
  [{ months: 1, days: 0, milliseconds: 0 }, { months: 0, days: 31, milliseconds: 0 }, true],
]);
means("duration", "a == b", [
  [{ months: 0, days: 1, milliseconds: 0 }, { months: 0, days: 0, milliseconds: 86_400_000 }, true],
  [{ months: 1, days: 0, milliseconds: 0 }, { months: 0, days: 31, milliseconds: 0 }, false],
]);

// Conditions are true or false.
means("boolean", "a && b", [
  [false, false, false],
  [false, true, false],
  [true, false, false],
  [true, true, true],
]);
means("boolean", "a || b", [
  [false, false, false],
  [false, true, true],
  [true, false, true],
  [true, true, true],
]);
means("boolean", "!a", [
  [false, true],
  [true, false],
]);
means("boolean", "a == b", [
  [false, false, true],
  [false, true, false],
  [true, false, false],
  [true, true, true],
]);
means("boolean", "a ? b : c", [
  [false, false, false, false],
  [false, false, true, true],
  [false, true, false, false],
  [false, true, true, true],
  [true, false, false, false],
  [true, false, true, false],
  [true, true, false, true],
  [true, true, true, true],
]);
means("integer", "a < 3 && b < 3", [
  [1, 1, true],
  [1, 5, false],
  [5, 1, false],
  [1, no, false],
  [no, 1, false],
  [no, no, false],
]);
means("integer", "a < 3 || b < 3", [
  [1, 1, true],
  [1, no, true],
  [no, 1, true],
  [5, no, false],
  [no, no, false],
]);
means("integer", "!(a < 3 && b < 3)", [
  [1, 1, false],
  [1, no, true],
  [no, no, true],
]);
means("integer", "!(a < 3 || b < 3)", [
  [1, no, false],
  [5, no, true],
  [no, no, true],
]);
means("integer", "(a < 3) == (b < 3)", [
  [1, 1, true],
  [1, no, false],
  [5, no, true],
  [no, no, true],
]);
means("integer", "a < 3 ? b : c", [
  [1, 7, 8, 7],
  [5, 7, 8, 8],
  [no, 7, 8, 8],
  [1, no, 8, no],
]);
means("integer", "a != null && a > 1 || b == null", [
  [2, 0, true],
  [1, 0, false],
  [no, 0, false],
  [no, no, true],
]);

// Membership.
means("integer", "a in [1, 2]", [
  [1, true],
  [3, false],
  [no, false],
]);
means("integer", "!(a in [1, 2])", [
  [1, false],
  [3, true],
  [no, true],
]);
means("integer", "a in [b, 2]", [
  [1, 1, true],
  [2, no, true],
  [1, no, false],
  [no, no, false],
]);
means("integer", "!(a in [b, 2])", [
  [1, 1, false],
  [1, no, true],
  [no, no, true],
]);
means("integer", "a in []", [
  [1, false],
  [no, false],
]);
means("texts", "'x' in a", [
  [["x", "y"], true],
  [["y"], false],
  [[], false],
]);
means("texts", "!('x' in a)", [
  [["x", "y"], false],
  [[], true],
]);

// Arithmetic passes missing values on, and an overflow is missing.
means("integer", "a + b", [
  [1, 2, 3],
  [no, 2, no],
  [1, no, no],
  [9007199254740991, 0, 9007199254740991],
  [9007199254740991, 1, no],
  [-9007199254740991, -1, no],
]);
means("integer", "a - b", [
  [1, 2, -1],
  [1, no, no],
  [-9007199254740991, 1, no],
]);
means("integer", "a * b", [
  [3, -2, -6],
  [0, -2, 0],
  [no, 0, no],
  [94906267, 94906267, no],
  [94906265, 94906265, 9007199136250225],
]);
means("integer", "a * b - b * a", [
  [3, 2, 0],
  [94906267, 94906267, no],
]);
means("integer", "-a", [
  [1, -1],
  [0, 0],
  [no, no],
]);
means("integer", "a / b", [
  [1, 2, "0.5"],
  [1, 3, "0.3333333333"],
  [2, 3, "0.6666666667"],
  [-2, 3, "-0.6666666667"],
  [1, 0, no],
  [0, 0, no],
  [no, 2, no],
]);
means("decimal", "a + b", [
  ["0.1", "0.2", "0.3"],
  ["9999999999999999999999999999", "0.9999999999", "9999999999999999999999999999.9999999999"],
  ["9999999999999999999999999999", "1", no],
  ["0.1", no, no],
]);
means("decimal", "a - b", [
  ["0.3", "0.1", "0.2"],
  ["-9999999999999999999999999999", "1", no],
]);
means("decimal", "a * b", [
  ["1.1", "1.1", "1.21"],
  ["0.0000000001", "0.0000000001", "0.00000000000000000001"],
  ["100000000000000", "100000000000000", no],
]);
means("decimal", "a / b", [
  ["1", "8192", "0.0001220703"],
  ["1", "2048", "0.0004882813"],
  ["-1", "2048", "-0.0004882813"],
  ["0.4999999999", "9999999999", "0.0000000000"].map((cell, i) => (i === 2 ? "0" : cell)),
  ["1", "0", no],
]);
means("decimal", "a == b", [
  ["1.10", "1.1", true],
  ["1.1", "1.11", false],
]);
means("decimal", "round(a, 2)", [
  ["2.345", "2.34"],
  ["2.355", "2.36"],
  ["-2.345", "-2.34"],
  ["2.3451", "2.35"],
  ["2.3449", "2.34"],
  [no, no],
]);
means("decimal", "round(a)", [
  ["0.5", 0],
  ["1.5", 2],
  ["2.5", 2],
  ["-0.5", 0],
  ["-1.5", -2],
  ["2.500001", 3],
  ["9007199254740991.5", no],
]);
means("decimal", "round_half_up(a, 2)", [
  ["2.345", "2.35"],
  ["-2.345", "-2.35"],
  ["2.3449", "2.34"],
  [no, no],
]);
means("decimal", "round_half_up(a)", [
  ["0.5", 1],
  ["-0.5", -1],
  ["2.4", 2],
]);
means("decimal", "round_up(a, 2)", [
  ["2.341", "2.35"],
  ["-2.341", "-2.35"],
  ["2.34", "2.34"],
  ["0", "0"],
  [no, no],
]);
means("decimal", "round_up(a)", [
  ["0.1", 1],
  ["-0.1", -1],
  ["2", 2],
]);
means("decimal", "round_down(a, 2)", [
  ["2.349", "2.34"],
  ["-2.349", "-2.34"],
  [no, no],
]);
means("decimal", "round_down(a)", [
  ["1.9", 1],
  ["-1.9", -1],
]);
means("decimal", "floor(a)", [
  ["1.9", 1],
  ["-1.1", -2],
  ["2", 2],
]);
means("decimal", "ceil(a)", [
  ["1.1", 2],
  ["-1.9", -1],
  ["2", 2],
]);
means("integer", "abs(a)", [
  [-3, 3],
  [3, 3],
  [no, no],
]);

// Days and months by the calendar.
means("date", "a + 1 month", [
  ["2026-01-31", "2026-02-28"],
  ["2024-01-31", "2024-02-29"],
  ["2026-12-15", "2027-01-15"],
  ["9999-12-01", no],
  [no, no],
]);
means("date", "a - 1 month", [
  ["2026-03-31", "2026-02-28"],
  ["0001-01-15", no],
]);
means("date", "a + 14 days", [
  ["2026-02-20", "2026-03-06"],
  ["9999-12-31", no],
]);
means("date", "a + 36 hours", [["2026-03-28", "2026-03-29"]]);
means("date", "a - 36 hours", [["2026-03-28", "2026-03-26"]]);
means("integer", "'2026-03-28' + days(a)", [
  [2, "2026-03-30"],
  [-28, "2026-02-28"],
  [0, "2026-03-28"],
  [91_500, "2276-10-03"],
  [91_501, no],
  [-91_501, no],
  [no, no],
]);
means("integer", "'2026-01-31' + months(a)", [
  [1, "2026-02-28"],
  [-1, "2025-12-31"],
  [3_001, no],
  [no, no],
]);
// The clocks go forward in the night to 29 March: 24 hours later the local time is an hour later, a day later it is
// not.
means("integer", "'2026-03-28T12:00:00.000Z' + hours(a) == '2026-03-29T12:00:00.000Z'", [
  [24, true],
  [23, false],
  [no, false],
]);
means("integer", "now - '2026-03-28T00:30:00.000Z' == hours(a)", [
  [24, true],
  [25, false],
]);
means("integer", "hours(a) == null", [
  [2_196_000, false],
  [2_196_001, true],
  [-2_196_001, true],
  [9_007_199_254_740_991, true],
]);
means("date", "days_between(a, b)", [
  ["2026-03-28", "2026-03-30", 2],
  ["2024-03-01", "2024-02-28", -2],
  ["2026-03-28", "2026-03-28", 0],
  [no, "2026-03-28", no],
]);
means("date", "year(a) * 10000 + month(a) * 100 + day(a)", [
  ["2026-03-29", 20260329],
  ["0001-01-01", 10101],
]);
means("date", "a.weekday()", [
  ["2026-03-29", 7],
  ["2026-03-30", 1],
  ["0001-01-01", 1],
]);
means("date", "end_of_week(a)", [
  ["2026-03-29", "2026-03-29"],
  ["2026-03-30", "2026-04-05"],
  ["9999-12-31", no],
]);
means("date", "start_of_week(a)", [["2026-03-29", "2026-03-23"]]);
means("date", "month_of(a)", [["2026-03-29", "2026-03-01"]]);
means("date", "quarter_of(a)", [
  ["2026-03-31", "2026-01-01"],
  ["2026-04-01", "2026-04-01"],
  ["2026-09-30", "2026-07-01"],
  ["2026-12-31", "2026-10-01"],
]);
means("date", "year_of(a)", [["2026-12-31", "2026-01-01"]]);
means("date", "end_of_month(a)", [
  ["2026-02-03", "2026-02-28"],
  ["2024-02-03", "2024-02-29"],
  ["9999-12-31", "9999-12-31"],
]);
means("date", "a >= today", [
  ["2026-03-28", false],
  ["2026-03-29", true],
  [no, false],
]);
// Clocks go forward in Berlin at 01:00 UTC on 29 March 2026 and back at 01:00 UTC on 25 October.
means("datetime", "a + 1 day", [
  ["2026-03-28T11:00:00.000Z", "2026-03-29T10:00:00.000Z"],
  ["2026-03-28T01:30:00.000Z", "2026-03-29T01:30:00.000Z"],
  ["2026-10-24T00:30:00.000Z", "2026-10-25T01:30:00.000Z"],
  ["2026-10-24T11:00:00.001Z", "2026-10-25T12:00:00.001Z"],
  ["9999-12-31T12:00:00.000Z", no],
  [no, no],
]);
means("datetime", "a + 24 hours", [
  ["2026-03-28T11:00:00.000Z", "2026-03-29T11:00:00.000Z"],
  ["2026-10-24T11:00:00.000Z", "2026-10-25T11:00:00.000Z"],
]);
means("datetime", "a - 1 day", [
  ["2026-10-26T01:30:00.000Z", "2026-10-25T01:30:00.000Z"],
  ["2026-03-30T00:30:00.000Z", "2026-03-29T01:30:00.000Z"],
]);
means("datetime", "a + 1 month", [
  ["2026-01-31T22:30:00.000Z", "2026-02-28T22:30:00.000Z"],
  ["2026-01-31T23:30:00.000Z", "2026-02-28T23:30:00.000Z"],
]);
means("datetime", "date_of(a)", [
  ["2026-03-29T21:59:59.999Z", "2026-03-29"],
  ["2026-03-29T22:00:00.000Z", "2026-03-30"],
  ["9999-12-31T23:30:00.000Z", no],
]);
means("date", "datetime(a, '08:30')", [
  ["2026-01-15", "2026-01-15T07:30:00.000Z"],
  ["2026-07-15", "2026-07-15T06:30:00.000Z"],
  [no, no],
]);
// On one day the clocks skip 02:30, on the other they show it twice.
means("date", "datetime(a, '02:30')", [
  ["2026-03-29", "2026-03-29T01:30:00.000Z"],
  ["2026-10-25", "2026-10-25T01:30:00.000Z"],
]);
means("date", "datetime(a, '00:30')", [
  ["0001-01-01", no],
  ["9999-12-31", "9999-12-30T23:30:00.000Z"],
]);
means("datetime", "year(a)", [["2025-12-31T23:00:00.000Z", 2026]]);
means("datetime", "a - b < 1 day", [
  ["2026-03-30T00:00:00.000Z", "2026-03-29T00:00:00.000Z", false],
  ["2026-03-30T00:00:00.000Z", "2026-03-29T00:00:00.001Z", true],
  ["2026-03-30T00:00:00.000Z", "1026-03-29T00:00:00.000Z", false],
  [no, "2026-03-29T00:00:00.000Z", false],
]);
means("datetime", "now > a", [
  ["2026-03-29T00:29:59.999Z", true],
  ["2026-03-29T00:30:00.000Z", false],
]);

// Text lengths count code points; text is never empty.
means("text", "size(a)", [
  ["abc", 3],
  ["a\u{1f600}b", 3],
  [no, 0],
]);
means("text", "a + b", [
  ["a", "b", "ab"],
  ["a", no, no],
]);
means("text", "a.contains(b)", [
  ["abc", "bc", true],
  ["abc", "BC", false],
  ["abc", no, false],
  [no, "a", false],
]);
means("text", "!contains(a, b)", [
  ["abc", "bc", false],
  ["abc", no, true],
]);
means("text", "a.startsWith(b)", [
  ["abc", "ab", true],
  ["abc", "bc", false],
  ["a%", "a%", true],
  [no, "a", false],
]);
means("text", "a.endsWith(b)", [
  ["abc", "bc", true],
  ["abc", "ab", false],
  ["a\u{1f600}", "\u{1f600}", true],
  ["abc", no, false],
]);
means("text", "a.matches('^[a-z]{2,3}\\d?$')", [
  ["ab", true],
  ["abc1", true],
  ["abcd", false],
  ["AB", false],
  ["ab\n", false],
  [no, false],
]);
means("text", "a.matches('b.d|^$')", [
  ["abcd", true],
  ["ab\nd", false],
  ["b\u{1f600}d", true],
]);

// Lists have no missing elements; aggregates of empty lists.
means("integers", "a.sum()", [
  [[1, 2, 3], 6],
  [[], 0],
  [[9007199254740991, 1], no],
  [[9007199254740991, 1, -1], 9007199254740991],
]);
means("integers", "a.avg()", [
  [[1, 2], "1.5"],
  [[1, 1, 2], "1.3333333333"],
  [[], no],
]);
means("integers", "a.min()", [
  [[3, 1, 2], 1],
  [[], no],
]);
means("integers", "a.max()", [
  [[3, 1, 2], 3],
  [[], no],
]);
means("texts", "a.max()", [[["\u{fb01}", "\u{1f600}"], "\u{1f600}"]]);
means("integers", "a.count()", [
  [[3, 3], 2],
  [[], 0],
]);
means("integers", "size(a)", [
  [[3, 3], 2],
  [[], 0],
]);
means("integers", "a.exists(x, x > 2)", [
  [[1, 3], true],
  [[1], false],
  [[], false],
]);
means("integers", "a.all(x, x > 2)", [
  [[1, 3], false],
  [[3], true],
  [[], true],
]);
means("integers", "a.count(x, x > 2)", [[[1, 3, 4], 2]]);
means("integers", "(a.size() > 1 ? a : b).sum()", [
  [[], [], 0],
  [[1], [5, 6], 11],
  [[1, 2], [5, 6], 3],
  [[1, 2], [], 3],
  [[], [7], 7],
]);
means("texts", "('x' in a ? a : []).filter(t, t != 'x').min()", [
  [[], null],
  [["b", "a"], null],
  [["x"], null],
  [["b", "x", "a"], "a"],
]);
means("integers", "a.one(x, x > 2)", [
  [[1, 3], 3],
  [[3, 4], no],
  [[], no],
]);
means("integers", "a.last(x, x * x)", [
  [[1, -3, 2], -3],
  [[3, 1, -3], no],
  [[], no],
]);
means("integers", "a.first(x, x > 1 ? x : null)", [
  [[1, 3, 2], 2],
  [[1], no],
]);
means("integers", "a.filter(x, x > 1).last(x, x) - a.filter(x, x < a.last(y, y)).last(x, x)", [[[1, 7, 4], 3]]);
means("integers", "a.filter(x, x > 1).map(x, x * x).sum()", [
  [[1, 2, 3], 13],
  [[], 0],
]);
means("integers", "a.map(x, x > 1 ? x : null).count()", [[[1, 2, 3], 2]]);
means("integers", "a.map(x, 6 / x).min()", [
  [[0, 2, 3], "2"],
  [[0], no],
]);
means("integers", "a.exists(x, a.count(y, y == x) > 1)", [
  [[1, 2, 1], true],
  [[1, 2], false],
]);

// Working hours: Berlin is an hour ahead of UTC in winter and two in summer. Friday is the 27th of March 2026.
const week = "'Mon-Thu 08:00-12:00, 13:00-17:00, Fri 9:00-13:00'";
means("datetime", `working_hours(a, b, ${week})`, [
  ["2026-03-26T11:30:00.000Z", "2026-03-26T12:15:00.000Z", "0.25"],
  ["2026-03-27T07:00:00.000Z", "2026-03-30T07:00:00.000Z", "5"],
  ["2026-03-27T12:00:00.001Z", "2026-03-28T12:00:00.000Z", "0"],
  ["2026-03-26T07:00:00.000Z", "2026-03-26T07:20:00.000Z", "0.3333333333"],
  ["2026-03-27T12:00:00.000Z", "2026-03-27T07:00:00.000Z", "0"],
  ["2026-01-01T00:00:00.000Z", "2036-01-02T00:00:00.000Z", "18784"],
  ["2026-01-01T00:00:00.000Z", "2036-01-03T00:00:00.000Z", no],
  [no, "2026-01-01T00:00:00.000Z", no],
]);
// An hour is missing in the night in spring, and there twice in autumn.
means("datetime", "working_hours(a, b, 'Sun 00:00-24:00')", [
  ["2026-03-28T12:00:00.000Z", "2026-03-30T12:00:00.000Z", "23"],
  ["2026-10-24T12:00:00.000Z", "2026-10-26T12:00:00.000Z", "25"],
]);
means("datetime", `working_hours(a, b, ['2026-03-27', '2026-03-27', '2026-03-29'], ${week})`, [
  ["2026-03-26T15:00:00.000Z", "2026-03-30T07:00:00.000Z", "2"],
]);
means("datetime", `add_working_hours(a, 6, ${week})`, [
  ["2026-03-26T15:00:00.000Z", "2026-03-30T07:00:00.000Z"],
  ["2026-03-26T10:00:00.000Z", "2026-03-27T09:00:00.000Z"],
  ["2026-03-28T12:00:00.000Z", "2026-03-30T13:00:00.000Z"],
  [no, no],
]);
means("datetime", `add_working_hours(a, -6, ${week})`, [
  ["2026-03-30T07:00:00.000Z", "2026-03-26T15:00:00.000Z"],
  ["2026-03-29T12:00:00.000Z", "2026-03-26T14:00:00.000Z"],
]);
means("datetime", `add_working_hours(a, 0, ${week})`, [["2026-03-29T12:00:00.000Z", "2026-03-29T12:00:00.000Z"]]);
means("datetime", `add_working_hours(a, 0.5, ['2026-03-30', '2020-01-01'], ${week})`, [
  ["2026-03-27T12:00:00.000Z", "2026-03-31T06:30:00.000Z"],
]);
means("datetime", "add_working_hours(a, 24, 'Sun 00:00-24:00')", [
  ["2026-03-28T12:00:00.000Z", "2026-04-04T23:00:00.000Z"],
  ["2026-10-24T12:00:00.000Z", "2026-10-25T22:00:00.000Z"],
]);
means("datetime", "add_working_hours(a, 60, 'Sat 12:00-12:01')", [["2026-03-29T12:00:00.000Z", no]]);

// Texts are read in one form only; any other is missing.
means("text", "integer(a)", [
  ["42", 42],
  ["-0", 0],
  ["007", 7],
  ["9007199254740991", 9_007_199_254_740_991],
  ["9007199254740993", no],
  ["4.0", no],
  ["1,200", no],
  ["four", no],
  ["4\n", no],
  [no, no],
]);
means("text", "decimal(a)", [
  ["-1.50", "-1.5"],
  ["12", "12"],
  [".5", no],
  ["1e3", no],
  ["12,5", no],
]);
means("text", "decimal(replace(a, ',', '.'))", [["12,5", "12.5"]]);
means("text", "date(a)", [
  ["2024-02-29", "2024-02-29"],
  ["2000-02-29", "2000-02-29"],
  ["1900-02-29", no],
  ["2026-04-31", no],
  ["0000-01-01", no],
  ["29.3.2026", no],
]);
means("text", "time(a)", [
  ["08:30", "08:30:00"],
  ["23:59:59", "23:59:59"],
  ["24:00", no],
  ["8:30", no],
]);
means("integer", "text(a)", [
  [-42, "-42"],
  [no, no],
]);
means("decimal", "text(a)", [
  ["1.5000", "1.5"],
  ["100", "100"],
]);
means("decimal", "text(a, 2)", [
  ["12.5", "12.50"],
  ["100", "100.00"],
  ["0.125", "0.13"],
  ["-0.125", "-0.13"],
  ["-0.001", "0.00"],
  [null, no],
]);
means("date", "text(a)", [["0076-03-01", "0076-03-01"]]);
means("text", "before(a, ' ')", [
  ["Ada Lovelace", "Ada"],
  ["Ada", no],
  [" Ada", no],
]);
means("text", "after(a, ' ')", [
  ["Ada  King Lovelace", "King Lovelace"],
  ["Ada ", no],
  [no, no],
]);
means("text", "without(a, b)", [
  ["1,200", ",", "1200"],
  [",", ",", no],
]);

test("there are at least 200 cells", () => {
  expect(cells).toBeGreaterThanOrEqual(200);
});
