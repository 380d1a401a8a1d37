import { writeXlsx } from "hucre/xlsx";
import type { FieldJson, FieldTypeName } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { utcOf } from "./dates.ts";
import type { Show } from "./show.ts";

const numbers: readonly FieldTypeName[] = ["integer", "decimal"];

/** Figures stay figures and days stay days, so that one can go on working with them. */
const cellOf = (field: FieldJson, value: Json | undefined, show: Show): string | number | boolean | Date | null => {
  if (value === null || value === undefined) return null;
  if (Array.isArray(value)) return show.value(field, value, false);
  if (numbers.includes(field.type) && Number.isSafeInteger(Math.trunc(Number(value)))) return Number(value);
  if (field.type === "date") return utcOf(String(value));
  return typeof value === "boolean" ? value : show.value(field, value, false);
};

/** A sheet's name may not hold these, nor more than 31 characters. */
const sheetName = (title: string): string => title.replace(/[\\/?*[\]:]/gu, " ").slice(0, 31) || "Sheet";

/** Records as an XLSX file with a line of heads. */
export const spreadsheetOf = async (
  title: string,
  columns: readonly FieldJson[],
  records: readonly RecordJson[],
  show: Show,
): Promise<BlobPart> => {
  const rows = records.map((record) =>
    Object.fromEntries(
      columns.map((field) => [field.name, cellOf(field, record[field.name] as Json | undefined, show)]),
    ),
  );
  const content = await writeXlsx({
    sheets: [
      {
        name: sheetName(title),
        columns: columns.map((field) => ({
          header: field.unit ? `${field.label} (${field.unit})` : field.label,
          key: field.name,
          width: 20,
          ...(field.type === "date" ? { numFmt: "yyyy-mm-dd" } : {}),
        })),
        data: rows,
      },
    ],
  });
  return content as Uint8Array<ArrayBuffer>;
};
