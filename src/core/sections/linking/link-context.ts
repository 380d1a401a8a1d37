import { editsWithin } from "../../document/edits.ts";
import type { ReportFinding, Spanned } from "../../document/shape.ts";
import { locate, type Scalar } from "../../document/tree.ts";
import { readTemplate, type Template } from "../../expression/compile/template.ts";
import { type Expr, subexpressions } from "../../expression/expr.ts";
import { listComparedRoles } from "../../expression/inspect/compared-roles.ts";
import { heaviest, sqlWeight } from "../../expression/inspect/complexity.ts";
import { collectReadSet } from "../../expression/inspect/read-set.ts";
import type { ComputedFields } from "../../expression/rewrite/expand-computed.ts";
import { inlineNames } from "../../expression/rewrite/inline.ts";
import { type ReadOptions, readRule } from "../../expression/type-check/type-check.ts";
import type { FieldShape, Scope, Type } from "../../expression/values/type.ts";
import { type Finding, type FindingCode, finding } from "../../findings.ts";
import type { Clause } from "../../model/clause.ts";
import type { FieldStorage } from "../../model/field.ts";
import { type NotExecuted, notExecuted } from "../../model/not-executed.ts";
import { nearest, type Span } from "../../source-text.ts";
import { deepEqual, shallowEqual } from "../../util/deep-equal.ts";
import { type ClauseCache, type ClauseUses, createClauseCache, createClauseUses } from "./clause-cache.ts";

/** Shared state of linking: the report function, and the uses that analyzers across points need. */
export interface Linking extends ClauseUses {
  readonly report: ReportFinding;
  /** The currency of amounts whose field names none. */
  readonly currency: string;
  /** Roles that are held on records, each with an entity that has it. */
  readonly rolesOnRecords: Map<string, string>;
  /** Expressions of computed fields by name (`Request.days`); for choices, their conditions in order. */
  readonly computed: Map<string, readonly Expr[]>;
  /** The form of each executable computed field (stored or virtual), and its SQL weight when read. */
  readonly computedForms: Map<string, ComputedStorage>;
  /** Computed fields with a mistake; expressions that read them get no further findings. */
  readonly mistaken: Set<string>;
  /** Positions already reported, since several clauses can share a text. */
  readonly noted: Set<string>;
  /** Expressions of the document that was linked before. */
  readonly rules: RuleCache;
}

export interface ComputedStorage {
  readonly storage: FieldStorage;
  readonly weight: number;
}

/** The expressions of executable computed fields, optionally only of those in a given form. */
export const computedExprs =
  ({ computedForms }: Linking, includes: (storage: FieldStorage) => boolean = () => true): ComputedFields =>
  (entity, field) => {
    const storage = computedForms.get(`${entity}.${field}`)?.storage;
    return storage !== undefined && "from" in storage && includes(storage) ? storage.from : undefined;
  };

export const linkingTo = (report: ReportFinding, rules: RuleCache, currency: string): Linking => ({
  ...createClauseUses(),
  report,
  currency,
  rules,
  rolesOnRecords: new Map(),
  computed: new Map(),
  computedForms: new Map(),
  mistaken: new Set(),
  noted: new Set(),
});

export const mentionEntity = ({ mentions }: Linking, span: Span, entity: string): void => {
  mentions.push({ of: "entity", entity, name: entity, span });
};

export const mentionRole = ({ mentions }: Linking, { value, span }: Spanned<string>): void => {
  mentions.push({ of: "role", entity: "", name: value, span });
};

/** Notes the fields of a path: `author.name`. */
export const mentionPath = (linking: Linking, scope: Scope, entity: string, path: string, span: Span): void => {
  let of: string | undefined = entity;
  for (const name of path.split(".")) {
    const field: FieldShape | undefined = scope.entities.get(of ?? "")?.fields.get(name);
    if (of === undefined || field === undefined) return;
    linking.mentions.push({ of: "field", entity: of, name, span });
    of = field.type.kind === "record" ? field.type.entity : undefined;
  }
};

/** Notes that `{ title }` stands for a field, beside the name of a member. */
export const mentionOwnField = ({ mentions }: Linking, entity: string | undefined, name: string, span: Span): void => {
  if (entity !== undefined) mentions.push({ of: "field", entity, name, span, standsFor: "value" });
};

