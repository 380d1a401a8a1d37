import type { Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { complaints, visitWith } from "../../web/browser.ts";
import { type ApiClient, type Program, startProgram } from "../program.ts";

/* The columns of a list fit the rows that it shows, and the first match of a choice of records is taken. */

const fields = Array.from({ length: 12 }, (_, at) => `    note_${at}: { type: text?, max: 40 }`).join("\n");

const text = `# Tickets

## 2. Screens and what people do on them
\`\`\`yaml
/tickets: { list: Ticket, columns: [subject, category, due, priority], filters: [priority, urgency, place, seen, category] }
/categories: { list: Category }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Ticket:
  label: "{subject}"
  fields:
    subject:  { type: text, max: 60 }
    category: Category?
    priority: { type: choice, values: [low, normal, high], default: normal }
    urgency:  { type: choice, values: [usual, pressing], default: usual }
    place:    { type: choice, values: [office, warehouse], default: office }
    seen:     { type: boolean, default: false }
${fields}
    due:      date?
Category:
  label: "{name}"
  fields: { name: { type: text, max: 60 } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { agent: granted }
permissions:
  Ticket: { read: [agent], create: [agent], update: [agent] }
  Category: { read: [agent], create: [agent] }
\`\`\`
`;

let program: Program;
let agent: ApiClient;
beforeAll(async () => {
  program = await startProgram({ text });
  agent = await program.signInAs("agent");
  const long = (await agent.post("/api/categories", { name: "Machines and vehicles of the workshop in Bremen" })).record();
  for (const name of ["Software", "Hardware"]) await agent.post("/api/categories", { name });
  await agent.post("/api/tickets", { subject: "Belt of the drill", category: long.id });
  await agent.post("/api/tickets", { subject: "Newest without category" });
});

const visitTickets = (query: string): Promise<Page> =>
  visitWith(program.url, agent.cookie(), { path: `/tickets${query}` });

test("the columns fit the rows of a larger result that begins with the row of a smaller one", async () => {
  const page = await visitTickets("?search=newest&sort=-subject");
  await page.getByRole("row", { name: /Newest/ }).waitFor();
  expect(await page.getByRole("row").count()).toBe(2);
  await page.getByRole("button", { name: "Clear filters" }).click();
  const cell = page.getByRole("row", { name: /Belt/ }).getByRole("cell", { name: /Machines/ });
  await cell.waitFor();
  await expect.poll(() => cell.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0);
  expect(complaints(page)).toEqual([]);
});

test("the first arrow key after typing stays at the first match, and does not create another record", async () => {
  const page = await visitTickets("/new");
  const category = page.getByRole("combobox", { name: "Category" });
  await category.fill("Soft");
  await page.getByRole("option", { name: "Create “Soft”" }).waitFor();
  const active = () => page.getByRole("option", { selected: true }).textContent();
  await expect.poll(active).toBe("Software");
  await category.press("ArrowDown");
  await expect.poll(active).toBe("Software");
  await category.press("Enter");
  await expect.poll(() => category.inputValue()).toBe("Software");
  expect(await page.getByRole("dialog", { name: "New category" }).count()).toBe(0);
  await category.fill("Soft");
  await page.getByRole("option", { name: "Create “Soft”" }).waitFor();
  for (const key of ["ArrowDown", "ArrowDown", "Enter"]) await category.press(key);
  await page.getByRole("dialog", { name: "New category" }).waitFor();
  expect(complaints(page)).toEqual([]);
});
