import Big from "big.js";
import { nearest, type Span } from "../../source-text.ts";
import type { Expr } from "../expr.ts";
import { pathKey } from "../inspect/null-narrowing.ts";
import { findSignatures } from "../operations/signature.ts";
import type { TextRange, Word } from "../syntax/ast.ts";
import { findActValue } from "../values/act-shapes.ts";
import { parseDuration } from "../values/duration.ts";
import type { EntityShape, FieldShape, Scope, Type } from "../values/type.ts";
import type { Value } from "../values/value.ts";
import { typeWords } from "../values/value-kinds.ts";
import { type CheckContext, mistakePlaceholder, reportUnknown } from "./check-context.ts";
import { type Counterpart, foreignNames } from "./foreign-syntax.ts";
import { matchSignature } from "./match-signature.ts";

/** Resolves a bare name: a declared name, or else a value of the expected choice. */
export const resolveName = (name: string, range: TextRange, reading: CheckContext, expected: Type): Expr => {
  const found = resolveDeclaredName(name, range, reading);
  const values = expected.kind === "choice" ? expected.values : [];
  if (found) return reportClash(name, expected, found, range, reading) ? mistakePlaceholder(range, reading) : found;
  if (values.includes(name))
    return { kind: "constant", value: name, type: expected, missing: false, span: reading.at(range) };
  const wanted = expected.kind === "choice" ? `not ${typeWords(expected)}` : "not a known name";
  const instead = reading.scope.roles?.get(name);
  if (instead !== undefined) {
    reading.report("UNKNOWN_NAME", range, `“${name}” is a role, which can’t be used as a condition.`, instead);
    return mistakePlaceholder(range, reading);
  }
  if (name === "user") {
    reading.report(
      "UNKNOWN_NAME",
      range,
      reading.scope.isWithoutUsers === true
        ? "There is no “user” here, because no one signs in."
        : "There is no “user” here.",
      "Use values of the record.",
    );
    return mistakePlaceholder(range, reading);
  }
  const act = reading.scope.entities.get(reading.scope.entity ?? "")?.acts?.get(name);
  if (act !== undefined) {
    const [transition = ""] = act.transitions;
    reading.report(
      "UNKNOWN_NAME",
      range,
      `“${name}” exists only while ${act.transitions.join(" or ")} is made, so nothing here can read it.`,
      `Its “set”, the effects after it and rules with “during: ${transition}” can. A value that others read is a field of point 3.`,
    );
    return mistakePlaceholder(range, reading);
  }
  const known = expected.kind === "choice" ? [...values, ...getChoiceNames(reading)] : getNames(reading);
  if (expected.kind === "choice" && nearest(name, known) === undefined && !foreignNames.has(name.toLowerCase())) {
    const message = `“${name}” is ${wanted} here.`;
    reading.report("UNKNOWN_NAME", range, message, `The values of ${expected.of} are ${values.join(", ")}.`);
    return mistakePlaceholder(range, reading);
  }
  const text: Counterpart | undefined =
    expected.kind === "text" && nearest(name, known) === undefined
      ? { hint: `Put text in quotes: '${name}'.` }
      : undefined;
  reportUnknown(
    name,
    `“${name}” is ${wanted} here.`,
    known,
    range,
    reading,
    foreignNames.get(name.toLowerCase()) ?? text,
  );
  return mistakePlaceholder(range, reading);
};

/** Reports a name that is both declared and a value of the choice it is compared with. Returns true if so. */
export const reportClash = (
  name: string,
  otherType: Type,
  read: Expr,
  range: TextRange,
  reading: CheckContext,
): boolean => {
  if (otherType.kind !== "choice" || !otherType.values.includes(name) || read.type.kind === "unknown") return false;
  const { what, written } = describeOtherMeaning(name, read);
  const message = `“${name}” is both a value of ${otherType.of} and ${what}.`;
  // Suggests the other meaning only if its type is comparable with the choice.
  const other = written === undefined || !isComparable(read, otherType, reading) ? "" : `, or ${written} for ${what}`;
  reading.report("AMBIGUOUS_NAME", range, message, `Write '${name}' for the value${other}.`, {
    nearest: `'${name}'`,
  });
  return true;
};

