import { beforeAll, expect, test } from "vitest";
import { axeFindings } from "../../web/axe.ts";
import { complaints, focused, sideways, small, visitAs } from "../../web/browser.ts";
import { example, type Program, startProgram } from "../program.ts";

/* A manager hands over decisions for two weeks, and takes them back. */

let program: Program;
beforeAll(async () => {
  program = await startProgram({ file: example("leave-desk") });
});

test("a manager names a deputy by keyboard: the choice has everybody but the manager, and the deputy is listed", async () => {
  const page = await visitAs(program.url, "Mei Tanaka", { path: "/sign-in/account" });
  await page.getByRole("button", { name: "Name a deputy" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Name a deputy" });
  const deputy = dialog.getByRole("combobox", { name: "Deputy" });
  await deputy.waitFor();
  await expect.poll(() => focused(page)).toContain("Deputy");
  await page.keyboard.press("ArrowDown");
  const names = page.getByRole("option");
  await names.filter({ hasText: "Noah Fischer" }).waitFor();
  const listed = await names.allTextContents();
  expect(listed.some((name) => name.includes("Mei Tanaka"))).toBe(false);
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.type("noah");
  await names.filter({ hasText: "Noah Fischer" }).waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => deputy.inputValue()).toBe("Noah Fischer");
  await page.keyboard.press("Tab");
  await expect.poll(() => focused(page)).toContain("First day");
  await page.keyboard.type("today");
  await page.keyboard.press("Tab");
  await expect.poll(() => focused(page)).toContain("Last day");
  await page.keyboard.type("+13");
  await page.keyboard.press("Enter");
  await page.getByText("Noah Fischer stands in for you").waitFor();
  await dialog.waitFor({ state: "detached" });
  expect(complaints(page)).toEqual([]);

  // The deputy decides in the manager's place from now on.
  const other = await visitAs(program.url, "Noah Fischer", { path: "/" });
  await other
    .getByRole("region", { name: /Waiting for my decision/ })
    .getByRole("button", { name: /Grant/ })
    .first()
    .waitFor();

  const phone = await visitAs(program.url, "Mei Tanaka", { path: "/sign-in/account", width: 390 });
  await phone.getByText("Noah Fischer stands in for you").waitFor();
  expect(await small(phone)).toEqual([]);
  expect(await sideways(phone)).toBeLessThanOrEqual(0);
  await phone.getByRole("button", { name: /^End: Noah Fischer/ }).click();
  await phone.getByText("Noah Fischer stands in for you").waitFor({ state: "detached" });
});
