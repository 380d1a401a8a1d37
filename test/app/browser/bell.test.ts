import { beforeAll, expect, test } from "vitest";
import type { Application } from "../../../src/core/wire/application.ts";
import type { NotificationsJson } from "../../../src/core/wire/notifications.ts";
import { axeFindings } from "../../web/axe.ts";
import { atRest, focused, visit, visitWith } from "../../web/browser.ts";
import { type RunningApplication, serveDemonstration } from "../program.ts";

/** Each part of a batch tells the people who take batches. */
const text = `# Batches

## 2. Screens
\`\`\`yaml
/batches: { list: Batch }
/batches/{id}: { record: Batch }
\`\`\`

## 3. Entities
\`\`\`yaml
Batch: { label: "{name}", fields: { name: text, taker: User, items: { list: Item.batch } } }
Item:  { label: "{name}", fields: { batch: { type: Batch, part of: true }, name: text } }
\`\`\`

## 4. States
\`\`\`yaml
Item: { after: { create: { notify: batch.taker, text: "{name} is here." } } }
\`\`\`

## 6. Permissions
\`\`\`yaml
roles: { taker: granted, sender: granted, member: signed in }
permissions:
  User:  { read: { role: member, fields: [name] } }
  Batch: { read: member, create: sender, delete: sender }
  Item:  { read: member, create: sender }
\`\`\`
`;

let program: RunningApplication;
beforeAll(async () => {
  program = await serveDemonstration({ text });
});

test("an entry keeps its place while the bell is open, and a record marks all of its parts by one request", async () => {
  const [taker, sender] = [await program.signInAs("taker"), await program.signInAs("sender")];
  const person = ((await taker.get("/_/application")).body as Application).person?.id ?? null;
  const send = async (name: string, items: readonly string[]) => {
    const batch = (await sender.post("/api/batches", { name, taker: person })).record().id;
    for (const item of items) await sender.post("/api/items", { batch, name: item });
    return batch;
  };
  const news = async () => (await taker.get("/_/notifications")).body as NotificationsJson;
  const [sample] = (await news()).items;
  if (sample !== undefined) await taker.post("/_/notifications/read", { until: sample.id });
  // Older than all that the panel can show, but unread.
  await send("Old", ["Forgotten"]);
  const [forgotten] = (await news()).items;
  const names = Array.from({ length: 14 }, (_, i) => `Item ${i + 1}`);
  await send("Read", names);
  const read = (await news()).items.filter(({ id }) => id !== forgotten?.id).map(({ id }) => id);
  expect((await taker.post("/_/notifications/read", { notifications: read })).status).toBe(204);

  const page = await visitWith(program.url, taker.cookie(), { path: "/batches" });
  await page.getByRole("button", { name: /^Notifications 1 unread$/ }).click();
  const panel = page.getByRole("dialog", { name: "Notifications" });
  const entry = panel.getByRole("listitem").first();
  await entry.getByText("Forgotten is here.").waitFor();
  // Read in another window.
  expect((await taker.post("/_/notifications/read", { notifications: [forgotten?.id ?? ""] })).status).toBe(204);
  await send("New", ["Just now"]);
  await panel.getByText("Just now is here.").waitFor();
  await panel.getByText("Forgotten is here.").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: /^Notifications/ }).click();
  await panel.getByText("Just now is here.").waitFor();
  expect(await panel.getByText("Forgotten is here.").count()).toBe(0);

  const batch = await send("Several", ["One", "Two", "Three"]);
  const posts: string[] = [];
  page.on("request", (request) => {
    if (request.url().endsWith("/_/notifications/read")) posts.push(request.postData() ?? "");
  });
  await page.goto(`${program.url}/batches/${batch}`);
  await expect.poll(async () => (await news()).items.filter(({ read: isRead }) => !isRead).length).toBe(1);
  await atRest(page);
  expect(posts).toHaveLength(1);
});

