import type { EntityJson, FieldJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import { type DateRangeFields, findDateRangeFields } from "./date-range-fields.ts";
import { isDeadlineOver } from "./deadline.ts";
import type { Show } from "./format.ts";
import { getValue } from "./record-values.ts";

/** A short text for one field of a record, or for a range of two. */
export interface FieldSummary {
  readonly field: FieldJson;
  readonly shown: string;
  /** Without the label that `shown` begins with. */
  readonly bare?: string;
  /** It is an overdue deadline. */
  readonly late?: true;
  /** It is a deadline that is over. */
  readonly over?: true;
}

/** The column that names a record: the first, or the text after it if the first is the number of a series. */
export const splitTitle = (columns: readonly FieldJson[]) => {
  const [first, second] = columns;
  const isNumber = first?.type === "sequence" || first?.type === "integer sequence";
  return isNumber && second?.type === "text"
    ? { title: second, rest: [first, ...columns.slice(2)] }
    : { title: first, rest: columns.slice(1) };
};

const isFigure = ({ type }: FieldJson): boolean => type === "integer" || type === "decimal";

/** True if two values without labels could be confused. */
const isAlike = (one: FieldJson, other: FieldJson): boolean => one.type === other.type && one.entity === other.entity;

interface SummaryWords {
  /** A value with the label of its field: "Copies: 2", "Due on 7 Dec". */
  readonly nameValue: (field: FieldJson, words: string) => string;
  /** The words for a deadline; null for other values. */
  readonly deadlineOf?: (
    field: FieldJson,
  ) => { readonly words: string; readonly named: string; readonly late: boolean } | null;
}

/**
 * Short texts for fields without column headers. True shows the label, and false and a computed zero show nothing; numbers,
 * dates, and values that could be confused are labelled; the two ends of a range are one text.
 */
export const fewWords = (
  fields: readonly FieldJson[],
  record: RecordJson,
  show: Show,
  span: DateRangeFields | null,
  { nameValue, deadlineOf = () => null }: SummaryWords,
): readonly FieldSummary[] => {
  const summarize = (
    field: FieldJson,
  ): { readonly words: string; readonly labelled: boolean; readonly named?: string; readonly late?: true } | null => {
    const value = getValue(record, field.name);
    const deadline = deadlineOf(field);
    // “3 weeks overdue” needs no label, “tomorrow” does.
    if (deadline?.late) return { words: deadline.words, labelled: false, late: true };
    if (deadline) return { words: deadline.words, labelled: true, named: deadline.named };
    if (field.type === "boolean") return value === true ? { words: field.label, labelled: false } : null;
    // A computed zero, such as that of comments, says nothing; an entered one does: nothing is in stock.
    if (isFigure(field) && field.automatic && Number(value) === 0) return null;
    const isDay = field.type === "date" && typeof value === "string";
    const isMoment = field.type === "datetime" && typeof value === "string";
    const words = isDay ? show.shortDate(value) : isMoment ? show.moments(value, value) : show.value(field, value);
    if (words === null) return null;
    return { words, labelled: isDay || isMoment || (isFigure(field) && !field.unit) };
  };
  const [first, last] = span === null ? [] : [getValue(record, span.from), getValue(record, span.to)];
  const isWhole =
    typeof first === "string" &&
    typeof last === "string" &&
    first <= last &&
    fields.some(({ name }) => name === span?.to);
  const all = fields.flatMap((field) => {
    const one = summarize(field);
    return one === null ? [] : [{ field, ...one }];
  });
  return all.flatMap(({ field, words, labelled, named, late }): readonly FieldSummary[] => {
    if (isWhole && field.name === span?.from)
      return [{ field, shown: field.type === "datetime" ? show.moments(first, last) : show.shortDays(first, last) }];
    if (isWhole && field.name === span?.to && all.some((item) => item.field.name === span.from)) return [];
    const twice = field.type === "reference" && all.some((item) => item.field !== field && isAlike(item.field, field));
    const over = isDeadlineOver(field, record);
    return [
      {
        field,
        shown: labelled || twice ? (named ?? nameValue(field, words)) : words,
        ...((labelled || twice) && { bare: words }),
        ...(late && { late }),
        ...(over && { over }),
      },
    ];
  });
};

/** At most so many letters between the two days of a range: “ to ”, “ – ”. */
const BETWEEN = 5;

/**
 * The name of a record with its days as short as in lists: “Ines Duarte, 14 – 18 Dec” for “Ines Duarte, 14 Dec 2026 to 18 Dec
 * 2026”. Undefined if the record has none. Days that the record does not have stay as they are.
 */
export const shortenLabel = (entity: EntityJson, record: RecordJson, show: Show): string | undefined => {
  const { _label: label } = record;
  if (label == null) return undefined;
  const days = entity.fields.flatMap((field) => {
    const value = field.type === "date" ? getValue(record, field.name) : null;
    const long = typeof value === "string" ? show.value(field, value) : null;
    return typeof value === "string" && long !== null ? [{ name: field.name, value, long }] : [];
  });
  const range = findDateRangeFields(entity);
  const [from, to] = [days.find(({ name }) => name === range?.from), days.find(({ name }) => name === range?.to)];
  const begin = from === undefined ? -1 : label.indexOf(from.long);
  if (from !== undefined && to !== undefined && begin >= 0) {
    const after = begin + from.long.length;
    const end = label.indexOf(to.long, after);
    if (end >= after && end - after <= BETWEEN)
      return `${label.slice(0, begin)}${show.shortDays(from.value, to.value)}${label.slice(end + to.long.length)}`;
  }
  return days.reduce((words, { value, long }) => words.replace(long, show.shortDate(value)), label);
};
