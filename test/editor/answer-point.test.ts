import { describe, expect, test } from "vitest";
import { compile, createCompiler } from "../../src/core/compile.ts";
import { renderPage } from "../../src/core/document/rendered-page.ts";
import { answerPoint } from "../../src/core/editor/answer-point.ts";
import type { Source } from "../../src/core/source-text.ts";

const FILE = "desk.md";

const block = (yaml: string): string => `\`\`\`yaml\n${yaml}\n\`\`\``;

/** A document whose points are not shown, except for those given. */
const write = (points: Readonly<Record<number, string>>): string =>
  `# Desk\n\n${Array.from({ length: 9 }, (_, at) => `## ${at + 1}. Point\n\n${points[at + 1] ?? "Not shown."}\n`).join("\n")}`;

const answer = (text: string, point: number) => {
  const source: Source = { file: FILE, text };
  return answerPoint([source], source, renderPage(source), point, createCompiler());
};

const errorsOf = (text: string): readonly string[] =>
  compile({ file: FILE, text }).findings.flatMap(({ severity, message }) => (severity === "error" ? [message] : []));

const member = block("Member:\n  fields:\n    name: text\n    since: date");
const both = block(
  "Member:\n  fields:\n    size: integer\n    status: { type: choice, values: [new, old] }\nPiece:\n  fields:\n    owner: Member\n    made: date?\n    serial_number: { type: text?, max: 9 }",
);
const states = block(
  "Member:\n  states: [new, gone]\n  final: gone\n  transitions:\n    go: { from: new, to: gone, by: clerk }",
);
const roles = block("roles: { clerk: granted, all: signed in }\npermissions: { Member: { read: all } }");

const documents: Readonly<Record<string, string>> = {
  "no entity": write({}),
  "one entity": write({ 3: member }),
  "one entity with roles and states": write({ 3: member, 4: `${states}\n\nNot shown.`, 6: `${roles}\n\nNot shown.` }),
  "several entities": write({ 3: both }),
  "several entities with roles": write({ 3: both, 6: `${roles}\n\nNot shown.` }),
};

describe("an answer to an open point", () => {
  test("is about people only if the document has nothing else", () => {
    const people = "User:\n  fields: { nickname: text }";
    const rule = (yaml: string): string => {
      const answered = answer(write({ 3: block(yaml) }), 5);
      return typeof answered === "string" ? answered : (answered.sources[0]?.text ?? "");
    };
    expect(rule(`${people}\nMember:\n  fields: { name: text }`)).toContain("Member:\n  - { rule:");
    expect(rule(people)).toContain("User:\n  - { rule:");
  });

  for (const [name, text] of Object.entries(documents))
    test(`has no error in a document with ${name}`, () => {
      expect(errorsOf(text)).toEqual([]);
      let whole = text;
      const unanswered: number[] = [];
      for (let point = 1; point <= 9; point++) {
        for (const before of [text, whole]) {
          const answered = answer(before, point);
          if (typeof answered === "string") {
            if (before === text) unanswered.push(point);
            continue;
          }
          const [source] = answered.sources;
          expect(errorsOf(source?.text ?? "")).toEqual([]);
          if (before === text && name !== "no entity" && point !== 3)
            expect(source?.text.slice(answered.from, answered.to)).not.toMatch(/Thing/u);
          if (before === whole) whole = source?.text ?? "";
        }
      }
      expect(unanswered).toEqual(
        name === "no entity" ? [2, 4, 5] : name === "one entity with roles and states" ? [4, 6] : [],
      );
    });

  const textOf = (given: string, point: number): string => {
    const answered = answer(given, point);
    return typeof answered === "string"
      ? answered
      : (answered.sources[0]?.text.slice(answered.from, answered.to) ?? "");
  };

  test("uses the entities and roles of the document", () => {
    const desk = documents["several entities with roles"] ?? "";
    expect(textOf(desk, 2)).toBe("/members:\n  list: Member\n  columns: [size, status]");
    expect(textOf(desk, 4)).toBe(
      "Member:\n  field: status_2\n  initial: open\n  final: [done]\n  states: [open, done]\n  transitions:\n    finish: { from: open, to: done, by: clerk }",
    );
    expect(textOf(desk, 5)).toBe(
      'Piece:\n  - { rule: "made >= today", when: "made != null", during: create, else: MADE_IN_THE_PAST }',
    );
    expect(textOf(desk, 6)).toMatch(/^permissions:\n {2}Piece:\n {4}read: \[all\]\n {4}create: \[clerk\]/u);
    // The first entity that has no states yet.
    expect(textOf(write({ 3: both, 4: states, 6: roles }), 4)).toMatch(/^Piece:/u);
  });

  test("writes the error of a rule into point 8", () => {
    const answered = answer(documents["one entity"] ?? "", 5);
    const whole = typeof answered === "string" ? answered : (answered.sources[0]?.text ?? "");
    expect(whole).toContain(
      '## 8. Point\n\n```yaml\nNAME_TOO_SHORT: { status: 422, message: "“{name}” is too short." }\n```\n\n## 9.',
    );
  });

  test("says why there is none", () => {
    expect(answer(write({}), 4)).toBe("no entity");
    expect(answer(write({ 3: "```yaml\nMember: { fields: { name: txet } }\n```" }), 4)).toBe("errors");
    expect(answer(write({ 3: member, 6: roles }), 6)).toBe("nothing to add");
  });

  const open = "# Desk\n\n## 3. Entities\n\nNot shown. No entities are shown.\n\n## 9. Limits\n\nNot shown.\n";

  test("replaces the sentences in its own point", () => {
    const answered = answer(open, 3);
    expect(answered).toMatchObject({
      sources: [
        {
          text: expect.stringMatching(
            /## 3\. Entities\n\n```yaml\nThing:\n[\s\S]*```\n\n## 9\. Limits\n\nNot shown\.\n$/u,
          ),
        },
      ],
    });
    expect(textOf(open, 3)).toMatch(/^Thing:/u);
  });

  test("works in the last point too, at the end of the file", () => {
    expect(answer(open, 9)).toMatchObject({
      sources: [{ text: expect.stringMatching(/## 9\. Limits\n\n```yaml\npage_size: 50\n```\n$/u) }],
    });
  });
});
