// Requests to an application with many records and a long history, beside the same application with fewer: lists, records,
// histories, searches, transitions and starts, in one run and in turn, so that both meet the same load of the machine.
// `npm run bench:growth -- [--small 1000000] [--large 10000000] [--lines 5] [--requests 400] [--keep FOLDER]`;
// writes docs/evidence/growth.json. Nothing is asserted.
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import { compile } from "../src/core/compile.ts";
import { readFreeBytes } from "../src/postgres/embedded/free-space.ts";
import { type ConnectionSettings, startEmbedded, toConnectionUrl } from "../src/postgres/embedded/index.ts";
import { open } from "../src/server/serving/open-document.ts";

const { values: options } = parseArgs({
  options: {
    small: { type: "string", default: "1000000" },
    large: { type: "string", default: "10000000" },
    lines: { type: "string", default: "5" },
    requests: { type: "string", default: "400" },
    starts: { type: "string", default: "5" },
    keep: { type: "string" },
  },
});
const sizes = { small: Number(options.small), large: Number(options.large) };
type Size = keyof typeof sizes;
const which = Object.keys(sizes) as readonly Size[];
const lines = Number(options.lines);
const PEOPLE = 2_000;
const MONTHS = 60;
const DAY = 86_400_000;

const document = readFileSync(new URL("tickets.md", import.meta.url), "utf8");

const root = fileURLToPath(new URL("..", import.meta.url));
if (!existsSync(join(root, "dist/cli/main.js"))) throw new Error("build first: npm start, or npm test");
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
const folder = options.keep ?? mkdtempSync(join(tmpdir(), "ninefold-growth-"));
mkdirSync(folder, { recursive: true });
chmodSync(folder, 0o711);
const file = join(folder, "desk.md");
writeFileSync(file, document);
chmodSync(file, 0o644);

// A record and a line need less; indexes, the log and sorting need the rest.
const needed = (sizes.small + sizes.large) * (900 + lines * 500) + 2e9;
const free = await readFreeBytes(folder);
if (!existsSync(join(folder, "data")) && free < needed)
  throw new Error(
    `This needs ${(needed / 1e9).toFixed(0)} GB of disk, and ${(free / 1e9).toFixed(0)} GB are free. Try smaller sizes.`,
  );

const start = () => startEmbedded({ folder: join(folder, "data"), name: "growth", demonstration: false });
const embedded = await start();
const as = (user: string, database: string): ConnectionSettings => ({ ...embedded.owner, user, database });
const on = async <T>(database: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client(toConnectionUrl(as("postgres", database)));
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};
const round = (value: number, places = 1): number => Number(value.toFixed(places));
const secondsSince = (begun: number): number => round((performance.now() - begun) / 1_000);

// The nth ticket was opened a fixed time after the one before, over five years that end when a kept folder was filled.
const clock = join(folder, "filled-at");
if (!existsSync(clock)) writeFileSync(clock, String(Math.floor(Date.now() / 1_000) * 1_000));
const now = Number(readFileSync(clock, "utf8"));
const thisMonth = new Date(now).getUTCFullYear() * 12 + new Date(now).getUTCMonth();
const monthAt = (month: number): number => Date.UTC(Math.floor(month / 12), month % 12);
const begin = monthAt(thisMonth - MONTHS + 1);
/** SQL of the time and the id of ticket `n` of so many. The id is a UUID of version 7, whose time is that of the ticket. */
const timeSql = (rows: number): string =>
  `(to_timestamp(${begin / 1_000}::double precision + (n - 1) * ${(now - begin) / 1_000 / rows}::double precision))`;
const idSql = (rows: number): string =>
  `(lpad(to_hex(floor(extract(epoch from ${timeSql(rows)}) * 1000)::bigint), 12, '0') || '7' || substr(md5(n::text), 1, 3) || '8' || substr(md5(n::text), 4, 15))::uuid`;
const personSql = (number: string): string => `('01900000-0000-7000-8000-' || lpad(to_hex(${number}), 12, '0'))::uuid`;
const words =
  "array['invoice','printer','laptop','password','contract','meeting','window','bicycle','coffee','parcel','holiday','phone','keyboard','battery','garden','ladder']";

