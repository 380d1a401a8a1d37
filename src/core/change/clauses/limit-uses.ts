import { type Expr, subexpressions } from "../../expression/expr.ts";
import type { Model } from "../../model/model.ts";
import { isExpr } from "../meaning.ts";

/** `2./.4` comes before `2./.11`. */
const order = new Intl.Collator("en", { numeric: true });

/** The clauses whose expressions read a constant, in the order of the points: `4.Ticket.close`. */
export const findLimitUses = (model: Model, name: string): readonly string[] => {
  const found = new Set<string>();
  const seen = new Set<object>();
  const reads = (expr: Expr): boolean =>
    (expr.kind === "constant" && expr.limit === name) || subexpressions(expr).some(reads);
  const visit = (value: unknown, clause: string | null): void => {
    if (typeof value !== "object" || value === null || seen.has(value)) return;
    seen.add(value);
    if (isExpr(value)) {
      if (clause !== null && reads(value)) found.add(clause);
      return;
    }
    if (value instanceof Map || value instanceof Set || Array.isArray(value)) {
      for (const item of value.values()) visit(item, clause);
      return;
    }
    const own = "clause" in value ? findClauseId(value.clause) : null;
    for (const item of Object.values(value)) visit(item, own ?? clause);
  };
  visit(model, null);
  return [...found].toSorted((a, b) => order.compare(a, b));
};

const findClauseId = (clause: unknown): string | null => {
  if (typeof clause === "string") return clause;
  return typeof clause === "object" && clause !== null && "id" in clause ? String(clause.id) : null;
};
