import { afterAll, expect, test } from "vitest";
import { database, type TestDatabase } from "../../postgres.ts";
import { serveText, type TestServer } from "../program.ts";

/* The history of a field that a version removed is not that of another field with its name. */

let store: TestDatabase | undefined;
afterAll(() => store?.end());

interface Version {
  readonly fields: string;
  readonly staff: string;
  readonly states?: string;
}

const notes = ({ fields, staff, states = "" }: Version): string => `# Notes

## 3. Entities and their fields
\`\`\`yaml
Note: { fields: { title: text, ${fields} } }
\`\`\`
${states}
## 6. Roles and permissions
\`\`\`yaml
roles: { staff: { members: signed in }, keeper: { members: granted } }
permissions:
  Note:
    read: [{ role: staff, fields: [${staff}] }, { role: keeper }]
    create: [keeper]
    update: [keeper]
\`\`\`
`;

const withStates = `## 4. States and transitions
\`\`\`yaml
Note: { field: place, states: [here, hidden], transitions: { hide: { from: here, to: hidden, by: keeper } } }
\`\`\`
`;

const secret = { fields: "secret: text?", staff: "title" };
const removed = { fields: "", staff: "title" };

/** Serves a version of the document and returns the history that somebody may read. */
const serving = async <T>(version: Version, work: (desk: TestServer) => Promise<T>): Promise<T> => {
  store ??= await database();
  const desk = await serveText(notes(version), { database: store });
  return work(desk).finally(() => desk.stop());
};

const historyFor = (version: Version, id: string, roles: readonly string[]) =>
  serving(version, async (desk) => {
    const person = await desk.person(`Person ${crypto.randomUUID().replaceAll(/\d/gu, "")}`, roles);
    const answer = await person.get(`/api/notes/${id}/history`);
    expect(answer.status, answer.text).toBe(200);
    return answer.text;
  });

test("a removed field is in no history, and a new field with its name starts without one", async () => {
  const id = await serving({ ...secret, staff: "title, place", states: withStates }, async (desk) => {
    const keeper = await desk.person("Kim", ["keeper"]);
    const created = await keeper.post("/api/notes", { title: "A", secret: "red herring" });
    expect(created.status, created.text).toBe(201);
    const { id, version } = created.record();
    await keeper.patch(`/api/notes/${id}`, { secret: "blue herring" }, { "if-match": `"${version}"` });
    expect((await keeper.post(`/api/notes/${id}/hide`, {})).status).toBe(200);
    return id;
  });
  for (const version of [
    secret,
    removed,
    { fields: "secret: integer?", staff: "title, secret" },
    { fields: "secret: boolean", staff: "title, secret" },
    { fields: "secret: date?", staff: "title, secret" },
  ]) {
    const text = await historyFor(version, id, []);
    expect(text).not.toContain("herring");
    expect(text).not.toMatch(/place|hidden/u);
    expect(text).toContain('"title"');
  }
  // The field returns with its values and its history to those who may read them.
  expect(await historyFor(removed, id, ["keeper"])).not.toContain("herring");
  expect(await historyFor(secret, id, [])).not.toContain("herring");
  const back = await historyFor(secret, id, ["keeper"]);
  expect(back).toContain("red herring");
  expect(back).toContain("blue herring");
  // Another field takes the name after the first got another one.
  const renamed = { fields: "hidden_word: { type: text?, was: secret }", staff: "title" };
  expect(await historyFor(renamed, id, ["keeper"])).toContain("red herring");
  const both = { fields: "hidden_word: text?, secret: text?", staff: "title, secret" };
  expect(await historyFor(both, id, [])).not.toContain("herring");
  expect(await historyFor(both, id, ["keeper"])).toContain("red herring");
});

test("a field that is converted and taken back keeps its history", async () => {
  const plain = { fields: "pages: integer?", staff: "title, pages" };
  const id = await serving(plain, async (desk) => {
    const keeper = await desk.person("Kai", ["keeper"]);
    return (await keeper.post("/api/notes", { title: "B", pages: 412 })).record().id;
  });
  expect(await historyFor({ fields: "pages: text?", staff: "title, pages" }, id, [])).toContain("412");
  expect(await historyFor(plain, id, [])).toContain("412");
});
