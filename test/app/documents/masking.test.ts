import pg from "pg";
import { pino } from "pino";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { FileJson } from "../../../src/core/wire/records.ts";
import { toDatabase } from "../../../src/postgres/preview/preview-database.ts";
import { formatRow, mapArray, parseRow } from "../../../src/preview/mask/copy-text.ts";
import { type Masked, maskValue } from "../../../src/preview/mask/mask-value.ts";
import { type Preview, startPreview } from "../../../src/preview/start-preview.ts";
import fc, { cases } from "../../chance.ts";
import { type ApiClient, apiClientAt, compiled, serveText, type TestServer } from "../program.ts";

const field = (type: Masked["type"], more: Partial<Masked> = {}): Masked => ({
  type,
  min: null,
  max: null,
  values: [],
  ...more,
});
const numRuns = cases(60, 2_000);

describe("a made-up value", () => {
  const words = fc.string({ unit: fc.constantFrom(..."abzAZéÄß09 -_.я字🙂"), minLength: 1, maxLength: 12 });
  test.each<[Masked["type"], fc.Arbitrary<string>]>([
    ["text", words],
    ["email", fc.emailAddress({ size: "small" })],
    ["phone", fc.string({ unit: fc.constantFrom(..."0123456789 +"), minLength: 3, maxLength: 9 })],
    ["integer", fc.integer({ min: -5_000, max: 5_000 }).map(String)],
    ["date", fc.integer({ min: 0, max: 40_000 }).map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10))],
    ["time", fc.integer({ min: 0, max: 1_439 }).map((m) => new Date(m * 60_000).toISOString().slice(11, 19))],
  ])("of %s differs for each value, is always the same, and keeps its form", (type, values) => {
    fc.assert(
      fc.property(values, values, (a, b) => {
        const [one, again, other] = [a, a, b].map((value) => maskValue("key", field(type), "r", value));
        expect(one).toBe(again);
        expect(one === other).toBe(a === b);
        const form = (text: string) =>
          text
            .replaceAll(/\p{Lu}/gu, "A")
            .replaceAll(/\p{Ll}/gu, "a")
            .replaceAll(/\p{Lo}/gu, "x")
            .replaceAll(/\d/gu, "9");
        if (type === "email") expect(one).toBe(`${one?.slice(0, a.length)}.invalid`);
        expect(form(one?.slice(0, a.length) ?? "")).toBe(form(a));
        if (/[a-z]/u.test(a)) expect(one).not.toBe(a);
      }),
      { numRuns },
    );
  });

  test("of texts that differ only in case differs only in case", () => {
    fc.assert(
      fc.property(words, words, (a, b) => {
        const [one, other] = [a, b].map((value) => maskValue("key", field("text"), "r", value).toLowerCase());
        expect(one === other).toBe(a.toLowerCase() === b.toLowerCase());
      }),
      { numRuns },
    );
  });

  test("is within the bounds of its field, and depends on the key", () => {
    const ages = field("integer", { min: "18", max: "65" });
    const created = Array.from({ length: 48 }, (_, i) => Number(maskValue("key", ages, "r", String(18 + i))));
    expect([...created].sort((a, b) => a - b)).toEqual(Array.from({ length: 48 }, (_, i) => 18 + i));
    const narrow = field("integer", { min: "1000000", max: "1000004" });
    const few = [0, 1, 2, 3, 4].map((i) => maskValue("key", narrow, "r", String(1_000_000 + i)));
    expect([...few].sort()).toEqual(["1000000", "1000001", "1000002", "1000003", "1000004"]);
    const day = field("date", { min: "2026-01-01", max: "2026-01-31" });
    for (const date of ["2026-01-01", "2026-01-17", "2026-01-31"]) {
      const one = maskValue("key", day, "r", date);
      expect([one >= "2026-01-01", one <= "2026-01-31", one !== date]).toEqual([true, true, true]);
    }
    expect(maskValue("other", field("text"), "r", "Ada Lovelace")).not.toBe(
      maskValue("key", field("text"), "r", "Ada Lovelace"),
    );
  });

  test("is written into rows and arrays of COPY with the right escapes", () => {
    fc.assert(
      fc.property(fc.array(fc.option(fc.string({ unit: fc.constantFrom(..."a\\\t\n\r\b\f\vN.ü") }))), (values) => {
        if (values.length > 0) expect(parseRow(formatRow(values))).toEqual(values);
      }),
      { numRuns },
    );
    expect(mapArray('{a,"b, \\"c\\\\",NULL}', (one) => `${one}!`)).toBe('{"a!","b, \\"c\\\\!",NULL}');
  });
});

