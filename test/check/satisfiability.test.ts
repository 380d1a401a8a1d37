import { describe, expect, test } from "vitest";
import type { Type } from "../../src/core/expression/values/type.ts";
import type { Field } from "../../src/core/model/field.ts";
import { createDecider } from "../../src/core/satisfiability/satisfiability.ts";
import type { Entities } from "../../src/core/satisfiability/value-ranges.ts";
import { condition, type Fields, types } from "./documents.ts";

const fields: Fields = {
  status: types.state,
  age: types.integer,
  "score?": types.integer,
  price: types.decimal,
  first: types.date,
  last: types.date,
  "ended?": types.date,
  urgent: types.boolean,
  author: types.person,
  "helper?": types.person,
  "second?": types.person,
  "note?": types.text,
  proof: types.files,
};
const unbounded: Entities = new Map();

const bounded = (name: string, min: string | null, max: string | null): Entities => {
  const field = { name, min, max } as Field;
  return new Map([["Case", { fields: new Map([[name, field]]) }]]);
};

const verdict = (text: string, entities: Entities = unbounded, limits?: Parameters<typeof condition>[2]) => {
  return createDecider(entities).truthOf(condition(text, fields, limits));
};

describe("decides conditions on states, choices and booleans", () => {
  test.each([
    ["status == draft || status != draft", "always"],
    ["status in [draft, open, done]", "always"],
    ["status == draft && status == open", "never"],
    ["status != draft && status != open && status != done", "never"],
    ["status in [draft, open]", "sometimes"],
    ["urgent || !urgent", "always"],
    ["urgent == !urgent", "never"],
    ["urgent ? status == draft : status == draft", "sometimes"],
    ["(urgent ? 1 : 2) > 2", "never"],
    ["true || status == draft", "always"],
    ["1 > 2", "never"],
  ])("%s: %s", (text, expected) => expect(verdict(text)).toBe(expected));
});

test("two references can lead to different people, although nothing compares them", () => {
  expect(verdict("helper != null && second != null && helper.active && !second.active")).toBe("sometimes");
  expect(verdict("helper != null && second != null && helper.branch == 1 && second.branch == 2")).toBe("sometimes");
  expect(verdict("helper != null && helper == second && helper.active && !second.active")).toBe("never");
});

describe("decides conditions on ordered values", () => {
  test.each([
    ["age > 17 || age < 18", "always"],
    ["age > 17 && age < 18", "never"],
    ["price > 17 && price < 18", "sometimes"],
    ["price > age || price <= age", "always"],
    ["age > 1 && age < 3 && age != 2", "never"],
    ["age * 2 > age * 2", "never"],
    ["first <= last || first > last", "always"],
    ["first < last && last < first", "never"],
    ["first < last && last < ended && ended < first", "never"],
    ["first <= last", "sometimes"],
    ["first < today && today < first", "never"],
    ["size(proof) >= 0", "always"],
    ["size(proof) < 0", "never"],
    ["weekday(first) > 7", "never"],
    ["month(first) in [1, 2, 3]", "sometimes"],
    ["first == last && first.year() != 2026 && last.year() == 2026", "sometimes"],
  ])("%s: %s", (text, expected) => expect(verdict(text)).toBe(expected));

  test("uses the bounds of fields", () => {
    expect(verdict("age <= 30", bounded("age", "1", "30"))).toBe("always");
    expect(verdict("age > 30", bounded("age", null, "30"))).toBe("never");
    expect(verdict("age < 30", bounded("age", null, "30"))).toBe("sometimes");
    expect(verdict("price >= 0.5", bounded("price", "0.5", null))).toBe("always");
    expect(verdict("first >= '2026-01-01'", bounded("first", "2026-01-01", null))).toBe("always");
    expect(verdict("size(note) <= 20", bounded("note", null, "20"))).toBe("always");
    expect(verdict("size(note) <= 19", bounded("note", null, "20"))).toBe("sometimes");
  });

  test("uses the values of constants, except switches", () => {
    const limits = new Map<string, { type: Type; value: string }>([
      ["most", { type: types.integer, value: "10" }],
      ["strict", { type: types.boolean, value: "true" }],
    ]);
    expect(verdict("age <= 10 || age > limits.most", unbounded, limits)).toBe("always");
    expect(verdict("limits.strict", unbounded, limits)).toBe("sometimes");
  });
});

