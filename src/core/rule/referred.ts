import { type Expr, withParts } from "./expr.ts";
import { readsOf } from "./reads.ts";

/**
 * A condition on a record that reads it through one reference alone, as a condition on the record that it refers to:
 * `trip.status == booked` of a stop is, on its trip, `status == booked`. Undefined where it reads the record otherwise.
 */
export const onReferred = (expr: Expr, reference: string): Expr | undefined => {
  const paths = [...readsOf(expr).paths];
  if (!paths.every((path) => path === reference || path.startsWith(`${reference}.`))) return undefined;
  const there = (part: Expr): Expr =>
    part.kind === "field" && part.of.kind === "this" && part.field.name === reference
      ? { kind: "this", type: part.type, missing: false, span: part.span }
      : withParts(part, there);
  return there(expr);
};
