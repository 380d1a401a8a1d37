import { statSync } from "node:fs";
import { request } from "node:http";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { createGate } from "../../wait.ts";
import { axeFindings } from "../../web/axe.ts";
import {
  administrator,
  complaints,
  compose,
  enterWhileComposing,
  focused,
  keeper,
  member,
  namedByWhy,
  pressUntil,
  visit,
  visitAs,
} from "../../web/browser.ts";
import { example, type Program, type RunningApplication, serveDemonstration, startProgram } from "../program.ts";
import { requestNewThing } from "../request-new-thing.ts";

let program: Program;
beforeAll(async () => {
  program = await startProgram({ file: example("lending") });
});

/** Requests a thing through the form. */
const askFor = async (page: Page, thing: string, remark: string): Promise<void> => {
  await page.goto(`${program.url}/loans/new`);
  await page.getByRole("combobox", { name: "Thing" }).fill(thing);
  await page.getByRole("option", { name: thing }).click();
  await page.getByRole("textbox", { name: "From day" }).fill("today");
  await page.getByRole("textbox", { name: "Due day" }).fill("+7");
  await page.getByRole("textbox", { name: "Remark" }).fill(remark);
};

const filters = (page: Page) => page.getByRole("group", { name: "Filters" });
const saved = (page: Page) => page.getByRole("heading", { level: 2, name: "Progress" }).waitFor();

describe("signing in", () => {
  test("shows the sentence of point 1, and gives the same error for a wrong address and a wrong password", async () => {
    const page = await visit(program.url);
    await page.getByText("Members borrow the team’s equipment, and keepers hand it over and take it back.").waitFor();
    const text: (string | null)[] = [];
    for (const email of ["jonas.weber@example.com", "nobody@example.com"]) {
      await page.getByLabel("Email").fill(email);
      await page.getByLabel("Password", { exact: true }).fill("not the password");
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
      await page.getByRole("alert").filter({ hasText: /\w/ }).waitFor();
      text.push(await page.getByRole("alert").filter({ hasText: /\w/ }).textContent());
      await page.reload();
    }
    expect(text[0]).toBe(text[1]);
    expect(complaints(page)).toEqual([]);
  });

  test("by a link signs in at once and leaves no token in the address", async () => {
    const link = /\S+#demo=\S+/.exec(program.output())?.[0] ?? "";
    const page = await visit(link.replace(/\/sign-in.*/, ""), { path: new URL(link).pathname + new URL(link).hash });
    await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();
    expect(page.url()).not.toContain("demo=");
    await page.goBack();
    expect(page.url()).not.toContain("demo=");
  });

  test("returns to the page that was asked for", async () => {
    const page = await visit(program.url, { path: "/things?kind=tool" });
    await page.getByRole("button", { name: keeper }).click();
    await page.getByRole("heading", { level: 1, name: "Things" }).waitFor();
    expect(new URL(page.url()).search).toBe("?kind=tool");
  });
});

