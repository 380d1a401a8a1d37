import { expect, test } from "vitest";
import { complaints, visitWith } from "../../web/browser.ts";
import { serveDemonstration } from "../program.ts";

const comments = (label: string) =>
  `  label: "${label} {text}"\n  fields: { case: Case, author: { type: User, set: user }, text: { type: long text, max: 500 } }`;

const cases = `# Cases
## 1. Purpose
\`\`\`yaml
name: Cases
\`\`\`
## 2. Screens
\`\`\`yaml
/: { title: Overview, tiles: [{ title: Open cases, list: Case, columns: [title] }] }
/cases: { list: Case, columns: [title] }
/cases/{id}: { record: Case, sections: [{ fields: [title] }, { list: answers }, { list: remarks }] }
\`\`\`
## 3. Entities and their fields
\`\`\`yaml
Case:
  label: "{title}"
  fields: { title: text, answers: { list: Answer.case }, remarks: { list: Remark.case } }
Answer:
${comments("Answer")}
Remark:
${comments("Remark")}
\`\`\`
## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: granted }
permissions:
  User: { read: clerk }
  Case: { read: clerk, create: clerk }
  Answer: { read: clerk, create: { role: clerk, fields: [case, text] } }
  Remark: { read: clerk, create: { role: clerk, fields: [case, text] } }
\`\`\`
`;

test("a row counts the comments of each kind", async () => {
  const program = await serveDemonstration({ text: cases });
  const clerk = await program.signInAs("clerk");
  const add = async (title: string, answers: number, remarks: number) => {
    const { id } = (await clerk.post("/api/cases", { title })).record();
    for (let nth = 0; nth < answers; nth++) await clerk.post("/api/answers", { case: id, text: "An answer." });
    for (let nth = 0; nth < remarks; nth++) await clerk.post("/api/remarks", { case: id, text: "A remark." });
  };
  await add("Both", 2, 1);
  await add("Second kind", 0, 3);
  await add("Neither", 0, 0);
  const page = await visitWith(program.url, clerk.cookie(), { path: "/cases" });
  const markOf = (title: string) => page.getByRole("row").filter({ hasText: title }).locator(".comment-mark");
  await expect.poll(() => markOf("Both").getAttribute("title")).toBe("2 answers and 1 remark");
  expect(await markOf("Both").getAttribute("data-count")).toBe("3");
  expect(await markOf("Second kind").getAttribute("title")).toBe("3 remarks");
  expect(await markOf("Neither").count()).toBe(0);
  expect(complaints(page)).toEqual([]);
});
