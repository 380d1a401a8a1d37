import { readFile } from "node:fs/promises";
import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { DocumentJson } from "../../../src/core/wire/authoring/document.ts";
import { createGate } from "../../wait.ts";
import { axeFindings } from "../../web/axe.ts";
import { administrator, atRest, complaints, sideways, visitAs } from "../../web/browser.ts";
import { example, type Program, startProgram } from "../program.ts";

/** An author who changes the running application, and the plan that follows the text. */
let program: Program;
let page: Page;

beforeAll(async () => {
  program = await startProgram({ text: await readFile(example("lending"), "utf8") });
});

const choose = (pane: RegExp) =>
  page.getByRole("group", { name: "Panes" }).filter({ visible: true }).getByRole("button", { name: pane }).click();
const editor = () => page.getByRole("textbox", { name: "Text of specification.md" });
const plan = () => page.getByRole("region", { name: "Plan" });

/** Selects a text that is in sight in the editor. */
const select = async (over: string): Promise<void> => {
  await expect
    .poll(() =>
      editor().evaluate((content, sought) => {
        for (const line of content.querySelectorAll(".cm-line")) {
          const start = line.textContent.indexOf(sought);
          if (start < 0) continue;
          const range = document.createRange();
          const walker = document.createTreeWalker(line, NodeFilter.SHOW_TEXT);
          let at = 0;
          for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
            const end = at + (node.textContent?.length ?? 0);
            if (start >= at && start <= end) range.setStart(node, start - at);
            if (start + sought.length > at && start + sought.length <= end) {
              range.setEnd(node, start + sought.length - at);
              break;
            }
            at = end;
          }
          content.focus();
          getSelection()?.removeAllRanges();
          getSelection()?.addRange(range);
          return true;
        }
        return false;
      }, over),
    )
    .toBe(true);
  // The editor reads the selection with the next event.
  await page.waitForTimeout(50);
};

/** Types a text over another, key by key. */
const type = async (over: string, text: string): Promise<void> => {
  await select(over);
  await page.keyboard.type(text);
};

/** Replaces a text by another at once, as a paste does. */
const replace = async (over: string, text: string): Promise<void> => {
  await select(over);
  await page.keyboard.insertText(text);
};

