/*
 * Texts with the beginning and the end of a period, by one rule for notifications, labels and messages: a period within one
 * day names it once.
 */

/** A value in a text. Null if it is missing and nothing takes its place. */
export interface TextValue {
  readonly text: string | null;
  /** Of a date or a datetime, the day; of a datetime also the time alone. */
  readonly day?: string;
  readonly time?: string;
}

/** The text between the first and the last day of a period: a dash or a short word. */
const JOINT = /^\s*(?:[–—-]|\p{L}{1,5})\s*$/u;

/** The end of a text that announces a beginning and an end, such as “from” in “from 11 to 14 Dec 2026”. */
const ANNOUNCEMENT = /(?<!\p{L})(?:from|between|von|vom|zwischen|de|du|entre(?: le)?)(?=\s*$)/iu;

/** The announcement of a single day, by the words of a period. “From 11 Dec 2026” alone would say that it has no end. */
const singleDays: readonly (readonly [announcement: RegExp, joint: RegExp, word: string])[] = [
  [/^(?:from|between)$/iu, /^(?:to|until|till|and|[–—-])$/iu, "on"],
  [/^(?:von|vom|zwischen)$/iu, /^(?:bis|und|[–—-])$/iu, "am"],
  [/^(?:de|du|entre(?: le)?)$/iu, /^(?:à|au|et)$/iu, "le"],
];

/** “Away from ” becomes “Away on ”; a text without an announcement stays; undefined if no word for a single day is known. */
const announceSingleDay = (before: string, joint: string): string | undefined => {
  const announcement = ANNOUNCEMENT.exec(before)?.[0];
  if (announcement === undefined) return before;
  const word = singleDays.find(([first, second]) => first.test(announcement) && second.test(joint.trim()))?.[2];
  if (word === undefined) return undefined;
  const isCapital = /^\p{Lu}/u.test(announcement);
  return before.replace(ANNOUNCEMENT, isCapital ? word.charAt(0).toUpperCase() + word.slice(1) : word);
};

/** Periods within one day name it once: “11 Dec 2026”, “on 11 Dec 2026”, and “11 Dec 2026, 10:00 to 11:00”. */
export const withoutSecondDay = (parts: readonly (string | TextValue)[]): readonly (string | null)[] => {
  const texts = parts.map((part) => (typeof part === "string" ? part : part.text));
  const at = parts.findIndex((part, i) => {
    const [joint, last] = [parts[i + 1], parts[i + 2]];
    if (typeof part !== "object" || typeof joint !== "string" || typeof last !== "object") return false;
    const before = parts[i - 1];
    const isDay = last.time === undefined;
    if (isDay && typeof before === "string" && announceSingleDay(before, joint) === undefined) return false;
    const isPeriod = JOINT.test(joint) && (part.time === undefined) === isDay;
    return isPeriod && part.day !== undefined && part.day === last.day;
  });
  const [joint, last] = at < 0 ? [] : parts.slice(at + 1, at + 3);
  if (typeof joint !== "string" || typeof last !== "object") return texts;
  const [before, first] = [texts.slice(0, at), texts.slice(at, at + 1)];
  const rest = withoutSecondDay(parts.slice(at + 3));
  if (last.time !== undefined) return [...before, ...first, joint, last.time, ...rest];
  const announced = before.map((text, i) =>
    i === at - 1 && text !== null ? (announceSingleDay(text, joint) ?? text) : text,
  );
  return [...announced, ...first, ...rest];
};
