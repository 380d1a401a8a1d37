import { expect, test } from "vitest";
import { serveText } from "../program.ts";

const shop = `
# Shop

## 3. Entities and their fields
\`\`\`yaml
Part: { fields: { name: { type: text, unique: true, examples: [Tube, Chain, Pads, Spoke] }, stock: { type: integer, default: 0, examples: ["12", "8", "20", "40"] } } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Part: { after: { create: { call: room, text: "{name} is new." } } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions: { Part: { read: member, create: member, update: none, delete: none } }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
outgoing: { room: { slack: APP_ROOM_URL, readers: member } }
\`\`\`
`;

test("samples use the examples of a field with a default, and tell no channel about made-up records", async () => {
  const server = await serveText(shop, { sample: true });
  const ada = await server.person("Ada");
  const stocks = async () => (await ada.get("/api/parts")).list().items.map(({ stock }) => stock);
  expect(new Set(await stocks())).toEqual(new Set([12, 8, 20, 40]));
  const calls = async () => (await server.database.query("select payload from ninefold.outbox")).rows.length;
  expect(await calls()).toBe(0);
  await ada.post("/api/parts", { name: "Bell" });
  expect(await calls()).toBe(1);
});
