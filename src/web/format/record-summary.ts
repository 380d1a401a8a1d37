import type { FieldJson } from "../../core/wire/entities.ts";
import type { RecordJson } from "../../core/wire/records.ts";
import type { Span } from "./date-range-fields.ts";
import type { Show } from "./format.ts";
import { valueIn } from "./record-values.ts";

/** What is said of a record by one of its fields, or by two days or moments together. */
export interface FewWords {
  readonly field: FieldJson;
  readonly shown: string;
}

const isFigure = ({ type }: FieldJson): boolean => type === "integer" || type === "decimal";

/** Whether somebody who reads two of these would not know which is which. */
const isAlike = (one: FieldJson, other: FieldJson): boolean => one.type === other.type && one.entity === other.entity;

/**
 * What fields say of a record where no heads of columns stand above them. A yes says what it is about and a no nothing, as a
 * nought does; a figure, a day, and two of a kind say what they are of; what lies between two days or moments is one span.
 */
export const fewWords = (
  fields: readonly FieldJson[],
  record: RecordJson,
  show: Show,
  span: Span | null,
): readonly FewWords[] => {
  const said = (field: FieldJson): { readonly words: string; readonly labelled: boolean } | null => {
    const value = valueIn(record, field.name);
    if (field.type === "boolean") return value === true ? { words: field.label, labelled: false } : null;
    if (isFigure(field) && Number(value) === 0) return null;
    const isDay = field.type === "date" && typeof value === "string";
    const words = isDay ? show.shortDate(value) : show.value(field, value);
    if (words === null) return null;
    return { words, labelled: isDay || (isFigure(field) && !field.unit) };
  };
  const [first, last] = span === null ? [] : [valueIn(record, span.from), valueIn(record, span.to)];
  const isWhole =
    typeof first === "string" &&
    typeof last === "string" &&
    first <= last &&
    fields.some(({ name }) => name === span?.to);
  const all = fields.flatMap((field) => {
    const one = said(field);
    return one === null ? [] : [{ field, ...one }];
  });
  return all.flatMap(({ field, words, labelled }): readonly FewWords[] => {
    if (isWhole && field.name === span?.from)
      return [{ field, shown: field.type === "datetime" ? show.moments(first, last) : show.shortDays(first, last) }];
    if (isWhole && field.name === span?.to && all.some((one) => one.field.name === span.from)) return [];
    const twice = field.type === "reference" && all.some((one) => one.field !== field && isAlike(one.field, field));
    return [{ field, shown: labelled || twice ? `${field.label}: ${words}` : words }];
  });
};
