import { type Expr, partsOf, withParts } from "../expression/expr.ts";
import type { Type } from "../expression/values/type.ts";

/**
 * Two expressions have the same structure exactly when they say the same of records of the same entity, letter for
 * letter: how a part is found again, and an answer.
 */
export const structureOf = (expr: Expr): string => {
  switch (expr.kind) {
    case "this":
    case "old":
      return expr.type.kind === "record" ? `${expr.kind} ${expr.type.entity}` : expr.kind;
    case "constant":
      return `${expr.limit === undefined ? wordFor(expr.type) : expr.limit} ${JSON.stringify(expr.value)}`;
    case "field":
      return `${structureOf(expr.of)}.${expr.field.name}`;
    case "name":
      return `name ${expr.name}`;
    case "variable":
      return `variable ${expr.level}`;
    case "all":
      return `all ${expr.entity.name}`;
    case "list":
      return `[${expr.items.map(structureOf).join(", ")}]`;
    case "call":
      return `(${expr.row})(${expr.args.map(structureOf).join(", ")})`;
    case "each":
      return `${structureOf(expr.list)}.${expr.row}(${expr.level}, ${structureOf(expr.body)})`;
    default:
      return expr.kind;
  }
};

/** A text that is compared with a choice is a choice. */
const wordFor = ({ kind }: Type): string => (kind === "choice" ? "text" : kind);

/**
 * The expression with other expressions for fields of its own record: what it says of a record whose fields are these.
 * What names none of them is the same expression.
 */
export const withFields = (expr: Expr, fields: ReadonlyMap<string, Expr>): Expr => {
  const given = expr.kind === "field" && expr.of.kind === "this" ? fields.get(expr.field.name) : undefined;
  return given ?? withParts(expr, (part) => withFields(part, fields));
};

/** `a && b && c` is three conditions, however they are bracketed. */
export const conjunctsOf = (condition: Expr): readonly Expr[] =>
  condition.kind === "call" && condition.row === "boolean && boolean"
    ? condition.args.flatMap(conjunctsOf)
    : [condition];

/** How many parts an expression has. */
export const sizeOf = (expr: Expr): number => partsOf(expr).reduce((sum, part) => sum + sizeOf(part), 1);

/** What leads from the record or the person to a value, without calculating anything. */
export const isPath = (expr: Expr): boolean =>
  expr.kind === "field"
    ? expr.field.inverse === undefined && isPath(expr.of)
    : expr.kind === "this" || expr.kind === "old" || expr.kind === "user" || expr.kind === "name";

/** A record that the document keeps: `Kind.travel`. */
export const isKept = (expr: Expr): boolean => expr.kind === "name" && expr.kept !== undefined;

/** Where an expression reads a field of its own record. */
export const ownField = (name: string, expr: Expr): Expr | undefined => {
  if (expr.kind === "field" && expr.of.kind === "this" && expr.field.name === name) return expr;
  for (const part of partsOf(expr)) {
    const found = ownField(name, part);
    if (found !== undefined) return found;
  }
  return undefined;
};
