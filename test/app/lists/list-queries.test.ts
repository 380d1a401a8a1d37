import { beforeAll, describe, expect, test } from "vitest";
import type { ListJson } from "../../../src/core/wire/lists.ts";
import type { RecordJson } from "../../../src/core/wire/records.ts";
import { beginSession } from "../../../src/server/auth/sessions.ts";
import { maintainSearchIndexes } from "../../../src/server/lifecycle/search-index-maintenance.ts";
import { database } from "../../postgres.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

/** A keeper reads everything; a member does not read the code, and reads prices of their own things only. */
const specification = `
# Store

## 3. Entities and their fields
\`\`\`yaml
Thing:
  label: "{name}"
  fields:
    name:    text
    kind:    { type: choice?, values: [tool, device, vehicle] }
    rank:    integer?
    day:     date?
    price:   decimal?
    seen:    datetime?
    fragile: boolean
    note:    long text?
    code:    text?
    owner:   User?
    labels:  { type: choice, values: [red, green, blue], many: true }
    raw:     json?
    rack:    Rack?
Box:
  fields:
    name: text
Rack:
  label: "{shelf} {name}"
  fields:
    name:  text
    shelf: integer
    shut:  boolean
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  member: { members: signed in }
  keeper: { members: granted }
permissions:
  User: { read: [member] }
  Thing:
    read:
      - { role: member, fields: [name, kind, rank, day, seen, fragile, note, owner, labels, rack] }
      - { role: member, when: "owner == user", fields: [price] }
      - keeper
    create: [keeper]
  Box:
    read: [keeper]
    create: [keeper]
  Rack:
    read: [keeper, { role: member, when: "!shut", fields: [name] }]
    create: [keeper]
\`\`\`

## 9. Business constants and limits
\`\`\`yaml
page_size: 30
page_size_max: 40
\`\`\`
`;

let store: TestServer;
let keeper: ApiClient & { readonly id: string };
let member: ApiClient & { readonly id: string };
let visitor: ApiClient;

/** Ties and missing values in every column, so that only the id makes an order total. */
const rows = Array.from({ length: 23 }, (_, i) => ({
  name: `Thing ${String.fromCodePoint(65 + ((i * 7) % 5))}`,
  kind: [null, "tool", "device", "vehicle"][i % 4],
  rank: i % 3 === 0 ? null : i % 5,
  day: i % 4 === 1 ? null : `2026-0${1 + (i % 3)}-1${i % 2}`,
  price: i % 5 === 2 ? null : `${i % 4}.${i % 2}5`,
  seen: i % 6 === 0 ? null : `2026-05-0${1 + (i % 4)}T0${i % 3}:00:00.${i % 2}07Z`,
  fragile: i % 2 === 0,
  labels: [[], ["red"], ["blue", "red"], ["green"]][(i * 5) % 4],
  note: i === 4 ? "Keep it dry" : null,
  code: i === 5 ? "Xyzzy" : null,
}));

beforeAll(async () => {
  store = await serveText(specification);
  keeper = await store.person("Kim", ["keeper"]);
  member = await store.person("Mia");
  visitor = store.visitor();
  const racks: string[] = [];
  for (const [name, shelf, shut] of [
    ["Zett", 10, false],
    ["Alpha", 9, true],
    ["Beta", 9, false],
  ] as const)
    racks.push(String((await keeper.post("/api/racks", { name, shelf, shut })).record().id));
  for (const [i, row] of rows.entries())
    (
      await keeper.post("/api/things", {
        ...row,
        ...(i % 7 === 0 ? { owner: member.id } : i % 7 === 3 ? { owner: keeper.id } : {}),
        rack: [null, ...racks][i % 4],
      })
    ).record();
  (await keeper.post("/api/boxes", { name: "Box" })).record();
});

const boxNames = ["\uffee", "😀", "apple", "Apple", "äther", "Box", "Zebra"];

const items = async (who: ApiClient, query: string): Promise<readonly RecordJson[]> =>
  (await who.get(`/api/things?${query}`)).list().items;
