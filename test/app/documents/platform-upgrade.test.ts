import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RELEASE } from "../../../src/postgres/schema/system-tables.ts";
import { database, type TestDatabase } from "../../postgres.ts";
import { serveText, type TestServer } from "../program.ts";

/* Data of an older version of the program are upgraded at the next start, without loss. */

const document = `
## 2. Screens
\`\`\`yaml
/rooms: { list: Room, sort: [code] }
\`\`\`
## 3. Entities
\`\`\`yaml
Room:
  fields: { code: { type: text, unique: true }, floor: integer, nth: integer }
Stay:
  label: "{room.code}"
  fields: { room: Room, first: date, last: date }
Menu:
  fields: { name: text, dishes: { list: Dish.menu } }
Dish:
  label: "{name}"
  fields: { menu: { type: Menu, part of: true }, name: text, served: boolean, nth: integer }
\`\`\`
## 5. Rules
\`\`\`yaml
Room:
  - { unique: [floor, nth], else: TAKEN }
Stay:
  - { no overlap: [first, last], within: room, else: TAKEN }
Dish:
  - { unique: [nth], within: [menu], where: "served", else: TAKEN }
\`\`\`
## 6. Roles
\`\`\`yaml
roles: { staff: { members: signed in } }
permissions:
${["Room", "Stay", "Menu", "Dish"].map((entity) => `  ${entity}: { read: [staff], create: [staff], update: [staff], delete: [staff] }`).join("\n")}
\`\`\`
## 8. Errors
\`\`\`yaml
TAKEN: { status: 409, message: "That is taken." }
\`\`\`
`;

let store: TestDatabase;
let before: TestServer;
beforeAll(async () => {
  store = await database();
  before = await serveText(document, { database: store });
  const ada = await before.person("Ada");
  const rooms: string[] = [];
  for (const nth of [1, 2]) rooms.push((await ada.post("/api/rooms", { code: `R${nth}`, floor: 1, nth })).record().id);
  for (const room of rooms) await ada.post("/api/stays", { room, first: "2026-03-01", last: "2026-03-08" });
  const dishes = [1, 2].map((nth) => ({ name: `Dish ${nth}`, served: true, nth }));
  expect((await ada.post("/api/menus", { name: "Noon", dishes })).status).toBe(201);
  await before.stop();
});
afterAll(() => store.end());

const rowsOf = async (text: string) => (await store.query(text)).rows;

/** Constraints of the document's tables, with the comments that record their source. */
const held = () =>
  rowsOf(`select conname as name, pg_get_constraintdef(oid) as says, obj_description(oid, 'pg_constraint') as note, condeferrable as waits
          from pg_constraint where connamespace = 'app'::regnamespace and contype in ('u', 'x', 'f')
          union all
          select i.relname, pg_get_indexdef(i.oid), obj_description(i.oid, 'pg_class'), false
          from pg_index x join pg_class i on i.oid = x.indexrelid where i.relnamespace = 'app'::regnamespace order by 1, 2`);

const TABLES = ["user", "room", "stay", "menu", "dish"];
const data = async () =>
  Promise.all(TABLES.map((table) => rowsOf(`select to_jsonb(t) as row from app."${table}" t order by id`)));

/** One pending item of each kind, so that none is missed. */
const waiting = async () =>
  rowsOf(`select contype::text as kind, count(*)::int as n from pg_constraint
          where connamespace = 'app'::regnamespace and condeferrable group by 1 order by 1`);

