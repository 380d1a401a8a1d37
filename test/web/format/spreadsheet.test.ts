import { readXlsx } from "hucre/xlsx";
import { describe, expect, test } from "vitest";
import type { FieldJson, FieldTypeName } from "../../../src/core/wire/entities.ts";
import type { Json } from "../../../src/core/wire/json.ts";
import { createShow } from "../../../src/web/format/format.ts";
import { buildSpreadsheet } from "../../../src/web/list/xlsx.ts";

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
