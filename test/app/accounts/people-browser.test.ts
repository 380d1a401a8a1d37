import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeAll, describe, expect, test } from "vitest";
import { alternately } from "../../turns.ts";
import { axeFindings, axeFindingsInBothThemes } from "../../web/axe.ts";
import {
  administrator,
  atRest,
  complaints,
  focused,
  member,
  namedByWhy,
  pressUntil,
  sideways,
  visit,
  visitAs,
} from "../../web/browser.ts";
import { example, type RunningApplication, serveDemonstration } from "../program.ts";

let program: RunningApplication;
beforeAll(async () => {
  program = await serveDemonstration({ file: example("lending") });
});

const PASSWORD = "correct horse battery";
const people = (more: Parameters<typeof visitAs>[2] = {}) =>
  visitAs(program.url, administrator, { path: "/workbench/people", ...more });
const link = (page: Page) => page.getByRole("dialog").getByLabel("Link", { exact: true });

/** Invites a person and returns the address of the displayed link. */
const invite = async (page: Page, name: string, roles: readonly string[] = []): Promise<string> => {
  await page.getByRole("button", { name: "Invite", exact: true }).click();
  const dialog = page.getByRole("dialog", { name: "Invite someone" });
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("Email").fill(`${name.toLowerCase()}@example.com`);
  for (const role of roles) await dialog.getByRole("checkbox", { name: role }).check();
  await dialog.getByRole("button", { name: "Create link" }).click();
  const address = await link(page).inputValue();
  await page.getByRole("dialog").getByRole("button", { name: "Done" }).click();
  return address;
};

/** Sets a password by a link, in a separate browser. */
const enter = async (address: string, password = PASSWORD): Promise<Page> => {
  const { pathname, hash } = new URL(address);
  const page = await visit(program.url, { path: pathname + hash });
  await expect.poll(() => focused(page)).toMatch(/textbox "New password"/u);
  await page.keyboard.type(password);
  await page.getByRole("button", { name: "Set password and sign in" }).click();
  await page
    .getByRole("button", { name: /^Signed in/ })
    .first()
    .waitFor();
  return page;
};

