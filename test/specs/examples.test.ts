import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { compile } from "../../src/core/compile.ts";
import { anonymousPrincipal, grantsFor, type Principal } from "../../src/core/derive/authorization/grants.ts";
import { buildTables } from "../../src/core/derive/tables/tables.ts";
import type { Finding } from "../../src/core/findings.ts";
import type { Entity } from "../../src/core/model/entity.ts";
import { builtInErrors } from "../../src/core/model/errors.ts";
import type { Model } from "../../src/core/model/model.ts";
import { type NotExecuted, notExecuted } from "../../src/core/model/not-executed.ts";
import { placesIn } from "../../src/core/source-text.ts";
import { identifier, render, sql } from "../../src/core/sql.ts";
import type { SampleJson } from "../../src/core/wire/authoring/document.ts";
import { connect } from "../../src/postgres/database.ts";
import { replayActs } from "../../src/server/authoring/replay-acts.ts";
import { createSampleData } from "../../src/server/sample/sample.ts";
import { type OpenDocument, open } from "../../src/server/serving/open-document.ts";
import { serveText, type TestServer } from "../app/program.ts";
import { database, type TestDatabase } from "../postgres.ts";
import { thirdOfDay } from "../turns.ts";

/*
 * The example specifications: they conform to the language and run. Their clauses that are not executed yet are in a
 * golden list, by file, which can only shrink.
 */

const root = new URL("../../", import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, root), "utf8");

const files = [
  ...readdirSync(new URL("examples/", root))
    .filter((name) => name.endsWith(".md") && name !== "README.md" && name !== "founding.md")
    .sort()
    .map((name) => `examples/${name}`),
  "docs/ninefold.md",
];
const golden = JSON.parse(textOf("test/specs/examples.not-executed.json")) as {
  readonly [file: string]: readonly NotExecuted[];
};

const documents = files.map((path) => ({ path, ...compile({ file: basename(path), text: textOf(path) }) }));

type Document = (typeof documents)[number];

const modelOf = ({ path, model }: Document): Model => {
  if (model === undefined) throw new Error(`${path} has errors`);
  return model;
};

const told = ({ path, source }: Document, findings: readonly Finding[]): readonly string[] => {
  const at = placesIn(source);
  return findings.map(
    (finding) => `${path}:${at(finding.span).line} ${finding.code} ${finding.message} ${finding.hint}`,
  );
};

const kinds = Object.keys(notExecuted) as readonly NotExecuted[];

/** The clauses of a document that are not executed, by kind, in catalogue order. */
const later = ({ findings }: Document): readonly NotExecuted[] =>
  kinds.filter((kind) =>
    findings.some((finding) => finding.code === "NOT_EXECUTED" && finding.message.startsWith(`${notExecuted[kind]}:`)),
  );

test("the documents with a golden list are all documents", () => {
  expect(Object.keys(golden)).toEqual(files);
});

describe.each(documents.map((document) => [document.path, document] as const))("%s", (_, document) => {
  test("has no errors, warnings and open points", () => {
    const wrong = document.findings.filter((finding) => finding.severity !== "not executed");
    expect(told(document, wrong)).toEqual([]);
    expect(document.open.map((point) => point.statement)).toEqual([]);
    expect(document.model).toBeDefined();
  });

  test("reports exactly the unexecuted kinds of its golden list, which may only shrink", () => {
    expect(later(document)).toEqual(golden[document.path]);
  });

  test("describes the product in its first sentence", () => {
    expect(modelOf(document).sentence).toMatch(/^[A-Z].*\.$/u);
  });
});

/** Entities without sample records, because their conditions rarely occur by now; the list can only shrink. */
const seldom: { readonly [file: string]: readonly string[] } = {
  // Both need an order, which sample data do not reach: approvals by a condition are not executed.
  "examples/purchasing.md": ["Receipt", "Invoice"],
};

