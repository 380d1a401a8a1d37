import { beforeAll, expect, test } from "vitest";
import type { Application } from "../../../src/core/wire/application.ts";
import { atRest, complaints, visitWith } from "../../web/browser.ts";
import { type ApiClient, type RunningApplication, serveDemonstration } from "../program.ts";

/** Rooms that are booked by the hour. Only its own clerk knows that a booking is secret. */
const rooms = `# Rooms

## 1. Purpose
\`\`\`yaml
name: Rooms
locale: en-GB
timezone: UTC
\`\`\`

## 2. Screens
\`\`\`yaml
/bookings: { list: Booking, columns: [room, purpose, begins, ends, status], layouts: [{ calendar: [begins, ends] }] }
/bookings/{id}: { record: Booking }
/bookings/new: { form: Booking, fields: [room, purpose, begins, ends, key_number] }
/bookings/{id}/edit: { form: Booking, fields: [room, purpose, begins, ends, key_number] }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Booking:
  label: "{purpose}"
  fields:
    room: { type: choice, values: [red, blue] }
    purpose: text
    begins: datetime
    ends: datetime
    key_number: { type: text?, unique: true }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Booking:
  field: status
  states: [booked, cancelled]
  transitions:
    cancel: { from: booked, to: cancelled, by: clerk }
    rebook: { from: cancelled, to: booked, by: [clerk, porter] }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Booking: [{ no overlap: [begins, ends], within: room, where: "status == booked", discloses: true, else: TAKEN_THEN }]
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: granted, guest: granted, porter: granted }
permissions:
  Booking:
    read: [clerk, porter, { role: guest, fields: [room, purpose, begins, ends] }]
    create: [clerk, guest]
    update: [clerk, { role: porter, fields: [purpose] }]
\`\`\`

## 8. Error catalogue
\`\`\`yaml
TAKEN_THEN: { status: 409, message: "The room is taken.", at: begins }
\`\`\`
`;

let program: RunningApplication;
let clerk: ApiClient;
beforeAll(async () => {
  program = await serveDemonstration({ text: rooms });
  clerk = await program.signInAs("clerk");
});

const book = async (room: string, purpose: string, begins: string, ends: string) => {
  const times = { begins: `2127-03-03T${begins}:00Z`, ends: `2127-03-03T${ends}:00Z` };
  return (await clerk.post("/api/bookings", { room, purpose, ...times })).record();
};

const taken = "/bookings/new?room=red&purpose=Mine&begins=2127-03-03T11:00:00Z&ends=2127-03-03T12:00:00Z";

test("a form that is refused because of an overlap names the records in the way, and no others", async () => {
  await book("red", "Seminar", "10:00", "11:30");
  await book("red", "Rehearsal", "11:30", "13:00");
  const before = await book("red", "Breakfast", "08:00", "09:00");
  await book("red", "Lunch", "13:00", "14:00");
  await book("blue", "Choir", "11:00", "12:00");
  const off = await book("red", "Called off", "15:00", "16:00");
  await clerk.post(`/api/bookings/${off.id}/cancel`, {});
  await clerk.patch(
    `/api/bookings/${off.id}`,
    { begins: "2127-03-03T11:00:00Z", ends: "2127-03-03T12:00:00Z" },
    { "if-match": `"${(await clerk.get(`/api/bookings/${off.id}`)).record().version}"` },
  );

  const page = await visitWith(program.url, clerk.cookie(), { path: taken });
  await page.getByRole("button", { name: "Create booking" }).click();
  const overlaps = page.getByText(/^Overlaps with/u);
  await expect
    .poll(() => overlaps.allTextContents())
    .toEqual(["Overlaps with Seminar, 3 Mar 2127, 10:00–11:30", "Overlaps with Rehearsal, 3 Mar 2127, 11:30–13:00"]);
  expect(await overlaps.first().getByRole("link").getAttribute("href")).toMatch(/^\/bookings\/[\da-f-]{36}/u);

  // The record itself is not in its own way.
  const own = await visitWith(program.url, clerk.cookie(), { path: `/bookings/${before.id}/edit` });
  await own.getByRole("textbox", { name: "Ends, time" }).fill("10:30");
  await own.getByRole("button", { name: "Save", exact: true }).click();
  await expect
    .poll(() => own.getByText(/^Overlaps with/u).allTextContents())
    .toEqual(["Overlaps with Seminar, 3 Mar 2127, 10:00–11:30"]);
  expect(complaints(own)).toEqual([]);
});

