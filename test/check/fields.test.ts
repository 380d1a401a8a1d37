import { describe, expect, test } from "vitest";
import { found, foundOne } from "./documents.ts";

const withField = (field: string) => ({ 3: `Case:\n  fields:\n    size: ${field}`, 9: "least: 5\nmost: 3" });

describe("BOUNDS_REVERSED", () => {
  test.each(["{ type: integer, min: 9, max: 10, default: 9 }", "{ type: date, min: 2026-01-01, max: 2026-01-01 }"])(
    "not %s",
    (field) => expect(found(withField(field)).filter((item) => !item.startsWith("UNUSED"))).toEqual([]),
  );

  test.each([
    ["{ type: integer, min: 10, max: 9 }", "size must be at least 10 and at most 9, which no value can be."],
    ["{ type: decimal, min: 0.2, max: 0.19 }", "size must be at least 0.2 and at most 0.19, which no value can be."],
    [
      "{ type: date, min: 2026-02-01, max: 2026-01-31 }",
      "size must be at least 2026-02-01 and at most 2026-01-31, which no value can be.",
    ],
  ])("%s", (field, message) => expect(foundOne({ 3: withField(field)[3] }).message).toBe(message));

  test("accepts constants of point 9 as bounds", () =>
    expect(found(withField("{ type: integer, min: least, max: most }"))).toEqual([
      "BOUNDS_REVERSED 3.Case.size «size»",
    ]));
});

describe("BAD_DEFAULT", () => {
  test.each([
    ["{ type: integer, min: 3, default: 2 }", "«2»", "is below 3"],
    ["{ type: decimal, max: 10, default: 10.01 }", "«10.01»", "is above 10"],
    [`{ type: text, max: 3, default: "'long'" }`, "«'long'»", "has more than 3 characters"],
  ])("%s", (field, place, says) => {
    const document = { 3: withField(field)[3] };
    expect(found(document)).toEqual([`BAD_DEFAULT 3.Case.size ${place}`]);
    expect(foundOne(document).message).toBe(`The field size doesn’t accept its own default: it ${says}.`);
  });

  test.each([
    "{ type: integer, min: 3, default: 3 }",
    "{ type: integer, max: 10, default: 9 }",
    `{ type: text, max: 4, default: "'long'" }`,
    "{ type: date, min: 2026-01-01, default: today }",
  ])("not %s", (field) => expect(found({ 3: withField(field)[3] })).toEqual([]));
});

describe("values of another choice", () => {
  const message = (field: string) => foundOne({ 3: withField(field)[3] }).message;
  test("are those of a field that lists them", () => {
    expect(message("{ type: choice, values: Case.kinds }")).toBe("“Case.kinds” is not a field that lists its values.");
    expect(message("{ type: choice, values: kind }")).toBe("“kind” is not a field that lists its values.");
    expect(message("{ type: choice, values: Case.size }")).toBe("“Case.size” is not a field that lists its values.");
  });
});
