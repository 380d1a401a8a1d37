import { readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { draft } from "../../src/cli/draft/draft.ts";
import { type CommandFailed, exits } from "../../src/cli/exit-codes.ts";
import { compile } from "../../src/core/compile.ts";
import type { DatabaseColumn, DatabaseTable } from "../../src/core/draft/database/database-table.ts";
import { draftDatabase } from "../../src/core/draft/database/draft-database.ts";
import { parseCheck } from "../../src/core/draft/database/parse-check.ts";
import { createSpelling } from "../../src/core/draft/database/spell-names.ts";
import { writeDocument } from "../../src/core/draft/write-document.ts";
import { format } from "../../src/core/format.ts";
import { captureOutput, failureOf } from "../captured-output.ts";
import fc from "../chance.ts";
import { database, type TestDatabase } from "../postgres.ts";
import { hardName } from "./hard-names.ts";

const output = captureOutput();

describe("a check of a database", () => {
  test("is read as Postgres prints it", () => {
    expect(parseCheck("price >= 0::numeric AND price <= 99.5")).toEqual([
      { kind: "bound", column: "price", operator: ">=", value: "0" },
      { kind: "bound", column: "price", operator: "<=", value: "99.5" },
    ]);
    expect(parseCheck(`("Unit Price" > '-1'::integer::numeric)`)).toEqual([
      { kind: "bound", column: "Unit Price", operator: ">", value: "-1" },
    ]);
    expect(parseCheck("char_length(code::text) = 3")).toEqual([
      { kind: "length", column: "code", operator: "=", value: 3 },
    ]);
    expect(
      parseCheck("kind::text = ANY (ARRAY['a, b'::character varying, 'it''s'::character varying]::text[])"),
    ).toEqual([{ kind: "values", column: "kind", values: ["a, b", "it's"] }]);
    expect(parseCheck("kind = 'x'::text OR kind = 'y'::text")).toEqual([
      { kind: "values", column: "kind", values: ["x", "y"] },
    ]);
    expect(parseCheck("ends >= begins")).toEqual([{ kind: "columns", left: "ends", operator: ">=", right: "begins" }]);
    expect(parseCheck("(a = 'x'::text OR a = 'y'::text) AND c > 0")).toEqual([
      { kind: "values", column: "a", values: ["x", "y"] },
      { kind: "bound", column: "c", operator: ">", value: "0" },
    ]);
  });

  test("says no more where it allows a missing value", () => {
    expect(parseCheck("ends >= begins OR ends IS NULL OR begins IS NULL")).toEqual(parseCheck("ends >= begins"));
    expect(parseCheck("price > 0 AND price < 5 OR price IS NULL")).toEqual(parseCheck("price > 0 AND price < 5"));
    const kinds = [{ kind: "values", column: "kind", values: ["x", "y"] }];
    expect(parseCheck("kind IS NULL OR (upper(kind::text) = ANY (ARRAY['x'::text, 'y'::text]))")).toEqual(kinds);
    expect(parseCheck("kind = 'x'::text OR lower(kind) = 'y'::text OR kind IS NULL")).toEqual(kinds);
  });

  test("is not read in part", () => {
    for (const sql of [
      "code ~ '^[A-Z]+$'::text",
      "price > 0 AND price < tax * 2",
      "a > 0 OR b > 0",
      "price > 0 AND tax > 0 OR tax IS NULL",
      "a = 'x'::text AND b = 'y'::text OR b = 'z'::text",
      "code = upper(code)",
      "note IS NULL",
      "",
    ])
      expect(parseCheck(sql), sql).toBeUndefined();
  });
});

const column = (name: string, type: string, more: Partial<DatabaseColumn> = {}): DatabaseColumn => ({
  name,
  type,
  labels: undefined,
  isRequired: true,
  comment: undefined,
  default: undefined,
  fill: "entered",
  domainChecks: [],
  ...more,
});

test("ids that the database makes, numbers of lines and passwords are left out, and texts without a limit are long", () => {
  const bare = { schema: "public", comment: undefined, unique: [], foreignKeys: [], checks: [], others: [] };
  const tables = [
    {
      ...bare,
      name: "orders",
      primaryKey: ["id"],
      columns: [
        column("id", "uuid", { default: "gen_random_uuid()" }),
        column("title", "character varying(50)"),
        column("description", "text"),
        column("rowguid", "uuid", { default: "public.uuid_generate_v1()" }),
        column("PasswordHash", "character varying(128)"),
      ],
    },
    {
      ...bare,
      name: "lines",
      primaryKey: ["order_id", "line_id"],
      columns: [column("order_id", "uuid"), column("line_id", "integer", { fill: "numbered" })],
      foreignKeys: [{ name: "key", columns: ["order_id"], to: "public.orders", toColumns: ["id"] }],
    },
  ];
  const draftOf = (keepsNumbers: boolean) => {
    const entities = draftDatabase(tables, { keepsNumbers, seen: new Map(), most: new Map() });
    return entities.map(({ fields, remarks, rules }) => ({
      fields: fields.map(({ name, type }) => `${name}: ${type}`),
      remarks,
      rules,
    }));
  };
  const order = ["title: text", "description: long text", "lines: "];
  const made = (name: string) => `“${name}” is an id that the database makes; each record has an id.`;
  expect(draftOf(false)).toEqual([
    {
      fields: order,
      remarks: [made("id"), made("rowguid"), "“PasswordHash” is a password, or a part of one."],
      rules: [],
    },
    { fields: ["order: Order"], remarks: ["“line_id” numbers the rows; each record has an id."], rules: [] },
  ]);
  // The rows of lines find those of orders by their ids.
  expect(draftOf(true).map(({ fields }) => fields)).toEqual([["original_id: text?", ...order], ["order: Order"]]);
});

test("a choice is named by the words that a comment gives each of its values", () => {
  const comments = {
    kind: "SC = Store contact, IN = Individual (retail) customer; GC: General contact.",
    partly: "SC = Store contact, IN = Individual customer",
    alike: "SC = Contact, IN = Contact, GC = Contact",
    prose: "SC = Store IN = Individual GC = General",
  };
  const table = {
    ...{
      schema: "public",
      name: "people",
      comment: undefined,
      primaryKey: [],
      unique: [],
      foreignKeys: [],
      others: [],
    },
    columns: Object.entries(comments).map(([name, comment]) => column(name, "character(2)", { comment })),
    checks: Object.keys(comments).map((name) => ({
      name: `${name}_check`,
      sql: `upper(${name}::text) = ANY (ARRAY['SC'::text, 'IN'::text, 'GC'::text])`,
    })),
  };
  const [drafted] = draftDatabase([table], { keepsNumbers: false, seen: new Map(), most: new Map() });
  expect(drafted?.fields.map(({ keys }) => keys.values)).toEqual([
    ["store_contact", "individual_retail_customer", "general_contact"],
    ...["partly", "alike", "prose"].map(() => ["sc", "value_in", "gc"]),
  ]);
  expect(drafted?.fields[0]?.keys.source).toBe(
    "the values of a check, store_contact is “SC”, individual_retail_customer is “IN”, general_contact is “GC”",
  );
  const choices = drafted?.columnsOfSource?.[0]?.choices;
  expect(choices?.get("IN")).toBe("individual_retail_customer");
});

test("a whole number is a choice if a comment explains each value that its check allows", () => {
  const table = {
    ...{
      schema: "public",
      name: "orders",
      comment: undefined,
      primaryKey: [],
      unique: [],
      foreignKeys: [],
      others: [],
    },
    columns: [
      column("status", "smallint", { comment: "Now. 1 = Pending; 2 = In approval; 3 = Sent", default: "1" }),
      column("partly", "smallint", { comment: "1 = Pending; 2 = Approved", default: "1" }),
      column("unbound", "smallint", { comment: "1 = Pending; 2 = Approved" }),
    ],
    checks: [
      { name: "status_check", sql: "status >= 1 AND status <= 3" },
      { name: "partly_check", sql: "partly >= 1 AND partly <= 3" },
    ],
  };
  const [drafted] = draftDatabase([table], { keepsNumbers: false, seen: new Map(), most: new Map() });
  expect(drafted?.fields.map(({ type, keys }) => [type, keys.values, keys.min, keys.default])).toEqual([
    ["choice", ["pending", "in_approval", "sent"], undefined, "pending"],
    ["integer", undefined, 1, "1"],
    ["integer", undefined, undefined, undefined],
  ]);
  expect(drafted?.questions).toEqual([]);
  expect(drafted?.columnsOfSource?.[0]?.choices?.get("2")).toBe("in_approval");
});

test("a comment becomes a help without its sentences about keys", () => {
  const comments = [
    "Product ordered. Foreign key to Product.ProductID.",
    "Primary key.  Foreign key to Order.OrderID",
    "Number on the keyboard. Is it a\nprimary key? No.",
  ];
  const table = {
    ...{ schema: "public", name: "lines", comment: undefined, primaryKey: [], unique: [], foreignKeys: [] },
    ...{ checks: [], others: [] },
    columns: comments.map((comment, at) => column(`part_${at}`, "text", { comment })),
  };
  const drafted = draftDatabase([table], { keepsNumbers: false, seen: new Map(), most: new Map() });
  expect(drafted[0]?.fields.map(({ keys }) => keys.help)).toEqual([
    "Product ordered.",
    undefined,
    "Number on the keyboard. Is it a primary key? No.",
  ]);
});

describe("names whose words run together", () => {
  const table = (name: string, columns: readonly string[], more: Partial<DatabaseTable> = {}): DatabaseTable => ({
    schema: "public",
    name,
    comment: undefined,
    columns: columns.map((one) => column(one, "integer")),
    primaryKey: [],
    unique: [],
    foreignKeys: [],
    checks: [],
    others: [],
    ...more,
  });
  const spelled = (tables: readonly DatabaseTable[]): readonly string[] => {
    const spell = createSpelling(tables);
    return tables.flatMap(({ name, columns }) => [name, ...columns.map((one) => one.name)]).map(spell);
  };
  const check = (name: string) => ({ name, sql: "a > 0" });

  test("get words as comments and constraints spell them, or as the words of other names allow", () => {
    const orders = table("purchaseorders", ["id", "orderdate", "shipdate", "shiporder", "dateshift", "up", "update"], {
      comment: "Purchase orders of an iPhone. See PurchaseOrderLine.",
      checks: [check("CK_PurchaseOrder_ShipDate"), check("CK_iphone")],
    });
    const lines = table("purchaseorderline", ["purchaseorderid", "listprice", "iphone", "line", "shift"], {
      foreignKeys: [
        { name: "FK_PurchaseOrderID", columns: ["purchaseorderid"], to: "public.purchaseorders", toColumns: ["id"] },
      ],
      checks: [check("CK_ListPrice")],
    });
    expect(spelled([orders, lines])).toEqual([
      "purchase_orders",
      "id",
      "order_date",
      "ship_date",
      "ship_order",
      "date_shift",
      "up",
      "update",
      "purchase_order_line",
      "purchase_order_id",
      "list_price",
      "iphone",
      "line",
      "shift",
    ]);
  });

  test("stay together where nothing shows their words, or two ways are possible", () => {
    const few = ["homepage", "home", "page", "unit_price", "unitprice", "OrderDate"];
    expect(spelled([table("orderlines", few, { comment: "Order lines, with homepage." })])).toEqual([
      "order_lines",
      ...few,
    ]);
    const either = table(
      "stocklists",
      ["subcategory", "nowhere", "listprice", "cart", "online", "carton", "line", "cartonline"],
      {
        comment: "Stock lists by SubCategory and by subCategory or Subcategory, no where and now here.",
        checks: [check("CK_StockLists_ListPrice"), check("CK_StockLists_SubCategory")],
      },
    );
    const unchanged = ["cart", "online", "carton", "line", "cartonline"];
    expect(spelled([either])).toEqual(["stock_lists", "sub_category", "nowhere", "list_price", ...unchanged]);
  });

  test("become entities and fields of these words, and references without the word for a key", () => {
    const codes = table("countryregion", ["countryregioncode", "createdat"], { primaryKey: ["countryregioncode"] });
    const rates = table("salestaxrate", ["countryregioncode", "taxrate"], {
      comment: "A SalesTaxRate of a CountryRegion, by its CountryRegionCode, since it was created at.",
      foreignKeys: [
        { name: "fk", columns: ["countryregioncode"], to: "public.countryregion", toColumns: ["countryregioncode"] },
      ],
    });
    const timed = {
      ...codes,
      columns: codes.columns.map((one) =>
        one.name === "createdat" ? { ...one, type: "timestamp with time zone" } : one,
      ),
    };
    const drafted = draftDatabase([timed, rates], { keepsNumbers: false, seen: new Map(), most: new Map() });
    expect(drafted.map(({ name, fields }) => [name, ...fields.map((one) => `${one.name}: ${one.type}`)])).toEqual([
      ["CountryRegion", "country_region_code: integer", "sales_tax_rates: "],
      ["SalesTaxRate", "country_region: CountryRegion", "tax_rate: integer"],
    ]);
    expect(drafted.flatMap(({ fields }) => fields.flatMap(({ keys }) => keys.title ?? []))).toEqual([]);
    expect(drafted[0]?.remarks).toEqual(["“createdat” is a time that each record has."]);
  });
});

test("any tables become a document without an error, which is formatted already", () => {
  const name = fc.oneof(hardName, fc.constantFrom("a b", "x_id", ""), fc.string({ maxLength: 10 }));
  const sql = fc.constantFrom(
    "a >= 0",
    "a < '2020-01-01'::date",
    "a <= b",
    "a = ANY (ARRAY['x y'::text, ''::text])",
    "f(a)",
  );
  const column = fc.record({
    type: fc.constantFrom(
      "integer",
      "numeric(5,2)",
      "text",
      "text[]",
      "character varying(2000)",
      "date",
      "boolean",
      "jsonb",
      "oid",
      "uuid",
      "money",
      "interval",
      "timestamp without time zone",
    ),
    labels: fc.option(fc.array(name, { maxLength: 3 }), { nil: undefined, freq: 5 }),
    isRequired: fc.boolean(),
    comment: fc.option(fc.string(), { nil: undefined }),
    default: fc.constantFrom(undefined, "0", "'a b'::text", "now()", "true", "f(1)", "'{}'::jsonb"),
    fill: fc.constantFrom("entered" as const, "numbered" as const, "generated" as const),
    domainChecks: fc.array(fc.constantFrom("VALUE > 0", "length(VALUE) <= 5", "f(VALUE)"), { maxLength: 1 }),
  });
  const columns = fc
    .uniqueArray(name, { minLength: 1, maxLength: 5 })
    .chain((names) =>
      fc.tuple(
        ...["a", "b", ...names.filter((name) => name !== "a" && name !== "b")].map((name) =>
          column.map((more) => ({ name, ...more })),
        ),
      ),
    );
  const some = (own: readonly { readonly name: string }[]) =>
    fc.subarray(
      own.map((item) => item.name),
      { minLength: 1, maxLength: 2 },
    );
  const table = (at: number) =>
    fc.tuple(columns, name).chain(([own, called]) =>
      fc.record({
        schema: fc.constantFrom("public", "other"),
        name: fc.constantFrom(called, `${called}${at}`),
        comment: fc.option(fc.string(), { nil: undefined }),
        columns: fc.constant(own),
        primaryKey: some(own),
        unique: fc.array(
          some(own).map((keys) => ({ name: "key", columns: keys, missingIsSame: keys.length > 1 })),
          { maxLength: 2 },
        ),
        foreignKeys: fc.array(
          fc
            .tuple(some(own), fc.nat(2))
            .map(([keys, to]) => ({ name: "fk", columns: keys, to: String(to), toColumns: keys })),
          { maxLength: 2 },
        ),
        checks: fc.array(
          sql.map((item) => ({ name: "check 1", sql: item })),
          { maxLength: 2 },
        ),
        others: fc.constant([{ name: "other", sql: "EXCLUDE USING gist (a WITH =)" }]),
      }),
    );
  fc.assert(
    fc.property(fc.tuple(table(0), table(1), table(2)), fc.boolean(), (drawn, keepsNumbers) => {
      const ids = drawn.map((item) => `${item.schema}.${item.name}`);
      const tables = drawn.map((item) => ({
        ...item,
        foreignKeys: item.foreignKeys.map((key) => ({ ...key, to: ids[Number(key.to)] ?? "" })),
      }));
      const entities = draftDatabase(tables, { keepsNumbers, seen: new Map(), most: new Map() });
      const once = format([
        { file: "draft.md", text: writeDocument("x", { from: "From x.", fields: "All." }, entities) },
      ]);
      expect(once.findings).toEqual([]);
      const { findings } = compile(once.sources);
      expect(
        findings.filter(({ severity }) => severity === "error"),
        once.sources[0]?.text,
      ).toEqual([]);
    }),
    { numRuns: 40 },
  );
});

describe("a database", () => {
  let from: TestDatabase;
  const out = join(tmpdir(), `ninefold-draft-${process.pid}.md`);

  beforeAll(async () => {
    from = await database();
    await from.query(`
      create type rating as enum ('G', 'PG', 'PG-13');
      create domain year_of_film as integer check (value >= 1901 and value <= 2155);
      create table staff (
        staff_id serial primary key, first_name varchar(40) not null, last_name varchar(40) not null,
        email text unique, store_id int not null, user_id int, picture bytea, created_at timestamptz not null default now()
      );
      create table stores (
        store_id int generated always as identity primary key, name text not null default 'New store',
        manager_staff_id int not null unique references staff deferrable initially deferred
      );
      alter table staff add foreign key (store_id) references stores deferrable initially deferred;
      create table films (
        film_id serial primary key, title text not null, notes text, rating rating not null default 'G',
        released year_of_film, price numeric(6,2) not null check (price > 0), stock smallint not null check (stock >= 0),
        begins date, ends date, constraint period check (ends >= begins), genres text[],
        code char(3) not null check (length(code) = 3), odd text check (odd ~ '^x'),
        size text check (size in ('Small', 'Large')), gross numeric generated always as (price * 1.19) stored,
        in_print boolean not null default true, site text, contact text, shown timestamp, opened timestamp, listed date default ('now'::text)::date, place point, check (price < 1000), unique (title, begins)
      );
      create unique index films_active on films (title) where in_print;
      comment on table films is 'Films that a shop lends.';
      comment on column films.price is 'Per day, in euros.';
      create table "Order" (
        "Order Id" varchar(10) primary key, "user" text not null, "SELECT" int, "select" int, film int references films
      );
      create table users (user_id int primary key, name text not null, parent int references users);
      alter table staff add foreign key (user_id) references users;
      create table film_staff (
        film_id int references films, staff_id int references staff, since date, primary key (film_id, staff_id)
      );
      create table cuts (
        id serial unique, filmid int references films, original_film_id int references films, label text,
        last_update timestamptz not null default now()
      );
      create table "ÄÖ" ("ß" int, "列" text);
      create schema sales;
      create table sales.films (a int, b int, primary key (a, b));
      create table sales.lines (id uuid primary key default gen_random_uuid(), a int, b int,
        foreign key (a, b) references sales.films);
      create table sales.lines_2020 (check (a < 10)) inherits (sales.lines);
      create table sales.lines_2021 (id uuid primary key, a int, b int);
      alter table sales.lines_2021 inherit sales.lines;
      create table sales.notes (note text) inherits (sales.lines);
      insert into films (title, price, stock, code, notes, site, contact, shown, opened) values
        ('Alien', 2, 1, 'ALI', E'one\\ntwo', 'https://example.com/alien', 'ada@example.com', '2020-01-31', '2020-01-31'),
        ('', 3, 1, 'BRA', '', null, 'not an address', null, '2020-01-31 10:00');
    `);
  });
  afterAll(async () => {
    await from.end();
    await rm(out, { force: true });
  });

  const failure = (...args: string[]): Promise<CommandFailed> => failureOf(draft(args));

  test("becomes a document that compiles, says where each clause comes from, and leaves the rest open", async () => {
    const warned = vi.spyOn(process, "emitWarning");
    expect(await draft([from.url, "--name", "Film shop", "--out", out])).toBe(exits.done);
    expect(warned).not.toHaveBeenCalled();
    const text = await readFile(out, "utf8");
    const { model, open, findings } = compile([{ file: "draft.md", text }]);
    expect(findings.filter(({ severity }) => severity === "error" || severity === "warning")).toEqual([]);
    const field = (name: string) =>
      text
        .split("\n")
        .find((line) => line.startsWith(`    ${name}: `))
        ?.trim();
    expect([...(model?.entities.keys() ?? [])]).toContain("SalesFilm");
    expect(field("rating")).toBe(
      'rating: { type: choice, values: [g, pg, pg_13], default: g, source: "type rating, pg is “PG”, pg_13 is “PG-13”" }',
    );
    expect(field("original_user")).toBe("original_user: { type: text, title: user }");
    expect(field("select_2")).toBe("select_2: { type: integer?, title: select }");
    expect(field("released")).toBe("released: { type: integer?, min: 1901, max: 2155, source: check released }");
    expect(field("price")).toBe('price: { type: decimal, help: "Per day, in euros." }');
    expect(field("stock")).toBe("stock: { type: integer, min: 0, source: check films_stock_check }");
    expect(field("code")).toBe("code: { type: text, max: 3, min: 3, source: check films_code_check }");
    expect(field("size")).toBe("size: { type: choice?, values: [small, large], source: the values of a check }");
    expect(field("title")).toBe("title: { type: text?, source: empty in 1 of 2 rows }");
    expect(field("notes")).toBe("notes: long text?");
    expect(field("site")).toBe("site: { type: url?, source: each text is a URL }");
    expect(field("contact")).toBe("contact: text?");
    expect(field("shown")).toBe("shown: { type: date?, source: each time is midnight }");
    expect(field("opened")).toBe("opened: datetime?");
    expect(field("listed")).toBe("listed: { type: date?, default: today }");
    expect(text).toContain(
      "    film: { type: Film?, source: foreign key to public.films }\n    original_film: { type: Film?, source: foreign key to public.films }\n    label: text?\n",
    );
    expect(text).toContain(
      "- “id” numbers the rows; each record has an id.\n- “last_update” is a time that each record has.\n",
    );
    expect(field("genres")).toBe("genres: { type: text?, many: true }");
    expect(field("manager_staff")).toBe(
      'manager_staff: { type: Staff, unique: true, source: "foreign key to public.staff, unique by stores_manager_staff_id_key" }',
    );
    // Stores and staff require each other.
    expect(field("store")).toBe("store: { type: Store?, source: foreign key to public.stores }");
    expect(open.map(({ statement }) => statement).join("\n")).toContain(
      "“store_id” of staff requires a row that requires one of staff, so it is optional here, and how the first row comes about is not shown.",
    );
    expect(field("user_record")).toBe("user_record: { type: UserRecord?, source: foreign key to public.users }");
    expect(text).toContain('label: "{film.title} – {staff.first_name} {staff.last_name}"');
    expect(text).toContain(
      '{ rule: "ends >= begins", when: "ends != null && begins != null", source: check period, basis: observed, else: PERIOD }',
    );
    expect(text).toContain("PERIOD: Ends must not be before begins.\n");
    expect(text).toContain("{ unique: [film, staff], source: primary key, basis: observed, else: FILM_STAFF_EXISTS }");
    expect(text).toContain("\nFilm: Films that a shop lends.\n");
    for (const remark of [
      "“film_id” numbers the rows; each record has an id.",
      "“gross” is computed in the database: “price * 1.19”.",
      "“place” has the type point, which no field has.",
      "“picture” has the type bytea, which no field has.",
      "“created_at” is a time that each record has.",
    ])
      expect(text).toContain(`\n- ${remark}\n`);
    const statements = open.map(({ statement }) => statement).join("\n");
    for (const constraint of ["“films_active”", "“films_odd_check”", "to sales.films (lines_a_b_fkey, a, b)"])
      expect(statements).toContain(constraint);
    expect(new Set(open.map(({ point }) => point))).toEqual(new Set([1, 3, 4, 6, 7, 9]));
  });

  test("is only read, and only the tables that are named", async () => {
    const names = "select count(*)::int as n, (select count(*)::int from films) as films from pg_class";
    const before = await from.query(names);
    expect(await draft([from.url, "--schema", "sales", "--json"])).toBe(exits.done);
    const json = JSON.parse(output.printed);
    expect(json.tables.map(({ source }: { source: string }) => source)).toEqual([
      "table sales.films",
      "table sales.lines",
      "table sales.notes",
    ]);
    // Older partitions, whose rows are lines, are no tables of their own.
    expect((await from.query(names)).rows).toEqual(before.rows);
    expect((await failure(from.url, "--table", "nothing")).message).toContain("has no tables of these names");
  });

  test("that cannot be read, or has too many tables, is refused with one sentence", async () => {
    const nowhere = await failure("postgres://nobody:secret@127.0.0.1:1/none");
    expect(nowhere.exit).toBe(exits.databaseRefused);
    expect(nowhere.message).toContain("Can’t connect to postgres://127.0.0.1:1/none");
    expect(nowhere.message).not.toContain("secret");
    await from.query("create schema many");
    await from.query(
      "do $$ begin for n in 1..2000 loop execute format('create table many.t%s (a int)', n); end loop; end $$",
    );
    const many = await failure(from.url, "--schema", "many");
    expect(many.message).toContain("has more than 300 tables");
    await from.query("drop schema many cascade").catch(() => undefined);
  });
});
