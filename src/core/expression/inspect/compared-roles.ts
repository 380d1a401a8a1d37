import { type Expr, subexpressions } from "../expr.ts";

const isRoles = (expr: Expr): boolean =>
  expr.kind === "field" && expr.entity.name === "User" && expr.field.name === "roles";

type Constant = Expr & { readonly kind: "constant" };

/** The constant texts among expressions, also in lists. */
const listTexts = (exprs: readonly Expr[]): readonly Constant[] =>
  exprs.flatMap((expr): readonly Constant[] =>
    expr.kind === "list"
      ? listTexts(expr.items)
      : expr.kind === "constant" && typeof expr.value === "string"
        ? [expr]
        : [],
  );

/** The calls in the body of a list operation that compare its variable: `r == 'keeper'` in `roles.exists(r, …)`. */
const listComparisons = (body: Expr, level: number): readonly (Expr & { readonly kind: "call" })[] => [
  ...(body.kind === "call" && body.args.some((arg) => arg.kind === "variable" && arg.level === level) ? [body] : []),
  ...subexpressions(body).flatMap((part) => listComparisons(part, level)),
];

/**
 * The names of roles that an expression compares with the roles of a person, each with its place: `'keeper' in u.roles`, and
 * `u.roles.exists(r, r == 'keeper')`. Those of its parts are not among them.
 */
export const listComparedRoles = (expr: Expr): readonly Constant[] => {
  if (expr.kind === "call" && expr.args.some(isRoles)) return listTexts(expr.args);
  if (expr.kind === "each" && isRoles(expr.list))
    return listComparisons(expr.body, expr.level).flatMap(({ args }) => listTexts(args));
  return [];
};
