import type { OverlapRuleJson } from "../../../core/wire/entities.ts";
import type { Json } from "../../../core/wire/json.ts";

/** A value as a query parameter; "" if there is none. */
const toParameter = (value: Json | undefined): string => {
  if (value === undefined || value === null) return "";
  if (typeof value === "object") return "id" in value ? String(value.id) : "";
  return String(value);
};

/** Of instants, the next or the previous one: the end of a range that does not belong to it. */
const nextTo = (value: string, by: 1 | -1): string =>
  value.includes("T") ? new Date(Date.parse(value) + by).toISOString() : value;

/**
 * The lists of records that a record with these values would overlap; none if it overlaps none. A record without an end
 * has no last moment, so those are a list of their own if the end can be missing (`endless`).
 */
export const overlapQueries = (
  { from, to, closed, same }: OverlapRuleJson,
  valueAt: (field: string) => Json | undefined,
  { limit, endless }: { readonly limit: number; readonly endless: boolean },
): readonly URLSearchParams[] => {
  const [begin, end] = [toParameter(valueAt(from)), toParameter(valueAt(to))];
  const keys = same.map((name): [string, string] => [name, toParameter(valueAt(name))]);
  if (begin === "" || keys.some(([, value]) => value === "")) return [];
  const ends: readonly [string, string][] = [
    [`${to}>`, closed ? begin : nextTo(begin, 1)],
    ...(endless ? [[to, ""] satisfies [string, string]] : []),
  ];
  return ends.map((one) => {
    const before: [string, string][] = end === "" ? [] : [[`${from}<`, closed ? end : nextTo(end, -1)]];
    return new URLSearchParams([...keys, ["sort", from], ["limit", String(limit)], ...before, one]);
  });
};