const refused = async (who: ApiClient, query: string) => {
  const { status, code, clause } = (await who.get(`/api/things?${query}`)).problem();
  return { status, code, ...(clause === undefined ? {} : { clause }) };
};
const badQuery = { status: 400, code: "BAD_QUERY" };
const badCursor = { status: 400, code: "BAD_CURSOR" };

describe("a filter", () => {
  test("keeps exactly the records with the value", async () => {
    const tools = await items(keeper, "kind=tool");
    expect(tools).toHaveLength(rows.filter(({ kind }) => kind === "tool").length);
    for (const { kind } of tools) expect(kind).toBe("tool");
  });

  test("with two values accepts either; two filters are combined", async () => {
    const either = await items(keeper, "kind=tool&kind=device");
    expect(either).toHaveLength(rows.filter(({ kind }) => kind === "tool" || kind === "device").length);
    const both = await items(keeper, "kind=tool&rank=2");
    expect(both.map(({ kind, rank }) => [kind, rank])).toEqual(
      rows.filter(({ kind, rank }) => kind === "tool" && rank === 2).map(() => ["tool", 2]),
    );
    expect(both.length).toBeGreaterThan(0);
  });

  test("without a value finds records with a missing one, alone or beside other values", async () => {
    expect(await items(keeper, "kind=")).toHaveLength(rows.filter(({ kind }) => kind === null).length);
    expect(await items(keeper, "kind=&kind=tool")).toHaveLength(
      rows.filter(({ kind }) => kind === null || kind === "tool").length,
    );
  });

  test.each([
    ["name=Thing%20A", (row: (typeof rows)[number]) => row.name === "Thing A"],
    ["rank=4", (row) => row.rank === 4],
    ["day=2026-01-10", (row) => row.day === "2026-01-10"],
    ["price=1.1500", (row) => row.price === "1.15"],
    ["seen=2026-05-02T03:00:00.107%2B02:00", (row) => row.seen === "2026-05-02T01:00:00.107Z"],
    ["fragile=true", (row) => row.fragile],
    ["fragile=false", (row) => !row.fragile],
  ] satisfies [string, (row: (typeof rows)[number]) => boolean][])(
    "compares by value for every type: %s",
    async (query, holds) => {
      const expected = rows.filter(holds).length;
      expect(expected).toBeGreaterThan(0);
      expect(await items(keeper, query)).toHaveLength(expected);
    },
  );

  test("of a reference accepts the id of the record", async () => {
    expect(await items(keeper, `owner=${member.id}`)).toHaveLength(4);
    expect(await items(keeper, "owner=01a1f40a-58ca-7a05-9984-7eae99dc592e")).toEqual([]);
  });

  test.each([
    "kind=spoon",
    "rank=many",
    "rank=1.5",
    "day=2026-02-30",
    "price=cheap",
    "seen=yesterday",
    "owner=Mia",
    "fragile=banana",
    "name=%00",
  ])("with a value that its field can’t have is rejected: %s", async (query) => {
    expect(await refused(keeper, query)).toEqual(badQuery);
  });

  test.each(["colour=red", "note=Keep%20it%20dry", "id=1", "version=1", "__proto__=1", "constructor=1", "toString="])(
    "by an unknown filter is rejected: %s",
    async (query) => {
      expect(await refused(keeper, query)).toEqual(badQuery);
    },
  );

  test("has a maximum of 20 fields and 100 values", async () => {
    const many = (count: number, of: (i: number) => string) => Array.from({ length: count }, (_, i) => of(i)).join("&");
    expect(
      await items(
        keeper,
        many(100, (i) => `rank=${i}`),
      ),
    ).toHaveLength(15);
    expect(
      await refused(
        keeper,
        many(101, (i) => `rank=${i}`),
      ),
    ).toEqual(badQuery);
    expect(
      await refused(
        keeper,
        many(21, (i) => `field${i}=1`),
      ),
    ).toEqual(badQuery);
  });

  test("of a field that the person can’t read is rejected like an unknown one", async () => {
    const hidden = (await member.get("/api/things?code=Xyzzy")).problem();
    const absent = (await member.get("/api/things?cede=Xyzzy")).problem();
    expect(hidden).toEqual({ ...absent, detail: absent.detail.replace("cede", "code") });
  });

  test("of a field that the person can read in some records reveals nothing about the others", async () => {
    const own = await items(member, "price=0.05");
    expect(own.map(({ owner }) => owner)).toEqual(own.map(() => ({ id: member.id, label: "Mia" })));
    expect(own.length).toBeLessThan((await items(keeper, "price=0.05")).length);
  });
});

