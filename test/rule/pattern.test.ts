import { afterAll, beforeAll, expect, test } from "vitest";
import { matcher, patternProblem, postgresPattern } from "../../src/core/expression/operations/pattern.ts";
import fc from "../chance.ts";
import { expectLinear } from "../growth.ts";
import { database, type TestDatabase } from "../postgres.ts";

let postgres: TestDatabase;
beforeAll(async () => {
  postgres = await database();
});
afterAll(() => postgres.end());

test.each([
  ["b", "abc", true],
  ["^b", "abc", false],
  ["c$", "abc", true],
  ["^a.c$", "a\u{1f600}c", true],
  ["a.c", "a\nc", false],
  ["^[^a]$", "\n", true],
  ["^\\d{2,3}$", "1234", false],
  ["^\\d{2,}$", "1234", true],
  ["^(?:ab|c)+$", "abcab", true],
  ["^\\w+$", "ä", false],
  ["a|^$", "", true],
  ["[\\]\\-x]", "-", true],
  ["[a-]", "-", true],
  ["^[\u{1f600}-\u{1f603}]$", "\u{1f602}", true],
])("%s on %j: %s", (pattern, text, expected) => expect(matcher(pattern)(text)).toBe(expected));

test.each([
  ["(", "A group is never closed."],
  [")", "A `)` closes nothing."],
  ["[a", "A class is never closed."],
  ["[]", "A class needs at least one character."],
  ["[z-a]", "A range in a class must go upwards."],
  ["*a", "`*` has nothing to repeat."],
  ["a**", "There are two counts in a row."],
  ["a+?", "There are two counts in a row."],
  ["^*", "`^` and `$` can’t be repeated."],
  ["a{2", "A count is written {2}, {2,} or {2,5}."],
  ["a{5,2}", "A count can be at most 255 and must go upwards."],
  ["a{256}", "A count can be at most 255 and must go upwards."],
  ["(a{200}){200}", "This pattern is too complex."],
  ["(?=a)", "A group begins with `(` or `(?:`. Look-around is not supported."],
  ["(a)\\1", "`\\1` is not supported in patterns."],
  ["\\p{L}", "`\\p` is not supported in patterns."],
  ["a\\", "`\\` is not supported in patterns."],
  ["(".repeat(40), "A pattern can’t be nested more than 32 levels deep."],
])("%s is refused: %s", (pattern, problem) => expect(patternProblem(pattern)).toBe(problem));

test("no text makes matching slow", async () => {
  const a = (count: number) => "a".repeat(count);
  for (const pattern of ["^(a+)+$", "(.*)*(.*)*(.*)*x"]) {
    const isMatch = matcher(pattern);
    expect(isMatch(`${a(2_000)}b`)).toBe(false);
    await expectLinear(20_000, a, (text) => isMatch(`${text}b`));
  }
});

const letters = "ab1\\_- \n\u00e4\u{1f600}.";
const atom = fc.constantFrom(
  "a",
  "b",
  "1",
  ".",
  "\\d",
  "\\w",
  "\\s",
  "[ab]",
  "[^a]",
  "[a-z0-9_]",
  "\\.",
  "\\\\",
  "\u{1f600}",
  "^",
  "$",
  "-",
  "\\-",
  "/",
  "'",
);
const pattern = fc.letrec<{ sequence: string; piece: string }>((tie) => ({
  sequence: fc.array(tie("piece"), { maxLength: 4 }).map((all) => all.join("")),
  piece: fc.oneof(
    { depthSize: "small" },
    atom,
    fc
      .tuple(atom, fc.constantFrom("*", "+", "?", "{2}", "{0,2}", "{1,}"))
      .map(([value, count]) => (value === "^" || value === "$" ? value : value + count)),
    fc
      .tuple(tie("sequence"), tie("sequence"), fc.constantFrom("", "*", "?", "{1,2}"))
      .map(([a, b, count]) => `(${a}|${b})${count}`),
  ),
})).sequence;

test("patterns match equally in JavaScript and Postgres", async () => {
  const text = fc.string({ unit: fc.constantFrom(...letters), maxLength: 6 });
  const cases = fc.sample(fc.tuple(pattern, text), { seed: 1, numRuns: 5_000 });
  const { rows } = await postgres.query(
    "SELECT text ~ pattern AS it FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS t(text, pattern, n) ORDER BY n",
    [cases.map(([, text]) => text), cases.map(([pattern]) => postgresPattern(pattern))],
  );
  const both = cases.map(([pattern, text], i) => [pattern, text, matcher(pattern)(text), rows[i]?.it] as const);
  expect(both.filter(([, , js, sql]) => js !== sql)).toEqual([]);
  expect(both.filter(([, , js]) => js).length).toBeGreaterThan(500);
  expect(both.filter(([, , js]) => !js).length).toBeGreaterThan(500);
});
