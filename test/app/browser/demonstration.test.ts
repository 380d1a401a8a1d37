import { expect, test } from "vitest";
import { axeFindings } from "../../web/axe.ts";
import { administrator, atRest, complaints, focused, keeper, pressUntil, visit, visitAs } from "../../web/browser.ts";
import { example, startProgram } from "../program.ts";

/* The first minutes with a demonstration. */

const program = await startProgram({ file: example("lending") });

test("the sign-in page names the work of each person, and its author begins in the workbench", async () => {
  const page = await visit(program.url);
  await page.getByRole("button", { name: /Jonas Weber.*Keeper.*Hand over, decline and take back loans/u }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await pressUntil(page, "Tab", /button "Jonas Weber|Light|Dark|theme/);
  expect(await focused(page)).toMatch(/button "Jonas Weber/u);
  await pressUntil(page, "Tab", /button "Edit this application/);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/workbench/u);
  expect(complaints(page)).toEqual([]);
});

test("a link of an earlier start says so, and a person can be chosen instead", async () => {
  const page = await visit(program.url, { path: `/sign-in#demo=${"x".repeat(43)}` });
  await page.getByRole("alert").getByText("This sign-in link is from a previous run").waitFor();
  await atRest(page);
  expect(await axeFindings(page)).toEqual([]);
  expect(await page.getByText("Wrong email or password.").count()).toBe(0);
  await page.getByRole("button", { name: /Jonas Weber.*Keeper/u }).click();
  await page.waitForURL(`${program.url}/`);
});

test("an administrator without a role sees what to do in place of zeros", async () => {
  const page = await visitAs(program.url, administrator, { path: "/" });
  await page.getByRole("heading", { name: "What you can do here" }).waitFor();
  expect(await page.getByRole("region", { name: "Requested" }).count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("link", { name: /^Manage people and roles/u }).click();
  await page.waitForURL(/\/workbench\/people/u);
});

test("? opens help: the actions of the page, a tour and the documentation", async () => {
  const page = await visitAs(program.url, keeper, { path: "/" });
  await atRest(page);
  const help = page.getByRole("dialog", { name: "Help" });
  // In sight for people who do not know the key.
  await page.getByRole("navigation").getByRole("button", { name: "Help" }).click();
  await help.getByText("Loans: Add, Hand over, Decline and Take back").waitFor();
  await page.keyboard.press("Escape");
  await help.waitFor({ state: "detached" });
  await page.keyboard.press("?");
  await help.getByText("Loans: Add, Hand over, Decline and Take back").waitFor();
  // By where they work.
  expect(await help.getByRole("heading", { level: 4 }).allTextContents()).toEqual([
    "Everywhere",
    "In lists",
    "On boards and in calendars",
    "On records and in forms",
  ]);
  expect(await axeFindings(page)).toEqual([]);
  expect(await help.getByRole("link", { name: "Ninefold documentation" }).getAttribute("href")).toBe("/_/docs");
  await pressUntil(page, "Tab", /link "Drag a card on the board/);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/loans\?layout=board/u);
  await help.waitFor({ state: "detached" });
  expect(await focused(page)).not.toContain("dialog");
  await page.goto(`${program.url}/_/docs?search=no+overlap`);
  await page.getByRole("link", { name: "L5 Validation rules" }).click();
  await page.getByRole("heading", { name: "L5 Validation rules" }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(complaints(page)).toEqual([]);
});
