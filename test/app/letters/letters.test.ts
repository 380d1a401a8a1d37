import { inflateSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import type { Application } from "../../../src/core/wire/application.ts";
import type { LetterJson } from "../../../src/core/wire/letters.ts";
import { divideWidth, drawLetter } from "../../../src/server/records/draw-letter.ts";
import { writeLetterFile } from "../../../src/server/records/letter-file.ts";
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

/** The decompressed streams of a PDF: drawing commands, and the characters of its fonts. */
const streamsOf = (file: Buffer): string =>
  [...file.toString("latin1").matchAll(/stream\r?\n(.*?)\r?\nendstream/gsu)]
    .flatMap(([, bytes = ""]) => {
      try {
        return inflateSync(Buffer.from(bytes, "latin1")).toString("latin1");
      } catch {
        return [];
      }
    })
    .join("\n");

describe("the file of a letter", () => {
  const file = (id: string, more = "") => `/_/letters/${id}/pdf?screen=${encodeURIComponent(screen)}${more}`;

  test("is a PDF for each reader, which is drawn only if it changed", async () => {
    const response = await buyer.get(file(order, "&language=de"));
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "application/pdf",
      "content-disposition": `attachment; filename="Bestellbrief A-1.pdf"; filename*=UTF-8''Bestellbrief%20A-1.pdf`,
      "cache-control": "private, no-cache",
    });
    expect(response.text.slice(0, 5)).toBe("%PDF-");
    const tag = response.headers.get("etag") ?? "";
    expect((await buyer.get(file(order, "&language=de"), { "if-none-match": tag })).status).toBe(304);
    expect((await buyer.get(file(order), { "if-none-match": "*" })).headers.get("etag")).not.toBe(tag);
    // Another reader gets another file.
    const other = await clerk.get(file(order, "&language=de"), { "if-none-match": tag });
    expect([other.status, other.headers.get("etag") === tag]).toEqual([200, false]);
    expect((await clerk.get(file("01a22247-849e-7b60-afd1-71df89882f68"))).status).toBe(404);
    expect((await desk.visitor().get(file(order))).status).toBe(401);
  });

  test("has letters of all European languages, several pages, and a remark about characters that it cannot show", async () => {
    const letter = await letterOf(buyer);
    const row = ["Łóżko, Ağaç, Ψυγείο, стол, ghế đẩu", "1", "€2.00"];
    const table = letter.parts.map((part) => (part.kind === "table" ? { ...part, rows: Array(40).fill(row) } : part));
    const streams = streamsOf(await writeLetterFile({ ...letter, parts: table }, new Date(0)));
    for (const character of "ŁżğçΨстđẩ€") {
      const code = character.codePointAt(0)?.toString(16).padStart(4, "0");
      expect(streams, character).toContain(`<${code}>`);
    }
    const drawn = await drawLetter({
      letter: { ...letter, parts: [{ kind: "paragraph", lines: ["漢字 and שלום", "x ".repeat(6_000)] }] },
      created: "2026-03-04T10:00:00Z",
      remark: "This file can’t show some characters: ŧ",
    });
    const codes = streamsOf(drawn);
    // □ for each character that has no shape, and the remark.
    expect(codes).toContain("<25a1>");
    expect(codes).toContain("<0167>");
    expect(drawn.toString("latin1").match(/\/Type \/Page\b/gu)?.length).toBeGreaterThan(3);
  });

  test("gives numbers the width that they need", () => {
    expect(divideWidth([100, 40, 60], [50, 0, 0], [false, true, true], 400)).toEqual([300, 40, 60]);
    expect(divideWidth([600, 200, 50], [60, 60, 0], [false, false, true], 450)).toEqual([
      60 + (540 / 680) * 280,
      60 + (140 / 680) * 280,
      50,
    ]);
    expect(divideWidth([100, 400, 400], [100, 0, 0], [false, true, true], 450)).toEqual([50, 200, 200]);
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
