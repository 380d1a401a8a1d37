import { beforeAll, describe, expect, test } from "vitest";
import type { Application } from "../../../src/core/wire/application.ts";
import type { GroupsJson, PivotJson } from "../../../src/core/wire/groups.ts";
import type { OverviewJson } from "../../../src/core/wire/overview.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

/* Lists in groups: counts and sums of what the reader can see, each of which opens as a filter of the list. */

const text = `# Purchases

## 3. Entities and their fields
\`\`\`yaml
Shop: { label: "{name}", fields: { name: text, closed: boolean } }
Room: { label: "{name}", fields: { name: text } }
Day:  { fields: { day: date, room: Room, hours: integer } }
Item:
  label: "{name}"
  fields:
    name:   text
    kind:   { type: choice, values: [tool, paper, other] }
    shop:   Shop?
    day:    date?
    urgent: boolean
    price:  { type: money, currency: EUR }
    hours:  decimal?
    twice:  { type: money, currency: EUR, computed: "price * 2" }
    tags:   { type: choice, values: [a, b], many: true }
\`\`\`

## 2. Screens
\`\`\`yaml
/items: { list: Item, layouts: [{ pivot: kind, by: shop, value: sum(price) }] }
/: { tiles: [{ title: Months, pivot: day, by: kind, from: Item, where: "kind != other", value: sum(price) }, { title: Shops, pivot: shop, by: kind, from: Item }] }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Item: { field: status, initial: open, final: [done], states: [open, done], transitions: { finish: { from: open, to: done, by: clerk } } }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { clerk: granted, guest: granted }
permissions:
  Shop: { read: [clerk, { role: guest, when: "!closed" }], create: [clerk], update: [clerk] }
  Room: { read: [clerk] }
  Day:  { read: [clerk] }
  Item:
    read:
      - clerk
      - { role: guest, fields: [name, kind, shop, urgent], when: "kind != other" }
      - { role: guest, fields: [name, kind, shop, urgent, price], when: "kind == paper" }
    create: [clerk]
    update: [clerk]
\`\`\`
`;

let served: TestServer;
let clerk: ApiClient;
let guest: ApiClient;
beforeAll(async () => {
  served = await serveText(text);
  clerk = await served.person("Cleo", ["clerk"]);
  guest = await served.person("Gus", ["guest"]);
  const shops = [];
  for (const [name, closed] of [
    ["Zett", false],
    ["Alpha", true],
  ] as const)
    shops.push((await clerk.post("/api/shops", { name, closed })).record().id);
  const items = [
    { name: "Hammer", kind: "tool", shop: shops[0], day: "2026-03-31", price: "10.50", hours: "1.25", urgent: true },
    { name: "Saw", kind: "tool", shop: shops[1], day: "2026-03-01", price: "20", urgent: false },
    { name: "Paper", kind: "paper", shop: shops[0], day: "2026-04-01", price: "5.25", hours: "2", urgent: false },
    { name: "Card", kind: "paper", day: null, price: "1", urgent: true },
    { name: "Secret", kind: "other", shop: shops[1], day: "2026-04-30", price: "1000", urgent: true },
  ];
  for (const item of items) expect((await clerk.post("/api/items", item)).status).toBe(201);
});

const groups = async (somebody: ApiClient, query: string): Promise<GroupsJson> => {
  const answer = await somebody.get(`/_/groups/items?${query}`);
  expect(answer.text).toContain('"groups"');
  return answer.body as GroupsJson;
};
const short = ({ groups: all }: Pick<GroupsJson, "groups">): unknown =>
  all.map(({ key, label, count, groups: inner }) => [
    label ?? key,
    count,
    ...(inner ? [short({ groups: inner })] : []),
  ]);

