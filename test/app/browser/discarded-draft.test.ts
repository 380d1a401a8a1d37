import { expect, test } from "vitest";
import type { PreviewsJson } from "../../../src/core/wire/authoring/previews.ts";
import { axeFindings } from "../../web/axe.ts";
import { visitWith } from "../../web/browser.ts";
import { startProgram } from "../program.ts";

const notes = `# Notes

## 3. Entities and their fields
\`\`\`yaml
Note: { fields: { text: text } }
\`\`\`
`;

test("a discarded draft asks first if somebody changed something in its preview", { timeout: 240_000 }, async () => {
  const program = await startProgram({ text: notes });
  const author = await program.signInAs("administrator");
  const page = await visitWith(program.url, author.cookie(), { path: "/workbench/document" });
  await page.getByRole("textbox", { name: /^Text of/u }).focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("\nMore words.\n");
  await page.getByRole("button", { name: "Publish…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Try on a copy" }).click();

  const getAddress = async () => ((await author.get("/_/previews")).body as PreviewsJson).items[0]?.address ?? null;
  await expect.poll(getAddress, { timeout: 90_000 }).toMatch(/^http/u);
  const [preview] = ((await author.get("/_/previews")).body as PreviewsJson).items;
  const { link } = (await author.post(`/_/previews/${preview?.id}/link`, {})).body as { readonly link: string };
  const copy = await page.context().newPage();
  await copy.goto(link);
  await copy.getByRole("heading", { name: "Notes" }).waitFor();
  const made = await copy.evaluate(async () => {
    const headers = { "content-type": "application/json" };
    return (await fetch("/api/notes", { method: "POST", headers, body: JSON.stringify({ text: "Tried" }) })).status;
  });
  expect(made).toBe(201);
  await copy.close();

  await page.keyboard.press("Escape");
  const discard = page.getByRole("button", { name: "Discard draft" });
  await discard.click();
  const question = page.getByRole("dialog", { name: "Discard the draft and end its previews?" });
  await question.getByText("1 change was made in this copy, and will be lost.").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await question.getByRole("button", { name: "Keep draft" }).click();
  await question.waitFor({ state: "detached" });
  expect(await getAddress()).not.toBeNull();

  await discard.click();
  await question.getByRole("button", { name: "Discard and end" }).click();
  await page.getByText("Draft discarded. Its previews have ended.").waitFor();
  await expect.poll(getAddress).toBeNull();
});
