import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import type { DocumentJson } from "../../../src/core/wire/authoring/document.ts";
import { createGate } from "../../wait.ts";
import { axeFindings } from "../../web/axe.ts";
import {
  administrator,
  atRest,
  complaints,
  focused,
  keeper,
  listening,
  member,
  visit,
  visitAs,
} from "../../web/browser.ts";
import { example, type Program, serveDemonstration, startProgram } from "../program.ts";
import { requestNewThing } from "../request-new-thing.ts";

const lending = readFileSync(example("lending"), "utf8");

let program: Program;
beforeAll(async () => {
  program = await startProgram({ text: lending });
});

describe("global shortcuts", () => {
  test("Ctrl K finds a record by name and opens it, and returns focus when it closes", async () => {
    const page = await visitAs(program.url, keeper);
    await page.getByRole("row").nth(1).waitFor();
    await page.keyboard.press("ArrowDown");
    const before = await focused(page);
    // Keys typed before the dialog's code has loaded go to the dialog; C would otherwise create a record.
    const { opened: typed, open: hasTyped } = createGate();
    await page.route(/\/_\/assets\/palette-.*\.js$/u, async (route) => {
      await typed;
      await route.continue();
    });
    await page.keyboard.press("Control+k");
    await page.keyboard.type("cargp");
    await page.keyboard.press("Backspace");
    hasTyped();
    const line = page.getByRole("combobox", { name: "Search or jump to" });
    await expect.poll(() => line.inputValue()).toBe("carg");
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(page)).toBe(before);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("cargo");
    await page.getByRole("option", { name: /^Cargo bike Things/ }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    for (let times = 0; times < 20; times++) {
      if ((await page.getByRole("option", { selected: true }).textContent())?.startsWith("Cargo bikething")) break;
      await page.keyboard.press("ArrowDown");
    }
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Cargo bike" }).waitFor();
    // A name that begins with the input comes before records. Enter waits for records if nothing else matches.
    await page.keyboard.press("Control+k");
    await page.keyboard.type("things");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Things", exact: true }).waitFor();
    await page.keyboard.press("Control+k");
    await page.keyboard.type("cargo bike");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Cargo bike" }).waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test("on a record it offers the actions of the record, and says why others are not possible", async () => {
    await requestNewThing(program, { remark: "by palette" });
    const page = await visitAs(program.url, keeper, { path: "/loans?search=palette" });
    await page.getByRole("row").nth(1).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: "Progress" }).waitFor();
    await page.keyboard.press("Control+k");
    const shut = page.getByRole("option", { name: /^Take back/ });
    await shut.waitFor();
    await expect.poll(() => shut.getAttribute("aria-disabled")).toBe("true");
    // Available actions come before refused ones.
    await expect.poll(() => page.getByRole("option").first().getAttribute("aria-disabled")).toBeNull();
    await page.keyboard.type("hand over");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await expect.poll(() => focused(page)).toContain("Hand over");
    await page.keyboard.press("Enter");
    await page.getByText("Jonas Weber: Hand over").waitFor();
  });

  test("G and a letter open a screen", async () => {
    const page = await visitAs(program.url, keeper);
    await page.getByRole("row").nth(1).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await page.getByRole("heading", { level: 1, name: "Things" }).waitFor();
  });
});

