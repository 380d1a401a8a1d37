import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Entity, Transition } from "../../../core/model/model.ts";
import { constant, identifier, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Query } from "../../../postgres/database.ts";
import type { Refusal } from "../../refusal.ts";
import { type Asker, type Context, slotsOf } from "../context.ts";
import { tableOf } from "../row/sql-env.ts";
import { queryOf } from "../statements.ts";
import type { Steps } from "../steps.ts";
import { judged } from "../transaction/final-checks.ts";
import type { Following } from "../transaction/transaction-context.ts";
import { happens, readyFor } from "./automatic-transition.ts";
import { firing } from "./condition-triggers.ts";

/** A transition that happens by itself, and how the records for which it is time are found. */
export interface Due {
  readonly entity: Entity;
  readonly transition: Transition;
  /** Answers their ids, those that have waited longest first. */
  readonly query: Query;
  /** Makes it on one of them, if it still is time, with all that follows. */
  readonly make: (id: string) => (following: Following) => Steps<Refusal | undefined>;
}

/** Records that are taken up at once; the next follow when these are done. */
const MOST = 100;

/**
 * What may be due, in the document's order: transitions after a time, and those on a condition, which may read the clock.
 * `resting`: the records that a transition leaves alone, by its clause.
 */
export const dueOf = (
  context: Context,
  asker: Asker,
  resting: (clause: string) => readonly string[] = () => [],
): readonly Due[] =>
  [...context.model.entities.values()].flatMap((entity) =>
    [...(entity.states?.transitions.values() ?? [])].flatMap((transition): readonly Due[] => {
      const conditions = conditionsOf(context, transition);
      return conditions.map(([kind, condition]) => {
        const written = context.statements.get(["due", kind, entity.name, transition.name], () => ({
          more: undefined,
          sql: sql`SELECT "x"."id" FROM ${tableOf(entity)} AS "x" WHERE ${readyFor(context.model, entity, transition, condition)} AND "x"."id" <> ALL(${slot("resting", "uuid[]")}) ORDER BY "x"."state_since", "x"."id" LIMIT ${constant(MOST)}`,
        }));
        return {
          entity,
          transition,
          query: queryOf(written, { ...slotsOf(asker), resting: resting(transition.clause.id) }),
          make: (id) =>
            function* (following): Steps<Refusal | undefined> {
              return (
                (yield* happens(following, entity, transition, kind, condition, new Map([[id, null]]))) ??
                (yield* firing(following)) ??
                (yield* judged(following, new Map([[id, ""]])))
              );
            },
        };
      });
    }),
  );

const conditionsOf = (
  { model }: Context,
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
