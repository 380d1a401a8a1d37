import { expect, test } from "vitest";
import { serveText } from "./program.ts";

const findings = `
# Found things

## 3. Entities and their fields
\`\`\`yaml
Find:
  label: "{title}"
  fields:
    title:   text
    picture: image
    papers:  { type: file, many: true }
    urgency: { type: choice, values: [low, normal, high], default: normal }
    worn:    { type: choice, values: [new, used, broken], many: true }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  member: { members: signed in }
  keeper: { members: granted }
permissions:
  Find:
    read:   [member, keeper]
    create: { role: member, fields: [title, picture, papers, worn] }
    update: { role: keeper, fields: [urgency] }
\`\`\`
`;

test("samples have pictures, files and several values, and others say what their maker may not", async () => {
  const served = await serveText(findings, { sample: true });
  const finds = await served.opened.service.database.query({
    text: `select f.type, t.urgency, cardinality(t.worn) as worn, cardinality(t.papers) as papers
           from app.find t join ninefold.file f on f.id = (t.picture ->> 'id')::uuid`,
    values: [],
  });
  expect(finds.length).toBeGreaterThan(5);
  expect(new Set(finds.map(({ type }) => type))).toEqual(new Set(["image/png"]));
  expect(finds.some(({ papers }) => Number(papers) > 0)).toBe(true);
  expect(finds.some(({ worn }) => Number(worn) > 0)).toBe(true);
  expect(new Set(finds.map(({ urgency }) => urgency)).size).toBeGreaterThan(1);
});
