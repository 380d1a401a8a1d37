import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { createGate } from "../../wait.ts";
import { axeFindings } from "../../web/axe.ts";
import { administrator, atRest, complaints, visitAs, writeBelow, writesOf } from "../../web/browser.ts";
import { example, type Program, startProgram } from "../program.ts";

/** From an empty document to an application with two roles, in the browser. */
let program: Program;
let page: Page;

beforeAll(async () => {
  program = await startProgram({ text: await readFile(example("founding"), "utf8") });
});

const answer = async (point: number): Promise<void> => {
  await page.getByRole("button", { name: `Answer point ${point}` }).click();
};

const apply = async (version: number): Promise<void> => {
  await page.getByRole("button", { name: "Publish…" }).click();
  const dialog = page.getByRole("dialog", { name: "Publish this draft?" });
  const written = writesOf(page);
  await dialog.getByRole("button", { name: "Publish", exact: true }).dblclick();
  await page.getByRole("status").getByText(`Version ${version} is live`).first().waitFor();
  // The plan of a change is requested after each edit, and its replay once; both write nothing.
  expect(written.filter((one) => !/\/(?:plan|replay)$/u.test(one))).toEqual(["POST /_/document"]);
  expect(written.filter((one) => one.endsWith("/replay")).length).toBeLessThanOrEqual(1);
};

test("an application begins with a file, or with steps that write a block each, and both are drafts", {
  timeout: 120_000,
}, async () => {
  page = await visitAs(program.url, administrator, { path: "/workbench/start" });
  const things = {
    name: "things.csv",
    mimeType: "text/csv",
    buffer: Buffer.from("Number,Room\nA-1,Hall\nA-2,Hall\n"),
  };
  await page.locator("input[type=file]").setInputFiles(things);
  await page.getByText("from things.csv: 2 rows, 2 columns").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("button", { name: "Use this draft" }).click();
  const text = page.getByRole("textbox", { name: "Text of specification.md" });
  await text.getByText("Drafted from things.csv").waitFor();
  await page.getByText("2 rows of things.csv can be imported").waitFor();
  await page.getByRole("button", { name: "Don’t import the rows" }).click();
  // The draft has an entity and a list. The other steps count down to none.
  const left = (count: number) => page.getByRole("button", { name: `First steps ${count} left` });
  await left(3).click();
  await page.getByRole("textbox", { name: "What it does, in one sentence" }).fill("Who has which thing");
  await page.keyboard.press("Enter");
  await text.getByText("Who has which thing.").waitFor();
  await left(2).waitFor();
  await page.getByRole("button", { name: "Write this block" }).click();
  await text.getByText("roles:").first().waitFor();
  await left(1).waitFor();
  await page.getByRole("button", { name: "Write this block" }).click();
  await text.getByText("transitions:").waitFor();
  await page.getByRole("button", { name: "First steps", exact: true }).waitFor();
  await page.getByRole("button", { name: "Discard draft" }).click();
  await text.getByText("Drafted from things.csv").waitFor({ state: "detached" });
});

