import type { Locator, Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { findCommentThread } from "../../../src/core/derive/client/comment-threads.ts";
import type { RecordJson } from "../../../src/core/wire/records.ts";
import { axeFindings } from "../../web/axe.ts";
import { atRest, complaints, compose, enterWhileComposing, focused, sideways, visitAs } from "../../web/browser.ts";
import { type ApiClient, compiled, example, type RunningApplication, serveDemonstration } from "../program.ts";

/* Comments on records, in every example that has them. */

const remarks = (fields: string, more = "") => `# Cases

## 3. Entities and their fields
\`\`\`yaml
Case:
  fields:
    name: text
    remarks: { list: Remark.about }
Remark:
  fields:
    about: { type: Case, part of: true }
${fields
  .split("\n")
  .map((line) => `    ${line}`)
  .join("\n")}
${more}\`\`\`
`;
const told = (text: string) => {
  const { entities } = compiled(text).model;
  const found = entities.get("Remark");
  const conversation = found === undefined ? null : findCommentThread(found, "about");
  return conversation && [conversation.author.name, conversation.text.name];
};
const who = "who: { type: User, set: user }";

describe("an entity is recognised as comments", () => {
  test("if the program sets its author and people write one text", () => {
    expect(told(remarks(`${who}\nwords: long text`))).toEqual(["who", "words"]);
    expect(told(remarks(`${who}\nwords: rich text\nopen: boolean\nshots: { type: image, many: true }`))).toEqual([
      "who",
      "words",
    ]);
    expect(told(remarks(`${who}\nwords: long text\nseen: { type: choice, values: [all, us], default: all }`))).toEqual([
      "who",
      "words",
    ]);
  });

  test.each([
    ["no author", "words: long text"],
    ["an author whom people choose", "who: User\nwords: long text"],
    ["an optional text", `${who}\nwords: long text?`],
    ["a text of one line", `${who}\nwords: text`],
    ["two texts", `${who}\nwords: long text\nmore: long text?`],
    ["another required field", `${who}\nwords: long text\nkind: { type: choice, values: [a, b] }`],
    ["a date", `${who}\nwords: long text\ndue: date?`],
    ["an amount", `${who}\nwords: long text\ncost: { type: decimal, default: 0 }`],
    ["a position", `${who}\nwords: long text\nat: position`],
    ["two people", `${who}\nby: { type: User, set: user }\nwords: long text`],
  ])("but not if it has %s", (_, fields) => expect(told(remarks(fields))).toBeNull());

  test("but not if it has states", () => {
    const states = `${remarks(`${who}\nwords: long text`)}
## 4. States and transitions
\`\`\`yaml
Remark:
  field: status
  initial: open
  final: [done]
  states: [open, done]
  transitions: { finish: { from: open, to: done } }
\`\`\`
`;
    expect(told(states)).toBeNull();
  });
});

describe("comments on a ticket", () => {
  let program: RunningApplication;
  let jonas: ApiClient;
  let ticket: RecordJson;
  beforeAll(async () => {
    program = await serveDemonstration({ file: example("help-desk") });
    jonas = await program.signInAs("agent");
    const [category] = (await jonas.get("/api/categories?limit=1")).list().items;
    const input = { category: category?.id, subject: "Said and done", description: "Something to talk about" };
    ticket = (await jonas.post("/api/tickets", input)).record();
  });
  const region = (page: Page) => page.getByRole("region", { name: "Comments" });
  const box = (page: Page) => region(page).getByRole("textbox", { name: "Text" });
  const messageOf = (page: Page) =>
    region(page)
      .getByRole("listitem")
      .filter({ has: page.getByRole("time") });
  const open = (name = "Jonas Weber", width = 1440) =>
    visitAs(program.url, name, { path: `/tickets/${ticket.id}`, width });

  test("@ offers people, mentioned people are notified, and internal comments are marked", async () => {
    const page = await open();
    const text = box(page);
    await text.fill("Please look at this, ");
    await text.press("End");
    await text.pressSequentially("@mei");
    await page.getByRole("option", { name: "Mei Tanaka" }).waitFor();
    expect(await axeFindings(page)).toEqual([]);
    await text.press("Enter");
    await expect.poll(() => text.inputValue()).toBe("Please look at this, @Mei Tanaka ");
    // During a composition, Enter belongs to the input method.
    await text.pressSequentially("@");
    await compose(page, "jon");
    await page.getByRole("option", { name: "Jonas Weber" }).waitFor();
    expect(await enterWhileComposing(page)).toBe(true);
    await expect.poll(() => text.inputValue()).toBe("Please look at this, @Mei Tanaka @jon");
    await text.fill("Please look at this, @Mei Tanaka ");
    await text.pressSequentially("today.");
    await region(page).getByText("Internal", { exact: true }).click();
    await region(page).getByRole("button", { name: "Send" }).click();
    const last = messageOf(page).last();
    await last.getByText("Please look at this, @Mei Tanaka today.").waitFor();
    await last.getByText("Internal", { exact: true }).waitFor();
    await expect.poll(() => text.inputValue()).toBe("");
    await expect.poll(() => focused(page)).toContain("textbox");
    expect(await axeFindings(page)).toEqual([]);

    const mei = await visitAs(program.url, "Mei Tanaka", { path: "/" });
    await mei
      .getByRole("button", { name: /^Notifications/ })
      .first()
      .click();
    await mei
      .getByText(/Jonas Weber mentioned you in HD-\d{4}-\d{5}/)
      .first()
      .waitFor();
    expect([complaints(page), complaints(mei)]).toEqual([[], []]);
  });

  test("are begun by R with everything that belongs to them in view", async () => {
    const page = await open();
    await box(page).waitFor();
    await atRest(page);
    await page.keyboard.press("r");
    await expect.poll(() => focused(page)).toContain("textbox");
    const send = region(page).getByRole("button", { name: "Send" });
    const isInView = () =>
      send.evaluate((button) => {
        const { top, bottom } = button.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      });
    await expect.poll(isInView).toBe(true);
    expect(complaints(page)).toEqual([]);
  });

  test("are beside the record on wide screens, and a button leads to them on others", async () => {
    const page = await open();
    await box(page).waitFor();
    await atRest(page);
    const placeOf = (one: Locator) => one.evaluate((element) => element.getBoundingClientRect().toJSON() as DOMRect);
    const subject = page.getByText("Said and done", { exact: true });
    expect((await placeOf(region(page))).left).toBeGreaterThan((await placeOf(subject)).right);
    await page.mouse.wheel(0, 5_000);
    await expect.poll(async () => (await placeOf(box(page))).top).toBeGreaterThanOrEqual(0);
    expect((await placeOf(box(page))).bottom).toBeLessThanOrEqual(900);
    expect(await page.getByRole("button", { name: /^(Reply|Add comment)$/ }).count()).toBe(0);
    expect(await axeFindings(page)).toEqual([]);

    const phone = await open("Jonas Weber", 390);
    await phone.getByRole("button", { name: /^(Reply|Add comment)$/ }).click();
    await expect.poll(() => focused(phone)).toContain("textbox");
    await expect.poll(async () => (await placeOf(box(phone))).top).toBeGreaterThanOrEqual(0);
    expect(await sideways(phone)).toBe(0);
    expect([complaints(page), complaints(phone)]).toEqual([[], []]);
  });

  test("leave the two answers that a state waits for in the bar of a phone, and locked acts at the end of its menu", async () => {
    const sofia = await program.signInAs("Sofía Marín");
    const [category] = (await sofia.get("/api/categories?limit=1")).list().items;
    const input = { category: category?.id, subject: "Repaired", description: "It is broken" };
    const { id } = (await sofia.post("/api/tickets", input)).record();
    expect((await jonas.post(`/api/tickets/${id}/take`)).status).toBe(200);
    const solution = { solution: "The cable has been replaced.", cause: "wear", minutes: 5 };
    expect((await jonas.post(`/api/tickets/${id}/solve`, solution)).status).toBe(200);
    const page = await visitAs(program.url, "Sofía Marín", { path: `/tickets/${id}`, width: 390 });
    const actions = page.getByRole("group", { name: /^Actions for/ });
    await actions.getByRole("button", { name: "It works again…" }).waitFor();
    await actions.getByRole("button", { name: "It does not work yet…" }).waitFor();
    expect(await actions.getByRole("button", { name: "Add comment" }).count()).toBe(0);
    await actions.getByRole("button", { name: /^More actions/ }).click();
    const items = page.getByRole("menuitem");
    await items.first().waitFor();
    // Behind them is only the item that shows the acts of others.
    const locked = await items.evaluateAll((all) =>
      all.filter((one) => !one.matches(".menu-fold")).map((one) => one.getAttribute("aria-disabled") === "true"),
    );
    expect(locked).toContain(true);
    expect(locked).toEqual(locked.toSorted());
    await page.getByRole("menuitem", { name: "Add comment" }).click();
    await expect.poll(() => focused(page)).toContain("textbox");
    // For the desk, nothing is to be answered, and a lock takes no place in the bar.
    const desk = await visitAs(program.url, "Jonas Weber", { path: `/tickets/${id}`, width: 390 });
    const bar = desk.getByRole("group", { name: /^Actions for/ });
    await bar.getByRole("button", { name: "Add comment" }).waitFor();
    expect(await bar.getByRole("button").count()).toBe(2);
    expect([complaints(page), complaints(desk)]).toEqual([[], []]);
  });

  test("wait on the overview with the question and the act that answers it; acts of others lock no place", async () => {
    const sofia = await program.signInAs("Sofía Marín");
    const [category] = (await sofia.get("/api/categories?limit=1")).list().items;
    const input = { category: category?.id, subject: "Which lamp", description: "It is broken" };
    const { id } = (await sofia.post("/api/tickets", input)).record();
    expect((await jonas.post(`/api/tickets/${id}/take`)).status).toBe(200);
    const record = await visitAs(program.url, "Sofía Marín", { path: `/tickets/${id}` });
    const actions = record.getByRole("group", { name: /^Actions for/ });
    await actions.getByRole("button", { name: "It resolved itself…" }).waitFor();
    expect(await actions.locator("[aria-disabled=true]").count()).toBe(0);
    await actions.getByRole("button", { name: /^More actions/ }).click();
    await record.getByRole("menuitem", { name: /^Not for you/ }).waitFor();
    await record.getByRole("menuitem", { name: "Edit" }).waitFor();

    expect((await jonas.post(`/api/tickets/${id}/ask`, { question: "The one at the door?" })).status).toBe(200);
    const page = await visitAs(program.url, "Sofía Marín", { path: "/" });
    const tile = page.getByRole("region", { name: /^Waiting for my answer/ });
    await tile.getByText("The one at the door?").waitFor();
    await tile.getByRole("button", { name: /^Answer….*Which lamp/ }).click();
    const dialog = page.getByRole("dialog", { name: "Answer" });
    await dialog.getByRole("textbox").fill("The one at the window.");
    await page.keyboard.press("Control+Enter");
    await dialog.waitFor({ state: "detached" });
    await tile.getByText("The one at the door?").waitFor({ state: "detached" });
    await record.getByText("The one at the window.").first().waitFor();
    expect([complaints(record), complaints(page)]).toEqual([[], []]);
  });

  test("are called a reply only while the last word is of somebody else", async () => {
    const sofia = await program.signInAs("Sofía Marín");
    const [category] = (await sofia.get("/api/categories?limit=1")).list().items;
    const input = { category: category?.id, subject: "Which one", description: "It is broken" };
    const { id } = (await sofia.post("/api/tickets", input)).record();
    const page = await visitAs(program.url, "Sofía Marín", { path: `/tickets/${id}`, width: 390 });
    const bar = page.getByRole("group", { name: /^Actions for/ });
    await bar.getByRole("button", { name: "Add comment" }).waitFor();
    expect((await jonas.post(`/api/tickets/${id}/take`)).status).toBe(200);
    expect((await jonas.post(`/api/tickets/${id}/ask`, { question: "Which scanner is it?" })).status).toBe(200);
    await bar.getByRole("button", { name: "Answer…" }).click();
    const dialog = page.getByRole("dialog", { name: "Answer" });
    await dialog.getByText("Which scanner is it?").waitFor();
    await dialog.getByRole("textbox").fill("The big one");
    await dialog.getByRole("button", { name: "Answer", exact: true }).click();
    await region(page).getByText("The big one").waitFor();
    await bar.getByRole("button", { name: "Add comment" }).waitFor();

    expect((await jonas.post("/api/comments", { ticket: id, text: "Does it charge?" })).status).toBe(201);
    await bar.getByRole("button", { name: "Reply" }).click();
    await expect.poll(() => focused(page)).toContain("textbox");
    await page.keyboard.type("It does");
    await region(page).getByRole("button", { name: "Send" }).click();
    await bar.getByRole("button", { name: "Add comment" }).waitFor();

    expect((await jonas.post(`/api/tickets/${id}/ask`, { question: "Since when?" })).status).toBe(200);
    await bar.getByRole("button", { name: "Answer…" }).waitFor();
    await bar.getByRole("button", { name: /^More actions/ }).click();
    await page.getByRole("menuitem", { name: "Add comment" }).click();
    await expect.poll(() => focused(page)).toContain("textbox");
    await page.keyboard.type("Since Monday");
    await region(page).getByRole("button", { name: "Send" }).click();
    // The answer has put the ticket back to work, which the note says.
    await page
      .locator(".toast")
      .getByText(/^Sent\. In work: .*Which one$/u)
      .waitFor();
    await bar.getByRole("button", { name: "Add comment" }).waitFor();

    // The transition that comes first stays first, and what is solved waits for no answer.
    const desk = await visitAs(program.url, "Jonas Weber", { path: `/tickets/${id}`, width: 390 });
    const buttons = desk.getByRole("group", { name: /^Actions for/ }).getByRole("button");
    const names = () => buttons.evaluateAll((all) => all.map((one) => one.textContent?.trim()).slice(0, 2));
    await expect.poll(names).toEqual(["Solve…", "Add comment"]);
    const solution = { solution: "The scanner has a new battery.", cause: "wear", minutes: 5 };
    expect((await jonas.post(`/api/tickets/${id}/solve`, solution)).status).toBe(200);
    await expect.poll(async () => (await names())[0]).toBe("Add comment");
    expect(await desk.getByRole("button", { name: "Reply" }).count()).toBe(0);
    expect([complaints(page), complaints(desk)]).toEqual([[], []]);
  });

  test("stay beside the record while a dialog asks about it, with the fields that the page shows", async () => {
    const sofia = await program.signInAs("Sofía Marín");
    const [category] = (await sofia.get("/api/categories?limit=1")).list().items;
    const input = { category: category?.id, subject: "Seen behind", description: "It is broken" };
    const { id } = (await sofia.post("/api/tickets", input)).record();
    expect((await jonas.post(`/api/tickets/${id}/take`)).status).toBe(200);
    const solution = { solution: "The scanner has a new battery.", cause: "wear", minutes: 5 };
    expect((await jonas.post(`/api/tickets/${id}/solve`, solution)).status).toBe(200);
    const page = await visitAs(program.url, "Sofía Marín", { path: `/tickets/${id}` });
    await region(page).waitFor();
    const shown = () => page.locator(".record-body dt").allInnerTexts();
    const before = await shown();
    expect(before).toContain("Solution");
    // The dialog loads the record without asking what its page hides.
    const loaded = page.waitForResponse((response) => new URL(response.url()).pathname === `/api/tickets/${id}`);
    await page.getByRole("button", { name: "It works again…" }).click();
    await page.getByRole("dialog").waitFor();
    await loaded;
    await atRest(page);
    expect(await page.locator(".record-talk .conversation").count()).toBe(1);
    expect(await shown()).toEqual(before);
  });

  test("take what somebody types who pressed the button before they were loaded", async () => {
    const page = await open("Jonas Weber", 390);
    await box(page).waitFor();
    const parts: string[] = [];
    await page.route(/\/assets\/comments-|\/comments\?/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      parts.push(route.request().url());
      await route.continue();
    });
    await page.reload();
    await page.getByRole("button", { name: /^(Reply|Add comment)$/ }).click();
    await expect.poll(() => focused(page)).toContain("textbox");
    await page.keyboard.type("Written at once");
    await atRest(page);
    expect(parts).not.toEqual([]);
    expect(await box(page).inputValue()).toBe("Written at once");
    await box(page).fill("");
    expect(complaints(page)).toEqual([]);
  });

  test("work by keyboard, newest last; a double press posts once, and a reload keeps the draft", async () => {
    const page = await open("Jonas Weber", 390);
    await box(page).fill("Kept while nobody sends it");
    await page.reload();
    await expect.poll(() => box(page).inputValue()).toBe("Kept while nobody sends it");
    // The box takes the focus once the comments above it are there.
    await box(page).waitFor();
    await box(page).focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.type("By keyboard");
    await page.keyboard.press("Control+Enter");
    await page.keyboard.press("Control+Enter");
    await messageOf(page).last().getByText("By keyboard").waitFor();
    await box(page).fill("By mouse");
    await region(page).getByRole("button", { name: "Send" }).dblclick();
    await messageOf(page).last().getByText("By mouse").waitFor();
    await atRest(page);
    const texts = (await jonas.get(`/api/comments?ticket=${ticket.id}`)).list().items.map(({ text }) => text);
    expect(texts.filter((text) => text === "By keyboard" || text === "By mouse")).toHaveLength(2);
    expect(await sideways(page)).toBe(0);
    expect(await axeFindings(page)).toEqual([]);
    expect(complaints(page)).toEqual([]);
  });

  test("accept a picture that is pasted into the text, also before the control of files is loaded", async () => {
    const page = await open();
    await page.route(/\/file-input-/u, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      await route.continue();
    });
    await page.reload();
    await box(page).fill("As one sees here");
    await box(page).evaluate((area) => {
      const dot = Uint8Array.from(
        atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="),
        (letter) => letter.charCodeAt(0),
      );
      const data = new DataTransfer();
      data.items.add(new File([dot], "screen.png", { type: "image/png" }));
      area.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
    });
    await region(page).getByRole("button", { name: "Remove screen.png" }).waitFor();
    await region(page).getByRole("button", { name: "Send" }).click();
    await messageOf(page)
      .last()
      .getByRole("link", { name: /screen\.png/ })
      .waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test("keep a draft without a network, and are posted once the network is back", async () => {
    const page = await open();
    await box(page).fill("Said in a tunnel");
    const buttons = region(page).locator("form footer").getByRole("button");
    const heights = await buttons.evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
    expect(new Set(heights).size, "no name is broken").toBe(1);
    await page.context().setOffline(true);
    await region(page).getByRole("button", { name: "Send" }).click();
    await region(page).getByRole("alert").filter({ hasText: "Couldn’t add" }).waitFor();
    await expect.poll(() => box(page).inputValue()).toBe("Said in a tunnel");
    await page.context().setOffline(false);
    await region(page).getByRole("button", { name: "Send" }).click();
    await messageOf(page).last().getByText("Said in a tunnel").waitFor();
  });
});

test("can be edited in place and deleted by their author; other comments say why not", async () => {
  const program = await serveDemonstration({
    text: `${remarks(`${who}\nwords: { type: long text, max: 200 }`)}
## 6. Roles and permissions
\`\`\`yaml
roles:
  member: signed in
  Remark: { writer: who == user }
permissions:
  User: { read: [{ role: member, fields: [name] }] }
  Case: { read: [member], create: [member], update: [member] }
  Remark:
    read: [member]
    create: [{ role: member, fields: [about, words] }]
    update: [{ role: writer, fields: [words] }]
    delete: [writer]
\`\`\`
`,
  });
  const page = await visitAs(program.url, "Jonas Weber", { path: "/cases" });
  await page.getByRole("row").nth(1).getByRole("link").first().click();
  const region = page.getByRole("region", { name: "Remarks" });
  const box = region.getByRole("textbox", { name: "Words" });
  await box.fill("First thoughts");
  await box.press("Control+Enter");
  const own = region.getByRole("listitem").filter({ hasText: "Jonas Weber" }).last();
  await own.getByText("First thoughts").waitFor();
  await own.getByRole("button", { name: /^More actions for Jonas Weber/ }).click();
  await page.getByRole("menuitem", { name: "Edit" }).click();
  await expect.poll(() => focused(page)).toContain("First thoughts");
  await page.keyboard.type(" and second ones");
  await page.keyboard.press("Control+Enter");
  await own.getByText("First thoughts and second ones").waitFor();
  await own.getByText("edited").waitFor();
  await own.getByRole("button", { name: /^More actions for Jonas Weber/ }).click();
  await page.getByRole("menuitem", { name: "Delete…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await region.getByText("First thoughts").waitFor({ state: "hidden" });
  expect(new URL(page.url()).pathname).toMatch(/^\/cases\/.+/);
  expect(complaints(page)).toEqual([]);
});
