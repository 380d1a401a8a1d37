import { beforeAll, expect, test } from "vitest";
import { axeFindings } from "../../web/axe.ts";
import { complaints, keeper, sideways, visitAs } from "../../web/browser.ts";
import { example, type RunningApplication, serveDemonstration } from "../program.ts";

let program: RunningApplication;
beforeAll(async () => {
  program = await serveDemonstration({ file: example("lending") });
});

const cells = `Name\tKind\tPlace\tColour
Band saw\tTool\tWorkshop\tred
Beamer\tRocket\tReception\tblue
Ladder long\tFurniture\t\t
`;

const number = (page: Awaited<ReturnType<typeof visitAs>>, label: string) =>
  page.locator(".import-counts > div", { hasText: label }).locator("dd").textContent();

test("a keeper pastes cells, matches the columns, checks, imports what fits, and undoes it", async () => {
  const page = await visitAs(program.url, keeper, { path: "/things" });
  await page.getByRole("button", { name: "More list actions" }).click();
  await page.getByRole("menuitem", { name: "Import things" }).click();
  const dialog = page.getByRole("dialog", { name: "Import things" });
  await dialog.getByLabel("Or paste cells from a spreadsheet, with the header row").fill(cells);
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Use these cells" }).click();

  // Names match automatically; no field is called a colour.
  await dialog.getByRole("button", { name: "Check 3 rows" }).waitFor();
  expect(await dialog.getByLabel("Field for “Kind”").inputValue()).toBe("kind");
  expect(await dialog.getByLabel("Field for “Colour”").inputValue()).toBe("");
  await dialog.getByLabel("Field for “Colour”").selectOption("note");
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Check 3 rows" }).press("Enter");

  await dialog.getByText("Why rows are refused").waitFor();
  expect(await number(page, "to add")).toBe("2");
  expect(await number(page, "refused")).toBe("1");
  await dialog.getByText("Row 3.").waitFor();
  await dialog.getByText("“Rocket”").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  const download = page.waitForEvent("download");
  await dialog.getByRole("link", { name: "Download the refused rows" }).click();
  expect((await download).suggestedFilename()).toBe("refused.csv");

  await dialog.getByRole("button", { name: "Import 2 rows" }).press("Enter");
  await dialog.getByRole("button", { name: "Undo the import" }).waitFor();
  expect(await number(page, "added")).toBe("2");
  // The list behind the dialog shows them.
  await page.locator("main").getByText("Band saw").first().waitFor();

  await dialog.getByRole("button", { name: "Undo the import" }).press("Enter");
  await dialog.getByText("The import was undone.").waitFor();
  await dialog.getByRole("button", { name: "Close" }).last().press("Enter");
  await expect.poll(() => page.locator("main").getByText("Band saw").count()).toBe(0);
  expect(complaints(page)).toEqual([]);
});

test("the numbers of all refused rows can be shown", async () => {
  const page = await visitAs(program.url, keeper, { path: "/things" });
  await page.getByRole("button", { name: "More list actions" }).click();
  await page.getByRole("menuitem", { name: "Import things" }).click();
  const dialog = page.getByRole("dialog", { name: "Import things" });
  const rows = Array.from({ length: 14 }, (_, i) => `Thing ${i},Rocket`);
  await dialog
    .getByLabel("Or paste cells from a spreadsheet, with the header row")
    .fill(["Name,Kind", ...rows].join("\n"));
  await dialog.getByRole("button", { name: "Use these cells" }).click();
  await dialog.getByRole("button", { name: "Check 14 rows" }).click();
  await dialog.getByText(/^Rows .* and 6 more\.$/u).waitFor();
  await dialog.getByRole("button", { name: "Show 14 rows" }).press("Enter");
  await dialog.getByText(/^Rows 2, .* 14 and 15\.$/u).waitFor();
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toMatch(/^Rows 2/u);
});

