import { createServer, type Server } from "node:http";
import Provider from "oidc-provider";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { axeFindings } from "../../web/axe.ts";
import { atRest, complaints, sideways, small, visit, visitAs, visitWith } from "../../web/browser.ts";
import { example, freePort, type Program, serveDemonstration, startProgram } from "../program.ts";

const desk = `# Desk

Notes of a desk, for whoever works at it.

## 3. Entities and their fields
\`\`\`yaml
Note: { fields: { text: text } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in }, clerk: { members: granted } }
permissions: { User: { read: [member] }, Note: { read: [member], create: [member], update: none, delete: none } }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
sign in: { providers: [{ oidc: work, issuer: APP_ISSUER, title: The office }], sign up: { emails: example.com, roles: clerk } }
token: { by: member, longest: 90 days }
\`\`\`
`;

let provider: Server;
let program: Program;

beforeAll(async () => {
  const port = await freePort();
  provider = createServer();
  await new Promise<void>((resolve) => provider.listen(0, "127.0.0.1", resolve));
  const address = provider.address();
  const issuer = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`;
  const client = { client_id: "desk", client_secret: "a secret of forty characters or so, at least" };
  provider.on(
    "request",
    new Provider(issuer, {
      clients: [
        {
          ...client,
          redirect_uris: [`http://127.0.0.1:${port}/_/providers/work/return`],
          token_endpoint_auth_method: "client_secret_post",
        },
      ],
      claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name"] },
      conformIdTokenClaims: false,
      cookies: { keys: ["test"] },
      findAccount: (_, id) => ({
        accountId: id,
        claims: () => ({ sub: id, email: `${id}@example.com`, email_verified: id !== "liar", name: id }),
      }),
    }).callback(),
  );
  program = await startProgram({
    text: desk,
    port,
    env: { APP_ISSUER: issuer, APP_WORK_CLIENT_ID: client.client_id, APP_WORK_CLIENT_SECRET: client.client_secret },
  });
});
afterAll(async () => {
  provider.closeAllConnections();
  await new Promise((resolve) => provider.close(resolve));
});

/** Checks that apply to every page. */
const isSound = async (page: Page) => {
  await atRest(page);
  expect(await axeFindings(page)).toEqual([]);
  expect(await sideways(page)).toBe(0);
  expect(complaints(page)).toEqual([]);
};

const shots = process.env.SHOTS;
const shot = async (page: Page, name: string) => {
  if (shots !== undefined) await page.screenshot({ path: `${shots}/${name}.png` });
};