test("the plan follows the text while it is typed", { timeout: 300_000 }, async () => {
  page = await visitAs(program.url, administrator, { path: "/workbench/document" });

  // Without a change it says what it is for.
  await choose(/^Plan/u);
  await plan().getByText("No changes yet").waitFor();
  expect(await axeFindings(page)).toEqual([]);

  // A permission is widened: the line has the clause as it was and as it is, and leads to its line in the text.
  await page.goto(`${program.url}/workbench/document?clause=6.Thing.delete`);
  await choose(/^Plan/u);
  await type("delete: [keeper]", "delete: [keeper, member]");
  await plan().getByText("Members can now delete things.").waitFor();
  await plan().getByText("The database doesn’t change.", { exact: false }).waitFor();

  // The head with the buttons of a draft fits a phone.
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await sideways(page)).toBe(0);
  await page.setViewportSize({ width: 1440, height: 900 });

  // Recent changes are checked on request, and the next change of the text ends that.
  const inPane = plan().getByRole("region", { name: "Recent changes by people" });
  await inPane.getByRole("button", { name: "Check recent changes" }).press("Enter");
  await inPane.getByText(/^Of \d+ changes that people made in the last 30 days/u).waitFor();

  await plan().getByRole("button", { name: "Now delete: [keeper, member] 6.Thing.delete" }).press("Enter");
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toMatch(/^Text of/u);
  expect(await axeFindings(page)).toEqual([]);

  // Checks that fail say why, and one press repeats each: in the dialog and in the pane.
  const broken = { status: 500, code: "INTERNAL", title: "Fault", detail: "A fault.", reference: "R-17" };
  const breakCheck = (name: string) =>
    page.route(`**/_/document/${name}`, (route) => route.fulfill({ status: 500, json: broken }));
  await breakCheck("plan");
  await breakCheck("replay");
  await page.getByRole("button", { name: "Publish…" }).click();
  const dialog = page.getByRole("dialog");
  const data = dialog.getByRole("region", { name: "Stored data" });
  const recent = dialog.getByRole("region", { name: "Recent changes by people" });
  await data.getByText("Couldn’t check the effects of this draft").waitFor();
  await recent.getByText("Couldn’t check recent changes").waitFor();
  await recent.getByText("An error occurred on our side. Try again. Reference R-17").waitFor();
  expect(await dialog.getByRole("button", { name: "Publish" }).count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  await page.unroute("**/_/document/plan");
  await page.unroute("**/_/document/replay");
  // A button keeps the focus while it repeats its check.
  const { opened: held, open: answer } = createGate();
  await page.route("**/_/document/plan", async (route) => {
    await held;
    await route.continue();
  });
  const again = data.getByRole("button", { name: "Try again" });
  await again.press("Enter");
  await expect.poll(() => again.getAttribute("aria-busy", { timeout: 1_000 }).catch(() => null)).toBe("true");
  expect(await again.evaluate((button) => button === document.activeElement)).toBe(true);
  answer();
  await dialog.getByRole("button", { name: "Publish" }).waitFor();
  await page.unroute("**/_/document/plan");
  await recent.getByRole("button", { name: "Try again" }).press("Enter");
  await recent.getByText(/^Of \d+ changes that people made in the last 30 days/u).waitFor();
  // The button is gone, and the focus is beside the result.
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe("DIALOG");
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await breakCheck("plan");
  await replace("delete: [keeper, member]", "delete: [member, keeper]");
  await plan().getByText("Couldn’t check the effects of this draft").waitFor();
  await page.unroute("**/_/document/plan");
  await plan().getByRole("button", { name: "Try again" }).press("Enter");
  await plan().getByText("The database doesn’t change.", { exact: false }).waitFor();
  expect(await plan().evaluate((pane) => pane === document.activeElement)).toBe(true);
  await replace("delete: [member, keeper]", "delete: [keeper, member]");

  // An error does not take the last plan away. (Pasted: half of it typed would have an error at another place.)
  await replace("delete: [keeper, member]", "delete: [keeper, member, nobody]");
  await plan().getByText("Your draft has 1 error. The plan below is from an earlier text.").waitFor();
  await inPane.getByRole("button", { name: "Check recent changes", disabled: true }).waitFor();
  expect(await plan().getByText("Members can now delete things.").count()).toBe(1);

  // The notice leads to the error, and a key from one finding to the next.
  const selected = () => page.evaluate(() => getSelection()?.toString());
  await plan().getByRole("button", { name: "Go to the problem" }).press("Enter");
  await expect.poll(selected).toBe("nobody");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("Shift+F8");
  await expect.poll(selected).toBe("nobody");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("F8");
  await expect.poll(selected).toBe("nobody");
  // The key waits for the check of what was just typed, and does not lead to a place of the text before.
  await page.keyboard.press("Control+Home");
  await page.keyboard.press("End");
  await page.keyboard.type(" for all");
  await page.keyboard.press("F8");
  await expect.poll(selected).toBe("nobody");
  await page.keyboard.press("Control+z");
  await expect.poll(selected).not.toBe("nobody");
  await page.keyboard.press("F8");
  await expect.poll(selected).toBe("nobody");
  // Esc, then Tab, leaves the text, also with a selection.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Shift+Tab");
  expect(await editor().evaluate((text) => text.contains(document.activeElement))).toBe(false);
  // F6 goes around the parts of the page, in the text too.
  await editor().focus();
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
  await page.keyboard.press("Shift+F6");
  expect(await plan().evaluate((pane) => pane === document.activeElement)).toBe(true);
  await page.keyboard.press("Shift+F6");
  expect(await focused()).toMatch(/^Plan/u);
  await page.keyboard.press("F6");
  await page.keyboard.press("F6");
  expect(await editor().evaluate((text) => text === document.activeElement)).toBe(true);
  await plan().focus();
  await page.keyboard.press("F8");
  await expect.poll(() => page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toMatch(/^Text of/u);

  // Without a connection the behaviour is still compared, and the data is asked about later.
  await page.context().setOffline(true);
  await replace("delete: [keeper, member, nobody]", "delete: [member, keeper]");
  await plan().getByText("Can’t reach the server. The stored data is checked as soon as it answers.").waitFor();
  await plan().getByText("Members can now delete things.").waitFor();
  await page.context().setOffline(false);
  await plan().getByText("The database doesn’t change.", { exact: false }).waitFor();

  // Stored data that does not fit is reported before anybody publishes.
  await page.goto(`${program.url}/workbench/document?clause=3.Thing.name`);
  await choose(/^Plan/u);
  await replace("unique: true, max: 80", "unique: true, max: 8");
  await plan().getByText("Can’t publish: some stored data doesn’t fit.").waitFor();
  await plan()
    .getByText(/3\.Thing\.name can’t be limited to at most 8 characters: \d+ records are longer\./u)
    .waitFor();
  await plan()
    .getByText(/^Show the \d+ records$/u)
    .press("Enter");
  await plan().getByRole("listitem").getByRole("link", { name: "Cordless drill", exact: true }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await replace("unique: true, max: 8", "unique: true, max: 80");
  await plan().getByText("The database doesn’t change.", { exact: false }).waitFor();

  // Records that the author cannot read lead to those who can. Any sign can be found, and Esc closes from every control.
  await editor().press("Control+f");
  await page.keyboard.insertText('- { rule: "due_day >= from_day"');
  await page.getByRole("search").getByText("1 match").waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Next match" }).focus();
  await page.keyboard.press("Escape");
  await page.getByRole("search").waitFor({ state: "detached" });
  await replace("due_day >= from_day", "due_day > from_day + 900 days");
  await plan().getByText("You can’t see the first of these records. See who can").waitFor();
  await replace("due_day > from_day + 900 days", "due_day >= from_day");
  await plan().getByText("The database doesn’t change.", { exact: false }).waitFor();

  // A version that is being checked is announced, also after a reload.
  await page.route("**/_/job", (route) => route.fulfill({ json: { newest: null, isStarting: true } }));
  await page.reload();
  await page.getByRole("region", { name: "Version being published" }).getByText("Checking its text").waitFor();
  await page.unroute("**/_/job");
  await page.getByRole("region", { name: "Version being published" }).waitFor({ state: "detached" });
  await choose(/^Plan/u);
  await plan().getByText("Members can now delete things.").waitFor();

  // The former clause is shown in the comparison with the draft.
  await plan().getByRole("link", { name: "Before delete: [keeper] 6.Thing.delete" }).press("Enter");
  await page.getByRole("heading", { name: "Compare versions" }).waitFor();
  await expect.poll(() => page.getByRole("combobox", { name: "After" }).inputValue()).toBe("draft");
  await page.locator("tr.at", { hasText: "delete: [keeper]" }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.goBack();
  await choose(/^Plan/u);

  // A removed value names the values that can replace it, and a missing name the one that replaced it. One press writes
  // each.
  await page.goto(`${program.url}/workbench/document?clause=3.Thing.kind`);
  await choose(/^Plan/u);
  await replace("tool, device, vehicle, furniture", "tool, device, furniture");
  await plan()
    .getByText(/^3\.Thing\.kind no longer allows vehicle, but \d+ records? ha/u)
    .waitFor();
  await plan().getByRole("button", { name: "device", exact: true }).press("Enter");
  await editor().getByText("values: [tool, { device: { was: vehicle } }, furniture]").first().waitFor();
  await plan()
    .getByText(/^3\.Thing\.kind: remove vehicle\. \d+ records? gets? device/u)
    .waitFor();
  await page.keyboard.press("Control+z");
  await plan()
    .getByText(/^3\.Thing\.kind no longer allows vehicle/u)
    .waitFor();
  await replace("tool, device, furniture", "tool, device, vehicle, furniture");
  await type("note:  { type", "notes: { type");
  await plan().getByText("In Thing, “note” is gone, and “notes” is new.", { exact: false }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await plan().getByRole("button", { name: "It was “note”" }).press("Enter");
  await plan().getByText("3.Thing.notes: rename note to notes; its values are kept").waitFor();
  await editor().press("Control+z");
  await plan().getByRole("button", { name: "It was “note”" }).waitFor();
  await replace("notes: { type", "note:  { type");
  await plan().getByText("The database doesn’t change.", { exact: false }).waitFor();

  // Somebody else publishes meanwhile: the draft stays, and is brought up to date by one press, before it can be published.
  await page.getByRole("button", { name: "Publish…" }).click();
  await dialog.getByRole("button", { name: "Publish" }).waitFor();
  const author = await program.signInAs("administrator");
  const live = (await author.get("/_/document")).body as DocumentJson;
  const files = live.files.map(({ file, text }) => ({ file, text: text.replace("page_size: 50", "page_size: 40") }));
  expect((await author.post("/_/document", { base: live.hash, files })).status).toBe(200);
  await dialog.getByText("Version 2 was published meanwhile.").waitFor();
  expect(await dialog.getByRole("button", { name: /^(?:Publish|Propose)$/u }).count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Update draft" }).press("Enter");
  // Before the button that publishes: a note is shown for six seconds, and checking a draft can take longer.
  await page.getByText("Your draft is now based on version 2.").first().waitFor();
  await dialog.getByRole("button", { name: "Publish" }).waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await plan().getByText("Members can now delete things.").waitFor();
  await atRest(page);
  expect(await page.getByRole("group", { name: "Panes" }).filter({ visible: true }).innerText()).toMatch(/Plan\s+1/u);

  // A removed field is published; its values are listed as retired, and one press brings its lines back into a draft.
  await page.getByRole("button", { name: "Discard draft" }).click();
  const before = (await author.get("/_/document")).body as DocumentJson;
  const fewer = before.files.map(({ file, text }) => ({
    file,
    text: text.replace(/^ {4}place: .*\n/mu, "").replaceAll("kind, place,", "kind,"),
  }));
  expect((await author.post("/_/document", { base: before.hash, files: fewer })).status).toBeLessThan(300);
  await page.getByText("Version 3 is live").first().waitFor();
  await page.getByRole("link", { name: "Versions" }).click();
  await page.getByRole("link", { name: "Retired data" }).click();
  await page.getByRole("heading", { name: "Thing.place" }).waitFor();
  await page.getByText(/^Retired by version 3 · /u).waitFor();
  // The number leads to the records. Their values are shown to people who could read all of them.
  await page.getByText(/^Values in \d+ records$/u).press("Enter");
  await page.locator(".retired-records li").first().waitFor();
  expect(await page.locator(".retired-records li").first().textContent()).toMatch(/^.+: .+$/u);
  expect(await axeFindings(page)).toEqual([]);

  // Its values are exported, and deleted for good after its name is typed. An outage in between loses nothing.
  const thing = page.getByRole("listitem").filter({ has: page.getByRole("heading", { name: "Thing.place" }) });
  await thing.getByRole("button", { name: "Delete for good…" }).press("Enter");
  const deletion = page.getByRole("dialog", { name: "Delete Thing.place for good?" });
  const deleteNow = deletion.getByRole("button", { name: "Delete for good" });
  expect(await deleteNow.isDisabled()).toBe(true);
  const downloaded = page.waitForEvent("download");
  await deletion.getByRole("link", { name: "Export values" }).press("Enter");
  expect((await downloaded).suggestedFilename()).toBe("Thing.place.jsonl");
  await deletion.getByRole("textbox", { name: "Type Thing.place to confirm" }).fill("Thing.place");
  expect(await axeFindings(page)).toEqual([]);
  await page.route("**/_/retired/delete", (route) => route.fulfill({ status: 500, json: broken }));
  await deleteNow.press("Enter");
  await deletion.getByText("Couldn’t delete the values").waitFor();
  await page.unroute("**/_/retired/delete");
  await deletion.getByRole("button", { name: "Cancel" }).press("Enter");
  expect(await thing.getByText(/^Values in \d+ records/u).count()).toBe(1);

  await page.getByRole("button", { name: "Bring back" }).press("Enter");
  await choose(/^Plan/u);
  await plan()
    .getByText(/^3\.Thing\.place: bring back with the values of \d+ records/u)
    .waitFor();
  await page.getByRole("button", { name: "Discard draft" }).click();
  await page.goto(`${program.url}/workbench/retired`);
  await thing.getByRole("button", { name: "Delete for good…" }).press("Enter");
  await deletion.getByRole("textbox").fill("Thing.place");
  await page.keyboard.press("Enter");
  await page.getByText("No retired data").waitFor();

  // An earlier version can be edited before it comes back, for example where stored data does not fit it any more.
  await page.goto(`${program.url}/workbench/versions`);
  const first = page
    .getByRole("listitem")
    .filter({ has: page.getByRole("heading", { name: "Version 1", exact: true }) });
  await first.getByRole("button", { name: "Restore…" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Edit it as a draft first" }).press("Enter");
  await page.getByText("The draft is now the text of version 1.").first().waitFor();
  await plan().getByText("New field “Place” of things.", { exact: false }).waitFor();
  expect(complaints(page)).toEqual([]);
});
