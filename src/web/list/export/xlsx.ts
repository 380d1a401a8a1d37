import { writeXlsx } from "hucre/xlsx";
import { getZone, localTimeAt } from "../../../core/expression/values/calendar.ts";
import type { FieldJson } from "../../../core/wire/entities.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { RecordJson } from "../../../core/wire/records.ts";
import { toUtcDate } from "../../format/dates.ts";
import type { Show } from "../../format/format.ts";
import { isMoney } from "../../format/value-shapes.ts";

/** Language and time zone of a spreadsheet. */
interface SheetWords {
  readonly show: Show;
  readonly locale: string;
  readonly timezone: string;
}

export type Cell = string | number | boolean | Date | null;

/** Precision of spreadsheets; longer numbers stay text. */
const DIGITS = 15;

const parseExactNumber = (wire: string | number): number | null =>
  String(wire).replace(/^-?0*\.?0*|\./gu, "").length <= DIGITS ? Number(wire) : null;

/** Spreadsheets believe that 1900 was a leap year, so earlier dates are off by one. */
const FIRST_DAY = "1900-03-01";

const DAY = 86_400_000;

/** Numbers, dates and times keep their types for further calculation. */
export const buildCell = (field: FieldJson, value: Json | undefined, { show, timezone }: SheetWords): Cell => {
  if (value === null || value === undefined) return null;
  const words = () => show.value(field, value, false);
  if (Array.isArray(value)) return words();
  if (typeof value === "boolean") return value;
  if (isMoney(value)) return parseExactNumber(value.amount) ?? words();
  const text = String(value);
  switch (field.type) {
    case "integer":
    case "decimal":
    case "position":
      return parseExactNumber(text) ?? words();
    case "date":
      return text < FIRST_DAY ? words() : toUtcDate(text);
    case "datetime": {
      const shown = localTimeAt(text, getZone(timezone));
      return shown < FIRST_DAY ? words() : new Date(`${shown.replace(" ", "T")}Z`);
    }
    case "time":
      return Date.parse(`1970-01-01T${text}Z`) / DAY;
    case "text":
    case "long text":
    case "rich text":
    case "money":
    case "boolean":
    case "duration":
    case "choice":
    case "email":
    case "url":
    case "phone":
    case "file":
    case "image":
    case "json":
    case "sequence":
    case "integer sequence":
    case "slug":
    case "reference":
    case "state":
      return words();
  }
};

/** A number format with the currency symbol, placed as in the reader's language. */
const moneyFormat = (currency: string, locale: string): string => {
  const format = new Intl.NumberFormat(locale, { style: "currency", currency });
  const places = format.resolvedOptions().maximumFractionDigits ?? 2;
  const number = `#,##0${places === 0 ? "" : `.${"0".repeat(places)}`}`;
  const parts = format.formatToParts(1);
  const sign = `"${(parts.find(({ type }) => type === "currency")?.value ?? currency).replaceAll('"', "")}"`;
  const isFirst =
    parts.findIndex(({ type }) => type === "currency") < parts.findIndex(({ type }) => type === "integer");
  return isFirst ? `${sign}${number}` : `${number} ${sign}`;
};

const getCellFormat = ({ type, currency, many }: FieldJson, locale: string): { readonly numFmt?: string } => {
  if (many) return {};
  if (type === "money" && currency !== undefined) return { numFmt: moneyFormat(currency, locale) };
  if (type === "date") return { numFmt: "yyyy-mm-dd" };
  if (type === "datetime") return { numFmt: "yyyy-mm-dd hh:mm" };
  return type === "time" ? { numFmt: "hh:mm" } : {};
};

/** Sheet names exclude these characters and have at most 31. */
const sheetName = (title: string): string => title.replace(/[\\/?*[\]:]/gu, " ").slice(0, 31) || "Sheet";

interface XlsxColumn {
  readonly header: string;
  readonly numFmt?: string;
}

/** A column for the values of a field. */
export const getColumn = (field: FieldJson, locale: string): XlsxColumn => ({
  header: field.unit ? `${field.label} (${field.unit})` : field.label,
  ...getCellFormat(field, locale),
});

/** An XLSX file with one sheet and a header row. `frozen`: the columns that stay while the others scroll. */
export const buildSheet = async (
  title: string,
  columns: readonly XlsxColumn[],
  lines: readonly (readonly Cell[])[],
  frozen = 0,
): Promise<BlobPart> => {
  const content = await writeXlsx({
    sheets: [
      {
        name: sheetName(title),
        columns: columns.map((column, at) => ({ ...column, key: String(at), width: 20 })),
        data: lines.map((line) => Object.fromEntries(line.map((cell, at) => [String(at), cell]))),
        ...(frozen === 0 ? {} : { freezePane: { rows: 1, columns: frozen } }),
      },
    ],
  });
  return content as Uint8Array<ArrayBuffer>;
};

/** Records as an XLSX file. */
export const buildSpreadsheet = (
  title: string,
  columns: readonly FieldJson[],
  records: readonly RecordJson[],
  words: SheetWords,
): Promise<BlobPart> =>
  buildSheet(
    title,
    columns.map((field) => getColumn(field, words.locale)),
    records.map((record) => columns.map((field) => buildCell(field, record[field.name] as Json | undefined, words))),
  );
