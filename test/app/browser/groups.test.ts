import { beforeAll, expect, test } from "vitest";
import { axeFindings } from "../../web/axe.ts";
import { complaints, focused, sideways, small, visitWith } from "../../web/browser.ts";
import { type ApiClient, type RunningApplication, serveDemonstration } from "../program.ts";

const places = Array.from({ length: 12 }, (_, at) => `place_${at + 10}`);

const text = `# Costs

## 2. Screens
\`\`\`yaml
/costs: { list: Cost, filters: [kind] }
/visits: { list: Visit, filters: [place] }
/by-kind: { title: By kind, list: Cost, columns: [name, kind, price], group: [kind] }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Cost:
  label: "{name}"
  fields:
    name:  { type: text, max: 40 }
    kind:  { type: choice, values: [travel, paper] }
    paid:  boolean
    price: { type: money, currency: EUR }
Visit:
  label: "{name}"
  fields: { name: { type: text, max: 40 }, place: { type: choice, values: [${places.join(", ")}] } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: granted }
permissions:
  Cost: { read: [clerk], create: [clerk], update: [clerk], delete: [clerk] }
  Visit: { read: [clerk], create: [clerk] }
\`\`\`
`;

let program: RunningApplication;
let clerk: ApiClient;
beforeAll(async () => {
  program = await serveDemonstration({ text });
  clerk = await program.signInAs("clerk");
  for (const [name, kind, paid, price] of [
    ["Own train", "travel", true, "40.50"],
    ["Own taxi", "travel", false, "9.50"],
    ["Own envelopes", "paper", true, "12"],
  ] as const)
    await clerk.post("/api/costs", { name, kind, paid, price });
});

