import type { Span } from "../source-text.ts";
import type { IteratorName } from "./operations/iterators.ts";
import type { Operation } from "./operations/operations.ts";
import type { SeedRecord } from "./values/seed-record.ts";
import type { EntityShape, FieldShape, Type } from "./values/type.ts";
import type { Value } from "./values/value.ts";

/**
 * A typed expression: names are resolved, each operation is a row of the operation table, and every conversion, such as
 * from a whole number to a decimal, is explicit.
 */
export type Expr = {
  readonly type: Type;
  /** True if the value can be missing, apart from overflow. A check such as `x != null && …` narrows it to false. */
  readonly missing: boolean;
  readonly span: Span;
} & (
  | { readonly kind: "constant"; readonly value: Value; readonly limit?: string }
  /** The current record, the record before the write, the user; date and time of the request. */
  | { readonly kind: "this" | "old" | "user" | "now" | "today" }
  /** A field of a record; `target` is the entity that a reference or a list of records refers to. */
  | {
      readonly kind: "field";
      readonly of: Expr;
      readonly entity: EntityShape;
      readonly field: FieldShape;
      readonly target?: EntityShape;
    }
  /** A name from the context, such as an input of a rule or `input.kind`, or a seed record such as `Kind.travel`. */
  | { readonly kind: "name"; readonly name: string; readonly target?: EntityShape; readonly seedRecord?: SeedRecord }
  /** The variable of a list operation; `level` counts the enclosing list operations. */
  | { readonly kind: "variable"; readonly name: string; readonly level: number }
  /** All records of an entity. */
  | { readonly kind: "all"; readonly entity: EntityShape }
  | { readonly kind: "list"; readonly items: readonly Expr[] }
  | { readonly kind: "call"; readonly row: Operation; readonly args: readonly Expr[]; readonly zone: string }
  /** `list.filter(name, body)` and other list operations; `level` is that of the variable. */
  | {
      readonly kind: "each";
      readonly row: IteratorName;
      readonly list: Expr;
      readonly name: string;
      readonly level: number;
      readonly body: Expr;
    }
);

const noParts: readonly Expr[] = [];

/** The direct subexpressions. */
export const subexpressions = (expr: Expr): readonly Expr[] => {
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
      return noParts;
  }
};

/**
 * Replaces the direct subexpressions. Returns the identical object if none changes, so that cached facts about it stay
 * valid. `inList` replaces the body of a list operation.
 */
export const mapParts = (expr: Expr, part: (part: Expr) => Expr, inList: (body: Expr) => Expr = part): Expr => {
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
  let changed: Expr[] | undefined;
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] as Expr;
    const now = change(part);
    if (now !== part) changed ??= parts.slice(0, i);
    changed?.push(now);
  }
  return changed ?? parts;
};

/** True for a computed decimal, which can be too large to be a result. */
export const isComputedNumber = ({ kind, type }: Expr): boolean =>
  kind === "call" && (type.kind === "decimal" || type.kind === "money");
