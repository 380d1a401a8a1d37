import type { Expr } from "../../expression/expr.ts";
import type { FieldShape } from "../../expression/values/type.ts";
import type { Entity } from "../../model/entity.ts";

const boolean = { kind: "boolean" } as const;

export const conjunction = (one: Expr, other: Expr): Expr => ({
  kind: "call",
  row: "boolean && boolean",
  args: [one, other],
  zone: "UTC",
  type: boolean,
  missing: false,
  span: one.span,
});

/**
 * The condition that a record is not one of the document's seed records. A former seed record is an ordinary record.
 */
export const isNotSeedRecord = ({ name, table, fields, records, clause: { span } }: Entity): Expr => {
  const key = [...fields.values()].find(({ isKey }) => isKey);
  const shape: FieldShape = { name: key?.name ?? "", type: { kind: "text" }, optional: true, column: key?.name ?? "" };
  const text = { kind: "text" } as const;
  const isOne: Expr = {
    kind: "call",
    row: "same in [same]",
    args: [
      {
        kind: "field",
        of: { kind: "this", type: { kind: "record", entity: name }, missing: false, span },
        entity: { name, table, fields: new Map([[shape.name, shape]]) },
        field: shape,
        type: text,
        missing: true,
        span,
      },
      {
        kind: "list",
        items: [...records.keys()].map(
          (value): Expr => ({ kind: "constant", value, type: text, missing: false, span }),
        ),
        type: { kind: "list", of: text },
        missing: false,
        span,
      },
    ],
    zone: "UTC",
    type: boolean,
    missing: false,
    span,
  };
  return { kind: "call", row: "!boolean", args: [isOne], zone: "UTC", type: boolean, missing: false, span };
};
