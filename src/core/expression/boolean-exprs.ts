import type { Expr } from "./expr.ts";

/* Combinations of conditions. */

const condition = { type: { kind: "boolean" }, missing: false } as const;

/** The condition that is always true. */
export const alwaysTrue: Expr = { kind: "constant", value: true, ...condition, span: { file: "", start: 0, end: 0 } };

export const not = (expr: Expr): Expr => createCall("!boolean", [expr], expr);

export const exists = (expr: Expr): Expr => createCall("any != null", [expr], expr);

/** True if the values differ, or exactly one of them is missing. */
export const differsFrom = (one: Expr, other: Expr): Expr => createCall("same != same", [one, other], one);

/** The conjunction; undefined for no conditions. */
export const every = (exprs: readonly Expr[]): Expr | undefined =>
  exprs.reduce<Expr | undefined>(
    (all, expr) => (all === undefined ? expr : createCall("boolean && boolean", [all, expr], expr)),
    undefined,
  );

/** The disjunction; undefined for no conditions. */
export const some = (exprs: readonly Expr[]): Expr | undefined =>
  exprs.reduce<Expr | undefined>(
    (any, expr) => (any === undefined ? expr : createCall("boolean || boolean", [any, expr], expr)),
    undefined,
  );

const createCall = (
  row: "!boolean" | "any != null" | "same != same" | "boolean && boolean" | "boolean || boolean",
  args: readonly Expr[],
  at: Expr,
): Expr => ({
  kind: "call",
  row,
  args,
  zone: "UTC",
  ...condition,
  span: at.span,
});

/** The conjuncts of a condition: `a && b && c` has three, however bracketed. */
export const splitConjuncts = (condition: Expr): readonly Expr[] =>
  condition.kind === "call" && condition.row === "boolean && boolean"
    ? condition.args.flatMap(splitConjuncts)
    : [condition];
