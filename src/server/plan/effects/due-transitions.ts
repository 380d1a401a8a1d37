import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Entity, Transition } from "../../../core/model/entity.ts";
import { constant, identifier, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Query } from "../../../postgres/database.ts";
import type { Refusal } from "../../refusal.ts";
import { OTHER } from "../aliases.ts";
import { type Caller, callerParams, type PlanContext } from "../context.ts";
import { tableSql } from "../row/sql-env.ts";
import { toQuery } from "../statements.ts";
import type { Steps } from "../steps.ts";
import { runFinalChecks } from "../transaction/final-checks.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import { isDueSql, runAutomaticTransition } from "./automatic-transition.ts";
import { runConditionTriggers } from "./condition-triggers.ts";

/** An automatic transition, and the query for the records for which it is due. */
export interface DueTransition {
  readonly entity: Entity;
  readonly transition: Transition;
  /** Returns ids, longest overdue first. */
  readonly query: Query;
  /** Makes the transition on one record, if it is still due, with all consequences. */
  readonly make: (id: string) => (tx: WriteTransaction) => Steps<Refusal | undefined>;
}

/** Maximum number of records per batch. */
const MAX_RECORDS = 100;

/**
 * The automatic transitions to poll, in document order: timeouts, and conditions that can read the clock. `resting`:
 * the ids of records to skip, by the transition's clause.
 */
export const dueTransitions = (
  context: PlanContext,
  caller: Caller,
  resting: (clause: string) => readonly string[] = () => [],
): readonly DueTransition[] =>
  [...context.model.entities.values()].flatMap((entity) =>
    [...(entity.states?.transitions.values() ?? [])].flatMap((transition): readonly DueTransition[] => {
      const conditions = listDueConditions(context, transition);
      return conditions.map(([kind, condition]) => {
        const written = context.statements.get(["due", kind, entity.name, transition.name], () => ({
          more: undefined,
          sql: sql`SELECT ${OTHER}."id" FROM ${tableSql(entity)} AS ${OTHER} WHERE ${isDueSql(context.model, entity, transition, condition)} AND ${OTHER}."id" <> ALL(${slot("resting", "uuid[]")}) ORDER BY ${OTHER}."state_since", ${OTHER}."id" LIMIT ${constant(MAX_RECORDS)}`,
        }));
        return {
          entity,
          transition,
          query: toQuery(written, { ...callerParams(caller), resting: resting(transition.clause.id) }),
          make: (id) =>
            function* (tx): Steps<Refusal | undefined> {
              return (
                (yield* runAutomaticTransition(tx, entity, transition, kind, condition, new Map([[id, null]]))) ??
                (yield* runConditionTriggers(tx)) ??
                (yield* runFinalChecks(tx, new Map([[id, ""]])))
              );
            },
        };
      });
    }),
  );

const listDueConditions = (
  { model }: PlanContext,
  { timeout, once }: Transition,
): readonly (readonly ["timeout" | "once", (env: SqlEnv) => Sql])[] => {
  const zone = constant(model.timezone);
  const now = sql`${slot("now", "timestamptz")}`;
  return [
    ...(timeout === null
      ? []
      : [
          [
            "timeout",
            (env: SqlEnv) => {
              const since = sql`${OTHER}.${identifier("state_since")}`;
              const { value } = toSql(timeout, env);
              // The first condition uses the index. Months differ in length, so the second one decides.
              return sql`${since} <= date_subtract(${now}, ${value}, ${zone}) + INTERVAL '5 days' AND date_add(${since}, ${value}, ${zone}) <= ${now}`;
            },
          ] as const,
        ]),
    ...(once === null ? [] : [["once", (env: SqlEnv) => toSql(once, env).truth] as const]),
  ];
};