const ofDay = thirdOfDay(documents);
describe.each(ofDay.map((document) => [document.path, document] as const))("%s, when it runs,", (_, document) => {
  const now = new Date("2026-06-15T09:00:00Z");
  let store: TestDatabase;
  let opened: OpenDocument;
  let sampled: SampleJson;
  beforeAll(async () => {
    store = await database();
    opened = await open(modelOf(document), document, { owner: store.url, app: store.appUrl });
    sampled = await createSampleData(opened.service, now);
  });
  afterAll(async () => {
    await opened.close();
    await store.end();
  });

  test("gives tables that Postgres accepts, and changes nothing when it is opened again", async () => {
    expect(opened.applied.version).toBe(1);
    expect(opened.applied.done.length).toBeGreaterThanOrEqual(buildTables(modelOf(document)).length);
    const again = await open(modelOf(document), document, { owner: store.url, app: store.appUrl });
    await again.close();
    expect(again.applied).toMatchObject({ version: 1, done: [] });
  });

  test("has sample people, and records of every entity that any of them can create", async () => {
    const model = modelOf(document);
    expect(sampled.people).toBeGreaterThan(0);
    const people = await store.query(`select "id", "roles" from "app"."user"`);
    const persons = people.rows.map(
      (row): Principal => ({ id: String(row.id), granted: new Set(row.roles as readonly string[]) }),
    );
    const without: string[] = [];
    for (const entity of model.entities.values()) {
      if (entity.name === "User" || !entity.served || !canBeMade(model, entity, persons)) continue;
      const { text } = render(sql`SELECT count(*)::int AS "count" FROM "app".${identifier(entity.table)}`);
      const [row] = (await store.query(text)).rows;
      if (row?.count === 0) without.push(entity.name);
    }
    expect(without.filter((name) => seldom[document.path]?.includes(name) !== true)).toEqual([]);
  });

  test("has samples that are older than their comments and newer than their references", async () => {
    const made = new Map<string, number>();
    const { rows } = await store.query("select record, min(at) as at from ninefold.audit group by record");
    for (const row of rows) made.set(String(row.record), new Date(String(row.at)).getTime());
    for (const entity of modelOf(document).entities.values())
      for (const field of entity.fields.values()) {
        if (field.entity === null || field.many || field.storage.as !== "column" || !entity.served) continue;
        const { text } = render(
          sql`SELECT "id", ${identifier(field.name)} AS "other" FROM "app".${identifier(entity.table)} WHERE ${identifier(field.name)} IS NOT NULL`,
        );
        // Later comments on an existing record are not part of its creation.
        for (const { id, other } of (await store.query(text)).rows) {
          const [own = 0, its = 0] = [made.get(String(id)), made.get(String(other))];
          if (field.once || field.set !== null || field.partOf)
            expect(own, `${entity.name}.${field.name}`).toBeGreaterThanOrEqual(its);
        }
      }
  });

  test("has a history in which the same version permits every act again, and nothing differs", async () => {
    const model = modelOf(document);
    const owner = connect({ connection: store.url, max: 1 });
    const replay = await replayActs(owner, model, model, { days: 366, now: new Date() }).finally(() => owner.end());
    expect(replay).toMatchObject({ cut: null, refused: [], allowed: [], effects: [], left: [] });
    expect(replay.acts).toBeGreaterThan(sampled.people);
  });

  test("shows nothing to visitors", () => {
    for (const entity of modelOf(document).entities.values())
      expect(
        grantsFor(modelOf(document), entity, "read", anonymousPrincipal).filter(
          (grant) => grant.conditions.length === 0,
        ),
      ).toEqual([]);
  });
});

/** True if some person can create a record of the entity now, given the records it refers to. */
const canBeMade = (model: Model, entity: Entity, people: readonly Principal[]): boolean =>
  people.some((principal) => grantsFor(model, entity, "create", principal).length > 0) &&
  [...entity.fields.values()].every((field) => {
    if (field.optional || field.entity === null || field.entity === "User" || field.entity === entity.name) return true;
    const needed = model.entities.get(field.entity);
    return needed !== undefined && canBeMade(model, needed, people);
  });

// Promised permissions

describe("the help desk keeps internal facts internal", () => {
  let served: TestServer;
  beforeAll(async () => {
    served = await serveText(textOf("examples/help-desk.md"));
  });

  test("a requester finds no internal comment: in a list, by its address, in a count or a search", async () => {
    const supervisor = await served.person("Hanna Lindqvist", ["supervisor"]);
    const agent = await served.person("Jonas Weber", ["agent"]);
    const requester = await served.person("Noah Fischer");
    const category = (
      await supervisor.post("/api/categories", { name: "Printing", about: "Whatever prints." })
    ).record().id;
    const ticket = (
      await requester.post("/api/tickets", { category, subject: "Grey stripes", description: "Since Monday." })
    ).record().id;
    const said = async (visibility: string, text: string) =>
      (await agent.post("/api/comments", { ticket, visibility, text })).record().id;
    const seen = await said("public", "The drum is ordered.");
    const hidden = await said("internal", "The third time this month; he opens it with a screwdriver.");

    const list = (await requester.get("/api/comments?count=true")).list();
    expect(list.items.map((item) => item.id)).toEqual([seen]);
    expect(list.count).toBe(1);
    expect((await requester.get("/api/comments?search=screwdriver&count=true")).list()).toMatchObject({
      items: [],
      count: 0,
    });
    for (const path of [`/api/comments/${hidden}`, `/api/comments/${hidden}/history`])
      expect((await requester.get(path)).status, path).toBe(404);
    expect((await agent.get("/api/comments?count=true")).list().count).toBe(2);
    expect((await requester.post("/api/comments", { ticket, visibility: "internal", text: "?" })).status).toBe(403);
    const own = await requester.post("/api/comments", { ticket, text: "Thank you." });
    expect(own.record()).toMatchObject({ text: "Thank you.", visibility: "public" });
  });

  test("a requester’s ticket and its history show no cause, time spent or other people’s tickets", async () => {
    const supervisor = await served.person("Mei Tanaka", ["supervisor"]);
    const requester = await served.person("Sofia Marin");
    const stranger = await served.person("Ines Duarte");
    const category = (await supervisor.post("/api/categories", { name: "Network", about: "Cables and air." })).record()
      .id;
    const made = await requester.post("/api/tickets", { category, subject: "No network", description: "None." });
    const path = `/api/tickets/${made.record().id}`;
    expect((await supervisor.patch(path, { cause: "operation", minutes: 15, priority: "high" })).status).toBe(200);
    const { body, text } = await requester.get(path);
    expect(body).toMatchObject({ priority: "high", subject: "No network" });
    for (const key of ["cause", "minutes", "duplicate_of", "channel"]) expect(body).not.toHaveProperty(key);
    expect(text).not.toContain("operation");
    expect((await requester.get(`${path}/history`)).text).not.toMatch(/operation|minutes/u);
    expect((await stranger.get(path)).status).toBe(404);
  });
});

