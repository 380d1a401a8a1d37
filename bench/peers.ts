// Compares the application of bench/leave.md in Ninefold, written by hand (bench/by-hand), and with PostGraphile on the tables
// of the one by hand, its permissions as row-level security (bench/peers/postgraphile): on one Postgres with the same data, by
// turns. It asserts only that all give the same responses and refusals.
// `npm run bench:peers -- [--keep FOLDER] [--rounds 3] [--seconds 8] [--cases REGEXP] [--rows N]`. The packages of the peer
// and the Node that it needs are installed into its own folder. A complete run writes docs/evidence/peers.json.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { casesOf, draftOf, people } from "./leave/cases.ts";
import { compare, type Speaker } from "./leave/compare.ts";
import { openDesks, startServer } from "./leave/desks.ts";
import { conventional } from "./leave/dialect.ts";
import { writeEvidence } from "./leave/evidence.ts";
import { ask } from "./leave/load.ts";
import { megabytesOf } from "./leave/processor.ts";
import { chooseNames, roundOptions, toMeasurement } from "./leave/rounds.ts";
import { measureInTurns, round } from "./leave/turns.ts";
import { postgraphile } from "./peers/postgraphile.ts";

// The scripts run before anything is compiled, so they are JavaScript and bring no types.
const { wrongPackage } = (await import(new URL("../scripts/setup.mjs", import.meta.url).href)) as {
  wrongPackage(lock: unknown, installed: unknown): string | undefined;
};

/** Without those that differ only in the person from others. */
const CASES = "^(read|list|next page)/|/spread$";

const { values: options } = parseArgs({ options: roundOptions(CASES) });
const measurement = toMeasurement(options);
const { rounds, seconds, connections } = measurement;

const folder = fileURLToPath(new URL("peers/postgraphile", import.meta.url));
const node = join(folder, "node_modules/.bin/node");
const readLock = (name: string): unknown => {
  const file = join(folder, name);
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
};
if (wrongPackage(readLock("package-lock.json"), readLock("node_modules/.package-lock.json")) !== undefined) {
  console.log("Installing PostGraphile and its Node …");
  const quiet = ["--loglevel=error", "--no-audit", "--no-fund"];
  execFileSync("npm", ["ci", ...quiet], { cwd: folder, stdio: ["ignore", "ignore", "inherit"] });
}

/** Checks that all refuse the record of somebody else, dates that are reversed, and a transition of somebody else. */
const compareRefusals = async (speakers: readonly Speaker[]): Promise<number> => {
  const draft = draftOf(1);
  let compared = 0;
  for (const { port, dialect } of speakers) {
    const made = dialect.toRecord(await ask(port, dialect.create(draft, people.few)));
    const reversed = { ...draft, last_day: "2001-01-01" };
    for (const [what, shot] of Object.entries({
      "a record of somebody else": dialect.read(made.id, people.many),
      "dates that are reversed": dialect.create(reversed, people.few),
      "a transition of somebody else": dialect.move("submit", made.id, people.many),
      "a transition from another state": dialect.move("grant", made.id, people.manager),
      "no session": dialect.list("submitted", null, 0),
    })) {
      const answer = await ask(port, shot);
      if (!dialect.isRefused(answer)) throw new Error(`${what} is not refused on port ${port}: ${answer.body}`);
      compared++;
    }
    const submitted = await ask(port, dialect.move("submit", made.id, people.few));
    const { status, version } = dialect.toRecord(submitted);
    if (status !== "submitted" || version !== 2) throw new Error(`submitting answers ${submitted.body}`);
  }
  return compared;
};

const desks = await openDesks({
  ...(options.keep === undefined ? {} : { folder: options.keep }),
  rows: Number(options.rows),
});
const permissions = readFileSync(join(folder, "permissions.sql"), "utf8");
const url = await desks.copyByHand("postgraphile", "desk_gateway", permissions);
const served = [
  { name: "Ninefold", dialect: conventional, ...(await desks.serve("ninefold", 4_002)) },
  { name: "by hand", dialect: conventional, ...(await desks.serve("byhand", 4_001)) },
  {
    name: "PostGraphile",
    dialect: postgraphile,
    ...(await startServer("PostGraphile", 4_004, {
      command: node,
      args: ["server.mjs"],
      cwd: folder,
      env: { DATABASE_URL: url, PORT: "4004", GRAPHILE_ENV: "production", NODE_ENV: "production" },
    })),
  },
] as const;
const [ninefold, byHand, peer] = served;
try {
  await desks.reset();
  const { records } = await compare([byHand, peer], Number(options.pages));
  await compare([ninefold, byHand], Number(options.pages));
  console.log(`The same answers: ${records} records, and ${await compareRefusals(served)} refusals.`);

  const runners = served.map(({ name, pid, port, dialect }) => ({
    name,
    pid,
    cases: casesOf({ port, connections, seconds, dialect }),
  }));
  const names = chooseNames(runners[0]?.cases ?? [], options.cases);
  const turns = await measureInTurns({
    runners,
    names,
    rounds,
    postmaster: desks.postmaster,
    reset: desks.reset,
  });
  const results = names.map((name) => {
    const [ours, hand, theirs] = served.map((one) => turns.figures(name, one.name));
    if (ours === undefined || hand === undefined || theirs === undefined) throw new Error(`no figures of ${name}`);
    const rate = { ninefold: round(ours.rps / theirs.rps), byhand: round(hand.rps / theirs.rps) };
    return { case: name, rate, ninefold: ours, byhand: hand, postgraphile: theirs };
  });
  console.table(
    Object.fromEntries(
      results.map(({ case: name, rate, ...figures }) => [
        name,
        {
          rate: rate.ninefold,
          "rate by hand": rate.byhand,
          "req/s": figures.ninefold.rps,
          "by hand": figures.byhand.rps,
          PostGraphile: figures.postgraphile.rps,
          "p99 ms": figures.ninefold.p99,
          "p99 by hand": figures.byhand.p99,
          "p99 PostGraphile": figures.postgraphile.p99,
          refused: figures.ninefold.refused + figures.byhand.refused + figures.postgraphile.refused,
        },
      ]),
    ),
  );
  const memory = Object.fromEntries(served.map(({ name, pid }) => [name, round(megabytesOf(pid), 0)]));
  console.log("MB:", memory);
  if (options.cases === CASES) {
    const { dependencies } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      readonly dependencies: Readonly<Record<string, string>>;
    };
    writeEvidence("peers.json", {
      ...measurement,
      postgraphile: dependencies.postgraphile,
      "node of PostGraphile": dependencies.node,
      unit: "medians of the rounds, in turn on one Postgres; rate: divided by that of PostGraphile; CPU in milliseconds of processor time per request, the server's and Postgres's; load: the machine's, processes wanting a processor, at the median",
      load: turns.load,
      "memory, MB": memory,
      results,
    });
  }
} finally {
  await Promise.all(served.map(({ stop }) => stop()));
  await desks.end();
}
