import { describe, expect, test } from "vitest";
import { type ColumnFormat, ColumnScan, settleFormats } from "../../src/core/import/column-format.ts";
import { findFirstSteps } from "../../src/core/import/find-way.ts";
import { AdjustmentGroups } from "../../src/core/import/group-adjustments.ts";
import { RefusalGroups } from "../../src/core/import/group-refusals.ts";
import { matchHeaders } from "../../src/core/import/map-columns.ts";
import { type NamedRow, orderRows } from "../../src/core/import/order-rows.ts";
import { buildCellReader } from "../../src/core/import/read-cell.ts";
import { isOnOtherDay } from "../../src/core/import/read-date.ts";
import type { Transition } from "../../src/core/model/entity.ts";
import type { Field } from "../../src/core/model/field.ts";
import type { Model } from "../../src/core/model/model.ts";

const formatOf = (...values: string[]): ColumnFormat => {
  const scan = new ColumnScan();
  for (const value of values) scan.add(value);
  return scan.format;
};

const model = {
  locale: "en",
  timezone: "Europe/Berlin",
  translations: new Map([["de", new Map([["Due day", { text: "Fällig am" }]])]]),
} as unknown as Model;

const field = (type: string, more: object = {}): Field =>
  ({
    name: "due_day",
    title: "Due day",
    type,
    many: false,
    currency: "EUR",
    values: [],
    entity: null,
    ...more,
  }) as unknown as Field;

const none: ColumnFormat = { days: null, decimal: null };

describe("the values of a column show how they are written", () => {
  test.each([
    [["31.12.2025", "01.02.2026"], "dmy"],
    [["01.02.2026", "03.04.2026"], "dmy"],
    [["12/31/2025", "01/02/2026"], "mdy"],
    [["01/02/2026", "03/04/2026"], "ask"],
    [["31/12/2025", "12/31/2025"], "mixed"],
    [["2025/12/31"], "ymd"],
    [["2025-12-31", "words"], null],
  ])("dates %j are in the order %s", (values, order) => expect(formatOf(...values).days).toBe(order));

  test.each([
    [["1.234,50", "3"], ","],
    [["1,234.50"], "."],
    [["12,5"], ","],
    [["1,234"], "ask"],
    [["1,234,567"], "."],
    [["1.5", "2,5"], "mixed"],
    [["12", "13"], null],
    [["1.5", "2.25", "1,5 kg"], "."],
    [["1,50 €", "EUR 2,25", "3.5 pieces"], ","],
  ])("numbers %j have the sign %s", (values, sign) => expect(formatOf(...values).decimal).toBe(sign));

  test("a column that fits two ways follows the others of its file", () => {
    const [first, second] = settleFormats([
      { days: "ask", decimal: "ask" },
      { days: "mdy", decimal: "." },
    ]);
    expect([first, second]).toEqual([
      { days: "mdy", decimal: "." },
      { days: "mdy", decimal: "." },
    ]);
  });
});

