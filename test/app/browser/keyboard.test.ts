import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { complaints, focused, pressUntil, visitWith } from "../../web/browser.ts";
import { type ApiClient, example, serveText } from "../program.ts";

/*
 * A ticket from its first line to its end, by three people using only the keyboard. (A loan and a leave request are in
 * whole-lives.test.ts, a purchase with its lines in parts.test.ts.)
 */

const at = async (url: string, somebody: ApiClient): Promise<Page> => {
  const page = await visitWith(url, somebody.cookie());
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
  return page;
};

/** Follows a notification from any page, through the bell, to its record. */
const followNews = async (page: Page, told: string, label: string): Promise<void> => {
  await page.getByRole("button", { name: /^Notifications/ }).waitFor();
  await pressUntil(page, "Shift+Tab", /button "Notifications/, 120);
  await page.keyboard.press("Enter");
  await page
    .getByRole("dialog", { name: "Notifications" })
    .getByRole("link", { name: new RegExp(told, "u") })
    .first()
    .waitFor();
  // It begins at the newest one.
  await expect.poll(() => focused(page)).toMatch(/link "/u);
  const wanted = new RegExp(`link "[^"]*${told}`, "u");
  // One that came in meanwhile is above it.
  await page.keyboard.press("Home");
  if (!wanted.test(await focused(page))) await pressUntil(page, "Tab", wanted);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: label }).waitFor();
};

/** Goes to the overview: the notifications of a record that is open count as read after some seconds. */
const leave = async (page: Page): Promise<void> => {
  await page.goto(new URL("/", page.url()).href);
};

/** Presses a transition's control, wherever it is. */
const make = async (page: Page, name: string): Promise<void> => {
  await page.getByRole("button", { name, disabled: false }).first().waitFor();
  await pressUntil(page, "Tab", new RegExp(`button "${name}`), 120);
  await page.keyboard.press("Enter");
};

test("a ticket goes through its whole workflow by keyboard", { timeout: 180_000 }, async () => {
  const desk = await serveText(readFileSync(example("help-desk"), "utf8"));
  const url = await desk.listen();
  const [nora, tom] = [await desk.person("Nora Hahn", []), await desk.person("Tom Berg", ["agent"])];
  const chief = await desk.person("Ines Paulsen", ["supervisor"]);
  await chief.post("/api/categories", { name: "Printing", about: "What prints.", responsible: tom.id });
  await chief.post("/api/categories", { name: "Network", about: "What is connected." });
  const hers = await at(url, nora);
  const his = await at(url, tom);

  // Reported
  await hers.keyboard.press("c");
  await hers.getByRole("heading", { level: 1, name: "Report a problem" }).waitFor();
  await expect.poll(() => focused(hers)).toMatch(/Category|Printing|Network/);
  await hers.keyboard.type("pri");
  await hers.getByRole("option", { name: "Printing" }).waitFor();
  await hers.keyboard.press("Enter");
  await pressUntil(hers, "Tab", /textbox "Subject"/);
  await hers.keyboard.type("Grey stripes on every page");
  await pressUntil(hers, "Tab", /textbox "Description"/);
  await hers.keyboard.type("Since Monday, on the second floor.");
  await pressUntil(hers, "Tab", /radio "Me"/);
  await hers.keyboard.press("ArrowRight");
  await pressUntil(hers, "Tab", /button "Report a problem"/);
  // Also where no input has the focus
  await hers.keyboard.press("Control+Enter");
  await hers.getByRole("heading", { level: 2, name: "Progress" }).waitFor();
  const label = (await hers.getByRole("heading", { level: 1 }).textContent()) ?? "";
  expect(label).toContain("Grey stripes on every page");
  await leave(hers);

  // Taken, and a question asked
  await followNews(his, "New ticket", label);
  await make(his, "Take it");
  await his.getByText("Tom Berg: Take it").waitFor();
  // The default visibility of a comment is shown before the box is opened.
  await his.getByPlaceholder("Add comment (Visibility: Public)").waitFor();
  await make(his, "Ask the requester");
  const asking = his.getByRole("dialog", { name: /Ask the requester/ });
  await asking.waitFor();
  await expect.poll(() => focused(his)).toMatch(/textbox "Question"/);
  await his.keyboard.type("Which printer is it?");
  await pressUntil(his, "Tab", /button "Ask the requester"/);
  await his.keyboard.press("Enter");
  await asking.waitFor({ state: "hidden" });
  await leave(his);

  // Answered by a comment, which resumes the ticket
  await followNews(hers, "Tom Berg commented on", label);
  await pressUntil(hers, "Tab", /textbox "Text"/, 120);
  await hers.keyboard.type("The one beside the kitchen. https://example.com/plan");
  await hers.keyboard.press("Control+Enter");
  await hers.getByRole("region", { name: "Comments" }).getByText("The one beside the kitchen.").first().waitFor();
  const plan = hers.getByRole("link", { name: "https://example.com/plan" });
  expect(await plan.getAttribute("rel")).toBe("noopener noreferrer nofollow");
  await leave(hers);

  // Solved
  await followNews(his, "Nora Hahn commented on", label);
  await make(his, "Solve");
  const solving = his.getByRole("dialog", { name: /Solve/ });
  await solving.waitFor();
  await expect.poll(() => focused(his)).toMatch(/textbox "Solution"/);
  await his.keyboard.type("The drum was worn. It was replaced, and the new one is good for two years.");
  await pressUntil(his, "Tab", /combobox "Cause"/);
  await his.keyboard.press("d");
  await pressUntil(his, "Tab", /(?:textbox|spinbutton) "Time spent"/);
  await his.keyboard.type("25");
  await pressUntil(his, "Tab", /button "Solve"/);
  await his.keyboard.press("Enter");
  await solving.waitFor({ state: "hidden" });

  // Closed
  await followNews(hers, "is solved", label);
  await make(hers, "It works again");
  const closing = hers.getByRole("dialog");
  await closing.getByText("“Closed” is final").waitFor();
  await hers.keyboard.press("Enter");
  await hers.getByText("Nora Hahn: It works again").waitFor();
  const path = hers.getByRole("complementary").getByRole("list").first();
  expect((await path.getByRole("listitem").allTextContents()).join(" ")).toMatch(
    /Reported.*In work.*Waiting for the requester.*In work.*Solved.*Closed/,
  );
  expect([complaints(hers), complaints(his)]).toEqual([[], []]);
});
