import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { atRest, axeFindings, complaints, focused, keeper, member, visit, visitAs } from "../web/browser.ts";
import { example, type Program, startProgram } from "./program.ts";

describe("keys that work everywhere", () => {
  let program: Program;
  beforeAll(async () => {
    program = await startProgram({ file: example("lending") });
  });

  test("Ctrl K finds a record by its name and goes there, and gives focus back when it is left", async () => {
    const page = await visitAs(program.url, keeper);
    await page.getByRole("row").nth(1).waitFor();
    await page.keyboard.press("ArrowDown");
    const before = await focused(page);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search or jump to" }).waitFor();
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
    expect(complaints(page)).toEqual([]);
  });

  test("on a record it does what can be done there, and says why not", async () => {
    const page = await visitAs(program.url, keeper, { path: "/loans?status=asked" });
    await page.getByRole("row").nth(1).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 2, name: "Where it stands" }).waitFor();
    await page.keyboard.press("Control+k");
    const shut = page.getByRole("option", { name: /^Take back/ });
    await shut.waitFor();
    expect(await shut.getAttribute("aria-disabled")).toBe("true");
    await page.keyboard.type("hand over");
    await page.keyboard.press("Enter");
    await page.getByText("Jonas Weber: Hand over").waitFor();
  });

  test("G and a letter go to a screen", async () => {
    const page = await visitAs(program.url, keeper);
    await page.getByRole("row").nth(1).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await page.getByRole("heading", { level: 1, name: "Things" }).waitFor();
  });
});

test("a document in German is an application in German", async () => {
  const text = readFileSync(example("lending"), "utf8").replace("locale: en-GB", "locale: de-DE");
  const german = await startProgram({ text });
  const page = await visit(german.url, { path: "/sign-in" });
  await page.getByRole("heading", { name: "Anmelden" }).waitFor();
  await page.getByRole("button", { name: keeper }).click();
  await page.getByRole("region", { name: "Asked for" }).waitFor();
  await page.goto(`${german.url}/loans`);
  await page.getByRole("row").nth(1).waitFor();
  await atRest(page);
  await page.getByRole("button", { name: "Spalten und Dichte" }).waitFor();
  expect(await page.evaluate(() => document.documentElement.lang)).toBe("de-DE");
  expect(await axeFindings(page)).toEqual([]);
  expect(complaints(page)).toEqual([]);
});

test("the bell says what is new, leads to the record, and is read at once", async () => {
  const text = readFileSync(example("lending"), "utf8").replace(
    "    take_back: { from: lent, to: returned, by: keeper }\n",
    '    take_back: { from: lent, to: returned, by: keeper }\n  after:\n    hand_over: [{ notify: borrower, text: "Take care of it until {due_day}." }]\n',
  );
  const telling = await startProgram({ text });
  const page = await visitAs(telling.url, member);
  await page.getByRole("row").nth(1).waitFor();
  const today = new Date().toISOString().slice(0, 10);
  const asked = await page.evaluate(async (day) => {
    const things = (await (await fetch("/api/things?limit=1")).json()) as { items: { id: string }[] };
    const made = await fetch("/api/loans", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ thing: things.items[0]?.id, from_day: day, due_day: day, remark: "told" }),
    });
    return ((await made.json()) as { id: string }).id;
  }, today);
  await (await telling.signInAs("keeper")).post(`/api/loans/${asked}/hand_over`);
  await page.getByRole("button", { name: /^Notifications .* new$/ }).click();
  const panel = page.getByRole("dialog", { name: "Notifications" });
  await panel
    .getByRole("link", { name: /^Take care of it until / })
    .first()
    .waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await panel.getByRole("button", { name: "Mark all read" }).click();
  await page.getByRole("button", { name: "Notifications", exact: true }).waitFor();
  await panel
    .getByRole("link", { name: /^Take care of it until / })
    .first()
    .click();
  await page.getByRole("heading", { level: 2, name: "Where it stands" }).waitFor();
  expect(page.url()).toContain(asked);
  expect(complaints(page)).toEqual([]);
});
