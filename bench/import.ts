// Time for checking and writing an import of many rows, with a rule over other records and a reference that is found by its
// number; the memory of the server; and the time that other people wait meanwhile. `npm run bench:import -- [--rows
// 100000] [--states]`; writes docs/evidence/import.json. With `--states`, loans have states and a column names that of each row,
// which two transitions reach; then the results are `states` in that file. Needs a build. Nothing is asserted.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import type { Application } from "../src/core/wire/application.ts";
import type { ImportJson } from "../src/core/wire/imports.ts";
import type { ListJson } from "../src/core/wire/lists.ts";

const { values: options } = parseArgs({
  options: { rows: { type: "string", default: "100000" }, states: { type: "boolean", default: false } },
});
const rows = Number(options.rows);
const THINGS = 1_000;
const READERS = 6;
const WRITERS = 2;

const text = `# Stock

## 1. What the product does and for whom

Lending.

\`\`\`yaml
ninefold: 1
name: Stock
\`\`\`

## 3. Entities and their fields

\`\`\`yaml
Thing:
  label: "{number} {name}"
  fields:
    number: { type: text, unique: true }
    name: text
    limit: { type: integer, default: 100000 }
    loans: { list: Loan.thing }
    lent: { type: integer, computed: count(loans) }
Loan:
  fields:
    thing: Thing
    from_day: date
    to_day: date
    amount: money
    note: text?
\`\`\`

${
  options.states
    ? `## 4. States and transitions

\`\`\`yaml
Loan:
  states: [asked, lent, returned]
  final: returned
  transitions:
    hand_over: { from: asked, to: lent, by: member }
    take_back: { from: lent, to: returned, by: member }
\`\`\`

`
    : ""
}## 5. Validation rules

\`\`\`yaml
Loan:
  - { rule: to_day >= from_day, else: ENDS_TOO_EARLY }
  - { no overlap: [from_day, to_day], within: thing, else: ON_LOAN }
  - { rule: thing.lent <= thing.limit, else: LENT_TOO_OFTEN }
\`\`\`

## 6. Roles and permissions

\`\`\`yaml
roles: { member: signed in }
permissions:
  Thing: { read: [member], create: [member], update: [member] }
  Loan: { read: [member], create: [member], update: [member], delete: [member] }
\`\`\`

## 8. Error catalogue

\`\`\`yaml
ENDS_TOO_EARLY: { status: 422, message: "A loan ends on {to_day}, before it starts." }
ON_LOAN: { status: 409, message: "The thing is on loan then." }
LENT_TOO_OFTEN: { status: 409, message: "The thing was lent {thing.lent} times." }
\`\`\`
`;

const evidence = fileURLToPath(new URL("../docs/evidence/import.json", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "ninefold-import-bench-"));
chmodSync(folder, 0o755);
const file = join(folder, "stock.md");
const ready = join(folder, "ready");
writeFileSync(file, text);
const main = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const port = 20_000 + Math.floor(Math.random() * 20_000);
const program: ChildProcess = spawn(
  process.execPath,
  [main, "run", file, "--port", `${port}`, "--data", join(folder, "data"), "--ready-file", ready],
  { stdio: ["ignore", "ignore", "inherit"] },
);
const ended = once(program, "exit");
const url = `http://127.0.0.1:${port}`;

/** Resident memory of the server in MB, as Linux reports it; NaN elsewhere. */
const memory = (): number => {
  const path = `/proc/${program.pid}/status`;
  return existsSync(path) ? Number(/VmRSS:\s+(\d+)/u.exec(readFileSync(path, "utf8"))?.[1]) / 1_024 : Number.NaN;
};

