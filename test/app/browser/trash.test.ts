import { setTimeout as pause } from "node:timers/promises";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { axeFindings } from "../../web/axe.ts";
import { complaints, focused, pressUntil, sideways, small, visitWith } from "../../web/browser.ts";
import { type ApiClient, type RunningApplication, serveDemonstration } from "../program.ts";

/* Deletions and transitions are undone, and deleted records are found and brought back. */

const text = `# Notes

## 3. Entities and their fields
\`\`\`yaml
Note: { label: "{name}", fields: { name: { type: text, unique: true, max: 40 }, folder: Folder? } }
Folder: { label: "{name}", fields: { name: { type: text, max: 40 } } }
Crate: { label: "{name}", fields: { name: { type: text, max: 40 }, bottles: { list: Bottle.crate } } }
Bottle: { label: "{wine}", fields: { crate: { type: Crate, part of: true }, wine: { type: text, max: 40 } } }
Label: { label: "{name}", fields: { name: { type: text, max: 40 }, folder: Folder } }
Tasting: { label: "{day}", fields: { day: { type: text, max: 40 }, bottle: Bottle } }
Topic: { label: "{name}", fields: { name: { type: text, max: 40 }, above: Topic? } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Note:
  field: status
  initial: open
  states: [open, done]
  transitions:
    finish: { from: open, to: done, by: clerk }
    reopen: { from: done, to: open, by: clerk }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: granted, archivist: granted }
permissions:
  Note: { read: [clerk], create: [clerk], update: [clerk], delete: [clerk] }
  Label: { read: [clerk], create: [archivist] }
  Folder: { read: [clerk, archivist], create: [clerk], delete: [clerk] }
  Crate: { read: [clerk], create: [clerk], delete: [clerk] }
  Bottle: { read: [clerk], create: [clerk] }
  Tasting: { read: [clerk], create: [clerk] }
  Topic: { read: [clerk], create: [clerk], update: [clerk], delete: [clerk] }
\`\`\`

## 9. Constants
\`\`\`yaml
page_size: 19
page_size_max: 19
\`\`\`
`;

let program: RunningApplication;
let clerk: ApiClient;
beforeAll(async () => {
  program = await serveDemonstration({ text });
  clerk = await program.signInAs("clerk");
});

const create = async (...names: readonly string[]) => {
  for (const name of names) await clerk.post("/api/notes", { name });
};
const visitNotes = (search: string, width = 1440): Promise<Page> =>
  visitWith(program.url, clerk.cookie(), { width, path: `/notes?search=${search}` });
const toast = (page: Page) => page.locator(".toast");

