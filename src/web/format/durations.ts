import { readDurationText } from "../../core/import/read-duration.ts";
import { readDecimal } from "./numbers.ts";

/** Parses a duration as people type it, or returns null. Its numbers are in the locale's notation. */
export const readTypedDuration = (typed: string, locale: string): string | null =>
  readDurationText(typed, locale, (figure) => readDecimal(figure, locale));
