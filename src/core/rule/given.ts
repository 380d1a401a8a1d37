import type { Expr } from "./expr.ts";
import { rowOf } from "./meaning.ts";

/** What stands for the same value wherever it stands in one expression: a path or a name. */
export const keyOf = (expr: Expr): string | undefined => {
  switch (expr.kind) {
    case "this":
    case "old":
    case "user":
      return expr.kind;
    case "name":
      return `name ${expr.name}`;
    case "variable":
      return `variable ${expr.level}`;
    case "field": {
      const of = keyOf(expr.of);
      return of === undefined ? undefined : `${of}.${expr.field.name}`;
    }
    default:
      return undefined;
  }
};

/** The paths that must be there where an expression is: itself, what it leads through, what an operator spreads. */
const neededBy = (expr: Expr): readonly string[] => {
  if (expr.kind === "call") return rowOf(expr.row).missing === "spreads" ? expr.args.flatMap(neededBy) : [];
  const key = keyOf(expr);
  return key === undefined ? [] : [key, ...(expr.kind === "field" ? neededBy(expr.of) : [])];
};

/** What is there when a condition is true. */
export const whenTrue = (expr: Expr): readonly string[] => {
  if (expr.kind !== "call") return [];
  const [a, b] = expr.args;
  if (a === undefined) return [];
  switch (expr.row) {
    case "any != null":
      return neededBy(a);
    case "boolean && boolean":
      return expr.args.flatMap(whenTrue);
    case "!boolean":
      return whenFalse(a);
    case "same == same":
      return b ? [...(b.missing ? [] : neededBy(a)), ...(a.missing ? [] : neededBy(b))] : [];
    default:
      return rowOf(expr.row).missing === "refuses" ? expr.args.flatMap(neededBy) : [];
  }
};

/** What is there when a condition is false. */
export const whenFalse = (expr: Expr): readonly string[] => {
  if (expr.kind !== "call") return [];
  const [a, b] = expr.args;
  if (a === undefined) return [];
  switch (expr.row) {
    case "any == null":
      return neededBy(a);
    case "boolean || boolean":
      return expr.args.flatMap(whenFalse);
    case "!boolean":
      return whenTrue(a);
    case "same != same":
      return b ? [...(b.missing ? [] : neededBy(a)), ...(a.missing ? [] : neededBy(b))] : [];
    default:
      return [];
  }
};
