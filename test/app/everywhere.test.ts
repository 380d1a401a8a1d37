import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { atRest, axeFindings, complaints, focused, keeper, visit, visitAs } from "../web/browser.ts";
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
    await page.getByRole("option", { name: /^Cargo bike thing/ }).waitFor();
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
