import { describe, expect, test } from "vitest";
import { compareBehaviour } from "../../src/core/change/compare-behaviour.ts";
import { compile } from "../../src/core/compile.ts";
import { createEditor } from "../../src/core/editor/editor.ts";
import { format } from "../../src/core/format.ts";
import { messageText } from "../../src/core/i18n/languages.ts";

const FILE = "loans.md";
const OWN = 'notify: borrower, text: "{thing} is due."';

const loans = (reminder: string, more = "") => `# Loans

## 3. Entities

\`\`\`yaml
Thing: { fields: { sold: date? } }
Loan:
  label: "{thing}"
  fields:
    thing: { type: text, max: 80 }
    borrower: { type: User, set: user }
    keepers: { type: User, many: true }
    due: date?
    back_at: datetime?
    hours: duration?
    secret: not shown
    of: Thing?
    early: { type: date?, computed: due - 1 week }
    days: { type: date, many: true }
\`\`\`

## 4. States

\`\`\`yaml
Loan:
  states: [lent, back]
  final: back
  transitions: { take_back: { from: lent, to: back, by: staff } }
  remind:
    ${reminder}
${more}\`\`\`

## 6. Roles

\`\`\`yaml
roles: { staff: { members: signed in }, keeper: granted }
permissions:
  User: { read: { role: staff, fields: [name] } }
  Thing: { read: staff, create: staff, update: staff, delete: staff }
  Loan: { read: [staff, keeper], create: staff, update: staff, delete: staff }
\`\`\`

## 9. Limits

\`\`\`yaml
notice: 2 days
\`\`\`
`;

const compiled = (reminder: string) => compile({ file: FILE, text: loans(`due_soon: ${reminder}`) });
const mistakes = (reminder: string) =>
  compiled(reminder).findings.flatMap(({ severity, code, message }) =>
    severity === "error" || severity === "not executed" ? [`${code}: ${message}`] : [],
  );
const modelOf = (text: string) => {
  const { model, findings } = compile({ file: FILE, text });
  if (model === undefined) throw new Error(JSON.stringify(findings));
  return model;
};

test.each([
  ["a date", "due"],
  ["days before it", "due - 1 day"],
  ["a constant", "due - notice"],
  ["several durations", "due + 1 month - notice"],
  ["a datetime", "back_at - 2 hours"],
  ["a value that the record stores with the date", "early + 1 day"],
])("a reminder can be on %s", (_, on) => {
  const { model } = compiled(`{ on: "${on}", when: "state == lent", ${OWN} }`);
  const loan = model?.entities.get("Loan");
  expect(mistakes(`{ on: "${on}", ${OWN} }`)).toEqual([]);
  expect([...(loan?.reminders.values() ?? [])].map(({ clause, action }) => [clause.id, action])).toEqual([
    ["4.Loan.remind.due_soon", "remind.due_soon"],
  ]);
  expect(loan?.after.get("remind.due_soon")?.map(({ clause, kind }) => [clause.id, kind])).toEqual([
    ["4.Loan.remind.due_soon", "notify"],
  ]);
});

const noTime = "BAD_VALUE: A reminder needs a date or datetime field of Loan itself, with or without a fixed duration.";

test.each([
  ["due - hours", [noTime]],
  ["of.sold - 1 day", [noTime]],
  ["today", [noTime]],
  ["days", ["TYPES_DIFFER: A reminder needs a date or a datetime."]],
  ["thing", ["TYPES_DIFFER: A reminder needs a date or a datetime."]],
  ["due - 1", ["TYPES_DIFFER: A whole number can’t be subtracted from a date."]],
  ["nope", ["UNKNOWN_NAME: “nope” is not a known name here."]],
])("a reminder on %s is reported", (on, expected) => {
  expect(mistakes(`{ on: "${on}", ${OWN} }`)).toEqual(expected);
});

test.each([
  [`{ ${OWN} }`, ["MISSING_KEY: A reminder needs “on”."]],
  ['{ on: due, text: "x" }', ["MISSING_KEY: A reminder needs “notify” or “call”."]],
  ["{ on: due, notify: borrower }", ["MISSING_KEY: A notification needs “text”."]],
  [
    '{ on: due, notify: borrower, call: room, text: "x" }',
    ["BAD_VALUE: A reminder does one thing, but this one has notify and call."],
  ],
  ['{ on: due, notify: thing, text: "x" }', ["TYPES_DIFFER: Only people can be notified."]],
  ['{ on: due, notify: "[nope]", text: "x" }', ["UNKNOWN_NAME: “nope” is not a known name here."]],
  [`{ on: due, when: thing, ${OWN} }`, ["TYPES_DIFFER: This is a text, but a condition is required here."]],
  [`{ on: due, when: borrower == user, ${OWN} }`, ["UNKNOWN_NAME: There is no “user” here."]],
  [`{ on: due, when: old.due != due, ${OWN} }`, ["UNKNOWN_NAME: “old” is not a known name here."]],
  [
    `{ on: due, when: secret == 1, ${OWN} }`,
    ["NOT_EXECUTED: This reads a field whose type is “not shown”: the clause has no effect."],
  ],
  [`{ at: due, ${OWN} }`, ["UNKNOWN_KEY: “at” is not a key of a reminder."]],
])("%s is reported", (reminder, expected) => {
  expect(mistakes(reminder)).toEqual(expected);
});

