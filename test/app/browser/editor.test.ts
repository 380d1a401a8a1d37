import { setTimeout as sleep } from "node:timers/promises";
import type { Locator, Page } from "playwright-core";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { axeFindings } from "../../web/axe.ts";
import { administrator, complaints, visitAs, writeBelow } from "../../web/browser.ts";
import { startProgram } from "../program.ts";

/** Each action of the text editor, by its key. */
let url: string;
let page: Page;
let text: Locator;

const desk = `# Repair desk

- One line of prose

## 2. Screens and routes

\`\`\`yaml
/repairs: { list: Repair, columns: [fault, cost] }
\`\`\`

## 3. Entities and their fields

\`\`\`yaml
Device:
  label: "{name}"
  fields:
    name: { type: text, max: 80 }
Repair:
  fields:
    device: Device
    fault: { type: text, max: 120 }
    cost: decimal?
\`\`\`

## 4. States and transitions

\`\`\`yaml
Repair:
  field: status
  final: mended
  states: [reported, mended]
  transitions:
    finish: { from: reported, to: mended, by: mechanic, asks: cost }
\`\`\`

## 6. Roles and permissions

\`\`\`yaml
roles:
  mechanic: granted
permissions:
  Device: { read: mechanic, create: mechanic, update: mechanic, delete: none }
  Repair: { read: mechanic, create: mechanic, update: mechanic, delete: none }
\`\`\`

\`\`\`yaml
# More roles
\`\`\`
`;

beforeAll(async () => {
  ({ url } = await startProgram({ text: desk, args: ["--demonstration"] }));
});

beforeEach(async () => {
  page = await visitAs(url, administrator, { path: "/workbench/document" });
  text = page.getByRole("textbox", { name: "Text of specification.md" });
  await text.getByText("Repair desk").waitFor();
});

const press = (keys: string): Promise<void> => page.keyboard.press(keys);

/** Puts the cursor into a word of a line. */
const placeIn = async (line: string, word: string): Promise<void> => {
  const found = text.locator(".cm-line", { hasText: line }).first();
  await found.scrollIntoViewIfNeeded();
  const place = await found.evaluate((element, wanted) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const at = node.textContent?.indexOf(wanted) ?? -1;
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(node, at + 1);
      range.setEnd(node, at + 2);
      const { left, top, height } = range.getBoundingClientRect();
      return { x: left + 1, y: top + height / 2 };
    }
    return null;
  }, word);
  if (place === null) throw new Error(`no “${word}” in ${line}`);
  await page.mouse.click(place.x, place.y);
};

const activeLine = (): Promise<string | null> => page.locator(".cm-activeLine").textContent();

const discard = async (): Promise<void> => {
  await page.getByRole("button", { name: "Discard draft" }).click();
  await page.getByText(/your draft: /u).waitFor({ state: "detached" });
};

/** Accepts a suggestion. The editor ignores Enter in the first 75 milliseconds of a list, so that nobody accepts unseen. */
const accept = async (label: RegExp | string): Promise<void> => {
  await page.getByRole("option", { name: label }).waitFor();
  await sleep(100);
  await press("Enter");
};

/** Begins a line at the start of a block and chooses the only suggestion for these letters. */
const chooseSnippet = async (fence: Locator, letters: string, label: RegExp): Promise<void> => {
  await fence.click();
  await press("End");
  await press("Enter");
  await page.keyboard.type(letters);
  await accept(label);
};

/** Fills in the places of a snippet, one after the other. */
const fillIn = async (...words: readonly string[]): Promise<void> => {
  for (const [at, word] of words.entries()) {
    if (at > 0) await press("Tab");
    await page.keyboard.type(word);
  }
};

const fence = (heading: string): Locator =>
  text.locator(`.cm-line:has-text("${heading}") ~ .cm-line:has-text("\`\`\`yaml")`).first();

test("a part of the text is folded and opened again, by keys and in the margin", { timeout: 120_000 }, async () => {
  const inside = text.getByText("name: { type: text, max: 80 }");
  // The editor measures a hidden mark.
  const mark = (title: string) =>
    page.locator(".cm-foldGutter").getByTitle(title, { exact: true }).filter({ visible: true }).first();
  await mark("Fold").waitFor();
  await placeIn("Device:", "Device");
  await press("Control+Shift+BracketLeft");
  await inside.waitFor({ state: "detached" });
  await text.getByText("Repair:").first().waitFor();
  await press("Control+Shift+BracketRight");
  await inside.waitFor();
  await press("Control+Alt+BracketLeft");
  await inside.waitFor({ state: "detached" });
  await press("Control+Alt+BracketRight");
  await inside.waitFor();
  const prose = text.getByText("One line of prose");
  await mark("Fold").click();
  await prose.waitFor({ state: "detached" });
  await mark("Unfold").click();
  await prose.waitFor();
  expect(await page.getByText(/your draft: /u).count()).toBe(0);
});

