import { type Expr, withParts } from "../expr.ts";

/** What a computed field is made of; undefined for one that is not computed. */
export type ComputedFields = (entity: string, field: string) => Expr | undefined;

/**
 * The expression with each computed field written out as what it is made of, on the record whose field it is:
 * `r.days > 3` becomes `days_between(r.first_day, r.last_day) + 1 > 3`. What it reads can then be asked of it.
 */
export const expandComputed = (expr: Expr, computed: ComputedFields): Expr => replaced(expr, { computed, depth: 0 });

/** What `this` of an expression stands for where it is written into another, and how many lists stand around it there. */
interface Place {
  readonly computed: ComputedFields;
  readonly record?: Expr;
  /** The lists around the place that the expression itself does not have around it. */
  readonly depth: number;
}

const replaced = (expr: Expr, place: Place, around = 0): Expr => {
  const within = (part: Expr) => replaced(part, place, around);
  switch (expr.kind) {
    case "this":
      return place.record ?? expr;
    case "variable":
      return place.depth === 0 ? expr : { ...expr, level: expr.level + place.depth };
    case "field": {
      const of = within(expr.of);
      const made = place.computed(expr.entity.name, expr.field.name);
      if (made === undefined) return withParts(expr, () => of);
      return replaced(made, { computed: place.computed, record: of, depth: place.depth + around });
    }
    case "each": {
      const deeper = place.depth === 0 ? expr : { ...expr, level: expr.level + place.depth };
      return withParts(deeper, within, (body) => replaced(body, place, expr.level + 1));
    }
    default:
      return withParts(expr, within);
  }
};
