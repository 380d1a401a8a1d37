import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import type { Application } from "../../../src/core/wire/application.ts";
import { createGate } from "../../wait.ts";
import { axeFindings } from "../../web/axe.ts";
import { administrator, complaints, focused, namedByWhy, visitAs } from "../../web/browser.ts";
import {
  type ApiClient,
  example,
  type RunningApplication,
  scratch,
  serveDemonstration,
  serveText,
} from "../program.ts";

/* Failures while a user works: no input is lost, and messages say what to do. */

const employee = "Lukas Brandt";
const day = (from: number): string => new Date(Date.now() + from * 86_400_000).toISOString().slice(0, 10);

let program: RunningApplication;
let lukas: ApiClient;
let author: ApiClient;
beforeAll(async () => {
  program = await serveDemonstration({ file: example("leave-desk") });
  author = await program.signInAs("administrator");
  const { signIn } = (await program.visitor().get("/_/application")).body as Application;
  lukas = program.visitor();
  await lukas.post("/_/session", { demonstration: signIn.demonstration?.find(({ name }) => name === employee)?.token });
});

/** A draft request of Lukas in a separate week. */
let weeks = 20;
const draft = async () => {
  weeks += 3;
  return (
    await lukas.post("/api/requests", {
      kind: "special",
      first_day: day(weeks * 7),
      last_day: day(weeks * 7 + 8),
      note: "As it began",
    })
  ).record();
};
const note = (page: Page) => page.getByRole("textbox", { name: "Note" });
const save = (page: Page) => page.getByRole("button", { name: "Save" });
const create = (page: Page) => page.getByRole("button", { name: /^(Create|Save as) / });
const notSaved = (page: Page) => page.getByRole("alert").filter({ hasText: "Not saved" });

/** Opens the form of a record and types; returns the page. */
const typing = async (id: string, words: string): Promise<Page> => {
  const page = await visitAs(program.url, employee, { path: `/requests/${id}/edit` });
  await note(page).fill(words);
  return page;
};

describe("a form", () => {
  test("keeps the typed values and says that its record was deleted", async () => {
    const { id, version } = await draft();
    const page = await typing(id, "Typed into nothing");
    expect((await lukas.delete(`/api/requests/${id}`, { "if-match": `"${version}"` })).status).toBe(204);
    await save(page).click();
    await notSaved(page).waitFor();
    await expect.poll(() => focused(page)).toMatch(/^- alert/);
    await expect.poll(() => note(page).inputValue()).toBe("Typed into nothing");
  });

  test("keeps the typed values and says why it can no longer be saved, with the clause", async () => {
    const { id, version } = await draft();
    const page = await typing(id, "Typed too late");
    const submitted = await lukas.post(`/api/requests/${id}/submit`, {}, { "if-match": `"${version}"` });
    expect(submitted.record().status).toBe("submitted");
    await save(page).click();
    const alert = page.getByRole("alert").filter({ hasText: /\w/ }).first();
    await alert.waitFor();
    expect(await namedByWhy(page, alert)).toMatch(/^[3-6]\.Request/u);
    await expect.poll(() => note(page).inputValue()).toBe("Typed too late");
    await page.reload();
    // The draft remains on the device.
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).toContain("Typed too late");
  });

  test("keeps the typed values without a network, and saves once the network is back", async () => {
    const { id } = await draft();
    const page = await typing(id, "Typed in a tunnel");
    await page.context().setOffline(true);
    await save(page).click();
    await notSaved(page).waitFor();
    await page.getByText("Your change wasn’t sent.", { exact: false }).waitFor();
    await page.getByRole("status").filter({ hasText: /\w/ }).first().waitFor();
    await expect.poll(() => note(page).inputValue()).toBe("Typed in a tunnel");
    await page.context().setOffline(false);
    await save(page).click();
    await page.getByRole("heading", { level: 2, name: "Progress" }).waitFor();
    expect((await lukas.get(`/api/requests/${id}`)).record().note).toBe("Typed in a tunnel");

    // An installed application opens with a page of its own, which stores nothing and disappears as soon as the network
    // is back.
    await page.evaluate(() => window.dispatchEvent(new Event("appinstalled")));
    await page.evaluate(async () => void (await navigator.serviceWorker.ready));
    await page.context().setOffline(true);
    await page.reload();
    await page.getByRole("heading", { name: "Can’t reach Leave desk" }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    expect(await page.evaluate(() => caches.keys())).toEqual([]);
    await page.context().setOffline(false);
    await page.getByRole("heading", { level: 2, name: "Progress" }).waitFor();
  });

  test("waits for an upload before it saves, and saves the file too", async () => {
    const { id } = await draft();
    const page = await typing(id, "With a proof");
    const { opened: way, open: arrive } = createGate();
    await page.route("**/_/files?*", async (route) => {
      await way;
      await route.continue();
    });
    await page
      .getByLabel("Proof")
      .setInputFiles({ name: "note.txt", mimeType: "text/plain", buffer: Buffer.from("ill") });
    await page.getByRole("progressbar").waitFor();
    await save(page).click();
    await page.getByText("This will be saved when the upload is complete.").waitFor();
    arrive();
    await page.getByRole("heading", { level: 2, name: "Progress" }).waitFor();
    expect((await lukas.get(`/api/requests/${id}`)).record().proof).toMatchObject([{ name: "note.txt" }]);
    expect(complaints(page)).toEqual([]);
  });

  test("reports a file of the wrong type at its field, accepts another, and saves once", async () => {
    const wardrobe = await serveText(
      "# Wardrobe\n\n## 3. Entities and their fields\n```yaml\nCoat: { fields: { name: text, photo: image? } }\n```\n",
      { demonstration: true },
    );
    const page = await visitAs(await wardrobe.listen(), administrator, { path: "/coats/new" });
    const name = page.getByRole("textbox", { name: "Name" });
    await name.fill("Loden");
    await page
      .getByLabel("Photo")
      .setInputFiles({ name: "coat.png", mimeType: "image/png", buffer: Buffer.from("no picture at all") });
    await page.getByRole("button", { name: "Remove Photo" }).waitFor();
    await create(page).click();
    await page.getByRole("alert").getByRole("link", { name: /image/ }).waitFor();
    await expect.poll(() => name.inputValue()).toBe("Loden");
    await page.getByRole("button", { name: "Remove Photo" }).click();
    await create(page).dblclick();
    await page.getByRole("heading", { level: 1, name: "Loden" }).waitFor();
    const { rows } = await wardrobe.database.query("select photo from app.coat where name = 'Loden'");
    expect(rows).toEqual([{ photo: null }]);
    expect(complaints(page)).toEqual([]);
  });

  test("keeps focus on a file field after a choice, and offers a boolean exactly two values", async () => {
    const wardrobe = await serveText(
      "# Wardrobe\n\n## 3. Entities and their fields\n```yaml\nCoat: { fields: { name: text, wet: boolean, tag: file? } }\n```\n",
      { demonstration: true },
    );
    const page = await visitAs(await wardrobe.listen(), administrator, { path: "/coats/new" });
    const wet = page.getByRole("radiogroup", { name: "Wet" }).getByRole("radio");
    await expect.poll(() => wet.count()).toBe(2);
    const tag = page.getByLabel("Tag", { exact: true });
    await tag.focus();
    await tag.setInputFiles({ name: "tag.txt", mimeType: "text/plain", buffer: Buffer.from("7") });
    await page.getByText("tag.txt").waitFor();
    await expect.poll(() => focused(page)).not.toBe("the page");
    expect(complaints(page)).toEqual([]);
  });

  test("reports a file that is too large at its field, with the maximum size", async () => {
    const { id } = await draft();
    const page = await typing(id, "With far too much");
    const film = join(await scratch(), "film.mp4");
    await writeFile(film, Buffer.alloc(30_000_000));
    await page.getByLabel("Proof").setInputFiles(film);
    await page
      .getByRole("alert")
      .filter({ hasText: /at most/ })
      .waitFor();
    await expect.poll(() => note(page).inputValue()).toBe("With far too much");
    await save(page).click();
    await page.getByRole("heading", { level: 2, name: "Progress" }).waitFor();
  });
});