/** The other meaning of a name that is also a value of a choice, and an unambiguous way to write it. */
const describeOtherMeaning = (name: string, read: Expr): { readonly what: string; readonly written?: string } => {
  if (read.kind === "field") return { what: `the field ${name}`, written: `this.${name}` };
  if (read.kind === "constant") return { what: `the constant ${name}`, written: `limits.${name}` };
  if (read.kind === "variable") return { what: `the name ${name} of this list` };
  return { what: `the word ${name} of this language` };
};

const isComparable = (read: Expr, otherType: Type, { scope }: CheckContext): boolean => {
  const value: Expr = { kind: "variable", name: "", level: 0, type: otherType, missing: false, span: read.span };
  return findSignatures("operator", "==", 2).some(
    (signature) => matchSignature(signature, [read, value], scope.timezone) !== undefined,
  );
};

/** True if a name is declared, whatever type is expected. */
export const isDeclaredName = (name: string, { scope, variables }: CheckContext): boolean =>
  name === "now" ||
  name === "today" ||
  (name === "user" && scope.user) ||
  variables.has(name) ||
  scope.names?.has(name) === true ||
  isOfRecord(name, scope) ||
  scope.limits.has(name) ||
  scope.entities.has(name);

/** True for the current record, the record before the write, and their fields. */
const isOfRecord = (name: string, scope: Scope): boolean => {
  const own = scope.entities.get(scope.entity ?? "");
  if (own === undefined) return false;
  if (name === "this" || name === scope.self || (name === "old" && scope.old !== undefined)) return true;
  return own.fields.has(name) || findActValue(name, scope) !== undefined;
};

/** Resolves a declared name without regard to the expected type. */
const resolveDeclaredName = (name: string, range: TextRange, reading: CheckContext): Expr | undefined => {
  const { scope, variables, at } = reading;
  const span = at(range);
  const variable = variables.get(name);
  if (variable) return { kind: "variable", name, ...variable, missing: false, span };
  const contextName = scope.names?.get(name);
  if (contextName) {
    const { type, optional: missing, seedRecord } = contextName;
    const read: Expr = { kind: "name", name, type, missing, span, ...(seedRecord && { seedRecord }) };
    return type.kind === "unknown" ? markUndecided(read, range, reading) : markPresent(read, reading);
  }
  const own = scope.entities.get(scope.entity ?? "");
  const type: Type = { kind: "record", entity: own?.name ?? "" };
  if (own && (name === "this" || (name === scope.self && !own.fields.has(name))))
    return { kind: "this", type, missing: false, span };
  if (own && name === "old" && scope.old) return { kind: "old", type, missing: scope.old === "can be missing", span };
  if (name === "user" && scope.user)
    return { kind: "user", type: { kind: "record", entity: "User" }, missing: false, span };
  if (name === "now") return { kind: "now", type: { kind: "datetime" }, missing: false, span };
  if (name === "today") return { kind: "today", type: { kind: "date" }, missing: false, span };
  const field = own?.fields.get(name) ?? findActValue(name, scope);
  if (own && field) return readField({ kind: "this", type, missing: false, span }, own, field, range, reading);
  const limit = scope.limits.get(name);
  if (limit) return getLimit(name, limit, span);
  const all = scope.entities.get(name);
  if (all === undefined) return undefined;
  const records: Type = { kind: "list", of: { kind: "record", entity: name } };
  return { kind: "all", entity: all, type: records, missing: false, span };
};

/** All names in scope. */
const getNames = ({ scope, variables }: CheckContext): readonly string[] => [
  ...variables.keys(),
  ...(scope.names?.keys() ?? []),
  ...(scope.entities.get(scope.entity ?? "")?.fields.keys() ?? []),
  ...[...(scope.entities.get(scope.entity ?? "")?.acts?.keys() ?? [])].filter((name) => findActValue(name, scope)),
  ...["this", "user", "now", "today", "true", "false", "null"],
  ...(scope.old === undefined ? [] : ["old"]),
  ...scope.limits.keys(),
  ...scope.entities.keys(),
];