const fill = async (name: Size, rows: number): Promise<void> => {
  const begun = performance.now();
  const compiled = compile({ file, text: document });
  if (compiled.model === undefined) throw new Error(compiled.findings.map(({ message }) => message).join("\n"));
  await on("postgres", (client) => client.query(`create database filling owner ${embedded.owner.user}`));
  const [owner, app] = [
    { ...embedded.owner, database: "filling" },
    { ...embedded.app, database: "filling" },
  ];
  await (await open(compiled.model, compiled, { owner, app })).close();
  await on("filling", async (client) => {
    // Without triggers and checks of references, which arithmetic keeps.
    for (const text of [
      "set synchronous_commit = off",
      "set session_replication_role = replica",
      "set maintenance_work_mem = '512MB'",
    ])
      await client.query(text);
    await client.query(
      `insert into app."user" (id, version, created_at, updated_at, roles, active, name, email)
       select ${personSql("n")}, 1, now(), now(), case n when 1 then array['agent'] else '{}' end, true, 'Person ' || n, 'person' || n || '@example.com' from generate_series(1, ${PEOPLE}) n`,
    );
    for (const n of [1, 2])
      await client.query(
        `insert into ninefold.session (token_hash, person, made_at, expires_at) values ($1, ${personSql(String(n))}, now(), now() + interval '30 days')`,
        [createHash("sha256").update(`growth-${n}`).digest()],
      );
    const values: Readonly<Record<string, string>> = {
      id: idSql(rows),
      version: String(lines),
      created_at: timeSql(rows),
      updated_at: timeSql(rows),
      title: `(${words})[1 + n % 16] || ' ' || (${words})[1 + (n / 16) % 16] || ' ' || substr(md5(n::text), 1, 6)`,
      owner: personSql(`(2 + n % ${PEOPLE - 1})`),
      amount: "n % 1000",
      opened: `${timeSql(rows)}::date`,
      note: "'Somebody wrote this about the ticket.'",
      status: "case when n % 4 = 0 then 'open' else 'done' end",
      state_since: timeSql(rows),
    };
    const { rows: columns } = await client.query<{ name: string }>(
      "select attname as name from pg_attribute where attrelid = 'app.ticket'::regclass and attnum > 0 and attgenerated = ''",
    );
    const stored = columns.map((column) => column.name).filter((column) => column in values);
    /** The tickets whose kth line is of a month: `n` between these. */
    const between = (month: number, k: number): readonly [number, number] => {
      const nth = (time: number) => Math.ceil(((time - k * 20 * DAY - begin) / (now - begin)) * rows) + 1;
      return [Math.max(1, nth(monthAt(month))), Math.min(rows, nth(Math.min(monthAt(month + 1), now + 1)) - 1)];
    };
    // As if the history had been divided five years ago.
    await client.query(
      `alter table ninefold.audit detach partition ninefold.audit_before;
       alter table ninefold.audit attach partition ninefold.audit_before for values from (minvalue) to (${(thisMonth - MONTHS + 1 - 24_000) * 2 ** 40})`,
    );
    for (let month = thisMonth - MONTHS + 1; month <= thisMonth; month++) {
      // As the job does it, with a line of the history for each partition: they are full enough here.
      for (let call = 0; call < 2; call++)
        await client.query("select ninefold.prepare_audit_months($1, 0)", [
          new Date(monthAt(month) + DAY).toISOString(),
        ]);
      const [first, last] = between(month, 0);
      await client.query(
        `insert into app.ticket (${stored.map((column) => `"${column}"`).join(", ")}) select ${stored.map((column) => values[column]).join(", ")} from generate_series(${first}::bigint, ${last}::bigint) n`,
      );
      for (let k = 0; k < lines; k++) {
        const [from, to] = between(month, k);
        if (from > to) continue;
        const changes =
          k === 0
            ? `jsonb_build_object('title', jsonb_build_array(null, ${values.title}), 'owner', jsonb_build_array(null, ${values.owner}), 'amount', jsonb_build_array(null, n % 1000), 'opened', jsonb_build_array(null, ${values.opened}), 'status', jsonb_build_array(null, 'open'))`
            : `jsonb_build_object('amount', jsonb_build_array(n % 1000 + ${k - 1}, n % 1000 + ${k}), 'note', jsonb_build_array('Somebody wrote something else before.', 'Somebody wrote this about the ticket.'))`;
        await client.query(
          `insert into ninefold.audit (at, person, entity, record, action, clause, document, changes)
           select ${timeSql(rows)} + interval '${k * 20} days', ${personSql("1")}, 'Ticket', ${idSql(rows)}, '${k === 0 ? "create" : "update"}', '6.Ticket.${k === 0 ? "create" : "update"}', 1, ${changes}
           from generate_series(${from}::bigint, ${to}::bigint) n`,
        );
      }
      if ((month - thisMonth) % 12 === 0)
        console.log(`  ${name}: ${thisMonth - month} months left, ${secondsSince(begun)} s`);
    }
    await client.query("vacuum analyze");
    await client.query("checkpoint");
  });
  await on("postgres", (client) => client.query(`alter database filling rename to ${name}`));
  console.log(`${name}: ${rows} records, ${rows * lines} lines, filled in ${secondsSince(begun)} s`);
};