/** Replaces each deferrable constraint by an immediate one; `noted`: its comment says so too. */
const madeHasty = async (how: "by an older version" | "by another program") => {
  const constraints = await rowsOf(`select conname as name, conrelid::regclass::text as of, contype::text as kind,
      pg_get_constraintdef(oid) as says, coalesce(obj_description(oid, 'pg_constraint'), obj_description(conindid, 'pg_class')) as note
      from pg_constraint where connamespace = 'app'::regnamespace and condeferrable`);
  for (const { name, of, kind, says, note } of constraints) {
    const hasty = String(says).replace(/ DEFERRABLE.*$/u, "");
    const words = how === "by another program" ? String(note) : String(note).replace(" deferrable", "");
    const literal = `'${words.replaceAll("'", "''")}'`;
    if (kind === "f") await store.query(`alter table ${of} alter constraint "${name}" not deferrable`);
    else if (kind === "u" && how === "by an older version") {
      await store.query(`alter table ${of} drop constraint "${name}"`);
      await store.query(`create unique index "${name}" on ${of} ${hasty.replace("UNIQUE ", "")}`);
      await store.query(`comment on index app."${name}" is ${literal}`);
    } else {
      await store.query(`alter table ${of} drop constraint "${name}"`);
      await store.query(`alter table ${of} add constraint "${name}" ${hasty}`);
      if (kind === "u") await store.query(`comment on index app."${name}" is ${literal}`);
      else await store.query(`comment on constraint "${name}" on ${of} is ${literal}`);
    }
  }
};

describe.each(["by an older version", "by another program"] as const)(
  "unique, overlapping and referring values that were checked row by row, %s,",
  (how) => {
    test("get their constraints after the start, once open transactions end, with all rows", async () => {
      const [asMade, rows, kinds] = [await held(), await data(), await waiting()];
      expect(kinds.map(({ kind }) => kind)).toEqual(["f", "u", "x"]);
      await madeHasty(how);
      expect(await waiting()).toEqual([]);
      const served = await serveText(document, { database: store });
      expect(await held()).toEqual(asMade);
      expect(await data()).toEqual(rows);

      const ada = await served.person(`Grace ${how}`);
      const [menu] = (await ada.get("/api/menus")).list().items;
      const parts = (await ada.get("/api/dishes")).list().items;
      expect(parts).toHaveLength(2);
      const dishes = parts.map(({ id, nth }) => ({ id, nth: 3 - Number(nth) }));
      // They swap values, which would collide row by row.
      expect((await ada.patch(`/api/menus/${menu?.id}`, { dishes })).status).toBe(200);
      expect((await ada.post("/api/rooms", { code: "R1", floor: 9, nth: 9 })).status).toBe(409);
      expect((await ada.post("/api/rooms", { code: "R9", floor: 1, nth: 1 })).problem().code).toBe("TAKEN");
      await served.stop();
      const again = await serveText(document, { database: store });
      expect(again.opened.applied.done).toEqual([]);
      await again.stop();
    });
  },
);