describe("groups of a list", () => {
  test("have counts and exact sums, in the order of the document, and all of them together", async () => {
    expect(await groups(clerk, "groups.by=kind&groups.sums=price,hours,twice")).toEqual({
      count: 5,
      sums: { price: "1036.75", hours: "3.25", twice: "2073.5" },
      groups: [
        { key: "tool", count: 2, sums: { price: "30.5", hours: "1.25", twice: "61" } },
        { key: "paper", count: 2, sums: { price: "6.25", hours: "2", twice: "12.5" } },
        { key: "other", count: 1, sums: { price: "1000", hours: "0", twice: "2000" } },
      ],
      more: false,
    });
  });

  test("are by label of a reference, by month of a date, yes before no, and without a value last", async () => {
    expect(short(await groups(clerk, "groups.by=shop"))).toEqual([
      ["Alpha", 2],
      ["Zett", 2],
      [null, 1],
    ]);
    expect(short(await groups(clerk, "groups.by=day"))).toEqual([
      ["2026-03-01", 2],
      ["2026-04-01", 2],
      [null, 1],
    ]);
    const byQuarter = [
      ["2026-01-01", 2],
      ["2026-04-01", 2],
      [null, 1],
    ];
    expect(short(await groups(clerk, "groups.by=quarter_of(day)"))).toEqual(byQuarter);
    expect(short(await groups(clerk, "groups.by=year_of(day)"))).toEqual([
      ["2026-01-01", 4],
      [null, 1],
    ]);
    expect(short(await groups(clerk, "groups.by=urgent"))).toEqual([
      [true, 3],
      [false, 2],
    ]);
    expect(short(await groups(clerk, "groups.by=status"))).toEqual([["open", 5]]);
  });

  test("can have groups of a second field, and follow the filters and the search of the list", async () => {
    expect(short(await groups(clerk, "groups.by=urgent,kind"))).toEqual([
      [
        true,
        3,
        [
          ["tool", 1],
          ["paper", 1],
          ["other", 1],
        ],
      ],
      [
        false,
        2,
        [
          ["tool", 1],
          ["paper", 1],
        ],
      ],
    ]);
    expect(short(await groups(clerk, "groups.by=kind&urgent=true"))).toEqual([
      ["tool", 1],
      ["paper", 1],
      ["other", 1],
    ]);
    expect(short(await groups(clerk, "groups.by=kind&search=saw"))).toEqual([["tool", 1]]);
    expect(await groups(clerk, "groups.by=kind&groups.sums=price&search=nothing")).toEqual({
      count: 0,
      sums: { price: "0" },
      groups: [],
      more: false,
    });
  });

  test("open as filters of the list with the same number of records", async () => {
    const { groups: all } = await groups(clerk, "groups.by=shop");
    for (const { key, count } of all)
      expect((await clerk.get(`/api/items?shop=${key ?? ""}&count=true`)).list().count).toBe(count);
  });

  test("count and add up only what the reader can see", async () => {
    // Prices of tools are hidden from the guest, and so is every other thing.
    expect(await groups(guest, "groups.by=kind&groups.sums=price")).toMatchObject({
      count: 4,
      sums: { price: "6.25" },
      groups: [
        { key: "tool", count: 2, sums: { price: "0" } },
        { key: "paper", count: 2, sums: { price: "6.25" } },
      ],
    });
    expect(short(await groups(guest, "groups.by=shop"))).toEqual([
      ["…", 1],
      ["Zett", 2],
      [null, 1],
    ]);
    for (const query of ["groups.by=day", "groups.by=kind&groups.sums=hours", "groups.by=kind&day>=2026-01-01"])
      expect((await guest.get(`/_/groups/items?${query}`)).status).toBe(400);
    expect((await served.visitor().get("/_/groups/items?groups.by=kind")).status).toBe(401);
  });

  test("can be exported with a line for each innermost group", async () => {
    const { headers, text: file } = await clerk.get(
      "/_/groups/items.csv?groups.by=urgent,shop&groups.sums=price,hours",
    );
    expect(headers.get("content-disposition")).toBe("attachment");
    expect(file.replace("\uFEFF", "").split("\r\n")).toEqual([
      "Urgent,Shop,items,Price (EUR),Hours",
      "true,Alpha,1,1000,0",
      "true,Zett,1,10.5,1.25",
      "true,,1,1,0",
      "false,Alpha,1,20,0",
      "false,Zett,1,5.25,2",
      "",
    ]);
  });

  test("are refused by fields of other kinds, by none, and by three", async () => {
    for (const query of [
      "",
      "groups.by=name",
      "groups.by=year_of(kind)",
      "groups.by=day,year_of(day)",
      "groups.by=tags",
      "groups.by=kind,kind",
      "groups.by=kind,urgent,shop",
      "groups.by=kind&groups.sums=name",
    ])
      expect((await clerk.get(`/_/groups/items?${query}`)).problem().code).toBe("BAD_QUERY");
    expect((await clerk.get("/_/groups/nothing?groups.by=kind")).status).toBe(404);
  });
});

const pivot = async (somebody: ApiClient, query: string): Promise<PivotJson> => {
  const answer = await somebody.get(`/_/pivot/items?${query}`);
  expect(answer.text).toContain('"cells"');
  return answer.body as PivotJson;
};
const namesOf = (lines: PivotJson["rows"]) => lines.map(({ key, label }) => label ?? key);

