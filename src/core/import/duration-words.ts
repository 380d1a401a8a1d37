import { readDuration } from "../expression/values/iso-duration.ts";
import { durationParts, durationWords, typedLocale } from "../model/format.ts";

/** Formats `P1DT2H` for a control or a cell: `1 day, 2 hours`. */
export const durationText = (iso: string, locale: string): string => {
  const read = readDuration(iso.replace(/^-/, ""));
  return read === undefined ? iso : durationParts(read, typedLocale(locale), false).join(", ");
};

/** Formats `-P1DT2H` for running text: `−1 day, 2 hours`. */
export const durationInWords = (iso: string, locale: string): string => {
  const read = readDuration(iso.replace(/^-/, ""));
  return read === undefined ? iso : `${iso.startsWith("-") ? "−" : ""}${durationWords(read, locale)}`;
};
