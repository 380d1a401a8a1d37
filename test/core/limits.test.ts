import { expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";

const documentOf = (constants: string, field = "text") => ({
  file: "desk.md",
  text: `# Desk\n\n## 3. Entities\n\n\`\`\`yaml\nNote:\n  fields:\n    it: ${field}\n\`\`\`\n\n## 9. Constants\n\n\`\`\`yaml\n${constants}\n\`\`\`\n`,
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

test("an amount bounds only fields of its currency", () => {
  const bounded = (field: string) =>
    compile(documentOf("most: 500 EUR", field)).findings.flatMap(({ severity, code }) =>
      severity === "error" ? [code] : [],
    );
  expect(bounded("{ type: money, currency: EUR, max: most }")).toEqual([]);
  expect(bounded("{ type: money, currency: USD, max: most }")).toEqual(["BAD_VALUE"]);
  expect(bounded("{ type: decimal, max: most }")).toEqual(["BAD_VALUE"]);
});
