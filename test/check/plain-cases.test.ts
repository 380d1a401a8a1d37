import { expect, test } from "vitest";
import { every } from "../../src/core/expression/boolean-exprs.ts";
import type { Expr } from "../../src/core/expression/expr.ts";
import type { Field } from "../../src/core/model/field.ts";
import { enumerateAssignments } from "../../src/core/satisfiability/assignments.ts";
import { createDecider } from "../../src/core/satisfiability/satisfiability.ts";
import { canTriviallyHold, trivialTruth } from "../../src/core/satisfiability/trivial-cases.ts";
import type { Entities } from "../../src/core/satisfiability/value-ranges.ts";
import fc, { cases } from "../chance.ts";
import { condition, type Fields, types } from "./documents.ts";

/** Simple conditions are decided without trying values; trying them must give the same. */

const fields: Fields = {
  status: types.state,
  age: types.integer,
  "score?": types.integer,
  price: types.decimal,
  first: types.date,
  "ended?": types.date,
  urgent: types.boolean,
  author: types.person,
  "helper?": types.person,
  "note?": types.text,
  proof: types.files,
};
const field = (min: string | null, max: string | null) => ({ min, max }) as Field;
const bounds: Entities = new Map([
  [
    "Case",
    {
      fields: new Map(
        [
          ["age", field("1", "3")],
          ["note", field(null, "20")],
        ].map((entry) => entry as [string, Field]),
      ),
    },
  ],
]);

const number = fc.integer({ min: 0, max: 3 }).map(String);
const sign = fc.constantFrom("==", "!=", "<", "<=", ">", ">=");
const counted = fc.constantFrom(
  ...["age", "score", "size(note)", "size(proof)", "first.year()", "age + 1", "score * 2"],
  ...["today.year()", "size(User)"],
);
const atom = fc.oneof(
  fc.constantFrom("status == draft", "status != open", "status in [draft, done]", "status in [draft, open, done]"),
  fc.constantFrom("urgent", "true", "score == null", "score != null", "note == null", "note != null", "ended == null"),
  fc.constantFrom("author == user", "helper == user", "author == helper", "helper == null", "helper.branch > 1"),
  fc.constantFrom("user == user", "author != author", "age <= age", "score == score", "first < first"),
  fc.constantFrom("user.branch <= user.branch", "user.branch > user.branch"),
  fc.constantFrom("first <= ended", "ended < '2026-05-01'", "first == today", "price > 1.5", "2 > price"),
  fc.tuple(counted, sign, number).map((parts) => parts.join(" ")),
);
const written = fc.letrec<{ any: string }>((tie) => ({
  any: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    atom,
    fc.tuple(tie("any"), tie("any")).map(([a, b]) => `(${a} && ${b})`),
    fc.tuple(tie("any"), tie("any")).map(([a, b]) => `(${a} || ${b})`),
    tie("any").map((a) => `!(${a})`),
  ),
})).any;

/** The truth of a condition by its values; undefined if there are too many. */
const enumerated = (expr: Expr): "always" | "never" | "sometimes" | undefined => {
  const worlds = enumerateAssignments(expr, "every", bounds);
  if (worlds === undefined) return undefined;
  const outcomes = new Set(Array.from({ length: worlds.count }, (_, at) => worlds.holdsIn(at)));
  if (!outcomes.has(true)) return "never";
  return outcomes.has(false) ? "sometimes" : "always";
};

test("a condition that is decided without trying values has the truth that they give", () => {
  const seen = { plain: 0, other: 0 };
  fc.assert(
    fc.property(written, (text) => {
      const expr = condition(text, fields);
      const plain = trivialTruth(expr, bounds);
      seen[plain === undefined ? "other" : "plain"]++;
      if (plain === undefined) return;
      const truth = enumerated(expr);
      if (truth !== undefined) expect(plain === "both" ? "sometimes" : plain ? "always" : "never").toBe(truth);
    }),
    { numRuns: cases(1_500, 20_000) },
  );
  expect(Math.min(seen.plain, seen.other)).toBeGreaterThan(100);
});

test("conditions that can hold together plainly do so for some values", () => {
  const seen = { can: 0, open: 0 };
  fc.assert(
    fc.property(fc.array(written, { minLength: 1, maxLength: 3 }), (texts) => {
      const exprs = texts.map((text) => condition(text, fields));
      const all = every(exprs);
      const truth = all === undefined ? undefined : enumerated(all);
      const can = canTriviallyHold(exprs, bounds);
      seen[can ? "can" : "open"]++;
      if (truth === undefined) return;
      if (can) expect(truth).not.toBe("never");
      expect(createDecider(bounds).canHold(...exprs)).toBe(truth !== "never");
    }),
    { numRuns: cases(1_000, 20_000) },
  );
  expect(Math.min(seen.can, seen.open)).toBeGreaterThan(100);
});

test.each([
  ["note == null || size(note) > 3", "both"],
  ["note != null && size(note) > 3", "both"],
  ["size(note) > 3 && note != null", undefined],
  ["note == null || size(note) <= 20", undefined],
  ["status in [draft, done]", "both"],
  ["status in [draft, open, done]", undefined],
  ["size(proof) < 20", "both"],
  ["size(proof) < 20 && size(proof) > 3", undefined],
  ["score == null || score > 1 && score < 3", undefined],
  ["today.year() > 2030 && today.year() < 2030", undefined],
  ["size(User) > 3 && size(User) < 3", undefined],
] as const)("%s: %s", (text, expected) => expect(trivialTruth(condition(text, fields), bounds)).toBe(expected));
