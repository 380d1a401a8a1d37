// Many open pages on two servers: each waits for changes, some of their people write. How long a change takes to the page of
// somebody who can see it, the memory for each page, and what a restart of a server does.
// `npm run bench:live -- [--pages 10000] [--writers 500] [--arrive 60] [--seconds 60] [--processes 4] [--minutes 20]`: pages
// are opened over `arrive` seconds, and people write for `seconds`. Writes
// docs/evidence/live.json. Nothing is asserted, except that it ends within `--minutes`. Half of the pages are open files of
// each server, and a part of them those of each process of pages: `ulimit -n` has to be above half of the pages.
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import { compile } from "../src/core/compile.ts";
import { startEmbedded, toConnectionUrl } from "../src/postgres/embedded/index.ts";
import { open } from "../src/server/serving/open-document.ts";
import { megabytesOf } from "./leave/processor.ts";

const PORTS = [4_021, 4_022] as const;

/** The pages of a process. */
interface PageRange {
  readonly from: number;
  readonly to: number;
  readonly writers: number;
  /** Seconds over which its pages are opened, and for which people write. */
  readonly arrive: number;
  readonly seconds: number;
}
/** A message of such a process. */
interface PageReport {
  readonly kind: "connected" | "written" | "returned";
  readonly pages?: number;
  /** Milliseconds from the response to a write until the page of its person heard of it. */
  readonly times?: readonly number[];
  readonly missed?: number;
  readonly writes?: number;
  readonly refused?: number;
  /** Changes that pages heard of. */
  readonly received?: number;
  /** Answers after which a page has to read everything again. */
  readonly fullReads?: number;
  /** Requests of pages that lost their server, by 0.1 seconds from the loss. */
  readonly requestsByTenth?: readonly number[];
  readonly returnedAfter?: number;
}

if (process.env.BENCH_PAGES !== undefined) await runPages(JSON.parse(process.env.BENCH_PAGES) as PageRange);
else await main();

/** A process of many pages. Each waits as the browser does (`src/web/api/change-feed.ts`). */
async function runPages({ from, to, writers, arrive, seconds }: PageRange): Promise<void> {
  const report = (message: PageReport) => process.send?.(message);
  const agent = new Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  const send = (n: number, method: string, path: string, body?: object): Promise<{ status: number; text: string }> =>
    new Promise((resolve, reject) => {
      const sent = body === undefined ? "" : JSON.stringify(body);
      const headers = {
        cookie: `session=page-${n}`,
        "content-length": Buffer.byteLength(sent),
        ...(body === undefined ? {} : { "content-type": "application/json" }),
      };
      const port = PORTS[n % 2] ?? PORTS[0];
      const sending = request({ agent, host: "127.0.0.1", port, method, path, headers }, (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        response.on("error", reject);
      });
      sending.on("error", reject);
      sending.end(sent);
    });

  let [connected, received, fullReads, writes, refused, missed] = [0, 0, 0, 0, 0, 0];
  const times: number[] = [];
  /** When the newest write of a person was acknowledged, until their page hears of it. */
  const waiting = new Map<number, number>();
  /** The pages without a server since the restart began. */
  const lost = new Set<number>();
  const requestsByTenth: number[] = [];
  let lostAt: number | undefined;
  let returnedAt = 0;
  const runPage = async (n: number): Promise<void> => {
    let at: string | null = null;
    let failed = 0;
    for (;;) {
      try {
        if (lostAt !== undefined && lost.has(n)) {
          const slot = Math.floor((performance.now() - lostAt) / 100);
          requestsByTenth[slot] = (requestsByTenth[slot] ?? 0) + 1;
        }
        const { status, text } = await send(n, "GET", `/_/changes${at === null ? "" : `?after=${at}`}`);
        if (status !== 200) throw new Error(String(status));
        if (at === null) connected++;
        if (lost.delete(n)) returnedAt = performance.now();
        failed = 0;
        const answer = JSON.parse(text) as { at: string; changed: readonly string[] | null };
        at = answer.at;
        if (answer.changed?.length === 0) continue;
        received++;
        if (answer.changed === null) fullReads++;
        const since = waiting.get(n);
        if (since !== undefined) times.push(performance.now() - since);
        waiting.delete(n);
        await sleep(300);
      } catch {
        if (lostAt !== undefined) lost.add(n);
        failed++;
        await sleep(Math.min(30_000, 1_000 * 2 ** failed) * (0.5 + Math.random()));
      }
    }
  };
  // Over some time, as people come in the morning.
  for (let n = from, startedAt = performance.now(); n < to; n++) {
    void runPage(n);
    await sleep(Math.max(0, startedAt + (arrive * 1_000 * (n + 1 - from)) / (to - from) - performance.now()));
  }
  while (connected < to - from) await sleep(100);
  report({ kind: "connected", pages: connected });
  await once(process, "message");

  // A person writes about every ten seconds, but not before their page heard of the last write.
  const end = performance.now() + seconds * 1_000;
  await Promise.all(
    Array.from({ length: writers }, async (_, i) => {
      const n = from + i;
      await sleep(Math.random() * 10_000);
      while (performance.now() < end) {
        const id = `01910000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`;
        const { status } = await send(n, "PATCH", `/api/tickets/${id}`, { note: `Written at ${Date.now()}.` });
        writes++;
        if (status === 200) waiting.set(n, performance.now());
        else refused++;
        await sleep(10_000);
        if (waiting.delete(n)) missed++;
      }
    }),
  );
  report({ kind: "written", times, missed, writes, refused, received });
  await once(process, "message");
  fullReads = 0;
  lostAt = performance.now();
  await once(process, "message");
  while (lost.size > 0) await sleep(50);
  report({
    kind: "returned",
    fullReads,
    requestsByTenth: [...requestsByTenth].map((many) => many ?? 0),
    returnedAfter: returnedAt - lostAt,
  });
}