describe("a search", () => {
  test("finds words anywhere in a text, in any case", async () => {
    expect((await items(keeper, "search=KEEP%20it")).map(({ note }) => note)).toEqual(["Keep it dry"]);
    expect(await items(keeper, "search=thing")).toHaveLength(23);
    expect(await items(keeper, "search=nowhere")).toEqual([]);
  });

  test("does not search fields that the person can’t read", async () => {
    expect(await items(keeper, "search=xyzzy")).toHaveLength(1);
    expect(await items(member, "search=xyzzy")).toEqual([]);
  });

  test("has no wildcards, and rejects characters that no text can contain", async () => {
    for (const sign of ["%25", "_", "\\", "'", '"', "$1"]) expect(await items(keeper, `search=${sign}`)).toEqual([]);
    expect(await refused(keeper, "search=a%00b")).toEqual(badQuery);
  });
});

describe("a sort order", () => {
  test("is ascending or descending, with missing values last in both", async () => {
    const up = (await items(keeper, "sort=rank")).map(({ rank }) => rank);
    const down = (await items(keeper, "sort=-rank")).map(({ rank }) => rank);
    const input = rows.flatMap(({ rank }) => (rank === null ? [] : [rank]));
    const missing = rows.filter(({ rank }) => rank === null).map(() => null);
    expect(up).toEqual([...input.toSorted((a, b) => a - b), ...missing]);
    expect(down).toEqual([...input.toSorted((a, b) => b - a), ...missing]);
  });

  test("has texts in the order in which people read them, and numbers by size", async () => {
    for (const name of ["äther", "Zebra", "apple", "😀", "Apple", "\uffee"]) await keeper.post("/api/boxes", { name });
    for (const sort of ["name", "_label"]) {
      const names = (await keeper.get(`/api/boxes?sort=${sort}`)).list().items.map(({ name }) => name);
      expect(names).toEqual(boxNames);
    }
    const prices = (await items(keeper, "sort=-price")).map(({ price }) => price);
    expect(prices.slice(0, 2)).toEqual(["3.15", "3.15"]);
  });

  test("follows the meaning of a choice, a reference, several values and a long text", async () => {
    const firsts = async (who: ApiClient, name: string, show: (record: RecordJson) => unknown) => {
      const all = (await items(who, `sort=${name}`)).map(show);
      return all.filter((value, i) => i === 0 || value !== all[i - 1]);
    };
    const label = (name: string) => (record: RecordJson) => (record[name] as { label?: string } | null)?.label ?? null;
    expect(await firsts(keeper, "kind", ({ kind }) => kind)).toEqual(["tool", "device", "vehicle", null]);
    expect(await firsts(keeper, "-kind", ({ kind }) => kind)).toEqual(["vehicle", "device", "tool", null]);
    expect(await firsts(keeper, "owner", label("owner"))).toEqual(["Kim", "Mia", null]);
    expect(await firsts(keeper, "rack", label("rack"))).toEqual(["9 Alpha", "9 Beta", "10 Zett", null]);
    expect(await firsts(keeper, "-rack", label("rack"))).toEqual(["10 Zett", "9 Beta", "9 Alpha", null]);
    expect(await firsts(keeper, "labels", ({ labels }) => (labels as string[])[0] ?? null)).toEqual([
      "red",
      "green",
      "blue",
      null,
    ]);
    expect((await items(keeper, "sort=note"))[0]?.note).toBe("Keep it dry");
    const racks = (await keeper.get("/api/racks?label=true&sort=_label")).list().items;
    expect(racks.map(({ _label }) => _label)).toEqual(["9 Alpha", "9 Beta", "10 Zett"]);
  });

  test("by reference does not reveal hidden records, or hidden values of labels", async () => {
    const shown = (await items(member, "sort=rack")).map(
      ({ rack }) => (rack as { label: string } | null)?.label ?? null,
    );
    const some = shown.filter((value, i) => value !== shown[i - 1]);
    // The shelf and the shut rack are hidden: things in that rack come last, among those without one.
    expect(some.slice(0, 2)).toEqual(["Beta", "Zett"]);
    expect(some.slice(2)).not.toContain("Alpha");
  });

  test("is newest first by default", async () => {
    const ids = (await items(keeper, "")).map(({ id }) => id);
    expect(ids).toEqual(ids.toSorted().reverse());
  });

  test.each([
    "sort=colour",
    "sort=raw",
    "sort=--rank",
    "sort=-",
    "sort=rank,",
    "sort=rank%3Bname",
    "sort=label",
    "sort=__proto__",
  ])("that is not possible is rejected: %s", async (query) => {
    expect(await refused(keeper, query)).toEqual(badQuery);
  });

  test("by a field that the person can’t read is rejected; by one that is readable in some records it reveals nothing about the others", async () => {
    expect(await refused(member, "sort=code")).toEqual(badQuery);
    const shown = (await items(member, "sort=price")).map((record) => record.price);
    const own = shown.filter((price) => price !== undefined && price !== null);
    expect(own).toEqual(own.toSorted());
    expect(shown.slice(own.length)).not.toContainEqual(expect.any(String));
  });
});