test("a chunk that fails to load is retried, then reported; a newer one comes with the next page", async () => {
  const page = await visitAs(program.url, keeper, { theme: "dark" });
  await page.getByRole("row").nth(1).waitFor();
  await page.route("**/_/assets/palette-*.js", (route) => route.abort(), { times: 1 });
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Search or jump to" }).waitFor();
  await page.keyboard.press("Escape");

  const parts = "**/_/assets/help-dialog-*";
  await page.route(parts, (route) => route.abort());
  const refused = page.waitForRequest(parts);
  await page.keyboard.press("?");
  await refused;
  const text = page.getByRole("dialog", { name: "This part of the page didn’t load" });
  await text.waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.unroute(parts);
  await text.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("dialog", { name: "Help" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("row").nth(1).waitFor();

  await page.route("**/_/changes*", (route) =>
    route.request().url().includes("after=")
      ? route.fulfill({ json: { at: "later", changed: [], program: "another" } })
      : route.continue(),
  );
  await page.reload();
  await page.getByRole("button", { name: "Reload" }).waitFor();
  await page.unroute("**/_/changes*");
  expect(await axeFindings(page)).toEqual([]);
  await page.evaluate(() => Object.assign(window, { before: true }));
  await page.getByRole("link", { name: "Things" }).click();
  await page.getByRole("heading", { level: 1, name: "Things" }).waitFor();
  expect(await page.evaluate(() => "before" in window)).toBe(false);
});

test("assets have their list at /assets, beside the files of the application", async () => {
  const text =
    "# Stock\n\n## 3. Entities and their fields\n```yaml\nAsset: { fields: { name: { type: text, examples: [Drill] } } }\n```\n";
  const stock = await serveDemonstration({ text });
  const page = await visitAs(stock.url, administrator, { path: "/assets" });
  await page.getByRole("heading", { level: 1, name: "Assets" }).waitFor();
  await page.getByRole("link", { name: /Drill/u }).first().click();
  await page.reload();
  await page.getByRole("heading", { level: 1, name: /Drill/u }).waitFor();
  expect(new URL(page.url()).pathname).toMatch(/^\/assets\/./u);
});

test("a document in German gives an application in German", async () => {
  const text = lending.replace("locale: en-GB", "locale: de-DE");
  const german = await serveDemonstration({ text });
  const page = await visit(german.url, { path: "/sign-in" });
  await page.getByRole("heading", { name: "Anmelden" }).waitFor();
  await page.getByRole("button", { name: keeper }).click();
  await page.getByRole("region", { name: "Requested" }).waitFor();
  await page.goto(`${german.url}/loans`);
  await page.getByRole("row").nth(1).waitFor();
  await atRest(page);
  await page.getByRole("button", { name: "Spalten und Zeilenhöhe" }).waitFor();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe("de-DE");
  expect(await axeFindings(page)).toEqual([]);
  expect(complaints(page)).toEqual([]);
});

test("the bell shows new notifications, links to the record, and marks them as read at once", async () => {
  const telling = await serveDemonstration({ text: lending });
  const page = await visitAs(telling.url, member);
  await page.getByRole("row").nth(1).waitFor();
  const keeping = await telling.signInAs("keeper");
  /** A loan of this person that was handed over, with a notification. */
  const handedOver = async (): Promise<string> => {
    const { id } = await requestNewThing(telling, { remark: "told" });
    expect((await keeping.post(`/api/loans/${id}/hand_over`)).status).toBe(200);
    return id;
  };
  const asked = await handedOver();
  await page.getByRole("button", { name: /^Notifications .* unread$/ }).click();
  const panel = page.getByRole("dialog", { name: "Notifications" });
  await panel
    .getByRole("link", { name: /^You have .* until / })
    .first()
    .waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await panel.getByRole("button", { name: "Mark all as read" }).click();
  await page.getByRole("button", { name: "Notifications", exact: true }).waitFor();
  await panel
    .getByRole("link", { name: /^You have .* until / })
    .first()
    .click();
  await page.getByRole("heading", { level: 2, name: "Progress" }).waitFor();
  expect(page.url()).toContain(asked);

  // Opening the record in another way marks its notifications as read too.
  const other = await handedOver();
  await page.getByRole("button", { name: /^Notifications .* unread$/ }).waitFor();
  await page.goto(`${telling.url}/loans/${other}`);
  await page.getByRole("heading", { level: 2, name: "Progress" }).waitFor();
  await page.getByRole("button", { name: "Notifications", exact: true }).waitFor();
  expect(complaints(page)).toEqual([]);
});

test("a new version comes into force under a form and a dialog: typed values stay, and new fields appear", async () => {
  const [form, dialog] = await Promise.all([
    visitAs(program.url, member, { path: "/loans/new", width: 390, theme: "dark" }),
    visitAs(program.url, keeper, { path: "/loans?status=asked" }),
  ]);
  await form.getByRole("textbox", { name: "Due day" }).fill("1 Mar 2030");
  await form.getByRole("textbox", { name: "Remark" }).fill("For the fair");
  await dialog.getByRole("row").nth(1).click();
  await dialog.getByRole("button", { name: "Decline…" }).click();
  const reason = dialog.getByRole("dialog").getByRole("textbox", { name: "Reason" });
  await reason.fill("Promised");
  await Promise.all([form, dialog].map(listening));

  const author = await program.signInAs("administrator");
  const { hash, files } = (await author.get("/_/document")).body as DocumentJson;
  const text = lending
    .replace("    remark:   {", "    purpose: { type: text?, max: 100 }\n    note: { was: remark,")
    .replaceAll("due_day, remark", "due_day, purpose, note")
    .replace("asks: [reason]", "asks: [reason, purpose]")
    .replace("/loans:\n", "/loans:\n  title: Lent and asked for\n");
  const applied = await author.post("/_/document", { base: hash, files: files.map(({ file }) => ({ file, text })) });
  expect(applied.status).toBe(200);

  const note = form.getByRole("status").filter({ hasText: "The application changed while you were editing." });
  await note.getByText("New: Purpose", { exact: true }).waitFor();
  await expect.poll(() => form.getByRole("textbox", { name: "Due day" }).inputValue()).toBe("1 Mar 2030");
  // The input follows its field to the new name.
  await expect.poll(() => form.getByRole("textbox", { name: "Note" }).inputValue()).toBe("For the fair");
  await form.getByRole("textbox", { name: "Purpose" }).waitFor();
  await form.getByRole("link", { name: "Lent and asked for" }).first().waitFor();

  await dialog.getByRole("dialog").getByRole("textbox", { name: "Purpose" }).waitFor();
  await expect.poll(() => reason.inputValue()).toBe("Promised");
  await expect.poll(() => reason.evaluate((box) => box === document.activeElement)).toBe(true);
  for (const page of [form, dialog]) {
    await atRest(page);
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints(page)).toEqual([]);
  }
});
