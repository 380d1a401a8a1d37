import { beforeAll, describe, expect, test } from "vitest";
import { serveText, type TestServer } from "../program.ts";

type Person = Awaited<ReturnType<TestServer["person"]>>;

/** Rules that the table enforces, on records that effects write. */
const shop = `
# Shop

## 3. Entities and their fields
\`\`\`yaml
Part:
  fields: { name: text, stock: integer }
Order:
  fields: { title: text, uses: { list: Use.order } }
Use:
  fields:
    order:    { type: Order, part of: true }
    part:     Part
    quantity: integer
Receipt:
  fields: { part: Part, quantity: integer }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Use:
  after:
    create:
      - { update: part, set: { stock: it.stock - quantity } }
      - { create: Receipt, set: { part: part, quantity: 10 - quantity } }
\`\`\`

## 5. Validation rules
\`\`\`yaml
Part:
  - { rule: stock >= 0, else: OUT_OF_STOCK }
Receipt:
  - { rule: quantity > 0, else: TOO_LARGE }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions:
  Part: { read: member, create: member, update: none, delete: none }
  Order: { read: member, create: member, update: member, delete: none }
  Use: { read: member, create: member, update: none, delete: none }
  Receipt: { read: member, create: none, update: none, delete: none }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
OUT_OF_STOCK: "{name} would be {stock}."
TOO_LARGE: "{part.name} leaves {quantity}."
\`\`\`
`;

describe("an effect that breaks a rule of the table", () => {
  let ada: Person;
  let tube: string;
  beforeAll(async () => {
    ada = await (await serveText(shop)).person("Ada");
    tube = await make("/api/parts", { name: "Tube", stock: 8 });
  });
  const make = async (path: string, body: object) => (await ada.post(path, body)).record().id;
  const messages = async (quantity: number, part = tube) =>
    (await ada.post("/api/orders", { title: "Repair", uses: [{ part, quantity }] }))
      .problem()
      .errors?.map(({ at, message }) => ({ at, message }));

  test("is refused with the values of the record that it would change", async () =>
    expect(await messages(9)).toEqual([{ at: "", message: "Tube would be -1." }]));

  test("is refused with the values of the record that it would create", async () => {
    const chain = await make("/api/parts", { name: "Chain", stock: 90 });
    expect(await messages(10, chain)).toEqual([{ at: "", message: "Chain leaves 0." }]);
  });

  test("changes nothing", async () => {
    expect((await ada.get(`/api/parts/${tube}`)).record()).toMatchObject({ stock: 8, version: 1 });
    expect((await ada.get("/api/receipts")).list().items).toEqual([]);
  });
});

test("an effect that breaks a rule of the table says no values that the caller cannot read", async () => {
  const served = await serveText(`# Shop

## 3. Entities and their fields
\`\`\`yaml
Bin: { fields: { code: text, level: integer, hidden: boolean, margin: integer } }
Part: { fields: { name: text, bin: Bin } }
Use: { fields: { part: Part, quantity: integer } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Use:
  after:
    create: [{ update: part.bin, set: { level: it.level - quantity } }]
\`\`\`

## 5. Validation rules
\`\`\`yaml
Bin: [{ rule: level >= 0, else: EMPTY }]
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { keeper: granted, member: { members: signed in } }
permissions:
  Bin:
    read: [keeper, { role: member, when: "!hidden", except: [margin] }]
    create: keeper
  Part: { read: member, create: keeper }
  Use: { read: member, create: member }
\`\`\`

## 8. Error catalogue
\`\`\`yaml
EMPTY: "{code} with {margin} would hold {level}."
\`\`\`
`);
  const [keeper, ada] = [await served.person("Kim", ["keeper"]), await served.person("Ada")];
  const message = async (person: Person, hidden: boolean) => {
    const bin = (await keeper.post("/api/bins", { code: "A1", level: 3, hidden, margin: 7 })).record().id;
    const part = (await keeper.post("/api/parts", { name: "Tube", bin })).record().id;
    const { errors } = (await person.post("/api/uses", { part, quantity: 5 })).problem();
    return errors?.map((error) => error.message);
  };
  expect(await message(keeper, true)).toEqual(["A1 with 7 would hold -2."]);
  expect(await message(ada, false)).toEqual(["A1 with Margin would hold -2."]);
  expect(await message(ada, true)).toEqual(["Code with Margin would hold Level."]);
});
