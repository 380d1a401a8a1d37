import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, serveText, type TestServer } from "../program.ts";

type Person = Awaited<ReturnType<TestServer["person"]>>;

/** Rules that read a field of their own entity through lists and references, none of them with `always`. */
const store = `
# Store

## 3. Entities and their fields
\`\`\`yaml
Box:
  fields: { name: text, items: { list: Item.box } }
Item:
  label: "{weight} kg"
  fields:
    group:  text
    weight: integer
    box:    Box?
    parent: Item?
    note:   text?
Push:
  label: "{weight} kg"
  fields: { item: Item, weight: integer }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Item:
  field: place
  states: [outside, inside]
  transitions:
    enter: { from: outside, to: inside, by: staff }
    leave: { from: inside, to: outside, by: staff }
    weigh: { from: [outside, inside], to: outside, by: staff, asks: [weight] }
Push:
  after:
    create: { update: item, set: { weight } }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Item:
  - { rule: "group != 'all' || Item.filter(i, i.group == 'all').map(i, i.weight).sum() <= 10", else: ALL_HEAVY }
  - { rule: "group != 'few' || Item.count(i, i.group == group && i.place == inside) <= 1", else: CROWDED }
  - { rule: "box == null || box.items.map(i, i.weight).sum() <= 7", else: BOX_HEAVY }
  - { rule: "parent == null || parent.weight <= 5", else: PARENT_HEAVY }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions:
  Box: { read: staff, create: staff, update: staff, delete: none }
  Item: { read: staff, create: staff, update: staff, delete: none }
  Push: { read: staff, create: staff, update: none, delete: none }
\`\`\`

## 7. Calls
\`\`\`yaml
calls:
  POST /items/{id}/repack:
    do:
      - { update: Item, takes: { weight } }
      - { update: Item, takes: { note } }
  PUT /items/{id}/weight: { update: Item, takes: { weight } }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
ALL_HEAVY: { status: 409, message: "That makes {Item.filter(i, i.group == 'all').map(i, i.weight).sum()} kg." }
CROWDED: { status: 409, message: "One is inside already." }
BOX_HEAVY: { status: 409, message: "{box.name} holds 7 kg." }
PARENT_HEAVY: { status: 409, message: "The parent is too heavy." }
\`\`\`
`;

/** The status, or the messages of the refusal. */
const say = (answer: Answer): unknown =>
  answer.status < 300 ? answer.status : answer.problem().errors?.map(({ code }) => code);

