import { randomBytes } from "node:crypto";
import { copyFile, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, describe, expect, test } from "vitest";
import { writeBackup } from "../../src/postgres/backup.ts";
import { database, type TestDatabase } from "../postgres.ts";
import { command, failed, ninefold, type Somebody, scratch, serveText, startProgram } from "./program.ts";

const shelf = `
# Shelf

## 3. Entities and their fields
\`\`\`yaml
User: { fields: { deputy: User?, room: { type: text?, unique: true } } }
Book:
  fields:
    title: long text
    price: { type: decimal?, min: 0 }
    owner: { type: User, default: user }
    after: Book?
    bought: date?
    fine: { type: boolean }
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions:
  User: { read: [member] }
  Book: { read: [member], create: [member], update: [member], delete: [member] }
\`\`\`
`;

const PASSWORD = "correct horse battery";
const awkward = "tab\there, back\\slash, “quotes”, \\N and \\., 🙂\nnew line";

/** Every table with its rows as text, in an order that both sides have. */
const contents = async (store: TestDatabase): Promise<Readonly<Record<string, readonly unknown[]>>> => {
  const { rows: tables } = await store.query(
    `select schemaname || '.' || quote_ident(tablename) as name from pg_tables where schemaname in ('app', 'ninefold') order by 1`,
  );
  const all: Record<string, readonly unknown[]> = {};
  for (const { name } of tables)
    all[String(name)] = (await store.query(`select t::text as row from ${name} t order by 1`)).rows.map(
      ({ row }) => row,
    );
  return all;
};

/** What stands in the catalogue about the tables: constraints, triggers, comments, rights. */
const catalogue = async (store: TestDatabase) =>
  (
    await store.query(
      `select 'constraint' as kind, conrelid::regclass::text || ' ' || conname || ' ' || pg_get_constraintdef(oid) || coalesce(obj_description(oid, 'pg_constraint'), '') as it
         from pg_constraint where connamespace::regnamespace::text in ('app', 'ninefold')
       union all select 'trigger', tgrelid::regclass::text || tgname || tgenabled::text from pg_trigger where not tgisinternal
       union all select 'index', indexdef from pg_indexes where schemaname in ('app', 'ninefold')
       union all select 'rights', table_schema || '.' || table_name || ' ' || grantee || ' ' || privilege_type from information_schema.role_table_grants where grantee = 'ninefold_app'
       order by 1, 2`,
    )
  ).rows;

const withoutSignIn = ({ ...all }: Readonly<Record<string, readonly unknown[]>>) => ({
  ...all,
  "ninefold.session": [],
  "ninefold.once_link": [],
  "ninefold.attempt": [],
});

let store: TestDatabase;
let file: string;
let ada: Somebody;
beforeAll(async () => {
  store = await database();
  const served = await serveText(shelf, { database: store });
  await serveText(shelf.replace("# Shelf", "# Shelf of two"), { database: store }).then((one) => one.stop());
  const account = await served.account("Ada", PASSWORD, ["administrator"]);
  ada = await served.person("Grace");
  await store.query(`update app."user" set deputy = (select id from app."user" where name = 'Grace') where id = $1`, [
    account.id,
  ]);
  await store.query(`update app."user" set deputy = $1 where name = 'Grace'`, [account.id]);
  let after: string | null = null;
  for (let i = 0; i < 30; i++) {
    const body: Record<string, unknown> = {
      title: i === 0 ? awkward : `Book ${i}`,
      price: i === 3 ? null : `${i}.50`,
      after,
      fine: i % 2 === 0,
    };
    after = (await ada.post("/api/books", body, { "idempotency-key": `key ${i}` })).record().id;
  }
  await store.query(`update app.book set after = $1 where title = 'Book 1'`, [after]);
  await ada.post("/_/session", { email: "ada@example.com", password: "wrong" });
  await served.refusals.write();
  file = join(await scratch(), "shelf.backup");
  const done = await ninefold(["backup", file, "--database", store.url]);
  expect([done.exit, done.stderr]).toEqual([0, ""]);
  expect(done.stdout).toMatch(/^Saved \d+ rows of \d+ tables in /);
});

