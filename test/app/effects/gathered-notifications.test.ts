import { beforeAll, expect, test } from "vitest";
import type { NotificationsJson } from "../../../src/core/wire/notifications.ts";
import { sendMails } from "../../../src/jobs/mails.ts";
import { mailNotifications } from "../../../src/server/mail/notification-mails.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";
import { type ArrivedMail, headersOf, type SmtpServer, startSmtp } from "../smtp-server.ts";

/** One delivery books an arrival for each line. An arrival and a line have no page; the order has one. */
const document = `
# Shop

## 2. Screens
\`\`\`yaml
/orders: { list: Order }
/orders/{id}: { record: Order }
\`\`\`

## 3. Entities
\`\`\`yaml
Order:
  label: "{subject}"
  fields: { subject: text, buyer: User, lines: { list: Line.order } }
Line:
  label: "{item}"
  fields: { order: { type: Order, part of: true }, item: text, price: integer, arrivals: { list: Arrival.line } }
Arrival:
  fields: { line: Line, on: { type: date, default: today } }
\`\`\`

## 4. States
\`\`\`yaml
Order:
  field: status
  initial: open
  states: [open]
  transitions: { deliver: { from: open, to: same, by: staff } }
  after:
    deliver: { create: Arrival, for: { one: lines }, set: { line: one } }
Arrival:
  after:
    create: { notify: line.order.buyer, text: "{line.item} arrived ({line.price})." }
\`\`\`

## 6. Permissions
\`\`\`yaml
roles: { staff: signed in, buyer: granted }
permissions:
  User:    { read: { role: staff, fields: [name] } }
  Order:   { read: staff, create: staff }
  Line:    { read: [buyer, { role: staff, fields: [item, arrivals] }], create: staff }
  Arrival: { read: staff, delete: administrator }
\`\`\`
`;

let shop: TestServer;
let smtp: SmtpServer;
let ada: Awaited<ReturnType<TestServer["person"]>>;
let root: Awaited<ReturnType<TestServer["person"]>>;
const now = new Date("2026-03-03T10:00:00Z");

beforeAll(async () => {
  smtp = await startSmtp();
  const site = { origin: "https://shop.example.com", proxies: [] };
  shop = await serveText(document, { app: { clock: () => now, mails: true, site } });
  ada = await shop.person("Ada", ["buyer"]);
  root = await shop.person("Root", ["administrator"]);
});

const deliver = async (buyer: { readonly id: string }, subject: string, items: readonly string[]) => {
  const lines = items.map((item, i) => ({ item, price: i + 1 }));
  const order = (await ada.post("/api/orders", { subject, buyer: buyer.id, lines })).record().id;
  expect((await ada.post(`/api/orders/${order}/deliver`, {})).status).toBe(200);
  return order;
};
const news = async (who: ApiClient) => (await who.get("/_/notifications")).body as NotificationsJson;
const mailTo = async ({ email }: { readonly email: string }) => {
  const { length } = smtp.mails;
  const { service } = shop.opened;
  await mailNotifications(service, "https://shop.example.com", now);
  while ((await sendMails(service.database, smtp.mailer, now)) > 0);
  return smtp.mails.slice(length).filter(({ to }) => to === email);
};

test("one write tells a person once about several parts of a record", async () => {
  const ben = await shop.person("Ben", ["buyer"]);
  const order = await deliver(ben, "Trade fair", ["Pens", "Cups", "Bags"]);
  const { items, unread } = await news(ben);
  expect(unread).toBe(1);
  expect(items).toMatchObject([
    {
      text: "Pens arrived (1).",
      shown: { entity: "Order", record: order },
      others: { count: 2, label: "Trade fair", texts: ["Cups arrived (2).", "Bags arrived (3)."] },
    },
  ]);
  const mails = await mailTo(ben);
  expect(mails).toHaveLength(1);
  expect(headersOf(mails[0] as ArrivedMail).get("subject")).toBe("Trade fair");
  for (const text of ["Pens arrived (1).", "Cups arrived (2).", "Bags arrived (3)."])
    expect(mails[0]?.text).toContain(text);
  expect(mails[0]?.text.match(/^Trade fair$/gmu)).toHaveLength(1);

  await ben.post("/_/notifications/read", { record: items[0]?.path?.split("/").at(-1) });
  expect((await news(ben)).unread).toBe(0);
});

test("a notification leads to its record after the first part was deleted, and several are marked as read by one call", async () => {
  const fay = await shop.person("Fay", ["buyer"]);
  const order = await deliver(fay, "Stand", ["Pens", "Cups"]);
  const [first] = (await news(fay)).items;
  const part = first?.path?.split("/").at(-1);
  expect((await root.delete(`/api/arrivals/${part}`)).status).toBe(204);
  const [told] = (await news(fay)).items;
  expect(told).toMatchObject({ text: "Pens arrived (1).", shown: { entity: "Order", record: order } });
  expect(told?.others?.label).toBe("Stand");
  // Several are marked as read by one call, of the caller alone.
  const list = { notifications: [told?.id ?? ""] };
  expect((await ada.post("/_/notifications/read", list)).status).toBe(204);
  expect((await news(fay)).unread).toBe(1);
  expect((await fay.post("/_/notifications/read", list)).status).toBe(204);
  expect((await news(fay)).unread).toBe(0);
  // A wrong list is refused beside a record too, instead of being left out.
  for (const notifications of [[], ["no id"], "all"])
    for (const beside of [{}, { record: order }])
      expect((await fay.post("/_/notifications/read", { notifications, ...beside })).problem().code).toBe("MALFORMED");
});

test("a notification about a single part leads to its record after the part was deleted", async () => {
  const gil = await shop.person("Gil", ["buyer"]);
  const order = await deliver(gil, "Counter", ["Pens"]);
  const [first] = (await news(gil)).items;
  expect(first).not.toHaveProperty("others");
  expect((await root.delete(`/api/arrivals/${first?.path?.split("/").at(-1)}`)).status).toBe(204);
  const [told] = (await news(gil)).items;
  expect(told).toMatchObject({ text: "Pens arrived (1).", shown: { entity: "Order", record: order } });
  expect(told).not.toHaveProperty("others");
});

test("two writes tell twice, and two records apart", async () => {
  const cy = await shop.person("Cy", ["buyer"]);
  await deliver(cy, "First", ["Pens", "Cups"]);
  await deliver(cy, "Second", ["Bags"]);
  const { items } = await news(cy);
  expect(items.map(({ text, others }) => [text, others?.count])).toEqual([
    ["Bags arrived (1).", undefined],
    ["Pens arrived (1).", 1],
  ]);
});

test("parts whose record the reader cannot see are told one by one", async () => {
  const dan = await shop.person("Dan");
  await deliver(dan, "Hidden", ["Pens", "Cups"]);
  const { items } = await news(dan);
  expect(items.map(({ text, others, shown }) => [text, others, shown])).toEqual([
    ["Cups arrived (…).", undefined, undefined],
    ["Pens arrived (…).", undefined, undefined],
  ]);
});

test("many parts are counted, and the first ones named", async () => {
  const eve = await shop.person("Eve", ["buyer"]);
  const items = Array.from({ length: 30 }, (_, i) => `Item ${i + 1}`);
  await deliver(eve, "Large", items);
  const told = (await news(eve)).items[0];
  expect(told?.others?.count).toBe(29);
  expect(told?.others?.texts).toHaveLength(9);
  const [mail] = await mailTo(eve);
  expect(mail?.text).toContain("Item 10 arrived (10).\nand 20 more");
  expect(mail?.text).not.toContain("Item 11 ");
});
