import Big from "big.js";
import { beforeAll, expect, test } from "vitest";
import { compile } from "../../../src/core/compile.ts";
import { compareAsRead } from "../../../src/core/derive/sql/reading-order.ts";
import { toJs } from "../../../src/core/expression/compile/to-js.ts";
import type { Duration } from "../../../src/core/expression/values/duration.ts";
import type { JsRecord, Value } from "../../../src/core/expression/values/value.ts";
import { postgresType, valueKinds } from "../../../src/core/expression/values/value-kinds.ts";
import type { Json } from "../../../src/core/wire/json.ts";
import type { RecordJson } from "../../../src/core/wire/records.ts";
import fc from "../../chance.ts";
import { randomWorld } from "../../rule/engines.ts";
import { expressions, type Sort } from "../../rule/generate.ts";
import { entities, stored } from "../../rule/world.ts";
import { type ApiClient, serveText, type TestServer } from "../program.ts";

/*
 * A computed field has one value in every form: as a generated column or as an inlined expression, as a `kept` column,
 * in lists with sorting and filters, and in JavaScript, where forms compute it. The expressions are random over the
 * types and references of `test/rule/world.ts`; `SEED` and `FIELDS` in the environment select others.
 */

const seed = Number(process.env.SEED ?? 1);
const most = Number(process.env.FIELDS ?? 36);
const now = "2026-03-29T00:59:59.999Z";
const today = "2026-03-29";

const sorts = [
  "integer",
  "decimal",
  "money",
  "text",
  "date",
  "time",
  "datetime",
  "duration",
  "choice",
  "boolean",
  "User",
] as const;

const choice = "values: [holiday, sick, parental]";
const typed = (sort: string, more = "", optional = "?"): string =>
  `{ type: ${sort}${optional}${sort === "choice" ? `, ${choice}` : ""}${sort === "money" ? ", currency: EUR" : ""}${more} }`;

/** The world of the expression tests as a document whose items have two computed fields per expression. */
const documentOf = (texts: readonly (readonly [Sort, string])[]): string => `
# World

## 1. Purpose
\`\`\`yaml
timezone: Europe/Berlin
\`\`\`

## 3. Entities and their fields
\`\`\`yaml
User:
  fields:
    manager:   User?
    allowance: { type: integer, default: 0 }
    busy:      boolean
    watched:   { list: Item.watchers }
Item:
  fields:
${sorts
  .slice(0, 9)
  .flatMap((sort) => [1, 2, 3].map((n) => `    ${sort}_${n}: ${typed(sort, "", n === 1 ? "" : "?")}`))
  .join("\n")}
    open:     boolean
    owner:    User
    helper:   User?
    parent:   Item?
    tags:     { type: text, many: true }
    numbers:  { type: integer, many: true }
    days:     { type: date, many: true }
    watchers: { type: User, many: true }
    amounts:  { type: decimal, many: true }
    prices:   { type: money, currency: EUR, many: true }
    moments:  { type: datetime, many: true }
    times:    { type: time, many: true }
    waits:    { type: duration, many: true }
    lines:    { list: Line.item }
    touched:  boolean
${texts
  .flatMap(([sort, text], i) => {
    const optional = sort === "boolean" ? "" : "?";
    return [
      `    plain_${i}: ${typed(sort, `, computed: ${JSON.stringify(text)}`, optional)}`,
      ...(isKept(text)
        ? [`    kept_${i}: ${typed(sort, `, kept: true, computed: ${JSON.stringify(text)}`, optional)}`]
        : []),
    ];
  })
  .join("\n")}
Line:
  fields:
    item:   Item
    amount: decimal
    price:  money?
    count:  integer?
    note:   text?
    day:    date?
    done:   boolean
\`\`\`

## 6. Roles and permissions
\`\`\`yaml
roles:
  member: { members: signed in }
permissions:
  User: { read: member }
  Item: { read: member, update: member }
  Line: { read: member }
\`\`\`

## 9. Business constants and limits
\`\`\`yaml
most: 3
rate: 1.19
dear: 2.50 EUR
noon: 12:00
launch: 2026-03-29T01:00:00Z
leap_day: 2024-02-29
office_hours: Mon-Fri 09:00-17:00
patience: 1 month 2 days 3 hours
page_size_max: 100
\`\`\`
`;

/** A `kept` field whose `.one` finds none refuses the write; another test covers that. */
const isKept = (text: string): boolean => !text.includes("one(");

/** Names that exist only in rules, and a seed record that this document lacks. */
const elsewhere = /\b(?:old|part|input|deputy)\b/u;

