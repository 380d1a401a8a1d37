import { readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { Timers, type Work } from "../../src/jobs/timers.ts";
import { connect, type Database } from "../../src/postgres/database.ts";
import { applyDocument } from "../../src/postgres/schema/apply-document.ts";
import { planDocument } from "../../src/postgres/schema/plan-document.ts";
import { prepareSystem } from "../../src/postgres/schema/prepare-system.ts";
import { beginSession } from "../../src/server/auth/sessions.ts";
import { type ApiClient, compiled, example, serveText, type TestServer } from "../app/program.ts";
import { database, type TestDatabase } from "../postgres.ts";
import { randomFrom } from "../worlds/requests.ts";
import { dropRetired, readStored, type Stored } from "./stored.ts";

/*
 * A help desk over one year: twenty versions, each planned, tried and applied, three of them restored ones. In between,
 * people report and handle tickets. The test keeps its own record of every ticket. At the end, the database is compared
 * with that record, and with a database that was created by the last version.
 */

const DAY = 86_400_000;
const END = Date.parse("2026-11-01T08:00:00Z");
const random = randomFrom(20);

/** The values of a ticket as people entered them, by the names of the first version. */
interface Ticket {
  readonly id: string;
  readonly entered: Readonly<Record<string, unknown>>;
}

interface Version {
  readonly what: string;
  /** Derives the text of the version from the earlier ones. */
  readonly text: (texts: readonly string[]) => string;
  /** Sentences that its plan must contain. */
  readonly says: readonly string[];
  /** The reason for which it is refused until people correct the records. */
  readonly refused?: string;
  readonly corrects?: (desk: Desk) => Promise<void>;
}

interface Desk {
  readonly served: TestServer;
  readonly agent: ApiClient;
  readonly requester: ApiClient;
  readonly supervisor: ApiClient;
  readonly tickets: Ticket[];
}

const last = (texts: readonly string[]): string => texts.at(-1) ?? "";
/** Replaces texts that must occur. */
const edit =
  (...pairs: readonly (readonly [from: string | RegExp, to: string])[]) =>
  (texts: readonly string[]): string =>
    pairs.reduce((text, [from, to]) => {
      const next = text.replaceAll(typeof from === "string" ? from : new RegExp(from.source, `${from.flags}g`), to);
      if (next === text) throw new Error(`the document has no ${String(from)}`);
      return next;
    }, last(texts));

const minutes = "    minutes:    { type: integer?, min: 1, max: 6000, unit: min, title: Time spent }\n";
const place = "    place:     { type: text?, max: 80, examples: [Room 214, Reception, Warehouse, At home] }\n";

const versions: readonly Version[] = [
  {
    what: "optional fields",
    text: edit(
      [
        minutes,
        `${minutes}    device:      { type: choice?, values: [laptop, phone, printer] }\n    contact:     User?\n`,
      ],
      [
        "fields: [category, subject, priority, cause, minutes]",
        "fields: [category, subject, priority, cause, minutes, device, contact]",
      ],
    ),
    says: ["3.Ticket.device: add column device", "3.Ticket.contact: add column contact"],
  },
  {
    what: "a field that is removed",
    text: edit([place, ""], ["affects, place, files", "affects, files"]),
    says: ["3.Ticket.place: remove."],
  },
  {
    what: "values of a choice that become one",
    text: edit([
      "values: [defect, wear, operation, change, provider, unknown]",
      "values: [{ defect: { was: wear } }, operation, change, provider, unknown]",
    ]),
    says: ["3.Ticket.cause: remove wear."],
  },
  {
    what: "a required field with a value for those that have none",
    text: edit([
      "device:      { type: choice?, values: [laptop, phone, printer] }",
      "device:      { type: choice, values: [laptop, phone, printer, other], default: other, fill: other }",
    ]),
    says: ["3.Ticket.device: fill in", "3.Ticket.device: make required"],
  },
  {
    what: "an entity that gets another name",
    text: edit(
      [/^Category:\n {2}label/mu, "Area:\n  was: Category\n  label"],
      [/^ {2}Category:$/mu, "  Area:"],
      ["category:    Category", "category:    Area"],
      ["list: Category", "list: Area"],
    ),
    says: ["3.Area: rename Category to Area"],
  },
  {
    what: "one person who becomes several",
    text: edit(["contact:     User?", "contact:     { type: User, many: true }"]),
    says: ["3.Ticket.contact: allow several values"],
  },
  {
    what: "a state that another takes over",
    text: edit(
      ["    - withdrawn: { tone: neutral }\n", ""],
      ["- closed:    { tone: neutral }", "- closed:    { tone: neutral, was: withdrawn }"],
      ["final: [closed, withdrawn, duplicate]", "final: [closed, duplicate]"],
      ["to: withdrawn", "to: closed"],
    ),
    says: ["4.Ticket.closed: remove withdrawn."],
  },
  {
    what: "permissions",
    text: edit(
      ["{ role: staff, fields: [name, about] }", "{ role: staff, fields: [name, about, responsible] }"],
      ["    delete: [supervisor]\n", ""],
    ),
    says: [],
  },
  { what: "the fifth version again", text: (texts) => texts[4] ?? "", says: ["restore the former values"] },
  {
    what: "the ninth version again, with what it changed",
    text: (texts) => texts[8] ?? "",
    says: ["4.Ticket.closed: remove withdrawn.", "3.Area: rename Category to Area"],
  },
  {
    what: "a field that is brought back",
    text: edit(
      ["    files:     { type: file, many: true, help", `${place}    files:     { type: file, many: true, help`],
      ["description, affects, files", "description, affects, place, files"],
    ),
    says: ["3.Ticket.place: bring back with the values of"],
  },
  {
    what: "a field that becomes unique",
    text: edit([
      "      max: 200\n      examples:\n        - Everything",
      "      max: 200\n      unique: true\n      examples:\n        - Everything",
    ]),
    refused: "can’t become unique",
    corrects: async ({ supervisor }) => {
      for (const [i, { id }] of (await supervisor.get("/api/areas")).list().items.entries())
        expect((await supervisor.patch(`/api/areas/${id}`, { about: `Everything about ${i}` })).status).toBe(200);
    },
    says: ["3.Area.about: add index area__unique_about"],
  },
  {
    what: "a tighter bound",
    text: edit(["min: 1, max: 6000, unit: min", "min: 1, max: 600, unit: min"]),
    refused: "can’t be limited to at most 600",
    corrects: async ({ supervisor, tickets }) => {
      for (const [i, { id, entered }] of tickets.entries()) {
        if (Number(entered.minutes ?? 0) <= 600) continue;
        expect((await supervisor.patch(`/api/tickets/${id}`, { minutes: 600 })).status).toBe(200);
        tickets[i] = { id, entered: { ...entered, minutes: 600 } };
      }
    },
    says: ["3.Ticket.minutes"],
  },
  {
    what: "a transition that is removed, and a constant",
    text: edit([/ {4}hand_back: .*\n/u, ""], ["most_in_hand: 6 ", "most_in_hand: 40 "]),
    says: [],
  },
  {
    what: "a value that gets another name",
    text: edit(
      [/\burgent\b(?!_)/u, "critical"],
      ["values: [low, normal, high, critical]", "values: [low, normal, high, { critical: { was: urgent } }]"],
    ),
    says: ["3.Ticket.priority: rename urgent to critical"],
  },
  {
    what: "a field that gets another name",
    text: edit(
      [/\bminutes\b(?=[\],:])/u, "effort"],
      ["effort:    { type: integer?, min", "effort:      { was: minutes, type: integer?, min"],
    ),
    says: ["3.Ticket.effort: rename minutes to effort"],
  },
  {
    what: "a field that is removed after its renaming",
    text: edit([/ {4}effort: .*\n/u, ""], [", effort]", "]"], [", effort, ", ", "]),
    says: ["3.Ticket.effort: remove."],
  },
  {
    what: "the sixteenth version again",
    text: (texts) => texts[15] ?? "",
    says: ["3.Ticket.minutes: bring back with the values of"],
  },
  { what: "the purpose in other words", text: edit(["name: Help desk\n", "name: Service desk\n"]), says: [] },
];