describe("a rule that reads its own entity through a list", () => {
  let ada: Person;
  beforeAll(async () => {
    ada = await (await serveText(store)).person("Ada");
  });
  const item = async (values: Readonly<Record<string, unknown>>): Promise<string> => {
    const answer = await ada.post("/api/items", { group: "none", weight: 1, ...values });
    expect(answer.status).toBe(201);
    return answer.record().id;
  };
  const weighs = async (id: string, weight: number) =>
    expect((await ada.get(`/api/items/${id}`)).body).toMatchObject({ weight });

  describe("L5.9 of all records", () => {
    let first: string;
    beforeAll(async () => {
      first = await item({ group: "all", weight: 6 });
      await item({ group: "all", weight: 4 });
    });
    test("is checked on an update of the field", async () => {
      const answer = await ada.patch(`/api/items/${first}`, { weight: 7 });
      expect(answer.problem()).toMatchObject({
        status: 409,
        errors: [{ code: "ALL_HEAVY", clause: "5.Item.ALL_HEAVY", message: "That makes 11 kg." }],
      });
      await weighs(first, 6);
      expect(say(await ada.patch(`/api/items/${first}`, { weight: 5 }))).toBe(200);
      expect(say(await ada.patch(`/api/items/${first}`, { weight: 6 }))).toBe(200);
    });
    test("is checked in a transition that asks for the field", async () => {
      expect(say(await ada.post(`/api/items/${first}/weigh`, { weight: 7 }))).toEqual(["ALL_HEAVY"]);
      expect(say(await ada.post(`/api/items/${first}/weigh`, { weight: 6 }))).toBe(200);
    });
    test("is checked when an effect writes it", async () => {
      expect(say(await ada.post("/api/pushes", { item: first, weight: 7 }))).toEqual(["ALL_HEAVY"]);
      await weighs(first, 6);
      expect(say(await ada.post("/api/pushes", { item: first, weight: 6 }))).toBe(201);
    });
    test("is checked when a call writes it, in one step or several", async () => {
      expect(say(await ada.send("PUT", `/api/items/${first}/weight`, { weight: 7 }))).toEqual(["ALL_HEAVY"]);
      expect(say(await ada.post(`/api/items/${first}/repack`, { weight: 7, note: "x" }))).toEqual(["ALL_HEAVY"]);
      await weighs(first, 6);
      expect(say(await ada.post(`/api/items/${first}/repack`, { weight: 6, note: "x" }))).toBe(200);
    });
    test("is checked for each of many writes", async () => {
      const rest = await Promise.all([1, 2, 3].map(() => item({ group: "all", weight: 0 })));
      const answers = await Promise.all(rest.map((id) => ada.patch(`/api/items/${id}`, { weight: 1 })));
      expect(answers.map(say)).toEqual([["ALL_HEAVY"], ["ALL_HEAVY"], ["ALL_HEAVY"]]);
    });
  });

  test("L5.9 is checked for the only record of its entity", async () => {
    const bea = await (await serveText(store)).person("Bea");
    const only = (await bea.post("/api/items", { group: "all", weight: 10 })).record().id;
    expect(say(await bea.patch(`/api/items/${only}`, { weight: 11 }))).toEqual(["ALL_HEAVY"]);
  });

  test("L5.9 with a condition is checked in a transition that changes what the condition reads", async () => {
    const [one, two] = [await item({ group: "few" }), await item({ group: "few" })];
    expect(say(await ada.post(`/api/items/${one}/enter`))).toBe(200);
    expect(say(await ada.post(`/api/items/${two}/enter`))).toEqual(["CROWDED"]);
    expect(say(await ada.post(`/api/items/${one}/leave`))).toBe(200);
    expect(say(await ada.post(`/api/items/${two}/enter`))).toBe(200);
  });

  test("L5.9 for records with the same value is checked when one of them changes", async () => {
    const box = (await ada.post("/api/boxes", { name: "Crate" })).record().id;
    const [one] = [await item({ box, weight: 4 }), await item({ box, weight: 3 })];
    expect((await ada.patch(`/api/items/${one}`, { weight: 5 })).problem()).toMatchObject({
      errors: [{ code: "BOX_HEAVY", message: "Crate holds 7 kg." }],
    });
    expect(say(await ada.patch(`/api/items/${one}`, { weight: 4, note: "as before" }))).toBe(200);
  });

  test("L5.9 through a reference is checked for the record that refers to itself, and for no other", async () => {
    const parent = await item({ weight: 5 });
    const child = await item({ parent });
    // The child's rule is checked when the child is written: without `always`, a change of its parent does not affect
    // it.
    expect(say(await ada.patch(`/api/items/${parent}`, { weight: 6 }))).toBe(200);
    expect(say(await ada.patch(`/api/items/${child}`, { weight: 2 }))).toBe(200);
    expect(say(await ada.patch(`/api/items/${child}`, { parent }))).toBe(200);
    expect(say(await ada.patch(`/api/items/${child}`, { parent: child }))).toBe(200);
    expect(say(await ada.patch(`/api/items/${child}`, { weight: 6 }))).toEqual(["PARENT_HEAVY"]);
    expect(say(await ada.post("/api/pushes", { item: child, weight: 6 }))).toEqual(["PARENT_HEAVY"]);
    expect(say(await ada.patch(`/api/items/${child}`, { weight: 5 }))).toBe(200);
  });

  test("L5.9 holds when two change it at once", async () => {
    const bea = await (await serveText(store)).person("Bea");
    const make = async (weight: number) => (await bea.post("/api/items", { group: "all", weight })).record().id;
    const [one, other] = [await make(5), await make(4)];
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all([
        bea.patch(`/api/items/${one}`, { weight: 6 }),
        bea.patch(`/api/items/${other}`, { weight: 5 }),
      ]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
      expect(say(await bea.patch(`/api/items/${one}`, { weight: 4 }))).toBe(200);
      expect(say(await bea.patch(`/api/items/${other}`, { weight: 4 }))).toBe(200);
      expect(say(await bea.patch(`/api/items/${one}`, { weight: 5 }))).toBe(200);
    }
  });
});
