import { beforeAll, describe, expect, test } from "vitest";
import { type Served, type Somebody, serveText } from "./program.ts";

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
  Note: { read: [keeper, writer], create: { role: member, fields: [text] } }
\`\`\`
`;

let served: Served;
let ada: Somebody & { readonly id: string };
let note: string;

const texts = async (who: Somebody): Promise<readonly unknown[]> =>
  (await who.get("/api/notes")).list().items.map((item) => item.text);

/** The session is read in the same round trip as the records, for who bore the token before. */
describe("what was true at the request before is not taken for true", () => {
  beforeAll(async () => {
    served = await serveText(specification);
    ada = await served.person("Ada");
    const other = await served.person("Bob");
    await ada.post("/api/notes", { text: "hers" });
    note = (await other.post("/api/notes", { text: "his" })).record().id;
  });

  test("a role counts from the next request on, and no longer than it is held", async () => {
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

  test("whose session is ended, or who may not come in any more, reads nothing from then on", async () => {
    const eve = await served.person("Eve");
    await eve.post("/api/notes", { text: "last words" });
    expect(await texts(eve)).toEqual(["last words"]);
    await served.database.query(`update app."user" set active = false where id = $1`, [eve.id]);
    expect((await eve.get("/api/notes")).list().items).toEqual([]);
    await served.database.query(`update app."user" set active = true where id = $1`, [eve.id]);
    expect(await texts(eve)).toEqual(["last words"]);
    expect(await texts(eve)).toEqual(["last words"]);
    await served.database.query("delete from ninefold.session where person = $1", [eve.id]);
    expect((await eve.get("/api/notes")).list().items).toEqual([]);
  });

  test("one token may pass to another person", async () => {
    const [one, other] = [await served.person("One"), await served.person("Other")];
    await one.post("/api/notes", { text: "of one" });
    await other.post("/api/notes", { text: "of the other" });
    expect(await texts(one)).toEqual(["of one"]);
    await served.database.query("update ninefold.session set person = $2 where person = $1", [one.id, other.id]);
    expect(await texts(one)).toEqual(["of the other"]);
  });
});
