import { beforeAll, describe, expect, test } from "vitest";
import { type Answer, type ApiClient, serveText, type TestServer } from "../program.ts";

const shop = `
# Shop

## 1. What the product does and for whom
\`\`\`yaml
locale: en-GB
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
Order:
  label: "{number}: {title}, {price}, {opens}, {patience}"
  fields:
    number:   { type: sequence, pattern: "O-{year}-{n:4}" }
    title:    { type: text, min: 3, max: 40 }
    price:    { type: money, currency: EUR, min: 0, max: dearest, default: 10 }
    yen:      { type: money?, currency: JPY }
    opens:    { type: time?, min: "06:00", max: "22:00" }
    patience: { type: duration?, min: 1 hour, max: longest_wait, default: usual_wait }
    body:     rich text?
    extra:    json?
    address:  { type: slug, from: title }
    at:       { type: datetime?, min: 2020-01-01 }
    bill:     { type: sequence, gapless: close }
Line:
  fields:
    order: Order
    place: position
    text:  text
\`\`\`
## 4. States and transitions
\`\`\`yaml
Order:
  states: [open, closed, cancelled]
  final: cancelled
  transitions:
    close:  { from: open, to: closed, by: member, when: price > 0 }
    reopen: { from: closed, to: open, by: member }
    cancel: { from: [open, closed], to: cancelled, by: member }
\`\`\`
## 5. Validation rules
\`\`\`yaml
Order:
  - { rule: price <= 900, else: TOO_DEAR }
  - { rule: "opens == null || opens < '20:00:00'", else: TOO_LATE }
\`\`\`
## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions:
  Order: { read: member, create: member, update: member, delete: member }
  Line: { read: member, create: member, update: member, delete: member }
\`\`\`
## 8. Error catalogue
\`\`\`yaml
TOO_DEAR: "{price} is more than 900."
TOO_LATE: "{opens} is too late, even with {patience}."
\`\`\`
## 9. Business constants and limits
\`\`\`yaml
dearest: 1000
usual_wait: 2 days
longest_wait: 4 weeks
\`\`\`
`;

let served: TestServer;
let member: ApiClient;
beforeAll(async () => {
  served = await serveText(shop);
  member = await served.person("Mia");
});

let count = 0;
const make = (values: Record<string, unknown> = {}) =>
  member.post("/api/orders", { title: `Order ${++count}`, ...values });
const create = async (values: Record<string, unknown> = {}) => (await make(values)).record();
const change = async (id: string, values: Record<string, unknown>) =>
  (await member.patch(`/api/orders/${id}`, values)).record();
const wrong = (answer: Answer) => answer.problem().errors?.map(({ at, code, message }) => `${at} ${code}: ${message}`);
const listed = async (query: string, field: string) =>
  (await member.get(`/api/orders?${query}`)).list().items.map((one) => one[field]);

describe("a value is returned as it was written: at creation, update, in record, list and history", () => {
  test.each<[string, unknown, unknown]>([
    ["price", "12.5", { amount: "12.50", currency: "EUR" }],
    ["price", 7, { amount: "7.00", currency: "EUR" }],
    ["price", { amount: "0.01", currency: "EUR" }, { amount: "0.01", currency: "EUR" }],
    ["yen", "1200", { amount: "1200", currency: "JPY" }],
    ["opens", "08:30", "08:30:00"],
    ["opens", "19:59:59", "19:59:59"],
    ["patience", "P14D", "P14D"],
    ["patience", "PT90M", "PT1H30M"],
    ["patience", "1 day 2 hours", "P1DT2H"],
    ["patience", "P2W", "P14D"],
    ["patience", "PT3600.5S", "PT1H0.5S"],
    ["body", "## Title\n\n- **one**\n- <b>two</b>", "## Title\n\n- **one**\n- <b>two</b>"],
    [
      "extra",
      { a: [1, null, "x", { b: null }], c: "ü", d: 1.5e-7 },
      { a: [1, null, "x", { b: null }], c: "ü", d: 1.5e-7 },
    ],
    ["extra", "text", "text"],
    ["extra", false, false],
    ["extra", [], []],
    ["address", "my-own-word", "my-own-word"],
  ])("%s: %j is %j", async (field, written, read) => {
    const first = await create({ [field]: written });
    expect(first[field]).toEqual(read);
    expect((await member.get(`/api/orders/${first.id}`)).record()[field]).toEqual(read);
    expect(await listed(`title=${encodeURIComponent(String(first.title))}`, field)).toEqual([read]);
    const line = (await member.get(`/api/orders/${first.id}/history`)).history()[0];
    expect(line?.changes.find((one) => one.field === field)).toEqual({ field, before: null, after: read });
    const other = await create(field === "price" ? { price: "1" } : {});
    const sent = field === "address" ? "my-other-word" : written;
    const changed = await change(other.id, { [field]: sent });
    expect(changed[field]).toEqual(field === "address" ? sent : read);
  });

  test("of an optional field can be cleared", async () => {
    const { id } = await create({ yen: 5, opens: "08:00", patience: "P1D", body: "x", extra: [1] });
    const cleared = await change(id, { yen: null, opens: "", patience: null, body: "", extra: null });
    expect([cleared.yen, cleared.opens, cleared.patience, cleared.body, cleared.extra]).toEqual([
      null,
      null,
      null,
      null,
      null,
    ]);
  });

  test("with more digits than a double stays exact in the record and its history", async () => {
    const amount = "1234567890123456789012345678.12";
    const { id } = await create({ yen: null });
    await served.database.query('update app."order" set yen = $2 where id = $1', [id, amount]);
    await change(id, { yen: "9007199254740993" });
    const [line] = (await member.get(`/api/orders/${id}/history`)).history();
    expect(line?.changes).toEqual([
      {
        field: "yen",
        before: { amount, currency: "JPY" },
        after: { amount: "9007199254740993", currency: "JPY" },
      },
    ]);
  });
});