const document = `
# Clinic

## 3. Entities and their fields
\`\`\`yaml
User: { fields: { iban: { type: text?, personal: true } } }
Patient:
  label: "{name}"
  fields:
    name: { type: text, unique: true, personal: true }
    mail: { type: email, unique: true, personal: true }
    phone: { type: phone?, personal: true }
    site: { type: url?, personal: true }
    born: { type: date?, personal: true, min: 1900-01-01, max: 2026-12-31 }
    income: { type: money?, personal: true, min: 0 }
    blood: { type: choice?, values: [a_plus, b_plus, zero], personal: true }
    notes: { type: long text?, personal: true }
    more: { type: json?, personal: true }
    aliases: { type: text, many: true, personal: true }
    scan: { type: file? }
    word: { type: slug, from: name }
    greeting: { type: text?, computed: "name", kept: true }
    ward: text?
Visit:
  fields: { patient: Patient, reason: text, nurse: User }
\`\`\`

## 4. States and transitions
\`\`\`yaml
Visit:
  states: [planned, done]
  transitions: { finish: { from: planned, to: done, by: nurse, asks: { found: { type: text?, personal: true } } } }
  after:
    create: [{ notify: nurse, text: "{patient.name} comes." }, { call: lab }]
    finish: [{ notify: nurse, text: "{patient.name} was seen." }]
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles: { nurse: { members: granted } }
permissions:
  Patient: { read: [nurse], create: [nurse], update: [nurse], delete: [nurse] }
  Visit: { read: [nurse], create: [nurse], update: [nurse], delete: [nurse] }
  User: { read: [nurse] }
\`\`\`

## 7. The calls it makes
\`\`\`yaml
outgoing: { lab: { post: APP_LAB_URL, sends: { who: patient.name } } }
\`\`\`
`;

/** Personal values; none of them may be in a masked copy. */
const planted = {
  name: "Zaphodia Quellmann",
  mail: "zaphodia.q@quellmann.example",
  phone: "+49 170 5550137",
  site: "https://quellmann.example/zaphodia",
  income: "73519.27",
  notes: "Allergisch gegen Haselnüsse,\nseit dem Unfall in Bielefeld",
};
const pieces = [
  "Zaphodia",
  "Quellmann",
  "zaphodia",
  "quellmann",
  "5550137",
  "1971-03-14",
  "73519.27",
  "Haselnüsse",
  "Bielefeld",
  "Trillianah",
  "Betelgeusia",
  "passport-of-her",
  "BYTES-OF-HER-PASSPORT",
  "Former-Namely",
  "Norablume",
  "DE89370400440532013000",
  "Rare fever of Zaphodia",
];

const log = pino({ level: "silent" });
let served: TestServer;
let preview: Preview;
let chief: ApiClient;

