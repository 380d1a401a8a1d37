import { readXlsx } from "hucre/xlsx";
import { describe, expect, test } from "vitest";
import { grammar } from "../../../src/core/i18n/en/grammar.ts";
import { createSentences } from "../../../src/core/i18n/icu-message.ts";
import type { FieldJson, FieldTypeName } from "../../../src/core/wire/entities.ts";
import type { Json } from "../../../src/core/wire/json.ts";
import { createShow } from "../../../src/web/format/format.ts";
import type { Words } from "../../../src/web/i18n/words.tsx";
import { buildGroupsSheet, buildPivotSheet } from "../../../src/web/list/export/group-sheets.ts";
import { buildSpreadsheet } from "../../../src/web/list/export/xlsx.ts";
import { interfaceTexts as texts } from "../interface-texts.ts";

const field = (type: FieldTypeName, more: Partial<FieldJson> = {}): FieldJson => ({
  name: "f",
  label: "F",
  type,
  optional: true,
  automatic: false,
  filters: null,
  sorts: true,
  clause: "3.E.f",
  ...more,
});

/** The cell as a spreadsheet reads it, and its display. */
const cellOf = async (of: FieldJson, value: Json, locale = "de-DE", timezone = "Europe/Berlin") => {
  const show = createShow(locale, timezone, { yes: "Yes", no: "No" });
  const record = { id: "1", version: 1, f: value } as never;
  const content = await buildSpreadsheet("Sheet", [of], [record], { show, locale, timezone });
  const { sheets } = await readXlsx(content as Uint8Array<ArrayBuffer>, { readStyles: true });
  const [sheet] = sheets;
  const cell = sheet?.cells?.get("1,0");
  return [sheet?.rows[1]?.[0] ?? cell?.value, cell?.style?.numFmt];
};

describe("a spreadsheet has", () => {
  test.each([
    ["de-DE", "EUR", "1250.50", 1250.5, '#,##0.00 "€"'],
    ["en-US", "USD", "-3.10", -3.1, '"$"#,##0.00'],
    ["ja-JP", "JPY", "1200", 1200, '"￥"#,##0'],
  ])("money as a number with its currency (%s, %s)", async (locale, currency, amount, number, format) => {
    expect(await cellOf(field("money", { currency }), { amount, currency }, locale)).toEqual([number, format]);
  });

  test("numbers as numbers, or as text if a spreadsheet would round them", async () => {
    expect((await cellOf(field("integer"), 42))[0]).toBe(42);
    expect((await cellOf(field("decimal"), "0.000123"))[0]).toBe(0.000123);
    expect((await cellOf(field("decimal"), "12345678901234567890.5"))[0]).toMatch(/^12\.345\.678/u);
    expect(
      (await cellOf(field("money", { currency: "EUR" }), { amount: "99999999999999999.99", currency: "EUR" }))[0],
    ).toMatch(/€$/u);
  });

  test("dates and times as dates, in the document’s time zone", async () => {
    expect(await cellOf(field("date"), "2026-12-03")).toEqual([new Date("2026-12-03T00:00:00Z"), "yyyy-mm-dd"]);
    const moment = field("datetime");
    expect(await cellOf(moment, "2026-12-03T13:02:05.000Z")).toEqual([
      new Date("2026-12-03T14:02:05Z"),
      "yyyy-mm-dd hh:mm",
    ]);
    // The zone has another day, and another offset in summer.
    expect((await cellOf(moment, "2026-07-31T23:30:00.000Z"))[0]).toEqual(new Date("2026-08-01T01:30:00Z"));
    expect((await cellOf(moment, "2026-07-31T23:30:00.000Z", "en-US", "America/New_York"))[0]).toEqual(
      new Date("2026-07-31T19:30:00Z"),
    );
    expect(await cellOf(field("time"), "18:00:00")).toEqual([new Date("1899-12-31T18:00:00Z"), "hh:mm"]);
    expect((await cellOf(field("date"), "1899-12-31"))[0]).toBe("31. Dez. 1899");
  });

  test("text as text, even if it looks like a formula", async () => {
    expect((await cellOf(field("text"), "=1+1"))[0]).toBe("=1+1");
    expect((await cellOf(field("integer", { many: true }), [1, 2]))[0]).toMatch(/1.*2/u);
  });
});

const words: Words = {
  say: (id, values) => createSentences("en", grammar)(texts[id], values ?? {}).join(""),
  rich: () => null,
  show: createShow("en-GB", "Europe/Berlin", { yes: "Yes", no: "No" }),
  ...{ locale: "en-GB", timezone: "Europe/Berlin", language: { language: "en", grammar } },
};

describe("a spreadsheet of groups and of a pivot has their lines as they are shown", () => {
  const kind = field("choice", { name: "kind", label: "Kind", values: [{ value: "tool", label: "Tool" }] as never });
  const day = { ...field("date", { name: "day", label: "Day" }), step: "month" } as const;
  const price = field("money", { name: "price", label: "Price", currency: "EUR" });
  const entity = { name: "Item", one: "item", many: "items", fields: [kind, day, price] } as never;
  const figures = (count: number, sum: string) => ({ count, sums: { price: sum } });
  const read = async (content: BlobPart) => {
    const { sheets } = await readXlsx(content as Uint8Array<ArrayBuffer>);
    return sheets[0]?.rows;
  };

  test("a line for each innermost group, and the total", async () => {
    const groups = [
      {
        ...{ key: "tool", ...figures(3, "30.5") },
        groups: [
          { key: "2026-03-01", ...figures(1, "10.5") },
          { key: null, ...figures(2, "20") },
        ],
      },
    ];
    const all = { ...figures(3, "30.5"), groups, more: false };
    expect(await read(await buildGroupsSheet("Items", entity, [kind, day], [price], all, words))).toEqual([
      ["Kind", "Day", "Number of items", "Price"],
      ["Tool", "March 2026", 1, 10.5],
      ["Tool", "No Day", 2, 20],
      ["Total", null, 3, 30.5],
    ]);
  });

  test("rows, columns, others and totals", async () => {
    const pivot = {
      ...figures(6, "36.5"),
      rows: [
        { key: "tool", ...figures(3, "30.5") },
        { key: null, ...figures(3, "6"), others: 2 },
      ],
      columns: [
        { key: "2026-03-01", ...figures(4, "16.5") },
        { key: null, ...figures(2, "20") },
      ],
      cells: [
        [figures(1, "10.5"), figures(2, "20")],
        [figures(3, "6"), null],
      ],
    };
    expect(
      await read(await buildPivotSheet("Items", entity, { rows: kind, columns: day, sum: price }, pivot, words)),
    ).toEqual([
      ["Kind / Day: Sum of Price", "March 2026", "No Day", "Total"],
      ["Tool", 10.5, 20, 30.5],
      ["2 others", 6, null, 6],
      ["Total", 16.5, 20, 36.5],
    ]);
  });
});
