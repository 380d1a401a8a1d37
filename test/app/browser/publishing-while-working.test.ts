import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { DocumentJson } from "../../../src/core/wire/authoring/document.ts";
import { axeFindings } from "../../web/axe.ts";
import { atRest, complaints, keeper, listening, visitAs } from "../../web/browser.ts";
import { type ApiClient, example, type Program, startProgram } from "../program.ts";

/** People at work while a version is published that takes away the part of the application that they use. */

let program: Program;
let author: ApiClient;
let jonas: ApiClient;
beforeAll(async () => {
  program = await startProgram({ text: await readFile(example("lending"), "utf8") });
  author = await program.signInAs("administrator");
  jonas = await program.signInAs("keeper");
});

/** Publishes the document with some texts replaced by others. */
const publish = async (...changes: readonly (readonly [string, string])[]): Promise<void> => {
  const { hash, files } = (await author.get("/_/document")).body as DocumentJson;
  const changed = files.map(({ file, text }) => {
    for (const [before] of changes) expect(text).toContain(before);
    return { file, text: changes.reduce((sum, [before, after]) => sum.replaceAll(before, after), text) };
  });
  const answer = await author.post("/_/document", { base: hash, files: changed });
  expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
};

const finish = async (page: Page): Promise<void> => {
  await atRest(page);
  expect(await axeFindings(page)).toEqual([]);
  expect(complaints(page)).toEqual([]);
};

test("a field is retired: typed text is shown, lists and saved views work without its filter", async () => {
  const [thing] = (await jonas.get("/api/things?name=Projector")).list().items;
  const view = { screen: "/things", title: "In the workshop", query: "place=Workshop", shared: false };
  expect((await jonas.post("/_/views", view)).status).toBe(201);
  const list = await visitAs(program.url, keeper, { path: "/things?place=Workshop" });
  await list.getByRole("heading", { name: "Things" }).waitFor();
  const form = await visitAs(program.url, keeper, { path: `/things/${thing?.id}/edit` });
  await form.getByRole("textbox", { name: "Note" }).fill("Moved");
  await form.getByRole("textbox", { name: "Place" }).fill("The cellar, third shelf");
  await listening(list);
  await listening(form);

  await publish(
    ["    place: { type: text?, max: 80, examples: [Store room, Workshop, Reception] }\n", ""],
    ["kind, place, availability]", "kind, availability]"],
  );

  // The typed text can be read and copied, and the rest is saved.
  await form.getByText("The application changed while you were editing. Your input is still here.").waitFor();
  const lost = form.getByRole("textbox", { name: "No longer needed: Place" });
  expect(await lost.inputValue()).toBe("The cellar, third shelf");
  // The cursor was in that field. Letters that are typed now change nothing, and are no shortcuts.
  await form.keyboard.type("gl");
  expect(await lost.evaluate((field) => field === document.activeElement)).toBe(true);
  expect(new URL(form.url()).pathname).toBe(`/things/${thing?.id}/edit`);
  await finish(form);
  await form.getByRole("button", { name: "Save" }).click();
  await form.getByRole("heading", { level: 1, name: "Projector", exact: true }).waitFor();
  expect((await jonas.get(`/api/things/${thing?.id}`)).record().note).toBe("Moved");

  // The filter is named, and all records are shown.
  await list.getByText("Ignored an unknown filter: “place”.").waitFor();
  await list.getByRole("link", { name: "Cordless drill", exact: true }).waitFor();
  await finish(list);
  await list.goto(`${program.url}/things`);
  await list.getByRole("link", { name: "In the workshop" }).click();
  await list.getByText("Ignored an unknown filter: “place”.").waitFor();
  await list.getByRole("button", { name: "Dismiss" }).click();
  await expect.poll(() => new URL(list.url()).search).toBe("");
}, 120_000);

test("a screen is removed: an open page of it says so and links to another", async () => {
  const page = await visitAs(program.url, keeper, { path: "/overdue" });
  await page.getByRole("heading", { level: 1, name: "Overdue" }).waitFor();
  await listening(page);
  await publish([
    `/overdue:
  title: Overdue
  list: Loan
  where: "status == lent && due_day < today"
  columns: [thing, borrower, due_day]
  sort: [due_day]
`,
    "",
  ]);
  await page.getByRole("heading", { name: "Page not found" }).waitFor();
  await finish(page);
  await page.getByRole("link", { name: "Go to “Overview”" }).click();
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
}, 120_000);

test("a transition is removed: its open dialog keeps the typed text and says why", async () => {
  const [loan] = (await jonas.get("/api/loans?status=asked")).list().items;
  const page = await visitAs(program.url, keeper, { path: `/loans/${loan?.id}` });
  await page.getByRole("button", { name: "Decline…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Reason" }).fill("It is broken, and the repair takes a week");
  await listening(page);
  await publish(
    ["    decline:   { from: asked, to: declined, by: keeper, asks: [reason] }\n", ""],
    [
      '    decline: { notify: borrower, text: "Your request for {thing.name} from {from_day} is declined: {reason}" }\n',
      "",
    ],
    [
      "  final: [returned, declined]\n  states: [{ asked: { title: Requested } }, { lent: { deadline: due_day } }, { returned: { tone: good } }, declined]",
      "  final: [returned]\n  states: [{ asked: { title: Requested } }, { lent: { was: declined } }, { returned: { tone: good } }]",
    ],
  );
  await dialog
    .getByText("“Decline” was removed from the application while you were typing.", { exact: false })
    .waitFor();
  expect(await dialog.getByRole("textbox", { name: "Reason" }).inputValue()).toBe(
    "It is broken, and the repair takes a week",
  );
  await finish(page);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  // Declined loans count as lent now, so the thing is out, and nothing is possible here.
  await page.getByRole("main").getByRole("button", { name: "More actions for", exact: false }).waitFor();
}, 120_000);