test("an open point is answered where it is listed, and the answer comes into force", {
  timeout: 180_000,
}, async () => {
  page = await visitAs(program.url, administrator, { path: "/workbench" });
  // The list links to the text and offers an initial draft.
  {
    await page.getByRole("region", { name: "Open points" }).waitFor();
    const third = page.getByRole("region", { name: "3. Entities and fields" });
    await third.getByRole("link", { name: "Answer" }).first().click();
    await page.getByRole("textbox", { name: "Text of specification.md" }).getByText("Thing:").first().waitFor();
    await page.getByText(/your draft: \d+ lines/u).waitFor();
  }

  // It is applied and in force without a restart.
  {
    await apply(2);
    await answer(6);
    await page.getByText("Thing.create").first().waitFor();
    await apply(3);
    const author = await program.signInAs("administrator");
    // A demonstration gets samples for the new entity, and a person for the new role.
    expect((await author.get("/api/things")).list().items.length).toBeGreaterThan(5);
    expect((await (await program.signInAs("keeper")).post("/api/things", { name: "Ladder" })).status).toBe(201);
    expect((await author.post("/api/things", { name: "Ladder" })).problem()).toMatchObject({
      clause: "6.Thing.create",
    });
    expect(await readFile(program.file, "utf8")).toContain("keeper: { members: granted }");
  }

  // A mistake is shown at its line with a fix, and nothing is applied; a discarded draft can be restored.
  {
    const text = page.getByRole("textbox", { name: "Text of specification.md" });
    await writeBelow(text, "name: { type: text, max: 200 }", "price: txet");
    const findings = page.getByRole("region", { name: "Problems" });
    await findings.getByText("There is no type or entity “txet”.").waitFor();
    await expect.poll(() => page.getByRole("button", { name: "Publish…" }).getAttribute("aria-disabled")).toBe("true");
    // A fix is a step of the same history as typed text, wherever the focus is.
    await findings.getByRole("button", { name: "Change to text" }).click();
    await findings.getByText("txet").waitFor({ state: "detached" });
    for (const [keys, state] of [
      ["Control+z", "visible"],
      ["Control+Shift+z", "detached"],
      ["Control+z", "visible"],
    ] as const) {
      await page.keyboard.press(keys);
      await findings.getByText("There is no type or entity “txet”.").waitFor({ state });
    }
    await page.getByRole("button", { name: "Discard draft" }).click();
    await findings.getByText("txet").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Undo" }).click();
    await findings.getByText("There is no type or entity “txet”.").waitFor();
    await page.getByRole("button", { name: "Discard draft" }).click();
    await findings.getByText("txet").waitFor({ state: "detached" });
  }

  // The editor completes a word, lists the uses of a name, and renames it. A name that is not published needs no `was`.
  {
    const text = page.getByRole("textbox", { name: "Text of specification.md" });
    await writeBelow(text, "name: { type: text, max: 200 }", "price: de");
    await page.getByRole("option", { name: /^decimal/u }).click();
    await text.getByText("price: decimal").waitFor();
    await text.getByText("price").click();
    await page.keyboard.press("Shift+F12");
    const uses = page.getByRole("region", { name: "1 place with “price”" });
    await uses.getByRole("button", { name: /price: decimal/u }).waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("F2");
    const name = page.getByRole("textbox", { name: "New name" });
    await name.fill("Cost");
    await page.keyboard.press("Enter");
    await page.getByText("“Cost” is not a name in lower case (first_day).").waitFor();
    await name.fill("cost");
    await page.keyboard.press("Enter");
    await text.getByText("cost: decimal").waitFor();
    expect(await text.getByText("was").count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Discard draft" }).click();
  }

  // A draft survives a reload.
  {
    const text = page.getByRole("textbox", { name: "Text of specification.md" });
    await writeBelow(text, "note: long text?", "shelf: text?");
    await page.getByText("your draft: 1 line").waitFor();
    await page.reload();
    await page.getByText("your draft: 1 line").waitFor();
    await page.getByRole("button", { name: "Discard draft" }).click();
  }

  // The printout contains the whole document and nothing else.
  {
    await page.emulateMedia({ media: "print" });
    const sheet = page.getByRole("region", { name: "Specification, formatted" });
    await expect.poll(() => sheet.evaluate((one) => one.scrollHeight - one.clientHeight)).toBe(0);
    await expect.poll(() => page.getByRole("link", { name: "Map" }).isVisible()).toBe(false);
    await expect.poll(() => page.getByRole("textbox").filter({ visible: true }).count()).toBe(0);
    await page.emulateMedia({ media: null });
  }

  // The table of permissions and the map match the document.
  {
    await page.getByRole("link", { name: "Permissions", exact: true }).click();
    const table = page.getByRole("region", { name: "Thing" }).getByRole("table");
    const row = table.getByRole("row", { name: /^create/u });
    await row.waitFor();
    await expect.poll(() => row.getByRole("img", { name: "always" }).count()).toBe(1);
    await expect.poll(() => row.getByRole("img", { name: "no", exact: true }).count()).toBe(1);
    await page.getByRole("link", { name: "Map" }).click();
    await page.getByRole("img", { name: "Entities and references" }).getByText("Thing").waitFor();
    await atRest(page);
    // The map's measurement of its page does not narrow the map.
    const wide = await page.getByRole("region", { name: "Entities and references" }).boundingBox();
    expect(wide?.width).toBeGreaterThan((page.viewportSize()?.width ?? 0) * 0.8);
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints(page)).toEqual([]);
  }

  // Versions are listed, compared with the one before, and restored with a note, by the keyboard.
  {
    await page.getByRole("link", { name: "Versions" }).click();
    const versions = page.getByRole("region", { name: "Versions" }).getByRole("list").first();
    await versions.getByRole("heading", { name: "Version 3" }).waitFor();
    expect(await versions.getByText("Live", { exact: true }).count()).toBe(1);
    await expect.poll(() => versions.getByText("Published by an operator").count()).toBe(1);
    expect(await axeFindings(page)).toEqual([]);
    await versions.getByRole("link", { name: "Compare" }).first().focus();
    await page.keyboard.press("Enter");
    const table = page.getByRole("table", { name: "specification.md" });
    await table.locator("td.added", { hasText: "keeper:" }).first().waitFor();
    await expect.poll(() => page.getByRole("combobox", { name: "Before" }).inputValue()).toBe("2");
    const changes = page.getByRole("region", { name: "What changes" });
    await changes
      .getByRole("region", { name: "Roles and permissions" })
      .getByText(/keeper/u)
      .first()
      .waitFor();
    const folded = table.getByRole("button", { name: /^Show \d+ unchanged lines$/u });
    const hidden = await folded.count();
    await folded.first().focus();
    await page.keyboard.press("Enter");
    await expect.poll(() => folded.count()).toBe(hidden - 1);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole("combobox", { name: "After" }).selectOption("2");
    await page.getByText("These versions have the same text.").waitFor();
    await page.goBack();
    await versions.getByRole("button", { name: "Restore…" }).first().focus();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Restore version 2?" });
    await dialog
      .getByRole("region", { name: "What changes" })
      .getByText(/keeper/u)
      .first()
      .waitFor();
    await dialog.getByRole("textbox", { name: "Note (optional)" }).fill("Roles come later");
    await dialog.getByRole("button", { name: "Publish", exact: true }).click();
    await versions.getByRole("heading", { name: "Version 4" }).waitFor();
    await versions.getByText("Roles come later").waitFor();
    await versions.getByText("Text of version 2").waitFor();
    const author = await program.signInAs("administrator");
    expect((await author.post("/api/things", { name: "Ladder" })).status).toBe(201);
    expect(complaints(page)).toEqual([]);
  }

  // The end of publishing does not close a dialog that was opened since.
  {
    await page.getByRole("link", { name: "Specification", exact: true }).click();
    const write = async (line: string): Promise<void> => {
      const text = page.getByRole("textbox", { name: "Text of specification.md" });
      await writeBelow(text, "note: long text?", line);
      await page.getByText("your draft: 1 line").waitFor();
      await page.getByRole("button", { name: "Publish…" }).click();
      await publish.waitFor();
    };
    const dialog = page.getByRole("dialog", { name: "Publish this draft?" });
    const publish = dialog.getByRole("button", { name: "Publish", exact: true });
    const released = createGate();
    await write("shelf: text?");
    await page.route("**/_/application", async (route) => {
      await released.opened;
      await route.continue();
    });
    await publish.click();
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("status").getByText("Version 5 is live").first().waitFor();
    await write("row: text?");
    const late = page.waitForResponse("**/_/application");
    released.open();
    await (await late).finished();
    await atRest(page);
    expect(await publish.count()).toBe(1);
    expect(complaints(page)).toEqual([]);
  }
});