test("a list, an entity, a life cycle and a role are written from snippets, place by place", {
  timeout: 120_000,
}, async () => {
  await chooseSnippet(fence("2. Screens"), "new l", /^new list/u);
  await fillIn("devices", "Device", "name");
  await text.getByText("/devices:").waitFor();

  await chooseSnippet(fence("3. Entities"), "new e", /^new entity/u);
  await fillIn("Part", "size", "small, large");
  await text.getByText("size: { type: choice, values: [small, large] }").waitFor();

  await chooseSnippet(fence("4. States"), "new li", /^new life cycle/u);
  await fillIn("Device", "used", "gone", "discard", "mechanic");
  await text.getByText("discard: { from: used, to: gone, by: mechanic }").waitFor();

  await text.getByText("# More roles").click();
  await press("End");
  await press("Enter");
  await page.keyboard.type("new r");
  await accept(/^new role/u);
  await fillIn("keeper", "Part");
  await text.getByText("read: keeper").waitFor();

  await text.getByText("mechanic: granted").click();
  await press("End");
  await press("Enter");
  await page.keyboard.type("give me");
  await accept(/^give me this role/u);
  await fillIn("helper");
  await text.getByText("  helper: { members: signed in }").waitFor();

  await expect
    .poll(() => page.getByRole("button", { name: "Publish…" }).getAttribute("aria-disabled"))
    .not.toBe("true");
  expect(await page.locator(".cm-lint-marker-error").count()).toBe(0);
  await discard();
});

test("a published name is renamed everywhere in one step, which writes its former name", {
  timeout: 120_000,
}, async () => {
  await placeIn("cost: decimal?", "cost");
  await press("F2");
  await page.getByRole("textbox", { name: "New name" }).fill("price");
  await press("Enter");
  await text.getByText("price: { type: decimal?, was: cost }").waitFor();
  await text.getByText("asks: price").waitFor();
  await text.getByText("columns: [fault, price]").waitFor();
  await text.focus();
  await press("Control+z");
  await text.getByText("cost: decimal?").waitFor();
  await text.getByText("columns: [fault, cost]").waitFor();
  await press("Control+Shift+z");
  await text.getByText("asks: price").waitFor();
  await discard();
});

test("a definition and all uses of a name are found", { timeout: 120_000 }, async () => {
  await placeIn("finish: {", "mechanic");
  await press("F12");
  await expect.poll(activeLine).toContain("mechanic: granted");
  await press("Shift+F12");
  const uses = page.getByRole("region", { name: "8 places with “mechanic”" });
  await uses.getByRole("button", { name: /finish: \{/u }).click();
  await expect.poll(activeLine).toContain("finish: {");
  await press("F1");
  await page.locator(".cm-tooltip", { hasText: "mechanic" }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await press("Escape");
  await page.locator(".cm-tooltip", { hasText: "mechanic" }).waitFor({ state: "detached" });
});

test("a fix is chosen at the place of its finding", { timeout: 120_000 }, async () => {
  await writeBelow(text, "fault: { type: text, max: 120 }", "day: dat");
  await press("Escape");
  await page.getByRole("region", { name: "Problems" }).getByText("There is no type or entity “dat”.").waitFor();
  await press("Control+.");
  await accept("Did you mean “date”?");
  await text.getByText("day: date", { exact: true }).waitFor();
  await page
    .getByRole("region", { name: "Problems" })
    .getByText("There is no type or entity “dat”.")
    .waitFor({ state: "detached" });
  await discard();
});

test("the text is formatted, and says if it is formatted already", { timeout: 120_000 }, async () => {
  await placeIn("cost: decimal?", "cost");
  await press("Shift+Alt+f");
  await page.getByText("Already formatted").first().waitFor();
  await writeBelow(text, "cost: decimal?", "note:    {type: text?,max: 20}");
  await press("Escape");
  await press("Shift+Alt+f");
  await text.getByText("note: { type: text?, max: 20 }").waitFor();
  await discard();
});

test("selected lines are typed over in one step, without a style of the browser", { timeout: 120_000 }, async () => {
  const lines = () => page.locator(".cm-line").allTextContents();
  const before = await lines();
  await text.press("Control+Home");
  for (let i = 0; i < 3; i++) await text.press("Shift+ArrowDown");
  await page.keyboard.type("# ");
  expect(await lines()).toEqual([`# ${before[3]}`, ...before.slice(4)]);
  await text.press("Control+z");
  await expect.poll(lines).toEqual(before);
});

test("the names of the file lead to their places, and a list of prose continues", { timeout: 120_000 }, async () => {
  await placeIn("cost: decimal?", "cost");
  await press("Control+Shift+o");
  const names = page.getByRole("region", { name: "Names in this file" });
  await names.getByRole("textbox", { name: "Find a name" }).fill("finish");
  await press("Enter");
  await expect.poll(activeLine).toContain("finish: {");
  await press("Escape");
  await text.getByText("- One line of prose").click();
  await press("End");
  await press("Enter");
  await page.keyboard.type("Another");
  await text.getByText("- Another").waitFor();
  await press("Enter");
  await press("Enter");
  await page.keyboard.type("Prose");
  await text.getByText("Prose", { exact: true }).waitFor();
  await discard();
  expect(complaints(page)).toEqual([]);
});

test("a point that is chosen in the outline is shown in the text too, where E goes on", {
  timeout: 120_000,
}, async () => {
  await page
    .getByRole("navigation", { name: "Nine points" })
    .getByRole("link", { name: /Roles and permi/u })
    .click();
  await expect.poll(() => page.locator(".cm-activeLine").textContent()).toBe("## 6. Roles and permissions");
  expect(await text.evaluate((editor) => editor === document.activeElement)).toBe(false);
  await page.keyboard.press("e");
  await expect.poll(() => text.evaluate((editor) => editor === document.activeElement)).toBe(true);
  await expect.poll(() => page.locator(".cm-activeLine").textContent()).toBe("## 6. Roles and permissions");
});
