import { expect, test } from "vitest";
import {
  type FormatValue,
  readTemplate,
  renderTemplate,
  templateExpressions,
} from "../../src/core/expression/compile/template.ts";
import { leave } from "./leave.ts";

const read = (text: string) => readTemplate(text, { file: "leave.md", start: 0, end: text.length }, leave);
const format: FormatValue = (value, type) =>
  value === null ? "…" : type.kind === "date" ? `on ${value}` : String(value);
const now = { now: "2026-03-29T00:30:00.000Z", today: "2026-03-29", rows: () => [] };
const request = { employee: { id: "1", name: "Ida" }, first_day: "2026-04-01", days: 3, note: null };

test.each([
  ["{employee.name}, from {first_day}", "Ida, from on 2026-04-01"],
  ["{note}", "…"],
  ["{days + 1} days", "4 days"],
  ["no braces", "no braces"],
  ["", ""],
  ["{ {days} = {days}", "{days} = 3"],
  ["a } b", "a } b"],
  ["{days > 2 ? '{long}' : 'short'}", "{long}"],
  ["It's {employee.name}'s", "It's Ida's"],
])("%s", (text, expected) => {
  const { value, findings } = read(text);
  expect(findings).toEqual([]);
  expect(renderTemplate(value)(request, now, format)).toBe(expected);
});

test.each([
  ["{employe.name}", 1, 8, "UNKNOWN_NAME"],
  ["from {first_day} to {last_dy}", 21, 28, "UNKNOWN_NAME"],
  ["{}", 1, 1, "BAD_EXPRESSION"],
  ["{days", 1, 5, "BAD_EXPRESSION"],
  ["{'", 1, 1, "BAD_EXPRESSION"],
])("%s has a finding at its place", (text, start, end, code) => {
  const { findings } = read(text);
  expect(findings).toMatchObject([{ code, span: { file: "leave.md", start, end } }]);
});

test("unreadable parts are omitted", () => {
  const { value } = read("{employee.name}: {nobody.knows}!");
  expect(renderTemplate(value)(request, now, format)).toBe("Ida: !");
  expect(templateExpressions(value)).toHaveLength(1);
});
