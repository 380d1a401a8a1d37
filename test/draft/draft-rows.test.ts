import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { draft } from "../../src/cli/draft/draft.ts";
import { CommandFailed, exits } from "../../src/cli/exit-codes.ts";
import { importRows } from "../../src/cli/import/import.ts";
import type { DraftColumn, DraftEntity } from "../../src/core/draft/draft-entities.ts";
import { orderImports } from "../../src/core/draft/order-imports.ts";
import { captureOutput } from "../captured-output.ts";
import { database, type TestDatabase } from "../postgres.ts";

const output = captureOutput();

let from: TestDatabase;
let target: TestDatabase;
let folder: string;

beforeAll(async () => {
  [from, target] = await Promise.all([database(), database()]);
  folder = await mkdtemp(join(tmpdir(), "ninefold-rows-"));
  await writeFile(join(folder, "password"), "correct horse battery staple 42\n");
  await from.query(`
    create type rating as enum ('G', 'PG-13');
    create table staff (
      staff_id serial primary key, name text not null, store_id int, boss_id int references staff, seen timestamptz
    );
    create table stores (store_id serial primary key, name text not null, manager_id int references staff);
    alter table staff add foreign key (store_id) references stores;
    create table films (
      film_id serial primary key, title text not null, rating rating not null, price numeric(6,2) check (price > 0),
      genres text[], bought timestamp, running interval, medium text check (upper(medium) in ('D', 'T'))
    );
    comment on column films.medium is 'D = Disc, T = Video tape';
    create table film_staff (film_id int references films, staff_id int references staff, primary key (film_id, staff_id));
    create table desks (desk_id serial primary key, room text not null, clerk_id int not null);
    create table clerks (clerk_id serial primary key, name text not null, desk_id int not null references desks);
    alter table desks add foreign key (clerk_id) references clerks deferrable initially deferred;
    begin;
    insert into desks (room, clerk_id) values ('Hall', 1);
    insert into clerks (name, desk_id) values ('Di', 1);
    commit;
    insert into stores (name) values ('North'), ('South');
    insert into staff (name, store_id, boss_id, seen)
      values ('Ada', 1, null, '2026-01-02 03:04:05+00'), ('Bo', 2, 1, null), ('Cy', 1, 2, null);
    update stores set manager_id = store_id;
    insert into films (title, rating, price, genres, bought, running, medium) values
      ('Alien, "one"', 'PG-13', 2.50, '{Horror,Space}', '2026-02-03', '1 hour 57 minutes', 't'), ('Brazil', 'G', null, null, null, null, 'D');
    insert into film_staff values (1, 1), (1, 2), (2, 3);
  `);
});
afterAll(async () => {
  await Promise.all([from.end(), target.end(), rm(folder, { recursive: true })]);
});

test("records that others refer to come first, and circles are cut at optional references", () => {
  const column = (field: string, to: string, isOptional: boolean): DraftColumn => ({
    column: field,
    field,
    columnType: undefined,
    choices: undefined,
    target: to,
    isOptional,
    isUnique: false,
  });
  const entity = (name: string, ...columnsOfSource: DraftColumn[]) =>
    ({ name, columnsOfSource }) as unknown as DraftEntity;
  const steps = orderImports([
    entity("Line", column("order", "Order", false)),
    entity("Order", column("person", "Person", false), column("last", "Line", true)),
    entity("Person", column("boss", "Person", true)),
  ]);
  expect(steps.map(({ entity: { name }, later }) => [name, later.map(({ field }) => field)])).toEqual([
    ["Person", ["boss"]],
    ["Order", ["last"]],
    ["Line", []],
  ]);
});

