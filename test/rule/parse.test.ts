import { describe, expect, test } from "vitest";
import { readTemplate } from "../../src/core/expression/compile/template.ts";
import { directChildren, nestingDepth, type Syntax } from "../../src/core/expression/syntax/ast.ts";
import { deepest, longestText, parse } from "../../src/core/expression/syntax/parse.ts";
import { readRule } from "../../src/core/expression/type-check/type-check.ts";
import fc from "../chance.ts";
import { expectFast } from "../growth.ts";
import { expressions, sorts } from "./generate.ts";
import { scope } from "./world.ts";

/** A tree in parentheses, to show precedence. */
const shape = (syntax: Syntax): string => {
  const inner = directChildren(syntax).map(shape);
  switch (syntax.kind) {
    case "number":
    case "text":
      return syntax.text;
    case "boolean":
      return String(syntax.value);
    case "name":
      return syntax.name;
    case "member":
      return `${inner[0]}.${syntax.name?.text ?? "?"}`;
    case "call":
      return `${syntax.name.text}(${inner.join(" ")})`;
    case "unary":
      return `(${syntax.sign}${inner[0]})`;
    case "binary":
      return `(${inner[0]} ${syntax.sign} ${inner[1]})`;
    case "choice":
      return `(${inner[0]} ? ${inner[1]} : ${inner[2]})`;
    case "list":
      return `[${inner.join(" ")}]`;
    case "duration":
      return `${syntax.duration.months}m${syntax.duration.days}d${syntax.duration.milliseconds}`;
    default:
      return syntax.kind;
  }
};

describe("operators bind as in CEL", () => {
  test.each([
    ["a || b && c == d + e * -f.g", "(a || (b && (c == (d + (e * (-f.g))))))"],
    ["a - b - c", "((a - b) - c)"],
    ["!a && b", "((!a) && b)"],
    ["!a.b(c)", "(!b(a c))"],
    ["a ? b : c ? d : e", "(a ? b : (c ? d : e))"],
    ["a || b ? c : d", "((a || b) ? c : d)"],
    ["a in [b, 'c', 1.50]", "(a in [b c 1.50])"],
    ["(a + b) * c", "((a + b) * c)"],
    ["E.filter(r, r.x > 1).map(r, r.y).sum()", "sum(map(filter(E r (r.x > 1)) r r.y))"],
    ["14 days", "0m14d0"],
    ["a + 1 month - 2 weeks", "((a + 1m0d0) - 0m14d0)"],
    ["a < 336 hours", "(a < 0m0d1209600000)"],
    [`"it's" + 'a "b" \\u{1f600}\\n\\d'`, `(it's + a "b" \u{1f600}\n\\d)`],
    ["null != true", "(null != true)"],
    ["größe > 1", "(größe > 1)"],
  ])("%s", (text, expected) => {
    const { syntax, problems } = parse(text);
    expect(problems).toEqual([]);
    expect(shape(syntax)).toBe(expected);
  });
});

describe("an unreadable part gives a problem at its position, and the rest is read", () => {
  test.each([
    ["total >", "(total > error)", 7, 7, "A value is missing here."],
    ["a && && b", "((a && error) && b)", 5, 7, "A value is missing here."],
    ["loan.", "loan.?", 5, 5, "A name is missing after the dot."],
    ["f(a, , b)", "f(a error b)", 5, 6, "A value is missing here."],
    ["[1, 2", "[1 2]", 5, 5, "A `]` is missing here."],
    ["(a", "a", 2, 2, "A `)` is missing here."],
    ["a ? b", "(a ? b : error)", 5, 5, "A `:` is missing here."],
    ["a b", "a", 2, 3, "`b` does not belong here."],
    ["a and b", "(a && b)", 2, 5, "`and` is not a word of this language."],
    ["a = b", "(a == b)", 2, 3, "`=` is not an operator of this language."],
    ["not a", "(!a)", 0, 3, "`not` is not a word of this language."],
    ["'abc", "abc", 0, 4, "This text has no closing quote."],
    ["''", "", 0, 2, "A text can’t be empty."],
    ["'\\u{110000}'", "", 0, 12, "`\\u{110000}` is not a character."],
    ["1.5 days", "error", 0, 8, "A duration needs a whole number of units."],
    ["300 years", "error", 0, 9, "A duration needs a whole number of units."],
    ["", "error", 0, 0, "A value is missing here."],
  ])("%s", (text, expected, start, end, message) => {
    const { syntax, problems } = parse(text);
    expect(shape(syntax)).toBe(expected);
    expect(problems[0]).toMatchObject({ start, end, message });
  });
});