test("a list is grouped, unfolded and opened by its figures, with the keyboard alone", async () => {
  const page = await visitWith(program.url, clerk.cookie(), { path: "/costs?search=own" });
  const panel = page.getByRole("dialog", { name: "Group the list" });
  const open = () => page.getByRole("button", { name: /^Group/ }).press("Enter");
  await open();
  await expect.poll(() => focused(page)).toContain("combobox");
  expect(await axeFindings(page)).toEqual([]);
  // The panel is the list of the fields: a letter and a key choose one, and the button then names it.
  await page.keyboard.type("k");
  await page.keyboard.press("Enter");
  await panel.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Group: Kind" }).waitFor();
  await page
    .getByRole("row", { name: /Kind: Travel/ })
    .getByText("€50.00")
    .waitFor();
  await page.getByRole("row", { name: /Total/ }).getByText("€62.00").waitFor();
  expect(new URL(page.url()).searchParams.get("grouped")).toBe("kind");
  await page.getByRole("row", { name: /Own taxi/ }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("button", { name: /Kind: Travel/ }).press("Enter");
  await page.getByRole("row", { name: /Own taxi/ }).waitFor({ state: "detached" });
  await open();
  await panel.getByRole("button", { name: "Fold all groups", exact: true }).press("Enter");
  await page.getByRole("row", { name: /Own envelopes/ }).waitFor({ state: "detached" });
  await open();
  await panel.getByRole("button", { name: "Unfold all groups" }).press("Enter");
  await page.getByRole("row", { name: /Own envelopes/ }).waitFor();

  await open();
  await panel.getByRole("button", { name: /Then by/ }).press("Enter");
  await expect.poll(() => focused(page)).toContain("combobox");
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.type("paid");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Group: Kind, Paid" }).waitFor();
  await page
    .getByRole("row", { name: /Paid: Yes/ })
    .getByRole("link", { name: /Price: €40.50/ })
    .press("Enter");
  await page.getByRole("row", { name: /Own train/ }).waitFor();
  await expect.poll(() => page.getByRole("row").count()).toBe(2);
  expect(complaints(page)).toEqual([]);
});

test("a list in one group is ungrouped, and keeps the inner group if it loses the outer one", async () => {
  const page = await visitWith(program.url, clerk.cookie(), { path: "/costs?search=own&grouped=kind,paid" });
  const grouped = () => new URL(page.url()).searchParams.get("grouped");
  const ungroup = async () => {
    await page.getByRole("button", { name: /^Group/ }).click();
    await page.getByRole("option", { name: "None" }).click();
  };
  await ungroup();
  await expect.poll(grouped).toBe("paid");
  await ungroup();
  await expect.poll(grouped).toBe(null);
  await page.getByRole("row", { name: /Own taxi/ }).waitFor();
  expect(await page.getByRole("row", { name: /Paid: Yes/ }).count()).toBe(0);
  expect(complaints(page)).toEqual([]);
});

test("a group loads its rows when it comes near the screen, and all of them before the list is printed", async () => {
  for (const place of places)
    for (let nth = 0; nth < 7; nth++) await clerk.post("/api/visits", { name: `Stay ${nth}`, place });
  const page = await visitWith(program.url, clerk.cookie(), { path: "/visits?search=stay&grouped=place" });
  const asked: string[] = [];
  page.on("request", (request) => {
    const place = /place_\d\d/u.exec(request.url())?.[0];
    if (place !== undefined) asked.push(place);
  });
  await page.reload();
  await page
    .getByRole("row", { name: /Stay 6/ })
    .first()
    .waitFor();
  expect(asked).toContain("place_10");
  expect(asked).not.toContain("place_21");
  await page.getByRole("button", { name: /Place: Place 21/ }).scrollIntoViewIfNeeded();
  await expect.poll(() => asked).toContain("place_21");

  await page.reload();
  await page
    .getByRole("row", { name: /Stay 6/ })
    .first()
    .waitFor();
  await page.evaluate(() => {
    window.print = () => {
      document.title = `${document.querySelectorAll("[data-row]").length} rows`;
    };
  });
  await page.keyboard.press("Control+p");
  await expect.poll(() => page.title()).toBe("84 rows");
  expect(complaints(page)).toEqual([]);
});

test("rows are selected one by one, by group and all together, and folding a group keeps them", async () => {
  for (let nth = 1; nth <= 7; nth++)
    await clerk.post("/api/costs", { name: `Desk ${nth}`, kind: "paper", paid: true, price: "2" });
  for (const name of ["Desk of a guest", "Desk by train"])
    await clerk.post("/api/costs", { name, kind: "travel", paid: true, price: "9" });
  const page = await visitWith(program.url, clerk.cookie(), { path: "/costs?search=desk&grouped=kind&sort=name" });
  const bar = page.getByRole("region", { name: "Actions for the selected rows" });
  const selected = (count: number) => bar.getByText(`${count} selected`).waitFor();
  const box = (name: string) => page.getByRole("checkbox", { name: `Select ${name}` });
  const all = page.getByRole("checkbox", { name: "Select all 9" });
  // Also the two rows that are not loaded.
  await page.getByRole("link", { name: "Desk 1" }).waitFor();
  await all.press("Space");
  await selected(9);
  await page.keyboard.press("Escape");
  await bar.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Desk 1" }).focus();
  await page.keyboard.press("x");
  await selected(1);
  expect(await box("Kind: Paper").evaluate((one) => one instanceof HTMLInputElement && one.indeterminate)).toBe(true);
  // Five of seven rows were loaded.
  await box("Kind: Paper").press("Space");
  await selected(7);
  await page.getByRole("row", { name: /Desk 7/ }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await page.getByRole("button", { name: /Kind: Paper/ }).press("Enter");
  await page.getByRole("row", { name: /Desk 7/ }).waitFor({ state: "detached" });
  await selected(7);
  expect(await box("Kind: Paper").isChecked()).toBe(true);
  await page.getByRole("link", { name: "Desk by train" }).focus();
  await page.keyboard.press("Shift+X");
  await selected(9);
  await box("Kind: Paper").press("Space");
  await selected(2);
  await page.keyboard.press("Escape");
  await bar.waitFor({ state: "detached" });

  // All groups are folded: the box in the header selects their rows.
  await page.getByRole("button", { name: /Kind: Travel/ }).press("Enter");
  await page.getByRole("row", { name: /Desk by train/ }).waitFor({ state: "detached" });
  await box("Kind: Paper").press("Space");
  await selected(7);
  expect(await all.isChecked()).toBe(false);
  expect(await all.evaluate((one) => one instanceof HTMLInputElement && one.indeterminate)).toBe(true);
  await all.press("Space");
  await selected(9);
  expect(await all.isChecked()).toBe(true);
  await page.keyboard.press("Escape");
  await bar.waitFor({ state: "detached" });
  await all.press("Space");
  await selected(9);
  await bar.getByRole("button", { name: "Delete… 9 costs" }).press("Enter");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).press("Enter");
  await page.getByText("No costs match").waitFor();
  // Folded groups are remembered.
  await page.getByRole("button", { name: /^Group/ }).press("Enter");
  await page.getByRole("button", { name: "Unfold all groups" }).press("Enter");
  expect(complaints(page)).toEqual([]);
});

test("groups are selected on a phone, whose heads take little more than a row", async () => {
  const page = await visitWith(program.url, clerk.cookie(), { width: 390, path: "/costs?search=own&grouped=kind" });
  await page.getByRole("link", { name: /Own taxi/ }).waitFor();
  const head = await page.getByRole("button", { name: /Kind: Travel/ }).boundingBox();
  expect(head?.height).toBeLessThanOrEqual(60);
  await page.getByRole("button", { name: "Select", exact: true }).click();
  await page.getByRole("checkbox", { name: "Select Kind: Travel" }).check();
  const bar = page.getByRole("region", { name: "Actions for the selected rows" });
  await bar.getByText("2 selected").waitFor();
  const all = page.getByRole("checkbox", { name: /^Select all \d+$/u });
  const count = (await all.getAttribute("aria-label"))?.replace(/\D/gu, "");
  await all.check();
  await bar.getByText(`${count} selected`).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(await small(page)).toEqual([]);
  expect(await sideways(page)).toBeLessThanOrEqual(0);
  expect(complaints(page)).toEqual([]);
});

test("a list on a phone begins its second line with the value by which it is sorted", async () => {
  const page = await visitWith(program.url, clerk.cookie(), { width: 390, path: "/costs?search=own&sort=-paid" });
  await page
    .getByRole("link", { name: /Own train/ })
    .getByText("Paid · Travel")
    .waitFor();
  expect(complaints(page)).toEqual([]);
});

test("groups fit a phone", async () => {
  const page = await visitWith(program.url, clerk.cookie(), {
    width: 390,
    path: "/costs?search=own&grouped=kind,paid",
  });
  await page.getByRole("link", { name: /Own taxi/ }).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  expect(await small(page)).toEqual([]);
  expect(await sideways(page)).toBeLessThanOrEqual(0);
});

test("one press shows all other rows of a group, also those of several pages", async () => {
  for (let nth = 0; nth < 112; nth++)
    await clerk.post("/api/costs", {
      name: `Clip ${nth}`,
      kind: nth < 110 ? "paper" : "travel",
      paid: false,
      price: "1",
    });
  const page = await visitWith(program.url, clerk.cookie(), { path: "/costs?search=clip&grouped=kind" });
  await page.getByRole("button", { name: "Show 105 more" }).press("Enter");
  await expect.poll(() => page.locator("tbody .row-link").count(), { timeout: 20_000 }).toBe(112);
  expect(await page.getByRole("button", { name: /^Show/u }).count()).toBe(0);
  expect(complaints(page)).toEqual([]);
});

test("a group begins with its first five rows in the order of the list, and shows the others on request", async () => {
  for (const price of ["1", "2", "3", "4", "5", "6", "7"])
    await clerk.post("/api/costs", { name: `Pen ${price}`, kind: "paper", paid: false, price });
  await clerk.post("/api/costs", { name: "Pen case", kind: "travel", paid: false, price: "9" });
  const page = await visitWith(program.url, clerk.cookie(), { path: "/costs?search=pen&sort=-price&grouped=kind" });
  const names = page.locator("tbody .row-link");
  const pens = ["Pen 7", "Pen 6", "Pen 5", "Pen 4", "Pen 3"];
  await expect
    .poll(() => names.allTextContents().then((all) => all.toSorted()))
    .toEqual([...pens, "Pen case"].toSorted());
  await page.getByRole("button", { name: "Show 2 more" }).press("Enter");
  await page.getByRole("row", { name: /Pen 1/ }).waitFor();
  // A group alone has the whole first page.
  await page.goto(`${program.url}/costs?search=pen&kind=paper&sort=-price&grouped=kind`);
  await expect.poll(() => names.allTextContents()).toEqual([...pens, "Pen 2", "Pen 1"]);
  expect(await page.getByRole("button", { name: /^Show/u }).count()).toBe(0);
});

test("a cell in a group is edited in place, and the sums follow", async () => {
  for (const price of ["10", "20"])
    await clerk.post("/api/costs", { name: `Hall ${price}`, kind: "paper", paid: false, price });
  const page = await visitWith(program.url, clerk.cookie(), { path: "/costs?search=hall&grouped=kind" });
  await page
    .getByRole("row", { name: /Hall 20/ })
    .locator("[data-field=price]")
    .click();
  const editor = page.getByRole("dialog", { name: "Edit “Price”" });
  await editor.getByRole("textbox", { name: "Price" }).fill("25");
  await page.keyboard.press("Enter");
  await page.getByRole("row", { name: /Total/ }).getByText("€35.00").waitFor();
  await editor.waitFor({ state: "detached" });
  // The head of the group shows the kind, so the column has no room here. The menu of a row changes it.
  expect(await page.getByRole("columnheader", { name: "Kind" }).count()).toBe(0);
  await page.getByRole("link", { name: "Hall 10" }).focus();
  await page.keyboard.press(".");
  await page.getByRole("menuitem", { name: "Edit “Kind”" }).press("Enter");
  const kinds = page.getByRole("dialog", { name: "Edit “Kind”" });
  // The choice is sent at once: Enter would go to the row.
  await kinds.getByText("Travel").click();
  await page.getByRole("button", { name: /Kind: Travel/ }).waitFor();
  expect(complaints(page)).toEqual([]);
});

test("two groups become a pivot, whose figures open their rows with the keyboard alone, also on a phone", async () => {
  const page = await visitWith(program.url, clerk.cookie(), { path: "/costs?search=own&grouped=kind,paid" });
  const panel = page.getByRole("dialog", { name: "Group the list" });
  await page.getByRole("button", { name: /^Group/ }).press("Enter");
  await panel.getByRole("button", { name: "Show as a pivot" }).press("Enter");
  const first = page.getByRole("link", { name: "Travel, Yes: 1. Show these records" });
  await first.focus();
  for (const key of ["ArrowDown", "ArrowRight", "ArrowRight", "ArrowUp", "End"]) await page.keyboard.press(key);
  expect(await page.evaluate(() => document.activeElement?.getAttribute("aria-label"))).toMatch(/^Travel: 2/u);
  await page.getByRole("button", { name: /^Group/ }).press("Enter");
  const part = (name: string) => panel.getByRole("group").getByRole("button", { name });
  const chosen = () => panel.getByRole("group").getByRole("button").allTextContents();
  const choose = async (name: string, option: string) => {
    await part(name).click();
    await panel.getByRole("option", { name: option }).click();
    await panel.waitFor({ state: "hidden" });
    await page.getByRole("button", { name: /^Group/ }).press("Enter");
  };
  await expect.poll(chosen).toEqual(["Rows: Kind", "Columns: Paid", "Values: Number of costs"]);
  // The field of the columns is chosen for the rows: they are swapped.
  await choose("Rows", "Paid");
  await expect.poll(chosen).toEqual(["Rows: Paid", "Columns: Kind", "Values: Number of costs"]);
  await panel.getByRole("button", { name: "Swap rows and columns" }).press("Enter");
  await page.getByRole("button", { name: /^Group/ }).press("Enter");
  await expect.poll(chosen).toEqual(["Rows: Kind", "Columns: Paid", "Values: Number of costs"]);
  await choose("Values", "Sum of Price");
  expect(await axeFindings(page)).toEqual([]);
  await page.keyboard.press("Escape");
  const travel = page.getByText("€50.00");
  await travel.waitFor();
  expect(await axeFindings(page)).toEqual([]);
  const { searchParams, pathname, search } = new URL(page.url());
  expect([searchParams.get("layout"), searchParams.get("figure")]).toEqual(["pivot", "sum(price)"]);
  await travel.press("Enter");
  await expect.poll(() => page.getByRole("row").count()).toBe(3);
  expect(complaints(page)).toEqual([]);

  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`${program.url}${pathname}${search}`);
  await page.getByRole("link", { name: "All: €62.00. Show these records" }).waitFor();
  const heights = await page
    .locator(".pivot a")
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
  expect(Math.min(...heights)).toBeGreaterThanOrEqual(44);
  expect(await axeFindings(page)).toEqual([]);
  expect(await sideways(page)).toBeLessThanOrEqual(0);
});

test("a list opens with the groups of the document, and people choose others or none", async () => {
  const page = await visitWith(program.url, clerk.cookie(), { path: "/by-kind?search=own" });
  await page.getByRole("button", { name: "Group: Kind" }).waitFor();
  await page
    .getByRole("row", { name: /Kind: Travel/ })
    .getByText("€50.00")
    .waitFor();
  await page.getByRole("button", { name: "Group: Kind" }).press("Enter");
  const panel = page.getByRole("dialog", { name: "Group the list" });
  await panel.getByRole("option", { name: "None" }).first().click();
  await page.waitForURL((url) => url.searchParams.get("grouped") === "");
  await page.getByRole("row", { name: /Own taxi/ }).waitFor();
  expect(await page.getByRole("row", { name: /Kind: Travel/ }).count()).toBe(0);
  // The address says it, so that it stays.
  await page.reload();
  await page.getByRole("row", { name: /Own taxi/ }).waitFor();
  expect(await page.getByRole("button", { name: "Group: Kind" }).count()).toBe(0);
  expect(complaints(page)).toEqual([]);
});