test("--with-rows brings the rows of a database along, references in circles included", async () => {
  const where = [
    "--database",
    target.url,
    "--admin-email",
    "ada@example.com",
    "--admin-password-file",
    join(folder, "password"),
  ];
  const exit = await draft([from.url, "--out", join(folder, "shop.md"), "--with-rows", ...where]);
  expect(output.printed.split("\n").filter((line) => / rows, /u.test(line))).toEqual([
    "Clerk: 1 rows, 1 added, 0 refused.",
    "Desk: 1 rows, 1 added, 0 refused.",
    "Film: 2 rows, 2 added, 0 refused.",
    "Staff: 3 rows, 3 added, 0 refused.",
    "Store: 2 rows, 2 added, 0 refused.",
    "Clerk: 1 rows, 1 completed, 0 refused.",
    "Film: 2 rows, 2 completed, 0 refused.",
    "Staff: 3 rows, 3 completed, 0 refused.",
  ]);
  expect(exit).toBe(exits.done);
  const { rows } = await target.query(`
    select s.name, b.name as boss, o.name as store, m.name as manager, s.seen at time zone 'UTC' = '2026-01-02 03:04:05' as seen
    from app.staff s left join app.staff b on b.id = s.boss join app.store o on o.id = s.store
    join app.staff m on m.id = o.manager order by s.name`);
  expect(rows).toEqual([
    { name: "Ada", boss: null, store: "North", manager: "Ada", seen: true },
    { name: "Bo", boss: "Ada", store: "South", manager: "Bo", seen: null },
    { name: "Cy", boss: "Bo", store: "North", manager: "Ada", seen: null },
  ]);
  // A table that only connects two others has become a list of references.
  const { rows: staff } = await target.query(
    "select f.title, s.name from app.film f, unnest(f.staff) with ordinality l(id, n) join app.staff s on s.id = l.id order by f.title, l.n",
  );
  expect(staff.map(({ title, name }) => `${title}: ${name}`)).toEqual([
    'Alien, "one": Ada',
    'Alien, "one": Bo',
    "Brazil: Cy",
  ]);
  expect(await readFile(join(folder, "shop.md"), "utf8")).toContain(
    'staff: { type: Staff?, many: true, source: "table public.film_staff, with 2 rows for one record at most" }',
  );
  const films = await target.query(
    "select title, rating, price::text, genres, bought::text, running::text, medium from app.film order by title",
  );
  expect(films.rows).toEqual([
    {
      title: 'Alien, "one"',
      rating: "pg_13",
      price: "2.5000000000",
      genres: ["Horror", "Space"],
      bought: "2026-02-03",
      running: "01:57:00",
      medium: "video_tape",
    },
    { title: "Brazil", rating: "g", price: null, genres: [], bought: null, running: null, medium: "disc" },
  ]);
  expect((await from.query("select count(*)::int as n from films")).rows).toEqual([{ n: 2 }]);
});

test("rows are imported into a database as one of its people, with the same refusals in a dry run and a run", async () => {
  const films = join(folder, "films.csv");
  await writeFile(films, "title,rating,price\nCasino,g,3\nDune,x,4\nEvita,g,0\n");
  const run = (...more: string[]) => importRows(["films", films, "--database", target.url, ...more]);
  expect(await run("--as", "ada@example.com", "--dry-run", "--json")).toBe(exits.changeRefused);
  const checked = JSON.parse(output.printed);
  output.printed = "";
  expect(await run("--as", "ada@example.com", "--json")).toBe(exits.changeRefused);
  const written = JSON.parse(output.printed);
  expect([checked.added, checked.refused, written.added, written.refused]).toEqual([1, 2, 1, 2]);
  expect(written.refusals).toEqual(checked.refusals);
  const failed = async (...more: string[]) => {
    const error = await run(...more).catch((item: unknown) => item);
    return error instanceof CommandFailed ? error.message : "";
  };
  expect(await failed("--as", "bo@example.com")).toBe("Nobody with the address bo@example.com can sign in.");
  expect(await failed()).toBe("Name the person who imports with --as EMAIL.");
});

