import type { Sql } from "../../sql.ts";
import type { Expr } from "../expr.ts";
import type { Place } from "../operations/operation-types.ts";
import { zoneOf } from "../values/calendar.ts";
import { kinds } from "../values/value-kinds.ts";
import { constantSql } from "./constant-sql.ts";

/** The zone's name as SQL, once for each zone: a document has one. */
const zoneNames = new Map<string, Sql>();
const zoneNameOf = (zone: string): Sql => {
  const name = zoneNames.get(zone) ?? constantSql(zone, { kind: "text" });
  zoneNames.set(zone, name);
  return name;
};

/** What the row of an operation is told of its place: the kind of its first operand, or of that one's elements. */
export const placeOf = ({ args, zone }: Expr & { kind: "call" }): Place => {
  const [first] = args;
  const last = args[args.length - 1];
  const type = first?.type.kind === "list" ? first.type.of : first?.type;
  return {
    kind: kinds[type?.kind ?? "null"],
    zone: zoneOf(zone),
    zoneName: zoneNameOf(zone),
    last: last?.kind === "constant" ? last.value : null,
  };
};