test("at the booking desk trained people use an instrument, one at a time, and the result is recorded", async () => {
  const served = await serveText(textOf("examples/booking.md"));
  const steward = await served.person("Hanna Lindqvist", ["steward"]);
  const warden = await served.person("Jonas Weber");
  const ada = await served.person("Ada Rossi");
  const ben = await served.person("Ben Okoro");
  const room = (await ada.get("/api/rooms?key=optics")).list().items[0]?.id;
  const values = { code: "MIC-1", name: "Microscope", room, wardens: [warden.id], hourly_rate: "12.50" };
  const instrument = (await steward.post("/api/instruments", { ...values, needs_training: true })).record().id;
  const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();
  const book = (who: typeof ada, begins: number, ends: number) =>
    who.post("/api/bookings", { instrument, begins: inHours(begins), ends: inHours(ends) });
  expect((await book(ada, 1, 2)).problem().detail).toBe("Ada Rossi has no training on MIC-1 Microscope.");
  await steward.patch(`/api/users/${ada.id}`, { trained_on: [instrument] });
  await steward.patch(`/api/users/${ben.id}`, { trained_on: [instrument] });
  const { id } = (await book(ada, 0.2, 2.7)).record();
  expect((await book(ben, 1, 3)).problem()).toMatchObject({
    code: "TAKEN_THEN",
    detail: "MIC-1 Microscope is already booked at that time.",
  });
  const path = `/api/bookings/${id}`;
  expect((await ada.get(path)).record()).toMatchObject({ hours: "2.5", cost: { amount: "31.25", currency: "EUR" } });
  expect((await ada.get("/api/use-days")).list().items).toEqual([]);
  expect((await ada.post(`${path}/start`)).status).toBe(200);
  expect((await ada.post(`${path}/finish`, { condition: "damaged" })).status).toBe(200);
  expect((await ben.get("/api/use-days")).list().items.map((day) => day.instrument)).toContainEqual({
    id: instrument,
    label: "MIC-1 Microscope",
  });
  expect((await ben.get("/api/faults?label=true")).list().items).toMatchObject([
    { _label: "MIC-1 Microscope: Left damaged after a booking", booking: { id } },
  ]);
  expect((await warden.get("/_/notifications")).body).toMatchObject({
    items: [{ text: "MIC-1 Microscope was left damaged by Ada Rossi." }, {}],
  });
  await served.stop();
});

/** Today, or the following Monday: leave is requested for working days. */
const workingDay = (): string => {
  const day = new Date();
  const weekday = day.getUTCDay();
  day.setUTCDate(day.getUTCDate() + (weekday === 6 ? 2 : weekday === 0 ? 1 : 0));
  return day.toISOString().slice(0, 10);
};