describe("an open record", () => {
  test("disappears from the page shortly after somebody deletes it", async () => {
    const { id, version } = await draft();
    const page = await visitAs(program.url, employee, { path: `/requests/${id}` });
    await page.getByRole("heading", { level: 2, name: "Progress" }).waitFor();
    await lukas.delete(`/api/requests/${id}`, { "if-match": `"${version}"` });
    await page.getByText("Page not found").last().waitFor();
  });

  test("makes a transition once, even if its button is pressed several times", async () => {
    const { id } = await draft();
    const page = await visitAs(program.url, employee, { path: `/requests/${id}` });
    await page.getByRole("button", { name: "Submit" }).dblclick();
    await page.getByText("Lukas Brandt: Submit").waitFor();
    const lines = (await lukas.get(`/api/requests/${id}/history`)).history();
    expect(lines.filter(({ action }) => action === "submit")).toHaveLength(1);
    await expect.poll(() => page.getByRole("alert").filter({ hasText: /\w/ }).count()).toBe(0);
  });
});

test("a role that is removed while the page is open: its actions are refused, and the rest works", async () => {
  const payroll = await program.signInAs("payroll");
  const { person } = (await payroll.get("/_/application")).body as Application;
  const page = await visitAs(program.url, "Jonas Weber", { path: "/public-holidays" });
  await page.getByRole("link", { name: "New public holiday" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("A day that was taken away");
  await page.getByRole("textbox", { name: "Day" }).fill("2031-03-03");
  await author.post(`/_/people/${person?.id}/take`, { role: "payroll" });
  await create(page).click();
  const alert = page.getByRole("alert").filter({ hasText: /\w/ }).first();
  await alert.waitFor();
  expect(await namedByWhy(page, alert)).toBe("6.PublicHoliday.create");
  await expect.poll(() => page.getByRole("textbox", { name: "Name" }).inputValue()).toBe("A day that was taken away");
  await page.getByRole("link", { name: "Requests", exact: true }).first().click();
  await page.getByRole("row").nth(1).waitFor();
  expect(complaints(page)).toEqual([]);
});

test("a toast offers undo if another transition leads back", async () => {
  const desk = await serveDemonstration({
    text: `# Shop

## 3. Entities and their fields
\`\`\`yaml
Stand:
  label: "{name}"
  fields: { name: { type: text, examples: [North, South] } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Stand:
  field: status
  states: [shut, open]
  transitions: { open_up: { from: shut, to: open, by: keeper }, shut: { from: open, to: shut, by: keeper } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { keeper: { members: signed in } }
permissions:
  Stand: { read: [keeper], create: [keeper] }
\`\`\`
`,
  });
  const keeper = await desk.signInAs("administrator");
  const { id } = (await keeper.post("/api/stands", { name: "By the gate" })).record();
  const page = await visitAs(desk.url, "Amara Okafor", { path: `/stands/${id}` });
  await page.getByRole("button", { name: "Open up" }).click();
  await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
  await page.getByText("Amara Okafor: Shut").waitFor();
  expect((await keeper.get(`/api/stands/${id}`)).record().status).toBe("shut");
  expect(complaints(page)).toEqual([]);
});
