import { type Expr, withParts } from "../expr.ts";
import { readSetOf } from "../inspect/read-set.ts";

/** A field of the record at hand, and of what it refers to, as it is written: `line.request`. Undefined for what is no path. */
const pathOf = (expr: Expr): string | undefined => {
  if (expr.kind !== "field") return undefined;
  if (expr.of.kind === "this") return expr.field.name;
  const before = pathOf(expr.of);
  return before === undefined ? undefined : `${before}.${expr.field.name}`;
};

/**
 * A condition on a record that reads it through one reference alone, as a condition on the record that it refers to:
 * `trip.status == booked` of a stop is, on its trip, `status == booked`; a path of references is one as well. Undefined
 * where it reads the record otherwise.
 */
export const rebaseOnReference = (expr: Expr, reference: string): Expr | undefined => {
  const paths = [...readSetOf(expr).paths];
  if (!paths.every((path) => path === reference || path.startsWith(`${reference}.`))) return undefined;
  const there = (part: Expr): Expr =>
    pathOf(part) === reference
      ? { kind: "this", type: part.type, missing: false, span: part.span }
      : withParts(part, there);
  return there(expr);
};

/**
 * What a list of the records of an entity asks of each: `status == in_service` of `Instrument.filter(i, i.status ==
 * in_service)`. Undefined where it is another list, or depends on the record at hand.
 */
export const elementCondition = (list: Expr): Expr | undefined => {
  if (list.kind !== "each" || list.row !== "filter" || list.list.kind !== "all") return undefined;
  if (readSetOf(list).paths.size > 0) return undefined;
  const there = (part: Expr): Expr => {
    if (part.kind === "variable" && part.level === list.level)
      return { kind: "this", type: part.type, missing: false, span: part.span };
    return withParts(
      part.kind === "variable" || part.kind === "each" ? { ...part, level: part.level - 1 } : part,
      there,
    );
  };
  return there(list.body);
};
