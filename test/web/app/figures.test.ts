import { describe, expect, test } from "vitest";
import { keepsTarget, targetTextOf } from "../../../src/core/derive/client/measured-values.ts";
import { chooseTicks } from "../../../src/web/dashboard/chart/chart-values.ts";
import { changeBetween } from "../../../src/web/dashboard/chart/figures.ts";
import { isWidePivot, layTiles } from "../../../src/web/dashboard/tile-layout.ts";
import { countButtonsBesideMenu, divideTileLines } from "../../../src/web/dashboard/tile-lines.ts";
import { field, loan } from "../lending.ts";

describe("a figure compared with another one", () => {
  test.each([
    ["sum", "200", "250", 0.25],
    ["sum", "-200", "-100", 0.5],
    ["share", "80", "75.5", -4.5],
    ["sum", "0", "5", null],
    ["avg", null, "5", null],
    ["avg", "5", null, null],
  ] as const)("%s: from %s to %s", (how, before, now, change) => expect(changeBetween(how, before, now)).toBe(change));
});

describe("a target", () => {
  test.each([
    ["at least", "90", true, "target.least.kept"],
    ["at least", "89.9", false, "target.least.missed"],
    ["at most", "90", true, "target.most.kept"],
    ["at most", "90.1", false, "target.most.missed"],
    ["at most", null, null, "target.most"],
  ] as const)("%s 90: %s", (bound, value, kept, words) => {
    const target = { bound, value: "90" };
    expect(keepsTarget(value, target)).toBe(kept);
    expect(targetTextOf(target, kept)).toBe(words);
  });
});

test.each([
  [[7], [0, 5, 10]],
  [[1], [0, 1]],
  [
    [4, 2],
    [0, 2, 4],
  ],
  [
    [0, 0],
    [0, 1],
  ],
  [
    [0.5, 0.7],
    [0, 0.25, 0.5, 0.75],
  ],
  [
    [-3, 6],
    [-5, 0, 5, 10],
  ],
])("the axis of a chart of %j has the marks %j: half a ticket does not exist", (values, marks) =>
  expect(chooseTicks(values)).toEqual(marks),
);

describe("tiles", () => {
  const [count, figure, list, chart] = (["count", "figure", "list", "chart"] as const).map((kind) => ({ kind })) as [
    { kind: "count" },
    { kind: "figure" },
    { kind: "list" },
    { kind: "chart" },
  ];

  test("go below the shorter of two columns, and figures that follow each other share a line", () =>
    expect(layTiles([list, count, figure, list, list], 2)).toEqual([
      { width: "half", lines: [[0], [4]] },
      { width: "half", lines: [[1, 2], [3]] },
    ]));

  test("are read from left to right if all have the same size", () =>
    expect(layTiles([list, chart, list, chart], 2)).toEqual([
      { width: "half", lines: [[0], [2]] },
      { width: "half", lines: [[1], [3]] },
    ]));

  test("have a row for three or more figures, and the whole width if they are alone", () =>
    expect(layTiles([chart, count, count, count, count, count, list], 2)).toEqual([
      { width: "full", lines: [[0]] },
      {
        width: "full",
        lines: [
          [1, 2, 3],
          [4, 5],
        ],
      },
      { width: "full", lines: [[6]] },
    ]));

  test("above something wide, a chart that one column has more than the other spans both", () => {
    const wide = { kind: "pivot", isWide: true } as const;
    expect(layTiles([list, list, chart, wide], 2)).toEqual([
      { width: "half", lines: [[0]] },
      { width: "half", lines: [[1]] },
      { width: "full", lines: [[2]] },
      { width: "full", lines: [[3]] },
    ]);
    expect(layTiles([list, chart, wide], 2).map(({ width }) => width)).toEqual(["half", "half", "full"]);
    expect(layTiles([list, list, chart], 2).map(({ width }) => width)).toEqual(["half", "half"]);
  });

  test("follow each other in one column", () =>
    expect(layTiles([list, count, count, list], 1)).toEqual([{ width: "full", lines: [[0], [1, 2], [3]] }]));

  test.each([
    ["kind", null, false],
    ["kind", "cost", true],
    ["from_day", null, true],
    ["quarter_of(from_day)", null, true],
  ] as const)("a pivot by %s of %s is wide: %s", (columns, sum, isWide) => {
    const kinds = ["a", "b", "c", "d", "e", "f"].map((value) => ({ value, label: value }));
    const entity = {
      ...loan,
      fields: [
        field("thing", "reference", { filters: "values" }),
        field("kind", "choice", { filters: "values", values: kinds }),
        field("from_day", "date", { filters: "range" }),
        field("cost", "money"),
      ],
    };
    const tile = {
      title: "",
      clause: "",
      entity: "Loan",
      list: null,
      kind: "pivot",
      rows: "thing",
      columns,
      sum,
    } as const;
    expect(isWidePivot(tile, entity)).toBe(isWide);
  });
});

describe("the rows of a tile", () => {
  const cells = [field("purpose", "text"), field("number", "sequence"), field("requester", "reference")];
  const divide = (label: string, width: number, roles: readonly string[] = ["finance"], several = {}) => {
    const by = [{ role: "finance" }];
    const own = { name: "approve", label, from: ["asked"], to: ["approved"], asks: [], by, clause: "" };
    const transition = { ...own, ...several };
    const mark = { hue: "blue", shape: { kind: "dashed" }, ring: false } as const;
    const states = { field: "status", states: [{ name: "asked", label: "Asked", mark }], transitions: [transition] };
    return divideTileLines({ ...loan, states }, cells, { roles, everybody: [] }, width);
  };

  test("are lines of a table where names and the longest button fit, whatever is shown", () => {
    expect(divide("Approve", 700).twoLines).toBe(false);
    expect(divide("Approve", 560).twoLines).toBe(true);
    expect(divide("Approve", 560, []).twoLines).toBe(false);
  });

  test("give names room where the other values leave some", () => {
    expect(divide("Approve", 700).first).toBe("30%");
    expect(divide("Approve", 1_000).first).toBe("30%");
    expect(divide("Approve", 1_500).first).toBe("20%");
    // So that “1 of 2 people” is not cut off.
    const several = { needs: { count: 2, field: "approved_by", completion: "approve" } };
    expect(divide("Approve", 1_000, ["finance"], several).first).toBe("40%");
    expect(divide("Approve", 700, ["finance"], several).first).toBe("44%");
  });

  test("give names beside the first column a share, so that its text does not take their room", () => {
    const [first, ...others] = divide("Approve", 958).others;
    expect(first).toBeUndefined();
    expect(others.some((share) => share !== undefined && Number.parseInt(share, 10) >= 12)).toBe(true);
  });

  test("have a menu for the buttons that would take the room of the words", () => {
    const { actsRoom } = divide("Approve", 534);
    const count = (...labels: readonly string[]) => countButtonsBesideMenu(labels, actsRoom);
    expect(count("Approve…", "Decline…")).toBe(2);
    expect(count("Approve for finance…", "Decline…")).toBe(1);
    expect(count("Approve this request for finance, and order it at once…", "Decline…")).toBe(1);
    expect(count("Pass on…", "Decline…", "Approve")).toBe(2);
  });

  test("have no more buttons in a table than the cells leave room for", () => {
    const { twoLines, actsRoom } = divide("Approve", 700);
    expect([twoLines, countButtonsBesideMenu(["Approve…", "Decline…"], actsRoom)]).toEqual([false, 2]);
    expect(countButtonsBesideMenu(["Pass on to finance…", "Decline…", "Approve"], actsRoom)).toBeLessThan(3);
  });
});
