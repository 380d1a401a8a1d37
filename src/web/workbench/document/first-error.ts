import type { Finding, FindingCode } from "../../../core/findings.ts";

/** A line that cannot be read hides everything below it, which then looks undeclared elsewhere. */
const unreadable: ReadonlySet<FindingCode> = new Set(["BAD_YAML", "BAD_INDENT", "NOT_CLOSED", "NEEDS_QUOTES"]);

/** The error to correct first: a line that cannot be read, as it may have caused the others; otherwise the first in the text. */
export const firstError = (found: readonly Finding[]): Finding | undefined => {
  const errors = found.filter(({ severity }) => severity === "error");
  return errors.find(({ code }) => unreadable.has(code)) ?? errors[0];
};