describe("cells become values as a request has them", () => {
  const readCell = (type: string, text: string, format: Partial<ColumnFormat> = {}, more: object = {}) =>
    buildCellReader(model, field(type, more), { ...none, ...format })(text);
  const read = (...of: Parameters<typeof readCell>) => readCell(...of).value;

  test.each([
    ["date", "31.12.2025", { days: "dmy" }, "2025-12-31"],
    ["date", "12/31/25", { days: "mdy" }, "2025-12-31"],
    ["date", "31/12/2025", { days: "mdy" }, "31/12/2025"],
    ["date", "03/04/2025", { days: "mixed" }, "03/04/2025"],
    ["date", "03/04/2025", { days: "mixed", otherDays: "dmy" }, "2025-04-03"],
    ["date", "12/31/2025", { days: "mixed", otherDays: "dmy" }, "2025-12-31"],
    ["date", "3. März 2026", {}, "2026-03-03"],
    ["date", "March 3, 2026", {}, "2026-03-03"],
    ["date", "2026-02-30", {}, "2026-02-30"],
    ["date", "soon", {}, "soon"],
    ["datetime", "2026-07-01T10:00:00", {}, "2026-07-01T08:00:00.000Z"],
    ["datetime", "01.12.2026 10:30", { days: "dmy" }, "2026-12-01T09:30:00.000Z"],
    ["datetime", "2026-07-01T10:00:00Z", {}, "2026-07-01T10:00:00Z"],
    ["time", "2:30 pm", {}, "14:30:00"],
    ["integer", "1.234", { decimal: "," }, "1234"],
    ["integer", "1,234", { decimal: "." }, "1234"],
    ["integer", "12.0", {}, "12"],
    ["decimal", "-1.234,5", { decimal: "," }, "-1234.5"],
    ["decimal", "(12.50)", { decimal: "." }, "-12.50"],
    ["decimal", "1,2,3", { decimal: "." }, "1,2,3"],
    ["decimal", "1,234", { decimal: "ask" }, "1,234"],
    ["money", "1.234,50 €", { decimal: "," }, { amount: "1234.50", currency: "EUR" }],
    ["money", "USD 5", {}, { amount: "5", currency: "USD" }],
    ["money", "$5", {}, { amount: "5", currency: "$" }],
    ["date", "2026-07-01 00:00:00", {}, "2026-07-01"],
    ["date", "2026-07-01T23:30:00Z", {}, "2026-07-01T23:30:00Z"],
    ["boolean", "Ja", {}, true],
    ["boolean", "perhaps", {}, "perhaps"],
    ["text", "00012", {}, "00012"],
    ["duration", "2 weeks", {}, "2 weeks"],
    ["duration", "P1M14D", {}, "P1M14D"],
    ["duration", "36:30:00", {}, "PT36H30M"],
    ["duration", "1 month, 14 days", {}, "P1M14D"],
    ["duration", "1 Monat, 14 Tage", {}, "P1M14D"],
    ["duration", "1,5 Std.", {}, "PT1H30M"],
    ["duration", "1,500 hours", {}, "1,500 hours"],
    ["duration", "soon", {}, "soon"],
  ] as const)("%s: %s in %j", (type, text, format, value) => expect(read(type, text, format)).toEqual(value));

  test("an amount with the sign of its currency is read", () => {
    expect(read("money", "$5", {}, { currency: "AUD" })).toEqual({ amount: "5", currency: "AUD" });
    expect(read("money", "¥500", {}, { currency: "CNY" })).toEqual({ amount: "500", currency: "CNY" });
  });

  test.each([
    ["money", "12.3456", {}, "12.35", "12.35"],
    ["money", "12.345", {}, "12.35", "12.35"],
    ["money", "-12.345", {}, "-12.35", "-12.35"],
    ["money", "12,3456", { decimal: "," }, "12.35", "12,35"],
    ["money", "-0.001", {}, "0", "0"],
    ["decimal", "0.666666666666667", {}, "0.6666666667", "0.6666666667"],
    // A thousand that is written with a point, in a file whose other columns have decimals.
    ["money", "1.200", { decimal: "." }, "1.2", "1.2"],
    ["integer", "1.000", { decimal: "." }, "1", "1"],
  ] as const)("%s: %s in %j is rounded to %s, with a remark", (type, text, format, value, to) =>
    expect(readCell(type, text, format)).toEqual({ value, adjustments: [{ kind: "rounded", from: text, to }] }),
  );

  test.each([
    ["money", "0.30000000000000004", "0.3"],
    ["money", "1234.4999999999998", "1234.5"],
    ["decimal", "0.000000000000000055511151231", "0"],
    ["decimal", "2.0358583709999998", "2.035858371"],
    ["integer", "2.9999999999999996", "3"],
  ])("%s: %s loses its binary residue without a remark", (type, text, value) =>
    expect(readCell(type, text)).toEqual({ value, adjustments: [] }),
  );

  test("half a piece is not rounded to a whole number", () => {
    expect(readCell("integer", "2.5")).toEqual({ value: "2.5", adjustments: [] });
  });

  test.each([
    ["2026-07-01 14:30", "2026-07-01"],
    ["01.07.2026 2:30 pm", "2026-07-01"],
    ["2026-07-01T10:00:00.000Z", "2026-07-01"],
    ["2026-07-01T23:30:00+02:00", "2026-07-01"],
  ])("the time of %s is left out of a date, with a remark", (text, value) =>
    expect(readCell("date", text, { days: "dmy" })).toEqual({
      value,
      adjustments: [{ kind: "without time", from: text, to: value }],
    }),
  );

  test.each(["2026-07-01T00:00:00Z", "2026-07-01T00:00:00.000-05:00", "2026-07-01 00:00"])(
    "the midnight %s is a date",
    (text) => expect(readCell("date", text)).toEqual({ value: "2026-07-01", adjustments: [] }),
  );

  test.each(["2026-07-01T22:00:00Z", "2026-07-01 01:00:00+05"])("the day of %s in Berlin is another one", (text) =>
    expect(readCell("date", text)).toEqual({ value: text, adjustments: [] }),
  );

  test.each(["2026-07-01 20:00-24:00", "2026-07-01 14:00-16:00", "2026-07-01T10:00:00+99", "2026-07-01 10:00 -12:75"])(
    "%s has no time zone and stays a text",
    (text) => {
      expect(readCell("date", text)).toEqual({ value: text, adjustments: [] });
      expect(isOnOtherDay(text, none, model.timezone)).toBe(false);
    },
  );

  test("choices are read by name and title, and several values by semicolons", () => {
    const values = { values: ["in_progress", "done"], many: true };
    expect(read("choice", "In progress; done", {}, values)).toEqual(["in_progress", "done"]);
    expect(read("choice", "In-progress", {}, values)).toEqual(["in_progress"]);
  });
});

