import { expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { createFormatter } from "../../src/core/model/format.ts";
import { fillTemplate, labelText } from "../../src/server/plan/row/labels.ts";

const format = createFormatter("en-GB", "Europe/Berlin", { yes: "Yes", no: "No" });

const templateOf = (label: string) => {
  const text = `# Desk

## 3. Entities
\`\`\`yaml
Order:
  label: ${JSON.stringify(label)}
  fields: { number: text, purpose: text, name: text, first: date, last: date, begins: datetime, ends: datetime, paid: boolean }
\`\`\`
`;
  const template = compile([{ file: "desk.md", text }]).model?.entities.get("Order")?.label;
  if (template === undefined) throw new Error("It does not compile.");
  return template;
};

/** The text of a label with its values, each of which can be missing or unreadable. */
const labelOf = (label: string, ...values: readonly (string | null)[]): string =>
  labelText(templateOf(label), values, format);

test.each([
  ["{number} {purpose}", ["PR-1", "Gloves"], "PR-1 Gloves"],
  ["{number} {purpose}", [null, "Gloves"], "Gloves"],
  ["{number}: {purpose}", ["PR-1", null], "PR-1"],
  ["{number} for {purpose}", [null, "Gloves"], "… for Gloves"],
  ["{number} ({purpose})", ["PR-1", null], "PR-1 (…)"],
  ["Order {number}, {purpose}", [null, "Gloves"], "Order …, Gloves"],
  ["{number} {purpose}", [null, null], "…"],
])("“%s” of %j is “%s”", (label, values, words) => {
  expect(labelOf(label, ...values)).toBe(words);
});

test.each([
  ["{name}, {first} to {last}", ["Ada", "2026-12-11", "2026-12-11"], "Ada, 11 Dec 2026"],
  ["{name}, {first} to {last}", ["Ada", "2026-12-11", "2026-12-14"], "Ada, 11 Dec 2026 to 14 Dec 2026"],
  ["{first} – {last} ({name})", ["2026-12-11", "2026-12-11", "Ada"], "11 Dec 2026 (Ada)"],
  ["{first} bis {last}", ["2026-12-11", "2026-12-11"], "11 Dec 2026"],
  ["{first}, entered {last}", ["2026-12-11", "2026-12-11"], "11 Dec 2026, entered 11 Dec 2026"],
  ["{first} to {last}", ["2026-12-11", null], "11 Dec 2026 to …"],
  ["{begins} – {ends}", ["2026-12-11T09:00:00+00:00", "2026-12-11T10:30:00+00:00"], "11 Dec 2026, 10:00 – 11:30"],
  // In Berlin, the second is on the next day.
  ["{begins} to {ends}", ["2026-12-11T09:00:00Z", "2026-12-11T23:30:00Z"], "11 Dec 2026, 10:00 to 12 Dec 2026, 00:30"],
  [
    "{begins}, paid on {ends}",
    ["2026-12-11T09:00:00Z", "2026-12-11T10:30:00Z"],
    "11 Dec 2026, 10:00, paid on 11 Dec 2026, 11:30",
  ],
  ["{first} to {last}", [null, null], "… to …"],
])("a period “%s” of %j is “%s”", (label, values, words) => {
  expect(labelOf(label, ...values)).toBe(words);
});

test("a boolean is “Yes” or “No”", () => {
  const label = templateOf("{name}, paid: {paid}");
  expect([true, false].map((paid) => labelText(label, ["Ada", paid], format))).toEqual([
    "Ada, paid: Yes",
    "Ada, paid: No",
  ]);
});

test("a notification names a single day once, also after a word that announces an end", () => {
  const said = (text: string, ...days: readonly (string | null)[]) =>
    fillTemplate(templateOf(text), ["Ada", ...days], format);
  const [day, next] = ["2026-12-11", "2026-12-14"];
  expect(said("{name}: trip {first} to {last}.", day, day)).toBe("Ada: trip 11 Dec 2026.");
  const text = "{name} is away from {first} to {last}.";
  expect(said(text, day, day)).toBe("Ada is away on 11 Dec 2026.");
  expect(said(text, day, next)).toBe("Ada is away from 11 Dec 2026 to 14 Dec 2026.");
  expect(said(text, null, null)).toBe("Ada is away from … to ….");
  expect(said("{name}. Vom {first} bis {last}", day, day)).toBe("Ada. Am 11 Dec 2026");
  expect(said("{name} absent du {first} au {last}", day, day)).toBe("Ada absent le 11 Dec 2026");
  // A language whose word for a single day is not known.
  expect(said("{name}, de {first} a {last}", day, day)).toBe("Ada, de 11 Dec 2026 a 11 Dec 2026");
});