describe("the pages of a list", () => {
  const walk = async (who: ApiClient, query: string, limit: number) => {
    const seen: RecordJson[] = [];
    let pages = 0;
    for (let after = ""; ; pages++) {
      const page: ListJson = (await who.get(`/api/things?${query}&limit=${limit}${after}`)).list();
      seen.push(...page.items);
      if (page.next === null) return { ids: seen.map(({ id }) => id), pages: pages + 1 };
      expect(page.items).toHaveLength(limit);
      after = `&after=${page.next}`;
    }
  };

  const orders = [
    "",
    "name",
    "-name",
    "rank",
    "-rank",
    "kind,-rank",
    "-day,rank",
    "fragile,-price",
    "-seen,name",
    "owner,-kind",
    "-rack",
    "-labels",
  ];
  const more = [
    "price,kind,day",
    "-created_at",
    "updated_at,-rank",
    "-fragile,-rank,-day",
    "note",
    "_label,rank",
    "rack,owner",
  ];
  test.each([...orders, ...more])("contain every record once, in the order of one long page: sort=%s", async (sort) => {
    for (const who of [keeper, member]) {
      const query = sort === "" ? "kind=tool&kind=device&kind=vehicle&kind=" : `sort=${sort}`;
      const readAll = (await items(who, query)).map(({ id }) => id);
      expect(new Set(readAll).size).toBe(23);
      for (const limit of [1, 4, 22, 23]) {
        const { ids, pages } = await walk(who, query, limit);
        expect(ids).toEqual(readAll);
        expect(pages).toBe(Math.ceil(23 / limit));
      }
    }
  });

  test("neither repeat nor skip a record when another is added meanwhile", async () => {
    const first = (await keeper.get("/api/boxes?sort=name&limit=2")).list();
    const added = (await keeper.post("/api/boxes", { name: "! first" })).record();
    const rest = (await keeper.get(`/api/boxes?sort=name&limit=40&after=${first.next}`)).list();
    const names = [...first.items, ...rest.items].map(({ name }) => name);
    expect(names).toEqual(boxNames);
    expect(rest.items.map(({ id }) => id)).not.toContain(added.id);
  });

  test("have the default and maximum size of the document", async () => {
    expect(await items(keeper, "limit=1")).toHaveLength(1);
    expect(await items(keeper, "limit=40")).toHaveLength(23);
    for (const limit of ["0", "41", "-1", "1.5", "ten", "", "1e1", "99999999999"])
      expect(await refused(keeper, `limit=${limit}`)).toEqual({ ...badQuery, clause: "9.page_size_max" });
    expect(await refused(keeper, "limit=1&limit=2")).toEqual(badQuery);
  });

  test("have 30 records by default, as point 9 says", async () => {
    for (let i = 0; i < 31; i++) (await keeper.post("/api/boxes", { name: `Box ${i}` })).record();
    const page = (await keeper.get("/api/boxes")).list();
    expect(page.items).toHaveLength(30);
    expect(page.next).not.toBe(null);
  });

  const cursorOf = async (query: string) => (await keeper.get(`/api/things?${query}&limit=3`)).list().next ?? "";

  test("reject the page token of another list", async () => {
    const token = await cursorOf("sort=rank");
    expect(await items(keeper, `sort=rank&after=${token}`)).toHaveLength(20);
    for (const other of ["sort=-rank", "sort=name", "sort=rank,name", "sort=rank&kind=tool", "sort=rank&search=a", ""])
      expect(await refused(keeper, `${other}&after=${token}`)).toEqual(badCursor);
    expect(await keeper.get(`/api/boxes?sort=name&after=${await cursorOf("sort=name")}`)).toMatchObject({
      status: 400,
      body: badCursor,
    });
  });

  test("reject a damaged page token", async () => {
    const token = await cursorOf("sort=rank");
    for (const damaged of [
      "",
      "x",
      token.slice(0, -4),
      token.slice(4),
      `${token}AAAA`,
      "bnVsbA",
      "W10",
      "e30",
      "A".repeat(5_000),
    ])
      expect(await refused(keeper, `sort=rank&after=${damaged}`)).toEqual(badCursor);
  });

  test.each([
    ["rank", [null, 5, "1.5", "x", "99999999999999999999", {}, []]],
    ["day", ["2026-02-31", "0000-01-01", "yesterday", "2026-01-01\u0000", "99999-01-01", true]],
    ["seen", ["1", "now", "infinity", "2026-01-01T00:00:00Z'", "+275760-09-13T00:00:00.000Z"]],
    ["created_at", ["1", "tomorrow", null]],
    ["price", ["NaN", "Infinity", "1e3", "--1", "0x10"]],
    ["fragile", ["t", "yes", "1"]],
    ["name", ["a\u0000b", 7, "\ud800"]],
    ["kind", [["tool"], false]],
  ])("reject a forged page token or continue at its place, and never fail: %s", async (sort, values) => {
    const [seal, , id] = JSON.parse(Buffer.from(await cursorOf(`sort=${sort}`), "base64url").toString());
    const forge = (...parts: unknown[]) => Buffer.from(JSON.stringify([seal, ...parts])).toString("base64url");
    for (const value of values) {
      const answer = await keeper.get(`/api/things?sort=${sort}&after=${forge(value, id)}`);
      expect([200, 400], `${JSON.stringify(value)}: ${answer.text}`).toContain(answer.status);
    }
    for (const other of ["", "x", null, 1, "01a1f40a-58ca-7a05-9984"])
      expect(await refused(keeper, `sort=${sort}&after=${forge("1", other)}`)).toEqual(badCursor);
  });

  test("show another person with the page token only what that person can read", async () => {
    const token = await cursorOf("sort=name");
    const theirs = await items(member, `sort=name&after=${token}`);
    expect(theirs).toHaveLength(20);
    for (const record of theirs) expect(record).not.toHaveProperty("code");
  });
});

