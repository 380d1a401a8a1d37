import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { choosePhrases } from "../../src/core/derive/client/localize.ts";
import { getPhrasesFor } from "../../src/core/explain/language.ts";
import { phraseCondition } from "../../src/core/explain/phrase.ts";
import { permissionSentence, transitionSentence } from "../../src/core/explain/who-may.ts";
import type { Expr } from "../../src/core/expression/expr.ts";
import { createFormatter } from "../../src/core/model/format.ts";

const document = (rule: string) => `# Desk

## 3. Entities
\`\`\`yaml
User: { fields: { manager: User? } }
Request:
  fields:
    employee: { type: User, set: user }
    first_day: date
    last_day: date
    days: integer
    urgent: boolean
    decided_by: User?
    seen_by: { type: User, many: true }
    note: text?
    kind: { type: choice, values: [holiday, sick_leave] }
\`\`\`
## 4. States
\`\`\`yaml
Request: { field: status, states: [draft, { granted: { title: Let go } }], transitions: { grant: { from: draft, to: granted, by: administrator } } }
\`\`\`
## 6. Roles and permissions
\`\`\`yaml
roles: { Request: { probe: ${JSON.stringify(rule)} } }
permissions: { Request: { read: [probe] } }
\`\`\`
## 9. Limits
\`\`\`yaml
most_days: 30
\`\`\`
`;

const phraseOf = (rule: string, locale: string, not: boolean): string => {
  const text = document(rule);
  const { model, findings } = compile({ file: "desk.md", text });
  const condition: Expr | undefined = model?.entities.get("Request")?.roles.get("probe")?.condition;
  if (model === undefined || condition === undefined) throw new Error(JSON.stringify(findings));
  const source = ({ start, end }: { start: number; end: number }) => text.slice(start, end).replaceAll('\\"', '"');
  return phraseCondition(
    condition,
    {
      model,
      phrases: getPhrasesFor(locale),
      format: createFormatter(locale, "UTC", { yes: "Yes", no: "No" }),
      who: null,
      source,
    },
    not,
  );
};

test("a time is named by its field, even if its title is no noun, with the duration before or after it", () => {
  const text = `# Desk

## 3. Entities
\`\`\`yaml
Slot: { fields: { begins: datetime } }
\`\`\`
## 6. Roles and permissions
\`\`\`yaml
roles: { Slot: { probe: "now < begins - early" } }
permissions: { Slot: { read: [probe] } }
\`\`\`
## 9. Limits
\`\`\`yaml
early: 15 minutes
\`\`\`
`;
  const { model } = compile({ file: "desk.md", text });
  const condition = model?.entities.get("Slot")?.roles.get("probe")?.condition;
  if (model === undefined || condition === undefined) throw new Error("it runs");
  const phrasing = {
    model,
    format: createFormatter("en", "UTC", { yes: "Yes", no: "No" }),
    who: null,
    source: () => "",
  };
  expect(phraseCondition(condition, { ...phrasing, phrases: getPhrasesFor("en") })).toBe(
    "it is earlier than 15 minutes before “Begins”",
  );
  expect(phraseCondition(condition, { ...phrasing, phrases: getPhrasesFor("de") })).toBe(
    "es ist früher als 15 minutes vor „Begins“",
  );
});

test("a condition without a phrase is quoted for authors alone", () => {
  const text = document("size(note) > 3");
  const { model } = compile({ file: "desk.md", text });
  const condition = model?.entities.get("Request")?.roles.get("probe")?.condition;
  if (model === undefined || condition === undefined) throw new Error("it runs");
  const phrasing = {
    model,
    phrases: getPhrasesFor("en"),
    format: createFormatter("en", "UTC", { yes: "Yes", no: "No" }),
    who: null,
  };
  const source = () => "size(note) > 3";
  expect(phraseCondition(condition, { ...phrasing, source })).toBe("“size(note) > 3” is true");
  const [met, unmet] = [false, true].map((not) => phraseCondition(condition, { ...phrasing, source: null }, not));
  expect([met, unmet]).toEqual([
    "a condition of the specification is met",
    "a condition of the specification is not met",
  ]);
});