test("--with-rows names refused rows of spreadsheets by their numbers in the file", async () => {
  const fresh = await database();
  try {
    const numbers = Array.from({ length: 10 }, (_, at) => at + 1);
    const things = numbers.map((at) => `A-${at};Thing ${at}\n`);
    const loans = numbers.map((at) => `${at};A-${at};2026-01-${at + 10}\n`);
    const files = ["tools.csv", "loans.csv"].map((name) => join(folder, name));
    await writeFile(files[0] ?? "", `Number;Name\n${things.join("")}`);
    await writeFile(files[1] ?? "", `All loans;;\n\nLoan no;Tool;Due\n${loans.join("")}Total;;\n11;A-99;2026-02-01\n`);
    const where = ["--database", fresh.url, "--admin-email", "ada@example.com"];
    const password = ["--admin-password-file", join(folder, "password")];
    await draft([...files, "--out", join(folder, "tools.md"), "--with-rows", ...where, ...password]);
    expect(output.printed).toContain("Loan: 11 rows, 10 added, 1 refused.");
    expect(output.printed).toContain("row 15\n");
  } finally {
    await fresh.end();
  }
});

test("--with-rows brings the rows of spreadsheets along", async () => {
  const fresh = await database();
  try {
    await writeFile(join(folder, "things.csv"), "Number;Name\nA-1;Drill\nA-2;Saw\nA-3;Cart\n");
    await writeFile(
      join(folder, "loans.csv"),
      "Loan no;Thing;Due\n1;A-1;31.01.2026\n2;A-3;01.02.2026\n3;A-2;02.02.2026\n4;A-1;03.02.2026\n",
    );
    const files = ["loans.csv", "things.csv"].map((name) => join(folder, name));
    const where = [
      "--database",
      fresh.url,
      "--admin-email",
      "ada@example.com",
      "--admin-password-file",
      join(folder, "password"),
    ];
    expect(await draft([...files, "--out", join(folder, "lending.md"), "--with-rows", ...where])).toBe(exits.done);
    const { rows } = await fresh.query(
      "select t.name, l.due::text from app.loan l join app.thing t on t.id = l.thing order by l.due",
    );
    expect(rows).toEqual([
      { name: "Drill", due: "2026-01-31" },
      { name: "Cart", due: "2026-02-01" },
      { name: "Saw", due: "2026-02-02" },
      { name: "Drill", due: "2026-02-03" },
    ]);
    const again = await draft([...files, "--out", join(folder, "x.md"), "--with-rows"]).catch(
      (error: unknown) => error,
    );
    expect((again as CommandFailed).message).toContain("--with-rows needs");
  } finally {
    await fresh.end();
  }
});

test("rows with another spelling of a choice come along, and those without a number in a column of numbers do not", async () => {
  const fresh = await database();
  try {
    const states = ["waiting", "In kiln", "fired", "collected"];
    const pots = Array.from({ length: 24 }, (_, at) => `Pot ${at},${at + 1}.5,${states[at % 4]}`);
    await writeFile(
      join(folder, "pots.csv"),
      `Pot,Weight (kg),Status\n${pots.join("\n")}\nBowl,2.25,Waiting\nCup,0.5, FIRED\nJar,"1,5 kg",fired\n`,
    );
    const where = ["--database", fresh.url, "--admin-email", "ada@example.com"];
    const exit = await draft([
      ...[join(folder, "pots.csv"), "--out", join(folder, "pots.md"), "--with-rows", ...where],
      ...["--admin-password-file", join(folder, "password")],
    ]);
    expect(exit).toBe(exits.changeRefused);
    expect(await readFile(join(folder, "pots.md"), "utf8")).toContain("but B28: “1,5 kg” is none");
    expect(output.printed).toContain("Pot: 27 rows, 26 added, 1 refused.");
    const { rows } = await fresh.query(
      "select pot, weight_kg::float, status from app.pot where pot in ('Bowl', 'Cup', 'Jar', 'Pot 1') order by pot",
    );
    expect(rows).toEqual([
      { pot: "Bowl", weight_kg: 2.25, status: "waiting" },
      { pot: "Cup", weight_kg: 0.5, status: "fired" },
      { pot: "Pot 1", weight_kg: 2.5, status: "in_kiln" },
    ]);
  } finally {
    await fresh.end();
  }
});
