import { beforeAll, expect, test } from "vitest";
import { alternately } from "../../turns.ts";
import { axeFindings } from "../../web/axe.ts";
import { atRest, complaints, sideways, visit } from "../../web/browser.ts";
import { type RunningApplication, serveDemonstration } from "../program.ts";

/** A club whose members change their name and close their account. */
const club = `
# Rowing club

## 3. Entities and their fields
\`\`\`yaml
Boat: { label: "{name}", fields: { name: text } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in }, User: { oneself: this == user } }
permissions:
  User: { read: { role: member, fields: [name] }, update: { role: oneself, fields: [name] } }
  Boat: { read: member, create: member }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
sign in: { sign up: { verify email: false } }
calls: { DELETE /account: { delete: User, where: this == user } }
\`\`\`
`;

const PASSWORD = "correct horse battery";
let program: RunningApplication;
beforeAll(async () => {
  program = await serveDemonstration({ text: club });
});

test.each(alternately([1440, 390]))(
  "at %i, a member changes their name and closes their account, by keyboard",
  async (width) => {
    const email = `amara-${width}@example.com`;
    const page = await visit(program.url, { width, path: "/sign-in" });
    const headers = { origin: program.url };
    const data = { name: "Amara Okafor", email, password: PASSWORD };
    expect((await page.request.post(`${program.url}/_/sign-up/account`, { data, headers })).status()).toBe(204);
    await page.goto(`${program.url}/sign-in/account`);
    const dialog = page.getByRole("dialog");
    // The current year goes without saying, and would not fit a line on a phone.
    expect(
      await page
        .getByText(/^Since /u)
        .first()
        .textContent(),
    ).not.toMatch(/\d{4}.* until/u);

    await page.getByRole("button", { name: "Change name" }).focus();
    await page.keyboard.press("Enter");
    await dialog.getByLabel("Name", { exact: true }).fill("Amara O. Lind");
    await page.keyboard.press("Enter");
    await page.locator("dd").getByText("Amara O. Lind", { exact: true }).waitFor();
    await dialog.waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Close account…" }).focus();
    await page.keyboard.press("Enter");
    // The dialog says what happens to the records, and asks for the address.
    await dialog.getByText("Your records stay, with your name.").waitFor();
    // On a phone, a dialog does not open the keyboard.
    await dialog.getByLabel("To confirm").focus();
    await page.keyboard.press("Enter");
    await dialog.getByText("This is not your email address.").waitFor();
    await atRest(page);
    expect([await sideways(page), await axeFindings(page)]).toEqual([0, []]);
    await page.keyboard.type(email);
    await page.keyboard.press("Tab");
    await page.keyboard.type("wrong");
    await page.keyboard.press("Enter");
    await dialog.getByText("Couldn’t close the account").waitFor();
    await dialog.getByLabel("Current password").fill(PASSWORD);
    await page.keyboard.press("Enter");
    await page.getByText("Account closed").waitFor();
    await page.getByRole("heading", { level: 1 }).waitFor();
    expect(new URL(page.url()).pathname).toBe("/sign-in");
    expect((await page.request.get(`${program.url}/_/account`)).status()).toBe(401);
    expect(complaints(page).filter((one) => !/40[139]|422/u.test(one))).toEqual([]);
  },
);

/** Members change their picture, and cannot change their name. */
const library = `
# Library

## 3. Entities and their fields
\`\`\`yaml
User: { fields: { mentor: User? } }
Book: { label: "{name}", fields: { name: text, keeper: User } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  member: { members: signed in }
  User: { oneself: this == user, coach: mentor == user }
  Book: { guardian: keeper == user }
permissions:
  User: { read: { role: member, fields: [name, avatar, mentor] }, update: [{ role: oneself, fields: [avatar] }, { role: oneself, when: name != 'Amara Okafor', fields: [name] }] }
  Book: { read: guardian, create: member }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
sign in: { sign up: { verify email: false } }
\`\`\`
`;

test("the account page explains why a name cannot be changed beside other fields, and counts many records", async () => {
  const { url } = await serveDemonstration({ text: library });
  const page = await visit(url, { path: "/sign-in" });
  const data = { name: "Amara Okafor", email: "amara@example.com", password: PASSWORD };
  await page.request.post(`${url}/_/sign-up/account`, { data, headers: { origin: url } });
  // A person who keeps more books than are counted.
  await page.route("**/_/account", async (route) => {
    const response = await route.fetch();
    const relations = [
      { role: "Guardian", entity: "Book", field: "keeper", records: ["Atlas"], count: "10,000+" },
      { role: "Coach", entity: "User", field: "mentor", records: ["Ben", "Cy", "Di"], count: 4 },
    ];
    await route.fulfill({ response, json: { ...(await response.json()), relations } });
  });
  await page.goto(`${url}/sign-in/account`);
  await page.getByText("Guardian, as keeper of 10,000+ books").waitFor();
  await page.getByText("Coach, as mentor of 4 people").waitFor();
  await page.getByRole("button", { name: "Change name" }).focus();
  await page.keyboard.press("Enter");
  const panel = page.getByRole("dialog");
  await panel.getByRole("heading", { name: "Conditions" }).waitFor();
  expect(await panel.textContent()).toContain("Amara Okafor");
  expect([await axeFindings(page), complaints(page)]).toEqual([[], []]);
});