describe("a value that no field of the type accepts is rejected", () => {
  const cases: readonly [Record<string, unknown>, string][] = [
    [{ price: "12.345" }, "/price WRONG_TYPE: Price must be an amount in EUR with at most 2 decimal places."],
    [
      { price: { amount: "5", currency: "USD" } },
      "/price WRONG_TYPE: Price must be an amount in EUR with at most 2 decimal places.",
    ],
    [{ price: "-0.01" }, "/price TOO_SMALL: Price must be at least €0.00."],
    [{ price: "1000.01" }, "/price TOO_LARGE: Price must be at most €1,000.00."],
    [{ price: "1e3" }, "/price WRONG_TYPE: Price must be an amount in EUR with at most 2 decimal places."],
    [{ price: [5] }, "/price WRONG_TYPE: Price must be an amount in EUR with at most 2 decimal places."],
    [{ yen: "1.5" }, "/yen WRONG_TYPE: Yen must be an amount in JPY without decimal places."],
    [{ opens: "24:00" }, "/opens WRONG_TYPE: Opens must be a time of day."],
    [{ opens: "5:30" }, "/opens WRONG_TYPE: Opens must be a time of day."],
    [{ opens: "05:59" }, "/opens TOO_SMALL: Opens must be at least 06:00."],
    [{ opens: 8 }, "/opens WRONG_TYPE: Opens must be a time of day."],
    [{ patience: "P" }, "/patience WRONG_TYPE: Patience must be a length of time, such as P14D or PT1H30M."],
    [{ patience: "-P1D" }, "/patience WRONG_TYPE: Patience must be a length of time, such as P14D or PT1H30M."],
    [{ patience: "P999Y" }, "/patience WRONG_TYPE: Patience must be a length of time, such as P14D or PT1H30M."],
    [{ patience: "PT59M" }, "/patience TOO_SMALL: Patience must be at least 1 hour."],
    [{ patience: "P1M" }, "/patience TOO_LARGE: Patience must be at most 28 days."],
    [{ body: "a\u0000b" }, "/body WRONG_TYPE: Body must be formatted text."],
    [{ body: "\ud800" }, "/body WRONG_TYPE: Body must be formatted text."],
    [{ body: "x".repeat(100_001) }, "/body TOO_LONG: Body can have at most 100000 characters."],
    [{ extra: { a: "\u0000" } }, "/extra WRONG_TYPE: Extra must be JSON with at most 50 levels."],
    [{ extra: { "\ud800": 1 } }, "/extra WRONG_TYPE: Extra must be JSON with at most 50 levels."],
    [{ extra: 12345678901234567000 }, "/extra WRONG_TYPE: Extra must be JSON with at most 50 levels."],
    [{ extra: "x".repeat(100_000) }, "/extra TOO_LONG: Extra can have at most 100000 characters."],
    [
      { address: "No Spaces" },
      "/address WRONG_TYPE: Address must be lower-case letters and digits, with hyphens between them.",
    ],
    [{ title: "ab" }, "/title TOO_SHORT: Title must have at least 3 characters."],
    [{ at: "2019-12-31T23:59:59Z" }, "/at TOO_SMALL: At must be at least 1 Jan 2020, 00:00."],
  ];
  test.each(cases.map(([values, said]) => [said, values] as const))("%s", async (said, values) => {
    expect(wrong(await make(values))).toEqual([said]);
  });

  test("as JSON may be nested fifty levels, and no deeper", async () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);
    expect((await make({ extra: nested(51) })).status).toBe(422);
    expect((await create({ extra: nested(50) })).extra).toEqual(nested(50));
  });

  test("of a generated number can’t be written", async () => {
    expect((await make({ number: "O-1" })).problem().code).toBe("NOT_YOURS_TO_WRITE");
  });

  test("in a message has its currency, or is a time or duration as people read them", async () => {
    expect(wrong(await make({ price: "950.5", opens: "21:15", patience: "P10DT1H" }))).toEqual([
      "/price TOO_DEAR: €950.50 is more than 900.",
      "/opens TOO_LATE: 21:15 is too late, even with 10 days, 1 hour.",
    ]);
  });
});

