import { specless } from "../../field/kind.ts";
import { fieldKinds } from "../../field/kinds.ts";
import type { Field } from "../../model/field.ts";
import { constant, type Sql, sql } from "../../sql.ts";

/** True if the bounds of a field limit the number of characters, not the value. */
export const limitsCharacters = ({ type }: Pick<Field, "type">): boolean => fieldKinds[type].column === "text";

/** True if a bound, as in `min: 5`, excludes values that another one allowed. `null`: no bound. */
export const isNarrowerBound = (
  field: Pick<Field, "type" | "currency">,
  which: "min" | "max",
  bound: string | null,
  old: string | null,
): boolean => {
  if (bound === null || old === null) return bound !== null;
  if (limitsCharacters(field)) return which === "max" ? Number(bound) < Number(old) : Number(bound) > Number(old);
  // A whole number can have a bound with decimals.
  const kind = fieldKinds[field.type === "integer" ? "decimal" : field.type];
  return !kind.read(old, { ...specless, currency: field.currency, [which]: bound }).ok;
};

/** The condition that one value is outside a bound of its field; neither true nor false for a missing value. */
const outsideBound = (field: Pick<Field, "type">, which: "min" | "max", bound: string, value: Sql): Sql => {
  const measured = limitsCharacters(field) ? sql`char_length(${value})` : value;
  const limit = sql`${constant(bound)}::${boundType(field)}`;
  return which === "max" ? sql`${measured} > ${limit}` : sql`${measured} < ${limit}`;
};

/** The type of a bound in Postgres. A whole number can have a bound with decimals. */
const boundType = ({ type }: Pick<Field, "type">): Sql => {
  const { column } = fieldKinds[type];
  return { kind: "sql", parts: [column === "text" || column === "bigint" ? "numeric" : column] };
};

/** The condition that a column, of one value or of several, has a value outside a bound of its field. */
export const hasValueOutside = (
  field: Pick<Field, "type" | "many">,
  which: "min" | "max",
  bound: string,
  column: Sql,
): Sql =>
  field.many
    ? sql`EXISTS (SELECT FROM unnest(${column}) AS "one"("value") WHERE ${outsideBound(field, which, bound, sql`"one"."value"`)})`
    : outsideBound(field, which, bound, column);