/** Notes that a payload applies a shape: `Line.sent(lines)`. */
export const mentionShape = (linking: Linking, span: Span, entity: string, shape: string): void => {
  mentionEntity(linking, span, entity);
  linking.mentions.push({ of: "shape", entity, name: shape, span });
};

export const clauseAt = (id: string, span: Span): Clause => ({ id, span });

/** Reports that a clause is understood but has no effect. */
export const reportNotExecuted = (linking: Linking, kind: NotExecuted, span: Span, clause?: string): void => {
  if (clause !== undefined) linking.unsettled.add(clause);
  const key = `${span.file}:${span.start}:${clause ?? ""}`;
  if (linking.noted.has(key)) return;
  linking.noted.add(key);
  linking.report(
    finding(
      "NOT_EXECUTED",
      span,
      `${notExecuted[kind]}: the clause has no effect.`,
      "Decide the type of the field. The rest of the specification runs.",
      clause === undefined ? {} : { clause },
    ),
  );
};

const nothing: ReadonlySet<string> = new Set();
const noExprs: ReadonlyMap<string, Expr> = new Map();

/** Returns a predicate: true for expressions that read neither open points nor names missing from the context. */
export const isExecutableIn = (linking: Linking, available: ReadonlySet<string> = nothing) => {
  const runs = (expr: Expr): boolean => {
    if (expr.kind === "field" && !isRead(expr)) return false;
    if (expr.kind === "name") return expr.seedRecord !== undefined || available.has(expr.name);
    return subexpressions(expr).every(runs);
  };
  const isRead = ({ entity, field, target }: Expr & { kind: "field" }): boolean => {
    if (linking.mistaken.has(`${entity.name}.${field.name}`)) return true;
    if (field.inverse !== undefined) return target !== undefined;
    if (field.column === undefined) return false;
    const name = `${entity.name}.${field.name}`;
    return field.computed !== true || linking.computedForms.has(name);
  };
  return runs;
};

/** SQL weight of a virtual computed field within an expression. */
export const weightIn =
  ({ computedForms }: Linking, counts: (storage: FieldStorage) => boolean) =>
  (entity: string, field: string): number => {
    const form = computedForms.get(`${entity}.${field}`);
    return form !== undefined && counts(form.storage) ? form.weight : 0;
  };

/**
 * Expressions by the scalar they were read from and the entity in whose scope. While the text and the names in scope are
 * unchanged, the result is the identical object, so that facts cached for it stay valid.
 */
export interface RuleCache {
  readonly exprs: WeakMap<Scalar, ByEntity<Known>>;
  /** Texts with expressions, such as the message of an error. */
  readonly templates: WeakMap<Scalar, ByEntity<KnownTemplate>>;
  readonly clauses: ClauseCache;
}

export const createRuleCache = (): RuleCache => ({
  exprs: new WeakMap(),
  templates: new WeakMap(),
  clauses: createClauseCache(),
});

interface KnownTemplate {
  readonly scope: Scope;
  readonly read: ReturnType<typeof readTemplate>;
}

interface Known {
  readonly scope: Scope;
  readonly expected: Type | undefined;
  readonly options: ReadOptions;
  readonly read: ReturnType<typeof readRule>;
}

const readOnce = (
  { exprs: known }: RuleCache,
  at: Scalar,
  scope: Scope,
  expected: Type | undefined,
  options: ReadOptions,
): ReturnType<typeof readRule> => {
  const before = findKnown(known, at, scope);
  if (
    before !== undefined &&
    isSameScope(before.scope, scope) &&
    deepEqual(before.expected, expected) &&
    deepEqual(before.options, options)
  )
    return before.read;
  const { value, findings } = readRule(at.text, { ...at.span, start: locate(at, 0) }, scope, expected, {
    ...options,
    ...located(at),
  });
  const read = { value, findings: findings.map((finding) => fixedWithin(at, finding)) };
  keepKnown(known, at, { scope, expected, options, read });
  return read;
};

