import type { Locator, Page } from "playwright-core";
import { beforeAll, expect, test } from "vitest";
import { atRest, complaints, keeper, visitAs } from "../../web/browser.ts";
import { example, type RunningApplication, serveDemonstration } from "../program.ts";

/* On a phone, a finger pulls a sheet down to leave it. */

let program: RunningApplication;
beforeAll(async () => {
  program = await serveDemonstration({ file: example("lending") });
});

const pull = async (page: Page, part: Locator, by: number): Promise<void> => {
  const box = await part.boundingBox();
  if (box === null) throw new Error("it is not shown");
  const [x, y] = [box.x + box.width / 3, box.y + Math.min(12, box.height / 2)];
  const devtools = await page.context().newCDPSession(page);
  const touch = (type: "touchStart" | "touchMove" | "touchEnd", down: number) =>
    devtools.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x, y: y + down }] });
  await touch("touchStart", 0);
  for (const part of [0.25, 0.5, 0.75, 1]) await touch("touchMove", by * part);
  await touch("touchEnd", by);
};

test("a menu and a question are pulled down, and stay after a short pull or once they hold input", async () => {
  const page = await visitAs(program.url, keeper, { path: "/loans?status=asked", width: 390 });
  await page.locator("main [data-row]").first().waitFor();
  await atRest(page);
  const sort = page.getByRole("button", { name: /^Sort/u });
  const menu = page.getByRole("dialog", { name: "Sort" });
  await sort.tap();
  // One of its items has the focus, but does not look chosen.
  const inFocus = menu.locator("[role=menuitem]:focus");
  expect(await inFocus.evaluate((item) => getComputedStyle(item).backgroundColor)).toBe("rgba(0, 0, 0, 0)");
  await pull(page, menu, 30);
  expect(await menu.evaluate((sheet) => sheet.style.translate)).toBe("");
  await pull(page, menu, 160);
  await menu.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Group the list" }).tap();
  await page.getByText("Group the list", { exact: true }).waitFor();

  await page.goto(`${program.url}/`);
  const decline = page.getByRole("button", { name: /^Decline/u }).first();
  await decline.click();
  const question = page.getByRole("dialog", { name: "Decline" });
  const title = question.getByRole("heading", { name: "Decline" });
  await pull(page, title, 160);
  await question.waitFor({ state: "detached" });
  await decline.click();
  await question.getByRole("textbox").fill("It is broken");
  await pull(page, title, 160);
  expect(await question.getByRole("textbox").inputValue()).toBe("It is broken");
  expect(complaints(page)).toEqual([]);
});

test("Back closes a sheet before it leaves the page, and a sheet that holds input stays", async () => {
  const page = await visitAs(program.url, keeper, { path: "/loans?status=asked", width: 390 });
  await page.locator("main [data-row]").first().click();
  await page.getByRole("button", { name: /^Decline/u }).waitFor();
  const path = () => new URL(page.url()).pathname;
  const record = path();
  expect(record).toMatch(/^\/loans\/./u);
  const back = () => page.evaluate(() => history.back());
  /** The browser has left the visit and come back to it. */
  const backAndForth = () =>
    page.evaluate(
      () =>
        new Promise<void>((resolve) => {
          addEventListener("popstate", () => addEventListener("popstate", () => resolve(), { once: true }), {
            once: true,
          });
          history.back();
        }),
    );

  const more = page.getByRole("button", { name: /^More/u }).last();
  await more.tap();
  const menu = page.locator(".popup:popover-open");
  await menu.waitFor();
  await backAndForth();
  await menu.waitFor({ state: "hidden" });
  expect(path()).toBe(record);

  await page.getByRole("button", { name: /^Decline/u }).tap();
  const question = page.getByRole("dialog", { name: "Decline" });
  await question.waitFor();
  await backAndForth();
  await question.waitFor({ state: "detached" });
  expect(path()).toBe(record);

  // Two taps on one place within a moment are a double tap, and the second of them does nothing.
  await page.getByRole("heading", { level: 1 }).tap();
  await page.getByRole("button", { name: /^Decline/u }).tap();
  await question.getByRole("textbox").fill("It is broken");
  await backAndForth();
  expect(path()).toBe(record);
  expect(await question.getByRole("textbox").inputValue()).toBe("It is broken");
  await question.getByRole("button", { name: "Cancel" }).tap();
  await question.waitFor({ state: "detached" });

  await back();
  await expect.poll(path).toBe("/loans");
  expect(complaints(page)).toEqual([]);
});