async function main(): Promise<void> {
  const { values: options } = parseArgs({
    options: {
      pages: { type: "string", default: "10000" },
      writers: { type: "string", default: "500" },
      arrive: { type: "string", default: "60" },
      seconds: { type: "string", default: "60" },
      processes: { type: "string", default: "4" },
      minutes: { type: "string", default: "20" },
    },
  });
  setTimeout(() => {
    console.error(`Given up after ${options.minutes} minutes.`);
    process.exit(1);
  }, Number(options.minutes) * 60_000).unref();
  const [pages, writers, processes] = [Number(options.pages), Number(options.writers), Number(options.processes)];
  const root = fileURLToPath(new URL("..", import.meta.url));
  if (!existsSync(join(root, "dist/cli/main.js"))) throw new Error("build first: npm start, or npm test");
  const round = (value: number, places = 0): number => Number(value.toFixed(places));
  const folder = mkdtempSync(join(tmpdir(), "ninefold-live-"));
  chmodSync(folder, 0o711);
  const file = join(root, "bench/tickets.md");
  const embedded = await startEmbedded({ folder: join(folder, "data"), name: "live", demonstration: false });
  const children = new Set<ChildProcess>();
  process.once("exit", () => {
    for (const child of children) child.kill();
  });
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  const url = toConnectionUrl(embedded.owner);

  const serve = async (port: number): Promise<ChildProcess> => {
    const child = spawn(
      process.execPath,
      ["dist/cli/main.js", "run", file, "--port", String(port), "--database", url],
      {
        cwd: root,
        stdio: ["ignore", "ignore", "inherit"],
      },
    );
    children.add(child);
    void once(child, "exit").then(() => children.delete(child));
    for (;;) {
      if (child.exitCode !== null) throw new Error("the server does not start");
      if ((await fetch(`http://127.0.0.1:${port}/healthz`).catch(() => undefined))?.ok === true) return child;
      await sleep(50);
    }
  };

  try {
    const compiled = compile({ file, text: readFileSync(file, "utf8") });
    if (compiled.model === undefined) throw new Error(compiled.findings.map(({ message }) => message).join("\n"));
    await (await open(compiled.model, compiled, { owner: embedded.owner, app: embedded.app })).close();
    const client = new pg.Client(toConnectionUrl({ ...embedded.owner, user: "postgres" }));
    await client.connect();
    const uuid = (prefix: string) => `('${prefix}-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid`;
    // Everybody sees only their own ticket.
    await client.query(`set session_replication_role = replica;
      insert into app."user" (id, version, created_at, updated_at, roles, active, name, email)
        select ${uuid("01900000")}, 1, now(), now(), '{}', true, 'Person ' || n, 'person' || n || '@example.com' from generate_series(0, ${pages - 1}) n;
      insert into ninefold.session (token_hash, person, made_at, expires_at)
        select sha256(convert_to('page-' || n, 'UTF8')), ${uuid("01900000")}, now(), now() + interval '1 day' from generate_series(0, ${pages - 1}) n;
      insert into app.ticket (id, version, created_at, updated_at, title, owner, amount, opened, status)
        select ${uuid("01910000")}, 1, now(), now(), 'Ticket ' || n, ${uuid("01900000")}, 1, current_date, 'open' from generate_series(0, ${pages - 1}) n;
      set session_replication_role = origin;`);
    await client.query("vacuum analyze");
    await client.end();

    const servers = [await serve(PORTS[0]), await serve(PORTS[1])];
    const memory = () => servers.map(({ pid }) => round(megabytesOf(pid ?? 0)));
    const before = memory();
    const startedAt = performance.now();
    const ranges = Array.from(
      { length: processes },
      (_, i): PageRange => ({
        from: Math.floor((pages * i) / processes),
        to: Math.floor((pages * (i + 1)) / processes),
        writers: Math.ceil(writers / processes),
        arrive: Number(options.arrive),
        seconds: Number(options.seconds),
      }),
    );
    const clients = ranges.map((range) => {
      const child = fork(fileURLToPath(import.meta.url), [], {
        execArgv: ["--import", new URL("../scripts/load-typescript.mjs", import.meta.url).href],
        env: { ...process.env, BENCH_PAGES: JSON.stringify(range) },
      });
      children.add(child);
      return child;
    });
    const all = (kind: PageReport["kind"]): Promise<readonly PageReport[]> =>
      Promise.all(
        clients.map(
          (child) =>
            new Promise<PageReport>((resolve) => {
              const listen = (message: PageReport) => {
                if (message.kind !== kind) return;
                child.off("message", listen);
                resolve(message);
              };
              child.on("message", listen);
            }),
        ),
      );
    await all("connected");
    const connectedAfter = (performance.now() - startedAt) / 1_000;
    await sleep(3_000);
    const withPages = memory();
    console.log(
      `${pages} pages after ${round(connectedAfter)} s; MB of the servers: ${before.join(", ")} → ${withPages.join(", ")}`,
    );

    for (const child of clients) child.send("write");
    const written = await all("written");
    const times = written.flatMap((one) => one.times ?? []).toSorted((a, b) => a - b);
    const at = (share: number) =>
      round(times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? Number.NaN);
    const sum = (of: (one: PageReport) => number | undefined) =>
      written.reduce((total, one) => total + (of(one) ?? 0), 0);
    const changes = {
      writes: sum(({ writes }) => writes),
      refused: sum(({ refused }) => refused),
      heard: sum(({ received }) => received),
      "not heard within ten seconds": sum(({ missed }) => missed),
      p50: at(0.5),
      p95: at(0.95),
      p99: at(0.99),
    };
    console.log(changes);
    const afterWrites = memory();

    // One server restarts.
    for (const child of clients) child.send("restart");
    await sleep(500);
    const [first] = servers;
    first?.kill("SIGTERM");
    if (first !== undefined) await once(first, "exit");
    servers[0] = await serve(PORTS[0]);
    for (const child of clients) child.send("restarted");
    const returned = await all("returned");
    const perTenth: number[] = [];
    for (const { requestsByTenth = [] } of returned)
      for (const [i, many] of requestsByTenth.entries()) perTenth[i] = (perTenth[i] ?? 0) + many;
    const restart = {
      "seconds until every page was back": round(Math.max(...returned.map((one) => one.returnedAfter ?? 0)) / 1_000, 1),
      "most requests in a tenth of a second": Math.max(0, ...perTenth.filter((many) => many !== undefined)),
      "pages that had to read everything again": returned.reduce((total, { fullReads = 0 }) => total + fullReads, 0),
    };
    console.log(restart);
    const evidence = {
      measured: new Date().toISOString().slice(0, 10),
      node: process.version,
      load: round(loadavg()[0] ?? 0),
      pages,
      writers,
      unit: "milliseconds from the response to a write until the page of its person heard of it; MB of each of the two servers",
      memory: {
        before,
        open: withPages,
        "after the writes": afterWrites,
        "KB for a page": round(
          ((withPages.reduce((a, b) => a + b, 0) - before.reduce((a, b) => a + b, 0)) * 1_000) / pages,
          1,
        ),
      },
      "seconds until all were open": round(connectedAfter, 1),
      changes,
      restart,
    };
    writeFileSync(
      new URL("../docs/evidence/live.json", import.meta.url),
      `${JSON.stringify(evidence, undefined, 2)}\n`,
    );
  } finally {
    for (const child of children) child.kill();
    await embedded.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
