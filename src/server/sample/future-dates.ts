import { isAutomatic } from "../../core/derive/authorization/grants.ts";
import { type Expr, subexpressions } from "../../core/expression/expr.ts";
import type { Entity } from "../../core/model/entity.ts";
import type { Model } from "../../core/model/model.ts";
import { isPlannedDay } from "./plausible.ts";

/**
 * True if a guard, rule, permission or list has a condition on future dates, such as `starts > now`, a calendar shows when
 * something begins and ends, or a date is of something planned. Without future records, some states would not occur and some lists would be empty.
 */
export const usesFutureDates = (model: Model, entity: Entity): boolean =>
  collectDateConditions(model, entity).some((condition) => comparesFutureDate(entity, condition)) ||
  isPlanned(model, entity) ||
  [...entity.fields.values()].some((field) => isPlannedDay(field) && !isAutomatic(entity, field.name));

/** True if a calendar shows when records begin and end, as of a hire or a visit, which people plan ahead. */
const isPlanned = ({ screens }: Model, { name }: Entity): boolean =>
  screens.some(
    (screen) =>
      screen.kind === "list" &&
      screen.entity === name &&
      screen.layouts.some((layout) => layout.kind === "calendar" && layout.to !== null),
  );

const collectDateConditions = (model: Model, { name, states, rules, permissions }: Entity): readonly Expr[] => {
  const shown = model.screens.flatMap((screen) =>
    screen.kind === "tiles" ? screen.tiles : screen.kind === "list" ? [screen] : [],
  );
  return [
    ...[...(states?.transitions.values() ?? [])].flatMap(({ guardAndPreconditions: guard, conditions }) => [
      guard,
      ...conditions.values(),
    ]),
    ...rules.map(({ rule }) => rule),
    ...Object.values(permissions?.actions ?? {}).flatMap((allowed) => allowed.map(({ when }) => when)),
    ...shown.filter((tile) => tile.entity === name).map(({ where }) => where),
  ].filter((condition) => condition !== null);
};

const comparesFutureDate = (entity: Entity, expr: Expr): boolean => {
  if (expr.kind === "call") {
    const [a, b] = expr.args;
    const [more, less] = expr.row.startsWith("ordered >") ? [a, b] : expr.row.startsWith("ordered <") ? [b, a] : [];
    if (more !== undefined && less !== undefined && isOfClock(less) && isOfDay(entity, more)) return true;
  }
  return subexpressions(expr).some((part) => comparesFutureDate(entity, part));
};

/** The current time, or an offset from it: `today + 7 days`. An offset of less than a year into the past counts too. */
const isOfClock = (expr: Expr): boolean =>
  expr.kind === "now" ||
  expr.kind === "today" ||
  (expr.kind === "call" && expr.row.includes(" + ") && expr.args.some(isOfClock));

/** A date or time field that people enter. */
const isOfDay = (entity: Entity, expr: Expr): boolean =>
  expr.kind === "field" && expr.of.kind === "this"
    ? (expr.type.kind === "date" || expr.type.kind === "datetime") && !isAutomatic(entity, expr.field.name)
    : subexpressions(expr).some((part) => isOfDay(entity, part));
