import { type Expr, mapParts } from "../expression/expr.ts";
import { structuralKey } from "../satisfiability/structural-key.ts";

/**
 * Members without a meaning of their own: spans, ids, and facts derived from other members. A template says what its
 * `message` does, with resolved names.
 */
const skipped = new Set(["span", "clause", "table", "reads", "recordReads", "like", "message"]);

/**
 * A text that is equal for two parts of models exactly if they mean the same. The order of maps and sets does not
 * matter; the order of lists does. A constant of point 9 is compared by name, not by value.
 */
export const toMeaningKey = (value: unknown): string => createKey(value, withoutLimitValues);

const createKey = (value: unknown, prepare: (expr: Expr) => Expr): string => {
  if (value === undefined) return "undefined";
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (isExpr(value)) return `‹${structuralKey(prepare(value))}›`;
  const toKey = (inner: unknown): string => createKey(inner, prepare);
  if (value instanceof Map)
    return `{${[...value]
      .map(([name, inner]) => `${JSON.stringify(name)}: ${toKey(inner)}`)
      .toSorted()
      .join(", ")}}`;
  if (value instanceof Set) return `{${[...value].map(toKey).toSorted().join(", ")}}`;
  if (Array.isArray(value)) return `[${value.map(toKey).join(", ")}]`;
  if ("toJSON" in value) return JSON.stringify(value);
  const members = Object.entries(value).filter(([name]) => !skipped.has(name));
  return `{${members
    .map(([name, inner]) => `${name}: ${toKey(inner)}`)
    .toSorted()
    .join(", ")}}`;
};

/** A constant and its value mean the same today. */
export const hasSameMeaning = (one: unknown, other: unknown): boolean =>
  one === other ||
  toMeaningKey(one) === toMeaningKey(other) ||
  createKey(one, withoutLimitNames) === createKey(other, withoutLimitNames);

export const isExpr = (value: object): value is Expr =>
  "kind" in value && "type" in value && "missing" in value && "span" in value;

const withoutLimitValues = (expr: Expr): Expr => {
  const limit = findLimit(expr);
  if (limit === undefined) return mapParts(expr, withoutLimitValues);
  const { type, missing, span } = expr;
  return { kind: "constant", limit, value: null, type, missing, span };
};

/** The constant that an expression is, alone or as a list of its values. */
const findLimit = (expr: Expr): string | undefined => {
  if (expr.kind === "constant") return expr.limit;
  if (expr.kind !== "list") return undefined;
  const [first] = expr.items;
  const limit = first?.kind === "constant" ? first.limit : undefined;
  return expr.items.every((item) => item.kind === "constant" && item.limit === limit) ? limit : undefined;
};

const withoutLimitNames = (expr: Expr): Expr => {
  if (expr.kind !== "constant" || expr.limit === undefined) return mapParts(expr, withoutLimitNames);
  const { limit: _, ...plain } = expr;
  return plain;
};
