import { disclosureOfCondition } from "../../../core/derive/authorization/access-trace.ts";
import type { Principal } from "../../../core/derive/authorization/grants.ts";
import { findTimedTransition } from "../../../core/derive/client/upcoming-transitions.ts";
import { momentSql } from "../../../core/derive/sql/reminder-moment.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import { collectReadSet } from "../../../core/expression/inspect/read-set.ts";
import type { Entity, Reminder, Transition } from "../../../core/model/entity.ts";
import type { Model } from "../../../core/model/model.ts";
import { constant, identifier, join, type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import { asTextOrNull, type ResultColumn, readColumn, resultColumn, selectAs } from "../result-columns.ts";
import type { ReadScope } from "./read-scope.ts";

/** The times of scheduled transitions and of reminders as columns of a row, and their decoder. */
export interface UpcomingColumns {
  readonly columns: readonly Sql[];
  /** Times by transition, and by the action of a reminder; empty for none. */
  of(row: Row): { readonly [transition: string]: string };
}

const instantColumn = (transition: string): ResultColumn<string | null> =>
  resultColumn(`ahead:${transition}`, asTextOrNull);

/** Includes only those for which the caller can read the state and all inputs of the time. */
export const upcomingColumns = (
  model: Model,
  principal: Principal,
  scope: ReadScope,
  alias: string,
): UpcomingColumns => {
  const { entity } = scope;
  const transitions = [...(entity.states?.transitions.values() ?? [])].map((transition) => ({
    name: transition.name,
    instant: instantSql(model, principal, scope, alias, transition),
  }));
  const reminders = [...entity.reminders.values()].map((reminder) => ({
    name: reminder.action,
    instant: reminderSql(model, principal, scope, reminder),
  }));
  const known = [...transitions, ...reminders].flatMap(({ name, instant }) =>
    instant === undefined ? [] : [{ name, instant }],
  );
  return {
    columns: known.map(({ name, instant }) => selectAs(instant, instantColumn(name))),
    of: (row) =>
      Object.fromEntries(
        known.flatMap(({ name }) => {
          const at = readColumn(row, instantColumn(name));
          return at === null ? [] : [[name, at]];
        }),
      ),
  };
};

const instantSql = (
  model: Model,
  principal: Principal,
  { entity, env, visibleWhen, column }: ReadScope,
  alias: string,
  transition: Transition,
): Sql | undefined => {
  const clockwork = findTimedTransition(transition);
  const state = entity.states?.field ?? "";
  if (clockwork === null || column(state) === undefined) return undefined;
  const expr = clockwork.kind === "after" ? clockwork.time : clockwork.due;
  const { guardAndPreconditions: guard } = transition;
  const sometimesReadable = findInputs(model, principal, entity, guard === null ? [expr] : [expr, guard]);
  if (sometimesReadable === undefined) return undefined;
  const visibility = [state, ...sometimesReadable].flatMap((field) => visibleWhen(field) ?? []);
  const from = join(
    transition.from.map((name) => constant(name)),
    ", ",
  );
  const conditions = [
    sql`${env.field(state).sql} IN (${from})`,
    ...visibility.map((item) => sql`(${item})`),
    ...(guard === null ? [] : [sql`(${toSql(guard, env).truth})`]),
  ];
  const { value } = toSql(expr, env);
  const since = sql`${identifier(alias)}.${identifier("state_since")}`;
  const instant =
    clockwork.kind === "after"
      ? sql`date_add(${since}, ${value}, ${constant(model.timezone)})`
      : clockwork.dayAfter
        ? sql`(${value} + 1)`
        : value;
  return sql`CASE WHEN ${join(conditions, " AND ")} THEN ${instant} END`;
};

/** The moment of a reminder, while the record meets its condition. */
const reminderSql = (
  model: Model,
  principal: Principal,
  { entity, env, visibleWhen, column }: ReadScope,
  reminder: Reminder,
): Sql | undefined => {
  const when = entity.after.get(reminder.action)?.[0]?.when ?? null;
  const sometimesReadable = findInputs(model, principal, entity, when === null ? [reminder.on] : [reminder.on, when]);
  if (sometimesReadable === undefined || column(reminder.field) === undefined) return undefined;
  const conditions = [
    sql`TRUE`,
    ...[...new Set(sometimesReadable)].flatMap((field) => visibleWhen(field) ?? []).map((item) => sql`(${item})`),
    ...(when === null ? [] : [sql`(${toSql(when, env).truth})`]),
  ];
  return sql`CASE WHEN ${join(conditions, " AND ")} THEN ${momentSql(model, reminder, env)} END`;
};

/** The fields that the caller can read on some records only; undefined if an expression reads more than they can know. */
const findInputs = (
  model: Model,
  principal: Principal,
  entity: Entity,
  exprs: readonly Expr[],
): readonly string[] | undefined => {
  const read = exprs.map((expr) => ({
    ...disclosureOfCondition(model, entity, principal, expr),
    user: collectReadSet(expr).user,
  }));
  return read.some(({ isDisclosed, user }) => !isDisclosed || user)
    ? undefined
    : read.flatMap((item) => item.sometimesReadable);
};
