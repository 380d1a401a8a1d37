import { beforeAll, describe, expect, test } from "vitest";
import type { OwnAccountJson } from "../../../src/core/wire/accounts/account.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

/** Heads of departments approve orders, members of crews are named in lists, and nobody can see who leads a team. */
const desk = `
# Orders

## 3. Entities and their fields
\`\`\`yaml
Department: { label: "{name}", fields: { name: text, head: User } }
Crew:       { label: "{name}", fields: { name: text, wardens: { type: User, many: true } } }
Team:       { label: "{name}", fields: { name: text, lead: User } }
Order:
  fields:
    department: Department
    crew:       Crew?
    requester:  { type: User, set: user }
    contact:    { type: User, default: user }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  staff: { members: signed in }
  clerk: { members: granted }
  User:  { oneself: this == user }
  Department: { head: head == user }
  Team: { lead: lead == user }
  Order:
    requester: requester == user
    approver:  { when: department.head == user && requester != user, title: Approver of orders }
    contact:   contact == user
    warden:    user in crew.wardens
permissions:
  User:       { read: staff, update: { role: oneself, when: name != 'Ada', fields: [name] } }
  Department: { read: staff, create: clerk }
  Crew:       { read: staff, create: clerk }
  Team:       { create: clerk }
  Order:      { read: [requester, contact, approver, warden], create: staff }
\`\`\`
`;

type Known = ApiClient & { readonly id: string };

let served: TestServer;
let clerk: Known;
let ada: Known;
let ben: Known;
beforeAll(async () => {
  served = await serveText(desk);
  clerk = await served.person("Cleo", ["clerk"]);
  ada = await served.person("Ada");
  ben = await served.person("Ben");
  for (const name of ["South", "Zürich", "Älmhult"]) await clerk.post("/api/departments", { name, head: ada.id });
  await clerk.post("/api/teams", { name: "Night", lead: ada.id });
  for (const name of ["A", "B", "C", "D"]) await clerk.post("/api/crews", { name, wardens: [clerk.id, ben.id] });
});

const own = async (who: ApiClient, headers?: Record<string, string>) =>
  (await who.get("/_/account", headers)).body as OwnAccountJson;

describe("the account of a person", () => {
  test("names the roles that they hold because records name them, and these records", async () => {
    const heads = { entity: "Department", field: "head", records: ["Älmhult", "South", "Zürich"], count: 3 };
    expect((await own(ada)).relations).toEqual([
      { role: "Head", ...heads },
      { role: "Approver of orders", ...heads },
    ]);
    const { relations } = await own(ben);
    expect(relations).toMatchObject([{ role: "Warden", entity: "Crew", field: "wardens", count: 4 }]);
    expect(relations[0]?.records).toHaveLength(3);
  });

  test("names no role that everyone gets with their own records, and none by records that they cannot see", async () => {
    const mo = await served.person("Mo");
    const { id } = ((await mo.get("/api/departments")).list().items[0] ?? {}) as { readonly id: string };
    await mo.post("/api/orders", { department: id });
    expect((await own(mo)).relations).toEqual([]);
    expect((await own(ada)).relations.map(({ role }) => role)).not.toContain("Lead");
  });

  test("says why they cannot change their name", async () => {
    expect((await own(ben)).renameRefused).toBeNull();
    expect((await own(ada)).renameRefused).toMatchObject({ code: "FORBIDDEN", clause: "6.User.update" });
    expect((await own(ada)).renameRefused?.because).toBe("The name is “Ada”.");
    expect((await own(ada, { "accept-language": "de" })).renameRefused?.because).toMatch(/„Ada“/u);
  });

  test("says who can change their name, if they can only change other fields, and changes nothing", async () => {
    const pictures = await serveText(`# Pictures

## 6. Roles and permissions
\`\`\`yaml
roles:
  staff: { members: signed in }
  clerk: { members: granted }
  User:  { oneself: this == user }
permissions:
  User: { read: staff, update: [{ role: oneself, fields: [avatar] }, { role: clerk, fields: [name] }] }
\`\`\`
`);
    const mia = await pictures.person("Mia");
    await pictures.database.query(`update app."user" set name = ' Mia ' where id = $1`, [mia.id]);
    const stored = async () =>
      (await pictures.database.query(`select name, version from app."user" where id = $1`, [mia.id])).rows;
    const before = await stored();
    expect((await own(mia)).renameRefused).toEqual({
      code: "FORBIDDEN",
      clause: "6.User.update",
      because: "Only a clerk can edit “Name”.",
    });
    expect(await stored()).toEqual(before);
    expect((await mia.get(`/api/why?do=User.update&record=${mia.id}`)).body).toMatchObject({ answer: "yes" });
    expect((await own(await pictures.person("Cleo", ["clerk"]))).renameRefused).toBeNull();
  });
});