describe("a count", () => {
  test("is included on request: all matches of the filter, on every page", async () => {
    expect((await keeper.get("/api/things?limit=1&count=true")).list().count).toBe(23);
    expect((await keeper.get("/api/things?limit=1&count=true&kind=tool")).list().count).toBe(6);
    expect((await keeper.get("/api/things?count=true&search=nowhere")).list().count).toBe(0);
    const token = (await keeper.get("/api/things?limit=20")).list().next;
    expect((await keeper.get(`/api/things?count=true&after=${token}`)).list().count).toBe(23);
    expect((await keeper.get("/api/things")).body).not.toHaveProperty("count");
  });

  test("is exact up to 10,000, and “10,000+” beyond", async () => {
    const others = await serveText(specification);
    const who = await others.person("Kim", ["keeper"]);
    const add = (from: number, to: number) =>
      others.database.query(
        `insert into app.box (id, version, created_at, updated_at, name) select gen_random_uuid(), 1, now(), now(), 'Box ' || i from generate_series($1::int, $2::int) i`,
        [from, to],
      );
    await add(1, 10_000);
    expect((await who.get("/api/boxes?count=true")).list().count).toBe(10_000);
    await add(10_001, 10_001);
    expect((await who.get("/api/boxes?count=true")).list().count).toBe("10,000+");
    expect((await who.get("/api/boxes?count=exact&limit=1")).list().count).toBe(10_001);
  });

  test("is estimated beyond 10,000, for readers of all records and lists without conditions", async () => {
    const others = await serveText(specification);
    const [who, some] = [await others.person("Kim", ["keeper"]), await others.person("Sam")];
    await others.database.query(
      `insert into app.rack (id, version, created_at, updated_at, name, shelf, shut) select gen_random_uuid(), 1, now(), now(), 'Rack', i, i > 12000 from generate_series(1, 12345) i`,
    );
    await others.database.query("analyze app.rack");
    const counted = async (person: typeof who, query: string) => {
      const { count, about } = (await person.get(`/api/racks?limit=1&${query}`)).list();
      return [count, about];
    };
    expect(await counted(who, "count=true")).toEqual(["10,000+", 12_300]);
    expect(await counted(who, "count=exact")).toEqual([12_345, undefined]);
    expect(await counted(who, "count=true&name=Rack")).toEqual(["10,000+", undefined]);
    expect(await counted(who, "count=true&search=rack")).toEqual(["10,000+", undefined]);
    // Statistics would tell how many are hidden.
    expect(await counted(some, "count=true")).toEqual(["10,000+", undefined]);
    expect(await counted(some, "count=exact")).toEqual([12_000, undefined]);
  });
});

