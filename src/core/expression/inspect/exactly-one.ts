import { every, not, some } from "../boolean-exprs.ts";
import { type Expr, subexpressions } from "../expr.ts";

/**
 * The condition under which every evaluated `.one` finds exactly one record. It is on the same record and never
 * missing. Undefined if the expression evaluates no `.one`.
 *
 * `x == null || Rate.one(r, r.of == x).value > 3` evaluates it only if x exists, and so needs `x == null ||
 * Rate.count(r, r.of == x) == 1`.
 */
export const conditionForOne = (expr: Expr): Expr | undefined =>
  listsOfOne(expr).length === 0 ? undefined : conditionFor(expr);

const conditionFor = (expr: Expr): Expr | undefined => {
  if (expr.kind === "each") {
    const body = conditionFor(expr.body);
    const { list, span } = expr;
    const inside: Expr | undefined = body && { ...expr, row: "all", body, ...condition, span };
    return every(present(conditionFor(list), inside));
  }
  if (expr.kind !== "call") return every(subexpressions(expr).flatMap((part) => present(conditionFor(part))));
  const [a, b, c] = expr.args;
  if (a === undefined) return undefined;
  const [first, second, third] = [a, b, c].map((arg) => arg && conditionFor(arg));
  switch (expr.row) {
    case "one([any])":
      return every(present(first, isOnly(a, expr)));
    case "boolean && boolean":
      return every(present(first, second && some([not(a), second])));
    case "boolean || boolean":
      return every(present(first, second && some([a, second])));
    case "boolean ? boolean : boolean":
    case "boolean ? any : any":
    case "boolean ? [any] : [any]":
      return every(present(first, second && some([not(a), second]), third && some([a, third])));
    default:
      return every(present(first, second, third));
  }
};

const condition = { type: { kind: "boolean" }, missing: false } as const;
const integer = { type: { kind: "integer" }, missing: false } as const;

const present = (...exprs: readonly (Expr | undefined)[]): readonly Expr[] =>
  exprs.filter((expr) => expr !== undefined);

const isOnly = (list: Expr, { zone, span }: Expr & { kind: "call" }): Expr => {
  const count: Expr = { kind: "call", row: "count([any])", args: [list], zone, ...integer, span };
  return {
    kind: "call",
    row: "same == same",
    args: [count, { kind: "constant", value: 1, ...integer, span }],
    zone,
    ...condition,
    span,
  };
};

/** The entities of which a condition from `conditionForOne` needs exactly one record. */
export const entitiesOfOne = (found: Expr): readonly string[] => {
  const [counted] = found.kind === "call" && found.row === "count([any])" ? found.args : [];
  const { type } = counted ?? found;
  const own = counted !== undefined && type.kind === "list" && type.of.kind === "record" ? [type.of.entity] : [];
  return [...new Set([...own, ...subexpressions(found).flatMap(entitiesOfOne)])];
};

/** The lists in which an expression looks for exactly one record. */
export const listsOfOne = (expr: Expr): readonly Expr[] => {
  const lists: Expr[] = [];
  const visit = (part: Expr): void => {
    if (part.kind === "call" && part.row === "one([any])") lists.push(...part.args);
    for (const inner of subexpressions(part)) visit(inner);
  };
  visit(expr);
  return lists;
};

/** True if an expression can be missing although every `.one` finds a record. */
export const missesOtherwise = (expr: Expr): boolean => {
  if (!expr.missing || conditionForOne(expr) === undefined) return expr.missing;
  if (expr.kind === "field") return expr.field.optional || missesOtherwise(expr.of);
  return expr.kind !== "call" || (expr.row !== "one([any])" && expr.args.some(missesOtherwise));
};
