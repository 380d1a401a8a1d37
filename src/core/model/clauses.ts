import type { Clause, Model } from "./model.ts";

const isClause = (value: object): value is Clause =>
  "id" in value && "span" in value && typeof value.id === "string" && typeof value.span === "object";

/** What of a model is no clause and holds none, and is as large as all the rest together. */
const passedOver = new Set(["rule", "when", "condition", "set", "default", "computed", "ruleType", "span", "from"]);

/** Every clause that a model was made of, once each, in no order. */
export const clausesOf = (model: Model): readonly Clause[] => {
  const found = new Map<string, Clause>();
  const seen = new Set<object>();
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    if (isClause(value)) {
      if (!found.has(value.id)) found.set(value.id, value);
      return;
    }
    if (value instanceof Map) for (const one of value.values()) walk(one);
    else if (Array.isArray(value) || value instanceof Set) for (const one of value) walk(one);
    else for (const [key, one] of Object.entries(value)) if (!passedOver.has(key)) walk(one);
  };
  walk(model);
  return [...found.values()];
};
