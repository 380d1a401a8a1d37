import { type DateStep, lastOfPeriod, parseGroupKey } from "../../../core/model/facts/date-steps.ts";
import type { FieldJson } from "../../../core/wire/entities.ts";
import type { FiguresJson, PivotJson, PivotLineJson } from "../../../core/wire/groups.ts";
import type { Json } from "../../../core/wire/json.ts";
import type { PivotFieldsJson } from "../../../core/wire/screens.ts";
import type { PivotWords } from "../../mail/email-templates.ts";
import type { MailTable } from "../../mail/mail-body.ts";

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

/** "Nov 2026", "Jan – Mar 2026", "2026". */
export const formatPeriod = (language: string, first: string, step: DateStep): string => {
  const month = step === "year" ? {} : ({ month: "short" } as const);
  const format = new Intl.DateTimeFormat(language, { ...month, year: "numeric", timeZone: "UTC" });
  const toDate = (day: string) => new Date(`${day}T00:00:00Z`);
  return format.formatRange(toDate(first), toDate(lastOfPeriod(first, step)));
};

/** A pivot as a table of a mail. */
export const buildPivotTable = (
  { rows, columns, sum }: PivotFieldsJson,
  pivot: PivotJson,
  { words, language, fields, say, show, number }: PivotReader,
): MailTable => {
  const fieldNamed = (name: string) => fields.find((field) => field.name === name);
  const titleOf = (group: string): string => {
    const { field } = parseGroupKey(group);
    return say(fieldNamed(field)?.label ?? field);
  };
  const nameOf = (group: string, { key, label, others }: PivotLineJson): string => {
    const { field: name, step } = parseGroupKey(group);
    if (others !== undefined) return words.others(others);
    if (key === null) return words.none(titleOf(name));
    if (label !== undefined) return label;
    return fieldNamed(name)?.type === "date" ? formatPeriod(language, String(key), step ?? "month") : show(name, key);
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
