import { expect, test } from "vitest";
import { axeFindings } from "../../web/axe.ts";
import { atRest, sideways, visitWith } from "../../web/browser.ts";
import { startProgram } from "../program.ts";

/** Clauses that the dialog before a publication writes, and the note in it. */

const text = `{ type: text, examples: ["12", "15"] }`;

const desk = (kinds: string, size: string) => `# Desk

## 3. Entities and their fields
\`\`\`yaml
Box: { fields: { kind: { type: choice, values: [${kinds}] }, size: ${size} } }
\`\`\`
`;

test("a clause is written without leaving the dialog, and the note stays with the draft", {
  timeout: 240_000,
}, async () => {
  const program = await startProgram({ text: desk("low, high", text) });
  const author = await program.signInAs("administrator");
  for (const kind of ["low", "high"]) expect((await author.post("/api/boxes", { kind, size: "12" })).status).toBe(201);
  const page = await visitWith(program.url, author.cookie(), { path: "/workbench/document" });
  const editor = page.getByRole("textbox", { name: "Text of specification.md" });
  const dialog = page.getByRole("dialog");
  const note = dialog.getByRole("textbox", { name: "Note (optional)" });
  const write = async (whole: string) => {
    await editor.press("Control+a");
    await page.keyboard.insertText(whole);
    await page.getByRole("button", { name: "Publish…" }).click();
  };

  await write(desk("low, high, highest", text));
  await note.fill("Fewer kinds of boxes");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.reload();

  // Two clauses are missing. Each button writes one, and the dialog goes on.
  await write(desk("low", "integer"));
  await dialog.getByRole("button", { name: "low", exact: true }).press("Enter");
  await page.locator(":focus", { hasText: "{ low: { was: high } }" }).waitFor();
  await dialog.getByRole("button", { name: "Convert the former text of “size”" }).press("Enter");
  await page.locator(":focus", { hasText: "fill: integer(was.size)" }).waitFor();
  await dialog.getByRole("button", { name: "Publish", exact: true }).waitFor();
  expect(await note.inputValue()).toBe("Fewer kinds of boxes");
  await atRest(page);
  expect(await axeFindings(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await atRest(page);
  expect(await sideways(page)).toBe(0);
  await page.setViewportSize({ width: 1440, height: 900 });

  // A value that only the author knows is selected in the text, and a sentence says how to go on.
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await write(desk("low, high", `${text}, weight: decimal`));
  await dialog.getByRole("button", { name: "Give “weight” a value (fill)" }).press("Enter");
  await page.getByText("Replace the selected value, then publish the draft. Your note is kept.").first().waitFor();
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Publish…" }).click();
  await dialog.getByRole("button", { name: "Publish", exact: true }).click();
  await dialog.waitFor({ state: "hidden" });
  const { items } = (await author.get("/_/versions")).body as { items: readonly { note: string }[] };
  expect(items[0]?.note).toBe("Fewer kinds of boxes");

  // A bound that all records exceed, also those of the samples, is written with the value that they get: at first, the bound.
  await write(desk("low, high", `${text}, weight: { type: decimal, max: -1 }`));
  const boxes = (await author.get("/api/boxes")).list().items.length;
  await dialog
    .getByText(`3.Box.weight can’t be limited to at most -1: ${boxes} records have a higher value.`)
    .waitFor();
  await dialog.getByRole("button", { name: "Give “weight” a value (fill)" }).press("Enter");
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Publish…" }).press("Enter");
  await dialog.getByText(`3.Box.weight: replace the value of ${boxes} records with that of “fill”`).waitFor();
  await dialog.getByRole("button", { name: "Publish", exact: true }).press("Enter");
  await dialog.waitFor({ state: "hidden" });
  expect((await author.get("/api/boxes")).list().items.every(({ weight }) => weight === "-1")).toBe(true);
  await program.stop();
});