test("an English reader of a German document reads its words untranslated", () => {
  const text = `# Werkstatt

## 1. Was sie ist
\`\`\`yaml
locale: de-DE
\`\`\`
## 3. Daten
\`\`\`yaml
Auftrag: { fields: { kunde: { type: User, set: user } } }
\`\`\`
## 4. Zustände
\`\`\`yaml
Auftrag: { states: [offen, fertig], transitions: { fertigstellen: { from: offen, to: fertig, by: meister } } }
\`\`\`
## 6. Rechte
\`\`\`yaml
roles: { meister: { members: granted }, Auftrag: { kunde: "kunde == user" } }
permissions: { Auftrag: { read: [kunde, meister] } }
\`\`\`
`;
  const { model, findings } = compile({ file: "desk.md", text });
  const entity = model?.entities.get("Auftrag");
  const [transition] = entity?.states?.transitions.values() ?? [];
  if (model === undefined || entity === undefined || transition === undefined)
    throw new Error(JSON.stringify(findings));
  const phraseIn = (language: string) => {
    const tongue = choosePhrases(model, language);
    return [permissionSentence(tongue, entity, "read"), transitionSentence(tongue, entity, transition)];
  };
  expect(phraseIn("en")).toEqual([
    "Only “Kunde” or “Meister” can see an Auftrag.",
    "“Fertigstellen” is only for “Meister”.",
  ]);
  expect(phraseIn("de")).toEqual([
    "Nur „Kunde“ oder „Meister“ kann Auftrags sehen.",
    "Fertigstellen kann nur „Meister“.",
  ]);
});

describe("a condition and its negation in words", () => {
  test.each([
    ["employee == user", "you are the employee", "you are not the employee"],
    ["user == employee", "you are the employee", "you are not the employee"],
    ["employee.manager == user", "you are the employee’s manager", "you are not the employee’s manager"],
    [
      "employee.manager == user.manager",
      "the employee’s manager is your manager",
      "the employee’s manager is not your manager",
    ],
    ["status == granted", "the status is “Let go”", "the status is not “Let go”"],
    ["kind != sick_leave", "the kind is not “Sick leave”", "the kind is “Sick leave”"],
    [
      "kind in [holiday, sick_leave]",
      "the kind is “Holiday” or “Sick leave”",
      "the kind is neither “Holiday” nor “Sick leave”",
    ],
    ["first_day > today", "the first day is after today", "the first day is today or earlier"],
    ["last_day >= first_day", "the last day is the first day or later", "the last day is before the first day"],
    ["days <= most_days", "the days is at most 30 (most days)", "the days is more than 30 (most days)"],
    ["note != null", "the note is set", "the note is not set"],
    ["urgent", "“Urgent” is yes", "“Urgent” is no"],
    ["decided_by == user", "“Decided by” is you", "“Decided by” is not you"],
    ["size(seen_by) == 0", "“Seen by” is empty", "“Seen by” is not empty"],
    ["size(seen_by) == 2", "the number of “Seen by” is 2", "the number of “Seen by” is not 2"],
    ["!urgent", "“Urgent” is no", "“Urgent” is yes"],
    ["size(note) > 3", "“size(note) > 3” is true", "“size(note) > 3” is false"],
    [
      "employee == user && status == draft",
      "you are the employee and the status is “Draft”",
      "you are not the employee or the status is not “Draft”",
    ],
    [
      "status == draft && (employee == user || employee.manager == user)",
      "the status is “Draft” and either you are the employee or you are the employee’s manager",
      "the status is not “Draft” or you are not the employee and you are not the employee’s manager",
    ],
  ])("%s", (rule, holds, fails) => {
    expect(phraseOf(rule, "en-GB", false)).toBe(holds);
    expect(phraseOf(rule, "en-GB", true)).toBe(fails);
  });

  test.each([
    ["employee == user", "Sie sind „Employee“", "Sie sind nicht „Employee“"],
    ["status == granted", "„Status“ ist „Let go“", "„Status“ ist nicht „Let go“"],
    ["first_day > today", "„First day“ liegt nach heute", "„First day“ liegt nicht nach heute"],
  ])("%s, in German", (rule, holds, fails) => {
    expect(phraseOf(rule, "de-DE", false)).toBe(holds);
    expect(phraseOf(rule, "de-DE", true)).toBe(fails);
  });

  test("every condition of the examples has words", () => {
    for (const name of ["leave-desk", "help-desk", "purchasing", "lending"]) {
      const text = readFileSync(new URL(`../../examples/${name}.md`, import.meta.url), "utf8");
      const { model } = compile({ file: name, text });
      if (model === undefined) throw new Error(name);
      for (const locale of ["en-GB", "de-DE"]) {
        const phrasing = {
          model,
          phrases: getPhrasesFor(locale),
          format: createFormatter(locale, model.timezone, { yes: "Yes", no: "No" }),
          who: null,
          source: ({ start, end }: { start: number; end: number }) => text.slice(start, end),
        };
        for (const entity of model.entities.values())
          for (const condition of [
            ...[...entity.roles.values()].map((role) => role.condition),
            ...entity.rules.map(({ rule }) => rule),
          ])
            for (const not of [false, true]) {
              const phrase = phraseCondition(condition, phrasing, not);
              expect(phrase).not.toMatch(/undefined|\[object|null|““|^\s*$/u);
            }
      }
    }
  });
});
