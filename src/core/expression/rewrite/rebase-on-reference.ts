import { type Expr, mapParts } from "../expr.ts";
import { toFieldPath } from "../inspect/field-path.ts";
import { collectReadSet } from "../inspect/read-set.ts";

/**
 * Turns a condition that reads the current record only through one reference (or path of references) into a condition
 * on the referenced record: `trip.status == booked` of a stop becomes `status == booked` of its trip. Undefined if the
 * condition reads anything else of the record.
 */
export const rebaseOnReference = (expr: Expr, reference: string): Expr | undefined => {
  const paths = [...collectReadSet(expr).paths];
  if (!paths.every((path) => path === reference || path.startsWith(`${reference}.`))) return undefined;
  const rebase = (part: Expr): Expr =>
    toFieldPath(part) === reference
      ? { kind: "this", type: part.type, missing: false, span: part.span }
      : mapParts(part, rebase);
  return rebase(expr);
};

/**
 * The condition on each element of a filtered list of all records: `status == in_service` for `Instrument.filter(i,
 * i.status == in_service)`. Undefined for any other list, or if it depends on the current record.
 */
export const elementCondition = (list: Expr): Expr | undefined => {
  if (list.kind !== "each" || list.row !== "filter" || list.list.kind !== "all") return undefined;
  if (collectReadSet(list).paths.size > 0) return undefined;
  const rebase = (part: Expr): Expr => {
    if (part.kind === "variable" && part.level === list.level)
      return { kind: "this", type: part.type, missing: false, span: part.span };
    return mapParts(
      part.kind === "variable" || part.kind === "each" ? { ...part, level: part.level - 1 } : part,
      rebase,
    );
  };
  return rebase(list.body);
};
