import { toChoiceKey } from "../draft/names.ts";
import { readDuration } from "../expression/values/iso-duration.ts";
import { USUAL_CURRENCY } from "../field/money.ts";
import type { States } from "../model/entity.ts";
import type { Field } from "../model/field.ts";
import { toValueTitle } from "../model/inflection.ts";
import type { Model } from "../model/model.ts";
import type { Json } from "../wire/json.ts";
import { type CellValue, unchanged } from "./cell-value.ts";
import type { ColumnFormat } from "./column-format.ts";
import { inEachLanguage } from "./map-columns.ts";
import { readClockTime, readDateCell, readMoment } from "./read-date.ts";
import { readDurationText } from "./read-duration.ts";
import { readDecimalCell, readIntegerCell, readMoneyCell } from "./read-number.ts";

/**
 * Converts the text of a cell to JSON as in a request. A text that it cannot read stays unchanged, so that the request
 * is refused.
 */
export type CellReader = (text: string) => CellValue;

/** Splits several values in one cell. */
export const splitCell = (text: string): readonly string[] => text.split(/\s*[;\n]\s*/u).filter((part) => part !== "");

const yes: ReadonlySet<string> = new Set(["true", "yes", "y", "1", "x", "ja", "j", "oui", "o", "wahr", "vrai", "✓"]);
const no: ReadonlySet<string> = new Set(["false", "no", "n", "0", "-", "nein", "non", "falsch", "faux"]);

/** The values of a choice, by their names and their titles in each language of the document. */
const choiceWords = (model: Model, { values }: Field): ReadonlyMap<string, string> =>
  new Map(
    values.flatMap((value) => [
      ...inEachLanguage(model, toValueTitle(value)).map((title) => [toChoiceKey(title), value] as const),
      [toChoiceKey(value), value] as const,
    ]),
  );

/** The states of an entity, by their names and their titles in each language of the document. */
export const findStateWords = (model: Model, { states }: Pick<States, "states">): ReadonlyMap<string, string> =>
  new Map(
    states.flatMap(({ name, title }) =>
      [...inEachLanguage(model, title), ...inEachLanguage(model, toValueTitle(name)), name].map(
        (text) => [toChoiceKey(text), name] as const,
      ),
    ),
  );

/** The state that a cell names, by its name or its title. */
export const readState = (words: ReadonlyMap<string, string>, text: string): string | undefined =>
  words.get(toChoiceKey(text));

/** Creates a reader for the cells of a column. References stay text, because their records are looked up together. */
export const buildCellReader = (model: Model, field: Field, format: ColumnFormat): CellReader => {
  const cellReader = readerOfType(model, field, format);
  if (!field.many) return cellReader;
  return (text) => {
    const values = splitCell(text).map(cellReader);
    return { value: values.map(({ value }) => value), adjustments: values.flatMap(({ adjustments }) => adjustments) };
  };
};

const readerOfType = (model: Model, field: Field, format: ColumnFormat): CellReader => {
  switch (field.type) {
    case "integer":
      return (text) => readIntegerCell(text, format);
    case "decimal":
      return (text) => readDecimalCell(text, format);
    case "money":
      return (text) => readMoneyCell(text, format, field.currency ?? USUAL_CURRENCY);
    case "date":
      return (text) => readDateCell(text, format, model.timezone);
    case "boolean":
      return (text) => unchanged(yes.has(text.toLowerCase()) ? true : no.has(text.toLowerCase()) ? false : text);
    case "datetime":
      return (text) => unchanged(readMoment(text, format, model.timezone) ?? text);
    case "time":
      return (text) => unchanged(readClockTime(text) ?? text);
    case "duration": {
      const locales = [...new Set([model.locale, ...model.translations.keys(), "en"])];
      return (text) => unchanged(readDurationCell(text, locales) ?? text);
    }
    case "choice": {
      const words = choiceWords(model, field);
      return (text) => unchanged(words.get(toChoiceKey(text)) ?? text);
    }
    case "json":
      return (text) => unchanged(parseJson(text));
    case "text":
    case "long text":
    case "rich text":
    case "email":
    case "url":
    case "phone":
    case "file":
    case "image":
    case "sequence":
    case "integer sequence":
    case "slug":
    case "position":
    case "reference":
    case "state":
      return unchanged;
  }
};

/** Reads a duration in the notation of a request, as a time such as 1:30:00, or in words of one of the languages. */
const readDurationCell = (text: string, locales: readonly string[]): string | undefined => {
  if (readDuration(text) !== undefined) return text;
  for (const locale of locales) {
    const read = readDurationText(text, locale, readCount);
    if (read !== null) return read;
  }
  return undefined;
};

/** Reads the number before a unit. “1,500 hours” could be one and a half, or a thousand more. */
const readCount = (figure: string): string | null =>
  /^\d+(?:[.,]\d{1,2})?$/u.test(figure) ? figure.replace(",", ".") : null;

const parseJson = (text: string): Json => {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
};
