import { beforeAll, describe, expect, test } from "vitest";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

const specification = `
# Notes

## 3. Entities and their fields
\`\`\`yaml
Note: { fields: { text: text, writer: { type: User, set: user } } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  member: { members: signed in }
  keeper: { members: granted }
  Note: { writer: writer == user }
permissions:
  User: { read: member }
  Note: { read: [keeper, writer], create: { role: member, fields: [text] }, update: { role: keeper, fields: [text] } }
\`\`\`
`;

let served: TestServer;
let ada: ApiClient & { readonly id: string };
let note: string;

const texts = async (who: ApiClient): Promise<readonly unknown[]> =>
  (await who.get("/api/notes")).list().items.map((item) => item.text);

/**
 * The session is read in the same round trip as the records, and the request is planned for the last known owner of the
 * token.
 */
describe("the cached user of a session is never trusted after a change", () => {
  beforeAll(async () => {
    served = await serveText(specification);
    ada = await served.person("Ada");
    const other = await served.person("Bob");
    await ada.post("/api/notes", { text: "hers" });
    note = (await other.post("/api/notes", { text: "his" })).record().id;
  });

  test("a role applies from the next request on, and only while the user has it", async () => {
    expect(await texts(ada)).toEqual(["hers"]);
    expect(await texts(ada)).toEqual(["hers"]);
    expect((await ada.get(`/api/notes/${note}`)).status).toBe(404);
    await served.database.query(`update app."user" set roles = '{keeper}' where id = $1`, [ada.id]);
    expect([...(await texts(ada))].sort()).toEqual(["hers", "his"]);
    expect((await ada.get(`/api/notes/${note}`)).status).toBe(200);
    await served.database.query(`update app."user" set roles = '{}' where id = $1`, [ada.id]);
    expect((await ada.get(`/api/notes/${note}`)).status).toBe(404);
    expect(await texts(ada)).toEqual(["hers"]);
  });

  test("reads nothing after the session ended or the account was deactivated", async () => {
    const eve = await served.person("Eve");
    await eve.post("/api/notes", { text: "last words" });
    expect(await texts(eve)).toEqual(["last words"]);
    await served.database.query(`update app."user" set active = false where id = $1`, [eve.id]);
    expect((await eve.get("/api/notes")).problem().code).toBe("NOT_SIGNED_IN");
    await served.database.query(`update app."user" set active = true where id = $1`, [eve.id]);
    expect(await texts(eve)).toEqual(["last words"]);
    expect(await texts(eve)).toEqual(["last words"]);
    await served.database.query("delete from ninefold.session where person = $1", [eve.id]);
    expect((await eve.get("/api/notes")).problem().code).toBe("NOT_SIGNED_IN");
  });

  test("nothing to read is not taken for a session that ended, nor the reverse", async () => {
    const max = await served.person("Max");
    for (const _ of [1, 2, 3]) {
      expect(await texts(max)).toEqual([]);
      expect((await max.get(`/api/notes/${note}`)).status).toBe(404);
    }
    await served.database.query("delete from ninefold.session where person = $1", [max.id]);
    expect((await max.get("/api/notes")).status).toBe(401);
    expect((await max.get(`/api/notes/${note}`)).status).toBe(401);
  });

  test("a record and its changes are closed at once when the session ends", async () => {
    const kim = await served.person("Kim");
    await served.database.query(`update app."user" set roles = '{keeper}' where id = $1`, [kim.id]);
    const rename = (text: string) => kim.patch(`/api/notes/${note}`, { text });
    expect((await rename("by Kim")).status).toBe(200);
    expect((await rename("by Kim again")).status).toBe(200);
    expect((await kim.get(`/api/notes/${note}`)).record().text).toBe("by Kim again");
    await served.database.query("update ninefold.session set expires_at = now() where person = $1", [kim.id]);
    expect((await kim.get(`/api/notes/${note}`)).status).toBe(401);
    expect((await rename("too late")).status).toBe(401);
    expect((await served.database.query("select text from app.note where id = $1", [note])).rows).toEqual([
      { text: "by Kim again" },
    ]);
  });

  test("a token can be reassigned to another user", async () => {
    const [one, other] = [await served.person("One"), await served.person("Other")];
    await one.post("/api/notes", { text: "of one" });
    await other.post("/api/notes", { text: "of the other" });
    expect(await texts(one)).toEqual(["of one"]);
    await served.database.query("update ninefold.session set person = $2 where person = $1", [one.id, other.id]);
    expect(await texts(one)).toEqual(["of the other"]);
  });

  test("writes nothing after the session ended or the account was deactivated", async () => {
    const zoe = await served.person("Zoe");
    const written = async () =>
      (await served.database.query("select text from app.note where writer = $1 order by id", [zoe.id])).rows;
    expect((await zoe.post("/api/notes", { text: "one" })).status).toBe(201);
    expect((await zoe.post("/api/notes", { text: "two" })).status).toBe(201);
    await served.database.query(`update app."user" set active = false where id = $1`, [zoe.id]);
    expect((await zoe.post("/api/notes", { text: "three" })).status).toBe(401);
    await served.database.query(`update app."user" set active = true where id = $1`, [zoe.id]);
    expect((await zoe.post("/api/notes", { text: "four" })).status).toBe(201);
    await served.database.query("delete from ninefold.session where person = $1", [zoe.id]);
    expect((await zoe.post("/api/notes", { text: "five" })).status).toBe(401);
    expect(await written()).toEqual([{ text: "one" }, { text: "two" }, { text: "four" }]);
  });

  test("writes as the current user of the token, with the user’s current roles", async () => {
    const [her, him] = [await served.person("Her"), await served.person("Him")];
    await her.post("/api/notes", { text: "of hers" });
    await her.post("/api/notes", { text: "of hers too" });
    await served.database.query("update ninefold.session set person = $2 where person = $1", [her.id, him.id]);
    expect((await her.post("/api/notes", { text: "of his" })).status).toBe(201);
    const written = "select text from app.note where writer = $1";
    expect((await served.database.query(written, [him.id])).rows).toEqual([{ text: "of his" }]);

    const note = (await him.post("/api/notes", { text: "kept" })).record().id;
    const rename = (text: string) => him.patch(`/api/notes/${note}`, { text });
    expect((await rename("changed")).status).toBe(403);
    await served.database.query(`update app."user" set roles = '{keeper}' where id = $1`, [him.id]);
    expect((await rename("changed")).status).toBe(200);
    expect((await rename("changed again")).status).toBe(200);
    await served.database.query(`update app."user" set roles = '{}' where id = $1`, [him.id]);
    expect((await rename("too late")).status).toBe(403);
    expect((await him.get(`/api/notes/${note}`)).record().text).toBe("changed again");
  });
});
