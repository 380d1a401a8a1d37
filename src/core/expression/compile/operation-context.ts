import type { Sql } from "../../sql.ts";
import { memoizeByKey } from "../../util/memoize.ts";
import type { Expr } from "../expr.ts";
import type { OperationContext } from "../operations/operation-types.ts";
import { getZone } from "../values/calendar.ts";
import { valueKinds } from "../values/value-kinds.ts";
import { constantSql } from "./constant-sql.ts";

/** The name of a time zone as SQL. */
const getZoneName = memoizeByKey((zone): Sql => constantSql(zone, { kind: "text" }));

/** The context that an operation receives: its type is that of the first operand, or of the operand's elements. */
export const operationContext = ({ args, zone }: Expr & { kind: "call" }): OperationContext => {
  const [first] = args;
  const last = args[args.length - 1];
  const type = first?.type.kind === "list" ? first.type.of : first?.type;
  return {
    kind: valueKinds[type?.kind ?? "null"],
    zone: getZone(zone),
    zoneName: getZoneName(zone),
    last: last?.kind === "constant" ? last.value : null,
  };
};
