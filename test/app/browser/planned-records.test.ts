import { expect, test } from "vitest";
import { visitWith } from "../../web/browser.ts";
import { startProgram } from "../program.ts";

/** Ways on from a plan, with the keyboard alone: records that prevent a publication, and the answer to an open point. */

const desk = (max: number) => `# Desk

## 3. Entities and their fields
\`\`\`yaml
Box: { label: "{size}", fields: { size: { type: text, max: ${max}, examples: ["12", "15"] } } }
\`\`\`
`;

test("after the last page, the focus is on the first record that it added", { timeout: 240_000 }, async () => {
  const program = await startProgram({ text: desk(9) });
  const author = await program.signInAs("administrator");
  const sizes = Array.from({ length: 203 }, (_, i) => String(1_000 + i));
  for (const size of sizes) expect((await author.post("/api/boxes", { size })).status).toBe(201);
  const page = await visitWith(program.url, author.cookie(), { path: "/workbench/document?beside=plan" });
  await page.getByRole("textbox", { name: "Text of specification.md" }).press("Control+a");
  await page.keyboard.insertText(desk(3));
  await page.getByRole("link", { name: "Open the list of all 203 records" }).press("Enter");
  const records = page.getByRole("main").getByRole("listitem");
  await expect.poll(() => records.count()).toBe(200);
  await page.getByRole("button", { name: "Show more" }).press("Enter");
  await expect.poll(() => records.count()).toBe(203);
  await expect.poll(() => records.nth(200).evaluate((item) => item.contains(document.activeElement))).toBe(true);
  await program.stop();
});

test("a point that the draft leaves open is answered from the plan", { timeout: 240_000 }, async () => {
  const program = await startProgram({ text: desk(9) });
  const author = await program.signInAs("administrator");
  const page = await visitWith(program.url, author.cookie(), { path: "/workbench/document?beside=plan" });
  const editor = page.getByRole("textbox", { name: "Text of specification.md" });
  await editor.press("Control+a");
  await page.keyboard.insertText(`${desk(9)}\n## 5. Validation rules\n\nNot shown.\n`);
  const open = page.getByRole("region", { name: "Open points" });
  await open.getByText("Newly open: Not shown.").waitFor();
  await open.getByText("5. Validation rules").waitFor();
  await open.getByRole("button", { name: "Answer" }).press("Enter");
  await editor.getByText('rule: "size(size) > 2"').waitFor();
  await expect.poll(() => editor.evaluate((text) => text.contains(document.activeElement))).toBe(true);
  await program.stop();
});
