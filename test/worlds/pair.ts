import { Readable } from "node:stream";
import type { FastifyInstance } from "fastify";
import pg from "pg";
import type { Compiled } from "../../src/core/compile.ts";
import type { Model } from "../../src/core/model/model.ts";
import { identifier, render, sql } from "../../src/core/sql.ts";
import type { Database } from "../../src/postgres/database.ts";
import { hashDocument } from "../../src/postgres/schema/document-hash.ts";
import { type Authoring, createAuthoring } from "../../src/server/authoring/authoring.ts";
import { draftAnswerWith } from "../../src/server/authoring/draft/check-draft-sync.ts";
import { DocumentFixed } from "../../src/server/authoring/in-force.ts";
import type { Service } from "../../src/server/execution/service.ts";
import type { OpenDocument } from "../../src/server/serving/open-document.ts";
import { createSerializer } from "../../src/server/util/serializer.ts";
import { type Answer, type ApiClient as Asker, compiled, serveText, type TestServer } from "../app/program.ts";
import { database, type TestDatabase } from "../postgres.ts";
import { compileAgain } from "./compile-again.ts";
import { draftsOf } from "./drafts.ts";
import { namesFor, renamedIn } from "./named.ts";
import { listPeople, type WorldPerson, withFiles, withKept } from "./people.ts";
import { randomFrom } from "./requests.ts";
import type { Line, Row, Rows } from "./rows.ts";
import type { Plant } from "./sight.ts";

/*
 * Two databases that began as copies, with a server on each: equal documents, records, sessions and clocks. Every
 * request goes to both.
 */

export const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gu;

interface Table {
  readonly schema: string;
  readonly name: string;
  /** Written columns, without generated ones. */
  readonly columns: readonly string[];
  /** The column that Postgres numbers; null if there is none. */
  readonly draws: string | null;
}

/** The rows of each table as JSON, and the last sequence values. */
type Snapshot = ReadonlyMap<string, { readonly rows: string; readonly last: string | null }>;

/** For each table, a text that changes with each write: number, sum and maximum of its rows' transactions, and `last`. */
type Marks = ReadonlyMap<string, string>;

export interface World {
  readonly served: TestServer;
  readonly store: TestDatabase;
}

export interface WorldRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** True for a body that is sent as an HTML form. */
  readonly isForm?: boolean;
  /** The cookie of a session other than the person's own. */
  readonly cookie?: string;
  /** The purpose of the request: `list Request by status`. */
  readonly what: string;
}

export interface AnswerPair {
  readonly a: Answer;
  readonly b: Answer;
}

export interface Pair {
  readonly model: Model;
  readonly text: string;
  /** The text of proposal 1; null if there is none. */
  readonly proposed: string | null;
  /** The hash of the text, on which drafts are based. */
  readonly base: string;
  readonly now: Date;
  /** All ids at the beginning, in any table. */
  readonly ids: ReadonlySet<string>;
  /** The registered routes: `GET /api/loans/:id`. */
  readonly routes: ReadonlySet<string>;
  /** Names that handlers looked up in addresses and bodies and that no request contained: `GET /_/people after`. */
  unsaid(): readonly string[];
  readonly one: World;
  readonly other: World;
  /** Sends a request with a session that belongs to one person in both worlds. */
  ask(cookie: string, asked: WorldRequest): Promise<AnswerPair>;
  /** A client in one of the worlds. */
  in(world: World, cookie: string): Asker;
  /** The records at the beginning. */
  readonly rows: Rows;
  /** Their history. */
  readonly lines: ReadonlyMap<string, readonly Line[]>;
  readonly people: readonly WorldPerson[];
  /**
   * Restores both worlds to the beginning and applies the differences to the second. Returns those that its tables
   * accept.
   */
  begin(plants: readonly Plant[]): Promise<readonly Plant[]>;
  /** The current records of both worlds. */
  present(): Promise<readonly [Rows, Rows]>;
  /** Tables of the first world that differ from the beginning. */
  changed(): Promise<readonly string[]>;
  /** Restores both worlds to the last `begin`. */
  again(): Promise<void>;
  /** Changes other tables in the second world. */
  alter(statements: readonly { readonly text: string; readonly values?: readonly unknown[] }[]): Promise<void>;
  end(): Promise<void>;
}

