// Compares the application of bench/leave.md with the one written by hand in bench/by-hand, on one Postgres with the same data:
// requests per second, times, processor time and statements per request. It asserts only that both give the same responses.
// `npm run bench:api -- [--keep FOLDER] [--rounds 3] [--seconds 8] [--cases REGEXP] [--rows N]`; with `--keep`, the next run
// need not load the data again. A complete run writes docs/evidence/api.json. `--before CHECKOUT` also measures an earlier
// checkout, which must be built, and writes docs/evidence/api-change.json.
import { mkdirSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { parseArgs } from "node:util";
import { casesOf } from "./leave/cases.ts";
import { compare } from "./leave/compare.ts";
import { openDesks, type Served, type Which } from "./leave/desks.ts";
import { megabytesOf, secondsOf } from "./leave/processor.ts";

const { values: options } = parseArgs({
  options: {
    keep: { type: "string" },
    rows: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "8" },
    connections: { type: "string", default: "32" },
    cases: { type: "string", default: "." },
    pages: { type: "string", default: "10" },
    before: { type: "string" },
  },
});
const [rounds, seconds, connections] = [options.rounds, options.seconds, options.connections].map(Number) as [
  number,
  number,
  number,
];

interface Figures {
  readonly rps: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Milliseconds of processor time per request: the server's, and Postgres's. */
  readonly cpu: number;
  readonly postgres: number;
  readonly refused: number;
}

const round = (value: number, places = 2): number => Number(value.toFixed(places));
const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
const servers: { readonly [W in Which]: string } = { ninefold: "Ninefold", byhand: "by hand", before: "before" };
const measured: readonly Which[] = ["ninefold", "byhand", ...(options.before === undefined ? [] : ["before" as const])];

const writeEvidence = (name: string, evidence: object): void => {
  const file = new URL(`../docs/evidence/${name}`, import.meta.url);
  mkdirSync(new URL(".", file), { recursive: true });
  const how = {
    measured: new Date().toISOString().slice(0, 10),
    node: process.version,
    requests: Number(options.rows),
    connections,
    seconds,
    rounds,
  };
  writeFileSync(file, `${JSON.stringify({ ...how, ...evidence }, undefined, 2)}\n`);
};

