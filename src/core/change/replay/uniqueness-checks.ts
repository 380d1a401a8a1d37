import Big from "big.js";
import { takenRefusal, uniquenessRefusal } from "../../derive/consistency/check-refusals.ts";
import { uniquenessRulesAt } from "../../derive/consistency/uniqueness.ts";
import type { JsRecord, Value } from "../../expression/values/value.ts";
import type { Entity, UniquenessRule } from "../../model/entity.ts";
import { includesEnd } from "../../model/facts/ranges.ts";
import { hasSameMeaning } from "../meaning.ts";
import { conditionIsTrue, type LineChecks, type ReplayContext, toComparableText, toKey } from "./replay-context.ts";

/** Checks uniqueness rules, except those that the base version has too: they held in the database. */
export const checkUniqueness = (
  { context, checks, entity, line }: Pick<LineChecks, "context" | "checks" | "entity" | "line">,
  changed: ReadonlySet<string>,
  record: JsRecord,
): void => {
  if (context.base === null) return;
  const before = context.base.entities.get(entity.name);
  const action = line.action === "create" ? "create" : "update";
  for (const rule of uniquenessRulesAt(entity, action, changed))
    if (before?.uniquenessRules.some((other) => hasSameMeaning(other, rule)) !== true)
      checks.check(
        "values",
        uniquenessRefusal(context.model, rule),
        () => toKey(rule),
        () => isAlone(context, entity, rule, record),
      );
  for (const field of entity.fields.values()) {
    const { name, unique, countsMissing } = field;
    const was = before?.fields.get(name);
    if (!unique || !changed.has(name) || (was?.unique === true && was.countsMissing === countsMissing)) continue;
    const rule = { same: [name], range: null, where: null, countsMissing };
    checks.check(
      "values",
      takenRefusal(field),
      () => toKey(rule),
      () => isAlone(context, entity, rule, record),
    );
  }
};

/** True if no other record collides with this one. */
const isAlone = (
  context: ReplayContext,
  entity: Entity,
  { same, range, where, countsMissing }: Pick<UniquenessRule, "same" | "range" | "where" | "countsMissing">,
  record: JsRecord,
): boolean => {
  const env = context.records.at({ now: "", today: "" });
  const isMember = (record: JsRecord): boolean => where === null || conditionIsTrue(where, record, env);
  const values = (record: JsRecord): readonly string[] =>
    same.map((name) => {
      const text = toComparableText(record[name] ?? null);
      return entity.fields.get(name)?.type === "email" ? text.toLowerCase() : text;
    });
  if (!isMember(record)) return true;
  const own = values(record);
  if (own.includes("") && (range !== null || !countsMissing)) return true;
  const span = range === null ? undefined : getRange(entity, range, record);
  if (range !== null && span === undefined) return true;
  return !context.records.rows(entity.name).some((other) => {
    if (other.id === record.id || values(other).some((value, i) => value !== own[i])) return false;
    if (range !== null && span !== undefined) {
      const its = getRange(entity, range, other);
      if (its === undefined || !overlap(span, its)) return false;
    }
    return isMember(other);
  });
};

interface Range {
  readonly from: Value;
  readonly to: Value;
  /** True for days and whole numbers: the end belongs to the range. */
  readonly isClosed: boolean;
}

/** Orders two ends: days and instants as text, numbers by value. */
const compareEnds = (a: Value, b: Value): number => {
  if (typeof a === "string" && typeof b === "string") return a < b ? -1 : a > b ? 1 : 0;
  return new Big(String(a)).cmp(String(b));
};

const getRange = (
  entity: Entity,
  { from, to }: NonNullable<UniquenessRule["range"]>,
  record: JsRecord,
): Range | undefined => {
  const [begin, end] = [record[from] ?? null, record[to] ?? null];
  const field = entity.fields.get(from);
  if (field === undefined || begin === null || (end !== null && compareEnds(end, begin) < 0)) return undefined;
  return { from: begin, to: end, isClosed: includesEnd(field.ruleType) };
};

const overlap = (one: Range, other: Range): boolean => {
  const isBefore = (end: Value, begin: Value): boolean =>
    end !== null && compareEnds(end, begin) < (one.isClosed ? 0 : 1);
  const isEmpty = ({ from, to, isClosed }: Range): boolean => !isClosed && to !== null && compareEnds(from, to) === 0;
  return !isEmpty(one) && !isEmpty(other) && !isBefore(one.to, other.from) && !isBefore(other.to, one.from);
};