describe("a pivot of a list", () => {
  test("has rows, columns and totals in the order of the document, with exact sums", async () => {
    expect(await pivot(clerk, "groups.by=kind,urgent&groups.sums=price")).toEqual({
      count: 5,
      sums: { price: "1036.75" },
      rows: [
        { key: "tool", count: 2, sums: { price: "30.5" } },
        { key: "paper", count: 2, sums: { price: "6.25" } },
        { key: "other", count: 1, sums: { price: "1000" } },
      ],
      columns: [
        { key: true, count: 3, sums: { price: "1011.5" } },
        { key: false, count: 2, sums: { price: "25.25" } },
      ],
      cells: [
        [
          { count: 1, sums: { price: "10.5" } },
          { count: 1, sums: { price: "20" } },
        ],
        [
          { count: 1, sums: { price: "1" } },
          { count: 1, sums: { price: "5.25" } },
        ],
        [{ count: 1, sums: { price: "1000" } }, null],
      ],
    });
    const months = await pivot(clerk, "groups.by=shop,day");
    expect([namesOf(months.rows), namesOf(months.columns)]).toEqual([
      ["Alpha", "Zett", null],
      ["2026-03-01", "2026-04-01", null],
    ]);
    expect(months.cells.map((cells) => cells.map((cell) => cell?.count ?? null))).toEqual([
      [1, 1, null],
      [1, 1, null],
      [null, null, 1],
    ]);
    expect(await pivot(clerk, "groups.by=shop,day&search=nothing")).toEqual({
      ...{ count: 0, sums: {}, rows: [], columns: [], cells: [] },
    });
  });

  test("has figures that the list confirms, and only of records that the reader can see", async () => {
    for (const somebody of [clerk, guest]) {
      const { rows, columns, cells, count } = await pivot(somebody, "groups.by=kind,shop&urgent=true");
      const listed = async (query: string) =>
        (await somebody.get(`/api/items?urgent=true&count=true${query}`)).list().count;
      expect(await listed("")).toBe(count);
      for (const [at, row] of rows.entries()) {
        expect(await listed(`&kind=${row.key}`)).toBe(row.count);
        for (const [nth, column] of columns.entries())
          expect(await listed(`&kind=${row.key}&shop=${column.key ?? ""}`)).toBe(cells[at]?.[nth]?.count ?? 0);
      }
    }
    const seen = await pivot(guest, "groups.by=kind,shop&groups.sums=price");
    expect([seen.count, seen.sums, namesOf(seen.rows), namesOf(seen.columns)]).toEqual([
      4,
      { price: "6.25" },
      ["tool", "paper"],
      ["…", "Zett", null],
    ]);
    for (const query of ["groups.by=kind,day", "groups.by=kind", "groups.by=kind,kind", "groups.by=kind,shop,urgent"])
      expect((await guest.get(`/_/pivot/items?${query}`)).status).toBe(400);
    expect((await served.visitor().get("/_/pivot/items?groups.by=kind,shop")).status).toBe(401);
  });

  test("can be exported as it is shown", async () => {
    const { text: file } = await clerk.get("/_/pivot/items.csv?groups.by=kind,shop&groups.sums=price");
    expect(file.replace("\uFEFF", "").split("\r\n")).toEqual([
      "Kind / Shop: Price (EUR),Alpha,Zett,No Shop,Total",
      "Tool,20,10.5,,30.5",
      "Paper,,5.25,1,6.25",
      "Other,1000,,,1000",
      "Total,1020,15.75,1,1036.75",
      "",
    ]);
  });

  test("is a layout and a tile for people who can read its fields", async () => {
    const screens = async (somebody: ApiClient) =>
      ((await somebody.get("/_/application")).body as Application).screens.map((screen) =>
        screen.kind === "list" ? screen.layouts : screen.kind === "tiles" ? screen.tiles.map(({ title }) => title) : [],
      );
    const ofTable = { kind: "table" };
    const ofPivot = { kind: "pivot", rows: "kind", columns: "shop", sum: "price" };
    expect(await screens(clerk)).toContainEqual([ofPivot, ofTable]);
    expect(await screens(clerk)).toContainEqual(["Months", "Shops"]);
    expect(await screens(guest)).toContainEqual(["Shops"]);
    const { tiles } = (await clerk.get("/_/overview?screen=/")).body as OverviewJson;
    expect(tiles).toMatchObject([
      { kind: "pivot", pivot: { count: 4, rows: [{ key: "2026-03-01" }, { key: "2026-04-01" }, { key: null }] } },
      { kind: "pivot", pivot: { count: 5 } },
    ]);
  });

  test("adds up the lines beyond its maximum; of dates, the earlier ones", async () => {
    const row = "gen_random_uuid(), 1, now(), now()";
    await served.database.query(
      `insert into app."room" (id, version, created_at, updated_at, name) select ${row}, 'Room ' || lpad(i::text, 3, '0') from generate_series(1, 203) i`,
    );
    await served.database.query(
      `insert into app."day" (id, version, created_at, updated_at, day, room, hours)
       select ${row}, date '2020-01-15' + (m || ' months')::interval, r.id, m from app."room" r, generate_series(0, 41) m where m < 40 or r.name < 'Room 010'`,
    );
    const { rows, columns, cells, count, sums } = (
      await clerk.get("/_/pivot/days?groups.by=room,day&groups.sums=hours")
    ).body as PivotJson;
    expect([rows.length, rows.at(-1)?.others, columns.length, columns.at(-1)?.others]).toEqual([201, 3, 41, 2]);
    expect([columns[0]?.key, columns.at(-2)?.key]).toEqual(["2020-03-01", "2023-06-01"]);
    const total = (lines: readonly { readonly count: number; readonly sums: Readonly<Record<string, string>> }[]) => [
      lines.reduce((all, line) => all + line.count, 0),
      lines.reduce((all, line) => all + Number(line.sums.hours), 0),
    ];
    const all = [count, Number(sums.hours)];
    expect([total(rows), total(columns), total(cells.flat().flatMap((cell) => cell ?? []))]).toEqual([all, all, all]);
    expect(cells.at(-1)?.at(-1)).toEqual({ count: 6, sums: { hours: "3" } });
  });
});
