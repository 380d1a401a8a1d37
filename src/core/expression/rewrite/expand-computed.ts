import { type Expr, mapParts } from "../expr.ts";

/** The expression of a computed field; undefined for other fields. */
export type ComputedFields = (entity: string, field: string) => Expr | undefined;

/**
 * Replaces each computed field by its expression, on the record to which the field belongs: `r.days > 3` becomes
 * `days_between(r.first_day, r.last_day) + 1 > 3`. The result shows all that the expression reads.
 */
export const expandComputed = (expr: Expr, computed: ComputedFields): Expr => expand(expr, { computed, depth: 0 });

/**
 * The context into which an expression is inlined: the record that replaces `this`, and the number of enclosing lists.
 */
interface Place {
  readonly computed: ComputedFields;
  readonly record?: Expr;
  /** Number of enclosing lists at the target that the expression itself does not have. */
  readonly depth: number;
}

const expand = (expr: Expr, place: Place, around = 0): Expr => {
  switch (expr.kind) {
    case "this":
      return place.record ?? expr;
    case "variable":
      return place.depth === 0 ? expr : { ...expr, level: expr.level + place.depth };
    case "field": {
      const of = expand(expr.of, place, around);
      const computed = place.computed(expr.entity.name, expr.field.name);
      if (computed === undefined) return of === expr.of ? expr : { ...expr, of };
      return expand(computed, { computed: place.computed, record: of, depth: place.depth + around });
    }
    case "each": {
      const deeper = place.depth === 0 ? expr : { ...expr, level: expr.level + place.depth };
      return mapParts(
        deeper,
        (part) => expand(part, place, around),
        (body) => expand(body, place, expr.level + 1),
      );
    }
    case "call":
    case "list":
      return mapParts(expr, (part) => expand(part, place, around));
    default:
      return expr;
  }
};