const chosen = (): readonly (readonly [Sort, string])[] => {
  const input = fc.constantFrom(...sorts).chain((sort) =>
    // `active` is a reserved name here.
    expressions(sort, 2).map((text) => [sort, text.replaceAll(".active", ".busy")] as const),
  );
  const texts = fc.sample(input, { seed, numRuns: most * 4 }).filter(([, text]) => !elsewhere.test(text));
  // Skips oversized expressions and unknown names.
  const { findings } = compile({ file: "world.md", text: documentOf(texts) });
  const wrong = new Set(
    findings.flatMap(({ severity, clause }) => (severity === "error" ? [/_(\d+)$/u.exec(clause ?? "")?.[1]] : [])),
  );
  return texts.filter((_, i) => !wrong.has(String(i))).slice(0, most);
};

const world = randomWorld(seed, { User: 6, Item: 40, Line: 60 });
for (const row of world.rows.User ?? []) (row as Record<string, Value>).busy = row.active ?? false;
const texts = chosen();

const isReference = (value: Value | undefined): boolean => typeof value === "object" && value !== null && "id" in value;

let desk: TestServer;
let ada: ApiClient;
const rows: Record<string, readonly JsRecord[]> = { ...world.rows };
let items: readonly RecordJson[];
let user: JsRecord;

beforeAll(async () => {
  desk = await serveText(documentOf(texts), { app: { clock: () => new Date(now) } });
  const person = await desk.person("Ada");
  ada = person;
  user = { id: person.id, name: "Ada", manager: null, allowance: 0, busy: false };
  rows.User = [...(world.rows.User ?? []), user].sort((a, b) => (String(a.id) < String(b.id) ? -1 : 1));
  for (const [entity, shape] of entities)
    for (const [n, row] of (world.rows[entity] ?? []).entries()) {
      const columns = [...shape.fields.values()].filter(({ column }) => column !== undefined);
      const more = { created_at: now, updated_at: now, ...(entity === "User" ? { email: `u${n}@example.org` } : {}) };
      const names = [
        ...columns.map(({ name }) => (name === "active" && entity === "User" ? "busy" : name)),
        ...Object.keys(more),
      ];
      const holes = columns.map(({ name, type }, i) => `$${i + 1}::${name === "id" ? "uuid" : postgresType(type)}`);
      const extra = Object.values(more).map((_, i) => `$${columns.length + i + 1}`);
      await desk.database.query(
        `INSERT INTO app."${shape.table}" (${names.map((one) => `"${one}"`).join(", ")}) VALUES (${[...holes, ...extra].join(", ")})`,
        [
          ...columns.map(({ name, optional }) => stored(isReference(row[name]) && optional ? null : row[name])),
          ...Object.values(more),
        ],
      );
    }
  // References are circular, so they are set last.
  for (const [entity, { table, fields }] of entities)
    for (const { name, type, optional } of fields.values())
      if (type.kind === "record" && optional)
        for (const row of world.rows[entity] ?? [])
          await desk.database.query(`UPDATE app."${table}" SET "${name}" = $1 WHERE "id" = $2`, [
            stored(row[name]),
            row.id,
          ]);
  // `kept` fields are computed when their record is written.
  for (const { id } of rows.Item ?? []) {
    const answer = await ada.patch(`/api/items/${id}`, { touched: true });
    if (answer.status !== 200) throw new Error(answer.text);
  }
  items = (await ada.get("/api/items?limit=100")).list().items;
}, 120_000);

/** A value as text, equal for equal values, from JavaScript or the wire. */
const shown = (value: Value, sort: Sort): string | null => {
  if (value === null) return null;
  if (value instanceof Big) return value.round(10).toFixed().replace(/^-0$/u, "0");
  if (typeof value !== "object") return String(value);
  return sort === "duration" ? String(lengthOf(value as unknown as Duration)) : String((value as JsRecord).id);
};
const lengthOf = (duration: Duration): number =>
  valueKinds.duration.compare(duration, { months: 0, days: 0, milliseconds: 0 });

/** A wire value as a value of an expression. */
const valueIn = (json: Json | undefined, sort: Sort): Value => {
  if (json === null || json === undefined) return null;
  if (sort === "decimal") return new Big(String(json));
  if (sort === "money") return new Big(String((json as { readonly amount: string }).amount));
  return sort === "duration" ? (durationIn(String(json)) as unknown as Value) : (json as Value);
};

