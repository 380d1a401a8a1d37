import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Entity, Transition } from "../../../core/model/model.ts";
import { constant, identifier, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Query } from "../../../postgres/database.ts";
import type { Refusal } from "../../refusal.ts";
import { type Caller, callerParams, type PlanContext } from "../context.ts";
import { tableSql } from "../row/sql-env.ts";
import { queryOf } from "../statements.ts";
import type { Steps } from "../steps.ts";
import { runFinalChecks } from "../transaction/final-checks.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import { isDueSql, runAutomaticTransition } from "./automatic-transition.ts";
import { runConditionTriggers } from "./condition-triggers.ts";

/** A transition that happens by itself, and how the records for which it is time are found. */
export interface DueTransition {
  readonly entity: Entity;
  readonly transition: Transition;
  /** Answers their ids, those that have waited longest first. */
  readonly query: Query;
  /** Makes it on one of them, if it still is time, with all that follows. */
  readonly make: (id: string) => (tx: WriteTransaction) => Steps<Refusal | undefined>;
}

/** Records that are taken up at once; the next follow when these are done. */
const MOST = 100;

/**
 * What may be due, in the document's order: transitions after a time, and those on a condition, which may read the clock.
 * `resting`: the records that a transition leaves alone, by its clause.
 */
export const dueTransitions = (
  context: PlanContext,
  caller: Caller,
  resting: (clause: string) => readonly string[] = () => [],
): readonly DueTransition[] =>
  [...context.model.entities.values()].flatMap((entity) =>
    [...(entity.states?.transitions.values() ?? [])].flatMap((transition): readonly DueTransition[] => {
      const conditions = conditionsOf(context, transition);
      return conditions.map(([kind, condition]) => {
        const written = context.statements.get(["due", kind, entity.name, transition.name], () => ({
          more: undefined,
          sql: sql`SELECT "x"."id" FROM ${tableSql(entity)} AS "x" WHERE ${isDueSql(context.model, entity, transition, condition)} AND "x"."id" <> ALL(${slot("resting", "uuid[]")}) ORDER BY "x"."state_since", "x"."id" LIMIT ${constant(MOST)}`,
        }));
        return {
          entity,
          transition,
          query: queryOf(written, { ...callerParams(caller), resting: resting(transition.clause.id) }),
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

const conditionsOf = (
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
              const since = sql`"x".${identifier("state_since")}`;
              const { value } = toSql(timeout, env);
              // The first serves the index; months differ in length, and the second decides.
              return sql`${since} <= date_subtract(${now}, ${value}, ${zone}) + INTERVAL '5 days' AND date_add(${since}, ${value}, ${zone}) <= ${now}`;
            },
          ] as const,
        ]),
    ...(once === null ? [] : [["once", (env: SqlEnv) => toSql(once, env).truth] as const]),
  ];
};
