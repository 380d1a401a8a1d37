import type { Span } from "../source-text.ts";
import type { Each, Operation } from "./operations/operations.ts";
import type { Kept } from "./values/seed-record.ts";
import type { EntityShape, FieldShape, Type } from "./values/type.ts";
import type { Value } from "./values/value.ts";

/**
 * An expression that was read and typed: names are resolved, each operation is one row of the table in `meaning.ts`,
 * and every conversion (a whole number among decimals) is written out.
 */
export type Expr = {
  readonly type: Type;
  /** Whether it may be missing, overflows aside. What `x != null && …` has made sure of is not. */
  readonly missing: boolean;
  readonly span: Span;
} & (
  | { readonly kind: "constant"; readonly value: Value; readonly limit?: string }
  /** The record at hand, the same before the write, the person; the instant and the date of the request. */
  | { readonly kind: "this" | "old" | "user" | "now" | "today" }
  /** A field of a record; `target` is the entity that a reference or a list of records leads to. */
  | {
      readonly kind: "field";
      readonly of: Expr;
      readonly entity: EntityShape;
      readonly field: FieldShape;
      readonly target?: EntityShape;
    }
  /** A name that the place gives: a part of a rule, `input.kind`; or a record that the document keeps, `Kind.travel`. */
  | { readonly kind: "name"; readonly name: string; readonly target?: EntityShape; readonly kept?: Kept }
  /** What a list is gone through with; `level` counts the lists around it. */
  | { readonly kind: "variable"; readonly name: string; readonly level: number }
  /** All records of an entity. */
  | { readonly kind: "all"; readonly entity: EntityShape }
  | { readonly kind: "list"; readonly items: readonly Expr[] }
  | { readonly kind: "call"; readonly row: Operation; readonly args: readonly Expr[]; readonly zone: string }
  /** `list.filter(name, body)` and what else goes through a list; `level` is that of its variable. */
  | {
      readonly kind: "each";
      readonly row: Each;
      readonly list: Expr;
      readonly name: string;
      readonly level: number;
      readonly body: Expr;
    }
);

/** The expressions that an expression is made of. */
export const partsOf = (expr: Expr): readonly Expr[] => {
  switch (expr.kind) {
    case "field":
      return [expr.of];
    case "list":
      return expr.items;
    case "call":
      return expr.args;
    case "each":
      return [expr.list, expr.body];
    default:
      return [];
  }
};

/**
 * The expression with other expressions for those that it is made of, and the same expression where none is another: what is
 * known of it is then known still. `inList` is asked for what is done with each element of a list.
 */
export const withParts = (expr: Expr, part: (part: Expr) => Expr, inList: (body: Expr) => Expr = part): Expr => {
  switch (expr.kind) {
    case "field": {
      const of = part(expr.of);
      return of === expr.of ? expr : { ...expr, of };
    }
    case "list": {
      const items = each(expr.items, part);
      return items === expr.items ? expr : { ...expr, items };
    }
    case "call": {
      const args = each(expr.args, part);
      return args === expr.args ? expr : { ...expr, args };
    }
    case "each": {
      const [list, body] = [part(expr.list), inList(expr.body)];
      return list === expr.list && body === expr.body ? expr : { ...expr, list, body };
    }
    default:
      return expr;
  }
};

const each = (parts: readonly Expr[], change: (part: Expr) => Expr): readonly Expr[] => {
  const changed = parts.map(change);
  return changed.some((part, i) => part !== parts[i]) ? changed : parts;
};

/** A number that is made, not read, and so may be too large to leave its expression. */
export const isComputedNumber = ({ kind, type }: Expr): boolean =>
  kind === "call" && (type.kind === "decimal" || type.kind === "money");