test("an entity without states can have reminders", () => {
  const text = loans(`due_soon: { on: due, ${OWN} }`).replace(
    / {2}states: .*\n {2}final: .*\n {2}transitions: .*\n/u,
    "",
  );
  expect(modelOf(text).entities.get("Loan")?.reminders.size).toBe(1);
});

describe("an editor", () => {
  const editorAt = (marked: string) => {
    const offset = loans(marked).indexOf("‸");
    const editor = createEditor();
    editor.open([{ file: FILE, text: loans(marked.replace("‸", "")) }]);
    return { editor, place: { file: FILE, offset } };
  };
  const offers = (marked: string) => {
    const { editor, place } = editorAt(marked);
    return editor.complete(place).items.map(({ label }) => label);
  };

  test("completes keys and names", () => {
    expect(offers("due_soon: { on: due, ‸ }")).toEqual(expect.arrayContaining(["when", "notify", "text", "call"]));
    expect(offers('due_soon: { on: "du‸", notify: borrower }')).toContain("due");
    expect(offers('due_soon: { on: due, when: "state == le‸" }')).toContain("lent");
    expect(offers('due_soon: { on: due, notify: borrower, text: "{th‸}" }')).toContain("thing");
    expect(offers("due_soon: { on: due, notify: bor‸ }")).toContain("borrower");
  });

  test("renames the names in it", () => {
    const rename = (name: string, to: string) => {
      const editor = createEditor();
      const text = loans(
        `due_soon: { on: due - notice, when: state == lent, notify: "[borrower] + User.filter(u, 'keeper' in u.roles)", text: "{thing}" }`,
      );
      editor.open([{ file: FILE, text }]);
      const result = editor.rename({ file: FILE, offset: text.indexOf(name) + 1 }, to);
      if ("refusal" in result) throw new Error(result.refusal);
      return result.sources[0]?.text.split("\n").find((line) => line.includes("due_soon")) ?? "";
    };
    expect(rename("due:", "until")).toContain("on: until - notice");
    expect(rename("thing:", "name")).toContain('text: "{name}"');
    expect(rename("borrower:", "who")).toContain("[who] +");
    expect(rename("lent,", "out")).toContain("state == out");
    expect(rename("notice: 2", "ahead")).toContain("due - ahead");
    expect(rename("keeper: granted", "warden")).toContain("'warden' in");
  });

  test("formats it", () => {
    const text = loans(`due_soon: {on: due - 1 day, notify: borrower, text: "{thing}"}`);
    expect(format([{ file: FILE, text }]).sources[0]?.text).toContain(
      '\n    due_soon: { on: "due - 1 day", notify: borrower, text: "{thing}" }\n',
    );
  });
});

describe("a plan", () => {
  const first = `due_soon: { on: "due - 1 day", when: "state == lent", ${OWN} }`;
  const before = modelOf(loans(first));
  const lines = (one: string, other: string, language?: "de" | "fr") =>
    compareBehaviour(modelOf(loans(one)), modelOf(loans(other))).map(({ message }) => messageText(message, language));

  test("says what reminders do, and when no longer", () => {
    const late = `late: { on: "due + 1 day", ${OWN} }`;
    expect(lines(first, `${first}\n    ${late}`)).toEqual([
      "At the reminder “Late” of loans, the application now notifies the borrower.",
    ]);
    expect(lines(`${first}\n    ${late}`, first)).toEqual([
      "At the reminder “Late” of loans, the application no longer notifies the borrower.",
    ]);
    expect(lines(first, first.replace("1 day", "2 days"))).toEqual([
      "At the reminder “Due soon” of loans, the application now notifies the borrower differently: at a different time.",
    ]);
    expect(lines(first, first.replace("state == lent", "state != back").replace("is due", "was due"))).toEqual([
      "At the reminder “Due soon” of loans, the application now notifies the borrower differently: under a different condition, with a different text.",
    ]);
    expect(lines(first, first.replace("1 day", "2 days"), "de")).toEqual([
      "Bei der Erinnerung „Due soon“ („loans“) ist anders: Benachrichtigung an „Borrower“ (zu einem anderen Zeitpunkt).",
    ]);
  });

  test("has no line for names that were renamed", () => {
    const renamed = loans(first)
      .replace("    due: date?", "    until: { type: date?, was: due }")
      .replaceAll("due - ", "until - ");
    const texts = compareBehaviour(before, modelOf(renamed)).map(({ text }) => text);
    expect(texts.filter((text) => text.includes("reminder"))).toEqual([]);
  });
});
