import { expect, test } from "vitest";
import type { NotificationsJson } from "../../../src/core/wire/notifications.ts";
import { type ApiClient, serveText } from "../program.ts";

const text = `# Desk

## 3. Entities and their fields
\`\`\`yaml
Case:
  label: "{title}"
  fields: { title: text, secret: text, owner: { type: User, set: user } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Case:
  field: status
  initial: open
  states: [open, shut]
  transitions: { shut: { from: open, to: shut, by: [owner, chief] } }
  after:
    shut:
      - { notify: "User.filter(u, u == owner || 'chief' in u.roles || 'clerk' in u.roles)", text: "{title}: {secret}" }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { staff: { members: signed in }, chief: granted, clerk: granted, Case: { owner: "owner == user" } }
permissions:
  User: { read: [staff] }
  Case: { read: [owner, chief, { role: clerk, fields: [title, status] }], create: [{ role: staff, fields: [title, secret] }] }
\`\`\`
`;

test("a recipient `user` notifies the person who acts", async () => {
  const desk = await serveText(text.replace(/notify: "[^"]*"/u, "notify: user"));
  const owner = await desk.person("Olga");
  const { id } = (await owner.post("/api/cases", { title: "One", secret: "hush" })).record();
  expect((await owner.post(`/api/cases/${id}/shut`, {})).status).toBe(200);
  const { items } = (await owner.get("/_/notifications")).body as NotificationsJson;
  expect(items.map((one) => one.text)).toEqual(["One: hush"]);
});

test("otherwise the person who acts is not notified; everyone else is, with the values that they can read", async () => {
  const desk = await serveText(text);
  const [owner, chief, clerk] = await Promise.all([
    desk.person("Olga"),
    desk.person("Carl", ["chief"]),
    desk.person("Clara", ["clerk"]),
  ]);
  const told = async (who: ApiClient) =>
    ((await who.get("/_/notifications")).body as NotificationsJson).items.map((one) => one.text);
  const shutBy = async (who: ApiClient, title: string) => {
    const { id } = (await owner.post("/api/cases", { title, secret: "hush" })).record();
    expect((await who.post(`/api/cases/${id}/shut`, {})).status).toBe(200);
  };
  await shutBy(owner, "One");
  await shutBy(chief, "Two");
  expect(await told(owner)).toEqual(["Two: hush"]);
  expect(await told(chief)).toEqual(["One: hush"]);
  expect(await told(clerk)).toEqual(["Two: …", "One: …"]);
});

test("the list is sorted by the time that it shows, also page by page and for what is marked as read", async () => {
  const desk = await serveText(text.replace(/notify: "[^"]*"/u, "notify: user"));
  const owner = await desk.person("Olga");
  for (const title of ["One", "Two", "Three"]) {
    const { id } = (await owner.post("/api/cases", { title, secret: "hush" })).record();
    expect((await owner.post(`/api/cases/${id}/shut`, {})).status).toBe(200);
  }
  // One that was written first can be about a later act, such as that of a server whose clock is ahead.
  await desk.database.query("update ninefold.notification set at = at + interval '1 hour' where text like 'One%'");
  const read = async (query: string) => (await owner.get(`/_/notifications${query}`)).body as NotificationsJson;
  const { items } = await read("");
  expect(items.map((one) => one.text)).toEqual(["One: hush", "Three: hush", "Two: hush"]);
  const after = async (nth: number) => (await read(`?after=${items[nth]?.id}`)).items.map((one) => one.text);
  expect([await after(0), await after(1), await after(2)]).toEqual([["Three: hush", "Two: hush"], ["Two: hush"], []]);
  expect((await owner.post("/_/notifications/read", { until: items[1]?.id })).status).toBe(204);
  expect((await read("?unread=true")).items.map((one) => one.text)).toEqual(["One: hush"]);
});
