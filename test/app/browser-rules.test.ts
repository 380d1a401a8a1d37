import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import {
  administrator,
  atRest,
  axeFindings,
  complaints,
  keeper,
  member,
  sideways,
  visit,
  visitAs,
} from "../web/browser.ts";
import { example, type Program, startProgram } from "./program.ts";

/* What must hold on every route: WCAG as axe sees it, no scrolling sideways, nothing stopped by the security policy. */

let program: Program;
beforeAll(async () => {
  program = await startProgram({ file: example("lending") });
});

const routes = async (): Promise<readonly { readonly who: string | null; readonly path: string }[]> => {
  const asked = await program.signInAs("keeper");
  const loans = (await asked.get("/api/loans?limit=200")).list().items;
  const thing = (await asked.get("/api/things?limit=1")).list().items[0]?.id ?? "";
  const inState = (status: string) => loans.find((loan) => loan.status === status)?.id ?? "";
  return [
    { who: null, path: "/sign-in" },
    { who: keeper, path: "/loans" },
    { who: keeper, path: "/loans?status=lent&thing=none" },
    { who: keeper, path: `/loans/${inState("asked")}` },
    { who: keeper, path: `/loans/${inState("returned")}` },
    { who: keeper, path: "/loans/new" },
    { who: member, path: "/things" },
    { who: keeper, path: `/things/${thing}` },
    { who: keeper, path: `/things/${thing}/edit` },
    { who: keeper, path: "/nowhere" },
    { who: administrator, path: "/workbench" },
    { who: administrator, path: "/workbench/document?clause=5.Loan.DUE_BEFORE_START" },
    { who: administrator, path: "/workbench/map" },
    { who: administrator, path: "/workbench/who" },
  ];
};

describe.each([
  { width: 1440, theme: "light" },
  { width: 1440, theme: "dark" },
  { width: 390, theme: "light" },
  { width: 390, theme: "dark" },
] as const)("at $width, $theme", ({ width, theme }) => {
  test("no route breaks a rule that axe knows, and none scrolls sideways", { timeout: 120_000 }, async () => {
    const found: string[] = [];
    let page: Page | undefined;
    let signedIn: string | null | undefined;
    for (const { who, path } of await routes()) {
      if (page === undefined || who !== signedIn) {
        page =
          who === null ? await visit(program.url, { width, theme }) : await visitAs(program.url, who, { width, theme });
        signedIn = who;
      }
      await page.goto(program.url + path);
      await atRest(page);
      found.push(...(await axeFindings(page)).map((finding) => `${path} ${finding}`));
      if ((await sideways(page)) > 0) found.push(`${path} scrolls sideways`);
      found.push(...complaints(page).map((complaint) => `${path} ${complaint}`));
    }
    expect(found).toEqual([]);
  });
});

test("at 320, the narrowest that must lose nothing, no route scrolls sideways", async () => {
  const page = await visitAs(program.url, keeper, { width: 320 });
  for (const { who, path } of await routes()) {
    if (who === null) continue;
    await page.goto(program.url + path);
    await atRest(page);
    expect([path, await sideways(page)]).toEqual([path, 0]);
  }
});

describe("what opens over the page", () => {
  test.each([
    { width: 1440, theme: "light" },
    { width: 390, theme: "dark" },
  ] as const)("breaks no rule either, at $width, $theme", { timeout: 60_000 }, async ({ width, theme }) => {
    const page = await visitAs(program.url, keeper, { width, theme });
    const found: string[] = [];
    const look = async (what: string) => {
      found.push(...(await axeFindings(page)).map((finding) => `${what}: ${finding}`));
      if ((await sideways(page)) > 0) found.push(`${what} scrolls sideways`);
    };
    await page.getByRole("group", { name: "Filters" }).getByRole("button", { name: "Status" }).click();
    await page.getByRole("checkbox", { name: "Asked" }).check();
    await look("a filter");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^Signed in/ }).click();
    await look("the person's menu");
    await page.keyboard.press("Escape");
    await page.locator("[data-row]").first().click();
    await page.getByRole("heading", { level: 2, name: "Where it stands" }).waitFor();
    await page.getByRole("button", { name: /^More for/ }).click();
    await look("a record's menu");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Decline…" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Decline", exact: true }).click();
    await dialog.getByRole("alert").waitFor();
    await look("a transition's dialog");
    await page.keyboard.press("Escape");
    await page.goto(`${program.url}/loans/new`);
    await page.getByRole("button", { name: "Calendar for Due day" }).click();
    await page.getByRole("grid").waitFor();
    await look("a calendar");
    await page.keyboard.press("Escape");
    await page.getByRole("combobox", { name: "Thing" }).click();
    await page.getByRole("option").first().waitFor();
    await look("a search");
    expect(found).toEqual([]);
  });
});
