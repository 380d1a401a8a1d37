import { readFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import type { Route } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import type { Application, RoleHoldersJson } from "../../../src/core/wire/application.ts";
import { createGate } from "../../wait.ts";
import { axeFindings } from "../../web/axe.ts";
import { complaints, focused, pressUntil, sideways, small, visitWith } from "../../web/browser.ts";
import { type ApiClient, example, type RunningApplication, serveDemonstration } from "../program.ts";

/** A team in which clerks can hand over their work. */
const text = `# Claims

## 3. Entities and their fields
\`\`\`yaml
Claim: { label: "{subject}", fields: { subject: text } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: granted, helper: granted, member: { members: signed in } }
deputies: { for: clerk, up to: 30 days }
permissions:
  User: { read: { role: member, fields: [name] } }
  Claim: { read: clerk, create: clerk }
\`\`\`
`;

/** The days of the deputies of a person, in order, without those whose days are over. */
const periodsOf = async (client: ApiClient) => {
  const { person } = (await client.get("/_/application")).body as Application;
  const today = new Date().toISOString().slice(0, 10);
  return (await client.get(`/api/deputies?sort=first_day&person=${person?.id}&last_day%3E=${today}`))
    .list()
    .items.map((one) => [one.first_day, one.last_day]);
};

let program: RunningApplication;
beforeAll(async () => {
  program = await serveDemonstration({ text });
});

test("a clerk names a deputy for two weeks by keyboard, among everybody else, and ends it on a phone", async () => {
  const clerk = await program.signInAs("clerk");
  const helper = await program.signInAs("helper");
  const nameOf = async (client: typeof clerk) =>
    ((await client.get("/_/application")).body as Application).person?.name ?? "";
  const [own, other] = [await nameOf(clerk), await nameOf(helper)];
  // Sample records of deputies could be of these days.
  for (const { id } of (await clerk.get("/api/deputies")).list().items) await clerk.delete(`/api/deputies/${id}`);
  expect((await helper.get("/api/claims")).status).toBe(403);

  const page = await visitWith(program.url, clerk.cookie(), { path: "/sign-in/account" });
  await page.getByRole("button", { name: "Name a deputy" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Name a deputy" });
  const deputy = dialog.getByRole("combobox", { name: "Deputy" });
  await expect.poll(() => focused(page)).toContain("Deputy");
  // Its list is open at once.
  const option = page.getByRole("option", { name: other });
  await option.waitFor();
  // Rules are evaluated beside the form and can arrive after the first people.
  await expect.poll(() => page.getByRole("option", { name: own }).count()).toBe(0);
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.type(other);
  await option.waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => deputy.inputValue()).toBe(other);
  await page.keyboard.press("Tab");
  await expect.poll(() => focused(page)).toContain("First day");
  await page.keyboard.type("today");
  await page.keyboard.press("Tab");
  await expect.poll(() => focused(page)).toContain("First day: Next Monday");
  await page.keyboard.press("Tab");
  await expect.poll(() => focused(page)).toContain('"Last day"');
  // The last day of two weeks belongs to them.
  await page.keyboard.type("2 weeks");
  await page.keyboard.press("Enter");
  await page.getByRole("main").getByText(`${other} stands in for you`).waitFor();
  await dialog.waitFor({ state: "detached" });
  // The note says who has the work from when on, and which work.
  await page
    .getByText(new RegExp(`^${other} stands in for you from now on until `, "u"))
    .first()
    .waitFor();
  expect(complaints(page)).toEqual([]);
  expect((await helper.get("/api/claims")).status).toBe(200);

  const seen = (await helper.get("/_/notifications")).body as { items: readonly { text: string }[] };
  expect(seen.items[0]?.text).toContain(`${own} names you as deputy from`);

  // The days that are taken are named before and after sending, at the last day.
  await page.getByRole("button", { name: "Name a deputy" }).press("Enter");
  await deputy.fill(other);
  await option.waitFor();
  await page.keyboard.press("Enter");
  const freeDay = await dialog.getByRole("textbox", { name: "First day" }).inputValue();
  await dialog.getByText(`${other} stands in for you. The first free day is proposed.`, { exact: false }).waitFor();
  await dialog.getByRole("textbox", { name: "First day" }).fill("+5");
  await dialog.getByText("The first free day is proposed.", { exact: false }).waitFor({ state: "detached" });
  const last = dialog.getByRole("textbox", { name: "Last day" });
  await last.fill("+6");
  await last.press("Enter");
  await dialog
    .locator(".form-field", { hasText: "Last day" })
    .getByText(`${other} already stands in for you. Choose other days`, { exact: false })
    .waitFor();
  await expect.poll(() => last.evaluate((box) => box === document.activeElement)).toBe(true);
  // The refusal takes the focus once, not at each key: typed slowly, so that each key is drawn.
  const first = dialog.getByRole("textbox", { name: "First day" });
  await first.focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.type("+2", { delay: 60 });
  await expect.poll(() => first.inputValue()).toBe("+2");
  expect(await focused(page)).toContain("First day");
  await page.keyboard.press("Control+a");
  await page.keyboard.type("+5", { delay: 60 });
  expect(await focused(page)).toContain("First day");
  // A press enters a length, which counts from the first day.
  const weeks = dialog.getByRole("button", { name: "Last day: 1 week" });
  await weeks.click();
  await expect.poll(() => weeks.getAttribute("aria-pressed")).toBe("true");
  // The first day is left, so it shows how it was understood.
  const [from = 0, to = 0] = (await Promise.all([first, last].map((box) => box.inputValue()))).map(Date.parse);
  expect(Math.round((to - from) / 86_400_000)).toBe(6);
  // Days count from the first one.
  await last.fill("-2");
  await last.press("Enter");
  await dialog.locator(".form-field", { hasText: "Last day" }).getByText("The last day is before the first.").waitFor();
  // The calendar of the last day begins at the first one, and shows the days up to the one in focus.
  await last.fill("");
  await last.press("Alt+ArrowDown");
  await expect.poll(() => focused(page)).toContain(", start");
  // Today is before the first day.
  expect(await dialog.locator(".calendar footer").getByRole("button", { name: "Today" }).count()).toBe(0);
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => focused(page)).not.toContain(", start");
  // The days of another month may be out of sight.
  const [marked, inSight] = await dialog.locator(".calendar").evaluate((calendar) => {
    const days = [...calendar.querySelectorAll("td button")];
    const upToFocus = days.findIndex((day) => day.matches(":focus")) + 1;
    return [calendar.querySelectorAll(".within").length, Math.min(upToFocus, 8)];
  });
  expect(marked).toBe(inSight);
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowLeft");
  await expect.poll(() => focused(page)).toContain(", before the start");
  expect(await dialog.locator(".calendar .within").count()).toBe(0);
  await page.keyboard.press("Enter");
  await dialog.locator(".form-field", { hasText: "Last day" }).getByText("The last day is before the first.").waitFor();
  await dialog.getByRole("button", { name: "Cancel" }).click();

  // From the menu, the dialog opens over any page, and waits until it knows which days are taken.
  const menu = await visitWith(program.url, clerk.cookie(), { path: "/notifications" });
  await menu.route(/\/api\/deputies\?/, async (route) => {
    await pause(1000);
    await route.continue();
  });
  const open = async () => {
    await menu.goto(`${program.url}/sign-in/notifications`);
    await menu.getByRole("heading", { level: 1 }).waitFor();
    await menu.keyboard.press("Control+k");
    await menu.getByRole("combobox", { name: "Search or jump to" }).fill("vacation");
    await menu.getByRole("option", { name: "Name a deputy…" }).click();
  };
  await open();
  const begin = menu.getByRole("dialog", { name: "Name a deputy" }).getByRole("textbox", { name: "First day" });
  await begin.waitFor();
  expect(await begin.inputValue()).toBe(freeDay);
  // The open list of the deputy lies over the days.
  await menu.keyboard.press("Tab");
  await menu.getByRole("button", { name: "First day: Next Monday" }).click();
  expect(new Date(`${await begin.inputValue()} UTC`).getUTCDay()).toBe(1);
  await menu.keyboard.press("Escape");
  await expect.poll(() => menu.getByRole("dialog").count()).toBe(0);
  expect(new URL(menu.url()).pathname).toBe("/sign-in/notifications");
  // A deputy can be named although the present ones could not be loaded.
  await menu.unrouteAll();
  const problem = { type: "about:blank", title: "No", status: 403, code: "FORBIDDEN", detail: "No." };
  await menu.route(/\/api\/deputies\?/, (route) => route.fulfill({ status: 403, json: problem }));
  await open();
  await begin.waitFor();
  await menu.close();

  // The default screen offers the same people, by the rule of the specification.
  const screen = await visitWith(program.url, clerk.cookie(), { path: "/deputies/new" });
  await screen.getByRole("combobox", { name: "Deputy" }).click();
  await screen.getByRole("option", { name: other }).waitFor();
  expect(await screen.getByRole("option", { name: own }).count()).toBe(0);
  // Somebody who searches for themselves learns at the field that it is refused.
  await screen.keyboard.type(own);
  await screen.getByRole("option", { name: own }).waitFor();
  await screen.keyboard.press("Tab");
  await screen.locator(".form-field", { hasText: "Deputy" }).getByText("You can’t be your own deputy.").waitFor();
  await screen.close();

  const phone = await visitWith(program.url, clerk.cookie(), { path: "/sign-in/account", width: 390 });
  await phone.getByRole("main").getByText(`${other} stands in for you`).waitFor();
  expect(await small(phone)).toEqual([]);
  expect(await sideways(phone)).toBeLessThanOrEqual(0);
  const before = await periodsOf(clerk);
  await phone.getByRole("button", { name: `End arrangement: ${other} stands in for you` }).click();
  await phone.getByRole("main").getByText(`${other} stands in for you`).waitFor({ state: "detached" });
  await expect.poll(() => focused(phone)).toContain("Deputies");
  expect((await helper.get("/api/claims")).status).toBe(403);
  // It ended at once, and can be undone: the deputy has the same days again.
  const note = phone.locator(".toast").filter({ hasText: `${other} no longer stands in for you` });
  expect(await small(phone)).toEqual([]);
  expect(await axeFindings(phone)).toEqual([]);
  await note.getByRole("button", { name: "Undo" }).click();
  await phone.getByRole("main").getByText(`${other} stands in for you`).waitFor();
  await phone
    .locator(".toast")
    .filter({ hasText: `${other} stands in for you until ` })
    .waitFor();
  expect(await periodsOf(clerk)).toEqual(before);
  expect((await helper.get("/api/claims")).status).toBe(200);
});

test("both see in their menus who stands in, and a new arrangement can end the one in its way", async () => {
  const clerk = await program.signInAs("clerk");
  const helper = await program.signInAs("helper");
  const personOf = async (client: typeof clerk) => ((await client.get("/_/application")).body as Application).person;
  const [own, other] = [await personOf(clerk), await personOf(helper)];
  for (const { id } of (await clerk.get("/api/deputies")).list().items) await clerk.delete(`/api/deputies/${id}`);
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);

  const theirs = await visitWith(program.url, helper.cookie(), { path: "/notifications" });
  const phone = await visitWith(program.url, helper.cookie(), { path: "/sign-in/account", width: 390 });
  const body = { deputy: other?.id ?? null, first_day: day(0), last_day: day(20) };
  const { id } = (await clerk.post("/api/deputies", body)).record();

  // The page that is open learns of it, and its menus say so.
  const sentence = `You stand in for ${own?.name} until`;
  await theirs.getByRole("link", { name: sentence }).waitFor();
  await theirs.getByRole("button", { name: new RegExp(`^Signed in: ${other?.name}`, "u") }).click();
  await theirs.getByRole("menuitem", { name: sentence }).click();
  await expect.poll(() => focused(theirs)).toContain("Deputies");
  await theirs.getByText(`You can do this for ${own?.name}:`).waitFor();
  await theirs.getByRole("listitem").getByText("Add claims", { exact: true }).waitFor();
  // So does the notification, which remains when the arrangement is gone.
  await theirs.goto(`${program.url}/sign-in/notifications`);
  await theirs.getByRole("listitem").getByText("Add claims", { exact: true }).first().waitFor();
  await theirs
    .getByRole("link", { name: `${own?.name} names you as deputy from` })
    .first()
    .click();
  await expect.poll(() => focused(theirs)).toContain("Deputies");
  await phone.getByRole("button", { name: new RegExp(`^Signed in: ${other?.name}.*${sentence}`, "u") }).click();
  await phone.getByRole("menuitem", { name: sentence }).waitFor();
  expect(await small(phone)).toEqual([]);
  expect(await axeFindings(phone)).toEqual([]);
  await phone.close();

  // By keyboard: two weeks from the day after tomorrow, for which the running arrangement ends tomorrow.
  const page = await visitWith(program.url, clerk.cookie(), { path: "/sign-in/account" });
  await page.getByRole("button", { name: "Name a deputy" }).press("Enter");
  await page.getByRole("link", { name: `${other?.name} stands in for you until` }).waitFor();
  const dialog = page.getByRole("dialog", { name: "Name a deputy" });
  const deputy = dialog.getByRole("combobox", { name: "Deputy" });
  await deputy.fill(other?.name ?? "");
  await page.getByRole("option", { name: other?.name ?? "" }).waitFor();
  await page.keyboard.press("Enter");
  const first = dialog.getByRole("textbox", { name: "First day" });
  await first.fill("+2");
  await pressUntil(page, "Tab", /textbox "Last day"/u, 2);
  await page.keyboard.type("2 weeks");
  await page.keyboard.press("Tab");
  await dialog.getByText("Choose other days, or tick the box below.", { exact: false }).waitFor();
  // The server refuses it at first. The same days can be sent again with the tick.
  const act = dialog.getByRole("button", { name: "Name deputy" });
  await act.press("Enter");
  await expect.poll(() => act.getAttribute("aria-disabled")).toBe("true");
  const room = dialog.getByRole("checkbox", {
    name: new RegExp(`^End the arrangement with ${other?.name} on .* \\(currently until`, "u"),
  });
  // The refusal takes the focus first.
  await expect.poll(() => focused(page)).toContain("Last day");
  await room.focus();
  await page.keyboard.press("Space");
  await dialog.getByText("Choose other days", { exact: false }).waitFor({ state: "detached" });
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await dialog.waitFor({ state: "detached" });
  const days = async () =>
    (await clerk.get(`/api/deputies?sort=first_day&person=${own?.id}`))
      .list()
      .items.map((one) => [one.first_day, one.last_day]);
  expect(await days()).toEqual([
    [day(0), day(1)],
    [day(2), day(15)],
  ]);
  expect((await clerk.get(`/api/deputies/${id}`)).record().last_day).toBe(day(1));
  // The arrangement in force and the coming one read differently.
  await page.getByRole("main").getByText(`${other?.name} stands in for you`).waitFor();
  await page.getByRole("main").getByText(`${other?.name} will stand in for you`, { exact: true }).waitFor();

  // If the deputy is refused after all, the arrangement in the way is what it was.
  await page.getByRole("button", { name: "Name a deputy" }).click();
  await deputy.fill(other?.name ?? "");
  await page.getByRole("option", { name: other?.name ?? "" }).waitFor();
  await page.keyboard.press("Enter");
  await first.fill("+1");
  await dialog.getByRole("textbox", { name: "Last day" }).fill("+0");
  await dialog.getByRole("checkbox").check();
  const problem = { type: "about:blank", title: "No", status: 403, code: "FORBIDDEN", detail: "Not today." };
  await page.route(/\/_\/deputies$/u, (route) => route.fulfill({ status: 403, json: problem }));
  await dialog.getByRole("button", { name: "Name deputy" }).click();
  await dialog.getByText("Not today.").waitFor();
  await expect.poll(days).toEqual([
    [day(0), day(1)],
    [day(2), day(15)],
  ]);
});

