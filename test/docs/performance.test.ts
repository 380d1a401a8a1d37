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

interface PeerCase {
  readonly case: string;
  readonly rate: { readonly ninefold: number; readonly byhand: number };
  readonly ninefold: Figures;
  readonly byhand: Figures;
  readonly postgraphile: Figures;
}

interface Draft {
  readonly findings: Readonly<Record<string, number>>;
  /** A line about each list: “Film: 1000 rows, 1000 added, 0 refused.” */
  readonly rows?: readonly string[];
  readonly author?: Readonly<Record<"clauses" | "kept" | "changed" | "added", number>>;
}

const peers = JSON.parse(textOf("docs/evidence/peers.json")) as { readonly results: readonly PeerCase[] };
const { results } = JSON.parse(textOf("docs/evidence/api.json")) as { readonly results: readonly Case[] };

const inMicroseconds = (milliseconds: number): string => String(Math.round(milliseconds * 1_000));

/** Those of the server and of Postgres. */
const microsecondsOf = ({ cpu, postgres }: Figures): string => `${inMicroseconds(cpu)} + ${inMicroseconds(postgres)}`;

/** The processor time by hand, the server's and Postgres's, divided by ours: less than 1 is slower. */
const compareTime = ({ ninefold, byhand }: Case): number =>
  (byhand.cpu + byhand.postgres) / (ninefold.cpu + ninefold.postgres);

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

test("the page about performance has the figures of the last comparisons with the application by hand and with PostGraphile", async () => {
  const rows = results.map((one) => [
    one.case,
    one.ratio.toFixed(2),
    compareTime(one).toFixed(2),
    ...[one.ninefold, one.byhand].map(microsecondsOf),
  ]);
  const [ratios, times] = [results.map(({ ratio }) => ratio), results.map(compareTime)];
  const summary = (name: string, of: (values: readonly number[]) => number) => [
    name,
    of(ratios).toFixed(2),
    of(times).toFixed(2),
    "",
    "",
  ];
  const withApi = withTable(
    textOf("docs/performance.md"),
    "api",
    ["Case", "Rate", "Processor time", "Ninefold, µs", "By hand, µs"],
    [...rows, summary("median", median), summary("slowest", (values) => Math.min(...values))],
  );
  const rates = (of: "ninefold" | "byhand") => peers.results.map(({ rate }) => rate[of]);
  await expect(
    withTable(
      withApi,
      "peers",
      ["Case", "Rate of Ninefold", "Rate by hand", "Ninefold, µs", "By hand, µs", "PostGraphile, µs"],
      [
        ...peers.results.map((one) => [
          one.case,
          one.rate.ninefold.toFixed(2),
          one.rate.byhand.toFixed(2),
          ...[one.ninefold, one.byhand, one.postgraphile].map(microsecondsOf),
        ]),
        ["median", median(rates("ninefold")).toFixed(2), median(rates("byhand")).toFixed(2), "", "", ""],
      ],
    ),
  ).toMatchFileSnapshot("../../docs/performance.md");
});

test("the page about performance has the figures of the last drafts", () => {
  const { drafts } = JSON.parse(textOf("docs/evidence/drafts.json")) as { readonly drafts: readonly Draft[] };
  const count = (numbers: readonly number[]): string =>
    numbers.reduce((sum, number) => sum + number, 0).toLocaleString("en");
  const lists = drafts.flatMap(({ rows = [] }) =>
    rows.flatMap((line) => {
      const [, sent, added] = /: (\d+) rows, (\d+) added, /u.exec(line) ?? [];
      return sent === undefined ? [] : [{ sent: Number(sent), added: Number(added) }];
    }),
  );
  const judged = drafts.flatMap(({ author }) => author ?? []);
  const all = (name: keyof (typeof judged)[number]): string => count(judged.map((author) => author[name]));
  expect(drafts.flatMap(({ findings }) => Object.keys(findings))).toEqual([]);
  expect(judged.filter(({ clauses, kept, changed }) => clauses !== kept + changed)).toEqual([]);
  const [sent, added] = [count(lists.map((list) => list.sent)), count(lists.map((list) => list.added))];
  const clauses = `Of ${all("clauses")} clauses in ${judged.length} drafts, an author keeps ${all("kept")}, changes ${all("changed")} and adds ${all("added")}`;
  expect(textOf("docs/performance.md")).toContain(
    `${drafts.length} public data sets, no draft with a finding beyond its open points, and ${added} of ${sent} rows imported. ${clauses}`,
  );
});

test("the page about performance has the figures of the last run in a browser", () => {
  const web = JSON.parse(textOf("docs/evidence/web.json")) as WebRun;
  const { firstList, firstRow, record, typing, scrolled, allRows } = web;
  const seconds = (milliseconds: number, digits: number) => (milliseconds / 1000).toFixed(digits);
  const [wheel, bar] = scrolled.map(
    ({ framesPerSecond, processor }) => [framesPerSecond.toFixed(0), processor.toFixed(0)] as const,
  );
  expect(textOf("docs/performance.md")).toContain(
    `the first list needed ${firstList.script.toFixed(0)} kB of script; its first row was painted after ${seconds(firstRow.fast, 2)} s, or after ${seconds(firstRow.slow, 1)} s over 1.6 Mbit/s with a processor four times slower. A record opened ${record.median} ms after its row was pressed (${record.first} ms the first time). The slowest key took ${typing.form.most} ms in a form and ${typing.search.most} ms in a search. Scrolling by 100 pixels a frame, as with a wheel, was drawn at ${wheel?.[0]} frames a second with ${wheel?.[1]} ms of the page's processor time for each; by 600, as with a scroll bar, at ${bar?.[0]} with ${bar?.[1]} ms. While ${allRows.rows.toLocaleString("en")} rows were scrolled, the page never held more than ${allRows.nodes.toLocaleString("en")} nodes, and it never jumped`,
  );
  expect(scrolled.map(({ jumps }) => jumps)).toEqual([0, 0]);
});

/** The parts of docs/evidence/web.json that the page quotes. */
interface WebRun {
  readonly firstList: { readonly script: number };
  readonly firstRow: { readonly fast: number; readonly slow: number };
  readonly record: { readonly median: number; readonly first: number };
  readonly typing: Readonly<Record<"form" | "search", { readonly most: number }>>;
  readonly scrolled: readonly {
    readonly framesPerSecond: number;
    readonly processor: number;
    readonly jumps: number;
  }[];
  readonly allRows: { readonly rows: number; readonly nodes: number };
}
