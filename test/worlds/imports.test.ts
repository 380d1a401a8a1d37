import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import type { ImportJson } from "../../src/core/wire/imports.ts";
import { type ApiClient, serveText } from "../app/program.ts";

/*
 * Two worlds that differ only in records that a member may not read. The member's imports are equal in both: references
 * and matches are looked up among the records that the member can read. A keeper tells the worlds apart.
 */

const text = `# Desk

## 3. Entities and their fields

\`\`\`yaml
Thing:
  label: "{name}, {place}"
  fields: { number: { type: text, unique: true }, name: text, place: text?, secret: boolean, notes: { list: Note.thing } }
Note: { fields: { thing: { type: Thing, part of: true }, text: text, key: text, hidden: boolean } }
Errand: { label: "{text}", fields: { thing: Thing, text: text, hidden: boolean } }
\`\`\`

## 4. States and transitions

\`\`\`yaml
Errand:
  states: [asked, begun, done]
  transitions:
    begin:  { from: asked, to: begun, by: member, when: "!thing.secret", discloses: true }
    finish: { from: begun, to: done, by: member }
    settle: { from: asked, to: done, by: keeper }
\`\`\`

## 6. Roles and permissions

\`\`\`yaml
roles: { member: signed in, keeper: granted }
permissions:
  Thing:
    read: [keeper, { role: member, when: "!secret", fields: [name, place, secret, number] }]
    create: [keeper]
  Note:
    read: [keeper, { role: member, when: "!hidden" }]
    create: [member]
    update: [{ role: member, fields: [text] }]
  Errand: { read: [keeper, { role: member, when: "!hidden" }], create: [{ role: member, fields: [thing, text] }, keeper] }
\`\`\`
`;

const cells = `Thing,Text,Key
"Ladder, hall",first,K-1
"Safe, cellar",second,K-2
S-1,third,K-3
S-9,fourth,K-4
L-1,fifth,K-5
"Ladder, hall",sixth,H-1
`;

/** Rows with their states. Some name a thing that only the keeper sees. */
const errands = `Thing,Text,State
"Ladder, hall",first,done
"Ladder, hall",second,begun
"Safe, cellar",third,done
S-1,fourth,begun
"Ladder, hall",fifth,nowhere
`;

const build = async (hidden: boolean) => {
  const desk = await serveText(text);
  const keeper = await desk.person("Kim", ["keeper"]);
  const member = await desk.person("Mo");
  const thing = (body: object) => keeper.post("/api/things", body);
  const ladder = (await thing({ number: "L-1", name: "Ladder", place: "hall" })).record();
  let safe = "";
  if (hidden) {
    safe = String((await thing({ number: "S-1", name: "Safe", place: "cellar", secret: true })).record().id);
    await keeper.post("/api/notes", { thing: ladder.id, text: "seen by few", key: "H-1", hidden: true });
  }
  return { keeper, member, safe };
};

/** Two worlds. Their imports are only checked, so that every test finds the same records. */
let one: Awaited<ReturnType<typeof build>>;
let other: Awaited<ReturnType<typeof build>>;
beforeAll(async () => {
  [one, other] = await Promise.all([build(true), build(false)]);
});

/** The result of an import, without the ids and times that each world draws for itself. */
const result = async (who: ApiClient, query: string, list = "notes", raw = cells): Promise<unknown> => {
  const sent = await who.send("POST", `/api/${list}/import?name=rows.csv&then=check${query}`, undefined, {
    raw,
    headers: { "content-type": "text/csv" },
  });
  const { id } = sent.body as ImportJson;
  for (const end = Date.now() + 80_000; Date.now() < end; await sleep(10)) {
    const job = (await who.get(`/api/${list}/import/${id}`)).body as ImportJson;
    if (job.state === "checking") continue;
    const { text: refused } = await who.get(`/api/${list}/import/${id}/refused.csv`);
    return { ...job, id: "", made_at: "", refused };
  }
  throw new Error("the import does not end");
};

test.each([
  ["adds", "", 3],
  ["matches", "&match=key", 3],
  ["adds to a hidden record", "&parent=thing/", 0],
])("an import that %s (%s) reveals nothing about records that its person cannot read", async (_, start, added) => {
  const query = start.endsWith("/") ? `${start}${one.safe}` : start;
  const [own, theirs] = [await result(one.member, query), await result(other.member, query)];
  expect(own).toEqual(theirs);
  expect(own).toMatchObject({ added });
  // The keeper, who may read everything, tells the worlds apart.
  expect(await result(one.keeper, query)).not.toEqual(await result(other.keeper, query));
});

test("the states that an import names reveal nothing about records that its person cannot read", async () => {
  const own = await result(one.member, "", "errands", errands);
  expect(own).toEqual(await result(other.member, "", "errands", errands));
  // Two rows reach their states by the transitions of the member.
  expect(own).toMatchObject({ added: 2, refused: expect.stringContaining("State must be Asked, Begun or Done.") });
  expect(await result(one.keeper, "", "errands", errands)).not.toEqual(
    await result(other.keeper, "", "errands", errands),
  );
});
