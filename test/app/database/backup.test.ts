import { randomBytes } from "node:crypto";
import { copyFile, readdir, readFile, stat, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import type { ImportJson } from "../../../src/core/wire/imports.ts";
import { sendMails } from "../../../src/jobs/mails.ts";
import { deliver, type OutboxEnvironment } from "../../../src/jobs/outbox.ts";
import { writeBackup } from "../../../src/postgres/backup/backup.ts";
import { BackupWriter, jsonBytes, readFrames } from "../../../src/postgres/backup/backup-file.ts";
import { proposeFile } from "../../../src/server/proposals/file-proposals.ts";
import { database, type TestDatabase } from "../../postgres.ts";
import { recordBackup } from "../../secret-recorder.ts";
import { type ApiClient, command, failed, ninefold, scratch, serveText, startProgram } from "../program.ts";

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
    readers: { type: User, many: true }
    tags: { type: choice, values: [new, old], many: true }
    number: { type: sequence, pattern: "B-{n:3}" }
    short: { type: text, default: "'book'" }
    word: { type: slug, from: short }
    cover: file?
    scans: { type: file, many: true }
    kind: Kind?
    more: json?
    lent: duration?
    pages: { list: Page.book }
    half: { type: decimal?, computed: price / 2 }
    then: { type: decimal?, computed: price, kept: true }
Page:
  label: "{text}"
  fields: { book: { type: Book, part of: true }, place: position, text: text }
Kind:
  label: "{name}"
  fields: { name: { type: text, unique: true } }
  records: { novel: { name: Novel }, poem: { name: Poem } }
Loan:
  rows of: { book: Book, reader: readers }
Rack: { fields: { width: { type: integer?, was: breadth }, height: { type: integer, fill: 4 } } }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Book:
  states: [here, away]
  transitions: { lend: { from: here, to: away, by: member } }
  after:
    lend: [{ notify: owner, text: "{title} is away." }, { call: printer }]
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { member: { members: signed in } }
permissions:
  User: { read: [member] }
  Book: { read: [member], create: [member], update: [member], delete: [member] }
  Page: { read: [member], create: [member], update: [member], delete: [member] }
  Kind: { read: [member], create: [member], update: none, delete: none }
  Loan: { read: [member] }
  Rack: { read: [member] }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
sign in: { sign up: open }
token: { by: member }
outgoing:
  printer: { post: APP_PRINTER_URL, sends: { title } }
\`\`\`
`;

/** The version before, of which a field was renamed, another one filled and a third one removed. */
const earlier = shelf
  .replace(/^Rack: \{ fields.*$/mu, "Rack: { fields: { breadth: integer?, height: integer?, colour: text? } }")
  .replace("# Shelf", "# Former shelf");

const PASSWORD = "correct horse battery";
const awkward = "tab\there, back\\slash, “quotes”, \\N and \\., 🙂\nnew line";

/** Every table with its rows as text, in a stable order. */
const contents = async (store: TestDatabase): Promise<Readonly<Record<string, readonly unknown[]>>> => {
  const { rows: tables } = await store.query(
    `select relnamespace::regnamespace || '.' || quote_ident(relname) as name from pg_class
     where relnamespace::regnamespace::text in ('app', 'ninefold') and relkind in ('r', 'p') and not relispartition order by 1`,
  );
  const all: Record<string, readonly unknown[]> = {};
  for (const { name } of tables)
    all[String(name)] = (await store.query(`select t::text as row from ${name} t order by 1`)).rows.map(
      ({ row }) => row,
    );
  return all;
};

/** The partitions of the history. A copy begins with one for all that it got. */
const months = "array(select inhrelid from pg_inherits where inhparent = 'ninefold.audit'::regclass)";

/** The catalogue entries of the tables: constraints, triggers, comments, privileges. */
const catalogue = async (store: TestDatabase) =>
  (
    await store.query(
      `select 'constraint' as kind, conrelid::regclass::text || ' ' || conname || ' ' || pg_get_constraintdef(oid) || coalesce(obj_description(oid, 'pg_constraint'), '') as it
         from pg_constraint where connamespace::regnamespace::text in ('app', 'ninefold') and conrelid <> all (${months})
       union all select 'trigger', tgrelid::regclass::text || tgname || tgenabled::text from pg_trigger where not tgisinternal and tgrelid <> all (${months})
       union all select 'index', indexdef from pg_indexes where schemaname in ('app', 'ninefold') and (schemaname || '.' || quote_ident(tablename))::regclass <> all (${months})
       union all select 'rights', table_schema || '.' || table_name || ' ' || grantee || ' ' || privilege_type from information_schema.role_table_grants where grantee = 'ninefold_app'
       order by 1, 2`,
    )
  ).rows;

const withoutSignIn = ({ ...all }: Readonly<Record<string, readonly unknown[]>>) => ({
  ...all,
  "ninefold.session": [],
  "ninefold.once_link": [],
  "ninefold.attempt": [],
  // Each database has its own signing key.
  "ninefold.secret": [expect.any(String)],
  // Secrets that grant access, and mails with such links.
  "ninefold.sign_up": [],
  "ninefold.mail": [],
  "ninefold.mail_transition": [],
  "ninefold.address_change": [],
  "ninefold.token": [],
  // Rows of files, which their owners still have.
  "ninefold.import_part": [],
  // A restored copy has all files in its database.
  "ninefold.unused_object": [],
  // The version of the system tables, and the restoration.
  "ninefold.release": [expect.stringMatching(/^\(\d+,".+",".+",,[\d.]+\)$/u)],
});

let store: TestDatabase;
let file: string;
let ada: ApiClient;
beforeAll(async () => {
  store = await database();
  await serveText(earlier, { database: store }).then((one) => one.stop());
  await store.query(
    "insert into app.rack (id, version, created_at, updated_at, breadth, colour) values (gen_random_uuid(), 1, now(), now(), 90, 'red')",
  );
  const served = await serveText(shelf, { database: store });
  await serveText(shelf.replace("# Shelf", "# Shelf of two"), { database: store }).then((one) => one.stop());
  const account = await served.account("Ada", PASSWORD, ["administrator"]);
  ada = await served.person("Grace");
  // The history has two partitions with lines.
  for (let call = 0; call < 2; call++) await store.query("select ninefold.prepare_audit_months(now(), 0)");
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
  await ada.post("/_/preferences", { theme: "dark" });
  const sent = async (name: string) =>
    (
      (
        await ada.send("POST", `/_/files?name=${name}`, undefined, {
          raw: Buffer.from(`%PDF ${name} ${awkward}`),
          headers: { "content-type": "application/pdf" },
        })
      ).body as { id: string }
    ).id;
  const people = (await store.query(`select id from app."user" order by name`)).rows.map(({ id }) => String(id));
  const kind = (await ada.get("/api/kinds?name=Poem")).list().items[0]?.id;
  const all = await ada.post("/api/books", {
    ...{ title: "Whole", price: "3.00", readers: people, tags: ["old", "new"], kind, lent: "P1M2DT3H" },
    ...{
      cover: await sent("cover.pdf"),
      scans: [await sent("a.pdf"), await sent("b.pdf")],
      more: { a: [1, null, awkward] },
    },
    pages: [{ text: "one" }, { text: awkward.split("\n")[0] }],
  });
  expect([all.status, await sent("nobody's.pdf")]).toEqual([201, expect.any(String)]);
  // The owner is notified of another person's action.
  const borrower = await served.person("Bo");
  expect((await borrower.post(`/api/books/${all.record().id}/lend`)).status).toBe(200);
  const { id: record, updated_at: seen } = all.record();
  expect((await ada.post("/_/visits", { of: "Book", record, seen })).status).toBe(204);
  const deleted = (await ada.post("/api/books", { title: "Deleted" })).record();
  expect((await ada.delete(`/api/books/${deleted.id}`)).status).toBe(204);
  const imported = await ada.send("POST", "/api/books/import?name=books.csv&then=check", undefined, {
    raw: "Title,Price\nImported,2.00\n",
    headers: { "content-type": "text/csv" },
  });
  const { id: job } = imported.body as ImportJson;
  const state = async () => ((await ada.get(`/api/books/import/${job}`)).body as ImportJson).state;
  while ((await state()) !== "checked") await sleep(20);
  await ada.post("/_/views", { screen: "/books", title: "Mine", query: "sort=title", shared: true });
  expect((await ada.post("/_/account/tokens", { name: "Printer", days: 30, reads: true, roles: [] })).status).toBe(201);
  await served.visitor().post("/_/sign-up", { email: "new@example.com" });
  await store.query("insert into ninefold.identity values ('https://id.example.com', 'ada', $1, now())", [account.id]);
  await store.query(
    "insert into ninefold.mail (recipient, subject, text, at, next_at) values ('x@example.com', 'x', 'x', now(), now())",
  );
  await store.query("insert into ninefold.address_change (person, old, new, at) values ($1, 'x', 'y', now())", [
    account.id,
  ]);
  await ada.post("/_/session", { email: "ada@example.com", password: "wrong" });
  await proposeFile(served.opened.service.database, {
    source: { file: "shelf.md", text: `# ${awkward}` },
    base: 2,
    model: served.opened.service.model,
  });
  await served.refusals.write();
  await served.signIns.write();
  file = join(await scratch(), "shelf.backup");
  const done = await ninefold(["backup", file, "--database", store.url]);
  expect([done.exit, done.stderr]).toEqual([0, ""]);
  expect(done.stdout).toMatch(/^Saved \d+ rows of \d+ tables in /);
  await recordBackup(file);
});

describe("a backup", () => {
  test("restored into an empty database is identical in rows, constraints, rights and sequences", async () => {
    const other = await database();
    const done = await ninefold(["restore", file, "--database", other.url], { env: { DATABASE_URL: other.appUrl } });
    expect([done.exit, done.stderr]).toEqual([0, ""]);
    const saved = await contents(store);
    expect(await contents(other)).toEqual(withoutSignIn(saved));
    expect(saved["ninefold.version"]).toHaveLength(3);
    // Every kind of table must contain data.
    const empty = Object.entries(saved).filter(([, rows]) => rows.length === 0);
    expect(empty.map(([name]) => name)).toEqual([
      "ninefold.job",
      "ninefold.mail_transition",
      "ninefold.once_link",
      "ninefold.preview",
      "ninefold.reminder",
      "ninefold.report",
      "ninefold.report_mail",
      "ninefold.sample",
      "ninefold.touched",
      "ninefold.unused_object",
    ]);
    expect(await catalogue(other)).toEqual(await catalogue(store));
    const again = await serveText(shelf.replace("# Shelf", "# Shelf of two"), { database: other });
    expect((await again.visitor().get("/readyz")).body).toEqual({ ok: true, version: 3, newest: 3 });
    const visitor = again.visitor();
    expect((await visitor.post("/_/session", { email: "ada@example.com", password: PASSWORD })).status).toBe(204);
    expect((await visitor.get("/_/people")).status).toBe(200);
    const created = (await visitor.post("/api/books", { title: "Later" })).record();
    expect((await visitor.get(`/api/books/${created.id}/history`)).history()).toHaveLength(1);
    await expect(other.query("delete from ninefold.audit")).rejects.toThrow("append only");
    await expect(other.query("update app.book set after = gen_random_uuid()")).rejects.toThrow("foreign key");
    await again.stop();
    await other.end();
  });

  test("is a consistent snapshot while others write, and does not disturb them", async () => {
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
      "select (select count(*) from app.book)::int + (select count(*) from ninefold.trash where entity = 'Book')::int as books, (select count(*) from ninefold.audit where entity = 'Book' and action = 'create')::int as lines",
    );
    expect(rows[0]?.books).toBe(rows[0]?.lines);
    await other.end();
  });

  test("can be read only by its owner, never overwrites a file, and contains no sessions or links", async () => {
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const before = await readFile(file);
    expect(failed(await ninefold(["backup", file, "--database", store.url]))).toMatchObject({
      exit: 2,
      messages: [`The file ${file} already exists.`, "A backup never overwrites a file. Choose another name."],
    });
    expect(await readFile(file)).toEqual(before);
    const nowhere = join(await scratch(), "no", "where");
    expect(failed(await ninefold(["backup", nowhere, "--database", store.url])).exit).toBe(2);
    expect(failed(await ninefold(["backup", join(await scratch(), "x")]))).toMatchObject({ exit: 2 });
    const empty = await database();
    expect(failed(await ninefold(["backup", nowhere.replace("/no/", "/"), "--database", empty.url])).exit).toBe(5);
    await empty.end();
  });

  test("that is killed leaves no file", async () => {
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
  test("sends nothing until an administrator allows it, and sends what waited only if they choose that", async () => {
    const outcomes = [];
    for (const old of [false, true]) {
      const other = await database();
      const restored = await ninefold(["restore", file, "--database", other.url], {
        env: { DATABASE_URL: other.appUrl },
      });
      expect(restored.stdout).toContain("This copy sends no emails and makes no calls to other programs");
      const again = await serveText(shelf.replace("# Shelf", "# Shelf of two"), { database: other });
      const { service } = again.opened;
      const called: string[] = [];
      const outside = {
        environment: { APP_PRINTER_URL: "http://printer.example.com" },
        fetch: (_: unknown, init?: RequestInit) => {
          called.push(String(init?.body));
          return Promise.resolve(new Response(null, { status: 204 }));
        },
      };
      const mailed: string[] = [];
      const mailer = { send: ({ to }: { readonly to: string }) => Promise.resolve(void mailed.push(to)) };
      const work = async () => {
        const later = new Date(Date.now() + 60_000);
        await deliver(service.database, service.model.outgoing, outside as unknown as OutboxEnvironment, later, {
          warn: () => {},
        });
        await sendMails(service.database, mailer, later);
      };
      const chief = await again.person("Chief", ["administrator"]);
      const created = (await chief.post("/api/books", { title: "Since" })).record();
      expect((await chief.post(`/api/books/${created.id}/lend`)).status).toBe(200);
      await other.query(
        "insert into ninefold.mail (recipient, subject, text, at, next_at) values ('y@example.com', 'y', 'y', now(), now())",
      );
      await work();
      expect([called, mailed]).toEqual([[], []]);
      expect((await chief.get("/_/held")).body).toMatchObject({ held: { old: 1, fresh: 1, mails: 1 } });
      const grace = await again.person("Somebody");
      expect((await grace.get("/_/held")).problem().code).toBe("FORBIDDEN");
      expect((await grace.post("/_/held/let-go", { old })).problem().code).toBe("FORBIDDEN");
      expect((await chief.post("/_/held/let-go", {})).problem().code).toBe("WRONG_TYPE");
      expect((await chief.post("/_/held/let-go", { old })).status).toBe(204);
      expect((await chief.get("/_/held")).body).toEqual({ held: null });
      await work();
      outcomes.push([called.toSorted(), mailed]);
      const { rows } = await other.query("select action from ninefold.audit where action = 'let_go'");
      expect(rows).toHaveLength(1);
      await again.stop();
      await other.end();
    }
    expect(outcomes).toEqual([
      [['{"title":"Since"}'], ["y@example.com"]],
      [['{"title":"Since"}', '{"title":"Whole"}'], ["y@example.com"]],
    ]);
    const taking = await database();
    const restored = await ninefold(["restore", file, "--database", taking.url, "--sends"]);
    expect([restored.exit, restored.stdout]).toEqual([0, expect.not.stringContaining("sends nothing")]);
    expect((await taking.query("select held_since from ninefold.release")).rows).toEqual([{ held_since: null }]);
    await taking.end();
  });

  test("revokes access from another release: sessions, tokens, links and mails are not restored", async () => {
    const older = join(await scratch(), "older.backup");
    const writer = await BackupWriter.at(older);
    for await (const { kind, bytes } of readFrames(file)) if (kind !== "end") await writer.write(kind, bytes);
    const person = (await store.query(`select id from app."user" where name = 'Grace'`)).rows[0]?.id;
    const hash = "\\\\x01";
    const until = "2099-01-01";
    const added: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
      session: { token_hash: hash, person, expires_at: until },
      token: { token_hash: hash, person, name: "Printer", roles: "{}", reads: "t", made_at: until, expires_at: until },
      once_link: { token_hash: hash, purpose: "password", expires_at: until, person },
      sign_up: { email: "new@example.com", token_hash: hash, made_at: until, expires_at: until },
      mail: { recipient: "x@example.com", subject: "x", text: "x", at: until, next_at: until },
      mail_transition: {
        token_hash: hash,
        person,
        email: "x@example.com",
        entity: "Book",
        record: person,
        transition: "lend",
        made_at: until,
        expires_at: until,
      },
    };
    for (const [name, row] of Object.entries(added)) {
      await writer.write("table", jsonBytes({ schema: "ninefold", name, columns: Object.keys(row) }));
      await writer.write("data", Buffer.from(`${Object.values(row).join("\t")}\n`));
      await writer.write("rows", jsonBytes({ rows: 1 }));
    }
    await writer.finish();
    const other = await database();
    const done = await ninefold(["restore", older, "--database", other.url]);
    expect([done.exit, done.stderr]).toEqual([0, ""]);
    const restored = await contents(other);
    for (const name of Object.keys(added)) expect([name, restored[`ninefold.${name}`]]).toEqual([name, []]);
    await other.end();
  });

  test("is refused into a database that is not empty, and changes nothing in it", async () => {
    const other = await database();
    await other.query("create table mine (id integer); insert into mine values (1)");
    expect(failed(await ninefold(["restore", file, "--database", other.url]))).toMatchObject({
      exit: 5,
      messages: ["The database is not empty: it contains public.mine.", expect.any(String)],
    });
    expect((await other.query("select * from mine")).rows).toEqual([{ id: 1 }]);
    expect(await contents(other)).toEqual({});
    const before = await contents(store);
    expect(failed(await ninefold(["restore", file, "--database", store.url])).exit).toBe(5);
    expect(await contents(store)).toEqual(before);
    await other.end();
  });

  test("of a truncated, changed or foreign file says so, and leaves the database empty", async () => {
    const folder = await scratch();
    const other = await database();
    const all = await readFile(file);
    const at = (name: string) => join(folder, name);
    await writeFile(at("no backup"), randomBytes(5_000));
    await writeFile(at("empty"), "");
    await writeFile(at("short"), "ninefold ba");
    await writeFile(at("newer"), "ninefold backup 9\n");
    for (const part of [0.3, 0.9]) {
      await copyFile(file, at(`cut ${part}`));
      await truncate(at(`cut ${part}`), Math.floor(all.length * part));
    }
    await copyFile(file, at("cut by one"));
    await truncate(at("cut by one"), all.length - 1);
    for (const place of [0.2, 0.6, 0.95]) {
      const changed = Buffer.from(all);
      const byte = Math.floor(all.length * place);
      changed[byte] = (changed[byte] ?? 0) ^ 0x40;
      await writeFile(at(`changed ${place}`), changed);
    }
    await writeFile(at("more"), Buffer.concat([all, all]));
    for (const name of await readdir(folder)) {
      const { exit, messages } = failed(await ninefold(["restore", at(name), "--database", other.url]));
      expect([name, exit, messages[0]]).toEqual([name, 8, expect.stringMatching(/^The (?:backup|file)/)]);
      expect(await contents(other)).toEqual({});
    }
    expect(failed(await ninefold(["restore", at("not there"), "--database", other.url])).exit).toBe(8);
    await other.end();
  });

  test("of a decompression bomb is refused before it is parsed", async () => {
    const folder = await scratch();
    const create = async (name: string, header: Buffer) => {
      const head = Buffer.from("H\0\0\0\0", "latin1");
      head.writeUInt32BE(header.length, 1);
      const path = join(folder, name);
      await writeFile(
        path,
        Buffer.concat([Buffer.from("ninefold backup 1\n"), gzipSync(Buffer.concat([head, header]))]),
      );
      return path;
    };
    const files = [
      await create("deep", Buffer.alloc(60_000_000, "[")),
      await create("shorter and deep", Buffer.alloc(20_000_000, "[")),
      await create("wide", Buffer.from(`{"sequences":[${"{},".repeat(6_000_000)}{}]}`)),
    ];
    for (const path of files) {
      expect((await stat(path)).size).toBeLessThan(100_000);
      const more = { env: { NODE_OPTIONS: "--max-old-space-size=150" } };
      const { exit, messages } = failed(await ninefold(["restore", path, "--data", join(folder, "data")], more));
      expect([exit, messages[0]]).toEqual([8, "The backup is damaged or incomplete."]);
    }
  });

  test("that is killed leaves nothing, and can be repeated", async () => {
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

test("a data folder is backed up while its application runs, and is restored elsewhere, as a demonstration if it was one", async () => {
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
