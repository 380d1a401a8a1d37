import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { createGate } from "../../wait.ts";
import { axeFindings } from "../../web/axe.ts";
import { atRest, complaints, sideways, small, visitWith } from "../../web/browser.ts";
import { type ApiClient, type RunningApplication, serveDemonstration } from "../program.ts";

/* Fields of several records are changed together, with a result for each, and changed back. */

const text = `# Tasks

## 3. Entities and their fields
\`\`\`yaml
Task:
  label: "{name}"
  fields:
    name:     { type: text, max: 40 }
    priority: { type: choice, values: [low, normal, high], default: normal }
    due:      date?
    hours:    { type: decimal?, min: 0, max: 8 }
    locked:   boolean
    project:  Project?
Project:
  label: "{name}"
  fields: { name: { type: text, max: 40 }, code: { type: text, min: 2 }, budget: integer? }
Bill:
  label: "{name}"
  fields: { name: { type: text, max: 40 }, amount: integer, reason: text? }
Case:
  label: "{name}"
  fields: { name: { type: text, max: 40 }, answer: text?, area: { type: "choice?", values: [garden, house, roof, stable, street, tower, yard] } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Bill:
  field: status
  states: [open, objected, paid]
  final: paid
  transitions:
    object: { from: open, to: objected, by: clerk, asks: reason }
    pay:    { from: open, to: paid, by: clerk, main: true }
Case:
  field: status
  states: [open, held]
  transitions:
    hold:   { from: open, to: held, by: clerk }
    resume: { from: held, to: open, by: clerk, asks: answer }
\`\`\`

## 5. Rules
\`\`\`yaml
Task:
  - { rule: hours <= 4, when: "priority == low && hours != null", else: TOO_LONG }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: granted }
permissions:
  Task: { read: [clerk], create: [clerk], update: [{ role: clerk, when: "!locked" }], delete: [clerk] }
  Project: { read: [clerk], create: [clerk] }
  Bill: { read: [clerk], create: [clerk] }
  Case: { read: [clerk], create: [clerk], update: [clerk] }
\`\`\`

## 8. Errors
\`\`\`yaml
TOO_LONG: { message: A task of low priority takes at most 4 hours., at: hours }
\`\`\`
`;

let program: RunningApplication;
let clerk: ApiClient;
beforeAll(async () => {
  program = await serveDemonstration({ text });
  clerk = await program.signInAs("clerk");
});

const visitTasks = async (names: readonly string[], search: string, width = 1440) => {
  for (const name of names)
    await clerk.post("/api/tasks", {
      name,
      priority: name.includes("high") ? "high" : "low",
      locked: /locked/u.test(name),
    });
  return visitWith(program.url, clerk.cookie(), { width, path: `/tasks?search=${search}` });
};
const found = async (search: string) => (await clerk.get(`/api/tasks?search=${search}&sort=name`)).list().items;

/** Opens the dialog that edits the selected tasks, and chooses a high priority in it. */
const choosePriority = async (page: Page, count: number) => {
  await page.getByRole("button", { name: `Edit… ${count} tasks` }).press("Enter");
  await page.getByRole("menuitem", { name: "Priority" }).press("Enter");
  const dialog = page.getByRole("dialog", { name: `Edit ${count} tasks` });
  await dialog.getByRole("radio", { name: "High" }).check({ force: true });
  return dialog;
};