describe("undo", () => {
  test("brings a deleted record back, without a mouse", async () => {
    await create("Undone soon");
    const page = await visitNotes("soon");
    await page.getByRole("row", { name: /Undone soon/ }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press(".");
    await page.getByRole("menuitem", { name: /Delete/ }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Delete Undone soon?" });
    await dialog.getByText("You can bring it back from the trash for 30 days.").waitFor();
    await dialog.getByRole("button", { name: "Delete" }).press("Enter");
    await toast(page).getByText("Note deleted").waitFor();
    await page.getByText("No notes match").waitFor();
    await toast(page).getByRole("button", { name: "Undo" }).press("Enter");
    await toast(page).getByText("Undone soon is back").waitFor();
    await page.getByRole("row", { name: /Undone soon/ }).waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test("can be tried again until the server has answered, from the note and by Ctrl+Z", async () => {
    await create("Undone late");
    const page = await visitNotes("late");
    const row = page.getByRole("row", { name: /Undone late/ });
    await row.waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press(".");
    await page.getByRole("menuitem", { name: /Delete/ }).press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).press("Enter");
    await toast(page).getByText("Note deleted").waitFor();
    await page.context().setOffline(true);
    const again = toast(page).getByRole("button", { name: "Try again" });
    await toast(page).getByRole("button", { name: "Undo" }).press("Enter");
    await again.press("Enter");
    await again.waitFor();
    await page.context().setOffline(false);
    await page.keyboard.press("Control+z");
    await row.waitFor();
    await toast(page).getByText("Undone late is back").waitFor();
    expect(await toast(page).getByRole("button", { name: "Try again" }).count()).toBe(0);
  });

  test("is not refused if the answer to an attempt was lost", async () => {
    await create("Undone unheard");
    const page = await visitNotes("unheard");
    const row = page.getByRole("row", { name: /Undone unheard/ });
    await row.waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press(".");
    await page.getByRole("menuitem", { name: /Delete/ }).press("Enter");
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).press("Enter");
    await page.route("**/_/trash/bring-back", async (route) => {
      await route.fetch();
      await route.abort();
    });
    await toast(page).getByRole("button", { name: "Undo" }).press("Enter");
    const again = toast(page).getByRole("button", { name: "Try again" });
    await again.waitFor();
    await page.unroute("**/_/trash/bring-back");
    await again.press("Enter");
    await toast(page).getByText("Undone unheard is back").waitFor();
    await row.waitFor();
  });

  test("of several records says how far it is, and what is left", async () => {
    await create("Slow one", "Slow two", "Slow three");
    const page = await visitNotes("slow");
    await page.getByRole("row", { name: /Slow three/ }).waitFor();
    await page.getByRole("checkbox", { name: "Select all shown" }).check({ force: true });
    const bar = page.getByRole("region", { name: "Actions for the selected rows" });
    await bar.getByRole("button", { name: "Delete… 3 notes" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await toast(page).getByText("3 notes deleted").waitFor();
    let asked = 0;
    const problem = {
      type: "about:blank",
      title: "Refused",
      status: 403,
      detail: "This note stays away.",
      code: "FORBIDDEN",
    };
    // Each answer waits until the test releases it, once it is time for a note.
    const releases: (() => void)[] = [];
    const answer = async (count: number) => {
      await expect.poll(() => releases.length).toBe(count);
      await pause(1100);
      releases.at(-1)?.();
    };
    await page.route(/\/_\/trash\/bring-back/, async (route) => {
      asked++;
      await new Promise<void>((release) => releases.push(release));
      if (asked === 2)
        await route.fulfill({ status: 403, contentType: "application/problem+json", body: JSON.stringify(problem) });
      else await route.continue();
    });
    await toast(page).getByRole("button", { name: "Undo" }).click();
    await answer(1);
    await toast(page).getByText("Bringing back 1 of 3").waitFor();
    await answer(2);
    await toast(page).getByText("Bringing back 2 of 3").waitFor();
    await answer(3);
    await toast(page)
      .getByText(/^2 of 3 are back\. .*Still deleted: Slow two\.$/)
      .waitFor();
    await expect.poll(() => page.getByRole("row", { name: /Slow/ }).count()).toBe(2);
  });

  test("of several records by keyboard leaves the focus on the row that follows them", async () => {
    await create("Follow one", "Follow two", "Follow three");
    const page = await visitNotes("follow");
    await page.getByRole("row", { name: /Follow two/ }).waitFor();
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("x");
    await page.keyboard.press("Shift+ArrowDown");
    await page.getByRole("button", { name: "Delete… 2 notes" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Delete 2 notes?" });
    await dialog.getByRole("button", { name: "Delete" }).press("Enter");
    await toast(page).getByText("2 notes deleted").waitFor();
    await expect.poll(() => page.getByRole("row", { name: /Follow/ }).count()).toBe(1);
    await expect.poll(() => focused(page)).toMatch(/Follow/u);
    expect(complaints(page)).toEqual([]);
  });

  test("takes a transition of several records back, and a deletion of several", async () => {
    await create("Many one", "Many two");
    const page = await visitNotes("many");
    await page.getByRole("row", { name: /Many two/ }).waitFor();
    await page.getByRole("checkbox", { name: "Select all shown" }).check({ force: true });
    const bar = page.getByRole("region", { name: "Actions for the selected rows" });
    await bar.getByRole("button", { name: "Finish… 2 notes" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Finish" }).click();
    await toast(page).getByText("Done: 2 notes").waitFor();
    await expect.poll(() => page.getByRole("row", { name: /Done/ }).count()).toBe(2);
    await toast(page).getByRole("button", { name: "Undo" }).click();
    await toast(page).getByText("Undone: 2 notes").waitFor();
    await expect.poll(() => page.getByRole("row", { name: /Open/ }).count()).toBe(2);

    // Permissions were loaded before the rows changed; until they are loaded again, nothing is offered.
    await page.route(/may=true/, async (route) => {
      await pause(1500);
      await route.continue();
    });
    await page.getByRole("checkbox", { name: "Select all shown" }).check({ force: true });
    await bar.getByRole("button", { name: "Delete… 2 notes" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await toast(page).getByText("2 notes deleted").waitFor();
    await toast(page).getByRole("button", { name: "Undo" }).click();
    await toast(page).getByText("2 notes are back").waitFor();
    await expect.poll(() => page.getByRole("row", { name: /Many/ }).count()).toBe(2);
  });

  test("of records that use each other, in whatever order they are listed, and brings all of them back", async () => {
    const topic = async (name: string, above: string | null) =>
      (await clerk.post("/api/topics", { name: `Nested ${name}`, above })).record().id;
    // In a list, the record that the others use is between them.
    const upper = await topic("B", null);
    const lower = [await topic("A", upper), await topic("C", upper)];
    const page = await visitWith(program.url, clerk.cookie(), { path: "/topics?search=nested&sort=name" });
    await page.getByRole("row", { name: /Nested C/ }).waitFor();
    await page.getByRole("checkbox", { name: "Select all shown" }).check({ force: true });
    await page.getByRole("button", { name: "Delete… 3 topics" }).click();
    const dialog = page.getByRole("dialog", { name: "Delete 3 topics?" });
    await dialog.getByRole("button", { name: "Delete" }).click();
    await toast(page).getByText("3 topics deleted").waitFor();
    await toast(page).getByRole("button", { name: "Undo" }).click();
    await toast(page).getByText("3 topics are back").waitFor();
    for (const id of lower) expect((await clerk.get(`/api/topics/${id}`)).record().above).toMatchObject({ id: upper });
    expect(complaints(page)).toEqual([]);
  });

  test("is possible by Ctrl+Z and from the palette after the note is gone, but not after another action", async () => {
    await create("Later one", "Later two");
    const page = await visitNotes("later");
    const remove = async (name: string) => {
      await page.getByRole("button", { name: `More actions for ${name}` }).click();
      await page.getByRole("menuitem", { name: /Delete/ }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
      await toast(page).getByText("Note deleted").waitFor();
      await toast(page).getByRole("button", { name: "Close" }).click();
      await toast(page).waitFor({ state: "detached" });
    };
    await remove("Later one");
    await page.keyboard.press("Control+z");
    await toast(page).getByText("Later one is back").waitFor();
    await page.getByRole("row", { name: /Later one/ }).waitFor();
    await toast(page).getByRole("button", { name: "Close" }).click();
    await page.keyboard.press("Control+z");

    await remove("Later two");
    await page.keyboard.press("Control+k");
    await page.keyboard.type("undo");
    await page.getByRole("option", { name: "Undo: Note deleted" }).click();
    await toast(page).getByText("Later two is back").waitFor();
    await page.getByRole("row", { name: /Later two/ }).waitFor();
    expect(await page.getByRole("row", { name: /Later/ }).count()).toBe(2);
    expect(complaints(page)).toEqual([]);
  });
});

describe("the trash", () => {
  test("lists deleted records, and brings one back by keyboard or says why it cannot", async () => {
    await create("Taken", "Kept");
    for (const name of ["Taken", "Kept"]) {
      const [found] = (await clerk.get(`/api/notes?name=${name}`)).list().items;
      await clerk.delete(`/api/notes/${found?.id}`);
    }
    await create("Taken");
    const page = await visitWith(program.url, clerk.cookie(), { path: "/notes" });
    await page.getByRole("button", { name: "More list actions" }).click();
    await page.getByRole("menuitem", { name: "Trash" }).click();
    await page.getByRole("row", { name: /Taken/ }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.getByRole("button", { name: "Bring back Taken" }).click();
    await page.getByRole("alert").getByText("Couldn’t bring Taken back").waitFor();
    await page
      .getByRole("alert")
      .getByText(/already/)
      .waitFor();
    await pressUntil(page, "Tab", /Bring back Kept/);
    expect(await focused(page)).toMatch(/Bring back Kept/);
    await page.keyboard.press("Enter");
    await toast(page).getByText("Kept is back").waitFor();
    await toast(page).getByRole("link", { name: "Open" }).waitFor();
    await page.getByRole("row", { name: /Kept/ }).waitFor({ state: "detached" });
    // Its button is gone.
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("trash");

    await page.keyboard.press("/");
    await page.keyboard.type("nowhere");
    await page.getByText("No deleted records match").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.type("take");
    await page.getByRole("row", { name: /Taken/ }).waitFor();
    await page.getByRole("button", { name: "Deleted", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Today" }).click();
    await page.getByRole("button", { name: /^Deleted: / }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await page.reload();
    await page.getByRole("row", { name: /Taken/ }).waitFor();
    expect(new URL(page.url()).searchParams.get("search")).toBe("take");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await expect.poll(() => new URL(page.url()).search).toBe("?of=Note");

    const phone = await visitWith(program.url, clerk.cookie(), { width: 390, path: "/sign-in/trash" });
    await phone.getByRole("button", { name: "Bring back Taken" }).waitFor();
    expect(await axeFindings(phone)).toEqual([]);
    expect(await small(phone)).toEqual([]);
    expect(await sideways(phone)).toBeLessThanOrEqual(0);
  });

  test.each([1440, 390])("at %i, brings several records back, and says which cannot come back", async (width) => {
    const names = [`Several ${width} one`, `Several ${width} two`, `Several ${width} taken`];
    await create(...names);
    for (const { id } of (await clerk.get(`/api/notes?search=several+${width}`)).list().items)
      await clerk.delete(`/api/notes/${id}`);
    await create(`Several ${width} taken`);
    const path = `/sign-in/trash?search=several+${width}`;
    const page = await visitWith(program.url, clerk.cookie(), { width, path });
    await page.getByRole("checkbox", { name: `Select Several ${width} one` }).check();
    await page.getByRole("button", { name: "Bring back 1", exact: true }).waitFor();
    await page.getByRole("checkbox", { name: `Select Several ${width} two` }).focus();
    await page.keyboard.press("Space");
    await page.getByRole("checkbox", { name: `Select Several ${width} taken` }).check();
    await page.getByRole("button", { name: "Bring back 3", exact: true }).press("Enter");
    await toast(page).getByText("2 of 3 are back.").waitFor();
    await expect.poll(() => page.getByRole("checkbox", { name: /^Select Several/ }).count()).toBe(1);
    // The one that cannot come back stays selected.
    expect(await page.getByRole("checkbox", { name: `Select Several ${width} taken` }).isChecked()).toBe(true);
    expect([await axeFindings(page), await sideways(page)]).toEqual([[], 0]);
    if (width === 390) expect(await small(page)).toEqual([]);
    const clear = page.getByRole("button", { name: "Clear selection" });
    await clear.press("Enter");
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("trash");
    await page.getByRole("checkbox", { name: `Select Several ${width} taken` }).check();
    await clear.waitFor();
    await page.keyboard.press("Escape");
    await clear.waitFor({ state: "detached" });
  });
});

test("a record that is still used cannot be deleted: before any question, its dialog counts what uses it and leads there", async () => {
  const { id } = (await clerk.post("/api/folders", { name: "Used folder" })).record();
  for (const name of ["In it one", "In it two"]) await clerk.post("/api/notes", { name, folder: id });
  for (const width of [390, 1440]) {
    // On a phone, the page of the record has the menu.
    const path = width === 390 ? `/folders/${id}` : "/folders";
    const page = await visitWith(program.url, clerk.cookie(), { path, width });
    await page.getByRole("button", { name: "More actions for Used folder" }).click();
    await page.getByRole("menuitem", { name: /Delete/ }).click();
    const dialog = page.getByRole("dialog", { name: "Can’t delete Used folder" });
    const link = dialog.getByRole("link", { name: "2 notes use it as “Folder”." });
    await link.waitFor();
    await dialog.getByText("Change or delete these records first.").waitFor();
    expect(await dialog.getByRole("button", { name: "Delete" }).count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    if (width === 390) expect(await small(page)).toEqual([]);
    await link.click();
    await page.getByText("In it two").first().waitFor();
    expect(await page.getByText("Undone soon").count()).toBe(0);
    expect(complaints(page)).toEqual([]);
  }
});

test("who can neither change nor delete the records that use another is told to ask somebody", async () => {
  const archivist = await program.signInAs("archivist");
  const { id } = (await clerk.post("/api/folders", { name: "Labelled" })).record();
  await archivist.post("/api/labels", { name: "Red", folder: id });
  const page = await visitWith(program.url, clerk.cookie(), { path: "/folders?search=labelled" });
  await page.getByRole("button", { name: "More actions for Labelled" }).click();
  await page.getByRole("menuitem", { name: /Delete/ }).click();
  const dialog = page.getByRole("dialog", { name: "Can’t delete Labelled" });
  await dialog.getByRole("link", { name: "1 label uses it as “Folder”." }).waitFor();
  await dialog.getByText("You can’t change or delete these records. Ask someone who can.").waitFor();
  expect(complaints(page)).toEqual([]);
});

test("a record is not said to be used by its parts, or by records that nobody sees if a part is used", async () => {
  const { id } = (await clerk.post("/api/crates", { name: "Full crate", bottles: [{ wine: "Red" }] })).record();
  const [bottle] = (await clerk.get(`/api/bottles?crate=${id}`)).list().items;
  await clerk.post("/api/tastings", { day: "Monday", bottle: bottle?.id });
  const page = await visitWith(program.url, clerk.cookie(), { path: `/crates/${id}` });
  await page.getByRole("button", { name: "More actions for Full crate" }).click();
  await page.getByRole("menuitem", { name: /Delete/ }).click();
  const dialog = page.getByRole("dialog", { name: "Can’t delete Full crate" });
  await dialog.getByText("Can’t delete: other records still use it.").waitFor();
  expect(await dialog.getByRole("link").count()).toBe(0);
  expect(await dialog.getByText("can’t see", { exact: false }).count()).toBe(0);
});

test("a deletion that is refused after its question says why in the same dialog", async () => {
  const { id } = (await clerk.post("/api/folders", { name: "Filled meanwhile" })).record();
  const page = await visitWith(program.url, clerk.cookie(), { path: "/folders" });
  await page.getByRole("button", { name: "More actions for Filled meanwhile" }).click();
  await page.getByRole("menuitem", { name: /Delete/ }).click();
  const remove = page.getByRole("dialog", { name: "Delete Filled meanwhile?" }).getByRole("button", { name: "Delete" });
  await remove.waitFor();
  await clerk.post("/api/notes", { name: "Put into it", folder: id });
  await remove.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Can’t delete Filled meanwhile" });
  await dialog.getByRole("link", { name: "1 note uses it as “Folder”." }).waitFor();
  await expect.poll(() => focused(page)).toMatch(/alert/);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
});

test("a question that opens before its check is over keeps the focus on the way out", async () => {
  await create("Checked slowly");
  const page = await visitNotes("slowly");
  await page.route(/\/_\/deletion/, async (route) => {
    await pause(1500);
    await route.continue();
  });
  await page.getByRole("button", { name: "More actions for Checked slowly" }).click();
  await page.getByRole("menuitem", { name: /Delete/ }).click();
  const dialog = page.getByRole("dialog", { name: "Delete Checked slowly?" });
  await expect.poll(() => focused(page)).toMatch(/button "Cancel"/);
  await dialog.getByRole("button", { name: "Delete", disabled: true }).waitFor();
  await dialog.getByRole("button", { name: "Delete", disabled: false }).waitFor();
  expect(await focused(page)).toMatch(/button "Cancel"/);
  expect(complaints(page)).toEqual([]);
});

test("of several records, those that are still used are named before the others are deleted", async () => {
  const folders = await Promise.all(
    ["Several used", "Several free"].map(async (name) => (await clerk.post("/api/folders", { name })).record()),
  );
  await clerk.post("/api/notes", { name: "Keeps it", folder: folders[0]?.id });
  const page = await visitWith(program.url, clerk.cookie(), { path: "/folders?search=several" });
  const bar = page.getByRole("region", { name: "Actions for the selected rows" });
  await page.getByRole("checkbox", { name: "Select all shown" }).check({ force: true });
  await bar.getByRole("button", { name: "Delete… 2 folders" }).click();
  const question = page.getByRole("dialog", { name: "Delete 1 folder?" });
  await question.getByText("Several used").waitFor();
  await question.getByText("Can’t delete: other records still use it.").waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await question.getByRole("button", { name: "Delete" }).click();
  await toast(page).getByText("1 folder deleted").waitFor();
  await expect.poll(() => page.getByRole("row", { name: /Several/ }).count()).toBe(1);
  await page.getByRole("checkbox", { name: "Select Several used" }).check({ force: true });
  await bar.getByRole("button", { name: "Delete… 1 folder" }).click();
  const refusal = page.getByRole("dialog", { name: "Can’t delete 1 folder" });
  await refusal.getByRole("button", { name: "Close" }).last().click();
  await refusal.waitFor({ state: "detached" });
  expect(complaints(page)).toEqual([]);
});
