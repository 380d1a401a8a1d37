import type { OverlapRuleJson } from "../../../core/wire/entities.ts";
import type { Json } from "../../../core/wire/json.ts";

/** Maximum number of records that are named. */
const MOST = 3;

/** A value as a query parameter; "" if there is none. */
const toParameter = (value: Json | undefined): string => {
  if (value === undefined || value === null) return "";
  if (typeof value === "object") return "id" in value ? String(value.id) : "";
  return String(value);
};

/** Of instants, the next or the previous one: the end of a range that does not belong to it. */
const nextTo = (value: string, by: 1 | -1): string =>
  value.includes("T") ? new Date(Date.parse(value) + by).toISOString() : value;

/** The list of records that a record with these values would overlap; null if it overlaps none. */
export const overlapQuery = (
  { from, to, closed, same }: OverlapRuleJson,
  valueAt: (field: string) => Json | undefined,
): URLSearchParams | null => {
  const [begin, end] = [toParameter(valueAt(from)), toParameter(valueAt(to))];
  const keys = same.map((name) => [name, toParameter(valueAt(name))] as const);
  if (begin === "" || keys.some(([, value]) => value === "")) return null;
  const query = new URLSearchParams(
    [...keys, ["sort", from], ["limit", String(MOST + 1)]].map(([k, v]) => [k ?? "", v ?? ""]),
  );
  if (end !== "") query.append(`${from}<`, closed ? end : nextTo(end, -1));
  query.append(`${to}>`, closed ? begin : nextTo(begin, 1));
  return query;
};
