import { toWords } from "./names.ts";

/** True for the name of a password or of what protects one, which no record of an application should show. */
export const isSecret = (name: string): boolean =>
  /(?:^|_)(?:password|passwd|pwd|secret)_?(?:hash|salt)?$/u.test(toWords(name).join("_"));

const change = "(?:created|updated|modified)";
const writeTimes = new RegExp(
  `^(?:${change}(?:_?(?:at|on|date|time))?|date_?${change}|last_?(?:update|updated|modified))$`,
  "u",
);

/** True for the name of a time at which a record was written. Each record has these times. */
export const isWriteTime = (name: string): boolean => writeTimes.test(toWords(name).join("_"));

const prose: ReadonlySet<string> = new Set(
  "note notes comment comments remark remarks body content bio summary".split(" "),
);

/**
 * True for the name of a text of several lines. `others`: the names of the same record. A description is its name if nothing
 * else is.
 */
export const isProse = (name: string, others: readonly string[]): boolean => {
  const last = (text: string): string => toWords(text).at(-1) ?? "";
  if (prose.has(last(name))) return true;
  return last(name) === "description" && others.some((other) => /^(?:name|title)$/u.test(last(other)));
};
