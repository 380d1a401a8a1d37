import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import { freePort } from "../../free-port.ts";
import { alternately } from "../../turns.ts";
import { waitUntil } from "../../wait.ts";
import { axeFindings } from "../../web/axe.ts";
import { atRest, complaints, sideways, visit } from "../../web/browser.ts";
import { type ApiClient, type Program, scratch, startProgram } from "../program.ts";
import { type SmtpServer, startSmtp } from "../smtp-server.ts";

const desk = `
# Purchases

Everybody can ask for things to buy. Chiefs decide.

## 3. Entities and their fields
\`\`\`yaml
Request:
  label: "{title}"
  fields: { title: text, cost: money, needed_on: date?, reason: long text?, owner: { type: User, set: user } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Request:
  field: status
  initial: draft
  states: [draft, submitted, { approved: { tone: good } }, { rejected: { tone: bad } }]
  transitions:
    submit:  { from: draft, to: submitted, by: owner }
    approve: { from: submitted, to: approved, by: chief, main: true }
    reject:  { from: submitted, to: rejected, by: chief, asks: [reason] }
  after:
    submit: [{ notify: "User.filter(u, 'chief' in u.roles)", text: "{owner.name} asks for: {title}" }]
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { staff: { members: signed in }, chief: granted, Request: { owner: "owner == user" } }
permissions:
  User: { read: { role: staff, fields: [name] } }
  Request: { read: [owner, chief], create: [{ role: staff, fields: [title, cost, needed_on] }], update: [owner, chief] }
\`\`\`
`;

const PASSWORD = "correct horse battery";
let smtp: SmtpServer;
let program: Program;
let clerk: ApiClient;
let headers: { readonly origin: string };

beforeAll(async () => {
  smtp = await startSmtp();
  const [port, folder] = [await freePort(), await scratch()];
  const url = `http://127.0.0.1:${port}`;
  headers = { origin: url };
  await writeFile(join(folder, "password"), PASSWORD);
  program = await startProgram({
    text: desk,
    port,
    args: [
      "--no-sample",
      "--origin",
      url,
      "--admin-email",
      "ada@example.com",
      "--admin-password-file",
      join(folder, "password"),
    ],
    env: smtp.environment,
  });
  const ada = await program.signIn("ada@example.com", PASSWORD);
  const joined = async (name: string, roles: readonly string[]) => {
    const email = `${name.toLowerCase()}@example.com`;
    const { body } = await ada.post("/_/people", { name, email, roles }, headers);
    const [, token = ""] = (body as { readonly link: string }).link.split("=");
    expect((await program.visitor().post("/_/password", { token, password: PASSWORD }, headers)).status).toBe(204);
    return email;
  };
  await joined("Carla", ["chief"]);
  clerk = await program.signIn(await joined("Olga", []), PASSWORD);
});

/** Submits a request and returns its address and the links in the mail about it. */
const submitted = async (title: string) => {
  const { id } = (await clerk.post("/api/requests", { title, cost: "640.00", needed_on: "2026-12-09" })).record();
  expect((await clerk.post(`/api/requests/${id}/submit`, {})).status).toBe(200);
  const arrived = () =>
    smtp.mails.find(({ to, text }) => to === "carla@example.com" && text.includes(`asks for: ${title}`));
  await waitUntil(() => arrived() !== undefined, "the mail arrives");
  const link = (name: string) =>
    new RegExp(`^${name}:\\n\\S+?(/sign-in#act=\\S+)`, "mu").exec(arrived()?.text ?? "")?.[1] ?? "";
  return { record: `/api/requests/${id}`, link };
};

test.each(alternately([1440, 390]))(
  "at %i, a chief rejects and approves from their mail, by keyboard",
  async (width) => {
    const chairs = await submitted(`Chairs ${width}`);
    const page = await visit(program.url, { width, path: chairs.link("Reject") });
    await page.getByRole("heading", { name: `Reject “Chairs ${width}”?` }).waitFor();
    expect((await clerk.get(chairs.record)).record().status).toBe("submitted");
    const reject = page.getByRole("button", { name: "Reject", exact: true });
    await reject.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "Reason is required." }).waitFor();
    await page.getByLabel("Reason").fill("We have enough.");
    await atRest(page);
    expect([await sideways(page), await axeFindings(page)]).toEqual([0, []]);
    await reject.focus();
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Done", exact: true }).waitFor();
    await page.getByText(`“Chairs ${width}” is now “Rejected”.`).waitFor();
    expect((await clerk.get(chairs.record)).record()).toMatchObject({ status: "rejected", reason: "We have enough." });

    // The other link of the same mail meets the state that the record has now.
    await page.goto(`${program.url}${chairs.link("Approve")}`);
    await page.getByRole("heading", { name: "“Approve” isn’t possible now" }).waitFor();
    await page.getByText(/^Last step: “Reject” by \S+ on /u).waitFor();
    await atRest(page);
    expect([await sideways(page), await axeFindings(page)]).toEqual([0, []]);
    expect(complaints(page).filter((one) => !/422/u.test(one))).toEqual([]);
  },
);