describe("treats missing as a value", () => {
  test.each([
    ["score == null || score != null", "always"],
    ["score > 3 || score <= 3", "sometimes"],
    ["score == null || score > 3 || score <= 3", "always"],
    ["score == null && score > 3", "never"],
    ["age != null", "always"],
    ["helper == null && helper.manager == author", "never"],
    ["helper == null && helper.active", "never"],
    ["helper != null || helper.manager == null", "always"],
    ["note == null && note.contains('x')", "never"],
    ["note == null && size(note) > 0", "sometimes"],
    ["score + 1 > 0 && score == null", "never"],
    ["score + 1 > 0 || score + 1 <= 0 || score == null", "always"],
    ["helper != null && helper.branch == null", "never"],
    ["user.branch != null", "sometimes"],
  ])("%s: %s", (text, expected) => expect(verdict(text)).toBe(expected));
});

describe("compares people and records", () => {
  test.each([
    ["author == user || author != user", "always"],
    ["author == user && helper == user && author != helper", "never"],
    ["author == user && author.branch != user.branch", "never"],
    ["author.branch == user.branch", "sometimes"],
    ["author.id == user.id && author != user", "never"],
    ["author == user", "sometimes"],
    ["Case.exists(c, c.author == author) && !Case.exists(c, c.author == author)", "never"],
  ])("%s: %s", (text, expected) => expect(verdict(text)).toBe(expected));
});

describe("gives examples that are certain", () => {
  const example = (text: string) =>
    createDecider(unbounded)
      .exampleOf(condition(text, fields))
      ?.map(({ path, value }) => [path.kind === "field" ? path.field.name : path.kind, value]);

  test("names the values that make the condition true", () => {
    expect(example("status == open && !urgent")).toEqual([
      ["status", "open"],
      ["urgent", false],
    ]);
    expect(example("status == open && status == draft")).toBeUndefined();
  });

  test("gives an example only if it does not depend on calculations", () => {
    expect(example("status == open || Case.exists(c, c.author == author)")).toEqual([["status", "open"]]);
    expect(example("Case.exists(c, c.author == author)")).toBeUndefined();
    expect(example("first + 3 days > last")).toBeUndefined();
  });
});

test("decides nothing beyond the limit for one condition", () => {
  const many = Array.from({ length: 5 }, (_, i) => `n${i}`);
  const wide = Object.fromEntries(many.map((name) => [name, types.integer]));
  const chain = (names: readonly string[]) =>
    names.map((name, i) => `${name} < ${names[(i + 1) % names.length]}`).join(" && ");
  expect(createDecider(unbounded).truthOf(condition(chain(many.slice(0, 4)), wide))).toBe("never");
  expect(createDecider(unbounded).truthOf(condition(chain(many), wide))).toBe("never");
  const wider = Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`n${i}`, types.integer]));
  expect(createDecider(unbounded).truthOf(condition(chain(Object.keys(wider)), wider))).toBe("sometimes");
});

test("decides nothing beyond the limit for a whole document", () => {
  const names = Array.from({ length: 5 }, (_, i) => `n${i}`);
  const wide = Object.fromEntries(names.map((name) => [name, types.integer]));
  const circle = names.map((name, i) => `${name} < ${names[(i + 1) % names.length]}`).join(" && ");
  const heavy = Array.from({ length: 9 }, () => `(${circle})`).join(" || ");
  const deciding = createDecider(unbounded);
  const truths = Array.from({ length: 200 }, () => deciding.truthOf(condition(heavy, wide)));
  expect(truths[0]).toBe("never");
  expect(truths.at(-1)).toBe("sometimes");
});
