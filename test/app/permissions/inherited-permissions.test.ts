import { beforeAll, describe, expect, test } from "vitest";
import { serveText, type TestServer } from "../program.ts";

type Person = Awaited<ReturnType<TestServer["person"]>>;

/**
 * Colleagues see four fields of a granted request and none of its comments; receivers can change one field of it and no
 * line. Permissions on a mark follow its line, and those on a line follow its request.
 */
const desk = `
# Desk

## 3. Entities and their fields
\`\`\`yaml
Request:
  label: "{title}"
  fields:
    title:    text
    secret:   text?
    received: text?
    owner:    { type: User, set: user }
Line:
  label: "{text}"
  fields:
    request: { type: Request, part of: true }
    text:    text
Mark:
  fields:
    line: { type: Line, part of: true }
    text: text
Comment:
  fields:
    request: Request?
    author:  { type: User, set: user }
    text:    text
\`\`\`

## 4. States and transitions
\`\`\`yaml
Request:
  initial: draft
  states: [draft, sent, done]
  final: [done]
  transitions:
    send:   { from: draft, to: sent, by: owner }
    finish: { from: sent, to: done, by: clerk }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  member:   { members: signed in }
  clerk:    { members: granted }
  receiver: { members: granted }
  Request:  { owner: "owner == user" }
permissions:
  User:
    read: [{ role: member, fields: [name] }]
  Request:
    read:
      - owner
      - { role: clerk, when: "state != draft" }
      - { role: member, when: "state == done", fields: [title] }
    create: [{ role: member, fields: [title, secret] }]
    update:
      - { role: owner, when: "state == draft" }
      - { role: receiver, when: "state == done", fields: [received] }
    delete: [{ role: owner, when: "state == draft" }]
  Line:
    read:   [{ like: request }]
    create: [{ like: { request: update } }]
    update: [{ like: { request: update }, fields: [text] }]
    delete: [{ like: { request: delete } }]
  Mark:
    read:   [{ like: line }, owner]
    create: [{ like: { line: update } }]
    update: [{ role: owner, fields: [text] }]
  Comment:
    read:   [{ like: request }]
    create: [{ like: request, when: "text != 'hush'" }]
\`\`\`
`;

let served: TestServer;
let owner: Person;
let stranger: Person;
let clerk: Person;
let receiver: Person;

beforeAll(async () => {
  served = await serveText(desk);
  owner = await served.person("Olga");
  stranger = await served.person("Sten");
  clerk = await served.person("Cleo", ["clerk"]);
  receiver = await served.person("Rita", ["receiver"]);
});

const request = async (state = "draft"): Promise<string> => {
  const { id } = (await owner.post("/api/requests", { title: "Chairs", secret: "cheap" })).record();
  const steps = ["send", "finish"].slice(0, ["draft", "sent", "done"].indexOf(state));
  for (const step of steps)
    expect((await (step === "send" ? owner : clerk).post(`/api/requests/${id}/${step}`)).status).toBe(200);
  return id;
};
const line = async (of: string): Promise<string> =>
  (await owner.post("/api/lines", { request: of, text: "Four" })).record().id;
const ids = async (person: Person, path: string): Promise<readonly string[]> =>
  JSON.parse((await person.get(path)).text).items.map(({ id }: { readonly id: string }) => id);

describe("a permission inherited from another record", () => {
  test("applies exactly to people with that permission on the other record", async () => {
    const draft = await request();
    const own = await line(draft);
    expect((await owner.get(`/api/lines/${own}`)).status).toBe(200);
    expect((await clerk.get(`/api/lines/${own}`)).status).toBe(404);
    expect(await ids(clerk, "/api/lines")).not.toContain(own);
    await owner.post(`/api/requests/${draft}/send`);
    expect((await clerk.get(`/api/lines/${own}`)).status).toBe(200);
    expect(await ids(clerk, "/api/lines")).toContain(own);
    expect((await stranger.get(`/api/lines/${own}`)).status).toBe(404);
  });

  test("ignores a clause that permits only some fields", async () => {
    const draft = await request();
    const own = await line(draft);
    await owner.post(`/api/requests/${draft}/send`);
    await clerk.post(`/api/requests/${draft}/finish`);
    // A colleague reads the title, and a receiver can change one field.
    expect((await stranger.get(`/api/requests/${draft}`)).record()).toMatchObject({ title: "Chairs" });
    for (const one of [stranger, receiver]) {
      expect((await one.get(`/api/lines/${own}`)).status).toBe(404);
      expect(await ids(one, "/api/lines")).not.toContain(own);
    }
    expect((await receiver.patch(`/api/requests/${draft}`, { received: "yes" })).status).toBe(200);
    expect((await receiver.post("/api/lines", { request: draft, text: "One more" })).problem()).toMatchObject({
      status: 403,
    });
  });

  test("names its own clause in a refusal, with its condition and fields", async () => {
    const sent = await request("sent");
    const refused = (await owner.post("/api/lines", { request: sent, text: "Late" })).problem();
    expect(refused).toMatchObject({ status: 403, clause: "6.Line.create" });
    const draft = await request();
    const own = await line(draft);
    expect((await owner.patch(`/api/lines/${own}`, { text: "Five" })).status).toBe(200);
    expect((await owner.patch(`/api/lines/${own}`, { request: sent })).status).toBe(403);
    expect((await owner.post("/api/comments", { request: draft, text: "hush" })).problem()).toMatchObject({
      status: 403,
      clause: "6.Comment.create",
    });
  });

  test("can be inherited through several records", async () => {
    const draft = await request();
    const own = await line(draft);
    // Line.update names one field and so does not lead further; Line.read does.
    expect((await owner.post("/api/marks", { line: own, text: "!" })).status).toBe(403);
    await served.database.query(
      "insert into app.mark (id, line, text, created_at, updated_at) values (gen_random_uuid(), $1, 'seen', now(), now())",
      [own],
    );
    expect(await ids(owner, "/api/marks")).toHaveLength(1);
    expect(await ids(clerk, "/api/marks")).toHaveLength(0);
    await owner.post(`/api/requests/${draft}/send`);
    expect(await ids(clerk, "/api/marks")).toHaveLength(1);
    await served.database.query("delete from app.mark");
  });

  test("permits nothing if the reference is missing", async () => {
    const draft = await request();
    const created = (await owner.post("/api/comments", { request: draft, text: "Soon" })).record();
    expect((await owner.get(`/api/comments/${created.id}`)).status).toBe(200);
    expect((await owner.post("/api/comments", { text: "To nobody" })).status).toBe(403);
    await served.database.query("update app.comment set request = null where id = $1", [created.id]);
    for (const one of [owner, clerk]) expect((await one.get(`/api/comments/${created.id}`)).status).toBe(404);
  });
});

