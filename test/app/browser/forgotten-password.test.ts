import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { freePort } from "../../free-port.ts";
import { alternately } from "../../turns.ts";
import { waitUntil } from "../../wait.ts";
import { axeFindings } from "../../web/axe.ts";
import { atRest, complaints, sideways, visit, visitWith } from "../../web/browser.ts";
import { type Program, scratch, serveText, startProgram } from "../program.ts";
import { headersOf, type SmtpServer, startSmtp } from "../smtp-server.ts";

const club = `
# Club

## 3. Entities and their fields
\`\`\`yaml
Note: { fields: { text: text } }
\`\`\`
`;

const PASSWORD = "correct horse battery";
const LINK = /(\/sign-in#password=\S+)/u;
let smtp: SmtpServer;
let program: Program;

beforeAll(async () => {
  smtp = await startSmtp();
  const [port, folder] = [await freePort(), await scratch()];
  const url = `http://127.0.0.1:${port}`;
  await writeFile(join(folder, "password"), PASSWORD);
  const admin = ["--admin-email", "ada@example.com", "--admin-password-file", join(folder, "password")];
  program = await startProgram({
    text: club,
    port,
    args: ["--no-sample", "--origin", url, ...admin],
    env: smtp.environment,
  });
});

test("an administrator sees what becomes of invitations: sent, not sent and why, accepted", async () => {
  smtp.rejects.set("gone@example.com", "550 no such mailbox");
  const ada = await program.signIn("ada@example.com", PASSWORD);
  const page = await visitWith(program.url, ada.cookie(), { path: "/workbench/people" });
  await page.getByRole("button", { name: "Invite several" }).click();
  const asked: string[] = [];
  page.on("request", (request) => void (request.url().includes("/_/people") && asked.push(request.url())));
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Addresses").fill("Gone <gone@example.com>\nNele Braun <nele@example.com>");
  await dialog.getByRole("button", { name: "Invite 2 people" }).click();
  const row = (name: string) => dialog.getByRole("listitem").filter({ hasText: name });
  await row("Gone").getByText("The invitation wasn’t sent. The mail server says: 550 no such mailbox").waitFor();
  await row("Gone").getByRole("textbox", { name: "Link for Gone" }).waitFor();
  await row("Nele").getByText("Invitation sent").waitFor();
  expect(await row("Nele").getByRole("textbox").count()).toBe(0);
  // One request asks for all of them, and none for a single one.
  const followed = asked.filter((url) => url.includes("/_/people?id="));
  expect(followed.map((url) => new URL(url).searchParams.getAll("id").length)).toContain(2);
  expect(asked.filter((url) => url.includes("/_/people/"))).toEqual([]);
  await atRest(page);
  expect([await sideways(page), await axeFindings(page)]).toEqual([0, []]);
  const mail = smtp.mails.find(({ to }) => to === "nele@example.com");
  const nele = await visit(program.url, { path: LINK.exec(mail?.text ?? "")?.[1] ?? "" });
  await nele.getByLabel("New password").fill("a long password of Nele");
  await nele.keyboard.press("Enter");
  await row("Nele").getByText("Invitation accepted").waitFor();
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await page.getByRole("row", { name: /Gone gone@example.com .*Invitation not sent/u }).waitFor();
  await page.getByRole("row", { name: /Nele Braun .*Active/u }).waitFor();
  await page.getByRole("link", { name: "Gone" }).click();
  await page.getByText("The email with the link wasn’t sent. The mail server says: 550").waitFor();
  smtp.rejects.clear();
  // Somebody who has a password gets another link.
  await page.getByRole("link", { name: "Accounts" }).first().click();
  await page.getByRole("link", { name: "Nele Braun" }).click();
  await page.getByRole("button", { name: "Create password link" }).click();
  const sent = page.getByRole("dialog").getByText("It was sent to nele@example.com. It works once");
  await sent.waitFor();
  expect(complaints(page)).toEqual([]);
});

test.each(alternately([1440, 390]))(
  "at %i, somebody forgets their password, mistypes the address, and uses the link once, by keyboard",
  async (width) => {
    const page = await visit(program.url, { width, path: "/sign-in" });
    const focused = (name: string) =>
      waitUntil(
        async () => (await page.evaluate(() => document.activeElement?.textContent)) === name,
        `“${name}” has the focus`,
      );
    const press = async (name: string) => {
      await page.getByRole("button", { name, exact: true }).focus();
      await page.keyboard.press("Enter");
    };
    const look = async () => {
      await atRest(page);
      expect([await sideways(page), await axeFindings(page)]).toEqual([0, []]);
    };
    await press("Forgot password?");
    const email = page.getByLabel("Email", { exact: true });
    await press("Send link");
    await page.getByText("Couldn’t send the link").waitFor();
    await email.fill("ada");
    await page.keyboard.press("Enter");
    await page.getByText(/must be an email address/iu).waitFor();
    await look();
    await email.fill("eda@example.com");
    await page.keyboard.press("Enter");
    await focused("Check your email");
    await page.getByText("If eda@example.com has an account").waitFor();
    await look();

    await press("Try another email");
    expect(await email.inputValue()).toBe("eda@example.com");
    const before = smtp.mails.length;
    await email.fill("ada@example.com");
    await page.keyboard.press("Enter");
    await focused("Check your email");
    await press("Back to sign-in");
    expect(await email.inputValue()).toBe("ada@example.com");
    // Mails about earlier changes of passwords can arrive between.
    const mailed = () => smtp.mails.slice(before).find(({ to, text }) => to === "ada@example.com" && LINK.test(text));
    const link = () => LINK.exec(mailed()?.text ?? "")?.[1] ?? "";
    await waitUntil(() => link() !== "", "the mail arrives");
    const mail = mailed();
    expect(mail && headersOf(mail).get("from")).toBe("Club <desk@example.com>");

    // In two tabs: the second one still shows the form when the first has used the link.
    const second = await visit(program.url, { width, path: link() });
    await second.getByLabel("New password").fill("another long password");
    await page.goto(`${program.url}${link()}`);
    await page.getByLabel("New password").fill(`${PASSWORD} ${width}`);
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Notes" }).waitFor();
    await second.keyboard.press("Enter");
    await second.getByRole("heading", { name: "This link no longer works" }).waitFor();
    await atRest(second);
    expect([await sideways(second), await axeFindings(second)]).toEqual([0, []]);
    await second.getByRole("button", { name: "Send a new link" }).click();
    expect(await second.getByLabel("Email", { exact: true }).inputValue()).toBe("ada@example.com");
    for (const one of [page, second]) expect(complaints(one).filter((line) => !/40[13]|422/u.test(line))).toEqual([]);
  },
);

test("the page of a link that ends emails says which ones, as far as the server has signed it", async () => {
  const signed = `11111111-2222-4333-8444-555555555555.${"a".repeat(43)}`;
  const all = "Unsubscribe from all lists and overviews";
  for (const [kind, title, buttons, about] of [
    ["notifications", null, 0, "Club will no longer email your notifications."],
    ["reports", null, 0, "email lists and overviews on a schedule"],
    ["report", null, 1, "email you this list or overview"],
    ["report", "Neue Geräte", 1, "Club will no longer email you “Neue Geräte”."],
  ] as const) {
    const page = await visit(program.url, { path: "/sign-in" });
    await page.route("**/_/mail/unsubscribe?*", (route) => route.fulfill({ json: { kind, title } }));
    await page.goto(`${program.url}/#stop-mails`);
    await page.goto(`${program.url}/sign-in#stop-mails=${signed}`);
    await page.getByRole("heading", { name: "Unsubscribe from emails" }).waitFor();
    await page.getByText(about).waitFor();
    expect(await page.getByRole("button", { name: "Unsubscribe", exact: true }).count()).toBe(1);
    expect(await page.getByRole("button", { name: all }).count()).toBe(buttons);
    expect([await sideways(page), await axeFindings(page)]).toEqual([0, []]);
  }
  const words = Buffer.from("Call 555 0100 now").toString("base64url");
  for (const end of ["", `.reports.L25vdGVz.${words}`]) {
    const forged = await visit(program.url, { path: `/sign-in#stop-mails=${signed}${end}` });
    await forged.getByText("This link has been used or has expired.").waitFor();
    expect(await forged.getByText("Call 555").count()).toBe(0);
    expect(await forged.getByRole("button", { name: "Unsubscribe" }).count()).toBe(0);
    await forged.getByRole("button", { name: "Open Club" }).waitFor();
  }
});

test("what was typed to sign in with is still there after a look at the page for a forgotten password", async () => {
  const byHandle = club
    .concat(`
## 7. The calls it makes
\`\`\`yaml
sign in: { by: handle }
\`\`\`
`)
    .replace("yaml\nNote:", "yaml\nUser: { fields: { handle: { type: text?, unique: true, max: 30 } } }\nNote:");
  const site = { origin: "https://club.example.com", proxies: [] };
  const server = await serveText(byHandle, { app: { mails: true, site } });
  const page = await visit(await server.listen(), { path: "/sign-in" });
  const account = page.getByLabel("Email or handle");
  await account.fill("4711");
  await page.getByRole("button", { name: "Forgot password?" }).click();
  await page.getByRole("button", { name: "Back to sign-in" }).click();
  expect(await account.inputValue()).toBe("4711");
});
