import type { EntityJson, OverlapRuleJson, UniquenessRuleJson } from "../../../core/wire/entities.ts";
import type { Json } from "../../../core/wire/json.ts";

type ValueAt = (field: string) => Json | undefined;

/** A value as a query parameter; "" if there is none. */
const toParameter = (value: Json | undefined): string => {
  if (value === undefined || value === null) return "";
  if (typeof value === "object") return "id" in value ? String(value.id) : "";
  return String(value);
};

/** Of instants, the next or the previous one: the end of a range that does not belong to it. */
const nextTo = (value: string, by: 1 | -1): string =>
  value.includes("T") ? new Date(Date.parse(value) + by).toISOString() : value;

/** A rule of which another record can be in the way. */
export type CollisionRule = UniquenessRuleJson | OverlapRuleJson;

export const isOverlapRule = (rule: CollisionRule): rule is OverlapRuleJson => "from" in rule;

export const collisionRules = ({ overlaps = [], unique = [] }: EntityJson): readonly CollisionRule[] => [
  ...unique,
  ...overlaps,
];

/** The lists of records that are in the way of a record with these values. */
export const collisionQueries = (
  { fields }: Pick<EntityJson, "fields">,
  rule: CollisionRule,
  valueAt: ValueAt,
  limit: number,
): readonly URLSearchParams[] => {
  if (isOverlapRule(rule)) {
    const endless = fields.some(({ name, optional }) => name === rule.to && optional);
    return overlapQueries(rule, valueAt, { limit, endless });
  }
  const keys = rule.same.map((name): [string, string] => [name, toParameter(valueAt(name))]);
  // Missing values are equal to none, so a rule that compares them too is left to the server.
  return keys.some(([, value]) => value === "") ? [] : [new URLSearchParams([...keys, ["limit", String(limit)]])];
};

/**
 * The lists of records that a record with these values would overlap; none if it overlaps none. A record without an end
 * has no last moment, so those are a list of their own if the end can be missing (`endless`).
 */
export const overlapQueries = (
  { from, to, closed, same }: OverlapRuleJson,
  valueAt: ValueAt,
  { limit, endless }: { readonly limit: number; readonly endless: boolean },
): readonly URLSearchParams[] => {
  const [begin, end] = [toParameter(valueAt(from)), toParameter(valueAt(to))];
  const keys = same.map((name): [string, string] => [name, toParameter(valueAt(name))]);
  // An end that is required and not there yet is not known, so nothing is in the way so far.
  if (begin === "" || (end === "" && !endless) || keys.some(([, value]) => value === "")) return [];
  const ends: readonly [string, string][] = [
    [`${to}>`, closed ? begin : nextTo(begin, 1)],
    ...(endless ? [[to, ""] satisfies [string, string]] : []),
  ];
  return ends.map((one) => {
    const before: [string, string][] = end === "" ? [] : [[`${from}<`, closed ? end : nextTo(end, -1)]];
    return new URLSearchParams([...keys, ["sort", from], ["limit", String(limit)], ...before, one]);
  });
};

/** True if two records that meet the condition of the rule overlap by it. A missing end is after everything. */
export const areOverlapping = ({ from, to, closed, same }: OverlapRuleJson, one: ValueAt, other: ValueAt): boolean => {
  const precedes = (begin: string, end: string): boolean => {
    if (end === "") return true;
    const [a, b] = begin.includes("T") ? [Date.parse(begin), Date.parse(end)] : [begin, end];
    return closed ? a <= b : a < b;
  };
  const [a, b] = [one, other].map((valueAt) => ({ begin: toParameter(valueAt(from)), end: toParameter(valueAt(to)) }));
  if (a === undefined || b === undefined || a.begin === "" || b.begin === "") return false;
  // A range whose end is not after its begin contains nothing.
  const areRanges = precedes(a.begin, a.end) && precedes(b.begin, b.end);
  const areSame = same.every((name) => {
    const value = toParameter(one(name));
    return value !== "" && value === toParameter(other(name));
  });
  return areSame && areRanges && precedes(a.begin, b.end) && precedes(b.begin, a.end);
};
