import { editsWithin } from "../../document/edits.ts";
import type { Report } from "../../document/shape.ts";
import type { Scalar } from "../../document/tree.ts";
import { readTemplate, type Template } from "../../expression/compile/template.ts";
import { type Expr, partsOf } from "../../expression/expr.ts";
import { heaviest, weightOf } from "../../expression/inspect/complexity.ts";
import { readSetOf } from "../../expression/inspect/read-set.ts";
import type { ComputedFields } from "../../expression/rewrite/expand-computed.ts";
import { inlineNames } from "../../expression/rewrite/inline.ts";
import { type ReadOptions, readRule } from "../../expression/type-check/type-check.ts";
import type { Scope, Type } from "../../expression/values/type.ts";
import { type Finding, type FindingCode, finding } from "../../findings.ts";
import type { Mention } from "../../model/mention.ts";
import type { Clause, Holding } from "../../model/model.ts";
import { type NotExecuted, notExecuted } from "../../model/not-executed.ts";
import { nearest, type Span } from "../../source-text.ts";
import { deepEqual, shallowEqual } from "../../util/deep-equal.ts";

/** What linking the nine points shares: where findings go, and what was used, for the checks that see across points. */
export interface Linking {
  readonly report: Report;
  readonly limitsRead: Set<string>;
  readonly rolesUsed: Set<string>;
  /** Outgoing calls that some effect makes. */
  readonly callsMade: Set<string>;
  /** Transitions that some effect makes, by `Ticket.resume`. */
  readonly madeByEffects: Set<string>;
  /** In the order in which the points are linked. */
  readonly mentions: Mention[];
  /** What each computed field is made of, by `Request.days`; of derived choices, their conditions in order. */
  readonly computed: Map<string, readonly Expr[]>;
  /** How the computed fields that run are had, and how much SQL each makes where it is read. */
  readonly made: Map<string, Made>;
  /** Computed fields in which there is a mistake: what reads them has none. */
  readonly mistaken: Set<string>;
  /** Computed fields that are meant to tell more people than may read what they are made of. */
  readonly disclosed: Set<string>;
  /** Clauses of which a part is not in force. */
  readonly unsettled: Set<string>;
  /** Where that was said, so that it is said once: several clauses may share a text. */
  readonly noted: Set<string>;
}

export interface Made {
  readonly held: Holding;
  readonly weight: number;
}

/** What each computed field is made of, as far as it runs; only of those that are had so, where that is asked. */
export const madeIn =
  ({ made }: Linking, asked: (held: Holding) => boolean = () => true): ComputedFields =>
  (entity, field) => {
    const held = made.get(`${entity}.${field}`)?.held;
    return held !== undefined && "from" in held && asked(held) ? held.from : undefined;
  };

export const linkingTo = (report: Report): Linking => ({
  report,
  limitsRead: new Set(),
  rolesUsed: new Set(),
  callsMade: new Set(),
  madeByEffects: new Set(),
  mentions: [],
  computed: new Map(),
  made: new Map(),
  mistaken: new Set(),
  disclosed: new Set(),
  unsettled: new Set(),
  noted: new Set(),
});

export const clauseAt = (id: string, span: Span): Clause => ({ id, span });

/** Says that a clause is understood and has no effect. */
export const reportNotExecuted = (linking: Linking, kind: NotExecuted, span: Span, clause?: string): void => {
  if (clause !== undefined) linking.unsettled.add(clause);
  const key = `${span.file}:${span.start}:${clause ?? ""}`;
  if (linking.noted.has(key)) return;
  linking.noted.add(key);
  linking.report(
    finding(
      "NOT_EXECUTED",
      span,
      `${notExecuted[kind]}: nothing can execute it.`,
      "Decide what the field is; until then the clause is not in force, and the rest of the document runs.",
      clause === undefined ? {} : { clause },
    ),
  );
};

/** Fields that are not decided cannot be read, nor names that the place does not give. */
export const runsIn = (linking: Linking, given: ReadonlySet<string> = new Set()) => {
  const runs = (expr: Expr): boolean => {
    if (expr.kind === "field" && !isRead(expr)) return false;
    if (expr.kind === "name") return expr.kept !== undefined || given.has(expr.name);
    return partsOf(expr).every(runs);
  };
  const isRead = ({ entity, field, target }: Expr & { kind: "field" }): boolean => {
    if (linking.mistaken.has(`${entity.name}.${field.name}`)) return true;
    if (field.inverse !== undefined) return target !== undefined;
    if (field.column === undefined) return false;
    const name = `${entity.name}.${field.name}`;
    return field.computed !== true || linking.made.has(name);
  };
  return runs;
};

/** How much SQL the fields add to an expression that are computed where they are read. */
export const weightIn =
  ({ made }: Linking, counts: (held: Holding) => boolean) =>
  (entity: string, field: string): number => {
    const one = made.get(`${entity}.${field}`);
    return one !== undefined && counts(one.held) ? one.weight : 0;
  };

/**
 * What was read at a place before. As long as what stands there and the names stay, it says the same, and is the same
 * value: what is known of an expression is known still. One text may be read with the names of several entities.
 */
const known = new WeakMap<Scalar, Map<string, Known>>();

interface Known {
  readonly scope: Scope;
  readonly expected: Type | undefined;
  readonly options: ReadOptions;
  readonly read: ReturnType<typeof readRule>;
}