const tablesOf = async (store: TestDatabase): Promise<readonly Table[]> => {
  const { rows } = await store.query(
    `select n.nspname as schema, c.relname as name, max(a.attname::text) filter (where a.attidentity <> '') as draws,
            array_agg(a.attname::text order by a.attnum) filter (where a.attgenerated = '') as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
     where n.nspname in ('app', 'ninefold') and c.relkind in ('r', 'p') and not c.relispartition and a.attnum > 0 and not a.attisdropped
       and c.relname not in ('version', 'release') group by 1, 2 order by 1, 2`,
  );
  return rows as unknown as readonly Table[];
};

const named = ({ schema, name }: Table): string => `"${schema}"."${name}"`;
const keyOf = ({ schema, name }: Table): string => `${schema}.${name}`;

const lastSql = (table: Table): string =>
  table.draws === null
    ? "null::text"
    : `pg_sequence_last_value(pg_get_serial_sequence('${named(table)}', '${table.draws}')::regclass)::text`;

const snapshotOf = async (store: TestDatabase, tables: readonly Table[]): Promise<Snapshot> => {
  const parts = tables.map(
    (table) =>
      `select '${keyOf(table)}' as key, coalesce(jsonb_agg(j order by j::text), '[]')::text as rows, ${lastSql(table)} as last
       from (select to_jsonb(t) as j from ${named(table)} t) as t`,
  );
  const { rows } = await store.query(parts.join(" union all "));
  return new Map(
    rows.map(({ key, rows, last }) => [String(key), { rows: String(rows), last: last === null ? null : String(last) }]),
  );
};

const marksOf = async (store: TestDatabase, tables: readonly Table[]): Promise<Marks> => {
  const parts = tables.map(
    (table) =>
      `select '${keyOf(table)}' as key, concat_ws(' ', count(*), sum(x), max(x), ${lastSql(table)}) as mark
       from (select xmin::text::bigint as x from ${named(table)}) as t`,
  );
  // All tables, at each restoration: planning this takes as long as running it.
  const { rows } = await store.query(parts.join(" union all "), [], "marks");
  return new Map(rows.map(({ key, mark }) => [String(key), String(mark)]));
};

/** Allows tables to be written in any order, and audit lines to be changed. Requests are not affected. */
const loosen = async (store: TestDatabase): Promise<void> => {
  const { rows } = await store.query(
    `select conrelid::regclass::text as table, conname as name from pg_constraint
     where contype = 'f' and connamespace in ('app'::regnamespace, 'ninefold'::regnamespace)`,
  );
  for (const one of rows)
    await store.query(
      `alter table ${String(one.table)} alter constraint "${String(one.name)}" deferrable initially immediate`,
    );
  await store.query("alter table ninefold.audit disable trigger append_only");
};

/**
 * A transaction in which references are checked at the end and everything else immediately; an impossible difference is
 * dropped alone.
 */
const freely = (store: TestDatabase, work: (client: pg.ClientBase) => Promise<void>): Promise<void> =>
  store.onOne(async (client) => {
    const { rows } = await client.query(
      `select string_agg(format('%I.%I', nspname, conname), ', ') as names
       from pg_constraint join pg_namespace on pg_namespace.oid = connamespace
       where contype = 'f' and condeferrable and nspname in ('app', 'ninefold')`,
    );
    await client.query("begin; set constraints all immediate");
    if (rows[0]?.names !== null) await client.query(`set constraints ${rows[0]?.names} deferred`);
    await work(client);
    await client.query("commit");
  });

/** Milliseconds after which a world that still changes has a fault. */
const SETTLING = 80_000;

/** The marks with which a database was seen to hold a snapshot. Reading them is far faster than reading the rows. */
const marksWhileEqual = new WeakMap<Snapshot, WeakMap<TestDatabase, Map<string, string>>>();

const equalMarks = (store: TestDatabase, wanted: Snapshot): Map<string, string> => {
  const stores = marksWhileEqual.get(wanted) ?? new WeakMap<TestDatabase, Map<string, string>>();
  marksWhileEqual.set(wanted, stores);
  const known = stores.get(store) ?? new Map<string, string>();
  stores.set(store, known);
  return known;
};

const restore = async (store: TestDatabase, tables: readonly Table[], wanted: Snapshot): Promise<void> => {
  // Deleting rows can delete others by cascade, and the logs of refusals and sign-ins are written up to a second late.
  const end = Date.now() + SETTLING;
  for (;;) {
    const changed = await restoreOnce(store, tables, wanted);
    if (changed.length === 0) return;
    if (Date.now() > end) throw new Error(`a world does not become what it was: ${changed.map(keyOf).join(", ")}`);
  }
};

