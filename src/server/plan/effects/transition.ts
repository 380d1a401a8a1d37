import { guardReadsOf } from "../../../core/derive/consistency/read-sets.ts";
import { otherState } from "../../../core/explain/who-may.ts";
import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Effect, Entity, Transition } from "../../../core/model/model.ts";
import { constant, identifier, slot, sql } from "../../../core/sql.ts";
import { type Refusal, refuse } from "../../refusal.ts";
import { entityOf, slotsOf } from "../context.ts";
import { candidateValues } from "../row/proposed-row.ts";
import { type ColumnValues, rowEnv, tableOf } from "../row/sql-env.ts";
import { queryOf } from "../statements.ts";
import type { Steps } from "../steps.ts";
import { requireLocks, rowsIn } from "../transaction/early-locks.ts";
import { lockRounds, tryingOf } from "../transaction/locks.ts";
import type { Following } from "../transaction/transaction-context.ts";
import type { Written } from "../transaction/write-set.ts";
import { aimed, firstOf, type Pair, pairsOf } from "./targets.ts";
import { change } from "./update.ts";
import { type Value, valueFor } from "./values.ts";

/** Makes a transition on the records that an effect leads to, all or none. */
export function* make(
  following: Following,
  wave: Written,
  effect: Extract<Effect, { kind: "make" }>,
): Steps<Refusal | readonly Written[]> {
  const { context, asker } = following;
  const entity = entityOf(context, effect.entity);
  const { states } = entity;
  const transition = states?.transitions.get(effect.transition);
  if (states === null || transition === undefined) throw new Error(`no transition ${effect.transition}`);
  // The record that was written is locked already.
  const led =
    effect.of === null
      ? (yield* pairsOf(following, wave, effect, null)).map((pair) => ({ ...pair, target: pair.source }))
      : yield* aimed(following, wave, effect, effect.of);
  const pairs = firstOf(led);
  if (pairs.length === 0) return [];
  yield* guarded(
    following,
    entity,
    transition,
    pairs.map(({ target }) => target),
  );
  const judging = context.statements.get(["effect ready", entity.name, transition.name], () => ({
    more: undefined,
    sql: sql`SELECT "x".${identifier(states.field)} AS "state", ${transition.when === null ? sql`TRUE` : sql`COALESCE(${toSql(transition.when, rowEnv(context.model, entity, "x")).truth}, FALSE)`} AS "guard" FROM ${tableOf(entity)} AS "x" WHERE "x"."id" = ANY(${slot("ids", "uuid[]")})`,
  }));
  const judged = yield queryOf(judging, { ...slotsOf(asker), ids: pairs.map(({ target }) => target) });
  for (const { state, guard } of judged) {
    if (!transition.from.includes(String(state)))
      return {
        ...refuse("WRONG_STATE", transition.clause.id),
        // Which records an effect leads to, and how they stand, is not for everybody to see.
        message: otherState(asker.tongue, entity, transition, null),
      };
    if (guard !== true) return refuse("GUARD", transition.clause.id);
  }
  return yield* moved(following, wave, effect, entity, transition, pairs);
}

/** The same where it is known that each of them may make it. */
export function* moved(
  following: Following,
  wave: Written,
  effect: Extract<Effect, { kind: "make" }>,
  entity: Entity,
  transition: Transition,
  pairs: readonly Pair[],
): Steps<readonly Written[]> {
  const { context } = following;
  /** The record as it is, with what the effect gives in the place of a person. */
  const withGiven = (env: SqlEnv): ColumnValues => {
    const given = [...effect.set].flatMap(([name, expr]) => {
      const field = entity.fields.get(name);
      return field === undefined ? [] : [[name, valueFor(field, expr, env)] as const];
    });
    return candidateValues(context.model, entity, "c", new Map(given));
  };
  const set = new Map<string, Value>([
    [entity.states?.field ?? "", () => constant(transition.to)],
    ...[...transition.set].map(([name, expr]): [string, Value] => [
      name,
      (field, env) => valueFor(field, expr, rowEnv(context.model, entity, withGiven(env))),
    ]),
    ...[...effect.set].map(([name, expr]): [string, Value] => [name, (field, env) => valueFor(field, expr, env)]),
  ]);
  return yield* change(following, wave, effect, { entity, moment: transition.name, set }, pairs);
}

/** The locks of what a guard reads beside its own records, held before it is asked. */
export function* guarded(
  { context, asker, written }: Following,
  entity: Entity,
  { name, set }: Transition,
  ids: Iterable<string | null>,
): Steps<void> {
  const { model } = context;
  const guards = guardReadsOf(model, entity, name);
  if (guards.length === 0) return;
  const changed = new Set([entity.states?.field ?? "", ...set.keys()]);
  const statements = context.statements.list(["guards", entity.name, name], () =>
    lockRounds({ model, entity, changed, sides: { was: "c", is: null }, states: null }, { guards }).map(
      (rows) =>
        sql`WITH "c" AS MATERIALIZED (SELECT "x".* FROM ${tableOf(entity)} AS "x" WHERE "x"."id" = ANY(${slot("ids", "uuid[]")})) ${tryingOf(rows)}`,
    ),
  );
  for (const statement of statements)
    requireLocks(model, yield queryOf(statement, { ...slotsOf(asker), ids: [...ids] }), rowsIn(written));
}
