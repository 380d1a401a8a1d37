import { expect, test } from "vitest";
import { axeFindings, complaints, visitAs } from "../web/browser.ts";
import { example, startProgram } from "./program.ts";

test("an @ in a comment offers people, and whoever is named is told", async () => {
  const program = await startProgram({ file: example("help-desk") });
  const page = await visitAs(program.url, "Jonas Weber", { path: "/tickets" });
  await page.getByRole("row").nth(1).getByRole("link").first().click();
  await page.getByRole("button", { name: "Add" }).last().click();
  const dialog = page.getByRole("dialog");
  const text = dialog.getByRole("textbox", { name: "Text" });
  await text.fill("Please look at this, ");
  await text.press("End");
  await text.pressSequentially("@mei");
  await page.getByRole("option", { name: "Mei Tanaka" }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await text.press("Enter");
  expect(await text.inputValue()).toBe("Please look at this, @Mei Tanaka ");
  await text.pressSequentially("today.");
  await dialog.getByText("Internal", { exact: true }).click();
  await dialog.getByRole("button", { name: /^(Add|Save)/ }).click();
  await dialog.waitFor({ state: "hidden" });
  const mei = await visitAs(program.url, "Mei Tanaka", { path: "/" });
  await mei
    .getByRole("button", { name: /^Notifications/ })
    .first()
    .click();
  await mei
    .getByText(/Jonas Weber has named you in HD-\d{4}-\d{5}/)
    .first()
    .waitFor();
  expect([complaints(page), complaints(mei)]).toEqual([[], []]);
});