const undecided = `# Ideas

## 3. Entities
\`\`\`yaml
Idea: { fields: { text: { type: text, examples: [A bench in the yard, Fewer forms] } } }
Box: { fields: { name: { type: text, examples: [Red box, Blue box] } } }
\`\`\`

## 4. States
\`\`\`yaml
Idea:
  states: [new, taken]
  transitions:
    take: { from: new, to: taken }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { staff: { members: signed in }, board: { members: granted } }
permissions: { Idea: { read: [staff], create: [staff], update: [board], delete: [board] } }
\`\`\`
`;

test("a refused person asks for an undecided permission, and the author decides it with one press", {
  timeout: 180_000,
}, async () => {
  const ideas = await startProgram({ text: undecided });
  const { id } = (await (await ideas.signInAs("Lukas Brandt")).post("/api/ideas", { text: "A bench" })).record();
  const member = await visitAs(ideas.url, "Lukas Brandt", { path: `/ideas/${id}` });
  await member.getByRole("button", { name: "More actions for", exact: false }).last().click();
  await member.getByRole("menuitem", { name: "What can I do here?" }).click();
  const dialog = member.getByRole("dialog", { name: "What can you do with this idea?" });
  await dialog.getByText("The specification doesn’t say who can do “Take”.").click();
  await dialog.getByRole("button", { name: "Ask for a decision" }).click();
  await dialog.getByText("We sent your question to the author of the specification.").waitFor();
  expect(await axeFindings(member)).toEqual([]);

  const author = await visitAs(ideas.url, administrator, { path: "/workbench" });
  const questions = author.getByRole("region", { name: "Requested decisions" });
  await questions.getByText("Lukas Brandt asks who can do “Take”.").waitFor();
  expect(await axeFindings(author)).toEqual([]);
  const written = writesOf(author);
  await questions.getByRole("button", { name: "Allow the board" }).dblclick();
  await author.getByRole("status").getByText("“Take” is now allowed for the board").first().waitFor();
  await questions.waitFor({ state: "detached" });
  expect(written).toEqual(["POST /_/document"]);
  expect(await readFile(ideas.file, "utf8")).toContain("take: { from: new, to: taken, by: board }");
  // A screen whose permissions are undecided is empty and offers to ask for a decision.
  await member.goto(`${ideas.url}/boxes`);
  await member.getByText("The specification doesn’t say who can see this page.").waitFor();
  await member.getByRole("button", { name: "Ask for a decision" }).press("Enter");
  await member.getByText("We sent your question to the author of the specification.").waitFor();
  expect(await axeFindings(member)).toEqual([]);
  await author.reload();
  await questions.getByText("Lukas Brandt asks for a decision.").waitFor();
  await questions.getByText("read: [staff]").waitFor();
  expect(await axeFindings(author)).toEqual([]);
  await questions.getByRole("button", { name: "Allow staff" }).press("Enter");
  await author.getByRole("status").getByText("The specification now says: read: [staff]").first().waitFor();
  await questions.waitFor({ state: "detached" });
  expect(await readFile(ideas.file, "utf8")).toContain("permissions: { Box: { read: [staff] }, Idea:");
  await member.goto(`${ideas.url}/boxes`);
  await member.getByText("Red box").first().waitFor();

  // A draft from a file is published, and its rows are imported in the same step, by the keyboard. There are no samples beside them.
  await author.goto(`${ideas.url}/workbench/start`);
  const rooms = { name: "rooms.csv", mimeType: "text/csv", buffer: Buffer.from("Number,Floor\nR-1,2\nR-2,3\n") };
  await author.locator("input[type=file]").setInputFiles(rooms);
  await author.getByRole("button", { name: "Use this draft" }).press("Enter");
  await author.getByText("2 rows of rooms.csv can be imported").waitFor();
  await author.getByRole("button", { name: "Publish…" }).press("Enter");
  const publishing = author.getByRole("dialog", { name: "Publish this draft?" });
  expect(await publishing.getByRole("checkbox", { name: "Then import 2 rows of rooms.csv" }).isChecked()).toBe(true);
  expect(await axeFindings(author)).toEqual([]);
  await publishing.getByRole("button", { name: "Publish", exact: true }).press("Enter");
  await author.getByRole("link", { name: "Rooms: 2 added" }).press("Enter");
  await author.waitForURL(/\/rooms$/u);
  await author.getByText("R-2").first().waitFor();
  expect((await (await ideas.signInAs("administrator")).get("/api/rooms")).list().items).toHaveLength(2);

  // Roles that are written before the first publication leave the author without the role that adds records. The rows wait.
  await author.goto(`${ideas.url}/workbench/start`);
  const desks = { name: "desks.csv", mimeType: "text/csv", buffer: Buffer.from("Number,Floor\nD-1,2\nD-2,3\n") };
  await author.locator("input[type=file]").setInputFiles(desks);
  await author.getByRole("button", { name: "Use this draft" }).press("Enter");
  await author.getByRole("button", { name: "First steps" }).press("Enter");
  const guide = author.getByRole("region", { name: "First steps" });
  await guide.getByRole("textbox", { name: "What it does, in one sentence" }).fill("Which desks there are");
  await author.keyboard.press("Enter");
  await guide.getByRole("textbox", { name: "Name of the role that you grant" }).press("Enter");
  await guide.getByRole("textbox", { name: "States, in order" }).waitFor();
  await author.getByRole("button", { name: "Publish…" }).press("Enter");
  await publishing.getByRole("button", { name: "Publish", exact: true }).press("Enter");
  await author.getByText("Only a keeper can create a desk.").waitFor();
  expect(await axeFindings(author)).toEqual([]);
  await author.getByRole("button", { name: "Assign yourself the role Keeper and import 2 rows" }).press("Enter");
  await author.getByRole("link", { name: "Desks: 2 added" }).waitFor();
  expect([...complaints(member), ...complaints(author)]).toEqual([]);
});
