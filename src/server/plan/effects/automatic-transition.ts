import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Effect } from "../../../core/model/effect.ts";
import type { Entity, Transition } from "../../../core/model/entity.ts";
import { recurringTransitions } from "../../../core/model/facts/recurring-transitions.ts";
import type { Model } from "../../../core/model/model.ts";
import { constant, identifier, join, type Sql, slot, sql } from "../../../core/sql.ts";
import type { Refusal } from "../../refusal.ts";
import { OTHER } from "../aliases.ts";
import { callerParams } from "../context.ts";
import { rowEnv, tableSql } from "../row/sql-env.ts";
import { type Steps, send } from "../steps.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import type { WriteSet } from "../transaction/write-set.ts";
import { recordEffectWrites } from "./run-effects.ts";
import { type EffectRun, lockRecords } from "./targets.ts";
import { lockGuardReads, transitionRecords } from "./transition.ts";

/**
 * Makes an automatic transition on those records for which it is due. State, condition and guard are evaluated on the
 * locked record. `records`: ids, each with the audit line of the cause or null.
 */
export function* runAutomaticTransition(
  tx: WriteTransaction,
  entity: Entity,
  transition: Transition,
  kind: "timeout" | "once",
  condition: (env: SqlEnv) => Sql,
  records: ReadonlyMap<string, number | null>,
): Steps<Refusal | undefined> {
  if (records.size === 0) return undefined;
  const { context, caller } = tx;
  yield* lockGuardReads(tx, entity, transition, records.keys());
  const madeNow = findMade(tx, entity, transition);
  const ready = context.statements.get(["happens", kind, entity.name, transition.name], () => ({
    more: undefined,
    sql: sql`SELECT ${OTHER}."id" FROM ${tableSql(entity)} AS ${OTHER} WHERE ${OTHER}."id" = ANY(${slot("ids", "uuid[]")}) AND ${isDueSql(context.model, entity, transition, condition)} ORDER BY ${OTHER}."id"`,
  }));
  const idsReady = function* (ids: readonly string[]): Steps<readonly string[]> {
    if (ids.length === 0) return [];
    return (yield* send(ready, { ...callerParams(caller), ids })).map(({ id }) => String(id));
  };
  // Checks again after locking, because a concurrent transaction could have changed a record.
  const found = yield* idsReady([...records.keys()].filter((id) => !madeNow.has(id)));
  yield* lockRecords(tx, entity.name, found);
  const effectRuns = (yield* idsReady(found)).map(
    (id): EffectRun => ({ source: id, line: records.get(id) ?? null, each: "{}", target: id, version: null }),
  );
  if (effectRuns.length === 0) return undefined;
  const writeSet: WriteSet = {
    entity,
    action: "",
    changed: null,
    rows: effectRuns.map(({ source, line }) => ({ id: source, before: null, line })),
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
  return yield* recordEffectWrites(tx, yield* transitionRecords(tx, writeSet, effect, entity, transition, effectRuns));
}

/**
 * The records to which a recurring transition has already happened in this transaction. While its condition is true, it
 * happens again in a later one.
 */
const findMade = (
  { written }: WriteTransaction,
  { name, states }: Entity,
  transition: Transition,
): ReadonlySet<string> => {
  if (states === null || !recurringTransitions(states).has(transition)) return new Set();
  const own = written.filter(({ entity, action }) => entity.name === name && action === transition.name);
  return new Set(own.flatMap(({ rows }) => rows.map(({ id }) => id)));
};

/** The condition that the transition is due on the record `x`. */
export const isDueSql = (
  model: Model,
  entity: Entity,
  transition: Transition,
  condition: (env: SqlEnv) => Sql,
): Sql => {
  const env = rowEnv(model, entity, OTHER.alias);
  const states = join(
    transition.from.map((from) => constant(from)),
    ", ",
  );
  const guard =
    transition.guardAndPreconditions === null
      ? sql``
      : sql` AND (${toSql(transition.guardAndPreconditions, env).truth})`;
  return sql`${OTHER}.${identifier(entity.states?.field ?? "")} IN (${states}) AND (${condition(env)})${guard}`;
};