test("a form names the records in the way while it is filled in, and nothing of a record that is not in the way", async () => {
  const path = "/bookings/new?room=red&purpose=Mine&begins=2127-03-03T11:00:00Z&ends=2127-03-03T11:20:00Z";
  const page = await visitWith(program.url, clerk.cookie(), { path });
  const note = page.getByRole("status").filter({ hasText: "Overlaps with Seminar, 3 Mar 2127, 10:00–11:30" });
  await note.getByRole("link", { name: "Seminar" }).waitFor();
  await page.getByText("Blue", { exact: true }).click();
  await page.getByText("Overlaps with Choir, 3 Mar 2127, 11:00–12:00").waitFor();
  expect(await page.getByText("Seminar").count()).toBe(0);
  await page.getByRole("textbox", { name: "Begins, day" }).fill("2 Mar 2127");
  await page.getByRole("textbox", { name: "Ends, day" }).fill("2 Mar 2127");
  await expect.poll(() => page.getByText(/^Overlaps with/u).count()).toBe(0);

  const seminar = (await clerk.get("/api/bookings?search=Seminar")).body as {
    readonly items: readonly { id: string }[];
  };
  await clerk.patch(`/api/bookings/${seminar.items[0]?.id}`, { key_number: "K 7" }, { "if-match": '"1"' });
  await page.getByRole("textbox", { name: "Key number" }).fill("K 7");
  await page.getByText("Already used by Seminar").getByRole("link", { name: "Seminar" }).waitFor();
  await page.getByRole("textbox", { name: "Key number" }).fill("K 8");
  await expect.poll(() => page.getByText(/^Already used/u).count()).toBe(0);
  await page.getByRole("button", { name: "Create booking" }).click();
  await page.waitForURL(/bookings\/[\da-f-]{36}/u);
  expect(complaints(page)).toEqual([]);
});

test("“Why not?” of a transition names the records that it would overlap", async () => {
  const record = await book("blue", "Dance", "18:00", "19:00");
  await clerk.post(`/api/bookings/${record.id}/cancel`, {});
  await book("blue", "Chess", "18:30", "20:00");
  const porter = await program.signInAs("porter");
  const page = await visitWith(program.url, porter.cookie(), { path: `/bookings/${record.id}` });
  await page.getByRole("button", { name: "Rebook" }).and(page.locator("[aria-disabled]")).press("Enter");
  const why = page.getByRole("dialog", { name: "Why not “Rebook”?" });
  await why
    .getByText("Overlaps with Chess, 3 Mar 2127, 18:30–20:00")
    .getByRole("link", { name: /^Chess/u })
    .waitFor();
  expect(complaints(page)).toEqual([]);
});

test("an entry of a calendar that is moved onto another names it", async () => {
  const entry = await book("blue", "Yoga", "14:00", "15:00");
  await book("blue", "Theatre", "16:00", "17:00");
  const path = "/bookings?layout=calendar&scale=week&at=2127-03-03&search=Yoga";
  const page = await visitWith(program.url, clerk.cookie(), { path });
  const bar = page.getByRole("grid").getByRole("link", { name: /Yoga/u });
  await bar.focus();
  await page.keyboard.down("Alt");
  for (let quarter = 0; quarter < 6; quarter++) await page.keyboard.press("ArrowDown");
  await page.keyboard.up("Alt");
  const note = page.getByRole("alert").filter({ hasText: "The room is taken." });
  await note.getByText("Overlaps with Theatre, 3 Mar 2127, 16:00–17:00").waitFor();
  await atRest(page);
  expect((await clerk.get(`/api/bookings/${entry.id}`)).record().begins).toBe("2127-03-03T14:00:00.000Z");
  await note.getByRole("button", { name: "Close" }).click();
  await note.waitFor({ state: "hidden" });
});

