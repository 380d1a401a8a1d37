import { expect, test } from "vitest";
import type { NotificationsJson } from "../../../src/core/wire/notifications.ts";
import { type ApiClient, serveText } from "../program.ts";

const document = `
# Desk

## 2. Screens
\`\`\`yaml
/tickets: { list: Ticket }
\`\`\`

## 3. Entities
\`\`\`yaml
Ticket:
  fields:
    subject:  text
    whom:     User
    comments: { list: Comment.ticket }
Comment:
  fields:
    ticket: Ticket
    text:   text
    whom:   User
\`\`\`

## 4. States
\`\`\`yaml
Ticket:  { after: { create: [{ notify: whom, text: "{subject}" }] } }
Comment: { after: { create: [{ notify: whom, text: "{text}" }] } }
\`\`\`

## 6. Permissions
\`\`\`yaml
roles: { staff: signed in, agent: granted }
permissions:
  User:    { read: { role: staff, fields: [name] } }
  Ticket:  { read: staff, create: staff }
  Comment: { read: [agent, { role: staff, fields: [text] }], create: agent }
\`\`\`
`;

test("a notification about a record without a page links to its place, for people who can see that", async () => {
  const desk = await serveText(document);
  const [ada, ben, cy] = [
    await desk.person("Ada", ["agent"]),
    await desk.person("Ben", ["agent"]),
    await desk.person("Cy"),
  ];
  const news = async (who: ApiClient) =>
    ((await who.get("/_/notifications?label=true")).body as NotificationsJson).items.map(({ text, shown, label }) => [
      text,
      shown,
      label,
    ]);
  for (const { id } of [ben, cy]) {
    const ticket = (await ada.post("/api/tickets", { subject: "Stripes", whom: id })).record().id;
    await ada.post("/api/comments", { ticket, text: "Which one?", whom: id });
    expect(await news(id === ben.id ? ben : cy)).toEqual([
      [
        "Which one?",
        id === ben.id ? { entity: "Ticket", record: ticket } : undefined,
        id === ben.id ? "Stripes" : "Which one?",
      ],
      // Tickets have a page of their own.
      ["Stripes", undefined, "Stripes"],
    ]);
  }
  await desk.stop();
});
