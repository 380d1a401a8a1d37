// The cost of explanations, with a million requests of bench/leave.md: a refusal with reasons and one without, the question
// “Why?” alone, and a successful read before and after, for one person after the other. Then successful requests (a read, a
// list, a create) go alternately to this program and to the same program without explanations.
// `npm run bench:why -- [--keep FOLDER] [--seconds 8] [--rows N]`; writes docs/evidence/why.json after a complete run.
import { mkdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { draftOf, people } from "./leave/cases.ts";
import { openDesks, type Served } from "./leave/desks.ts";
import { conventional, listPath } from "./leave/dialect.ts";
import { ask, type LoadRequest, run } from "./leave/load.ts";
import { secondsOf } from "./leave/processor.ts";
import { buildWithoutReasons } from "./leave/without-reasons.ts";

const { values: options } = parseArgs({
  options: {
    keep: { type: "string" },
    rows: { type: "string", default: "1000000" },
    seconds: { type: "string", default: "8" },
  },
});
const MOST = 10;
const PORT = 4_003;
const FIRST = "a reading that succeeds";
const AFTERWARDS = "a reading that succeeds, after all of this";
/** Turns of one second for each program and each kind of successful request. */
const TURNS = 6;
/** The most processor time that the possibility of reasons may add to a successful request, as a share. */
const COSTS = 1.1;
/** The share by which the processor time of a read, of the server and of Postgres, may differ before and after. */
const DIFFERS = 0.25;

type InTurn = Readonly<Record<"p50" | "server", number>>;

/**
 * Successful requests, sent in turn to two servers that run at once on one database, so that other work of the machine slows
 * both: milliseconds at p50 and of the server's processor for each request, and the first's as a share of the second's.
 */
const besideSilent = async (
  both: readonly [Served, Served],
  cases: Readonly<Record<string, readonly LoadRequest[]>>,
): Promise<Readonly<Record<string, { readonly with: InTurn; readonly without: InTurn; readonly ratio: InTurn }>>> => {
  const rounded = (value: number) => Number(value.toFixed(3));
  const found: Record<string, { with: InTurn; without: InTurn; ratio: InTurn }> = {};
  for (const [name, shots] of Object.entries(cases)) {
    let at = 0;
    const measured = both.map(({ port, pid }) => ({ port, pid, times: [] as number[], seconds: 0 }));
    // The first turn warms each program up. The order is reversed from turn to turn.
    for (let turn = 0; turn <= TURNS; turn++)
      for (const one of turn % 2 === 0 ? measured : measured.toReversed()) {
        const before = secondsOf(one.pid);
        const next = () => shots[at++ % shots.length];
        const { times, refused } = await run({ port: one.port, connections: 1, seconds: 1, next });
        if (Object.keys(refused).length > 0) throw new Error(`${name} was refused: ${JSON.stringify(refused)}`);
        if (turn === 0) continue;
        one.times.push(...times);
        one.seconds += secondsOf(one.pid) - before;
      }
    const [withReasons, without] = measured.map(({ times, seconds }): InTurn => {
      const sorted = times.toSorted((a, b) => a - b);
      return { p50: rounded(sorted[sorted.length >> 1] ?? 0), server: rounded((seconds / times.length) * 1_000) };
    });
    if (withReasons === undefined || without === undefined) throw new Error("two servers answer");
    const ratio = { p50: rounded(withReasons.p50 / without.p50), server: rounded(withReasons.server / without.server) };
    found[name] = { with: withReasons, without, ratio };
  }
  return found;
};

const desks = await openDesks({
  ...(options.keep === undefined ? {} : { folder: options.keep }),
  rows: Number(options.rows),
});
const served = await desks.serve("ninefold", PORT);
try {
  const seen = async (person: number, status: string): Promise<readonly string[]> => {
    const page = JSON.parse((await ask(PORT, { method: "GET", path: listPath(status), person })).body);
    return (page.items as readonly { id: string }[]).map(({ id }) => id);
  };
  const of = async (
    person: number,
    status: string,
    shot: (id: string) => Omit<LoadRequest, "person">,
  ): Promise<readonly LoadRequest[]> => (await seen(person, status)).map((id) => ({ ...shot(id), person }));
  const move = (id: string) => ({ method: "POST", path: `/api/requests/${id}/grant`, body: "{}" }) as const;
  const question = (id: string) => ({ method: "GET", path: `/api/why?do=Request.grant&record=${id}` }) as const;

  const reading = {
    status: 200,
    shots: await of(people.manager, "submitted", (id) => ({ method: "GET", path: `/api/requests/${id}` })),
  };
  const cases: Readonly<Record<string, { readonly status: number; readonly shots: readonly LoadRequest[] }>> = {
    // Nobody was refused on this server yet, so no explanation was planned or run.
    [FIRST]: reading,
    "a refusal that needs no reasons": {
      status: 409,
      shots: await of(people.many, "submitted", (id) => ({
        method: "POST",
        path: `/api/requests/${id}/submit`,
        body: "{}",
      })),
    },
    "a refusal with its reasons": { status: 403, shots: await of(people.many, "submitted", move) },
    "the question, by who may not": { status: 200, shots: await of(people.many, "submitted", question) },
    "the question, by payroll": { status: 200, shots: await of(people.payroll, "submitted", question) },
    "everything that one may do": {
      status: 200,
      shots: await of(people.manager, "submitted", (id) => ({
        method: "GET",
        path: `/_/permissions?of=Request&record=${id}`,
      })),
    },
    // Measured again after many thousands of these requests.
    [AFTERWARDS]: reading,
  };
  /** Milliseconds; `server` and `postgres` are processor time per request, which other programs do not lengthen. */
  const figures: Record<string, Record<"p50" | "p95" | "p99" | "requests" | "server" | "postgres", number>> = {};
  for (const [name, { status, shots }] of Object.entries(cases)) {
    if (shots.length === 0) throw new Error(`nothing to ask for: ${name}`);
    let at = 0;
    const next = () => shots[at++ % shots.length];
    await run({ port: PORT, connections: 1, seconds: 1, next });
    const before = [secondsOf(served.pid), secondsOf(desks.postmaster)] as const;
    const { times } = await run({
      port: PORT,
      connections: 1,
      seconds: Number(options.seconds),
      next,
      onAnswer: (answer) => {
        if (answer.status !== status) throw new Error(`${name} answered ${answer.status}: ${answer.body}`);
        if (status === 403 && !answer.body.includes('"because"')) throw new Error(`${name} says no reason`);
      },
    });
    const sorted = times.toSorted((a, b) => a - b);
    const quantile = (q: number) => Number((sorted[Math.floor(q * (sorted.length - 1))] ?? 0).toFixed(2));
    const [server = 0, postgres = 0] = [secondsOf(served.pid), secondsOf(desks.postmaster)].map((after, i) =>
      Number((((after - (before[i] ?? 0)) / times.length) * 1_000).toFixed(2)),
    );
    figures[name] = {
      p50: quantile(0.5),
      p95: quantile(0.95),
      p99: quantile(0.99),
      requests: times.length,
      server,
      postgres,
    };
    console.log(name.padEnd(34), JSON.stringify(figures[name]));
  }
  const [traced, bare] = [figures["a refusal with its reasons"], figures["a refusal that needs no reasons"]];
  const more = (key: "p95" | "server" | "postgres") =>
    Number(((traced?.[key] ?? Number.NaN) - (bare?.[key] ?? 0)).toFixed(2));
  const costs = more("p95");
  console.log(`Reasons cost ${costs} ms at p95; ${MOST} are allowed.`);
  console.log(`Of the processor: the server ${more("server")} ms, Postgres ${more("postgres")} ms.`);
  const [first, afterwards] = [figures[FIRST], figures[AFTERWARDS]];
  const processor = (of: typeof first) => (of?.server ?? Number.NaN) + (of?.postgres ?? 0);
  const succeeding = {
    p50: Number(((afterwards?.p50 ?? Number.NaN) - (first?.p50 ?? 0)).toFixed(2)),
    p95: Number(((afterwards?.p95 ?? Number.NaN) - (first?.p95 ?? 0)).toFixed(2)),
    processor: Number((processor(afterwards) - processor(first)).toFixed(2)),
  };
  console.log(
    `A reading that succeeds differs by ${succeeding.p50} ms at p50 and ${succeeding.processor} ms of the processor.`,
  );
  const program = await buildWithoutReasons();
  const silent = await desks.serve("ninefold", PORT + 1, { checkout: program });
  const beside = await besideSilent([served, silent], {
    reading: reading.shots,
    list: [{ method: "GET", path: listPath("submitted"), person: people.many }],
    creation: Array.from({ length: 20_000 }, (_, nth) => conventional.create(draftOf(nth), people.many)),
  }).finally(async () => {
    await silent.stop();
    await rm(program, { recursive: true, force: true });
  });
  await desks.reset();
  for (const [name, { ratio }] of Object.entries(beside))
    console.log(
      `${name.padEnd(10)} with reasons to without: ${ratio.p50} at p50, ${ratio.server} of the server's processor.`,
    );
  const isWhole = Number(options.rows) >= 1_000_000;
  mkdirSync("docs/evidence", { recursive: true });
  const written = {
    rows: Number(options.rows),
    load: loadavg()[0],
    milliseconds: figures,
    reasons: { p95: costs, server: more("server"), postgres: more("postgres") },
    succeeding,
    beside,
  };
  if (isWhole) writeFileSync("docs/evidence/why.json", `${JSON.stringify(written, null, 2)}\n`);
  const isDearer = Object.values(beside).some(({ ratio }) => ratio.server > COSTS);
  if (costs > MOST || succeeding.processor > processor(first) * DIFFERS || isDearer) process.exitCode = 1;
} finally {
  await served.stop();
  await desks.end();
}
