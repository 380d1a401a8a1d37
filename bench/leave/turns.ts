import { loadavg } from "node:os";
import type { Case } from "./cases.ts";
import { secondsOf } from "./processor.ts";

export interface Figures {
  readonly rps: number;
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  /** Milliseconds of processor time per request: the server's, and Postgres's. */
  readonly cpu: number;
  readonly postgres: number;
  readonly refused: number;
}

export const round = (value: number, places = 2): number => Number(value.toFixed(places));
export const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** A server that is measured. */
export interface Runner {
  readonly name: string;
  readonly pid: number;
  readonly cases: readonly Case[];
}

export interface Turns {
  /** The figures of each round. */
  rounds(of: string, runner: string): readonly Figures[];
  /** Their medians; `refused` is the sum. */
  figures(of: string, runner: string): Figures;
  /** The median of the machine's load. */
  readonly load: number;
}

const measure = async (one: Case, pid: number, postmaster: number): Promise<Figures> => {
  const run = await one.prepare();
  const start = [secondsOf(pid), secondsOf(postmaster)] as const;
  const { times, seconds, refused } = await run();
  const [cpu, postgres] = [secondsOf(pid), secondsOf(postmaster)].map(
    (end, i) => ((end - (start[i] ?? 0)) / times.length) * 1_000,
  ) as [number, number];
  const sorted = times.toSorted((a, b) => a - b);
  const at = (q: number) => round(sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0);
  return {
    rps: Math.round(times.length / seconds),
    p50: at(0.5),
    p95: at(0.95),
    p99: at(0.99),
    cpu: round(cpu, 3),
    postgres: round(postgres, 3),
    refused: Object.values(refused).reduce((a, b) => a + b, 0),
  };
};

/** Measures each case with each server, by turns. */
export const measureInTurns = async (input: {
  readonly runners: readonly Runner[];
  readonly names: readonly string[];
  readonly rounds: number;
  readonly postmaster: number;
  reset(): Promise<void>;
}): Promise<Turns> => {
  const results = new Map<string, Figures[]>();
  const found = (of: string, runner: string): Figures[] => {
    const key = `${of} ${runner}`;
    const known = results.get(key) ?? [];
    results.set(key, known);
    return known;
  };
  const loads: number[] = [];
  // A round before the first is not counted, because the servers still compile their code then.
  for (let nth = 0; nth <= input.rounds; nth++) {
    await input.reset();
    for (const name of input.names) {
      // The servers take turns, and take turns in going first.
      for (const { name: runner, pid, cases } of nth % 2 === 1 ? input.runners : input.runners.toReversed()) {
        const one = cases.find((some) => some.name === name);
        if (one === undefined) throw new Error(`no case ${name}`);
        const figures = await measure(one, pid, input.postmaster);
        if (nth > 0) found(name, runner).push(figures);
        console.log(nth, name.padEnd(18), runner.padEnd(11), JSON.stringify(figures));
      }
      loads.push(loadavg()[0] ?? 0);
    }
  }
  return {
    rounds: found,
    figures: (of, runner) => {
      const all = found(of, runner);
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
    },
    load: round(median(loads), 1),
  };
};
