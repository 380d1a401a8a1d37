import { createHash } from "node:crypto";
import { inflateSync } from "node:zlib";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import type { Application } from "../../../src/core/wire/application.ts";
import type { LetterJson } from "../../../src/core/wire/letters.ts";
import { sendMails } from "../../../src/jobs/mails.ts";
import { mailNotifications } from "../../../src/server/mail/notification-mails.ts";
import { divideWidth, drawLetter } from "../../../src/server/records/draw-letter.ts";
import { drawMailedLetters, writeLetterFile } from "../../../src/server/records/letter-file.ts";
import { serveText, type TestServer } from "../program.ts";
import { type ArrivedMail, type SmtpServer, startSmtp } from "../smtp-server.ts";

/** A square with 128 pixels on each side. */
const LOGO =
  "iVBORw0KGgoAAAANSUhEUgAAAIAAAACAAQMAAAD58POIAAAABlBMVEX///96SwAfKag2AAAAH0lEQVR42mP4jwYYRgVGBUYFRgWIFBgFo2AUjAIyAQAFmPwudGxH+QAAAABJRU5ErkJggg==";

const text = `# Orders

## 1. What the product does
\`\`\`yaml
locale: en-GB
currency: EUR
logo: ${LOGO}
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
/orders/{id}/reminder:
  letter: Order
  title: Reminder
  for: [buyer, clerk]
  where: "status != draft && status != paid && (budget == null || budget < 1000)"
  text: ["Order {number} is not paid.", { table: lines, columns: [article], where: "quantity < 10 || article == 'Lamp'", sort: [-article] }]
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

## 4. States and transitions
\`\`\`yaml
Order:
  field: status
  states: [draft, sent, paid]
  transitions: { send: { from: draft, to: sent, by: buyer }, pay: { from: sent, to: paid, by: buyer } }
  after: { create: { notify: "User.filter(u, u.name != 'Nobody')", text: "{number} is ordered.", attach: letter } }
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

const origin = "https://desk.example.com";
const now = new Date("2026-03-04T10:00:00Z");
const later = new Date("2026-03-04T10:05:00Z");
let smtp: SmtpServer;
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
  smtp = await startSmtp();
  desk = await serveText(text, { app: { clock: () => now, mails: true, site: { origin, proxies: [] } } });
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

  test("leaves the cell of a missing value empty, and marks that of a hidden one", async () => {
    const lines = [
      { article: "Chair", quantity: 2 },
      { article: "Shelf", quantity: 7 },
    ];
    const { supplier } = (await buyer.get(`/api/orders/${order}`)).record();
    const fields = { number: "B-1", placed: "2026-03-04", supplier: (supplier as { readonly id: string }).id, lines };
    const id = (await buyer.post("/api/orders", fields)).record().id;
    const rows = async (person: Person) =>
      (await letterOf(person, id)).parts.flatMap((part) => (part.kind === "table" ? part.rows : []));
    expect(await rows(buyer)).toEqual([
      ["Chair", "2", ""],
      ["Shelf", "7", ""],
    ]);
    expect(await rows(clerk)).toEqual([
      ["Chair", "2", ""],
      ["Shelf", "7", "…"],
    ]);
  });

  test("marks the cell of a record that its reader cannot see, which is not missing", async () => {
    const served = await serveText(`# Orders