test("syntax of other languages gets a hint", () => {
  const hint = (text: string) => parse(text).problems[0]?.hint;
  expect(hint("a = b")).toBe("Write `==`.");
  expect(hint("a & b")).toBe("Write `&&`.");
  expect(hint("a and b")).toBe("Write `&&`.");
  expect(hint("a ≥ b")).toBe("Write `>=`.");
  expect(hint("a === b")).toBe("Write `==`.");
  expect(hint("not a")).toBe("Write `!`.");
  expect(hint("a matches 'x'")).toBe("Write it with a dot and brackets: `.matches(…)`.");
});

describe("reading is bounded", () => {
  const deep = [
    "(".repeat(9_999),
    "!".repeat(9_999),
    "[".repeat(9_999),
    "-".repeat(9_999),
    "a.".repeat(4_999),
    "a+".repeat(4_999),
    "a?".repeat(4_999),
    "f(".repeat(4_999),
    "a?b:".repeat(2_499),
    `${"a.b(".repeat(2_000)}`,
    "'".repeat(9_999),
    "\\".repeat(9_999),
    `'${"\\".repeat(9_997)}`,
    "\u{1f600}".repeat(4_999),
    `a${"+a".repeat(70)}`,
  ];
  test.each(deep.map((text) => [text.slice(0, 20), text]))("%s… is refused at once", async (_, text) => {
    const reading = () => readRule(text, { file: "", start: 0, end: text.length }, scope);
    const { value, findings } = reading();
    await expectFast(reading, 10);
    expect(value).toBeUndefined();
    expect(findings.length).toBeGreaterThan(0);
  });

  test("a text beyond the maximum length is not read", () => {
    const { problems } = parse("a".repeat(longestText + 1));
    expect(problems).toMatchObject([{ message: "This expression is longer than 10000 characters." }]);
  });

  test(`${deepest} expressions can be nested`, () => {
    const nested = (depth: number) => `${"!".repeat(depth - 1)}a`;
    expect(parse(nested(deepest)).problems).toEqual([]);
    expect(parse(nested(deepest + 1)).problems).toMatchObject([
      { message: "This expression is nested more than 64 levels deep." },
    ]);
  });
});

/** Operators and keywords in random order. */
const words = fc
  .array(
    fc.constantFrom(
      ..."( ) [ ] , . ? : ! - + * / < <= > >= == != && || in = & | ' \" \\ { } # @ `".split(" "),
      ..."a this old user now today limits most null true false Item Line lines filter map all sum size r 1 2.5 14 days".split(
        " ",
      ),
      " ",
      "\n",
      "\u{1f600}",
      "\ud800",
      "\0",
    ),
    { maxLength: 40 },
  )
  .map((all) => all.join(""));

/** A valid expression with something removed or inserted. */
const damaged = fc
  .tuple(
    fc.constantFrom(...sorts).chain((sort) => expressions(sort, 3)),
    fc.nat(),
    fc.nat({ max: 5 }),
    words,
  )
  .map(([text, at, length, inserted]) => {
    const from = at % (text.length + 1);
    return text.slice(0, from) + inserted.slice(0, 4) + text.slice(from + length);
  });

const text = fc.oneof(words, damaged, fc.string({ unit: "binary" }));

test("parsing any text ends with a tree or with findings inside the text", () => {
  fc.assert(
    fc.property(text, (text) => {
      const { syntax, problems } = parse(text);
      expect(nestingDepth(syntax)).toBeLessThanOrEqual(deepest);
      expect(problems.length > 0 || syntax.kind !== "error").toBe(true);
      const { value, findings } = readRule(text, { file: "f", start: 100, end: 100 + text.length }, scope);
      expect(value !== undefined).toBe(findings.every((finding) => finding.severity !== "error"));
      for (const { span } of findings) {
        expect(span.start).toBeGreaterThanOrEqual(100);
        expect(span.end).toBeGreaterThanOrEqual(span.start);
        expect(span.end).toBeLessThanOrEqual(100 + text.length);
      }
    }),
    { numRuns: 5_000, seed: 1 },
  );
});

test("any text can be read as a template", () => {
  fc.assert(
    fc.property(text, (text) => {
      const { value, findings } = readTemplate(`{${text}} and ${text}`, { file: "f", start: 0, end: 9 }, scope);
      expect(value.parts.length + findings.length).toBeGreaterThan(0);
    }),
    { numRuns: 2_000, seed: 1 },
  );
});