test("dates that fit two orders are asked about, on a phone too", async () => {
  const page = await visitAs(program.url, keeper, { path: "/loans", width: 390, theme: "dark" });
  await page.getByRole("button", { name: "More list actions" }).click();
  await page.getByRole("menuitem", { name: "Import loans" }).click();
  const dialog = page.getByRole("dialog", { name: "Import loans" });
  await dialog
    .getByLabel("Or paste cells from a spreadsheet, with the header row")
    .fill("Thing,From day,Due day\nCordless drill,01/02/2027,03/02/2027 14:30\nNo such thing,01/02/2027,03/02/2027\n");
  await dialog.getByRole("button", { name: "Use these cells" }).click();
  const check = dialog.getByRole("button", { name: "Check 2 rows" });
  await check.waitFor();
  expect(await check.getAttribute("aria-disabled")).toBe("true");
  for (const header of ["From day", "Due day"])
    await dialog.getByLabel(`Order of the dates in “${header}”`).selectOption("dmy");
  expect(await sideways(page)).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  await check.click();
  await dialog.getByText("The record in “Thing” doesn’t exist or you don’t have access.").waitFor();
  expect(await number(page, "to add")).toBe("1");
  await dialog.getByRole("heading", { name: "Values that are changed to fit" }).waitFor();
  await dialog
    .getByText("Due day: the time of day was left out in 1 row, such as 03/02/2027 14:30 → 2027-02-03.")
    .waitFor();
  expect(await sideways(page)).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  expect(complaints(page)).toEqual([]);
});

test("a file that is no table says so, and another one can be chosen at once", async () => {
  const page = await visitAs(program.url, keeper, { path: "/things" });
  await page.getByRole("button", { name: "More list actions" }).click();
  await page.getByRole("menuitem", { name: "Import things" }).click();
  const dialog = page.getByRole("dialog", { name: "Import things" });
  await dialog.locator("input[type=file]").setInputFiles({
    name: "photo.png",
    mimeType: "image/png",
    buffer: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 0, 0, 0]),
  });
  await dialog.getByRole("alert").getByText("The file contains no table.").waitFor();
  await dialog.locator("input[type=file]").setInputFiles({
    name: "things.csv",
    mimeType: "text/csv",
    buffer: Buffer.from("\ufeffName;Kind\r\nSäge;Tool\r\n"),
  });
  await dialog.getByRole("button", { name: "Check 1 row" }).waitFor();
  expect(complaints(page)).toEqual([]);
});

test("says before the import that it can’t be undone, and what became of earlier files", async () => {
  const purchasing = await serveDemonstration({ file: example("purchasing") });
  const page = await visitAs(purchasing.url, "Lukas Brandt", { path: "/suppliers" });
  await page.getByRole("button", { name: "More list actions" }).click();
  await page.getByRole("menuitem", { name: "Import suppliers" }).click();
  const dialog = page.getByRole("dialog", { name: "Import suppliers" });
  const supply = async (name: string) => {
    await dialog
      .getByLabel("Or paste cells from a spreadsheet, with the header row")
      .fill(`Name,Town,Email\n${name},Kiel,info@lamps.example\n`);
    await dialog.getByRole("button", { name: "Use these cells" }).click();
    await dialog.getByRole("button", { name: "Check 1 row" }).click();
    await dialog.getByText(/^You won’t be able to undo this import, .*can delete a supplier/u).waitFor();
  };
  await supply("Nordlicht Lamps");
  await dialog.getByRole("button", { name: "Import 1 row" }).click();
  await dialog.getByText(/^You can’t undo this import/u).waitFor();
  await dialog.getByRole("button", { name: "Import another file" }).click();
  await supply("Southern Lamps");
  await dialog.getByRole("button", { name: "Import another file" }).click();
  const earlier = dialog.getByRole("region", { name: "Earlier imports" }).getByRole("button");
  await expect
    .poll(() => earlier.allTextContents())
    .toEqual([expect.stringMatching(/: 1 row, not imported yet$/u), expect.stringMatching(/: 1 row$/u)]);
  expect(complaints(page)).toEqual([]);
});
