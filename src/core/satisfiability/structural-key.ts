import { type Expr, mapParts, subexpressions } from "../expression/expr.ts";
import type { Type } from "../expression/values/type.ts";

/** A key that is equal for two expressions exactly if they are structurally equal on records of the same entity. */
export const structuralKey = (expr: Expr): string => {
  if (subexpressions(expr).length === 0) return buildKey(expr);
  const before = keys.get(expr);
  if (before !== undefined) return before;
  const key = buildKey(expr);
  keys.set(expr, key);
  return key;
};

/** Several analyses ask for the key of the same expression. That of one without parts is as soon built as found. */
const keys = new WeakMap<Expr, string>();

const buildKey = (expr: Expr): string => {
  switch (expr.kind) {
    case "this":
    case "old":
      return expr.type.kind === "record" ? `${expr.kind} ${expr.type.entity}` : expr.kind;
    case "constant":
      return `${expr.limit === undefined ? getWord(expr.type) : expr.limit} ${JSON.stringify(expr.value)}`;
    case "field":
      return `${structuralKey(expr.of)}.${expr.field.name}`;
    case "name":
      return `name ${expr.name}`;
    case "variable":
      return `variable ${expr.level}`;
    case "all":
      return `all ${expr.entity.name}`;
    case "list":
      return `[${expr.items.map(structuralKey).join(", ")}]`;
    case "call":
      return `(${expr.row})(${expr.args.map(structuralKey).join(", ")})`;
    case "each":
      return `${structuralKey(expr.list)}.${expr.row}(${expr.level}, ${structuralKey(expr.body)})`;
    default:
      return expr.kind;
  }
};

/** A text compared with a choice is a value of that choice. */
const getWord = ({ kind }: Type): string => (kind === "choice" ? "text" : kind);

/** Substitutes expressions for fields of the record. An expression without these fields is returned unchanged. */
export const withFields = (expr: Expr, fields: ReadonlyMap<string, Expr>): Expr => {
  const replacement = expr.kind === "field" && expr.of.kind === "this" ? fields.get(expr.field.name) : undefined;
  return replacement ?? mapParts(expr, (part) => withFields(part, fields));
};

/** Number of nodes of an expression. */
export const countNodes = (expr: Expr): number => {
  let count = 1;
  for (const part of subexpressions(expr)) count += countNodes(part);
  return count;
};

/** True for a path from the record or the user, without calculations. */
export const isPath = (expr: Expr): boolean =>
  expr.kind === "field"
    ? expr.field.inverse === undefined && isPath(expr.of)
    : expr.kind === "this" || expr.kind === "old" || expr.kind === "user" || expr.kind === "name";

/** True for a seed record: `Kind.travel`. */
export const isSeedRecord = (expr: Expr): boolean => expr.kind === "name" && expr.seedRecord !== undefined;

/** Finds the place where an expression reads a field of its own record. */
export const ownField = (name: string, expr: Expr): Expr | undefined => {
  if (expr.kind === "field" && expr.of.kind === "this" && expr.field.name === name) return expr;
  for (const part of subexpressions(expr)) {
    const found = ownField(name, part);
    if (found !== undefined) return found;
  }
  return undefined;
};
