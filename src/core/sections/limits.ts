import {
  keyed,
  map,
  type Named,
  name,
  optional,
  orEmpty,
  record,
  required,
  type Said,
  text,
} from "../document/shape.ts";
import { finding } from "../findings.ts";
import type { DefaultCode } from "../model/defaults.ts";
import type { Limit, Limits } from "../model/model.ts";
import { parseDuration } from "../rule/duration.ts";
import type { Type } from "../rule/type.ts";
import { clauseAt, type Linking } from "./linking.ts";

/** Point 9: business constants and limits, each a name and a value. */
const constant = record("a constant", { value: required(text), was: optional(name("field")) }, "value");
export const limitsShape = map(orEmpty(keyed("a mapping from names to values", constant)), (all) =>
  all.map(({ value: { value, was }, ...one }): LimitSyntax => ({ ...one, value, was })),
);

export interface LimitSyntax extends Named<Said<string>> {
  readonly was: Said<string> | undefined;
}
export type LimitsSyntax = readonly LimitSyntax[];

/** The constants that the program reads, with the default in force where the document is silent. Hours and counts. */
const builtIn = {
  page_size: { value: "50", least: 1, most: 500 },
  page_size_max: { value: "200", least: 1, most: 1_000 },
  session_length: { value: "12", least: 1, most: 24 * 90 },
  upload_size: { value: "25", least: 1, most: 1_000 },
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

/** Hours: `12`, `12 hours`, `2 days`. */
const hoursOf = (value: string): number | undefined => {
  const [, count, unit] = /^(\d{1,4})(?: (hours?|days?))?$/u.exec(value) ?? [];
  return count === undefined ? undefined : Number(count) * (unit?.startsWith("day") ? 24 : 1);
};

/** Megabytes: `25`, `25 MB`, `500 kB`. */
const megabytesOf = (value: string): number | undefined => {
  const [, count, unit] = /^(\d{1,6})(?: (kB|MB))?$/u.exec(value) ?? [];
  return count === undefined ? undefined : unit === "kB" ? Number(count) / 1_000 : Number(count);
};

const countOf = (value: string): number | undefined => (/^\d{1,6}$/u.test(value) ? Number(value) : undefined);

/** How those that are no counts are written. */
const readings: {
  readonly [K in BuiltIn]?: { readonly read: (value: string) => number | undefined; readonly also: string };
} = {
  session_length: { read: hoursOf, also: ", in hours or as “2 days”" },
  upload_size: { read: megabytesOf, also: ", in megabytes or as “500 kB”" },
};

/** A sentence need not repeat a long value to say that it is wrong. */
const shortened = (value: string): string => (value.length > 40 ? `${value.slice(0, 40)}…` : value);

export const linkLimits = (syntax: LimitsSyntax | undefined, linking: Linking): Limits => {
  const all = new Map<string, Limit>();
  for (const { name, key, value } of syntax ?? [])
    all.set(name, { name, value: value.value, type: typeOf(value.value), clause: clauseAt(`9.${name}`, key) });

  const read = (name: BuiltIn): number => {
    linking.limitsRead.add(name);
    const row = builtIn[name];
    const said = syntax?.find((one) => one.name === name)?.value;
    if (said === undefined) {
      all.set(name, { name, value: row.value, type: { kind: "integer" }, clause: null });
      return Number(row.value);
    }
    const { read: readAs = countOf, also = "" } = readings[name] ?? {};
    const number = readAs(said.value);
    const least = name === "upload_size" && said.value.endsWith("kB") ? 0.001 : row.least;
    if (number !== undefined && number >= least && number <= row.most) return number;
    linking.report(
      finding(
        "BAD_VALUE",
        said.span,
        `${name} cannot be “${shortened(said.value)}”.`,
        `Write a number from ${row.least} to ${row.most}${also}.`,
        { clause: `9.${name}` },
      ),
    );
    return Number(row.value);
  };
  const pageSize = read("page_size");
  return {
    pageSize,
    pageSizeMax: Math.max(read("page_size_max"), pageSize),
    sessionHours: read("session_length"),
    uploadSize: read("upload_size") * 1_000_000,
    signInAttempts: read("sign_in_attempts"),
    all,
  };
};

export const silentLimits = (syntax: LimitsSyntax | undefined): readonly DefaultCode[] =>
  // `none` decides it as well.
  syntax?.length === 0 || Object.keys(builtIn).every((name) => syntax?.some((one) => one.name === name))
    ? []
    : ["BUILT_IN_LIMITS"];