describe("lists", () => {
  let mark: string;
  beforeAll(async () => {
    mark = `Sorted ${Date.now()}`;
    const rows = [
      ["9.99", "07:00", "PT2H"],
      ["100", "18:30", "P3D"],
      ["20", null, null],
    ] as const;
    for (const [price, opens, patience] of rows) await create({ title: mark, price, opens, patience });
  });
  const all = () => `title=${encodeURIComponent(mark)}`;

  test.each([
    ["price", ["9.99", "20.00", "100.00"]],
    ["-price", ["100.00", "20.00", "9.99"]],
  ])("are sorted by %s", async (sort, amounts) => {
    const prices = (await listed(`${all()}&sort=${sort}`, "price")) as { amount: string }[];
    expect(prices.map(({ amount }) => amount)).toEqual(amounts);
  });

  test.each([
    ["opens", ["07:00:00", "18:30:00", null]],
    ["-opens", ["18:30:00", "07:00:00", null]],
    ["patience", ["PT2H", "P3D", null]],
    ["-patience", ["P3D", "PT2H", null]],
  ])("are sorted by %s over several pages", async (sort, values) => {
    const name = sort.replace("-", "");
    expect(await listed(`${all()}&sort=${sort}`, name)).toEqual(values);
    const paged: unknown[] = [];
    for (let after = ""; ; ) {
      const page = (await member.get(`/api/orders?${all()}&sort=${sort}&limit=1${after}`)).list();
      paged.push(...page.items.map((one) => one[name]));
      if (page.next === null) break;
      after = `&after=${page.next}`;
    }
    expect(paged).toEqual(values);
  });

  test("are filtered by an amount, a time, a duration, a number, a word", async () => {
    const [first] = (await member.get(`/api/orders?${all()}&sort=price`)).list().items;
    for (const filter of [
      "price=9.99",
      "opens=07:00",
      "patience=PT120M",
      `number=${first?.number}`,
      `address=${first?.address}`,
    ])
      expect(
        (await member.get(`/api/orders?${all()}&${filter}`)).list().items.map(({ id }) => id),
        filter,
      ).toEqual([first?.id]);
  });

  test("search rich text, numbers, and the words of addresses", async () => {
    const { id, number, address } = await create({ body: "it **shimmers**" });
    for (const words of ["shimmer", String(number).toLowerCase(), address])
      expect((await member.get(`/api/orders?search=${words}`)).list().items.map((one) => one.id)).toEqual([id]);
  });

  test("can’t be sorted by JSON, or filtered by JSON and rich text", async () => {
    for (const query of ["sort=extra", "extra=1", "body=x", "price=abc", "patience=soon"])
      expect((await member.get(`/api/orders?${query}`)).problem().code, query).toBe("BAD_QUERY");
  });

  test("reject page tokens with values that no column of the type accepts", async () => {
    const { next } = (await member.get(`/api/orders?sort=patience&limit=1`)).list();
    const [seal] = JSON.parse(Buffer.from(next ?? "", "base64url").toString()) as [string];
    const id = "00000000-0000-0000-0000-000000000000";
    for (const value of ["soon", "1 fortnight", "'", "\u0000"]) {
      const token = Buffer.from(JSON.stringify([seal, value, id])).toString("base64url");
      expect((await member.get(`/api/orders?sort=patience&after=${token}`)).problem().code).toBe("BAD_CURSOR");
    }
  });
});

test("have labels with amounts, times and durations as people read them", async () => {
  const { id, number } = await create({ title: "Ladder", price: "834.5", opens: "08:30", patience: "P1DT30M" });
  expect((await member.get(`/api/orders/${id}?label=true`)).record()._label).toBe(
    `${number}: Ladder, €834.50, 08:30, 1 day, 30 minutes`,
  );
});

