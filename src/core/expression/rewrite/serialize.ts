import Big from "big.js";
import type { Json } from "../../wire/json.ts";
import type { Expr } from "../expr.ts";
import type { IteratorName } from "../operations/iterators.ts";
import type { Operation } from "../operations/operations.ts";
import type { EntityShape, FieldShape, Type } from "../values/type.ts";
import type { Value } from "../values/value.ts";

/*
 * Serialization of typed expressions for the browser, which evaluates them with the same code as the server. Data for
 * SQL and the editor is omitted: spans, columns, the other fields of an entity.
 */

/** Serializes the expression as plain JSON. */
export const serializeExpr = (expr: Expr): Json => {
  const { type, missing } = expr;
  const as = (more: Readonly<Record<string, Json>>): Json => ({
    kind: expr.kind,
    type,
    missing,
    ...more,
  });
  switch (expr.kind) {
    case "constant":
      return as({ value: expr.value instanceof Big ? { big: expr.value.toFixed() } : (expr.value as Json) });
    case "field": {
      const { name, type: of, optional, inverse } = expr.field;
      const field = { name, type: of, optional, ...(inverse === undefined ? {} : { inverse }) };
      return as({ of: serializeExpr(expr.of), entity: expr.entity.name, field });
    }
    case "name":
      return as({ name: expr.name });
    case "variable":
      return as({ name: expr.name, level: expr.level });
    case "all":
      return as({ entity: expr.entity.name });
    case "list":
      return as({ items: expr.items.map(serializeExpr) });
    case "call":
      return as({ row: expr.row, args: expr.args.map(serializeExpr), zone: expr.zone });
    case "each":
      return as({
        row: expr.row,
        list: serializeExpr(expr.list),
        name: expr.name,
        level: expr.level,
        body: serializeExpr(expr.body),
      });
    default:
      return as({});
  }
};

const nowhere = { start: 0, end: 0 } as Expr["span"];
const getShape = (name: string): EntityShape => ({ name, table: "", fields: new Map() });

type SerializedNode = { readonly [key: string]: Json };
const inner = (json: Json | undefined): SerializedNode => json as SerializedNode;
const toFieldShape = ({ name, type, optional, inverse }: SerializedNode): FieldShape => ({
  name: String(name),
  type: type as Type,
  optional: optional === true,
  ...(inverse === undefined ? {} : { inverse: inverse as NonNullable<FieldShape["inverse"]> }),
});
const list = (json: Json | undefined): readonly Json[] => json as readonly Json[];

/** Parses the output of `serializeExpr`; the input is trusted. */
export const deserializeExpr = (json: Json): Expr => {
  const from = inner(json);
  const base = { type: from.type as Type, missing: from.missing === true, span: nowhere };
  const kind = from.kind as Expr["kind"];
  switch (kind) {
    case "constant": {
      const { value } = from;
      const isBig = typeof value === "object" && value !== null && "big" in value;
      return { ...base, kind, value: (isBig ? Big(String(value.big)) : value) as Value };
    }
    case "field": {
      const of = deserializeExpr(inner(from.of));
      return { ...base, kind, of, entity: getShape(String(from.entity)), field: toFieldShape(inner(from.field)) };
    }
    case "name":
      return { ...base, kind, name: String(from.name) };
    case "variable":
      return { ...base, kind, name: String(from.name), level: Number(from.level) };
    case "all":
      return { ...base, kind, entity: getShape(String(from.entity)) };
    case "list":
      return { ...base, kind, items: list(from.items).map(deserializeExpr) };
    case "call": {
      const args = list(from.args).map(deserializeExpr);
      return { ...base, kind, row: from.row as Operation, args, zone: String(from.zone) };
    }
    case "each":
      return {
        ...base,
        kind,
        row: from.row as IteratorName,
        list: deserializeExpr(inner(from.list)),
        name: String(from.name),
        level: Number(from.level),
        body: deserializeExpr(inner(from.body)),
      };
    default:
      return { ...base, kind };
  }
};