/** Returns the tables that differed. */
const restoreOnce = async (
  store: TestDatabase,
  tables: readonly Table[],
  wanted: Snapshot,
): Promise<readonly Table[]> => {
  const known = equalMarks(store, wanted);
  const marks = await marksOf(store, tables);
  const written = tables.filter((table) => marks.get(keyOf(table)) !== known.get(keyOf(table)));
  if (written.length === 0) return [];
  const now = await snapshotOf(store, written);
  const isChanged = (table: Table) => {
    const [is, was] = [now.get(keyOf(table)), wanted.get(keyOf(table))];
    return is?.rows !== was?.rows || is?.last !== was?.last;
  };
  for (const table of written) if (!isChanged(table)) known.set(keyOf(table), marks.get(keyOf(table)) ?? "");
  const changed = written.filter(isChanged);
  if (changed.length === 0) return [];
  await freely(store, async (client) => {
    for (const table of changed) {
      const was = wanted.get(keyOf(table));
      if (was === undefined) continue;
      const columns = table.columns.map((column) => `"${column}"`).join(", ");
      await client.query(`delete from ${named(table)}`);
      await client.query(
        `insert into ${named(table)} (${columns}) overriding system value select ${columns} from jsonb_populate_recordset(null::${named(table)}, $1::jsonb)`,
        [was.rows],
      );
      if (table.draws !== null)
        await client.query(`select setval(pg_get_serial_sequence('${named(table)}', '${table.draws}'), $1, $2)`, [
          was.last ?? 1,
          was.last !== null,
        ]);
    }
  });
  return changed;
};

const plant = async (client: pg.ClientBase, model: Model, tables: readonly Table[], one: Plant): Promise<void> => {
  const name = model.entities.get(one.entity)?.table ?? "";
  const table = tables.find((each) => each.schema === "app" && each.name === name);
  if (table === undefined) throw new Error(`no table of ${one.entity}`);
  const at = render(sql`"app".${identifier(name)}`).text;
  if (one.row === null) {
    await client.query(`delete from ${at} where "id" = $1`, [one.id]);
    return;
  }
  const columns = table.columns.map((column) => `"${column}"`);
  // Updates in place, because deletion would cascade.
  await client.query(
    `insert into ${at} (${columns.join(", ")}) select ${columns.join(", ")} from jsonb_populate_record(null::${at}, $1::jsonb)
     on conflict ("id") do update set ${columns.map((column) => `${column} = excluded.${column}`).join(", ")}`,
    [JSON.stringify(one.row)],
  );
};

/** The routes of a server from its printed tree: one line each, four columns per level. */
export const routesIn = (drawn: string): ReadonlySet<string> => {
  const found = new Set<string>();
  const path: string[] = [];
  for (const line of drawn.split("\n")) {
    const match = /^([│├└─ ]*)(\S+)(?: \(([^)]*)\))?/u.exec(line);
    if (match === null) continue;
    const [, before = "", part = "", methods = ""] = match;
    path.length = before.length / 4 - 1;
    path.push(part);
    // Scripts and style sheets are separate routes with equal content for everybody.
    for (const method of methods.split(", "))
      if (method !== "" && method !== "HEAD")
        found.add(`${method} ${path.join("").replace(/^\/_\/assets\/.*/u, "/_/assets/*")}`);
  }
  return found;
};

const rowsIn = (model: Model, snapshot: Snapshot): Rows =>
  new Map(
    [...model.entities.values()].map(({ name, table }) => [
      name,
      new Map(
        (JSON.parse(snapshot.get(`app.${table}`)?.rows ?? "[]") as readonly Row[]).map((row) => [String(row.id), row]),
      ),
    ]),
  );

const linesIn = (snapshot: Snapshot): Pair["lines"] => {
  const all = JSON.parse(snapshot.get("ninefold.audit")?.rows ?? "[]") as readonly (Line & {
    readonly record: string;
  })[];
  const found = new Map<string, Line[]>();
  for (const line of [...all].sort((a, b) => b.id - a.id)) {
    const own = found.get(line.record) ?? [];
    found.set(line.record, own);
    own.push(line);
  }
  return found;
};

/** Replaces parts of the document or service, to test that a fault would be noticed. */
export interface PlantedFault {
  readonly text?: string;
  readonly service?: (service: Service) => Service;
  readonly authoring?: (authoring: Authoring, database: Database) => Authoring;
}

/** Executes a change of the document completely and rolls it back when its text would be written. */
const tryingOnly = (opened: OpenDocument, specification: Compiled, owner: string): Authoring =>
  createAuthoring({
    store: { owner, fixed: null, write: () => Promise.reject(new DocumentFixed("PREVIEW")) },
    database: opened.service.database,
    current: () => ({ compiled: specification, applied: opened.applied }),
    enforce: () => Promise.reject(new Error("nothing is put in force")),
    serialize: createSerializer(),
    attempt: draftAnswerWith(compileAgain),
  });

