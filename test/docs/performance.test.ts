import { expect, test } from "vitest";
import { textOf, withTable } from "./pages.ts";

/** Milliseconds of processor time per request. */
interface Figures {
  readonly cpu: number;
  readonly postgres: number;
}

interface Case {
  readonly case: string;
  readonly ratio: number;
  readonly ninefold: Figures;
  readonly byhand: Figures;
}

const { results } = JSON.parse(textOf("docs/evidence/api.json")) as { readonly results: readonly Case[] };

const inMicroseconds = (milliseconds: number): string => String(Math.round(milliseconds * 1_000));

/** The processor time by hand, the server's and Postgres's, divided by ours: less than 1 is slower. */
const compareTime = ({ ninefold, byhand }: Case): number =>
  (byhand.cpu + byhand.postgres) / (ninefold.cpu + ninefold.postgres);

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

test("the page about performance has the figures of the last comparison with the application by hand", async () => {
  const rows = results.map((one) => [
    one.case,
    one.ratio.toFixed(2),
    compareTime(one).toFixed(2),
    ...[one.ninefold, one.byhand].map(({ cpu, postgres }) => `${inMicroseconds(cpu)} + ${inMicroseconds(postgres)}`),
  ]);
  const [ratios, times] = [results.map(({ ratio }) => ratio), results.map(compareTime)];
  const summary = (name: string, of: (values: readonly number[]) => number) => [
    name,
    of(ratios).toFixed(2),
    of(times).toFixed(2),
    "",
    "",
  ];
  await expect(
    withTable(
      textOf("docs/performance.md"),
      "api",
      ["Case", "Rate", "Processor time", "Ninefold, µs", "By hand, µs"],
      [...rows, summary("median", median), summary("slowest", (values) => Math.min(...values))],
    ),
  ).toMatchFileSnapshot("../../docs/performance.md");
});