test("a loan goes through its whole workflow by keyboard", async () => {
  const page = await visit(program.url);
  await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
  await pressUntil(page, "Tab", /button "Lukas Brandt/);
  await page.keyboard.press("Enter");
  await page.getByRole("region", { name: "Requested" }).waitFor();

  // Requested
  await page.keyboard.press("c");
  await page.getByRole("heading", { level: 1, name: "New loan" }).waitFor();
  await expect.poll(() => focused(page)).toMatch(/combobox "Thing"/);
  await page.keyboard.type("ladd");
  await page.getByRole("option", { name: "Ladder" }).waitFor();
  await page.keyboard.press("Enter");
  await pressUntil(page, "Tab", /textbox "From day"/);
  await page.keyboard.type("today");
  await pressUntil(page, "Tab", /textbox "Due day"/);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await pressUntil(page, "Tab", /textbox "Remark"/);
  await page.keyboard.type("By keyboard alone");
  await page.keyboard.press("Control+Enter");
  await saved(page);
  const address = page.url();

  // Signs out, and in as a keeper
  await pressUntil(page, "Shift+Tab", /button "Signed in: Lukas Brandt/);
  await page.keyboard.press("Enter");
  await page.getByRole("menu").waitFor();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
  await pressUntil(page, "Tab", /button "Jonas Weber/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Overview" }).waitFor();

  // Filters the list and finds the request
  await pressUntil(page, "Shift+Tab", /link "Loans"/);
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { level: 1, name: "Loans" }).waitFor();
  await page.keyboard.press("/");
  await pressUntil(page, "Tab", /button "Status"/);
  await page.keyboard.press("Enter");
  await page.getByRole("checkbox", { name: "Requested" }).waitFor();
  await pressUntil(page, "Tab", /checkbox "Requested"/);
  await page.keyboard.press("Space");
  await page.waitForURL(/status=asked/);
  await page.keyboard.press("Escape");
  await expect.poll(() => focused(page)).toMatch(/button "Status: Requested"/);
  await page.goto(address);
  await saved(page);

  // It cannot be returned before it is lent: the control gives the reason
  await pressUntil(page, "Tab", /button "Take back"/);
  await page.keyboard.press("Enter");
  const why = page.getByRole("dialog", { name: "Why not “Take back”?" });
  await why.getByRole("heading", { level: 3 }).waitFor();
  await why.getByRole("button", { name: "Show sources" }).press("Enter");
  expect(await why.getByText("4.Loan.take_back", { exact: true }).count()).toBe(1);
  await page.keyboard.press("Escape");
  await expect.poll(() => focused(page)).toMatch(/button "Take back"/);

  // Lent, and back
  await pressUntil(page, "Shift+Tab", /button "Hand over…"/);
  await page.keyboard.press("Enter");
  // No undo takes it back, so a question comes first. It is not the end: the keeper can take the thing back.
  await page.getByRole("dialog").waitFor();
  expect(await page.getByText("This can’t be undone", { exact: false }).count()).toBe(0);
  await page.keyboard.press("Enter");
  await page.getByText("Jonas Weber: Hand over").waitFor();
  // Its control is gone, so the record has the focus.
  await expect.poll(() => focused(page)).toMatch(/heading "Ladder/u);
  // Now possible: the control no longer gives a reason.
  await page
    .getByRole("button", { name: /^Take back/, disabled: false })
    .first()
    .waitFor();
  await pressUntil(page, "Tab", /button "Take back…"/);
  await page.keyboard.press("Enter");
  // A final state is entered after a question only.
  await page.getByText("“Returned” is final").waitFor();
  await expect.poll(() => focused(page)).toMatch(/button "Take back"/);
  await page.keyboard.press("Enter");
  await page.getByText("Jonas Weber: Take back").waitFor();
  const path = page.getByRole("complementary").getByRole("list").first();
  await expect
    .poll(() => path.getByRole("listitem").allTextContents())
    .toEqual([
      expect.stringContaining("Requested"),
      expect.stringContaining("Lent"),
      expect.stringContaining("Returned"),
    ]);
  expect(complaints(page)).toEqual([]);
});

describe("a leave request, by keyboard", () => {
  // A Monday of next March, without sample requests and without a change of year.
  const year = new Date().getFullYear() + 1;
  const monday = [1, 2, 3, 4, 5, 6, 7].find((day) => new Date(Date.UTC(year, 2, day)).getUTCDay() === 1) ?? 1;
  const inMarch = (day: number) => `${year}-03-${String(day).padStart(2, "0")}`;

  let desk: RunningApplication;
  beforeAll(async () => {
    desk = await serveDemonstration({ file: example("leave-desk") });
    const payroll = await desk.signInAs("payroll");
    const people = (await payroll.get("/api/users?limit=50")).list().items;
    const named = (name: string) => people.find((one) => one.name === name);
    const [lukas, mei] = [named("Lukas Brandt"), named("Mei Tanaka")];
    const answer = await payroll.patch(
      `/api/users/${lukas?.id}`,
      { manager: mei?.id ?? null },
      { "if-match": `"${lukas?.version}"` },
    );
    expect(answer.record().manager).toMatchObject({ id: mei?.id });
  });

  test("is submitted after its errors are fixed, and its author signs out", async () => {
    const page = await visit(desk.url);
    await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
    await pressUntil(page, "Tab", /button "Lukas Brandt/);
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Waiting for my decision" }).waitFor();
    await page.keyboard.press("c");
    await page.getByRole("heading", { level: 1, name: "Request leave" }).waitFor();
    await page.getByRole("radio", { name: "Special" }).waitFor();
    // A choice that is not made yet is one tab stop.
    await expect.poll(() => focused(page)).toMatch(/radio/);
    await page.keyboard.press("Tab");
    expect(await focused(page)).not.toMatch(/radio/);
    await page.keyboard.press("Shift+Tab");
    await pressUntil(page, "ArrowRight", /radio "Special" \[checked\]/, 4);
    await pressUntil(page, "Tab", /textbox "First day"/);
    // The default is today.
    await expect.poll(() => page.getByRole("textbox", { name: "First day" }).inputValue()).not.toBe("");
    await page.keyboard.press("Control+a");
    await page.keyboard.type(inMarch(monday));
    await pressUntil(page, "Tab", /textbox "Last day"/);
    // Rules that a form can check are reported when the field loses focus, and disappear after the correction.
    const reversed = page.getByText(/^The last day \(.*\) is before the first day \(.*\)\.$/u);
    await page.keyboard.type(`${year - 1}-03-01`);
    await page.keyboard.press("Tab");
    await reversed.waitFor();
    await pressUntil(page, "Shift+Tab", /textbox "Last day"/);
    await page.keyboard.press("Control+a");
    await page.keyboard.type(inMarch(monday));
    await reversed.waitFor({ state: "detached" });
    await page.keyboard.press("ArrowUp");
    await pressUntil(page, "Tab", /button "Submit"/);
    await page.keyboard.press("Enter");

    // Known errors are reported before sending, with a link to the field.
    const unsent = page.getByRole("alert").filter({ hasText: "Couldn’t submit. Fix 1 problem." });
    await unsent.getByText("Your input is kept as a draft.").waitFor();
    await pressUntil(page, "Tab", /button "Why\?"/);
    await page.keyboard.press("Enter");
    const reason = page.getByRole("dialog", { name: /^Special leave needs a reason/ });
    await reason.getByRole("button", { name: "Show sources" }).press("Enter");
    await reason.getByText("5.Request.NOTE_MISSING").waitFor();
    await page.keyboard.press("Escape");
    await reason.waitFor({ state: "detached" });
    await expect.poll(() => focused(page)).toMatch(/button "Why\?"/);
    await pressUntil(page, "Shift+Tab", /link "Special leave needs a reason/);
    await page.keyboard.press("Enter");
    await expect.poll(() => focused(page)).toMatch(/textbox "Note"/);
    await page.keyboard.type("By keyboard alone");
    // It presses the main button, which saves and submits.
    await page.keyboard.press("Control+Enter");
    await saved(page);
    await page.getByText("Lukas Brandt: Submit").waitFor();
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toContain(`${year}`);

    await pressUntil(page, "Shift+Tab", /button "Signed in: Lukas Brandt/);
    await page.keyboard.press("Enter");
    await page.getByRole("menu").waitFor();
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test("is announced to the manager, who opens and approves it", async () => {
    const author = await visitAs(desk.url, "Lukas Brandt", { path: "/" });
    const { request: calls } = author.context();
    const draft = await calls.post(`${desk.url}/api/requests`, {
      data: { kind: "special", first_day: inMarch(monday + 2), last_day: inMarch(monday + 3), note: "We move house." },
    });
    const { id } = (await draft.json()) as { id: string };
    const submitted = await calls.post(`${desk.url}/api/requests/${id}/submit`, { data: {} });
    expect(submitted.status()).toBe(200);
    await author.context().close();

    const page = await visit(desk.url);
    await page.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
    await pressUntil(page, "Tab", /button "Mei Tanaka/);
    await page.keyboard.press("Enter");
    await page.getByRole("region", { name: "Waiting for my decision" }).waitFor();
    await page.getByRole("button", { name: /^Notifications .* unread$/ }).waitFor();
    await page.keyboard.press("n");
    const told = page.getByRole("dialog", { name: "Notifications" }).getByRole("listitem");
    expect(await namedByWhy(page, told.filter({ hasText: /Lukas Brandt requests leave/ }).first())).toMatch(
      /^4\.Request\.after\.submit/u,
    );
    await pressUntil(page, "Shift+Tab", /button "Mark all as read"/);
    await pressUntil(page, "Tab", /link "Lukas Brandt requests leave from [^"]* Days: 2\./);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: /^Lukas Brandt/ }).waitFor();
    await pressUntil(page, "Tab", /button "Grant…"/);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    expect(await page.getByText("This can’t be undone", { exact: false }).count()).toBe(0);
    await page.keyboard.press("Enter");
    await page.getByText("Mei Tanaka: Grant").waitFor();
    const lines = page.getByRole("complementary").getByRole("list").last().getByRole("listitem");
    await expect
      .poll(() => lines.allTextContents())
      .toEqual([
        expect.stringContaining("Mei Tanaka: Grant"),
        // Without the line of its creation, because managers cannot read drafts.
        expect.stringContaining("Lukas Brandt: Submit"),
      ]);
    // Names of clauses are for administrators, who can open them.
    expect((await lines.allTextContents()).join()).not.toContain("4.Request");

    expect(complaints(page)).toEqual([]);
  });

  // Only the server can check rules on other records.
  test("over the allowance is saved as a draft, and its page says why it was not submitted", async () => {
    const page = await visitAs(desk.url, "Mei Tanaka", { path: "/requests/new" });
    await page.getByText("Holiday", { exact: true }).click();
    await page.getByRole("textbox", { name: "First day" }).fill(`${year}-04-01`);
    await page.getByRole("textbox", { name: "Last day" }).fill(`${year}-10-30`);
    await page.getByRole("button", { name: "Submit" }).click();
    const undone = page.getByRole("alert").filter({ hasText: "Couldn’t submit" });
    await undone.waitFor();
    await expect.poll(() => focused(page)).toMatch(/alert/);
    // The names of the parts of a rule stand for what they are computed from.
    await undone.getByRole("button", { name: "Why?" }).press("Enter");
    await page
      .getByText("The rule requires: if the kind is “Holiday”, “Taken” plus the days is at most “Total”.")
      .waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("article").getByText("Draft").first().waitFor();
    expect(complaints(page)).toEqual([]);
  });
});

describe("a list", () => {
  test("is filtered and sorted in the address, and the column shows it", async () => {
    const page = await visitAs(program.url, keeper);
    await filters(page).getByRole("button", { name: "Status" }).click();
    await page.getByRole("checkbox", { name: "Lent" }).check();
    await page.waitForURL(/status=lent/);
    await page.keyboard.press("Escape");
    await page.getByRole("columnheader", { name: "From day" }).getByRole("button").click();
    await page.waitForURL(/sort=-from_day/);
    await expect
      .poll(() => page.getByRole("columnheader", { name: "From day" }).getAttribute("aria-sort"))
      .toBe("descending");
    await page.reload();
    await page.getByRole("row").nth(1).waitFor();
    await expect
      .poll(() => page.getByRole("columnheader", { name: "From day" }).getAttribute("aria-sort"))
      .toBe("descending");
    for (const row of (await page.getByRole("row").all()).slice(1))
      await expect.poll(() => row.textContent()).toContain("Lent");
    await page.getByRole("button", { name: "Remove the filter on Status" }).click();
    await page.waitForURL((url) => !url.search.includes("status"));
  });

  test("the arrow keys move through its rows, Enter opens one, and Back returns to it", async () => {
    const page = await visitAs(program.url, keeper);
    await page.getByRole("row").nth(3).waitFor();
    for (let times = 0; times < 3; times++) await page.keyboard.press("ArrowDown");
    const row = await focused(page);
    await page.keyboard.press("Enter");
    await saved(page);
    await expect.poll(() => page.getByText("3 of ").textContent()).toMatch(/^3 of \d+$/);
    await page.keyboard.press("j");
    await page.getByText("4 of ").waitFor();
    await page.keyboard.press("k");
    await page.getByText("3 of ").waitFor();
    await page.goBack();
    await page.getByRole("row").nth(3).waitFor();
    await expect.poll(() => focused(page)).toBe(row);
  });

  test("without a match names its filters and clears them", async () => {
    const page = await visitAs(program.url, administrator, { path: "/loans?status=lent" });
    await page.getByText("No loans match").waitFor();
    await page.getByText("Filtered by Status: Lent.").waitFor();
    await page.getByRole("region", { name: "Loans" }).getByRole("button", { name: "Clear filters" }).click();
    await page.getByText("No loans yet").waitFor();
  });

  test("with an unknown filter says so, and links to the whole list", async () => {
    const page = await visitAs(program.url, keeper, { path: "/things?kind=nothing-of-this-kind" });
    await page.getByRole("button", { name: "Show all" }).click();
    await page.getByRole("row").nth(1).waitFor();
    await page.goto(`${program.url}/loans?due_day=soon`);
    await page.getByRole("button", { name: "Due day: soon" }).waitFor();
    await page.getByRole("button", { name: "Show all" }).click();
    await page.getByRole("row").nth(1).waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test("hides controls that nobody can use, and W explains step by step what is possible", async () => {
    const page = await visitAs(program.url, member, { path: "/things" });
    await page.getByRole("row").nth(1).waitFor();
    await expect.poll(() => page.getByRole("link", { name: "New thing" }).count()).toBe(0);
    await page.keyboard.press("w");
    const dialog = page.getByRole("dialog", { name: "What can you do with things?" });
    await dialog.getByText("Only a keeper can create a thing.").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    expect(complaints(page)).toEqual([]);
  });
});

describe("“Why?”", () => {
  test("from the palette: actions on a record, the steps, and a hidden field", async () => {
    const page = await visitAs(program.url, keeper, { path: "/loans?status=asked" });
    await page.getByRole("row").nth(1).getByRole("link").first().click();
    await saved(page);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("why take back");
    await page.getByRole("option", { name: /Take back/ }).waitFor();
    await page.keyboard.press("Enter");
    const panel = page.getByRole("dialog", { name: "Why not “Take back”?" });
    await panel.getByText("“Take back” is only possible while the loan is “Lent”, not “Requested”.").waitFor();
    await expect.poll(() => focused(page)).toContain("Take back");
    await panel.getByRole("heading", { name: "Conditions" }).click();
    await panel.getByText("the status is “Lent”").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox").fill("what can i do");
    await page.getByRole("option", { name: /What can I do here/ }).waitFor();
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "What can you do with this loan?" });
    await dialog.getByRole("textbox", { name: "Missing a field?" }).fill("deposit");
    await page.keyboard.press("Enter");
    await dialog.getByText("The field “deposit” doesn’t exist here or you don’t have access.").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints(page)).toEqual([]);
  });

  test("an administrator asks for somebody else, and follows a step to its line in the document", async () => {
    const page = await visitAs(program.url, administrator, { path: "/loans" });
    await page.getByRole("button", { name: "More list actions" }).click();
    await page.getByRole("menuitem", { name: "What can I do here?" }).click();
    const dialog = page.getByRole("dialog", { name: "What can you do with loans?" });
    await dialog.getByRole("combobox", { name: "For" }).selectOption({ label: keeper });
    await dialog.getByText("Yes, if the status is “Lent”.").waitFor();
    await dialog.getByText("Take back").click();
    await dialog.getByRole("link", { name: "4.Loan.take_back" }).first().click();
    await page.waitForURL(/workbench\/document\?clause=4\.Loan\.take_back/);
    expect(complaints(page)).toEqual([]);
  });
});

describe("a form", () => {
  test("that is refused lists the errors first and at each field; “Why?” names the clause", async () => {
    const page = await visitAs(program.url, member);
    await askFor(page, "Projector", "");
    await page.getByRole("textbox", { name: "Due day" }).fill("-3");
    await page.getByRole("button", { name: /^Create / }).click();
    const summary = page.getByRole("alert").filter({ hasText: "Not saved. Fix 1 problem." });
    await expect.poll(() => focused(page)).toMatch(/textbox "Due day"/);
    await expect.poll(() => summary.textContent()).not.toContain("5.Loan");
    expect(await namedByWhy(page, summary)).toBe("5.Loan.DUE_BEFORE_START");
    expect(await namedByWhy(page, page.locator(".form-field.bad"))).toBe("5.Loan.DUE_BEFORE_START");
    expect(await axeFindings(page)).toEqual([]);
    await summary.getByRole("link").click();
    await expect.poll(() => focused(page)).toMatch(/textbox "Due day"/);
    const due = page.getByRole("textbox", { name: "Due day" });
    await expect.poll(() => due.getAttribute("aria-invalid")).toBe("true");
    await expect.poll(() => due.getAttribute("aria-describedby")).toBeTruthy();
    await due.fill("+3");
    await page.getByRole("alert").filter({ hasText: "You’ve changed the fields that had problems" }).waitFor();
    await page.getByRole("button", { name: /^Create / }).click();
    await saved(page);
  });

  test("keeps a draft over a reload, and deletes it after saving", async () => {
    const page = await visitAs(program.url, member);
    await askFor(page, "Camera", "Half a sentence");
    await page.getByText("Kept on this device").waitFor();
    await page.reload();
    await page.getByText(/Continuing from your draft/).waitFor();
    await expect.poll(() => page.getByRole("textbox", { name: "Remark" }).inputValue()).toBe("Half a sentence");
    await expect.poll(() => page.getByRole("combobox", { name: "Thing" }).inputValue()).toBe("Camera");
    await page.getByRole("button", { name: /^Create / }).click();
    await saved(page);
    await page.goto(`${program.url}/loans/new`);
    await page.getByRole("combobox", { name: "Thing" }).waitFor();
    await expect.poll(() => page.getByText(/Continuing from your draft/).count()).toBe(0);
  });

  test("creates one record, even if its button is pressed several times", async () => {
    const page = await visitAs(program.url, member);
    await askFor(page, "Ladder", "Pressed twice");
    await page.getByRole("button", { name: /^Create / }).dblclick();
    await saved(page);
    const asked = await program.signInAs("keeper");
    const loans = (await asked.get("/api/loans?limit=200")).list().items;
    expect(loans.filter(({ remark }) => remark === "Pressed twice")).toHaveLength(1);
  });

  test("shows changes that somebody else saved, and saves the chosen values", async () => {
    const page = await visitAs(program.url, member);
    await askFor(page, "Ladder", "As it began");
    await page.getByRole("button", { name: /^Create / }).click();
    await saved(page);
    const elsewhere = await page.context().newPage();
    await elsewhere.goto(`${page.url()}/edit`);
    await page.getByRole("link", { name: "Edit" }).click();
    for (const [one, words] of [
      [page, "Typed here words"],
      [elsewhere, "Saved there words"],
    ] as const)
      await one.getByRole("textbox", { name: "Remark" }).fill(words);
    await elsewhere.getByRole("button", { name: "Save" }).click();
    await saved(elsewhere);
    await page.getByRole("button", { name: "Save" }).click();
    const conflict = page.getByRole("alert").filter({ hasText: "Someone else saved changes" });
    await conflict.getByText("Saved there words").waitFor();
    await conflict.getByRole("radio", { name: /Your version/ }).check();
    await conflict.getByRole("button", { name: "Save these values" }).click();
    await saved(page);
    await page.getByRole("main").getByText("Typed here words").first().waitFor();
  });

  test("says while it is open which fields somebody else changed, and shows their values", async () => {
    const page = await visitAs(program.url, member);
    await askFor(page, "Ladder", "As it began");
    await page.getByRole("button", { name: /^Create / }).click();
    await saved(page);
    const record = page.url();
    const remark = page.getByRole("textbox", { name: "Remark" });
    const changed = page.getByRole("status").filter({ hasText: "Someone else saved changes" });
    const elsewhere = async (words: string) => {
      const other = await page.context().newPage();
      await other.goto(`${record}/edit`);
      await other.getByRole("textbox", { name: "Remark" }).fill(words);
      await other.getByRole("button", { name: "Save" }).click();
      await saved(other);
      await other.close();
    };
    await page.getByRole("link", { name: "Edit" }).click();
    await remark.waitFor();
    await elsewhere("Saved there first");
    await changed.getByText("editing: Remark.").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    // The form does not change while the user types.
    await expect.poll(() => remark.inputValue()).toBe("As it began");
    await changed.getByRole("button", { name: "Show changes" }).click();
    await changed.waitFor({ state: "detached" });
    await expect.poll(() => remark.inputValue()).toBe("Saved there first");

    await remark.fill("Typed here");
    await elsewhere("Saved there again");
    await changed.getByRole("button", { name: "Show changes" }).click();
    const conflict = page.getByRole("alert").filter({ hasText: "Someone else saved changes" });
    await conflict.getByText("Saved there again").waitFor();
    await expect.poll(() => changed.count()).toBe(0);
    await conflict.getByRole("radio", { name: /Your version/ }).check();
    await conflict.getByRole("button", { name: "Save these values" }).click();
    await saved(page);
    await page.getByRole("main").getByText("Typed here").first().waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test("announces the number of options, or that there are none", async () => {
    const page = await visitAs(program.url, member, { path: "/loans/new" });
    const thing = page.getByRole("combobox", { name: "Thing" });
    const spoken = page.locator(".spoken[aria-live=polite]");
    await thing.fill("toolb");
    await expect.poll(() => spoken.textContent()).toBe("1 option");
    await thing.fill("zzz");
    await expect.poll(() => spoken.textContent()).toBe("No results for “zzz”");
  });

  test("says that nothing was found only after the search has ended", async () => {
    const page = await visitAs(program.url, member, { path: "/loans/new" });
    const thing = page.getByRole("combobox", { name: "Thing" });
    const spoken = page.locator(".spoken[aria-live=polite]");
    const search = /[?&]search=zzz(?:&|$)/u;
    const { opened: held, open: answer } = createGate();
    await page.route(search, async (route) => {
      await held;
      await route.continue();
    });
    await thing.fill("toolb");
    await expect.poll(() => spoken.textContent()).toBe("1 option");
    const asked = page.waitForRequest(search);
    await thing.fill("zzz");
    await asked;
    expect(await spoken.textContent()).toBe("1 option");
    expect(await page.locator(".option-none").textContent()).toBe("Searching");
    answer();
    await expect.poll(() => spoken.textContent()).toBe("No results for “zzz”");
  });

  test("takes no option during an IME composition: Enter then ends the composition", async () => {
    const page = await visitAs(program.url, member, { path: "/loans/new" });
    const thing = page.getByRole("combobox", { name: "Thing" });
    await thing.focus();
    await compose(page, "toolb");
    await page.getByRole("option", { name: "Toolbox" }).waitFor();
    expect(await enterWhileComposing(page)).toBe(true);
    await expect.poll(() => thing.inputValue()).toBe("toolb");
    await expect.poll(() => page.getByRole("option", { name: "Toolbox" }).count()).toBe(1);
    await page.keyboard.insertText("toolb");
    await page.keyboard.press("Enter");
    await page.getByRole("option", { name: "Toolbox" }).waitFor({ state: "detached" });
    await expect.poll(() => thing.inputValue()).toBe("Toolbox");
  });

  test("loses nothing when the session ends: signing in again happens above the form", async () => {
    const page = await visitAs(program.url, member);
    await askFor(page, "Projector", "Still here");
    await page.context().clearCookies();
    await page.getByRole("button", { name: /^Create / }).click();
    const dialog = page.getByRole("dialog", { name: "Signed out" });
    await dialog.getByRole("button", { name: `Continue as ${member}` }).click();
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => page.getByRole("textbox", { name: "Remark" }).inputValue()).toBe("Still here");
    await page.getByRole("button", { name: /^Create / }).click();
    await saved(page);
  });
});

test("a transition with fields: its dialog has its name, and says what is missing", async () => {
  const page = await visitAs(program.url, member);
  await askFor(page, "Ladder", "To be declined");
  await page.getByRole("button", { name: /^Create / }).click();
  await saved(page);
  const other = await visitAs(program.url, keeper, { path: new URL(page.url()).pathname });
  await other.getByRole("button", { name: "Decline…" }).click();
  const dialog = other.getByRole("dialog", { name: /^Decline: / });
  await dialog.getByRole("button", { name: "Decline", exact: true }).click();
  // One wrong field is in view, so its error is not listed above the fields once more.
  await expect.poll(() => focused(other)).toMatch(/textbox "Reason"/);
  expect(await dialog.getByText("Reason is required.").count()).toBe(1);
  expect(await dialog.getByRole("alert").count()).toBe(0);
  expect(await axeFindings(other)).toEqual([]);
  // On a phone it begins with its title: the field would open the keyboard, and the first button closes it.
  const phone = await visitAs(program.url, keeper, { path: new URL(page.url()).pathname, width: 390 });
  await phone.getByRole("button", { name: "Decline…" }).click();
  await expect.poll(() => focused(phone)).toMatch(/heading "Decline: /);
  await phone.close();
  await other.keyboard.type("It is reserved for someone else.");
  await other.keyboard.press("Enter");
  await other.getByText("Jonas Weber: Decline").waitFor();
  await other.getByText("It is reserved for someone else.").first().waitFor();
});

test("a question has its answer in focus, or the way out if something is destroyed, on wide screens and on phones", async () => {
  const own = await visitAs(program.url, member);
  await askFor(own, "Ladder", "To be asked about");
  await own.getByRole("button", { name: /^Create / }).click();
  await saved(own);
  const path = new URL(own.url()).pathname;
  for (const width of [1440, 390]) {
    const other = await visitAs(program.url, keeper, { path, width });
    const opener = other.getByRole("button", { name: "Hand over…" });
    await opener.focus();
    await other.keyboard.down("Enter");
    await expect.poll(() => focused(other)).toMatch(/button "Hand over"$/u);
    // Held, the key does not answer the question that it has opened.
    await other.keyboard.down("Enter");
    await other.keyboard.up("Enter");
    await other.keyboard.press("Escape");
    await other.getByRole("dialog").waitFor({ state: "detached" });
    await expect.poll(() => focused(other)).toMatch(/button "Hand over…"/u);
    await own.setViewportSize({ width, height: 844 });
    await own.getByRole("button", { name: /^More actions for / }).click();
    await own.getByRole("menuitem", { name: "Delete…" }).click();
    await expect.poll(() => focused(own)).toMatch(/button "Cancel"/u);
    await own.keyboard.press("Enter");
    await expect.poll(() => focused(own)).toMatch(/button "More actions for /u);
  }
});

test("a first list and everything that it loads in advance have less than 200 kB of script, with the texts of one language", async () => {
  // English texts are shorter.
  const page = await visitAs(program.url, keeper, { path: "/loans", locale: "de-DE" });
  const scripts = () =>
    page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .map(({ name }) => new URL(name).pathname)
        .filter((path) => path.endsWith(".js")),
    );
  // The code of records follows the rows, without that of forms.
  await expect
    .poll(async () => (await scripts()).filter((path) => /\/(?:record|shared|forms)-.{8}\.js$/u.test(path)).sort())
    .toEqual([expect.stringContaining("/record-"), expect.stringContaining("/shared-")]);
  const sizes = (await scripts()).map((path) => ({
    path,
    size: statSync(new URL(`../../../dist/web${path}.gz`, import.meta.url)).size,
  }));
  expect(sizes.filter(({ path }) => path.includes("/screen-texts-"))).toHaveLength(1);
  const total = sizes.reduce((sum, { size }) => sum + size, 0);
  expect(total, JSON.stringify(sizes)).toBeLessThan(200_000);
});

test("the workbench loads its texts in the language of the reader only", async () => {
  const page = await visitAs(program.url, administrator, { path: "/workbench", locale: "de-DE" });
  await page.getByRole("main").waitFor();
  const texts = () =>
    page.evaluate(() =>
      performance
        .getEntriesByType("resource")
        .flatMap(({ name }) => /\/((?:screen-texts|platform-texts|defaults)-).{8}\.js$/u.exec(name)?.[1] ?? []),
    );
  await expect.poll(async () => (await texts()).sort()).toEqual(["defaults-", "platform-texts-", "screen-texts-"]);
  expect(complaints(page)).toEqual([]);
});

test("the rows of an overview are reached by the arrow keys, and their actions by Tab", async () => {
  const page = await visitAs(program.url, keeper, { path: "/" });
  const rows = page.getByRole("region", { name: "Requested" }).locator("[data-row]");
  await rows.nth(1).waitFor();
  for (const key of ["ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
  expect(await rows.nth(1).evaluate((row) => row === document.activeElement)).toBe(true);
  await page.keyboard.press("ArrowUp");
  expect(await rows.nth(0).evaluate((row) => row === document.activeElement)).toBe(true);
  await page.keyboard.press("Tab");
  await expect.poll(() => focused(page)).toContain("Hand over");
});

test("requests are decided one after the other by keyboard: the row that follows has the focus, on overviews and in lists", async () => {
  // The first rows of the overview, which begins with the earliest, and of the list, which begins with the last due.
  const from_day = new Date(Date.now() - 7 * 86_400_000).toISOString().slice(0, 10);
  for (let count = 0; count < 6; count++)
    await requestNewThing(program, { from_day, due_day: "2099-01-01", remark: `Decided ${count}` });
  const page = await visitAs(program.url, keeper, { path: "/" });
  const activeRow = () => page.evaluate(() => document.activeElement?.getAttribute("data-row") ?? null);
  const answer = async (before: string | null) => {
    await expect.poll(() => focused(page)).toMatch(/button "Hand over"$/u);
    await page.keyboard.press("Enter");
    await expect.poll(activeRow).not.toBeNull();
    await expect.poll(activeRow).not.toBe(before);
  };
  await page.getByRole("region", { name: "Requested" }).locator("[data-row]").nth(3).waitFor();
  await page.keyboard.press("ArrowDown");
  for (let count = 0; count < 3; count++) {
    const row = await activeRow();
    await page.keyboard.press("Tab");
    await expect.poll(() => focused(page)).toContain("Hand over");
    await page.keyboard.press("Enter");
    await answer(row);
  }
  await page.goto(`${program.url}/loans?status=asked`);
  await page.getByRole("row").nth(3).waitFor();
  await page.keyboard.press("ArrowDown");
  for (let count = 0; count < 2; count++) {
    const row = await activeRow();
    await page.keyboard.press(".");
    await page.getByRole("menuitem", { name: "Hand over…" }).waitFor();
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => focused(page)).toContain("Hand over…");
    await page.keyboard.press("Enter");
    await answer(row);
  }
  expect(complaints(page)).toEqual([]);
});

test("scripts, style sheets and long responses are compressed for browsers that accept it", async () => {
  const page = await (await fetch(program.url)).text();
  const script = /src="(\/_\/assets\/[^"]+\.js)"/u.exec(page)?.[1];
  const encodings = async (path: string, taken: string) => {
    return new Promise((resolve) =>
      request(program.url + path, { headers: { "accept-encoding": taken, cookie: somebody.cookie() } }, (answer) => {
        answer.resume();
        resolve(answer.headers["content-encoding"]);
      }).end(),
    );
  };
  const somebody = await program.signInAs("keeper");
  expect(await encodings(script ?? "", "gzip, br")).toBe("br");
  expect(await encodings(script ?? "", "gzip")).toBe("gzip");
  expect(await encodings(script ?? "", "identity")).toBeUndefined();
  expect(await encodings("/api/loans?limit=100&may=true", "gzip")).toBe("gzip");
  expect(await encodings("/api/loans?limit=100&may=true", "identity")).toBeUndefined();
  expect(await encodings("/api/loans?limit=1", "gzip")).toBeUndefined();
});

describe("addresses", () => {
  test("that do not exist, and records that must stay hidden, show the same page", async () => {
    const page = await visitAs(program.url, member, { path: "/nowhere" });
    const nowhere = await page.getByRole("main").textContent();
    await page.goto(`${program.url}/loans/01a1f405-0000-7000-8000-000000000000`);
    await page.getByText("Page not found").last().waitFor();
    // The address could belong to a record, so the page offers “Why?”; the answer is equal for missing and hidden
    // records.
    await expect.poll(() => page.getByRole("main").textContent()).toBe(`${nowhere}Why?`);
  });

  test("of the workbench show administrators only; other people get “Page not found”", async () => {
    const page = await visitAs(program.url, member, { path: "/workbench" });
    await page.getByText("Page not found").last().waitFor();
    await expect.poll(() => page.getByRole("link", { name: "Workbench" }).count()).toBe(0);
  });
});

test("a founding document: the first administrator is led to its open points", async () => {
  const founding = await startProgram({ file: example("founding"), args: ["--no-sample"] });
  const link = /\S+#first=\S+/.exec(founding.output())?.[0];
  expect(link, founding.output()).toBeTruthy();
  const page = await visit("", { path: link ?? "" });
  await page.getByRole("heading", { name: "Create your administrator account" }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByLabel("Name").fill("Ines Adler");
  await page.getByLabel("Email").fill("ines@example.com");
  await page.getByLabel("Password", { exact: true }).fill("correct horse battery");
  await page.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("link", { name: /open points$/ }).click();
  await page.getByRole("heading", { level: 2, name: /^1\. / }).waitFor();
  await page.getByText("No routes are shown.").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page
    .getByRole("link", { name: /Specification|Back/ })
    .first()
    .click();
  await page.getByRole("link", { name: /open points$/ }).waitFor();
  expect(complaints(page)).toEqual([]);
});