describe("a backup", () => {
  test("brought back into an empty database is the same row by row, with its constraints, rights and sequences", async () => {
    const other = await database();
    const done = await ninefold(["restore", file, "--database", other.url], { env: { DATABASE_URL: other.appUrl } });
    expect([done.exit, done.stderr]).toEqual([0, ""]);
    expect(await contents(other)).toEqual(withoutSignIn(await contents(store)));
    expect(await catalogue(other)).toEqual(await catalogue(store));
    const again = await serveText(shelf.replace("# Shelf", "# Shelf of two"), { database: other });
    expect((await again.visitor().get("/readyz")).body).toEqual({ ok: true, version: 2, newest: 2 });
    const visitor = again.visitor();
    expect((await visitor.post("/_/session", { email: "ada@example.com", password: PASSWORD })).status).toBe(204);
    expect((await visitor.get("/_/people")).status).toBe(200);
    const made = (await visitor.post("/api/books", { title: "Later" })).record();
    expect((await visitor.get(`/api/books/${made.id}/history`)).history()).toHaveLength(1);
    await expect(other.query("delete from ninefold.audit")).rejects.toThrow("append only");
    await expect(other.query("update app.book set after = gen_random_uuid()")).rejects.toThrow("foreign key");
    await again.stop();
    await other.end();
  });

  test("is of one moment, however much is written meanwhile, and who writes does not notice", async () => {
    const folder = await scratch();
    let on = true;
    const writing = (async () => {
      let count = 0;
      for (; on; count++) expect((await ada.post("/api/books", { title: `While ${count}` })).status).toBe(201);
      return count;
    })();
    for (let i = 0; i < 4; i++) await writeBackup(store.url, join(folder, `${i}.backup`), { demonstration: false });
    on = false;
    expect(await writing).toBeGreaterThan(4);
    const other = await database();
    expect((await ninefold(["restore", join(folder, "2.backup"), "--database", other.url])).exit).toBe(0);
    const { rows } = await other.query(
      "select (select count(*) from app.book)::int as books, (select count(*) from ninefold.audit where entity = 'Book' and action = 'create')::int as lines",
    );
    expect(rows[0]?.books).toBe(rows[0]?.lines);
    await other.end();
  });

  test("may be read by its owner alone, never replaces a file, and holds neither sessions nor links", async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const before = await readFile(file);
    expect(failed(await ninefold(["backup", file, "--database", store.url]))).toMatchObject({
      exit: 2,
      said: [`There is a file ${file} already.`, "A backup never replaces a file."],
    });
    expect(await readFile(file)).toEqual(before);
    const nowhere = join(await scratch(), "no", "where");
    expect(failed(await ninefold(["backup", nowhere, "--database", store.url])).exit).toBe(2);
    expect(failed(await ninefold(["backup", join(await scratch(), "x")]))).toMatchObject({ exit: 2 });
    const empty = await database();
    expect(failed(await ninefold(["backup", nowhere.replace("/no/", "/"), "--database", empty.url])).exit).toBe(5);
    await empty.end();
  });

  test("killed in the middle leaves no file in its place", async () => {
    await store.query(
      "create table app.large as select i, repeat(md5(i::text), 30) as filler from generate_series(1, 200000) i",
    );
    const folder = await scratch();
    const path = join(folder, "half.backup");
    const running = command(["backup", path, "--database", store.url]);
    for (let i = 0; i < 400 && (await readdir(folder)).length === 0; i++) await sleep(10);
    await sleep(150);
    running.signal("SIGKILL");
    expect((await running.ended).exit).toBe(null);
    expect(await readdir(folder)).not.toContain("half.backup");
    await store.query("drop table app.large");
  });
});