/** Gives every record a repeatable id, and equal times to rows created by the database. */
const renamed = async (store: TestDatabase, model: Model, now: Date): Promise<void> => {
  const tables = await tablesOf(store);
  const before = await snapshotOf(store, tables);
  const held = [...before].map(([key, { rows }]) => ({ key, rows: JSON.parse(rows) as readonly Row[] }));
  const names = namesFor(model, held);
  const byDatabase = new Set([...model.entities.values()].flatMap(({ rows, table }) => (rows ? [`app.${table}`] : [])));
  const wanted = new Map<string, { rows: string; last: string | null }>();
  for (const [key, { rows, last }] of before) {
    const text = byDatabase.has(key)
      ? rows.replace(/(?<="(?:created|updated)_at": ")[^"]*/gu, now.toISOString())
      : rows;
    // In the order of a snapshot.
    const ordered = await store.query(
      `select coalesce(jsonb_agg(e order by e::text), '[]')::text as rows
       from jsonb_array_elements($1::jsonb) j, lateral (select to_jsonb(jsonb_populate_record(null::${key.replace(/\w+$/u, '"$&"')}, j)) e) as r`,
      [renamedIn(text, names)],
    );
    wanted.set(key, { last, rows: String(ordered.rows[0]?.rows) });
  }
  await restore(store, tables, wanted);
};

/** Proposal 1: a text that stored data may not fit. */
const withProposal = async (store: TestDatabase, text: string, now: Date, seed: number): Promise<string | null> => {
  const [draft] = draftsOf(text, randomFrom(seed), 1);
  if (draft === undefined) return null;
  const { source } = compiled(draft.text);
  const proposed = [hashDocument(source.text), source.file, source.text, now.toISOString()];
  await store.query(
    `with p as (insert into ninefold.proposal (source, base, hash, file, text, made_at, changed_at)
       values ('command', 1, $1, $2, $3, $4, $4) returning number)
     insert into ninefold.proposal_event (proposal, kind, revision, hash, base, file, text, at, by_operator)
       select number, 'proposed', 1, $1, 1, $2, $3, $4, true from p`,
    proposed,
  );
  return draft.text;
};

/** The current time of both worlds: another day and hour per seed, independent of the real time. */
const momentOf = (seed: number): Date => new Date(Date.UTC(2027, 0, 4, 9, 30) + (seed % 1_000) * 37 * 3_600_000);

/** Records the names that handlers look up in addresses and bodies, and those present. */
const listening = (app: FastifyInstance) => {
  const [heard, said] = [new Set<string>(), new Set<string>()];
  const noting = (input: unknown, route: string): unknown => {
    const isBytes = input instanceof Uint8Array || input instanceof Readable;
    if (typeof input !== "object" || input === null || Array.isArray(input) || isBytes) return input;
    const note = (target: object, name: string | symbol): void => {
      if (typeof name !== "string" || name in Object.prototype) return;
      heard.add(`${route} ${name}`);
      if (Object.hasOwn(target, name)) said.add(`${route} ${name}`);
    };
    return new Proxy(input, {
      get: (target, name) => {
        note(target, name);
        return Reflect.get(target, name);
      },
      has: (target, name) => {
        note(target, name);
        return Reflect.has(target, name);
      },
      getOwnPropertyDescriptor: (target, name) => {
        note(target, name);
        return Reflect.getOwnPropertyDescriptor(target, name);
      },
    });
  };
  app.addHook("preHandler", (request, _, done) => {
    const { method, routeOptions } = request;
    const route = `${method === "HEAD" ? "GET" : method} ${routeOptions.url ?? ""}`;
    // The description lists the parameters of the document's calls.
    if (/ \/(?:_\/|api\/why)/u.test(route)) {
      request.query = noting(request.query, route);
      request.body = noting(request.body, route);
    }
    done();
  });
  return (): readonly string[] => [...heard].filter((word) => !said.has(word)).sort();
};

/** A body as browsers send a form: a name with several values occurs several times. */
const formOf = (body: unknown) => ({
  raw: new URLSearchParams(
    Object.entries(body as Readonly<Record<string, unknown>>).flatMap(([name, value]) =>
      [value]
        .flat()
        .map((one): [string, string] => [
          name,
          typeof one === "object" && one !== null ? JSON.stringify(one) : String(one ?? ""),
        ]),
    ),
  ).toString(),
  headers: { "content-type": "application/x-www-form-urlencoded" },
});

