import { disclosureOfCondition } from "../../../core/derive/authorization/access-trace.ts";
import type { Principal } from "../../../core/derive/authorization/grants.ts";
import { findTimedTransition } from "../../../core/derive/client/upcoming-transitions.ts";
import { toSql } from "../../../core/expression/compile/to-sql.ts";
import { collectReadSet } from "../../../core/expression/inspect/read-set.ts";
import type { Transition } from "../../../core/model/entity.ts";
import type { Model } from "../../../core/model/model.ts";
import { constant, identifier, join, type Sql, sql } from "../../../core/sql.ts";
import type { Row } from "../../../postgres/database.ts";
import { asTextOrNull, type ResultColumn, readColumn, resultColumn, selectAs } from "../result-columns.ts";
import type { ReadScope } from "./read-scope.ts";

/** The times of scheduled transitions as columns of a row, and their decoder. */
export interface UpcomingColumns {
  readonly columns: readonly Sql[];
  /** Times by transition; empty for none. */
  of(row: Row): { readonly [transition: string]: string };
}

const instantColumn = (transition: string): ResultColumn<string | null> =>
  resultColumn(`ahead:${transition}`, asTextOrNull);

/** Includes only transitions for which the caller can read the state and all inputs of the time. */
export const upcomingColumns = (
  model: Model,
  principal: Principal,
  scope: ReadScope,
  alias: string,
): UpcomingColumns => {
  const { entity } = scope;
  const known = [...(entity.states?.transitions.values() ?? [])].flatMap((transition) => {
    const instant = instantSql(model, principal, scope, alias, transition);
    return instant === undefined ? [] : [{ name: transition.name, instant }];
  });
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
  const read = [expr, ...(transition.guardAndPreconditions === null ? [] : [transition.guardAndPreconditions])].map(
    (item) => ({
      ...disclosureOfCondition(model, entity, principal, item),
      user: collectReadSet(item).user,
    }),
  );
  if (read.some(({ isDisclosed, user }) => !isDisclosed || user)) return undefined;
  const visibility = [state, ...read.flatMap((item) => item.sometimesReadable)].flatMap(
    (field) => visibleWhen(field) ?? [],
  );
  const from = join(
    transition.from.map((name) => constant(name)),
    ", ",
  );
  const conditions = [
    sql`${env.field(state).sql} IN (${from})`,
    ...visibility.map((item) => sql`(${item})`),
    ...(transition.guardAndPreconditions === null
      ? []
      : [sql`(${toSql(transition.guardAndPreconditions, env).truth})`]),
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
