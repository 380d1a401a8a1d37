import { beforeAll, expect, test } from "vitest";
import { complaints, visitAs } from "../../web/browser.ts";
import { example, type RunningApplication, serveDemonstration } from "../program.ts";

/* The lists of an overview take the height of their rows, and lead to the acts on all of them. */

const head = "Sofía Marín";

let program: RunningApplication;
beforeAll(async () => {
  program = await serveDemonstration({ file: example("purchasing") });
});

test("a list keeps no hole below its rows when a wider window needs fewer lines", async () => {
  const page = await visitAs(program.url, head, { path: "/", width: 1100 });
  const rows = page.locator("main [data-row]");
  await rows.first().waitFor();
  const holes = () =>
    page.locator(".tile-card.list").evaluateAll((all) =>
      all.map((one) => {
        const card = one as HTMLElement;
        const { minBlockSize } = card.style;
        const kept = card.offsetHeight;
        card.style.minBlockSize = "";
        const needed = card.offsetHeight;
        card.style.minBlockSize = minBlockSize;
        return kept - needed;
      }),
    );
  const isHeld = () =>
    page
      .locator(".tile-card.list")
      .evaluateAll((all) => all.every((one) => (one as HTMLElement).style.minBlockSize !== ""));
  for (const width of [800, 1280, 800, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    await page.mouse.move(width - 200, 600);
    await expect.poll(isHeld).toBe(true);
    await expect.poll(async () => (await holes()).filter((hole) => hole !== 0)).toEqual([]);
  }
  expect(complaints(page)).toEqual([]);
});

test("a list leads to its table with all rows selected, also for a reader of boards", async () => {
  const page = await visitAs(program.url, head, { path: "/requests", width: 1280 });
  await page.getByRole("group", { name: "Layout" }).getByRole("button", { name: "Board" }).click();
  await page.waitForURL(/layout=board/u);
  await page.goto(`${program.url}/`);
  const tile = page.locator(".tile-card.list", { has: page.getByRole("link", { name: /^Select all of/u }) }).first();
  const waiting = Number(await tile.locator(".tile-count").innerText());
  await tile.getByRole("link", { name: /^Select all of/u }).click();
  const bar = page.getByRole("region", { name: "Actions for the selected rows" });
  await bar.getByText(`${waiting} selected`).waitFor();
  expect(await page.locator("tr[data-selected]").count()).toBe(waiting);
  // It happens once: the address of the page does not ask for it.
  expect(new URL(page.url()).hash).toBe("");
  await page.reload();
  await page.locator("main tr [data-row]").first().waitFor();
  expect(await bar.count()).toBe(0);
  expect(complaints(page)).toEqual([]);
});
