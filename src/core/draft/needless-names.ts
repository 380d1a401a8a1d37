import { toWords } from "./names.ts";

/** True for the name of a password or of what protects one, which no record of an application should show. */
export const isSecret = (name: string): boolean =>
  /(?:^|_)(?:password|passwd|pwd|secret)_?(?:hash|salt)?$/u.test(toWords(name).join("_"));

const change = "(?:created|updated|modified)";
const writeTimes = new RegExp(`^(?:${change}(?:_?(?:at|on|date|time))?|date_?${change}|last_?(?:update|updated|modified))$`, "u");

/** True for the name of a time at which a record was written. Each record has these times. */
export const isWriteTime = (name: string): boolean => writeTimes.test(toWords(name).join("_"));