/** For a text that the file has as it is, its beginning says where each part is. */
const located = (at: Scalar): Pick<ReadOptions, "locate"> =>
  typeof at.origin === "number" ? {} : { locate: (offset) => locate(at, offset) };

/** Cached expressions of a scalar, by entity. Nearly all are read for one entity alone, the message of an error for many. */
type ByEntity<K> = K | Map<string, K>;

const findKnown = <K extends { readonly scope: Scope }>(
  known: WeakMap<Scalar, ByEntity<K>>,
  at: Scalar,
  { entity = "" }: Scope,
): K | undefined => {
  const found = known.get(at);
  if (found instanceof Map) return found.get(entity);
  return (found?.scope.entity ?? "") === entity ? found : undefined;
};

const keepKnown = <K extends { readonly scope: Scope }>(
  known: WeakMap<Scalar, ByEntity<K>>,
  at: Scalar,
  one: K,
): void => {
  const { entity = "" } = one.scope;
  const before = known.get(at);
  if (before instanceof Map) before.set(entity, one);
  else if (before === undefined || before.scope.entity === one.scope.entity) known.set(at, one);
  else
    known.set(
      at,
      new Map([
        [before.scope.entity ?? "", before],
        [entity, one],
      ]),
    );
};

/** Names and `during` belong to one rule and are listed anew each time; everything else is the same value if it is unchanged. */
const isSameScope = (a: Scope, b: Scope): boolean =>
  a === b ||
  (shallowEqual({ ...a, names: undefined, during: undefined }, { ...b, names: undefined, during: undefined }) &&
    deepEqual(a.names, b.names) &&
    deepEqual(a.during, b.during));

const readTemplateOnce = ({ templates: known }: RuleCache, at: Scalar, scope: Scope): KnownTemplate["read"] => {
  const before = findKnown(known, at, scope);
  if (before !== undefined && isSameScope(before.scope, scope)) return before.read;
  const { value, findings } = readTemplate(at.text, at.span, scope, { locate: (offset) => locate(at, offset) });
  const read = { value, findings: findings.map((finding) => fixedWithin(at, finding)) };
  keepKnown(known, at, { scope, read });
  return read;
};

/** Converts the fix of a finding in an expression to YAML text at its position. */
const fixedWithin = (at: Scalar, { fix, ...found }: Finding): Finding => {
  const edits = fix === undefined ? undefined : editsWithin(at, fix);
  return edits === undefined ? found : { ...found, fix: edits };
};

const readAt = (
  at: Scalar,
  scope: Scope,
  expected: Type | undefined,
  linking: Linking,
  options: ReadOptions,
): Expr | undefined => {
  const { value, findings } = readOnce(linking.rules, at, scope, expected, options);
  for (const finding of findings) linking.report(finding);
  if (value === undefined) return undefined;
  for (const limit of value.type.kind === "unknown" ? getLimits(at.text, scope) : collectReadSet(value).limits)
    linking.limitsRead.add(limit);
  if (at.text.includes("roles")) mentionComparedRoles(linking, value);
  if (
    sqlWeight(
      value,
      weightIn(linking, ({ as }) => as === "virtual"),
    ) <= heaviest
  )
    return value;
  linking.report(
    finding(
      "BAD_EXPRESSION",
      at.span,
      "This expression is too complex, together with the computed fields that it reads.",
      "Add “kept: true” to one of those fields, or read fewer of them.",
    ),
  );
  return undefined;
};

const mentionComparedRoles = (linking: Linking, expr: Expr): void => {
  for (const { value, span } of listComparedRoles(expr)) {
    const name = String(value);
    linking.mentions.push({ of: "role as text", entity: "User", name, span });
    linking.rolesUsed.add(name);
  }
  for (const part of subexpressions(expr)) mentionComparedRoles(linking, part);
};

/** The constants named in an expression that reads an open point; the rest of it is unknown. */
const getLimits = (text: string, { limits }: Scope): readonly string[] =>
  [...text.matchAll(/[a-z][a-z0-9_]*/gu)].flatMap(([name]) => (limits.has(name) ? [name] : []));

