import { beforeAll, expect, test } from "vitest";
import { axeFindings } from "../../web/axe.ts";
import { administrator, atRest, complaints, keeper, visitAs } from "../../web/browser.ts";
import { example, type RunningApplication, serveDemonstration } from "../program.ts";

let program: RunningApplication;
beforeAll(async () => {
  program = await serveDemonstration({ file: example("lending") });
});

test.each([1440, 390])("at %i, the palette finds the periods of a list’s dates, and filters by one", async (width) => {
  const page = await visitAs(program.url, keeper, { path: "/loans", width });
  await atRest(page);
  await page.keyboard.press("Control+k");
  const options = page.getByRole("option");
  // They are too many to be listed before somebody types.
  await options.first().waitFor();
  expect(await options.getByText("Last month").count()).toBe(0);
  await page.getByRole("combobox").fill("last month");
  await page.getByRole("option", { name: "Due day: Last month" }).waitFor();
  expect(await options.count()).toBe(2);
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.searchParams.get("from_day@") === "last_month");
  await page.getByRole("button", { name: /From day.*Last month/u }).waitFor();
  expect(complaints(page)).toEqual([]);
});

test("the palette finds the tabs of the workbench everywhere, and commands by other words for them", async () => {
  const page = await visitAs(program.url, administrator, { path: "/things" });
  await atRest(page);
  await page.keyboard.press("Control+k");
  const options = page.getByRole("option");
  await options.first().waitFor();
  expect(await options.getByText("Workbench:").count()).toBe(0);
  await page.getByRole("combobox").fill("permissions");
  await page.getByRole("option", { name: "Workbench: Permissions" }).click();
  await page.waitForURL("**/workbench/who");
  await page.keyboard.press("Control+k");
  await page.getByRole("option", { name: "Workbench: Versions" }).waitFor();
  await page.getByRole("combobox").fill("undelivered");
  await page.getByRole("option", { name: "Messages not sent" }).click();
  await page.waitForURL("**/workbench/unsent");
  expect(complaints(page)).toEqual([]);

  const list = await visitAs(program.url, keeper, { path: "/things" });
  await atRest(list);
  await list.keyboard.press("Control+k");
  await list.getByRole("combobox").fill("log out");
  await list.getByRole("option", { name: "Sign out" }).waitFor();
  expect(complaints(list)).toEqual([]);
});

test("on a phone, a record that is found by another text has its name above that text", async () => {
  const page = await visitAs(program.url, keeper, { path: "/loans", width: 390 });
  await atRest(page);
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox").fill("four weeks are too long");
  const found = page.getByRole("option", { name: /Cordless drill.*Four weeks are too long/u });
  await found.waitFor();
  const [name, text] = await found.locator("bdi").evaluateAll((all) => all.map((one) => one.getBoundingClientRect()));
  expect(name?.width).toBeGreaterThan(100);
  expect(text?.y).toBeGreaterThanOrEqual(name?.bottom ?? 0);
  expect(text?.right).toBeLessThan(390);
  await page.getByRole("dialog").getByRole("button", { name: "Close" }).click();
  await found.waitFor({ state: "detached" });
});

test("on a phone, the palette shows no keys, and what it searches is not cut off", async () => {
  const page = await visitAs(program.url, keeper, { path: "/loans", width: 390 });
  await page.locator(".topbar-button").first().click();
  await page.locator(".palette-entry.keyed").first().waitFor();
  const shown = await page
    .locator(".palette-entry.keyed .menu-note")
    .evaluateAll((notes) => notes.filter((note) => note.checkVisibility()).length);
  expect(shown).toBe(0);
  const question = page.locator(".palette input");
  await question.fill((await question.getAttribute("placeholder")) ?? "");
  expect(await question.evaluate((input) => input.scrollWidth - input.clientWidth)).toBe(0);
  expect(complaints(page)).toEqual([]);
});

test("the palette says that the application has no deputies, to somebody who looks for one", async () => {
  const page = await visitAs(program.url, keeper, { path: "/loans" });
  await atRest(page);
  await page.keyboard.press("Control+k");
  await page.getByRole("option").first().waitFor();
  expect(await page.getByRole("option", { name: "Name a deputy…" }).count()).toBe(0);
  await page.getByRole("combobox").fill("hand my work to a colleague");
  await page.getByRole("option", { name: /^Name a deputy….*This application has no deputies\./u }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("status").getByText("This application has no deputies.").waitFor();
  expect(complaints(page)).toEqual([]);
});

test.each([1440, 390])("at %i, the options of a reference say what the list of their records says", async (width) => {
  const page = await visitAs(program.url, "Lukas Brandt", { path: "/loans/new", width });
  const box = page.getByRole("combobox", { name: "Thing" });
  await box.click();
  await page.getByRole("option", { name: "Party tent" }).getByText("Available").waitFor();
  const out = page.getByRole("option", { name: "Cargo bike" });
  await out.getByText("Out").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await out.click();
  await expect.poll(() => box.inputValue()).toBe("Cargo bike");
  expect(complaints(page)).toEqual([]);
});
