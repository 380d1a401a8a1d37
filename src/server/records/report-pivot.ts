import type { FieldJson } from "../../core/wire/entities.ts";
import type { FiguresJson, PivotJson, PivotLineJson } from "../../core/wire/groups.ts";
import type { Json } from "../../core/wire/json.ts";
import type { PivotFieldsJson } from "../../core/wire/screens.ts";
import type { PivotWords } from "../mail/email-templates.ts";
import type { MailTable } from "../mail/mail-body.ts";

/** The words of a pivot in a mail. */
export interface PivotReader {
  readonly words: PivotWords;
  readonly language: string;
  readonly fields: readonly FieldJson[];
  readonly say: (text: string) => string;
  /** A value of a field in words. */
  readonly show: (field: string, value: Json) => string;
  readonly number: (value: number) => string;
}

/** A pivot as a table of a mail. */
export const buildPivotTable = (
  { rows, columns, sum }: PivotFieldsJson,
  pivot: PivotJson,
  { words, language, fields, say, show, number }: PivotReader,
): MailTable => {
  const fieldNamed = (name: string) => fields.find((field) => field.name === name);
  const titleOf = (name: string): string => say(fieldNamed(name)?.label ?? name);
  const month = new Intl.DateTimeFormat(language, { month: "short", year: "numeric", timeZone: "UTC" });
  const nameOf = (name: string, { key, label, others }: PivotLineJson): string => {
    if (others !== undefined) return words.others(others);
    if (key === null) return words.none(titleOf(name));
    if (label !== undefined) return label;
    return fieldNamed(name)?.type === "date" ? month.format(new Date(`${String(key)}T00:00:00Z`)) : show(name, key);
  };
  const currency = sum === null ? undefined : fieldNamed(sum)?.currency;
  const figureOf = (figures: FiguresJson | null): string => {
    if (figures === null) return "";
    if (sum === null) return number(figures.count);
    const amount = figures.sums[sum] ?? "0";
    return show(sum, currency === undefined ? amount : { amount, currency });
  };
  return {
    head: [
      `${titleOf(rows)} / ${titleOf(columns)}${sum === null ? "" : `: ${titleOf(sum)}`}`,
      ...pivot.columns.map((line) => nameOf(columns, line)),
      words.total,
    ],
    lines: [
      ...pivot.rows.map((line, at) => [nameOf(rows, line), ...(pivot.cells[at] ?? []).map(figureOf), figureOf(line)]),
      [words.total, ...pivot.columns.map(figureOf), figureOf(pivot)],
    ],
  };
};
