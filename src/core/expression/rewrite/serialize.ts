import Big from "big.js";
import type { Json } from "../../wire/json.ts";
import type { Expr } from "../expr.ts";
import type { EntityShape } from "../values/type.ts";
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
    type: type as unknown as Json,
    missing,
    ...more,
  });
  switch (expr.kind) {
    case "constant":
      return as({ value: expr.value instanceof Big ? { big: expr.value.toFixed() } : (expr.value as Json) });
    case "field": {
      const { name, type: of, optional, inverse } = expr.field;
      const field = { name, type: of, optional, ...(inverse === undefined ? {} : { inverse }) };
      return as({ of: serializeExpr(expr.of), entity: expr.entity.name, field: field as unknown as Json });
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
const list = (json: Json | undefined): readonly Json[] => json as readonly Json[];

/** Parses the output of `serializeExpr`; the input is trusted. */
export const deserializeExpr = (json: Json): Expr => {
  const from = inner(json);
  const base = { type: from.type, missing: from.missing, span: nowhere };
  const restore = (more: object): Expr => ({ ...base, kind: from.kind, ...more }) as unknown as Expr;
  switch (from.kind) {
    case "constant": {
      const { value } = from;
      const isBig = typeof value === "object" && value !== null && "big" in value;
      return restore({ value: (isBig ? Big(String(value.big)) : value) as Value });
    }
    case "field":
      return restore({ of: deserializeExpr(inner(from.of)), entity: getShape(String(from.entity)), field: from.field });
    case "all":
      return restore({ entity: getShape(String(from.entity)) });
    case "list":
      return restore({ items: list(from.items).map(deserializeExpr) });
    case "call":
      return restore({ row: from.row, args: list(from.args).map(deserializeExpr), zone: from.zone });
    case "each":
      return restore({
        row: from.row,
        list: deserializeExpr(inner(from.list)),
        name: from.name,
        level: from.level,
        body: deserializeExpr(inner(from.body)),
      });
    default:
      return restore({ ...(from.name === undefined ? {} : { name: from.name, level: from.level }) });
  }
};
