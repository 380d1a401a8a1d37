import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { toChangeJson } from "../../../src/core/migration/migration-step.ts";
import { connect } from "../../../src/postgres/database.ts";
import { applyDocument } from "../../../src/postgres/schema/apply-document.ts";
import { planDocument } from "../../../src/postgres/schema/plan-document.ts";
import { database, type TestDatabase } from "../../postgres.ts";
import { type ApiClient, compiled, serveText, type TestServer } from "../program.ts";

const document = (points: { readonly [point: number]: string }): string =>
  [
    "# Workshop",
    ...Object.entries(points).map(([point, yaml]) => `## ${point}. Point\n\`\`\`yaml\n${yaml.trim()}\n\`\`\``),
  ].join("\n\n");

const before = document({
  3: `
Machine:
  label: "{serial_number}"
  fields:
    number:        { type: sequence, pattern: "M-{n:3}" }
    serial_number: { type: text, unique: true, max: 80 }
    sort:          { type: choice, values: [lathe, drill, misc] }
    marks:         { type: choice, values: [old, loud], many: true }
    bought:        { type: date, default: today }
    first_day:     date?
    last_day:      date?
    big:           { type: boolean, computed: "serial_number.startsWith('B')" }
    twin:          Machine?
Site:
  label: "{name}"
  fields: { name: text }
  records: { hall: { name: Hall }, yard: { name: Yard } }
Job:
  fields:
    machine: Machine
    text:    text
    site:    { type: Site, default: Site.hall }
    indoors: { type: boolean, computed: "size(site.name) > 0 && site == Site.hall" }`,
  4: `
Machine:
  field: status
  states: [used, broken, scrapped]
  final: scrapped
  transitions:
    fail:  { from: used, to: broken, by: fitter }
    scrap: { from: [used, broken], to: scrapped, by: fitter }
    mend:  { from: broken, to: used, by: fitter }`,
  5: `
Machine:
  - { rule: "sort != misc || size(serial_number) > 2", else: SAY_MORE }
  - { unique: [sort, bought], where: "status == broken", else: SAY_MORE }
  - { no overlap: [first_day, last_day], within: [sort], where: "status == used", else: SAY_MORE }`,
  6: `
roles:
  fitter: { members: granted }
  staff:  { members: signed in }
permissions:
  User:    { read: { role: staff, fields: [name] } }
  Machine: { read: [staff], create: [fitter], update: [fitter], delete: none }
  Site:    { read: [staff] }
  Job:     { read: [fitter], create: [fitter], update: [fitter], delete: none }`,
  8: `SAY_MORE: "Say more about {serial_number}."`,
  9: "usual_wait: 3",
}).replace("usual_wait: 3", "usual_wait: 3\npage_size: 25");

/** New names for the document; `was` gives the old ones. */
const words: readonly (readonly [RegExp, string])[] = [
  [/\bMachine\b/gu, "Device"],
  [/\bmachine\b/gu, "device"],
  [/\bserial_number\b/gu, "serial"],
  [/\bsort\b/gu, "kind"],
  [/\bmisc\b/gu, "other"],
  [/\bloud\b/gu, "noisy"],
  [/\bused\b/gu, "in_use"],
  [/\bscrap\b/gu, "retire"],
  [/\bfitter\b/gu, "mechanic"],
  [/\busual_wait\b/gu, "patience"],
  [/\bstatus\b/gu, "condition"],
  [/\bhall\b/gu, "main_hall"],
];
const named = words.reduce((text, [from, to]) => text.replace(from, to), before);
const after = named
  .replace("Device:\n  label", "Device:\n  was: Machine\n  label")
  .replace("device: Device", "device: { type: Device, was: machine }")
  .replace("serial: { type: text,", "serial: { type: text, was: serial_number,")
  .replace("[lathe, drill, other]", "[lathe, drill, { other: { was: misc } }]")
  .replace("kind:          { type: choice,", "kind: { type: choice, was: sort,")
  .replace("[old, noisy]", "[old, { noisy: { was: loud } }]")
  .replace("states: [in_use,", "states: [{ in_use: { was: used } },")
  .replace("retire: { from:", "retire: { was: scrap, from:")
  .replace("mechanic: { members: granted }", "mechanic: { members: granted, was: fitter }")
  .replace("field: condition", "field: { condition: { was: status } }")
  .replace("main_hall: { name", "main_hall: { was: hall, name")
  .replace("patience: 3", "patience: { value: 3, was: usual_wait }");