test("an entry that is moved shows what is in its way before it is dropped, and the note moves no day", async () => {
  const entry = await book("red", "Pilates", "15:00", "16:00");
  await book("red", "Drums", "17:00", "18:00");
  const path = "/bookings?layout=calendar&scale=week&at=2127-03-03";
  const page = await visitWith(program.url, clerk.cookie(), { path });
  const bar = page.locator(`[data-entry="${entry.id}"]`);
  const said = page.locator(".spoken[role=status]");
  const words = page.locator(".blocked-words");
  await bar.focus();
  const place = await page.locator('.hours-of-day[data-on="2127-03-05"]').boundingBox();
  await page.keyboard.down("Alt");
  // Beside Theatre, which is in another room.
  for (let quarter = 0; quarter < 4; quarter++) await page.keyboard.press("ArrowDown");
  await expect.poll(() => said.textContent()).toBe("Begins Mon, 3 Mar 2127, 16:00");
  expect(await words.count()).toBe(0);
  await page.keyboard.press("ArrowDown");
  await expect.poll(() => said.textContent()).toContain("16:15. Overlaps with Drums, 3 Mar 2127, 17:00–18:00");
  await words.getByText("Overlaps with Drums, 3 Mar 2127, 17:00–18:00").waitFor();
  expect(await page.locator('[data-clash="other"]').textContent()).toContain("Drums");
  await page.keyboard.press("Escape");
  await words.waitFor({ state: "detached" });
  await page.keyboard.up("Alt");

  const [from, to] = [await bar.boundingBox(), await page.getByRole("link", { name: /Drums/u }).boundingBox()];
  if (!from || !to) throw new Error("both are drawn");
  await page.mouse.move(from.x + 20, from.y + 10);
  await page.mouse.down();
  await page.mouse.move(from.x + 20, to.y + 10, { steps: 5 });
  await words.getByText("Overlaps with Drums", { exact: false }).waitFor();
  await page.mouse.up();
  const note = page.getByRole("alert").filter({ hasText: "The room is taken." });
  await note.getByText("Overlaps with Drums", { exact: false }).waitFor();
  await words.waitFor({ state: "detached" });
  expect(await page.locator('.hours-of-day[data-on="2127-03-05"]').boundingBox()).toEqual(place);
  expect((await clerk.get(`/api/bookings/${entry.id}`)).record().begins).toBe("2127-03-03T15:00:00.000Z");
  expect(complaints(page).filter((line) => !line.includes("409"))).toEqual([]);
});

test("in a week with hours, a press above them proposes the whole day, and a drag over them these hours", async () => {
  const path = "/bookings?layout=calendar&scale=week&at=2127-03-10";
  const page = await visitWith(program.url, clerk.cookie(), { path });
  const times = () =>
    Promise.all(
      ["Begins, day", "Begins, time", "Ends, day", "Ends, time"].map((name) =>
        page.getByRole("textbox", { name }).inputValue(),
      ),
    );
  const cell = page.locator('.month-day[data-on="2127-03-12"]');
  await page.locator(".hours-of-day").first().waitFor();
  await atRest(page);
  const box = await cell.boundingBox();
  await cell.click({ position: { x: (box?.width ?? 0) - 12, y: 12 } });
  await expect.poll(times).toEqual(["12 Mar 2127", "09:00", "12 Mar 2127", "17:00"]);
  await page.goBack();
  await page.locator(".hours-of-day").first().waitFor();
  await atRest(page);
  const hours = await page.locator('.hours-of-day[data-on="2127-03-12"]').boundingBox();
  if (!hours) throw new Error("the hours are drawn");
  // From the middle of the third half-hour after seven to that of the sixth.
  await page.mouse.move(hours.x + 30, hours.y + 22 * 2.5);
  await page.mouse.down();
  await page.mouse.move(hours.x + 30, hours.y + 22 * 5.5, { steps: 4 });
  await page.mouse.up();
  await expect.poll(times).toEqual(["12 Mar 2127", "08:00", "12 Mar 2127", "10:00"]);
});

test("a person who cannot read all that the rule compares learns no more than that it is refused", async () => {
  const guest = await program.signInAs("guest");
  const { entities } = (await guest.get("/_/application")).body as Application;
  expect(entities.Booking?.overlaps).toBeUndefined();
  const page = await visitWith(program.url, guest.cookie(), { path: taken });
  await page.getByRole("button", { name: "Create booking" }).click();
  await page.getByRole("alert").filter({ hasText: "The room is taken." }).first().waitFor();
  await atRest(page);
  expect(await page.getByText(/^Overlaps with/u).count()).toBe(0);
});
