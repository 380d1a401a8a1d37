import { expect, test } from "vitest";
import type { NotificationsJson } from "../../../src/core/wire/notifications.ts";
import { type ApiClient, serveText } from "../program.ts";

const document = `
# Desk

## 2. Screens
\`\`\`yaml
/tickets: { list: Ticket }
/tickets/{id}: { record: Ticket }
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
    ticket: { type: Ticket, part of: true }
    text:   text
\`\`\`

## 4. States
\`\`\`yaml
Ticket:
  field: status
  states: [waiting, approved]
  transitions: { approve: { from: waiting, to: approved, by: staff } }
  after: { create: [{ notify: whom, text: "{subject} needs approval" }] }
Comment: { after: { create: [{ notify: ticket.whom, text: "{text}" }] } }
\`\`\`

## 6. Permissions
\`\`\`yaml
roles: { staff: signed in, agent: granted }
permissions:
  User:    { read: { role: staff, fields: [name] } }
  Ticket:  { read: [agent, { role: staff, fields: [subject] }], create: staff }
  Comment: { read: staff, create: staff }
\`\`\`
`;

test("a notification says in which state its record is now, to people who can read that, and is cut as the bell shows it", async () => {
  const desk = await serveText(document);
  const [ada, ben, cy] = [
    await desk.person("Ada", ["agent"]),
    await desk.person("Ben", ["agent"]),
    await desk.person("Cy"),
  ];
  const news = async (who: ApiClient, query = "label=true") =>
    ((await who.get(`/_/notifications?${query}`)).body as NotificationsJson).items;
  const long = "Why? ".repeat(100).trim();
  const [his = "", hers = ""] = await Promise.all(
    [ben, cy].map(async ({ id }) => {
      const { id: ticket } = (await ada.post("/api/tickets", { subject: "Lamp", whom: id })).record();
      return ticket;
    }),
  );
  const statesFor = async (who: ApiClient) => (await news(who)).map(({ state }) => state);
  expect(await statesFor(ben)).toEqual(["waiting"]);
  expect((await ada.post(`/api/tickets/${his}/approve`, {})).status).toBe(200);
  expect((await ada.post(`/api/tickets/${hers}/approve`, {})).status).toBe(200);
  expect((await news(ben)).map(({ text, state }) => [text, state])).toEqual([["Lamp needs approval", "approved"]]);
  // The state is asked for together with the label.
  expect((await news(ben, ""))[0]).not.toHaveProperty("state");
  expect(await statesFor(cy)).toEqual([undefined]);

  // A comment has the state of its ticket.
  expect((await ada.post("/api/comments", { ticket: his, text: long })).status).toBe(201);
  expect(await statesFor(ben)).toEqual(["approved", "approved"]);
  const [cut] = await news(ben);
  expect(cut?.text.length).toBeLessThanOrEqual(240);
  expect(cut?.text).toMatch(/^Why\? Why\?.*…$/u);
  expect((await news(ben, "label=true&whole=true"))[0]?.text).toBe(long);
  await desk.stop();
});
