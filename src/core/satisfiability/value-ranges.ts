import type { Expr } from "../expression/expr.ts";
import { operationRow } from "../expression/operations/operations.ts";
import type { Entity } from "../model/entity.ts";

/** Bounds of fields, by entity. */
export interface Entities {
  readonly get: (name: string) => Pick<Entity, "fields"> | undefined;
}

/** Minimum and maximum in the document's notation; `null` if unbounded. */
export interface Range {
  readonly min: string | null;
  readonly max: string | null;
}

const unbounded: Range = { min: null, max: null };

/** Functions with a bounded result. */
const bounded: { readonly [row: string]: Range } = {
  "month(date)": { min: "1", max: "12" },
  "day(date)": { min: "1", max: "31" },
  "weekday(date)": { min: "1", max: "7" },
  "year(date)": { min: "1", max: "9999" },
  "size([any])": { min: "0", max: null },
  "count([any])": { min: "0", max: null },
  "abs(integer)": { min: "0", max: null },
  "abs(decimal)": { min: "0", max: null },
  "abs(money)": { min: "0", max: null },
};

/** The range of an expression: from `min` and `max` of its field, or from its function. */
export const valueRange = (expr: Expr, entities: Entities): Range => {
  if (expr.kind === "field") return expr.type.kind === "text" ? unbounded : getBounds(expr, entities);
  if (expr.kind !== "call") return unbounded;
  const [text] = expr.args;
  if (expr.row !== "size(text)" || text === undefined) return bounded[expr.row] ?? unbounded;
  // A present text has at least one character and at most `max`.
  const { max } = text.kind === "field" ? getBounds(text, entities) : unbounded;
  return { min: mayBeMissing(text) ? "0" : "1", max };
};

const getBounds = ({ entity, field }: Expr & { kind: "field" }, entities: Entities): Range =>
  entities.get(entity.name)?.fields.get(field.name) ?? unbounded;

/** True if a value may be missing, regardless of surrounding conditions. Assumes a signed-in user. */
export const mayBeMissing = (expr: Expr): boolean => {
  if (expr.type.kind === "boolean" || expr.type.kind === "list") return false;
  if (expr.kind === "field") return expr.field.optional || mayBeMissing(expr.of);
  if (expr.kind === "user") return false;
  if (expr.kind !== "call") return expr.missing;
  return expr.missing || (operationRow(expr.row).missing === "spreads" && expr.args.some(mayBeMissing));
};