test("an arrangement that begins later is in the menus of both, and found by the search", async () => {
  const clerk = await program.signInAs("clerk");
  const helper = await program.signInAs("helper");
  const { person } = (await helper.get("/_/application")).body as Application;
  for (const { id } of (await clerk.get("/api/deputies")).list().items) await clerk.delete(`/api/deputies/${id}`);
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const clerkName = ((await clerk.get("/_/application")).body as Application).person?.name;
  await clerk.post("/api/deputies", { deputy: person?.id ?? null, first_day: day(7), last_day: day(20) });
  for (const [client, sentence] of [
    [clerk, `${person?.name} will stand in for you (`],
    [helper, `You will stand in for ${clerkName} (`],
  ] as const) {
    const phone = await visitWith(program.url, client.cookie(), { path: "/sign-in/notifications", width: 390 });
    await phone.getByRole("button", { name: /^Signed in:/u }).click();
    await phone.getByRole("menuitem", { name: sentence }).waitFor();
    expect(await axeFindings(phone)).toEqual([]);
    await phone.close();
    const page = await visitWith(program.url, client.cookie(), { path: "/sign-in/notifications" });
    await page.getByRole("heading", { level: 1 }).waitFor();
    // Wide screens say so under the name, before anybody opens the menu.
    await page.locator(".person-stands-in").filter({ hasText: sentence }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Search or jump to" }).fill("deput");
    await page.getByRole("option", { name: sentence }).click();
    await expect.poll(() => focused(page)).toContain("Deputies");
    await page.close();
  }
  // By keyboard, it is removed at once. The frame and the list say so together with the message, and do not wait to be told.
  const page = await visitWith(program.url, clerk.cookie(), { path: "/sign-in/account" });
  const answered = createGate();
  const hold = async (route: Route) => {
    if (route.request().method() === "GET") await answered.opened;
    await route.continue();
  };
  const days = await periodsOf(clerk);
  const row = page.getByRole("main").getByText(`${person?.name} will stand in for you`);
  await row.waitFor();
  await page.route(/\/_\/application$|\/api\/deputies/u, hold);
  await page.getByRole("button", { name: "Remove" }).press("Enter");
  await page
    .locator(".toast")
    .filter({ hasText: `${person?.name} will not stand in for you` })
    .waitFor();
  expect(await page.locator(".person-stands-in").count()).toBe(0);
  expect(await row.count()).toBe(0);
  await expect.poll(() => focused(page)).toContain("Deputies");
  expect(await periodsOf(clerk)).toEqual([]);
  answered.open();
  // Ctrl+Z names the deputy again, on the same days.
  await page.keyboard.press("Control+z");
  await row.waitFor();
  await page
    .locator(".person-stands-in")
    .filter({ hasText: `${person?.name} will stand in for you` })
    .waitFor();
  expect(await periodsOf(clerk)).toEqual(days);
  expect(complaints(page)).toEqual([]);
  await page.close();

  // Only the person who is away can name the deputy again, so an administrator is asked first.
  const chief = await program.signInAs("administrator");
  const own = ((await clerk.get("/_/application")).body as Application).person;
  const desk = await visitWith(program.url, chief.cookie(), { path: `/workbench/people/${own?.id}` });
  await desk.getByRole("button", { name: /^Remove: / }).press("Enter");
  const dialog = desk.getByRole("dialog", { name: "Remove this deputy?" });
  await dialog.getByText(`Only ${own?.name} can name a deputy again.`).waitFor();
  expect(await axeFindings(desk)).toEqual([]);
  await desk.keyboard.press("Control+Enter");
  await dialog.waitFor({ state: "detached" });
  await desk
    .locator(".toast")
    .filter({ hasText: `${person?.name} will not stand in for ${own?.name}` })
    .waitFor();
  expect(await desk.locator(".toast").getByRole("button", { name: "Undo" }).count()).toBe(0);
  expect(await periodsOf(clerk)).toEqual([]);
});

test("the last day changes in place by keyboard, with the checks of naming, also by an administrator", async () => {
  const clerk = await program.signInAs("clerk");
  const helper = await program.signInAs("helper");
  const other = ((await helper.get("/_/application")).body as Application).person;
  const own = ((await clerk.get("/_/application")).body as Application).person;
  for (const { id } of (await clerk.get("/api/deputies")).list().items) await clerk.delete(`/api/deputies/${id}`);
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const hand = async (first: number, last: number) =>
    (
      await clerk.post("/api/deputies", { deputy: other?.id ?? null, first_day: day(first), last_day: day(last) })
    ).record();
  const { id } = await hand(0, 5);
  await hand(20, 22);
  const lastDay = async () => (await clerk.get(`/api/deputies/${id}`)).record().last_day;

  const page = await visitWith(program.url, clerk.cookie(), { path: "/sign-in/account" });
  const button = page.getByRole("button", { name: `Change the last day: ${other?.name} stands in for you` });
  await button.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Change the last day" });
  await expect.poll(() => focused(page)).toContain("Last day");
  const field = dialog.locator(".form-field", { hasText: "Last day" });
  const enter = async (typed: string) => {
    await page.keyboard.press("Control+a");
    await page.keyboard.type(typed);
    await page.keyboard.press("Enter");
  };
  await enter("+21");
  await field.getByText(`${other?.name} stands in for you. Choose an earlier day.`, { exact: false }).waitFor();
  // The page says so before the server does. Until its answer, nothing else can be sent.
  const change = dialog.getByRole("button", { name: "Change last day" });
  await expect.poll(() => change.evaluate((button) => [button.ariaBusy, button.ariaDisabled])).toEqual([null, "true"]);
  await enter(day(-2));
  await field.getByText("The last day is before the first.").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(await lastDay()).toBe(day(5));
  await enter("+8");
  await dialog.waitFor({ state: "detached" });
  await page
    .getByText(new RegExp(`^${other?.name} stands in for you until `, "u"))
    .first()
    .waitFor();
  expect(await lastDay()).toBe(day(8));
  await expect.poll(() => focused(page)).toContain("Change the last day");
  expect(complaints(page)).toEqual([]);
  await page.close();

  const chief = await program.signInAs("administrator");
  const phone = await visitWith(program.url, chief.cookie(), { path: `/workbench/people/${own?.id}`, width: 390 });
  await phone
    .getByRole("button", { name: `Change the last day: ${other?.name} stands in for ${own?.name}`, exact: true })
    .click();
  const question = phone.getByRole("dialog", { name: "Change the last day" });
  await question.getByRole("textbox", { name: "Last day" }).fill(day(3));
  expect(await small(phone)).toEqual([]);
  expect(await sideways(phone)).toBeLessThanOrEqual(0);
  await question.getByRole("button", { name: "Change last day" }).click();
  await question.waitFor({ state: "detached" });
  expect(await lastDay()).toBe(day(3));
  for (const [client, words] of [
    [clerk, `The last day on which ${other?.name} stands in for you is now`],
    [helper, `The last day on which you stand in for ${own?.name} is now`],
  ] as const) {
    const { items } = (await client.get("/_/notifications")).body as { items: readonly { text: string }[] };
    expect(items[0]?.text).toContain(words);
  }
});

test("the dialog says what a deputy can do, and names the roles that stay with the person", async () => {
  const purchasing = await serveDemonstration({ text: readFileSync(example("purchasing"), "utf8") });
  const finance = await purchasing.signInAs("finance");
  // Somebody who is the head of no department has nothing to hand over.
  const { person } = (await finance.get("/_/application")).body as Application;
  const [department] = (await finance.get("/api/departments")).list().items;
  const head = { head: person?.id ?? null };
  expect((await finance.patch(`/api/departments/${department?.id}`, head)).status).toBe(200);
  const page = await visitWith(purchasing.url, finance.cookie(), { path: "/sign-in/account" });
  await page.getByRole("button", { name: "Name a deputy" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: "Name a deputy" });
  await dialog.getByText("On the days that you choose, a deputy can do this for you:").waitFor();
  // Not every title of a transition can be put before what it acts on, such as “Pass on to finance”.
  expect(await dialog.getByRole("listitem").allTextContents()).toEqual([
    "Approve, send back and decline requests",
    "Pass on to finance (requests)",
    "See more about departments (Budget, Committed and Remaining budget)",
    "See invoices",
  ]);
  await dialog.getByText("What you do as Finance stays with you.", { exact: false }).waitFor();
});

test("the list of people begins with those who can already do the work, with their roles", async () => {
  const purchasing = await serveDemonstration({ text: readFileSync(example("purchasing"), "utf8") });
  const approver = await purchasing.signInAs("Sofía Marín");
  const { items } = (await approver.get("/_/deputies/holders")).body as RoleHoldersJson;
  expect(items.map(({ roles }) => roles)).toContainEqual(["Approver"]);
  const page = await visitWith(purchasing.url, approver.cookie(), { path: "/sign-in/account" });
  await page.getByRole("button", { name: "Name a deputy" }).press("Enter");
  const able = page.getByRole("group", { name: "Same role as you" });
  await expect.poll(() => able.getByRole("option").count()).toBe(items.length);
  const others = page.getByRole("group", { name: "Other people" }).getByRole("option");
  await others.first().waitFor();
  expect(await axeFindings(page)).toEqual([]);
  // Arrows go through both parts in the order in which they are read.
  const active = () => page.locator('[role="option"][aria-selected="true"]').textContent();
  expect(await active()).toBe(await able.getByRole("option").first().textContent());
  for (const _ of items) await page.keyboard.press("ArrowDown");
  await expect.poll(active).toBe(await others.first().textContent());
  // A name that is typed is looked for among both.
  await page.keyboard.type(items[0]?.label ?? "");
  await expect.poll(() => others.count()).toBe(0);
  await able.getByRole("option", { name: `${items[0]?.label}` }).waitFor();
  await page.keyboard.press("Enter");
  await expect.poll(() => page.getByRole("combobox", { name: "Deputy" }).inputValue()).toBe(items[0]?.label);
});
