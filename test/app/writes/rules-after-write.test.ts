import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, serveText, type TestServer } from "../program.ts";

type Person = Awaited<ReturnType<TestServer["person"]>>;

/** The data that rules and automatic transitions see after a write. */
const desk = `
# Ballot

## 3. Entities and their fields
\`\`\`yaml
Item:
  fields: { name: text, weight: { type: integer, min: 0 } }
Poll:
  fields: { name: text, votes: { list: Vote.poll }, shut_by: User? }
Vote:
  fields: { poll: Poll }
Note:
  fields: { text: text, by: User? }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Poll:
  states: [open, shut]
  transitions:
    shut: { from: open, to: shut, once: votes.size() >= 2, set: { shut_by: user } }
  after:
    shut: { create: Note, set: { text: name, by: user } }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Item:
  - { rule: "Item.count(i, i.name == name) <= 1", else: TWICE }
  - { rule: "weight > 5 || Item.count(i, i != this && i.weight > 5) <= 1", else: ALL_LIGHT }
  - { rule: "weight + Item.filter(i, i != this).map(i, i.weight).sum() == Item.map(i, i.weight).sum()", else: OTHER_SUM }
  - { rule: "Item.map(i, i.weight).sum() <= 10", always: true, else: TOO_HEAVY }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions:
  User: { read: member }
  Item: { read: member, create: member, update: member, delete: none }
  Poll: { read: member, create: member, update: none, delete: none }
  Vote: { read: member, create: member, update: none, delete: none }
  Note: { read: member, create: none, update: none, delete: none }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
TWICE: "{name} is there already."
ALL_LIGHT: "The others weigh too much."
OTHER_SUM: "The sums differ."
TOO_HEAVY: "That makes {Item.map(i, i.weight).sum()}."
\`\`\`
`;

describe("a rule", () => {
  let ada: Person;
  /** The status, or the distinct messages of the refusal. */
  const say = (answer: Answer): unknown =>
    answer.status < 300
      ? answer.status
      : [...new Set((answer.problem().errors ?? []).map(({ code, message }) => `${code}: ${message}`))];

  beforeAll(async () => {
    ada = await (await serveText(desk)).person("Ada");
  });

  test("counts the new record among the records of its entity", async () => {
    const make = async (name: string, weight: number) => say(await ada.post("/api/items", { name, weight }));
    expect(await make("one", 5)).toBe(201);
    expect(await make("two", 4)).toBe(201);
    expect(await make("one", 0)).toEqual(["TWICE: one is there already."]);
    expect(await make("three", 2)).toEqual(["TOO_HEAVY: That makes 11."]);
  });

  test("sees an updated record as it will be, in every list that contains it", async () => {
    const { items } = (await ada.get("/api/items?name=one")).list();
    const weigh = async (weight: number) => say(await ada.patch(`/api/items/${items[0]?.id}`, { weight }));
    expect(await weigh(7)).toEqual(["TOO_HEAVY: That makes 11."]);
    expect(await weigh(6)).toBe(200);
    expect(await weigh(1)).toBe(200);
  });
});

test("the person who completes a condition makes its automatic transition: `user` is that person in its `set` and effects", async () => {
  const served = await serveText(desk);
  const [ada, ben] = [await served.person("Ada"), await served.person("Ben")];
  const poll = (await ada.post("/api/polls", { name: "Lunch" })).record().id;
  await ada.post("/api/votes", { poll });
  expect((await ada.get(`/api/polls/${poll}`)).record()).toMatchObject({ state: "open", shut_by: null });
  await ben.post("/api/votes", { poll });
  const person = { id: ben.id, label: "Ben" };
  expect((await ada.get(`/api/polls/${poll}`)).record()).toMatchObject({ state: "shut", shut_by: person });
  const { items } = (await ada.get(`/api/polls/${poll}/history`)).body as { readonly items: readonly object[] };
  expect(items[0]).toMatchObject({ action: "shut", clause: "4.Poll.shut", person });
  expect((await ada.get("/api/notes")).list().items).toMatchObject([{ text: "Lunch", by: person }]);
});
