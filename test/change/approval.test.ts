import { describe, expect, test } from "vitest";
import { compareBehaviour } from "../../src/core/change/compare-behaviour.ts";
import { compile } from "../../src/core/compile.ts";

/** Clauses of point 6 about the people who propose and approve changes of the document. */

const desk = (changes: string, roles = "editor: granted, lead: granted") => `# Desk

## 3. Entities and their fields
\`\`\`yaml
Note: { fields: { text: text } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { ${roles} }
permissions: { Note: { read: [editor, lead], create: [editor, lead] } }
${changes}
\`\`\`
`;

const modelOf = (changes: string, roles?: string) => {
  const { model, findings } = compile({ file: "desk.md", text: desk(changes, roles) });
  if (model === undefined) throw new Error(JSON.stringify(findings));
  return model;
};

const findingsOf = (changes: string, roles?: string) =>
  compile({ file: "desk.md", text: desk(changes, roles) }).findings.flatMap(({ severity, code, message }) =>
    severity === "error" ? [[code, message]] : [],
  );

const clauses = "changes: { propose: [editor, lead], approve: lead, approvals: 2, another person: true }";

describe("changes of the document", () => {
  test("are published by administrators alone where the document is silent", () => {
    const { approval, defaults } = modelOf("");
    expect(approval).toEqual({
      clause: null,
      propose: ["administrator"],
      approve: ["administrator"],
      approvals: 1,
      byAnother: false,
    });
    expect(defaults).toContain("CHANGES_BY_ADMINISTRATORS");
    expect(modelOf("changes: {}").approval).toMatchObject({ clause: { id: "6.changes" }, propose: ["administrator"] });
  });

  test("are proposed and approved by the roles that it names", () => {
    expect(modelOf(clauses).approval).toMatchObject({
      clause: { id: "6.changes" },
      propose: ["editor", "lead"],
      approve: ["lead"],
      approvals: 2,
      byAnother: true,
    });
  });

  test.each([
    ["changes: { propose: edtor }", "UNKNOWN_NAME"],
    ["changes: { propose: none }", "UNKNOWN_NAME"],
    ["changes: { approve: [visitor] }", "BAD_VALUE"],
    ["changes: { approvals: 0 }", "BAD_VALUE"],
    ["changes: { approvals: 10 }", "BAD_VALUE"],
    ["changes: { approvals: two }", "WRONG_SHAPE"],
    ["changes: { another person: maybe }", "BAD_VALUE"],
    ["changes: [editor]", "WRONG_SHAPE"],
    ["changes: { approver: lead }", "UNKNOWN_KEY"],
  ])("refuse %s with %s", (changes, code) => {
    expect(findingsOf(changes, "editor: granted, lead: granted, visitor: anyone").map(([value]) => value)).toEqual([
      code,
    ]);
  });

  test("have a line for each person who gains or loses the right to propose or approve", () => {
    const lines = (before: string, after: string) =>
      compareBehaviour(modelOf(before), modelOf(after)).map(({ effect, loses, text, subject, point }) => {
        expect([point, subject]).toEqual([6, "changes"]);
        return [effect, loses, text];
      });
    expect(lines(clauses, clauses)).toEqual([]);
    expect(lines("", "changes: { another person: false }")).toEqual([]);
    expect(lines("", clauses)).toEqual([
      ["allows", null, "The role “Editor” can now propose changes to the specification."],
      ["allows", null, "The role “Lead” can now propose changes to the specification."],
      ["forbids", "access", "The role “Administrator” can no longer propose changes to the specification."],
      ["allows", null, "The role “Lead” can now approve changes to the specification."],
      ["forbids", "access", "The role “Administrator” can no longer approve changes to the specification."],
      ["forbids", null, "A change to the specification now needs 2 approvals instead of 1 approval."],
      ["forbids", "access", "People can no longer approve their own changes to the specification."],
    ]);
    expect(lines(clauses, "").map(([effect]) => effect)).toEqual([
      "allows",
      "forbids",
      "forbids",
      "allows",
      "forbids",
      "allows",
      "allows",
    ]);
  });

  test("follow a renamed role", () => {
    const after = compile({
      file: "desk.md",
      text: desk(
        clauses.replaceAll("lead", "chief"),
        "editor: granted, chief: { members: granted, was: lead }",
      ).replaceAll(", lead]", ", chief]"),
    }).model;
    expect(after && compareBehaviour(modelOf(clauses), after).filter(({ subject }) => subject === "changes")).toEqual(
      [],
    );
  });
});