/** The names in scope that a choice can be compared with: another name would only be a second mistake. */
const getChoiceNames = ({ scope, variables }: CheckContext): readonly string[] => {
  const isChoice = ({ type }: { readonly type: Type }): boolean => type.kind === "choice" || type.kind === "unknown";
  const namesIn = (all: Iterable<readonly [string, { readonly type: Type }]>): readonly string[] =>
    [...all].flatMap(([name, value]) => (isChoice(value) ? [name] : []));
  return [
    ...namesIn(variables),
    ...namesIn(scope.names ?? []),
    ...namesIn(scope.entities.get(scope.entity ?? "")?.fields ?? []),
    "null",
  ];
};

/**
 * Resolves `limits.page_size` or `input.kind`: names with a dot that are not paths. Undefined if the first word is no
 * such namespace.
 */
export const resolveDottedName = (
  of: string,
  name: Word,
  range: TextRange,
  reading: CheckContext,
): Expr | undefined => {
  const members = getMembers(of, reading);
  if (members.size === 0) return undefined;
  const limit = of === "limits" ? reading.scope.limits.get(name.text) : undefined;
  if (limit) return getLimit(name.text, limit, reading.at(range));
  return members.has(name.text)
    ? resolveDeclaredName(`${of}.${name.text}`, range, reading)
    : unknownMember(name, of, members, range, reading);
};

const getMembers = (of: string, { scope, variables }: CheckContext): ReadonlySet<string> => {
  if (variables.has(of)) return new Set();
  if (of === "limits") return new Set(scope.limits.keys());
  const prefix = `${of}.`;
  const names = [...(scope.names?.keys() ?? [])].filter((name) => name.startsWith(prefix));
  return new Set(names.map((name) => name.slice(prefix.length)));
};

export const unknownMember = (
  name: Word,
  of: string,
  known: Iterable<string>,
  range: TextRange,
  reading: CheckContext,
): Expr => {
  reportUnknown(name.text, `${of} has no “${name.text}”.`, known, name, reading);
  return mistakePlaceholder(range, reading);
};

/** Reads a field of a record. */
export const readField = (
  of: Expr,
  entity: EntityShape,
  field: FieldShape,
  range: TextRange,
  reading: CheckContext,
): Expr => {
  const { type, optional, inverse } = field;
  const target = inverse && reading.scope.entities.get(inverse.entity);
  // An anonymous user has only an id, and any user expression except a reference can be anonymous.
  const mayBeNobody =
    field.name !== "id" && (of.kind === "user" || of.kind === "call" || (of.kind === "name" && !of.seedRecord));
  const missing = type.kind !== "boolean" && type.kind !== "list" && (of.missing || optional || mayBeNobody);
  const leads = target ? { target } : {};
  const read: Expr = { kind: "field", of, entity, field, ...leads, type, missing, span: reading.at(range) };
  return type.kind === "unknown" ? markUndecided(read, range, reading) : markPresent(read, reading);
};

/** A field of unknown type; type-checking cannot continue with it. */
const markUndecided = (read: Expr, range: TextRange, reading: CheckContext): Expr => {
  reading.undecided(read);
  return mistakePlaceholder(range, reading);
};

/** Marks a path as present if an earlier condition checks it. */
const markPresent = (expr: Expr, { nonNull: present }: CheckContext): Expr => {
  const key = expr.missing ? pathKey(expr) : undefined;
  return key !== undefined && present.has(key) ? { ...expr, missing: false } : expr;
};

type Limit = Scope["limits"] extends ReadonlyMap<string, infer L> ? L : never;

const getLimit = (name: string, limit: Limit, span: Span): Expr => {
  const { items, type } = limit;
  if (items !== undefined && type.kind === "list") {
    const each = items.map((value) => getLimit(name, { type: type.of, value }, span));
    return { kind: "list", items: each, type, missing: false, span };
  }
  const value = valueOfLimit(limit);
  return { kind: "constant", limit: name, value, type: limit.type, missing: value === null, span };
};

const valueOfLimit = ({ type, value }: Limit): Value => {
  if (type.kind === "integer") return Number(value);
  if (type.kind === "decimal" || type.kind === "money") return new Big(value);
  if (type.kind === "boolean") return value === "true";
  return type.kind === "duration" ? (parseDuration(value) ?? null) : value;
};
