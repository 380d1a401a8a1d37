import { byKind, map, noneAsEmpty } from "../document/shape/combinators.ts";
import { keyed, list } from "../document/shape/list-and-mapping.ts";
import { name } from "../document/shape/name.ts";
import { optional, record, required } from "../document/shape/record.ts";
import { plainText, word } from "../document/shape/scalar.ts";
import type { Named, Spanned } from "../document/shape.ts";
import { isDate, normalizeDatetime, normalizeTime } from "../expression/values/calendar.ts";
import { parseDuration, units } from "../expression/values/duration.ts";
import type { Type } from "../expression/values/type.ts";
import { typeWords } from "../expression/values/value-kinds.ts";
import { isCurrency } from "../field/money.ts";
import { finding } from "../findings.ts";
import type { DefaultCode } from "../model/defaults.ts";
import type { Limit, Limits } from "../model/model.ts";
import { onlyNearest, type Span } from "../source-text.ts";
import { clauseAt, type Linking } from "./linking/link-context.ts";

/** The types that a constant can have, alone or in a list. */
const types = ["text", "integer", "decimal", "money", "boolean", "date", "time", "datetime", "duration"] as const;
type Plain = (typeof types)[number];

/** Point 9: named constants and limits. */
const constant = record(
  "a constant",
  {
    value: required(
      byKind<Value>("a value or a list of values", {
        scalar: map(plainText, (item) => ({ values: [item], isList: false })),
        list: map(list(plainText), (values) => ({ values, isList: true })),
      }),
    ),
    type: optional(word(...types)),
    was: optional(name("field")),
  },
  "value",
);
/** Built-in constants with their defaults. Sessions and links in mails in hours, the trash in days, sizes in megabytes, the others are counts. */
const builtIn = {
  page_size: { value: "50", least: 1, most: 500 },
  page_size_max: { value: "200", least: 1, most: 1_000 },
  session_length: { value: "12", least: 1, most: 24 * 90 },
  upload_size: { value: "25", least: 1, most: 1_000 },
  sign_in_attempts: { value: "10", least: 1, most: 1_000 },
  password_length: { value: "10", least: 8, most: 1_000 },
  password_length_max: { value: "200", least: 8, most: 1_000 },
  trash: { value: "30", least: 0, most: 365 },
  mail_transitions: { value: "72", least: 0, most: 24 * 30 },
} as const;

export const limitsShape = map(
  noneAsEmpty(keyed("a mapping from names to values", constant, Object.keys(builtIn))),
  (all) => all.map(({ value: { value, type, was }, ...one }): LimitSyntax => ({ ...one, value, type, was })),
);

interface Value {
  readonly values: readonly Spanned<string>[];
  readonly isList: boolean;
}

export interface LimitSyntax extends Named<Value> {
  readonly type: Spanned<Plain> | undefined;
  readonly was: Spanned<string> | undefined;
}
export type LimitsSyntax = readonly LimitSyntax[];

type BuiltIn = keyof typeof builtIn;

/** The type of a constant and its value in expressions and bounds; amounts without their currency. */
interface Written {
  readonly type: Type;
  readonly value: string;
}

/** Infers the type from the value: the first type that it matches. */
const inferType = (value: string): Written => {
  const as = (kind: Exclude<Plain, "money">, read = value): Written => ({ type: { kind }, value: read });
  if (/^-?\d+$/u.test(value) && Number.isSafeInteger(Number(value))) return as("integer");
  if (/^-?\d{1,28}(?:\.\d{1,10})?$/u.test(value)) return as("decimal");
  const [, amount, currency] = /^(-?\d{1,28}(?:\.\d{1,10})?) ([A-Z]{3})$/u.exec(value) ?? [];
  if (amount !== undefined && currency !== undefined && isCurrency(currency))
    return { type: { kind: "money", currency }, value: amount };
  if (value === "true" || value === "false") return as("boolean");
  if (isDate(value)) return as("date");
  const time = normalizeTime(value);
  if (time !== undefined) return as("time", time);
  const datetime = normalizeDatetime(value);
  if (datetime !== undefined) return as("datetime", datetime);
  return as(parseDuration(value) === undefined ? "text" : "duration");
};