describe("a person who can’t read an entity", () => {
  test("is refused, and does not get an empty list", async () => {
    expect((await member.get("/api/boxes")).problem()).toMatchObject({
      status: 403,
      code: "FORBIDDEN",
      clause: "6.Box.read",
    });
    expect((await visitor.get("/api/things")).problem()).toMatchObject({
      status: 401,
      code: "NOT_SIGNED_IN",
      clause: "6.Thing.read",
    });
  });

  test("is asked to sign in before anything else is said", async () => {
    for (const query of ["sort=code", "colour=red", "after=x"])
      expect(await refused(visitor, query)).toMatchObject({ status: 401, code: "NOT_SIGNED_IN" });
  });
});

describe("a record in a list", () => {
  test("has its label and possible actions on request only", async () => {
    const [plain] = await items(keeper, "limit=1");
    expect(plain).not.toHaveProperty("_label");
    expect(plain).not.toHaveProperty("may");
    const [rich] = await items(keeper, "limit=1&label=true&may=true");
    expect(rich).toMatchObject({
      _label: plain?.name,
      may: { update: [], delete: false, transitions: [], refused: {} },
    });
  });

  test("has the fields that the person can read on it: one that they can’t read is absent, not empty", async () => {
    for (const record of await items(member, "")) {
      expect(record).not.toHaveProperty("code");
      if ((record.owner as { id: string } | null)?.id !== member.id) expect(record).not.toHaveProperty("price");
      else expect(record).toHaveProperty("price");
    }
    for (const record of await items(keeper, "")) expect(record).toHaveProperty("code");
  });
});

