import type { FieldJson } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import type { ReferenceJson } from "../../core/wire/records.ts";

/** Where and when the application is: what reading and showing a value depends on. */
export interface Here {
  /** BCP 47: `en-GB`. */
  readonly locale: string;
  /** An IANA zone: `Europe/Berlin`. */
  readonly timezone: string;
  /** The day it is there now, `YYYY-MM-DD`. */
  readonly today: string;
  /** Who fills in what is made here. */
  readonly person?: ReferenceJson;
  /** What a field begins with that is made of the clock, where the evaluator is at hand. */
  readonly begin?: (field: FieldJson) => Json;
}

/** The same locale with figures and calendar that a control can read back. */
export const typedLocale = (locale: string): string => {
  try {
    return new Intl.Locale(locale, { numberingSystem: "latn", calendar: "gregory" }).toString();
  } catch {
    return "en-GB";
  }
};