/** The value as a given type; undefined if it is none of that type. */
const readAsType = (value: string, type: Plain, currency: string): Written | undefined => {
  const inferred = inferType(value);
  const { kind } = inferred.type;
  if (type === "text") return { type: { kind: "text" }, value };
  if (type === "decimal" && kind === "integer") return { ...inferred, type: { kind: "decimal" } };
  if (type === "money" && (kind === "integer" || kind === "decimal"))
    return { ...inferred, type: { kind: "money", currency } };
  return kind === type ? inferred : undefined;
};

/** The common type of the values of a list, or text if they differ. */
const findCommonType = (values: readonly string[]): Plain => {
  const inferred = values.map(inferType);
  const kinds = new Set(inferred.map(({ type }) => type.kind as Plain));
  const currencies = new Set(inferred.map(({ type }) => (type.kind === "money" ? type.currency : "")));
  const [kind = "text"] = kinds;
  if (kinds.size === 1 && currencies.size === 1) return kind;
  return [...kinds].every((item) => item === "integer" || item === "decimal") ? "decimal" : "text";
};

/** Suggests `2 weeks` for `2 wekes`. */
const durationMeant = (value: string): string | undefined => {
  const [, count, word] = /^(\d{1,6}) ([a-z]{3,})$/iu.exec(value) ?? [];
  if (count === undefined || word === undefined || parseDuration(value) !== undefined) return undefined;
  const near = onlyNearest(word, unitNames);
  return near === undefined ? undefined : `${count} ${near}`;
};

const unitNames = Object.keys(units).map((unit) => `${unit}s`);

/** Parses hours: `12`, `12 hours`, `2 days`. */
const parseHours = (value: string): number | undefined => {
  const [, count, unit] = /^(\d{1,4})(?: (hours?|days?))?$/u.exec(value) ?? [];
  return count === undefined ? undefined : Number(count) * (unit?.startsWith("day") ? 24 : 1);
};

/** Parses days: `30`, `30 days`. */
const parseDays = (value: string): number | undefined => {
  const [, count] = /^(\d{1,4})(?: days?)?$/u.exec(value) ?? [];
  return count === undefined ? undefined : Number(count);
};

/** Parses megabytes: `25`, `25 MB`, `500 kB`. */
const parseMegabytes = (value: string): number | undefined => {
  const [, count, unit] = /^(\d{1,6})(?: (kB|MB))?$/u.exec(value) ?? [];
  return count === undefined ? undefined : unit === "kB" ? Number(count) / 1_000 : Number(count);
};

const parseCount = (value: string): number | undefined => (/^\d{1,6}$/u.test(value) ? Number(value) : undefined);

/** Parsers of constants with a unit. */
const readings: {
  readonly [K in BuiltIn]?: { readonly read: (value: string) => number | undefined; readonly also: string };
} = {
  session_length: { read: parseHours, also: ", in hours or as “2 days”" },
  mail_transitions: { read: parseHours, also: ", in hours or as “3 days”" },
  trash: { read: parseDays, also: ", in days" },
  upload_size: { read: parseMegabytes, also: ", in megabytes or as “500 kB”" },
};

/** Shortens a long value for an error message. */
const shortened = (value: string): string => (value.length > 40 ? `${value.slice(0, 40)}…` : value);

/** Reports a misspelt duration; returns what was meant. */
const readSpelling = ({ value, span }: Spanned<string>, constant: string, linking: Linking): string => {
  const duration = durationMeant(value);
  if (duration === undefined) return value;
  linking.report(
    finding("BAD_VALUE", span, `“${value}” is not a duration.`, `Did you mean “${duration}”?`, {
      clause: `9.${constant}`,
      nearest: duration,
      fix: [{ span, text: duration }],
    }),
  );
  return duration;
};

