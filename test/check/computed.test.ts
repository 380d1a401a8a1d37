import { describe, expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { documentOf, found, foundOne } from "./documents.ts";

describe("CYCLE", () => {
  const fields = (...computed: readonly string[]) => ({
    3: `Order:
  fields:
    lines: { list: Line.order }
    net:   integer
    total: { type: integer, computed: "${computed[0]}" }
    gross: { type: integer, computed: "${computed[1]}" }
Line:
  fields:
    order: Order
    sum:   { type: integer, computed: "${computed[2]}" }`,
  });

  test("finds fields that are computed from themselves, also through other records", () => {
    const document = fields("gross - 1", "net + 1", "1");
    expect(found(document)).toEqual([]);
    expect(found(fields("gross - 1", "total + 1", "1"))).toEqual(["CYCLE 3.Order.total «gross - 1»"]);
    expect(foundOne(fields("lines.map(l, l.sum).sum()", "net", "order.total"))).toMatchObject({
      message: "Order.total is computed from itself: Order.total → Line.sum → Order.total.",
      witness: { steps: ["Order.total", "Line.sum", "Order.total"] },
    });
  });

  test("finds permissions that depend on each other", () =>
    expect(
      found({
        3: "A:\n  fields: { b: B }\nB:\n  fields: { a: A }",
        6: "permissions:\n  A: { read: [{ like: b }] }\n  B: { read: [{ like: a }] }",
      }).map((item) => item.split(" ")[0]),
    ).toEqual(["CYCLE", "CYCLE"]));
});

describe("kept", () => {
  const keptFindings = (how: string, more = "") =>
    found({
      3: `Product:\n  fields: { price: integer }
Order:
  fields:
    product: Product
    twice: { type: integer, computed: price * 2 }
    price: { type: integer, kept: ${how}, computed: product.price }${more}`,
      4: "Order:\n  states: [draft, done]\n  final: done\n  transitions: { submit: { from: draft, to: done, by: none, once: price > 3 } }",
    }).filter((item) => !item.startsWith("NOT_SHOWN"));
  test.each(["true", "for good", "{ until: product }", "{ until: [product, submit] }"])("%s", (how) =>
    expect(keptFindings(how)).toEqual([]),
  );
  test.each([
    ["{ until: produkt }", "UNKNOWN_NAME  «produkt»"],
    ["{ until: twice }", "BAD_VALUE 3.Order.twice «twice»"],
    ["forever", "BAD_VALUE  «forever»"],
  ])("%s is reported", (how, finding) => expect(keptFindings(how)).toContain(finding));
  test("rows that are derived are computed with their sources", () =>
    expect(
      keptFindings(
        "true",
        "\nDay:\n  rows of: { order: Order }\n  fields: { price: { type: integer, kept: for good, computed: order.price } }",
      ),
    ).toEqual(["BAD_VALUE 3.Day.price «kept»"]));
});

describe("NEVER_TRUE", () => {
  const withChoices = (...conditions: readonly string[]) => ({
    3: `Order:
  fields:
    total: integer
    size:
      computed:
${conditions.map((condition, i) => `        size_${i}: "${condition}"`).join("\n")}`,
  });

  test("finds a choice whose cases are all taken by earlier choices", () => {
    const document = withChoices("total > 10", "total > 20", "true");
    expect(found(document)).toEqual(["NEVER_TRUE 3.Order.size «total > 20»"]);
    expect(foundOne(document).message).toBe("This choice is never used: an earlier one is true whenever this one is.");
    expect(found(withChoices("total > 10", "total <= 10", "true"))).toEqual(["NEVER_TRUE 3.Order.size «true»"]);
  });

  test("finds a choice whose condition is never true", () =>
    expect(foundOne(withChoices("total > 3 && total < 4", "true")).message).toBe(
      "This choice is never used: its condition is never true.",
    ));

  test("accepts choices that each leave cases for the next", () =>
    expect(found(withChoices("total > 20", "total > 10", "true"))).toEqual([]));
});

describe("MAY_BE_MISSING", () => {
  const order = (type: string, computed: string) => ({
    3: `Order:
  fields:
    first: date
    last:  date?
    share: decimal
    tags:  { type: integer, many: true }
    lines: { list: Line.order }
    made:  { type: ${type}, computed: "${computed}" }
Line:
  fields: { order: Order, amount: integer, free: integer?, paid: boolean }`,
  });
  const warned = "MAY_BE_MISSING 3.Order.made";

  test.each([
    ["date", "[first, first + 1 week].max()"],
    ["date", "[first, last].min()"],
    ["integer", "[1, 2].map(n, n + 1).max()"],
    ["date", "[first].one()"],
    ["integer", "lines.size() > 0 ? lines.map(l, l.amount).max() : 0"],
    ["integer", "lines.count() == 0 ? 0 : lines.map(l, l.amount).min()"],
    ["integer", "lines.exists() ? lines.map(l, l.amount).max() : 0"],
    ["integer", "Line.exists(l, l.paid) ? Line.filter(l, l.paid).map(l, l.amount).max() : 0"],
    ["integer", "size(tags) >= 1 ? tags.max() : 0"],
    ["decimal", "share != 0 ? 10 / share : 0"],
    ["decimal", "!(share > 0) ? 0 : 10 / share"],
    ["decimal", "lines.size() == 0 ? 0 : lines.map(l, l.amount).sum() / lines.size()"],
  ])("not of a list that is never empty, nor of a divisor that is never zero: %s, %s", (type, computed) =>
    expect(found(order(type, computed))).toEqual([]),
  );

  test.each([
    ["date", "[last].max()"],
    ["date", "[first, first].one()"],
    ["integer", "tags.max()"],
    ["integer", "lines.map(l, l.amount).max()"],
    ["integer", "lines.size() >= 0 ? lines.map(l, l.amount).max() : 0"],
    ["integer", "lines.size() > 0 ? lines.map(l, l.free).max() : 0"],
    ["integer", "lines.size() > 0 ? lines.filter(l, l.paid).map(l, l.amount).max() : 0"],
    ["integer", "Line.exists(l, l.paid) ? Line.filter(l, !l.paid).map(l, l.amount).max() : 0"],
    ["integer", "lines.size() > 0 ? 0 : lines.map(l, l.amount).max()"],
    ["integer", "lines.size() > 0 ? lines.map(l, l.amount).one() : 0"],
    ["decimal", "share >= 0 ? 10 / share : 0"],
    ["decimal", "10 / share"],
  ])("but of one that can be: %s, %s", (type, computed) =>
    expect(found(order(type, computed)).map((item) => item.split(" «")[0])).toEqual([warned]),
  );

  test("offers the question mark as its fix", () => {
    expect(foundOne(order("integer", "tags.max()"))).toMatchObject({
      message: "The type of made says that it always has a value, but its formula can give none.",
      hint: "Write “integer?”, or give a value for that case with “condition ? one : other”.",
    });
    expect(found(order("integer?", "tags.max()"))).toEqual([]);
  });
});

test.each([
  ["lower(name)", "generated"],
  ["lower('A') + name", "virtual"],
  ["lower('A')", "virtual"],
])("a column is generated only if Postgres does not evaluate texts in its definition: %s", (computed, storage) => {
  const text = documentOf({ 3: `Thing: { fields: { name: text, low: { type: text, computed: "${computed}" } } }` });
  const { model } = compile({ file: "thing.md", text });
  expect(model?.entities.get("Thing")?.fields.get("low")?.storage.as).toBe(storage);
});
