import { expect, test } from "vitest";
import type { Application } from "../../../src/core/wire/application.ts";
import type { DocumentJson } from "../../../src/core/wire/authoring/document.ts";
import { axeFindings } from "../../web/axe.ts";
import { atRest, complaints, sideways, visitWith } from "../../web/browser.ts";
import { startProgram } from "../program.ts";

/** Proposed versions on the pages of the workbench. */

const desk = (fields = "") => `# Desk

## 3. Entities and their fields
\`\`\`yaml
Note: { fields: { text: text${fields} } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { editor: granted, lead: granted }
permissions: { Note: { read: [editor, lead], create: [editor, lead] } }
changes: { propose: [editor, lead], approve: lead, another person: true }
\`\`\`
`;

test("an editor proposes, and a lead approves with the keyboard", { timeout: 120_000 }, async () => {
  const program = await startProgram({ text: desk() });
  const [ed, lea] = [await program.signInAs("editor"), await program.signInAs("lead")];
  const { hash, files } = (await ed.get("/_/document")).body as DocumentJson;
  const { name = "" } = ((await ed.get("/_/application")).body as Application).person ?? {};
  const propose = (fields: string, note: string) =>
    ed.post("/_/proposals", { base: hash, files: files.map(({ file }) => ({ file, text: desk(fields) })), note });
  expect((await propose(", due: date?", "Deadlines for notes")).status).toBe(201);
  expect((await propose(", size: integer?", "")).status).toBe(201);

  const page = await visitWith(program.url, lea.cookie(), { path: "/" });
  await page.getByRole("link", { name: "Workbench" }).click();
  await page.getByRole("heading", { name: "Proposals", level: 1 }).waitFor();
  // People who are no administrators see the pages of changes alone.
  expect(await page.getByRole("navigation", { name: "Workbench" }).getByRole("link").allInnerTexts()).toEqual([
    "Specification",
    "Versions",
    "Proposals",
  ]);
  await page.getByText("Deadlines for notes").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("link", { name: "Proposal 1", exact: true }).press("Enter");
  await page.getByText("3.Note.due: add column due").waitFor();
  await page.getByText(name).first().waitFor();
  // The plan comes before the decision.
  expect(await page.locator("h2").allInnerTexts()).toEqual([
    "What changes",
    "Stored data",
    "Recent changes by people, checked against this version",
    "Text",
    "History",
    "Decision",
  ]);
  await page.getByRole("button", { name: "Check recent changes" }).press("Enter");
  await page.locator(".replay").waitFor();
  await atRest(page);
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("textbox", { name: "Your comment" }).fill("Good");
  await page.getByRole("button", { name: "Approve and publish" }).press("Enter");
  await page.getByText("Published · Version 2").waitFor();
  await page.getByText("Approved text 1").waitFor();
  // The pressed button is gone; the keyboard continues at the page's heading.
  await page.locator("h1:focus", { hasText: "Proposal 1" }).waitFor();

  // The other proposal was made from version 1. It changes the same clause as version 2.
  await page.goto(`${program.url}/workbench/proposals/2`);
  await page.getByRole("heading", { name: "Clauses that both changed" }).waitFor();
  await page.getByRole("heading", { name: "3.Note.size, 3.Note.due" }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 844 });
  await atRest(page);
  expect(await sideways(page)).toBe(0);

  // On a phone, the way to the workbench is in the person's menu.
  await page.goto(program.url);
  await page.getByRole("button", { name: /^Signed in/u }).click();
  await page.getByRole("menuitem", { name: "Workbench" }).click();
  await page.getByRole("link", { name: "Proposal 2", exact: true }).click();
  await page.getByRole("heading", { name: "Clauses that both changed" }).waitFor();

  // Its text becomes the draft, is brought up to date, and replaces the text of the proposal.
  await page.setViewportSize({ width: 1280, height: 800 });
  // Until the page is at rest, it can take the focus that the key needs.
  await atRest(page);
  await page.getByRole("link", { name: "Edit", exact: true }).press("Enter");
  await page.getByText("The draft is now the text of proposal 2.").first().waitFor();
  await page.getByRole("button", { name: "Update draft" }).press("Enter");
  await page.getByRole("button", { name: "Propose…" }).press("Enter");
  await page.getByRole("button", { name: "Replace the text of proposal 2" }).press("Enter");
  await page.getByRole("heading", { name: "Proposal 2", level: 1 }).waitFor();
  await page.getByText("Changed the text (text 2)").waitFor();
  expect((await lea.get("/_/proposals/2")).body).toMatchObject({ state: "open", revision: 2, base: 2, approvers: [] });
  expect(complaints(page)).toEqual([]);
  await program.stop();
});