const atProvider = async (page: Page, who: string) => {
  await page.getByRole("link", { name: "Sign in with The office" }).click();
  await page.locator("input[name=login]").fill(who);
  await page.locator("input[name=password]").fill("any");
  await page.getByRole("button", { name: "Sign-in" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
};

test("a provider signs a person in to the page they asked for, and a refused person sees why", async () => {
  const page = await visit(program.url, { path: "/notes" });
  await page.getByRole("link", { name: "Sign in with The office" }).waitFor();
  await isSound(page);
  await shot(page, "sign-in");
  await atProvider(page, "grace");
  await page.getByRole("heading", { level: 1, name: "Notes" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/notes");
  await page
    .getByRole("button", { name: /^Signed in: grace/ })
    .first()
    .waitFor();

  const other = await visit(program.url, { path: "/sign-in", width: 390, theme: "dark" });
  await atProvider(other, "liar");
  await other.getByRole("alert").getByText("This account doesn’t have access.").waitFor();
  await isSound(other);
  expect(await small(other)).toEqual([]);
  await shot(other, "not-invited-390");
});

test("a person registers, gets the link from an administrator, and signs in", async () => {
  const page = await visit(program.url, { path: "/sign-in", width: 390 });
  await page.getByRole("button", { name: "Create one" }).click();
  const form = page.getByRole("form", { name: "Create account" });
  await form.getByLabel("Email").fill("ada@elsewhere.com");
  await form.getByRole("button", { name: "Send link" }).click();
  await page.getByText("Only addresses at example.com can register.").waitFor();
  await form.getByLabel("Email").fill("ada@example.com");
  await isSound(page);
  await shot(page, "register-390");
  await form.getByRole("button", { name: "Send link" }).click();
  await page.getByRole("status").getByText("We sent a link to ada@example.com.").waitFor();

  const chief = await visitAs(program.url, "Amara Okafor", { path: "/workbench/people" });
  await chief.getByRole("heading", { name: "Account requests" }).waitFor();
  await isSound(chief);
  await shot(chief, "registrations");
  await chief.getByRole("button", { name: "Create a link for ada@example.com" }).click();
  const link = await chief.getByRole("dialog").getByLabel("Link", { exact: true }).inputValue();

  const { pathname, hash } = new URL(link);
  const fresh = await visit(program.url, { path: pathname + hash, theme: "dark" });
  await fresh.getByText("For ada@example.com.").waitFor();
  await fresh.getByLabel("Name").fill("Ada");
  await fresh.getByLabel("New password", { exact: true }).fill("correct horse battery");
  await isSound(fresh);
  await shot(fresh, "account-dark");
  await fresh.getByRole("button", { name: "Create account" }).click();
  await fresh
    .getByRole("button", { name: /^Signed in: Ada/ })
    .first()
    .waitFor();
});

test("a token is created on your account page, shown once, used, and revoked", async () => {
  const page = await visitAs(program.url, "Amara Okafor", { path: "/sign-in/account" });
  await page.getByRole("button", { name: "Create token" }).click();
  const dialog = page.getByRole("dialog", { name: "Create API token" });
  await dialog.getByLabel("Name").fill("Nightly export");
  await dialog.getByLabel("Valid for").selectOption({ label: "90 days" });
  await isSound(page);
  await shot(page, "token");
  await dialog.getByRole("button", { name: "Create token" }).click();
  const token = await page
    .getByRole("dialog", { name: "Your API token" })
    .getByLabel("Token", { exact: true })
    .inputValue();
  await shot(page, "token-made");
  const response = await fetch(`${program.url}/api/notes`, { headers: { authorization: `Bearer ${token}` } });
  expect(response.status).toBe(200);
  await page.getByRole("button", { name: "Done" }).click();
  const tokens = page.getByRole("region", { name: "API tokens" });
  await tokens.getByText("Nightly export").waitFor();
  await page.reload();
  await tokens.getByText(/last used/).waitFor();
  await isSound(page);
  await shot(page, "tokens");
  expect(await page.content()).not.toContain(token);
  await tokens.getByRole("button", { name: "Revoke the token Nightly export" }).click();
  await tokens.getByText("No API tokens yet").waitFor();
  const ended = await fetch(`${program.url}/api/notes`, { headers: { authorization: `Bearer ${token}` } });
  expect(ended.status).toBe(401);
});

const club = `# Club

Notes of a club that everybody can join.

## 3. Entities and their fields
\`\`\`yaml
User: { fields: { handle: { type: text?, unique: true, max: 30 } } }
Note: { fields: { text: text } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { User: { read: [member] }, Note: { read: [member], create: [member], update: none, delete: none } }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
base: /v1
sign in: { by: handle, sign up: { verify email: false } }
calls: { POST /users: { sign up: true, takes: { handle, email, password }, gives: { handle } } }
\`\`\`
`;

test("a person registers at once, and another signs in by a handle", async () => {
  const { url } = await startProgram({ text: club });
  const page = await visit(url, { path: "/sign-in" });
  await page.getByRole("button", { name: "Create one" }).click();
  const form = page.getByRole("form", { name: "Create account" });
  await form.getByLabel("Name").fill("Ada");
  await form.getByLabel("Email").fill("ada@example.com");
  await form.getByLabel("New password", { exact: true }).fill("short");
  await form.getByRole("button", { name: "Create account" }).click();
  await page.getByRole("alert").first().waitFor();
  await isSound(page);
  await shot(page, "register-at-once-refused");
  await form.getByLabel("New password", { exact: true }).fill("correct horse battery");
  await isSound(page);
  await shot(page, "register-at-once");
  await form.getByRole("button", { name: "Create account" }).click();
  await page
    .getByRole("button", { name: /^Signed in: Ada/ })
    .first()
    .waitFor();

  const created = await fetch(`${url}/v1/users`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ handle: "bea", email: "bea@example.com", password: "correct horse battery" }),
  });
  expect(created.status).toBe(201);
  const small390 = await visit(url, { path: "/sign-in", width: 390, theme: "dark" });
  await small390.getByLabel("Email or handle").fill("bea");
  await small390.getByLabel("Password", { exact: true }).fill("correct horse battery");
  await isSound(small390);
  expect(await small(small390)).toEqual([]);
  await shot(small390, "sign-in-handle-390-dark");
  await small390.getByRole("button", { name: "Sign in", exact: true }).click();
  await small390
    .getByRole("button", { name: /^Signed in: Bea/ })
    .first()
    .waitFor();
});

test("a session that ends over a form: the dialog stays, and every way to sign in leads back to what was typed", async () => {
  const page = await visit(program.url, { path: "/notes" });
  await atProvider(page, "ida");
  await page.getByRole("link", { name: "New note" }).click();
  const text = page.getByRole("textbox", { name: "Text" });
  await text.fill("Half a note");
  const stored = await page.context().cookies();
  const create = page.getByRole("button", { name: /^Create / });
  const dialog = page.getByRole("dialog", { name: "Signed out" });
  await page.context().clearCookies();
  await create.click();
  await dialog.waitFor();
  await isSound(page);
  // The page behind it can do nothing, so no key closes it.
  for (let times = 0; times < 3; times++) await page.keyboard.press("Escape");
  await dialog.waitFor();
  // The person has signed in in another window.
  await page.context().addCookies(stored);
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await dialog.waitFor({ state: "detached" });
  expect(await text.inputValue()).toBe("Half a note");

  await page.context().clearCookies();
  await create.click();
  await dialog.waitFor();
  await atProvider(page, "ida");
  await page.getByText("Continuing from your draft").waitFor();
  expect(await text.inputValue()).toBe("Half a note");

  await page.context().clearCookies();
  await create.click();
  await dialog.getByRole("link", { name: "Go to the sign-in page" }).click();
  await page.getByRole("heading", { level: 1, name: "Sign in" }).waitFor();
  await atProvider(page, "ida");
  await page.getByText("Continuing from your draft").waitFor();
  await create.click();
  await page.getByRole("heading", { level: 1, name: "Half a note" }).waitFor();
});

test("the menu names the role that somebody holds on records, and tells administrators where samples are removed", async () => {
  const desk = await serveDemonstration({ file: example("leave-desk") });
  const menuOf = async (person: string): Promise<string> => {
    const page = await visitWith(desk.url, (await desk.signInAs(person)).cookie(), { path: "/" });
    await page.getByRole("button", { name: person }).click();
    return page.locator(".menu-head").innerText();
  };
  expect(await menuOf("Mei Tanaka")).toContain("Mei Tanaka\nManager\nA demonstration with sample people and records.");
  expect(await menuOf("Amara Okafor")).toContain(
    "You can remove its sample people and records on the page “Accounts”.",
  );
});
