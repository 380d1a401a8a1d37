import { expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";

const documentOf = (constants: string, field = "text") => ({
  file: "desk.md",
  text: `# Desk\n\n## 1. Purpose\n\n\`\`\`yaml\ncurrency: CHF\n\`\`\`\n\n## 3. Entities\n\n\`\`\`yaml\nNote:\n  fields:\n    it: ${field}\n\`\`\`\n\n## 9. Constants\n\n\`\`\`yaml\n${constants}\n\`\`\`\n`,
});

const limitOf = (written: string) => {
  const { model, findings } = compile(documentOf(`it: ${written}`));
  expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  const { type, value } = model?.limits.all.get("it") ?? {};
  return [type, value];
};

test.each([
  ["30", { kind: "integer" }, "30"],
  ["-7", { kind: "integer" }, "-7"],
  // Too large for an exact whole number.
  ["9007199254740993", { kind: "decimal" }, "9007199254740993"],
  ["1.50", { kind: "decimal" }, "1.50"],
  ["500 EUR", { kind: "money", currency: "EUR" }, "500"],
  ["-12.50 USD", { kind: "money", currency: "USD" }, "-12.50"],
  ["true", { kind: "boolean" }, "true"],
  ["2026-12-31", { kind: "date" }, "2026-12-31"],
  ["08:30", { kind: "time" }, "08:30:00"],
  ["2026-12-31T23:00:00+01:00", { kind: "datetime" }, "2026-12-31T22:00:00.000Z"],
  ["1 hour 30 minutes", { kind: "duration" }, "1 hour 30 minutes"],
  ["two weeks", { kind: "text" }, "two weeks"],
  // Values that look like a date, time or currency but are none.
  ["2026-02-30", { kind: "text" }, "2026-02-30"],
  ["24:30", { kind: "text" }, "24:30"],
  ["500 ABC", { kind: "text" }, "500 ABC"],
])("the constant %s is %j", (written, type, value) => expect(limitOf(written)).toEqual([type, value]));

test.each([
  ["{ value: 1450, type: text }", { kind: "text" }, "1450"],
  ["{ value: 30, type: decimal }", { kind: "decimal" }, "30"],
  ["{ value: 2.50, type: money }", { kind: "money", currency: "CHF" }, "2.50"],
  ["[draft, submitted]", { kind: "list", of: { kind: "text" } }, "[draft, submitted]"],
  ["[10, 20]", { kind: "list", of: { kind: "integer" } }, "[10, 20]"],
  ["[10, 20.5]", { kind: "list", of: { kind: "decimal" } }, "[10, 20.5]"],
  ["[10, ten]", { kind: "list", of: { kind: "text" } }, "[10, ten]"],
  ["[1 EUR, 1 USD]", { kind: "list", of: { kind: "text" } }, "[1 EUR, 1 USD]"],
  ["{ value: [0110, 0111], type: text }", { kind: "list", of: { kind: "text" } }, "[0110, 0111]"],
])("the constant %s is %j", (written, type, value) => expect(limitOf(written)).toEqual([type, value]));

test.each([
  ["{ value: soon, type: integer }", "“soon” is not a whole number."],
  ["{ value: [2026-02-28, 2026-02-30], type: date }", "“2026-02-30” is not a date."],
  ["[]", "it is an empty list."],
])("the constant %s is refused", (written, message) => {
  const { findings } = compile(documentOf(`it: ${written}`));
  expect(findings.find(({ code }) => code === "BAD_VALUE")?.message).toBe(message);
});

test("a built-in constant is no list", () => {
  const { findings } = compile(documentOf("page_size: [25, 50]"));
  expect(findings.find(({ code }) => code === "BAD_VALUE")?.message).toBe("page_size can’t be a list.");
});

test("a list of values decides a condition like the list written in place", () => {
  const findingsFor = (condition: string, constants: string) => {
    const { model, findings } = compile({
      file: "desk.md",
      text: `# Desk\n\n## 3. Entities\n\n\`\`\`yaml\nNote:\n  fields:\n    kind: { type: choice, values: [blue, green, red] }\n\`\`\`\n\n## 5. Rules\n\n\`\`\`yaml\nNote:\n  - { rule: "${condition}", else: WRONG }\n\`\`\`\n\n## 8. Errors\n\n\`\`\`yaml\nWRONG: Not this one.\n\`\`\`\n\n## 9. Constants\n\n\`\`\`yaml\n${constants}\n\`\`\`\n`,
    });
    return { model, codes: findings.flatMap(({ severity, code }) => (severity === "error" ? [code] : [])) };
  };
  expect(findingsFor("kind in cold", "cold: [blue, green]").codes).toEqual([]);
  expect(findingsFor("kind in limits.cold", "cold: [blue, green]").codes).toEqual([]);
  expect(findingsFor("kind in cold", "cold: [blue, yellow]").codes).toEqual(["TYPES_DIFFER"]);
});

test("amounts have the document’s currency unless their field names one", () => {
  const { model, findings } = compile({
    file: "desk.md",
    text: "# Desk\n\n## 1. Purpose\n\n```yaml\ncurrency: CHF\n```\n\n## 3. Entities\n\n```yaml\nNote:\n  fields:\n    fee: money\n    abroad: { type: money, currency: USD }\n```\n",
  });
  expect(findings.filter(({ severity }) => severity === "error")).toEqual([]);
  const { fields } = model?.entities.get("Note") ?? {};
  expect([fields?.get("fee")?.currency, fields?.get("abroad")?.currency]).toEqual(["CHF", "USD"]);
});

test("an amount bounds only fields of its currency", () => {
  const bounded = (field: string) =>
    compile(documentOf("most: 500 EUR", field)).findings.flatMap(({ severity, code }) =>
      severity === "error" ? [code] : [],
    );
  expect(bounded("{ type: money, currency: EUR, max: most }")).toEqual([]);
  expect(bounded("{ type: money, currency: USD, max: most }")).toEqual(["BAD_VALUE"]);
  expect(bounded("{ type: decimal, max: most }")).toEqual(["BAD_VALUE"]);
});