describe("defaults", () => {
  test("of money and duration are stored", async () => {
    const { price, patience } = await create();
    expect([price, patience]).toEqual([{ amount: "10.00", currency: "EUR" }, "P2D"]);
  });
});

describe("a sequence", () => {
  const year = new Date().getUTCFullYear();
  test("follows its pattern, and restarts each year", async () => {
    const desk = await serveText(shop);
    const mia = await desk.person("Mia");
    const draw = async () => (await mia.post("/api/orders", { title: "One more" })).record().number;
    expect([await draw(), await draw()]).toEqual([`O-${year}-0001`, `O-${year}-0002`]);
    await desk.database.query("update ninefold.sequence set last = 9998 where field = 'order.number'");
    expect([await draw(), await draw()]).toEqual([`O-${year}-9999`, `O-${year}-10000`]);
    desk.ahead(366 * 86_400_000);
    const eve = await desk.person("Eve");
    expect((await eve.post("/api/orders", { title: "New year" })).record().number).toBe(`O-${year + 1}-0001`);
  });

  test("is not used up by refused requests", async () => {
    const { number } = await create();
    await make({ price: "950" });
    await make({ title: "" });
    const next = (await create()).number;
    expect(Number(String(next).slice(-4)) - Number(String(number).slice(-4))).toBe(1);
  });

  test("assigns each number once and skips none for simultaneous requests", async () => {
    const numbers = await Promise.all(Array.from({ length: 40 }, async () => String((await create()).number).slice(7)));
    const sorted = numbers.map(Number).sort((a, b) => a - b);
    expect(sorted).toEqual(Array.from({ length: 40 }, (_, i) => (sorted[0] ?? 0) + i));
  });

  test("that a transition assigns has no gap after refusals, and is assigned once", async () => {
    const orders = await Promise.all(Array.from({ length: 20 }, (_, i) => create({ price: i % 4 === 0 ? "0" : "5" })));
    expect(orders.every(({ bill }) => bill === null)).toBe(true);
    const closed = await Promise.all(orders.map(({ id }) => member.post(`/api/orders/${id}/close`)));
    const bills = closed.filter(({ status }) => status === 200).map((one) => Number(one.record().bill));
    expect(bills.sort((a, b) => a - b)).toEqual(Array.from({ length: 15 }, (_, i) => i + 1));
    const again = orders.find((_, i) => i % 4 !== 0)?.id ?? "";
    const { bill } = (await member.get(`/api/orders/${again}`)).record();
    await member.post(`/api/orders/${again}/reopen`);
    expect((await member.post(`/api/orders/${again}/close`)).record().bill).toBe(bill);
    const after = await create();
    expect((await member.post(`/api/orders/${after.id}/close`)).record().bill).toBe("16");
    const line = (await member.get(`/api/orders/${after.id}/history`)).history()[0];
    expect(line?.changes).toContainEqual({ field: "bill", before: null, after: "16" });
  });
});

describe("a slug", () => {
  test("is derived from its source, with letters that are valid in an address", async () => {
    for (const [title, slug] of [
      ["Größe & Gewicht", "grosse-gewicht"],
      ["  Ça va, Łódź?  ", "ca-va-lodz"],
      ["日本語のタイトル", "order"],
    ])
      expect((await create({ title })).address).toBe(slug);
  });

  test("gets a number if it is taken, also when many are created at once", async () => {
    const records = await Promise.all(Array.from({ length: 12 }, () => create({ title: "Twins" })));
    expect(records.map(({ address }) => address).sort()).toEqual(
      ["twins", ...Array.from({ length: 11 }, (_, i) => `twins-${i + 2}`)].sort(),
    );
  });

  test("can be changed, but not to one that is taken, and stays when its source changes", async () => {
    const one = await create({ title: "First word" });
    const other = await create({ title: "Second word" });
    expect(wrong(await member.patch(`/api/orders/${other.id}`, { address: one.address }))).toEqual([
      "/address TAKEN: Address is already taken.",
    ]);
    expect((await change(other.id, { address: "third-word" })).address).toBe("third-word");
    expect((await change(one.id, { title: "Renamed" })).address).toBe("first-word");
  });
});

test("a position is the next free one, unless it is given", async () => {
  const order = (await create()).id;
  const add = async (text: string, place?: number) =>
    (await member.post("/api/lines", { order, text, ...(place === undefined ? {} : { place }) })).record().place;
  const places = [await add("a"), await add("b"), await add("c", 7), await add("d")];
  expect(places.slice(1)).toEqual([Number(places[0]) + 1, 7, 8]);
  expect(wrong(await member.post("/api/lines", { order, text: "e", place: 0 }))).toEqual([
    "/place WRONG_TYPE: Place must be a whole number from 1.",
  ]);
});
