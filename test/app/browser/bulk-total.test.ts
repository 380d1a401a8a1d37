import { expect, test } from "vitest";
import { complaints, visitWith } from "../../web/browser.ts";
import { serveDemonstration, serveText } from "../program.ts";

const text = `# Bills

## 1. Purpose
\`\`\`yaml
currency: EUR
\`\`\`

## 2. Screens
\`\`\`yaml
/bills: { list: Bill, columns: [name, amount, tax, status] }
\`\`\`

## 3. Entities
\`\`\`yaml
Bill: { label: "{name}", fields: { name: text, amount: money, tax: money } }
\`\`\`

## 4. States
\`\`\`yaml
Bill: { field: status, states: [open, paid], transitions: { pay: { from: open, to: paid, by: clerk } } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: granted }
permissions: { Bill: { read: clerk, create: clerk } }
\`\`\`
`;

test("the dialog of a transition of several records says what the chosen ones add up to", async () => {
  const program = await serveDemonstration({ text });
  const clerk = await program.signInAs("clerk");
  for (const [name, amount] of [
    ["Office paper", "10.10"],
    ["Office ink", "20.25"],
    ["Office glue", "5"],
  ])
    expect((await clerk.post("/api/bills", { name, amount, tax: "1.10" })).status).toBe(201);
  const page = await visitWith(program.url, clerk.cookie(), { path: "/bills?status=open&search=office" });
  const rows = page.getByRole("checkbox", { name: "Select all shown" });
  await rows.check({ force: true });
  await page.getByRole("button", { name: /^Pay…/u }).click();
  const total = page.getByRole("dialog").locator(".record-choices-totals");
  await total.waitFor();
  expect(await total.innerText()).toMatch(/^Total \(Amount\)\s+€35\.35\s+Total \(Tax\)\s+€3\.30$/u);
  await page
    .getByRole("dialog")
    .getByRole("checkbox", { name: /Office ink/u })
    .uncheck({ force: true });
  await expect.poll(() => total.innerText()).toContain("€15.10");
  expect(complaints(page)).toEqual([]);
});

test("the folded line of records for which a transition is impossible names the first ones", async () => {
  const program = await serveDemonstration({ text });
  const clerk = await program.signInAs("clerk");
  for (const name of ["Cups", "Lamp", "Rug", "Shelf", "Vase"]) {
    const { id } = (await clerk.post("/api/bills", { name: `Home ${name}`, amount: "5", tax: "1" })).record();
    if (name !== "Vase") expect((await clerk.post(`/api/bills/${id}/pay`)).status).toBe(200);
  }
  const page = await visitWith(program.url, clerk.cookie(), { path: "/bills?search=home&sort=name" });
  await page.getByRole("checkbox", { name: "Select all shown" }).check({ force: true });
  await page.getByRole("button", { name: /^Pay…/u }).click();
  const folded = page.getByRole("dialog").locator("summary");
  await folded.waitFor();
  expect(await folded.innerText()).toBe("Not possible for 4 bills: Home Cups, Home Lamp, Home Rug and 1 more");
  expect(complaints(page)).toEqual([]);

  // The others stay selected, so the note about the one is above the bar; scrolled to the end, it covers no row.
  await page.setViewportSize({ width: 1280, height: 400 });
  await page.getByRole("dialog").getByRole("button", { name: "Pay" }).click();
  const note = page.locator(".toast");
  await note.waitFor();
  await page.locator(".bulk").waitFor();
  await page.evaluate(() => scrollTo(0, document.body.scrollHeight));
  const last = await page.getByRole("row", { name: /Home Vase/u }).boundingBox();
  expect((last?.y ?? 0) + (last?.height ?? 0)).toBeLessThanOrEqual((await note.boundingBox())?.y ?? 0);
});

test("after the last decision, the record says that nothing else waits; it shows no reason before there is one", async () => {
  const server = await serveText(
    text
      .replace("/bills: {", "/bills/{id}: { record: Bill }\n/bills: {")
      .replace("tax: money }", "tax: money, reason: text? }")
      .replace("create: clerk }", "create: { role: clerk, fields: [name, amount, tax] } }")
      .replace(
        "[open, paid], transitions: {",
        "[open, paid, refused], transitions: { refuse: { from: open, to: refused, by: clerk, asks: reason },",
      ),
  );
  const clerk = await server.person("Clerk", ["clerk"]);
  const [first, last] = await Promise.all(
    ["Ink", "Glue"].map(async (name) => (await clerk.post("/api/bills", { name, amount: "5", tax: "1" })).record().id),
  );
  const page = await visitWith(await server.listen(), clerk.cookie(), { path: `/bills/${first}` });
  const pay = async () => {
    await page.getByRole("button", { name: "Pay…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Pay" }).click();
  };
  await page.getByText("Tax", { exact: true }).waitFor();
  expect(await page.getByText("Reason", { exact: true }).count()).toBe(0);
  await pay();
  await page.getByRole("link", { name: "Glue" }).click();
  await page.waitForURL(`**/bills/${last}`);
  await pay();
  await page.getByText("No other bills wait for you at this step.").waitFor();
  expect(complaints(page)).toEqual([]);
});
