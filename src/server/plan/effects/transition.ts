import { guardChecks, stateRefusal } from "../../../core/derive/consistency/check-refusals.ts";
import { findGuardReads } from "../../../core/derive/consistency/read-sets.ts";
import { otherState } from "../../../core/explain/who-may.ts";
import { type SqlEnv, toSql } from "../../../core/expression/compile/to-sql.ts";
import type { Expr } from "../../../core/expression/expr.ts";
import { collectReadSet } from "../../../core/expression/inspect/read-set.ts";
import type { Effect } from "../../../core/model/effect.ts";
import type { Entity, Transition } from "../../../core/model/entity.ts";
import { listActValues } from "../../../core/model/facts/act-values.ts";
import type { Field } from "../../../core/model/field.ts";
import { identifier, join, slot, sql } from "../../../core/sql.ts";
import { type Refusal, refuseCall } from "../../refusal.ts";
import { CURRENT, OTHER } from "../aliases.ts";

import { callerParams, getEntity } from "../context.ts";
import { asText, type Decoder, resultShape } from "../result-columns.ts";
import { nextStateSql } from "../row/next-state.ts";
import { candidateValues } from "../row/proposed-row.ts";
import { type ColumnValues, columnRef, rowEnv, tableSql } from "../row/sql-env.ts";
import { type Steps, send } from "../steps.ts";
import { listChangedRecords, requireLocks } from "../transaction/early-locks.ts";
import { lockStatements, tryLocksSql } from "../transaction/locks.ts";
import type { WriteTransaction } from "../transaction/transaction-context.ts";
import type { WriteSet } from "../transaction/write-set.ts";
import { tableAs, withTables } from "../transaction/write-statement.ts";
import { type EffectRun, findRuns, firstRuns, lockTargets } from "./targets.ts";
import { changeTargets } from "./update.ts";
import { type EffectValue, effectValueSql, emptyValueSql } from "./values.ts";

const asBooleans: Decoder<readonly boolean[]> = (value) =>
  Array.isArray(value) ? value.map((item) => item === true) : [];
const targetState = resultShape({ state: asText, held: asBooleans });

/** Makes a transition on all target records of an effect, or refuses. */
export function* runTransitionEffect(
  tx: WriteTransaction,
  writeSet: WriteSet,
  effect: Extract<Effect, { kind: "make" }>,
): Steps<Refusal | readonly WriteSet[]> {
  const { context, caller } = tx;
  const entity = getEntity(context, effect.entity);
  const { states } = entity;
  const transition = states?.transitions.get(effect.transition);
  if (states === null || transition === undefined) throw new Error(`no transition ${effect.transition}`);
  // The source record is locked already.
  const allRuns =
    effect.of === null
      ? (yield* findRuns(tx, writeSet, effect, null)).map((effectRun) => ({ ...effectRun, target: effectRun.source }))
      : yield* lockTargets(tx, writeSet, effect, effect.of);
  const effectRuns = firstRuns(allRuns);
  if (effectRuns.length === 0) return [];
  yield* lockGuardReads(
    tx,
    entity,
    transition,
    effectRuns.map(({ target }) => target),
  );
  const guards = guardChecks(transition);
  const heldSql = () => {
    const env = rowEnv(context.model, entity, OTHER.alias);
    const guardResults = guards.map(({ holds }) => sql`COALESCE(${toSql(holds, env).truth}, FALSE)`);
    return sql`jsonb_build_array(${join(guardResults, ", ")})`;
  };
  const readiness = context.statements.get(["effect ready", entity.name, transition.name], () => ({
    more: undefined,
    sql: sql`SELECT ${targetState.select({ state: sql`${OTHER}.${identifier(states.field)}`, held: heldSql() })} FROM ${tableSql(entity)} AS ${OTHER} WHERE ${OTHER}."id" = ANY(${slot("ids", "uuid[]")})`,
  }));
  const found = yield* send(readiness, { ...callerParams(caller), ids: effectRuns.map(({ target }) => target) });
  for (const { state, held: guardsHold } of found.map(targetState.read)) {
    if (!transition.from.includes(state))
      return {
        ...refuseCall(stateRefusal(transition)),
        // The caller may not see the targets and their states, so the message contains no state.
        message: otherState(caller.phrases, entity, transition, null),
      };
    // The caller may not see the values of the target, so a message of the document shows none.
    const broken = guards.find((_, i) => guardsHold[i] !== true);
    if (broken !== undefined) return refuseCall(broken.refusal);
  }
  return yield* transitionRecords(tx, writeSet, effect, entity, transition, effectRuns);
}