test("columns are matched by name, title, translation, and without their unit or entity; no field twice", () => {
  const fields = [
    field("date"),
    field("money", { name: "amount", title: "Amount" }),
    field("reference", { name: "customer", title: "Customer", entity: "Customer" }),
    field("text", { name: "number", title: "Number" }),
  ];
  const entity = { name: "Invoice", called: { one: "invoice", many: "invoices" } };
  const headers = ["Fällig am", "due_day", "Amount (EUR)", "customer_id", "Invoice number", "Nothing"];
  expect(matchHeaders(model, entity, fields, headers)).toEqual([
    "due_day",
    undefined,
    "amount",
    "customer",
    "number",
    undefined,
  ]);
});

test("refusals are grouped by clause, whatever their number", () => {
  const groups = new RefusalGroups();
  for (let row = 2; row < 1_002; row++)
    groups.add({
      row,
      errors: [{ code: "TAKEN", clause: "3.T.n", field: "n", message: `${row} is taken`, value: `${row}` }],
    });
  const [only] = groups.all;
  expect(groups.all).toHaveLength(1);
  expect(only).toMatchObject({ count: 1_000, differs: true, message: "2 is taken", values: ["2", "3", "4", "5", "6"] });
  expect(only?.rows).toHaveLength(50);
});

test("changed cells are grouped by field, and their number is that of the rows", () => {
  const groups = new AdjustmentGroups();
  for (let row = 2; row < 1_002; row++)
    groups.add({ row, field: "price", adjustments: [{ kind: "rounded", from: `${row}.005`, to: `${row}.01` }] });
  const [only] = new AdjustmentGroups(groups.all).all;
  expect(only).toMatchObject({ field: "price", kind: "rounded", count: 1_000 });
  expect([only?.rows.length, only?.examples.length, only?.examples[0]]).toEqual([50, 5, { from: "2.005", to: "2.01" }]);
});

describe("rows that name each other", () => {
  const row = (number: number, key: string, ...names: string[]): NamedRow => ({ row: number, keys: [key], names });

  test("each comes after those that it names, otherwise in the order of the file", () => {
    const { order, circles } = orderRows([row(2, "c", "b"), row(3, "x", "a"), row(4, "a"), row(5, "b", "a", "x")]);
    expect(order).toEqual([4, 3, 5, 2]);
    expect(circles.size).toBe(0);
  });

  test("circles are found, and rows that only lead to one are not in it", () => {
    const { circles } = orderRows([row(2, "a", "b"), row(3, "b", "a"), row(4, "c", "a"), row(5, "d", "d")]);
    expect([...circles]).toEqual([
      [2, [2, 3]],
      [3, [2, 3]],
      [5, [5]],
    ]);
  });

  test("long chains do not overflow the stack", () => {
    const rows = Array.from({ length: 20_000 }, (_, at) => row(at, `${at}`, `${at + 1}`));
    expect(orderRows(rows).order[0]).toBe(19_999);
  });
});

test("the first transitions of the shortest ways to a state, in document order", () => {
  const move = (name: string, from: string[], to: string) => ({ name, from, to: [to] }) as unknown as Transition;
  const all = [
    move("detour", ["draft"], "held"),
    move("submit", ["draft"], "sent"),
    move("resubmit", ["draft", "held"], "sent"),
    move("approve", ["sent"], "approved"),
  ];
  const names = (from: string | undefined, to: string) => findFirstSteps(all, from, to).map(({ name }) => name);
  expect(names("draft", "approved")).toEqual(["submit", "resubmit"]);
  expect(names("held", "approved")).toEqual(["resubmit"]);
  expect(names("approved", "draft")).toEqual([]);
  expect(names(undefined, "approved")).toEqual(["approve"]);
});