const desks = await openDesks({
  ...(options.keep === undefined ? {} : { folder: options.keep }),
  ...(options.before === undefined ? {} : { before: options.before }),
  rows: Number(options.rows),
});
const served = {
  ninefold: await desks.serve("ninefold", 4_002),
  byhand: await desks.serve("byhand", 4_001),
  ...(options.before === undefined ? {} : { before: await desks.serve("before", 4_003) }),
};
const serverOf = (which: Which): Served => {
  const found = served[which];
  if (found === undefined) throw new Error(`${which} is not measured`);
  return found;
};
try {
  await desks.reset();
  const compared = await compare([served.ninefold.port, served.byhand.port], Number(options.pages));
  console.log(
    `The same answers: ${compared.records} records${compared.computed ? "" : ", without `days`, which ours does not compute yet"}.`,
  );

  const casesBy = new Map(
    measured.map((which) => [which, casesOf({ port: serverOf(which).port, connections, seconds })]),
  );
  const names = (casesBy.get("ninefold") ?? [])
    .map(({ name }) => name)
    .filter((name) => new RegExp(options.cases, "u").test(name));
  const results: Record<string, { readonly [W in Which]: Figures[] }> = {};
  const current = (name: string) => (results[name] ??= { ninefold: [], byhand: [], before: [] });
  const load: number[] = [];

  // A round before the first is not counted, because both servers still compile their code then.
  for (let nth = 0; nth <= rounds; nth++) {
    await desks.reset();
    for (const name of names) {
      // The two servers take turns, and take turns in going first.
      for (const which of nth % 2 === 1 ? measured : measured.toReversed()) {
        const run = await casesBy
          .get(which)
          ?.find((one) => one.name === name)
          ?.prepare();
        if (run === undefined) throw new Error(`no case ${name}`);
        const { pid } = serverOf(which);
        const start = [secondsOf(pid), secondsOf(desks.postmaster)] as const;
        const { times, seconds: took, refused } = await run();
        const [server, postgres] = [secondsOf(pid), secondsOf(desks.postmaster)].map(
          (end, i) => ((end - (start[i] ?? 0)) / times.length) * 1_000,
        ) as [number, number];
        const sorted = times.toSorted((a, b) => a - b);
        const at = (q: number) => round(sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0);
        const figures: Figures = {
          rps: Math.round(times.length / took),
          p50: at(0.5),
          p95: at(0.95),
          p99: at(0.99),
          cpu: round(server, 3),
          postgres: round(postgres, 3),
          refused: Object.values(refused).reduce((a, b) => a + b, 0),
        };
        if (nth > 0) current(name)[which].push(figures);
        console.log(nth, name.padEnd(18), servers[which].padEnd(8), JSON.stringify(figures));
      }
      load.push(loadavg()[0] ?? 0);
    }
  }

  // Statements per request, from those that Postgres counted for thirty requests.
  const statements: Record<string, { readonly [W in Which]?: number }> = {};
  const counting = async (which: Which, track: "top" | "none") => {
    await desks.query(which, `alter system set pg_stat_statements.track = '${track}'`);
    await desks.query(which, "select pg_reload_conf(), pg_sleep(0.2)");
  };
  for (const name of names) {
    for (const which of ["ninefold", "byhand"] as const) {
      const few = casesOf({
        port: serverOf(which).port,
        connections: 1,
        seconds: 0.5,
        made: { hot: 30, spread: 30 },
      });
      const run = await few.find((one) => one.name === name)?.prepare();
      await counting(which, "top");
      await desks.query(which, "select pg_stat_statements_reset()");
      const done = await run?.();
      const [row] = await desks.query(
        which,
        `select sum(calls)::int as calls from pg_stat_statements where dbid = (select oid from pg_database where datname = current_database()) and query !~* 'pg_stat_statements'`,
      );
      await counting(which, "none");
      statements[name] = {
        ...statements[name],
        [which]: round(Number(row?.calls) / (done?.times.length ?? Number.NaN)),
      };
    }
  }

  const figuresOf = (name: string, which: Which): Figures => {
    const all = results[name]?.[which] ?? [];
    const middle = (key: keyof Figures) => median(all.map((one) => one[key]));
    return {
      rps: middle("rps"),
      p50: middle("p50"),
      p95: middle("p95"),
      p99: middle("p99"),
      cpu: middle("cpu"),
      postgres: middle("postgres"),
      refused: all.reduce((sum, one) => sum + one.refused, 0),
    };
  };
  const table = names.map((name) => {
    const [ninefold, byhand] = [figuresOf(name, "ninefold"), figuresOf(name, "byhand")];
    return {
      case: name,
      ratio: round(ninefold.rps / byhand.rps),
      ninefold,
      byhand,
      statements: statements[name],
    };
  });
  console.table(
    Object.fromEntries(
      table.map(({ case: name, ratio, ninefold, byhand, statements: counted }) => [
        name,
        {
          ratio,
          "req/s": ninefold.rps,
          "by hand": byhand.rps,
          "p50 ms": ninefold.p50,
          "p50 by hand": byhand.p50,
          "p99 ms": ninefold.p99,
          "p99 by hand": byhand.p99,
          "CPU ms": `${ninefold.cpu} + ${ninefold.postgres}`,
          "CPU by hand": `${byhand.cpu} + ${byhand.postgres}`,
          statements: `${counted?.ninefold} / ${counted?.byhand}`,
          refused: ninefold.refused + byhand.refused,
        },
      ]),
    ),
  );
  const ratios = table.map(({ ratio }) => ratio);
  // The least privileged person has no role and five of a million requests.
  const least = table.find((one) => one.case === "list/few");
  if (least !== undefined)
    console.log(`p95 of a list for the least privileged: ${least.ninefold.p95} ms, by hand ${least.byhand.p95} ms.`);
  console.log(`The worst ratio is ${Math.min(...ratios)}; the median ${median(ratios)}.`);
  console.log(
    `Memory: ${round(megabytesOf(served.ninefold.pid), 0)} MB, by hand ${round(megabytesOf(served.byhand.pid), 0)} MB.`,
  );
  if (options.before !== undefined) {
    // Ratios are taken per round: both servers ran within the same seconds, so a busy moment slows both.
    const ratioOf = (name: string, key: "rps" | "cpu" | "postgres"): number => {
      const { ninefold, before } = current(name);
      return round(median(ninefold.map((one, i) => one[key] / (before[i]?.[key] ?? Number.NaN))));
    };
    const change = names.map((name) => ({
      case: name,
      rate: ratioOf(name, "rps"),
      cpu: ratioOf(name, "cpu"),
      postgres: ratioOf(name, "postgres"),
      before: figuresOf(name, "before"),
      after: figuresOf(name, "ninefold"),
    }));
    console.table(Object.fromEntries(change.map(({ case: name, before, after, ...ratios }) => [name, ratios])));
    writeEvidence("api-change.json", {
      unit: "after divided by before, the median of the rounds, both in turn on one Postgres: requests per second, milliseconds of processor time per request of the server and of Postgres",
      medians: {
        rate: median(change.map(({ rate }) => rate)),
        cpu: median(change.map(({ cpu }) => cpu)),
        postgres: median(change.map(({ postgres }) => postgres)),
      },
      load: round(median(load), 1),
      results: change,
    });
  }
  if (options.cases === "." && options.rows === "1000000") {
    writeEvidence("api.json", {
      unit: "medians of the rounds, both in turn on one Postgres; CPU in milliseconds of processor time per request, the server's and Postgres's; load: the machine's, processes wanting a processor, at the median",
      load: round(median(load), 1),
      results: table,
    });
  }
} finally {
  await Promise.all(measured.map((which) => serverOf(which).stop()));
  await desks.end();
}
