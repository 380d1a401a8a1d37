import { beforeAll, expect, test } from "vitest";
import type { ChatMessage } from "../../../src/core/model/effect.ts";
import { toChatBody } from "../../../src/jobs/chat-body.ts";
import { serveText, type TestServer } from "../program.ts";

/** Orders whose lines arrive together. Only an order has a page. */
const orders = `# Orders

## 2. Screens
\`\`\`yaml
/orders: { list: Order, columns: [title] }
/orders/{id}: { record: Order, sections: [{ fields: [title] }, { list: lines }] }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Order: { label: "{title}", fields: { title: text, lines: { list: Line.order } } }
Line: { label: "{item}", fields: { order: { type: Order, part of: true }, item: text } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Line:
  after:
    create: { call: room, text: "{item} arrived" }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: granted }
permissions:
  Order: { read: [clerk], create: [clerk] }
  Line: { read: [clerk], create: [clerk] }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
outgoing: { room: { slack: APP_ROOM, readers: clerk } }
\`\`\`
`;

let desk: TestServer;
let clerk: Awaited<ReturnType<TestServer["person"]>>;
beforeAll(async () => {
  desk = await serveText(orders);
  clerk = await desk.person("Cleo", ["clerk"]);
});

/** Orders as many items, and returns the order with the messages that are queued for it. */
const order = async (items: number) => {
  await desk.database.query("delete from ninefold.outbox");
  const lines = Array.from({ length: items }, (_, at) => ({ item: `Item ${at + 1}` }));
  const { id } = (await clerk.post("/api/orders", { title: "Tools", lines })).record();
  const { rows } = await desk.database.query("select payload from ninefold.outbox order by id");
  return { id, messages: rows.map(({ payload }) => payload as ChatMessage) };
};

test("one message to a channel tells of all parts of a record that a write concerns, and leads to its page", async () => {
  const one = await order(1);
  expect(one.messages).toEqual([{ text: "Item 1 arrived", path: `/orders/${one.id}`, open: "Open" }]);

  const several = await order(3);
  expect(several.messages).toEqual([
    {
      text: "Item 1 arrived",
      more: ["Item 2 arrived", "Item 3 arrived"],
      path: `/orders/${several.id}`,
      open: "Open",
    },
  ]);
});

test("a message names ten parts and counts the others", async () => {
  const [message] = (await order(13)).messages;
  expect(message?.more).toHaveLength(10);
  expect(message?.more?.slice(-2)).toEqual(["Item 10 arrived", "and 3 more"]);
});

test("each part has a line of its own, and is shown as it is", () => {
  const message = { text: "A <b> *2* _x_", more: ["C"], path: "/orders/1", open: "Open" };
  expect(toChatBody("slack", message, "https://desk.example.com")).toEqual({
    text: "A &lt;b&gt; *2* _x_\nC\n<https://desk.example.com/orders/1|Open>",
    blocks: [
      {
        type: "rich_text",
        elements: [
          {
            type: "rich_text_section",
            elements: [
              { type: "text", text: "A <b> *2* _x_\nC\n" },
              { type: "link", url: "https://desk.example.com/orders/1", text: "Open" },
            ],
          },
        ],
      },
    ],
  });
  expect(JSON.stringify(toChatBody("teams", message, null))).toContain(
    '"body":[{"type":"RichTextBlock","inlines":[{"type":"TextRun","text":"A <b> *2* _x_"}]},{"type":"RichTextBlock","inlines":[{"type":"TextRun","text":"C"}]}]',
  );
});
