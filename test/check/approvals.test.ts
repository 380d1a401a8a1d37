import { expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";

/** The findings about a field in `until`. */
const findingsWith = (field: string): readonly string[] =>
  compile([
    {
      file: "orders.md",
      text: `# Orders

## 3. Entities
\`\`\`yaml
Order: { fields: { what: text, proof: ${field} } }
\`\`\`

## 4. States
\`\`\`yaml
Order:
  field: status
  initial: open
  final: approved
  states: [open, approved]
  transitions:
    approve: { from: open, to: approved, by: staff, needs: 2, recorded in: approved_by, until: [what, proof] }
\`\`\`

## 6. Roles
\`\`\`yaml
roles: { staff: signed in }
permissions:
  User: { read: { role: staff, fields: [name] } }
  Order: { read: staff, create: staff, update: staff }
\`\`\`
`,
    },
  ]).findings.map(({ code, message, span, hint }) => `${code} at ${span.end - span.start}: ${message} ${hint}`);

test("`until` with a field whose values cannot be compared says so, at that field", () => {
  expect(findingsWith("text?")).toEqual([]);
  const hint = "Remove “proof” from “until”, or write no “until”: every change then makes them void.";
  expect(findingsWith("{ type: file, many: true }")).toEqual([
    `BAD_VALUE at 5: Approvals can’t become void by a change of “proof”, because its values can’t be compared. ${hint}`,
  ]);
  expect(findingsWith("file?")).toEqual([
    `BAD_VALUE at 5: Approvals can’t become void by a change of “proof”, because values of its type can’t be compared. ${hint}`,
  ]);
});