describe("the platform’s own tables of the release with eleven steps,", () => {
  const OLD = 11;
  /** Reverts the later steps of the system tables. */
  const undone = `
    drop index ninefold.notification_read, ninefold.outbox_done;
    drop function ninefold.prepare_audit_months; drop table ninefold.audit_month;
    create table ninefold.lines as table ninefold.audit; drop table ninefold.audit cascade;
    create table ninefold.audit (id bigint generated always as identity primary key, at timestamptz(3) not null default now(), person uuid,
      entity text not null, record uuid not null, action text not null, clause text not null, document integer not null, changes jsonb not null, cause bigint);
    comment on table ninefold.audit is 'Who changed what, when, under which clause. No foreign keys: a line outlives what it tells of.';
    comment on column ninefold.audit.cause is 'The line of the write that this one follows.';
    create index audit_record on ninefold.audit (record, id desc);
    create trigger append_only before update or delete or truncate on ninefold.audit for each statement execute function ninefold.audit_is_append_only();
    insert into ninefold.audit overriding system value select id, at, person, entity, record, action, clause, document, changes, cause from ninefold.lines;
    select setval('ninefold.audit_id_seq', (select max(id) from ninefold.lines)); drop table ninefold.lines;
    drop function ninefold.release_object cascade; drop table ninefold.unused_object; alter table ninefold.file drop column object;
    drop table ninefold.reminder, ninefold.report, ninefold.report_mail; alter table ninefold.mail drop column attachment, drop column letters, drop column link;
    drop table ninefold.mail_transition;
    alter table ninefold.notification drop column import, drop column others; alter table ninefold.idempotency drop column version;
    drop table ninefold.import_part; drop table ninefold.import; drop table ninefold.trash;
    alter table ninefold.release drop constraint preview_sends_nothing, drop column preview; drop table ninefold.preview;
    drop table ninefold.job, ninefold.touched; drop function ninefold.note_touched;
    drop table ninefold.proposal_event; drop table ninefold.proposal;
    alter table ninefold.version drop column proposal, drop column approvers, drop column said;
    drop table ninefold.former_value, ninefold.former_column;
    drop table ninefold.retired;
    drop table ninefold.sign_in;
    drop function ninefold.note_address_change; drop table ninefold.address_change;
    drop index ninefold.file_person;
    drop table ninefold.secret;
    drop index ninefold.attempt_until; alter table ninefold.attempt drop column until, drop column next_at;
    drop table ninefold.preference;
    drop index ninefold.notification_mail; alter table ninefold.notification drop column mail_at, drop column mailed;
    alter table ninefold.mail drop column html, drop column headers, drop column person, drop column state, drop column said;
    drop index ninefold.notification_unread; alter table ninefold.notification drop column message, drop column said;
    alter table ninefold.release drop column text_order, drop column held_since, drop column held_from;
    alter table ninefold.version drop column note, drop column restores, drop column done;
    drop table ninefold.visit;
    alter table ninefold.session drop column viewed, drop column viewed_until;
    alter table ninefold.view drop column former; drop function ninefold.forget_changes;
    update ninefold.release set steps = ${OLD}`;
  const tables = () =>
    rowsOf(`select c.relname as table, a.attname as column, format_type(a.atttypid, a.atttypmod) as type, a.attnotnull as needed, col_description(c.oid, a.attnum) as note
            from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            where c.relnamespace = 'ninefold'::regnamespace and c.relkind in ('r', 'p', 'i', 'I') and not c.relispartition order by 1, 2`);
  const readStored = async () => ({
    lines: await rowsOf("select to_jsonb(a) as line from ninefold.audit a order by id"),
    sessions: await rowsOf(
      "select to_jsonb(s) - 'viewed' - 'viewed_until' as session from ninefold.session s order by token_hash",
    ),
    versions: await rowsOf("select number, hash, source from ninefold.version order by number"),
  });

  test("are upgraded by the next start, with all their data", async () => {
    const first = await serveText(document, { database: store });
    const ada = await first.person("Hedy");
    const { id } = (await ada.post("/api/rooms", { code: "old", floor: 5, nth: 5 })).record();
    const cookie = ada.cookie();
    await first.stop();
    const [asMade, rows] = [await tables(), await readStored()];
    await store.query(undone);
    expect(await tables()).not.toEqual(asMade);
    const served = await serveText(document, { database: store });
    expect(await tables()).toEqual(asMade);
    expect(await readStored()).toEqual(rows);
    expect(await rowsOf("select steps from ninefold.release")).toEqual([{ steps: RELEASE }]);
    const back = served.signedIn(cookie.replace(/^session=/u, ""));
    expect((await back.get(`/api/rooms/${id}/history`)).history()).toHaveLength(1);
    expect((await back.patch(`/api/rooms/${id}`, { floor: 6 })).status).toBe(200);
    await served.stop();
  });
});

describe("an index of texts", () => {
  const sortedIndex = () =>
    rowsOf(`select i.oid, pg_get_indexdef(i.oid) as says, (select text_order from ninefold.release) as built
            from pg_class i where i.relname like 'room\\_\\_by\\_code%'`);

  test("is built anew by the start after the database sorts by other rules", async () => {
    await (await serveText(document, { database: store })).stop();
    const [before] = await sortedIndex();
    expect(before?.says).toContain('COLLATE "und-x-icu"');
    await store.query("update ninefold.release set text_order = '1'");
    const served = await serveText(document, { database: store });
    expect(served.opened.applied.done).toHaveLength(1);
    await served.stop();
    const [after] = await sortedIndex();
    expect(after).toEqual({ ...before, oid: expect.anything() });
    expect(after?.oid).not.toBe(before?.oid);
    const again = await serveText(document, { database: store });
    expect(again.opened.applied.done).toEqual([]);
    await again.stop();
  });
});
