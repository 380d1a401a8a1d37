import { expect, test } from "vitest";
import { complaints, visitWith } from "../../web/browser.ts";
import { serveDemonstration } from "../program.ts";

const cases = `# Cases
## 1. Purpose
\`\`\`yaml
name: Cases
\`\`\`
## 2. Screens
\`\`\`yaml
/cases: { list: Case, columns: [title, status] }
/cases/{id}: { record: Case, sections: [{ fields: [title, room, solution, reason, status] }] }
\`\`\`
## 3. Entities and their fields
\`\`\`yaml
Case:
  label: "{title}"
  fields: { title: text, room: text?, solution: text?, reason: text? }
\`\`\`
## 4. States and transitions
\`\`\`yaml
Case:
  field: status
  states: [open, refused]
  final: refused
  transitions: { refuse: { from: open, to: refused, by: clerk, asks: [reason, solution?] } }
\`\`\`
## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: granted, reader: granted }
permissions:
  Case:
    read: [clerk, reader]
    create: { role: clerk, fields: [title] }
    update: { role: clerk, fields: [title, room, solution] }
\`\`\`
`;

test("a reader sees what is missing from a record, but not what only a transition asks for", async () => {
  const program = await serveDemonstration({ text: cases });
  const [clerk, reader] = [await program.signInAs("clerk"), await program.signInAs("reader")];
  const { id } = (await clerk.post("/api/cases", { title: "Leak" })).record();
  for (const person of [clerk, reader]) {
    const page = await visitWith(program.url, person.cookie(), { path: `/cases/${id}` });
    const labels = page.locator("main dl").first().locator("dt");
    await expect
      .poll(async () => (await labels.allInnerTexts()).filter((label) => label !== "Title"))
      .toEqual(["Room", "Solution", "Status"]);
    expect(complaints(page)).toEqual([]);
  }
});
