import { expect, test } from "vitest";
import { complaints, visitWith } from "../../web/browser.ts";
import { serveDemonstration } from "../program.ts";

const tasks = `# Tasks

## 1. Purpose
\`\`\`yaml
name: Tasks
locale: en-GB
timezone: UTC
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Task: { label: "{title}", fields: { title: text, on: date, at: datetime } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: granted }
permissions: { Task: { read: clerk, create: clerk } }
\`\`\`
`;

const DAY_MS = 86_400_000;

test("a cell names a day near today in words, has its date on hover, and prints the date", async () => {
  const program = await serveDemonstration({ text: tasks });
  const clerk = await program.signInAs("clerk");
  const dayIn = (days: number) => new Date(Date.now() + days * DAY_MS).toISOString().slice(0, 10);
  const add = (title: string, days: number) =>
    clerk.post("/api/tasks", { title, on: dayIn(days), at: `${dayIn(days)}T13:05:00Z` });
  for (const [title, days] of [
    ["Before", -1],
    ["Now", 0],
    ["Next", 1],
    ["Later", 9],
  ] as const)
    expect((await add(title, days)).status).toBe(201);

  const page = await visitWith(program.url, clerk.cookie(), { path: "/tasks" });
  const timesOf = (title: string) => page.getByRole("row").filter({ hasText: title }).locator("time");
  const shown = async (title: string) => {
    await timesOf(title).first().waitFor();
    return await timesOf(title).evaluateAll((all) => all.map((one) => (one as HTMLElement).innerText.split("\n")[0]));
  };
  const dateIn = (days: number) =>
    new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" })
      .format(new Date(Date.now() + days * DAY_MS))
      .replaceAll("\u00a0", " ");
  expect((await shown("Before"))[0]).toMatch(/^yesterday/u);
  expect((await shown("Now"))[0]).toMatch(/^today/u);
  expect((await shown("Next"))[1]).toMatch(/^tomorrow, 13:05/u);
  expect((await timesOf("Next").first().getAttribute("title"))?.replaceAll("\u00a0", " ")).toBe(dateIn(1));
  expect((await shown("Later"))[0]?.replaceAll("\u00a0", " ")).toBe(dateIn(9));

  await page.emulateMedia({ media: "print" });
  expect(await timesOf("Now").first().locator(".unbroken").isVisible()).toBe(false);
  expect(complaints(page)).toEqual([]);
});