test("arrow keys move between the entries of the bell, which keeps the focus when all are marked as read", async () => {
  const [taker, sender] = [await program.signInAs("taker"), await program.signInAs("sender")];
  const person = ((await taker.get("/_/application")).body as Application).person?.id ?? null;
  for (const name of ["First", "Second", "Third"]) {
    const batch = (await sender.post("/api/batches", { name, taker: person })).record().id;
    await sender.post("/api/items", { batch, name });
  }
  const page = await visitWith(program.url, taker.cookie(), { path: "/batches" });
  await page.getByRole("button", { name: /^Notifications .*unread$/ }).waitFor();
  await page.keyboard.press("n");
  await expect.poll(() => focused(page)).toContain("Third is here.");
  for (const [key, entry] of [
    ["ArrowDown", "Second"],
    ["ArrowUp", "Third"],
    ["ArrowUp", "Third"],
  ] as const) {
    await page.keyboard.press(key);
    expect(await focused(page)).toContain(`${entry} is here.`);
  }
  await page.keyboard.press("Shift+Tab");
  expect(await focused(page)).toContain("Mark all as read");
  await page.keyboard.press("Enter");
  await expect.poll(() => focused(page)).toContain("Third is here.");
  await page.keyboard.press("End");
  expect(await focused(page)).not.toContain("Third is here.");
  await page.keyboard.press("Home");
  expect(await focused(page)).toContain("Third is here.");
});

test("the page of notifications says that a record is gone, and neither it nor the bell links to it any more", async () => {
  const [taker, sender] = [await program.signInAs("taker"), await program.signInAs("sender")];
  const person = ((await taker.get("/_/application")).body as Application).person?.id ?? null;
  const batch = (await sender.post("/api/batches", { name: "Short-lived", taker: person })).record().id;
  await sender.post("/api/items", { batch, name: "Milk" });
  const page = await visitWith(program.url, taker.cookie(), { path: "/sign-in/notifications" });
  await page.getByRole("link", { name: "Milk is here." }).waitFor();
  expect((await sender.delete(`/api/batches/${batch}`)).status).toBe(204);
  await page.reload();
  const group = page.getByRole("article", { name: "An item that you can’t open" }).filter({ hasText: "Milk is here." });
  await group.waitFor();
  expect(await group.getByRole("link").count()).toBe(0);
  await page.getByRole("button", { name: /^Notifications/ }).click();
  const entry = page.getByRole("dialog").getByRole("listitem").filter({ hasText: "Milk is here." });
  await entry.waitFor();
  expect(await entry.getByRole("link").count()).toBe(0);
});

test("an entry of the bell and its page say in which state the record is now", async () => {
  const desk = await serveDemonstration({
    text: text.replace(
      "Item: { after:",
      'Batch:\n  field: status\n  states: [waiting, taken]\n  transitions: { take: { from: waiting, to: taken, by: taker } }\n  after: { create: { notify: taker, text: "{name} waits for you." } }\nItem: { after:',
    ),
  });
  const [taker, sender] = [await desk.signInAs("taker"), await desk.signInAs("sender")];
  const person = ((await taker.get("/_/application")).body as Application).person?.id ?? null;
  const { id } = (await sender.post("/api/batches", { name: "Fresh", taker: person })).record();
  const page = await visitWith(desk.url, taker.cookie(), { path: "/batches" });
  await page.getByRole("button", { name: /^Notifications/ }).click();
  const entry = page
    .getByRole("dialog", { name: "Notifications" })
    .getByRole("listitem")
    .filter({ hasText: "Fresh waits" });
  await entry.getByText("Waiting", { exact: true }).waitFor();
  // The panel that is open learns of it.
  expect((await taker.post(`/api/batches/${id}/take`, {})).status).toBe(200);
  await entry.getByText("Taken", { exact: true }).waitFor();
  await page.goto(`${desk.url}/sign-in/notifications`);
  const group = page.getByRole("article", { name: "Fresh" });
  await group.getByText("Taken", { exact: true }).waitFor();
  expect(await group.getByText("Taken", { exact: true }).count()).toBe(1);
  expect(await axeFindings(page)).toEqual([]);
});

test("arrow keys lead through the people of the sign-in page", async () => {
  const page = await visit(program.url, { path: "/sign-in" });
  const people = page.locator(".sample-person");
  await people.first().waitFor();
  const at = () => people.evaluateAll((all) => all.indexOf(document.activeElement as HTMLElement));
  await page.keyboard.press("ArrowDown");
  await expect.poll(at).toBe(0);
  await page.keyboard.press("ArrowDown");
  await expect.poll(at).toBe(1);
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("ArrowUp");
  await expect.poll(at).toBe(0);
  await page.keyboard.press("End");
  await expect.poll(at).toBe((await people.count()) - 1);
  // In a field, arrows move the cursor.
  await page.getByRole("textbox").first().focus();
  await page.keyboard.press("ArrowDown");
  await expect.poll(at).toBe(-1);
});