let store: TestDatabase | undefined;
let direct: TestDatabase | undefined;
const owners: Database[] = [];
afterAll(async () => {
  for (const owner of owners) await owner.end();
  await store?.end();
  await direct?.end();
});

const ownerOf = (of: TestDatabase): Database => {
  const owner = connect({ connection: of.url, max: 1, statementTimeout: 60_000 });
  owners.push(owner);
  return owner;
};

/**
 * Postgres names constraints of required columns after the table at that time. The columns contain the same
 * information.
 */
const withoutNullNames = ({ rows, found }: Stored): Stored => ({
  rows,
  found: found.map((item) =>
    (item as readonly Record<string, unknown>[]).filter(
      ({ pg_get_constraintdef: definition }) => !String(definition).startsWith("NOT NULL"),
    ),
  ),
});

test("twenty versions of a help desk in one year", { timeout: 240_000 }, async () => {
  const desk = await database();
  store = desk;
  const owner = ownerOf(desk);
  await prepareSystem(owner, "ninefold_app");
  const texts: string[] = [readFileSync(example("help-desk"), "utf8")];
  const tickets: Ticket[] = [];
  const people = new Map<string, string>();
  let now = END - 365 * DAY;
  let counted = 0;

  /** Simulates about eighteen days of work under the live version. */
  const work = async (text: string, more: (desk: Desk) => Promise<void> = () => Promise.resolve()): Promise<void> => {
    const served = await serveText(text, { database: desk, app: { clock: () => new Date(now) } });
    const { service } = served.opened;
    if (people.size === 0)
      for (const [name, roles] of [
        ["Ada", []],
        ["Bea", ["agent"]],
        ["Cem", ["supervisor"]],
      ] as const)
        people.set(name, (await served.person(name, roles)).id);
    const as = async (name: string): Promise<ApiClient> =>
      served.signedIn(await beginSession(service.database, people.get(name) ?? "", 24 * 400, new Date(now)));
    const [requester, agent, supervisor] = [await as("Ada"), await as("Bea"), await as("Cem")];
    const areas = texts.at(-1)?.includes("list: Area") === true ? "/api/areas" : "/api/categories";
    const create = async (by: ApiClient, path: string, body: unknown) => {
      const answer = await by.post(path, body);
      if (answer.status >= 300) throw new Error(`${path} ${JSON.stringify(body)}: ${answer.text}`);
      return answer.record();
    };
    if (tickets.length === 0)
      for (const name of ["Printing", "Network"]) await create(supervisor, areas, { name, about: "Everything" });
    const [area] = (await supervisor.get(areas)).list().items;
    const fields = compiled(text).model.entities.get("Ticket")?.fields;
    const has = (field: string): boolean => fields?.has(field) === true;
    const pickValue = (field: string, values: readonly string[]) =>
      random.pick(values.filter((value) => fields?.get(field)?.values.includes(value)));
    for (let i = 0; i < 2; i++) {
      const input = {
        subject: `Ticket ${++counted}`,
        description: "It does not work.",
        affects: random.pick(["me", "my_team", "everyone"]),
        ...(has("place") ? { place: `Room ${counted}` } : {}),
      };
      const { id } = await create(requester, "/api/tickets", { category: area?.id, ...input });
      now += DAY;
      const takes = random.pick([true, true, false]) === true;
      let entered: Record<string, unknown> = { ...input };
      const changes = {
        priority: pickValue("priority", ["urgent", "critical", "low"]),
        cause: pickValue("cause", ["wear", "defect", "operation"]),
        ...(has("minutes") ? { minutes: text.includes("max: 6000") ? random.pick([20, 700]) : 25 } : {}),
        ...(has("effort") ? { effort: 30 } : {}),
        ...(has("device") ? { device: pickValue("device", ["laptop", "printer"]) } : {}),
        ...(has("contact") && fields?.get("contact")?.many === false ? { contact: people.get("Cem") } : {}),
      };
      const changed = await supervisor.patch(`/api/tickets/${id}`, changes);
      if (changed.status !== 200) throw new Error(changed.text);
      entered = { ...entered, ...changes };
      if (takes) {
        await create(agent, `/api/tickets/${id}/take`, {});
        await create(agent, `/api/tickets/${id}/ask`, { question: `Does ticket ${counted} still matter?` });
      } else if (random.pick([true, false]) === true) await create(requester, `/api/tickets/${id}/withdraw`, {});
      tickets.push({ id, entered });
      now += 7 * DAY;
    }
    await more({ served, requester, agent, supervisor, tickets });
    await new Timers(() => undefined).run(service as unknown as Work<{ readonly code: string }>, new Date(now));
    await served.stop();
  };

  const apply = async (text: string, on: Database) => {
    const { model, source } = compiled(text);
    return applyDocument(on, model, source);
  };
  await apply(texts[0] ?? "", owner);
  await work(texts[0] ?? "");
  for (const { what, text, says, refused, corrects } of versions) {
    const next = text(texts);
    const { model, source } = compiled(next);
    const before = await readStored(desk);
    const planned = await planDocument(owner, model, source);
    expect(await readStored(desk), `${what}: a plan changes nothing`).toEqual(before);
    if (refused !== undefined) {
      expect(planned.refused.map((refusal) => refusal.says).join("\n"), what).toContain(refused);
      await expect(apply(next, owner)).rejects.toThrow();
      expect(await readStored(desk), `${what}: a refused version changes nothing`).toEqual(before);
      await work(last(texts), corrects);
    } else expect(planned.refused, what).toEqual([]);
    const { done, version } = await apply(next, owner);
    expect(version, what).toBe(texts.length + 1);
    if (refused === undefined) expect(done, what).toEqual(planned.done);
    for (const sentence of says) expect(done.join("\n"), what).toContain(sentence);
    // The database uses the real time, which is a year after that of the desk.
    for (const table of ["former_value", "retired"])
      await desk.query(`update ninefold.${table} set at = $1 where at > $1`, [new Date(now)]);
    texts.push(next);
    now += DAY;
    await work(next);
  }
  expect(texts.length).toBe(20);

  // The records are as people entered them, under the names of the last version.
  const { rows } = await desk.query("select * from app.ticket");
  expect(rows.length).toBe(counted);
  const mapped = (field: string, value: unknown): unknown => {
    if (field === "cause" && value === "wear") return "defect";
    if (field === "priority" && value === "urgent") return "critical";
    if (field === "contact") return value === undefined ? [] : [value];
    return value;
  };
  for (const { id, entered } of tickets) {
    const row = rows.find((row) => row.id === id);
    for (const field of ["subject", "affects", "place", "cause", "priority", "device", "contact", "minutes"]) {
      const given = field === "minutes" ? (entered.minutes ?? entered.effort) : entered[field];
      const expected = mapped(field, given) ?? (field === "device" ? "other" : null);
      const value = row?.[field];
      expect([entered.subject, field, field === "minutes" && value !== null ? Number(value) : value]).toEqual([
        entered.subject,
        field,
        expected,
      ]);
    }
  }

  // A database that has only seen the last version, with the same records, has the same definitions.
  await dropRetired(desk);
  direct = await database();
  const other = ownerOf(direct);
  await prepareSystem(other, "ninefold_app");
  await apply(last(texts), other);
  const stored = await readStored(desk);
  for (const table of ["user", "area", "ticket", "comment"]) {
    const { rows: columns } = await direct.query(
      "select attname from pg_attribute where attrelid = ('app.' || quote_ident($1))::regclass and attnum > 0 and attgenerated = '' and not attisdropped",
      [table],
    );
    const names = columns.map(({ attname }) => `"${String(attname)}"`).join();
    const records = (stored.rows[table] as readonly { readonly row: object }[]).map(({ row }) => row);
    await direct.query(
      `insert into app."${table}" (${names}) select ${names} from jsonb_populate_recordset(null::app."${table}", $1)`,
      [JSON.stringify(records)],
    );
  }
  expect(withoutNullNames(await readStored(direct))).toEqual(withoutNullNames(stored));
});