const linkConstant = ({ name, key, value: { values, isList }, type }: LimitSyntax, linking: Linking): Limit => {
  const clause = clauseAt(`9.${name}`, key);
  const wrong = (span: Span, message: string, hint: string) =>
    linking.report(finding("BAD_VALUE", span, message, hint, { clause: clause.id }));
  const isSpelt = type === undefined || type.value === "duration";
  const texts = values.map((item) => (isSpelt ? readSpelling(item, name, linking) : item.value));
  const common = type?.value ?? findCommonType(texts);
  const written = texts.map((text, i): Written => {
    const read = readAsType(text, common, linking.currency);
    if (read === undefined)
      wrong(
        values[i]?.span ?? key,
        `“${shortened(text)}” is not ${typeWords(plainType(common, linking.currency))}.`,
        "Write a value of the type that “type:” names, or remove “type:”.",
      );
    return read ?? { type: plainType(common, linking.currency), value: text };
  });
  const [first] = written;
  if (!isList) return { name, type: { kind: "text" }, value: "", ...first, clause };
  if (first === undefined) wrong(key, `${name} is an empty list.`, "Write at least one value, or remove the constant.");
  const items = written.map(({ value }) => value);
  const of: Type = first?.type ?? { kind: "text" };
  return { name, type: { kind: "list", of }, value: `[${items.join(", ")}]`, items, clause };
};

const plainType = (kind: Plain, currency: string): Type => (kind === "money" ? { kind, currency } : { kind });

export const linkLimits = (syntax: LimitsSyntax | undefined, linking: Linking): Limits => {
  const all = new Map<string, Limit>();
  for (const limit of syntax ?? []) all.set(limit.name, linkConstant(limit, linking));

  const read = (name: BuiltIn): number => {
    linking.limitsRead.add(name);
    const row = builtIn[name];
    const constant = syntax?.find((limit) => limit.name === name);
    if (constant === undefined) {
      all.set(name, { name, value: row.value, type: { kind: "integer" }, clause: null });
      return Number(row.value);
    }
    const { values, isList } = constant.value;
    const written = { value: isList ? "" : (values[0]?.value ?? ""), span: values[0]?.span ?? constant.key };
    const { read: readAs = parseCount, also = "" } = readings[name] ?? {};
    const number = readAs(written.value);
    const least = name === "upload_size" && written.value.endsWith("kB") ? 0.001 : row.least;
    if (number !== undefined && number >= least && number <= row.most) return number;
    linking.report(
      finding(
        "BAD_VALUE",
        written.span,
        isList ? `${name} can’t be a list.` : `${name} can’t be “${shortened(written.value)}”.`,
        `Write a number from ${row.least} to ${row.most}${also}.`,
        { clause: `9.${name}` },
      ),
    );
    return Number(row.value);
  };
  const readPasswordLength = (): Limits["passwordLength"] => {
    const least = read("password_length");
    return { least, most: Math.max(read("password_length_max"), least) };
  };
  const pageSize = read("page_size");
  return {
    pageSize,
    pageSizeMax: Math.max(read("page_size_max"), pageSize),
    sessionHours: read("session_length"),
    uploadSize: read("upload_size") * 1_000_000,
    signInAttempts: read("sign_in_attempts"),
    passwordLength: readPasswordLength(),
    trashDays: read("trash"),
    mailTransitionHours: read("mail_transitions"),
    all,
  };
};

export const listLimitDefaults = (syntax: LimitsSyntax | undefined): readonly DefaultCode[] =>
  // `none` also settles the open point.
  syntax?.length === 0 || Object.keys(builtIn).every((name) => syntax?.some((limit) => limit.name === name))
    ? []
    : ["BUILT_IN_LIMITS"];
