import type { BooleanWords } from "../../core/i18n/grammar.ts";
import type { FieldJson } from "../../core/wire/entities.ts";
import type { Json } from "../../core/wire/json.ts";
import type { ReferenceJson } from "../../core/wire/records.ts";

/** The locale, time zone and date for parsing and formatting. */
export interface LocaleContext {
  /** BCP 47: `en-GB`. */
  readonly locale: string;
  /** IANA time zone: `Europe/Berlin`. */
  readonly timezone: string;
  readonly booleans: BooleanWords;
  /** The current date there, `YYYY-MM-DD`. */
  readonly today: string;
  /** The day from which “+2w” and “fri” count; today if absent. */
  readonly countsFrom?: string | undefined;
  /** True if “2 weeks” includes the day from which it counts, as in the last day of a period. */
  readonly includesFrom?: true;
  /** The current user, for initial values. */
  readonly person?: ReferenceJson;
  /** Initial values computed from the clock, if the evaluator is loaded. */
  readonly begin?: (field: FieldJson) => Json;
}
