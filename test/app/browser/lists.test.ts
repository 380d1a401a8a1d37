import { readFile } from "node:fs/promises";
import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import type { ChangesJson } from "../../../src/core/wire/changes.ts";
import type { ViewsJson } from "../../../src/core/wire/lists.ts";
import { axeFindings } from "../../web/axe.ts";
import {
  atRest,
  complaints,
  focused,
  keeper,
  listening,
  sideways,
  small,
  visitAs,
  writesOf,
} from "../../web/browser.ts";
import { example, type RunningApplication, serveDemonstration } from "../program.ts";
import { requestNewThing } from "../request-new-thing.ts";

let program: RunningApplication;
beforeAll(async () => {
  program = await serveDemonstration({ file: example("lending") });
});

const today = () => new Date().toISOString().slice(0, 10);
const ask = (remark: string) => requestNewThing(program, { remark });

describe("bulk actions", () => {
  test("select rows by keyboard, make the transitions that are open, and say why others are not", async () => {
    for (const remark of ["one", "two"]) await ask(`bulk ${remark}`);
    const page = await visitAs(program.url, keeper, { path: "/loans?search=bulk&sort=status" });
    await page.getByRole("row").nth(2).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("x");
    await page.keyboard.press("Shift+ArrowDown");
    const bar = page.getByRole("region", { name: "Actions for the selected rows" });
    await bar.getByText("2 selected").waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await bar.getByRole("button", { name: "Hand over… 2 loans" }).click();
    const dialog = page.getByRole("dialog", { name: "Hand over: 2 loans" });
    await dialog.getByRole("button", { name: "Hand over" }).click();
    await page.getByText("Lent: 2 loans").waitFor();
    await bar.waitFor({ state: "detached" });
    await expect.poll(() => page.getByRole("row", { name: /Lent/ }).count()).toBe(2);
    expect(complaints(page)).toEqual([]);
  });

  test("show a result for each row if some failed", async () => {
    const [, second] = [await ask("race one"), await ask("race two")];
    const page = await visitAs(program.url, keeper, { path: "/loans?search=race" });
    await page.getByRole("row").nth(2).waitFor();
    await page.getByRole("checkbox", { name: "Select all shown" }).check({ force: true });
    const bar = page.getByRole("region", { name: "Actions for the selected rows" });
    await bar.getByRole("button", { name: "Hand over… 2 loans" }).click();
    // Another person changes one of them first.
    const other = await program.signInAs("keeper");
    await other.post(`/api/loans/${second?.id}/hand_over`);
    await page.getByRole("dialog").getByRole("button", { name: "Hand over" }).click();
    const results = page.getByRole("dialog", { name: "Hand over: 1 of 2 done" });
    await results.getByRole("listitem").nth(1).waitFor();
    const [failed, done] = [results.getByRole("listitem").first(), results.getByRole("listitem").last()];
    await expect.poll(() => failed.textContent()).toMatch(/changed|lent/iu);
    await expect.poll(() => done.textContent()).toMatch(/^Lent: /u);
    await results.getByText("Still selected: 1 loan").waitFor();
    await results.getByRole("button", { name: "Close" }).nth(1).waitFor();
    // Nothing makes sense of trying it again.
    expect(await results.getByRole("button", { name: "Try again" }).count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await failed.getByRole("link").first().click();
    await page.waitForURL((url) => url.pathname === `/loans/${second?.id}`);
    await results.waitFor({ state: "detached" });
  });

  test("try those again that no server has answered", async () => {
    const first = await ask("radio one");
    await ask("radio two");
    const page = await visitAs(program.url, keeper, { path: "/loans?search=radio" });
    await page.getByRole("row").nth(2).waitFor();
    await page.getByRole("checkbox", { name: "Select all shown" }).check({ force: true });
    const bar = page.getByRole("region", { name: "Actions for the selected rows" });
    await bar.getByRole("button", { name: "Hand over… 2 loans" }).click();
    await page.route(`**/api/loans/${first?.id}/hand_over`, (route) => route.abort());
    await page.getByRole("dialog").getByRole("button", { name: "Hand over" }).click();
    const results = page.getByRole("dialog", { name: "Hand over: 1 of 2 done" });
    await results.getByText("Still selected: 1 loan").waitFor();
    await page.unrouteAll();
    await results.getByRole("button", { name: "Try again" }).press("Enter");
    await page.getByText("Lent: 2 loans").waitFor();
    await results.waitFor({ state: "detached" });
    await bar.waitFor({ state: "detached" });
  });

  test("count as done what was done although the answer was lost", async () => {
    const [loan] = [await ask("echo one"), await ask("echo two")];
    const page = await visitAs(program.url, keeper, { path: "/loans?search=echo" });
    await page.getByRole("row").nth(2).waitFor();
    await page.getByRole("checkbox", { name: "Select all shown" }).check({ force: true });
    const bar = page.getByRole("region", { name: "Actions for the selected rows" });
    await bar.getByRole("button", { name: "Hand over… 2 loans" }).click();
    await page.route(
      `**/api/loans/${loan.id}/hand_over`,
      async (route) => {
        await route.fetch();
        await route.abort();
      },
      { times: 1 },
    );
    await page.getByRole("dialog").getByRole("button", { name: "Hand over" }).click();
    const results = page.getByRole("dialog", { name: "Hand over: 1 of 2 done" });
    await results.getByRole("button", { name: "Try again" }).press("Enter");
    await page.getByText("Lent: 2 loans").waitFor();
    await bar.waitFor({ state: "detached" });
  });

  test("show a box for each row on a phone while selecting", async () => {
    for (const remark of ["one", "two"]) await ask(`thumb ${remark}`);
    const page = await visitAs(program.url, keeper, { width: 390, path: "/loans?search=thumb" });
    await page.getByRole("button", { name: "Select", exact: true }).click();
    for (const box of await page.getByRole("checkbox").all()) await box.check();
    const bar = page.getByRole("region", { name: "Actions for the selected rows" });
    await bar.getByText("2 selected").waitFor();
    await bar.getByRole("button", { name: "Hand over… 2 loans" }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await small(page)).toEqual([]);
    expect(await sideways(page)).toBeLessThanOrEqual(0);
    // Nothing covers it: the tab bar is below.
    await bar.getByRole("button", { name: "Hand over… 2 loans" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Hand over" }).click();
    await bar.waitFor({ state: "detached" });
    await expect.poll(() => page.getByRole("checkbox").count()).toBe(0);
    await expect.poll(() => page.getByRole("link", { name: /Lent/ }).count()).toBe(2);
  });
});

test("one selected row is named when its transition asks, and a click beside the question loses no input", async () => {
  await ask("alone");
  const page = await visitAs(program.url, keeper, { path: "/loans?search=alone" });
  await page
    .getByRole("checkbox", { name: /^Select / })
    .nth(1)
    .check({ force: true });
  const bar = page.getByRole("region", { name: "Actions for the selected rows" });
  await bar.getByRole("button", { name: "Decline… 1 loan" }).click();
  const dialog = page.getByRole("dialog", { name: /^Decline: .+ for / });
  await dialog.waitFor();
  await page.mouse.click(5, 5);
  await dialog.waitFor({ state: "detached" });
  await bar.getByRole("button", { name: "Decline… 1 loan" }).click();
  await dialog.getByRole("textbox").fill("Away for repair");
  await page.mouse.click(5, 5);
  expect(await dialog.getByRole("textbox").inputValue()).toBe("Away for repair");
  await dialog.getByRole("button", { name: "Decline" }).click();
  await page.getByText(/^Declined: .+ for /).waitFor();
});

describe("on a phone", () => {
  test("a press beside a filter only closes it", async () => {
    const page = await visitAs(program.url, keeper, {
      width: 390,
      path: "/loans?status=asked&due_day%40=this_year",
    });
    const status = page.getByRole("button", { name: /^Status/u });
    await status.click();
    const sheet = page.getByRole("dialog", { name: "Status" });
    await sheet.waitFor();
    // The other chip is under the dimmed page.
    const other = await page.locator("button[data-filter]").nth(1).boundingBox();
    await page.mouse.click((other?.x ?? 0) + 20, (other?.y ?? 0) + 10);
    await sheet.waitFor({ state: "hidden" });
    expect(await page.locator("[popover]:popover-open").count()).toBe(0);
    // The next press is one again.
    await page.locator("button[data-filter]").nth(1).click();
    await page.locator("[popover]:popover-open").waitFor();
  });

  test("rows are sorted by a menu, which says the order", async () => {
    const page = await visitAs(program.url, keeper, { width: 390, path: "/things" });
    await page.getByRole("button", { name: /^Sort/ }).click();
    const menu = page.getByRole("menu", { name: "Sort" });
    await menu.getByRole("menuitem", { name: "Kind" }).click();
    await expect.poll(() => page.url()).toContain("sort=kind");
    await page.getByRole("button", { name: /^Sort/ }).click();
    await menu.getByRole("menuitem", { name: /Kind.+/ }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect(await small(page)).toEqual([]);
    expect(await sideways(page)).toBeLessThanOrEqual(0);
  });
});

describe("double presses", () => {
  const twice = ["by hand", "by keyboard"] as const;
  const press = (control: Locator, how: (typeof twice)[number]) =>
    how === "by hand"
      ? control.dblclick()
      : control.evaluate((button: HTMLElement) => {
          button.focus();
          // Two key presses before the page renders; a real one also causes a click.
          button.click();
          button.click();
        });

  test.each(twice)("pressed twice %s, a transition is made once for each selected row", async (how) => {
    for (const remark of ["one", "two"]) await ask(`twice ${how} ${remark}`);
    const page = await visitAs(program.url, keeper, { path: `/loans?search=${encodeURIComponent(`twice ${how}`)}` });
    await page.getByRole("row").nth(2).waitFor();
    const written = writesOf(page);
    await page.getByRole("checkbox", { name: "Select all shown" }).check({ force: true });
    const bar = page.getByRole("region", { name: "Actions for the selected rows" });
    await press(bar.getByRole("button", { name: "Hand over… 2 loans" }), how);
    await press(page.getByRole("dialog").getByRole("button", { name: "Hand over" }), how);
    await bar.waitFor({ state: "detached" });
    await expect.poll(() => page.getByRole("row", { name: /Lent/ }).count()).toBe(2);
    expect(written.map((one) => one.replace(/[0-9a-f-]{36}/u, "…"))).toEqual([
      "POST /api/loans/…/hand_over",
      "POST /api/loans/…/hand_over",
    ]);
    expect(new Set(written).size).toBe(2);
    await expect.poll(() => page.getByRole("alert").filter({ hasText: /\w/ }).count()).toBe(0);
  });

  test.each(twice)("pressed twice %s, a view is saved once and deleted once", async (how) => {
    const page = await visitAs(program.url, keeper, { path: "/things?sort=name" });
    const written = writesOf(page);
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("button", { name: "Save view" }).click();
    const dialog = page.getByRole("dialog", { name: "Save view" });
    await dialog.getByRole("textbox", { name: "Name" }).fill(`Kept ${how}`);
    await press(dialog.getByRole("button", { name: "Save" }), how);
    await page
      .getByRole("link", { name: `Kept ${how}` })
      .first()
      .waitFor();
    await page.getByRole("button", { name: "Views" }).click();
    await press(page.getByRole("button", { name: `Delete Kept ${how}` }), how);
    await page.getByText("No saved views").waitFor();
    expect(written.map((one) => one.replace(/[0-9a-f-]{36}/u, "…"))).toEqual(["POST /_/views", "DELETE /_/views/…"]);
    expect(complaints(page)).toEqual([]);
  });
});

test("the second click of a double click does not reach what is behind the closed dialog", async () => {
  const page = await visitAs(program.url, keeper, { path: "/things?sort=name" });
  await page.getByRole("row").nth(2).waitFor();
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("button", { name: "Save view" }).click();
  const dialog = page.getByRole("dialog", { name: "Save view" });
  await dialog.getByRole("textbox", { name: "Name" }).fill("Falls through nothing");
  // The first row lies under the button, as it does at many window heights.
  const save = await dialog.getByRole("button", { name: "Save" }).boundingBox();
  if (save === null) throw new Error("The button has no place.");
  await page.evaluate((y) => {
    const row = document.querySelector<HTMLElement>("tbody tr");
    if (row) row.style.cssText = `position: fixed; inset-inline: 0; top: ${y}px; height: 40px; z-index: 9`;
  }, save.y - 5);
  await page.mouse.move(save.x + save.width / 2, save.y + save.height / 2);
  await page.mouse.down();
  await page.mouse.up();
  await dialog.waitFor({ state: "detached" });
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
  await page.getByRole("link", { name: "Falls through nothing" }).first().waitFor();
  expect(new URL(page.url()).pathname).toBe("/things");
  // A separate click there opens the record.
  await page.mouse.down();
  await page.mouse.up();
  await page.waitForURL(/\/things\/[^?]+/u);
});

describe("the actions of a row", () => {
  const menuOf = (page: Page) => page.getByRole("menu", { name: /^More actions for/ });

  test("open by their button, by right click and by key, and say why one is not possible", async () => {
    await ask("menu");
    const page = await visitAs(program.url, keeper, { path: "/loans?search=menu" });
    const row = page.getByRole("row").nth(1);
    await row.getByRole("button", { name: /^More actions for/ }).click();
    await menuOf(page).getByRole("menuitem", { name: "Decline…" }).waitFor();
    // A transition from another state is refused for all records here, so it is shown only with the record.
    await expect.poll(() => menuOf(page).getByRole("menuitem", { name: "Take back" }).count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await menuOf(page).waitFor({ state: "detached" });
    await row.click({ button: "right" });
    await menuOf(page).getByRole("menuitem", { name: "Hand over" }).waitFor();
    await page.keyboard.press("Escape");
    await menuOf(page).waitFor({ state: "detached" });
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press(".");
    await menuOf(page).getByRole("menuitem", { name: "Hand over" }).waitFor();
    await expect.poll(() => focused(page)).toContain("Open");
    await page.keyboard.press("h");
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Hand over" }).press("Enter");
    await page.getByRole("row", { name: /Lent/ }).waitFor();
    await menuOf(page).waitFor({ state: "detached" });
    expect(complaints(page)).toEqual([]);
  });

  test("leave the record below closed when a press beside them closes them", async () => {
    await ask("beside");
    const page = await visitAs(program.url, keeper, { path: "/loans?search=beside" });
    const row = page.getByRole("row").nth(1);
    await row.click({ button: "right" });
    await menuOf(page).getByRole("menuitem", { name: "Hand over" }).waitFor();
    const title = row.getByRole("link");
    await title.click({ position: { x: 2, y: 2 } });
    await menuOf(page).waitFor({ state: "detached" });
    expect(new URL(page.url()).pathname).toBe("/loans");
    // The next press is for the row.
    await title.click({ position: { x: 2, y: 2 } });
    await page.waitForURL(/\/loans\/[^?]+/u);
    expect(complaints(page)).toEqual([]);
  });

  test("are left out if they are not possible, and one item says who can do them", async () => {
    await ask("refused");
    const page = await visitAs(program.url, keeper, { path: "/loans?search=refused" });
    await page.getByRole("row").nth(1).click({ button: "right" });
    const why = menuOf(page).getByRole("menuitem", { name: "What can I do here?" });
    await why.waitFor();
    expect(await menuOf(page).getByRole("menuitem", { name: "Edit" }).count()).toBe(0);
    await why.press("Enter");
    await page
      .getByRole("dialog")
      .getByText("Only the borrower, Lukas Brandt, can edit this loan, and only while it is “Requested”.")
      .waitFor();
  });

  test("ask for the fields of a transition, and return focus to the row", async () => {
    await ask("unwanted");
    const page = await visitAs(program.url, keeper, { path: "/loans?search=unwanted" });
    await page.getByRole("row").nth(1).waitFor();
    await page.keyboard.press("ArrowDown");
    const name = await focused(page);
    await page.keyboard.press(".");
    await menuOf(page).getByRole("menuitem", { name: "Decline…" }).click();
    await page.getByRole("dialog").getByRole("textbox", { name: "Reason" }).fill("Broken");
    await page.getByRole("dialog").getByRole("button", { name: "Decline" }).click();
    await page.getByRole("row", { name: /Declined/ }).waitFor();
    await expect.poll(() => focused(page)).toBe(name);
  });
});

describe("the first page includes its data", () => {
  test("so the rows are shown without a further request", async () => {
    const page = await visitAs(program.url, keeper);
    const requests: string[] = [];
    page.on("request", (request) => {
      const { pathname, search } = new URL(request.url());
      // The change feed starts at the page's position.
      if (/^\/(?:api|_(?!\/assets))\//u.test(pathname) && !search.startsWith("?after="))
        requests.push(pathname + search);
    });
    await page.goto(`${program.url}/things?sort=-name`);
    await page.getByRole("row").nth(1).waitFor();
    await atRest(page);
    expect(requests).toEqual([]);
    // Each prepared response serves once; a repeated request goes to the server.
    await page.getByRole("button", { name: "Name" }).click();
    await expect.poll(() => requests.length).toBe(1);
  });

  test("but not if the reader’s language differs from the browser’s", async () => {
    const page = await visitAs(program.url, keeper);
    await page.evaluate(() => localStorage.setItem("language", "none"));
    const answered = page.waitForResponse((response) => response.url().endsWith("/_/application"));
    await page.goto(`${program.url}/loans`);
    expect((await answered).request().headers()["accept-language"]).toBe("none");
    await page.getByRole("row").nth(1).waitFor();
  });

  test("as JSON that no value can end early", async () => {
    const words = `</script><script>document.title = "broken"</script><!--<script>`;
    await (await program.signInAs("keeper")).post("/api/things", { name: words, kind: "tool" });
    const page = await visitAs(program.url, keeper, { path: `/things?search=${encodeURIComponent("</script>")}` });
    await page.getByRole("row", { name: words }).waitFor();
    expect(await page.title()).toContain("Things");
    expect(complaints(page)).toEqual([]);
  });

  test("without personal data if nobody is signed in", async () => {
    const page = await fetch(`${program.url}/loans`, { headers: { accept: "text/html" } });
    const text = await page.text();
    expect([...text.matchAll(/data-given="([^"]*)"/gu)].map(([, address]) => address)).toEqual(["/_/application"]);
    expect(text).toContain('"person":null');
  });
});

describe("columns", () => {
  test("can be chosen, moved and widened, are remembered, and can be reset", async () => {
    const page = await visitAs(program.url, keeper);
    await page.getByRole("row").nth(1).waitFor();
    await page.getByRole("button", { name: "Columns and row height" }).click();
    await page.getByRole("checkbox", { name: "Remark" }).check();
    await page.getByRole("checkbox", { name: "Borrower" }).uncheck();
    await page.keyboard.press("Escape");
    await page.getByRole("columnheader", { name: "Remark" }).waitFor();
    await page.getByRole("separator", { name: "Width of Thing" }).focus();
    const before = Number(await page.getByRole("separator", { name: "Width of Thing" }).getAttribute("aria-valuenow"));
    await page.keyboard.press("ArrowRight");
    await expect
      .poll(async () =>
        Number(await page.getByRole("separator", { name: "Width of Thing" }).getAttribute("aria-valuenow")),
      )
      .toBeGreaterThan(before);
    await page.reload();
    await page.getByRole("columnheader", { name: "Remark" }).waitFor();
    await expect.poll(() => page.getByRole("columnheader", { name: "Borrower" }).count()).toBe(0);
    await page.getByRole("button", { name: "Columns and row height" }).click();
    await page.getByRole("button", { name: "Reset to default" }).click();
    await page.getByRole("columnheader", { name: "Borrower" }).waitFor();
  });
});

describe("an export", () => {
  test("has the rows that the person can read as CSV, in the chosen columns and without formulas", async () => {
    await ask('=1+1, "quoted"\nand a second line');
    const someone = await program.signInAs("keeper");
    const file = await someone.get("/_/export/loans.csv?search=quoted&columns=thing,from_day,remark,status,nonsense");
    expect(file.headers.get("content-type")).toBe("text/csv; charset=utf-8");
    // Reading it as text removes the byte order mark.
    const [head, ...lines] = file.text.split("\r\n");
    expect(head).toBe("Thing,From day,Remark,Status");
    expect(lines.join("\n")).toContain(`${today()},"'=1+1, ""quoted""\nand a second line",Requested`);
    expect((await someone.get("/_/export/loans.csv?nonsense=1")).problem().code).toBe("BAD_QUERY");
    expect((await someone.get("/_/export/nothing.csv")).problem().code).toBe("NO_SUCH_CALL");
    expect((await program.visitor().get("/_/export/loans.csv")).problem().code).toBe("NOT_SIGNED_IN");
  });

  test("is downloaded as CSV and as a spreadsheet", async () => {
    const page = await visitAs(program.url, keeper, { path: "/things" });
    await page.getByRole("row").nth(1).waitFor();
    for (const [choice, name, begins] of [
      [/^Export: CSV \(\d+ rows\)$/, "Things.csv", "\uFEFFName,Kind,Place,Availability\r\n"],
      [/^Export: Excel \(\d+ rows\)$/, "Things.xlsx", "PK"],
    ] as const) {
      await page.getByRole("button", { name: "More list actions" }).click();
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("menuitem", { name: choice }).click(),
      ]);
      expect(file.suggestedFilename()).toBe(name);
      expect((await readFile((await file.path()) ?? "", "utf8")).startsWith(begins)).toBe(true);
    }
    expect(complaints(page)).toEqual([]);
  });
});

describe("changes by others", () => {
  test("are announced by entity to people who can read it, as soon as they happen", async () => {
    const someone = await program.signInAs("keeper");
    const before = (await someone.get("/_/changes")).body as ChangesJson;
    const { id } = await ask("for whoever listens");
    // The request itself has been announced: what follows is not taken for it.
    const { at } = (await someone.get(`/_/changes?after=${before.at}`)).body as ChangesJson;
    const waiting = someone.get(`/_/changes?after=${at}`);
    await new Promise((resolve) => setTimeout(resolve, 600));
    const since = Date.now();
    await someone.post(`/api/loans/${id}/hand_over`);
    const { changed } = (await waiting).body as ChangesJson;
    // The thing is out now, which its computed availability says.
    expect([...(changed ?? [])].sort()).toEqual(["Loan", "Thing"]);
    // Without a change, the answer comes after 25 seconds.
    expect(Date.now() - since).toBeLessThan(15_000);
    expect(((await someone.get("/_/changes?after=nonsense.1")).body as ChangesJson).changed).toBeNull();
  });

  test("update a row in place; changes that would move rows wait until the reader asks", async () => {
    const loan = await ask("live one");
    const page = await visitAs(program.url, keeper, { path: "/loans?search=live" });
    await page.getByRole("row", { name: /Requested/ }).waitFor();
    await atRest(page);
    await listening(page);
    const other = await program.signInAs("keeper");
    await other.post(`/api/loans/${loan.id}/hand_over`);
    await page.getByRole("row", { name: /Lent/ }).waitFor();
    await ask("live two");
    await page.getByRole("button", { name: "Updated by others. Refresh" }).waitFor();
    await expect.poll(() => page.getByRole("row").count()).toBe(2);
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Updated by others. Refresh" }).click();
    await expect.poll(() => page.getByRole("row").count()).toBe(3);
  });

  test("update an open record, and leave a form alone", async () => {
    const loan = await ask("open here");
    const page = await visitAs(program.url, keeper, { path: `/loans/${loan.id}` });
    await page.getByRole("heading", { name: "Progress" }).waitFor();
    const other = await program.signInAs("keeper");
    await other.post(`/api/loans/${loan.id}/hand_over`);
    await page.getByText(/: Hand over$/).waitFor();
    await expect.poll(() => focused(page)).not.toBe("");
  });
});

describe("views", () => {
  test("are saved under a name, opened from anywhere, shared with everyone who sees the list, and deleted by their author", async () => {
    const page = await visitAs(program.url, keeper, { path: "/loans?status=lent&sort=from_day" });
    await page.getByRole("heading", { level: 1, name: "Loans" }).waitFor();
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("button", { name: "Save view" }).click();
    const dialog = page.getByRole("dialog", { name: "Save view" });
    await dialog.getByRole("textbox", { name: "Name" }).fill("What is out");
    await dialog.getByRole("checkbox").check();
    expect(await axeFindings(page)).toEqual([]);
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("link", { name: "What is out" }).first().waitFor();
    await page.goto(`${program.url}/things`);
    await page.getByRole("link", { name: "What is out" }).click();
    await page.waitForURL(/\/loans\?status=lent&sort=from_day$/);
    const other = await program.signInAs(null);
    const { items } = (await other.get("/_/views")).body as ViewsJson;
    expect(items).toMatchObject([{ title: "What is out", shared: true, own: false }]);
    expect((await other.delete(`/_/views/${items[0]?.id}`)).problem().code).toBe("NOT_FOUND");
    expect((await other.post("/_/views", { screen: "/loans", title: " ", query: "" })).problem().code).toBe(
      "MALFORMED",
    );
    expect((await program.visitor().get("/_/views")).problem().code).toBe("NOT_SIGNED_IN");
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("button", { name: "Delete What is out" }).click();
    await page.getByText("No saved views").waitFor();
    await page.getByRole("button", { name: "Undo", exact: true }).click();
    await page.getByText("What is out is back").waitFor();
    const back = (await other.get("/_/views")).body as ViewsJson;
    expect(back.items).toMatchObject([{ title: "What is out", query: items[0]?.query, shared: true }]);
    expect(complaints(page)).toEqual([]);
  });
});

describe("a filter by a period", () => {
  test("is chosen by keyboard, and stays relative in the address and in a saved view", async () => {
    const page = await visitAs(program.url, keeper, { path: "/loans" });
    await page.getByRole("row").nth(1).waitFor();
    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.keyboard.type("Due");
    await page.keyboard.press("Enter");
    const periods = page.getByRole("group", { name: "Periods" });
    await periods.waitFor();
    // The focus begins with “Yesterday”; below are the last week and the last month.
    await expect.poll(() => focused(page)).toContain("Yesterday");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => focused(page)).toContain("Last month");
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press("Enter");
    await periods.waitFor({ state: "detached" });
    await expect.poll(() => new URL(page.url()).searchParams.get("due_day@")).toBe("last_month");
    const chip = page.getByRole("button", { name: "Due day: Last month" });
    await chip.waitFor();

    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("button", { name: "Save view" }).click();
    const dialog = page.getByRole("dialog", { name: "Save view" });
    await dialog.getByRole("textbox", { name: "Name" }).fill("Due last month");
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("link", { name: "Due last month" }).first().waitFor();
    const views = (await (await program.signInAs("keeper")).get("/_/views")).body as ViewsJson;
    expect(views.items.find(({ title }) => title === "Due last month")?.query).toBe("due_day%40=last_month");

    // Fixed dates replace the period; pressing “Apply” without dates keeps it.
    await chip.click();
    expect(await periods.getByRole("button", { name: "Last month" }).getAttribute("aria-pressed")).toBe("true");
    await page.getByRole("button", { name: "Apply" }).click();
    await chip.waitFor();
    await chip.click();
    await page.getByRole("textbox", { name: "Number of days" }).fill("45");
    await page.getByRole("button", { name: "Last 45 days" }).click();
    await page.getByRole("button", { name: "Due day: Last 45 days" }).waitFor();
    expect(new URL(page.url()).searchParams.get("due_day@")).toBe("last_45_days");
    await page.getByRole("button", { name: "Views" }).click();
    await page.getByRole("button", { name: "Delete Due last month" }).click();
    expect(complaints(page)).toEqual([]);
  });

  test("finds overdue records of a deadline, on a phone", async () => {
    const page = await visitAs(program.url, keeper, { width: 390, path: "/loans?due_day%40=overdue" });
    const chip = page.getByRole("button", { name: "Due day: Overdue" });
    await chip.waitFor();
    await chip.click();
    await page.getByRole("group", { name: "Periods" }).getByRole("button", { name: "Overdue" }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await small(page)).toEqual([]);
    expect(await sideways(page)).toBeLessThanOrEqual(0);
    expect(complaints(page)).toEqual([]);
  });
});

describe("text pasted into search", () => {
  /** As from a clipboard; `~` stands for half a surrogate pair, which a test cannot pass. */
  const paste = (box: Locator, text: string) =>
    box.evaluate((input: HTMLInputElement, text) => {
      input.focus();
      input.select();
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", text.replaceAll("~", String.fromCharCode(0xd83d)));
      input.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }, text);
  const odd = ["\u0000\u0007", "~", "x".repeat(100_000), "\u202Eدراجة\u202C", "%_\\'\"<b>;--", "no such\r\n\tthing"];

  test("becomes one line, which finds matching rows or none", async () => {
    const page = await visitAs(program.url, keeper, { path: "/things" });
    await page.getByRole("row").nth(1).waitFor();
    const name = (await page.getByRole("row").nth(1).getByRole("link").textContent()) ?? "";
    const refused: string[] = [];
    page.on("response", (response) => {
      if (response.status() >= 400) refused.push(`${response.status()} ${response.url().slice(0, 120)}`);
    });
    const box = page.getByRole("searchbox", { name: "Search this list" });
    await paste(box, `\n${name.replace(" ", "\r\n\t")}\n`);
    expect((await box.inputValue()).trim()).toBe(name);
    await page.waitForURL((url) => url.searchParams.get("search") === name);
    await page.getByRole("row", { name: new RegExp(name, "u") }).waitFor();
    for (const text of odd) {
      await paste(box, text);
      const stored = (await box.inputValue()).trim();
      expect(stored.length).toBeLessThanOrEqual(200);
      await page.waitForURL((url) => (url.searchParams.get("search") ?? "") === stored);
      await atRest(page);
    }
    await page.getByText("No things match").waitFor();

    await page.keyboard.press("Control+k");
    const palette = page.getByRole("combobox", { name: "Search or jump to" });
    // The tools of the page are commands too.
    for (const command of ["Sort by Name", "Filter by Place", "Sign out"]) {
      await palette.fill(command);
      await page.getByRole("option", { name: command, exact: true }).waitFor();
    }
    for (const text of odd) {
      await paste(palette, text);
      expect((await palette.inputValue()).length).toBeLessThanOrEqual(200);
    }
    await page.getByText(/^No results for/u).waitFor();
    await page.keyboard.press("Escape");

    await page.getByRole("button", { name: "Filter", exact: true }).click();
    await page.getByRole("option", { name: "Place" }).click();
    const holds = page.getByRole("textbox", { name: "Contains" });
    await paste(holds, odd.join(" "));
    expect((await holds.inputValue()).length).toBeLessThanOrEqual(200);
    await page.keyboard.press("Enter");
    await page.waitForURL((url) => url.searchParams.has("place~"));
    await atRest(page);
    expect(refused).toEqual([]);
    expect(complaints(page)).toEqual([]);
  });
});

describe("a list with many rows", () => {
  beforeAll(async () => {
    const someone = await program.signInAs("keeper");
    for (let tens = 10; tens < 40; tens++)
      await Promise.all(
        Array.from({ length: 10 }, (_, ones) =>
          someone.post("/api/things", { name: `Many ${tens}.${ones}`, kind: "tool" }),
        ),
      );
  });

  /** Scrolls to the end, page by page. */
  const scrolledDown = async (): Promise<Page> => {
    const page = await visitAs(program.url, keeper, { path: "/things?search=Many" });
    await page.getByRole("button", { name: "Show 50 more" }).click();
    await expect
      .poll(async () => {
        await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
        return page.getByRole("row", { name: /Many 39\.9/u }).count();
      })
      .toBe(1);
    await page.getByText("All 300 shown").waitFor();
    return page;
  };

  test("renders only visible rows, and loads more while scrolling", async () => {
    const page = await scrolledDown();
    expect(await page.evaluate(() => document.querySelectorAll("*").length)).toBeLessThan(2_000);
    await expect.poll(() => page.getByRole("row").count()).toBeLessThan(100);
    await expect.poll(() => page.getByRole("table").getAttribute("aria-rowcount")).toBe("301");
  });

  test("reloads only visible pages, keeps its scroll position, and reloads the others when they are reached", async () => {
    const page = await scrolledDown();
    await atRest(page);
    await listening(page);
    const requests: string[] = [];
    page.on("request", (request) => {
      const { pathname, searchParams } = new URL(request.url());
      if (pathname === "/api/things" && !searchParams.has("may"))
        requests.push(`${searchParams.get("limit")}${searchParams.has("after") ? " further on" : " first"}`);
    });
    const other = await program.signInAs("keeper");
    const named = async (name: string) => (await other.get(`/api/things?name=${name}`)).list().items[0];
    const [first, last] = [await named("Many 10.0"), await named("Many 39.9")];
    const row = (name: string) => page.getByRole("row", { name: new RegExp(name.replace(".", "\\."), "u") });
    const place = () => row("Many 39.5").evaluate((one) => Math.round(one.getBoundingClientRect().top));
    const before = await place();
    await other.patch(`/api/things/${first?.id}`, { place: "Workshop" });
    await other.patch(`/api/things/${last?.id}`, { place: "Reception" });
    await row("Many 39.9").getByText("Reception").waitFor();
    await atRest(page);
    expect(new Set(requests)).toEqual(new Set(["200 further on"]));
    expect(await place()).toBe(before);

    // The user's own change causes no further requests.
    requests.length = 0;
    await other.delete(`/api/things/${(await named("Many 12.0"))?.id}`);
    const show = page.getByRole("button", { name: "Updated by others. Refresh" });
    await show.waitFor();
    const { x, y } = (await show.boundingBox()) ?? { x: 0, y: 0 };
    // Clicks by coordinates, because a visible target is not scrolled.
    await page.mouse.click(x + 9, y + 9);
    await page.getByText("All 299 shown").waitFor({ state: "attached" });
    await atRest(page);
    expect(new Set(requests)).toEqual(new Set(["200 further on"]));
    expect(await place()).toBe(before);

    await page.evaluate(() => window.scrollTo(0, 0));
    await row("Many 10.0").getByText("Workshop").waitFor();
    await row("Many 11.9").scrollIntoViewIfNeeded();
    await expect.poll(() => row("Many 12.0").count()).toBe(0);
    expect(complaints(page)).toEqual([]);
  });
});

test("all elements of a page are styled once while it opens, also when the code of records has come", async () => {
  const page = await visitAs(program.url, keeper, { path: "/nowhere" });
  const browser = page.context().browser();
  if (browser === null) throw new Error("the page has no browser");
  await browser.startTracing(page, { categories: ["devtools.timeline"] });
  const inAdvance = page.waitForResponse(/\/record-[^/]*\.css$/u);
  await page.goto(`${program.url}/loans`);
  await page.getByRole("row").nth(2).waitFor();
  await (await inAdvance).finished();
  await atRest(page);
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as {
    readonly traceEvents: readonly { readonly name: string; readonly args: { readonly elementCount?: number } }[];
  };
  const half = (await page.locator("*").count()) / 2;
  const styled = traceEvents.flatMap(({ name, args }) => (name === "UpdateLayoutTree" ? [args.elementCount ?? 0] : []));
  expect(styled.filter((count) => count > half)).toHaveLength(1);
});

test("the first rows wait for no timer", async () => {
  const page = await visitAs(program.url, keeper, { path: "/loans" });
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  // The clock stands still from here on.
  await page.reload();
  await page.locator("[data-row]").first().waitFor();
  expect(complaints(page)).toEqual([]);
});
