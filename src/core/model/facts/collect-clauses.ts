import type { Clause } from "../clause.ts";
import type { Model } from "../model.ts";

const isClause = (value: object): value is Clause =>
  "id" in value && "span" in value && typeof value.id === "string" && typeof value.span === "object";

/** Members of the model without clauses, skipped because they make up most of its size. */
const passedOver = new Set([
  "rule",
  "when",
  "guardAndPreconditions",
  "condition",
  "set",
  "default",
  "computed",
  "ruleType",
  "span",
  "from",
]);

/** Every clause of a model, once each, in no particular order. */
export const collectClauses = (model: Model): readonly Clause[] => {
  const found = new Map<string, Clause>();
  const seen = new Set<object>();
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    if (isClause(value)) {
      if (!found.has(value.id)) found.set(value.id, value);
      return;
    }
    if (value instanceof Map) for (const item of value.values()) walk(item);
    else if (Array.isArray(value) || value instanceof Set) for (const item of value) walk(item);
    else for (const [key, inner] of Object.entries(value)) if (!passedOver.has(key)) walk(inner);
  };
  walk(model);
  return [...found.values()];
};
