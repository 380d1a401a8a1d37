// node scripts/example-pictures.mjs: runs each example with its sample data, and saves a picture of its first page for
// the start page of the workbench (docs/images/example-NAME.png).
import { join } from "node:path";
import { findPeople, launchBrowser, openPage, waitUntilLoaded, withExample } from "./sample-program.mjs";
import { build, root } from "./setup.mjs";

/** The role whose first page is shown. */
const examples = {
  lending: "keeper",
  "help-desk": "agent",
  "leave-desk": "payroll",
  purchasing: "buyer",
  booking: "steward",
};
/** Of the program and of the browser, so that the next pictures show the same days. */
const now = "2026-11-18T09:30:00Z";
const size = { width: 1120, viewport: { width: 1120, height: 700 }, deviceScaleFactor: 640 / 1120 };

await build();
const browser = await launchBrowser();
const take = (name, role) => async (url) => {
  const people = await findPeople(url);
  const person = people.find(({ roles }) => roles.includes(role)) ?? people[0];
  const page = await openPage(browser, url, person, { ...size, theme: "light" });
  await page.clock.setFixedTime(now);
  await page.goto("/");
  await waitUntilLoaded(page);
  await page.screenshot({ path: join(root, "docs/images", `example-${name}.png`) });
  await page.context().close();
};
for (const [name, role] of Object.entries(examples)) await withExample(name, take(name, role), { NINEFOLD_CLOCK: now });
await browser.close();