/** Everything in a database as text, with the bytes of files. */
const dump = async (url: string): Promise<string> => {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('app', 'ninefold')",
    );
    const all: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t`);
      all.push(name, ...rows.map(({ row }) => row));
    }
    const { rows } = await client.query<{ bytes: Buffer }>("select bytes from ninefold.file_chunk");
    return [...all, ...rows.map(({ bytes }) => bytes.toString("utf8"))].join("\n");
  } finally {
    await client.end();
  }
};

beforeAll(async () => {
  served = await serveText(document);
  const { id } = await served.account("Chief", "correct horse battery", ["administrator", "nurse"]);
  const nora = await served.person("Norablume", ["nurse"]);
  await served.database.query(`update app."user" set iban = 'DE89370400440532013000' where id = $1`, [nora.id]);
  const sent = await nora.send("POST", "/_/files?name=passport-of-her.txt", undefined, {
    raw: "BYTES-OF-HER-PASSPORT",
    headers: { "content-type": "application/octet-stream" },
  });
  const file = (sent.body as FileJson).id;
  const input = {
    ...planted,
    born: "1971-03-14",
    blood: "zero",
    more: { aunt: "Trillianah" },
    aliases: ["Betelgeusia, of course", "x"],
    scan: file,
    ward: "North ward",
  };
  const created = (await nora.post("/api/patients", { ...input, name: "Former-Namely" })).record();
  expect((await nora.patch(`/api/patients/${created.id}`, { name: planted.name })).status).toBe(200);
  const deleted = (
    await nora.post("/api/patients", { ...input, name: "Zaphodia the second", mail: "z@quellmann.example", scan: null })
  ).record();
  expect((await nora.delete(`/api/patients/${deleted.id}`)).status).toBeLessThan(300);
  const visit = await nora.post("/api/visits", { patient: created.id, reason: "checkup", nurse: id });
  const finished = await nora.post(`/api/visits/${visit.record().id}/finish`, { found: "Rare fever of Zaphodia" });
  expect([visit.status, finished.status]).toEqual([201, 200]);
  await nora.post("/_/views", { screen: "/patients", title: "Zaphodia", query: "search=Quellmann", shared: false });
  await served.visitor().post("/_/session", { email: planted.mail, password: "wrong" });
  await served.signIns.stop();
  await served.refusals.stop();
  const draft = compiled(document);
  preview = await startPreview(
    {
      connections: { owner: served.database.url, app: served.database.appUrl },
      host: "127.0.0.1",
      port: 0,
      site: { origin: null, proxies: [], isPreview: true },
      original: null,
      log,
    },
    { compiled: draft, model: draft.model, base: 1, person: id, masked: true },
  );
  chief = apiClientAt(preview.address, "");
  const token = /#preview=([\w-]+)$/u.exec(await preview.link())?.[1];
  expect((await chief.post("/_/session", { preview: token })).status).toBe(204);
});
afterAll(() => preview.end());

test("a masked copy contains no personal value", async () => {
  const original = await dump(served.database.url);
  expect(pieces.filter((chunk) => !original.includes(chunk))).toEqual([]);
  const copy = await dump(String(toDatabase(served.database.url, preview.row.place)));
  expect(pieces.filter((chunk) => copy.includes(chunk))).toEqual([]);
  expect(copy).toContain("North ward");
});

test("a masked copy is complete: records, references, history, files, and the person who tries it", async () => {
  const [patient] = (await chief.get("/api/patients")).list().items;
  if (patient === undefined) throw new Error("there is no patient");
  const { name, mail, word, greeting, born, income, ward } = patient;
  expect(String(name)).toMatch(/^[A-Z][a-z]{7} [A-Z][a-z]{8}$/u);
  expect([greeting, String(word)]).toEqual([name, expect.stringMatching(/^[a-z-]+$/u)]);
  expect(String(mail)).toMatch(/^[a-z]{8}\.[a-z]@[a-z]{9}\.[a-z]{7}\.invalid$/u);
  expect([String(born) > "1968", ward]).toEqual([true, "North ward"]);
  expect(income).toMatchObject({ amount: expect.stringMatching(/^\d{5}\.\d\d$/u) });
  const lines = (await chief.get(`/api/patients/${patient.id}/history`)).history();
  expect(lines).toHaveLength(2);
  expect(JSON.stringify(lines)).toContain(String(name));
  const [visit] = (await chief.get("/api/visits")).list().items;
  expect(visit).toMatchObject({ patient: { id: patient.id, label: name }, reason: "checkup" });
  const { id: file } = patient.scan as unknown as FileJson;
  const got = await chief.get(`/api/patients/${patient.id}/files/${file}`);
  expect([file.length, got.status, got.text]).toEqual([36, 200, "This file is not part of the preview.\n"]);
  const { people } = { people: (await chief.get("/_/people")).body as { items: { name: string; email: string }[] } };
  expect(people.items.find((one) => one.email === "chief@example.com")?.name).toBe("Chief");
  expect(people.items.find((one) => one.email !== "chief@example.com")?.email).toMatch(/\.invalid$/u);
});
