import { expect, test } from "vitest";
import { contrast } from "../../../src/core/derive/client/look/colour.ts";
import { createMailer } from "../../../src/jobs/mails.ts";
import { getMails } from "../../../src/server/mail/email-templates.ts";
import { getMailColours, textToHtml } from "../../../src/server/mail/mail-body.ts";
import { headersOf, startSmtp } from "../smtp-server.ts";

const origin = "https://desk.example.com";
const link = `${origin}/sign-in#password=abc`;
const colours = getMailColours({ accent: null });
/** The text of each link in HTML that looks like a button. */
const buttonsIn = (html: string) =>
  [...html.matchAll(/<a style="display:inline-block[^>]*>([^<]*)<\/a>/gu)].map(([, text]) => text);

test.each(["en", "de", "fr"])(
  "in %s, each mail with a link has one button with a verb, and no bare address",
  (language) => {
    const mails = getMails(language);
    const proposal = { number: 3, event: "person", name: "Ada", link } as const;
    const by = { at: "3 Mar 2026", from: "203.0.113.7", origin };
    const all = [
      mails.register("Desk", link),
      mails.known("Desk", link),
      mails.invited("Desk", link, { person: "Ada", about: "Things are lent.", days: 7 }),
      mails.password("Desk", link, { person: "Ada", hours: 24 }),
      mails.forgotten("Desk", link, false),
      mails.forgotten("Desk", link, true),
      mails.passwordSet("Desk", by),
      mails.tokenMade("Desk", by, "Export"),
      mails.tokenEnded("Desk", by, "Export"),
      mails.proposal("Desk", proposal),
    ];
    for (const { text } of all) {
      const html = textToHtml(text, origin, colours);
      expect(buttonsIn(html), text).toEqual([expect.stringMatching(/^\p{L}[\p{L} ’-]+$/u)]);
      expect(html.replaceAll(/<[^>]*>/gu, ""), text).not.toContain("https:");
    }
  },
);

test.each(["en", "de", "fr"])(
  "in %s, an invitation says who invites, to what, and where to sign in later",
  (language) => {
    const { text } = getMails(language).invited("Desk", link, { person: "Ada", about: "Things are lent.", days: 7 });
    for (const part of ["Ada", "Desk", "Things are lent.", "7", " desk.example.com "]) expect(text).toContain(part);
  },
);

test.each(["en", "de", "fr"])("in %s, a link for a password names the administrator who sent it", (language) => {
  expect(getMails(language).password("Desk", link, { person: "Ada", hours: 24 }).text).toMatch(/^Ada /u);
});

test("an address elsewhere is text, and HTML is escaped", () => {
  const html = textToHtml("Hello <b>\n\nOpen:\nhttps://evil.example/x", origin, colours);
  expect(buttonsIn(html)).toEqual([]);
  expect(html).toContain("Hello &lt;b&gt;");
});

test.each([
  ["desk@example.com", "Leave desk <desk@example.com>"],
  ["Office <desk@example.com>", "Office <desk@example.com>"],
])("a mail from %s comes from %s", async (from, sender) => {
  const smtp = await startSmtp();
  const mailer = createMailer({ ...smtp.environment, NINEFOLD_MAIL_FROM: from });
  await mailer?.send({ to: "ada@example.com", sender: "Leave desk", subject: "Hello", text: "Hello" });
  expect(smtp.mails.map((mail) => headersOf(mail).get("from"))).toEqual([sender]);
});

test.each([null, "#ffff00", "#000000", "#c2185b"])(
  "the button has the accent %s of the document, and enough contrast",
  (accent) => {
    const { fill, on } = getMailColours({ accent });
    expect(contrast(fill, on)).toBeGreaterThanOrEqual(4.5);
  },
);
