import type { Expr } from "../../expression/expr.ts";
import { toFieldPath } from "../../expression/inspect/field-path.ts";
import type { Type } from "../../expression/values/type.ts";
import type { Entity } from "../entity.ts";
import type { Screen } from "../screen.ts";

/**
 * True if the end of a range of such values belongs to it: the last day, the last page. A range of instants, decimals or
 * amounts excludes its end, because the next one starts there.
 */
export const includesEnd = ({ kind }: Type): boolean => kind === "date" || kind === "integer";

/** The field before whose value another one does not lie. */
export interface Begin {
  readonly field: string;
  /** True if both are the ends of one period, in which a calendar draws the record or which overlaps no other. */
  readonly isPeriod: boolean;
}

/** The begin of each date that the document says is the end of something: by a calendar, by an overlap, by a rule. */
export const findBegins = (entity: Entity, screens: readonly Screen[]): ReadonlyMap<string, Begin> => {
  const periods = [...findCalendarPeriods(entity, screens), ...entity.uniquenessRules.map(({ range }) => range)];
  const ordered = entity.rules.flatMap(({ rule }) => findOrdered(rule));
  const begins = new Map<string, Begin>();
  const add = (field: string, end: string, isPeriod: boolean) => {
    if (!begins.has(end) && areDates(entity, field, end)) begins.set(end, { field, isPeriod });
  };
  for (const period of periods) if (period !== null) add(period.from, period.to, true);
  for (const { from, to } of ordered) add(from, to, false);
  return begins;
};

interface Ends {
  readonly from: string;
  readonly to: string;
}

const findCalendarPeriods = ({ name }: Entity, screens: readonly Screen[]): readonly Ends[] =>
  screens.flatMap((screen) =>
    screen.kind === "list" && screen.entity === name
      ? screen.layouts.flatMap((layout) =>
          layout.kind === "calendar" && layout.to !== null ? [{ from: layout.from, to: layout.to }] : [],
        )
      : [],
  );

const areDates = ({ fields }: Entity, from: string, to: string): boolean => {
  const [one, other] = [fields.get(from), fields.get(to)];
  return one !== other && one?.type === other?.type && (one?.type === "date" || one?.type === "datetime");
};

/** The pairs of fields that a rule keeps in order, whatever else it says. */
const findOrdered = (rule: Expr): readonly Ends[] => {
  if (rule.kind !== "call") return [];
  const [left, right] = rule.args;
  if (left === undefined || right === undefined) return [];
  switch (rule.row) {
    case "boolean && boolean":
      return rule.args.flatMap(findOrdered);
    // `ends == null || begins <= ends`: a pair without one of its values has no order.
    case "boolean || boolean":
      return rule.args.flatMap((part, at) =>
        rule.args.every((other, place) => place === at || isAbsence(other)) ? findOrdered(part) : [],
      );
    case "ordered < ordered":
    case "ordered <= ordered":
      return toEnds(left, right);
    case "ordered > ordered":
    case "ordered >= ordered":
      return toEnds(right, left);
    default:
      return [];
  }
};

const isAbsence = (expr: Expr): boolean =>
  expr.kind === "call" &&
  (expr.row === "any == null" || (expr.row === "boolean || boolean" && expr.args.every(isAbsence)));

const toEnds = (first: Expr, last: Expr): readonly Ends[] => {
  const [from, to] = [toFieldPath(first), toFieldPath(last)];
  return from === undefined || to === undefined || from.includes(".") || to.includes(".") ? [] : [{ from, to }];
};