test("in the leave desk colleagues see who is away and until when, and never why", async () => {
  const served = await serveText(textOf("examples/leave-desk.md"));
  const manager = await served.person("Hanna Lindqvist");
  const sick = await served.person("Jonas Weber");
  const colleague = await served.person("Noah Fischer");
  const other = await served.person("Ines Duarte");
  await served.database.query(`update "app"."user" set "manager" = $1 where "id" = any($2)`, [
    manager.id,
    [sick.id, colleague.id],
  ]);
  const today = workingDay();
  const made = await sick.post("/api/requests", { kind: "sick", first_day: today, last_day: today, note: "Influenza" });
  const path = `/api/requests/${made.record().id}`;
  for (const person of [manager, colleague, other]) expect((await person.get(path)).status).toBe(404);
  expect((await sick.post(`${path}/report`)).status).toBe(200);
  expect((await manager.get(path)).body).toMatchObject({ kind: "sick", note: "Influenza" });
  const seen = await colleague.get(path);
  expect(seen.body).toMatchObject({ first_day: today, last_day: today, status: "granted" });
  for (const key of ["kind", "note", "reason"]) expect(seen.body).not.toHaveProperty(key);
  // Neither a filter nor a search discloses unreadable data: for a colleague, the kind of this record is missing.
  for (const query of ["", "?kind=holiday", "?kind=sick", "?kind=", "?search=Influenza"])
    expect((await colleague.get(`/api/requests${query}`)).list().items.length, query).toBe(
      query === "" || query === "?kind=" ? 1 : 0,
    );
  expect((await colleague.get(`${path}/history`)).text).not.toMatch(/Influenza|sick/u);
  expect((await colleague.post("/api/comments", { request: made.record().id, text: "?" })).status).toBe(403);
  expect((await other.get(path)).status).toBe(404);
});

test("in the leave desk nobody approves their own request, and deputies act for a manager", async () => {
  const served = await serveText(textOf("examples/leave-desk.md"));
  const manager = await served.person("Hanna Lindqvist");
  const deputy = await served.person("Mei Tanaka");
  const employee = await served.person("Jonas Weber");
  await served.database.query(`update "app"."user" set "manager" = $1 where "id" = any($2)`, [
    manager.id,
    [employee.id, deputy.id],
  ]);
  const today = workingDay();
  const dayFrom = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const days = { first_day: dayFrom(-1), last_day: dayFrom(7) };
  expect((await manager.post("/api/deputies", { deputy: deputy.id, ...days })).status).toBe(201);
  const submitted = async (person: typeof employee): Promise<string> => {
    const made = await person.post("/api/requests", { kind: "parental", first_day: today, last_day: today });
    const path = `/api/requests/${made.record().id}`;
    expect((await person.post(`${path}/submit`)).status).toBe(200);
    return path;
  };
  const own = await submitted(deputy);
  expect((await deputy.post(`${own}/grant`)).problem()).toMatchObject({ status: 409, code: "GUARD" });
  expect((await manager.post(`${own}/grant`)).record()).toMatchObject({ decided_by: { id: manager.id } });
  const path = await submitted(employee);
  expect((await employee.post(`${path}/grant`)).status).toBe(403);
  expect((await deputy.post(`${path}/grant`)).status).toBe(200);
});

// The statements of docs/ninefold.md on Ninefold

describe("docs/ninefold.md is true", () => {
  const own = documents.find(({ path }) => path === "docs/ninefold.md");
  const model = () => modelOf(own as Document);
  const text = textOf("docs/ninefold.md");

  /** The blocks of a point as one text. */
  const blocksOf = (point: number): string => {
    const [, section = ""] = text.split(new RegExp(`^## ${point}\\. `, "mu"));
    const [body = ""] = section.split(/^## /mu);
    return [...body.matchAll(/^```yaml\n([\s\S]*?)^```$/gmu)].map((match) => match[1]).join("");
  };

  test("says of every clause that it was chosen", () => {
    for (const point of [1, 6, 7]) expect(blocksOf(point)).toMatch(/^basis: chosen$/mu);
    for (const point of [2, 3, 4, 8])
      for (const clause of blocksOf(point).split(/^(?=\S)/mu)) expect(clause).toMatch(/\bbasis: chosen\b/u);
    for (const rule of blocksOf(5)
      .split(/^(?= {2}- )/mu)
      .slice(1))
      expect(rule).toMatch(/\bbasis: chosen\b/u);
    // A constant has no keys; the prose states it.
    expect(text).toMatch(/chosen like everything here/u);
  });

  test("has the built-in error catalogue, with the same statuses and messages", () => {
    const said = [...model().errors.values()].filter((error) => error.clause !== null);
    const builtIn = Object.keys(builtInErrors);
    expect(
      said
        .map((errorEntry) => errorEntry.code)
        .filter((code) => builtIn.includes(code))
        .sort(),
    ).toEqual([...builtIn].sort());
    for (const [code, { status, message }] of Object.entries(builtInErrors))
      expect(model().errors.get(code), code).toMatchObject({ status, message });
  });

  test("has the limits that apply to a silent document", () => {
    const silent = compile({ file: "silent.md", text: "# Silent\n\n## 1. Nothing\n" }).model?.limits;
    const read = ({ all: _, ...limits }: Model["limits"]) => limits;
    expect(read(model().limits)).toEqual(silent && read(silent));
  });
});