const readOnce = (
  at: Scalar,
  scope: Scope,
  expected: Type | undefined,
  options: ReadOptions,
): ReturnType<typeof readRule> => {
  const byEntity = known.get(at) ?? new Map<string, Known>();
  known.set(at, byEntity);
  const key = scope.entity ?? "";
  const before = byEntity.get(key);
  if (
    before !== undefined &&
    shallowEqual(before.scope, scope) &&
    deepEqual(before.expected, expected) &&
    shallowEqual(before.options, options)
  )
    return before.read;
  const { value, findings } = readRule(at.text, { ...at.span, start: at.locate(0) }, scope, expected, {
    ...options,
    locate: at.locate,
  });
  const read = { value, findings: findings.map((one) => fixedWithin(at, one)) };
  byEntity.set(key, { scope, expected, options, read });
  return read;
};

/** A finding in an expression, with its fix as YAML writes it there. */
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
  const { value, findings } = readOnce(at, scope, expected, options);
  for (const one of findings) linking.report(one);
  if (value === undefined) return undefined;
  for (const limit of value.type.kind === "unknown" ? limitsIn(at.text, scope) : readSetOf(value).limits)
    linking.limitsRead.add(limit);
  if (
    weightOf(
      value,
      weightIn(linking, ({ as }) => as === "live"),
    ) <= heaviest
  )
    return value;
  linking.report(
    finding(
      "BAD_EXPRESSION",
      at.span,
      "This expression says too much at once, with the computed fields that it reads.",
      "Say “kept: true” beside one of those fields, or read fewer.",
    ),
  );
  return undefined;
};

/** The constants that an expression names which reads what is not decided: nothing more is known of it. */
const limitsIn = (text: string, { limits }: Scope): readonly string[] =>
  [...text.matchAll(/[a-z][a-z0-9_]*/gu)].flatMap(([name]) => (limits.has(name) ? [name] : []));

/** Reads and types an expression of the document at its exact place, whether or not anything executes it. */
export const checkExpression = (
  at: Scalar | undefined,
  scope: Scope,
  expected: Type | undefined,
  linking: Linking,
  options: ReadOptions = {},
): Expr | undefined => (at === undefined ? undefined : readAt(at, scope, expected, linking, options));

/** An expression that runs. One that reads what is not decided is reported, and is not in force. */
export const linkExpression = (
  at: Scalar,
  scope: Scope,
  expected: Type,
  linking: Linking,
  clause: string,
): Expr | undefined => {
  const expr = readAt(at, scope, expected, linking, {});
  if (expr === undefined || runsIn(linking)(expr)) return expr;
  reportNotExecuted(linking, "reads what is not decided", at.span, clause);
  return undefined;
};

/** A condition that nothing meets: what stands in the place of one that cannot be judged. */
export const never = (span: Span): Expr => ({
  kind: "constant",
  value: false,
  type: { kind: "boolean" },
  missing: false,
  span,
});

/** What is not executed as a whole need not say so again for its parts. */
export const withoutNotes = (linking: Linking): Linking => ({
  ...linking,
  report: (found) => (found.severity === "not executed" ? undefined : linking.report(found)),
});

/** A text with values in braces. Parts that cannot run yet are left out. */
export const linkTemplate = (
  at: Scalar,
  scope: Scope,
  linking: Linking,
  clause?: string,
  names: ReadonlyMap<string, Expr> = new Map(),
  given: ReadonlySet<string> = new Set(),
): Template => {
  const read = readTemplate(at.text, at.span, scope, { locate: at.locate });
  for (const one of read.findings) linking.report(fixedWithin(at, one));
  const value: Template = {
    parts: read.value.parts.map((part) => (typeof part === "string" ? part : inlineNames(part, names))),
  };
  const runs = runsIn(linking, given);
  if (value.parts.every((part) => typeof part === "string" || runs(part))) return value;
  reportNotExecuted(linking, "reads what is not decided", at.span, clause);
  return { parts: withoutStopped(value.parts, runs) };
};

/** A part that does not run is left out with the blank beside it: "…" would say that it may not be read. */
const withoutStopped = (parts: Template["parts"], runs: (part: Expr) => boolean): Template["parts"] =>
  parts.flatMap((part, i): readonly (string | Expr)[] => {
    if (typeof part !== "string") return runs(part) ? [part] : [];
    const before = parts[i - 1];
    const afterStopped = before !== undefined && typeof before !== "string" && !runs(before);
    const text = afterStopped ? part.replace(/^[\s,·–-]+/u, "") : part;
    return text === "" ? [] : [text];
  });

const missingHint = (what: string, name: string, known: readonly string[]): string => {
  if (what !== "role") return "Declare it, or name one that exists.";
  if (/^(?:nobody|no[ _]?one)$/iu.test(name)) return "Write “none” where nobody may.";
  return `Declare it under “roles” in point 6, or name one of these: ${known.join(", ")}.`;
};

/** "There is no field x in Loan." with the name that was probably meant. */
export const unknownName = (
  linking: Linking,
  span: Span,
  what: string,
  name: string,
  known: Iterable<string>,
  code: FindingCode = "UNKNOWN_NAME",
  hint?: string,
): void => {
  const all = [...known];
  const near = nearest(name, all);
  linking.report(
    finding(
      code,
      span,
      `There is no ${what} “${name}”.`,
      near === undefined ? (hint ?? missingHint(what, name, all)) : `Did you mean “${near}”?`,
      near === undefined ? {} : { nearest: near, fix: [{ span, text: near }] },
    ),
  );
};