interface Program {
  readonly port: number;
  readonly milliseconds: number;
  stop(): Promise<void>;
}

const PORTS: Readonly<Record<Size, number>> = { small: 4_012, large: 4_013 };
const running = new Set<ChildProcess>();
process.once("exit", () => {
  for (const child of running) child.kill();
});

/** Starts the program, and measures the time until it answers. */
const serve = async (name: Size): Promise<Program> => {
  const port = PORTS[name];
  const begun = performance.now();
  const database = toConnectionUrl(as(embedded.owner.user, name));
  const child = spawn(
    process.execPath,
    ["dist/cli/main.js", "run", file, "--port", String(port), "--database", database],
    {
      cwd: root,
      stdio: ["ignore", "ignore", "inherit"],
    },
  );
  running.add(child);
  const ended = once(child, "exit").then(() => running.delete(child));
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${name} does not start`);
    if ((await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.ok === true) break;
    await sleep(5);
  }
  return {
    port,
    milliseconds: performance.now() - begun,
    stop: async () => {
      child.kill("SIGTERM");
      await ended;
    },
  };
};

const agent = new Agent({ keepAlive: true });
interface GrowthRequest {
  readonly method?: "GET" | "POST";
  readonly path: string;
  /** The agent, who sees everything, or a person who sees their own tickets. */
  readonly person?: 1 | 2;
  readonly body?: object;
}
const ask = (
  port: number,
  { method = "GET", path, person = 1, body }: GrowthRequest,
): Promise<{ readonly status: number; readonly text: string }> =>
  new Promise((resolve, reject) => {
    const sent = body === undefined ? "" : JSON.stringify(body);
    const headers = {
      cookie: `session=growth-${person}`,
      "content-length": Buffer.byteLength(sent),
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    };
    const asked = request({ agent, host: "127.0.0.1", port, method, path, headers }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asked.on("error", reject);
    asked.end(sent);
  });

/** Ids of tickets, spread evenly over a part of the years: `from` 0 is the first and 1 the newest. */
const idsOf = (name: Size, count: number, from: number, where: string): Promise<readonly string[]> =>
  on(name, async (client) => {
    const rows = sizes[name];
    // An odd step, so that every state occurs.
    const { rows: found } = await client.query<{ id: string }>(
      `select t.id from generate_series(0, ${count * 8 - 1}) i cross join lateral (select floor(${rows} * (${from} + (1 - ${from}) * i / ${count * 8}.0))::bigint + 1 as n) g
       join app.ticket t on t.id = ${idSql(rows)} where ${where} order by md5(t.id::text) limit ${count}`,
    );
    return found.map(({ id }) => id);
  });

const quantile = (times: readonly number[], share: number): number =>
  times.toSorted((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN;

try {
  for (const name of which) {
    const has = await on(
      "postgres",
      async (client) => (await client.query("select from pg_database where datname = $1", [name])).rowCount === 1,
    );
    if (!has) await fill(name, sizes[name]);
  }
  // The first start builds the index for searches, in the background.
  for (const name of which) {
    const begun = performance.now();
    const program = await serve(name);
    const isBuilt = () =>
      on(name, async (client) => {
        const { rows } = await client.query<{ valid: boolean | null }>(
          "select bool_and(indisvalid) as valid from pg_index where indrelid = 'app.ticket'::regclass and pg_get_indexdef(indexrelid) like '%gin_trgm_ops%'",
        );
        return rows[0]?.valid === true;
      });
    for (let tried = 0; sizes[name] > 50_000 && !(await isBuilt()) && tried < 3_600; tried++) await sleep(500);
    await program.stop();
    await on(name, (client) => client.query("vacuum analyze app.ticket"));
    console.log(`${name}: the index for searches was ready after ${secondsSince(begun)} s`);
  }

  const starts: Record<Size, number[]> = { small: [], large: [] };
  for (let nth = 0; nth < Number(options.starts); nth++)
    for (const name of which) {
      const program = await serve(name);
      starts[name].push(program.milliseconds);
      await program.stop();
    }

  const programs = { small: await serve("small"), large: await serve("large") };
  const requests = Number(options.requests);
  const ids: Record<Size, Record<string, readonly string[]>> = { small: {}, large: {} };
  for (const name of which)
    ids[name] = {
      any: await idsOf(name, requests, 0, "true"),
      recent: await idsOf(name, requests, 0.99, "true"),
      open: await idsOf(name, requests, 0, "t.status = 'open'"),
    };
  const id = (name: Size, of: string, nth: number): string => ids[name][of]?.[nth % (ids[name][of]?.length ?? 1)] ?? "";
  const word = (nth: number): string =>
    createHash("md5")
      .update(String(1 + nth * 97))
      .digest("hex")
      .slice(0, 6);
  const cases: Readonly<Record<string, (name: Size, nth: number) => GrowthRequest>> = {
    "list of all": () => ({ path: "/api/tickets?sort=-opened&limit=50" }),
    "list of all, filtered": () => ({ path: "/api/tickets?status=open&sort=-opened&limit=50" }),
    "list of all, with its count": () => ({ path: "/api/tickets?sort=-opened&limit=50&count=true" }),
    "list of one’s own": () => ({ path: "/api/tickets?sort=-opened&limit=50", person: 2 }),
    record: (name, nth) => ({ path: `/api/tickets/${id(name, "any", nth)}` }),
    "history of any record": (name, nth) => ({ path: `/api/tickets/${id(name, "any", nth)}/history` }),
    "history of a recent record": (name, nth) => ({ path: `/api/tickets/${id(name, "recent", nth)}/history` }),
    "search, one match": (_, nth) => ({ path: `/api/tickets?search=${word(nth)}&sort=-opened&limit=50` }),
    "search, many matches": () => ({ path: "/api/tickets?search=printer&sort=-opened&limit=50" }),
    transition: (name, nth) => ({ method: "POST", path: `/api/tickets/${id(name, "open", nth)}/close`, body: {} }),
    creation: (_, nth) => ({
      method: "POST",
      path: "/api/tickets",
      body: {
        title: `New ticket ${nth}`,
        owner: `01900000-0000-7000-8000-${(2 + (nth % 1_000)).toString(16).padStart(12, "0")}`,
        amount: nth,
        opened: "2026-11-28",
      },
    }),
  };
  const results: Record<string, unknown>[] = [];
  for (const [title, shot] of Object.entries(cases)) {
    const times: Record<Size, number[]> = { small: [], large: [] };
    const refused: Record<string, number> = {};
    for (let nth = -20; nth < requests; nth++)
      for (const name of which) {
        // The first ones prepare statements. Each open ticket is closed once.
        if (nth < 0 && title === "transition") continue;
        const begun = performance.now();
        const { status } = await ask(programs[name].port, shot(name, Math.abs(nth)));
        if (nth >= 0) times[name].push(performance.now() - begun);
        if (status > 299) refused[`${name} ${status}`] = (refused[`${name} ${status}`] ?? 0) + 1;
      }
    const [small, large] = which.map((name) => ({ p50: quantile(times[name], 0.5), p95: quantile(times[name], 0.95) }));
    if (small === undefined || large === undefined) continue;
    results.push({
      request: title,
      "small p50": round(small.p50, 2),
      "large p50": round(large.p50, 2),
      "ratio p50": round(large.p50 / small.p50, 2),
      "small p95": round(small.p95, 2),
      "large p95": round(large.p95, 2),
      "ratio p95": round(large.p95 / small.p95, 2),
      ...(Object.keys(refused).length === 0 ? {} : { refused }),
    });
    console.log(JSON.stringify(results.at(-1)));
  }
  for (const name of which) await programs[name].stop();
  const [small, large] = which.map((name) => round(quantile(starts[name], 0.5), 0));
  results.push({
    request: "start",
    "small p50": small,
    "large p50": large,
    "ratio p50": round((large ?? 0) / (small ?? 1), 2),
    starts,
  });
  const stored: Record<string, unknown> = {};
  for (const name of which)
    stored[name] = await on(name, async (client) => {
      const { rows } = await client.query(
        `select (select count(*)::int from pg_inherits where inhparent = 'ninefold.audit'::regclass) as partitions, round(pg_database_size(current_database()) / 1e6)::int as megabytes,
           (select reltuples::bigint::int from pg_class where oid = 'app.ticket'::regclass) as records,
           (select sum(c.reltuples)::bigint::int from pg_inherits i join pg_class c on c.oid = i.inhrelid where i.inhparent = 'ninefold.audit'::regclass) as lines`,
      );
      return rows[0] as unknown;
    });
  console.table(results, ["request", "small p50", "large p50", "ratio p50", "small p95", "large p95", "ratio p95"]);
  const evidence = {
    measured: new Date().toISOString().slice(0, 10),
    node: process.version,
    sizes,
    "lines of the history for each record": lines,
    load: round(loadavg()[0] ?? 0),
    requests,
    unit: "milliseconds of a request over HTTP on one connection, both applications in turn; of a start, until the first answer",
    stored,
    results,
  };
  writeFileSync(
    new URL("../docs/evidence/growth.json", import.meta.url),
    `${JSON.stringify(evidence, undefined, 2)}\n`,
  );
} finally {
  agent.destroy();
  for (const child of running) child.kill();
  await embedded.stop();
  if (options.keep === undefined) rmSync(folder, { recursive: true, force: true });
}
