import type { Sql } from "../../sql.ts";
import type { Expr } from "../expr.ts";
import type { OperationContext } from "../operations/operation-types.ts";
import { getZone } from "../values/calendar.ts";
import { valueKinds } from "../values/value-kinds.ts";
import { constantSql } from "./constant-sql.ts";

/** Cache of zone names as SQL; each document has one zone. */
const zoneNames = new Map<string, Sql>();
const getZoneName = (zone: string): Sql => {
  const name = zoneNames.get(zone) ?? constantSql(zone, { kind: "text" });
  zoneNames.set(zone, name);
  return name;
};

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
