import { beforeAll, expect, test } from "vitest";
import { complaints, focused, visitWith } from "../../web/browser.ts";
import { type ApiClient, type RunningApplication, serveDemonstration } from "../program.ts";

/* Records are added to a list on the page of another record. */

const text = `# Yard

## 2. Screens and routes
\`\`\`yaml
/pallets/{id}:
  record: Pallet
  sections:
    - fields: [name, remark]
    - list: crates
    - title: Counted
      list: counts
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Pallet:
  label: "{name}"
  fields:
    name: text
    remark: text?
    crates: { list: Crate.pallet }
    counts: { list: Count.pallet }
Crate:
  label: "{name}"
  fields:
    pallet: { type: Pallet, part of: true }
    place:  position
    name:   text
    bottles: integer
    counts: { list: Count.crate }
Count:
  label: "{crate.name}"
  fields:
    crate:  { type: Crate, once: true, among: "Crate.filter(c, c.counts.size() == 0)" }
    pallet: { type: Pallet, computed: crate.pallet, kept: true }
    found:  { type: integer, default: crate.bottles, examples: [6, 12] }
    sheet:  { type: text?, examples: [S-2026-0815, S-2026-0816, S-2026-0817] }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { keeper: granted }
permissions:
  Pallet: { read: keeper, create: keeper, update: keeper }
  Crate:  { read: keeper, create: keeper, update: keeper }
  Count:  { read: keeper, create: keeper }
\`\`\`
`;

let program: RunningApplication;
let keeper: ApiClient;
beforeAll(async () => {
  program = await serveDemonstration({ text });
  keeper = await program.signInAs("keeper");
});

test("on a phone: parts come in their order, and after the last one the heading has the focus", async () => {
  const crates = ["Zinc tops", "Apple juice"].map((name) => ({ name, bottles: 12 }));
  const { id } = (await keeper.post("/api/pallets", { name: "Pallet 7", crates })).record();
  const page = await visitWith(program.url, keeper.cookie(), { path: `/pallets/${id}`, width: 390 });
  const add = page.getByRole("button", { name: "Add count" });
  const dialog = page.getByRole("dialog", { name: "New count: Pallet 7" });
  const crate = dialog.getByRole("combobox", { name: "Crate" });
  await add.click();
  await crate.click();
  const options = page.getByRole("option");
  await options.nth(1).waitFor();
  expect(await options.allTextContents()).toEqual(["Zinc tops", "Apple juice"]);
  // The options are as wide as their box.
  const width = async (selector: string) => (await page.locator(selector).boundingBox())?.width;
  expect(await width(".popup.options:popover-open")).toBe(await width("dialog .box:has([role=combobox])"));
  await options.first().click();
  // An example would say what is already there.
  const help = dialog.getByText("Suggestion: “Bottles” of “Crate”.", { exact: true });
  await help.waitFor();
  expect(await dialog.getByText("S-2026-0816").evaluate((number) => number.getClientRects().length)).toBe(1);
  await dialog.getByRole("button", { name: "Add" }).click();
  await dialog.waitFor({ state: "detached" });
  await expect.poll(() => focused(page)).toContain("Add count");
  await add.click();
  await crate.fill("Apple");
  await options.first().click();
  await help.waitFor();
  await dialog.getByRole("button", { name: "Add" }).click();
  await dialog.waitFor({ state: "detached" });
  await expect.poll(() => add.count()).toBe(0);
  await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Counted");
  expect(complaints(page)).toEqual([]);
});
