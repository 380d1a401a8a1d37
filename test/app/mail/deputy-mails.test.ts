import { expect, test } from "vitest";
import { sendMails } from "../../../src/jobs/mails.ts";
import { mailNotifications } from "../../../src/server/mail/notification-mails.ts";
import { serveText } from "../program.ts";
import { startSmtp } from "../smtp-server.ts";

const text = `# Claims

## 1. Purpose
\`\`\`yaml
name: Claims
locale: en
translations: { de: { claims: Anträge, Clerk: Sachbearbeitung } }
\`\`\`

## 3. Entities
\`\`\`yaml
Claim: { label: "{subject}", fields: { subject: text } }
\`\`\`

## 6. Permissions
\`\`\`yaml
roles: { clerk: granted, member: { members: signed in } }
deputies: { for: clerk, up to: 30 days }
permissions:
  User: { read: { role: member, fields: [name] } }
  Claim: { read: clerk, create: clerk, delete: clerk }
\`\`\`
`;

test("the mail to a deputy says what is handed over from when to when, in the language of its reader", async () => {
  const origin = "https://claims.example.com";
  const now = new Date("2026-03-03T10:00:00Z");
  const smtp = await startSmtp();
  const desk = await serveText(text, { app: { clock: () => now, mails: true, site: { origin, proxies: [] } } });
  const [ada, ben, dora] = [await desk.person("Ada", ["clerk"]), await desk.person("Ben"), await desk.person("Dora")];
  expect((await dora.post("/_/preferences", { language: "de" })).status).toBe(204);
  const arrived = async () => {
    const { length } = smtp.mails;
    const { service } = desk.opened;
    await mailNotifications(service, origin, now);
    while ((await sendMails(service.database, smtp.mailer, now)) > 0);
    return smtp.mails.slice(length).map((mail) => [mail.to, mail.text] as const);
  };
  const name = async (deputy: string, first: string, last: string) =>
    (await ada.post("/api/deputies", { deputy, first_day: first, last_day: last })).record();
  const { id } = await name(ben.id, "2026-03-05", "2026-03-12");
  const [[to, words] = ["", ""], ...more] = await arrived();
  expect([to, more]).toEqual([ben.email, []]);
  expect(words).toContain("Ada names you as deputy from 5 Mar 2026 to 12 Mar 2026.");
  expect(words).toMatch(/On these days, you can do this for Ada:\s+• Add and delete claims/u);

  await name(dora.id, "2026-03-20", "2026-03-21");
  const [[, german] = ["", ""]] = await arrived();
  expect(german).toMatch(/An diesen Tagen können Sie für Ada:\s+• .*Anträge/u);

  // An end hands nothing over.
  expect((await ada.delete(`/api/deputies/${id}`)).status).toBe(204);
  const [[, ended] = ["", ""]] = await arrived();
  expect(ended).toContain("You no longer stand in for Ada.");
  expect(ended).not.toContain("You can do this");
});
