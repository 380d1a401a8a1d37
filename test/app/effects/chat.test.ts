import { createServer } from "node:http";
import { beforeAll, describe, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import { deliver } from "../../../src/jobs/outbox.ts";
import { serveText, type TestServer } from "../program.ts";

const text = `# Desk

## 3. Entities and their fields
\`\`\`yaml
User: { fields: { phone: text? } }
Case: { label: "{title}", fields: { title: text, cost: money?, secret: text?, reporter: { type: User, set: user }, keeper: User? } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Case:
  after:
    create:
      - { call: room, text: "{title} <!channel> by {reporter.name} & {user.name}: {cost}, {secret}" }
      - { call: team, text: "[{title}](https://other.example.com): {cost}, {secret}", when: "cost != null" }
      - { call: public_room, text: "New: {title}" }
    delete: { call: room, text: "{title} is gone, it cost {old.cost} {old.secret}" }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  visitor: anyone
  staff:   signed in
  clerk:   granted
  Case:    { reporting: "reporter == user" }
permissions:
  User: { read: { role: staff, fields: [name] } }
  Case:
    read:
      - { role: visitor, fields: [keeper] }
      - { role: clerk, fields: [title, reporter] }
      - { role: clerk, when: "keeper != user", fields: [secret] }
      - reporting
      - { role: staff, when: "cost < 100", fields: [cost] }
    create: staff
    delete: staff
\`\`\`

## 7. The calls it makes
\`\`\`yaml
outgoing:
  room:        { slack: APP_ROOM, readers: clerk, retries: 0 }
  team:        { teams: APP_TEAM, readers: staff, retries: 0 }
  public_room: { slack: APP_PUBLIC }
\`\`\`
`;

const origin = "https://desk.example.com";
const at = { origin };
const received = new Map<string, { readonly body: unknown; readonly type: string | undefined }[]>();
let status = 200;
let port = 0;
let desk: TestServer;
let ada: Awaited<ReturnType<TestServer["person"]>>;
const now = () => new Date();
const logged: object[] = [];

/** Sends what is due to the channels, and returns what each of them received. */
const send = async () => {
  received.clear();
  const { database, model } = desk.opened.service;
  const address = (path: string) => `http://127.0.0.1:${port}/${path}`;
  const environment = { APP_ROOM: address("room"), APP_TEAM: address("team"), APP_PUBLIC: address("public") };
  await deliver(database, model.outgoing, { environment, fetch, origin }, now(), {
    warn: (what) => void logged.push(what),
  });
  return (path: string) => received.get(`/${path}`)?.map(({ body }) => body);
};

beforeAll(async () => {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    const list = received.get(request.url ?? "") ?? [];
    received.set(request.url ?? "", [...list, { body: JSON.parse(body), type: request.headers["content-type"] }]);
    response.writeHead(status, status === 429 ? { "retry-after": "1800" } : {}).end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  ({ port } = server.address() as { readonly port: number });
  desk = await serveText(text, { app: { site: { origin, proxies: [] } } });
  ada = await desk.person("Ada");
  return () => new Promise((resolve) => server.close(resolve));
});

describe("a message to a chat", () => {
  test("says what each reader of the channel can read, and leads to the record", async () => {
    const { id } = (await ada.post("/api/cases", { title: "Leak", cost: 40, secret: "Under the sink" }, at)).record();
    const sent = await send();
    // The condition of the secret depends on its reader, so no role reads it as a whole. Costs below 100 are open to staff.
    const url = `${origin}/cases/${id}`;
    // Programs that know blocks show the words as they are, others the text.
    const slack = (text: string, words: string) => ({
      text: `${text}\n<${url}|Open>`,
      blocks: [
        {
          type: "rich_text",
          elements: [
            {
              type: "rich_text_section",
              elements: [
                { type: "text", text: `${words}\n` },
                { type: "link", url, text: "Open" },
              ],
            },
          ],
        },
      ],
    });
    expect(sent("room")).toEqual([
      slack("Leak &lt;!channel&gt; by Ada &amp; Ada: €40.00, …", "Leak <!channel> by Ada & Ada: €40.00, …"),
    ]);
    // Staff reads no title. Teams reads no Markdown in a run of text.
    expect(sent("team")).toEqual([
      {
        type: "message",
        attachments: [
          {
            contentType: "application/vnd.microsoft.card.adaptive",
            contentUrl: null,
            content: {
              $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
              type: "AdaptiveCard",
              version: "1.4",
              body: [
                {
                  type: "RichTextBlock",
                  inlines: [{ type: "TextRun", text: "[…](https://other.example.com): €40.00, …" }],
                },
              ],
              actions: [{ type: "Action.OpenUrl", title: "Open", url: `${origin}/cases/${id}` }],
            },
          },
        ],
      },
    ]);
    expect(sent("public")).toEqual([slack("New: …", "New: …")]);
  });

  test("is equal in two worlds that differ only in what its readers cannot read", async () => {
    const sent = [];
    for (const [cost, secret] of [
      [400, "One"],
      [500, "Other"],
    ]) {
      const { id } = (await ada.post("/api/cases", { title: "Roof", cost, secret }, at)).record();
      const one = await send();
      expect((await ada.delete(`/api/cases/${id}`, at)).status).toBe(204);
      const other = await send();
      sent.push(
        JSON.stringify([one("room"), one("team"), one("public"), other("room")]).replaceAll(String(id), "the record"),
      );
    }
    expect(sent[0]).toContain("Roof is gone, it cost … …");
    expect(sent[0]).toBe(sent[1]);
  });

  test("that is refused is listed for administrators without its text, and sent again", async () => {
    const chief = await desk.person("Carl", ["administrator"]);
    status = 404;
    await ada.post("/api/cases", { title: "Door", secret: "Key under the mat" }, at);
    await send();
    const listed = (await chief.get("/_/unsent")).body as { readonly items: readonly { readonly id: string }[] };
    expect(listed.items).toMatchObject([
      { kind: "call", to: "public_room", reason: { kind: "answered", status: "404" } },
      { kind: "call", to: "room", reason: { kind: "answered", status: "404" } },
    ]);
    expect(JSON.stringify(listed)).not.toContain("Door");
    expect(JSON.stringify(logged)).not.toContain("127.0.0.1");
    status = 200;
    for (const { id } of listed.items) expect((await chief.post(`/_/unsent/${id}/send`, {}, at)).status).toBe(204);
    expect((await send())("room")).toHaveLength(1);
  });

  test("is sent again when a channel that gets too much says so", async () => {
    status = 429;
    await ada.post("/api/cases", { title: "Roof" }, at);
    await send();
    status = 200;
    const { rows } = await desk.database.query("select next_at from ninefold.outbox where state = 'waiting'");
    expect(rows.length).toBeGreaterThan(0);
    for (const { next_at } of rows)
      expect(new Date(String(next_at)).getTime() - Date.now()).toBeGreaterThan(29 * 60_000);
  });
});

test("findings name values that no reader can read, and keys without a meaning", () => {
  const found = compile({
    file: "desk.md",
    text: text
      .replace("retries: 0 }\n  team", "retries: 0, secret: APP_KEY }\n  team")
      .replace("readers: staff", "readers: reporting"),
  }).findings.map(({ code, message }) => `${code}: ${message}`);
  expect(found).toEqual([
    "BAD_VALUE: A chat takes texts only, without “secret”.",
    "UNKNOWN_NAME: There is no role that people have everywhere “reporting”.",
  ]);
  const hidden = compile({ file: "desk.md", text }).findings;
  expect(hidden.map(({ code, message }) => `${code}: ${message}`)).toContain(
    "NOBODY_READS: The readers of public_room can’t read Case.title, so the message shows “…” in its place.",
  );
});