test("a role on a record applies to its parts and their parts", async () => {
  const draft = await request();
  const own = await line(draft);
  await served.database.query(
    "insert into app.mark (id, line, text, created_at, updated_at) values (gen_random_uuid(), $1, 'seen', now(), now())",
    [own],
  );
  const [mark = ""] = await ids(owner, "/api/marks");
  await owner.post(`/api/requests/${draft}/send`);
  expect((await owner.patch(`/api/marks/${mark}`, { text: "mended" })).status).toBe(200);
  expect((await clerk.patch(`/api/marks/${mark}`, { text: "spoilt" })).problem()).toMatchObject({
    status: 403,
    clause: "6.Mark.update",
  });
});

describe("a record says to which of its lists nothing can be added", () => {
  const withLists = desk
    .replace(
      "    owner:    { type: User, set: user }\nLine:",
      "    owner:    { type: User, set: user }\n    lines:    { list: Line.request }\n    comments: { list: Comment.request }\nLine:",
    )
    .replace("request: Request?", `request: { type: Request?, among: "Request.filter(r, r.state in [draft, sent])" }`);
  let app: TestServer;
  beforeAll(async () => {
    app = await serveText(withLists);
  });

  test("by its state, its people, and in both languages", async () => {
    const [olga, carl] = [await app.person("Olga"), await app.person("Carl", ["clerk"])];
    const { id } = (await olga.post("/api/requests", { title: "A", secret: "s" })).record();
    const refused = async (who: Person, language = "en") =>
      (await who.send("GET", `/api/requests/${id}`, undefined, { headers: { "accept-language": language } })).record()
        .may?.addRefused;
    expect(await refused(olga)).toBeUndefined();
    expect((await olga.post("/api/lines", { request: id, text: "one" })).status).toBe(201);
    expect((await olga.post(`/api/requests/${id}/send`)).status).toBe(200);
    const because = "You can add lines to a request only while it is “Draft”, not “Sent”.";
    expect(await refused(olga)).toEqual({ "Line.request": { code: "FORBIDDEN", clause: "6.Line.create", because } });
    expect(await refused(olga, "de")).toMatchObject({
      "Line.request": {
        because: "Hinzufügen ist nur im Zustand „Draft“ möglich, nicht im Zustand „Sent“.",
      },
    });
    // The capability agrees with the write.
    expect((await olga.post("/api/lines", { request: id, text: "two" })).problem()).toMatchObject({
      code: "FORBIDDEN",
      clause: "6.Line.create",
    });
    // Comments are not mentioned: every reader can add them.
    expect(Object.keys((await refused(carl)) ?? {})).toEqual(["Line.request"]);
    expect((await carl.post("/api/comments", { request: id, text: "fine" })).status).toBe(201);
    expect((await carl.post("/api/comments", { request: id, text: "hush" })).status).toBe(403);

    // Nor if a reference can no longer refer to the record.
    expect((await carl.post(`/api/requests/${id}/finish`)).status).toBe(200);
    expect((await refused(carl))?.["Comment.request"]).toEqual({
      code: "NOT_AMONG",
      clause: "3.Comment.request",
      because: "You can add comments to a request only while it is “Draft” or “Sent”, not “Done”.",
    });
    expect((await carl.post("/api/comments", { request: id, text: "late" })).problem()).toMatchObject({
      code: "NOT_AMONG",
      clause: "3.Comment.request",
    });
  });
});
