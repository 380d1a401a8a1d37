import type { Expr } from "../expr.ts";

/** True for a comparison with the roles of a person, in which texts are names of roles: `'keeper' in u.roles`. */
export const comparesRoles = (expr: Expr): expr is Expr & { readonly kind: "call" } =>
  expr.kind === "call" && expr.args.some(isRoles);

const isRoles = (expr: Expr): boolean =>
  expr.kind === "field" && expr.entity.name === "User" && expr.field.name === "roles";

/** The names of roles in such a comparison, each with its place; none in any other expression. */
export const listComparedRoles = (expr: Expr): readonly (Expr & { readonly kind: "constant" })[] =>
  comparesRoles(expr)
    ? expr.args.flatMap((arg) => (arg.kind === "constant" && typeof arg.value === "string" ? [arg] : []))
    : [];