let store: TestDatabase;
beforeAll(async () => {
  store = await database();
});
afterAll(() => store.end());

const owner = <T>(work: (owner: ReturnType<typeof connect>) => Promise<T>): Promise<T> => {
  const connection = connect({ connection: store.url, max: 1, statementTimeout: 10_000 });
  return work(connection).finally(() => connection.end());
};

/** Tables, columns, constraints and indexes of the document, with their comments. */
const definitions = async (): Promise<readonly unknown[]> => {
  const texts = [
    `select c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, col_description(c.oid, a.attnum), obj_description(c.oid, 'pg_class')
       from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'app' join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 where c.relkind = 'r' order by 1, 2`,
    `select conname, pg_get_constraintdef(k.oid), obj_description(k.oid) from pg_constraint k join pg_namespace n on n.oid = k.connamespace and n.nspname = 'app' where contype <> 'n' order by 1`,
    `select indexname, indexdef, obj_description(('app.' || quote_ident(indexname))::regclass) from pg_indexes where schemaname = 'app' order by 1`,
  ];
  const found: unknown[] = [];
  for (const text of texts) found.push((await store.query(text)).rows);
  return found;
};

describe("what a document renames keeps its data", () => {
  let desk: TestServer;
  let fitter: ApiClient;
  let lathe: string;
  let hall: string;
  let files: readonly unknown[];

  test("the plan describes it and does nothing", async () => {
    const first = await serveText(before, { database: store });
    const ada = await first.person("Ada", ["fitter"]);
    const created = await ada.post("/api/machines", {
      serial_number: "B-12",
      sort: "misc",
      marks: ["loud", "old"],
      first_day: "2026-01-01",
    });
    lathe = created.record().id;
    await ada.post("/api/machines", { serial_number: "A-1", sort: "drill", twin: lathe });
    await ada.patch(`/api/machines/${lathe}`, { serial_number: "B-13" });
    await ada.post(`/api/machines/${lathe}/fail`);
    await ada.post(`/api/machines/${lathe}/mend`);
    hall = ((await ada.post("/api/jobs", { machine: lathe, text: "Oil it" })).record().site as { id: string }).id;
    await ada.post("/_/views", {
      screen: "/machines",
      title: "Old drills",
      query:
        "status=used&sort=misc&sort=-serial_number%2Cbought&serial_number%7E=B&bought%40=last_month&search=sort&grouped=sort%2Cstatus&figure=sum%28serial_number%29",
      shared: true,
    });
    const widths = { serial_number: 120, bought: 90 };
    await ada.post("/_/preferences", { "/machines": { columns: ["status", "serial_number", "bought"], widths } });
    await first.stop();
    files = (await store.query("select oid, relname, relfilenode from pg_class where relname in ('machine', 'job')"))
      .rows;

    const { model, source } = compiled(after);
    const { done, messages, refused } = await owner((one) => planDocument(one, model, source));
    expect({ done, refused }).toEqual({
      refused: [],
      done: [
        "3.Device: rename Machine to Device; its records and their history are kept",
        "3.Device.serial: rename serial_number to serial; its values are kept",
        "3.Device.kind: rename sort to kind; its values are kept",
        "4.Device: rename status to condition; its values are kept",
        "3.Job.device: rename machine to device; its values are kept",
        "3.Device.kind: rename misc to other; 1 record changes",
        "3.Device.marks: rename loud to noisy; 1 record changes",
        "4.Device.in_use: rename used to in_use; 2 records change",
        "4.Device.retire: rename scrap to retire",
        "3.Site.main_hall: rename hall to main_hall; the record is kept",
        "6.roles.mechanic: rename fitter to mechanic; people keep this role",
        "9.patience: rename usual_wait to patience",
      ],
    });
    expect(toChangeJson({ messages, refused })).toEqual({ steps: done, refused: [] });
    expect(toChangeJson({ messages, refused }, "de").steps[0]).toBe(
      "3.Device: Machine in Device umbenennen; die Einträge und ihr Verlauf bleiben erhalten",
    );
    expect((await store.query("select relname from pg_class where relname = 'machine'")).rows).toHaveLength(1);
  });

  test("a plan that would block everyone is abandoned and says so, with all its steps", async () => {
    const { model, source } = compiled(after);
    const plan = () => owner((one) => planDocument(one, model, source));
    const short = await plan();
    // Simulates very many of them.
    await store.query(`create function app.slow() returns trigger language plpgsql as $$ begin perform pg_sleep(600); return new; end $$;
      create trigger slow before update on app.machine for each row execute function app.slow()`);
    const { done, refused } = await plan();
    await store.query("drop function app.slow() cascade");
    expect(refused).toEqual([]);
    // The number of updated rows is counted before each step, and the second step was not reached.
    const uncounted = short.done.map((one) =>
      /\.(?:marks|in_use):/u.test(one) ? one.replace(/; .*/u, "; the records with this value change") : one,
    );
    expect(done).toEqual([...uncounted, expect.stringMatching(/trial stopped.*Publishing checks the rest/u)]);
    expect(await plan()).toEqual(short);
  });

  test("the plan says how many records have a renamed value", async () => {
    const { model, source } = compiled(after);
    await store.query(
      `insert into app.machine (id, version, created_at, updated_at, state_since, number, serial_number, sort, bought, marks, status)
       select uuidv7(), 1, now(), now(), now(), 'N-' || n, 'S-' || n, 'drill', '2026-01-01', '{loud}', 'scrapped' from generate_series(1, 30) n`,
    );
    const { done } = await owner((one) => planDocument(one, model, source, { large: 100_000 }));
    expect(done).toContain("3.Device.marks: rename loud to noisy; 31 records change");
    await store.query("delete from app.machine where number like 'N-%'");
  });

  test("records, references, roles and numbers have the new names in the same tables", async () => {
    desk = await serveText(after, { database: store });
    expect(desk.opened.applied.version).toBe(2);
    const ada = (await store.query(`select id from app."user" where roles = '{mechanic}'`)).rows;
    expect(ada).toHaveLength(1);
    fitter = await desk.person("Eve", ["mechanic"]);
    const record = (await fitter.get(`/api/devices/${lathe}`)).record();
    expect(record).toMatchObject({
      number: "M-001",
      serial: "B-13",
      kind: "other",
      marks: ["noisy", "old"],
      condition: "in_use",
      big: true,
      first_day: "2026-01-01",
    });
    const { items } = (await fitter.get(`/api/jobs?device=${lathe}`)).list();
    expect(items).toMatchObject([
      { text: "Oil it", device: { id: lathe, label: "B-13" }, site: { label: "Hall" }, indoors: true },
    ]);
    const sites = (await fitter.get("/api/sites?sort=name")).list().items;
    expect(sites.map(({ id, key, name }) => [id, key, name])).toEqual([
      [hall, "main_hall", "Hall"],
      [expect.any(String), "yard", "Yard"],
    ]);
    expect((await fitter.post("/api/jobs", { device: lathe, text: "Paint it" })).record()).toMatchObject({
      site: { id: hall },
      indoors: true,
    });
    const next = (await fitter.post("/api/devices", { serial: "C-1", kind: "lathe" })).record();
    expect(next).toMatchObject({ number: "M-003", condition: "in_use" });
    const now = await store.query("select oid, relname from pg_class where relname in ('device', 'job') order by 2");
    expect(now.rows.map(({ oid }) => oid).sort()).toEqual(
      (files as readonly { readonly oid: number }[]).map(({ oid }) => oid).sort(),
    );
  });

  test("rules, uniqueness and ranges still hold", async () => {
    expect((await fitter.post("/api/devices", { serial: "D", kind: "other" })).problem().code).toBe("SAY_MORE");
    expect((await fitter.post("/api/devices", { serial: "B-13", kind: "lathe" })).problem().code).toBe("TAKEN");
    const overlap = await fitter.post("/api/devices", { serial: "OVER", kind: "other", first_day: "2026-02-01" });
    expect(overlap.problem().code).toBe("SAY_MORE");
  });

  test("history uses the current names", async () => {
    const lines = (await fitter.get(`/api/devices/${lathe}/history`)).history();
    expect(lines.map(({ action, document: version }) => [action, version])).toEqual([
      ["mend", 1],
      ["fail", 1],
      ["update", 1],
      ["create", 1],
    ]);
    expect(lines[0]?.changes).toContainEqual({ field: "condition", before: "broken", after: "in_use" });
    expect(lines[2]?.changes).toContainEqual({ field: "serial", before: "B-12", after: "B-13" });
    const created = lines[3]?.changes ?? [];
    expect(created).toContainEqual({ field: "kind", before: null, after: "other" });
    expect(created).toContainEqual({ field: "marks", before: null, after: ["noisy", "old"] });
    await fitter.post(`/api/devices/${lathe}/retire`);
    const [newest] = (await fitter.get(`/api/devices/${lathe}/history`)).history();
    expect(newest).toMatchObject({ action: "retire", document: 2 });
  });

  test("a saved view finds the same records", async () => {
    const { items } = (await fitter.get("/_/views")).body as { items: readonly { screen: string; query: string }[] };
    expect(items).toMatchObject([
      {
        screen: "/devices",
        query: new URLSearchParams([
          ["condition", "in_use"],
          ["sort", "misc"],
          ["sort", "-serial,bought"],
          ["serial~", "B"],
          ["bought@", "last_month"],
          ["search", "sort"],
          ["grouped", "kind,condition"],
          ["figure", "sum(serial)"],
        ]).toString(),
      },
    ]);
  });

  test("a list keeps people’s settings", async () => {
    const { rows } = await store.query("select name, value::jsonb as value from ninefold.preference");
    expect(rows).toEqual([
      {
        name: "/devices",
        value: { columns: ["condition", "serial", "bought"], widths: { serial: 120, bought: 90 } },
      },
    ]);
  });

  test("a request with an old name learns the new one, if the person can know it", async () => {
    expect((await fitter.get(`/api/machines/${lathe}`)).problem()).toMatchObject({
      status: 404,
      code: "NO_SUCH_CALL",
      detail: `This page has moved to /api/devices/${lathe}.`,
    });
    expect((await fitter.post(`/api/machines/${lathe}/scrap`)).problem().detail).toBe(
      `This page has moved to /api/devices/${lathe}/retire.`,
    );
    expect((await fitter.post(`/api/devices/${lathe}/scrap`)).problem().detail).toBe(
      `This page has moved to /api/devices/${lathe}/retire.`,
    );
    expect((await desk.visitor().get("/api/machines")).problem().detail).toBe("This address doesn’t exist.");
    const staff = await desk.person("Sam");
    expect((await staff.get("/api/machines")).problem().detail).toBe("This page has moved to /api/devices.");

    const wrong = (await fitter.post("/api/devices", { serial_number: "E", kind: "misc" })).problem();
    expect(wrong.errors).toMatchObject([
      { at: "/serial_number", code: "UNKNOWN_FIELD", message: "“serial_number” was renamed to “serial”." },
      { at: "/serial", code: "REQUIRED" },
      { at: "/kind", code: "NOT_A_CHOICE", message: "“misc” was renamed to “other”." },
    ]);
    for (const [query, says] of [
      ["serial_number=A", "It was renamed to “serial”"],
      ["sort=-serial_number", "It was renamed to “serial”"],
      ["condition=used", "It was renamed to “in_use”"],
      ["status=used", "It was renamed to “condition”"],
    ] as const)
      expect((await fitter.get(`/api/devices?${query}`)).problem().detail).toContain(says);
  });

  test("the tables equal those of a fresh document, and applying it again changes nothing", async () => {
    const own = await definitions();
    const { model, source } = compiled(after);
    expect((await owner((one) => applyDocument(one, model, source))).done).toEqual([]);
    // `was` can be removed; the renaming is remembered.
    const without = compiled(named);
    const applied = await owner((one) => applyDocument(one, without.model, without.source));
    expect(applied.done).toEqual([]);
    expect(applied.past).toHaveLength(12);
    expect(await definitions()).toEqual(own);
    const [plain, stored] = [await database(), store];
    try {
      const fresh = connect({ connection: plain.url, max: 1, statementTimeout: 10_000 });
      const { prepareSystem } = await import("../../../src/postgres/schema/prepare-system.ts");
      await prepareSystem(fresh, "ninefold_app");
      await applyDocument(fresh, without.model, without.source).finally(() => fresh.end());
      store = plain;
      expect(await definitions()).toEqual(own);
    } finally {
      store = stored;
      await plain.end();
    }
  });
});
