import { beforeAll, describe, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import type { Application } from "../../../src/core/wire/application.ts";
import type { LetterJson } from "../../../src/core/wire/letters.ts";
import { serveText, type TestServer } from "../program.ts";

const text = `# Orders

## 1. What the product does
\`\`\`yaml
locale: en-GB
currency: EUR
translations:
  de:
    "Order {number} of {placed}": "Bestellung {number} vom {placed}"
    Order letter: Bestellbrief
    Article: Artikel
\`\`\`

## 2. Screens
\`\`\`yaml
/orders: { list: Order, columns: [number, supplier] }
/orders/{id}: { record: Order }
/orders/{id}/letter:
  letter: Order
  title: Order letter
  for: [buyer, clerk]
  text:
    - |
      {supplier.name}
      {supplier.street}
      {supplier.phone}, {note}
    - { heading: "Order {number} of {placed}" }
    - { table: lines, columns: [article, quantity, price], totals: [quantity, price] }
    - "{note}"
    - "Budget: {budget}. Signed {user.name}"
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Supplier: { label: "{name}", fields: { name: text, street: text?, phone: text? } }
Order:
  fields:
    number:   { type: text, unique: true }
    placed:   date
    supplier: { type: Supplier }
    note:     text?
    budget:   money?
    lines:    { list: Line.order }
Line:
  fields:
    order:    { type: Order, part of: true }
    place:    position
    article:  text
    quantity: integer
    price:    money?
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { buyer: granted, clerk: granted, guest: granted }
permissions:
  User: { read: [{ role: buyer, fields: [name] }, { role: clerk, fields: [name] }] }
  Supplier:
    read: [buyer, { role: clerk, fields: [name, street] }]
    create: buyer
  Order:
    read: [buyer, { role: clerk, when: "number != 'Hidden'", fields: [number, placed, supplier, lines] }, guest]
    create: buyer
    update: buyer
  Line:
    read: [buyer, { role: clerk, fields: [order, article, quantity] }, { role: clerk, when: "quantity < 5" }]
    create: buyer
\`\`\`
`;

let desk: TestServer;
type Person = Awaited<ReturnType<TestServer["person"]>>;
let buyer: Person;
let clerk: Person;
let order = "";
const screen = "/orders/{id}/letter";
const address = (id: string, more = "") => `/_/letters/${id}?screen=${encodeURIComponent(screen)}${more}`;
const letterOf = async (person: Person, id = order, more = ""): Promise<LetterJson> =>
  (await person.get(address(id, more))).body as LetterJson;

beforeAll(async () => {
  desk = await serveText(text);
  buyer = await desk.person("Berta Åström", ["buyer"]);
  clerk = await desk.person("Carl", ["clerk"]);
  const supplier = (await buyer.post("/api/suppliers", { name: "Łukasz & Søn", phone: "+45 1" })).record().id;
  const lines = [
    { article: "Desk", quantity: 4, price: 100.5 },
    { article: "Lamp", quantity: 12, price: 20 },
  ];
  const fields = { number: "A-1", placed: "2026-03-04", supplier, budget: 900, lines };
  order = (await buyer.post("/api/orders", fields)).record().id;
});

describe("a letter", () => {
  test("has the values that its reader can read, and leaves out lines without any", async () => {
    expect((await letterOf(buyer)).parts).toEqual([
      { kind: "paragraph", lines: ["Łukasz & Søn", "+45 1, …"] },
      { kind: "heading", lines: ["Order A-1 of 4 Mar 2026"] },
      {
        kind: "table",
        columns: [
          { title: "Article", isNumber: false },
          { title: "Quantity", isNumber: true },
          { title: "Price", isNumber: true },
        ],
        rows: [
          ["Desk", "4", "€100.50"],
          ["Lamp", "12", "€20.00"],
        ],
        totals: ["", "16", "€120.50"],
      },
      { kind: "paragraph", lines: ["Budget: €900.00. Signed Berta Åström"] },
    ]);
    // Without a price that its reader cannot read, the total would be wrong.
    expect((await letterOf(clerk)).parts).toMatchObject([
      { lines: ["Łukasz & Søn"] },
      { kind: "heading" },
      {
        rows: [
          ["Desk", "4", "€100.50"],
          ["Lamp", "12", "…"],
        ],
        totals: ["", "16", "…"],
      },
      { lines: ["Budget: …. Signed Carl"] },
    ]);
  });

  test("is written in each language of the document", async () => {
    const german = await letterOf(buyer, order, "&language=de");
    expect(german).toMatchObject({ title: "Bestellbrief", language: "de", languages: ["en-GB", "de"] });
    expect(german.parts[1]).toEqual({ kind: "heading", lines: ["Bestellung A-1 vom 4. März 2026"] });
    expect(german.parts[2]).toMatchObject({
      columns: [{ title: "Artikel" }, {}, {}],
      totals: ["", "16", "120,50\u00a0€"],
    });
    expect((await buyer.get(address(order), { "accept-language": "de-CH" })).body).toMatchObject({ language: "de" });
  });

  test("does not exist for people who cannot read the record, or for whom it is not", async () => {
    const hidden = (
      await buyer.post("/api/orders", {
        number: "Hidden",
        placed: "2026-03-04",
        supplier: (await buyer.get("/api/suppliers")).list().items[0]?.id,
        lines: [],
      })
    ).record().id;
    expect((await buyer.get(address(hidden))).status).toBe(200);
    const missing = await clerk.get(address("01a22247-849e-7b60-afd1-71df89882f68"));
    const unreadable = await clerk.get(address(hidden));
    expect([unreadable.status, unreadable.text]).toEqual([404, missing.text]);
    const guest = await desk.person("Gast", ["guest"]);
    expect((await guest.get(address(order))).status).toBe(404);
    expect((await desk.visitor().get(address(order))).status).toBe(401);
    for (const path of ["/_/letters/x", `/_/letters/${order}?screen=/orders`])
      expect((await buyer.get(path)).status).toBe(404);
    const screensOf = async (person: Person) =>
      ((await person.get("/_/application")).body as Application).screens.filter(({ kind }) => kind === "letter");
    expect(await screensOf(buyer)).toMatchObject([{ path: screen, title: "Order letter", entity: "Order" }]);
    expect(await screensOf(guest)).toEqual([]);
  });
});

test("findings tell what a letter lacks", () => {
  const findingsOf = (from: string, to: string) =>
    compile({ file: "orders.md", text: text.replace(from, to) }).findings.flatMap(({ severity, message }) =>
      severity === "error" ? [message] : [],
    );
  const table = "{ table: lines, columns: [article, quantity, price], totals: [quantity, price] }";
  expect(findingsOf("/orders/{id}/letter:", "/letter:")).toEqual([
    "The address of a letter must have /{id} and a name.",
  ]);
  expect(findingsOf(table, "{ table: lines, columns: [article], totals: [article] }")).toEqual([
    "article is not a column with numbers.",
  ]);
  expect(findingsOf(table, "{ table: supplier, columns: [name] }")).toEqual(["supplier is not a list of parts."]);
  expect(findingsOf(table, "{ table: lines }")).toEqual(["A table needs columns."]);
  expect(findingsOf(table, "{ columns: [article] }")).toEqual(["A part of a letter is a text, a heading or a table."]);
  expect(findingsOf('{note}"', '{notes}"')).toEqual([expect.stringContaining("notes")]);
});