describe("a search with an index", () => {
  test("finds the same records as without one, for every person, term and number of matches", async () => {
    const text = `
## 2. Screens
\`\`\`yaml
/notes: { list: Note, sort: [-rank] }
\`\`\`
## 3. Entities
\`\`\`yaml
Note: { fields: { title: text, body: long text?, hidden: text?, rank: integer, owner: { type: User, set: user } } }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { member: { members: signed in }, reader: { members: granted }, Note: { owner: owner == user } }
permissions:
  Note:
    read: [{ role: reader, fields: [title, body, rank] }, owner, { role: member, when: rank < 100, fields: [title, rank] }]
    create: member
\`\`\`
`;
    const store = await database();
    const before = await serveText(text, { database: store });
    const ada = await before.person("Ada");
    await store.query(
      `insert into app.note (id, version, created_at, updated_at, title, body, hidden, rank, owner)
       select uuidv7(), 1, now(), now(), (array['Ärger im Büro', 'STRASSE', 'naïve 50% off_', 'plain', 'Ivy \\ oak'])[1 + n % 5] || ' ' || n,
         case when n % 3 = 0 then 'The wooden thing ' || n end, 'secret' || n, n, $1 from generate_series(1, 3000) n`,
      [ada.id],
    );
    const words = [
      "wooden thing 300",
      "BÜRO 1",
      "straße",
      "50%",
      "off_",
      '"\\\\ oak"',
      "ä",
      "12",
      "secret12",
      "nowhere",
      "Ivy",
      "'; --",
    ];
    const people = async (desk: TestServer) => [
      ada.id,
      (await desk.person(`Reader ${desk.opened.applied.version}`, ["reader"])).id,
      (await desk.person("Member")).id,
    ];
    const request = async (desk: TestServer, who: readonly string[]) => {
      const found = [];
      for (const id of who) {
        const token = await beginSession(desk.opened.service.database, id, 12, new Date());
        const somebody = desk.signedIn(token);
        for (const word of words)
          for (const more of ["&sort=-rank", "&sort=title&rank>=50&count=true"]) {
            const answer = await somebody.get(`/api/notes?limit=20&search=${encodeURIComponent(word)}${more}`);
            const next = answer.list().next;
            const second =
              next === null
                ? null
                : await somebody.get(`/api/notes?limit=20&search=${encodeURIComponent(word)}${more}&after=${next}`);
            found.push([word, more, answer.list().items, answer.list().count, second?.list().items]);
          }
      }
      return found;
    };
    const who = await people(before);
    const without = await request(before, who);
    expect(before.opened.applied.searched.size).toBe(0);
    await before.stop();
    // A large table gets its indexes; a table that has some gets all of them, whatever its size: after the start rather
    // than with it.
    await store.query("create index by_hand on app.note using gin (lower(title) ninefold.gin_trgm_ops)");
    const after = await serveText(text, { database: store });
    expect([...after.opened.searched]).toEqual([]);
    const { service, searched, buildTrigramIndexes } = after.opened;
    const { model } = service;
    const log = { warn: (...said: unknown[]) => Promise.reject(said) };
    const tended = maintainSearchIndexes({
      model: () => model,
      database: service.database,
      searched,
      make: buildTrigramIndexes,
      log,
    });
    tended.check();
    await expect.poll(() => [...searched], { timeout: 20_000 }).toEqual(["note"]);
    await tended.stop();
    expect(await request(after, who)).toEqual(without);
    const { rows } = await store.query(
      "select indexdef from pg_indexes where schemaname = 'app' and indexname like 'note__words%' order by 1",
    );
    expect(rows).toHaveLength(3);
    await after.stop();
    const again = await serveText(text, { database: store });
    expect(again.opened.applied.done).toEqual([]);
    expect([...again.opened.searched]).toEqual(["note"]);
    await again.stop();
    await store.end();
  });
});
