import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Effect, Entity, Model, Transition } from "../../../core/model/model.ts";
import { constant, identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Refusal } from "../../refusal.ts";
import { slotsOf } from "../context.ts";
import { rowEnv, tableOf } from "../row/sql-env.ts";
import { queryOf } from "../statements.ts";
import type { Steps } from "../steps.ts";
import type { Following } from "../transaction/transaction-context.ts";
import type { Written } from "../transaction/write-set.ts";
import { followed } from "./run-effects.ts";
import { locked, type Pair } from "./targets.ts";
import { guarded, moved } from "./transition.ts";

/**
 * Makes a transition that happens by itself on those of the records for which it is time: their state, the condition and
 * the guard are asked of the record as it is, locked. `records`: their ids, each with the audit line that it follows from;
 * null where it follows from none.
 */
export function* happens(
  following: Following,
  entity: Entity,
  transition: Transition,
  kind: "timeout" | "once",
  condition: (env: SqlEnv) => Sql,
  records: ReadonlyMap<string, number | null>,
): Steps<Refusal | undefined> {
  if (records.size === 0) return undefined;
  const { context, asker } = following;
  yield* guarded(following, entity, transition, records.keys());
  const ready = context.statements.get(["happens", kind, entity.name, transition.name], () => ({
    more: undefined,
    sql: sql`SELECT "x"."id" FROM ${tableOf(entity)} AS "x" WHERE "x"."id" = ANY(${slot("ids", "uuid[]")}) AND ${readyFor(context.model, entity, transition, condition)} ORDER BY "x"."id"`,
  }));
  const idsReady = function* (ids: readonly string[]): Steps<readonly string[]> {
    if (ids.length === 0) return [];
    return (yield queryOf(ready, { ...slotsOf(asker), ids })).map(({ id }) => String(id));
  };
  // Asked again once they are locked: somebody may have changed one meanwhile.
  const found = yield* idsReady([...records.keys()]);
  yield* locked(following, entity.name, found);
  const pairs = (yield* idsReady(found)).map(
    (id): Pair => ({ source: id, line: records.get(id) ?? null, each: "{}", target: id, version: null }),
  );
  if (pairs.length === 0) return undefined;
  const wave: Written = {
    entity,
    moment: "",
    changed: null,
    rows: pairs.map(({ source, line }) => ({ id: source, before: null, line })),
  };
  const effect: Extract<Effect, { kind: "make" }> = {
    kind: "make",
    clause: transition.clause,
    each: [],
    when: null,
    entity: entity.name,
    transition: transition.name,
    of: null,
    set: new Map(),
  };
  return yield* followed(following, yield* moved(following, wave, effect, entity, transition, pairs));
}

/** Whether it is time for a transition, on the record `x`. */
export const readyFor = (
  model: Model,
  entity: Entity,
  transition: Transition,
  condition: (env: SqlEnv) => Sql,
): Sql => {
  const env = rowEnv(model, entity, "x");
  const states = join(
    transition.from.map((from) => constant(from)),
    ", ",
  );
  const guard = transition.when === null ? sql`` : sql` AND (${toSql(transition.when, env).truth})`;
  return sql`"x".${identifier(entity.states?.field ?? "")} IN (${states}) AND (${condition(env)})${guard}`;
};
