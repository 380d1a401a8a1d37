import { beforeAll, expect, test } from "vitest";
import { example, type RunningApplication, serveDemonstration } from "../app/program.ts";
import { keeper, visitAs } from "./browser.ts";

let program: RunningApplication;
beforeAll(async () => {
  program = await serveDemonstration({ file: example("lending") });
});

const visitLoans = () => visitAs(program.url, keeper, { path: "/loans" });

test("a test stops the clock of its page", async () => {
  const page = await visitLoans();
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
  expect(await page.evaluate(() => "isFake" in Date)).toBe(true);
});

test("the clock of the next test runs", async () => {
  const page = await visitLoans();
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  expect(await page.evaluate(() => "isFake" in Date)).toBe(false);
});