/** Parses and type-checks an expression at its position, executable or not. */
export const checkExpression = (
  at: Scalar | undefined,
  scope: Scope,
  expected: Type | undefined,
  linking: Linking,
  options: ReadOptions = {},
): Expr | undefined => (at === undefined ? undefined : readAt(at, scope, expected, linking, options));

/**
 * Links an expression that is to be executed. Reports one that reads an open point; it is not in force. `given`: names of
 * the scope that have a value where it is executed.
 */
export const linkExpression = (
  at: Scalar,
  scope: Scope,
  expected: Type | undefined,
  linking: Linking,
  clause: string,
  available: ReadonlySet<string> = nothing,
): Expr | undefined => {
  const expr = readAt(at, scope, expected, linking, {});
  if (expr === undefined || isExecutableIn(linking, available)(expr)) return expr;
  reportNotExecuted(linking, "reads what is not decided", at.span, clause);
  return undefined;
};

/** The condition that is always false; replaces a condition that is not executable. */
export const alwaysFalse = (span: Span): Expr => ({
  kind: "constant",
  value: false,
  type: { kind: "boolean" },
  missing: false,
  span,
});

/** Suppresses reports on the parts of something that is already reported as not executed. */
export const withoutNotes = (linking: Linking): Linking => ({
  ...linking,
  report: (found) => (found.severity === "not executed" ? undefined : linking.report(found)),
});

/** Links a text with expressions in braces; leaves out parts that are not executable. */
export const linkTemplate = (
  at: Scalar,
  scope: Scope,
  linking: Linking,
  clause?: string,
  names: ReadonlyMap<string, Expr> = noExprs,
  available: ReadonlySet<string> = nothing,
): Template => {
  const read = readTemplateOnce(linking.rules, at, scope);
  for (const finding of read.findings) linking.report(finding);
  const value: Template = {
    parts: read.value.parts.map((part) => (typeof part === "string" ? part : inlineNames(part, names))),
  };
  const runs = isExecutableIn(linking, available);
  if (value.parts.every((part) => typeof part === "string" || runs(part))) return value;
  reportNotExecuted(linking, "reads what is not decided", at.span, clause);
  return { parts: withoutStopped(value.parts, runs) };
};

/**
 * Leaves out parts that are not executable with their separator, because "…" stands for a value without read
 * permission.
 */
const withoutStopped = (parts: Template["parts"], runs: (part: Expr) => boolean): Template["parts"] =>
  parts.flatMap((part, i): readonly (string | Expr)[] => {
    if (typeof part !== "string") return runs(part) ? [part] : [];
    const before = parts[i - 1];
    const afterStopped = before !== undefined && typeof before !== "string" && !runs(before);
    const text = afterStopped ? part.replace(/^[\s,·–-]+/u, "") : part;
    return text === "" ? [] : [text];
  });

const missingHint = (what: string, name: string, all: readonly string[], { rolesOnRecords }: Linking): string => {
  if (what !== "role") return "Declare it, or use a name that exists.";
  if (/^(?:nobody|no[ _]?one)$/iu.test(name)) return "Write “none” if no one can do it.";
  // Roles that exist because of deputies are not written.
  const known = all.filter((role) => !all.some((other) => role === `${other}_deputy`)).join(", ");
  const entity = rolesOnRecords.get(name);
  return entity === undefined
    ? `Declare it under “roles” in point 6, or use one of these: ${known}.`
    : `People have it on single records of ${entity}, so it can’t be used here. Use a role that they have everywhere: ${known}.`;
};

/** Reports "There is no field x in Loan." and suggests the most similar name. */
export const reportUnknownName = (
  linking: Linking,
  span: Span,
  what: string,
  name: string,
  known: Iterable<string>,
  { code = "UNKNOWN_NAME", hint }: { readonly code?: FindingCode; readonly hint?: string | undefined } = {},
): void => {
  const all = [...known];
  const near = what === "role" && linking.rolesOnRecords.has(name) ? undefined : nearest(name, all);
  linking.report(
    finding(
      code,
      span,
      `There is no ${what} “${name}”.`,
      near === undefined ? (hint ?? missingHint(what, name, all, linking)) : `Did you mean “${near}”?`,
      near === undefined ? {} : { nearest: near, fix: [{ span, text: near }] },
    ),
  );
};