/** The values of an act that the default of another reads. */
const findReadValues = (ofAct: readonly Field[], initial: Expr): readonly Field[] => {
  const { fields } = collectReadSet(initial);
  return ofAct.filter(({ name }) => fields.has(name));
};

/** Makes a transition on each record, after it was found to be possible. */
export function* transitionRecords(
  tx: WriteTransaction,
  writeSet: WriteSet,
  effect: Extract<Effect, { kind: "make" }>,
  entity: Entity,
  transition: Transition,
  effectRuns: readonly EffectRun[],
): Steps<Refusal | readonly WriteSet[]> {
  const { context } = tx;
  const ofAct = listActValues(entity, transition);
  /** The record with the values that the effect sets in place of user input. */
  const withGiven = (env: SqlEnv, values: readonly Field[] = ofAct): ColumnValues => {
    const assigned = [...effect.set].flatMap(([name, expr]) => {
      const field = entity.fields.get(name);
      return field === undefined ? [] : [[name, effectValueSql(field, expr, env)] as const];
    });
    const newValues = new Map([...values.map((field) => [field.name, valueOfAct(field, env)] as const), ...assigned]);
    return candidateValues(context.model, entity, CURRENT.alias, newValues, transition.name);
  };
  // A value that the effect does not give has its default, or is missing, even if an earlier act left one in the column.
  const valueOfAct: EffectValue = (field, env) =>
    field.default === null
      ? emptyValueSql(field)
      : effectValueSql(
          field,
          field.default,
          rowEnv(context.model, entity, withGiven(env, findReadValues(ofAct, field.default))),
        );
  const set = new Map<string, EffectValue>([
    ...ofAct.map(({ name }): [string, EffectValue] => [name, valueOfAct]),
    [entity.states?.field ?? "", () => nextStateSql(transition, (name) => columnRef(CURRENT.alias, name))],
    ...[...transition.set].map(([name, expr]): [string, EffectValue] => [
      name,
      (field, env) => effectValueSql(field, expr, rowEnv(context.model, entity, withGiven(env))),
    ]),
    ...[...effect.set].map(([name, expr]): [string, EffectValue] => [
      name,
      (field, env) => effectValueSql(field, expr, env),
    ]),
  ]);
  return yield* changeTargets(tx, writeSet, effect, { entity, action: transition.name, set }, effectRuns);
}

/** Takes the locks for the guard's reads of other records before the guard is evaluated. */
export function* lockGuardReads(
  { context, caller, written: writeSets }: WriteTransaction,
  entity: Entity,
  { name, set }: Transition,
  ids: Iterable<string | null>,
): Steps<void> {
  const { model } = context;
  const guards = findGuardReads(model, entity, name);
  if (guards.length === 0) return;
  const changed = new Set([entity.states?.field ?? "", ...set.keys()]);
  const statements = context.statements.list(["guards", entity.name, name], () =>
    lockStatements({ model, entity, changed, sides: { was: CURRENT.alias, is: null }, states: null }, { guards }).map(
      (rows) =>
        withTables(
          [
            tableAs(
              CURRENT,
              sql`SELECT ${OTHER}.* FROM ${tableSql(entity)} AS ${OTHER} WHERE ${OTHER}."id" = ANY(${slot("ids", "uuid[]")})`,
            ),
          ],
          tryLocksSql(rows),
        ),
    ),
  );
  for (const statement of statements)
    requireLocks(
      model,
      yield* send(statement, { ...callerParams(caller), ids: [...ids] }),
      listChangedRecords(writeSets),
    );
}