/** With the signs of computed durations, which users cannot enter. */
const durationIn = (text: string): Duration => {
  const all = text.startsWith("-") ? -1 : 1;
  const sum = { months: 0, days: 0, milliseconds: 0 };
  const [date = "", time = ""] = text.replace(/^-?P/u, "").split("T");
  const units: readonly (readonly [string, keyof Duration, string, number])[] = [
    [date, "months", "Y", 12],
    [date, "months", "M", 1],
    [date, "days", "D", 1],
    [time, "milliseconds", "H", 3_600_000],
    [time, "milliseconds", "M", 60_000],
    [time, "milliseconds", "S", 1_000],
  ];
  for (const [part, of, unit, each] of units)
    sum[of] += Math.round(Number(new RegExp(`(-?[\\d.]+)${unit}`, "u").exec(part)?.[1] ?? 0) * each) * all;
  return sum;
};

test("some computed fields are generated columns, and some are computed by each query", () => {
  const ways = [...(desk.opened.service.model.entities.get("Item")?.fields.values() ?? [])].map(
    ({ storage }) => storage.as,
  );
  expect(texts).toHaveLength(most);
  for (const way of ["generated", "virtual", "stored"] as const)
    expect(ways.filter((one) => one === way).length, way).toBeGreaterThan(most / 6);
});

test.each(texts.map(([sort, text], i) => ({ sort, text, i })))("$sort: $text", async ({ sort, text, i }) => {
  const held = desk.opened.service.model.entities.get("Item")?.fields.get(`plain_${i}`)?.storage;
  if (held?.as !== "generated" && held?.as !== "virtual") throw new Error("it is not computed");
  const { from } = held;
  const evaluate = toJs(from);
  const wanted = new Map(
    (rows.Item ?? []).map((item) => [
      String(item.id),
      evaluate(item, { user, now, today, rows: (entity) => rows[entity] ?? [] }),
    ]),
  );
  const byId = (value: (id: string) => unknown) => Object.fromEntries([...wanted.keys()].map((id) => [id, value(id)]));
  const inJs = byId((id) => shown(wanted.get(id) ?? null, sort));
  for (const name of [`plain_${i}`, ...(isKept(text) ? [`kept_${i}`] : [])]) {
    const listed = new Map(items.map((item) => [item.id, valueIn(item[name] as Json, sort)]));
    expect(
      byId((id) => shown(listed.get(id) ?? null, sort)),
      `${name}, listed`,
    ).toEqual(inJs);

    if (sort !== "User") {
      const sorted = (await ada.get(`/api/items?limit=100&sort=${name}`)).list().items.map(({ id }) => id);
      const { compare } = valueKinds[from.type.kind] as { readonly compare: (a: Value, b: Value) => number };
      const asRead = compareAsRead(desk.opened.service.model.locale);
      const inOrder = (a: Value, b: Value): number => {
        if (a === null || b === null) return Number(a === null) - Number(b === null);
        // Choices are in the order of the document.
        if (from.type.kind === "choice")
          return from.type.values.indexOf(a as string) - from.type.values.indexOf(b as string);
        // Texts are as people read them.
        if (from.type.kind === "text") return asRead(a as string, b as string);
        return compare(a, b);
      };
      const steps = sorted
        .slice(1)
        .map((id, n) => inOrder(wanted.get(sorted[n] ?? "") ?? null, wanted.get(id) ?? null));
      expect(
        steps.filter((step) => step > 0),
        `${name}, sorted`,
      ).toEqual([]);
    }

    const texts = [...new Set(Object.values(inJs))].slice(0, 3);
    for (const one of texts) {
      const sought = items.find((item) => inJs[item.id] === one)?.[name];
      const value = written(sought as Json, sort);
      // Skips values that cannot be entered: negative or fractional durations, texts with line breaks, and numbers with
      // more than ten decimal places.
      if ((sort === "duration" && value.includes("-")) || value.includes("\n")) continue;
      if ((sort === "decimal" || sort === "money") && /\.\d{11}/u.test(value)) continue;
      const answer = await ada.get(`/api/items?limit=100&${name}=${encodeURIComponent(value)}`);
      const found = answer.list().items.map(({ id }) => id);
      expect(found.sort(), `${name}=${one}`).toEqual([...wanted.keys()].filter((id) => inJs[id] === one).sort());
    }
  }
});

const written = (json: Json, sort: Sort): string => {
  if (json === null) return "";
  if (sort === "money") return (json as { readonly amount: string }).amount;
  return sort === "User" ? (json as { readonly id: string }).id : String(json);
};
