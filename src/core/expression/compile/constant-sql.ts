import Big from "big.js";
import { constant, type Sql, sql } from "../../sql.ts";
import { type Duration, toInterval } from "../values/duration.ts";
import type { Type } from "../values/type.ts";
import type { Value } from "../values/value.ts";
import { postgresType } from "../values/value-kinds.ts";

/** A constant as SQL with a cast: `'2026-03-29'::date`. */
export const constantSql = (value: Value, type: Type): Sql => {
  const cast: Sql = { kind: "sql", parts: [`::${postgresType(type)}`] };
  if (value === null) return type.kind === "null" ? constant(null) : sql`${constant(null)}${cast}`;
  if (typeof value === "boolean") return constant(value);
  if (typeof value === "number") return value < 0 ? sql`(${constant(value)})${cast}` : sql`${constant(value)}${cast}`;
  if (value instanceof Big) return sql`${constant(value.toFixed())}${cast}`;
  if (type.kind === "duration") return sql`${constant(toInterval(value as Duration))}${cast}`;
  return sql`${constant(String(value))}${cast}`;
};