test("sample people are marked, shown alone and removed together", async () => {
  const tried = await serveDemonstration({ file: example("lending") });
  const page = await visitAs(tried.url, administrator, { path: "/workbench/people" });
  await page.getByRole("cell", { name: `${administrator} Sample` }).waitFor();
  // They sign in without a password, so that none is missing.
  await page
    .getByRole("row", { name: / Active$/u })
    .first()
    .waitFor();
  expect(await page.getByRole("cell", { name: "No password" }).count()).toBe(0);
  await page.getByRole("link", { name: "Sample people" }).click();
  await page.getByRole("button", { name: "Remove sample data…" }).click();
  const dialog = page.getByRole("dialog", { name: "Remove all sample data?" });
  await dialog.getByText(/^This deletes \d+ sample people and all sample records/u).waitFor();
  expect(await axeFindings(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Remove" }).click();
  await page.getByText(/^\d+ samples removed$/u).waitFor();
  await page.getByRole("button", { name: "Remove sample data…" }).waitFor({ state: "detached" });
  await expect.poll(() => page.getByRole("row").count()).toBe(2);
  expect(complaints(page)).toEqual([]);
});

describe("an administrator", () => {
  test("invites a person by a link that is shown once, and the person signs in with their roles", async () => {
    const page = await people();
    await page.getByRole("heading", { level: 1, name: "Accounts" }).waitFor();
    const address = await invite(page, "Grace", ["keeper"]);
    expect(address).toMatch(/\/sign-in#password=[\w-]{43}$/);
    await page.getByRole("row", { name: /Grace grace@example.com Keeper Invited/ }).waitFor();
    const grace = await enter(address);
    expect(grace.url()).not.toContain("password=");
    await grace.getByRole("button", { name: /Signed in: Grace Keeper/ }).waitFor();
    const again = await visit(program.url, { path: new URL(address).pathname + new URL(address).hash });
    await again.getByRole("heading", { name: "This link no longer works" }).waitFor();
    await page.reload();
    await page.getByRole("row", { name: /Grace grace@example.com Keeper Active/ }).waitFor();
    expect([complaints(page), complaints(grace), complaints(again)]).toEqual([[], [], []]);
  });

  test("invites the people of a pasted list, and corrects the lines that are no address", async () => {
    const page = await people();
    await page.getByRole("button", { name: "Invite several" }).click();
    const dialog = page.getByRole("dialog");
    const bad = ["tom@example", "Ida <ida example.org>", "liv@", "kai at example.org"];
    await dialog.getByLabel("Addresses").fill(`Nele Braun nele@example.org\n${bad.join("\n")}\nOtto, otto@example.org`);
    await dialog.getByText(`Not an address: ${bad.join(" · ")}`).waitFor();
    await dialog.getByRole("button", { name: "Invite 2 people" }).click();
    await dialog.getByText("2 of 2 invited").waitFor();
    await dialog.getByText("Nele Braun").waitFor();
    await dialog.getByText(`Not an address: ${bad.join(" · ")}`).waitFor();
    await dialog.getByRole("button", { name: "Edit these lines" }).click();
    expect(await dialog.getByLabel("Addresses").inputValue()).toBe(bad.join("\n"));
    expect(complaints(page)).toEqual([]);
  });

  test("sees the errors of a new person at their fields", async () => {
    const page = await people();
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: "Invite someone" });
    await dialog.getByLabel("Email").fill("no address");
    await dialog.getByRole("button", { name: "Create link" }).click();
    await dialog.getByRole("heading", { name: "Couldn’t create the invitation" }).waitFor();
    for (const [field, clause] of [
      ["Name", "3.User.name"],
      ["Email", "3.User.email"],
    ] as const)
      expect(await namedByWhy(page, dialog.locator(".form-field", { hasText: field }))).toBe(clause);
    expect(await axeFindings(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expect.poll(() => focused(page)).toMatch(/button "Invite"/);
  });

  test("finds a person, grants and removes a role, deactivates and reactivates them, each with a line of history", async () => {
    const page = await people();
    const address = await invite(page, "Linus");
    const linus = await enter(address);
    await page.getByRole("searchbox", { name: "Search accounts" }).fill("linus@");
    await page.getByRole("link", { name: "Linus" }).click();
    await page.getByRole("heading", { level: 1, name: "Linus" }).waitFor();
    await page.getByRole("checkbox", { name: "keeper" }).click();
    await page.getByRole("complementary").getByText("assigned Keeper").waitFor();
    await page.getByText("6.roles.keeper").waitFor();
    await linus.reload();
    await linus.getByRole("button", { name: /Signed in: Linus Keeper/ }).waitFor();
    await page.getByRole("checkbox", { name: "keeper" }).click();
    await page.getByRole("complementary").getByText("removed Keeper").waitFor();
    await page.getByRole("button", { name: "Deactivate…" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Deactivate" }).click();
    await page.getByRole("complementary").getByText("deactivated it").waitFor();
    await page.getByText("No active sessions").waitFor();
    await linus.reload();
    await linus.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
    await page.getByRole("button", { name: "Activate" }).click();
    await page.getByText("activated it", { exact: false }).nth(1).waitFor();
    expect(complaints(page)).toEqual([]);
  });

  test("can’t remove the last administrator, sees the clause, and stays an administrator", async () => {
    const page = await people();
    await page.getByRole("link", { name: administrator }).click();
    await page.getByRole("heading", { level: 1, name: administrator }).waitFor();
    await page.getByRole("checkbox", { name: "administrator" }).click();
    const note = page.getByRole("alert").filter({ hasText: "Nothing was changed" });
    await note.getByText("This is the last administrator. Add another one first.").waitFor();
    expect(await namedByWhy(page, note)).toBe("6.administrator");
    await expect.poll(() => page.getByRole("checkbox", { name: "administrator" }).isChecked()).toBe(true);
  });

  test("can do all of it by keyboard", async () => {
    const page = await people();
    await page.getByRole("row").nth(1).waitFor();
    await pressUntil(page, "Tab", /button "Invite"/);
    await page.keyboard.press("Enter");
    await page.getByRole("dialog").waitFor();
    await pressUntil(page, "Tab", /textbox "Name"/);
    await page.keyboard.type("Katherine");
    await pressUntil(page, "Tab", /textbox "Email"/);
    await page.keyboard.type("katherine@example.com");
    await pressUntil(page, "Tab", /checkbox "Keeper"/);
    await page.keyboard.press("Space");
    await pressUntil(page, "Tab", /button "Create link"/);
    await page.keyboard.press("Enter");
    await link(page).waitFor();
    await pressUntil(page, "Tab", /button "Done"/);
    await page.keyboard.press("Enter");
    await pressUntil(page, "Tab", /link "Katherine"/);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Katherine" }).waitFor();
    await pressUntil(page, "Tab", /checkbox "Keeper" \[checked\]/);
  });

  test("reads the sign-in log by keyboard: search, refused only, to the account and back", async () => {
    const refused = await program.visitor().post("/_/session", { email: "nobody@example.com", password: PASSWORD });
    expect(refused.status).toBe(401);
    const page = await people();
    await page.getByRole("row").nth(1).waitFor();
    await pressUntil(page, "Tab", /link "Sign-ins"/);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Sign-ins" }).waitFor();
    await page.getByRole("row").nth(1).waitFor();
    const lines = page.getByRole("row").filter({ has: page.getByRole("cell") });
    await pressUntil(page, "Tab", /searchbox "/);
    await page.keyboard.type("nobody@example.com");
    await expect.poll(() => lines.count()).toBe(1);
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.press("Delete");
    await expect.poll(() => lines.count()).toBeGreaterThan(1);
    await pressUntil(page, "Tab", /checkbox "/);
    await page.keyboard.press("Space");
    await expect.poll(() => lines.count()).toBe(1);
    await page.keyboard.press("Space");
    await expect.poll(() => lines.count()).toBeGreaterThan(1);
    await pressUntil(page, "Tab", new RegExp(`link "${administrator}"`));
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: administrator }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { level: 1, name: "Sign-ins" }).waitFor();
    await pressUntil(page, "Tab", /searchbox "/);
    expect(complaints(page)).toEqual([]);
  });
});

describe("your account", () => {
  test("shows where you are signed in, ends other sessions, and changes the password", async () => {
    const admin = await people();
    const address = await invite(admin, "Barbara");
    const here = await enter(address);
    const there = await visit(program.url, { path: "/sign-in" });
    await there.getByLabel("Email").fill("barbara@example.com");
    await there.getByLabel("Password", { exact: true }).fill(PASSWORD);
    await there.getByRole("button", { name: "Sign in", exact: true }).click();
    await there
      .getByRole("button", { name: /^Signed in/ })
      .first()
      .waitFor();
    await here.getByRole("button", { name: /Signed in: Barbara/ }).click();
    await here.getByRole("menuitem", { name: "Your account" }).click();
    await here.getByRole("heading", { level: 1, name: "Your account" }).waitFor();
    await here.getByText("this session").waitFor();
    await here.getByRole("button", { name: "Sign out this device: Chrome on Linux" }).click();
    const question = here.getByRole("dialog", { name: "Sign out this device?" });
    await question.getByText("What is not saved there is lost.", { exact: false }).waitFor();
    await question.getByRole("button", { name: "Sign out this device", exact: true }).click();
    await question.waitFor({ state: "detached" });
    await here.getByRole("button", { name: "Sign out this device: Chrome on Linux" }).waitFor({ state: "detached" });
    await there.reload();
    await there.getByRole("heading", { name: "Sign in", exact: true }).waitFor();
    await here.getByLabel("Current password", { exact: true }).fill("wrong");
    await here.getByLabel("New password", { exact: true }).fill("another password");
    await here.getByRole("button", { name: "Change password" }).click();
    await here.getByText("Wrong password.").waitFor();
    await here.getByLabel("Current password", { exact: true }).fill(PASSWORD);
    await here.getByRole("button", { name: "Change password" }).click();
    await here.getByText("Password changed").waitFor();
    expect(await axeFindings(here)).toEqual([]);
    expect(complaints(here)).toEqual([]);
  });

  test("is open to everyone, and People to administrators only", async () => {
    const page = await visitAs(program.url, member, { path: "/sign-in/account" });
    await page.getByText("No password. People in a demo sign in without one.").waitFor();
    await page.getByText("This application sends no emails.").waitFor();
    await page.goto(`${program.url}/workbench/people`);
    await page.getByRole("heading", { name: "Page not found" }).waitFor();
    await expect.poll(() => page.getByRole("link", { name: "Accounts" }).count()).toBe(0);
  });
});

/** Folder for screenshots, if wanted. */
const shots = process.env.NINEFOLD_SHOTS;

describe("viewing as another person", () => {
  test.each(
    alternately([
      [1440, "light"],
      [390, "dark"],
    ] as const),
  )(
    "at %i, %s: a banner shows it on every page, nothing can be changed, and the keyboard ends it on the page where it began",
    async (width, theme) => {
      const page = await people({ width, theme });
      await page.getByRole("link", { name: member }).click();
      await page.getByRole("heading", { level: 1, name: member }).waitFor();
      await page.getByRole("button", { name: "View as this person" }).press("Enter");
      const bar = page.getByRole("complementary", { name: "Viewing as someone else" });
      await bar.getByText(`Viewing as ${member} (read-only). This visit is logged.`).waitFor();
      // The view shows that person's data: no accounts, and their own loans.
      await page.goto(`${program.url}/workbench/people`);
      await page.getByRole("heading", { name: "Page not found" }).first().waitFor();
      await bar.waitFor();
      await page.goto(`${program.url}/loans/new`);
      await page.getByRole("textbox", { name: "Due day" }).fill("+3");
      await page.getByRole("button", { name: /^Create / }).press("Enter");
      await page.getByText(`You’re viewing as ${member} (read-only). Stop viewing to make changes.`).first().waitFor();
      await atRest(page);
      expect([await axeFindings(page), await sideways(page)]).toEqual([[], 0]);
      if (shots !== undefined) {
        await mkdir(shots, { recursive: true });
        await page.screenshot({ path: join(shots, `looking-${width}-${theme}.png`) });
      }
      await page.goto(`${program.url}/loans`);
      await bar.waitFor();
      await pressUntil(page, "Shift+Tab", /Stop viewing/u, 60);
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { level: 1, name: member }).waitFor();
      await page.getByText(`${administrator} viewed the app as this person`).first().waitFor();
      await expect.poll(() => bar.count()).toBe(0);
      expect(complaints(page)).toEqual([]);
    },
  );
});

describe.each(alternately([1440, 390]))("at %i, in both themes", (width) => {
  test("every page about people passes axe and is no wider than the window", async () => {
    const page = await people({ width });
    const seen = async (name: string) => {
      await atRest(page);
      expect([name, await axeFindingsInBothThemes(page)]).toEqual([name, []]);
      for (const theme of ["dark", "light"] as const) {
        await page.emulateMedia({ colorScheme: theme });
        expect([name, theme, await sideways(page)]).toEqual([name, theme, 0]);
        if (shots === undefined) continue;
        await mkdir(shots, { recursive: true });
        await page.screenshot({ path: join(shots, `${name}-${width}-${theme}.png`) });
      }
    };
    await page.getByRole("heading", { level: 1, name: "Accounts" }).waitFor();
    await seen("people");
    await page.goto(`${program.url}/workbench/sign-ins`);
    await page.getByRole("heading", { level: 1, name: "Sign-ins" }).waitFor();
    await seen("sign-ins");
    await page.goto(`${program.url}/workbench/people`);
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    await seen("invite");
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: administrator }).click();
    await page.getByRole("heading", { level: 1, name: administrator }).waitFor();
    await seen("person");
    await page.getByRole("button", { name: "Create password link" }).click();
    await link(page).waitFor();
    await seen("link");
    await page.goto(`${program.url}/sign-in/account`);
    await page.getByRole("heading", { level: 1, name: "Your account" }).waitFor();
    await seen("account");
    expect(complaints(page)).toEqual([]);
  });
});