## 2. Screens
\`\`\`yaml
/orders/{id}: { record: Order }
/orders/{id}/letter: { letter: Order, title: Letter, for: [buyer, clerk], text: [{ table: lines, columns: [article, maker] }] }
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Maker: { label: "{name}", fields: { name: text } }
Order: { fields: { number: text, lines: { list: Line.order } } }
Line: { fields: { order: { type: Order, part of: true }, place: position, article: text, maker: Maker? } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { buyer: granted, clerk: granted }
permissions:
  Maker: { read: [buyer, { role: clerk, when: "name != 'Secret'" }], create: buyer }
  Order: { read: [buyer, clerk], create: buyer }
  Line: { read: [buyer, clerk], create: buyer }
\`\`\`
`);
    const [bea, carl] = [await served.person("Bea", ["buyer"]), await served.person("Carl", ["clerk"])];
    const maker = async (name: string) => (await bea.post("/api/makers", { name })).record().id;
    const lines = [
      { article: "Desk", maker: await maker("Known") },
      { article: "Lamp", maker: await maker("Secret") },
      { article: "Chair" },
    ];
    const id = (await bea.post("/api/orders", { number: "A", lines })).record().id;
    const makers = async (person: Person) =>
      (await letterOf(person, id)).parts.flatMap((part) =>
        part.kind === "table" ? part.rows.map((row) => row[1]) : [],
      );
    expect(await makers(bea)).toEqual(["Known", "Secret", ""]);
    expect(await makers(carl)).toEqual(["Known", "…", ""]);
  });

  test("names the day of a period once if it begins and ends on that day, in each language", async () => {
    const trips = await serveText(`# Trips

## 1. Purpose
\`\`\`yaml
locale: en-GB
translations: { de: { "Your trip: {begins} – {ends}. You travelled from {begins} to {ends}.": "Ihre Reise vom {begins} bis {ends}." } }
\`\`\`

## 2. Screens
\`\`\`yaml
/trips: { list: Trip, columns: [begins] }
/trips/{id}: { record: Trip }
/trips/{id}/letter: { letter: Trip, title: Letter, text: ["Your trip: {begins} – {ends}. You travelled from {begins} to {ends}."] }
\`\`\`

## 3. Entities
\`\`\`yaml
Trip: { fields: { begins: date, ends: date } }
\`\`\`

## 6. Roles
\`\`\`yaml
roles: { member: signed in }
permissions: { Trip: { read: [member], create: [member] } }
\`\`\`
`);
    const ada = await trips.person("Ada");
    const linesOf = async (ends: string, language: string) => {
      const { id } = (await ada.post("/api/trips", { begins: "2026-03-04", ends })).record();
      const query = new URLSearchParams({ screen: "/trips/{id}/letter", language });
      return ((await ada.get(`/_/letters/${id}?${query}`)).body as LetterJson).parts;
    };
    expect(await linesOf("2026-03-04", "en-GB")).toMatchObject([
      { lines: ["Your trip: 4 Mar 2026. You travelled on 4 Mar 2026."] },
    ]);
    expect(await linesOf("2026-03-04", "de")).toMatchObject([{ lines: ["Ihre Reise am 4. März 2026."] }]);
    expect(await linesOf("2026-03-05", "en-GB")).toMatchObject([
      { lines: ["Your trip: 4 Mar 2026 – 5 Mar 2026. You travelled from 4 Mar 2026 to 5 Mar 2026."] },
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

  test("does not exist for people who cannot read the record, or whom the letter is not for", async () => {
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
    expect(await screensOf(buyer)).toMatchObject([
      { path: screen, title: "Order letter", entity: "Order" },
      { path: "/orders/{id}/reminder" },
    ]);
    expect(await screensOf(guest)).toEqual([]);
  });
});

describe("a letter with a condition", () => {
  const reminder = "/orders/{id}/reminder";
  const at = (id: string, form = "") => `/_/letters/${id}${form}?screen=${encodeURIComponent(reminder)}`;
  const place = async (number: string, budget: number) => {
    const supplier = (await buyer.get("/api/suppliers")).list().items[0]?.id;
    const lines = ["Desk", "Shelf", "Lamp"].map((article, at) => ({ article, quantity: at * 9 + 1 }));
    return (await buyer.post("/api/orders", { number, placed: "2026-03-04", supplier, budget, lines })).record().id;
  };
  const absent = async (person: Person, id: string) =>
    (await person.get(`/api/orders/${id}?screen=/orders/%7Bid%7D`)).record()._letters?.[reminder];

  test("exists for the records that meet it, and is refused with its clause for the others", async () => {
    const id = await place("R-1", 500);
    const because = "“Reminder” is only possible while the order is “Sent”, not “Draft”.";
    const why = { code: "GUARD", clause: `2.${reminder}`, because };
    expect(await absent(buyer, id)).toEqual(why);
    for (const form of ["", "/pdf"]) {
      const refused = await buyer.get(at(id, form));
      expect([refused.status, refused.problem()]).toMatchObject([409, why]);
    }
    await buyer.post(`/api/orders/${id}/send`, {});
    expect((await buyer.get(`/api/orders/${id}?screen=/orders/%7Bid%7D`)).record()).not.toHaveProperty("_letters");
    expect((await buyer.get(at(id))).body).toMatchObject({
      parts: [{ lines: ["Order R-1 is not paid."] }, { kind: "table", rows: [["Lamp"], ["Desk"]], totals: null }],
    });
    expect((await buyer.get(at(id, "/pdf"))).status).toBe(200);
    await buyer.post(`/api/orders/${id}/pay`, {});
    expect(await absent(buyer, id)).toMatchObject({ because: because.replace("“Draft”", "“Paid”") });
  });

  test("reads only what its reader can read", async () => {
    const [draft, sent, large] = [await place("R-2", 500), await place("R-3", 500), await place("R-4", 5000)];
    for (const id of [sent, large]) await buyer.post(`/api/orders/${id}/send`, {});
    expect(await absent(buyer, large)).toMatchObject({ because: "“Reminder” isn’t possible now." });
    // A clerk reads neither states nor budgets, so that none of the orders is different.
    for (const id of [draft, sent, large]) {
      expect(await absent(clerk, id)).toBeUndefined();
      expect((await clerk.get(at(id))).status).toBe(200);
    }
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
    const streams = streamsOf(await writeLetterFile({ letter: { ...letter, parts: table }, logo: null }, new Date(0)));
    for (const character of "ŁżğçΨстđẩ€") {
      const code = character.codePointAt(0)?.toString(16).padStart(4, "0");
      expect(streams, character).toContain(`<${code}>`);
    }
    const drawn = await drawLetter({
      letter: { ...letter, parts: [{ kind: "paragraph", lines: ["漢字 and שלום", "x ".repeat(6_000)] }] },
      created: "2026-03-04T10:00:00Z",
      logo: null,
      remark: "This file can’t show some characters: ŧ",
    });
    const codes = streamsOf(drawn);
    // □ for each character that has no shape, and the remark.
    expect(codes).toContain("<25a1>");
    expect(codes).toContain("<0167>");
    expect(drawn.toString("latin1").match(/\/Type \/Page\b/gu)?.length).toBeGreaterThan(3);
  });

  test("has the logo at its head, and is drawn without it if its pixels cannot be read", async () => {
    const letter = await letterOf(buyer);
    const broken = Buffer.from(LOGO, "base64").fill(0, 60, 80).toString("base64");
    const [drawn, without, none] = await Promise.all(
      [LOGO, broken, null].map((logo) => writeLetterFile({ letter, logo }, new Date(0))),
    );
    expect(drawn?.toString("latin1")).toContain("/Subtype /Image");
    expect(without).toEqual(none);
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

describe("a letter in a mail", () => {
  const compose = () => mailNotifications(desk.opened.service, origin, now);
  /** Sends what is due and returns the mails that arrived. */
  const sent = async (at = now): Promise<readonly ArrivedMail[]> => {
    const { length } = smtp.mails;
    const { service } = desk.opened;
    const log = { warn: (what: object) => expect(what).toBeUndefined() };
    while (
      (await sendMails(service.database, smtp.mailer, at, (mail) => drawMailedLetters(service, mail, at, log))) > 0
    );
    return smtp.mails.slice(length);
  };
  const filesIn = ({ text: mail }: ArrivedMail): readonly Buffer[] =>
    [...mail.matchAll(/filename="?([^"\n]+)"?\n\n([A-Za-z0-9+/\n]+)/gu)].map(([, name, bytes]) => {
      expect(name).toMatch(/^(?:Order letter|Bestellbrief) A-\d+(?: again)?\.pdf$/u);
      return Buffer.from(bytes ?? "", "base64");
    });
  /** Short, for comparisons. */
  const print = (file: Buffer | undefined): string =>
    file === undefined ? "" : createHash("sha256").update(file).digest("hex");
  const printOf = async (letter: LetterJson, at = now) => print(await writeLetterFile({ letter, logo: LOGO }, at));
  const mailTo = (mails: readonly ArrivedMail[], { email }: Person) =>
    mails.filter(({ to }) => to === email).map(filesIn);
  const place = async (number: string) => {
    const supplier = (await buyer.get("/api/suppliers")).list().items[0]?.id;
    const lines = [{ article: "Desk", quantity: 4, price: 100.5 }];
    return (await buyer.post("/api/orders", { number, placed: "2026-03-04", supplier, lines })).record().id;
  };
  let other: Person;
  let guest: Person;
  beforeAll(async () => {
    other = await desk.person("Bo", ["buyer"]);
    guest = await desk.person("Gil", ["guest"]);
    await other.post("/_/preferences", { language: "de" });
  });
  beforeEach(() => desk.database.query("update ninefold.notification set mail_at = null"));

  test("is the PDF that its recipient can read, in their language, when the mail is sent", async () => {
    const id = await place("A-7");
    await compose();
    await buyer.patch(`/api/orders/${id}`, { note: "Ring twice" });
    const mails = await sent();
    const [german] = mailTo(mails, other).flat();
    expect(german?.subarray(0, 5).toString()).toBe("%PDF-");
    const letter = await letterOf(other, id, "&language=de");
    expect(letter.parts.slice(0, 2)).toEqual([
      { kind: "paragraph", lines: ["Łukasz & Søn", "+45 1, Ring twice"] },
      { kind: "heading", lines: ["Bestellung A-7 vom 4. März 2026"] },
    ]);
    expect(print(german)).toBe(await printOf(letter));
    const clerks = await letterOf(clerk, id);
    expect(JSON.stringify(clerks)).not.toContain("Ring twice");
    expect(mailTo(mails, clerk).flat().map(print)).toEqual([await printOf(clerks)]);
    // They may read the order, but the letter is not for them.
    expect(mailTo(mails, guest)).toEqual([[]]);
  });

  test("is left out if the right was lost, or the address changed, after the mail was written", async () => {
    await place("A-8");
    await compose();
    await desk.database.query(`update app."user" set roles = '{}' where id = $1`, [clerk.id]);
    await desk.database.query(`update app."user" set email = 'bo@elsewhere.example' where id = $1`, [other.id]);
    const mails = await sent();
    expect([mailTo(mails, clerk), mailTo(mails, other)]).toEqual([[[]], [[]]]);
    await desk.database.query(`update app."user" set roles = '{clerk}' where id = $1`, [clerk.id]);
    await desk.database.query(`update app."user" set email = $2 where id = $1`, [other.id, other.email]);
  });

  test("is drawn again when the mail is tried again, and a daily mail brings each letter once", async () => {
    const ids = [await place("A-9"), await place("A-10")];
    await other.post("/_/preferences", { mail: { when: "daily", at: "11:01", zone: "UTC" } });
    smtp.rejects.set(clerk.email, "451 try later");
    await compose();
    expect(mailTo(await sent(), clerk)).toEqual([]);
    smtp.rejects.clear();
    await desk.database.query("update app.\"order\" set number = number || ' again'");
    const files = mailTo(await sent(later), clerk).flat();
    const letters = await Promise.all(ids.map((id) => letterOf(clerk, id)));
    expect(letters[0]?.parts[1]).toEqual({ kind: "heading", lines: ["Order A-9 again of 4 Mar 2026"] });
    const drawn = await Promise.all(letters.map((letter) => printOf(letter, later)));
    expect(files.map(print).toSorted()).toEqual(drawn.toSorted());
    const evening = new Date("2026-03-04T11:01:30Z");
    await mailNotifications(desk.opened.service, origin, evening);
    const [digest, ...more] = mailTo(await sent(evening), other);
    expect([digest?.length, more]).toEqual([2, []]);
  });
});

test("findings name what a letter lacks", () => {
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
  expect(findingsOf(table, "{ table: supplier, columns: [name] }")).toEqual(["supplier is not a list of records."]);
  expect(findingsOf(table, "{ table: lines }")).toEqual(["A table needs columns."]);
  expect(findingsOf(table, "{ columns: [article] }")).toEqual(["A part of a letter is a text, a heading or a table."]);
  expect(findingsOf('{note}"', '{notes}"')).toEqual([expect.stringContaining("notes")]);
});

test("findings tell which letter a mail cannot bring", () => {
  const attaching = (attach: string, to = "User.filter(u, u.name != 'Nobody')", more = "") =>
    compile({
      file: "orders.md",
      text: text
        .replace("/orders: {", `${more}/orders: {`)
        .replace(
          `"User.filter(u, u.name != 'Nobody')", text: "{number} is ordered.", attach: letter`,
          `"${to}", ${attach}`,
        ),
    }).findings.flatMap(({ code, message, fix }) =>
      ["UNKNOWN_NAME", "BAD_VALUE", "NOBODY_READS", "MISSING_KEY"].includes(code)
        ? [`${code} ${message}${fix === undefined ? "" : ` → ${fix[0]?.text}`}`]
        : [],
    );
  const said = 'text: "{number}"';
  expect(attaching(`${said}, attach: letter`)).toEqual([]);
  expect(attaching(`${said}, attach: leter`)).toEqual([
    "UNKNOWN_NAME There is no letter about Order “leter”. → letter",
  ]);
  expect(attaching(`${said}, attach: "/orders/{id}/letter"`)).toEqual([
    "BAD_VALUE A letter is named by the end of its address. → letter",
  ]);
  const card = '/suppliers/{id}/card: { letter: Supplier, text: ["{name}"] }\n';
  expect(attaching(`${said}, attach: card`, undefined, card)).toEqual([
    "BAD_VALUE The letter “card” is about Supplier, but this notification is about Order.",
  ]);
  const second = '/old/{id}/letter: { letter: Order, text: ["{number}"] }\n';
  expect(attaching(`${said}, attach: letter`, undefined, second)).toEqual([
    "BAD_VALUE Two letters about Order have the name “letter”: /old/{id}/letter and /orders/{id}/letter.",
  ]);
  const guests = "User.filter(u, 'clerk' in u.roles || 'guest' in u.roles)";
  expect(attaching(`${said}, attach: letter`, guests)).toEqual([
    "NOBODY_READS The letter /orders/{id}/letter is attached for guest, but guest does not see it.",
  ]);
  expect(attaching("attach: letter").some((message) => message.startsWith("MISSING_KEY"))).toBe(true);
});