describe("a restore", () => {
  test("refuses a database that is not empty, and changes nothing in it", async () => {
    const other = await database();
    await other.query("create table mine (id integer); insert into mine values (1)");
    expect(failed(await ninefold(["restore", file, "--database", other.url]))).toMatchObject({
      exit: 5,
      said: ["The database is not empty: it has public.mine.", expect.any(String)],
    });
    expect((await other.query("select * from mine")).rows).toEqual([{ id: 1 }]);
    expect(await contents(other)).toEqual({});
    const before = await contents(store);
    expect(failed(await ninefold(["restore", file, "--database", store.url])).exit).toBe(5);
    expect(await contents(store)).toEqual(before);
    await other.end();
  });

  test("of a file that was cut off, changed or is none says so, and leaves the database empty", async () => {
    const folder = await scratch();
    const other = await database();
    const whole = await readFile(file);
    const at = (name: string) => join(folder, name);
    await writeFile(at("no backup"), randomBytes(5_000));
    await writeFile(at("empty"), "");
    await writeFile(at("short"), "ninefold ba");
    await writeFile(at("newer"), "ninefold backup 9\n");
    for (const part of [0.3, 0.9]) {
      await copyFile(file, at(`cut ${part}`));
      await truncate(at(`cut ${part}`), Math.floor(whole.length * part));
    }
    await copyFile(file, at("cut by one"));
    await truncate(at("cut by one"), whole.length - 1);
    for (const place of [0.2, 0.6, 0.95]) {
      const changed = Buffer.from(whole);
      const byte = Math.floor(whole.length * place);
      changed[byte] = (changed[byte] ?? 0) ^ 0x40;
      await writeFile(at(`changed ${place}`), changed);
    }
    await writeFile(at("more"), Buffer.concat([whole, whole]));
    for (const name of await readdir(folder)) {
      const { exit, said } = failed(await ninefold(["restore", at(name), "--database", other.url]));
      expect([name, exit, said[0]]).toEqual([name, 8, expect.stringMatching(/^The (?:backup|file)/)]);
      expect(await contents(other)).toEqual({});
    }
    expect(failed(await ninefold(["restore", at("not there"), "--database", other.url])).exit).toBe(8);
    await other.end();
  });

  test("killed in the middle leaves nothing, and can be done again", async () => {
    await store.query(
      `insert into ninefold.refusal (at, document, status, code, action, request) select now(), 1, 401, 'X', repeat('a', 200), i::text from generate_series(1, 150000) i`,
    );
    const large = join(await scratch(), "large.backup");
    await writeBackup(store.url, large, { demonstration: false });
    const other = await database();
    const running = command(["restore", large, "--database", other.url]);
    const begun = async () =>
      (
        await other.query(
          "select count(*)::int as n from pg_stat_activity where datname = current_database() and query like 'copy%'",
        )
      ).rows[0]?.n;
    for (let i = 0; i < 1_000 && (await begun()) === 0; i++) await sleep(5);
    running.signal("SIGKILL");
    expect((await running.ended).exit).toBe(null);
    for (let i = 0; i < 400; i++) {
      const { rows } = await other.query(
        "select count(*)::int as n from pg_stat_activity where datname = current_database() and application_name = 'ninefold backup'",
      );
      if (rows[0]?.n === 0) break;
      await sleep(10);
    }
    expect(await contents(other)).toEqual({});
    expect((await ninefold(["restore", large, "--database", other.url])).exit).toBe(0);
    expect((await contents(other))["ninefold.refusal"]).toHaveLength(150_000 + 1);
    await other.end();
  });
});

test("a data folder is saved while its application runs, and comes back as another, a demonstration if it was one", async () => {
  const program = await startProgram({ text: shelf });
  const member = await program.signInAs(null);
  const { id } = (await member.post("/api/books", { title: awkward })).record();
  const path = join(await scratch(), "folder.backup");
  const saved = await ninefold(["backup", path, "--data", program.data]);
  expect([saved.exit, saved.stderr]).toEqual([0, ""]);
  await program.stop();
  const data = join(await scratch(), "again");
  const restored = await ninefold(["restore", path, "--data", data]);
  expect([restored.exit, restored.stderr]).toEqual([0, ""]);
  expect(failed(await ninefold(["restore", path, "--data", data])).exit).toBe(5);
  const again = await startProgram({ file: program.file, data });
  const other = await again.signInAs(null);
  expect((await other.get(`/api/books/${id}`)).record()).toMatchObject({ title: awkward });
  await again.stop();
  const cold = await ninefold(["backup", join(await scratch(), "cold.backup"), "--data", data]);
  expect(cold.exit).toBe(0);
});
