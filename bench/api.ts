// Compares the application of bench/leave.md with the one written by hand in bench/by-hand, on one Postgres with the same data:
// requests per second, times, processor time and statements per request. It asserts only that both give the same responses.
// `npm run bench:api -- [--keep FOLDER] [--rounds 3] [--seconds 8] [--cases REGEXP] [--rows N]`; with `--keep`, the next run
// need not load the data again. A complete run writes docs/evidence/api.json. `--before CHECKOUT` also measures an earlier
// checkout, which must be built, and writes docs/evidence/api-change.json. `--workers 2,4` also measures as many processes
// of Ninefold beside one, and writes docs/evidence/workers.json.
import { availableParallelism } from "node:os";
import { parseArgs } from "node:util";
import { casesOf } from "./leave/cases.ts";
import { compare, type Speaker } from "./leave/compare.ts";
import { type DeskName, openDesks, type Served } from "./leave/desks.ts";
import { conventional } from "./leave/dialect.ts";
import { writeEvidence } from "./leave/evidence.ts";
import { megabytesOf } from "./leave/processor.ts";
import { chooseNames, roundOptions, toMeasurement } from "./leave/rounds.ts";
import { measureInTurns, median, round } from "./leave/turns.ts";

const { values: options } = parseArgs({
  options: {
    ...roundOptions("."),
    before: { type: "string" },
    workers: { type: "string" },
  },
});
const measurement = toMeasurement(options);
const { rounds, seconds, connections } = measurement;

/** A server of this run: Ninefold in one process, or in several, or the server by hand, or an earlier checkout. */
interface Server {
  readonly key: string;
  readonly which: DeskName;
  readonly args: readonly string[];
}
const workers = options.workers?.split(",").map(Number) ?? [];
const servers: readonly Server[] = [
  { key: "ninefold", which: "ninefold", args: [] },
  { key: "byhand", which: "byhand", args: [] },
  ...(options.before === undefined ? [] : [{ key: "before", which: "before" as const, args: [] }]),
  ...workers.map((many) => ({
    key: `workers ${many}`,
    which: "ninefold" as const,
    args: ["--workers", String(many)],
  })),
];

const desks = await openDesks({
  ...(options.keep === undefined ? {} : { folder: options.keep }),
  ...(options.before === undefined ? {} : { before: options.before }),
  rows: Number(options.rows),
});
const served = new Map<string, Served>();
for (const [i, { key, which, args }] of servers.entries())
  served.set(key, await desks.serve(which, 4_001 + i, { args }));
const serverOf = (key: string): Served => {
  const found = served.get(key);
  if (found === undefined) throw new Error(`${key} is not measured`);
  return found;
};
try {
  await desks.reset();
  const speakers = (["ninefold", "byhand"] as const).map((key) => ({
    port: serverOf(key).port,
    dialect: conventional,
  })) as [Speaker, Speaker];
  const compared = await compare(speakers, Number(options.pages));
  console.log(
    `The same answers: ${compared.records} records${compared.computed ? "" : ", without `days`, which ours does not compute yet"}.`,
  );

  const runners = servers.map(({ key }) => {
    const { pid, port } = serverOf(key);
    return { name: key, pid, cases: casesOf({ port, connections, seconds }) };
  });
  const names = chooseNames(runners[0]?.cases ?? [], options.cases);
  const turns = await measureInTurns({ runners, names, rounds, postmaster: desks.postmaster, reset: desks.reset });

  // Statements per request, from those that Postgres counted for thirty requests.
  const statements: Record<string, { readonly [W in DeskName]?: number }> = {};
  const counting = async (which: DeskName, track: "top" | "none") => {
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

  const table = names.map((name) => {
    const [ninefold, byhand] = [turns.figures(name, "ninefold"), turns.figures(name, "byhand")];
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
    `Memory: ${round(megabytesOf(serverOf("ninefold").pid), 0)} MB, by hand ${round(megabytesOf(serverOf("byhand").pid), 0)} MB.`,
  );
  // Ratios are taken per round: both servers ran within the same seconds, so a busy moment slows both.
  const ratioTo = (key: string, other: string) => {
    const ratioOf = (name: string, figure: "rps" | "cpu" | "postgres"): number => {
      const others = turns.rounds(name, other);
      return round(median(turns.rounds(name, key).map((one, i) => one[figure] / (others[i]?.[figure] ?? Number.NaN))));
    };
    const change = names.map((name) => ({
      case: name,
      rate: ratioOf(name, "rps"),
      cpu: ratioOf(name, "cpu"),
      postgres: ratioOf(name, "postgres"),
      before: turns.figures(name, other),
      after: turns.figures(name, key),
    }));
    console.log(`${key} beside ${other}`);
    console.table(Object.fromEntries(change.map(({ case: name, before, after, ...ratios }) => [name, ratios])));
    const medians = {
      rate: median(change.map(({ rate }) => rate)),
      cpu: median(change.map(({ cpu }) => cpu)),
      postgres: median(change.map(({ postgres }) => postgres)),
    };
    return { medians, change };
  };
  if (options.before !== undefined) {
    const { medians, change } = ratioTo("ninefold", "before");
    writeEvidence("api-change.json", {
      ...measurement,
      unit: "after divided by before, the median of the rounds, both in turn on one Postgres: requests per second, milliseconds of processor time per request of the server and of Postgres",
      medians,
      load: turns.load,
      results: change,
    });
  }
  const ofWorkers = workers.map((many) => [many, ratioTo(`workers ${many}`, "ninefold")] as const);
  if (workers.length > 0 && options.cases === ".")
    writeEvidence("workers.json", {
      ...measurement,
      processors: availableParallelism(),
      unit: "several processes (after) divided by one (before), the median of the rounds, in turn on one Postgres: requests per second, milliseconds of processor time per request of all processes and of Postgres",
      load: turns.load,
      results: Object.fromEntries(ofWorkers.map(([many, { medians, change }]) => [many, { medians, results: change }])),
    });
  if (options.cases === "." && options.rows === "1000000") {
    writeEvidence("api.json", {
      ...measurement,
      unit: "medians of the rounds, both in turn on one Postgres; CPU in milliseconds of processor time per request, the server's and Postgres's; load: the machine's, processes wanting a processor, at the median",
      load: turns.load,
      results: table,
    });
  }
} finally {
  await Promise.all([...served.values()].map((one) => one.stop()));
  await desks.end();
}
