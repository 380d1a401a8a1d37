import { keyed, type Named, type Report, type Said, text } from "../document/shape.ts";
import { finding } from "../findings.ts";
import type { DefaultCode } from "../model/defaults.ts";
import type { Limit, Limits } from "../model/model.ts";
import { parseDuration } from "../rule/duration.ts";
import type { Type } from "../rule/type.ts";
import { clauseAt, type Linking } from "./linking.ts";

/** Point 9: business constants and limits, each a name and a value. */
export const limitsShape = keyed("a mapping from names to values", text);

export type LimitsSyntax = readonly Named<Said<string>>[];

/** The constants that the program reads, with the default in force where the document is silent. Hours and counts. */
const builtIn = {
  page_size: { value: "50", least: 1, most: 500 },
  page_size_max: { value: "200", least: 1, most: 1_000 },
  session_length: { value: "12", least: 1, most: 24 * 90 },
  sign_in_attempts: { value: "10", least: 1, most: 1_000 },
} as const;

type BuiltIn = keyof typeof builtIn;

const typeOf = (value: string): Type => {
  if (/^-?\d+$/u.test(value)) return { kind: "integer" };
  if (/^-?\d+\.\d+$/u.test(value)) return { kind: "decimal" };
  if (value === "true" || value === "false") return { kind: "boolean" };
  if (/^\d{4}-\d{2}-\d{2}$/u.test(value)) return { kind: "date" };
  return parseDuration(value) === undefined ? { kind: "text" } : { kind: "duration" };
};

const hoursOf = (value: string): number | undefined => {
  const match = /^(\d{1,4})(?: (hours?|days?))?$/u.exec(value);
  if (match === null) return undefined;
  return Number(match[1]) * (match[2]?.startsWith("day") ? 24 : 1);
};

export const linkLimits = (syntax: LimitsSyntax | undefined, report: Report): Limits => {
  const all = new Map<string, Limit>();
  for (const { name, key, value } of syntax ?? [])
    all.set(name, { name, value: value.value, type: typeOf(value.value), clause: clauseAt(`9.${name}`, key) });

  const read = (name: BuiltIn): number => {
    const row = builtIn[name];
    const said = all.get(name);
    if (said === undefined) {
      all.set(name, { name, value: row.value, type: { kind: "integer" }, clause: null });
      return Number(row.value);
    }
    const number = hoursOf(said.value);
    if (number !== undefined && number >= row.least && number <= row.most) return number;
    report(
      finding(
        "BAD_VALUE",
        said.clause?.span ?? NOWHERE,
        `${name} cannot be “${said.value}”.`,
        `Write a number from ${row.least} to ${row.most}${name === "session_length" ? ", in hours or as “2 days”" : ""}.`,
      ),
    );
    return Number(row.value);
  };
  return {
    pageSize: read("page_size"),
    pageSizeMax: Math.max(read("page_size_max"), read("page_size")),
    sessionHours: read("session_length"),
    signInAttempts: read("sign_in_attempts"),
    all,
  };
};

const NOWHERE = { file: "", start: 0, end: 0 };

/** A constant that nothing reads is most often a misspelling of one that something should. */
export const checkLimits = (limits: Limits, linking: Linking): void => {
  for (const limit of limits.all.values()) {
    if (limit.clause === null || Object.hasOwn(builtIn, limit.name) || linking.limitsRead.has(limit.name)) continue;
    linking.report(
      finding(
        "UNUSED_LIMIT",
        limit.clause.span,
        `Nothing reads the constant ${limit.name}.`,
        "Use it where the number stands, or take it out.",
        { clause: limit.clause.id },
      ),
    );
  }
};

export const silentLimits = (syntax: LimitsSyntax | undefined): readonly DefaultCode[] =>
  Object.keys(builtIn).every((name) => syntax?.some((one) => one.name === name)) ? [] : ["BUILT_IN_LIMITS"];