let cookie = "";
const call = async <T>(method: string, path: string, body?: string, type = "application/json"): Promise<T> => {
  const response = await fetch(url + path, {
    method,
    headers: { cookie, ...(body === undefined ? {} : { "content-type": type }) },
    ...(body === undefined ? {} : { body }),
  });
  const input = response.headers.get("set-cookie")?.split(";")[0];
  if (input?.startsWith("session") === true) cookie = input;
  const answer = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${answer}`);
  return (answer === "" ? undefined : JSON.parse(answer)) as T;
};

const percentile = (times: readonly number[], part: number): number => {
  const sorted = times.toSorted((a, b) => a - b);
  return Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN) * 10) / 10;
};

interface Times {
  readonly read: number[];
  readonly write: number[];
}

/** People who read and write while `work` runs, with short pauses. */
const beside = async <T>(
  own: readonly string[],
  work: () => Promise<T>,
): Promise<{ result: T; times: Times; peak: number }> => {
  const times: Times = { read: [], write: [] };
  let over = false;
  let peak = 0;
  const timed = async (into: number[], act: () => Promise<unknown>): Promise<void> => {
    const from = performance.now();
    await act();
    into.push(performance.now() - from);
  };
  const readers = Array.from({ length: READERS }, async () => {
    while (!over) {
      await timed(times.read, () => call("GET", "/api/loans?limit=20&label=true"));
      await sleep(20);
    }
  });
  const writers = Array.from({ length: WRITERS }, async (_, writer) => {
    while (!over) {
      const day = new Date(Date.UTC(1900, 0, next++)).toISOString().slice(0, 10);
      const body = JSON.stringify({ thing: own[writer], from_day: day, to_day: day, amount: "1.00" });
      await timed(times.write, () => call("POST", "/api/loans", body));
      await sleep(20);
    }
  });
  const watching = (async () => {
    while (!over) {
      peak = Math.max(peak, memory());
      await sleep(100);
    }
  })();
  const result = await work().finally(() => {
    over = true;
  });
  await Promise.all([...readers, ...writers, watching]);
  return { result, times, peak: Math.round(peak) };
};
let next = 1;

const finish = async (path: string, begun: ImportJson): Promise<ImportJson> => {
  for (let job = begun; ; job = await call<ImportJson>("GET", `${path}/import/${begun.id}`)) {
    if (!["checking", "running", "undoing"].includes(job.state)) return job;
    await sleep(100);
  }
};

const waits = ({ read, write }: Times) => ({
  "others, reads": read.length,
  "others, read p50, ms": percentile(read, 0.5),
  "others, read p95, ms": percentile(read, 0.95),
  "others, writes": write.length,
  "others, write p50, ms": percentile(write, 0.5),
  "others, write p95, ms": percentile(write, 0.95),
});

try {
  for (let tries = 0; !existsSync(ready); tries++) {
    if (tries > 1_200) throw new Error("the program did not start");
    await sleep(100);
  }
  const { signIn } = await call<Application>("GET", "/_/application");
  await call("POST", "/_/session", JSON.stringify({ demonstration: signIn.demonstration?.[0]?.token }));
  const things = Array.from({ length: THINGS }, (_, at) => `T-${at},Thing ${at}`);
  const sent = await call<ImportJson>(
    "POST",
    "/api/things/import?name=things.csv&then=run",
    `Number,Name\n${things.join("\n")}\n`,
    "text/csv",
  );
  if ((await finish("/api/things", sent)).added !== THINGS) throw new Error("the things were not imported");
  const { items } = await call<ListJson>("GET", "/api/things?limit=200");
  const own = items.map(({ id }) => id);

  const lines = Array.from({ length: rows }, (_, at) => {
    const day = new Date(Date.UTC(2000, 0, 1 + 3 * Math.floor(at / THINGS))).toISOString().slice(0, 10);
    // Every hundredth row overlaps with an earlier one.
    const from = at % 100 === 99 && at > THINGS ? "2000-01-01" : day;
    const state = options.states ? `,${["Asked", "Lent", "Returned"][at % 3]}` : "";
    return `T-${at % THINGS},${from},${day},${(at % 500) + 0.5},Loan ${at}${state}`;
  });
  const csv = `Thing,From day,To day,Amount,Note${options.states ? ",Status" : ""}\n${lines.join("\n")}\n`;

  const quiet = await beside(own, () => sleep(8_000));
  const before = memory();
  const measured: Record<string, unknown> = {
    measured: new Date().toISOString().slice(0, 10),
    node: process.version,
    rows,
    megabytes: Number((csv.length / 1e6).toFixed(1)),
    load: Number(loadavg()[0]?.toFixed(1)),
    unit: `an import of loans with a reference, a rule against overlaps and a rule over a count of other records${options.states ? ", with a state that at most two transitions reach" : ""}, beside ${READERS} readers and ${WRITERS} writers with pauses of 20 ms`,
    "memory before, MB": Math.round(before),
    quiet: { seconds: 8, ...waits(quiet.times) },
  };
  let job: ImportJson | undefined;
  const steps: readonly (readonly [string, () => Promise<ImportJson>])[] = [
    ["read", () => call<ImportJson>("POST", "/api/loans/import?name=loans.csv", csv, "text/csv")],
    [
      "check",
      async () => finish("/api/loans", await call<ImportJson>("POST", `/api/loans/import/${job?.id}/check`, "{}")),
    ],
    ["run", async () => finish("/api/loans", await call<ImportJson>("POST", `/api/loans/import/${job?.id}/run`, "{}"))],
    [
      "undo",
      async () => finish("/api/loans", await call<ImportJson>("POST", `/api/loans/import/${job?.id}/undo`, "{}")),
    ],
  ];
  for (const [name, work] of steps) {
    const from = performance.now();
    const { result, times, peak } = await beside(own, work);
    job = result;
    const seconds = (performance.now() - from) / 1_000;
    measured[name] = {
      seconds: Number(seconds.toFixed(1)),
      "rows a second": Math.round(rows / seconds),
      state: result.state,
      added: result.added,
      refused: result.refused,
      "memory at most, MB": peak,
      ...waits(times),
    };
    console.log(name, measured[name]);
    // Written after each step, so that an interrupted run keeps its results.
    const before = existsSync(evidence) ? (JSON.parse(readFileSync(evidence, "utf8")) as Record<string, unknown>) : {};
    const { states, ...plain } = before;
    const all = options.states
      ? { ...plain, states: measured }
      : { ...measured, ...(states === undefined ? {} : { states }) };
    writeFileSync(evidence, `${JSON.stringify(all, undefined, 2)}\n`);
  }
} finally {
  program.kill("SIGTERM");
  await ended;
  rmSync(folder, { recursive: true, force: true });
}