/** Two worlds of a document with sample data, files and personal data. */
export const pairOf = async (text: string, seed: number, spoilt: PlantedFault = {}): Promise<Pair> => {
  const { model } = compiled(text);
  const now = momentOf(seed);
  const clock = () => now;
  const store = await database();
  const first = await serveText(text, { database: store, sample: true, app: { clock } });
  await loosen(store);
  await renamed(store, model, now);
  await withFiles(first);
  await withKept(first, now);
  const proposed = await withProposal(store, text, now, seed);
  const people = await listPeople(first, now);
  await renamed(store, model, now);
  await first.stop();
  await store.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1 and pid <> pg_backend_pid() and backend_type = 'client backend'",
    [store.name],
  );
  await store.rest();
  const copy = await database(store);
  const tables = await tablesOf(store);
  const wanted = await snapshotOf(store, tables);
  /** The second world after the last `begin`. */
  let begun = wanted;
  const open = async (on: TestDatabase): Promise<World> => ({
    store: on,
    served: await serveText(spoilt.text ?? text, {
      database: on,
      app: { clock },
      authoring: (opened, ...from) => {
        const authoring = tryingOnly(opened, ...from);
        return spoilt.authoring?.(authoring, opened.service.database) ?? authoring;
      },
      ...(spoilt.service === undefined ? {} : { service: spoilt.service }),
    }),
  });
  const [one, other] = [await open(store), await open(copy)];
  const unsaid = listening(one.served.app);
  const asTheOne = (world: World, cookie: string): Asker =>
    cookie === "" ? world.served.visitor() : world.served.signedIn(cookie);
  return {
    model,
    text,
    proposed,
    base: one.served.opened.applied.hash,
    now,
    routes: routesIn(one.served.app.printRoutes({ commonPrefix: false })),
    unsaid,
    ids: new Set([...wanted.values()].flatMap(({ rows }) => rows.match(UUID) ?? [])),
    one,
    other,
    rows: rowsIn(model, wanted),
    lines: linesIn(wanted),
    people,
    in: asTheOne,
    ask: async (cookie, { method, path, body, headers = {}, isForm = false }) => {
      const form = isForm && body !== undefined ? formOf(body) : undefined;
      // A client of `asTheOne` forgets the positions of its writes.
      await store.replayed();
      const [a, b] = await Promise.all(
        [one, other].map((world) =>
          asTheOne(world, cookie).send(
            method,
            path,
            body,
            form === undefined ? { headers } : { ...form, headers: { ...headers, ...form.headers } },
          ),
        ),
      );
      if (a === undefined || b === undefined) throw new Error("two worlds answer");
      return { a, b };
    },
    begin: async (plants) => {
      // Queued lines would otherwise be written during the restoration.
      await Promise.all([one, other].map((world) => world.served.signIns.write()));
      await Promise.all([restore(store, tables, wanted), restore(copy, tables, wanted)]);
      const held: Plant[] = [];
      begun = wanted;
      if (plants.length > 0)
        await freely(copy, async (client) => {
          for (const each of plants) {
            await client.query("savepoint p");
            const isHeld = await plant(client, model, tables, each).then(
              () => true,
              (error: unknown) => {
                if (error instanceof pg.DatabaseError && /^2[23]/u.test(error.code ?? "")) return false;
                throw error;
              },
            );
            if (isHeld) held.push(each);
            else await client.query("rollback to savepoint p");
          }
        });
      if (plants.length > 0) begun = await snapshotOf(copy, tables);
      await copy.replayed();
      return held;
    },
    present: async () => {
      const [own, theirs] = await Promise.all([snapshotOf(store, tables), snapshotOf(copy, tables)]);
      return [rowsIn(model, own), rowsIn(model, theirs)];
    },
    changed: async () => {
      const now = await snapshotOf(store, tables);
      return [...wanted].flatMap(([key, was]) => {
        // A deletion that is tried and rolled back takes numbers from the sequence of the history, and writes nothing.
        return now.get(key)?.rows === was.rows ? [] : [key];
      });
    },
    again: async () => {
      await Promise.all([restore(store, tables, wanted), restore(copy, tables, begun)]);
    },
    alter: async (statements) => {
      await freely(copy, async (client) => {
        for (const { text: statement, values = [] } of statements) await client.query(statement, [...values]);
      });
      begun = await snapshotOf(copy, tables);
    },
    end: async () => {
      await Promise.all([one.served.stop(), other.served.stop()]);
      await Promise.all([store.end(), copy.end()]);
    },
  };
};
