import type { Case } from "./cases.ts";

/** Options of the benchmarks that measure servers by turns. `cases`: the cases that are measured unless others are chosen. */
export const roundOptions = (cases: string) =>
  ({
    keep: { type: "string" },
    rows: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "8" },
    connections: { type: "string", default: "32" },
    cases: { type: "string", default: cases },
    pages: { type: "string", default: "10" },
  }) as const;

type RoundOptions = { readonly [name in "rows" | "rounds" | "seconds" | "connections"]: string };

/** The measurement that the options ask for, as evidence records it. */
export const toMeasurement = ({ rows, rounds, seconds, connections }: RoundOptions) => ({
  requests: Number(rows),
  connections: Number(connections),
  seconds: Number(seconds),
  rounds: Number(rounds),
});

/** The names of the cases that `--cases` chooses. */
export const chooseNames = (cases: readonly Case[], pattern: string): readonly string[] =>
  cases.map(({ name }) => name).filter((name) => new RegExp(pattern, "u").test(name));