describe("editing several records", () => {
  test("changes the chosen fields of all, by keyboard, and changes them back", async () => {
    const page = await visitTasks(["Garden high", "Garden low"], "garden");
    await page.getByRole("row", { name: /Garden low/ }).waitFor();
    await page.getByRole("checkbox", { name: "Select all shown" }).check({ force: true });
    const bar = page.getByRole("region", { name: "Actions for the selected rows" });
    await bar.getByRole("button", { name: "Edit… 2 tasks" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Edit 2 tasks" });
    await page.getByRole("menuitem", { name: "Priority" }).press("Enter");
    // Nothing is chosen, so nothing is offered as the main action.
    const edit = dialog.getByRole("button", { name: "Edit 2 tasks" });
    expect(await edit.getAttribute("class")).not.toContain("primary");
    await dialog.getByRole("radio", { name: "Normal" }).check({ force: true });
    await dialog.locator(".button.primary").getByText("Edit 2 tasks").waitFor();
    await dialog.getByRole("button", { name: "Another field" }).press("Enter");
    await page.getByRole("menuitem", { name: "Due" }).press("Enter");
    expect(await axeFindings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Edit 2 tasks" }).press("Enter");
    const toast = page.locator(".toast");
    await toast.getByText("2 tasks edited. Priority: Normal and Due: None").waitFor();
    expect((await found("garden")).map(({ priority }) => priority)).toEqual(["normal", "normal"]);
    await toast.getByRole("button", { name: "Undo" }).press("Enter");
    await toast.getByText("Undone: 2 tasks").waitFor();
    expect((await found("garden")).map(({ priority, due }) => [priority, due])).toEqual([
      ["high", null],
      ["low", null],
    ]);
    expect(complaints(page)).toEqual([]);
  });

  test("edits by the keys of a selection: a letter chooses, and Enter edits", async () => {
    for (const name of ["Hedge left", "Hedge right"]) await clerk.post("/api/cases", { name });
    const page = await visitWith(program.url, clerk.cookie(), { path: "/cases?search=hedge" });
    await page.getByRole("row", { name: /Hedge right/ }).waitFor();
    for (const key of ["ArrowDown", "x", "ArrowDown", "x"]) await page.keyboard.press(key);
    await page.getByRole("button", { name: "Edit… 2 cases" }).waitFor();
    await page.keyboard.press("e");
    const dialog = page.getByRole("dialog", { name: "Edit 2 cases" });
    await page.getByRole("menuitem", { name: "Area" }).press("Enter");
    await dialog.getByRole("combobox", { name: "Area" }).waitFor();
    // Its list is open at first. The first Enter takes the value from it.
    for (const key of ["t", "Enter", "Enter"]) await page.keyboard.press(key);
    await page.locator(".toast").getByText("2 cases edited. Area: Tower").waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test("keeps the list and its question as they are until the last record is changed", async () => {
    const names = Array.from({ length: 8 }, (_, nth) => `Meadow ${nth}`);
    const page = await visitTasks(names, "meadow&grouped=priority");
    await page.getByRole("row", { name: /Meadow 7/ }).waitFor();
    const last = (await found("meadow")).at(-1)?.id;
    const { opened: held, open: letGo } = createGate();
    await page.route(`**/api/tasks/${last}`, async (route) => {
      await held;
      await route.continue();
    });
    await page.locator("thead").getByRole("checkbox").press("Space");
    const dialog = await choosePriority(page, 8);
    const asked: string[] = [];
    page.on("request", (request) => {
      // The record under the pointer is not part of the list.
      const isOfList = /\/(?:api|_\/groups)\/tasks\?/u.test(request.url());
      if (request.method() === "GET" && isOfList) asked.push(request.url());
    });
    const hear = () =>
      page.waitForResponse(
        async (answer) => answer.url().includes("/_/changes") && (await answer.text()).includes("Task"),
      );
    const heard = hear();
    await dialog.getByRole("button", { name: "Edit 8 tasks" }).press("Enter");
    await heard;
    const heardMore = hear();
    await clerk.post("/api/tasks", { name: "Another one", priority: "low" });
    await heardMore;
    expect(asked).toEqual([]);
    const bar = page.getByRole("region", { name: "Actions for the selected rows" });
    await bar.getByText("8 selected").waitFor();
    letGo();
    await page.locator(".toast").getByText("8 tasks edited. Priority: High").waitFor();
    await page.getByRole("row", { name: /Priority: High 8/ }).waitFor();
    expect(asked).not.toEqual([]);
  });

  test("can be stopped: what is done can be undone, the others stay selected", async () => {
    const page = await visitTasks(
      Array.from({ length: 8 }, (_, nth) => `Orchard ${nth}`),
      "orchard",
    );
    await page.getByRole("row", { name: /Orchard 7/ }).waitFor();
    const { opened: held, open: letGo } = createGate();
    await page.route("**/api/tasks/*", async (route) => {
      if (route.request().method() === "PATCH") await held;
      await route.continue();
    });
    await page.locator("thead").getByRole("checkbox").press("Space");
    const dialog = await choosePriority(page, 8);
    await dialog.getByRole("button", { name: "Edit 8 tasks" }).press("Enter");
    // The rows show at once how they will be; the bar says how far it is, and stops it.
    const cells = (value: string) => page.getByRole("cell", { name: value, exact: true });
    await expect.poll(() => cells("High").count()).toBe(8);
    await dialog.waitFor({ state: "detached" });
    const bar = page.getByRole("region", { name: "Actions for the selected rows" });
    await bar.getByText("0 of 8").waitFor();
    await bar.getByRole("progressbar").waitFor();
    await expect.poll(() => bar.evaluate((line) => line.contains(document.activeElement))).toBe(true);
    expect(await axeFindings(page)).toEqual([]);
    // Escape stops it, too, and leaves the rows selected.
    await page.keyboard.press("Escape");
    await bar.getByText("Stopping after 0 of 8").waitFor();
    letGo();
    const toast = page.locator(".toast");
    await toast.getByText("4 tasks edited. Priority: High. Stopped: 4 tasks left, still selected").waitFor();
    await bar.getByText("4 selected").waitFor();
    await expect.poll(() => cells("Low").count()).toBe(4);
    const areHigh = async () => (await found("orchard")).filter(({ priority }) => priority === "high").length;
    expect(await areHigh()).toBe(4);
    // The undo is seen at once, too.
    const { opened: heldBack, open: letBack } = createGate();
    await page.unrouteAll();
    await page.route("**/api/tasks/*", async (route) => {
      if (route.request().method() === "PATCH") await heldBack;
      await route.continue();
    });
    await toast.getByRole("button", { name: "Undo" }).press("Enter");
    await expect.poll(() => cells("Low").count()).toBe(8);
    expect(await areHigh()).toBe(4);
    letBack();
    await expect.poll(areHigh).toBe(0);
    expect(complaints(page)).toEqual([]);
  });

  test("keeps those selected that a stop has left, also after the failed ones were tried again", async () => {
    const page = await visitTasks(
      Array.from({ length: 8 }, (_, nth) => `Quay ${nth}`),
      "quay",
    );
    await page.getByRole("row", { name: /Quay 7/ }).waitFor();
    const { opened: held, open: letGo } = createGate();
    let sent = 0;
    await page.route("**/api/tasks/*", async (route) => {
      if (route.request().method() !== "PATCH") return route.continue();
      sent += 1;
      const isFirst = sent === 1;
      await held;
      return isFirst ? route.abort() : route.continue();
    });
    await page.locator("thead").getByRole("checkbox").press("Space");
    const dialog = await choosePriority(page, 8);
    await dialog.getByRole("button", { name: "Edit 8 tasks" }).press("Enter");
    const bar = page.getByRole("region", { name: "Actions for the selected rows" });
    await bar.getByText("0 of 8").waitFor();
    await page.keyboard.press("Escape");
    await bar.getByText("Stopping after 0 of 8").waitFor();
    letGo();
    const results = page.getByRole("dialog", { name: "Edit: 3 of 4 done" });
    await results.getByText("Still selected: 5 tasks").waitFor();
    await page.unrouteAll();
    await results.getByRole("button", { name: "Try again" }).press("Enter");
    await page
      .locator(".toast")
      .getByText("4 tasks edited. Priority: High. Stopped: 4 tasks left, still selected")
      .waitFor();
    await page.getByRole("region", { name: "Actions for the selected rows" }).getByText("4 selected").waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test("says what was done when the connection broke, and goes on with the rest, also if an answer was lost", async () => {
    const page = await visitTasks(
      Array.from({ length: 24 }, (_, nth) => `River ${nth}`),
      "river",
    );
    await page.getByRole("row", { name: /River 9/ }).waitFor();
    let sent = 0;
    await page.route("**/api/tasks/*", async (route) => {
      if (route.request().method() !== "PATCH") return route.continue();
      sent += 1;
      if (sent <= 2) return route.continue();
      // The third is done, but its answer is lost.
      if (sent === 3) await route.fetch();
      return route.abort();
    });
    await page.locator("thead").getByRole("checkbox").press("Space");
    const dialog = await choosePriority(page, 24);
    await dialog.getByRole("button", { name: "Edit 24 tasks" }).press("Enter");
    const results = page.getByRole("dialog", { name: "Edit: 2 of 24 done" });
    await results.getByText("Still selected: 22 tasks").waitFor();
    // The others were not tried in vain.
    expect(sent).toBeLessThan(23);
    // The selection of all is over, and another act is no answer to a lost connection.
    expect(await page.getByRole("button", { name: /^Select all \d/u, includeHidden: true }).count()).toBe(0);
    expect(await results.getByText("Instead, you can:").count()).toBe(0);
    await page.unrouteAll();
    await results.getByRole("button", { name: "Try again" }).press("Enter");
    await page.locator(".toast").getByText("24 tasks edited. Priority: High").waitFor();
    await page.keyboard.press("Control+z");
    await page.locator(".toast").getByText("Undone: 24 tasks").waitFor();
    expect(new Set((await found("river")).map(({ priority }) => priority))).toEqual(new Set(["low"]));
  });

  test("is undone on a phone after its note was swiped away", async () => {
    const page = await visitTasks(["Harbour one", "Harbour two"], "harbour", 390);
    await page.getByRole("button", { name: "Select", exact: true }).click();
    await page.getByRole("checkbox", { name: "Select all shown" }).check();
    await page.getByText("Clear selection", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Edit… 2 tasks" }).click();
    await page.getByRole("menuitem", { name: "Priority" }).click();
    await page.getByRole("dialog").getByRole("radio", { name: "High" }).check({ force: true });
    await page.getByRole("button", { name: "Edit 2 tasks" }).click();
    const toast = page.locator(".toast");
    await toast.getByText("2 tasks edited. Priority: High").waitFor();
    await atRest(page);
    const [note, tabs] = [await toast.boundingBox(), await page.locator(".tabbar").boundingBox()];
    if (note === null || tabs === null) throw new Error("they are not shown");
    expect(note.y).toBeGreaterThan(400);
    expect(note.y + note.height).toBeLessThanOrEqual(tabs.y);
    const devtools = await page.context().newCDPSession(page);
    const touch = (type: "touchStart" | "touchMove" | "touchEnd", x: number) =>
      devtools.send("Input.dispatchTouchEvent", {
        type,
        touchPoints: type === "touchEnd" ? [] : [{ x, y: note.y + 10 }],
      });
    await touch("touchStart", 60);
    for (const x of [80, 110, 160]) await touch("touchMove", x);
    await touch("touchEnd", 160);
    await toast.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "More list actions" }).click();
    await page.getByRole("menuitem", { name: "Undo: 2 tasks edited. Priority: High" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator(".list-tools").getByRole("button", { name: "Undo: 2 tasks edited. Priority: High" }).tap();
    await toast.getByText("Undone: 2 tasks").waitFor();
    expect((await found("harbour")).map(({ priority }) => priority)).toEqual(["low", "low"]);
    // It does not undo what was done before.
    expect(await page.locator(".list-tools").getByRole("button", { name: /^Undo/u }).count()).toBe(0);
  });

  test("waits for somebody who looks away, fades before it goes, and makes room for the next rows", async () => {
    const page = await visitTasks(["Viaduct one", "Viaduct two"], "viaduct");
    await page.getByRole("row", { name: /Viaduct two/ }).waitFor();
    await page.clock.install();
    const toast = page.locator(".toast");
    const editBoth = async () => {
      await page.getByRole("checkbox", { name: "Select all shown" }).check({ force: true });
      const dialog = await choosePriority(page, 2);
      await dialog.getByRole("button", { name: "Edit 2 tasks" }).press("Enter");
      await toast.getByText("2 tasks edited. Priority: High").waitFor();
    };
    await editBoth();
    await page.clock.pauseAt(Date.now() + 9 * 60_000);
    expect(await toast.count()).toBe(1);
    // The press that was meant for the note still reaches it.
    const leaving = page.locator(".toast.leaving");
    for (let at = 0; at < 40 && (await leaving.count()) === 0; at += 1) {
      await page.mouse.move(400 + at, 20);
      await page.clock.fastForward(3_000);
    }
    await leaving.getByRole("button", { name: "Undo" }).dispatchEvent("click");
    await page.clock.resume();
    await toast.getByText("Undone: 2 tasks").waitFor();
    await editBoth();
    await page.clock.fastForward(2_000);
    await page
      .getByRole("row", { name: /Viaduct two/ })
      .getByRole("checkbox")
      .check({ force: true });
    await toast.waitFor({ state: "detached" });
    const bar = page.getByRole("region", { name: "Actions for the selected rows" });
    await bar.getByRole("button", { name: "Undo: 2 tasks edited. Priority: High" }).press("Enter");
    await toast.getByText("Undone: 2 tasks").waitFor();
    expect((await found("viaduct")).map(({ priority }) => priority)).toEqual(["low", "low"]);
    expect(complaints(page)).toEqual([]);
  });

  test("takes only the rows that were selected: those that arrive later are offered, and counted when all are selected", async () => {
    const page = await visitTasks(
      Array.from({ length: 52 }, (_, nth) => `Ferry ${nth}`),
      "ferry",
    );
    const bar = page.getByRole("region", { name: "Actions for the selected rows" });
    await page.locator("thead").getByRole("checkbox").press("Space");
    await bar.getByRole("button", { name: "Select all 52" }).waitFor();
    await clerk.post("/api/tasks", { name: "Ferry of the north", priority: "low" });
    const [asked, answered] = [createGate(), createGate()];
    await page.route(/\/api\/tasks\?(?:.*&)?after=/u, async (route) => {
      asked.open();
      await answered.opened;
      await route.continue();
    });
    await bar.getByRole("button", { name: "Select all 53" }).press("Enter");
    // One more arrives while the others are being loaded.
    await asked.opened;
    await clerk.post("/api/tasks", { name: "Ferry of the south", priority: "low" });
    answered.open();
    await bar.getByText("53 selected").waitFor();
    await bar.getByRole("button", { name: "Select all 54" }).press("Enter");
    await bar.getByText("54 selected").waitFor();
    await clerk.post("/api/tasks", { name: "Ferry of the west", priority: "low" });
    await bar.getByRole("button", { name: "Select all 55" }).waitFor();
    await bar.getByText("54 selected").waitFor();
    const dialog = await choosePriority(page, 54);
    await dialog.getByRole("button", { name: "Edit 54 tasks" }).press("Enter");
    await page.locator(".toast").getByText("54 tasks edited. Priority: High").waitFor();
    const low = (await clerk.get("/api/tasks?search=ferry&priority=low")).list().items;
    expect(low.map(({ name }) => name)).toEqual(["Ferry of the west"]);
    expect(complaints(page)).toEqual([]);
  });

  test("names the fields that become empty in all of them", async () => {
    const page = await visitTasks(["Cellar high", "Cellar low"], "cellar");
    await page.getByRole("row", { name: /Cellar low/ }).waitFor();
    await page.getByRole("checkbox", { name: "Select all shown" }).check({ force: true });
    await page.getByRole("button", { name: "Edit… 2 tasks" }).press("Enter");
    await page.getByRole("menuitem", { name: "Due" }).press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Clear “Due” in 2 tasks" }).waitFor();
  });

  test("says how many records had the value already, and its undo stays for a minute", async () => {
    const page = await visitTasks(["Creek high", "Creek low", "Creek high too"], "creek");
    await page.getByRole("row", { name: /Creek low/ }).waitFor();
    await page.clock.install();
    await page.getByRole("checkbox", { name: "Select all shown" }).check({ force: true });
    const dialog = await choosePriority(page, 3);
    await dialog.getByRole("button", { name: "Edit 3 tasks" }).press("Enter");
    const toast = page.locator(".toast");
    await toast.getByText("1 task edited, 2 had this already").waitFor();
    await page.clock.fastForward(40_000);
    await toast.getByRole("button", { name: "Undo" }).focus();
    await page.clock.fastForward(120_000);
    expect(await toast.count()).toBe(1);
    await toast.getByRole("button", { name: "Undo" }).press("Enter");
    await toast.getByText("Undone: 1 task").waitFor();
    await page.clock.fastForward(20_000);
    await toast.waitFor({ state: "detached" });
    expect((await found("creek")).map(({ priority }) => priority)).toEqual(["high", "high", "low"]);
  });

  test("begins with E, and only while rows are selected", async () => {
    const page = await visitTasks(["Path left", "Path right"], "path");
    await page.getByRole("row", { name: /Path right/ }).waitFor();
    await page.keyboard.press("e");
    expect(await page.getByRole("dialog").count()).toBe(0);
    for (const key of ["ArrowDown", "x", "ArrowDown", "x"]) await page.keyboard.press(key);
    await page.getByRole("button", { name: "Edit… 2 tasks" }).waitFor();
    await page.keyboard.press("e");
    const dialog = page.getByRole("dialog", { name: "Edit 2 tasks" });
    await page.getByRole("menuitem", { name: "Priority" }).press("Enter");
    await dialog.getByRole("radio", { name: "High" }).check({ force: true });
    await dialog.getByRole("button", { name: "Edit 2 tasks" }).press("Enter");
    await page.locator(".toast").getByText("2 tasks edited").waitFor();
    expect((await found("path")).map(({ priority }) => priority)).toEqual(["high", "high"]);
  });

  test("says why a record was not changed, and changes the others", async () => {
    const page = await visitTasks(["Shed", "Shed locked"], "shed", 390);
    await page.getByRole("button", { name: "Select", exact: true }).click();
    for (const box of await page.getByRole("checkbox").all()) await box.check();
    const bar = page.getByRole("region", { name: "Actions for the selected rows" });
    await bar.getByRole("button", { name: "Edit… 1 task" }).click();
    const dialog = page.getByRole("dialog", { name: "Edit 1 of 2 tasks" });
    await page.getByRole("menuitem", { name: "Hours" }).click();
    await dialog.getByRole("textbox", { name: "Hours" }).fill("3.5");
    await dialog.getByText("1 of 2 can be edited.").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await small(page)).toEqual([]);
    expect(await sideways(page)).toBeLessThanOrEqual(0);
    await dialog.getByRole("button", { name: "Edit 1 task" }).click();
    const results = page.getByRole("dialog", { name: "Edit: 1 of 2 done" });
    await results
      .getByRole("listitem")
      .filter({ hasText: "Shed locked" })
      .getByRole("button", { name: /Why/ })
      .waitFor();
    expect((await found("shed")).map(({ hours }) => hours)).toEqual(["3.5", null]);
    await results.getByRole("button", { name: "Undo 1" }).click();
    await expect.poll(async () => (await found("shed")).map(({ hours }) => hours)).toEqual([null, null]);
  });
});

test.each([
  ["Cancel", 1440],
  ["Leave Hours as it is", 390],
])("a press on “%s” counts although an error moves it from under the pointer at %i", async (name, width) => {
  const page = await visitTasks([`Slope${width} high`], `slope${width}`, width);
  if (width < 768) await page.getByRole("button", { name: "Select", exact: true }).click();
  await page.getByRole("checkbox", { name: `Select Slope${width} high` }).check({ force: true });
  await page.getByRole("button", { name: "Edit… 1 task" }).click();
  await page.getByRole("menuitem", { name: "Hours" }).click();
  const hours = page.getByRole("textbox", { name: "Hours" });
  await hours.fill("eight");
  const control = page.getByRole("dialog").getByRole("button", { name });
  await atRest(page);
  const box = await control.boundingBox();
  if (box === null) throw new Error("it is not shown");
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  await (width < 768 ? page.touchscreen.tap(x, y) : page.mouse.click(x, y));
  await hours.waitFor({ state: "detached" });
});

test("a refused edit keeps its dialog with the values, and asks again only for the refused records", async () => {
  const page = await visitTasks(["Hall high", "Hall low"], "hall");
  await page.getByRole("row", { name: /Hall low/ }).waitFor();
  await page.getByRole("checkbox", { name: "Select all shown" }).check({ force: true });
  await page.getByRole("button", { name: "Edit… 2 tasks" }).press("Enter");
  await page.getByRole("menuitem", { name: "Hours" }).press("Enter");
  const hours = page.getByRole("dialog", { name: "Edit 2 tasks" }).getByRole("textbox", { name: "Hours" });
  await hours.fill("6");
  await hours.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Edit 1 task" });
  const refused = dialog.getByRole("alert").filter({ hasText: "Not edited: 1 task" });
  await refused.getByText("Hall low").waitFor();
  await refused.getByText("A task of low priority takes at most 4 hours.").waitFor();
  await refused.getByText("1 record was edited.").waitFor();
  const again = dialog.getByRole("textbox", { name: "Hours" });
  await expect.poll(() => again.evaluate((box) => box === document.activeElement)).toBe(true);
  expect(await again.inputValue()).toBe("6");
  await refused.getByRole("button", { name: "Why?" }).click();
  const why = page.getByRole("dialog", { name: /^A task of low priority/u });
  await why.getByText("The rule requires: if", { exact: false }).waitFor();
  await page.keyboard.press("Escape");
  expect(await again.getAttribute("aria-invalid")).toBe("true");
  expect(await axeFindings(page)).toEqual([]);
  await again.fill("3");
  await again.press("Enter");
  await dialog.waitFor({ state: "detached" });
  // The records have different values, so the field alone is named.
  await page.locator(".toast").getByText("2 tasks edited. Hours", { exact: true }).waitFor();
  expect((await found("hall")).map(({ hours: saved }) => saved)).toEqual(["6", "3"]);
  await page.keyboard.press("Control+z");
  await expect.poll(async () => (await found("hall")).map(({ hours: saved }) => saved)).toEqual([null, null]);
  expect(complaints(page)).toEqual([]);
});

test("a refused edit that is given up says what was edited, and keeps the refused records selected", async () => {
  const page = await visitTasks(["Attic high", "Attic low"], "attic", 390);
  await page.getByRole("button", { name: "Select", exact: true }).click();
  for (const box of await page.getByRole("checkbox").all()) await box.check();
  await page.getByRole("button", { name: "Edit… 2 tasks" }).click();
  await page.getByRole("menuitem", { name: "Hours" }).click();
  await page.getByRole("dialog").getByRole("textbox", { name: "Hours" }).fill("6");
  await page.getByRole("button", { name: "Edit 2 tasks" }).click();
  const dialog = page.getByRole("dialog", { name: "Edit 1 task" });
  await dialog.getByText("Attic low").waitFor();
  expect(await small(page)).toEqual([]);
  expect(await sideways(page)).toBeLessThanOrEqual(0);
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await page.locator(".toast").getByText("1 task edited").waitFor();
  await page.getByRole("region", { name: "Actions for the selected rows" }).getByText("1 selected").waitFor();
});

test("a transition whose way back asks for input offers that instead of an undo, by its name and by Ctrl+Z", async () => {
  const { id } = (await clerk.post("/api/cases", { name: "Lost parcel" })).record();
  const page = await visitWith(program.url, clerk.cookie(), { path: `/cases/${id}` });
  await page.getByRole("button", { name: "Hold", exact: true }).press("Enter");
  const toast = page.locator(".toast");
  await toast.getByText("Held: Lost parcel").waitFor();
  await toast.getByRole("button", { name: "Resume…" }).waitFor();
  await page.keyboard.press("Control+z");
  const dialog = page.getByRole("dialog", { name: "Resume: Lost parcel" });
  await dialog.getByRole("textbox", { name: "Answer" }).fill("It has arrived.");
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await toast.getByText("Open: Lost parcel").waitFor();
  await dialog.waitFor({ state: "detached" });
  expect((await clerk.get(`/api/cases/${id}`)).record()).toMatchObject({ status: "open", answer: "It has arrived." });
  // The other direction takes one press.
  await toast.getByRole("button", { name: "Undo" }).press("Enter");
  await toast.getByText("Held: Lost parcel").waitFor();
  expect(complaints(page)).toEqual([]);
});

test("the menu of a row begins with the main action, which asks before a final state and shows the amount", async () => {
  await clerk.post("/api/bills", { name: "R-4711", amount: 120 });
  const page = await visitWith(program.url, clerk.cookie(), { path: "/bills" });
  await page.getByRole("row", { name: /R-4711/ }).waitFor();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press(".");
  const menu = page.getByRole("menu", { name: "More actions for R-4711" });
  await menu.waitFor();
  const items = await menu.getByRole("menuitem").locator(".menu-words").allTextContents();
  expect(items.slice(0, 4).map((item) => item.replace(/\W+$/u, ""))).toEqual(["Open", "Pay", "Object", "Select"]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: /Pay/ });
  await dialog.getByText("Amount: 120").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press("Enter");
  await page.getByRole("row", { name: /R-4711.*Paid/ }).waitFor();
  expect(complaints(page)).toEqual([]);
});

describe("editing a cell", () => {
  test("saves with Enter, not with Escape, and answers with the rules at the cell, by keyboard alone", async () => {
    const page = await visitTasks(["Pond"], "pond");
    await page.getByRole("row", { name: /Pond/ }).waitFor();
    for (const key of ["ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "F2"]) await page.keyboard.press(key);
    const editor = page.getByRole("dialog", { name: "Edit “Hours”" });
    await editor.getByRole("textbox", { name: "Hours" }).fill("9");
    await page.keyboard.press("Enter");
    await editor.getByText(/at most 8/).waitFor();
    // There is nothing to add to the sentence.
    expect(await editor.getByRole("button", { name: "Why?" }).count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await editor.getByRole("textbox", { name: "Hours" }).fill("2");
    await page.keyboard.press("Enter");
    await page.getByRole("cell", { name: "2", exact: true }).waitFor();
    await editor.waitFor({ state: "detached" });
    await page.keyboard.press("Enter");
    await editor.getByRole("textbox", { name: "Hours" }).fill("3");
    await page.keyboard.press("Escape");
    await editor.waitFor({ state: "detached" });
    expect((await found("pond")).map(({ hours }) => hours)).toEqual(["2"]);
    expect(complaints(page)).toEqual([]);
  });

  test("says what it saved, and Ctrl+Z undoes that, not what was done before", async () => {
    const page = await visitTasks(["Bridge"], "bridge");
    await page.getByRole("row", { name: /Bridge/ }).waitFor();
    const cell = page.locator("[data-field=hours]");
    for (const hours of ["2", "3"]) {
      await cell.click();
      await page.getByRole("textbox", { name: "Hours" }).fill(hours);
      await page.keyboard.press("Enter");
      await page.locator(".toast").getByText(`Hours: ${hours}`, { exact: true }).waitFor();
    }
    await page.keyboard.press("Control+z");
    await page.locator(".toast").getByText("Undone: 1 task").waitFor();
    expect((await found("bridge")).map(({ hours }) => hours)).toEqual(["2"]);
    expect(complaints(page)).toEqual([]);
  });

  test("shows no locks on a phone, and says why when a locked value is tapped", async () => {
    const page = await visitTasks(["Gate locked"], "gate", 390);
    await page.getByRole("link", { name: "Gate locked" }).click();
    const hours = page.locator("dl.fields > div").filter({ hasText: "Hours" });
    await atRest(page);
    expect(await hours.locator(".edit-value").evaluate((lock) => getComputedStyle(lock).opacity)).toBe("0");
    await hours.locator("dd").click();
    await page.getByRole("dialog").getByText("“Locked” is yes.").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints(page)).toEqual([]);
  });

  test("edits a cell by a press also on text that was selected before", async () => {
    const page = await visitTasks(["Ladder high", "Ladder low"], "ladder");
    const cells = page.locator("[data-field=priority]");
    const [first, second] = [await cells.first().boundingBox(), await cells.nth(1).boundingBox()];
    if (first === null || second === null) throw new Error("The cells have no place.");
    await page.mouse.move(first.x + 14, first.y + first.height / 2);
    await page.mouse.down();
    await page.mouse.move(second.x + second.width - 4, second.y + second.height / 2, { steps: 5 });
    await page.mouse.up();
    expect(await page.evaluate(() => String(getSelection()))).not.toBe("");
    expect(new URL(page.url()).pathname).toBe("/tasks");
    await cells.nth(1).click({ position: { x: 14, y: second.height / 2 } });
    await page.getByRole("dialog", { name: /Priority/ }).waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test("saves with a press elsewhere, opens the row of a locked value, and says why when F2 asks", async () => {
    const page = await visitTasks(["Fence", "Fence locked"], "fence");
    const locked = page.getByRole("row", { name: /Fence locked/ }).locator("[data-field=hours]");
    await locked.click();
    await page.getByRole("heading", { level: 1, name: "Fence locked" }).waitFor();
    await page.goBack();
    await locked.hover();
    await expect.poll(() => locked.getAttribute("data-locked")).toBe("");
    await locked.focus();
    await page.keyboard.press("F2");
    const reason = page.getByRole("dialog", { name: "Why can’t I edit “Hours”?" });
    await reason.getByText("You can’t edit this task now.").waitFor();
    await page.keyboard.press("Escape");
    await reason.waitFor({ state: "hidden" });
    await page.getByRole("row").filter({ hasNotText: "locked" }).locator("[data-field=hours]").click();
    await page.getByRole("textbox", { name: "Hours" }).fill("4");
    // The press that leaves the editor does not open the row below it. The next one does.
    const beside = page.getByRole("row", { name: /Fence locked/ }).locator("td.first");
    const { width = 0 } = (await beside.boundingBox()) ?? {};
    await beside.click({ position: { x: width - 4, y: 10 } });
    await expect.poll(async () => (await found("fence")).map(({ hours }) => hours)).toContain("4");
    expect(new URL(page.url()).pathname).toBe("/tasks");
    await locked.click();
    await page.getByRole("heading", { level: 1, name: "Fence locked" }).waitFor();
  });
});

test("a number in another notation is read, and the input says what was probably meant otherwise", async () => {
  const page = await visitTasks(["Ditch"], "ditch");
  await page.getByRole("row", { name: /Ditch/ }).waitFor();
  for (const key of ["ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "F2"]) await page.keyboard.press(key);
  const editor = page.getByRole("dialog", { name: "Edit “Hours”" });
  const hours = editor.getByRole("textbox", { name: "Hours" });
  await hours.fill("about 2,50");
  await hours.press("Enter");
  await editor.getByText("Use a point for decimals.").waitFor();
  await expect.poll(() => hours.evaluate((box) => box === document.activeElement)).toBe(true);
  await editor.getByRole("button", { name: "Use 2.50" }).press("Enter");
  await expect.poll(() => hours.inputValue()).toBe("2.50");
  await hours.fill("3,5");
  await hours.press("Enter");
  await page.getByRole("cell", { name: "3.5", exact: true }).waitFor();
  await page.goto(`${program.url}/tasks?search=ditch`);
  await page.getByRole("button", { name: "Filter", exact: true }).click();
  await page.getByRole("option", { name: "Hours" }).click();
  await page.getByRole("textbox", { name: "From" }).fill("three");
  await page.keyboard.press("Enter");
  await page.getByText("Use a point for decimals.").waitFor();
  await page.getByRole("textbox", { name: "From" }).fill("3,25");
  await page.keyboard.press("Enter");
  await expect.poll(() => new URL(page.url()).searchParams.get("hours>")).toBe("3.25");
  await page.getByRole("row", { name: /Ditch/ }).waitFor();
});

test("a refused form puts the cursor into the first wrong field, below a summary that leads to each", async () => {
  const page = await visitWith(program.url, clerk.cookie(), { path: "/tasks/new" });
  await page.getByRole("textbox", { name: "Hours" }).fill("9");
  await page.keyboard.press("Enter");
  const summary = page.getByRole("alert").filter({ hasText: "Not saved. Fix 2 problems." });
  await summary.waitFor();
  const name = page.getByRole("textbox", { name: "Name" });
  await expect.poll(() => name.evaluate((box) => box === document.activeElement)).toBe(true);
  expect(await axeFindings(page)).toEqual([]);
  await summary.getByRole("link").last().press("Enter");
  const hours = page.getByRole("textbox", { name: "Hours" });
  await expect.poll(() => hours.evaluate((box) => box === document.activeElement)).toBe(true);
});

describe("a choice of records", () => {
  test("creates a missing record in a dialog, by keyboard, and loses nothing of the form", async () => {
    const page = await visitWith(program.url, clerk.cookie(), { path: "/tasks/new" });
    await page.getByRole("textbox", { name: "Name" }).fill("Roof");
    const project = page.getByRole("combobox", { name: "Project" });
    await project.fill("Acme");
    await page.getByRole("option", { name: "Create “Acme”" }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await project.press("Enter");
    const dialog = page.getByRole("dialog", { name: "New project" });
    expect(await dialog.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Acme");
    await dialog.getByRole("textbox", { name: "Code" }).fill("A");
    await page.keyboard.press("Enter");
    await dialog
      .getByText(/at least 2/)
      .first()
      .waitFor();
    expect(await axeFindings(page)).toEqual([]);
    const code = dialog.getByRole("textbox", { name: "Code" });
    await expect.poll(() => code.evaluate((box) => box === document.activeElement)).toBe(true);
    await code.fill("AC");
    await page.keyboard.press("Enter");
    await dialog.waitFor({ state: "detached" });
    await expect.poll(() => project.inputValue()).toBe("Acme");
    expect(await project.evaluate((box) => box === document.activeElement)).toBe(true);
    expect(await page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("Roof");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Roof" }).waitFor();
    expect((await found("roof"))[0]?.project).toMatchObject({ label: "Acme" });
    expect(complaints(page)).toEqual([]);
  });
});
